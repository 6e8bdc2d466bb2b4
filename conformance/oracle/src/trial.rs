//! A trial: records writes and reads, and judges whether the reads follow from the writes.

use crate::profile::{Order, Profile, Repeats};
use crate::truth::{CommitId, Entry, Rights, Scope, Truth};
use crate::violation::{Kind, Violation};
use crate::watcher::{Delivered, Pending, Watcher};
use crate::wire::{Answer, Asked, Key, Page, Resource};
use std::collections::BTreeMap;

/// A reader of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderId(usize);

/// A request that waits for its answer.
#[derive(Debug, Clone)]
pub struct Open {
    reader: usize,
    asked: Asked,
    moment: u64,
}

/// The judgement of an answer.
#[derive(Debug, Clone)]
pub struct Step {
    /// The page, if it was one.
    pub page: Option<Page>,
    /// The violations, in the order they were found.
    pub violations: Vec<Violation>,
}

/// Collects writes and reads, and judges each page when it comes. Stores the keys and fingerprints
/// of all pages, so that a reader can continue from every token.
#[derive(Debug, Clone)]
pub struct Trial {
    profile: Profile,
    truth: Truth,
    readers: Vec<Watcher>,
}

impl Trial {
    /// A trial without writes.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            truth: Truth::default(),
            readers: Vec::new(),
        }
    }

    /// What is promised.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// A transaction that may be visible from now on: the resulting states, in its order.
    pub fn sent(&mut self, changes: Vec<Resource>) -> CommitId {
        self.truth.sent(changes)
    }

    /// It was acknowledged: from now on it must be visible.
    pub fn acknowledged(&mut self, commit: CommitId) {
        self.truth.tick();
        self.truth.done(commit);
    }

    /// It was refused or rolled back: no reader may see it.
    pub fn undone(&mut self, commit: CommitId) {
        self.truth.undone(commit);
    }

    /// A transaction that becomes visible now, for callers that know the moment.
    pub fn committed(&mut self, changes: Vec<Resource>) -> CommitId {
        let id = self.truth.sent(changes);
        self.truth.done(id);
        id
    }

    /// A backup was restored: only the first `kept` transactions are left.
    pub fn restored(&mut self, kept: usize) {
        self.truth.restored(kept);
    }

    /// How many transactions there are.
    #[must_use]
    pub fn commits(&self) -> usize {
        self.truth.len()
    }

    /// Adds a reader that holds nothing yet.
    pub fn reader(&mut self, name: impl Into<String>, scope: Scope) -> ReaderId {
        let watcher = Watcher::new(name.into(), Rights::new(scope), self.profile.clone());
        self.readers.push(watcher);
        ReaderId(self.readers.len() - 1)
    }

    /// The reader may see a location from now on, or not any more.
    pub fn rights(&mut self, reader: ReaderId, location: &str, may: bool) {
        let moment = self.truth.tick();
        if let Some(watcher) = self.readers.get_mut(reader.0) {
            watcher.rights.set(location, moment, may);
        }
    }

    /// The tokens that a reader may go back to, the earliest first.
    #[must_use]
    pub fn tokens(&self, reader: ReaderId) -> Vec<String> {
        let Some(watcher) = self.readers.get(reader.0) else {
            return Vec::new();
        };
        let mut all: Vec<(&String, &usize)> = watcher.tokens.iter().collect();
        all.sort_unstable_by_key(|(token, at)| (**at, *token));
        all.into_iter().map(|(token, _)| token.clone()).collect()
    }

    /// How many live resources a reader holds.
    #[must_use]
    pub fn holds(&self, reader: ReaderId) -> usize {
        let held = self.readers.get(reader.0).map(|w| &w.held);
        held.map_or(0, |held| {
            held.values().filter(|state| !state.deleted).count()
        })
    }

    /// A reader asks for a page: with its present token, with an older one of its own, or from the
    /// beginning.
    pub fn ask(&mut self, reader: ReaderId, asked: Asked) -> Open {
        let moment = self.truth.tick();
        if let Some(watcher) = self.readers.get_mut(reader.0) {
            match &asked.since {
                None => watcher.anew(moment),
                Some(token) => {
                    // A token that was never given is a fault of the reader, and the chain begins
                    // anew.
                    if !watcher.go_on(token, moment) {
                        watcher.anew(moment);
                    }
                }
            }
        }
        Open {
            reader: reader.0,
            asked,
            moment,
        }
    }

    /// Judges the answer that came.
    pub fn answered(&mut self, open: &Open, answer: &Answer) -> Step {
        let moment = self.truth.tick();
        let Some(watcher) = self.readers.get_mut(open.reader) else {
            return Step {
                page: None,
                violations: Vec::new(),
            };
        };
        if answer.full_sync && answer.status == 200 {
            watcher.anew(moment);
            if !self.profile.full_sync_begins && open.asked.since.is_some() {
                // The client calls again without a token; what the page holds is not defined.
                return Step {
                    page: Page::read(&self.profile, answer).ok(),
                    violations: Vec::new(),
                };
            }
        }
        let judged = match watcher.chain.page(&open.asked, answer, &watcher.held) {
            Ok(judged) => judged,
            Err(violation) => {
                return Step {
                    page: None,
                    violations: vec![violation.of(&watcher.name)],
                };
            }
        };
        let mut taking = Taking {
            profile: &self.profile,
            truth: &self.truth,
            watcher,
            asked: open.moment,
            moment,
            found: Vec::new(),
        };
        let delivered = taking.resources(&judged.page);
        taking.resolve(&delivered, &judged.page);
        let Taking { mut found, .. } = taking;
        // Violations that the pages alone show come last; repetition was judged above, by the known
        // writes.
        let alone = judged.violations.into_iter();
        found.extend(alone.filter(|v| v.kind != Kind::Repeated));
        watcher.take(open.moment, judged.page.token.clone(), delivered);
        if judged.page.is_current() && !(self.profile.marks && judged.page.current.is_none()) {
            let (now, later) = crate::complete::missing(&self.truth, watcher, open.moment, moment);
            found.extend(now);
            if judged.page.current == Some(true) && !judged.page.resources.is_empty() {
                // The page says so, while changes are still outstanding.
                found.extend(later.into_iter().map(|pending| {
                    let words = format!("said to be current, but {}", pending.violation.words);
                    Violation::new(Kind::FalseCurrent, words)
                }));
            } else {
                watcher.pending = later;
            }
        }
        let name = watcher.name.clone();
        Step {
            page: Some(judged.page),
            violations: found.into_iter().map(|v| v.of(&name)).collect(),
        }
    }

    /// The remaining violations at the end: changes that never came, and readers that disagree.
    #[must_use]
    pub fn finish(&self) -> Vec<Violation> {
        let left = self.readers.iter().flat_map(|watcher| {
            let pending = watcher.pending.iter().map(|p| p.violation.clone());
            pending.map(|v| v.of(&watcher.name))
        });
        let mut found: Vec<Violation> = left.collect();
        if self.profile.order == Order::Commit {
            for (at, first) in self.readers.iter().enumerate() {
                for second in self.readers.iter().skip(at + 1) {
                    found.extend(disagreement(first, second));
                }
            }
        }
        found
    }
}

/// Two changes that two readers received in different orders along their present chains.
fn disagreement(first: &Watcher, second: &Watcher) -> Option<Violation> {
    let heard = |watcher: &Watcher| -> Vec<Delivered> {
        let pages = watcher
            .path()
            .into_iter()
            .filter_map(|at| watcher.nodes.get(at));
        let all = pages.flat_map(|node| node.delivered.iter());
        all.filter(|d| d.sent.is_some()).cloned().collect()
    };
    let mut places: BTreeMap<(Key, u128, Option<i128>), usize> = BTreeMap::new();
    for (at, d) in heard(first).into_iter().enumerate() {
        places.insert((d.key, d.state.print, d.state.modified), at);
    }
    let mut last: Option<(usize, Key)> = None;
    for d in heard(second) {
        let Some(at) = places.get(&(d.key.clone(), d.state.print, d.state.modified)) else {
            continue;
        };
        if let Some((before, key)) = &last
            && at < before
        {
            let words = format!(
                "{} received {} before {}, {} the other way round",
                first.name, d.key, key, second.name
            );
            return Some(Violation::new(Kind::Disagreement, words));
        }
        last = Some((*at, d.key));
    }
    None
}

/// Judges a page that came.
struct Taking<'t> {
    profile: &'t Profile,
    truth: &'t Truth,
    watcher: &'t mut Watcher,
    asked: u64,
    moment: u64,
    found: Vec<Violation>,
}

impl Taking<'_> {
    fn tell(&mut self, kind: Kind, words: String) {
        self.found.push(Violation::new(kind, words));
    }

    fn resources(&mut self, page: &Page) -> Vec<Delivered> {
        let mut delivered: Vec<Delivered> = Vec::with_capacity(page.resources.len());
        for resource in &page.resources {
            let sent = self.resource(resource, &delivered);
            delivered.push(Delivered {
                key: resource.key.clone(),
                state: resource.state,
                sent,
            });
        }
        delivered
    }

    /// Judges a resource; returns the time at which the reported state was committed.
    fn resource(&mut self, resource: &Resource, on_page: &[Delivered]) -> Option<u64> {
        let (key, state) = (&resource.key, &resource.state);
        if !self.watcher.rights.takes(resource.kind()) {
            let words = format!("{key} is of a type that was not asked for");
            self.tell(Kind::Leak, words);
            return None;
        }
        let location = resource.location.as_str();
        let rights = &self.watcher.rights;
        let may = rights.sees(location, self.moment) || rights.sees(location, self.asked);
        let saw = rights.saw(location, self.moment);
        let withdrawn = state.deleted && saw;
        if !may && !withdrawn {
            let words = format!("{key} is at {location}, which this reader may not see");
            self.tell(Kind::Leak, words);
            return None;
        }
        let here = on_page
            .iter()
            .rev()
            .find(|d| d.key == *key)
            .map(|d| d.state);
        let held = here.or_else(|| self.watcher.held.get(key).copied());
        let found = self.truth.find(key, state);
        let all = self.truth.of(key);
        let Some((place, entry)) = found.and_then(|at| Some((at, all.get(at)?))) else {
            self.unknown(resource, may);
            return None;
        };
        let commit = self.truth.commit(entry.commit);
        let taken = self.watcher.rights.turned(location, self.moment, false);
        if state.deleted && taken.is_some_and(|taken| commit.done.is_some_and(|d| d < taken)) {
            // A withdrawal of a resource that was deleted before: a reader that received the
            // deletion receives it twice.
            self.withdrawn(resource);
            return None;
        }
        if commit.void {
            let words = format!(
                "{key} reads as {} left it, which was rolled back or lost",
                name(entry.commit)
            );
            self.tell(Kind::Ahead, words);
            return None;
        }
        let done = commit.done.unwrap_or(u64::MAX);
        let given = self.watcher.rights.turned(location, self.moment, true);
        if given.is_some_and(|given| given > done) {
            // The resource comes by a grant, and again with each grant.
            return None;
        }
        let replaced = self
            .truth
            .last(key, self.asked)
            .filter(|last| *last > place);
        if let Some(by) = replaced.and_then(|last| all.get(last))
            && (held.is_some_and(|had| had.is(state)) || self.comes_late(done))
        {
            let words = format!(
                "{key} reads as {} left it once more, though {} replaced that before",
                name(entry.commit),
                name(by.commit)
            );
            self.tell(Kind::WentBack, words);
            return None;
        }
        if let Some(had) = held {
            self.again(key, had.is(state), (entry, on_page));
            if let Some(before) = self.truth.find(key, &had)
                && before > place
                && !had.is(state)
            {
                let words = format!(
                    "{key} went back to {} from {}",
                    name(entry.commit),
                    all.get(before).map_or_else(String::new, |e| name(e.commit))
                );
                self.tell(Kind::WentBack, words);
            }
        }
        self.order(key, (commit.sent, done), entry.commit);
        Some(commit.sent)
    }

    /// Judges a state that comes once more.
    fn again(&mut self, key: &Key, same: bool, (entry, on_page): (&Entry, &[Delivered])) {
        let commit = self.truth.commit(entry.commit);
        let excused =
            self.profile.repeats == Repeats::WhenBusy && !commit.before(self.watcher.started);
        if !same || excused {
            return;
        }
        let is = |d: &Delivered| d.key == *key && d.state.is(&entry.state);
        let last = self.watcher.last().is_some_and(is);
        if on_page.iter().any(is) || (last && on_page.is_empty()) {
            self.tell(Kind::Repeated, format!("{key} came again as it was"));
        } else {
            let ago = self.watcher.pages_ago(key, &entry.state).unwrap_or(0);
            let words = format!("the token leads back: {key} came already, {ago} pages before");
            self.tell(Kind::Rewound, words);
        }
    }

    /// Judges a state that no transaction produced.
    fn unknown(&mut self, resource: &Resource, may: bool) {
        let (key, state) = (&resource.key, &resource.state);
        let all = self.truth.of(key);
        if state.deleted {
            let rights = &self.watcher.rights;
            let last = self.truth.last(key, self.moment).and_then(|at| all.get(at));
            let elsewhere = last.is_some_and(|e| !rights.sees(&e.location, self.moment));
            let taken = rights
                .turned(&resource.location, self.moment, false)
                .is_some();
            if !may || elsewhere || taken {
                self.withdrawn(resource);
                return;
            }
            let words = format!("{key} is reported as deleted, and was never deleted");
            self.tell(Kind::FalseTombstone, words);
            return;
        }
        let same_time = all.iter().rev().find(|e| {
            e.state.modified.is_some() && e.state.modified == state.modified && !e.state.deleted
        });
        match same_time {
            Some(entry) => {
                let words = format!(
                    "{key} has the time of {} and other content",
                    name(entry.commit)
                );
                self.tell(Kind::Altered, words);
            }
            None => {
                let words = format!("{key} shows a state that was not committed so far");
                self.tell(Kind::Ahead, words);
            }
        }
    }

    fn withdrawn(&mut self, resource: &Resource) {
        let pointer = self.profile.withdrawal_reason.as_deref();
        if pointer.is_some_and(|p| resource.body.pointer(p).is_none()) {
            let words = format!("{} was withdrawn without a reason", resource.key);
            self.tell(Kind::NoReason, words);
        }
    }

    /// Whether a change that was committed later came already.
    fn comes_late(&self, done: u64) -> bool {
        let frontier = self.watcher.frontier.as_ref();
        self.profile.order == Order::Commit && frontier.is_some_and(|(latest, _)| done < *latest)
    }

    fn order(&mut self, key: &Key, (sent, done): (u64, u64), commit: CommitId) {
        if self.profile.order != Order::Commit {
            return;
        }
        match &self.watcher.frontier {
            Some((latest, what)) if done < *latest => {
                let words = format!(
                    "{key} of {} came after {what}, which was committed later",
                    name(commit)
                );
                self.tell(Kind::Order, words);
            }
            Some((latest, _)) if sent <= *latest => {}
            _ => self.watcher.frontier = Some((sent, format!("{key} of {}", name(commit)))),
        }
    }

    /// Resolves missing changes: they came late, or were left out.
    fn resolve(&mut self, delivered: &[Delivered], page: &Page) {
        let pending = std::mem::take(&mut self.watcher.pending);
        if pending.is_empty() {
            return;
        }
        let ordered = self.profile.order == Order::Commit;
        let mut passed: Vec<Pending> = Vec::new();
        for one in pending {
            let came = delivered
                .iter()
                .any(|d| d.key == one.key && self.truth.find(&d.key, &d.state) >= Some(one.entry));
            let done = self.truth.commit(one.commit).done.unwrap_or(u64::MAX);
            if came {
                let words = format!(
                    "{} of {} came only after a page that said there was nothing more",
                    one.key,
                    name(one.commit)
                );
                self.tell(Kind::Behind, words);
            } else if ordered
                && delivered
                    .iter()
                    .any(|d| d.sent.is_some_and(|sent| sent > done))
            {
                passed.push(one);
            } else {
                self.watcher.pending.push(one);
            }
        }
        let tombstones = passed.iter().all(|one| one.deleted);
        for one in passed.into_iter().filter(|one| tombstones || !one.deleted) {
            let commit = self.truth.commit(one.commit);
            let last = self.watcher.last();
            let modified = self
                .truth
                .of(&one.key)
                .get(one.entry)
                .and_then(|e| e.state.modified);
            let by_clock = last.is_some_and(|d| d.state.modified >= modified);
            let (key, it) = (&one.key, name(one.commit));
            if one.deleted {
                let words = format!("the deletion of {key} by {it} was never reported");
                self.tell(Kind::LostTombstone, words);
            } else if by_clock && modified.is_some() && !page.resources.is_empty() {
                let words = format!(
                    "{key} of {it} never came: it has the time of the token, or an earlier one"
                );
                self.tell(Kind::ByClock, words);
            } else {
                let words = format!(
                    "{key} of {it} never came: it was committed (event {}) after the token was \
                     given, which was past it already",
                    commit.sent
                );
                self.tell(Kind::Overtaken, words);
            }
        }
    }
}

pub(crate) fn name(commit: CommitId) -> String {
    format!("commit {}", commit.0 + 1)
}
