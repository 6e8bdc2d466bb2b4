//! Statements that a connection runs one behind the other while the job of their transaction goes on. A read goes
//! before those that wait, unless one of them changes what it reads.

use super::Conn;
use crate::sql::ReadyStatement;
use crate::versions::tables::{TableId, Touches};
use crate::{Dialect, Row, failed, postgres, sqlite};
use model::error::{Error, Result};
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Postgres, Sqlite};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

/// Statements that may wait: what they bind stands in memory meanwhile. Those of a batch of a
/// thousand resources are not more.
const DEPTH: usize = 24;

/// A statement with what it binds, as the driver of a database takes it. The caller prepares it, so that
/// the task that writes does not spend its time on that.
pub(super) enum Prepared {
    Sqlite(Query<'static, Sqlite, SqliteArguments>),
    Postgres(Query<'static, Postgres, PgArguments>),
}

impl Prepared {
    pub(super) fn of(statement: ReadyStatement, dialect: Dialect) -> Self {
        let ReadyStatement { text, binds, keep } = statement;
        let text = AssertSqlSafe(text);
        match dialect {
            Dialect::Sqlite => {
                let query = binds.into_iter().fold(sqlx::query(text), sqlite::bind);
                Self::Sqlite(query.persistent(keep))
            }
            Dialect::Postgres => {
                let query = binds.into_iter().fold(sqlx::query(text), postgres::bind);
                Self::Postgres(query.persistent(keep))
            }
        }
    }
}

pub(super) fn lost() -> Error {
    Error::internal("the connection of the transaction is lost")
}

impl Conn {
    /// Runs a statement and returns the number of rows that it touched.
    pub(super) async fn execute(&mut self, statement: Prepared) -> Result<u64> {
        match (self, statement) {
            (Self::Sqlite(conn), Prepared::Sqlite(query)) => {
                Ok(query.execute(&mut **conn).await.map_err(failed)?.rows_affected())
            }
            (Self::Postgres(conn), Prepared::Postgres(query)) => {
                Ok(query.execute(&mut **conn).await.map_err(failed)?.rows_affected())
            }
            _ => Err(lost()),
        }
    }

    pub(super) async fn fetch(&mut self, statement: Prepared) -> Result<Vec<Row>> {
        match (self, statement) {
            (Self::Sqlite(conn), Prepared::Sqlite(query)) => {
                Ok(query.fetch_all(&mut **conn).await.map_err(failed)?.into_iter().map(Row::Sqlite).collect())
            }
            (Self::Postgres(conn), Prepared::Postgres(query)) => {
                Ok(query.fetch_all(&mut **conn).await.map_err(failed)?.into_iter().map(Row::Postgres).collect())
            }
            _ => Err(lost()),
        }
    }
}

enum Statement {
    /// One that changes these tables.
    Write(Prepared, Touches),
    /// One that only reads, and who waits for its rows.
    Read(Prepared, oneshot::Sender<Result<Vec<Row>>>),
}

impl Statement {
    /// Whether it has to go before one that reads these tables.
    fn concerns(&self, reads: &BTreeSet<TableId>) -> bool {
        match self {
            Self::Write(_, Touches::Tables(changed)) => !changed.is_disjoint(reads),
            Self::Write(_, Touches::Unknown) => true,
            Self::Read(..) => false,
        }
    }
}

/// Statements in the order in which they will run; none when no more are run.
#[derive(Default)]
struct StatementQueue(Mutex<Option<VecDeque<Statement>>>, Notify);

impl StatementQueue {
    fn lock(&self) -> MutexGuard<'_, Option<VecDeque<Statement>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next one; at the end there is none, and none is taken in any more.
    fn next(&self) -> Option<Statement> {
        let mut queue = self.lock();
        let next = queue.as_mut().and_then(VecDeque::pop_front);
        if next.is_none() {
            *queue = None;
        }
        drop(queue);
        self.1.notify_one();
        next
    }
}

/// The task that runs the statements. When it ends, for whatever reason, the callers that wait are notified.
struct Taker(Arc<StatementQueue>);

impl Drop for Taker {
    fn drop(&mut self) {
        *self.0.lock() = None;
        self.0.1.notify_one();
    }
}

/// Statements under way, and the task that runs them.
pub(super) struct Pipeline {
    queue: Arc<StatementQueue>,
    runs: JoinHandle<(Conn, Result<u64>)>,
}

impl Pipeline {
    /// Begins with a statement that changes these tables.
    pub(super) fn start(mut conn: Conn, first: Prepared, changed: Touches) -> Self {
        let first = VecDeque::from([Statement::Write(first, changed)]);
        let queue = Arc::new(StatementQueue(Mutex::new(Some(first)), Notify::new()));
        let taker = Taker(Arc::clone(&queue));
        let runs = tokio::spawn(async move {
            let mut rows = 0;
            while let Some(next) = taker.0.next() {
                match next {
                    Statement::Write(statement, _) => match conn.execute(statement).await {
                        Ok(more) => rows += more,
                        Err(error) => return (conn, Err(error)),
                    },
                    // The receiver may be gone.
                    Statement::Read(statement, tell) => {
                        let _ = tell.send(conn.fetch(statement).await);
                    }
                }
            }
            (conn, Ok(rows))
        });
        Self { queue, runs }
    }

    /// Adds a statement that changes these tables. It waits while there are too many, and gives the statement back
    /// when no more are run.
    pub(super) async fn write(&self, statement: Prepared, changed: Touches) -> Result<(), (Prepared, Touches)> {
        loop {
            match self.queue.lock().as_mut() {
                None => return Err((statement, changed)),
                Some(queue) if queue.len() < DEPTH => {
                    queue.push_back(Statement::Write(statement, changed));
                    return Ok(());
                }
                Some(_) => {}
            }
            self.queue.1.notified().await;
        }
    }

    /// Adds a statement that reads these tables and changes nothing, behind the last one that changes one of them.
    /// It gives the statement back when no more are run. No answer comes when a statement before it failed.
    pub(super) fn read(
        &self,
        statement: Prepared,
        reads: &BTreeSet<TableId>,
    ) -> Result<oneshot::Receiver<Result<Vec<Row>>>, Box<Prepared>> {
        let mut queue = self.queue.lock();
        let Some(queue) = queue.as_mut() else { return Err(Box::new(statement)) };
        let last = queue.iter().rposition(|before| before.concerns(reads));
        let (tell, rows) = oneshot::channel();
        queue.insert(last.map_or(0, |at| at + 1), Statement::Read(statement, tell));
        Ok(rows)
    }

    /// The connection, when all are done, and how many rows they touched, or the error of the first one that failed,
    /// behind which none ran.
    pub(super) async fn end(self) -> Result<(Conn, Result<u64>)> {
        self.runs.await.map_err(Error::internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sql;
    use crate::versions::tables::TABLES;

    fn prepared(text: &str) -> Prepared {
        Prepared::of(Sql::new(text).into_ready(Dialect::Sqlite), Dialect::Sqlite)
    }

    /// A pipeline whose statements do not run, with writes waiting; where a read comes among them.
    fn place(writes: &[&str], read: &str) -> usize {
        let queue = writes.iter().map(|text| {
            let changed = TABLES.written_by(text);
            Statement::Write(prepared(text), changed)
        });
        let queue = StatementQueue(Mutex::new(Some(queue.collect())), Notify::new());
        let pipeline = Pipeline { queue: Arc::new(queue), runs: tokio::spawn(std::future::pending()) };
        let Touches::Tables(reads) = TABLES.read_by(read) else {
            panic!("{read}");
        };
        let rows = pipeline.read(prepared(read), &reads);
        assert!(rows.is_ok());
        pipeline.runs.abort();
        let queue = pipeline.queue.lock();
        queue.iter().flatten().position(|statement| matches!(statement, Statement::Read(..))).unwrap()
    }

    #[tokio::test]
    async fn a_read_goes_before_writes_that_do_not_concern_it() {
        let writes = [
            "INSERT INTO book_settings (name) VALUES ('a')",
            "UPDATE exchange_names SET name = 'a'",
            "INSERT INTO book_ids (name) VALUES ('a')",
        ];
        let at = |table: &str| place(&writes, &format!("SELECT * FROM {table}"));
        assert_eq!(at("exchange_state"), 0);
        assert_eq!(at("book_settings"), 1);
        assert_eq!(at("exchange_names"), 2);
        assert_eq!(at("book_ids"), 3);
        assert_eq!(at("exchange_state JOIN exchange_names USING (name)"), 2);
    }

    /// The schema deletes rows of other tables besides.
    #[tokio::test]
    async fn a_read_waits_for_a_deletion_that_takes_its_rows_along() {
        let writes = ["DELETE FROM animals WHERE id = 1"];
        assert_eq!(place(&writes, "SELECT * FROM milk_tests"), 1);
        assert_eq!(place(&writes, "SELECT * FROM book_ids"), 0);
    }

    /// As when the driver of the database panicked.
    #[tokio::test]
    async fn nobody_waits_for_a_task_that_is_gone() {
        let write = || Statement::Write(prepared("VACUUM"), Touches::Unknown);
        let full: VecDeque<Statement> = (0..DEPTH).map(|_| write()).collect();
        let queue = Arc::new(StatementQueue(Mutex::new(Some(full)), Notify::new()));
        let taker = Taker(Arc::clone(&queue));
        let pipeline = Pipeline {
            queue,
            runs: tokio::spawn(async move {
                let _taker = taker;
                panic!("broken on purpose");
            }),
        };
        let write = pipeline.write(prepared("VACUUM"), Touches::Unknown);
        assert!(write.await.is_err());
        assert!(pipeline.end().await.is_err());
    }

    #[tokio::test]
    async fn a_read_waits_for_what_cannot_be_classified() {
        assert_eq!(place(&["VACUUM"], "SELECT * FROM book_ids"), 1);
    }
}
