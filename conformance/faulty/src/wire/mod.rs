//! Requests as they arrive, answers as they leave, and the connection between.

pub(crate) mod answer;
pub(crate) mod request;
pub(crate) mod server;
