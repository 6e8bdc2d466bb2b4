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
use exchange::{LOCATIONS, ListQuery, Page, Turn};
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

/// A page of the locations that a caller may use, or has a mandate for.
pub(super) async fn page(
    app: &AppState,
    caller: &Principal,
    modified: (Option<i64>, Option<i64>),
    (turn, limit): (Turn, u64),
) -> Result<Page, Refusal> {
    let (store, lists) = (&app.book.store, app.exchange.lists());
    let mandated = target::mandated(app, caller);
    Ok(match (caller.sees_all(), caller.organization, &*mandated) {
        (true, ..) => lists.locations(store, None, modified, turn, limit).await?,
        (false, Some(own), [_, ..]) => {
            let all = [&[own], &*mandated].concat();
            lists.locations(store, Some(&all), modified, turn, limit).await?
        }
        (false, Some(location), []) => {
            let (dataset, (modified_from, modified_to)) = (LOCATIONS.to_owned(), modified);
            let own = ListQuery { dataset, location, modified_from, modified_to, limit, turn, ..ListQuery::default() };
            lists.page(store, &own).await?
        }
        (false, None, _) => Page::default(),
    })
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
    let page = page(&app, &caller, modified, (paging.cursor.turn, paging.size)).await?;
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
