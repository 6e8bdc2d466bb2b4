//! What writing the rows of a file needs of a book's transactions (docs/import.md): in whose name, which parts of an import
//! are in the book, rehearsals. Must not know how files are read, nor what their rows mean.

use crate::{Book, WriteTransaction};
use futures_util::future::BoxFuture;
use model::error::{Error, Result};
use model::registry::{Collection, Principal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What held before rows of a file were written.
#[derive(Debug)]
pub struct BeforeFile {
    caller: Arc<Principal>,
    package: Option<i64>,
    quiet: bool,
    defers: bool,
}

impl WriteTransaction<'_> {
    /// From here on, rows are those of a file: of a package of a farm, or of an import, which tells nobody, since files of
    /// another program tell what was. Ends with [`WriteTransaction::end_file`].
    #[must_use]
    pub fn begin_file(&mut self, caller: &Arc<Principal>, farm: Option<i64>) -> BeforeFile {
        BeforeFile {
            caller: std::mem::replace(&mut self.caller, Arc::clone(caller)),
            package: self.package_of(farm),
            quiet: std::mem::replace(&mut self.quiet, farm.is_none()),
            // A wave has one row of each subject at most.
            defers: self.defer_recompute(),
        }
    }

    /// The rows of the file are written: what follows from them is brought up to date, unless they failed.
    ///
    /// # Errors
    /// That of the rows; `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is busy.
    pub async fn end_file<T>(&mut self, before: BeforeFile, mut done: Result<T>) -> Result<T> {
        if before.defers {
            let pending = self.take_pending();
            if done.is_ok()
                && let Err(error) = self.recompute_pending(&pending).await
            {
                done = Err(error);
            }
        }
        (self.caller, self.package, self.quiet) = (before.caller, before.package, before.quiet);
        done
    }

    /// From here on, rows are those of a package of this farm, or of none; answers what was said before. They are written
    /// by the right to send packages.
    pub fn package_of(&mut self, farm: Option<i64>) -> Option<i64> {
        std::mem::replace(&mut self.package, farm)
    }

    /// Counts one more part of an import that may be resumed; answers the number of the part. It is
    /// committed with the rows, so that the count says which parts are in the book.
    pub async fn count_part(&mut self, import: &str) -> Result<i64> {
        self.tx().allocate(&sequence(import), 1).await
    }

    /// Keeps ids free for rows that files bring with theirs: rows that the book writes on the way get higher ones.
    pub async fn reserve_ids(&mut self, ids: &[(&'static Collection, i64)]) -> Result<()> {
        for (c, highest) in ids {
            self.tx().reserve(&c.table, (*highest).clamp(0, MOST_ID)).await?;
        }
        Ok(())
    }

    /// Forgets the count of an import that ended.
    pub async fn forget_parts(&mut self, import: &str) -> Result<()> {
        let sql =
            store::Sql::new("DELETE FROM book_ids WHERE name = ").with(store::Ty::Text, sequence(import).as_str());
        self.tx().run(sql).await.map(|_| ())
    }
}

/// The highest id of a file: more than a book has.
pub const MOST_ID: i64 = 9_000_000_000_000_000;

/// The sequence that counts the parts of an import.
fn sequence(import: &str) -> String {
    format!("import:{import}")
}

/// A transaction in which writes are tried and of which nothing stays.
pub struct Rehearsal<'t> {
    book: &'t RehearsedBook,
    tx: &'t mut store::Tx,
}

struct RehearsedBook {
    registry: &'static model::registry::Registry,
    projection: Arc<dyn crate::Projection>,
    keys: Arc<secure::keys::KeyRing>,
    services: crate::WriteServices,
}

impl std::fmt::Debug for Rehearsal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rehearsal")
    }
}

impl Rehearsal<'_> {
    /// One part, with its projection, as a transaction of its own would be.
    pub async fn part<T, F>(&mut self, job: F) -> Result<T>
    where
        F: for<'w, 't> FnOnce(&'w mut WriteTransaction<'t>) -> BoxFuture<'w, Result<T>> + Send,
        T: Send,
    {
        let book = self.book;
        let mut work = WriteTransaction::new(book.registry, self.tx)
            .with_keys(Arc::clone(&book.keys))
            .within(book.services.clone());
        let answer = job(&mut work).await?;
        work.project(book.projection.as_ref()).await?;
        Ok(answer)
    }
}

impl Book {
    /// Parts of an import that were counted with [`WriteTransaction::count_part`].
    pub async fn counted_parts(&self, import: &str) -> Result<i64> {
        let sql =
            store::Sql::new("SELECT next FROM book_ids WHERE name = ").with(store::Ty::Text, sequence(import).as_str());
        let rows = self.store.rows(sql).await?;
        let next = rows.first().and_then(|row| row.int(0));
        Ok(next.map_or(0, |next| next - 1))
    }

    /// Runs a job in one transaction, and undoes it whatever comes of it.
    pub async fn rehearse<F>(&self, job: F) -> Result<()>
    where
        F: for<'w, 't> FnOnce(&'w mut Rehearsal<'t>) -> BoxFuture<'w, Result<()>> + Send + 'static,
    {
        let book = RehearsedBook {
            registry: self.registry,
            projection: Arc::clone(&self.projection),
            keys: Arc::clone(&self.keys),
            services: self.services(),
        };
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let rehearsed = self.store.write(move |tx| {
            Box::pin(async move {
                job(&mut Rehearsal { book: &book, tx }).await?;
                end.store(true, Ordering::Relaxed);
                // Only an error undoes a transaction.
                Err::<(), Error>(Error::Malformed("rehearsed".into()))
            })
        });
        match rehearsed.await {
            Err(_) if ended.load(Ordering::Relaxed) => Ok(()),
            other => other,
        }
    }
}
