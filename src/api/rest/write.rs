//! Create, update and delete by id. Bodies are read here; who may write what, and whether
//! it is right, is decided by the pipeline below.

use super::read;
use super::target::Target;
use super::view::View;
use crate::api::caller::Who;
use crate::api::{Hub, Refusal, body};
use crate::error::{Error, Result};
use crate::ops::{Item, Outcome, parse_body};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::sync::Arc;

/// `POST /api/<slug>`; with a method override a list.
pub(crate) async fn create(
    State(hub): State<Arc<Hub>>,
    target: Target,
    who: Who,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    if read::overridden(&headers) {
        let query = read::posted(&hub, &target, &headers, body).await?;
        return read::page(&hub, &target, &who, &query).await;
    }
    let c = target.collection;
    let view = View::read(&hub, &target.tree()?);
    let members = body::object(&hub, c.slug, &headers, body).await?;
    let (values, issues) = parse_body(c, &members, None);
    let item = Item::create(values).with_issues(issues);
    let id = (write(&hub, &target, &who, item).await).map_err(|error| target.refuse(error))?;
    let doc = written_document(&hub, &target, &who, id, view).await?;
    let message = format!("{} successfully created.", c.singular);
    Ok(answer(StatusCode::CREATED, &doc, &message))
}

/// `PATCH /api/<slug>/<id>`
pub(crate) async fn update(
    State(hub): State<Arc<Hub>>,
    target: Target,
    who: Who,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let id = target.row()?;
    let c = target.collection;
    let view = View::read(&hub, &target.tree()?);
    let members = body::object(&hub, c.slug, &headers, body).await?;
    let (values, issues) = parse_body(c, &members, None);
    let item = Item::update(id, values).with_issues(issues);
    let written = write(&hub, &target, &who, item).await;
    written.map_err(|error| target.refuse_row(error, id))?;
    let doc = written_document(&hub, &target, &who, id, view).await?;
    Ok(answer(StatusCode::OK, &doc, "Updated successfully."))
}

/// `DELETE /api/<slug>/<id>`; answers the document as it was.
pub(crate) async fn delete(
    State(hub): State<Arc<Hub>>,
    target: Target,
    who: Who,
) -> Result<Response, Refusal> {
    let id = target.row()?;
    let view = View::read(&hub, &target.tree()?);
    let found = read::document(&hub, &who.principal, target.collection, id, view).await;
    let doc = match found {
        // Whether this is 403 or 404 is for the rule of the deletion to say.
        Err(Error::NotFound | Error::Forbidden(_)) => only(id),
        found => found.map_err(|error| target.refuse(error))?,
    };
    let written = write(&hub, &target, &who, Item::delete(id)).await;
    written.map_err(|error| target.refuse_row(error, id))?;
    Ok(answer(StatusCode::OK, &doc, "Deleted successfully."))
}

/// Writes one row and answers its id.
async fn write(hub: &Hub, target: &Target, who: &Who, item: Item) -> Result<i64> {
    let caller = Arc::clone(&who.principal);
    let outcomes = hub.book.write(caller, target.collection, vec![item]);
    match outcomes.await?.into_iter().next() {
        Some(Outcome::Done(change, _)) => Ok(change.id),
        Some(Outcome::Unchanged(id, _, _)) => Ok(id),
        Some(Outcome::Refused(error)) => Err(error),
        None => Err(Error::internal("a write without an outcome")),
    }
}

/// The document of a row that the caller just wrote.
async fn written_document(
    hub: &Hub,
    target: &Target,
    who: &Who,
    id: i64,
    view: View,
) -> Result<Vec<u8>, Refusal> {
    let c = target.collection;
    let ids = [id];
    let documents = hub.book.documents(&who.principal, c, &ids, view.depth);
    let mut documents = documents.await.map_err(|error| target.refuse(error))?;
    // Somebody may have deleted the row meanwhile.
    Ok(documents.swap_remove(&id).unwrap_or_else(|| only(id)))
}

/// A row of which nothing but the id can be told.
fn only(id: i64) -> Vec<u8> {
    format!("{{\"id\":{id}}}").into_bytes()
}

/// `{"doc":…,"message":…}`
fn answer(status: StatusCode, doc: &[u8], message: &str) -> Response {
    let message = Value::from(message).to_string();
    let mut body = Vec::with_capacity(doc.len() + message.len() + 24);
    body.extend_from_slice(b"{\"doc\":");
    body.extend_from_slice(doc);
    body.extend_from_slice(b",\"message\":");
    body.extend_from_slice(message.as_bytes());
    body.push(b'}');
    let json = (header::CONTENT_TYPE, "application/json");
    (status, [json], body).into_response()
}
