//! Pages of feeds that are read in advance (docs/design/cache.md, *Reading ahead*). A reader who follows a feed asks
//! for the next page as soon as it has this one: it is read meanwhile. It is served only if nothing that it was read
//! of changed since, so that no answer is older than the book.

use crate::AppState;
use crate::cache::{Cache, Lifetime};
use crate::limit::{Permit, Turn};
use crate::observe::metrics::Event;
use exchange::{Changes, Feed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{ReadSet, Snapshot, StatementTerms, versions};
use tokio::sync::{Notify, oneshot};

/// Pages that wait for a request.
const PAGES: u64 = 32;
/// How long they wait.
const WAIT: Duration = Duration::from_secs(10);
/// Who asks for a page so soon after the one before is likely to go on like that. For others nothing is read that they
/// would ask for too late.
const SOON: Duration = Duration::from_secs(5);
/// Readers of whom it is known that they have just got a page.
const READERS: u64 = 1_000;
/// Behind a page of more bytes nothing is read: what waits shall be little.
const MOST_BYTES: usize = 2 << 20;

#[derive(Debug, Clone)]
pub(in crate::ade) struct Key {
    /// Data sets; none: all.
    pub(in crate::ade) datasets: Vec<String>,
    /// Locations; none: all.
    pub(in crate::ade) locations: Vec<i64>,
    pub(in crate::ade) after: i64,
    /// Most documents of the page.
    pub(in crate::ade) limit: usize,
    /// Most bytes of the page.
    pub(in crate::ade) bytes: usize,
}

impl Key {
    fn text(&self) -> String {
        format!("{self:?}")
    }

    fn next(&self, page: &Changes) -> Self {
        Self { after: page.last, ..self.clone() }
    }

    /// This page, if reading it ahead is worth while after the page before it, `page`.
    pub(in crate::ade) fn if_behind(self, page: &Changes) -> Option<Self> {
        (page.more && page.bodies.len() <= MOST_BYTES).then_some(self)
    }

    /// Reads it now.
    pub(in crate::ade) async fn read(&self, app: &AppState) -> model::error::Result<Changes> {
        let datasets: Vec<&str> = self.datasets.iter().map(String::as_str).collect();
        let feed = Feed {
            datasets: &datasets,
            locations: &self.locations,
            after: self.after,
            limit: self.limit,
            bytes: self.bytes,
        };
        app.exchange.feeds().changes(&app.book.store, feed).await
    }
}

/// A page that was read, and by which it is known whether it still holds.
struct Page {
    changes: Changes,
    since: Snapshot,
    read: ReadSet,
    /// What its reading took of the client's share.
    terms: Option<Arc<StatementTerms>>,
}

impl Page {
    /// Reads one under the terms of a request, of which nothing is used.
    async fn of(app: &AppState, key: &Key, terms: Option<&StatementTerms>) -> Option<Self> {
        let terms = terms.map(|terms| Arc::new(terms.fresh()));
        let under = terms.clone();
        let work = versions::one_request(async {
            let since = app.book.store.snapshot().await.ok()?;
            let (changes, read) = versions::read_set(key.read(app)).await;
            let page = Self { changes: changes.ok()?, since, read, terms };
            page.read.is_closed().then_some(page)
        });
        match under {
            Some(terms) => terms.scope(work).await,
            None => work.await,
        }
    }
}

/// A page that is being read.
#[derive(Default)]
struct Reading {
    /// Whoever asks first takes it.
    page: Mutex<Option<oneshot::Receiver<Option<Page>>>>,
    taken: Notify,
}

struct PendingPage {
    reading: Arc<Reading>,
    tell: oneshot::Sender<Option<Page>>,
    permit: Permit,
}

/// Pages of feeds that were read in advance.
pub(crate) struct ReadAhead {
    /// None: nothing is read in advance.
    pages: Option<Cache<Reading>>,
    /// The pages behind those that were just answered.
    expected: Cache<()>,
}

impl std::fmt::Debug for ReadAhead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReadAhead")
    }
}

impl ReadAhead {
    pub(crate) fn new(on: bool) -> Self {
        Self {
            pages: on.then(|| Cache::new(PAGES, Lifetime::SincePut(WAIT))),
            expected: Cache::new(READERS, Lifetime::SincePut(SOON)),
        }
    }

    /// Announces a page that is read from now on, since whoever asks for it waits for that; none if it is already, or if
    /// no permit is left.
    fn announce(&self, key: &Key, turn: &Turn) -> Option<PendingPage> {
        let pages = self.pages.as_ref()?;
        if pages.contains(&key.text()) {
            return None;
        }
        let permit = turn.spare()?;
        let (tell, receiver) = oneshot::channel();
        let reading = Arc::new(Reading { page: Mutex::new(Some(receiver)), ..Reading::default() });
        pages.insert(key.text(), Arc::clone(&reading));
        Some(PendingPage { reading, tell, permit })
    }

    /// Notes that a page is answered behind which this one stands, and begins to read that if the reader is quick.
    pub(in crate::ade) fn answered(&self, app: &Arc<AppState>, page: &Key, next: Key, turn: Turn) {
        if self.pages.is_none() {
            return;
        }
        let soon = self.expected.remove(&page.text()).is_some();
        self.expected.insert(next.text(), Arc::new(()));
        if soon {
            self.begin(app, next, turn);
        }
    }

    /// Begins to read pages from this one on as the client of the present request: so many at most that one waits
    /// while the next is read, and as long as a permit is left for it.
    fn begin(&self, app: &Arc<AppState>, key: Key, turn: Turn) {
        let Some(mut announced) = self.announce(&key, &turn) else {
            return;
        };
        let (app, terms) = (Arc::clone(app), StatementTerms::current());
        tokio::spawn(async move {
            let mut key = key;
            let mut before: Option<Arc<Reading>> = None;
            loop {
                let PendingPage { reading, tell, permit } = announced;
                let page = Page::of(&app, &key, terms.as_deref()).await;
                if page.is_some() {
                    app.metrics.count(Event::PageAhead);
                }
                let next = page.as_ref().and_then(|page| key.next(&page.changes).if_behind(&page.changes));
                // A missing receiver is no fault: nobody wanted it.
                let _ = tell.send(page);
                drop(permit);
                let Some(next) = next else {
                    return;
                };
                if let Some(waits) = before.replace(reading) {
                    let taken = tokio::time::timeout(WAIT, waits.taken.notified());
                    if taken.await.is_err() {
                        return;
                    }
                }
                let Some(more) = app.read_ahead.announce(&next, &turn) else {
                    return;
                };
                (key, announced) = (next, more);
            }
        });
    }

    /// The page, if it was read in advance and still holds as of the last snapshot of the present request.
    pub(in crate::ade) async fn take(&self, app: &AppState, key: &Key) -> Option<Changes> {
        let reading = self.pages.as_ref()?.remove(&key.text())?;
        reading.taken.notify_one();
        let page = (reading.page.lock()).unwrap_or_else(PoisonError::into_inner).take()?;
        let page = page.await.ok()??;
        let holds = app.book.store.versions().holds(page.since, &page.read);
        if !holds {
            app.metrics.count(Event::PageStale);
            return None;
        }
        app.metrics.count(Event::PageTaken);
        if let (Some(present), Some(used)) = (StatementTerms::current(), &page.terms) {
            present.charge(used);
        }
        versions::depends_on_all(page.read);
        Some(page.changes)
    }
}
