//! What a long job need not remember until its end, and what it asks about its own rows.

use super::{Touched, Work};
use model::error::{Error, Result};
use model::record::{Record, Value};
use model::registry::Collection;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows that were changed, before and now, by collection and id.
pub type Changes = BTreeMap<(&'static str, i64), (Record, Record)>;

impl Work<'_> {
    /// Writes the logs, brings up to date what hangs on the rows written so far, and forgets these rows. A job of many
    /// rows in one transaction takes little memory so. Not between [`Work::attempt`] and its end.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn project_so_far(&mut self) -> Result<()> {
        if self.depth > 0 {
            return Err(Error::internal("rows that may be undone are not forgotten"));
        }
        match &self.around {
            Some(around) => {
                let projection = Arc::clone(&around.projection);
                self.project(projection.as_ref()).await
            }
            None => Ok(()),
        }
    }

    /// From here on, rows that are changed are kept as they were.
    pub fn keep_changes(&mut self) {
        self.changes = Some(Changes::new());
    }

    /// The rows that were changed since [`Work::keep_changes`], which ends with it.
    pub fn changes(&mut self) -> Changes {
        let touched = std::mem::take(&mut self.touched);
        self.note_changes(&touched);
        self.touched = touched;
        self.changes.take().unwrap_or_default()
    }

    pub(super) fn note_changes(&mut self, touched: &Touched) {
        let Some(changes) = &mut self.changes else {
            return;
        };
        for (key, touch) in touched {
            if let (Some(old), Some(new)) = (&touch.old, &touch.new) {
                changes
                    .entry(*key)
                    .or_insert_with(|| (old.clone(), new.clone()))
                    .1
                    .clone_from(new);
            }
        }
    }

    /// Computed values of existing rows, with what hangs on these rows. A savepoint that is undone takes both back.
    pub(super) async fn amend_forgotten(
        &mut self,
        c: &'static Collection,
        rows: Vec<(i64, Vec<(usize, Value)>)>,
    ) -> Result<()> {
        let sources = self.registry.followers(c.slug);
        let follows = |values: &[(usize, Value)]| {
            values
                .iter()
                .any(|(slot, _)| sources.iter().any(|f| f.source == *slot))
        };
        let Some(around) = &self.around else {
            return self.amend_rows(c, rows).await;
        };
        let projection = Arc::clone(&around.projection);
        // What was written before, and rows that repeat a value, must not be judged by half of what happened to them.
        let (known, apart): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .partition(|(id, values)| self.touched.contains_key(&(c.slug, *id)) || follows(values));
        self.amend_rows(c, known).await?;
        let before = (
            std::mem::take(&mut self.touched),
            std::mem::take(&mut self.journal),
        );
        let amended = self.amend_rows(c, apart).await;
        let touched = std::mem::replace(&mut self.touched, before.0);
        self.journal = before.1;
        amended?;
        match touched.is_empty() {
            true => Ok(()),
            false => projection.project(self, &touched).await,
        }
    }
}
