//! Mandates, senders for all locations, and rows that a caller does not see.

mod mandates;
mod mandates_unseen;
mod senders;
mod unseen;
