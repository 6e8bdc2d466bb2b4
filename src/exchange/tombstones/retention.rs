//! Deleting tombstones that every reader had time to read. The highest deleted place is stored in
//! `exchange_state` (`horizon`), in the transaction that deletes: a reader that continues from a
//! place before it may miss a deletion, and must be informed.

use crate::projection::projector::Projector;
use model::error::{Error, Result};
use ops::Book;
use store::{Row, Sql, Tx, Ty, set_state};

/// Name of the row of `exchange_state` that holds the highest place in commit order of a deleted tombstone.
pub const HORIZON: &str = "horizon";

/// Rows that are examined together.
const WINDOW: i64 = 5_000;
/// Rows of `ade-tombstones` of one transaction.
const TOGETHER: i64 = 1_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DroppedCounts {
    pub documents: u64,
    /// Rows of `ade-tombstones`.
    pub tombstones: u64,
    pub last_states: u64,
}

/// The key of a last state: location, source, source id, data set.
type Key = (i64, String, String, String);

impl Projector {
    /// Deletes tombstones of deletions before a time, piece by piece, each in a transaction. It can
    /// be stopped anywhere and begun again.
    pub async fn drop_tombstones(&self, book: &Book, before: i64) -> Result<DroppedCounts> {
        let (bound, documents) = drop_documents(book, before).await?;
        Ok(DroppedCounts {
            documents,
            tombstones: drop_rows(book, before).await?,
            last_states: drop_last_states(book, bound).await?,
        })
    }

    /// The highest place in commit order of a deleted tombstone; 0 for none.
    pub async fn horizon(&self, book: &Book) -> Result<i64> {
        Ok(read(&book.store.rows(select_horizon()).await?))
    }
}

fn select_horizon() -> Sql {
    Sql::new("SELECT value FROM exchange_state WHERE name = ").with(Ty::Text, HORIZON)
}

fn read(rows: &[Row]) -> i64 {
    rows.first().and_then(|row| row.text(0)?.parse().ok()).unwrap_or(0)
}

/// Tombstones among the documents. Answers up to which place everything is that old.
async fn drop_documents(book: &Book, before: i64) -> Result<(i64, u64)> {
    let (mut after, mut dropped) = (0, 0);
    loop {
        // Times never go back along the commit order: old ones come first.
        let sql = Sql::new("SELECT seq, modified, deleted FROM exchange_documents WHERE seq > ")
            .with(Ty::Int, after)
            .and(" ORDER BY seq LIMIT ")
            .with(Ty::Int, WINDOW);
        let rows = book.store.rows(sql).await?;
        let old: Vec<&Row> =
            (rows.iter()).take_while(|row| row.int(1).is_some_and(|modified| modified < before)).collect();
        let Some(last) = old.last().and_then(|row| row.int(0)) else { return Ok((after, dropped)) };
        if old.iter().any(|row| row.truth(2) == Some(true)) {
            // What was changed since has a higher place by now, and is not met.
            dropped +=
                book.store.write(move |tx| Box::pin(async move { bury_for_good(tx, after, last).await })).await?;
        }
        after = last;
        // Words have the last place of their transaction, which may lie behind that of their
        // document; those before the first document that is younger are old.
        if let Some(younger) = rows.get(old.len()).and_then(|row| row.int(0)) {
            return Ok((younger - 1, dropped));
        }
    }
}

/// Deletes the tombstones between two places, and stores the highest of them.
async fn bury_for_good(tx: &mut Tx, after: i64, last: i64) -> Result<u64> {
    let of = |what: &str| {
        Sql::new(what)
            .and(" FROM exchange_documents WHERE deleted = ")
            .with(Ty::Bool, true)
            .and(" AND seq > ")
            .with(Ty::Int, after)
            .and(" AND seq <= ")
            .with(Ty::Int, last)
    };
    let highest = tx.rows(of("SELECT max(seq)")).await?;
    let Some(highest) = highest.first().and_then(|row| row.int(0)) else { return Ok(0) };
    let horizon = read(&tx.rows(select_horizon()).await?).max(highest);
    tx.run(set_state(HORIZON, &horizon.to_string())).await?;
    tx.run(of("DELETE")).await
}

/// Rows of `ade-tombstones`.
async fn drop_rows(book: &Book, before: i64) -> Result<u64> {
    let c = book.registry.get("ade-tombstones");
    let table = c.map(|c| c.table.clone()).ok_or_else(|| Error::internal("no collection of tombstones"))?;
    let mut dropped = 0;
    loop {
        let mut sql = Sql::new("DELETE FROM ");
        sql.name(&table).push(" WHERE id IN (SELECT id FROM ").name(&table).push(" WHERE deleted_at < ");
        sql.bind(Ty::Time, model::record::Value::Time(before))
            .push(" ORDER BY deleted_at, id LIMIT ")
            .bind(Ty::Int, TOGETHER)
            .push(")");
        let gone = book.store.run(vec![sql]).await?;
        dropped += gone;
        if gone == 0 {
            return Ok(dropped);
        }
    }
}

/// Last states of deleted resources, stored up to a sequence number.
async fn drop_last_states(book: &Book, bound: i64) -> Result<u64> {
    let mut after: Option<Key> = None;
    let mut dropped = 0;
    loop {
        let mut sql = Sql::new("SELECT location, source, source_id, dataset, live, seq FROM exchange_sent WHERE 1=1");
        beyond(&mut sql, ">", after.as_ref());
        sql.push(" ORDER BY location, source, source_id, dataset LIMIT ").bind(Ty::Int, WINDOW);
        let rows = book.store.rows(sql).await?;
        let Some(last) = rows.last().map(key) else { return Ok(dropped) };
        let over = |row: &Row| row.truth(4) == Some(false) && row.int(5) <= Some(bound);
        if rows.iter().any(over) {
            let mut sql = Sql::new("DELETE FROM exchange_sent WHERE live = ")
                .with(Ty::Bool, false)
                .and(" AND seq <= ")
                .with(Ty::Int, bound);
            beyond(&mut sql, ">", after.as_ref());
            beyond(&mut sql, "<=", Some(&last));
            dropped += book.store.run(vec![sql]).await?;
        }
        after = Some(last);
    }
}

fn key(row: &Row) -> Key {
    let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
    (row.int(0).unwrap_or_default(), text(1), text(2), text(3))
}

/// Compares the key of last states.
fn beyond(sql: &mut Sql, order: &str, key: Option<&Key>) {
    if let Some((location, source, id, dataset)) = key {
        sql.push(" AND (location, source, source_id, dataset) ")
            .push(order)
            .push(" (")
            .bind(Ty::Int, *location)
            .push(", ")
            .bind(Ty::Text, source.as_str())
            .push(", ")
            .bind(Ty::Text, id.as_str())
            .push(", ")
            .bind(Ty::Text, dataset.as_str())
            .push(")");
    }
}
