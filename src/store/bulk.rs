//! Tables that are filled at once: their plain indexes are dropped before and made afterwards,
//! since sorting all keys costs less than putting each where it belongs. Unique indexes stay, for
//! they refuse rows.

use crate::schema::{self, Index, Table};
use crate::{Sql, Store, Tx, Ty, compressed, pieces};
use model::error::{Error, Result};
use model::registry::Registry;

/// Drops the plain indexes that are chosen. [`make_indexes`] has to make the same ones in the same
/// transaction.
///
/// # Errors
/// [`Error::Invalid`] for declarations that no table can hold; those of the database.
pub async fn drop_indexes(
    tx: &mut Tx,
    registry: &Registry,
    chosen: impl Fn(&Table, &Index) -> bool,
) -> Result<()> {
    let tables = schema::expected(registry, tx.dialect()).map_err(Error::Invalid)?;
    for table in &tables {
        let plain = table.indexes.iter().filter(|index| !index.unique);
        for index in plain.filter(|index| chosen(table, index)) {
            let mut sql = Sql::new("DROP INDEX ");
            sql.name(&index.name);
            tx.run(sql.one_off()).await?;
        }
    }
    Ok(())
}

/// Makes the plain indexes that are chosen.
///
/// # Errors
/// As [`drop_indexes`].
pub async fn make_indexes(
    tx: &mut Tx,
    registry: &Registry,
    chosen: impl Fn(&Table, &Index) -> bool,
) -> Result<()> {
    let dialect = tx.dialect();
    let tables = schema::expected(registry, dialect).map_err(Error::Invalid)?;
    let mut bare = tables.clone();
    for (table, all) in bare.iter_mut().zip(&tables) {
        table
            .indexes
            .retain(|index| index.unique || !chosen(all, index));
    }
    let sorting = dialect.sorting();
    if let Some([before, _]) = sorting {
        tx.raw(before).await?;
    }
    for statement in schema::diff(&tables, &bare, dialect) {
        tx.run(Sql::new(&statement.sql).one_off()).await?;
    }
    match sorting {
        Some([_, behind]) => tx.raw(behind).await,
        None => Ok(()),
    }
}

/// Rows of one step of [`compress`].
const STEP: i64 = 1_000;
/// Ids among which one statement looks for a plain text.
const RANGE: i64 = 50_000;

/// The first row behind an id whose text in a column ([`Ty::Compressed`]) is stored plain. Nobody
/// waits for this search.
///
/// # Errors
/// Those of the database.
pub async fn next_plain(
    store: &Store,
    (table, column): (&str, &str),
    mut after: i64,
) -> Result<Option<i64>> {
    let mut last = Sql::new("SELECT max(\"id\") FROM ");
    last.name(table);
    let last = store.rows(last).await?;
    let last = last.first().and_then(|row| row.int(0)).unwrap_or(0);
    while after < last {
        let end = after.saturating_add(RANGE);
        let mut sql = Sql::new("SELECT min(\"id\") FROM ");
        sql.name(table);
        sql.push(" WHERE \"id\" > ").bind(Ty::Int, after);
        sql.push(" AND \"id\" <= ").bind(Ty::Int, end);
        sql.push(" AND ").push(&store.dialect().plain(column));
        let found = store.rows(sql).await?;
        if let Some(id) = found.first().and_then(|row| row.int(0)) {
            return Ok(Some(id));
        }
        after = end;
    }
    Ok(None)
}

/// Compresses the texts of a column ([`Ty::Compressed`]) that are stored plain, in the next rows
/// after an id. How many they were, and the last id that was looked at; none behind the last row.
///
/// # Errors
/// Those of the database.
pub async fn compress(
    tx: &mut Tx,
    (table, column): (&str, &str),
    after: i64,
) -> Result<Option<(u64, i64)>> {
    let mut sql = Sql::new("SELECT \"id\", ");
    sql.name(column).push(" FROM ").name(table);
    sql.push(" WHERE \"id\" > ").bind(Ty::Int, after);
    sql.push(" ORDER BY \"id\" LIMIT ").bind(Ty::Int, STEP);
    let rows = tx.rows(sql).await?;
    let Some(last) = rows.last().and_then(|row| row.int(0)) else {
        return Ok(None);
    };
    let plain: Vec<(i64, String)> = (rows.iter())
        .filter(|row| row.bytes(1).is_some_and(compressed::is_plain))
        .filter_map(|row| Some((row.int(0)?, row.compressed(1)?)))
        .collect();
    let mut done = 0;
    for piece in pieces(&plain, 2) {
        let mut sql = Sql::new("UPDATE ");
        sql.name(table).push(" SET ").name(column);
        sql.push(" = v.column2 FROM (VALUES ");
        for (i, (id, text)) in piece.iter().enumerate() {
            sql.push(if i > 0 { ",(" } else { "(" });
            sql.bind(Ty::Int, *id).push(",");
            sql.bind(Ty::Compressed, text.as_str()).push(")");
        }
        sql.push(") AS v WHERE ")
            .name(table)
            .push(".\"id\" = v.column1");
        done += tx.run(sql.one_off().told()).await?;
    }
    Ok(Some((done, last)))
}
