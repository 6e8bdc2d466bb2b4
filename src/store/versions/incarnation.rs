//! The incarnation of a book: a random number stored beside the documents. It is random when the
//! book is created, and again when the book is restored from a backup. Numbers that readers got
//! from an earlier incarnation may look valid and mean something else now.

use crate::{Sql, Store, Ty};
use model::error::Result;
use model::record::Value;

/// Name of the row in `exchange_state`.
pub const INCARNATION: &str = "incarnation";

/// Another number, as text.
pub(crate) fn random() -> String {
    rand::random::<u64>().to_string()
}

/// Stores a value of `exchange_state`.
pub fn set_state(name: &str, value: &str) -> Sql {
    let row = [name, value].map(Value::from);
    Sql::insert("exchange_state (name, value)", [Ty::Text; 2], [row])
        .and(" ON CONFLICT (name) DO UPDATE SET value = excluded.value")
}

/// Gives a book that has none an incarnation.
pub(crate) fn initial() -> String {
    let random = random();
    format!(
        "INSERT INTO exchange_state (name, value) VALUES ('{INCARNATION}', '{random}') ON CONFLICT (name) DO NOTHING"
    )
}

/// Gives a book another incarnation: it was brought back from a backup. Answers it.
pub async fn reincarnate(store: &Store) -> Result<String> {
    let random = random();
    let sql = set_state(INCARNATION, &random);
    store.run(vec![sql]).await.map(|_| random)
}
