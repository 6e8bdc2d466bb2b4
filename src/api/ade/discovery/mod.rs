//! The abilities of the ADE interface in machine-readable form, derived from catalogue, mappings
//! and settings, and open to everyone. And the check whether they are what a client needs.

mod needs;
pub(super) mod schemata;

use super::error::{Refusal, Reply};
use super::lists::{links, sires};
use super::query::filters;
use super::target;
use super::{ROOT, changes, datasets, locations};
use crate::{AppState, openapi};
use ade::catalog::{Catalog, Filter};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use exchange::Turn;
use mapping::Mapping;
use model::registry::{Capability, Feature, Principal};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Where clients look first (RFC 8615).
pub(super) const WELL_KNOWN: &str = "/.well-known/ade";
/// Locations that are listed here; the list of locations has all.
const SHOWN: u64 = 20;

#[derive(Debug, Serialize)]
pub(super) struct FilterGroup {
    pub name: &'static str,
    pub parameters: &'static [&'static str],
    /// Whether a list is refused without.
    pub required: bool,
}

/// What may be done with a type.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Offer<'h> {
    /// Name in addresses and of the data set.
    pub collection: &'h str,
    /// Other names of the same.
    pub aliases: Vec<&'static str>,
    /// `resourceType` of its documents.
    pub resource_type: &'h str,
    /// What the caller may do.
    pub verbs: Vec<&'static str>,
    /// What organisations that send it are accredited for, besides the Association.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub senders: &'h [String],
    /// What its list can be narrowed by.
    pub filters: Vec<FilterGroup>,
}

/// What the caller may do with each type.
pub(super) fn offers<'h>(app: &'h AppState, caller: &Principal) -> Vec<Offer<'h>> {
    let writes = caller.can(Capability::Data);
    let sends = |m: &Mapping| writes && app.exchange.rules().is_sender(caller, m.dataset());
    target::served(app).map(|m| offer(m, sends(m))).collect()
}

fn offer(mapping: &Mapping, writes: bool) -> Offer<'_> {
    let verbs = [
        ("get", true),
        ("post", writes && mapping.can_post()),
        ("batch", writes && mapping.can_batch()),
        ("push", writes && mapping.can_push()),
        ("changes", true),
    ];
    let required = filters::required(mapping);
    let catalog = Catalog::get();
    let entry = catalog.collection(mapping.dataset());
    let own = entry.into_iter().flat_map(|entry| &entry.aliases);
    let second = (catalog.collections().iter())
        .filter(|one| one.same_as.as_deref() == Some(mapping.dataset()))
        .map(|one| &one.name);
    Offer {
        collection: mapping.dataset(),
        aliases: own.chain(second).map(String::as_str).collect(),
        resource_type: mapping.resource(),
        verbs: (verbs.into_iter()).filter_map(|(verb, may)| may.then_some(verb)).collect(),
        senders: mapping.senders(),
        filters: (filters::of(mapping).into_iter())
            .map(|filter| FilterGroup {
                name: filter.name(),
                parameters: filter.parameters(),
                required: required.contains(&filter),
            })
            .collect(),
    }
}

/// Schemes of animals and locations, under each of their names.
pub(super) fn schemes(app: &AppState) -> Vec<&str> {
    let mappings = app.exchange.rules().mappings();
    let mut names: Vec<&str> = Vec::new();
    for one in mappings.animal_schemes() {
        names.push(&one.scheme);
        names.extend(one.aliases.iter().map(String::as_str));
    }
    names.extend(mappings.location_schemes());
    names
}

/// `GET /.well-known/ade` and `GET /ade/v1`.
pub(super) async fn show(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Reply {
    let caller = target::optional_caller(&app, &headers).await?;
    let mut document = described(&app);
    if let (Some(caller), Some(members)) = (&caller, document.as_object_mut()) {
        members.insert("types".to_owned(), json!(offers(&app, caller)));
        members.insert("locations".to_owned(), places(&app, caller).await?);
    }
    Ok(super::json(StatusCode::OK, document.to_string().into_bytes()))
}

/// What everybody may know.
fn described(app: &AppState) -> Value {
    let mappings = app.exchange.rules().mappings();
    let animal: Vec<Value> = (mappings.animal_schemes().iter().enumerate())
        .map(|(place, s)| {
            json!({
                "scheme": s.scheme, "aliases": s.aliases, "main": place == 0,
                "pattern": s.pattern, "check": s.check.map(|check| check.name()),
            })
        })
        .collect();
    let location: Vec<&str> = mappings.location_schemes().collect();
    json!({
        "service": app.settings.service,
        "standard": "ICAR ADE",
        "version": ade::VERSION,
        "profile": format!("{} by location and by data set", ade::VERSION),
        "addresses": {
            "self": ROOT,
            "locations": format!("{ROOT}/locations"),
            "datasets": format!("{ROOT}/datasets"),
            "fullSyncs": format!("{ROOT}/datasets/{{set}}/full-syncs"),
            "serviceSires": format!("{ROOT}/{}", sires::NAME),
            "openapi": format!("{ROOT}/openapi.json"),
            "match": format!("{ROOT}/match"),
        },
        "signIn": {"header": "Authorization", "words": ["Bearer", "JWT", "users API-Key"]},
        "schemes": {"animal": animal, "location": location},
        "closed": closed(app),
        "webhooks": webhooks(app),
        "preferences": ["handling=strict"],
        "limits": {
            "pageSize": {"default": links::PAGE, "max": links::PAGE_MAX},
            "changes": {"default": changes::PAGE, "max": changes::PAGE_MAX, "wait": datasets::WAIT_MAX},
            "batch": app.settings.exchange_batch,
            "bytes": app.settings.exchange_body,
            "fullSyncLease": app.settings.exchange_full_sync_lease,
        },
        "retention": {"tombstoneDays": app.settings.exchange_tombstone_days},
    })
}

/// The collections that take no posts, each with the reason.
fn closed(app: &AppState) -> Vec<Value> {
    let computed = app.exchange.rules().mappings().statistics();
    let computed = (computed.dataset(), computed.closed().to_owned());
    (target::served(app))
        .filter_map(|m| Some((m.dataset(), target::why_closed(m, m.dataset())?)))
        .chain([computed])
        .map(|(collection, reason)| json!({"collection": collection, "reason": reason}))
        .collect()
}

/// The address at which clients register webhooks, and how messages are sent.
fn webhooks(app: &AppState) -> Option<Value> {
    let registry = app.book.registry;
    let webhooks = registry.with_feature(Feature::Webhooks)?;
    let deliveries = registry.with_feature(Feature::WebhookDeliveries)?;
    Some(json!({
        "register": format!("/api/{}", webhooks.slug),
        "deliveries": format!("/api/{}", deliveries.slug),
        "signature": "Standard Webhooks, v1 (HMAC-SHA-256)",
    }))
}

/// The first locations of the caller, and where all are.
async fn places(app: &AppState, caller: &Principal) -> Result<Value, Refusal> {
    let page = locations::page(app, caller, (None, None), (Turn::First, SHOWN)).await?;
    let text = [b"[", &*page.bodies, b"]"].concat();
    let all: Vec<Value> = serde_json::from_slice(&text).map_err(model::error::Error::internal)?;
    let ids = (all.iter()).filter_map(|one| one.pointer("/identifier/id")?.as_str()?.parse().ok());
    let fresh = locations::freshness(app, caller, &ids.collect::<Vec<i64>>()).await?;
    let first: Vec<Value> =
        (all.iter()).map(|one| json!({"identifier": one["identifier"], "name": one["name"]})).collect();
    Ok(json!({"total": page.total, "first": first, "all": format!("{ROOT}/locations"), "lastIntakes": fresh}))
}

/// `GET /ade/v1/openapi.json`: what this caller may do.
pub(super) async fn described_for(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    let facts = openapi::Facts { service: &app.settings.service, depth: app.settings.depth };
    let writes = caller.can(Capability::Data);
    let sends = |m: &Mapping| writes && app.exchange.rules().is_sender(&caller, m.dataset());
    let document = openapi::exchange_only(app.exchange.rules().mappings(), &facts, (writes, &sends));
    Ok(super::json(StatusCode::OK, document.to_string().into_bytes()))
}

/// The requested abilities of an item of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Verb,
    Filter,
}

/// The answer to a match, item by item.
struct MatchReport {
    all: bool,
    items: Vec<Value>,
}

impl MatchReport {
    fn add(&mut self, path: String, need: &str, fits: Result<String, String>) {
        let (fits, reason) = match fits {
            Ok(reason) => (true, reason),
            Err(reason) => (false, reason),
        };
        self.all &= fits;
        let item = json!({"path": path, "asked": need, "match": fits, "reason": reason});
        self.items.push(item);
    }
}

/// `POST /ade/v1/match`: whether the service offers what a caller needs, with the reason for each item.
pub(super) async fn matched(State(app): State<Arc<AppState>>, headers: HeaderMap, body: axum::body::Body) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    let bytes = super::intake::body_of(&app, &headers, body, None).await?;
    let needs = needs::read(&bytes)?;
    let offers = offers(&app, &caller);
    let mut report = MatchReport { all: true, items: Vec::new() };
    if let Some(version) = &needs.version {
        let fits = *version == ade::VERSION || *version == "1.5";
        let ours = format!("served is {}", ade::VERSION);
        report.add("/version".to_owned(), version, said(fits, ours));
    }
    for (at, need) in needs.types.iter().enumerate() {
        let path = format!("/types/{at}");
        let offer = offers.iter().find(|offer| {
            offer.collection == need.name
                || offer.resource_type == need.name
                || offer.aliases.contains(&need.name.as_str())
        });
        let Some(offer) = offer else {
            let why = "no collection or type of this name is served";
            report.add(path, &need.name, Err(why.to_owned()));
            continue;
        };
        let address = format!("{ROOT}{}/{}", ade::catalog::LOCATION, offer.collection);
        report.add(path.clone(), &need.name, Ok(format!("served at {address}")));
        for (kind, word, list) in [(Need::Verb, "verbs", &need.verbs), (Need::Filter, "filters", &need.filters)] {
            for (i, one) in list.iter().enumerate() {
                let fits = judged(&app, offer, kind, one);
                report.add(format!("{path}/{word}/{i}"), one, fits);
            }
        }
    }
    let schemes = schemes(&app);
    for (at, scheme) in needs.schemes.iter().enumerate() {
        let fits = schemes.contains(&scheme.as_str());
        let ours = format!("known are {}", schemes.join(", "));
        report.add(format!("/schemes/{at}"), scheme, said(fits, ours));
    }
    let body = json!({"match": report.all, "items": report.items}).to_string();
    Ok(super::json(StatusCode::OK, body.into_bytes()))
}

fn said(fits: bool, reason: String) -> Result<String, String> {
    if fits { Ok(reason) } else { Err(reason) }
}

fn judged(app: &AppState, offer: &Offer<'_>, kind: Need, need: &str) -> Result<String, String> {
    match kind {
        Need::Verb => {
            let offered = format!("offered are {}", offer.verbs.join(", "));
            if offer.verbs.contains(&need) {
                return Ok(offered);
            }
            let at_all = target::served(app).find(|m| m.dataset() == offer.collection).map(|m| self::offer(m, true));
            let others = at_all.is_some_and(|all| all.verbs.contains(&need));
            Err(if others { format!("your role may read, but not send data; {offered}") } else { offered })
        }
        Need::Filter => {
            let names: Vec<&str> = (offer.filters.iter()).flat_map(|filter| filter.parameters).copied().collect();
            let offered = format!("offered are {}", names.join(", "));
            let group = Filter::ALL
                .into_iter()
                .any(|filter| filter.name() == need && offer.filters.iter().any(|o| o.name == need));
            said(group || names.contains(&need), offered)
        }
    }
}
