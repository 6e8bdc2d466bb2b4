//! The statements of a transaction: those whose outcome is waited for, and those that run while the job goes on.

use super::pipeline::{Pipeline, Prepared, lost};
use super::{Conn, Tx};
use crate::versions::tables::{TABLES, TableId, Touches};
use crate::{Row, Sql, failed};
use model::error::Result;
use std::collections::BTreeSet;

/// The tables that a statement reads; none when it may change something, or reads what is not known.
fn only_read(sql: &Sql) -> Option<BTreeSet<TableId>> {
    match (TABLES.written_by(sql.text()), TABLES.read_by(sql.text())) {
        (Touches::Tables(changed), Touches::Tables(reads)) if changed.is_empty() => Some(reads),
        _ => None,
    }
}

impl Tx {
    pub async fn rows(&mut self, sql: Sql) -> Result<Vec<Row>> {
        self.flush_for(&sql).await?;
        #[cfg(feature = "failpoints")]
        crate::statement_log::add_written(&sql);
        #[cfg(feature = "failpoints")]
        self.passes().await?;
        self.touch(&sql);
        let reads = self.pipeline.as_ref().and_then(|_| only_read(&sql));
        let mut statement = Prepared::of(sql.into_ready(self.dialect), self.dialect);
        if let (Some(pipeline), Some(reads)) = (&self.pipeline, reads) {
            match pipeline.read(statement, &reads) {
                Ok(rows) => match rows.await {
                    Ok(rows) => return rows,
                    // The error is that of the statement that failed.
                    Err(_) => return self.conn().await.and_then(|_| Err(lost())),
                },
                Err(own) => statement = *own,
            }
        }
        self.conn().await?.fetch(statement).await
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
        let statement = Prepared::of(sql.into_ready(self.dialect), self.dialect);
        self.conn().await?.execute(statement).await
    }

    /// Sends a statement without waiting for its end, so that the job goes on while the database
    /// works; a few may wait there one behind the other. Reads that they do not concern go before them.
    /// What comes of them, the next call that waits for them tells: it has the error of the first one that failed,
    /// behind which none runs, and their rows are counted by then.
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
    /// do when the job goes on by itself ([`Tx::flush_postponed`]). It must not be one of which the database may refuse
    /// rows: its error is that of the whole transaction.
    pub fn postpone(&mut self, sql: Sql) {
        match TABLES.written_by(sql.text()) {
            Touches::Tables(tables) => self.postponed_tables.extend(tables),
            Touches::Unknown => self.postponed_tables.extend(0..TABLES.len()),
        }
        self.changes += 1;
        self.postponed.push(sql);
    }

    pub async fn flush_postponed(&mut self) -> Result<()> {
        self.postponed_tables.clear();
        for sql in std::mem::take(&mut self.postponed) {
            self.push(sql).await?;
        }
        Ok(())
    }

    /// Sends them before a statement that concerns one of their tables.
    async fn flush_for(&mut self, sql: &Sql) -> Result<()> {
        if self.postponed.is_empty() {
            return Ok(());
        }
        let concerns = |touches: Touches| match touches {
            Touches::Tables(tables) => !self.postponed_tables.is_disjoint(&tables),
            Touches::Unknown => true,
        };
        match concerns(TABLES.read_by(sql.text())) || concerns(TABLES.written_by(sql.text())) {
            true => self.flush_postponed().await,
            false => Ok(()),
        }
    }

    /// Forgets the postponed statements: what they belong to is undone.
    pub(super) fn discard_postponed(&mut self) {
        self.postponed.clear();
        self.postponed_tables.clear();
    }

    async fn push(&mut self, sql: Sql) -> Result<()> {
        #[cfg(feature = "failpoints")]
        crate::statement_log::add_written(&sql);
        #[cfg(feature = "failpoints")]
        self.passes().await?;
        self.touch(&sql);
        let changed = TABLES.written_by(sql.text());
        let mut write = (Prepared::of(sql.into_ready(self.dialect), self.dialect), changed);
        if let Some(pipeline) = &self.pipeline {
            match pipeline.write(write.0, write.1).await {
                Ok(()) => return Ok(()),
                Err(own) => write = own,
            }
        }
        self.conn().await?;
        let conn = self.conn.take().ok_or_else(lost)?;
        self.pipeline = Some(Pipeline::start(conn, write.0, write.1));
        // It starts when this task rests.
        tokio::task::yield_now().await;
        Ok(())
    }

    /// The connection, when the statements that were sent are done.
    async fn conn(&mut self) -> Result<&mut Conn> {
        if let Some(pipeline) = self.pipeline.take() {
            let (conn, done) = pipeline.end().await?;
            self.conn = Some(conn);
            self.written += done?;
        }
        self.conn.as_mut().ok_or_else(lost)
    }

    /// Waits for the statements that were sent.
    pub async fn finish_sends(&mut self) -> Result<()> {
        self.conn().await.map(drop)
    }

    /// Waits for the statements that were sent; their error does not matter, since they will be undone.
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
    pub async fn begin_load(&mut self) -> Result<()> {
        for statement in self.dialect.loading() {
            self.raw(statement).await?;
        }
        Ok(())
    }

    /// Breaks where a test says so, as at a statement that the database refuses.
    #[cfg(feature = "failpoints")]
    async fn passes(&mut self) -> Result<()> {
        if self.failpoint.reached() { self.bare("SELECT broken_on_purpose()").await } else { Ok(()) }
    }

    pub(super) async fn bare(&mut self, text: &'static str) -> Result<()> {
        match self.conn().await? {
            Conn::Sqlite(conn) => sqlx::query(text).execute(&mut **conn).await.map(|_| ()),
            Conn::Postgres(conn) => sqlx::query(text).execute(&mut **conn).await.map(|_| ()),
        }
        .map_err(failed)
    }
}
