//! Requests that wait for commits: of this process, and on PostgreSQL of every other process over the same database.

use model::error::Result;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;
use uuid::Uuid;

/// Channel of NOTIFY; the payload is `<seq> <1 when rights may have moved, else 0> <writer>`.
pub(crate) const CHANNEL: &str = "herdbook";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CommitState {
    /// Highest committed sequence number that this process knows of.
    pub seq: i64,
    /// Grows whenever users, organisations, grants or consents change, here or elsewhere,
    /// and whenever news from elsewhere may have been lost.
    pub rights: u64,
}

#[derive(Debug)]
pub struct Watch {
    sender: watch::Sender<CommitState>,
    rights: AtomicU64,
    own: Uuid,
    #[cfg(feature = "failpoints")]
    failpoint: Arc<crate::Failpoint>,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            sender: watch::Sender::new(CommitState::default()),
            rights: AtomicU64::new(0),
            own: Uuid::new_v4(),
            #[cfg(feature = "failpoints")]
            failpoint: Arc::default(),
        }
    }
}

impl Watch {
    /// Marks the news of this process.
    pub(crate) fn own(&self) -> Uuid {
        self.own
    }
    /// Where a test breaks the writes of this process.
    #[cfg(feature = "failpoints")]
    pub(crate) fn failpoint(&self) -> &Arc<crate::Failpoint> {
        &self.failpoint
    }
    /// Wakes on each commit.
    pub fn subscribe(&self) -> watch::Receiver<CommitState> {
        self.sender.subscribe()
    }
    /// Generation of rights in this process; what was resolved under an older one is stale.
    pub fn rights(&self) -> u64 {
        self.rights.load(Ordering::SeqCst)
    }
    pub(crate) fn committed(&self, seq: i64, rights: bool) {
        if rights {
            self.rights.fetch_add(1, Ordering::SeqCst);
        }
        let now = self.rights();
        self.sender.send_modify(|m| {
            m.seq = m.seq.max(seq);
            m.rights = now;
        });
    }
    /// Wakes those who wait, to look by themselves.
    pub(crate) fn wake(&self) {
        self.sender.send_modify(|_| {});
    }
    /// News may have been lost: nothing that was cached under rights holds any more.
    fn forget_rights(&self) {
        self.committed(0, true);
    }
}

/// Receives notices about commits of other processes for as long as the watch lives.
pub(crate) async fn listen(pool: &PgPool, watch: Arc<Watch>) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    let watch = Arc::downgrade(&watch);
    tokio::spawn(async move {
        loop {
            // `try_recv` answers `None` after it reconnected: news in between are lost.
            let notice = listener.try_recv().await;
            let Some(watch) = watch.upgrade() else { return };
            match notice {
                Ok(Some(note)) => {
                    let mut words = note.payload().split(' ');
                    let seq = words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
                    let rights = words.next() == Some("1");
                    // Its own news this process knew at the commit; late as they come, they
                    // would only empty what was cached since.
                    let own = words.next() == Some(watch.own().to_string().as_str());
                    watch.committed(seq, rights && !own);
                }
                Ok(None) => watch.forget_rights(),
                // The listener's own connection is what closing the pool waits for.
                Err(sqlx::Error::PoolClosed) => return,
                Err(error) => {
                    tracing::warn!(%error, "not hearing other processes");
                    watch.forget_rights();
                    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                }
            }
        }
    });
    Ok(())
}
