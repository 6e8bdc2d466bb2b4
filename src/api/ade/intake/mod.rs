//! Resources sent to a location: one, or a batch whose resources are independent of each other.

pub(super) mod answers;
pub(super) mod batches;
pub(super) mod full_syncs;
pub(super) mod push;

use self::answers::{IntakeResult, MESSAGES_HEADER};
use super::error::{self, Fault, Refusal, Reply};
use super::lists::{computed, page};
use super::query::request_options::RequestOptions;
use super::target::{self, Call};
use super::{forms, json};
use crate::AppState;
use crate::body::BodyError;
use crate::layers::ignored;
use ade::catalog::Verb;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use exchange::{BatchElement, BatchOrder, Delivery, DocumentAnswer, PART, State as Became, elements_of};
use mapping::Mapping;
use model::error::Error;
use model::record::json_in::{self, Split};
use model::registry::Principal;
use model::said;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Elements of a transaction while others write: what they wait for then is some 25 ms.
const AMONG_OTHERS: usize = 64;

type CollectionPath = (String, String, String);

/// `POST` to a collection: one resource; an array counts as a batch, for clients that know no other address.
pub(super) async fn post(Call(app, (scheme, id, name), raw, headers): Call<CollectionPath>, body: Body) -> Reply {
    if computed::find(&app, &name).is_some() {
        let allow = "GET, HEAD";
        return Err(target::read_only(&app, &name, allow, Mapping::can_post));
    }
    let mapping = target::collection(&app, &name)?;
    if !target::offers(mapping, &name, Verb::Post) {
        return Err(target::not_offered(&app, &name));
    }
    let caller = target::signed_in(&app, &headers).await?;
    let location = target::destination(&app, &caller, &scheme, &id, mapping).await?;
    target::may_write(&caller)?;
    let options = RequestOptions::read(&app, raw.as_deref(), &headers)?;
    let bytes = body_of(&app, &headers, body, Some(mapping.resource())).await?;
    let first = bytes.iter().find(|b| !b.is_ascii_whitespace());
    if first == Some(&b'[') {
        return take_batch(&app, mapping, caller, location, &bytes, &options).await;
    }
    let doc = json_in::parse(&bytes)
        .map_err(|faults| Refusal::from(faults.iter().map(Fault::of_json).collect::<Vec<_>>()))?;
    if !doc.is_object() {
        let detail = "A resource, or an array of resources, is expected.";
        return Err(Fault::new(error::SHAPE, detail).into());
    }
    let context = ResourceContext {
        meta: doc.get("meta").cloned(),
        animal: (doc.pointer("/animal/id").cloned()).filter(|_| options.deployed),
        address: page::path(&scheme, &id, mapping.dataset()),
        location,
    };
    let delivery = Delivery {
        dataset: mapping.dataset().to_owned(),
        location,
        doc,
        sent: mapping.keeps_sent().then(|| text(&bytes)),
    };
    let answers = (app.exchange).intake().deliver(&app.book, caller, vec![delivery], options.intake).await?;
    let answer = answers.into_iter().next();
    let mut answer = answer.ok_or_else(|| Error::internal("the resource has no answer"))?;
    options.remark(&mut answer);
    let mut response = single(&app, mapping, context, answer)?;
    if options.intake.dry {
        // There is nothing at that address.
        response.headers_mut().remove(header::LOCATION);
    }
    Ok(options.granted(response))
}

pub(super) async fn batch(Call(app, (scheme, id, name), raw, headers): Call<CollectionPath>, body: Body) -> Reply {
    let mapping = target::batch(&app, &name)?;
    if !target::offers(mapping, &name, Verb::Batch) {
        return Err(target::read_only(&app, &name, "", Mapping::can_batch));
    }
    let caller = target::signed_in(&app, &headers).await?;
    let location = target::destination(&app, &caller, &scheme, &id, mapping).await?;
    target::may_write(&caller)?;
    let options = RequestOptions::read(&app, raw.as_deref(), &headers)?;
    let bytes = body_of(&app, &headers, body, Some(mapping.resource())).await?;
    take_batch(&app, mapping, caller, location, &bytes, &options).await
}

/// What was read as JSON is UTF-8.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The JSON text of a body, up to the limit; one of XML is read as documents of this type.
pub(super) async fn body_of(
    app: &AppState,
    headers: &HeaderMap,
    body: Body,
    resource: Option<&str>,
) -> Result<Bytes, Refusal> {
    let limit = app.settings.exchange_body;
    let large = || {
        let detail = said!("The body has more than {limit} bytes.", limit = limit);
        Refusal::from(Fault::new(error::LARGE, detail).with("limit", limit))
    };
    let kind = crate::body::media_type(headers);
    let xml = resource.filter(|_| forms::is_xml(headers));
    if kind.is_some() && xml.is_none() && !crate::body::is_json(headers) {
        let detail = match resource {
            Some(_) => "The content type must be application/json or application/xml.",
            None => "The content type must be application/json.",
        };
        return Err(Fault::new(error::MEDIA, detail).into());
    }
    let announced =
        (headers.get(header::CONTENT_LENGTH)).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(large());
    }
    let whole = crate::body::whole(body, limit, announced).await;
    let bytes = whole.map_err(|fault| match fault {
        BodyError::TooLarge => large(),
        BodyError::BrokenOff => Fault::new(error::NOT_JSON, "The body broke off.").into(),
    })?;
    match xml {
        Some(resource) => forms::to_json(headers, &bytes, resource),
        None => Ok(bytes),
    }
}

/// The elements of an array that is not empty.
pub(super) fn elements<'b>(app: &AppState, bytes: &'b [u8]) -> Result<Split<'b>, Refusal> {
    let split =
        json_in::split(bytes, app.settings.exchange_batch).map_err(|fault| Refusal::from(Fault::of_json(&fault)))?;
    if split.is_empty() {
        return Err(Fault::new(error::SHAPE, "The array is empty.").into());
    }
    Ok(split)
}

async fn take_batch(
    app: &AppState,
    mapping: &Mapping,
    caller: Arc<Principal>,
    location: i64,
    bytes: &[u8],
    options: &RequestOptions,
) -> Reply {
    let split = elements(app, bytes)?;
    let order = BatchOrder {
        strict: options.intake.strict,
        ..BatchOrder::new(&caller, mapping.dataset(), location, split.len())
    };
    if options.intake.dry {
        let results = only_checked(app, caller, &order, &split, options).await?;
        let mut response = listed(results);
        later(&mut response, split.len());
        return Ok(options.granted(response));
    }
    if options.later(app, split.len()) {
        return batches::later(app, order, &split, options).await;
    }
    let address = batches::address(&order.id);
    let mut results = String::from("[");
    let (mut from, mut number) = (0, 0);
    while from < split.len() {
        let end = split.part_end(from, together(app), PART);
        let elements = elements_of(&split, from..end);
        let part = (order.clone(), number);
        let part_results = (app.exchange)
            .batches()
            .process_part(
                &app.book,
                Arc::clone(&caller),
                part,
                elements,
                (options.intake, None),
                answers::teller(&app.exchange),
            )
            .await?;
        results.push_str(if number > 0 { "," } else { "" });
        results.push_str(&part_results);
        (from, number) = (end, number + 1);
    }
    results.push(']');
    let mut response = listed(results);
    later(&mut response, split.len());
    if let Ok(at) = HeaderValue::from_str(&address) {
        response.headers_mut().insert(header::CONTENT_LOCATION, at);
    }
    Ok(options.granted(response))
}

/// Elements of the next transaction: fewer while others write, who would wait for its end.
fn together(app: &AppState) -> usize {
    let most = app.settings.exchange_chunk;
    match app.book.store.others_write() {
        true => most.min(AMONG_OTHERS),
        false => most,
    }
}

/// Says of many documents that what the checks find in them is not among the messages.
pub(super) fn later(response: &mut Response, documents: usize) {
    if documents > ops::CHECKED_AT_ONCE {
        let later = HeaderValue::from_static(ignored::LATER);
        response.headers_mut().insert(ignored::FINDINGS, later);
    }
}

fn listed(results: String) -> Response {
    let mut response = json(StatusCode::OK, results.into_bytes());
    response.extensions_mut().insert(IntakeResult::Batch);
    response
}

/// What would become of a batch: all of it in one transaction that leaves nothing.
async fn only_checked(
    app: &AppState,
    caller: Arc<Principal>,
    order: &BatchOrder,
    split: &Split<'_>,
    options: &RequestOptions,
) -> Result<String, Refusal> {
    let mut elements = Vec::with_capacity(split.len());
    let mut deliveries = Vec::new();
    for member in elements_of(split, 0..split.len()) {
        match member {
            BatchElement::Read(doc, text) => {
                elements.push((doc.get("meta").cloned(), None));
                deliveries.push(Delivery {
                    dataset: order.dataset.clone(),
                    location: order.location,
                    doc,
                    sent: Some(text),
                });
            }
            BatchElement::Refused(meta, answer) => elements.push((meta, Some(answer))),
        }
    }
    let mut taken = (app.exchange).intake().deliver(&app.book, caller, deliveries, options.intake).await?.into_iter();
    let tell = answers::teller(&app.exchange);
    let results = elements.into_iter().filter_map(|(meta, refused)| {
        let mut answer = refused.or_else(|| taken.next())?;
        options.remark(&mut answer);
        Some(tell(&order.dataset, meta, &answer))
    });
    Ok(format!("[{}]", results.collect::<Vec<_>>().join(",")))
}

/// What is known of a single resource beside its document.
struct ResourceContext {
    meta: Option<Value>,
    /// The animal's number as sent, for answers that repeat it.
    animal: Option<Value>,
    address: String,
    location: i64,
}

/// The answer to one resource: as stored, or why not.
fn single(app: &AppState, mapping: &Mapping, context: ResourceContext, answer: DocumentAnswer) -> Reply {
    if answer.state == Became::Rejected {
        let faults = answers::faults(&answer).into_iter();
        let faults = faults.map(|fault| match (&context.animal, fault.is_of(error::ANIMAL)) {
            (Some(animal), true) => fault.with("animal", animal.clone()),
            _ => fault,
        });
        return Err(faults.collect::<Vec<_>>().into());
    }
    let (status, _) = answers::outcome(answer.state);
    let messages = answers::header(&answer.issues, status);
    let key = answers::key(&app.exchange, mapping.dataset(), &answer);
    let body = match answer.body {
        Some(body) if answer.state != Became::Deleted => body.into_bytes(),
        _ => head(app, mapping, context.location, context.meta, answer.state).to_string().into_bytes(),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let mut response = json(status, body);
    let headers = response.headers_mut();
    if let (Became::Created, Some(key)) = (answer.state, &key)
        && let Ok(at) = HeaderValue::from_str(&format!("{}/{}", context.address, super::query::quoted(key)))
    {
        headers.insert(header::LOCATION, at);
    }
    if let Some(messages) = messages {
        headers.insert(MESSAGES_HEADER, messages);
    }
    response.extensions_mut().insert(IntakeResult::One(answer.state, key));
    Ok(response)
}

/// The entry for a resource that this location does not show (any more).
fn head(app: &AppState, mapping: &Mapping, location: i64, meta: Option<Value>, state: Became) -> Value {
    let mut meta = match meta {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    if state == Became::Deleted {
        meta.insert("isDeleted".to_owned(), true.into());
    }
    let now = ade::time::format(app.book.clock.now());
    meta.insert("modified".to_owned(), now.into());
    json!({
        "resourceType": mapping.resource(),
        "meta": meta,
        "location": {
            "id": location.to_string(),
            "scheme": app.exchange.rules().location_scheme(),
        },
    })
}
