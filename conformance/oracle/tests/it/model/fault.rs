//! Mistakes that real servers make, one switch each.

/// A seeded bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Numbers are handed out when a transaction begins, not when it commits.
    SerialOrder,
    /// The token is the time of the last change; the next page begins after that time.
    ClockPaging,
    /// Documents are visible as soon as they are written, before the commit.
    CacheAhead,
    /// A state that was rolled back stays in the feed.
    RolledBackStays,
    /// Pages are cached for a while, and a commit does not drop them.
    CacheBehind,
    /// Some pages are read from a copy of the database that lags.
    LaggingCopy,
    /// Pages are cached without regard to the caller.
    CacheOfAll,
    /// A deletion takes the document out of the feed.
    LostTombstone,
    /// Tombstones are cleared away, though tokens from before them are still honoured.
    TombstonesExpire,
    /// A filter by type looks into members that tombstones do not have.
    FilterLosesTombstones,
    /// Deleted and made again in one transaction: the tombstone is written last.
    RecreatedIsGone,
    /// A resource that is sold appears at its new place and is not withdrawn from the old one.
    SoldNotBuried,
    /// A new state is announced with the old content.
    OldContent,
    /// A job in the background writes a state back that it had read before.
    LostUpdate,
    /// After a restart tokens count from the last checkpoint.
    RewoundToken,
    /// The place after a full page is counted one too far.
    SkippedBoundary,
    /// The next page begins with the last one of the page before.
    RepeatedBoundary,
    /// A full page gives back the token it was asked with.
    TokenStays,
    /// A grant shows later changes only, not the existing resources.
    GainWithoutHistory,
    /// The end of a grant withdraws nothing from the client.
    LossWithoutTombstones,
    /// Withdrawals do not say why.
    LossWithoutReason,
    /// Documents on a page come by key.
    OrderedByKey,
    /// In a set the changes of a transaction come in another order than in `everything`.
    SetDisagrees,
    /// A page is filtered after it was read; an empty one does not say that more is to come.
    EmptyUnmarked,
    /// Every page says that the client is current.
    AlwaysCurrent,
    /// With other rights or another generation reading begins anew without notice.
    SilentResync,
    /// `icar-full-sync` also for clients that begin.
    FullSyncForever,
    /// The changes after a snapshot begin where it ended, not where it began.
    SnapshotGap,
    /// A page ignores the limit.
    Unbounded,
    /// Some pages end in the middle.
    CutPage,
    /// The last page has no continuation.
    NoContinuation,
    /// After a restored backup old tokens go on.
    FutureToken,
    /// A token older than the oldest tombstone is answered with an empty page.
    ExpiredAsCurrent,
    /// Signatures of tokens are not looked at.
    ForgedToken,
    /// A token is not bound to the client that received it.
    ForeignToken,
    /// A malformed token begins anew without notice.
    MalformedToken,
}
