//! Change counts, by table and location, so that an answer can be served from memory while its
//! read set has not changed (docs/design/store.md, *Change counts*).
//!
//! Each transaction that writes counts `commits` in `book_sequence` and notes there which tables it changed. A reader
//! asks for that row at most once per commit. On SQLite the header of the log's index, a few bytes of memory that all
//! processes share, shows whether there was a commit since; on PostgreSQL one statement asks, for all waiting requests.
//! No answer depends on a notification that may be late or lost: a read after a commit, in any process, sees that
//! commit.

pub(crate) mod incarnation;
pub(crate) mod single_flight;
pub(crate) mod tables;
pub(crate) mod waiting;
pub(crate) mod watch;

use super::sqlite::{Head, Index};
use super::{Dialect, Sql, Store, Ty};
use crate::versions::single_flight::SingleFlight;
use crate::versions::tables::{TABLES, TableId, Touches};
use model::error::{Error, Result};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// The table whose rows are found by their number in commit order, and the column of it under which readers ask.
const SEQUENCED: (&str, &str) = ("exchange_documents", "location");
/// A transaction with a statement that could not be classified changed all tables.
pub(super) const ALL: &str = "*";

/// The state that a book was in at least, when something was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// Grows when the count goes back: the book is another one then.
    epoch: u64,
    commits: i64,
    seq: i64,
}

/// The tables and locations that an answer depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadSet {
    tables: BTreeSet<TableId>,
    /// Locations of which sequenced rows were read.
    locations: BTreeSet<i64>,
    /// Sequenced rows of any location were read.
    any_location: bool,
    /// A statement was read that cannot be classified.
    open: bool,
    /// It holds for seconds only, since it depends on the time.
    timed: bool,
    /// Rows whose reading is logged.
    views: Vec<(&'static str, i64)>,
}

impl ReadSet {
    /// The read set of one statement.
    pub fn of(sql: &Sql) -> Self {
        let mut read_set = Self::default();
        read_set.add(sql);
        read_set
    }

    /// The links in some columns of a table to other rows of it, as far as rows have them that were there before.
    pub fn of_links(table: &str, columns: [&str; 2]) -> Self {
        let link = |column| TABLES.find(&format!("{table}.{column}")).or_else(|| TABLES.find(table));
        let tables: Vec<Option<TableId>> = columns.into_iter().map(link).collect();
        Self { open: tables.contains(&None), tables: tables.into_iter().flatten().collect(), ..Self::default() }
    }

    fn add(&mut self, sql: &Sql) {
        let Touches::Tables(tables) = TABLES.read_by(sql.text()) else {
            self.open = true;
            return;
        };
        match sql.location() {
            Some(location) => {
                self.locations.insert(location);
            }
            None => {
                let sequenced = TABLES.find(SEQUENCED.0);
                self.any_location |= sequenced.is_some_and(|t| tables.contains(&t));
            }
        }
        self.tables.extend(tables);
    }

    /// Whether an answer may be cached while [`Versions::holds`] is true.
    pub fn is_closed(&self) -> bool {
        !self.open && !self.tables.is_empty()
    }
    /// Whether the answer depends on the time too.
    pub fn is_timed(&self) -> bool {
        self.timed
    }
    /// Rows whose reading is logged whenever the answer is served: slug and id.
    pub fn views(&self) -> &[(&'static str, i64)] {
        &self.views
    }
}

tokio::task_local! {
    static READ_SET: RefCell<ReadSet>;
    /// How many own writes the present request had made when it read what was committed.
    static SNAPSHOT_OF: Cell<Option<u64>>;
}

/// Runs the work of one request: it sees everything that was committed before it began, by any process, and what it
/// commits itself. One statement reads that ([`Store::snapshot`]).
pub async fn one_request<T>(work: impl Future<Output = T>) -> T {
    SNAPSHOT_OF.scope(Cell::default(), work).await
}

/// From here on, the present request sees what was committed until now: it waited, and much may have changed meanwhile.
pub fn forget_snapshot() {
    // Outside of a request each call asks.
    let _ = SNAPSHOT_OF.try_with(Cell::take);
}

/// Runs something and returns its read set besides.
pub async fn read_set<T>(work: impl Future<Output = T>) -> (T, ReadSet) {
    let scope = async {
        let answer = work.await;
        let read = READ_SET.try_with(|f| f.borrow().clone());
        (answer, read.unwrap_or_default())
    };
    READ_SET.scope(RefCell::default(), scope).await
}

fn note(change: impl FnOnce(&mut ReadSet)) {
    // Outside of such a scope nothing is collected.
    let _ = READ_SET.try_with(|f| change(&mut f.borrow_mut()));
}

/// Records that the answer depends on the time.
pub fn note_time_dependence() {
    note(|f| f.timed = true);
}

/// Records that the reading of this row is logged.
pub fn note_view(slug: &'static str, id: i64) {
    note(|f| f.views.push((slug, id)));
}

/// Adds to the read set what this statement reads, whether or not it is run.
pub fn depends_on(sql: &Sql) {
    note(|f| f.add(sql));
}

/// Adds another read set.
pub fn depends_on_all(read: ReadSet) {
    note(|f| {
        f.tables.extend(read.tables);
        f.locations.extend(read.locations);
        f.any_location |= read.any_location;
        f.open |= read.open;
        f.timed |= read.timed;
        f.views.extend(read.views);
    });
}

/// The known state of commits.
#[derive(Debug)]
pub struct Versions {
    /// The number of the last commit that changed each table.
    tables: Vec<AtomicI64>,
    /// The number of the last commit that counts for all tables.
    all: AtomicI64,
    commits: AtomicI64,
    seq: AtomicI64,
    epoch: AtomicU64,
    /// The last number in commit order at each location, of those that moved since the start.
    locations: RwLock<BTreeMap<i64, i64>>,
    /// The last number at any location.
    any_location: AtomicI64,
    /// The index of the log; none where there is no such thing.
    index: Option<Index>,
    /// The head under which the above was read.
    head: RwLock<Option<Head>>,
    /// Whether something was committed since.
    single_flight: SingleFlight,
    /// Writes of this process that ended.
    own_writes: AtomicU64,
}

impl Versions {
    pub fn new(index: Option<PathBuf>) -> Self {
        let index = index.map(Index::new);
        Self {
            tables: (0..TABLES.len()).map(|_| AtomicI64::new(0)).collect(),
            all: AtomicI64::new(0),
            commits: AtomicI64::new(-1),
            seq: AtomicI64::new(0),
            epoch: AtomicU64::new(0),
            locations: RwLock::default(),
            any_location: AtomicI64::new(0),
            index,
            head: RwLock::default(),
            single_flight: SingleFlight::new(),
            own_writes: AtomicU64::new(0),
        }
    }

    /// The tables that the commit of that number changed, for tests.
    #[cfg(feature = "failpoints")]
    pub fn hears(&self, commits: i64, touched: &str) -> Snapshot {
        self.learn(commits, 0, touched);
        self.snapshot()
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        // What is taken as the state is never newer than the tables that are compared with
        // it: those are brought up to date first.
        Snapshot {
            epoch: self.epoch.load(Ordering::SeqCst),
            commits: self.commits.load(Ordering::SeqCst),
            seq: self.seq.load(Ordering::SeqCst),
        }
    }

    /// Whether nothing that was read changed after `since`, as of the last
    /// [`Store::snapshot`].
    pub fn holds(&self, since: Snapshot, read: &ReadSet) -> bool {
        let unmoved = |limit: i64, at: &AtomicI64| at.load(Ordering::SeqCst) <= limit;
        let still = |table: &TableId| self.tables.get(*table).is_some_and(|at| unmoved(since.commits, at));
        self.epoch.load(Ordering::SeqCst) == since.epoch
            && unmoved(since.commits, &self.all)
            && read.tables.iter().all(still)
            && (!read.any_location || unmoved(since.seq, &self.any_location))
            && self.locations_hold(since.seq, &read.locations)
    }

    fn locations_hold(&self, since: i64, locations: &BTreeSet<i64>) -> bool {
        if locations.is_empty() {
            return true;
        }
        let newest = self.locations.read().unwrap_or_else(PoisonError::into_inner);
        (locations.iter()).all(|location| newest.get(location).is_none_or(|at| *at <= since))
    }

    /// A write of this process ended.
    pub(super) fn wrote(&self) {
        self.own_writes.fetch_add(1, Ordering::SeqCst);
    }

    fn matches_head(&self, head: &Head) -> bool {
        let current = self.head.read().unwrap_or_else(PoisonError::into_inner);
        current.as_ref() == Some(head)
    }

    fn head(&self) -> Option<Head> {
        self.index.as_ref().and_then(Index::head)
    }

    /// Takes over the record of a commit.
    fn learn(&self, commits: i64, seq: i64, touched: &str) {
        if commits < self.commits.load(Ordering::SeqCst) {
            self.epoch.fetch_add(1, Ordering::SeqCst);
            for table in &self.tables {
                table.store(0, Ordering::SeqCst);
            }
        }
        let mut all = 0;
        for (name, at) in table_commits(touched) {
            match TABLES.find(&name).and_then(|table| self.tables.get(table)) {
                Some(table) => table.store(at, Ordering::SeqCst),
                // All of them, or one that a newer program knows.
                None => all = at.max(all),
            }
        }
        self.all.store(all, Ordering::SeqCst);
        self.commits.store(commits, Ordering::SeqCst);
        self.seq.store(seq, Ordering::SeqCst);
    }

    fn moved(&self, location: i64, seq: i64) {
        let mut locations = self.locations.write().unwrap_or_else(PoisonError::into_inner);
        let newest = locations.entry(location).or_default();
        *newest = seq.max(*newest);
        self.any_location.fetch_max(seq, Ordering::SeqCst);
    }
}

/// Tables and the commits that changed them last, as `book_sequence` stores them.
pub(super) fn table_commits(touched: &str) -> BTreeMap<String, i64> {
    // Only this program writes it; any other text is read as empty.
    serde_json::from_str(touched).unwrap_or_default()
}

impl Store {
    /// The state that the book is in now, or a newer one: everything that was committed before this call, by any
    /// process, is in it; within a request ([`one_request`]) everything that was committed before its first call, the
    /// last write of this process, and the end of its last wait for changes.
    /// [`Versions::holds`] knows as much afterwards.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        // A request may write in a task of its own, so that each write of this process counts.
        let own = Some(self.versions.own_writes.load(Ordering::SeqCst));
        if SNAPSHOT_OF.try_with(Cell::get).is_ok_and(|own_at_last_read| own_at_last_read == own) {
            return Ok(self.versions.snapshot());
        }
        let snapshot = self.current_snapshot().await?;
        let _ = SNAPSHOT_OF.try_with(|own_at_last_read| own_at_last_read.set(own));
        Ok(snapshot)
    }

    /// Like [`Store::snapshot`], but never answered by an earlier call of the request.
    pub(super) async fn current_snapshot(&self) -> Result<Snapshot> {
        let versions = &self.versions;
        if versions.head().is_some_and(|head| versions.matches_head(&head)) {
            return Ok(versions.snapshot());
        }
        Box::pin(self.refresh_snapshot()).await
    }

    /// Reads the state from the database, once for all that wait (single-flight).
    async fn refresh_snapshot(&self) -> Result<Snapshot> {
        let versions = &self.versions;
        let is_current = || versions.head().is_some_and(|head| versions.matches_head(&head));
        let ask = || async {
            // Read before the row is: a commit in between only makes the next one ask again.
            let head = versions.head();
            self.learn().await?;
            *versions.head.write().unwrap_or_else(PoisonError::into_inner) = head;
            Ok(())
        };
        versions.single_flight.run(is_current, ask).await?;
        Ok(versions.snapshot())
    }

    /// The known state of commits.
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    async fn learn(&self) -> Result<()> {
        let versions = &self.versions;
        let (commits, seq_before) = (versions.commits.load(Ordering::SeqCst), versions.seq.load(Ordering::SeqCst));
        // Mostly nothing was committed since, and the list of tables is not needed.
        let sql = Sql::new("SELECT commits, seq, CASE WHEN commits = ")
            .with(Ty::Int, commits)
            .and(" AND seq = ")
            .with(Ty::Int, seq_before)
            .and(" THEN NULL ELSE touched END FROM book_sequence WHERE id = 1");
        let rows = self.rows_unlimited(sql).await?;
        let none = || Error::internal("the sequence of commits is missing in the database");
        let row = rows.first().ok_or_else(none)?;
        let before = commits;
        let commits = row.int(0).ok_or_else(none)?;
        let seq = row.int(1).ok_or_else(none)?;
        let Some(touched) = row.text(2) else { return Ok(()) };
        if before >= 0 && seq > seq_before {
            for row in self.rows_unlimited(locations_after(seq_before)).await? {
                if let (Some(location), Some(seq)) = (row.int(0), row.int(1)) {
                    versions.moved(location, seq);
                }
            }
        }
        versions.learn(commits, seq, touched);
        Ok(())
    }
}

/// The locations at which something is newer than that, and how new. Such rows are found along their numbers, which the
/// limit enforces: otherwise SQLite goes along the index of locations, through every row there is, after each commit.
pub(super) fn locations_after(seq: i64) -> Sql {
    let (table, location) = SEQUENCED;
    let from = format!("SELECT {location}, max(seq) FROM (SELECT {location}, seq FROM {table}");
    Sql::new(&from)
        .and(" WHERE seq > ")
        .with(Ty::Int, seq)
        .and(" ORDER BY seq LIMIT ")
        .with(Ty::Int, i64::MAX)
        .and(&format!(") AS changed GROUP BY {location}"))
}

/// The file in which SQLite stores the index of its log, beside the file of the book.
pub(super) fn index_of(dialect: Dialect, file: &std::path::Path) -> Option<PathBuf> {
    let mut name = file.file_name()?.to_owned();
    name.push("-shm");
    (dialect == Dialect::Sqlite).then(|| file.with_file_name(name))
}
