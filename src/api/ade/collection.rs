//! Reading a location: pages of a collection, and single resources.

use super::computed;
use super::error::{self, Fault, Refusal};
use super::filters::Filters;
use super::links::{self, Paging};
use super::page::{answer, kept, path};
use super::poll_interval;
use super::query::Query;
use super::target::{self, Call, Segments};
use crate::Hub;
use crate::layers::prefer::Prefer;
use ade::Envelope;
use axum::extract::{OriginalUri, State};
use axum::response::Response;
use std::sync::Arc;

type Three = (String, String, String);
type Four = (String, String, String, String);

pub(super) async fn list(
    Call(hub, (scheme, id, name), raw, headers): Call<Three>,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, Refusal> {
    if let Some(statistics) = computed::find(&hub, &name) {
        let asked = computed::Asked {
            scheme: &scheme,
            id: &id,
            raw: raw.as_deref(),
            uri: &uri,
            headers: &headers,
        };
        return computed::list(&hub, statistics, asked).await;
    }
    let mapping = target::collection(&hub, &name)?;
    let caller = target::signed_in(&hub, &headers).await?;
    let location = target::location(&hub, &caller, &scheme, &id).await?;
    let mut query = Query::read(raw.as_deref());
    let filters = Filters::read(mapping, &mut query);
    let path = path(&scheme, &id, &name);
    let paging = Paging::read(&hub, &headers, &uri, &path, &mut query);
    let ignored = query.ignored(&Prefer::read(&headers))?;
    let asked = filters.asked(mapping, location, &paging);
    let page = hub.exchange.lists().page(&hub.book.store, &asked).await?;
    let view = paging.view(&hub, &page);
    let mut envelope = Envelope::collection(&view);
    envelope.reserve(page.bodies.len() + 2);
    if page.count > 0 {
        // The members as they are stored, commas included.
        envelope.member(&page.bodies);
    }
    let mut response = answer(envelope.finish(), &ignored);
    links::tell(&view, &mut response);
    poll_interval::tell(&hub, &mut response, mapping.dataset(), Some(location)).await;
    Ok(response)
}

pub(super) async fn one(
    Call(hub, (scheme, id, name, key), _, headers): Call<Four>,
) -> Result<Response, Refusal> {
    let mapping = target::collection(&hub, &name)?;
    let caller = target::signed_in(&hub, &headers).await?;
    let location = target::location(&hub, &caller, &scheme, &id).await?;
    let found = hub
        .exchange
        .lists()
        .resource(&hub.book.store, mapping.dataset(), location, &key)
        .await?;
    match found {
        Some(body) => Ok(kept(body.into_bytes())),
        None => Err(Fault::new(error::RESOURCE, "This location has no such resource.").into()),
    }
}

/// A method that the collection does not have; `Allow` lists those that it has.
pub(super) async fn no_method(
    State(hub): State<Arc<Hub>>,
    Segments((_, _, name)): Segments<Three>,
) -> Refusal {
    match target::collection(&hub, &name) {
        Ok(mapping) => target::no_method(mapping, &name),
        Err(_) if computed::find(&hub, &name).is_some() => target::read_alone(),
        Err(unknown) => unknown,
    }
}
