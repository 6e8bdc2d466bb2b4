//! Reading a location: pages of a collection, and single resources.

use super::super::error::{self, Fault, Refusal, Reply};
use super::super::query::Query;
use super::super::query::filters::Filters;
use super::super::target::{self, Call, Segments};
use super::computed;
use super::links::{self, Paging};
use super::page::{answer, cacheable, path};
use crate::AppState;
use crate::layers::poll_interval;
use crate::layers::prefer::Prefer;
use ade::Envelope;
use axum::extract::{OriginalUri, State};
use std::sync::Arc;

type CollectionPath = (String, String, String);
type ResourcePath = (String, String, String, String);

pub(in crate::ade) async fn list(
    Call(app, (scheme, id, name), raw, headers): Call<CollectionPath>,
    OriginalUri(uri): OriginalUri,
) -> Reply {
    if let Some(statistics) = computed::find(&app, &name) {
        let request =
            computed::StatisticsRequest { scheme: &scheme, id: &id, raw: raw.as_deref(), uri: &uri, headers: &headers };
        return computed::list(&app, statistics, request).await;
    }
    let mapping = target::collection(&app, &name)?;
    let caller = target::signed_in(&app, &headers).await?;
    let location = target::location(&app, &caller, &scheme, &id).await?;
    let mut query = Query::read(raw.as_deref());
    let filters = Filters::read(mapping, &mut query);
    let path = path(&scheme, &id, &name);
    let paging = Paging::read(&app, &headers, &uri, &path, &mut query);
    let ignored = query.ignored(&Prefer::read(&headers))?;
    let request = filters.feed_query(mapping, location, &paging);
    let page = app.exchange.lists().page(&app.book.store, &request).await?;
    let view = paging.view(&app, &page);
    let mut envelope = Envelope::collection(&view);
    envelope.reserve(page.bodies.len() + 2);
    if page.count > 0 {
        // The members as they are stored, commas included.
        envelope.member(&page.bodies);
    }
    let mut response = answer(envelope.finish(), &ignored);
    links::tell(&view, &mut response);
    poll_interval::tell(&app, &mut response, mapping.dataset(), Some(location)).await;
    Ok(response)
}

pub(in crate::ade) async fn one(Call(app, (scheme, id, name, key), _, headers): Call<ResourcePath>) -> Reply {
    let mapping = target::collection(&app, &name)?;
    let caller = target::signed_in(&app, &headers).await?;
    let location = target::location(&app, &caller, &scheme, &id).await?;
    let document = app.exchange.lists().resource(&app.book.store, mapping.dataset(), location, &key).await?;
    match document {
        Some(body) => Ok(cacheable(body.into_bytes())),
        None => Err(Fault::new(error::RESOURCE, "This location has no such resource.").into()),
    }
}

/// A method that the collection does not have; `Allow` lists those that it has.
pub(in crate::ade) async fn no_method(
    State(app): State<Arc<AppState>>,
    Segments((_, _, name)): Segments<CollectionPath>,
) -> Refusal {
    match target::collection(&app, &name) {
        Ok(mapping) => target::no_method(mapping, &name),
        Err(_) if computed::find(&app, &name).is_some() => target::read_alone(),
        Err(unknown) => unknown,
    }
}
