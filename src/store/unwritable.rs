//! Whether writes failed lately because nothing can be written, and whether the database is damaged.

use super::readers::Limit;
use super::{DAMAGED, FAILING, FULL, READ_ONLY, Readers, Sql, Store, sqlite};
use model::error::{Error, Result};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why nothing can be written, in the words of [`Error::Unavailable`].
const REASONS: [&str; 4] = [FULL, FAILING, READ_ONLY, DAMAGED];
/// How long one failure counts. Damage does not heal: it counts until the program is started again.
const RECENT: Duration = Duration::from_secs(15);

/// The last failure of that kind.
#[derive(Debug, Default)]
pub(super) struct Unwritable(Mutex<Option<(Instant, &'static str)>>);

impl Unwritable {
    /// Records how a statement failed, if it did.
    pub(super) fn note(&self, error: &Error) {
        if let Some(reason) = reason(error) {
            let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_none_or(|(_, before)| before != DAMAGED) {
                *last = Some((Instant::now(), reason));
            }
        }
    }

    fn recent_failure(&self) -> Option<&'static str> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, reason) = last?;
        (reason == DAMAGED || at.elapsed() < RECENT).then_some(reason)
    }
}

/// Why nothing could be written, if that is what it says.
fn reason(error: &Error) -> Option<&'static str> {
    let Error::Unavailable(text) = error else { return None };
    REASONS.into_iter().find(|reason| text.contains(reason))
}

impl Store {
    /// Why a write failed within the last seconds, where the reason was that nothing can be written: the disk is full
    /// or fails, or the database can only be read. On a disk that is nearly full small writes may still be taken.
    pub fn unwritable(&self) -> Option<&'static str> {
        self.writer.unwritable().recent_failure()
    }

    /// Looks through the file of a book for damage, as far as it gets within that time.
    ///
    /// # Errors
    /// When the database refuses, as it does where the damage prevents the look.
    pub async fn check_integrity(&self, time: Duration) -> Result<()> {
        if !matches!(self.readers, Readers::Sqlite(_)) {
            return Ok(());
        }
        // The first fault is enough.
        match self.fetch_within(Sql::new("PRAGMA quick_check(1)").one_off(), None, Limit::After(time)).await {
            Ok(rows) => match rows.first().and_then(|row| row.text(0)) {
                Some("ok") | None => Ok(()),
                Some(what) => {
                    let error = Error::Unavailable(format!("{DAMAGED} ({what})"));
                    self.writer.unwritable().note(&error);
                    Err(error)
                }
            },
            Err(Error::Late) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Why a larger write would fail now: less is free on the disk of the book than it needs. Known only
    /// where this process sees the disk.
    ///
    /// # Errors
    /// [`Error::Internal`] when it could not be tried.
    pub async fn disk_fault(&self) -> Result<Option<&'static str>> {
        let Readers::Sqlite(readers) = &self.readers else {
            // The disk of a server is not seen from here: only writes reveal its state.
            return Ok(None);
        };
        let file = readers.file().to_owned();
        let tried = tokio::task::spawn_blocking(move || sqlite::has_room(&file));
        let room = tried.await.map_err(Error::internal)?;
        Ok((!room).then_some(FULL))
    }
}
