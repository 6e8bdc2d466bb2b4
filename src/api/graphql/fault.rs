//! Errors of this face (docs/graphql.md, *Errors*). What an error means is said by the table of
//! REST; here it gets another form.

use super::http::rules;
use crate::Refusal;
use crate::layers::language::said;
use async_graphql::{Pos, ServerError};
use model::error::Error;
use model::messages::Sentence;
use serde_json::{Map, Value as Json, json};

/// Why a field has no value.
#[derive(Debug)]
pub(super) struct Fault(Box<FieldError>);

#[derive(Debug)]
struct FieldError {
    status: u16,
    name: String,
    message: String,
    data: Option<Json>,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Refusal::from(error).into()
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        let (status, mut errors) = refusal.status_and_errors();
        if let Refusal::Book { error, .. } = &refusal
            && status >= 500
            && !matches!(error, Error::Late | Error::Overloaded)
        {
            tracing::error!(%error, "a field failed");
        }
        let mut members = match errors.get_mut(0).map(Json::take) {
            Some(Json::Object(members)) => members,
            _ => Map::new(),
        };
        let text = |value: Option<Json>| match value {
            Some(Json::String(text)) => Some(text),
            _ => None,
        };
        let name = match status {
            401 => "AuthenticationError",
            403 => "Forbidden",
            404 => "NotFound",
            500 => "Error",
            503 => "ServiceUnavailable",
            _ => "APIError",
        };
        Self(Box::new(FieldError {
            status,
            name: text(members.remove("name")).unwrap_or_else(|| name.to_owned()),
            message: text(members.remove("message")).unwrap_or_default(),
            data: members.remove("data"),
        }))
    }
}

impl Fault {
    /// The error as answers contain it.
    pub(super) fn into_json(self, pos: Pos, path: &[Json]) -> Json {
        let FieldError { status, name, message, data } = *self.0;
        let mut extensions = json!({"name": name, "statusCode": status});
        if let (Some(data), Some(members)) = (data, extensions.as_object_mut()) {
            members.insert("data".to_owned(), data);
        }
        json!({
            "extensions": extensions,
            "locations": [{"line": pos.line, "column": pos.column}],
            "message": message,
            "path": path,
        })
    }
}

/// An error in the request itself.
pub(super) fn plain(message: impl Into<Sentence>, places: &[Pos]) -> Json {
    let mut error = Map::new();
    if !places.is_empty() {
        let places: Vec<Json> = (places.iter()).map(|pos| json!({"line": pos.line, "column": pos.column})).collect();
        error.insert("locations".to_owned(), places.into());
    }
    let message = said(&message.into());
    error.insert("message".to_owned(), message.into());
    Json::Object(error)
}

/// An error of the library: about the request, or a fault of the service.
pub(super) fn of_library(error: &ServerError) -> Json {
    if error.message.starts_with("internal:") {
        tracing::error!(message = %error.message, "the schema failed");
        return Fault::from(Error::internal(&error.message)).into_json(Pos::default(), &[]);
    }
    plain(rules::sentence(&error.message), &error.locations)
}
