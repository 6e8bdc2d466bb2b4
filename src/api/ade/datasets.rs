//! Data sets and their change feeds (the ADE standard, generic data exchange).

use super::error::{self, Fault, Refusal, Reply};
use super::lists::page;
use super::query::{Query, quoted};
use super::target::{self, Call};
use super::{ROOT, json};
use crate::AppState;
use crate::layers::prefer::Prefer;
use ade::dataset::Dataset;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use exchange::{AnimalSet, set_name};
pub(super) use exchange::{EVERYTHING, set_number as animal_set};
use mapping::{Mapping, Part};
use model::registry::Principal;
use model::said;
use std::sync::Arc;

/// Longest time to wait for a change, seconds.
pub(super) const WAIT_MAX: u64 = 60;

/// A data set: one mapping, or all.
#[derive(Clone, Copy)]
pub(super) enum Set<'h> {
    One(&'h Mapping),
    Everything,
}

/// All records of the animals of a set at the caller's location; sets of other locations stay unknown to the caller.
pub(super) async fn about(app: &AppState, caller: &Principal, name: &str) -> Result<Option<AnimalSet>, Refusal> {
    let Some(id) = animal_set(name) else {
        return Ok(None);
    };
    let mine = caller.sees_all() || caller.organization.is_some();
    let location = caller.organization.filter(|_| !caller.sees_all());
    let set = app.exchange.feeds().animal_set(&app.book.store, location, id).await?;
    Ok(set.filter(|_| mine))
}

fn described_set(app: &AppState, id: i64) -> Dataset {
    described(&set_name(id), located(app).filter(|m| m.has(Part::Animal)))
}

/// A data set with the types of these mappings.
fn described<'m>(name: &str, mappings: impl Iterator<Item = &'m Mapping>) -> Dataset {
    let mut contained_types: Vec<String> = Vec::new();
    for mapping in mappings {
        if !contained_types.iter().any(|t| t == mapping.resource()) {
            contained_types.push(mapping.resource().to_owned());
        }
    }
    let url = format!("{ROOT}/datasets/{}", quoted(name));
    let changes = format!("{url}/changes");
    Dataset { name: name.to_owned(), changes, url, contained_types, wait: Some(WAIT_MAX) }
}

impl<'h> Set<'h> {
    pub(super) fn find(app: &'h AppState, name: &str) -> Result<Self, Refusal> {
        if name == EVERYTHING {
            return Ok(Self::Everything);
        }
        let mapping = app.exchange.rules().mappings().get(name);
        let mapping = mapping.filter(|m| m.has(Part::Location));
        mapping.map(Self::One).ok_or_else(|| Self::unknown(app, name))
    }

    pub(super) fn unknown(app: &AppState, name: &str) -> Refusal {
        let names: Vec<&str> = sets(app).map(|set| set.name()).collect();
        Fault::new(error::COLLECTION, said!("There is no data set {name}.", name = name))
            .with("supported", names)
            .into()
    }

    pub(super) fn name(self) -> &'h str {
        match self {
            Self::One(mapping) => mapping.dataset(),
            Self::Everything => EVERYTHING,
        }
    }

    fn described(self, app: &AppState) -> Dataset {
        match self {
            Self::One(mapping) => described(self.name(), std::iter::once(mapping)),
            Self::Everything => described(self.name(), located(app)),
        }
    }
}

pub(super) fn located(app: &AppState) -> impl Iterator<Item = &Mapping> {
    let all = app.exchange.rules().mappings().all();
    all.filter(|m| m.has(Part::Location))
}

fn sets(app: &AppState) -> impl Iterator<Item = Set<'_>> {
    let single = located(app).map(Set::One);
    single.chain(std::iter::once(Set::Everything))
}

pub(super) async fn list(State(app): State<Arc<AppState>>, RawQuery(raw): RawQuery, headers: HeaderMap) -> Reply {
    let caller = target::signed_in(&app, &headers).await?;
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    let mut all: Vec<Dataset> = sets(&app).map(|set| set.described(&app)).collect();
    let location = caller.organization.filter(|_| !caller.sees_all());
    if caller.sees_all() || location.is_some() {
        let own = app.exchange.feeds().animal_sets(&app.book.store, location).await?;
        all.extend(own.iter().map(|set| described_set(&app, set.id)));
    }
    let body = serde_json::to_vec(&all).map_err(model::error::Error::internal)?;
    Ok(page::answer(body, &ignored))
}

pub(super) async fn one(Call(app, name, raw, headers): Call<String>) -> Reply {
    let described = match animal_set(&name) {
        Some(_) => {
            let caller = target::signed_in(&app, &headers).await?;
            let set = about(&app, &caller, &name).await?;
            let set = set.ok_or_else(|| Set::unknown(&app, &name))?;
            described_set(&app, set.id)
        }
        None => {
            let set = Set::find(&app, &name)?;
            target::signed_in(&app, &headers).await?;
            set.described(&app)
        }
    };
    let ignored = Query::read(raw.as_deref()).ignored(&Prefer::read(&headers))?;
    let body = serde_json::to_vec(&described).map_err(model::error::Error::internal)?;
    Ok(page::answer(body, &ignored))
}

/// An empty 200.
pub(super) fn empty() -> Response {
    json(StatusCode::OK, Vec::new())
}
