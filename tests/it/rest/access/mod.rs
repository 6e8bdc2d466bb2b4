//! Who may read, write and learn what.

mod facts;
mod origins;
mod people;
mod permissions;
mod rights;
mod services;
mod sharing;
mod unseen;
