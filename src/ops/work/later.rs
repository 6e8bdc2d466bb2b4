//! What follows from changed rows, computed once for all rows of a batch or load that change it.

use super::Work;
use model::error::{Error, Result};
use model::registry::PendingRecompute;
use std::collections::BTreeMap;

/// Rows whose computed values are behind, by the slug of their collection.
pub(crate) type BehindRows = BTreeMap<&'static str, PendingRecompute>;

/// What is computed later.
#[derive(Debug, Default)]
pub(super) struct Later {
    /// Whether a book is being loaded.
    load: bool,
    behind: BehindRows,
}

/// Adds what came later: of each cause the earliest date counts.
pub(crate) fn join(all: &mut BehindRows, more: BehindRows) {
    for (slug, rows) in more {
        let known = all.entry(slug).or_default();
        for (id, causes) in rows {
            let known = known.entry(id).or_default();
            for (cause, date) in causes {
                let first = known.entry(cause).or_insert(date);
                *first = date.min(*first);
            }
        }
    }
}

impl Work<'_> {
    /// From here on, computed values may stay behind; answers whether that is new. Whoever began it
    /// takes the rows ([`Work::behind`]).
    pub(crate) fn begin_later(&mut self) -> bool {
        let is_new = self.later.is_none();
        self.later.get_or_insert_default();
        is_new
    }

    /// The same for a load, whose rows catch up in transactions of their own. Which rows it touched is
    /// not noted, and statements of new rows are not waited for.
    pub(crate) fn begin_load(&mut self) {
        self.later = Some(Later {
            load: true,
            ..Later::default()
        });
    }

    /// Ends it; answers the rows that are behind.
    pub(crate) fn behind(&mut self) -> BehindRows {
        self.later.take().unwrap_or_default().behind
    }

    pub(super) fn is_load(&self) -> bool {
        self.later.as_ref().is_some_and(|later| later.load)
    }

    pub(super) fn note_behind(&mut self, slug: &'static str, rows: &PendingRecompute) -> bool {
        let Some(later) = &mut self.later else {
            return false;
        };
        join(&mut later.behind, BTreeMap::from([(slug, rows.clone())]));
        true
    }

    /// Computes what is behind.
    pub(crate) async fn catch_up(&mut self, behind: &BehindRows) -> Result<()> {
        for (slug, rows) in behind {
            let none = || Error::internal(format!("no collection {slug}"));
            let c = self.registry.get(slug).ok_or_else(none)?;
            c.hooks.recompute_pending(c, self, rows).await?;
        }
        Ok(())
    }
}
