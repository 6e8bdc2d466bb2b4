//! The documents of rows that a caller just wrote, or is about to delete.

use super::super::findings;
use super::super::submissions::previewed;
use super::super::target::Target;
use crate::caller::Who;
use crate::{AppState, Refusal};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use indexmap::IndexMap;
use model::error::{Error, Result};
use model::registry::Collection;
use ops::{Item, Outcome, View, shown_once};
use serde_json::Value;
use std::sync::Arc;

/// Members that only this answer shows.
pub(crate) type GeneratedValues = Vec<(&'static str, Value)>;

/// Rows that are read at a time.
pub(in crate::rest) const PART: usize = 500;
/// Bytes of documents that one request may hold. Rows beyond it are shown by their ids.
const DOCUMENT_BYTES: usize = 32 * 1024 * 1024;

pub(in crate::rest) async fn document(
    app: &AppState,
    target: &Target,
    who: &Who,
    id: i64,
    view: &View,
) -> Result<Vec<u8>, Refusal> {
    let mut documents = target.ok(app.book.documents(&who.principal, target.collection, &[id], view).await)?;
    // Another caller may have deleted the row meanwhile.
    let document = documents.swap_remove(&id).unwrap_or_else(|| only(id));
    Ok(previewed::unread(target.collection, &document).unwrap_or(document))
}

/// The memory for documents that stay until the end of a request.
#[derive(Debug)]
pub(in crate::rest) struct DocumentBudget {
    room: usize,
}

impl DocumentBudget {
    pub(in crate::rest) fn new() -> Self {
        Self { room: DOCUMENT_BYTES }
    }

    /// The documents of rows, as long as there is room for them.
    pub(in crate::rest) async fn documents(
        &mut self,
        app: &AppState,
        target: &Target,
        who: &Who,
        ids: &[i64],
        view: &View,
    ) -> Result<IndexMap<i64, Vec<u8>>, Refusal> {
        let mut all = IndexMap::with_capacity(ids.len());
        for ids in ids.chunks(PART) {
            if self.room == 0 {
                break;
            }
            let documents = app.book.documents(&who.principal, target.collection, ids, view);
            for (id, document) in target.ok(documents.await)? {
                self.room = self.room.saturating_sub(document.len());
                all.insert(id, document);
            }
        }
        Ok(all)
    }
}

/// A row of which the caller may see only the id.
pub(in crate::rest) fn only(id: i64) -> Vec<u8> {
    format!("{{\"id\":{id}}}").into_bytes()
}

/// `{"doc":…,"message":…}`, and `findings` where the write made some.
pub(in crate::rest) fn body(doc: &[u8], message: &str) -> Vec<u8> {
    let message = Value::from(ops::written(message.to_owned())).to_string();
    let mut body = Vec::with_capacity(doc.len() + message.len() + 24);
    body.extend_from_slice(b"{\"doc\":");
    body.extend_from_slice(doc);
    if let Some(list) = findings::all() {
        body.extend_from_slice(format!(",\"{}\":{list}", findings::MEMBER).as_bytes());
    }
    body.extend_from_slice(b",\"message\":");
    body.extend_from_slice(message.as_bytes());
    body.push(b'}');
    body
}

/// `{"doc":…,"message":…}`
pub(in crate::rest) fn answer(status: StatusCode, doc: &[u8], message: &str) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, body(doc, message)).into_response()
}

/// Writes one row and answers its id, with the values that are shown only once.
pub(crate) async fn write(
    app: &AppState,
    c: &'static Collection,
    who: &Who,
    item: Item,
) -> Result<(i64, GeneratedValues)> {
    let caller = Arc::clone(&who.principal);
    let outcomes = app.book.write(caller, c, vec![item]);
    match outcomes.await?.into_iter().next() {
        Some(Outcome::Done(change, _)) => Ok((change.id, shown_once(c, &change))),
        Some(Outcome::Unchanged(id, _, _)) => Ok((id, GeneratedValues::new())),
        Some(Outcome::Refused(error)) => Err(error),
        None => Err(Error::internal("the write has no result")),
    }
}
