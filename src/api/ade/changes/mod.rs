//! The change feed of a data set (the ADE standard, generic data exchange), as `docs/feed-profile.md` states it.

pub(super) mod read_ahead;

use super::datasets::{self, Set, WAIT_MAX};
use super::error::{Refusal, Reply};
use super::lists::page;
use super::query::{Ignored, Query, bad};
use super::target::{self, Call};
use crate::AppState;
use crate::caller::client;
use crate::layers::poll_interval;
use crate::layers::prefer::Prefer;
use crate::limit::PermitHandle;
use crate::observe::traffic::FeedProgress;
use ade::dataset::{Mark, context, continuation};
use ade::{Envelope, FULL_SYNC_HEADER};
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use exchange::{AnimalSet, Chain, Changes, Cursor, FeedState, ResyncReason, SetFeed, Stale, mark};
use model::registry::Principal;
use model::said;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use store::versions;
use tokio::time::Instant;

/// Resources of a page unless the request says otherwise.
pub(super) const PAGE: u64 = 100;
/// Resources of a page at most.
pub(super) const PAGE_MAX: u64 = 1_000;
/// No further resource once a page has this number of bytes.
const PAGE_BYTES: usize = 8 << 20;
/// How often the caller of a long poll is authenticated again.
const RIGHTS: Duration = Duration::from_secs(2);
/// Data sets times locations that a feed may be narrowed to.
const BRANCHES: usize = 200;

/// Why a client starts anew.
const REASON: HeaderName = HeaderName::from_static("x-icar-ade-full-sync-reason");

/// The request, as far as no caller is needed to read it.
struct ChangesQuery {
    name: String,
    since: Option<String>,
    /// Begin after the last change.
    from_now: bool,
    limit: usize,
    wait: Duration,
    types: BTreeSet<String>,
    locations: Option<Vec<(String, String)>>,
    ignored: Ignored,
    /// Without what the deployed service did not say.
    deployed: bool,
}

impl ChangesQuery {
    fn read(app: &AppState, name: String, raw: Option<&str>, headers: &HeaderMap) -> Result<Self, Refusal> {
        let prefer = Prefer::read(headers);
        let mut query = Query::read(raw);
        let since = query.take("since");
        let limit = query.count("limit", PAGE_MAX);
        let limit = query.count("pageSize", PAGE_MAX).or(limit);
        let wait = query.count("wait", WAIT_MAX).unwrap_or(0);
        let from_now = match query.take("from").as_deref() {
            None => false,
            Some("now") => true,
            Some(_) => {
                query.fault("from", "must be now");
                false
            }
        };
        if from_now && since.is_some() {
            query.fault("from", "does not go together with since");
        }
        // Each resource stands in the feed once, at its latest state: either way.
        match query.take("latestOnly").as_deref() {
            None | Some("true" | "false") => {}
            Some(_) => query.fault("latestOnly", "must be true or false"),
        }
        let types = query.take_all("types");
        let types: BTreeSet<String> = (types.iter().flat_map(|text| text.split(','))).map(str::to_owned).collect();
        let names: BTreeSet<&str> = datasets::located(app).map(|m| m.resource()).collect();
        for unknown in types.iter().filter(|name| !names.contains(name.as_str())) {
            let fault = bad("types", said!("names {unknown}, which no data set has", unknown = unknown));
            query.faulty(fault.with("allowed", names.iter().copied().collect::<Vec<_>>()));
        }
        let locations = query.pairs("location-scheme", "location-id");
        Ok(Self {
            name,
            since,
            from_now,
            limit: usize::try_from(limit.unwrap_or(PAGE)).unwrap_or(usize::MAX),
            wait: Duration::from_secs(wait),
            types,
            locations,
            ignored: query.ignored(&prefer)?,
            deployed: prefer.deployed || app.settings.exchange_deployed,
        })
    }

    /// Whether it is for the whole data set, at all locations of the caller.
    fn is_unfiltered(&self) -> bool {
        self.types.is_empty() && self.locations.is_none()
    }

    /// What the feed is narrowed to, in any spelling.
    fn filter(&self, reads: &Reads<'_>) -> u64 {
        if self.is_unfiltered() {
            return 0;
        }
        mark(format!("{:?} {:?}", self.types, reads.narrowed).as_bytes())
    }
}

struct Reads<'h> {
    about: Option<AnimalSet>,
    datasets: Vec<&'h str>,
    /// None: no locations, so there is nothing to read.
    locations: Option<Vec<i64>>,
    narrowed: Option<BTreeSet<i64>>,
}

impl<'h> Reads<'h> {
    async fn of(app: &'h AppState, caller: &Principal, query: &ChangesQuery) -> Result<Self, Refusal> {
        let about = datasets::about(app, caller, &query.name).await?;
        let set = match datasets::animal_set(&query.name) {
            Some(_) if about.is_none() => return Err(Set::unknown(app, &query.name)),
            Some(_) => Set::Everything,
            None => Set::find(app, &query.name)?,
        };
        let wanted = |resource: &str| query.types.is_empty() || query.types.contains(resource);
        let datasets: Vec<&str> = match set {
            Set::One(mapping) if wanted(mapping.resource()) => vec![mapping.dataset()],
            Set::One(mapping) => {
                let what = said!(
                    "must be {type_name}, which is all that {dataset} has",
                    type_name = mapping.resource(),
                    dataset = &query.name
                );
                return Err(bad("types", what).into());
            }
            Set::Everything if query.types.is_empty() => Vec::new(),
            Set::Everything => (datasets::located(app)).filter(|m| wanted(m.resource())).map(|m| m.dataset()).collect(),
        };
        let narrowed = match &query.locations {
            None => None,
            Some(pairs) => {
                let mut all = BTreeSet::new();
                for (scheme, id) in pairs {
                    all.insert(target::location(app, caller, scheme, id).await?);
                }
                Some(all)
            }
        };
        let mut locations = match (&narrowed, caller.sees_all(), caller.organization) {
            (Some(some), ..) => Some(some.iter().copied().collect()),
            (None, true, _) => Some(Vec::new()),
            (None, false, my) => my.map(|my| vec![my]),
        };
        if let (Some(set), Some(some)) = (&about, &narrowed)
            && !some.contains(&set.location)
        {
            locations = None;
        }
        let branches = datasets.len().max(1) * locations.as_ref().map_or(1, |l| l.len().max(1));
        if branches > BRANCHES {
            let what = said!("and types are more than {limit} together", limit = BRANCHES);
            return Err(bad("location-id", what).into());
        }
        Ok(Self { about, datasets, locations, narrowed })
    }

    async fn page(&self, app: &AppState, at: &Cursor, limit: usize) -> Result<Changes, Refusal> {
        let store = &app.book.store;
        let page = match (&self.locations, &self.about) {
            // No locations: nothing to read, and the place stays.
            (None, _) => Ok(Changes { last: at.seq, within: at.within, ..Changes::default() }),
            (Some(_), Some(set)) => {
                let feed = SetFeed {
                    set: set.id,
                    location: set.location,
                    datasets: &self.datasets,
                    base: at.base,
                    after: at.seq,
                    within: at.within,
                    limit,
                    bytes: PAGE_BYTES,
                };
                app.exchange.feeds().changes_of_set(store, feed).await
            }
            (Some(locations), None) => {
                let key = self.key(locations, at.seq, limit);
                match app.read_ahead.take(app, &key).await {
                    Some(page) => Ok(page),
                    None => key.read(app).await,
                }
            }
        };
        Ok(page?)
    }

    fn key(&self, locations: &[i64], after: i64, limit: usize) -> read_ahead::Key {
        read_ahead::Key {
            datasets: self.datasets.iter().map(|&set| set.to_owned()).collect(),
            locations: locations.to_vec(),
            after,
            limit,
            bytes: PAGE_BYTES,
        }
    }

    /// What is read of a page, and the page after it, where it pays to read that in advance.
    fn ahead(&self, at: &Cursor, limit: usize, page: &Changes) -> Option<(read_ahead::Key, read_ahead::Key)> {
        let locations = self.locations.as_ref().filter(|_| self.about.is_none())?;
        let key = |after: i64| self.key(locations, after, limit);
        let next = key(page.last).if_behind(page)?;
        Some((key(at.seq), next))
    }
}

pub(super) async fn changes(
    Call(app, name, raw, headers): Call<String>,
    permit: Option<Extension<PermitHandle>>,
) -> Reply {
    if datasets::animal_set(&name).is_none() {
        Set::find(&app, &name)?;
    }
    target::signed_in(&app, &headers).await?;
    let query = ChangesQuery::read(&app, name, raw.as_deref(), &headers)?;
    let end = Instant::now() + query.wait;
    let mut closing = app.closing.subscribe();
    loop {
        // Re-authenticates on every wake-up, since permissions may change during a long poll.
        let caller = target::signed_in(&app, &headers).await?;
        let since = app.book.store.snapshot().await?;
        let (page, read) = versions::read_set(Page::read(&app, &caller, &query)).await;
        let page = page?;
        let ended = Instant::now() >= end || *closing.borrow();
        if ended || page.start.resync.is_some() || page.changes.count > 0 {
            // The answer to a waiting request is not cached: the next one must wait again.
            let keep = query.wait.is_zero();
            versions::depends_on_all(read);
            if let (Some((own, next)), Some(permit)) = (page.ahead.clone(), &permit) {
                app.read_ahead.answered(&app, &own, next, permit.turn.clone());
            }
            let mut response = page.answer(&app, &query, keep);
            if query.is_unfiltered() {
                let location = match &page.about {
                    Some(set) => Some(set.location),
                    None => caller.organization.filter(|_| !caller.sees_all()),
                };
                // A caller who reads no locations gets no poll interval.
                if location.is_some() || caller.sees_all() {
                    poll_interval::tell(&app, &mut response, &query.name, location).await;
                }
            }
            return Ok(response);
        }
        let print = caller.print(app.book.clock.now());
        // Waiting is no work: the place is another's meanwhile.
        if let Some(permit) = &permit {
            permit.rest();
        }
        loop {
            let until = end.min(Instant::now() + RIGHTS);
            let moved = tokio::select! {
                moved = app.book.store.wait_for_change(since, &read, until) => moved?,
                _ = closing.changed() => true,
            };
            if moved || Instant::now() >= end {
                break;
            }
            let caller_now = target::signed_in(&app, &headers).await?;
            if caller_now.print(app.book.clock.now()) != print {
                break;
            }
        }
        if let Some(permit) = &permit {
            permit.reenter().await?;
            versions::forget_snapshot();
        }
    }
}

struct Page {
    about: Option<AnimalSet>,
    start: Start,
    changes: Changes,
    next: Cursor,
    /// What is read of it, and the page after it if that may be read in advance.
    ahead: Option<(read_ahead::Key, read_ahead::Key)>,
}

impl Page {
    async fn read(app: &AppState, caller: &Principal, query: &ChangesQuery) -> Result<Self, Refusal> {
        let reads = Reads::of(app, caller, query).await?;
        let chain = Chain { caller, dataset: &query.name, filter: query.filter(&reads) };
        // Read before the page is: a token may lag behind the book, never run ahead of it.
        let book = app.exchange.feeds().feed_state(&app.book.store).await?;
        let moved = match &reads.about {
            Some(set) => app.exchange.feeds().last_move(&app.book.store, set.id).await?,
            None => 0,
        };
        let start = Start::of(app, chain, query, (book, moved))?;
        let changes = reads.page(app, &start.at, query.limit).await?;
        let next = start.at.clone().moved(changes.last, changes.within);
        let ahead = reads.ahead(&start.at, query.limit, &changes);
        Ok(Self { ahead: ahead.filter(|_| start.resync.is_none()), about: reads.about, start, changes, next })
    }

    fn answer(&self, app: &AppState, query: &ChangesQuery, keep: bool) -> Response {
        // What is narrowed says nothing of how far the whole set was read.
        if query.is_unfiltered() {
            client::progress(FeedProgress { dataset: query.name.as_str().into(), seq: self.next.seq });
        }
        let token = self.next.seal(&app.book.keys);
        let mark = Mark { current: !self.changes.more, pending_since: self.changes.pending_since };
        let last = match query.deployed {
            true => serde_json::json!({"id": ade::dataset::CONTINUATION, "token": token}),
            false => continuation(&token, mark),
        };
        let body = array(&query.name, &self.changes, &last);
        let mut response = match keep {
            true => page::answer(body, &query.ignored),
            false => page::fresh(body, &query.ignored),
        };
        if let Some(why) = self.start.resync {
            let headers = response.headers_mut();
            headers.insert(FULL_SYNC_HEADER, HeaderValue::from_static("true"));
            headers.insert(REASON, HeaderValue::from_static(why.word()));
        }
        response
    }
}

/// Where reading begins.
struct Start {
    at: Cursor,
    /// Whether the client must drop what it has, and why.
    resync: Option<ResyncReason>,
}

impl Start {
    fn of(
        app: &AppState,
        chain: Chain<'_>,
        query: &ChangesQuery,
        (book, moved): (FeedState, i64),
    ) -> Result<Self, Refusal> {
        let begin = |resync| {
            let seq = if query.from_now { book.newest } else { 0 };
            let at = Cursor::new(chain, book, seq).based(moved);
            Ok(Self { at, resync })
        };
        let Some(token) = query.since.as_deref() else {
            return begin(None);
        };
        if is_deployed(token) {
            return begin(Some(ResyncReason::Service));
        }
        match Cursor::open(token, &app.book.keys, chain, book) {
            Ok(at) => Ok(Self { at, resync: None }),
            Err(Stale::Resync(why)) => begin(Some(why)),
            Err(Stale::Malformed) => {
                let fault = bad("since", "is not a token of this service");
                Err(fault.fine("token-malformed").into())
            }
            Err(Stale::Forged) => {
                let fault = bad("since", "was altered, or not made by this service");
                Err(fault.fine("token-forged").into())
            }
            Err(Stale::Foreign) => {
                let fault = bad("since", "was given for another data set or client");
                Err(fault.fine("token-foreign").into())
            }
            Err(Stale::Filter) => {
                let what = "was given for other types or locations; read them from the beginning";
                Err(bad("since", what).fine("token-filter").into())
            }
        }
    }
}

/// Whether a token is of the deployed service that this one takes over from: base64 of
/// `{p, s}`. Its clients start anew once.
fn is_deployed(token: &str) -> bool {
    let engines = [&URL_SAFE_NO_PAD, &STANDARD];
    let bytes = engines.iter().find_map(|engine| engine.decode(token).ok());
    let read = bytes.and_then(|b| serde_json::from_slice::<Value>(&b).ok());
    read.is_some_and(|v| v.get("p").is_some() && v.get("s").is_some())
}

fn array(name: &str, page: &Changes, last: &Value) -> Vec<u8> {
    let description = format!("Changes of the data set {name}");
    let members = Map::from_iter([("description".to_owned(), description.into())]);
    let mut out = Envelope::array();
    out.reserve(page.bodies.len() + 1_024);
    out.member(context(members).to_string().as_bytes());
    if page.count > 0 {
        out.member(&page.bodies);
    }
    out.member(last.to_string().as_bytes());
    out.finish()
}

/// Answers in time, though some wait.
pub(super) async fn in_time(
    State(app): State<Arc<AppState>>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    use axum::response::IntoResponse;
    let time = app.settings.request_time + Duration::from_secs(WAIT_MAX);
    match tokio::time::timeout(time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Refusal::late().into_response(),
    }
}
