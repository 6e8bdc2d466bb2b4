//! Waiting until something that was read may have changed, for any number of requests: notices of commits wake them at
//! once, of this process and on PostgreSQL of all others. Since a notice may be lost, and SQLite gives other processes
//! none, one of the waiting requests looks at the book from time to time for all.

use crate::versions::forget_snapshot;
use crate::{Dialect, ReadSet, Snapshot, Store};
use model::error::Result;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// How often the state of SQLite is read: a few bytes of memory that all processes share.
const SQLITE_POLL: Duration = Duration::from_millis(50);
/// How often PostgreSQL is polled, which finds commits whose notices were lost.
const POSTGRES_POLL: Duration = Duration::from_secs(2);

impl Store {
    /// Whether something that was read at `since` changed before `until`. Returns as soon as it does, or at that time.
    pub async fn wait_for_change(&self, since: Snapshot, read: &ReadSet, until: Instant) -> Result<bool> {
        let changed = self.wait_until(since, read, until).await;
        // Much may have been committed meanwhile.
        forget_snapshot();
        changed
    }

    async fn wait_until(&self, since: Snapshot, read: &ReadSet, until: Instant) -> Result<bool> {
        let mut notices = self.watch.subscribe();
        loop {
            notices.borrow_and_update();
            let now = self.current_snapshot().await?;
            let holds = if read.is_closed() { self.versions.holds(since, read) } else { now == since };
            if !holds {
                return Ok(true);
            }
            tokio::select! {
                _ = notices.changed() => {}
                () = self.poll_for_all() => {}
                () = sleep_until(until) => return Ok(false),
            }
        }
    }

    /// Waits to look at the book for all, and does until it finds something new. If it is given up
    /// at any point, another waiting request takes its place.
    async fn poll_for_all(&self) {
        let _poller = self.poller.lock().await;
        let every = match self.dialect() {
            Dialect::Sqlite => SQLITE_POLL,
            Dialect::Postgres => POSTGRES_POLL,
        };
        let before = self.versions.snapshot();
        loop {
            sleep(every).await;
            // A failure ends here: the database may answer later, and each waiter asks by itself in the end.
            if self.current_snapshot().await.is_ok_and(|now| now != before) {
                self.watch.wake();
                return;
            }
        }
    }
}
