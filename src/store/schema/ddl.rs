//! Single statements of DDL.

use super::name::{quoted, quoted_list};
use super::{Column, ForeignKey, Index, Table};
use crate::Dialect;

/// `CREATE TABLE`, without indexes; on SQLite with references, which may point forward.
pub(super) fn create_table(t: &Table, dialect: Dialect) -> String {
    let mut lines: Vec<String> = (t.columns.iter()).map(|c| format!("    {}", column(t, c, dialect))).collect();
    if t.primary_key.len() > 1 {
        lines.push(format!("    PRIMARY KEY ({})", quoted_list(&t.primary_key)));
    }
    format!("CREATE TABLE {} (\n{}\n)", quoted(&t.name), lines.join(",\n"))
}

/// A column in the form of `CREATE TABLE` and `ADD COLUMN`.
pub(super) fn column(t: &Table, c: &Column, dialect: Dialect) -> String {
    let mut text = format!("{} {}", quoted(&c.name), c.ty);
    let key = t.primary_key == [c.name.as_str()];
    // SQLite lets NULL into a primary key unless it is the row's own number.
    let implied = key && (dialect == Dialect::Postgres || c.ty == "INTEGER");
    if c.not_null && !implied {
        text.push_str(" NOT NULL");
    }
    if key {
        text.push_str(" PRIMARY KEY");
    }
    if dialect == Dialect::Sqlite {
        for f in t.foreign_keys.iter().filter(|f| f.column == c.name) {
            text.push(' ');
            text.push_str(&references(f));
        }
    }
    text
}

pub(super) fn create_index(t: &Table, i: &Index) -> String {
    let filled = match i.columns.first().filter(|_| i.filled) {
        Some(column) => format!(" WHERE {} IS NOT NULL", quoted(column)),
        None => String::new(),
    };
    format!(
        "CREATE {}INDEX {} ON {} ({}){filled}",
        if i.unique { "UNIQUE " } else { "" },
        quoted(&i.name),
        quoted(&t.name),
        quoted_list(&i.columns)
    )
}

/// `ADD CONSTRAINT` for all of these, on PostgreSQL.
pub(super) fn add_foreign_keys(t: &Table, keys: &[&ForeignKey]) -> String {
    let lines: Vec<String> = (keys.iter())
        .map(|f| {
            let (name, column) = (quoted(&f.name), quoted(&f.column));
            let to = references(f);
            format!("    ADD CONSTRAINT {name} FOREIGN KEY ({column}) {to} DEFERRABLE")
        })
        .collect();
    format!("ALTER TABLE {}\n{}", quoted(&t.name), lines.join(",\n"))
}

fn references(f: &ForeignKey) -> String {
    let action = f.on_delete.words();
    format!("REFERENCES {} (\"id\") ON DELETE {action}", quoted(&f.target))
}
