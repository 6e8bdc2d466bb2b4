//! Reading connections of an embedded book.

use crate::readers::{Driver, close_all, pool};
use deadpool::managed::{Manager, Metrics, Pool, QueueMode, RecycleResult};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::path::Path;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Readers at once; the writer has a connection of its own.
const READERS: usize = 14;
/// Connections for ordinary requests, for long answers and for the exchange; the rest are for jobs and health checks.
pub(crate) const SHARES: [usize; 3] = [5, 4, 3];
/// Steps of the engine between two checks whether a statement may continue: some tenths of a millisecond.
const STEPS: i32 = 10_000;
/// Connections that can be open, those that are being ended among them.
const OPEN: u32 = 10_000;

/// The start of the clock by which the ends of statements are given.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);
/// The end of a statement that may take any time.
const NEVER: u64 = u64::MAX;

#[derive(Clone)]
pub(crate) struct Readers {
    pub(crate) pool: Pool<Opening>,
    open: Arc<Semaphore>,
}

pub(crate) struct Opening {
    options: SqliteConnectOptions,
    /// A permit for each connection, until the thread behind it ends.
    open: Arc<Semaphore>,
}

pub(crate) struct Reader {
    pub(crate) conn: SqliteConnection,
    stop: Arc<AtomicBool>,
    /// When the statement that runs must have ended, nanoseconds since the start.
    until: Arc<AtomicU64>,
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(NEVER)
}

impl Readers {
    pub(crate) fn new(options: &SqliteConnectOptions) -> Result<Self, sqlx::Error> {
        let options = options.clone().read_only(true).create_if_missing(false);
        // Most of the file is mapped; a cache of its own is only for what lies behind that
        // and in the log, and there are many readers.
        let options = options.pragma("cache_size", "-4096");
        let open = Arc::new(Semaphore::new(usize::try_from(OPEN).unwrap_or(READERS)));
        let pool = pool(Opening { options, open: Arc::clone(&open) }, READERS)?;
        Ok(Self { pool, open })
    }

    pub(crate) fn file(&self) -> &Path {
        self.pool.manager().options.get_filename()
    }

    /// Closes the connections, and returns when the last one is closed: the one that closes the
    /// file last moves its log into it, which a reading connection cannot do.
    pub(crate) async fn close(&self) {
        close_all(&self.pool, |reader| reader.conn.close()).await;
        // Connections whose statements were given up end by themselves. The semaphore is never closed.
        let _ = self.open.acquire_many(OPEN).await;
    }

    /// Connections that are open, those among them that are being ended.
    #[cfg(test)]
    pub(crate) fn open(&self) -> usize {
        usize::try_from(OPEN).unwrap() - self.open.available_permits()
    }
}

impl Manager for Opening {
    type Type = Reader;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<Reader, sqlx::Error> {
        let permit = Arc::clone(&self.open).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
        let mut conn = self.options.connect().await?;
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::new(AtomicU64::new(NEVER));
        let (is_stopped, end) = (Arc::clone(&stop), Arc::clone(&until));
        conn.lock_handle().await?.set_progress_handler(STEPS, move || {
            let _open = &permit;
            let end = end.load(Ordering::Relaxed);
            let late = end != NEVER && nanos(START.elapsed()) >= end;
            !late && !is_stopped.load(Ordering::Relaxed)
        });
        Ok(Reader { conn, stop, until })
    }

    /// A file does not hang up; asking before each statement would double its cost.
    async fn recycle(&self, _: &mut Reader, _: &Metrics) -> RecycleResult<sqlx::Error> {
        Ok(())
    }
}

impl Driver for Opening {
    /// The one that was used last: it has in memory what it read.
    const QUEUE_MODE: QueueMode = QueueMode::Lifo;

    fn set_time_limit(reader: &mut Reader, time: Option<Duration>) {
        reader.until.store(time.map_or(NEVER, |time| nanos(START.elapsed().saturating_add(time))), Ordering::Relaxed);
    }

    fn stop(reader: Reader) {
        reader.stop.store(true, Ordering::Relaxed);
        drop(reader.conn);
    }
}
