//! The locations that a caller may use.

use super::error::{Refusal, Reply};
use super::lists::links::{self, Paging};
use super::lists::page::answer;
use super::query::Query;
use super::{ROOT, target};
use crate::AppState;
use crate::layers::prefer::Prefer;
use ade::Envelope;
use axum::extract::{OriginalUri, RawQuery, State};
use axum::http::HeaderMap;
use exchange::{LOCATIONS, ListQuery, Page};
use model::error::Error;
use model::registry::Principal;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

fn numbers(page: &Page) -> Result<Vec<i64>, Refusal> {
    #[derive(Deserialize)]
    struct Location {
        identifier: Identifier,
    }
    #[derive(Deserialize)]
    struct Identifier {
        id: String,
    }
    let text = [b"[", &*page.bodies, b"]"].concat();
    let all: Vec<Location> = serde_json::from_slice(&text).map_err(Error::internal)?;
    let number = |one: &Location| one.identifier.id.parse().ok();
    Ok(all.iter().filter_map(number).collect())
}

/// When data came in last at those of these locations that the caller reads, by source: to a minute, the latest first.
pub(super) async fn freshness(app: &AppState, caller: &Principal, locations: &[i64]) -> Result<Value, Refusal> {
    let store = &app.book.store;
    let read = |id: &i64| caller.sees_all() || caller.organization == Some(*id);
    let locations: Vec<i64> = locations.iter().copied().filter(read).collect();
    let all = app.exchange.intake().last_intakes(store, &locations).await?;
    let intakes = all.into_iter().map(|one| {
        json!({
            "location": {
                "scheme": app.exchange.rules().location_scheme(),
                "id": one.location.to_string(),
            },
            "source": one.source,
            "at": ade::time::format(one.at),
        })
    });
    Ok(intakes.collect())
}

pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    RawQuery(raw): RawQuery,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    let mut query = Query::read(raw.as_deref());
    let path = format!("{ROOT}/locations");
    let modified = (query.time("meta-modified-from"), query.time("meta-modified-to"));
    let paging = Paging::read(&app, &headers, &uri, &path, &mut query);
    let ignored = query.ignored(&Prefer::read(&headers))?;
    let (store, turn) = (&app.book.store, paging.cursor.turn);
    let mandated = target::mandated(&app, &caller);
    let page = if caller.sees_all() {
        let all = app.exchange.lists().locations(store, None, modified, turn, paging.size);
        all.await?
    } else if let (Some(own), [_, ..]) = (caller.organization, &*mandated) {
        let all = [&[own], &*mandated].concat();
        let page = app.exchange.lists().locations(store, Some(&all), modified, turn, paging.size);
        page.await?
    } else if let Some(location) = caller.organization {
        let own = ListQuery {
            dataset: LOCATIONS.to_owned(),
            location,
            modified_from: modified.0,
            modified_to: modified.1,
            limit: paging.size,
            turn,
            ..ListQuery::default()
        };
        app.exchange.lists().page(store, &own).await?
    } else {
        Page::default()
    };
    let view = paging.view(&app, &page);
    let mut envelope = Envelope::collection(&view);
    if page.count > 0 {
        envelope.member(&page.bodies);
    }
    let supported = target::supported(&app).into();
    let ids = numbers(&page)?;
    let fresh = freshness(&app, &caller, &ids).await?;
    let extra = Map::from_iter([("supportedCollections".to_owned(), supported), ("lastIntakes".to_owned(), fresh)]);
    let mut response = answer(envelope.finish_with(&extra), &ignored);
    links::tell(&view, &mut response);
    Ok(response)
}
