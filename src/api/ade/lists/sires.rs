//! `GET /service-sires`: bulls by any of their numbers, at any location, for callers that are
//! signed in, as far as they may read them.

use super::super::error::Reply;
use super::super::query::Query;
use super::super::query::filters;
use super::super::{ROOT, target};
use super::links::{self, Paging};
use super::page::answer;
use crate::AppState;
use crate::layers::prefer::Prefer;
use ade::Envelope;
use ade::catalog::{Catalog, Filter};
use axum::extract::{OriginalUri, RawQuery, State};
use axum::http::HeaderMap;
use exchange::{SiresQuery, Turn};
use mapping::{Mapping, Part};
use std::sync::Arc;

/// Its name in the catalogue.
pub(in crate::ade) const NAME: &str = "service-sires";

/// The mapping of the animals themselves: its resource is that of the list.
pub(in crate::ade) fn mapping(app: &AppState) -> Option<&Mapping> {
    let entry = Catalog::get().collection(NAME)?;
    let mut served = target::served(app);
    served.find(|m| m.resource() == entry.resource && m.has(Part::Animal))
}

pub(in crate::ade) async fn list(
    State(app): State<Arc<AppState>>,
    RawQuery(raw): RawQuery,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Reply {
    let mapping = mapping(&app).ok_or_else(|| target::unknown(&app, NAME))?;
    let caller = target::signed_in(&app, &headers).await?;
    let mut query = Query::read(raw.as_deref());
    let numbers = match Filter::Identifier.parameters() {
        [scheme, id] => query.pairs(scheme, id),
        _ => None,
    };
    let numbers = numbers.map(|pairs| filters::numbers(mapping, &pairs));
    let path = format!("{ROOT}/{NAME}");
    let paging = Paging::read(&app, &headers, &uri, &path, &mut query);
    let ignored = query.ignored(&Prefer::read(&headers))?;
    let sires_query = SiresQuery {
        numbers,
        after: match paging.cursor.turn {
            Turn::After(id) => Some(id),
            _ => None,
        },
        limit: paging.size,
    };
    let herd = app.exchange.lists().sires(&app.book, &caller, mapping, &sires_query);
    let herd = herd.await?;
    let view = paging.forward(&app, herd.last.filter(|_| herd.more));
    let mut envelope = Envelope::collection(&view);
    if herd.count > 0 {
        envelope.member(&herd.bodies);
    }
    let mut response = answer(envelope.finish(), &ignored);
    links::tell(&view, &mut response);
    Ok(response)
}
