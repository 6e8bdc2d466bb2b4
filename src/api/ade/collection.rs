//! Reading a location: pages of a collection, and single resources.

use super::super::Hub;
use super::error::{self, Fault, Refusal};
use super::links::Paging;
use super::query::{Ignored, Query, quoted};
use super::target::{self, Segments};
use super::{ROOT, json};
use crate::exchange::Asked;
use crate::mapping::{Mapping, Part};
use ade::Envelope;
use axum::extract::{OriginalUri, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use std::sync::Arc;

type Three = (String, String, String);
type Four = (String, String, String, String);

/// The address of a collection, quoted.
pub(super) fn path(scheme: &str, id: &str, collection: &str) -> String {
    format!(
        "{ROOT}/locations/{}/{}/{}",
        quoted(scheme),
        quoted(id),
        quoted(collection)
    )
}

pub(super) async fn list(
    State(hub): State<Arc<Hub>>,
    Segments((scheme, id, name)): Segments<Three>,
    RawQuery(raw): RawQuery,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let mapping = target::collection(&hub, &name)?;
    let caller = target::signed_in(&hub, &headers).await?;
    let location = target::location(&hub, &caller, &scheme, &id).await?;
    let mut query = Query::read(raw.as_deref());
    let filters = Filters::read(mapping, &mut query);
    let path = path(&scheme, &id, &name);
    let paging = Paging::read(&hub, &headers, &uri, &path, &mut query)?;
    let ignored = query.ignored()?;
    let asked = filters.asked(&hub, mapping, location, &paging).await?;
    let page = hub.exchange.page(&hub.book.store, &asked).await?;
    let view = paging.view(&hub, &page);
    let mut envelope = Envelope::collection(&view);
    envelope.reserve(page.bodies.len() + 2);
    if page.count > 0 {
        // The members as they stand, commas included.
        envelope.member(&page.bodies);
    }
    Ok(answer(envelope.finish(), &ignored))
}

pub(super) async fn one(
    State(hub): State<Arc<Hub>>,
    Segments((scheme, id, name, key)): Segments<Four>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let mapping = target::collection(&hub, &name)?;
    let caller = target::signed_in(&hub, &headers).await?;
    let location = target::location(&hub, &caller, &scheme, &id).await?;
    let found = hub
        .exchange
        .resource(&hub.book.store, mapping.dataset(), location, &key)
        .await?;
    match found {
        Some(body) => Ok(json(StatusCode::OK, body.into_bytes())),
        None => Err(Fault::new(error::RESOURCE, "This location has no such resource.").into()),
    }
}

/// A page with a note on what did not count.
pub(super) fn answer(body: Vec<u8>, ignored: &Ignored) -> Response {
    let mut response = json(StatusCode::OK, body);
    ignored.tell(&mut response);
    response
}

/// What narrows a list.
struct Filters {
    modified: (Option<i64>, Option<i64>),
    event: (Option<i64>, Option<i64>),
    animal: Option<(String, String)>,
}

impl Filters {
    /// Takes the filters that mean something for this collection.
    fn read(mapping: &Mapping, query: &mut Query) -> Self {
        let modified = (
            query.time("meta-modified-from"),
            query.time("meta-modified-to"),
        );
        let event = if mapping.has(Part::Event) {
            (query.time("date-from"), query.end("date-to"))
        } else {
            (None, None)
        };
        let about = mapping.has(Part::Animal);
        let animal = about.then(|| pair(query)).flatten();
        Self {
            modified,
            event,
            animal,
        }
    }

    async fn asked(
        self,
        hub: &Hub,
        mapping: &Mapping,
        location: i64,
        paging: &Paging,
    ) -> Result<Asked, Refusal> {
        let animals = match &self.animal {
            Some((scheme, id)) => {
                let store = &hub.book.store;
                Some(hub.exchange.animals(store, mapping, scheme, id).await?)
            }
            None => None,
        };
        Ok(Asked {
            dataset: mapping.dataset().to_owned(),
            location,
            modified_from: self.modified.0,
            modified_to: self.modified.1,
            event_from: self.event.0,
            event_to: self.event.1,
            animals,
            limit: paging.size,
            turn: paging.cursor.turn,
        })
    }
}

/// An animal needs both of its parameters.
fn pair(query: &mut Query) -> Option<(String, String)> {
    match (query.take("animal-scheme"), query.take("animal-id")) {
        (Some(scheme), Some(id)) => {
            for (name, value) in [("animal-scheme", &scheme), ("animal-id", &id)] {
                if value.is_empty() {
                    query.fault(name, "is empty");
                }
            }
            Some((scheme, id))
        }
        (Some(_), None) => {
            query.fault("animal-id", "is needed together with animal-scheme");
            None
        }
        (None, Some(_)) => {
            query.fault("animal-scheme", "is needed together with animal-id");
            None
        }
        (None, None) => None,
    }
}
