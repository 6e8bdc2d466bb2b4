//! The schema that a database has, in the notation of the expected one. Defaults, checks
//! and collations of columns are not read: no declaration asks for any.

mod postgres;
mod sqlite;

use super::{Column, ForeignKey, Index, OnDelete, Table, Trigger};
use crate::{Dialect, Row, Sql, Store};
use model::error::Result;
use std::collections::BTreeMap;

/// Where the migrations keep their own record.
const MIGRATIONS: &str = "_sqlx_migrations";

/// Statements over the catalogue, each with its columns in a fixed order.
struct Catalogue {
    /// table, column, type, not null, place in the primary key or 0, whether generated
    columns: &'static str,
    /// table, name, column or columns, target, action
    foreign_keys: &'static str,
    /// table, name, unique, column, whether falling, whether there is more to it, whether
    /// only rows stand in it whose column is filled
    indexes: &'static str,
    /// table, name
    triggers: &'static str,
}

/// The tables of a book, by name, without the record of migrations.
pub async fn live(store: &Store) -> Result<Vec<Table>> {
    let catalogue = match store.dialect() {
        Dialect::Sqlite => sqlite::CATALOGUE,
        Dialect::Postgres => postgres::CATALOGUE,
    };
    let mut tables = BTreeMap::new();
    let mut keys = BTreeMap::new();
    for row in store.rows(Sql::new(catalogue.columns).one_off()).await? {
        add_column(&mut tables, &mut keys, &row, store.dialect());
    }
    for ((table, _), column) in keys {
        if let Some(table) = tables.get_mut(&table) {
            table.primary_key.push(column);
        }
    }
    for row in store.rows(Sql::new(catalogue.foreign_keys).one_off()).await? {
        add_foreign_key(&mut tables, &row);
    }
    for row in store.rows(Sql::new(catalogue.indexes).one_off()).await? {
        add_index(&mut tables, &row);
    }
    for row in store.rows(Sql::new(catalogue.triggers).one_off()).await? {
        if let Some(table) = tables.get_mut(row.text(0).unwrap_or_default()) {
            table.triggers.push(Trigger { name: text(&row, 1), sql: String::new() });
        }
    }
    Ok(tables.into_values().collect())
}

fn text(row: &Row, column: usize) -> String {
    row.text(column).unwrap_or_default().to_owned()
}

type Tables = BTreeMap<String, Table>;
/// Columns of primary keys, by table and place in the key.
type Keys = BTreeMap<(String, i64), String>;

fn add_column(tables: &mut Tables, keys: &mut Keys, row: &Row, dialect: Dialect) {
    let name = text(row, 0);
    if name == MIGRATIONS {
        return;
    }
    let table = tables.entry(name).or_insert_with_key(|name| Table {
        name: name.clone(),
        columns: Vec::new(),
        primary_key: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        initial: None,
        triggers: Vec::new(),
        recount: Vec::new(),
    });
    let mut column = Column {
        name: text(row, 1),
        ty: match dialect {
            Dialect::Sqlite => text(row, 2).to_ascii_uppercase(),
            Dialect::Postgres => postgres::column_type(&text(row, 2)),
        },
        not_null: row.truth(3) == Some(true),
    };
    if row.truth(5) == Some(true) {
        column.ty.push_str(" GENERATED");
    }
    let place = row.int(4).unwrap_or(0);
    if place > 0 {
        keys.insert((table.name.clone(), place), column.name.clone());
        // The row's own number is never NULL, though SQLite does not say so.
        column.not_null |= dialect == Dialect::Sqlite && column.ty == "INTEGER";
    }
    table.columns.push(column);
}

fn add_foreign_key(tables: &mut Tables, row: &Row) {
    if let Some(table) = tables.get_mut(row.text(0).unwrap_or_default()) {
        table.foreign_keys.push(ForeignKey {
            name: text(row, 1),
            column: text(row, 2),
            target: text(row, 3),
            on_delete: match row.text(4).unwrap_or_default() {
                "NO ACTION" => OnDelete::NoAction,
                "SET NULL" => OnDelete::SetNull,
                "CASCADE" => OnDelete::Cascade,
                other => OnDelete::Other(other.to_owned()),
            },
        });
    }
}

fn add_index(tables: &mut Tables, row: &Row) {
    let Some(table) = tables.get_mut(row.text(0).unwrap_or_default()) else { return };
    let name = text(row, 1);
    let mut column = row.text(3).unwrap_or("(expression)").to_owned();
    if row.truth(4) == Some(true) {
        column.push_str(" (descending)");
    }
    if row.truth(5) == Some(true) {
        column.push_str(" (special)");
    }
    match table.indexes.last_mut().filter(|i| i.name == name) {
        Some(index) => index.columns.push(column),
        None => table.indexes.push(Index {
            name,
            columns: vec![column],
            unique: row.truth(2) == Some(true),
            filled: row.truth(6) == Some(true),
        }),
    }
}
