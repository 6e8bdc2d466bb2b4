//! A client of change feeds of the ICAR Animal Data Exchange (generic data exchange, ADE
//! 1.5): mirrors a data set of any server into a SQLite file, goes on where it was stopped,
//! and judges the feed on the way ([`feed_oracle`]).
//!
//! [`Follower::next`] reads a page and stores it together with its token in one transaction;
//! [`Mirror`] reads the stored documents. `herdbook follow` uses this crate.

mod error;
mod follower;
mod mirror;
mod pace;
mod remote;

pub use error::{Error, Result};
pub use feed_oracle::{Kind, Violation};
pub use follower::{Applied, Follower, Level, Options};
pub use mirror::{Counts, Document, Mirror};
pub use pace::Patience;
pub use remote::SignIn;
