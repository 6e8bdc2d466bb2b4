//! The errors of a follower.

use std::time::Duration;
use thiserror::Error;

/// What went wrong.
#[derive(Debug, Error)]
pub enum Error {
    /// The server cannot answer now, or the connection broke: worth another attempt.
    #[error("{why}")]
    Later {
        /// What happened.
        why: String,
        /// How long the server asks to wait.
        after: Option<Duration>,
    },
    /// The server does not know the caller, or refuses the sign-in.
    #[error("not signed in: {0}")]
    SignIn(String),
    /// The server refuses the request; asking again would change nothing.
    #[error("{0}")]
    Refused(String),
    /// The address leads to no data set.
    #[error("{0}")]
    NotFound(String),
    /// The mirror is of another server, data set or selection.
    #[error("{0}")]
    OtherMirror(String),
    /// The mirror cannot be read or written.
    #[error("the mirror: {0}")]
    Mirror(String),
    /// An address, a type or a location is malformed.
    #[error("{0}")]
    Input(String),
}

/// A result with [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Mirror(error.to_string())
    }
}

impl Error {
    pub(crate) fn later(why: impl Into<String>) -> Self {
        Self::Later { why: why.into(), after: None }
    }
}
