//! The pedigrees that were read lately, in memory: reading ten thousand ancestors takes tens of milliseconds, and computing
//! their inbreeding as long. They hold until the parents of an animal that was there before change, in any process, and
//! are exact: what is read while that happens is read again.

use super::mates::Reading;
use domain::derive::pedigree::{Parents, PedigreeCache};
use model::error::Result;
use ops::Book;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Snapshot, versions};

/// Animals from which on the next question begins anew. Each takes some hundred bytes.
const ANIMALS: usize = 500_000;
/// How often is read again what changed meanwhile.
const TURNS: usize = 3;

/// The pedigrees of each collection, and since when they hold.
#[derive(Debug, Default)]
pub(crate) struct Pedigrees(tokio::sync::Mutex<BTreeMap<&'static str, (Snapshot, Arc<SharedCache>)>>);

/// A cache that only grows, so that whoever found an animal there finds it later.
#[derive(Debug, Default)]
pub(super) struct SharedCache(Mutex<PedigreeCache>);

impl SharedCache {
    pub(super) fn lock(&self) -> MutexGuard<'_, PedigreeCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pedigrees {
    /// A cache with these animals and all their ancestors, as they are now.
    pub(super) async fn with(&self, reading: Reading<'_>, ids: &[i64]) -> Result<Arc<SharedCache>> {
        let store = &reading.app.book.store;
        let links = Book::of_descent(reading.c);
        // One request reads at a time: the next one mostly needs the same ancestors.
        let mut caches = self.0.lock().await;
        for turn in 0..TURNS {
            let now = store.snapshot().await?;
            let (since, cache) = caches.entry(reading.c.slug).or_insert_with(|| (now, Arc::default()));
            let is_full = turn == 0 && cache.lock().count() > ANIMALS;
            if is_full || !store.versions().holds(*since, &links) {
                (*since, *cache) = (now, Arc::default());
            }
            let cache = Arc::clone(cache);
            if ids.iter().all(|id| cache.lock().contains(*id)) {
                return Ok(cache);
            }
            read(reading, ids, &cache).await?;
            // A link may have changed since `now`.
            versions::forget_snapshot();
        }
        drop(caches);
        // So many links change that nothing can be remembered.
        let cache: Arc<SharedCache> = Arc::default();
        read(reading, ids, &cache).await?;
        Ok(cache)
    }
}

async fn read(reading: Reading<'_>, ids: &[i64], cache: &SharedCache) -> Result<()> {
    let is_known = |id| cache.lock().contains(id);
    let rows = reading.app.book.ancestry(reading.caller, reading.c, ids, &is_known).await?;
    let row = |(id, [sire, dam]): (i64, [Option<i64>; 2])| (id, Parents { id, sire, dam });
    cache.lock().add(&rows.into_iter().map(row).collect());
    Ok(())
}
