//! Pedigrees in memory: reading ten thousand ancestors takes tens of milliseconds, and computing their inbreeding as long.
//! The server reads those of the whole book in advance ([`read_pedigrees`]); until then, what was asked about stays. They
//! hold until the parents of an animal that was there before change, in any process, and are exact: what is read while
//! that happens is read again. The book is read once more only when somebody asked since, so that one whose parents change
//! all the time is not read for nobody.

use super::mates::Reading;
use crate::AppState;
use domain::derive::pedigree::{BookPedigree, Parents, PedigreeCache};
use model::error::{Error, Result};
use model::registry::{Collection, Feature, Principal};
use ops::Book;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use store::{ReadSet, Snapshot, Store, versions};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Bytes of an animal, at the height of reading a book.
const ANIMAL: usize = 64;
/// Animals that are read by one statement, some ten milliseconds.
const PAGE: i64 = 2_000;
/// Animals that are visited before the sums rest, some ten milliseconds.
const VISITS: usize = 100_000;
/// How often is read again what changed meanwhile.
const TURNS: usize = 3;

/// The pedigrees of each collection.
#[derive(Debug)]
pub(crate) struct Pedigrees {
    /// Animals from which on the next question begins anew.
    most: usize,
    collections: tokio::sync::Mutex<BTreeMap<&'static str, InMemory>>,
}

#[derive(Debug)]
struct InMemory {
    /// Since when it holds.
    since: Snapshot,
    /// Whether the book was read in advance.
    is_whole: bool,
    /// Whether somebody asked since the book was last begun to be read, or it never was.
    is_wanted: bool,
    cache: Arc<SharedCache>,
}

impl InMemory {
    fn new(since: Snapshot) -> Self {
        Self { since, is_whole: false, is_wanted: true, cache: Arc::default() }
    }
}

/// A cache that only grows, so that whoever found an animal there finds it later.
#[derive(Debug, Default)]
pub(super) struct SharedCache(Mutex<PedigreeCache>);

impl SharedCache {
    pub(super) fn lock(&self) -> MutexGuard<'_, PedigreeCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pedigrees {
    /// Within so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { most: bytes / ANIMAL, collections: tokio::sync::Mutex::default() }
    }

    /// A cache with these animals and all their ancestors, as they are now.
    pub(super) async fn with(&self, reading: Reading<'_>, ids: &[i64]) -> Result<Arc<SharedCache>> {
        let store = &reading.app.book.store;
        let links = Book::of_descent(reading.c);
        // One request reads at a time: the next one mostly needs the same ancestors.
        let mut collections = self.collections.lock().await;
        for turn in 0..TURNS {
            let now = store.snapshot().await?;
            let in_memory = collections.entry(reading.c.slug).or_insert_with(|| InMemory::new(now));
            let is_full = turn == 0 && in_memory.cache.lock().count() > self.most;
            if is_full || !store.versions().holds(in_memory.since, &links) {
                *in_memory = InMemory::new(now);
            }
            in_memory.is_wanted = true;
            let cache = Arc::clone(&in_memory.cache);
            if ids.iter().all(|id| cache.lock().contains(*id)) {
                return Ok(cache);
            }
            read(reading, ids, &cache).await?;
            // A link may have changed since `now`.
            versions::forget_snapshot();
        }
        drop(collections);
        // So many links change that nothing can be remembered.
        let cache: Arc<SharedCache> = Arc::default();
        read(reading, ids, &cache).await?;
        Ok(cache)
    }

    /// Reads a collection, unless it was read and holds, or nobody asked; false when there is no room for it. Reading and
    /// sums go in pieces, each followed by a rest as long as itself, so that it takes half a processor at most; a change
    /// of links ends it, since all would be in vain.
    async fn read_all(&self, app: &AppState, c: &'static Collection) -> Result<bool> {
        let (store, links) = (&app.book.store, Book::of_descent(c));
        let since = store.snapshot().await?;
        let mut collections = self.collections.lock().await;
        let in_memory = collections.entry(c.slug).or_insert_with(|| InMemory::new(since));
        match store.versions().holds(in_memory.since, &links) {
            true if in_memory.is_whole => return Ok(true),
            true => {}
            // Its memory is needed.
            false => *in_memory = InMemory { is_wanted: in_memory.is_wanted, ..InMemory::new(since) },
        }
        if !std::mem::take(&mut in_memory.is_wanted) {
            return Ok(true);
        }
        drop(collections);
        let caller = Arc::new(Principal::system());
        let (mut book, mut last) = (BookPedigree::default(), i64::MIN);
        loop {
            let began = Instant::now();
            let rows = app.book.parents_after(&caller, c, last, PAGE).await?;
            let Some((id, _)) = rows.last() else {
                break;
            };
            last = *id;
            book.read(rows.into_iter().map(|row| parents(row).1));
            if book.count() > self.most {
                return Ok(false);
            }
            if !holds(store, since, &links).await? {
                return Ok(true);
            }
            sleep(began.elapsed()).await;
        }
        let missing = apart(move || {
            let missing = book.missing();
            (book, missing)
        });
        let (mut book, missing) = missing.await?;
        let rows = app.book.ancestry(&caller, c, &missing, &|id| book.contains(id)).await?;
        let rows: BTreeMap<i64, Parents> = rows.into_iter().map(parents).collect();
        let whole = apart(move || {
            book.complete(&rows);
            book
        });
        let mut book = whole.await?;
        loop {
            let began = Instant::now();
            let sums = apart(move || {
                let is_left = book.compute(VISITS);
                (book, is_left)
            });
            let (back, is_left) = sums.await?;
            book = back;
            if !holds(store, since, &links).await? {
                return Ok(true);
            }
            if !is_left {
                break;
            }
            sleep(began.elapsed()).await;
        }
        let animals = book.count();
        let cache = Arc::new(SharedCache(Mutex::new(book.into_cache())));
        let mut collections = self.collections.lock().await;
        let in_memory = collections.entry(c.slug).or_insert_with(|| InMemory::new(since));
        *in_memory = InMemory { since, is_whole: true, is_wanted: in_memory.is_wanted, cache };
        tracing::debug!(collection = c.slug, animals, "pedigrees of the book are in memory");
        Ok(true)
    }
}

/// Reads the pedigrees of the book into memory, as far as they were not or do not hold, and somebody asked since; false
/// when there is no room for them (`cache.pedigrees`). Links that change meanwhile leave it to the next call after a
/// question.
///
/// # Errors
/// Those of the database.
pub async fn read_pedigrees(app: &AppState) -> Result<bool> {
    let mut has_room = true;
    let collections: Vec<_> = app.book.registry.iter().filter(|c| c.is(Feature::Mating)).collect();
    for c in collections {
        has_room &= app.pedigrees.read_all(app, c).await?;
    }
    Ok(has_room)
}

/// Works on a thread that may be busy for longer.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(Error::internal)
}

/// Whether nothing was linked otherwise since.
async fn holds(store: &Store, since: Snapshot, links: &ReadSet) -> Result<bool> {
    store.snapshot().await?;
    Ok(store.versions().holds(since, links))
}

async fn read(reading: Reading<'_>, ids: &[i64], cache: &SharedCache) -> Result<()> {
    let is_known = |id| cache.lock().contains(id);
    let rows = reading.app.book.ancestry(reading.caller, reading.c, ids, &is_known).await?;
    cache.lock().add(&rows.into_iter().map(parents).collect());
    Ok(())
}

fn parents((id, [sire, dam]): (i64, [Option<i64>; 2])) -> (i64, Parents) {
    (id, Parents { id, sire, dam })
}
