//! A whole book as files, and back (docs/backup.md, *Moving a book*): each table as lines of JSON,
//! the same on both databases. Rows are read by their primary key, and written with all constraints
//! deferred, into tables without plain indexes, which are made afterwards.
//!
//! As long as a row waits for one that it refers to, SQLite looks at each new row for those that
//! wait for it. Tables therefore come behind those that they refer to, and where that cannot be (a
//! table that refers to itself, a circle), the indexes by which the waiting rows are found stay.

use crate::bulk::{drop_indexes, make_indexes};
use crate::schema::{self, Index, Table};
use crate::{Dialect, Row, Sql, Tx, Ty, pieces};
use model::error::{Error, Issue, Result};
use model::record::{Value, time};
use model::registry::Registry;
use serde_json::{Map, Value as Json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows that are read together.
const PAGE: i64 = 5_000;

/// A table on its way into a file or out of one.
#[derive(Debug, Clone)]
pub struct TableFile {
    /// Name of the file without extension: that of the collection, else of the table.
    pub name: String,
    table: String,
    columns: Vec<ColumnFile>,
    key: Vec<usize>,
}

#[derive(Debug, Clone)]
struct ColumnFile {
    column: String,
    /// Member of the lines: the path of the field, else the column.
    member: String,
    ty: Ty,
}

/// All tables of a book, each behind those that it refers to as far as there is such an order.
///
/// # Errors
/// [`Error::Invalid`] for declarations that no table can hold.
pub fn table_files(registry: &Registry) -> Result<Vec<TableFile>> {
    // The types of PostgreSQL distinguish what a column holds.
    let tables = schema::expected(registry, Dialect::Postgres).map_err(Error::Invalid)?;
    let mut order = ranks(&tables).into_iter().zip(&tables).collect::<Vec<_>>();
    order.sort_by_key(|(rank, _)| *rank);
    // Counts follow from the rows.
    let files = order.into_iter().filter(|(_, table)| table.name != schema::ROW_COUNTS);
    Ok(files.map(|(_, table)| file_of(registry, table)).collect())
}

/// The place of each table in the order of [`table_files`].
fn ranks(tables: &[Table]) -> Vec<usize> {
    let at = |name: &str| tables.iter().position(|table| table.name == name);
    // The tables that each refers to.
    let all: Vec<BTreeSet<usize>> = (tables.iter().enumerate())
        .map(|(own, table)| {
            table.foreign_keys.iter().filter_map(|key| at(&key.target)).filter(|target| *target != own).collect()
        })
        .collect();
    let mut ranks = vec![usize::MAX; tables.len()];
    for rank in 0..tables.len() {
        let open = |of: usize| ranks.get(of) == Some(&usize::MAX);
        // Of a circle, the one to which most refer.
        let next = (all.iter().enumerate()).filter(|(of, _)| open(*of)).min_by_key(|(of, targets)| {
            let waits = targets.iter().filter(|target| open(**target)).count();
            (waits, Reverse(all.iter().enumerate().filter(|(by, all)| open(*by) && all.contains(of)).count()))
        });
        let next = next.map(|(of, _)| of);
        if let Some(place) = next.and_then(|next| ranks.get_mut(next)) {
            *place = rank;
        }
    }
    ranks
}

/// Whether an index finds rows that may wait for rows that come later.
fn finds_waiting(tables: &[Table], ranks: &[usize], table: &Table, index: &Index) -> bool {
    let rank = |name: &str| ranks.get(tables.iter().position(|table| table.name == name)?);
    let mut keys = table.foreign_keys.iter();
    keys.any(|key| index.columns.first() == Some(&key.column) && rank(&key.target) >= rank(&table.name))
}

fn file_of(registry: &Registry, table: &Table) -> TableFile {
    let c = registry.iter().find(|c| c.table == table.name);
    let columns: Vec<ColumnFile> = (table.columns.iter())
        .map(|column| {
            let field = c.into_iter().flat_map(|c| &c.fields).find(|f| f.stored() && f.column == column.name);
            ColumnFile {
                column: column.name.clone(),
                member: field.map_or_else(|| column.name.clone(), |f| f.path.clone()),
                ty: type_of(&column.ty),
            }
        })
        .collect();
    let place = |name: &String| columns.iter().position(|one| one.column == *name);
    let key = table.primary_key.iter().filter_map(place).collect();
    TableFile {
        name: c.map_or_else(|| table.name.clone(), |c| c.slug.to_owned()),
        table: table.name.clone(),
        columns,
        key,
    }
}

fn type_of(column: &str) -> Ty {
    let mut all = [Ty::Bool, Ty::Int, Ty::Num, Ty::Time, Ty::Json, Ty::Compressed].into_iter();
    all.find(|ty| Dialect::Postgres.column_type(*ty) == column).unwrap_or(Ty::Text)
}

impl TableFile {
    pub async fn count(&self, tx: &mut Tx) -> Result<u64> {
        let mut sql = Sql::new("SELECT count(*) FROM ");
        sql.name(&self.table);
        let rows = tx.rows(sql).await?;
        Ok(u64::try_from(rows.first().and_then(|row| row.int(0)).unwrap_or(0)).unwrap_or(0))
    }

    /// The lines after a row, in the order of the primary key, and that of the last one.
    pub async fn page(&self, tx: &mut Tx, after: Option<&[Value]>) -> Result<(Vec<String>, Option<Vec<Value>>)> {
        let mut sql = Sql::new("SELECT ");
        self.names(&mut sql, self.columns.iter());
        sql.push(" FROM ").name(&self.table);
        let key = || self.key.iter().filter_map(|at| self.columns.get(*at));
        if let Some(after) = after {
            sql.push(" WHERE (");
            self.names(&mut sql, key());
            sql.push(") > (");
            sql.each(", ", key().zip(after), |sql, (column, value)| sql.bind(column.ty, value.clone())).push(")");
        }
        sql.push(" ORDER BY ");
        self.names(&mut sql, key());
        sql.push(" LIMIT ").bind(Ty::Int, PAGE);
        let rows = tx.rows(sql).await?;
        let lines = rows.iter().map(|row| self.line(row)).collect();
        let last = rows.last().map(|row| {
            self.key.iter().filter_map(|at: &usize| self.columns.get(*at).map(|c| row.value(*at, c.ty))).collect()
        });
        Ok((lines, last))
    }

    fn names<'c>(&self, sql: &mut Sql, columns: impl Iterator<Item = &'c ColumnFile>) {
        sql.each(", ", columns, |sql, column| sql.name(&column.column));
    }

    /// A row as JSON; columns that are not filled are left out.
    fn line(&self, row: &Row) -> String {
        let mut members = Map::new();
        for (at, column) in self.columns.iter().enumerate() {
            let value = match row.value(at, column.ty) {
                Value::Null => continue,
                Value::Bool(flag) => Json::from(flag),
                Value::Int(number) => Json::from(number),
                Value::Num(number) => Json::from(number),
                Value::Time(at) => Json::from(time::to_iso(at)),
                Value::Text(text) => Json::from(text),
                Value::Json(json) => Arc::unwrap_or_clone(json),
                Value::Texts(all) => Json::from(all),
                Value::Ids(all) => Json::from(all),
            };
            members.insert(column.member.clone(), value);
        }
        Json::Object(members).to_string()
    }

    /// The values of a line, by column.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the member that the table has not, or that holds something else.
    pub fn read(&self, line: &str) -> Result<Vec<Value>> {
        let fault =
            |path: &str, code, message: String| Error::Invalid(vec![Issue::error(path.to_owned(), code, message)]);
        let members: Map<String, Json> =
            serde_json::from_str(line).map_err(|why| fault("", "not-json", format!("no object of JSON: {why}")))?;
        let is_foreign = |name: &&String| !self.columns.iter().any(|c| c.member == **name);
        if let Some(name) = members.keys().find(is_foreign) {
            return Err(fault(name, "no-such-field", format!("{} has no such field", self.name)));
        }
        (self.columns.iter())
            .map(|column| {
                let json = members.get(&column.member).unwrap_or(&Json::Null);
                value(column.ty, json)
                    .ok_or_else(|| fault(&column.member, "wrong-type", format!("does not hold {json}")))
            })
            .collect()
    }

    /// Sends rows to be written; what comes of them, [`Tx::finish_sends`] tells. Columns that no row so far
    /// has filled are left out, since most tables are wide and their rows are not.
    ///
    /// # Errors
    /// Those of the database, of rows that were sent before too.
    pub async fn send(&self, tx: &mut Tx, filled: &mut FilledColumns, rows: &[Vec<Value>]) -> Result<()> {
        filled.note(rows);
        let columns: Vec<(usize, &ColumnFile)> =
            (self.columns.iter().enumerate()).filter(|(at, _)| filled.has(*at)).collect();
        for piece in pieces(rows, columns.len()) {
            let mut sql = Sql::new("INSERT INTO ");
            sql.name(&self.table).push(" (");
            self.names(&mut sql, columns.iter().map(|(_, column)| *column));
            sql.push(") VALUES ");
            sql.each(",", piece, |sql, row| {
                let value = |at: &usize| row.get(*at).cloned().unwrap_or(Value::Null);
                sql.push("(").each(",", &columns, |sql, (at, column)| sql.bind(column.ty, value(at))).push(")")
            });
            tx.send(sql).await?;
        }
        Ok(())
    }
}

/// The columns of a table that rows have filled so far. They only become more, so that the
/// statements of a table are few.
#[derive(Debug, Default)]
pub struct FilledColumns(Vec<bool>);

impl FilledColumns {
    fn note(&mut self, rows: &[Vec<Value>]) {
        for row in rows {
            if self.0.len() < row.len() {
                self.0.resize(row.len(), false);
            }
            for (filled, value) in self.0.iter_mut().zip(row) {
                *filled |= !value.is_null();
            }
        }
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at).copied().unwrap_or(false)
    }
}

/// A value of a column; none if it is another kind.
fn value(ty: Ty, json: &Json) -> Option<Value> {
    if json.is_null() {
        return Some(Value::Null);
    }
    match ty {
        Ty::Bool => json.as_bool().map(Value::Bool),
        Ty::Int => json.as_i64().map(Value::Int),
        Ty::Num => json.as_f64().map(Value::Num),
        Ty::Time => json.as_str().and_then(time::parse).map(Value::Time),
        Ty::Text | Ty::Compressed => json.as_str().map(Value::from),
        Ty::Json => Some(Value::json(json.clone())),
    }
}

/// Prepares an empty book for rows of another one: constraints are checked at the end, what a new
/// book begins with is gone, and so are its plain indexes.
///
/// # Errors
/// [`Error::Malformed`] when the book is not empty; those of the database.
pub async fn clear(tx: &mut Tx, registry: &Registry) -> Result<()> {
    let used = tx.rows(Sql::new("SELECT 1 FROM book_ids LIMIT 1")).await?;
    if !used.is_empty() {
        let message = "The book is not empty; nothing was written.";
        return Err(Error::Malformed(message.into()));
    }
    let dialect = tx.dialect();
    tx.run(Sql::new(dialect.defers().0)).await?;
    let tables = schema::expected(registry, dialect).map_err(Error::Invalid)?;
    for table in &tables {
        let mut sql = Sql::new("DELETE FROM ");
        sql.name(&table.name);
        tx.run(sql.one_off()).await?;
    }
    let ranks = ranks(&tables);
    let goes = |table: &Table, index: &Index| !finds_waiting(&tables, &ranks, table, index);
    drop_indexes(tx, registry, goes).await
}

/// Makes the indexes that [`clear`] dropped.
pub async fn index(tx: &mut Tx, registry: &Registry) -> Result<()> {
    if let (_, Some(check)) = tx.dialect().defers() {
        tx.run(Sql::new(check)).await?;
    }
    let tables = schema::expected(registry, tx.dialect()).map_err(Error::Invalid)?;
    let ranks = ranks(&tables);
    let gone = |table: &Table, index: &Index| !finds_waiting(&tables, &ranks, table, index);
    make_indexes(tx, registry, gone).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{ForeignKey, OnDelete};

    fn table(name: &str, refers_to: &[&str]) -> Table {
        let key = |target: &&str| ForeignKey {
            name: format!("{name}_{target}_fkey"),
            column: (*target).to_owned(),
            target: (*target).to_owned(),
            on_delete: OnDelete::NoAction,
        };
        let index = |column: &&str| Index {
            name: format!("{name}_{column}_idx"),
            columns: vec![(*column).to_owned(), "id".to_owned()],
            unique: false,
            filled: true,
        };
        Table {
            name: name.to_owned(),
            columns: Vec::new(),
            primary_key: vec!["id".to_owned()],
            foreign_keys: refers_to.iter().map(key).collect(),
            indexes: refers_to.iter().chain(&["date"]).map(index).collect(),
            initial: None,
            triggers: Vec::new(),
            recount: Vec::new(),
        }
    }

    #[test]
    fn tables_come_behind_those_that_they_refer_to_and_keep_the_indexes_of_what_waits() {
        let tables = [
            table("tests", &["animals", "users"]),
            table("animals", &["farms", "animals"]),
            table("users", &["farms"]),
            table("farms", &["users"]),
            table("breeds", &[]),
        ];
        let ranks = ranks(&tables);
        let mut order: Vec<(usize, &str)> =
            ranks.iter().zip(&tables).map(|(rank, table)| (*rank, table.name.as_str())).collect();
        order.sort_unstable();
        let order: Vec<&str> = order.into_iter().map(|(_, name)| name).collect();
        assert_eq!(order, ["breeds", "users", "farms", "animals", "tests"]);
        let mut names = Vec::new();
        for table in &tables {
            let finds = |index: &&Index| finds_waiting(&tables, &ranks, table, index);
            names.extend(table.indexes.iter().filter(finds).map(|i| i.name.as_str()));
        }
        assert_eq!(names, ["animals_animals_idx", "users_farms_idx"]);
    }
}
