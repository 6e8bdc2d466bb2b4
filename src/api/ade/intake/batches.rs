//! Batches as resources: accepted for later, inspected, their results read again, and retracted.

use super::super::error::{self, Fault, Refusal, Reply};
use super::super::query::Query;
use super::super::query::request_options::RequestOptions;
use super::super::target::{self, Call};
use super::super::{ROOT, json};
use super::answers;
use crate::AppState;
use crate::layers::prefer::Prefer;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use exchange::{Batch, BatchOrder, BatchStage, PART};
use futures_util::{Stream, StreamExt, TryStreamExt};
use model::error::{Error, Result as Done};
use model::record::json_in::Split;
use model::registry::Principal;
use serde_json::json;
use std::sync::Arc;

/// Seconds until a client looks again at a batch that is not done.
const LOOK_AGAIN: u64 = 2;
/// Parts whose elements are left in one transaction.
const LEFT_TOGETHER: usize = 4;

pub(in crate::ade) fn address(id: &str) -> String {
    format!("{ROOT}/batches/{id}")
}

/// Leaves a batch to be worked on, and returns the address of its result.
pub(in crate::ade) async fn later(
    app: &AppState,
    order: BatchOrder,
    split: &Split<'_>,
    options: &RequestOptions,
) -> Reply {
    let id = order.id.clone();
    let items = order.items;
    app.exchange.batches().enter(&app.book, order).await?;
    let mut parts = Vec::new();
    let (mut from, mut number) = (0, 0);
    while from < items {
        let end = split.part_end(from, app.settings.exchange_chunk, PART);
        let elements: Vec<&str> = (from..end).map_while(|at| split.raw(at)).collect();
        parts.push((number, elements.len(), format!("[{}]", elements.join(","))));
        (from, number) = (end, number + 1);
        if parts.len() == LEFT_TOGETHER {
            let parts = std::mem::take(&mut parts);
            app.exchange.batches().leave(&app.book, &id, parts).await?;
        }
    }
    if !parts.is_empty() {
        app.exchange.batches().leave(&app.book, &id, parts).await?;
    }
    app.exchange.batches().release(&app.book, &id).await?;
    let batch = app.exchange.batches().batch(&app.book, &id).await?;
    let batch = batch.ok_or_else(|| Error::internal("the batch no longer exists"))?;
    let mut response = standing(&batch);
    if let Ok(at) = HeaderValue::from_str(&address(&id)) {
        response.headers_mut().insert(header::LOCATION, at);
    }
    if options.prefer.asynchronous {
        Prefer::applied(&mut response, "respond-async");
    }
    Ok(options.granted(response))
}

fn standing(batch: &Batch) -> Response {
    let state = match (batch.stage, batch.done > 0 || batch.taken) {
        (BatchStage::Done, _) => "done",
        (BatchStage::Arriving, _) | (BatchStage::Waiting, false) => "waiting",
        _ => "running",
    };
    let body = json!({
        "id": batch.order.id,
        "state": state,
        "items": batch.order.items,
        "done": batch.done,
        "created": ade::time::format(batch.created),
    });
    let mut response = json(StatusCode::ACCEPTED, body.to_string().into_bytes());
    let wait = HeaderValue::from(LOOK_AGAIN);
    response.headers_mut().insert(header::RETRY_AFTER, wait);
    response
}

/// A batch that the caller may know of. Foreign and unknown: one answer.
async fn visible_batch(app: &AppState, caller: &Principal, id: &str) -> Result<Batch, Refusal> {
    let batch = app.exchange.batches().batch(&app.book, id).await?;
    batch
        .filter(|batch| batch.is_of(caller))
        .filter(|batch| opens(caller, &batch.order.dataset))
        .ok_or_else(|| Fault::new(error::RESOURCE, "There is no such batch.").into())
}

/// Whether the caller's API key, if there is one, is not limited to other data sets.
fn opens(caller: &Principal, dataset: &str) -> bool {
    caller.key.as_ref().is_none_or(|key| key.opens(dataset))
}

/// `GET` of a batch: its results, or how far it is.
pub(in crate::ade) async fn get(Call(app, id, raw, headers): Call<String>) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    let batch = visible_batch(&app, &caller, &id).await?;
    let mut response = if batch.stage == BatchStage::Done {
        streamed(app.exchange.batches().results(&app.book.store, &id))
    } else {
        standing(&batch)
    };
    ignored.tell(&mut response);
    Ok(response)
}

/// `DELETE` of a batch: deletes what it created, unless that was changed since.
pub(in crate::ade) async fn delete(Call(app, id, raw, headers): Call<String>) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    let batch = visible_batch(&app, &caller, &id).await?;
    target::may_write(&caller)?;
    let set = Some(batch.order.dataset.as_str());
    target::sends(&app, &caller, batch.order.location, set).await?;
    if batch.stage != BatchStage::Done {
        let detail = "The batch is still in work; it can be taken back after it has ended.";
        let fault = Fault::new(error::CONFLICT, detail).fine("batch-not-done");
        return Err(Refusal::from(fault).header(header::RETRY_AFTER, LOOK_AGAIN.into()));
    }
    let parts = async_stream::try_stream! {
        for number in 0.. {
            let part = (batch.order.clone(), number);
            let tell = answers::teller(&app.exchange);
            let results = app.exchange.batches().retract_part(&app.book, Arc::clone(&caller), part, tell);
            match results.await? {
                Some(results) => yield results,
                None => break,
            }
        }
    };
    let mut response = streamed(parts);
    ignored.tell(&mut response);
    Ok(response)
}

/// Results as an array, part by part.
fn streamed(parts: impl Stream<Item = Done<String>> + Send + 'static) -> Response {
    let joined = parts.enumerate().map(|(at, part)| part.map(|part| if at > 0 { format!(",{part}") } else { part }));
    let end = |text: &'static str| futures_util::stream::once(async move { Ok(text.to_owned()) });
    let all = end("[").chain(joined).chain(end("]"));
    // The answer has begun: all that can be done is to break it off.
    let all = all.inspect_err(|error: &Error| tracing::error!(%error, "results broke off"));
    let mut response = json(StatusCode::OK, Vec::new());
    *response.body_mut() = Body::from_stream(all.map_err(|error| error.to_string()));
    response
}
