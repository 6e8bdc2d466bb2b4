//! The known writes.

use crate::wire::{Key, Resource, State};
use std::collections::{BTreeMap, BTreeSet};

/// A transaction that a [`Trial`](crate::Trial) knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(pub(crate) usize);

/// When a transaction became visible: not before `sent`, and no later than `done`. Moments
/// are numbers of events, not times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Commit {
    pub(crate) sent: u64,
    pub(crate) done: Option<u64>,
    /// Refused, or lost with a restored backup.
    pub(crate) void: bool,
}

impl Commit {
    /// Whether it was visible at that moment for certain.
    pub(crate) fn before(&self, moment: u64) -> bool {
        !self.void && self.done.is_some_and(|done| done <= moment)
    }
}

/// A state of a resource that a transaction produced.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) commit: CommitId,
    pub(crate) state: State,
    pub(crate) location: String,
}

/// All transactions that are known, in the order of their commits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Truth {
    pub(crate) moment: u64,
    commits: Vec<Commit>,
    entries: BTreeMap<Key, Vec<Entry>>,
}

impl Truth {
    pub(crate) fn tick(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    pub(crate) fn sent(&mut self, changes: Vec<Resource>) -> CommitId {
        let id = CommitId(self.commits.len());
        let sent = self.tick();
        self.commits.push(Commit {
            sent,
            done: None,
            void: false,
        });
        for change in changes {
            self.entries.entry(change.key).or_default().push(Entry {
                commit: id,
                state: change.state,
                location: change.location,
            });
        }
        id
    }

    pub(crate) fn done(&mut self, id: CommitId) {
        // The moment of sending, where nothing happened in between.
        let moment = self.moment;
        if let Some(commit) = self.commits.get_mut(id.0) {
            commit.done.get_or_insert(moment);
        }
    }

    pub(crate) fn undone(&mut self, id: CommitId) {
        if let Some(commit) = self.commits.get_mut(id.0) {
            commit.void = true;
        }
    }

    pub(crate) fn restored(&mut self, kept: usize) {
        self.tick();
        for commit in self.commits.iter_mut().skip(kept) {
            commit.void = true;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.commits.len()
    }

    /// Void for an unknown transaction.
    pub(crate) fn commit(&self, id: CommitId) -> Commit {
        self.commits.get(id.0).copied().unwrap_or(Commit {
            sent: 0,
            done: None,
            void: true,
        })
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = (&Key, &[Entry])> {
        self.entries.iter().map(|(key, all)| (key, all.as_slice()))
    }

    pub(crate) fn of(&self, key: &Key) -> &[Entry] {
        self.entries.get(key).map_or(&[], Vec::as_slice)
    }

    /// The index of the last entry with that state: valid entries are preferred to void ones.
    pub(crate) fn find(&self, key: &Key, state: &State) -> Option<usize> {
        let fits = |entry: &Entry| {
            let times = match (entry.state.modified, state.modified) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            entry.state.deleted == state.deleted && entry.state.print == state.print && times
        };
        let all = self.of(key);
        let counts = all
            .iter()
            .rposition(|e| fits(e) && !self.commit(e.commit).void);
        counts.or_else(|| all.iter().rposition(fits))
    }

    /// The index of the last entry that was visible for certain at that moment.
    pub(crate) fn last(&self, key: &Key, moment: u64) -> Option<usize> {
        let all = self.of(key);
        all.iter()
            .rposition(|e| self.commit(e.commit).before(moment))
    }
}

/// What a reader may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Locations as `scheme/id`; all, if none are named.
    pub locations: Option<BTreeSet<String>>,
    /// Resource types; all, if none are named.
    pub types: Option<BTreeSet<String>>,
}

impl Scope {
    /// Everything at these locations.
    #[must_use]
    pub fn at<S: Into<String>>(locations: impl IntoIterator<Item = S>) -> Self {
        Self {
            locations: Some(locations.into_iter().map(Into::into).collect()),
            types: None,
        }
    }

    /// Narrowed to types.
    #[must_use]
    pub fn of<S: Into<String>>(mut self, types: impl IntoIterator<Item = S>) -> Self {
        self.types = Some(types.into_iter().map(Into::into).collect());
        self
    }
}

/// Rights of a reader as they change.
#[derive(Debug, Clone)]
pub(crate) struct Rights {
    scope: Scope,
    /// By location: since when the reader may see it, or may not any more.
    changes: BTreeMap<String, Vec<(u64, bool)>>,
}

impl Rights {
    pub(crate) const fn new(scope: Scope) -> Self {
        Self {
            scope,
            changes: BTreeMap::new(),
        }
    }

    pub(crate) fn set(&mut self, location: &str, moment: u64, may: bool) {
        let changes = self.changes.entry(location.to_owned()).or_default();
        changes.push((moment, may));
    }

    pub(crate) fn takes(&self, kind: &str) -> bool {
        self.scope
            .types
            .as_ref()
            .is_none_or(|types| types.contains(kind))
    }

    pub(crate) fn sees(&self, location: &str, moment: u64) -> bool {
        let changes = self.changes.get(location).map_or(&[][..], Vec::as_slice);
        match changes.iter().rfind(|(since, _)| *since <= moment) {
            Some((_, may)) => *may,
            None => self
                .scope
                .locations
                .as_ref()
                .is_none_or(|all| all.contains(location)),
        }
    }

    /// Whether the reader ever saw it until that moment.
    pub(crate) fn saw(&self, location: &str, moment: u64) -> bool {
        let changes = self.changes.get(location).map_or(&[][..], Vec::as_slice);
        self.sees(location, 0) || changes.iter().any(|(since, may)| *may && *since <= moment)
    }

    /// The last moment, up to the given one, at which the right was granted (or withdrawn).
    pub(crate) fn turned(&self, location: &str, moment: u64, given: bool) -> Option<u64> {
        let changes = self.changes.get(location)?;
        let last = changes
            .iter()
            .rfind(|(since, may)| *since <= moment && *may == given);
        last.map(|(since, _)| *since)
    }
}
