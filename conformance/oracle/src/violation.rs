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
    /// A page has more resources than were asked for.
    Unbounded,
    /// A page with resources gave back the token it was asked with.
    NoProgress,
    /// `icar-full-sync` in answer to a call without a token: a client would never end.
    FullSyncLoop,
    /// An empty page that does not say whether more is to come.
    Unmarked,
    /// A page says that the client is current, and it is not.
    FalseCurrent,
    /// The same state came twice along one chain of pages.
    Repeated,
    /// A token leads back before the place where it was given.
    Rewound,
    /// A resource went back to an earlier state.
    WentBack,
    /// `meta.modified` goes back along a chain of a server that promises that it does not.
    TimesWentBack,
    /// A change came after one that was committed later.
    Order,
    /// Two readers received the same two changes in different orders.
    Disagreement,
    /// A state that was never committed: the page ran ahead of the commit, or shows what was rolled
    /// back.
    Ahead,
    /// A state that was committed, with other content.
    Altered,
    /// A resource that this reader may not see, or that is not of the requested set.
    Leak,
    /// A change that was left out in the middle of a page.
    Missing,
    /// A change that fell between two pages.
    SkippedAtBoundary,
    /// A change that was committed after the token was given, and lies before it: numbers
    /// are handed out before the commit.
    Overtaken,
    /// A change with the time of the last one on the page before: paging by the clock.
    ByClock,
    /// An acknowledged change that came only later: pages or caches behind the commit.
    Behind,
    /// A deletion that the reader never received.
    LostTombstone,
    /// A deletion of a resource that still exists.
    FalseTombstone,
    /// A resource that was deleted and made again in one transaction is gone.
    Recreated,
    /// A resource that the reader may see since a grant never came.
    NotGained,
    /// A resource that a reader may not see any more was not withdrawn.
    NotWithdrawn,
    /// A withdrawal without its reason.
    NoReason,
    /// A state that was lost with a restored backup is still held, or a token from then was
    /// accepted.
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
            Self::FalseCurrent => "false-current",
            Self::Repeated => "repeated",
            Self::Rewound => "rewound",
            Self::WentBack => "went-back",
            Self::TimesWentBack => "times-went-back",
            Self::Order => "order",
            Self::Disagreement => "disagreement",
            Self::Ahead => "ahead-of-commit",
            Self::Altered => "altered",
            Self::Leak => "leak",
            Self::Missing => "missing",
            Self::SkippedAtBoundary => "skipped-at-boundary",
            Self::Overtaken => "overtaken",
            Self::ByClock => "by-clock",
            Self::Behind => "behind-the-commit",
            Self::LostTombstone => "lost-tombstone",
            Self::FalseTombstone => "false-tombstone",
            Self::Recreated => "recreated",
            Self::NotGained => "not-gained",
            Self::NotWithdrawn => "not-withdrawn",
            Self::NoReason => "no-reason",
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
        Self {
            kind,
            words: words.into(),
        }
    }

    /// The same with the name of the reader in front.
    #[must_use]
    pub fn of(mut self, reader: &str) -> Self {
        self.words = format!("{reader}: {}", self.words);
        self
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.code(), self.words)
    }
}

impl std::error::Error for Violation {}
