//! Disturbances that a tested client must survive. All of them are legal, or occur in practice.

use crate::wire::answer::Answer;
use crate::world::World;
use ade::catalog::Catalog;
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};

/// Disturbances, each at every n-th request; 0 means never.
#[derive(Debug, Clone)]
pub struct Disturb {
    /// Seconds that a client with too many requests must wait.
    pub retry_after: u64,
    /// Each page of changes of this number breaks off behind its token.
    pub cut_changes: u64,
    /// Each page of a list of this number breaks off in the middle.
    pub cut_lists: u64,
    /// Once, after this many pages of changes, all tokens begin anew.
    pub full_sync_after: u64,
    /// Seconds after which a client that has everything should ask again.
    pub poll_interval: Option<u64>,
    /// A document changes each time when that many pages of changes were read.
    pub change_every: u64,
}

impl Default for Disturb {
    fn default() -> Self {
        Self { retry_after: 1, cut_changes: 0, cut_lists: 0, full_sync_after: 0, poll_interval: None, change_every: 0 }
    }
}

/// Counts of reads so far.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    changes: AtomicU64,
    lists: AtomicU64,
}

fn at(count: u64, every: u64) -> bool {
    every > 0 && count.is_multiple_of(every)
}

impl World {
    /// Disturbs a page of changes.
    pub(crate) fn disturbed(&self, mut answer: Answer) -> Answer {
        let disturb = &self.options.disturb;
        let count = self.counts.changes.fetch_add(1, Ordering::Relaxed) + 1;
        if at(count, disturb.change_every) {
            self.change_something(count);
        }
        if answer.demands.current
            && !answer.demands.full_sync
            && let Some(seconds) = disturb.poll_interval
        {
            answer.set("Poll-Interval", seconds.to_string());
            answer.demands.poll_interval = Some(seconds);
        }
        answer
    }

    /// Breaks off a page, if it is its turn: of changes behind the token, of lists in the middle.
    pub(crate) fn break_off(&self, answer: &mut Answer) {
        let disturb = &self.options.disturb;
        if answer.status != 200 || answer.body.len() < 3 {
            return;
        }
        if answer.demands.set.is_some() {
            let count = self.counts.changes.load(Ordering::Relaxed);
            if at(count, disturb.cut_changes) {
                answer.cut = Some(answer.body.len() - 1);
            }
        } else if answer.demands.list {
            let count = self.counts.lists.fetch_add(1, Ordering::Relaxed) + 1;
            if at(count, disturb.cut_lists) {
                answer.cut = Some(answer.body.len() / 2);
            }
        }
    }

    /// The present epoch of the feeds: tokens of another one begin anew.
    pub(crate) fn epoch(&self) -> u64 {
        let after = self.options.disturb.full_sync_after;
        let read = self.counts.changes.load(Ordering::Relaxed);
        u64::from(after > 0 && read >= after)
    }

    /// Weighs an animal.
    fn change_something(&self, count: u64) {
        let Some(entry) = Catalog::get().collection("weights") else {
            return;
        };
        let now = self.now();
        let time = ade::time::format_shortest(now);
        let document = json!({
            "meta": {"source": crate::seed::SOURCE, "sourceId": format!("weights:new-{}", count % 7),
                "modified": time},
            "animal": {"scheme": crate::seed::ANIMAL_SCHEME, "id": "N1"},
            "eventDateTime": time, "weight": {"measurement": 500 + count, "units": "KGM"},
        });
        let mut book = self.book();
        book.store(entry, 0, &document, now);
        self.changed.send_replace(book.change());
    }
}
