//! The write queue. All writes of a process pass through one task, which runs those that queue in one transaction, so
//! that the cost of a commit is shared; each is undone by itself. Whose turn it is: [`fair_queue`].
//!
//! A transaction first locks the one-row table `book_sequence` (PostgreSQL: `FOR UPDATE`; SQLite: `BEGIN IMMEDIATE`)
//! and advances it as its last statement. Sequence numbers are therefore handed out in commit order over all processes,
//! and what a job reads cannot change before it commits: checks, derived values and rendered documents never rest on a
//! state that another writer is replacing.

mod fair_queue;
mod pipeline;
mod queue;
mod statements;

pub(super) use queue::Queue;

use crate::versions::tables::{TABLES, TableId, Touches};
use crate::versions::{self, watch};
use crate::{CommitState, Dialect, Sql, Ty, Watch, failed, sqlite};
use fair_queue::{ClientNumber, FairQueue};
use model::clock::Clock;
use model::error::{Error, Result};
use pipeline::Pipeline;
use queue::{Job, Message, refuse};
use sqlx::{Connection, PgPool, Postgres, SqliteConnection, pool::PoolConnection};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Jobs that share one commit.
const MAX_JOBS: usize = 256;
/// Jobs among which the next one is found; those that come then wait in the channel.
const QUEUE_MAX: usize = 1_024;
/// After so long without a write there is time for other things.
const IDLE_AFTER: Duration = Duration::from_secs(5);
/// A shared transaction takes no further job after this number of written rows.
const ENOUGH_ROWS: u64 = 2_000;

pub(super) enum Backend {
    Sqlite(Box<SqliteConnection>),
    Postgres(PgPool),
}

enum Conn {
    Sqlite(Box<SqliteConnection>),
    Postgres(PoolConnection<Postgres>),
}

/// A running transaction as a job sees it.
pub struct Tx {
    /// None while statements are under way.
    conn: Option<Conn>,
    dialect: Dialect,
    /// The statements that run while the job goes on ([`Tx::send`]).
    pipeline: Option<Pipeline>,
    /// Statements that wait until others need what they write ([`Tx::postpone`]), and the tables that they change.
    postponed: Vec<Sql>,
    postponed_tables: BTreeSet<TableId>,
    seq: i64,
    now: i64,
    clock_now: i64,
    rights: bool,
    /// Its commit is announced though it moves nothing.
    wakes: bool,
    written: u64,
    /// Statements that wrote rows, or may have.
    changes: u64,
    /// Transactions that wrote before this one.
    commits: i64,
    /// For each table the last of these commits that changed it.
    before: String,
    /// Tables that this one changes; none: a statement could not be classified.
    touched: Option<BTreeSet<TableId>>,
    /// The writer, so that this process recognises its own commits.
    writer: uuid::Uuid,
    #[cfg(feature = "failpoints")]
    failpoint: Arc<super::Failpoint>,
}

/// A point of a job to which it can roll back.
#[derive(Debug)]
pub struct Savepoint {
    name: String,
    seq: i64,
    rights: bool,
    written: u64,
    changes: u64,
}

struct Writer {
    backend: Option<Backend>,
    clock: Clock,
    watch: Arc<Watch>,
    wait: Duration,
    /// Something was written since it was idle.
    written: bool,
    jobs: FairQueue<Job>,
}

impl Writer {
    async fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        loop {
            if let Some(done) = self.receive(&mut inbox) {
                return self.end(done, inbox).await;
            }
            if let Some(next) = self.jobs.pop(false) {
                self.written = true;
                if let Some(done) = self.transaction(next, &mut inbox).await {
                    return self.end(done, inbox).await;
                }
                continue;
            }
            let written = std::mem::take(&mut self.written);
            let message = match written {
                false => inbox.recv().await,
                true => match tokio::time::timeout(IDLE_AFTER, inbox.recv()).await {
                    Ok(message) => message,
                    Err(_) => {
                        self.idle().await;
                        continue;
                    }
                },
            };
            match message {
                None => return,
                Some(Message::Job(client, job)) => self.jobs.push(client, job),
                Some(Message::Close(done)) => return self.end(done, inbox).await,
            }
        }
    }

    /// Puts the received jobs into the queue. Returns the sender to notify at the end, if the end was requested.
    fn receive(&mut self, inbox: &mut mpsc::Receiver<Message>) -> Option<oneshot::Sender<()>> {
        while self.jobs.len() < QUEUE_MAX {
            match inbox.try_recv() {
                Ok(Message::Job(client, job)) => self.jobs.push(client, job),
                Ok(Message::Close(done)) => return Some(done),
                Err(_) => break,
            }
        }
        None
    }

    /// Nothing was written for a while.
    async fn idle(&mut self) {
        match &mut self.backend {
            Some(Backend::Sqlite(conn)) => sqlite::idle(conn).await,
            Some(Backend::Postgres(_)) | None => {}
        }
    }

    /// Does the remaining jobs, accepts no more, and closes the database.
    async fn end(mut self, done: oneshot::Sender<()>, mut inbox: mpsc::Receiver<Message>) {
        inbox.close();
        let mut closing = vec![done];
        loop {
            while let Some(next) = self.jobs.pop(false) {
                closing.extend(self.transaction(next, &mut inbox).await);
            }
            match inbox.recv().await {
                Some(Message::Job(client, job)) => self.jobs.push(client, job),
                Some(Message::Close(done)) => closing.push(done),
                None => break,
            }
        }
        match self.backend.take() {
            Some(Backend::Sqlite(conn)) => {
                let _ = conn.close().await;
            }
            Some(Backend::Postgres(pool)) => pool.close().await,
            None => {}
        }
        for done in closing {
            let _ = done.send(());
        }
    }

    /// One transaction: the first job, and those that wait behind it. Returns the sender to
    /// notify at the end, if the end was requested meanwhile.
    async fn transaction(
        &mut self,
        first: (ClientNumber, Job),
        inbox: &mut mpsc::Receiver<Message>,
    ) -> Option<oneshot::Sender<()>> {
        let mut tx = match self.begin().await {
            Ok(tx) => tx,
            Err(error) => {
                refuse(first.1, error).await;
                return None;
            }
        };
        let start = tx.seq;
        let mut answers = Vec::new();
        let mut next = Some(first);
        let mut broken = None;
        let mut closing = None;
        let mut ran = 0;
        while let Some((client, job)) = next.take() {
            ran += 1;
            let begun = Instant::now();
            let outcome = match ran {
                // SQLite copies each page that changes under a savepoint, and walks over the copies
                // at the end of each statement: a sixth of its time in large writes.
                1 if tx.dialect == Dialect::Sqlite => tx.run_without_savepoint(job, self.wait).await,
                _ => tx.run_in_savepoint(job).await,
            };
            self.jobs.charge(client, begun.elapsed());
            match outcome {
                Ok(Some(notify)) => answers.push(notify),
                Ok(None) => {}
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
            if ran < MAX_JOBS && tx.written < ENOUGH_ROWS && closing.is_none() {
                closing = self.receive(inbox);
                next = self.jobs.pop(true);
            }
        }
        let moved = CommitState { seq: tx.seq, rights: u64::from(tx.rights) };
        let wakes = tx.wakes;
        let outcome = if let Some(error) = broken { Err(error) } else { tx.commit(start).await };
        if outcome.is_err() {
            // The transaction may have ended by itself; then there is nothing to undo.
            let _ = tx.bare("ROLLBACK").await;
        }
        self.return_connection(tx.end().await);
        let error = outcome.err().map(|e| e.to_string());
        if error.is_none() && (moved.seq > start || moved.rights > 0 || wakes) {
            self.watch.committed(moved.seq, moved.rights > 0);
        }
        for notify in answers {
            notify(match &error {
                None => Ok(()),
                Some(why) => Err(Error::Unavailable(format!("not committed: {why}"))),
            });
        }
        closing
    }

    async fn begin(&mut self) -> Result<Tx> {
        let conn = match self.backend.as_mut() {
            Some(Backend::Postgres(pool)) => Conn::Postgres(pool.acquire().await.map_err(failed)?),
            Some(Backend::Sqlite(_)) => match self.backend.take() {
                Some(Backend::Sqlite(conn)) => Conn::Sqlite(conn),
                _ => return Err(Error::internal("no connection to write with")),
            },
            None => return Err(Error::Unavailable("the book is closed".to_owned())),
        };
        let dialect = match conn {
            Conn::Sqlite(_) => Dialect::Sqlite,
            Conn::Postgres(_) => Dialect::Postgres,
        };
        let now = self.clock.now();
        let mut tx = Tx {
            conn: Some(conn),
            dialect,
            pipeline: None,
            postponed: Vec::new(),
            postponed_tables: BTreeSet::new(),
            seq: 0,
            now,
            clock_now: now,
            rights: false,
            wakes: false,
            written: 0,
            changes: 0,
            commits: 0,
            before: String::new(),
            touched: Some(BTreeSet::new()),
            writer: self.watch.own(),
            #[cfg(feature = "failpoints")]
            failpoint: Arc::clone(self.watch.failpoint()),
        };
        if let Err(error) = tx.open(self.wait).await {
            // Nothing was begun, or it ends with the connection.
            let _ = tx.bare("ROLLBACK").await;
            self.return_connection(tx.end().await);
            return Err(error);
        }
        Ok(tx)
    }

    fn return_connection(&mut self, conn: Option<Conn>) {
        if let Some(Conn::Sqlite(conn)) = conn {
            self.backend = Some(Backend::Sqlite(conn));
        }
    }
}

impl Tx {
    /// Time of this transaction in epoch milliseconds; never earlier than that of any transaction committed before it.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// The time of the clock at its beginning, which may be behind that of the book: for leases, which are compared
    /// with the clock.
    pub fn clock_now(&self) -> i64 {
        self.clock_now
    }

    /// The last place in commit order that this transaction assigned, or the last one before it.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// The next place in commit order.
    pub fn next_seq(&mut self) -> i64 {
        self.seq += 1;
        self.seq
    }

    /// Number of its statements so far that wrote rows, or may have: those that were sent count before their
    /// outcome is known.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Marks that users, organisations, grants or consents change.
    pub fn note_rights_change(&mut self) {
        self.rights = true;
    }

    /// Has the commit announced to those who wait ([`Watch`]), whether or not it has a place in commit order.
    pub fn wake(&mut self) {
        self.wakes = true;
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Reserves `count` ids of a table for this transaction; returns the first.
    pub async fn allocate(&mut self, table: &str, count: usize) -> Result<i64> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        // Under the lock of the sequence no other writer allocates; the counter stands beside it,
        // so that ids are never given twice, not even after a delete.
        let sql = Sql::new("INSERT INTO book_ids (name, next) VALUES (")
            .with(Ty::Text, table)
            .and(", 1 + ")
            .with(Ty::Int, count)
            .and(") ON CONFLICT (name) DO UPDATE SET next = book_ids.next + ")
            .with(Ty::Int, count)
            .and(" RETURNING next");
        let rows = self.rows(sql).await?;
        rows.first().and_then(|r| r.int(0)).map(|n| n - count).ok_or_else(|| Error::internal("no id was allocated"))
    }

    /// Marks the ids up to this one as used (for a fill with ids of its own).
    pub async fn reserve(&mut self, table: &str, highest: i64) -> Result<()> {
        let sql = Sql::new("INSERT INTO book_ids (name, next) VALUES (")
            .with(Ty::Text, table)
            .and(", ")
            .with(Ty::Int, highest + 1)
            .and(") ON CONFLICT (name) DO UPDATE SET next = CASE WHEN book_ids.next < ")
            .with(Ty::Int, highest + 1)
            .and(" THEN ")
            .with(Ty::Int, highest + 1)
            .and(" ELSE book_ids.next END");
        self.send(sql).await
    }

    /// A savepoint inside the job.
    pub async fn savepoint(&mut self, level: usize) -> Result<Savepoint> {
        let name = format!("m{level}");
        self.flush_postponed().await?;
        self.control(&format!("SAVEPOINT {name}")).await?;
        Ok(Savepoint { name, seq: self.seq, rights: self.rights, written: self.written, changes: self.changes })
    }

    /// Keeps what was written since the savepoint, and releases it. Statements for [`Tx::postpone`] go on waiting.
    pub async fn release(&mut self, savepoint: &Savepoint) -> Result<()> {
        self.control(&format!("RELEASE SAVEPOINT {}", savepoint.name)).await
    }

    pub async fn roll_back(&mut self, savepoint: Savepoint) -> Result<()> {
        self.discard_postponed();
        self.settle().await;
        self.control(&format!("ROLLBACK TO SAVEPOINT {}", savepoint.name)).await?;
        self.release(&savepoint).await?;
        self.seq = savepoint.seq;
        self.rights = savepoint.rights;
        self.written = savepoint.written;
        self.changes = savepoint.changes;
        Ok(())
    }

    /// Records which tables a statement changes.
    fn touch(&mut self, sql: &Sql) {
        if sql.is_read_by_seq() {
            return;
        }
        match (TABLES.written_by(sql.text()), self.touched.as_mut()) {
            (Touches::Tables(tables), Some(touched)) => touched.extend(tables),
            (Touches::Unknown, _) => self.touched = None,
            (_, None) => {}
        }
    }

    /// For each table the last commit that changed it, with this one.
    fn touches(&self, number: i64) -> String {
        let mut commits = versions::table_commits(&self.before);
        match &self.touched {
            Some(touched) => {
                commits.extend(touched.iter().map(|t| TABLES.name(*t).to_owned()).map(|name| (name, number)));
            }
            None => {
                commits.insert(versions::ALL.to_owned(), number);
            }
        }
        serde_json::json!(commits).to_string()
    }

    /// Begins and takes the lock of the sequence.
    async fn open(&mut self, wait: Duration) -> Result<()> {
        let lock = match self.dialect {
            Dialect::Sqlite => {
                self.raw("BEGIN IMMEDIATE").await?;
                "SELECT seq, modified, commits, touched FROM book_sequence WHERE id = 1"
            }
            Dialect::Postgres => {
                // Each statement must see what was committed before the lock was given, at any
                // isolation level that the server prefers.
                self.raw("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
                let limit = format!("SET LOCAL lock_timeout = {}", wait.as_millis());
                self.run(Sql::new(&limit)).await?;
                "SELECT seq, modified, commits, touched FROM book_sequence WHERE id = 1 FOR UPDATE"
            }
        };
        let rows = self.rows(Sql::new(lock)).await?;
        let row = rows.first();
        self.seq = row
            .and_then(|r| r.int(0))
            .ok_or_else(|| Error::internal("the sequence of commits is missing in the database"))?;
        self.now = self.now.max(row.and_then(|r| r.int(1)).unwrap_or(0));
        self.commits = row.and_then(|r| r.int(2)).unwrap_or(0);
        self.before = row.and_then(|r| r.text(3)).unwrap_or_default().to_owned();
        Ok(())
    }

    /// Runs the first job of a transaction, which begins anew when nothing of it stays.
    async fn run_without_savepoint(
        &mut self,
        job: Job,
        wait: Duration,
    ) -> Result<Option<Box<dyn FnOnce(Result<()>) + Send>>> {
        let finish = job(Ok(self)).await;
        if finish.keep {
            // An error of it is that of the commit.
            return self.flush_postponed().await.map(|()| Some(finish.notify));
        }
        self.discard_postponed();
        self.settle().await;
        let undone = match self.raw("ROLLBACK").await {
            Ok(()) => self.open(wait).await,
            error => error,
        };
        self.rights = false;
        self.wakes = false;
        self.written = 0;
        self.touched = Some(BTreeSet::new());
        // Its own error is the answer, regardless of the others.
        (finish.notify)(Ok(()));
        undone.map(|()| None)
    }

    /// Runs a job; what it wrote stays only when it says so.
    async fn run_in_savepoint(&mut self, job: Job) -> Result<Option<Box<dyn FnOnce(Result<()>) + Send>>> {
        let seq = self.seq;
        let (rights, wakes) = (self.rights, self.wakes);
        let written = self.written;
        self.raw("SAVEPOINT job").await?;
        let finish = job(Ok(self)).await;
        let mut result = Ok(());
        if finish.keep {
            let flushed = self.flush_postponed().await;
            let released = match flushed {
                Ok(()) => self.raw("RELEASE SAVEPOINT job").await,
                error => error,
            };
            match released {
                Ok(()) => return Ok(Some(finish.notify)),
                // A statement failed, and the job ignored it: PostgreSQL stores nothing of such a
                // job, and it must not affect the others.
                Err(error) => result = Err(error),
            }
        }
        self.discard_postponed();
        self.settle().await;
        let undone = self.raw("ROLLBACK TO SAVEPOINT job").await;
        let undone = match undone {
            Ok(()) => self.raw("RELEASE SAVEPOINT job").await,
            error => error,
        };
        self.seq = seq;
        (self.rights, self.wakes) = (rights, wakes);
        // A job that writes nothing wakes no waiting request.
        self.written = written;
        // Its own error is the answer, regardless of the others.
        (finish.notify)(result);
        undone.map(|()| None)
    }

    /// Advances the sequence as the last statement, and commits.
    async fn commit(&mut self, start: i64) -> Result<()> {
        self.advance(start).await?;
        self.raw("COMMIT").await
    }

    async fn advance(&mut self, start: i64) -> Result<()> {
        let moved = self.seq > start || self.rights;
        if (moved || self.wakes) && self.dialect == Dialect::Postgres {
            let payload = format!("{} {} {}", self.seq, i32::from(self.rights), self.writer);
            let note =
                Sql::new("SELECT pg_notify(").with(Ty::Text, watch::CHANNEL).and(", ").with(Ty::Text, payload).and(")");
            self.rows(note).await?;
        }
        // What has no place in the sequence may be counted and remembered all the same.
        if moved || self.written > 0 {
            let number = self.commits + 1;
            let touched = self.touches(number);
            let mut sql = Sql::new("UPDATE book_sequence SET commits = ").with(Ty::Int, number);
            sql.push(", touched = ").bind(Ty::Text, touched);
            if moved {
                sql.push(", seq = ").bind(Ty::Int, self.seq).push(", modified = ").bind(Ty::Int, self.now);
            }
            sql.push(" WHERE id = 1");
            self.run(sql).await?;
        }
        Ok(())
    }
}
