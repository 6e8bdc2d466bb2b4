//! The locations that a caller may use.

use super::super::Hub;
use super::collection::answer;
use super::error::Refusal;
use super::links::Paging;
use super::query::Query;
use super::{ROOT, target};
use crate::exchange::{Asked, LOCATIONS, Page};
use ade::Envelope;
use axum::extract::{OriginalUri, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::Map;
use std::sync::Arc;

pub(super) async fn list(
    State(hub): State<Arc<Hub>>,
    RawQuery(raw): RawQuery,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let caller = target::signed_in(&hub, &headers).await?;
    let mut query = Query::read(raw.as_deref());
    let path = format!("{ROOT}/locations");
    let paging = Paging::read(&hub, &headers, &uri, &path, &mut query)?;
    let ignored = query.ignored()?;
    let (store, turn) = (&hub.book.store, paging.cursor.turn);
    let page = if caller.sees_all() {
        hub.exchange.locations(store, turn, paging.size).await?
    } else if let Some(location) = caller.organization {
        let own = Asked {
            dataset: LOCATIONS.to_owned(),
            location,
            modified_from: None,
            modified_to: None,
            event_from: None,
            event_to: None,
            animals: None,
            limit: paging.size,
            turn,
        };
        hub.exchange.page(store, &own).await?
    } else {
        Page::default()
    };
    let mut envelope = Envelope::collection(&paging.view(&hub, &page));
    if page.count > 0 {
        envelope.member(&page.bodies);
    }
    let supported = target::supported(&hub).into();
    let extra = Map::from_iter([("supportedCollections".to_owned(), supported)]);
    Ok(answer(envelope.finish_with(&extra), &ignored))
}
