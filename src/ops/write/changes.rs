//! For long jobs: the projection in pieces, so that memory stays small, and the rows that the job changed.

use super::{Touched, WriteTransaction};
use model::error::{Error, Result};
use model::record::{Record, Value};
use model::registry::{BookReader, Collection, Command, HookContext};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows that are written together before they are forgotten.
const PIECE: usize = 1_000;

/// Rows that were changed, before and now, by collection and id.
pub type Changes = BTreeMap<(&'static str, i64), (Record, Record)>;

impl WriteTransaction<'_> {
    /// Writes the logs, updates the projections of the rows written so far, and forgets these rows. A job of many
    /// rows in one transaction takes little memory so. Not between [`WriteTransaction::attempt`] and its end.
    pub async fn project_so_far(&mut self) -> Result<()> {
        if self.depth > 0 {
            return Err(Error::internal("rows that may be undone are not forgotten"));
        }
        match &self.services {
            Some(services) => {
                let projection = Arc::clone(&services.projection);
                self.project(projection.as_ref()).await
            }
            None => Ok(()),
        }
    }

    /// From here on, rows that are changed are remembered as they were.
    pub fn keep_changes(&mut self) {
        self.changes = Some(Changes::new());
    }

    /// The rows that were changed since [`WriteTransaction::keep_changes`], which ends with it.
    pub fn changes(&mut self) -> Changes {
        let touched = std::mem::take(&mut self.touched);
        self.note_changes(&touched);
        self.touched = touched;
        self.changes.take().unwrap_or_default()
    }

    pub(super) fn note_changes(&mut self, touched: &Touched) {
        let Some(changes) = &mut self.changes else { return };
        for (key, touch) in touched {
            if let (Some(old), Some(new)) = (&touch.old, &touch.new) {
                changes.entry(*key).or_insert_with(|| (old.clone(), new.clone())).1.clone_from(new);
            }
        }
    }

    /// Computed values of existing rows, with their projections. A savepoint that is undone takes both back.
    pub(super) async fn amend_forgotten(
        &mut self,
        c: &'static Collection,
        rows: Vec<(i64, Vec<(usize, Value)>)>,
    ) -> Result<()> {
        let sources = self.registry.followers(c.slug);
        let follows =
            |values: &[(usize, Value)]| values.iter().any(|(slot, _)| sources.iter().any(|f| f.source == *slot));
        let Some(services) = &self.services else { return self.amend_rows(c, rows).await };
        let projection = Arc::clone(&services.projection);
        // What was written before, and rows that repeat a value, must not be judged by half of what happened to them.
        let (rewritten, apart): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(id, values)| self.touched.contains_key(&(c.slug, *id)) || follows(values));
        self.amend_rows(c, rewritten).await?;
        let before = (std::mem::take(&mut self.touched), std::mem::take(&mut self.journal));
        let amended = self.amend_rows(c, apart).await;
        let touched = std::mem::replace(&mut self.touched, before.0);
        self.journal = before.1;
        amended?;
        if touched.is_empty() { Ok(()) } else { projection.project(self, &touched).await }
    }

    /// Commands in pieces, with the projections of each. A savepoint that is undone takes all of it back.
    pub(super) async fn write_forgotten(&mut self, slug: &str, commands: Vec<Command>) -> Result<()> {
        let c = self.collection(slug)?;
        let Some(services) = self.services.as_ref().filter(|_| self.changes.is_none()) else {
            return HookContext::write(self, slug, commands).await.map(drop);
        };
        let projection = Arc::clone(&services.projection);
        let (rewritten, mut apart): (Vec<_>, Vec<_>) = commands.into_iter().partition(|command| {
            matches!(command, Command::Update(id, _) | Command::Delete(id) if self.touched.contains_key(&(c.slug, *id)))
        });
        if !rewritten.is_empty() {
            HookContext::write(self, slug, rewritten).await?;
        }
        while !apart.is_empty() {
            let rest = apart.split_off(apart.len().min(PIECE));
            let piece = std::mem::replace(&mut apart, rest);
            let before = (std::mem::take(&mut self.touched), std::mem::take(&mut self.journal));
            let written = HookContext::write(self, slug, piece).await;
            let touched = std::mem::replace(&mut self.touched, before.0);
            self.journal = before.1;
            written?;
            // What effects wrote to rows that wait for the end waits with them.
            let (again, now): (Touched, Touched) =
                (touched.into_iter()).partition(|(key, _)| self.touched.contains_key(key));
            for ((slug, id), later) in again {
                self.touch(slug, id, |touch| touch.join(later));
            }
            if !now.is_empty() {
                projection.project(self, &now).await?;
            }
        }
        Ok(())
    }
}
