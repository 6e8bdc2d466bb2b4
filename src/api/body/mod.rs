//! Bodies of requests: bounded, strict JSON (alone, in a form, several at once), or forms in place of a query.

pub(crate) mod multipart;
mod whole;

use crate::{AppState, Refusal};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use model::error::{Error, Issue};
use model::record::json_in::{self, JsonFault};
use model::said;
use serde_json::{Map, Value};
pub(crate) use whole::{BodyError, whole};

/// What a request brings to be written.
#[derive(Debug)]
pub(super) enum WriteBody {
    One(Map<String, Value>),
    /// Several, each read on its own.
    Many(Vec<Result<Map<String, Value>, Refusal>>),
}

/// The body of a write: a JSON object, alone or as `_payload` of a form.
pub(super) async fn object(
    app: &AppState,
    collection: &'static str,
    headers: &HeaderMap,
    body: Body,
) -> Result<Map<String, Value>, Refusal> {
    if multipart::is_multipart(headers) {
        let content = multipart::read(app, collection, headers, body, None).await?;
        return Ok(content.members);
    }
    let bytes = text(app, headers, body).await?;
    members(collection, &bytes)
}

/// The JSON text of a body: not empty, up to the limit.
pub(super) async fn text(app: &AppState, headers: &HeaderMap, body: Body) -> Result<Bytes, Refusal> {
    let bytes = read(app, headers, body).await?;
    if !is_json(headers) && !is_lines(headers) {
        let message = "The content type must be application/json.";
        return Err(json_fault("not-json", message));
    }
    if bytes.is_empty() {
        return Err(json_fault("empty", "The body is empty."));
    }
    Ok(bytes)
}

/// One document, or several up to a limit: a JSON array, or a document a line.
pub(super) fn posted(
    collection: &'static str,
    headers: &HeaderMap,
    bytes: &[u8],
    most: usize,
) -> Result<WriteBody, Refusal> {
    let of = |value: Result<Value, Vec<JsonFault>>| document(collection, value);
    let rows: Vec<_> = if is_lines(headers) {
        let lines = bytes.split(|byte| *byte == b'\n');
        let filled = lines.filter(|line| !line.trim_ascii().is_empty());
        filled.take(most + 1).map(|line| of(json_in::parse(line))).collect()
    } else if bytes.trim_ascii_start().starts_with(b"[") {
        match json_in::members(bytes, most) {
            Ok(members) => members.into_iter().map(|m| of(m.value)).collect(),
            Err(JsonFault::TooManyItems { .. }) => return Err(too_many(most)),
            Err(fault) => return Err(refuse(collection, &[fault])),
        }
    } else {
        return members(collection, bytes).map(WriteBody::One);
    };
    match rows.len() {
        0 => Err(json_fault("empty", "The body has no documents.")),
        rows if rows > most => Err(too_many(most)),
        _ => Ok(WriteBody::Many(rows)),
    }
}

fn too_many(most: usize) -> Refusal {
    Error::Malformed(said!("More than {limit} documents at once.", limit = most)).into()
}

pub(super) fn members(collection: &'static str, bytes: &[u8]) -> Result<Map<String, Value>, Refusal> {
    document(collection, json_in::parse(bytes))
}

fn document(collection: &'static str, value: Result<Value, Vec<JsonFault>>) -> Result<Map<String, Value>, Refusal> {
    match value {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(json_fault("not-an-object", "The body must be a JSON object.")),
        Err(faults) => Err(refuse(collection, &faults)),
    }
}

/// The bytes of a body, up to the limit.
pub(super) async fn read(app: &AppState, headers: &HeaderMap, body: Body) -> Result<Bytes, Refusal> {
    let limit = app.settings.body_limit;
    let announced =
        (headers.get(header::CONTENT_LENGTH)).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(Refusal::TooLarge(limit));
    }
    let whole = whole(body, limit, announced).await;
    whole.map_err(|fault| match fault {
        BodyError::TooLarge => Refusal::TooLarge(limit),
        BodyError::BrokenOff => Error::Malformed("The body broke off.".into()).into(),
    })
}

/// Whether the content type is JSON, regardless of its parameters.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|kind| kind == "application/json" || kind.ends_with("+json"))
}

/// Whether the content type is a JSON text a line.
pub(super) fn is_lines(headers: &HeaderMap) -> bool {
    let lines = ["application/x-ndjson", "application/ndjson", "application/jsonl"];
    media_type(headers).is_some_and(|kind| lines.contains(&kind.as_str()))
}

/// The content type without parameters, lower case.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default();
    Some(kind.trim().to_ascii_lowercase())
}

fn json_fault(code: &'static str, message: &'static str) -> Refusal {
    Refusal::Json(vec![Issue::error("", code, message)])
}

/// Members that occur twice and texts that cannot be stored are bad fields; everything else is bad JSON.
fn refuse(collection: &'static str, faults: &[JsonFault]) -> Refusal {
    let mut fields = Vec::new();
    let mut broken = Vec::new();
    for fault in faults {
        match fault {
            JsonFault::DuplicateMember { pointer } => {
                let message = "The object contains this member twice.";
                fields.push(Issue::error(dotted(pointer), "duplicate-member", message));
            }
            JsonFault::ZeroCharacter { pointer } => {
                let message = "Texts cannot contain the character U+0000.";
                fields.push(Issue::error(dotted(pointer), "wrong-type", message));
            }
            JsonFault::TooDeep { pointer } => {
                broken.push(Issue::error(dotted(pointer), "too-deep", fault.sentence()));
            }
            JsonFault::Utf8 { .. }
            | JsonFault::Syntax { .. }
            | JsonFault::NotAnArray
            | JsonFault::TooManyItems { .. } => {
                broken.push(Issue::error("", "not-json", fault.sentence()));
            }
        }
    }
    if broken.is_empty() { Refusal::of(Error::Invalid(fields), collection, None) } else { Refusal::Json(broken) }
}

/// A JSON pointer as this dialect writes paths.
fn dotted(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1);
    let plain = steps.map(|step| step.replace("~1", "/").replace("~0", "~"));
    plain.collect::<Vec<_>>().join(".")
}
