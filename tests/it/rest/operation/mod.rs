//! Emails, logs, and the surroundings of the faces.

pub(crate) mod letters;
mod logs;
mod server;
mod signposts;
