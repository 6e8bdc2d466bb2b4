//! Refusals in the REST dialect (docs/dialect.md, *Errors*): the only place that knows which status
//! code an [`Error`] has on this face, and how its envelope looks.

use crate::layers::language::{current, said, said_of};
use crate::limit::Denied;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::error::{Error, Issue, Severity};
use model::messages::{Language, Sentence, labels};
use model::said;
use serde_json::{Map, Value, json};

/// Seconds after which a caller may try again while the store is away.
const RETRY_AFTER: u64 = 5;
/// The message for a request that took too long.
pub(super) const LATE: &str = "The query takes the database too long. Ask for less, or under a narrower condition.";
/// The message for an internal error.
const WENT_WRONG: &str = "Something went wrong.";
/// The message for a caller without the right.
const NOT_ALLOWED: &str = "You are not allowed to perform this action.";

/// Why a request was refused.
#[derive(Debug)]
pub enum Refusal {
    Book {
        error: Error,
        collection: Option<&'static str>,
        id: Option<i64>,
    },
    /// Sign-in fields that are missing; answered without labels.
    Credentials(&'static str, Vec<Issue>),
    /// A sign-in that failed (401).
    SignIn(&'static str),
    /// The same of a blocked user who sent the right password, which the page for signing in tells
    /// (docs/sign-in.md, *Wrong passwords*).
    Closed(&'static str),
    /// A right password, and a second factor that was not shown (401).
    SecondFactor,
    /// Refused with words of its own (403).
    Denied(&'static str),
    /// A body that cannot be read, with the places.
    Json(Vec<Issue>),
    /// A body above the limit, in bytes.
    TooLarge(usize),
    /// A body that is packed in a way that is not read.
    Packed,
    /// An idempotency key that was used for another request.
    KeyTaken(String),
    /// The request contradicts what is stored, with what the caller should know of it (409).
    Conflict(&'static str, Value),
    /// No such path, method or collection.
    NoRoute(String),
    /// The answer took too long to begin.
    Late,
    /// The request asks for too much.
    Limited(Denied),
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        Self::Limited(denied)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Book { error, collection: None, id: None }
    }
}

impl Refusal {
    /// A refusal that names the collection, and on update the row.
    pub fn of(error: Error, collection: &'static str, id: Option<i64>) -> Self {
        Self::Book { error, collection: Some(collection), id }
    }

    /// Status and errors, for an answer about several rows.
    pub(crate) fn status_and_errors(&self) -> (u16, Value) {
        let (status, mut body) = self.envelope();
        let errors = body.get_mut("errors").map(Value::take);
        (status.as_u16(), errors.unwrap_or_default())
    }

    pub(crate) fn line(&self) -> String {
        let (_, errors) = self.status_and_errors();
        let line = errors.get(0).and_then(|error| error.get("message"));
        (line.and_then(Value::as_str)).unwrap_or(WENT_WRONG).to_owned()
    }

    fn envelope(&self) -> (StatusCode, Value) {
        match self {
            Self::Book { error, collection, id } => book(error, *collection, *id),
            Self::Credentials(collection, issues) => {
                let body = validation(Some(collection), None, issues, false);
                (StatusCode::BAD_REQUEST, body)
            }
            Self::SignIn(message) | Self::Closed(message) => (StatusCode::UNAUTHORIZED, plain(*message)),
            Self::SecondFactor => {
                let data = json!({"methods": ["totp", "recovery"]});
                let message = "This account has a second factor: send its code too, or a recovery code, as \"code\".";
                let body = error_body("SecondFactorRequired", data, message);
                (StatusCode::UNAUTHORIZED, body)
            }
            Self::Denied(message) => (StatusCode::FORBIDDEN, plain(*message)),
            Self::Json(issues) => {
                let data = json!({"errors": listed(issues, false)});
                let body = error_body("APIError", data, "Invalid JSON");
                (StatusCode::BAD_REQUEST, body)
            }
            Self::TooLarge(limit) => {
                let message = said!("The body is larger than {limit} bytes.", limit = limit);
                let body = error_body("APIError", json!({"limit": limit}), message);
                (StatusCode::PAYLOAD_TOO_LARGE, body)
            }
            Self::Packed => {
                let message = "Content-Encoding may be gzip or zstd.";
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, plain(message))
            }
            Self::KeyTaken(key) => {
                let message = "This Idempotency-Key was used for another request.";
                let body = error_body("IdempotencyError", json!({"key": key}), message);
                (StatusCode::UNPROCESSABLE_ENTITY, body)
            }
            Self::Conflict(message, data) => {
                let body = error_body("Conflict", data.clone(), *message);
                (StatusCode::CONFLICT, body)
            }
            Self::NoRoute(path) => {
                let message = said!("Route not found \"{path}\"", path = path);
                (StatusCode::NOT_FOUND, json!({"message": said(&message)}))
            }
            Self::Late => {
                let message = "The request took too long. Ask for less, or try again later.";
                (StatusCode::SERVICE_UNAVAILABLE, plain(message))
            }
            Self::Limited(denied) => {
                let status = match denied.is_the_clients() {
                    true => StatusCode::TOO_MANY_REQUESTS,
                    false => StatusCode::SERVICE_UNAVAILABLE,
                };
                (status, plain(denied.message()))
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, body) = self.envelope();
        if let Self::Book { error, .. } = &self
            && status.is_server_error()
            && !matches!(error, Error::Late | Error::Overloaded)
        {
            // The request's span carries its id; the caller gets no detail.
            tracing::error!(%error, "request failed");
        }
        let mut response = (status, Json(body)).into_response();
        let after = match &self {
            Self::Limited(denied) => Some(denied.after),
            _ => (status == StatusCode::SERVICE_UNAVAILABLE).then_some(RETRY_AFTER),
        };
        if let Some(after) = after {
            let wait = HeaderValue::from(after);
            response.headers_mut().insert(header::RETRY_AFTER, wait);
        }
        if matches!(self, Self::Closed(_)) {
            // It goes to pages within the process, and to nobody by the net.
            response.extensions_mut().insert(::pages::ClosedAccount);
        }
        response
    }
}

fn book(error: &Error, collection: Option<&str>, id: Option<i64>) -> (StatusCode, Value) {
    match error {
        Error::NotFound => (StatusCode::NOT_FOUND, plain("Not Found")),
        // Collections never answer 401 in this dialect.
        Error::Unauthenticated => (StatusCode::FORBIDDEN, plain(NOT_ALLOWED)),
        Error::Forbidden(issues) if issues.is_empty() => (StatusCode::FORBIDDEN, plain(NOT_ALLOWED)),
        Error::Forbidden(issues) => {
            let data = json!({"errors": listed(issues, false)});
            let body = error_body("Forbidden", data, NOT_ALLOWED);
            (StatusCode::FORBIDDEN, body)
        }
        Error::Invalid(issues) => {
            let body = validation(collection, id, issues, true);
            (StatusCode::BAD_REQUEST, body)
        }
        Error::Query(paths) => {
            let data: Vec<_> = paths.iter().map(|path| json!({"path": path})).collect();
            let list = paths.join(", ");
            let message = match paths.len() {
                1 => said!("The following path cannot be queried: {paths}", paths = list),
                _ => said!("The following paths cannot be queried: {paths}", paths = list),
            };
            let body = error_body("QueryError", Value::from(data), message);
            (StatusCode::BAD_REQUEST, body)
        }
        Error::Dear(paths) => {
            let detail = |path| json!({"path": path, "type": "query-too-expensive"});
            let data: Vec<_> = paths.iter().map(detail).collect();
            let list = paths.join(", ");
            let message = match paths.len() {
                1 => said!("The following path is too expensive to query: {paths}", paths = list),
                _ => said!("The following paths are too expensive to query: {paths}", paths = list),
            };
            let body = error_body("QueryError", Value::from(data), message);
            (StatusCode::BAD_REQUEST, body)
        }
        Error::Unindexed { paths, fields } => {
            let detail = |path| json!({"path": path, "type": "list-without-index", "fields": fields});
            let data: Vec<_> = paths.iter().map(detail).collect();
            let body = error_body("QueryError", Value::from(data), unindexed(paths, fields));
            (StatusCode::BAD_REQUEST, body)
        }
        Error::Malformed(why) => (StatusCode::BAD_REQUEST, plain(why.clone())),
        Error::Undone => {
            let message = "Not created, since another document of the request was refused.";
            (StatusCode::FAILED_DEPENDENCY, plain(message))
        }
        Error::TooLarge => {
            let message = "File size limit has been reached";
            let body = error_body("APIError", json!({"size": 0}), message);
            (StatusCode::PAYLOAD_TOO_LARGE, body)
        }
        Error::Late => {
            let data = json!({"type": "statement-time"});
            let body = error_body("QueryError", data, LATE);
            (StatusCode::SERVICE_UNAVAILABLE, body)
        }
        Error::Overloaded => {
            let message = Denied::overloaded().message();
            (StatusCode::SERVICE_UNAVAILABLE, plain(message))
        }
        Error::Full => {
            let message = "There is no space for files at present.";
            (StatusCode::INSUFFICIENT_STORAGE, plain(message))
        }
        Error::Unavailable(_) => {
            let message = "The service is not available now.";
            (StatusCode::SERVICE_UNAVAILABLE, plain(message))
        }
        Error::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, plain(WENT_WRONG)),
    }
}

/// `{"errors":[{"message":…}]}`
fn plain(message: impl Into<Sentence>) -> Value {
    json!({"errors": [{"message": said(&message.into())}]})
}

/// An error with data: name, data, message, in this order.
fn error_body(name: &str, data: Value, message: impl Into<Sentence>) -> Value {
    let message = said(&message.into());
    json!({"errors": [{"name": name, "data": data, "message": message}]})
}

fn validation(collection: Option<&str>, id: Option<i64>, issues: &[Issue], labelled: bool) -> Value {
    let errors = listed(issues, labelled);
    let mut names: Vec<String> = match current() {
        Language::English => errors.iter().filter_map(label_or_path).map(str::to_owned).collect(),
        language => grave(issues).map(|issue| name(language, collection, &issue.path)).collect(),
    };
    names.dedup();
    let list = names.join(", ");
    let message = match names.len() {
        1 => said!("The following field is invalid: {names}", names = list),
        _ => said!("The following fields are invalid: {names}", names = list),
    };
    let mut data = Map::new();
    if let Some(id) = id {
        data.insert("id".to_owned(), id.into());
    }
    if let Some(collection) = collection {
        data.insert("collection".to_owned(), collection.into());
    }
    data.insert("errors".to_owned(), errors.into());
    error_body("ValidationError", Value::Object(data), message)
}

/// What the joined message calls a field.
fn label_or_path(error: &Value) -> Option<&str> {
    let text = |name| error.get(name).and_then(Value::as_str);
    text("label").or_else(|| text("path"))
}

/// What a form calls a field; rows of lists have their number.
fn name(language: Language, collection: Option<&str>, path: &str) -> String {
    let name = labels::field(language, collection.unwrap_or_default(), path);
    let mut row = path.split('.').filter_map(|step| step.parse::<usize>().ok());
    // Names have commas of their own.
    match row.next_back() {
        Some(row) => format!("«{name}» ({})", row.saturating_add(1)),
        None => format!("«{name}»"),
    }
}

fn grave(issues: &[Issue]) -> impl Iterator<Item = &Issue> {
    issues.iter().filter(|i| i.severity == Severity::Error)
}

fn listed(issues: &[Issue], labelled: bool) -> Vec<Value> {
    let error = |issue: &Issue| {
        let mut error = Map::new();
        // The engine reports a value that exists already without a label.
        if labelled && issue.code != "not-unique" {
            error.insert("label".to_owned(), label(&issue.path).into());
        }
        let message = said_of(&issue.message, Some(&issue.code));
        error.insert("message".to_owned(), message.into());
        error.insert("path".to_owned(), issue.path.as_str().into());
        if let Some((collection, id)) = issue.record {
            let record = json!({"collection": collection, "id": id});
            error.insert("record".to_owned(), record);
        }
        Value::Object(error)
    };
    grave(issues).map(error).collect()
}

/// `bloodPercent` → `Blood Percent`, `remarks.0.text` → `Remarks 1 > Text`.
fn label(path: &str) -> String {
    let mut label = String::with_capacity(path.len() + 8);
    for step in path.split('.') {
        if let Ok(index) = step.parse::<usize>() {
            label.push(' ');
            label.push_str(&index.saturating_add(1).to_string());
            continue;
        }
        if !label.is_empty() {
            label.push_str(" > ");
        }
        let mut before = 'A';
        let mut chars = step.chars().peekable();
        let mut first = true;
        while let Some(c) = chars.next() {
            let next = chars.peek().is_some_and(char::is_ascii_lowercase);
            if !first && c.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next) {
                label.push(' ');
            }
            label.push(if first { c.to_ascii_uppercase() } else { c });
            first = false;
            before = c;
        }
    }
    label
}

/// What is said of a list of very many rows that no index has in order.
pub(crate) fn unindexed(paths: &[String], fields: &[String]) -> Sentence {
    said!(
        "There are too many rows to look through all of them for: {paths}. Add a condition of equality on one of these \
         fields, or sort by one of them alone: {fields}.",
        paths = paths.join(", "),
        fields = fields.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::table;

    fn answer_of(error: Error) -> (u16, String) {
        let (status, body) = Refusal::of(error, "animals", None).envelope();
        (status.as_u16(), body.to_string())
    }

    #[test]
    fn every_error_has_its_status_and_envelope() {
        let issue = || vec![Issue::error("owner", "not-yours", "No.")];
        let cases = table![
            Error::NotFound, 404, r#"{"errors":[{"message":"Not Found"}]}"#;
            Error::Unauthenticated, 403, r#"{"errors":[{"message":"You are not allowed to perform this action."}]}"#;
            Error::forbidden(), 403, r#"{"errors":[{"message":"You are not allowed to perform this action."}]}"#;
            Error::Forbidden(issue()), 403,
                r#"{"errors":[{"name":"Forbidden","data":{"errors":[{"message":"No.","path":"owner"}]},"message":"You are not allowed to perform this action."}]}"#;
            Error::Query(vec!["nope".into(), "nada".into()]), 400,
                r#"{"errors":[{"name":"QueryError","data":[{"path":"nope"},{"path":"nada"}],"message":"The following paths cannot be queried: nope, nada"}]}"#;
            Error::Dear(vec!["owner.animals.name".into()]), 400,
                r#"{"errors":[{"name":"QueryError","data":[{"path":"owner.animals.name","type":"query-too-expensive"}],"message":"The following path is too expensive to query: owner.animals.name"}]}"#;
            Error::Unindexed { paths: vec!["milkYield".into()], fields: vec!["animal".into(), "date".into()] }, 400,
                r#"{"errors":[{"name":"QueryError","data":[{"path":"milkYield","type":"list-without-index","fields":["animal","date"]}],"message":"There are too many rows to look through all of them for: milkYield. Add a condition of equality on one of these fields, or sort by one of them alone: animal, date."}]}"#;
            Error::Late, 503,
                r#"{"errors":[{"name":"QueryError","data":{"type":"statement-time"},"message":"The query takes the database too long. Ask for less, or under a narrower condition."}]}"#;
            Error::Overloaded, 503,
                r#"{"errors":[{"message":"The service is too busy now. Come back when Retry-After says."}]}"#;
            Error::Malformed("Missing email.".into()), 400, r#"{"errors":[{"message":"Missing email."}]}"#;
            Error::Undone, 424,
                r#"{"errors":[{"message":"Not created, since another document of the request was refused."}]}"#;
            Error::Unavailable("pool".into()), 503, r#"{"errors":[{"message":"The service is not available now."}]}"#;
            Error::Internal("secret detail".into()), 500, r#"{"errors":[{"message":"Something went wrong."}]}"#;
        ];
        for (error, status, body) in cases {
            assert_eq!(answer_of(error), (status, body.to_owned()));
        }
    }

    #[test]
    fn bad_fields_have_a_label_and_a_path() {
        let tag = || Issue::error("tag", "required", "This field is required.");
        assert_eq!(
            answer_of(Error::Invalid(vec![tag()])),
            (
                400,
                r#"{"errors":[{"name":"ValidationError","data":{"collection":"animals","errors":[{"label":"Tag","message":"This field is required.","path":"tag"}]},"message":"The following field is invalid: Tag"}]}"#.to_owned()
            )
        );
        let several = vec![
            tag(),
            Issue::error("bloodPercent", "range", "Too much."),
            Issue::warning("name", "odd", "A remark is no fault."),
            Issue::error("identNumber", "not-unique", "Value must be unique"),
        ];
        let (_, body) = Refusal::of(Error::Invalid(several), "animals", Some(5)).envelope();
        assert_eq!(
            body.to_string(),
            r#"{"errors":[{"name":"ValidationError","data":{"id":5,"collection":"animals","errors":[{"label":"Tag","message":"This field is required.","path":"tag"},{"label":"Blood Percent","message":"Too much.","path":"bloodPercent"},{"message":"Value must be unique","path":"identNumber"}]},"message":"The following fields are invalid: Tag, Blood Percent, identNumber"}]}"#
        );
    }

    #[test]
    fn a_field_with_several_faults_is_named_once() {
        let several = ["One.", "Two."].map(|text| Issue::additional("animal", "odd", text));
        let (_, body) = answer_of(Error::Invalid(several.into()));
        assert_eq!(
            body,
            r#"{"errors":[{"name":"ValidationError","data":{"collection":"animals","errors":[{"label":"Animal","message":"One.","path":"animal"},{"label":"Animal","message":"Two.","path":"animal"}]},"message":"The following field is invalid: Animal"}]}"#
        );
    }

    #[test]
    fn labels_name_rows_and_groups() {
        assert_eq!(label("remarks.0.text"), "Remarks 1 > Text");
        assert_eq!(label("altIds.earTag"), "Alt Ids > Ear Tag");
        assert_eq!(label("fat305"), "Fat305");
    }

    #[test]
    fn unavailable_says_when_to_come_back() {
        let response = Refusal::from(Error::Unavailable("x".into())).into_response();
        assert_eq!(response.headers()["retry-after"], "5");
    }
}
