//! Reading, over a small registry of its own (the fixture of docs/dialect.md, *Conformance cases*),
//! on SQLite and, in a full run, on PostgreSQL.

mod caller;
mod dialect;
mod documents;
mod fixture;
mod joins;
mod laws;
mod paging;
#[path = "../../../tests/it/support/postgres.rs"]
pub(crate) mod postgres;
mod reading;
mod rights;
mod seen;
pub(crate) mod statements;
#[path = "../../../tests/it/support/template.rs"]
mod template;

/// What templates need of the library.
mod crates {
    pub(super) use crate::clock::Clock;
    pub(super) use crate::store::{Dialect, Durability, Store};
}

use crate::store::Sql;
use std::cell::RefCell;

thread_local! {
    static HEARD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static WRITTEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Notes a statement of the reading side; tests run on one thread each.
pub(crate) fn heard(sql: &Sql) {
    HEARD.with_borrow_mut(|all| all.push(sql.text().to_owned()));
}

/// The statements since the last call.
pub(crate) fn statements() -> Vec<String> {
    HEARD.take()
}

/// Notes a statement of a transaction that writes.
pub(crate) fn heard_writing(sql: &Sql) {
    WRITTEN.with_borrow_mut(|all| all.push(sql.text().to_owned()));
}

/// The statements of writing transactions since the last call.
fn written() -> Vec<String> {
    WRITTEN.take()
}
