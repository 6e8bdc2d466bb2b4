//! What a path names: a collection, perhaps a row of it.

use crate::{AppState, Refusal, Who};
use axum::extract::{FromRequestParts, OriginalUri, Path};
use axum::http::request::Parts;
use model::error::Error;
use model::query::qs::{self, QueryFault, Tree};
use model::registry::{Action, Collection};
use ops::View;
use serde_json::Value;
use std::sync::Arc;

/// The collection of a path, with the query beside it.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) collection: &'static Collection,
    id: Option<String>,
    /// The action on the row, where the path has one.
    action: Option<String>,
    query: Option<String>,
    path: String,
}

impl FromRequestParts<Arc<AppState>> for Target {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Refusal> {
        let uri = parts.extensions.get::<OriginalUri>();
        let uri = uri.map_or_else(|| parts.uri.clone(), |uri| uri.0.clone());
        let path = uri.path().to_owned();
        let parameters = Path::<Vec<(String, String)>>::from_request_parts(parts, app).await;
        let Ok(Path(parameters)) = parameters else {
            return Err(Refusal::NoRoute(path));
        };
        let part = |name| parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let slug = part("slug").unwrap_or_default();
        match app.book.registry.get(&slug) {
            None => Err(Refusal::NoRoute(path)),
            Some(collection) => Ok(Self {
                collection,
                id: part("id"),
                action: part("action"),
                query: uri.query().map(str::to_owned),
                path,
            }),
        }
    }
}

impl Target {
    /// The row that the path names; what is no id names no row.
    pub(crate) fn row(&self) -> Result<i64, Refusal> {
        let digits = |text: &&String| text.bytes().all(|b| b.is_ascii_digit());
        let id = self.id.as_ref().filter(digits);
        let id = id.and_then(|text| text.parse().ok());
        id.ok_or_else(|| Error::NotFound.into())
    }

    /// The row that the path names, as the caller reads it. Strangers get the answer of everybody else who may not.
    pub(super) async fn document(&self, app: &AppState, who: &Who, view: View) -> Result<(i64, Value), Refusal> {
        let id = self.row()?;
        let document = app.book.by_id(&who.principal, self.collection, id, view).await;
        let document = self.ok(document.map_err(|error| match error {
            Error::Forbidden(_) | Error::Unauthenticated => Error::NotFound,
            other => other,
        }))?;
        Ok((id, serde_json::from_slice(&document).map_err(Error::internal)?))
    }

    /// What the path asks of the row, if the collection knows it.
    pub(super) fn action(&self) -> Result<Action, Refusal> {
        let mut actions = self.collection.actions.iter().copied();
        let action = actions.find(|one| self.action.as_deref() == Some(one.name));
        action.ok_or_else(|| self.no_route())
    }

    /// The query as it was sent.
    pub(super) fn query(&self) -> &str {
        self.query.as_deref().unwrap_or_default()
    }

    /// Path and query of the request.
    pub(crate) fn address(&self) -> (&str, Option<&str>) {
        (&self.path, self.query.as_deref())
    }

    pub(crate) fn tree(&self) -> Result<Tree, Refusal> {
        self.parse(self.query())
    }

    /// How the query has documents shown.
    pub(crate) fn view(&self, app: &AppState) -> Result<View, Refusal> {
        Ok(View::read(&self.tree()?, app.settings.depth))
    }

    /// A form body in place of the query.
    pub(crate) fn parse(&self, text: &str) -> Result<Tree, Refusal> {
        qs::parse(text).map_err(|faults| self.refuse(refused(&faults)))
    }

    /// The value; an error is refused as one about this collection.
    pub(crate) fn ok<T>(&self, result: Result<T, Error>) -> Result<T, Refusal> {
        result.map_err(|error| self.refuse(error))
    }

    pub(crate) fn refuse(&self, error: Error) -> Refusal {
        Refusal::of(error, self.collection.slug, None)
    }

    pub(crate) fn refuse_row(&self, error: Error, id: i64) -> Refusal {
        Refusal::of(error, self.collection.slug, Some(id))
    }

    /// There is no such path for this method, or for this collection.
    pub(crate) fn no_route(&self) -> Refusal {
        Refusal::NoRoute(self.path.clone())
    }

    /// The name behind the id in the path.
    pub(super) fn part(&self) -> Option<&str> {
        self.action.as_deref()
    }

    /// This address with another collection, whose rows it answers.
    pub(super) fn showing(&self, collection: &'static Collection) -> Self {
        Self { collection, id: None, action: None, query: self.query.clone(), path: self.path.clone() }
    }

    pub(crate) fn auth(&self) -> Result<&'static Collection, Refusal> {
        let auth = Some(self.collection).filter(|c| c.auth);
        auth.ok_or_else(|| self.no_route())
    }
}

/// What is wrong with a query, in the words of this dialect.
pub(crate) fn refused(faults: &[QueryFault]) -> Error {
    let paths: Vec<String> = (faults.iter())
        .filter_map(|fault| match fault {
            QueryFault::TooManyParameters { .. } => None,
            QueryFault::TooDeep { path } | QueryFault::IndexTooLarge { path } | QueryFault::NotAFilter { path, .. } => {
                Some(path.clone())
            }
        })
        .collect();
    match faults.first() {
        Some(fault) if paths.is_empty() => Error::Malformed(fault.sentence()),
        _ => Error::Query(paths),
    }
}
