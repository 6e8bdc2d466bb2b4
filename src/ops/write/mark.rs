//! A savepoint inside a job, for writes that succeed or fail together.

use super::WriteTransaction;
use model::error::Result;
use store::Mark;

/// A place to which a job can go back. Marks end in the reverse order of their making.
#[derive(Debug)]
pub struct Attempt {
    mark: Mark,
    journal: usize,
    logs: (usize, usize),
}

impl WriteTransaction<'_> {
    /// Begins what may be undone.
    ///
    /// # Errors
    /// `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is busy.
    pub async fn attempt(&mut self) -> Result<Attempt> {
        let mark = self.tx.mark(self.depth).await?;
        // Savepoints inside have other names.
        self.depth += 1;
        Ok(Attempt {
            mark,
            journal: self.journal.len(),
            logs: self.logs.mark(),
        })
    }

    /// Keeps the writes since then.
    ///
    /// # Errors
    /// `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is busy.
    pub async fn stand_by(&mut self, attempt: Attempt) -> Result<()> {
        self.depth -= 1;
        self.tx.keep(&attempt.mark).await
    }

    /// Undoes what was written since, and forgets that it was.
    ///
    /// # Errors
    /// `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is busy.
    pub async fn undo(&mut self, attempt: Attempt) -> Result<()> {
        self.depth -= 1;
        self.tx.undo(attempt.mark).await?;
        self.untouch(attempt.journal);
        self.logs.forget(attempt.logs);
        Ok(())
    }
}
