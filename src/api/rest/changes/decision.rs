//! What the approval of a request would do (docs/requests.md). Who may not read the request learns nothing of it.

use super::super::call::{Call, Reply};
use super::super::target::Target;
use crate::AppState;
use axum::Json;
use axum::response::IntoResponse;
use domain::collections::decision_preview;
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::registry::{BookReader, Feature, Lookup, Principal};
use serde_json::Value;
use std::sync::Arc;

/// `GET /api/<slug>/<id>/decision`: which animals an approval would hold back now, and why; of a decided request, which
/// ones it did.
pub(crate) async fn preview_decision(Call(app, target, who, _): Call) -> Reply {
    if !target.collection.is(Feature::Requests) {
        return Err(target.no_route());
    }
    let id = target.row()?;
    let preview = target.ok(preview(&app, &target, &who.principal, id).await)?;
    Ok(Json(preview).into_response())
}

async fn preview(app: &AppState, target: &Target, caller: &Arc<Principal>, id: i64) -> Result<Value> {
    let (c, caller) = (target.collection, Arc::clone(caller));
    let view = ops::View::read(&Tree::empty(), 0);
    let read = app.book.by_id(&caller, c, id, view).await;
    read.map_err(|error| match error {
        // Strangers get the answer of everybody who may not read it.
        Error::Forbidden(_) | Error::Unauthenticated => Error::NotFound,
        other => other,
    })?;
    let preview = app.book.transact(move |work| {
        Box::pin(async move {
            work.set_caller(&caller);
            let rows = work.find(c.slug, Lookup::by_ids("id", [id])).await?;
            let row = rows.first().ok_or(Error::NotFound)?;
            decision_preview(work, row).await
        })
    });
    preview.await
}
