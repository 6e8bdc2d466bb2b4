//! Requests to the faces of the API, within the process.

use crate::visitor::Visitor;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::request::Builder;
use axum::http::{HeaderValue, Method, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::messages::{self, Language, labels};
use serde_json::Value;
use tower::ServiceExt;

/// Longest answer that a page is made of, bytes.
const ANSWER_MAX: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Calls(Router);

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Its body; null unless it is JSON.
    pub(crate) body: Value,
    pub(crate) cookies: Vec<HeaderValue>,
    /// Whether it is about a [`ClosedAccount`].
    pub(crate) is_closed: bool,
}

/// A note on an answer within the process: a sign-in was refused although the password is right, since the account is
/// blocked.
#[derive(Debug, Clone, Copy)]
pub struct ClosedAccount;

/// What is wrong with a field, in the words of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) path: String,
    pub(crate) message: String,
    /// The record that stands against it: its collection and its id.
    pub(crate) record: Option<(String, i64)>,
}

impl Calls {
    pub(crate) fn new(api: Router) -> Self {
        Self(api)
    }

    pub(crate) async fn get(&self, visitor: &Visitor, path: &str) -> Answer {
        self.send(visitor, Method::GET, path, Body::empty(), None).await
    }

    /// Reads by a query that is too long for an address (docs/dialect.md, *Long queries*).
    pub(crate) async fn find(&self, visitor: &Visitor, path: &str, query: &str) -> Answer {
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let body = Body::from(query.to_owned());
        let request = Request::builder().method(Method::POST).uri(path).header("x-http-method-override", "GET");
        self.request(visitor, request, body, Some(kind)).await
    }

    pub(crate) async fn json(&self, visitor: &Visitor, method: Method, path: &str, body: &Value) -> Answer {
        let kind = HeaderValue::from_static("application/json");
        let body = Body::from(body.to_string());
        self.send(visitor, method, path, body, Some(kind)).await
    }

    /// Sends a body of any kind.
    pub(crate) async fn send(
        &self,
        visitor: &Visitor,
        method: Method,
        path: &str,
        body: Body,
        kind: Option<HeaderValue>,
    ) -> Answer {
        let request = Request::builder().method(method).uri(path);
        self.request(visitor, request, body, kind).await
    }

    async fn request(&self, visitor: &Visitor, request: Builder, body: Body, kind: Option<HeaderValue>) -> Answer {
        let Some(response) = self.respond(visitor, request, body, kind).await else {
            return Answer::none(StatusCode::NOT_FOUND);
        };
        let (head, body) = response.into_parts();
        let cookies = head.headers.get_all(header::SET_COOKIE).iter().cloned();
        let body = to_bytes(body, ANSWER_MAX).await;
        match body {
            Ok(bytes) => Answer {
                status: head.status,
                body: serde_json::from_slice(&bytes).unwrap_or_default(),
                cookies: cookies.collect(),
                is_closed: head.extensions.get::<ClosedAccount>().is_some(),
            },
            Err(_) => Answer::none(StatusCode::BAD_GATEWAY),
        }
    }

    /// Reads, for programs: the answer as it is.
    pub(crate) async fn pass(&self, visitor: &Visitor, path: &str) -> Response {
        let request = Request::builder().uri(path);
        let response = self.respond(visitor, request, Body::empty(), None).await;
        response.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
    }

    /// Sends JSON, for programs: the answer as it is.
    pub(crate) async fn pass_json(&self, visitor: &Visitor, path: &str, body: &Value) -> Response {
        let request = Request::builder().method(Method::POST).uri(path);
        let kind = HeaderValue::from_static("application/json");
        let response = self.respond(visitor, request, Body::from(body.to_string()), Some(kind)).await;
        response.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
    }

    async fn respond(
        &self,
        visitor: &Visitor,
        request: Builder,
        body: Body,
        kind: Option<HeaderValue>,
    ) -> Option<Response> {
        let mut request = request.body(body).ok()?;
        request.headers_mut().extend(visitor.forwarded.clone());
        *request.extensions_mut() = visitor.carried.clone();
        let headers = request.headers_mut();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        let language = HeaderValue::from_static(visitor.language.word());
        headers.insert(header::ACCEPT_LANGUAGE, language);
        if let Some(kind) = kind {
            headers.insert(header::CONTENT_TYPE, kind);
        }
        match self.0.clone().oneshot(request).await {
            Ok(response) => Some(response),
            Err(never) => match never {},
        }
    }
}

impl Answer {
    fn none(status: StatusCode) -> Self {
        Self { status, body: Value::Null, cookies: Vec::new(), is_closed: false }
    }

    /// Whether the request succeeded.
    pub(crate) fn is_good(&self) -> bool {
        self.status.is_success()
    }

    pub(crate) fn docs(&self) -> &[Value] {
        let docs = self.body.get("docs").and_then(Value::as_array);
        docs.map_or(&[], Vec::as_slice)
    }

    pub(crate) fn number(&self, name: &str) -> u64 {
        self.body.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    fn error(&self) -> Option<&Value> {
        self.body.get("errors")?.get(0)
    }

    pub(crate) fn error_name(&self) -> &str {
        let name = self.error().and_then(|error| error.get("name"));
        name.and_then(Value::as_str).unwrap_or_default()
    }

    /// What is wrong as a whole.
    pub(crate) fn message(&self) -> &str {
        let message = self.error().and_then(|error| error.get("message"));
        let message = message.or_else(|| self.body.get("message"));
        message.and_then(Value::as_str).unwrap_or_default()
    }

    /// What the checks find: first of this record of the collection, beside the fields; then of others, whose finding
    /// follows from this one.
    pub(crate) fn findings(&self, slug: &str, language: Language) -> Vec<Fault> {
        let list = self.body.get("findings").and_then(Value::as_array);
        let own = self.body.get("doc").and_then(|doc| doc.get("id"));
        let finding = |finding: &Value| {
            let text = |name: &str| finding.get(name).and_then(Value::as_str).unwrap_or_default();
            if text("collection") == slug && finding.get("id") == own {
                return Fault { path: text("path").to_owned(), message: text("message").to_owned(), record: None };
            }
            let what = labels::collection(language, text("collection"));
            let values = [("what", labels::inside(&what)), ("message", text("message").to_owned())];
            let values = values.map(|(name, value)| (name.to_owned(), value));
            let message = messages::text(language, "page-finding-elsewhere", &values.into());
            Fault { path: String::new(), message, record: None }
        };
        let mut all: Vec<Fault> = list.into_iter().flatten().map(finding).collect();
        all.sort_by_key(|fault| fault.path.is_empty());
        all
    }

    /// What is wrong with single fields.
    pub(crate) fn issues(&self) -> Vec<Fault> {
        let list = self.error().and_then(|error| error.get("data")?.get("errors"));
        let list = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let text = |error: &Value, name: &str| {
            let text = error.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let issue = |error: &Value| Fault {
            path: text(error, "path"),
            message: text(error, "message"),
            record: error
                .get("record")
                .and_then(|record| Some((text(record, "collection"), record.get("id")?.as_i64()?))),
        };
        list.iter().map(issue).collect()
    }
}
