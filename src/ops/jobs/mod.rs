//! The durable queue (docs/design/jobs.md). A job is a row of the table `jobs`, written in the transaction of the
//! row that it is about, and named by its kind and the key of that row. A process leases the job that waits
//! longest; if it dies, the lease runs out, and another process takes the job. Each lease has a token of its own:
//! who lost it learns so by its next statement, which then changes nothing.

pub(crate) mod deferred_log;
pub(crate) mod outbox;
mod runner;

pub use runner::{Job, work};

use super::Book;
use model::error::{Error, Result};
use model::record::Value;
use store::{Sql, Tx, Ty, pieces};

/// Times that a job is taken without progress before it is given up.
const ATTEMPTS: i64 = 5;

/// Queues jobs from a time on, epoch milliseconds; 0: at once. One that is there begins anew, and whoever works on it
/// loses it.
pub async fn queue(tx: &mut Tx, kind: &str, keys: Vec<String>, due: i64) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let now = tx.now();
    for piece in pieces(&keys, 5) {
        let rows = piece.iter().map(|key| {
            let [due, attempts, created] = [due, 0, now].map(Value::Int);
            [kind.into(), key.as_str().into(), due, attempts, created]
        });
        let types = [Ty::Text, Ty::Text, Ty::Int, Ty::Int, Ty::Int];
        let mut sql = Sql::insert("jobs (kind, key, due, attempts, created)", types, rows);
        sql.push(
            " ON CONFLICT (kind, key) DO UPDATE SET due = excluded.due, attempts = 0, \
             lease = NULL, created = excluded.created",
        );
        tx.run(sql).await?;
    }
    tx.wake();
    Ok(())
}

/// A job that this process has, until its time runs out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    kind: &'static str,
    key: String,
    token: String,
    /// Milliseconds.
    time: i64,
    attempts: i64,
}

impl Lease {
    fn new(kind: &'static str, key: String, time: i64, attempts: i64) -> Self {
        Self { kind, key, token: uuid::Uuid::new_v4().to_string(), time, attempts }
    }

    /// Queues a job, and leases it at once.
    pub async fn begin(tx: &mut Tx, kind: &'static str, key: &str, time: i64) -> Result<Self> {
        let lease = Self::new(kind, key.to_owned(), time, 0);
        queue(tx, kind, vec![lease.key.clone()], 0).await?;
        lease.store(tx).await?;
        Ok(lease)
    }

    /// The key of the row that the job is about.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The key as a number.
    pub fn id(&self) -> i64 {
        self.key.parse().unwrap_or_default()
    }

    /// How often the job was taken before without progress.
    pub fn attempts(&self) -> i64 {
        self.attempts
    }

    /// Whether that was so often that the job, or its next part, is to be given up.
    pub fn is_hopeless(&self) -> bool {
        self.attempts >= ATTEMPTS
    }

    /// Leases it for its time from now on; false: it is no longer this process's, which must stop. Written once a
    /// quarter of the time is over, so that steps that change nothing write nothing.
    pub async fn renew(&self, tx: &mut Tx) -> Result<bool> {
        let sql = self.row(Sql::new("SELECT due FROM jobs")).and(" AND lease = ");
        let rows = tx.rows(sql.with(Ty::Text, self.token.as_str())).await?;
        let Some(due) = rows.first().and_then(|row| row.int(0)) else { return Ok(false) };
        if due.saturating_sub(tx.clock_now()) > self.time / 4 * 3 {
            return Ok(true);
        }
        let sql = Sql::new("UPDATE jobs SET due = ").with(Ty::Int, self.until(tx));
        self.change(tx, sql).await
    }

    /// [`Lease::renew`] with progress, after which attempts count anew.
    ///
    /// # Errors
    /// The errors of the database; [`Error::Unavailable`] when another process took the job over.
    pub async fn advance(&mut self, tx: &mut Tx) -> Result<()> {
        let sql = Sql::new("UPDATE jobs SET attempts = 0, due = ").with(Ty::Int, self.until(tx));
        if self.change(tx, sql).await? {
            self.attempts = 0;
            return Ok(());
        }
        let why = "another process took the job over";
        Err(Error::Unavailable(why.to_owned()))
    }

    /// Leaves the job to any process from a time on; false when this one had lost it.
    pub async fn put_off(&self, tx: &mut Tx, due: i64) -> Result<bool> {
        tx.wake();
        self.change(tx, Sql::new("UPDATE jobs SET lease = NULL, due = ").with(Ty::Int, due)).await
    }

    /// The job is done; false when this process had lost it.
    pub async fn finish(&self, tx: &mut Tx) -> Result<bool> {
        self.change(tx, Sql::new("DELETE FROM jobs")).await
    }

    fn until(&self, tx: &Tx) -> i64 {
        tx.clock_now().saturating_add(self.time)
    }

    /// The condition on the row of the job.
    fn row(&self, sql: Sql) -> Sql {
        sql.and(" WHERE kind = ").with(Ty::Text, self.kind).and(" AND key = ").with(Ty::Text, self.key.as_str())
    }

    /// Changes the row if this process still has the job; false otherwise.
    async fn change(&self, tx: &mut Tx, sql: Sql) -> Result<bool> {
        let sql = self.row(sql).and(" AND lease = ");
        Ok(tx.run(sql.with(Ty::Text, self.token.as_str())).await? > 0)
    }

    async fn store(&self, tx: &mut Tx) -> Result<()> {
        let sql = Sql::new("UPDATE jobs SET attempts = attempts + 1, lease = ")
            .with(Ty::Text, self.token.as_str())
            .and(", due = ")
            .with(Ty::Int, self.until(tx));
        tx.run(self.row(sql)).await.map(drop)
    }
}

impl Book {
    /// Leases the job of a kind that waits longest, for `time` milliseconds without progress.
    pub async fn lease_job(&self, kind: &'static str, time: i64) -> Result<Option<Lease>> {
        let now = self.clock.now();
        // A job that is tried again stands behind those that came until it was due. Keys of one length are in order; of
        // numbers the shorter ones are lower.
        let waiting = move || {
            Sql::new("SELECT key, attempts FROM jobs WHERE kind = ")
                .with(Ty::Text, kind)
                .and(" AND due <= ")
                .with(Ty::Int, now)
                .and(" ORDER BY CASE WHEN due > created THEN due ELSE created END, created, length(key), key LIMIT 1")
        };
        // Most looks find nothing, and must not wait for the writer.
        if self.store.rows(waiting()).await?.is_empty() {
            return Ok(None);
        }
        let leased = self.store.write(move |tx| {
            Box::pin(async move {
                let rows = tx.rows(waiting()).await?;
                let Some(row) = rows.first() else { return Ok(None) };
                let key = row.text(0).unwrap_or_default().to_owned();
                let lease = Lease::new(kind, key, time, row.int(1).unwrap_or_default());
                lease.store(tx).await?;
                Ok(Some(lease))
            })
        });
        leased.await
    }

    /// [`Lease::put_off`] in a transaction of its own.
    pub async fn put_off_job(&self, lease: Lease, due: i64) -> Result<()> {
        (self.store).write(move |tx| Box::pin(async move { lease.put_off(tx, due).await })).await.map(drop)
    }

    /// [`Lease::finish`] in a transaction of its own.
    pub async fn finish_job(&self, lease: Lease) -> Result<()> {
        (self.store).write(move |tx| Box::pin(async move { lease.finish(tx).await })).await.map(drop)
    }
}
