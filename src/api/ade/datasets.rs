//! Data sets and their change feeds (the ADE standard, generic data exchange).

use super::super::Hub;
use super::error::{self, Fault, Refusal};
use super::prefer::Prefer;
use super::query::{Query, bad, quoted};
use super::target::{self, Segments};
use super::{ROOT, collection, json};
use crate::exchange::{AnimalSet, Changes, Feed, Position, Stale};
use crate::mapping::{Mapping, Part};
use crate::registry::Principal;
use ade::dataset::{Dataset, context, continuation};
use ade::{Envelope, FULL_SYNC_HEADER};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The set of all documents.
pub(super) const EVERYTHING: &str = "everything";

/// Resources of a page unless asked otherwise.
pub(super) const PAGE: u64 = 100;
/// Resources of a page at most.
pub(super) const PAGE_MAX: u64 = 1_000;
/// No further resource once a page has so many bytes.
const PAGE_BYTES: usize = 8 << 20;

/// A data set: one mapping, or all.
#[derive(Clone, Copy)]
pub(super) enum Set<'h> {
    One(&'h Mapping),
    Everything,
}

/// What begins the name of the data set of a set of animals.
const ANIMAL_SET: &str = "set-";

/// The number of the set of animals that a data set is named by.
pub(super) fn animal_set(name: &str) -> Option<i64> {
    let number = name.strip_prefix(ANIMAL_SET)?;
    let plain = number.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| number.parse().ok()).flatten()
}

/// Everything about the animals of a set of this caller's location; he learns of no other.
async fn about(hub: &Hub, caller: &Principal, name: &str) -> Result<Option<AnimalSet>, Refusal> {
    let Some(id) = animal_set(name) else {
        return Ok(None);
    };
    let mine = caller.sees_all() || caller.organization.is_some();
    let location = caller.organization.filter(|_| !caller.sees_all());
    let found = hub
        .exchange
        .animal_set(&hub.book.store, location, id)
        .await?;
    Ok(found.filter(|_| mine))
}

fn described_set(hub: &Hub, id: i64) -> Dataset {
    let mut contained_types: Vec<String> = Vec::new();
    for mapping in located(hub).filter(|m| m.has(Part::Animal)) {
        if !contained_types.iter().any(|t| t == mapping.resource()) {
            contained_types.push(mapping.resource().to_owned());
        }
    }
    let name = format!("{ANIMAL_SET}{id}");
    let url = format!("{ROOT}/datasets/{name}");
    Dataset {
        changes: format!("{url}/changes"),
        name,
        url,
        contained_types,
    }
}

impl<'h> Set<'h> {
    pub(super) fn find(hub: &'h Hub, name: &str) -> Result<Self, Refusal> {
        if name == EVERYTHING {
            return Ok(Self::Everything);
        }
        let mapping = hub.exchange.mappings().get(name);
        let mapping = mapping.filter(|m| m.has(Part::Location));
        mapping
            .map(Self::One)
            .ok_or_else(|| Self::unknown(hub, name))
    }

    fn unknown(hub: &Hub, name: &str) -> Refusal {
        let names: Vec<&str> = sets(hub).map(|set| set.name()).collect();
        Fault::new(error::COLLECTION, format!("There is no data set {name}."))
            .with("supported", names)
            .into()
    }

    pub(super) fn name(self) -> &'h str {
        match self {
            Self::One(mapping) => mapping.dataset(),
            Self::Everything => EVERYTHING,
        }
    }

    fn described(self, hub: &Hub) -> Dataset {
        let url = format!("{ROOT}/datasets/{}", quoted(self.name()));
        let mut contained_types: Vec<String> = Vec::new();
        match self {
            Self::One(mapping) => contained_types.push(mapping.resource().to_owned()),
            Self::Everything => {
                for mapping in located(hub) {
                    if !contained_types.iter().any(|t| t == mapping.resource()) {
                        contained_types.push(mapping.resource().to_owned());
                    }
                }
            }
        }
        Dataset {
            name: self.name().to_owned(),
            changes: format!("{url}/changes"),
            url,
            contained_types,
        }
    }
}

fn located(hub: &Hub) -> impl Iterator<Item = &Mapping> {
    let all = hub.exchange.mappings().all();
    all.filter(|m| m.has(Part::Location))
}

fn sets(hub: &Hub) -> impl Iterator<Item = Set<'_>> {
    let single = located(hub).map(Set::One);
    single.chain(std::iter::once(Set::Everything))
}

pub(super) async fn list(
    State(hub): State<Arc<Hub>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let caller = target::signed_in(&hub, &headers).await?;
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    let mut all: Vec<Dataset> = sets(&hub).map(|set| set.described(&hub)).collect();
    let location = caller.organization.filter(|_| !caller.sees_all());
    if caller.sees_all() || location.is_some() {
        let own = hub.exchange.animal_sets(&hub.book.store, location).await?;
        all.extend(own.iter().map(|set| described_set(&hub, set.id)));
    }
    let body = serde_json::to_vec(&all).map_err(crate::error::Error::internal)?;
    Ok(collection::answer(body, &ignored))
}

pub(super) async fn one(
    State(hub): State<Arc<Hub>>,
    Segments(name): Segments<String>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let described = match animal_set(&name) {
        Some(_) => {
            let caller = target::signed_in(&hub, &headers).await?;
            let found = about(&hub, &caller, &name).await?;
            let found = found.ok_or_else(|| Set::unknown(&hub, &name))?;
            described_set(&hub, found.id)
        }
        None => {
            let set = Set::find(&hub, &name)?;
            target::signed_in(&hub, &headers).await?;
            set.described(&hub)
        }
    };
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    let body = serde_json::to_vec(&described).map_err(crate::error::Error::internal)?;
    Ok(collection::answer(body, &ignored))
}

pub(super) async fn changes(
    State(hub): State<Arc<Hub>>,
    Segments(name): Segments<String>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let set = match animal_set(&name) {
        Some(_) => Set::Everything,
        None => Set::find(&hub, &name)?,
    };
    let caller = target::signed_in(&hub, &headers).await?;
    let about = about(&hub, &caller, &name).await?;
    if animal_set(&name).is_some() && about.is_none() {
        return Err(Set::unknown(&hub, &name));
    }
    // Who joined the set brings along what is older than a token, who left takes it away:
    // with other members a client reads anew.
    let mark = about.as_ref().map_or(0, |set| set.mark);
    let mut query = Query::read(raw.as_deref());
    let since = query.take("since");
    let limit = query.count("limit", PAGE_MAX);
    let limit = query.count("pageSize", PAGE_MAX).or(limit);
    let limit = usize::try_from(limit.unwrap_or(PAGE)).unwrap_or(usize::MAX);
    let ignored = query.ignored(&Prefer::read(&headers))?;
    // Read before the page is: a token may lag behind the book, never run ahead of it.
    let (newest, generation) = hub.exchange.standing(&hub.book.store).await?;
    let start = Start::of(
        &hub,
        &caller,
        (&name, mark),
        since.as_deref(),
        Standing { newest, generation },
    )?;
    let page = read(&hub, &caller, (set, about.as_ref()), start.after, limit).await?;
    let place = Position::new(&caller, &name, generation, page.last).bound(mark);
    let body = array(&name, &page, &place.seal(&hub.book.keys));
    let mut response = collection::answer(body, &ignored);
    if start.anew {
        let yes = HeaderValue::from_static("true");
        response.headers_mut().insert(FULL_SYNC_HEADER, yes);
    }
    Ok(response)
}

/// The state of the book at the beginning of a request.
struct Standing {
    newest: i64,
    generation: u64,
}

/// Where reading begins.
struct Start {
    after: i64,
    /// Whether the client must drop what it has.
    anew: bool,
}

impl Start {
    fn of(
        hub: &Hub,
        caller: &Principal,
        (name, mark): (&str, u64),
        since: Option<&str>,
        standing: Standing,
    ) -> Result<Self, Refusal> {
        let Some(token) = since else {
            return Ok(Self {
                after: 0,
                anew: false,
            });
        };
        let keys = &hub.book.keys;
        let Standing { newest, generation } = standing;
        match Position::open_bound(token, keys, caller, (name, mark), generation, newest) {
            Ok(position) => Ok(Self {
                after: position.seq,
                anew: false,
            }),
            Err(Stale::Resync) => Ok(Self {
                after: 0,
                anew: true,
            }),
            Err(Stale::Malformed) if is_deployed(token) => Ok(Self {
                after: 0,
                anew: true,
            }),
            Err(Stale::Malformed) => {
                let fault = bad("since", "is not a token of this service, or was altered");
                Err(fault.fine("token-malformed").into())
            }
            Err(Stale::Foreign) => {
                let fault = bad("since", "was given for another data set or client");
                Err(fault.fine("token-foreign").into())
            }
        }
    }
}

/// Whether a token is of the deployed service that this one takes over from: base64 of
/// `{p, s}`. Its clients read anew once.
fn is_deployed(token: &str) -> bool {
    let engines = [&URL_SAFE_NO_PAD, &STANDARD];
    let bytes = engines.iter().find_map(|engine| engine.decode(token).ok());
    let read = bytes.and_then(|b| serde_json::from_slice::<Value>(&b).ok());
    read.is_some_and(|v| v.get("p").is_some() && v.get("s").is_some())
}

async fn read(
    hub: &Hub,
    caller: &Principal,
    (set, about): (Set<'_>, Option<&AnimalSet>),
    after: i64,
    limit: usize,
) -> Result<Changes, Refusal> {
    let location = if caller.sees_all() {
        None
    } else if let Some(my) = caller.organization {
        Some(my)
    } else {
        // Nobody's locations: nothing to read, and the place stays.
        return Ok(Changes {
            last: after,
            ..Changes::default()
        });
    };
    let feed = Feed {
        dataset: match set {
            Set::One(mapping) => Some(mapping.dataset()),
            Set::Everything => None,
        },
        location: about.map(|set| set.location).or(location),
        after,
        limit,
        bytes: PAGE_BYTES,
    };
    let members = about.map(|set| set.members.as_slice());
    Ok((hub.exchange.changes_of(&hub.book.store, feed, members)).await?)
}

fn array(name: &str, page: &Changes, token: &str) -> Vec<u8> {
    let description = format!("Changes of the data set {name}");
    let members = Map::from_iter([("description".to_owned(), description.into())]);
    let mut out = Envelope::array();
    out.reserve(page.bodies.len() + 1_024);
    out.member(context(members).to_string().as_bytes());
    if page.count > 0 {
        out.member(&page.bodies);
    }
    out.member(continuation(token).to_string().as_bytes());
    out.finish()
}

/// An empty 200.
pub(super) fn empty() -> Response {
    json(StatusCode::OK, Vec::new())
}
