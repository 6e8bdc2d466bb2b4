//! Connections that read. If the caller goes away during a statement (the client disconnected, or
//! the answer took too long), the statement is stopped: the connection leaves the pool and the
//! database gets a request to cancel it, so that no work is done in vain.

pub(crate) mod pool;
pub(crate) mod reading;
pub(crate) mod terms;

use super::failed;
use crate::readers::terms::{ConnectionPermit, StatementTerms};
use deadpool::Runtime;
use deadpool::managed::{Manager, Object, Pool, PoolError, QueueMode, TimeoutType, Timeouts};
use model::error::{Error, Result};
use std::time::Duration;

/// How long a statement waits for a connection.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often closing looks whether a connection came back.
const CLOSE_POLL: Duration = Duration::from_millis(1);

/// How the connections of a database are opened and stopped.
pub(super) trait Driver: Manager<Error = sqlx::Error> + Sized {
    /// Which one is lent next.
    const QUEUE_MODE: QueueMode;

    /// Bounds the next statement, or no longer the one that ended. A server bounds it by
    /// itself, by what [`requirements`] says.
    fn set_time_limit(_reader: &mut Self::Type, _time: Option<Duration>) {}

    /// Ends the present statement of a connection, and the connection.
    fn stop(reader: Self::Type);
}

/// When the database ends a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// After this time.
    After(Duration),
    Never,
    /// As the connection has it from the statement before, if that is enough: for short ones of the server itself.
    Any,
}

impl Limit {
    /// The time; none where the statement itself sets none.
    pub(super) fn time(self) -> Option<Duration> {
        match self {
            Self::After(time) => Some(time),
            Self::Never | Self::Any => None,
        }
    }
}

/// What a statement wants of the connection that is being lent to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionRequirements {
    /// How long it may take.
    pub(super) limit: Limit,
    /// Whether the connection has to show that it still answers. Otherwise one that was used a moment ago need not.
    pub(super) checked: bool,
}

tokio::task_local! {
    static REQUIREMENTS: ConnectionRequirements;
}

/// What the statement wants for which a connection is being lent.
pub(super) fn requirements() -> ConnectionRequirements {
    let any = ConnectionRequirements { limit: Limit::Never, checked: true };
    REQUIREMENTS.try_with(|requirements| *requirements).unwrap_or(any)
}

/// A pool of a limited number of connections, opened when they are needed.
pub(super) fn pool<D: Driver>(driver: D, size: usize) -> Result<Pool<D>, sqlx::Error> {
    let patience = Some(PATIENCE);
    Pool::builder(driver)
        .max_size(size)
        .queue_mode(D::QUEUE_MODE)
        .timeouts(Timeouts { wait: patience, create: patience, recycle: patience })
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|why| sqlx::Error::Configuration(why.to_string().into()))
}

pub(super) struct PooledConnection<D: Driver> {
    object: Option<Object<D>>,
    _permit: ConnectionPermit,
}

impl<D: Driver> PooledConnection<D> {
    /// One for a statement whose permit it is.
    pub(super) async fn acquire(
        pool: &Pool<D>,
        permit: ConnectionPermit,
        terms: Option<&StatementTerms>,
        requirements: ConnectionRequirements,
    ) -> Result<Self> {
        let patience = Timeouts { wait: Some(terms.map_or(PATIENCE, |terms| terms.patience)), ..pool.timeouts() };
        // Apart from the futures of those who ask, which lie within each other.
        match Box::pin(REQUIREMENTS.scope(requirements, pool.timeout_get(&patience))).await {
            Ok(object) => Ok(Self { object: Some(object), _permit: permit }),
            Err(PoolError::Backend(error)) => Err(failed(error)),
            Err(PoolError::Closed) => Err(failed(sqlx::Error::PoolClosed)),
            Err(PoolError::Timeout(TimeoutType::Wait)) if terms.is_some() => Err(Error::Overloaded),
            Err(_) => Err(failed(sqlx::Error::PoolTimedOut)),
        }
    }

    pub(super) fn reader(&mut self) -> Result<&mut D::Type> {
        self.object.as_deref_mut().ok_or_else(|| failed(sqlx::Error::PoolClosed))
    }

    /// The connection, for a statement that begins now and may take so long.
    pub(super) fn begin(&mut self, time: Option<Duration>) -> Result<&mut D::Type> {
        if let Some(object) = &mut self.object {
            D::set_time_limit(object, time);
        }
        self.reader()
    }

    /// Gives it back; its statement ended.
    pub(super) fn release(mut self) {
        if let Some(mut object) = self.object.take() {
            D::set_time_limit(&mut object, None);
        }
    }

    /// Does not give it back: its other end is gone.
    pub(super) fn discard(mut self) {
        self.object.take().map(Object::take);
    }
}

impl<D: Driver> Drop for PooledConnection<D> {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            D::stop(Object::take(object));
        }
    }
}

/// Closes all connections of a pool, those that are lent when they come back.
pub(super) async fn close_all<D, F>(pool: &Pool<D>, close: impl Fn(D::Type) -> F)
where
    D: Driver,
    F: Future<Output = Result<(), sqlx::Error>>,
{
    loop {
        for reader in pool.retain(|_, _| false).removed {
            if let Err(error) = close(reader).await {
                tracing::debug!(%error, "a connection was not closed in form");
            }
        }
        if pool.status().size == 0 {
            break;
        }
        tokio::time::sleep(CLOSE_POLL).await;
    }
    pool.close();
}
