//! Why a request is refused before its handler.

use super::fields;
use std::time::Duration;

/// Why a request is refused before its handler, and after how many seconds to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denied {
    pub(crate) why: Why,
    pub(crate) after: u64,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// Too many requests.
    Rate,
    /// Too many at a time.
    Busy,
    /// The server has too much to do.
    Overloaded,
}

impl Denied {
    pub(super) fn new(why: Why, wait: Duration) -> Self {
        let after = fields::come_back(wait);
        Self { why, after }
    }

    /// The database is busy with others.
    pub(crate) fn overloaded() -> Self {
        Self::new(Why::Overloaded, Duration::from_secs(2))
    }

    /// No more connections are taken.
    pub(crate) fn crowded() -> Self {
        Self::new(Why::Overloaded, Duration::from_secs(1))
    }

    /// What is wrong, in words.
    pub(crate) fn message(self) -> &'static str {
        match self.why {
            Why::Rate => "Too many requests. Come back when Retry-After says.",
            Why::Busy => "Too many requests at a time. Wait for answers before asking more.",
            Why::Overloaded => "The service is too busy now. Come back when Retry-After says.",
        }
    }

    /// Whether the fault is the client's.
    pub(crate) fn is_the_clients(self) -> bool {
        match self.why {
            Why::Rate | Why::Busy => true,
            Why::Overloaded => false,
        }
    }
}
