//! Reading connections of a server.

use crate::readers::{ConnectionRequirements, Driver, Limit, close_all, pool, requirements};
use deadpool::managed::{Manager, Metrics, Pool, QueueMode, RecycleResult};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};
use std::time::Duration;
use tokio::runtime::Handle;

/// Readers at once.
const READERS: usize = 20;
/// Connections for ordinary requests, for long answers and for the exchange; the rest are for jobs and health checks.
pub(crate) const SHARES: [usize; 3] = [8, 4, 5];

/// Time for any short statement: one with less left it to a request that had used up its own.
const ENOUGH: Duration = Duration::from_secs(1);
/// How long a connection that was used is taken for one that still answers.
const TRUSTED: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(crate) struct Readers {
    pub(crate) pool: Pool<Opening>,
}

pub(crate) struct Opening {
    options: PgConnectOptions,
}

pub(crate) struct Reader {
    pub(crate) conn: PgConnection,
    /// What the server calls it.
    process: i32,
    options: PgConnectOptions,
    /// How long the server lets a statement take.
    time: Option<Duration>,
}

/// As the server calls a time; 0 is any.
fn timeout(time: Option<Duration>) -> u128 {
    time.map_or(0, |time| time.as_millis().max(1))
}

impl Readers {
    pub(crate) fn new(options: &PgConnectOptions) -> Result<Self, sqlx::Error> {
        Ok(Self { pool: pool(Opening { options: options.clone() }, READERS)? })
    }

    /// Ends them.
    pub(crate) async fn close(&self) {
        close_all(&self.pool, |reader| reader.conn.close()).await;
    }
}

impl Manager for Opening {
    type Type = Reader;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<Reader, sqlx::Error> {
        let time = requirements().limit.time();
        let mut conn = self.options.clone().options([("statement_timeout", timeout(time))]).connect().await?;
        let process = sqlx::query_scalar("SELECT pg_backend_pid()");
        Ok(Reader { process: process.fetch_one(&mut conn).await?, conn, options: self.options.clone(), time })
    }

    /// A server that restarted has closed the connection. Asking whether it answers takes as long as
    /// a short statement, so that is not done before each: who meets a closed one asks again. Setting
    /// another time limit for statements finds it out, too.
    async fn recycle(&self, reader: &mut Reader, used: &Metrics) -> RecycleResult<sqlx::Error> {
        let ConnectionRequirements { limit, checked } = requirements();
        let generous = reader.time.is_none_or(|time| time >= ENOUGH);
        let time = match limit {
            Limit::Any if generous => reader.time,
            limit => limit.time(),
        };
        if time == reader.time {
            return if checked || used.last_used() > TRUSTED { Ok(reader.conn.ping().await?) } else { Ok(()) };
        }
        reader.conn.execute(AssertSqlSafe(format!("SET statement_timeout = {}", timeout(time)))).await?;
        reader.time = time;
        Ok(())
    }
}

impl Driver for Opening {
    /// The one that was not used for longest: what lies between us and the server forgets connections that are silent.
    const QUEUE_MODE: QueueMode = QueueMode::Fifo;

    fn stop(reader: Reader) {
        // Without a runtime the process ends, and its connections with it.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Err(error) = cancel(&reader).await {
                tracing::warn!(%error, "an abandoned statement was not stopped");
            }
            // Not given back: the cancellation may come late, and must not meet another's.
            let _ = reader.conn.close_hard().await;
        });
    }
}

/// A connection can only be interrupted from another one.
async fn cancel(reader: &Reader) -> Result<(), sqlx::Error> {
    let mut other = reader.options.connect().await?;
    let cancel = sqlx::query("SELECT pg_cancel_backend($1)").bind(reader.process);
    cancel.execute(&mut other).await?;
    other.close().await
}
