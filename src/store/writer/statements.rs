//! The statements of a transaction: those whose outcome is waited for, and those that run while the
//! job goes on.

use super::{Conn, Tx};
use crate::sql::ReadyStatement;
use crate::tables::{TABLES, Touches};
use crate::{Row, Sql, failed, postgres, sqlite};
use model::error::{Error, Result};
use sqlx::AssertSqlSafe;
use tokio::task::JoinHandle;

/// Statements that may wait one behind the other: what they bind stands in memory meanwhile. Those of a
/// batch of a thousand resources are not more.
const AHEAD: usize = 24;

/// What comes of statements that were sent: the connection, and the rows of all.
pub(super) type Sent = JoinHandle<Result<(Conn, Result<u64>)>>;

/// What a statement that is sent waits for.
enum Before {
    Nothing(Conn),
    Sent(Sent),
}

fn lost() -> Error {
    Error::internal("the connection of the transaction is lost")
}

impl Conn {
    /// Runs a statement and returns the number of rows that it touched.
    async fn execute(&mut self, statement: ReadyStatement) -> Result<u64> {
        let ReadyStatement { text, binds, keep } = statement;
        let text = AssertSqlSafe(text);
        Ok(match self {
            Self::Sqlite(conn) => {
                let q = binds.into_iter().fold(sqlx::query(text), sqlite::bind);
                let done = q.persistent(keep).execute(&mut **conn).await;
                done.map_err(failed)?.rows_affected()
            }
            Self::Postgres(conn) => {
                let q = binds.into_iter().fold(sqlx::query(text), postgres::bind);
                let done = q.persistent(keep).execute(&mut **conn).await;
                done.map_err(failed)?.rows_affected()
            }
        })
    }
}

impl Tx {
    /// Rows of a statement.
    pub async fn rows(&mut self, sql: Sql) -> Result<Vec<Row>> {
        self.flush_for(&sql).await?;
        #[cfg(feature = "failpoints")]
        crate::statement_log::add_written(&sql);
        #[cfg(feature = "failpoints")]
        self.passes().await?;
        self.touch(&sql);
        let ReadyStatement { text, binds, keep } = sql.into_ready(self.dialect);
        let text = AssertSqlSafe(text);
        Ok(match self.conn().await? {
            Conn::Sqlite(conn) => {
                let q = binds.into_iter().fold(sqlx::query(text), sqlite::bind);
                let rows = q.persistent(keep).fetch_all(&mut **conn).await;
                rows.map_err(failed)?.into_iter().map(Row::Sqlite).collect()
            }
            Conn::Postgres(conn) => {
                let q = binds.into_iter().fold(sqlx::query(text), postgres::bind);
                let rows = q.persistent(keep).fetch_all(&mut **conn).await;
                rows.map_err(failed)?
                    .into_iter()
                    .map(Row::Postgres)
                    .collect()
            }
        })
    }

    /// Runs a statement and answers the number of rows that it touched.
    pub async fn run(&mut self, sql: Sql) -> Result<u64> {
        let rows = self.execute(sql).await?;
        self.written += rows;
        self.changes += u64::from(rows > 0);
        Ok(rows)
    }

    /// Runs a statement that writes no row. Its row count is ignored: SQLite reports the count
    /// of the last statement that wrote rows.
    pub(super) async fn control(&mut self, text: &str) -> Result<()> {
        self.execute(Sql::new(text)).await.map(drop)
    }

    async fn execute(&mut self, sql: Sql) -> Result<u64> {
        self.flush_for(&sql).await?;
        #[cfg(feature = "failpoints")]
        crate::statement_log::add_written(&sql);
        #[cfg(feature = "failpoints")]
        self.passes().await?;
        self.touch(&sql);
        let ready = sql.into_ready(self.dialect);
        self.conn().await?.execute(ready).await
    }

    /// Sends a statement without waiting for its end, so that the job goes on while the database
    /// works; a few may wait there one behind the other. What comes of them, the next call that
    /// waits tells: it has the error of the first one that failed, behind which none runs, and
    /// their rows are counted by then.
    ///
    /// # Errors
    /// Those of statements that were sent before.
    pub async fn send(&mut self, sql: Sql) -> Result<()> {
        self.flush_for(&sql).await?;
        self.changes += 1;
        self.push(sql).await
    }

    /// Leaves a statement for later: other statements go before it, unless they concern a table that it changes, and
    /// so does the release of a savepoint. So the database answers what the job still asks, and has something to
    /// do when the job goes on by itself ([`Tx::flush`]). It must not be one of which the database may refuse
    /// rows: its error is that of the whole transaction.
    pub fn later(&mut self, sql: Sql) {
        match TABLES.written_by(sql.text()) {
            Touches::Tables(found) => self.held.extend(found),
            Touches::Unknown => self.held.extend(0..TABLES.len()),
        }
        self.changes += 1;
        self.later.push(sql);
    }

    /// Sends the statements that were left for later.
    ///
    /// # Errors
    /// Those of [`Tx::send`].
    pub async fn flush(&mut self) -> Result<()> {
        self.held.clear();
        for sql in std::mem::take(&mut self.later) {
            self.push(sql).await?;
        }
        Ok(())
    }

    /// The same before a statement that concerns one of their tables.
    async fn flush_for(&mut self, sql: &Sql) -> Result<()> {
        if self.later.is_empty() {
            return Ok(());
        }
        let concerns = |touches: Touches| match touches {
            Touches::Tables(found) => !self.held.is_disjoint(&found),
            Touches::Unknown => true,
        };
        match concerns(TABLES.read_by(sql.text())) || concerns(TABLES.written_by(sql.text())) {
            true => self.flush().await,
            false => Ok(()),
        }
    }

    /// Forgets the statements that were left for later: what they belong to is undone.
    pub(super) fn drop_later(&mut self) {
        self.later.clear();
        self.held.clear();
    }

    async fn push(&mut self, sql: Sql) -> Result<()> {
        #[cfg(feature = "failpoints")]
        crate::statement_log::add_written(&sql);
        #[cfg(feature = "failpoints")]
        self.passes().await?;
        self.touch(&sql);
        let ready = sql.into_ready(self.dialect);
        if self.ahead == AHEAD {
            self.conn().await?;
        }
        let before = match (self.sent.take(), self.conn.take()) {
            (Some(sent), _) => Before::Sent(sent),
            (None, Some(conn)) => Before::Nothing(conn),
            (None, None) => return Err(lost()),
        };
        self.ahead += 1;
        self.sent = Some(tokio::spawn(async move {
            let (mut conn, rows) = match before {
                Before::Nothing(conn) => (conn, 0),
                Before::Sent(sent) => match sent.await.map_err(Error::internal)?? {
                    (conn, Ok(rows)) => (conn, rows),
                    failed => return Ok(failed),
                },
            };
            let done = conn.execute(ready).await;
            Ok((conn, done.map(|more| rows + more)))
        }));
        Ok(())
    }

    /// The connection, when the statements that were sent are done.
    async fn conn(&mut self) -> Result<&mut Conn> {
        if let Some(sent) = self.sent.take() {
            self.ahead = 0;
            let (conn, done) = sent.await.map_err(Error::internal)??;
            self.conn = Some(conn);
            self.written += done?;
        }
        self.conn.as_mut().ok_or_else(lost)
    }

    /// Waits for the statements that were sent.
    ///
    /// # Errors
    /// That of the first one that failed.
    pub async fn sent(&mut self) -> Result<()> {
        self.conn().await.map(drop)
    }

    /// Waits for the statements that were sent; their error does not matter, since they will be
    /// undone.
    pub(super) async fn settle(&mut self) {
        let _ = self.conn().await;
    }

    /// The connection, when the transaction is over.
    pub(super) async fn end(mut self) -> Option<Conn> {
        self.settle().await;
        self.conn
    }

    pub(crate) async fn raw(&mut self, text: &'static str) -> Result<()> {
        #[cfg(feature = "failpoints")]
        self.passes().await?;
        self.bare(text).await
    }

    /// Prepares the connection that writes for a load: a cache and a log of some hundred megabytes, where the
    /// database is embedded. It stays so; the program is to end when it is done.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn begin_load(&mut self) -> Result<()> {
        for statement in self.dialect.loading() {
            self.raw(statement).await?;
        }
        Ok(())
    }

    /// Breaks where a test says so, as at a statement that the database refuses.
    #[cfg(feature = "failpoints")]
    async fn passes(&mut self) -> Result<()> {
        match self.failpoint.reached() {
            true => self.bare("SELECT broken_on_purpose()").await,
            false => Ok(()),
        }
    }

    pub(super) async fn bare(&mut self, text: &'static str) -> Result<()> {
        match self.conn().await? {
            Conn::Sqlite(conn) => sqlx::query(text).execute(&mut **conn).await.map(|_| ()),
            Conn::Postgres(conn) => sqlx::query(text).execute(&mut **conn).await.map(|_| ()),
        }
        .map_err(failed)
    }
}
