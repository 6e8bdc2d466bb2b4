//! One request and one operation of it, and what an operation answers.

use super::fault::Fault;
use super::model::Verb;
use super::plan::{Pick, ROWS_MAX};
use crate::AppState;
use crate::caller::Who;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use model::error::Error;
use model::said;
use ops::Totals;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// A request under way.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) app: Arc<AppState>,
    pub(super) who: Who,
}

#[derive(Debug, Default)]
pub(super) struct OperationAnswer {
    pub(super) document: Json,
    pub(super) cookies: Vec<String>,
    /// Records that are read while the answer is written, in place of the document.
    pub(super) rows: Option<Parts>,
}

/// Records as lines, a part at a time.
pub(super) struct Parts(pub(super) BoxStream<'static, Result<Bytes, Error>>);

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parts")
    }
}

/// What the operation at a place answers while it is read.
pub(super) struct Rows {
    pub(super) at: usize,
    pub(super) rows: BoxStream<'static, Result<Bytes, Error>>,
}

impl From<Json> for OperationAnswer {
    fn from(document: Json) -> Self {
        Self { document, ..Self::default() }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Job<'p, 'm> {
    pub(super) verb: Verb,
    pub(super) args: &'p Map<String, Json>,
    pub(super) picks: &'p [Pick<'m>],
    /// Whether it may be answered while it is read.
    pub(super) long: bool,
}

/// The record that is meant; what is no id names none.
pub(super) fn id(args: &Map<String, Json>) -> Result<i64, Fault> {
    let id = args.get("id").and_then(Json::as_i64);
    id.ok_or_else(|| Error::NotFound.into())
}

pub(super) fn parsed(bytes: &[u8]) -> Result<Json, Fault> {
    serde_json::from_slice(bytes).map_err(|why| Error::internal(why).into())
}

pub(super) fn totals(totals: Totals) -> Map<String, Json> {
    let members = json!({
        "hasNextPage": false, "hasPrevPage": false, "limit": totals.limit, "nextPage": null,
        "page": totals.page, "pagingCounter": totals.counter, "prevPage": null,
        "totalDocs": totals.total_docs, "totalPages": totals.total_pages,
    });
    match members {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

/// More than can be held.
pub(super) fn too_many() -> Error {
    Error::Malformed(said!("More than {limit} records at once: ask for pages.", limit = ROWS_MAX))
}
