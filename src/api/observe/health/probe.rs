//! Expensive checks: whether the tables are those of this program, and whether the book can be
//! written to. Each runs at most once in some seconds, however often it is requested.

use crate::AppState;
use model::error::Result;
use std::time::Duration;
use store::{Sql, Store, Ty, schema};
use tokio::sync::Mutex;

/// How long it holds whether the book takes writes, milliseconds.
const WRITTEN: i64 = 5_000;
/// How long it holds what the tables are like, milliseconds.
const COMPARED: i64 = 60_000;
/// How long a check is waited for. A write that waits behind others has not failed, and tables
/// that a busy database does not describe in time are as they were.
const PATIENCE: Duration = Duration::from_secs(3);
/// Name of the row that is written.
const ROW: &str = "health";

/// Whether the book takes writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    /// It did just now, or others write.
    Taken,
    /// It does not, for this reason.
    Refused(&'static str),
}

/// What was found out, and when.
#[derive(Debug, Default)]
pub struct Health {
    writes: Mutex<Option<(i64, Writes)>>,
    shape: Mutex<Option<(i64, usize)>>,
}

impl Health {
    /// Whether the book takes writes, as of a few seconds ago at most.
    pub(crate) async fn writes(&self, app: &AppState) -> Writes {
        let store = &app.book.store;
        // A failure of a real write says more than a small trial write.
        if let Some(why) = store.unwritable() {
            return Writes::Refused(why);
        }
        let now = app.book.clock.now();
        let mut last = self.writes.lock().await;
        if let Some(writes) = holding(*last, now, WRITTEN) {
            return writes;
        }
        let writes = match in_time(tried(store, now)).await {
            Some(Ok(None)) | None => Writes::Taken,
            Some(Ok(Some(why))) => {
                tracing::error!(why, "the book cannot be written to");
                Writes::Refused(why)
            }
            Some(Err(error)) => {
                tracing::error!(%error, "the book cannot be written to");
                let why = store.unwritable();
                Writes::Refused(why.unwrap_or("the database takes no writes"))
            }
        };
        *last = Some((now, writes));
        writes
    }

    /// How many statements would bring the tables to those of this program. Where the database takes too long to
    /// describe them, what it said before holds; the program compared them when it started, too.
    pub(super) async fn shape(&self, app: &AppState) -> Result<usize> {
        let now = app.book.clock.now();
        let mut last = self.shape.lock().await;
        if let Some(differences) = holding(*last, now, COMPARED) {
            return Ok(differences);
        }
        let comparison = schema::differences(&app.book.store, app.book.registry);
        let compared = in_time(comparison).await.transpose()?;
        let differences = match (compared, *last) {
            (Some(compared), _) => compared.iter().filter(|s| !s.optional).count(),
            (None, Some((_, before))) => before,
            (None, None) => 0,
        };
        if differences > 0 {
            tracing::error!(differences, "the tables are not those of this program");
        }
        *last = Some((now, differences));
        Ok(differences)
    }
}

/// What a check found, if it ends in time.
async fn in_time<T>(check: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(PATIENCE, check).await.ok()
}

/// What is known, as long as it holds; a clock that was put back makes it old too.
fn holding<T: Copy>(last: Option<(i64, T)>, now: i64, time: i64) -> Option<T> {
    let (at, value) = last?;
    (0..time).contains(&now.saturating_sub(at)).then_some(value)
}

/// Why nothing larger would be taken, if so; an error when not even a row is.
async fn tried(store: &Store, now: i64) -> Result<Option<&'static str>> {
    write(store, now).await?;
    store.disk_fault().await
}

/// One row, with another value each time, written like all others.
async fn write(store: &Store, now: i64) -> Result<()> {
    let sql = Sql::new("INSERT INTO book_settings (name, value) VALUES (")
        .with(Ty::Text, ROW)
        .and(", ")
        .with(Ty::Text, now.to_string())
        .and(") ON CONFLICT (name) DO UPDATE SET value = excluded.value");
    let done = store.write(move |tx| Box::pin(async move { tx.run(sql).await }));
    done.await.map(drop)
}
