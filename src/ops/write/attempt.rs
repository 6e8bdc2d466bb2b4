//! A savepoint inside a job, for writes that succeed or fail together.

use super::WriteTransaction;
use model::error::Result;
use store::Savepoint;

/// A point to which a job can roll back. Attempts end in the reverse order of their beginning.
#[derive(Debug)]
pub struct Attempt {
    savepoint: Savepoint,
    journal: usize,
    logs: (usize, usize),
}

impl WriteTransaction<'_> {
    /// Begins what may be undone.
    pub async fn attempt(&mut self) -> Result<Attempt> {
        let savepoint = self.tx.savepoint(self.depth).await?;
        // Savepoints inside have other names.
        self.depth += 1;
        Ok(Attempt { savepoint, journal: self.journal.len(), logs: self.logs.mark() })
    }

    /// Keeps the writes since then.
    pub async fn keep_attempt(&mut self, attempt: Attempt) -> Result<()> {
        self.depth -= 1;
        self.tx.release(&attempt.savepoint).await
    }

    /// Undoes what was written since, and forgets that it was.
    pub async fn undo(&mut self, attempt: Attempt) -> Result<()> {
        self.depth -= 1;
        self.tx.roll_back(attempt.savepoint).await?;
        self.untouch(attempt.journal);
        self.logs.forget(attempt.logs);
        Ok(())
    }
}
