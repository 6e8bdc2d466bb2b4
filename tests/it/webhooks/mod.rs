//! Webhooks from registration to receiver, on each database: what is reported and to whom, when it
//! is reported again, and where nothing is ever sent.

mod log;
mod places;
mod receiver;
mod rights;
mod secrets;
mod secured;
mod sending;
mod stage;
mod tries;
#[expect(unreachable_pub, reason = "as partners have it in a library")]
mod verify;
