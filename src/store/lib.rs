//! The database: connections, statements, transactions. It knows neither HTTP nor ADE. Dialect
//! differences live in `sqlite` and `postgres` only.

#[cfg(test)]
#[macro_use]
extern crate test_attribute;

pub mod bulk;
mod compressed;
#[cfg(feature = "failpoints")]
mod failpoint;
mod migrations;
mod open;
mod postgres;
mod readers;
mod row;
pub mod schema;
mod sizes;
pub mod sql;
mod sqlite;
#[cfg(feature = "failpoints")]
pub mod statement_log;
#[cfg(test)]
mod tests;
mod time;
pub mod transfer;
mod unwritable;
pub mod versions;
mod writer;

#[cfg(feature = "failpoints")]
pub use failpoint::Failpoint;
pub use migrations::{Migrations, State};
pub use readers::pool::{Pool, QUEUES, QueueLength, QueueTable};
pub use readers::terms::{Share, StatementTerms};
pub use row::{Row, uncompressed};
pub use sizes::Sizes;
pub use sql::body_page::{BodyPage, JoinedBodies};
pub use sql::by_day::by_day;
pub use sql::compile::{Scan, along, condition, order_by, order_chosen, points};
pub use sql::seek::{SortPosition, after_position, push_sort_keys, ranges, sort_keys};
pub use sql::series::{Serial, packed, packed_texts, packs, unpack};
pub use sql::window::Window;
pub use sql::{Bind, Sql, Ty, pieces};
pub use sqlite::copy::{BackupInfo, back_up, restore};
pub use versions::incarnation::{INCARNATION, reincarnate, set_state};
pub use versions::watch::{CommitState, Watch};
pub use versions::{ReadSet, Snapshot, Versions};
pub use writer::{Savepoint, Tx};

use model::error::{Error, Result};
use model::registry::Kind;
use readers::terms::Shares;
use sqlx::PgPool;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, LazyLock};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

/// How surely a commit is on the disk of an embedded book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives a loss of power (`serve`).
    Full,
    /// Survives a crash of the process (`demo`).
    Normal,
}

/// A rule of the schema that a statement broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A unique key; its columns (SQLite) or its name (PostgreSQL).
    Unique(Vec<String>),
    Reference,
    /// Another connection holds the lock for too long, or the server goes down.
    Busy,
    /// It took longer than it may.
    Late,
    /// Nothing can be written, or nothing be trusted, for this reason.
    Unwritable(&'static str),
}

const FULL: &str = "the disk of the database is full";
const FAILING: &str = "the disk of the database fails";
/// Content of the database cannot be what was written.
pub const DAMAGED: &str = "the database is damaged";
/// The database may only be read.
const READ_ONLY: &str = "the database can only be read";

#[derive(Clone)]
enum Readers {
    Sqlite(sqlite::Readers),
    /// With the connections of those who listen.
    Postgres(postgres::Readers, PgPool),
}

/// An open book. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    readers: Readers,
    writer: writer::Queue,
    watch: Arc<Watch>,
    versions: Arc<Versions>,
    /// Held by the one of the waiting requests that polls for all.
    poller: Arc<tokio::sync::Mutex<()>>,
    /// Statements that found no connection free.
    waited: Arc<AtomicU64>,
    /// The groups of requests that connections are reserved for.
    shares: Arc<Shares>,
    /// How many rows tables have.
    sizes: Arc<Sizes>,
    /// The terms of a request, where it is not the present one.
    terms: Option<Arc<StatementTerms>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({:?})", self.dialect())
    }
}

impl Store {
    pub fn dialect(&self) -> Dialect {
        match self.readers {
            Readers::Sqlite(_) => Dialect::Sqlite,
            Readers::Postgres(..) => Dialect::Postgres,
        }
    }

    /// Where a test breaks the writes of this store.
    #[cfg(feature = "failpoints")]
    pub fn failpoint(&self) -> &Failpoint {
        self.watch.failpoint()
    }

    /// Notifications of commits, by this process and by others.
    pub fn watch(&self) -> &Arc<Watch> {
        &self.watch
    }

    /// This store, with statements under the terms of the present request wherever they run.
    #[must_use]
    pub fn bound(&self) -> Self {
        let mut bound = self.clone();
        bound.terms = readers::terms::current().or(bound.terms);
        bound
    }

    fn terms(&self) -> Option<Arc<StatementTerms>> {
        self.terms.clone().or_else(readers::terms::current)
    }

    /// Runs a job in a transaction that holds the book's commit order, and answers after the commit. Jobs that queue
    /// share one transaction: one that fails is undone by itself and takes nothing else with it.
    pub async fn write<T, F>(&self, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> futures_util::future::BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let done = self.writer.run(job).await;
        self.versions.wrote();
        done
    }

    /// Runs statements in a transaction of their own; answers the number of rows that they touched.
    pub async fn run(&self, statements: Vec<Sql>) -> Result<u64> {
        let job = self.write(move |tx| {
            Box::pin(async move {
                let mut rows = 0;
                for sql in statements {
                    rows += tx.run(sql).await?;
                }
                Ok(rows)
            })
        });
        job.await
    }

    /// Prepares for a load ([`Tx::begin_load`]).
    pub async fn begin_load(&self) -> Result<()> {
        self.write(|tx| Box::pin(async move { tx.begin_load().await })).await
    }

    /// Whether other clients than the one who asks now wrote something small in the last
    /// seconds, so that long transactions would keep them waiting.
    pub fn others_write(&self) -> bool {
        self.writer.others_write()
    }

    /// Lets the writer finish its queue, and closes all connections.
    pub async fn close(&self) {
        // The writer is closed last: the last connection to a SQLite file moves the log into it,
        // which one that only reads cannot do.
        match &self.readers {
            Readers::Sqlite(readers) => readers.close().await,
            Readers::Postgres(readers, listening) => {
                readers.close().await;
                listening.close().await;
            }
        }
        self.writer.close().await;
    }
}

/// One bound list of ids as a table of a statement.
#[derive(Debug, Clone, Copy)]
pub struct ListedIds {
    /// Text before the bound list.
    pub before: &'static str,
    /// Text after the bound list.
    pub after: &'static str,
    /// The expression for an id of the table.
    pub id: &'static str,
}

impl Dialect {
    pub fn column_type(self, ty: Ty) -> &'static str {
        match self {
            Self::Sqlite => sqlite::column_type(ty),
            Self::Postgres => postgres::column_type(ty),
        }
    }
    /// Condition and bound text for: `expr` contains `word`, in upper or lower case.
    pub fn contains(self, expr: &str, word: &str) -> (String, String) {
        match self {
            Self::Sqlite => sqlite::contains(expr, word),
            Self::Postgres => postgres::contains(expr, word),
        }
    }
    /// Text before and after a bound value, for: the JSON list `expr` contains the value.
    pub fn list_has(self, expr: &str) -> (String, String) {
        match self {
            Self::Sqlite => sqlite::list_has(expr),
            Self::Postgres => postgres::list_has(expr),
        }
    }
    /// An expression for the day of the time `expr`, which is equal for all times of a UTC day.
    pub fn day(self, expr: &str) -> String {
        match self {
            Self::Sqlite => sqlite::day(expr),
            Self::Postgres => postgres::day(expr),
        }
    }
    /// Text before and after a list of ids: a member of the objects in the JSON list `expr` is one of them.
    pub fn rows_have(self, expr: &str, member: &str) -> (String, String) {
        match self {
            Self::Sqlite => sqlite::rows_have(expr, member),
            Self::Postgres => postgres::rows_have(expr, member),
        }
    }
    /// The elements of the JSON list `expr` as a table of that name.
    pub fn elements(self, expr: &str, alias: &str) -> String {
        match self {
            Self::Sqlite => format!("json_each({expr}) AS {alias}"),
            Self::Postgres => format!("json_array_elements({expr}) AS {alias}(\"value\")"),
        }
    }
    /// The number of the day of a time, since 1970.
    pub fn day_number(self, expr: &str) -> String {
        match self {
            Self::Sqlite => sqlite::day_number(expr),
            Self::Postgres => postgres::day_number(expr),
        }
    }
    /// A member of an element of such a table, as a value of its kind.
    pub fn member(self, alias: &str, name: &str, kind: &Kind) -> String {
        match self {
            Self::Sqlite => sqlite::member(alias, name),
            Self::Postgres => postgres::member(alias, name, kind),
        }
    }
    /// Text before and after one bound list of ids: a number is in it. However many they
    /// are, the statement is the same.
    pub fn among_ids(self) -> (&'static str, &'static str) {
        match self {
            Self::Sqlite => sqlite::AMONG_IDS,
            Self::Postgres => postgres::AMONG_IDS,
        }
    }
    /// How one bound list of ids becomes a table.
    pub fn listed_ids(self) -> ListedIds {
        match self {
            Self::Sqlite => ListedIds { before: "json_each(", after: ") AS o", id: "o.\"value\"" },
            Self::Postgres => ListedIds { before: "json_array_elements_text(", after: ") AS o(v)", id: "o.v::bigint" },
        }
    }
    /// Text before and after one bound list of ids or of texts: the value before is in it.
    pub(crate) fn list(self) -> (&'static str, &'static str) {
        match self {
            Self::Sqlite => sqlite::LIST,
            Self::Postgres => postgres::LIST,
        }
    }
    /// Text before a list, between it and the rest of a key, and behind that: rows of a table that
    /// are found by a key of several columns, one of which is in the list.
    fn keyed(self, table: &str, alias: &str, column: &str) -> [String; 3] {
        match self {
            Self::Sqlite => sqlite::keyed(table, alias, column),
            Self::Postgres => postgres::keyed(table, alias, column),
        }
    }
    /// Number of values of a list that is sent as one value, up to which a statement stays prepared.
    pub(crate) fn longest_cached_list(self) -> usize {
        match self {
            Self::Sqlite => usize::MAX,
            Self::Postgres => postgres::LONGEST_CACHED_LIST,
        }
    }
    /// The text before a column of which the value is meant, not an index over it.
    pub(crate) fn by_value(self) -> &'static str {
        match self {
            Self::Sqlite => sqlite::BY_VALUE,
            Self::Postgres => "",
        }
    }
    /// A comparison that every filled value passes, and that has the planner look at an index
    /// over it; empty where it needs no such help.
    pub(crate) fn at_least_lowest(self, ty: Ty) -> &'static str {
        match self {
            Self::Sqlite => sqlite::at_least_lowest(ty),
            Self::Postgres => "",
        }
    }
    /// The statement by which a transaction checks references at its end, and the one by which it
    /// checks them now, where tables cannot be changed before.
    pub(crate) fn defers(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Sqlite => (sqlite::DEFERS, None),
            Self::Postgres => (postgres::DEFERS, Some(postgres::CHECKS)),
        }
    }
    /// Statements that prepare the connection that writes for a load.
    pub(crate) fn loading(self) -> &'static [&'static str] {
        match self {
            Self::Sqlite => sqlite::LOADING,
            Self::Postgres => postgres::LOADING,
        }
    }
    /// Statements before and behind those that make indexes.
    pub(crate) fn sorting(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Sqlite => sqlite::SORTING,
            Self::Postgres => postgres::SORTING,
        }
    }
    /// Largest number of placeholders in one statement.
    pub fn max_binds(self) -> usize {
        match self {
            Self::Sqlite => sqlite::MAX_BINDS,
            Self::Postgres => postgres::MAX_BINDS,
        }
    }
}

/// Letters of which more than two are equal when case does not count (σ, ς, Σ), or which
/// differ from their counterpart in length: by each of them, all of them.
static FOLDED: LazyLock<BTreeMap<char, Vec<char>>> = LazyLock::new(|| {
    let mut classes: BTreeMap<char, Vec<char>> = BTreeMap::new();
    for c in ('\u{80}'..'\u{1F000}').chain('A'..='z') {
        let folded = folded(c);
        // Only Turkish takes a dotless i for an i.
        if folded != c && c != '\u{131}' {
            let class = classes.entry(folded).or_insert_with(|| vec![folded]);
            if !class.contains(&c) {
                class.push(c);
            }
        }
    }
    classes.into_values().flat_map(|class| class.clone().into_iter().map(move |c| (c, class.clone()))).collect()
});

/// Upper case, then lower case, where each is one letter.
fn folded(c: char) -> char {
    let mut upper = c.to_uppercase();
    let upper = match (upper.next(), upper.next()) {
        (Some(upper), None) => upper,
        _ => c,
    };
    let mut lower = upper.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => upper,
    }
}

/// All letters that a letter equals when case does not count, itself first.
fn case_variants(c: char) -> Vec<char> {
    let mut variants = vec![c];
    variants.extend(FOLDED.get(&c).into_iter().flatten().filter(|other| **other != c));
    variants
}

fn refused(error: sqlx::Error) -> Error {
    Error::Unavailable(error.to_string())
}

/// What a failed statement means to the layers above.
fn failed(error: sqlx::Error) -> Error {
    match &error {
        sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) | sqlx::Error::PoolClosed => {
            Error::Unavailable(error.to_string())
        }
        sqlx::Error::Database(db) => {
            // Each has codes of its own, some of which look like those of the other.
            let server = db.try_downcast_ref::<sqlx::postgres::PgDatabaseError>();
            let fault = if server.is_some() { postgres::fault(db.as_ref()) } else { sqlite::fault(db.as_ref()) };
            match fault {
                Some(Fault::Unique(names)) => Error::invalid(names.join(","), "not-unique", "Value must be unique"),
                Some(Fault::Reference) => {
                    Error::invalid("id", "in-use", "Other records refer to this one, or it refers to one that is gone.")
                }
                Some(Fault::Busy) => Error::Unavailable(error.to_string()),
                Some(Fault::Late) => Error::Late,
                Some(Fault::Unwritable(why)) => Error::Unavailable(format!("{why} ({})", db.message())),
                None => Error::Internal(error.to_string()),
            }
        }
        _ => Error::Internal(error.to_string()),
    }
}
