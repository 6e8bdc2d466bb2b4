//! Tables that are filled at once: their plain indexes are dropped before and made afterwards, since sorting all keys
//! costs less than putting each where it belongs. Unique indexes stay, for they refuse rows.

use crate::schema::{self, Index, Table};
use crate::{Sql, Tx};
use model::error::{Error, Result};
use model::registry::Registry;

/// Drops the plain indexes that are chosen. [`make_indexes`] has to make the same ones in the same transaction.
///
/// # Errors
/// [`Error::Invalid`] for declarations that no table can hold; those of the database.
pub async fn drop_indexes(tx: &mut Tx, registry: &Registry, chosen: impl Fn(&Table, &Index) -> bool) -> Result<()> {
    let tables = schema::expected(registry, tx.dialect()).map_err(Error::Invalid)?;
    for table in &tables {
        for index in table.indexes.iter().filter(|index| !index.unique).filter(|index| chosen(table, index)) {
            let mut sql = Sql::new("DROP INDEX ");
            sql.name(&index.name);
            tx.run(sql.one_off()).await?;
        }
    }
    Ok(())
}

/// Makes the plain indexes that are chosen.
pub async fn make_indexes(tx: &mut Tx, registry: &Registry, chosen: impl Fn(&Table, &Index) -> bool) -> Result<()> {
    let dialect = tx.dialect();
    let tables = schema::expected(registry, dialect).map_err(Error::Invalid)?;
    let mut bare = tables.clone();
    for (table, all) in bare.iter_mut().zip(&tables) {
        table.indexes.retain(|index| index.unique || !chosen(all, index));
    }
    let sorting = dialect.sorting();
    if let Some([before, _]) = sorting {
        tx.raw(before).await?;
    }
    for statement in schema::diff(&tables, &bare, dialect) {
        tx.run(Sql::new(&statement.sql).one_off()).await?;
    }
    if let Some([_, after]) = sorting { tx.raw(after).await } else { Ok(()) }
}
