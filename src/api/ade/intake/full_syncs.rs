//! Full syncs as resources of a data set: started, inspected, ended and given up. Pushes name one in their query
//! (`push`). `docs/exchange.md` explains them. A long end goes on after its answer ([`exchange::EndJob`]).

use super::super::datasets::{self, EVERYTHING, Set};
use super::super::error::{self, Fault, Refusal, Reply};
use super::super::query::request_options::RequestOptions;
use super::super::query::{Query, quoted};
use super::super::target::{self, Call};
use super::super::{ROOT, json};
use super::answers::{self, MESSAGES_HEADER};
use super::body_of;
use crate::AppState;
use crate::layers::prefer::Prefer;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use exchange::{Affected, AffectedResource, EndOptions, Ending, FullSync, Scope, SyncStage};
use mapping::Mapping;
use model::fast::IndexSet;
use model::messages::Sentence;
use model::record::json_in;
use model::registry::Principal;
use model::said;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Sources of a full sync.
const SOURCES: usize = 100;
/// Locations of a full sync.
const LOCATIONS: usize = 1_000;
/// How long an answer waits for an end at most.
const PATIENCE: Duration = Duration::from_secs(10);
/// Seconds until a client looks again at a full sync that is ending.
const LOOK_AGAIN: u64 = 2;

/// The lease of a full sync, milliseconds.
pub(in crate::ade) fn lease(app: &AppState) -> i64 {
    app.settings.exchange_full_sync_lease.saturating_mul(1_000)
}

/// `POST /datasets/{set}/full-syncs`.
pub(in crate::ade) async fn start(Call(app, name, raw, headers): Call<String>, body: Body) -> Reply {
    let read_only = || target::read_only(&app, &name, "", Mapping::can_push);
    if datasets::animal_set(&name).is_some() {
        return Err(read_only());
    }
    let set = Set::find(&app, &name)?;
    if let Set::One(mapping) = set
        && !mapping.can_push()
    {
        return Err(read_only());
    }
    if let Set::One(mapping) = set
        && let Some(corrections) = mapping.corrections()
    {
        let detail =
            said!("{name} has no full syncs. {why}", name = name, why = Sentence::from(corrections.stays.clone()));
        return Err(Fault::new(error::METHOD, detail).into());
    }
    let caller = target::signed_in(&app, &headers).await?;
    target::may_write(&caller)?;
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    let members = object(&app, &headers, body).await?;
    let mut request = SyncRequest { members, faults: Vec::new() };
    let sources = request.sources(app.exchange.rules().source());
    let dataset = match set {
        Set::One(mapping) => Some(mapping.dataset()),
        Set::Everything => None,
    };
    let locations = request.locations(&app, &caller, dataset).await?;
    request.no_more();
    if !request.faults.is_empty() {
        return Err(request.faults.into());
    }
    let scope = Scope { dataset: dataset.map(str::to_owned), locations, sources };
    let started = (app.exchange).full_syncs().start_full_sync(&app.book, &caller, scope, lease(&app));
    let sync = started.await?;
    let mut response = resource(&app, StatusCode::CREATED, &sync);
    if let Ok(at) = HeaderValue::from_str(&address(&sync)) {
        response.headers_mut().insert(header::LOCATION, at);
    }
    ignored.tell(&mut response);
    Ok(response)
}

/// `GET` of a full sync: how far it is.
pub(in crate::ade) async fn get(Call(app, (name, id), raw, headers): Call<(String, String)>) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    let sync = of_set(&app, &caller, &name, &id).await?;
    let mut response = resource(&app, StatusCode::OK, &sync);
    if sync.stage == SyncStage::Ending {
        let wait = HeaderValue::from(LOOK_AGAIN);
        response.headers_mut().insert(header::RETRY_AFTER, wait);
    }
    ignored.tell(&mut response);
    Ok(response)
}

/// `POST …/end`: resources that were not named are deleted.
pub(in crate::ade) async fn end(Call(app, (name, id), raw, headers): Call<(String, String)>, body: Body) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    target::may_write(&caller)?;
    let options = RequestOptions::read(&app, raw.as_deref(), &headers)?;
    let sync = own(&caller, of_set(&app, &caller, &name, &id).await?)?;
    for location in &sync.scope.locations {
        target::sends(&app, &caller, *location, sync.scope.dataset.as_deref()).await?;
    }
    let mut request = SyncRequest { members: object(&app, &headers, body).await?, faults: Vec::new() };
    let expected = request.expect();
    request.no_more();
    let Some(expected) = expected.filter(|_| request.faults.is_empty()) else {
        return Err(request.faults.into());
    };
    let dry = options.intake.dry;
    let sync = match ended(&app, caller, &sync.id, expected, &options).await? {
        Ending::Done(sync) => sync,
        Ending::GoesOn(sync, _) => return Ok(options.granted(goes_on(&app, &sync, &options))),
        Ending::Miscounted(resources) => {
            let detail = said!(
                "Resources that were named: {resources}; expected: {expected}. Nothing was deleted.",
                resources = resources,
                expected = expected
            );
            let fault = Fault::new(error::CONFLICT, detail).fine("full-sync-count");
            let fault = fault.at("/expect").with("expected", expected);
            return Err(fault.with("resources", resources).into());
        }
    };
    let mut response = resource(&app, StatusCode::OK, &sync);
    let remark = dry.then(RequestOptions::only_checked);
    if let Some(remark) = answers::header(remark.as_slice(), 200) {
        response.headers_mut().insert(MESSAGES_HEADER, remark);
    }
    Ok(options.granted(response))
}

/// Ends a full sync, and works on it piece by piece as long as the answer waits.
async fn ended(
    app: &AppState,
    caller: Arc<Principal>,
    id: &str,
    expected: i64,
    request: &RequestOptions,
) -> Result<Ending, Refusal> {
    let syncs = app.exchange.full_syncs();
    let options = end_options(app, request.intake.dry);
    let patience = match request.prefer.asynchronous {
        true => Duration::ZERO,
        false => PATIENCE.min(app.settings.request_time / 2),
    };
    let until = Instant::now() + patience;
    let by = Arc::clone(&caller);
    let mut ending = (syncs.end_full_sync(&app.book, by, id, expected, options)).await?;
    while let Ending::GoesOn(sync, Some(lease)) = ending {
        if Instant::now() >= until {
            app.book.put_off_job(lease, 0).await?;
            return Ok(Ending::GoesOn(sync, None));
        }
        let by = Arc::clone(&caller);
        ending = (syncs.continue_end(&app.book, by, lease, None, options)).await?;
    }
    Ok(ending)
}

fn goes_on(app: &AppState, sync: &FullSync, options: &RequestOptions) -> Response {
    let mut response = resource(app, StatusCode::ACCEPTED, sync);
    let wait = HeaderValue::from(LOOK_AGAIN);
    response.headers_mut().insert(header::RETRY_AFTER, wait);
    if let Ok(at) = HeaderValue::from_str(&address(sync)) {
        response.headers_mut().insert(header::LOCATION, at);
    }
    if options.prefer.asynchronous {
        Prefer::applied(&mut response, "respond-async");
    }
    response
}

pub fn end_options(app: &AppState, dry: bool) -> EndOptions {
    EndOptions { chunk: app.settings.exchange_chunk, lease: app.settings.exchange_lease.saturating_mul(1_000), dry }
}

/// `DELETE` of a full sync: it is given up, and deletes nothing.
pub(in crate::ade) async fn give_up(Call(app, (name, id), raw, headers): Call<(String, String)>) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    target::may_write(&caller)?;
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    own(&caller, of_set(&app, &caller, &name, &id).await?)?;
    let given_up = app.exchange.full_syncs().give_up_full_sync(&app.book, &caller, &id);
    given_up.await?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    ignored.tell(&mut response);
    Ok(response)
}

/// A full sync that the caller may know of. Foreign and unknown: one answer.
async fn visible_sync(app: &AppState, caller: &Principal, id: &str) -> Result<FullSync, Refusal> {
    let sync = app.exchange.full_syncs().full_sync(&app.book, id).await?;
    let sync = sync.filter(|sync| sync.is_of(caller));
    sync.ok_or_else(|| Fault::new(error::RESOURCE, "There is no such full sync.").into())
}

/// A full sync that the caller may know of, at the address of its data set alone.
async fn of_set(app: &AppState, caller: &Principal, name: &str, id: &str) -> Result<FullSync, Refusal> {
    let sync = visible_sync(app, caller, id).await?;
    if set_of(&sync) == name {
        return Ok(sync);
    }
    Err(Fault::new(error::RESOURCE, "There is no such full sync.").into())
}

/// Only who started a full sync pushes to it, ends it and gives it up.
fn own(caller: &Principal, sync: FullSync) -> Result<FullSync, Refusal> {
    if sync.is_own(caller) {
        return Ok(sync);
    }
    Err(Fault::new(error::WRITE, "This full sync belongs to another organisation.").into())
}

/// Refuses a push to a full sync that the caller does not know or did not start; whether it is
/// still running, the transaction decides.
pub(in crate::ade) async fn joins(app: &AppState, caller: &Principal, id: &str) -> Result<(), Refusal> {
    own(caller, visible_sync(app, caller, id).await?).map(|_| ())
}

fn set_of(sync: &FullSync) -> &str {
    sync.scope.dataset.as_deref().unwrap_or(EVERYTHING)
}

fn address(sync: &FullSync) -> String {
    let set = quoted(set_of(sync));
    format!("{ROOT}/datasets/{set}/full-syncs/{}", sync.id)
}

async fn object(app: &AppState, headers: &HeaderMap, body: Body) -> Result<Map<String, Value>, Refusal> {
    let bytes = body_of(app, headers, body, None).await?;
    let read = json_in::parse(&bytes)
        .map_err(|faults| Refusal::from(faults.iter().map(Fault::of_json).collect::<Vec<_>>()))?;
    match read {
        Value::Object(members) => Ok(members),
        _ => Err(Fault::new(error::SHAPE, "An object is expected.").into()),
    }
}

struct SyncRequest {
    members: Map<String, Value>,
    faults: Vec<Fault>,
}

impl SyncRequest {
    fn fault(&mut self, kind: error::Kind, pointer: String, detail: impl Into<Sentence>) {
        self.faults.push(Fault::new(kind, detail).at(pointer));
    }

    /// The elements of a member that is a list with a limited number of elements.
    fn list(&mut self, name: &str, most: usize) -> Option<Vec<Value>> {
        let pointer = format!("/{name}");
        match self.members.shift_remove(name) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(all)) if (1..=most).contains(&all.len()) => return Some(all),
            Some(Value::Array(_)) => {
                let detail = said!("One to {most} are expected.", most = most);
                self.fault(error::VALUE, pointer, detail);
            }
            Some(_) => self.fault(error::VALUE, pointer, "An array is expected."),
        }
        Some(Vec::new())
    }

    /// The sources; none may be the book's own, whose rows are not the sender's.
    fn sources(&mut self, own: &str) -> Vec<String> {
        let Some(all) = self.list("sources", SOURCES) else {
            let detail = "Name the values of meta.source that the full sync covers.";
            self.fault(error::MISSING, "/sources".to_owned(), detail);
            return Vec::new();
        };
        let mut sources: IndexSet<String> = IndexSet::default();
        for (at, one) in all.into_iter().enumerate() {
            match one {
                Value::String(source) if source == own => {
                    let detail = "This is the source of the book itself.";
                    self.fault(error::VALUE, format!("/sources/{at}"), detail);
                }
                Value::String(source) if !source.is_empty() => {
                    sources.insert(source);
                }
                _ => self.fault(error::VALUE, format!("/sources/{at}"), "A text is expected."),
            }
        }
        sources.into_iter().collect()
    }

    /// The locations; a farm need not name its own.
    async fn locations(
        &mut self,
        app: &AppState,
        caller: &Principal,
        dataset: Option<&str>,
    ) -> Result<Vec<i64>, Refusal> {
        let Some(all) = self.list("locations", LOCATIONS) else {
            let own = caller.organization.filter(|_| !caller.sees_all());
            if own.is_none() {
                let detail = "Name the locations that the full sync covers.";
                self.fault(error::MISSING, "/locations".to_owned(), detail);
            }
            return Ok(own.into_iter().collect());
        };
        let number = |one: &Value| {
            let text = |name: &str| one.get(name).and_then(Value::as_str);
            target::number(app, text("scheme")?, text("id")?)
        };
        let requested: Vec<Option<i64>> = all.iter().map(number).collect();
        let ids: Vec<i64> = requested.iter().copied().flatten().collect();
        let allowed: IndexSet<i64> = if caller.sees_all() {
            let existing = app.exchange.lists().known_locations(&app.book.store, &ids);
            existing.await?
        } else {
            let mandated = |id: &i64| (app.exchange).is_mandated(&app.book, caller, *id, dataset);
            let mandated = ids.iter().copied().filter(mandated);
            let accredited = dataset.is_some_and(|set| app.exchange.rules().is_accredited(caller, set));
            let existing = match accredited {
                true => (app.exchange.lists().known_locations(&app.book.store, &ids)).await?,
                false => IndexSet::default(),
            };
            let own = caller.organization.into_iter();
            own.chain(mandated).chain(existing).collect()
        };
        for (at, one) in requested.iter().enumerate() {
            if one.is_none_or(|id| !allowed.contains(&id)) {
                let fault = target::forbidden().at(format!("/locations/{at}"));
                self.faults.push(fault);
            }
        }
        let ids: IndexSet<i64> = ids.into_iter().collect();
        Ok(ids.into_iter().collect())
    }

    /// How many resources the sender believes to have named.
    fn expect(&mut self) -> Option<i64> {
        let pointer = "/expect".to_owned();
        match self.members.shift_remove("expect") {
            None => {
                let detail = "State how many resources you sent, each counted once.";
                self.fault(error::MISSING, pointer, detail);
                None
            }
            Some(value) => {
                let number = value.as_i64().filter(|number| *number >= 0);
                if number.is_none() {
                    self.fault(error::VALUE, pointer, "A whole number from 0 on is expected.");
                }
                number
            }
        }
    }

    /// What is left is not understood; of what deletes, nothing is passed over.
    fn no_more(&mut self) {
        for (name, _) in std::mem::take(&mut self.members) {
            let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            let fault = Fault::new(error::VALUE, "There is no such member.").at(pointer);
            self.faults.push(fault.fine("member-unknown"));
        }
    }
}

/// A full sync in its present state.
fn resource(app: &AppState, status: StatusCode, sync: &FullSync) -> Response {
    let scheme = app.exchange.rules().location_scheme();
    let place = |id: &i64| json!({"scheme": scheme, "id": id.to_string()});
    let one = |resource: &AffectedResource| {
        let mut one = json!({
            "dataset": resource.dataset, "location": place(&resource.location),
            "source": resource.source, "sourceId": resource.source_id,
        });
        if let (Some(one), false) = (one.as_object_mut(), resource.why.is_empty()) {
            one.insert("why".to_owned(), json!(resource.why));
        }
        one
    };
    let affected = |affected: &Affected| {
        let first: Vec<Value> = affected.first.iter().map(one).collect();
        json!({"count": affected.count, "first": first})
    };
    let mut body = json!({
        "id": sync.id,
        "dataset": set_of(sync),
        "sources": sync.scope.sources,
        "locations": sync.scope.locations.iter().map(place).collect::<Vec<_>>(),
        "state": sync.stage.word(),
        "started": ade::time::format(sync.created),
        "pushes": sync.pushes,
        "resources": sync.resources,
    });
    if let Some(members) = body.as_object_mut() {
        if matches!(sync.stage, SyncStage::Started | SyncStage::Expired) {
            let expires = ade::time::format(sync.due);
            members.insert("expires".to_owned(), expires.into());
        }
        if let Some(ended) = sync.ended {
            members.insert("ended".to_owned(), ade::time::format(ended).into());
        }
        if let Some(unnamed) = sync.unnamed() {
            members.insert("unnamed".to_owned(), unnamed.into());
        }
        if let Some(outcome) = &sync.outcome {
            members.insert("deleted".to_owned(), affected(&outcome.deleted));
            members.insert("kept".to_owned(), affected(&outcome.changed_by_others));
            members.insert("refused".to_owned(), affected(&outcome.refused));
        }
    }
    json(status, body.to_string().into_bytes())
}
