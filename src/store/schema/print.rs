//! DDL in a form for reviewers: a column a line, a table with its indexes, constraints between tables at the end.

use super::{Table, diff, expected};
use crate::Dialect;
use model::error::Issue;
use model::registry::Registry;

/// The statements that create the tables in an empty database.
pub fn print(tables: &[Table], dialect: Dialect) -> String {
    let mut text = String::new();
    for statement in diff(tables, &[], dialect) {
        if !text.is_empty() && !statement.sql.starts_with("CREATE INDEX") {
            let unique = statement.sql.starts_with("CREATE UNIQUE INDEX");
            text.push_str(if unique { "" } else { "\n" });
        }
        text.push_str(&statement.to_string());
    }
    text
}

/// The first migration: all tables of the registry, with the word on where it is from.
pub fn migration_text(registry: &Registry, dialect: Dialect) -> Result<String, Vec<Issue>> {
    let word = match dialect {
        Dialect::Sqlite => "sqlite",
        Dialect::Postgres => "postgres",
    };
    let tables = expected(registry, dialect)?;
    Ok(format!(
        "-- All tables of the book, printed from the registry by `herdbook schema --dialect {word}`.\n\n{}",
        print(&tables, dialect)
    ))
}
