//! The permissions of the caller, before a request is made.

use crate::AppState;
use crate::caller::Who;
use crate::rest::call::{Call, JsonReply};
use axum::Json;
use axum::extract::State;
use model::registry::Caller;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `GET /api/access`: every collection with which anything may be done.
pub(super) async fn all(State(app): State<Arc<AppState>>, who: Who) -> Json<Value> {
    let permissions = app.book.registry.iter().filter_map(|c| {
        let one = app.book.permissions(&who.principal, c);
        (!one.is_empty()).then(|| (c.slug.to_owned(), Value::Object(one)))
    });
    let collections: Map<String, Value> = permissions.collect();
    let mut answer = Map::new();
    if who.principal.caller == Caller::Association {
        answer.insert("canAccessAdmin".to_owned(), true.into());
    }
    answer.insert("collections".to_owned(), collections.into());
    Json(answer.into())
}

/// `POST /api/<slug>/access`
pub(super) async fn collection(Call(app, target, who, _): Call) -> Json<Value> {
    let c = target.collection;
    Json(json!(app.book.permissions(&who.principal, c)))
}

/// `POST /api/<slug>/access/<id>`: the same answer for rows that are not there and rows that the caller does not see.
pub(super) async fn row(Call(app, target, who, _): Call) -> JsonReply {
    let id = target.row()?;
    let permissions = app.book.row_permissions(&who.principal, target.collection, id);
    Ok(Json(json!(permissions.await?)))
}
