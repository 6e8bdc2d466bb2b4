//! Groups of items of which all are written, or none.

use super::{Item, Outcome, WriteTransaction};
use model::error::{Error, Result};
use model::registry::{Collection, Principal};
use std::sync::Arc;

impl WriteTransaction<'_> {
    /// Writes groups of items; answers in their order. A group of which one item is refused leaves
    /// no trace, the others are stored.
    pub async fn write_groups(
        &mut self,
        c: &'static Collection,
        caller: &Arc<Principal>,
        groups: Vec<Vec<Item>>,
    ) -> Result<Vec<Vec<Outcome>>> {
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        let all: Vec<Item> = groups.iter().flatten().cloned().collect();
        if let Ok(outcomes) = self.whole(c, caller, all).await? {
            let mut outcomes = outcomes.into_iter();
            return Ok((sizes.into_iter()).map(|size| outcomes.by_ref().take(size).collect()).collect());
        }
        let mut answers = Vec::with_capacity(groups.len());
        for group in groups {
            let (Ok(outcomes) | Err(outcomes)) = self.whole(c, caller, group).await?;
            answers.push(outcomes);
        }
        Ok(answers)
    }

    /// Writes items of which all are written or none: beside a refused one, nothing of the others stays.
    pub(crate) async fn write_whole(
        &mut self,
        c: &'static Collection,
        caller: &Arc<Principal>,
        items: Vec<Item>,
    ) -> Result<Vec<Outcome>> {
        let count = items.len();
        let outcomes = match self.whole(c, caller, items).await? {
            Ok(outcomes) => return Ok(outcomes),
            Err(outcomes) => outcomes,
        };
        let undone = |outcome| match outcome {
            refused @ Outcome::Refused(_) => refused,
            Outcome::Done(..) | Outcome::Unchanged(..) => Outcome::Refused(Error::Undone),
        };
        let mut outcomes: Vec<Outcome> = outcomes.into_iter().map(undone).collect();
        // What refuses all items at once names none of them.
        match (outcomes.len() == count, outcomes.pop()) {
            (true, Some(last)) => outcomes.push(last),
            (false, Some(Outcome::Refused(error))) => return Err(error),
            _ => {}
        }
        Ok(outcomes)
    }

    /// One set of items; rolled back, and returned as an error, when an item is refused.
    async fn whole(
        &mut self,
        c: &'static Collection,
        caller: &Arc<Principal>,
        items: Vec<Item>,
    ) -> Result<std::result::Result<Vec<Outcome>, Vec<Outcome>>> {
        let journal = self.journal.len();
        let logs = self.logs.mark();
        let mark = self.tx.savepoint(self.depth).await?;
        let outcomes = match self.write(c, caller, items).await {
            Ok(outcomes) => outcomes,
            Err(error @ (Error::Invalid(_) | Error::Forbidden(_))) => vec![Outcome::Refused(error)],
            Err(error) => return Err(error),
        };
        if !outcomes.iter().any(|o| matches!(o, Outcome::Refused(_))) {
            self.tx.release(&mark).await?;
            return Ok(Ok(outcomes));
        }
        self.tx.roll_back(mark).await?;
        self.untouch(journal);
        self.logs.forget(logs);
        Ok(Err(outcomes))
    }
}
