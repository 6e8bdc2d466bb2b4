//! Look-ups by declared columns without access rules, by which the caller itself is resolved.

use model::record::Value;
use model::registry::Collection;
use store::{Row, Sql, Ty};

pub(super) fn words(row: &Row, column: usize) -> Vec<String> {
    let words = row.value(column, Ty::Json);
    words.rows().iter().filter_map(|word| word.as_str()).map(str::to_owned).collect()
}

pub(super) fn column<'c>(c: &'c Collection, path: &str) -> &'c str {
    c.field(path).map_or("id", |field| &field.column)
}

/// The beginning of a statement that reads fields of a collection.
pub(super) fn columns(c: &Collection, paths: &[&str]) -> Sql {
    let mut sql = Sql::new("SELECT ");
    sql.each(", ", paths, |sql, path| sql.name(column(c, path))).push(" FROM ").name(&c.table);
    sql
}

/// Fields of one row.
pub(super) fn select(c: &Collection, paths: &[&str], id: i64) -> Sql {
    let mut sql = columns(c, paths);
    sql.push(" WHERE \"id\" = ").bind(Ty::Int, Value::Int(id));
    sql
}
