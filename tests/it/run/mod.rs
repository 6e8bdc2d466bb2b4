//! The program as operators see it: flags, messages, exit codes, signals, and what a server reports
//! when something around it is broken.

mod connections;
mod crowded;
mod disk;
mod flags;
mod links;
mod log;
mod memory;
mod messages;
mod private;
mod shape;
mod signals;

pub(crate) use crate::support::book::SECRET;
pub(crate) use crate::support::program::{Ran, Server, ended, herdbook, migrated, ran};
