//! What the approval of a request would do (docs/requests.md). Who may not read the request learns nothing of it.

use super::super::call::{Call, Reply};
use axum::Json;
use axum::response::IntoResponse;
use domain::collections::decision_preview;
use model::error::Error;
use model::registry::{BookReader, Feature, Lookup};
use ops::View;
use std::sync::Arc;

/// `GET /api/<slug>/<id>/decision`: which animals an approval would hold back now, and why; of a decided request, which
/// ones it did.
pub(crate) async fn preview_decision(Call(app, target, who, _): Call) -> Reply {
    if !target.collection.is(Feature::Requests) {
        return Err(target.no_route());
    }
    let (id, _) = target.document(&app, &who, View::default()).await?;
    let (c, caller) = (target.collection, Arc::clone(&who.principal));
    let preview = app.book.transact(move |work| {
        Box::pin(async move {
            work.set_caller(&caller);
            let rows = work.find(c.slug, Lookup::by_ids("id", [id])).await?;
            let row = rows.first().ok_or(Error::NotFound)?;
            decision_preview(work, row).await
        })
    });
    Ok(Json(target.ok(preview.await)?).into_response())
}
