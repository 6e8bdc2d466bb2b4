//! Creating documents: one, or many in one request, each independent of the others. Many come as a JSON array or a
//! document a line (docs/writing.md, *Many in one request*); the answer has a result for each, in the order sent.
//! With `together=true` all are created or none.

use super::super::findings;
use super::super::target::Target;
use super::written::{self, DocumentBudget};
use super::{append_members, idempotency};
use crate::body::{self, WriteBody};
use crate::caller::Who;
use crate::{AppState, Refusal};
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use indexmap::IndexMap;
use model::error::Error;
use ops::{
    Before, FIRST_ANSWER_ONLY, IdempotencyKey, Item, Outcome, StoredAnswer, View, handling, parse_body, shown_once,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Creates what a request brings.
pub(in crate::rest) async fn create(
    app: &AppState,
    target: &Target,
    who: &Who,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let query = target.tree()?;
    let view = View::read(&query, app.settings.depth);
    let together = query.get("together").map(|one| one.as_text().unwrap_or_default());
    // Whoever means all or none by another word must not get some.
    if !matches!((together, ops::is_whole()), (None | Some("false"), false) | (Some("true"), true)) {
        return Err(target.refuse(Error::Query(vec!["together".to_owned()])));
    }
    let content = body::text(app, headers, body).await?;
    let posted = body::posted(target.collection.slug, headers, &content, app.settings.batch)?;
    let once = idempotency::key(target, who, headers, &content)?;
    // A dry run leaves nothing that could be answered again.
    let once = once.filter(|_| !ops::is_dry_run());
    drop(content);
    let (alone, rows) = match posted {
        WriteBody::One(members) => (true, vec![Ok(members)]),
        WriteBody::Many(rows) => (false, rows),
    };
    let mut items = Vec::with_capacity(rows.len());
    let unread: Vec<Option<Value>> = (rows.into_iter())
        .map(|row| match row {
            Err(refusal) => Some(refused(&refusal)),
            Ok(members) => {
                let (values, issues) = parse_body(target.collection, &members, None);
                items.push(Item::create(values).with_issues(issues));
                None
            }
        })
        .collect();
    let broken = ops::is_whole() && unread.iter().any(Option::is_some);
    let written = match broken {
        // All or none, and one cannot even be read.
        true => Before::New(items.iter().map(|_| refused(&Error::Undone.into())).collect()),
        false => write(app, target, who, items, once.clone()).await?,
    };
    let outcomes = match written {
        Before::New(outcomes) | Before::Done(outcomes) => outcomes,
        Before::Answered(answer) => return Ok(idempotency::replay(answer)),
        Before::Other => return Err(Refusal::KeyTaken(once.map_or_else(String::new, |o| o.key))),
    };
    let mut written = outcomes.into_iter();
    let outcomes: Vec<Value> =
        (unread.into_iter()).map(|unread| unread.or_else(|| written.next()).unwrap_or_default()).collect();
    let (status, body) = answer_of(app, target, who, &outcomes, (alone, &view)).await?;
    // Secrets that are returned once are stored nowhere.
    let secret = outcomes.iter().any(|one| one.get(FIRST_ANSWER_ONLY).is_some());
    if let Some(once) = once.filter(|_| !secret) {
        let answered = StoredAnswer {
            status: i64::from(status.as_u16()),
            body: String::from_utf8(body.clone()).map_err(Error::internal)?,
        };
        app.book.store_answer(once, answered).await?;
    }
    let json = [(header::CONTENT_TYPE, "application/json")];
    Ok((status, json, body).into_response())
}

async fn write(
    app: &AppState,
    target: &Target,
    who: &Who,
    items: Vec<Item>,
    once: Option<IdempotencyKey>,
) -> Result<Before, Refusal> {
    let caller = Arc::clone(&who.principal);
    let c = target.collection;
    let as_json = move |outcome| match outcome {
        Outcome::Done(change, _) => {
            let mut entry = json!({"id": change.id});
            let once: Map<String, Value> =
                (shown_once(c, &change).into_iter()).map(|(name, value)| (name.to_owned(), value)).collect();
            if let Some(members) = entry.as_object_mut().filter(|_| !once.is_empty()) {
                members.insert(FIRST_ANSWER_ONLY.to_owned(), once.into());
            }
            entry
        }
        Outcome::Unchanged(id, _, _) => json!({"id": id}),
        Outcome::Refused(error) => refused(&Refusal::of(error, c.slug, None)),
    };
    let written = match once {
        Some(once) => app.book.write_idempotent(caller, c, items, once, as_json).await,
        None => {
            let outcomes = app.book.write(caller, c, items).await;
            outcomes.map(|all| Before::New(all.into_iter().map(as_json).collect()))
        }
    };
    target.ok(written)
}

/// A document that was not created: `{"status":400,"errors":[…]}`.
fn refused(refusal: &Refusal) -> Value {
    let (status, errors) = refusal.status_and_errors();
    json!({"status": status, "errors": errors})
}

/// The answer to outcomes: `{"id":…}`, or what [`refused`] says.
async fn answer_of(
    app: &AppState,
    target: &Target,
    who: &Who,
    outcomes: &[Value],
    (alone, view): (bool, &View),
) -> Result<(StatusCode, Vec<u8>), Refusal> {
    let ids: Vec<i64> = outcomes.iter().filter_map(id).collect();
    let mut documents = DocumentBudget::new().documents(app, target, who, &ids, view).await?;
    for outcome in outcomes {
        let once = outcome.get(FIRST_ANSWER_ONLY).and_then(Value::as_object);
        if let (Some(id), Some(once)) = (id(outcome), once) {
            let document = documents.swap_remove(&id);
            let document = document.unwrap_or_else(|| written::only(id));
            let members = once.iter().map(|(name, value)| (name.as_str(), value.clone()));
            documents.insert(id, append_members::append(document, members));
        }
    }
    let label = &target.collection.singular;
    if !alone {
        return Ok(many(target, outcomes, &documents));
    }
    let first = outcomes.first();
    Ok(match first.and_then(id) {
        Some(id) => {
            let document = documents.get(&id).cloned();
            let document = document.unwrap_or_else(|| written::only(id));
            let message = format!("{label} successfully created.");
            (StatusCode::CREATED, written::body(&document, &message))
        }
        None => {
            let status = first.and_then(status);
            let errors = first.and_then(|outcome| outcome.get("errors"));
            let body = json!({"errors": errors}).to_string().into_bytes();
            (status.unwrap_or(StatusCode::BAD_REQUEST), body)
        }
    })
}

/// `{"results":[{"index":0,"status":201,"doc":…},{"index":1,"status":400,"errors":[…]}], "message":…}`: 201 when all
/// were created, 207 when some were; when none was, the status that all have in common, or 400.
fn many(target: &Target, outcomes: &[Value], documents: &IndexMap<i64, Vec<u8>>) -> (StatusCode, Vec<u8>) {
    let all_findings = handling::findings();
    let mut body = b"{\"results\":[".to_vec();
    let mut created = 0;
    for (index, outcome) in outcomes.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        body.extend_from_slice(format!("{comma}{{\"index\":{index},").as_bytes());
        if let Some(id) = id(outcome) {
            created += 1;
            let status = if ops::is_dry_run() { 200 } else { 201 };
            body.extend_from_slice(format!("\"status\":{status},\"doc\":").as_bytes());
            match documents.get(&id) {
                Some(document) => body.extend_from_slice(document),
                None => body.extend_from_slice(&written::only(id)),
            }
            if let Some(all_findings) = findings::by(&all_findings, id) {
                body.extend_from_slice(format!(",\"{}\":{all_findings}", findings::MEMBER).as_bytes());
            }
            body.push(b'}');
        } else {
            let text = outcome.to_string();
            body.extend_from_slice(text.strip_prefix('{').unwrap_or(&text).as_bytes());
        }
    }
    let total = outcomes.len();
    let c = target.collection;
    let label = if total == 1 { &c.singular } else { &c.plural };
    let (status, message) = match total - created {
        0 => {
            let message = format!("{total} {label} successfully created.");
            (StatusCode::CREATED, message)
        }
        failed => {
            let status = if created > 0 {
                StatusCode::MULTI_STATUS
            } else {
                let first = outcomes.first().and_then(status);
                let common = first.filter(|first| outcomes.iter().all(|t| status(t) == Some(*first)));
                common.unwrap_or(StatusCode::BAD_REQUEST)
            };
            let message = format!("Unable to create {failed} out of {total} {label}.");
            (status, message)
        }
    };
    let message = Value::from(ops::written(message));
    body.extend_from_slice(format!("],\"message\":{message}}}").as_bytes());
    (status, body)
}

fn id(outcome: &Value) -> Option<i64> {
    outcome.get("id").and_then(Value::as_i64)
}

fn status(outcome: &Value) -> Option<StatusCode> {
    let status = u16::try_from(outcome.get("status")?.as_u64()?).ok()?;
    StatusCode::from_u16(status).ok()
}
