//! What kinship and plans are computed from: animals as their reader sees them, and the whole pedigree.

use crate::AppState;
use domain::collections::mating::{HAPLOTYPES, Mate};
use domain::derive::pedigree::Relationships;
use model::error::{Error, Result};
use model::registry::{Collection, Principal};
use ops::RowSelection;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Entries of the dictionary of haplotypes that are read, at most.
const CODES_MAX: u64 = 10_000;

/// A caller who reads a collection.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) app: &'r AppState,
    pub(super) caller: &'r Arc<Principal>,
    pub(super) c: &'static Collection,
}

impl Reading<'_> {
    /// Animals, by id.
    pub(super) async fn mates(self, ids: &[i64]) -> Result<BTreeMap<i64, Mate>> {
        let (slug, code) = HAPLOTYPES;
        let dictionary = self.app.book.registry.get(slug);
        let dictionary = dictionary.ok_or_else(|| Error::internal("no dictionary of haplotypes"))?;
        let all = RowSelection { limit: CODES_MAX, ..RowSelection::default() };
        let fields = [code.to_owned()];
        let entries = self.app.book.visible_rows(self.caller, dictionary, &all, &fields);
        let slot = dictionary.at(code);
        let code = |row: &model::record::Record| {
            let id = row.get(model::registry::ID).int()?;
            Some((id, row.get(slot).text()?.to_owned()))
        };
        let codes: BTreeMap<i64, String> = entries.await?.iter().filter_map(code).collect();
        let fields = Mate::fields();
        let selection = RowSelection {
            ids: Some(ids.to_vec()),
            limit: u64::try_from(ids.len()).unwrap_or(u64::MAX),
            ..RowSelection::default()
        };
        let rows = self.app.book.visible_rows(self.caller, self.c, &selection, &fields);
        let mates = rows.await?;
        let mates = mates.iter().map(|row| Mate::read(row, &codes));
        Ok(mates.map(|mate| (mate.id, mate)).collect())
    }

    /// The pedigree of animals, and what is computed of it. The computation is handed a question whether anybody waits for
    /// it, and comes to nothing when the client went away.
    pub(super) async fn compute<T: Send + 'static>(
        self,
        ids: Vec<i64>,
        compute: impl FnOnce(&Relationships, &dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> Result<T> {
        let cache = self.app.pedigrees.with(self, &ids).await?;
        let waiting = Arc::new(());
        let waits = Arc::downgrade(&waiting);
        let sums = tokio::task::spawn_blocking(move || {
            let is_awaited = || waits.strong_count() > 0;
            let part = cache.lock().part(&ids);
            let all = Relationships::new(part, &is_awaited)?;
            all.remember_in(&mut cache.lock());
            compute(&all, &is_awaited)
        });
        let sums = sums.await.map_err(Error::internal)?;
        drop(waiting);
        sums.ok_or_else(|| Error::internal("a computation that nobody waits for"))
    }
}

/// Percent, with the digits that the book stores of inbreeding.
pub(super) fn percent(share: f64) -> Value {
    json!((share * 1e6).round() / 1e4)
}

/// A number with six digits behind the point.
pub(super) fn rounded(number: f64) -> Value {
    json!((number * 1e6).round() / 1e6)
}
