//! The statements of one thread, for tests that count or read them. Only with the feature `failpoints`, which no
//! program is built with.

use super::Sql;
use std::cell::RefCell;

thread_local! {
    static READ: Log = const { RefCell::new(None) };
    static WRITTEN: Log = const { RefCell::new(None) };
}

/// None until a test first asks: only tests collect them.
type Log = RefCell<Option<Vec<String>>>;

/// Adds a statement that reads outside a transaction.
pub fn add_read(sql: &Sql) {
    READ.with_borrow_mut(|log| add(log, sql));
}

/// The statements that were added by [`add_read`] since the last call; none at the first one.
pub fn read() -> Vec<String> {
    READ.replace(Some(Vec::new())).unwrap_or_default()
}

/// Adds a statement of a transaction that writes.
pub(crate) fn add_written(sql: &Sql) {
    WRITTEN.with_borrow_mut(|log| add(log, sql));
}

/// The statements of writing transactions since the last call; none at the first one.
pub fn written() -> Vec<String> {
    WRITTEN.replace(Some(Vec::new())).unwrap_or_default()
}

fn add(log: &mut Option<Vec<String>>, sql: &Sql) {
    if let Some(log) = log {
        log.push(sql.text().to_owned());
    }
}
