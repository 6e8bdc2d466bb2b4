//! The answer bodies of the service that this one replaces (`exchange.answers`, or `Prefer:
//! deployed-answers`): the same answers in that service's words. Made from the finished answers of
//! this face, so that no handler knows two forms.

use super::intake::answers::IntakeResult;
use super::{ROOT, json};
use crate::AppState;
use crate::layers::prefer::Prefer;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use exchange::State as Became;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What that service serves, and whether it takes it in.
const SETS: [(&str, bool); 11] = [
    ("animals", false),
    ("test-day-results", true),
    ("parturitions", true),
    ("inseminations", true),
    ("type-classifications", false),
    ("weights", true),
    ("breeding-values", false),
    ("arrivals", false),
    ("departures", false),
    ("deaths", false),
    ("pregnancy-checks", false),
];

const TITLES: [(&str, &str); 12] = [
    ("unauthorized", "Требуется вход"),
    ("location-forbidden", "Нет такого места"),
    ("collection-unknown", "Нет такой коллекции"),
    ("method-not-allowed", "Коллекция только для чтения"),
    ("body-not-json", "Тело запроса не JSON"),
    ("body-shape", "Тело запроса имеет другой вид"),
    ("field-missing", "Нет обязательного поля"),
    ("field-value", "Недопустимое значение"),
    ("animal-not-found", "Нет такого животного в этом месте"),
    ("conflict", "Запись не удалось сохранить"),
    ("write-forbidden", "Запись не разрешена"),
    ("resource-not-found", "Нет такой записи"),
];

const MESSAGE: &str = "icarResponseMessageResource";

pub(super) async fn bodies(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let preferred = Prefer::read(request.headers()).deployed;
    if !preferred && !app.settings.exchange_deployed {
        return next.run(request).await;
    }
    // The nest has taken its own part away.
    let path = request.uri().path();
    let path = path.strip_prefix(ROOT).unwrap_or(path).to_owned();
    let response = next.run(request).await;
    let mut response = rewritten(&app, &path, response).await;
    if preferred {
        Prefer::applied(&mut response, "deployed-answers");
    }
    response
}

async fn rewritten(app: &AppState, path: &str, response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let intake = parts.extensions.remove::<IntakeResult>();
    let is_json = parts.headers.get(header::CONTENT_TYPE);
    let is_json = is_json.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let wanted = parts.status.is_client_error()
        || parts.status.is_server_error()
        || intake.is_some()
        || path == "/locations"
        || path.starts_with("/locations/")
        || path.starts_with("/datasets");
    if !is_json || !wanted {
        return Response::from_parts(parts, body);
    }
    // Pages and answers are made in memory as they are.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return json(StatusCode::INTERNAL_SERVER_ERROR, Vec::new());
    };
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    let other = match intake {
        _ if !parts.status.is_success() => refusal(path, text, &mut parts.headers).map(|(s, b)| {
            parts.status = s;
            b
        }),
        Some(IntakeResult::One(state, key)) => Some(one(state, key)),
        Some(IntakeResult::Batch) => batch(app, text),
        None if path == "/datasets" => sets(text),
        None if path.ends_with("/changes") => changes(text),
        None => page(path, text),
    };
    let Some(other) = other else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(other))
}

fn word(state: Became) -> &'static str {
    match state {
        Became::Created => "created",
        Became::Deleted => "deleted",
        Became::Updated | Became::Unchanged | Became::Rejected => "updated",
    }
}

fn one(state: Became, key: Option<String>) -> String {
    let message = word(state);
    json!({"resourceType": MESSAGE, "severity": "Information", "message": message, "id": key}).to_string()
}

/// One object for the whole batch, with a message for each element.
fn batch(app: &AppState, text: &str) -> Option<String> {
    let results: Vec<Value> = serde_json::from_str(text).ok()?;
    let message = |result: &Value| {
        let all = result.get("messages").and_then(Value::as_array);
        let mut all = all.into_iter().flatten();
        let text = |m: &Value, name: &str| m.get(name)?.as_str().map(str::to_owned);
        let error = all.clone().find(|m| text(m, "severity").as_deref() == Some("Error"));
        let (severity, message) = match error {
            Some(error) => ("Error", text(error, "detail")),
            None => {
                let first = all.next().and_then(|m| text(m, "type"));
                let first = first.map(|w| if w == "unchanged" { "updated".to_owned() } else { w });
                ("Information", first)
            }
        };
        let id = result.get("id");
        json!({"resourceType": MESSAGE, "severity": severity, "message": message, "id": id})
    };
    let messages: Vec<Value> = results.iter().map(message).collect();
    let now = ade::time::format(app.book.clock.now());
    let whole = json!({
        "resourceType": "icarBatchResult",
        "id": uuid::Uuid::new_v4().to_string(),
        "meta": {"source": app.exchange.rules().source(), "modified": now},
        "messages": messages,
    });
    Some(whole.to_string())
}

/// The eleven, with addresses as they are.
fn sets(text: &str) -> Option<String> {
    let all: Vec<Value> = serde_json::from_str(text).ok()?;
    let is_supported = |set: &&Value| {
        let name = set.get("name").and_then(Value::as_str);
        SETS.iter().any(|(set, _)| Some(*set) == name)
    };
    serde_json::to_string(&all.iter().filter(is_supported).collect::<Vec<_>>()).ok()
}

/// Deletions have neither type nor location.
fn changes(text: &str) -> Option<String> {
    let all: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let mut out = String::with_capacity(text.len());
    for (at, raw) in all.into_iter().enumerate() {
        out.push(if at > 0 { ',' } else { '[' });
        match tombstone(raw.get()) {
            Some(short) => out.push_str(&short),
            None => out.push_str(raw.get()),
        }
    }
    out.push(']');
    Some(out)
}

fn tombstone(raw: &str) -> Option<String> {
    if !raw.contains("\"isDeleted\"") {
        return None;
    }
    let doc: Value = serde_json::from_str(raw).ok()?;
    let meta = doc.get("meta")?;
    if meta.get("isDeleted")?.as_bool() != Some(true) {
        return None;
    }
    let member = |name: &str| meta.get(name).cloned().unwrap_or_default();
    let short = json!({
        "resourceType": "icarResource",
        "meta": {
            "source": member("source"), "sourceId": member("sourceId"),
            "modified": member("modified"), "isDeleted": true,
        },
    });
    Some(short.to_string())
}

/// A page without links, and the locations with the eleven.
fn page(path: &str, text: &str) -> Option<String> {
    let mut page: Map<String, Value> = Map::new();
    let read: indexmap::IndexMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let view: Map<String, Value> = serde_json::from_str(read.get("view")?.get()).ok()?;
    let names = ["totalItems", "pageSize", "currentPage", "totalPages"];
    for name in names {
        let value = match (view.get(name).cloned(), name) {
            (Some(pages), "totalPages") if pages.as_u64() == Some(0) => json!(1),
            (value, _) => value.unwrap_or_default(),
        };
        page.insert(name.to_owned(), value);
    }
    let member = read.get("member").map_or("[]", |member| member.get());
    let view = Value::Object(page);
    let rest = if path == "/locations" {
        let names: Vec<&str> = SETS.iter().map(|(name, _)| *name).collect();
        format!(",\"supportedCollections\":{}", json!(names))
    } else {
        String::new()
    };
    Some(format!("{{\"view\":{view},\"member\":{member}{rest}}}"))
}

/// Errors: number, code, title, detail, meta. A refusal without a place in the table of that service has its own code.
fn refusal(path: &str, text: &str, headers: &mut HeaderMap) -> Option<(StatusCode, String)> {
    let read: Value = serde_json::from_str(text).ok()?;
    let errors = read.get("errors")?.as_array()?;
    let errors: Vec<Value> = errors.iter().map(error).collect();
    let first = errors.first()?;
    let status = first.get("status").and_then(Value::as_u64);
    let status = u16::try_from(status?).ok()?;
    let status = StatusCode::from_u16(status).ok()?;
    if headers.contains_key(header::ALLOW) {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET"));
    }
    if status == StatusCode::UNAUTHORIZED && path == "/locations" {
        let title = first.get("title");
        let body = json!({"resourceType": MESSAGE, "severity": "Error", "message": title});
        return Some((status, body.to_string()));
    }
    Some((status, json!({"errors": errors}).to_string()))
}

fn error(ours: &Value) -> Value {
    let text = |name: &str| ours.get(name).and_then(Value::as_str);
    let code = text("code").unwrap_or_default();
    let status = match (code, ours.get("status").and_then(Value::as_u64)) {
        ("conflict", _) => 500,
        ("body-not-json", _) => 400,
        (_, status) => status.unwrap_or(500),
    };
    let title = TITLES.iter().find(|(name, _)| *name == code);
    let title = title.map(|(_, title)| *title).or_else(|| text("title"));
    let mut out = Map::new();
    out.insert("id".to_owned(), ours.get("id").cloned().unwrap_or_default());
    out.insert("status".to_owned(), status.into());
    out.insert("code".to_owned(), code.into());
    out.insert("title".to_owned(), title.into());
    if let Some(detail) = text("detail") {
        out.insert("detail".to_owned(), detail.into());
    }
    let meta = meta(ours, code);
    if !meta.is_empty() {
        out.insert("meta".to_owned(), meta.into());
    }
    out.into()
}

fn meta(ours: &Value, code: &str) -> Map<String, Value> {
    let had = ours.get("meta");
    let member = |name: &str| had.and_then(|meta| meta.get(name)).cloned();
    let mut meta = Map::new();
    let names = |written: bool| {
        let all = SETS.iter().filter(|(_, writes)| *writes || !written);
        Value::from(all.map(|(name, _)| *name).collect::<Vec<_>>())
    };
    match code {
        "collection-unknown" => {
            meta.insert("supported".to_owned(), names(false));
        }
        "method-not-allowed" if member("writable").is_some() => {
            meta.insert("writable".to_owned(), names(true));
        }
        "animal-not-found" => {
            meta.extend(member("animal").map(|animal| ("animal".to_owned(), animal)));
        }
        "field-missing" | "field-value" => {
            let pointer = member("pointer");
            let pointer = pointer.as_ref().and_then(Value::as_str);
            let dotted = pointer.map(|p| p.trim_start_matches('/').replace('/', "."));
            let field = member("field").or_else(|| dotted.map(Value::from));
            meta.extend(field.map(|field| ("field".to_owned(), field)));
            meta.extend(allowed(ours).map(|codes| ("allowed".to_owned(), codes)));
        }
        _ => {}
    }
    meta
}

/// The allowed codes, which the check of code lists names at the end of its message.
fn allowed(ours: &Value) -> Option<Value> {
    if ours.get("type")?.as_str()? != "not-in-enum" {
        return None;
    }
    let detail = ours.get("detail")?.as_str()?;
    let (_, codes) = detail.rsplit_once(": ")?;
    let codes = codes.trim_end_matches('.').split(", ");
    Some(Value::from(codes.collect::<Vec<_>>()))
}
