//! Webhooks from registration to receiver, on each database: which changes are reported to which
//! receivers, when they are reported again, and addresses that nothing is ever sent to.

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
