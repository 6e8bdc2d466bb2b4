//! Tables that are filled at once: their plain indexes are dropped before and made afterwards,
//! since sorting all keys costs less than putting each where it belongs. Unique indexes stay, for
//! they refuse rows.

use crate::schema::{self, Index, Table};
use crate::{Sql, Tx, Ty, compressed, pieces};
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
    for statement in schema::diff(&tables, &bare, dialect) {
        tx.run(Sql::new(&statement.sql).one_off()).await?;
    }
    Ok(())
}

/// Rows of one step of [`compress`].
const STEP: i64 = 1_000;

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
