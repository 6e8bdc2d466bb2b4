//! The incarnation of a book: a random number stored beside the documents. It is random when the
//! book is created, and again when the book is restored from a backup. Numbers that readers got
//! from an earlier incarnation may look valid and mean something else now.

use crate::{Sql, Store, Ty};
use model::error::Result;

/// Name of the row in `exchange_state`.
pub const INCARNATION: &str = "incarnation";

/// Another number, as text.
pub(crate) fn random() -> String {
    rand::random::<u64>().to_string()
}

/// Gives a book that has none an incarnation.
pub(crate) fn initial() -> String {
    let random = random();
    format!(
        "INSERT INTO exchange_state (name, value) VALUES ('{INCARNATION}', '{random}') \
         ON CONFLICT (name) DO NOTHING"
    )
}

/// Gives a book another incarnation: it was brought back from a backup. Answers it.
pub async fn reincarnate(store: &Store) -> Result<String> {
    let random = random();
    let sql = Sql::new("INSERT INTO exchange_state (name, value) VALUES (")
        .with(Ty::Text, INCARNATION)
        .and(", ")
        .with(Ty::Text, random.as_str())
        .and(") ON CONFLICT (name) DO UPDATE SET value = excluded.value");
    let done = store.write(move |tx| Box::pin(async move { tx.run(sql).await }));
    done.await.map(|_| random)
}
