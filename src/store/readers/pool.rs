//! How busy the database is, for numbers: connections that read, jobs that wait to be
//! written, and queues that outlive a process.

use crate::{Readers, Sql, Store, Ty};
use model::error::Result;
use std::sync::atomic::Ordering;

/// Rows of a queue that are counted at most; longer queues are reported as this long.
const COUNTED: i64 = 10_000;

/// Connections that read, and jobs that write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    pub size: u64,
    pub idle: u64,
    /// Largest number of open connections.
    pub max: u64,
    /// Statements since the start that had to wait for a connection.
    pub waited: u64,
    /// Writes that wait for the one that runs.
    pub writes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueTable {
    pub name: &'static str,
    /// Where its rows are, the oldest first by the column `since`, of a type.
    rows: &'static str,
    since: &'static str,
    ty: Ty,
}

impl QueueTable {
    /// Jobs (docs/design/jobs.md).
    const fn jobs(name: &'static str, rows: &'static str) -> Self {
        Self { name, rows, since: "created", ty: Ty::Int }
    }
}

/// The queues of tables that belong to no collection (`schema/fixed.rs`): documents to be rendered
/// after a change that many show, batches to be worked on, emails.
pub const QUEUES: [QueueTable; 3] = [
    QueueTable { name: "documents", rows: "exchange_queue", since: "queued_at", ty: Ty::Time },
    QueueTable::jobs("batches", "jobs WHERE kind = 'batch'"),
    QueueTable::jobs("letters", "jobs WHERE kind = 'letter'"),
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueLength {
    /// Rows, 10,000 at most.
    pub depth: i64,
    /// Since when the oldest waits, epoch milliseconds.
    pub oldest: Option<i64>,
}

impl Readers {
    fn status(&self) -> deadpool::Status {
        match self {
            Self::Sqlite(readers) => readers.pool.status(),
            Self::Postgres(readers, _) => readers.pool.status(),
        }
    }
}

impl Store {
    /// How busy the connections are.
    pub fn pool(&self) -> Pool {
        let status = self.readers.status();
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Pool {
            size: number(status.size),
            idle: number(status.available),
            max: number(status.max_size),
            waited: (self.waited.load(Ordering::Relaxed)).saturating_add(self.shares.waited.load(Ordering::Relaxed)),
            writes: number(self.writer.depth()),
        }
    }

    /// Counts a statement that finds no connection free.
    pub(crate) fn count_wait(&self) {
        let status = self.readers.status();
        if status.available == 0 && status.size >= status.max_size {
            self.waited.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub async fn queue_length(&self, queue: QueueTable) -> Result<QueueLength> {
        let QueueTable { rows, since, .. } = queue;
        let sql = Sql::new(&format!("SELECT count(*), min(q.{since}) FROM (SELECT {since} FROM {rows} LIMIT "))
            .with(Ty::Int, COUNTED)
            .and(") AS q");
        let rows = self.fetch(sql, None).await?;
        let row = rows.first();
        let oldest = |row: &crate::Row| match queue.ty {
            Ty::Time => row.time(1),
            _ => row.int(1),
        };
        Ok(QueueLength { depth: row.and_then(|r| r.int(0)).unwrap_or_default(), oldest: row.and_then(oldest) })
    }
}
