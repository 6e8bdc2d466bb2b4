//! Connections that read. Whoever goes away in the midst of a statement (a client that hung
//! up, an answer that was late) ends it: the connection leaves the pool and its database is
//! told to stop, so that nobody's work goes on for nobody.

use deadpool::Runtime;
use deadpool::managed::{Manager, Object, Pool, PoolError, QueueMode, Timeouts};
use std::time::Duration;

/// How long a statement waits for a connection.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often closing looks whether a connection came back.
const SOON: Duration = Duration::from_millis(1);

/// How the connections of a database are opened and stopped.
pub(super) trait Driver: Manager<Error = sqlx::Error> + Sized {
    /// Which one is lent next.
    const NEXT: QueueMode;

    /// Ends whatever a connection is doing, and the connection.
    fn stop(reader: Self::Type);
}

/// A pool of so many connections at most, opened when they are needed.
pub(super) fn pool<D: Driver>(driver: D, size: usize) -> Result<Pool<D>, sqlx::Error> {
    let patience = Some(PATIENCE);
    Pool::builder(driver)
        .max_size(size)
        .queue_mode(D::NEXT)
        .timeouts(Timeouts {
            wait: patience,
            create: patience,
            recycle: patience,
        })
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|why| sqlx::Error::Configuration(why.to_string().into()))
}

/// A connection that is lent for one statement.
pub(super) struct Lent<D: Driver>(Option<Object<D>>);

impl<D: Driver> Lent<D> {
    pub(super) async fn from(pool: &Pool<D>) -> Result<Self, sqlx::Error> {
        // Apart from the futures of those who ask, which lie within each other.
        match Box::pin(pool.get()).await {
            Ok(object) => Ok(Self(Some(object))),
            Err(PoolError::Backend(error)) => Err(error),
            Err(PoolError::Closed) => Err(sqlx::Error::PoolClosed),
            Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// The connection.
    pub(super) fn reader(&mut self) -> Result<&mut D::Type, sqlx::Error> {
        let reader = self.0.as_deref_mut();
        reader.ok_or(sqlx::Error::PoolClosed)
    }

    /// Gives it back; its statement ended.
    pub(super) fn done(mut self) {
        self.0.take();
    }
}

impl<D: Driver> Drop for Lent<D> {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            D::stop(Object::take(object));
        }
    }
}

/// Closes all connections of a pool, those that are lent when they come back.
pub(super) async fn emptied<D, F>(pool: &Pool<D>, close: impl Fn(D::Type) -> F)
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
        tokio::time::sleep(SOON).await;
    }
    pool.close();
}
