//! What a request is about: the collection, then the caller, then the location. In this order, so
//! that a caller who is not signed in learns nothing about locations.

use super::error::{self, Fault, Refusal};
use crate::caller;
use crate::layers::scoped::Closed;
use crate::{AppState, Who};
use ade::catalog::{Catalog, CollectionEntry, Verb};
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use exchange::LOCATIONS;
use mapping::{Mapping, Part};
use model::messages::Sentence;
use model::registry::{Caller, Capability, Principal};
use model::said;
use secure::session::Dialect;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Segments of the address, percent-decoded.
pub(super) struct Segments<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Segments<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        // Segments are texts: they fail only when they are not UTF-8.
        path.map(|Path(segments)| Self(segments)).map_err(|_| Refusal::no_route(parts.uri.path()))
    }
}

/// A request: the service, the segments of its path, its query as it came, and its headers.
pub(super) struct Call<T>(pub(super) Arc<AppState>, pub(super) T, pub(super) Option<String>, pub(super) HeaderMap);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<AppState>> for Call<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Refusal> {
        let Segments(segments) = Segments::from_request_parts(parts, app).await?;
        let query = parts.uri.query().map(str::to_owned);
        Ok(Self(Arc::clone(app), segments, query, parts.headers.clone()))
    }
}

/// Mappings that have an address under a location.
pub(super) fn served(app: &AppState) -> impl Iterator<Item = &Mapping> {
    (app.exchange.rules().mappings().all()).filter(|m| m.dataset() != LOCATIONS && m.has(Part::Location))
}

pub(super) fn supported(app: &AppState) -> Vec<&str> {
    let computed = app.exchange.rules().mappings().statistics().dataset();
    let names = served(app).map(Mapping::dataset);
    names.chain([computed]).collect()
}

/// The collection of that name or of an older spelling.
pub(super) fn collection<'h>(app: &'h AppState, name: &str) -> Result<&'h Mapping, Refusal> {
    let entry = Catalog::get().collection(name);
    // Some second names are those of batches only.
    let batches = entry.is_some_and(|e| e.verbs == [Verb::Batch]);
    let mapping = mapped(app, name, entry).filter(|_| !batches);
    mapping.ok_or_else(|| unknown(app, name))
}

/// Whether the address of that name takes this: the data set must, and so must the standard
/// under this very name, which may be one of several.
pub(super) fn offers(mapping: &Mapping, name: &str, verb: Verb) -> bool {
    let catalog = Catalog::get();
    let (own, entry) = match verb {
        Verb::Post => (mapping.can_post(), catalog.collection(name)),
        Verb::Batch => (mapping.can_batch(), catalog.batch(name).or_else(|| catalog.collection(name))),
        Verb::Get | Verb::Delete => (verb == Verb::Get, None),
    };
    own && entry.is_none_or(|entry| entry.allows(verb))
}

pub(super) fn no_method(mapping: &Mapping, name: &str) -> Refusal {
    let allow = if offers(mapping, name, Verb::Post) { "GET,HEAD,POST" } else { "GET,HEAD" };
    Refusal::no_method().header(header::ALLOW, HeaderValue::from_static(allow))
}

/// Another method than those of what can only be read.
pub(super) fn read_alone() -> Refusal {
    Refusal::no_method().header(header::ALLOW, HeaderValue::from_static("GET,HEAD"))
}

/// The collection takes no resources.
pub(super) fn not_offered(app: &AppState, name: &str) -> Refusal {
    read_only(app, name, "GET, HEAD", Mapping::can_post)
}

/// Why a collection takes no posts.
pub(super) fn why_closed(mapping: &Mapping, name: &str) -> Option<String> {
    (!offers(mapping, name, Verb::Post)).then(|| {
        let how = match (mapping.can_push(), mapping.closed()) {
            (true, _) => "The standard has no POST here; send resources by pushes to the data set.",
            (false, Some(why)) => why,
            (false, None) => "This service does not take these resources.",
        };
        how.to_owned()
    })
}

pub(super) fn batch<'h>(app: &'h AppState, name: &str) -> Result<&'h Mapping, Refusal> {
    let catalog = Catalog::get();
    let entry = catalog.batch(name).or_else(|| catalog.collection(name));
    mapped(app, name, entry).ok_or_else(|| unknown(app, name))
}

fn mapped<'h>(app: &'h AppState, name: &str, entry: Option<&CollectionEntry>) -> Option<&'h Mapping> {
    let official = entry.map(|e| e.name.as_str());
    let twin = entry.and_then(|e| e.same_as.as_deref());
    [Some(name), official, twin].into_iter().flatten().find_map(|name| served(app).find(|m| m.dataset() == name))
}

/// The data set that a name of an address means.
pub(super) fn dataset(app: &AppState, name: &str, batch: bool) -> Option<String> {
    let mapping = match batch {
        true => self::batch(app, name).ok(),
        false => mapped(app, name, Catalog::get().collection(name)),
    };
    mapping.map(|mapping| mapping.dataset().to_owned())
}

/// What an API key does not open.
pub(super) fn closed(why: Closed) -> Refusal {
    let words = match why {
        Closed::Writing => "This API key may read, but not send data.",
        Closed::Dataset => "This API key is limited to other data sets.",
    };
    Fault::new(error::WRITE, words).into()
}

/// No collection or data set of this name.
pub(super) fn unknown(app: &AppState, name: &str) -> Refusal {
    Fault::new(error::COLLECTION, said!("{name} is not served.", name = name)).with("supported", supported(app)).into()
}

/// Not to be written; `allow` names the methods of the address.
pub(super) fn read_only(
    app: &AppState,
    name: &str,
    allow: &'static str,
    writable: impl Fn(&Mapping) -> bool,
) -> Refusal {
    let names: Vec<&str> = (served(app).filter(|m| writable(m))).map(Mapping::dataset).collect();
    let mapping = mapped(app, name, Catalog::get().collection(name));
    let computed = app.exchange.rules().mappings().statistics();
    let computed = (computed.dataset() == name).then(|| computed.closed());
    let why = mapping.and_then(Mapping::closed).or(computed);
    let detail = match why {
        Some(why) => said!("{name} can only be read. {why}", name = name, why = Sentence::from(why.to_owned())),
        None => said!("{name} can only be read.", name = name),
    };
    Refusal::from(Fault::new(error::METHOD, detail).with("writable", names))
        .header(header::ALLOW, HeaderValue::from_static(allow))
}

/// The caller, who must be signed in.
pub(super) async fn signed_in(app: &AppState, headers: &HeaderMap) -> Result<Arc<Principal>, Refusal> {
    let caller = optional_caller(app, headers).await?;
    caller.ok_or_else(Refusal::unauthorized)
}

/// The caller; none when the request has no token or key. One that is not accepted is refused.
pub(super) async fn optional_caller(app: &AppState, headers: &HeaderMap) -> Result<Option<Arc<Principal>>, Refusal> {
    let who = who(app, headers).await?;
    Ok(who.map(|who| who.principal))
}

/// The caller with the time of the look-up; none when the request has no token or key.
pub(super) async fn who(app: &AppState, headers: &HeaderMap) -> Result<Option<Who>, Refusal> {
    let (has_credential, who) = caller::presented(app, headers, Dialect::Ade).await?;
    let signed_in = |who: &Who| who.principal.caller != Caller::Anonymous;
    match who.filter(signed_in) {
        Some(who) => match who.wanted() {
            Some(why) => Err(Refusal::wants_factor(why)),
            None => Ok(Some(who)),
        },
        None if has_credential => Err(Refusal::unbelieved()),
        None => Ok(None),
    }
}

/// The organisation of a location that the caller may use. Foreign, unknown and of another scheme: one answer.
pub(super) async fn location(app: &AppState, caller: &Principal, scheme: &str, id: &str) -> Result<i64, Refusal> {
    let organization = match number(app, scheme, id) {
        Some(id) if caller.sees_all() => {
            let ids = app.exchange.lists().known_locations(&app.book.store, &[id]).await?;
            ids.first().copied()
        }
        Some(id) => caller.organization.filter(|my| *my == id),
        None => None,
    };
    organization.ok_or_else(|| forbidden().into())
}

/// The organisation of a location to which the caller may send resources of a data set: one that
/// he may use, or one that gave his organisation a mandate; any, if his organisation is accredited
/// for these resources. Where others send them, the answer says so.
pub(super) async fn destination(
    app: &AppState,
    caller: &Principal,
    scheme: &str,
    id: &str,
    mapping: &Mapping,
) -> Result<i64, Refusal> {
    let set = mapping.dataset();
    let location = number(app, scheme, id).ok_or_else(forbidden)?;
    let may = (app.exchange).is_destination(&app.book, caller, location, Some(set));
    if !may.await? {
        return Err(forbidden().into());
    }
    match app.exchange.rules().is_sender(caller, set) {
        true => Ok(location),
        false => Err(others_send(app, set).into()),
    }
}

/// Resources of the data set are sent by others.
pub(super) fn others_send(app: &AppState, dataset: &str) -> Fault {
    let mapping = app.exchange.rules().mappings().get(dataset);
    let senders = mapping.map(Mapping::senders).unwrap_or_default();
    let detail = said!(
        "Resources of {dataset} are sent by the Association and by organisations that it \
         accredited as {activities}.",
        dataset = dataset,
        activities = senders.join(" or ")
    );
    Fault::new(error::WRITE, detail).with("senders", senders)
}

/// The locations that the caller's organisation may send to by a mandate.
pub(super) fn mandated(app: &AppState, caller: &Principal) -> Vec<i64> {
    store::versions::note_time_dependence();
    let now = app.book.clock.now();
    let live = caller.mandates.iter().filter(|m| m.is_live(now));
    live.map(|m| m.grantor).collect()
}

/// Refuses a location to which the caller may not send (any more).
pub(super) async fn sends(
    app: &AppState,
    caller: &Principal,
    location: i64,
    dataset: Option<&str>,
) -> Result<(), Refusal> {
    if let Some(set) = dataset
        && !app.exchange.rules().is_sender(caller, set)
    {
        return Err(others_send(app, set).into());
    }
    let may = app.exchange.is_destination(&app.book, caller, location, dataset);
    match may.await? {
        true => Ok(()),
        false => Err(forbidden().into()),
    }
}

/// The organisation that an identifier of a location names, as far as the identifier itself shows it.
pub(super) fn number(app: &AppState, scheme: &str, id: &str) -> Option<i64> {
    let mut schemes = app.exchange.rules().mappings().location_schemes();
    if !schemes.any(|one| one == scheme) {
        return None;
    }
    let number = id.parse::<i64>().ok()?;
    // One organisation has one spelling.
    (number > 0 && number.to_string() == id).then_some(number)
}

/// No such location, or not for this caller.
pub(super) fn forbidden() -> Fault {
    Fault::new(error::LOCATION, "There is no such location among those that you may use.")
}

/// Whether the caller may send data at all; whose, is for the book to decide.
pub(super) fn may_write(caller: &Principal) -> Result<(), Refusal> {
    if caller.can(Capability::Data) {
        return Ok(());
    }
    Err(Fault::new(error::WRITE, "Your role may read, but not send data.").into())
}
