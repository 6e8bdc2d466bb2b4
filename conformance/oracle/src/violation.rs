//! Violations: their kinds and texts.

use std::fmt;

/// The law that was broken. The code ([`Kind::code`]) is stable, the text is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The page is not what the standard describes: cut off, without context or token, or
    /// with an element that is no resource.
    Shape,
    /// A token that the server gave was refused.
    Refused,
    /// A page has more resources than were requested.
    Unbounded,
    /// A page with resources gave back the token of its request.
    NoProgress,
    /// `icar-full-sync` in answer to a call without a token: a client would never end.
    FullSyncLoop,
    /// An empty page that does not say whether more is to come.
    Unmarked,
    /// The same state came twice along one chain of pages.
    Repeated,
    /// A resource went back to an earlier state.
    WentBack,
    /// `meta.modified` goes back along a chain of a server that promises that it does not.
    TimesWentBack,
    /// A change came after one that was committed later.
    Order,
    /// A state that was committed, with other content.
    Altered,
    /// A resource that this reader may not see, or that is not of the requested set.
    Leak,
    /// A change that was left out.
    Missing,
    /// A deletion that the reader never received.
    LostTombstone,
    /// A deletion of a resource that still exists.
    FalseTombstone,
    /// A state that was lost with a restored backup is still held, or a token from then was accepted.
    FutureToken,
    /// A malformed token was not answered as documented.
    MalformedToken,
    /// An altered token was not answered as documented.
    ForgedToken,
    /// A token of another client or set was not answered as documented.
    ForeignToken,
    /// An expired token was not answered as documented.
    ExpiredToken,
}

impl Kind {
    /// A stable word for reports and tables.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Refused => "refused",
            Self::Unbounded => "unbounded",
            Self::NoProgress => "no-progress",
            Self::FullSyncLoop => "full-sync-loop",
            Self::Unmarked => "unmarked",
            Self::Repeated => "repeated",
            Self::WentBack => "went-back",
            Self::TimesWentBack => "times-went-back",
            Self::Order => "order",
            Self::Altered => "altered",
            Self::Leak => "leak",
            Self::Missing => "missing",
            Self::LostTombstone => "lost-tombstone",
            Self::FalseTombstone => "false-tombstone",
            Self::FutureToken => "future-token",
            Self::MalformedToken => "malformed-token",
            Self::ForgedToken => "forged-token",
            Self::ForeignToken => "foreign-token",
            Self::ExpiredToken => "expired-token",
        }
    }
}

/// A broken law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub kind: Kind,
    /// What happened, for people.
    pub words: String,
}

impl Violation {
    /// One of a kind.
    pub fn new(kind: Kind, words: impl Into<String>) -> Self {
        Self { kind, words: words.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.code(), self.words)
    }
}

impl std::error::Error for Violation {}
