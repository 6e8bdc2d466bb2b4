//! What a server promises.

/// By what a resource is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// Its type, `meta.source` and `meta.sourceId`; its location is a member like others.
    Pair,
    /// The same at a location: a resource that moves leaves a tombstone there.
    PairAtLocation,
}

/// How often a state may come along one chain of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Once, if it was there before the chain began: pages alone do not show that.
    WhenBusy,
    /// Once. A resource that changes and changes back within the resolution of
    /// `meta.modified` looks the same; where that happens, choose the other.
    Never,
}

/// The promises that a feed is held to. Start from [`Profile::standard`] or
/// [`Profile::herdbook`] and change what the server at hand promises otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// By what a resource is known again.
    pub identity: Identity,
    /// How often a state may come.
    pub repeats: Repeats,
    /// Whether `meta.modified` must be there and never goes back along a chain.
    pub times_ascend: bool,
    /// Whether the continuation says by `current` if the client is current (`true`) or more is to come (`false`).
    /// Otherwise a page without resources is the end, and `current` is believed where it is present.
    pub marks: bool,
    /// Whether a page with `icar-full-sync` is already the first of the new beginning.
    pub full_sync_begins: bool,
    /// Longest token in characters, where a bound is promised.
    pub longest_token: Option<usize>,
    /// Whether each sort of bad token has its own documented answer; otherwise any refusal
    /// (4xx) or `icar-full-sync` will do.
    pub documented_refusals: bool,
}

impl Profile {
    /// What ADE 1.5 itself promises.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            identity: Identity::Pair,
            repeats: Repeats::WhenBusy,
            times_ascend: false,
            marks: false,
            full_sync_begins: false,
            longest_token: None,
            documented_refusals: false,
        }
    }

    /// What Herdbook Hub promises beyond it (`docs/feed-profile.md`).
    #[must_use]
    pub const fn herdbook() -> Self {
        Self {
            identity: Identity::PairAtLocation,
            repeats: Repeats::Never,
            times_ascend: true,
            marks: true,
            full_sync_begins: true,
            longest_token: Some(512),
            documented_refusals: true,
        }
    }

    /// The same for one of its data sets. What animals that join a set of animals bring
    /// along is older than what came before.
    #[must_use]
    pub fn herdbook_of(dataset: &str) -> Self {
        Self { times_ascend: !dataset.starts_with("set-"), ..Self::herdbook() }
    }
}
