//! Pages of feeds that are read in advance (docs/design/cache.md, *Reading ahead*). A reader who follows a feed asks
//! for the next page as soon as it has this one: it is read meanwhile. It is served only if nothing that it was read
//! of changed since, so that no answer is older than the book.

use crate::Hub;
use crate::limit::Permit;
use exchange::{Changes, Feed};
use moka::sync::Cache;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{ReadSet, Snapshot, Terms, versions};
use tokio::task::JoinHandle;

/// Pages that wait to be asked for.
const PAGES: u64 = 32;
/// How long they wait: who is interested in the next page asks at once.
const WAIT: Duration = Duration::from_secs(10);
/// Behind a page of more bytes nothing is read: what waits shall be little.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// Which page.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Data sets; none: all.
    pub(super) datasets: Vec<String>,
    /// Locations; none: all.
    pub(super) locations: Vec<i64>,
    /// After this sequence number.
    pub(super) after: i64,
    /// Most documents of the page.
    pub(super) limit: usize,
    /// Most bytes of the page.
    pub(super) bytes: usize,
}

impl Key {
    /// Reads it now.
    ///
    /// # Errors
    /// The errors of the store.
    pub(super) async fn read(&self, hub: &Hub) -> model::error::Result<Changes> {
        let datasets: Vec<&str> = self.datasets.iter().map(String::as_str).collect();
        let feed = Feed {
            datasets: &datasets,
            locations: &self.locations,
            after: self.after,
            limit: self.limit,
            bytes: self.bytes,
        };
        hub.exchange.feeds().changes(&hub.book.store, feed).await
    }
}

/// A page that was read, and by which it is known whether it still holds.
struct Page {
    changes: Changes,
    since: Snapshot,
    read: ReadSet,
    /// What its reading took of the client's share.
    terms: Option<Arc<Terms>>,
}

/// A page that is being read. Whoever asks first takes it.
type Reading = Arc<Mutex<Option<JoinHandle<Option<Page>>>>>;

/// Pages of feeds that were read in advance.
pub(crate) struct ReadAhead {
    /// None: nothing is read in advance.
    pages: Option<Cache<Key, Reading>>,
}

impl std::fmt::Debug for ReadAhead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReadAhead")
    }
}

impl ReadAhead {
    pub(crate) fn new(on: bool) -> Self {
        let pages = || {
            Cache::builder()
                .max_capacity(PAGES)
                .time_to_live(WAIT)
                .build()
        };
        Self {
            pages: on.then(pages),
        }
    }

    /// Begins to read a page, as the client of the present request, while a permit is left for it.
    pub(super) fn begin(&self, hub: &Arc<Hub>, key: Key, permit: Permit) {
        let Some(pages) = &self.pages else { return };
        let terms = Terms::present().map(|terms| Arc::new(terms.anew()));
        let (own, asked) = (Arc::clone(hub), key.clone());
        let reading = tokio::spawn(async move {
            let under = terms.clone();
            let work = versions::one_request(async {
                let since = own.book.store.snapshot().await.ok()?;
                let (changes, read) = versions::read_set(asked.read(&own)).await;
                let page = Page {
                    changes: changes.ok()?,
                    since,
                    read,
                    terms,
                };
                page.read.is_closed().then_some(page)
            });
            let page = match under {
                Some(terms) => terms.over(work).await,
                None => work.await,
            };
            drop(permit);
            own.metrics.read_ahead();
            page
        });
        pages.insert(key, Arc::new(Mutex::new(Some(reading))));
    }

    /// The page, if it was read in advance and still holds as of the last snapshot of the present request.
    pub(super) async fn take(&self, hub: &Hub, key: &Key) -> Option<Changes> {
        let reading = self.pages.as_ref()?.remove(key)?;
        let reading = (reading.lock())
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        let page = reading.await.ok()??;
        let held = hub.book.store.versions().holds(page.since, &page.read);
        hub.metrics.asked_ahead(held);
        if !held {
            return None;
        }
        if let (Some(present), Some(used)) = (Terms::present(), &page.terms) {
            present.charge(used);
        }
        versions::depends_on_all(page.read);
        Some(page.changes)
    }
}
