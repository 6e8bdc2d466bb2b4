//! Resources sent to a location: one, or a batch in which each stands for itself.

use super::super::Hub;
use super::answers::{self, MESSAGES_HEADER};
use super::error::{self, Fault, Refusal};
use super::target::{self, Segments};
use super::{collection, json};
use crate::error::Issue;
use crate::exchange::{Answer, Delivery, State as Became};
use crate::mapping::Mapping;
use crate::record::json_in::{self, JsonFault, Member};
use crate::registry::Principal;
use ade::BatchResult;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Map, Value, json};
use std::sync::Arc;

type Three = (String, String, String);

/// `POST` to a collection: one resource; an array counts as a batch, for clients that
/// know no other address.
pub(super) async fn post(
    State(hub): State<Arc<Hub>>,
    Segments((scheme, id, name)): Segments<Three>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let mapping = target::collection(&hub, &name)?;
    if !mapping.can_post() {
        return Err(target::read_only(
            &hub,
            &name,
            "GET, HEAD",
            Mapping::can_post,
        ));
    }
    let caller = target::signed_in(&hub, &headers).await?;
    let location = target::location(&hub, &caller, &scheme, &id).await?;
    target::may_write(&caller)?;
    let bytes = body_of(&hub, &headers, body).await?;
    let first = bytes.iter().find(|b| !b.is_ascii_whitespace());
    if first == Some(&b'[') {
        return take_batch(&hub, mapping, caller, location, &bytes).await;
    }
    let doc = json_in::parse(&bytes)
        .map_err(|faults| Refusal::from(faults.iter().map(Fault::of_json).collect::<Vec<_>>()))?;
    if !doc.is_object() {
        let detail = "A resource, or an array of resources, is expected.";
        return Err(Fault::new(error::SHAPE, detail).into());
    }
    let meta = doc.get("meta").cloned();
    let delivery = Delivery {
        dataset: mapping.dataset().to_owned(),
        location,
        doc,
    };
    let answers = (hub.exchange)
        .deliver(&hub.book, caller, vec![delivery], false)
        .await?;
    let answer = answers.into_iter().next();
    let answer = answer.ok_or_else(|| crate::error::Error::internal("no answer to a resource"))?;
    let address = collection::path(&scheme, &id, mapping.dataset());
    single(&hub, mapping, location, meta, &address, answer)
}

pub(super) async fn batch(
    State(hub): State<Arc<Hub>>,
    Segments((scheme, id, name)): Segments<Three>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let mapping = target::batch(&hub, &name)?;
    if !mapping.can_batch() {
        return Err(target::read_only(&hub, &name, "", Mapping::can_batch));
    }
    let caller = target::signed_in(&hub, &headers).await?;
    let location = target::location(&hub, &caller, &scheme, &id).await?;
    target::may_write(&caller)?;
    let bytes = body_of(&hub, &headers, body).await?;
    take_batch(&hub, mapping, caller, location, &bytes).await
}

/// The bytes of a JSON body, up to the limit.
pub(super) async fn body_of(hub: &Hub, headers: &HeaderMap, body: Body) -> Result<Bytes, Refusal> {
    let limit = hub.settings.exchange_body;
    let large = || {
        let detail = format!("The body has more than {limit} bytes.");
        Refusal::from(Fault::new(error::LARGE, detail).with("limit", limit))
    };
    let kind = super::super::body::media_type(headers);
    if kind.is_some() && !super::super::body::is_json(headers) {
        let detail = "The content type must be application/json.";
        return Err(Fault::new(error::MEDIA, detail).into());
    }
    let announced = (headers.get(header::CONTENT_LENGTH))
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(large());
    }
    axum::body::to_bytes(body, limit).await.map_err(|fault| {
        let long = std::error::Error::source(&fault)
            .is_some_and(|source| source.is::<http_body_util::LengthLimitError>());
        if long {
            large()
        } else {
            Fault::new(error::NOT_JSON, "The body broke off.").into()
        }
    })
}

/// The elements of an array that is not empty.
pub(super) fn elements<'b>(hub: &Hub, bytes: &'b [u8]) -> Result<Vec<Member<'b>>, Refusal> {
    let members = json_in::members(bytes, hub.settings.exchange_batch)
        .map_err(|fault| Refusal::from(Fault::of_json(&fault)))?;
    if members.is_empty() {
        return Err(Fault::new(error::SHAPE, "The array is empty.").into());
    }
    Ok(members)
}

async fn take_batch(
    hub: &Hub,
    mapping: &Mapping,
    caller: Arc<Principal>,
    location: i64,
    bytes: &[u8],
) -> Result<Response, Refusal> {
    let members = elements(hub, bytes)?;
    let mut results: Vec<Option<BatchResult>> = Vec::with_capacity(members.len());
    let mut metas = Vec::new();
    let mut deliveries = Vec::new();
    for (at, member) in members.into_iter().enumerate() {
        match member.value {
            Ok(doc) => {
                metas.push(doc.get("meta").cloned());
                deliveries.push(Delivery {
                    dataset: mapping.dataset().to_owned(),
                    location,
                    doc,
                });
                results.push(None);
            }
            Err(faults) => results.push(Some(unread(hub, mapping, at, member.raw, &faults))),
        }
    }
    let answers = (hub.exchange)
        .deliver(&hub.book, caller, deliveries, false)
        .await?;
    let mut taken = (metas.into_iter().zip(answers))
        .map(|(meta, a)| answers::result(&hub.exchange, mapping.dataset(), meta, &a));
    let all: Vec<BatchResult> = (results.into_iter())
        .filter_map(|unread| unread.or_else(|| taken.next()))
        .collect();
    let body = serde_json::to_vec(&all).map_err(crate::error::Error::internal)?;
    Ok(json(StatusCode::OK, body))
}

/// The result for an element whose text cannot be read.
fn unread(hub: &Hub, mapping: &Mapping, at: usize, raw: &str, faults: &[JsonFault]) -> BatchResult {
    let prefix = format!("/{at}");
    let issues = (faults.iter()).map(|fault| {
        let (pointer, code) = match fault {
            JsonFault::DuplicateMember { pointer } => (pointer.as_str(), "duplicate-member"),
            JsonFault::ZeroCharacter { pointer } => (pointer.as_str(), "zero-character"),
            JsonFault::TooDeep { pointer } => (pointer.as_str(), "too-deep"),
            _ => ("", "body-not-json"),
        };
        let path = pointer.strip_prefix(&prefix).unwrap_or(pointer);
        Issue::error(path, code, fault.to_string())
    });
    let answer = Answer {
        state: Became::Rejected,
        record: None,
        body: None,
        issues: issues.collect(),
        forbidden: false,
    };
    // Duplicate members do not hide whose element it is; too deep a text does.
    let meta = serde_json::from_str::<Value>(raw)
        .ok()
        .and_then(|doc| doc.get("meta").cloned());
    answers::result(&hub.exchange, mapping.dataset(), meta, &answer)
}

/// The answer to one resource: as stored, or why not.
fn single(
    hub: &Hub,
    mapping: &Mapping,
    location: i64,
    meta: Option<Value>,
    address: &str,
    answer: Answer,
) -> Result<Response, Refusal> {
    if answer.state == Became::Rejected {
        return Err(answers::faults(&answer).into());
    }
    let (status, _) = answers::outcome(answer.state);
    let told = answers::header(&answer.issues, status);
    let key = answers::key(&hub.exchange, mapping.dataset(), &answer);
    let body = match answer.body {
        Some(body) if answer.state != Became::Deleted => body.into_bytes(),
        _ => head(hub, mapping, location, meta, answer.state)
            .to_string()
            .into_bytes(),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let mut response = json(status, body);
    let headers = response.headers_mut();
    if let (Became::Created, Some(key)) = (answer.state, key)
        && let Ok(at) = HeaderValue::from_str(&format!("{address}/{}", super::query::quoted(&key)))
    {
        headers.insert(header::LOCATION, at);
    }
    if let Some(told) = told {
        headers.insert(MESSAGES_HEADER, told);
    }
    Ok(response)
}

/// What stands for a resource that this location does not show (any more).
fn head(hub: &Hub, mapping: &Mapping, location: i64, meta: Option<Value>, state: Became) -> Value {
    let mut meta = match meta {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    if state == Became::Deleted {
        meta.insert("isDeleted".to_owned(), true.into());
    }
    let now = ade::time::format(hub.book.clock.now());
    meta.insert("modified".to_owned(), now.into());
    json!({
        "resourceType": mapping.resource(),
        "meta": meta,
        "location": {
            "id": location.to_string(),
            "scheme": hub.exchange.location_scheme(),
        },
    })
}
