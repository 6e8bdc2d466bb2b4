//! A fault that a test injects: the statement at which a write breaks. Only with the feature
//! `failpoints`, which no program is built with.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the statements of writing transactions and breaks one of them, once. Off until set.
#[derive(Debug, Default)]
pub struct Failpoint {
    remaining: AtomicU64,
}

impl Failpoint {
    /// Breaks the n-th next statement, counted from 1; 0 switches it off. Savepoints, beginning and
    /// commit are statements too.
    pub fn set(&self, statement: u64) {
        self.remaining.store(statement, Ordering::SeqCst);
    }

    /// Statements until it breaks; 0: it broke, or is off.
    pub fn remaining(&self) -> u64 {
        self.remaining.load(Ordering::SeqCst)
    }

    /// Counts a statement, and says whether it is the one to break.
    pub(super) fn reached(&self) -> bool {
        let count = |remaining: u64| remaining.checked_sub(1);
        (self.remaining).fetch_update(Ordering::SeqCst, Ordering::SeqCst, count) == Ok(1)
    }
}
