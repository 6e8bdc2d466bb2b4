//! A savepoint inside a job, for writes that succeed or fail together.

use super::{Item, Outcome, WriteTransaction};
use model::error::Result;
use model::registry::{Collection, Principal};
use std::sync::Arc;
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

    /// What would come of a write if none of the fields were locked; nothing of it stays.
    pub async fn as_if_open(
        &mut self,
        c: &'static Collection,
        caller: &Arc<Principal>,
        items: Vec<Item>,
    ) -> Result<Vec<Outcome>> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let attempt = self.attempt().await?;
        self.unlocked = true;
        let outcomes = self.write(c, caller, items).await;
        self.unlocked = false;
        self.undo(attempt).await?;
        outcomes
    }
}
