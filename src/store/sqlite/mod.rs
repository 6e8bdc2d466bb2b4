//! All that is particular to SQLite: connecting, binding, reading, and the few phrases of SQL that differ. Times are
//! integers (epoch milliseconds), booleans 0 and 1, JSON is text.

pub(super) mod copy;
mod index;
mod migrate;
mod readers;
mod room;

pub(super) use index::{Head, Index};
pub(super) use migrate::migrate;
pub(super) use readers::{Readers, SHARES};
pub(super) use room::has_room;

use super::sql::{Ready, Sql, Ty};
use super::{DAMAGED, Durability, FAILING, FULL, Fault, READ_ONLY};
use crate::sql::window::{Window, rows_of};
use model::error::Error;
use model::record::Value;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqliteRow, SqliteSynchronous};
use sqlx::{Row as _, Sqlite, SqliteConnection};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// The most placeholders in one statement.
pub(super) const MAX_BINDS: usize = 32_000;

/// Membership of a number in a bound list.
pub(super) const AMONG_IDS: (&str, &str) = (" IN (SELECT value FROM json_each(", "))");

/// Membership in a bound list of ids, or of texts.
pub(super) const LIST: (&str, &str) = ("IN (SELECT value FROM json_each(", "))");

/// Rows of a table by a key of several columns, one of which is in a list: the text before the
/// list, between it and the rest of the key, and behind that.
pub(super) fn keyed(table: &str, alias: &str, column: &str) -> [String; 3] {
    [format!("\"{table}\" {alias} WHERE {alias}.\"{column}\" {}", LIST.0), LIST.1.to_owned(), String::new()]
}

/// Prevents the planner from reading an index over the column that follows.
pub(super) const BY_VALUE: &str = "+";

pub(super) fn options(
    url: &str,
    create: bool,
    durability: Durability,
    wait: Duration,
) -> Result<SqliteConnectOptions, sqlx::Error> {
    Ok(SqliteConnectOptions::from_str(url)?
        .create_if_missing(create)
        .journal_mode(SqliteJournalMode::Wal)
        .foreign_keys(true)
        .synchronous(match durability {
            Durability::Full => SqliteSynchronous::Full,
            Durability::Normal => SqliteSynchronous::Normal,
        })
        .busy_timeout(wait)
        .statement_cache_capacity(400)
        .row_buffer_size(256)
        .pragma("cache_size", "-65536")
        // Pages, some 16 MB: a batch changes thousands of them, and the same ones again and
        // again, so that moving them at each thousand would write most of them many times.
        .pragma("wal_autocheckpoint", "4000")
        .pragma("temp_store", "memory")
        .pragma("mmap_size", "268435456"))
}

/// For the connection that writes: a small cache. What is read comes out of the file by the memory map, and pages that a
/// large write changed go to the log; with 64 MB in place of 8, nothing was quicker, and the memory stayed in use.
pub(super) fn writing(options: &SqliteConnectOptions) -> SqliteConnectOptions {
    options.clone().pragma("cache_size", "-8192")
}

/// For the connection that writes, in a program that fills a book and ends. A load changes pages all over tables and
/// indexes that are larger than the cache of a server: 256 MB hold what one of its transactions changes, which
/// otherwise goes to the log and comes back several times; and the log is moved into the file after as many.
pub(super) const LOADING: &[&str] = &["PRAGMA cache_size = -262144", "PRAGMA wal_autocheckpoint = 65536"];

/// Around statements that make indexes: what is sorted for them goes to a file when it is large. Otherwise
/// it stays in memory, as large as it is. What transactions need to undo statements always goes to memory.
pub(super) const SORTING: Option<[&str; 2]> = Some(["PRAGMA temp_store = file", "PRAGMA temp_store = memory"]);

/// Another connection holds the lock for a moment.
fn is_busy(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(db) if fault(db.as_ref()) == Some(Fault::Busy))
}

pub(super) fn absent(file: &Path) -> Error {
    Error::Unavailable(format!(
        "{}: there is no book. herdbook migrate makes one where database.url says.",
        file.display()
    ))
}

/// Why a file could not be opened, with its name, which SQLite does not report.
pub(super) fn unopened(options: &SqliteConnectOptions, error: &sqlx::Error) -> Error {
    let file = options.get_filename();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let why = match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => format!("there is no folder {}", folder.display()),
        None => error.to_string(),
    };
    Error::Unavailable(format!("{}: {why} (database.url)", file.display()))
}

/// Moves committed pages from the log into the file while nothing is written. Readers then find
/// all data in the file, most of which is memory-mapped, and need not search the log. They are
/// not held up, and pages that one of them still needs stay in the log.
pub(super) async fn idle(conn: &mut SqliteConnection) {
    let moved = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)");
    if let Err(error) = moved.execute(conn).await {
        tracing::debug!(%error, "the log was not moved into the database");
    }
}

pub(super) fn bind<'q>(query: Query<'q, Sqlite, SqliteArguments>, ready: Ready) -> Query<'q, Sqlite, SqliteArguments> {
    let bind = match ready {
        Ready::Compressed(text) => return query.bind(text),
        Ready::Value(bind) => bind,
    };
    match (bind.ty, bind.value) {
        (_, Value::Int(v) | Value::Time(v)) => query.bind(v),
        (_, Value::Num(v)) => query.bind(v),
        (_, Value::Bool(v)) => query.bind(i64::from(v)),
        (_, Value::Text(v)) => query.bind(v),
        (_, Value::Json(v)) => query.bind(v.to_string()),
        (_, Value::Texts(v)) => query.bind(serde_json::Value::from(v).to_string()),
        (_, Value::Ids(v)) => query.bind(serde_json::Value::from(v).to_string()),
        (_, Value::Null) => query.bind(None::<i64>),
    }
}

pub(super) fn int(row: &SqliteRow, column: usize) -> Option<i64> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn num(row: &SqliteRow, column: usize) -> Option<f64> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn text(row: &SqliteRow, column: usize) -> Option<&str> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn bytes(row: &SqliteRow, column: usize) -> Option<&[u8]> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn truth(row: &SqliteRow, column: usize) -> Option<bool> {
    int(row, column).map(|v| v != 0)
}
pub(super) fn time(row: &SqliteRow, column: usize) -> Option<i64> {
    int(row, column)
}

/// Which rule of the schema a statement broke.
pub(super) fn fault(error: &dyn sqlx::error::DatabaseError) -> Option<Fault> {
    // "UNIQUE constraint failed: animals.uuid, animals.x": SQLite names columns.
    let message = error.message();
    if let Some(columns) = message.strip_prefix("UNIQUE constraint failed: ") {
        let names = columns.split(", ").filter_map(|c| c.split('.').nth(1));
        return Some(Fault::Unique(names.map(str::to_owned).collect()));
    }
    if message.starts_with("FOREIGN KEY constraint failed") {
        return Some(Fault::Reference);
    }
    // The low byte gives the kind, the rest what was done then.
    let code: i64 = error.code()?.parse().ok()?;
    match code & 0xff {
        // While a snapshot is newer, or a log is recovered; not of a lock within the process.
        5 if matches!(code, 5 | 261 | 517) => Some(Fault::Busy),
        8 => Some(Fault::Unwritable(READ_ONLY)),
        9 => Some(Fault::Late),
        10 => Some(Fault::Unwritable(FAILING)),
        11 | 26 => Some(Fault::Unwritable(DAMAGED)),
        13 => Some(Fault::Unwritable(FULL)),
        _ => None,
    }
}

/// `expr` matches, ignoring case, wherever `word` stands in it. GLOB compares whole code points,
/// and a class per letter folds case for all of Unicode, which LIKE does not.
pub(super) fn contains(expr: &str, word: &str) -> (String, String) {
    let mut pattern = String::from("*");
    for c in word.chars() {
        pattern.push('[');
        for variant in super::case_variants(c) {
            pattern.push(variant);
        }
        pattern.push(']');
    }
    pattern.push('*');
    // Inside a class only `]`, `^` and `-` are special; one alone is taken literally when it is the first, except `^`.
    let pattern = pattern.replace("[^]", "^");
    (format!("{expr} GLOB "), pattern)
}

/// Membership in a JSON list of texts.
pub(super) fn list_has(expr: &str) -> (String, String) {
    (format!("EXISTS (SELECT 1 FROM json_each({expr}) WHERE value = "), ")".to_owned())
}

/// The UTC day of a time: its first millisecond. The remainder of times before 1970 is below zero.
pub(super) fn day(expr: &str) -> String {
    format!("({expr} - (({expr} % 86400000) + 86400000) % 86400000)")
}

/// Ids in a member of the objects of a JSON list.
pub(super) fn rows_have(expr: &str, member: &str) -> (String, String) {
    (format!("EXISTS (SELECT 1 FROM json_each({expr}) WHERE json_extract(value, '$.{member}') IN "), ")".to_owned())
}

/// The number of the day of a time, which is stored in milliseconds.
pub(super) fn day_number(expr: &str) -> String {
    // Division cuts towards zero.
    format!("({expr} - ({expr} % 86400000 + 86400000) % 86400000) / 86400000")
}

/// A member of an element of a JSON list.
pub(super) fn member(alias: &str, name: &str) -> String {
    format!("json_extract({alias}.\"value\", '$.{name}')")
}

/// A page joined by the database: count, first and last key, text, the key after it, and whether one of
/// its texts is so long that as many of them could be longer than the page may be; that one is left out then. The
/// inner limits keep the order through the aggregate. Compressed texts are joined as they are.
pub(super) fn body_page(window: &Window) -> Sql {
    // Lengths stand in the heads of rows, and each row is read once: to add them up first would read all rows twice.
    let most = i64::try_from(window.bytes).ok().map(|bytes| {
        let rows = i64::try_from(window.limit).unwrap_or(i64::MAX);
        bytes / rows.max(1)
    });
    let mut sql = Sql::new("SELECT count(*), min(k), max(k), CAST(group_concat(");
    match most {
        Some(most) => sql.push("CASE WHEN octet_length(body) > ").bind(Ty::Int, most).push(" THEN '' ELSE body END"),
        None => sql.push("body"),
    };
    sql.push(", '') AS BLOB), (SELECT ").push(window.next).append(&window.from);
    rows_of(&mut sql, window, (1, window.skip.saturating_add(window.limit)));
    sql.push("), ");
    match most {
        Some(most) => sql.push("max(octet_length(body) > ").bind(Ty::Int, most).push(")"),
        None => sql.push("0"),
    };
    sql.push(" FROM (");
    if window.backwards {
        sql.push("SELECT k, body FROM (");
    }
    sql.push("SELECT ").push(window.key).push(" AS k, body").append(&window.from);
    rows_of(&mut sql, window, (window.limit, window.skip));
    sql.push(")");
    if window.backwards {
        // A limit, so that the planner preserves the order.
        sql.push(" ORDER BY k LIMIT ").bind(Ty::Int, i64::try_from(window.limit).unwrap_or(i64::MAX)).push(")");
    }
    sql
}

/// Columns that [`packed`] takes: a function has no more than 127 arguments.
pub(super) const MOST_PACKED: usize = 40;

/// Rows as one text: of each its id, then the columns, a character between all.
pub(super) fn packed(columns: &[(&str, Ty)]) -> String {
    let mut row = String::from("\"id\"");
    for (column, ty) in columns {
        row.push_str(",' ',");
        // A number to its last bit; a text in quotes.
        let quoted = matches!(ty, Ty::Num | Ty::Text | Ty::Json);
        row.push_str(&if quoted { format!("quote(\"{column}\")") } else { format!("\"{column}\"") });
    }
    format!("group_concat(concat({row}),char(10))")
}

/// Texts of a column as they are stored, without anything between.
pub(super) fn packed_texts(column: &str) -> String {
    format!("group_concat(\"{column}\",'')")
}

/// Reads such a text.
pub(super) struct Unpacked<'t>(pub(super) &'t str);

impl Unpacked<'_> {
    /// The id of the next row, of which nothing was read yet.
    pub(super) fn id(&mut self) -> Option<i64> {
        self.value(Ty::Int).int()
    }

    pub(super) fn value(&mut self, ty: Ty) -> Value {
        if let Some(quoted) = self.0.strip_prefix('\'') {
            let text = self.text(quoted);
            return match ty {
                Ty::Json => serde_json::from_str(&text).map_or(Value::Null, Value::json),
                _ => Value::Text(text),
            };
        }
        let (word, rest) = self.0.split_once([' ', '\n']).unwrap_or((self.0, ""));
        self.0 = rest;
        let value = match (ty, word) {
            (_, "" | "NULL") | (Ty::Text | Ty::Json | Ty::Compressed, _) => None,
            (Ty::Int, word) => word.parse().ok().map(Value::Int),
            (Ty::Time, word) => word.parse().ok().map(Value::Time),
            (Ty::Num, word) => word.parse().ok().map(Value::Num),
            (Ty::Bool, word) => Some(Value::Bool(word != "0")),
        };
        value.unwrap_or_default()
    }

    /// A text whose opening quote was read; quotes inside stand twice.
    fn text(&mut self, mut rest: &str) -> String {
        let mut text = String::new();
        while let Some((part, after)) = rest.split_once('\'') {
            text.push_str(part);
            let Some(more) = after.strip_prefix('\'') else {
                rest = after;
                break;
            };
            text.push('\'');
            rest = more;
        }
        let read = self.0.len() - rest.len();
        // Behind the closing quote stands the character between two values.
        self.0 = self.0.get(read + 1..).unwrap_or_default();
        text
    }
}

/// A comparison that every value but NULL passes.
pub(super) fn at_least_lowest(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool | Ty::Int | Ty::Time => " >= -9223372036854775808",
        Ty::Num => " >= -9e999",
        Ty::Text => " >= ''",
        Ty::Json | Ty::Compressed => "",
    }
}

/// References are checked at the end of the transaction.
pub(super) const DEFERS: &str = "PRAGMA defer_foreign_keys = ON";

pub(super) fn column_type(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool | Ty::Int | Ty::Time => "INTEGER",
        Ty::Num => "REAL",
        Ty::Text | Ty::Json => "TEXT",
        Ty::Compressed => "BLOB",
    }
}
