//! Derived values that are computed once for all rows of a batch or load that change them.

use super::WriteTransaction;
use model::error::{Error, Result};
use model::registry::PendingRecompute;
use std::collections::BTreeMap;

/// Rows whose derived values are to be recomputed, by the slug of their collection.
pub(crate) type PendingRecomputes = BTreeMap<&'static str, PendingRecompute>;

/// The recomputation that a write leaves for its end.
#[derive(Debug, Default)]
pub(super) struct DeferredRecompute {
    /// Whether a book is being loaded.
    load: bool,
    pending: PendingRecomputes,
}

/// Adds pending rows: of each cause the earliest date counts.
pub(crate) fn join(all: &mut PendingRecomputes, more: PendingRecomputes) {
    for (slug, rows) in more {
        let rows_of = all.entry(slug).or_default();
        for (id, causes) in rows {
            let dates = rows_of.entry(id).or_default();
            for (cause, date) in causes {
                let first = dates.entry(cause).or_insert(date);
                *first = date.min(*first);
            }
        }
    }
}

impl WriteTransaction<'_> {
    /// From here on, derived values may be left to be recomputed; answers whether that is new. The caller
    /// that began it takes the rows ([`WriteTransaction::take_pending`]).
    pub(crate) fn defer_recompute(&mut self) -> bool {
        let is_new = self.deferred_recompute.is_none();
        self.deferred_recompute.get_or_insert_default();
        is_new
    }

    /// Defers for a load, whose rows are recomputed in transactions of their own. Which rows it touched is
    /// not noted, and statements of new rows are not waited for.
    pub(crate) fn begin_load(&mut self) {
        self.deferred_recompute = Some(DeferredRecompute { load: true, ..DeferredRecompute::default() });
    }

    /// Ends deferring; answers the rows to be recomputed.
    pub(crate) fn take_pending(&mut self) -> PendingRecomputes {
        self.deferred_recompute.take().unwrap_or_default().pending
    }

    pub(super) fn is_load(&self) -> bool {
        self.deferred_recompute.as_ref().is_some_and(|deferred| deferred.load)
    }

    pub(super) fn note_pending(&mut self, slug: &'static str, rows: &PendingRecompute) -> bool {
        let Some(deferred) = &mut self.deferred_recompute else { return false };
        join(&mut deferred.pending, BTreeMap::from([(slug, rows.clone())]));
        true
    }

    /// Computes the derived values of these rows.
    pub(crate) async fn recompute_pending(&mut self, pending: &PendingRecomputes) -> Result<()> {
        for (slug, rows) in pending {
            let none = || Error::internal(format!("no collection {slug}"));
            let c = self.registry.get(slug).ok_or_else(none)?;
            c.hooks.recompute_pending(c, self, rows).await?;
        }
        Ok(())
    }
}
