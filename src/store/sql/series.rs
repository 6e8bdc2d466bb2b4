//! Many small rows at once. SQLite hands over each value of each row by itself, which costs
//! more than finding it: so whole answers come as one text where that is cheaper.

use crate::{Dialect, Row, Sql, Ty, sqlite};
use model::record::Value;
use model::registry::Series;
use std::collections::BTreeMap;

/// The requested rows, and their values.
#[derive(Debug)]
pub struct Serial<'a> {
    pub table: &'a str,
    /// The column that names the owner, a number.
    pub owner: &'a str,
    pub columns: &'a [(&'a str, Ty)],
}

impl Serial<'_> {
    /// The statement for the rows of some owners.
    pub fn sql(&self, owners: &[i64]) -> Sql {
        let mut sql = Sql::new("SELECT ");
        sql.name(self.owner).push(",\"id\"");
        for (column, _) in self.columns {
            sql.push(",").name(column);
        }
        sql.push(" FROM ").name(self.table).push(" WHERE ").name(self.owner).push(" IN ");
        sql.bind_list(Ty::Int, owners.iter().copied().map(Value::Int));
        sql
    }

    pub fn read(&self, rows: &[Row]) -> BTreeMap<i64, Series> {
        let mut by_owner: BTreeMap<i64, Series> = BTreeMap::new();
        for row in rows {
            let (Some(owner), Some(id)) = (row.int(0), row.int(1)) else { continue };
            let place = (by_owner.entry(owner)).or_insert_with(|| Series::new(self.columns.len()));
            place.push(id, self.columns.iter().zip(2..).map(|((_, ty), at)| row.value(at, *ty)));
        }
        for series in by_owner.values_mut() {
            series.sort();
        }
        by_owner
    }
}

/// The columns of rows with their ids before. Where the database [`packs`] them, all rows of
/// the statement are one, in any order.
pub fn packed(dialect: Dialect, columns: &[(&str, Ty)]) -> String {
    match dialect {
        Dialect::Sqlite => sqlite::packed(columns),
        Dialect::Postgres => {
            let columns = columns.iter().map(|(column, _)| format!(",\"{column}\""));
            format!("\"id\"{}", columns.collect::<String>())
        }
    }
}

/// The texts of a column that may be compressed ([`crate::Ty::Compressed`]), one behind the other, for rows that are
/// [`packed`] on a database that [`packs`] them. The same rows in the same order.
pub fn packed_texts(column: &str) -> String {
    sqlite::packed_texts(column)
}

/// Whether rows of these columns are cheaper so. A number with a fraction costs more as a text than as it is.
pub fn packs(dialect: Dialect, columns: &[(&str, Ty)]) -> bool {
    let plain = |(_, ty): &(&str, Ty)| *ty != Ty::Num;
    dialect == Dialect::Sqlite && columns.len() <= sqlite::MOST_PACKED && columns.iter().all(plain)
}

/// Hands over the id and the values of each row that stands in a row of such an answer.
pub fn unpack(
    dialect: Dialect,
    row: &Row,
    columns: &[(&str, Ty)],
    mut each: impl FnMut(i64, &mut dyn Iterator<Item = Value>),
) {
    match dialect {
        Dialect::Sqlite => {
            let mut rest = sqlite::Unpacked(row.text(0).unwrap_or_default());
            while let Some(id) = rest.id() {
                each(id, &mut columns.iter().map(|(_, ty)| rest.value(*ty)));
            }
        }
        Dialect::Postgres => {
            if let Some(id) = row.int(0) {
                let values = columns.iter().zip(1..);
                each(id, &mut values.map(|((_, ty), at)| row.value(at, *ty)));
            }
        }
    }
}
