//! Whether writes failed lately because nothing can be written.

use super::{FAILING, FULL, READ_ONLY, Readers, Store, sqlite};
use model::error::{Error, Result};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why nothing can be written, in the words of [`Error::Unavailable`].
const REASONS: [&str; 3] = [FULL, FAILING, READ_ONLY];
/// How long one failure counts.
const LATELY: Duration = Duration::from_secs(15);

/// The last failure of that kind.
#[derive(Debug, Default)]
pub(super) struct Unwritable(Mutex<Option<(Instant, &'static str)>>);

impl Unwritable {
    /// Records how a write failed, if it did.
    pub(super) fn note(&self, error: &Error) {
        if let Some(reason) = reason(error) {
            let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *last = Some((Instant::now(), reason));
        }
    }

    fn lately(&self) -> Option<&'static str> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, reason) = last?;
        (at.elapsed() < LATELY).then_some(reason)
    }
}

/// Why nothing could be written, if that is what it says.
fn reason(error: &Error) -> Option<&'static str> {
    let Error::Unavailable(text) = error else {
        return None;
    };
    REASONS.into_iter().find(|reason| text.contains(reason))
}

impl Store {
    /// Why a write failed within the last seconds, where the reason was that nothing can be
    /// written: the disk is full or fails, or the database can only be read. On a disk that is
    /// nearly full small writes may still be taken.
    pub fn unwritable(&self) -> Option<&'static str> {
        self.writer.unwritable().lately()
    }

    /// The same of the disk itself, where this process sees it: whether less is free beside the
    /// book than a larger write needs.
    ///
    /// # Errors
    /// [`Error::Internal`] when it could not be tried.
    pub async fn without_room(&self) -> Result<Option<&'static str>> {
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
