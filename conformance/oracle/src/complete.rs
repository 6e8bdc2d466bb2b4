//! Checks whether a reader that is said to be current has everything, and nothing else.

use crate::profile::Order;
use crate::trial::name;
use crate::truth::{Entry, Truth};
use crate::violation::{Kind, Violation};
use crate::watcher::{Pending, Watcher};
use crate::wire::{Key, State};

/// The violations that are certain now, and those of changes that may still come late.
pub(crate) fn missing(
    truth: &Truth,
    watcher: &Watcher,
    asked: u64,
    moment: u64,
) -> (Vec<Violation>, Vec<Pending>) {
    let check = Check {
        truth,
        watcher,
        asked,
        moment,
    };
    let (mut certain, mut open) = (Vec::new(), Vec::new());
    let mut lost = Vec::new();
    for (key, entries) in truth.keys() {
        let [kind, ..] = key.parts();
        if !watcher.rights.takes(kind) {
            continue;
        }
        match check.key(key, entries) {
            Verdict::Fine => {}
            Verdict::Wrong(violation) => certain.push(violation),
            Verdict::Lost(violation) => lost.push(violation),
            Verdict::Open(pending) => open.push(pending),
        }
    }
    // Where other changes are lost, lost deletions have the same cause.
    let other = lost.iter().any(|v| v.kind != Kind::LostTombstone);
    lost.retain(|v| !other || v.kind != Kind::LostTombstone);
    certain.extend(lost);
    (certain, open)
}

enum Verdict {
    Fine,
    Wrong(Violation),
    /// Later changes came, this one did not.
    Lost(Violation),
    Open(Pending),
}

struct Check<'c> {
    truth: &'c Truth,
    watcher: &'c Watcher,
    asked: u64,
    moment: u64,
}

impl Check<'_> {
    fn key(&self, key: &Key, entries: &[Entry]) -> Verdict {
        let held = self.watcher.held.get(key);
        let live = held.filter(|state| !state.deleted);
        let wrong = |kind, words: String| Verdict::Wrong(Violation::new(kind, words));
        if let Some(state) = live
            && let Some(entry) = self.truth.find(key, state).and_then(|at| entries.get(at))
            && self.truth.commit(entry.commit).void
        {
            let words = format!(
                "still holds {key} as {} left it, which the restored backup does not have",
                name(entry.commit)
            );
            return wrong(Kind::FutureToken, words);
        }
        let Some(at) = self.truth.last(key, self.asked) else {
            return Verdict::Fine;
        };
        let Some(last) = entries.get(at) else {
            return Verdict::Fine;
        };
        let rights = &self.watcher.rights;
        let now = rights.sees(&last.location, self.moment);
        if now != rights.sees(&last.location, self.asked) {
            // Rights changed while the page was requested.
            return Verdict::Fine;
        }
        if !now {
            if live.is_some() {
                let words = format!("still holds {key}, which this reader may not see any more");
                return wrong(Kind::NotWithdrawn, words);
            }
            return Verdict::Fine;
        }
        let fits = held.is_some_and(|state| self.truth.find(key, state) >= Some(at));
        if fits || (last.state.deleted && live.is_none()) {
            return Verdict::Fine;
        }
        if !last.state.deleted {
            let done = self.truth.commit(last.commit).done.unwrap_or(u64::MAX);
            let given = rights.turned(&last.location, self.moment, true);
            if live.is_none() && given.is_some_and(|given| given > done) {
                let words = format!(
                    "{key} at {} was granted after it was written, and never came",
                    last.location
                );
                return wrong(Kind::NotGained, words);
            }
            if held.is_some_and(|state| state.deleted) {
                let made_again = entries
                    .iter()
                    .any(|e| e.commit == last.commit && e.state.deleted);
                if made_again {
                    let words = format!(
                        "{key} is held as deleted: {} deleted it and made it again",
                        name(last.commit)
                    );
                    return wrong(Kind::Recreated, words);
                }
            }
        }
        self.place(key, (at, last), held)
    }

    /// The page on which the change should have come.
    fn place(&self, key: &Key, (at, entry): (usize, &Entry), held: Option<&State>) -> Verdict {
        let commit = self.truth.commit(entry.commit);
        let done = commit.done.unwrap_or(u64::MAX);
        let it = name(entry.commit);
        let path = self.watcher.path();
        let pages = path.iter().filter_map(|node| self.watcher.nodes.get(*node));
        let pages: Vec<_> = pages.collect();
        let passed = pages.iter().enumerate().find_map(|(page, node)| {
            let later = |d: &crate::watcher::Delivered| d.sent.is_some_and(|sent| sent > done);
            node.delivered.iter().position(later).map(|at| (page, at))
        });
        let has = match held {
            None => "nothing of it".to_owned(),
            Some(state) if state.deleted => "its deletion".to_owned(),
            Some(_) => "an older state".to_owned(),
        };
        let what = if entry.state.deleted {
            format!("the deletion of {key} by {it} never came")
        } else {
            format!("{key} of {it} never came, the reader has {has}")
        };
        let lost = |kind, words: String| Verdict::Lost(Violation::new(kind, words));
        // Where the order is not promised, later changes do not prove that this one was left out.
        let ordered = self.watcher.chain.profile().order == Order::Commit;
        let Some((page, within)) = passed.filter(|_| ordered) else {
            let words = format!("{what}, though it was acknowledged before the reader asked");
            let kind = if entry.state.deleted {
                Kind::LostTombstone
            } else {
                Kind::Missing
            };
            return Verdict::Open(Pending {
                key: key.clone(),
                entry: at,
                commit: entry.commit,
                deleted: entry.state.deleted,
                violation: Violation::new(kind, words),
            });
        };
        if entry.state.deleted {
            return lost(Kind::LostTombstone, what);
        }
        let before = pages
            .iter()
            .take(page)
            .rev()
            .find_map(|node| node.delivered.last());
        let asked = page
            .checked_sub(1)
            .and_then(|at| pages.get(at))
            .map(|node| node.asked);
        match (before, asked) {
            (Some(before), Some(asked)) if within == 0 => {
                if entry.state.modified.is_some() && before.state.modified >= entry.state.modified {
                    let words = format!("{what}: it has the time at which page {page} ends");
                    lost(Kind::ByClock, words)
                } else if commit.sent > asked {
                    let words = format!(
                        "{what}: it was committed after page {page} was asked for, whose token \
                         was past it already"
                    );
                    lost(Kind::Overtaken, words)
                } else {
                    let words =
                        format!("{what}: it fell between the pages {page} and {}", page + 1);
                    lost(Kind::SkippedAtBoundary, words)
                }
            }
            _ => lost(
                Kind::Missing,
                format!("{what}: left out amid page {}", page + 1),
            ),
        }
    }
}
