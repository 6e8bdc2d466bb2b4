//! Refusals as the standard writes them: `icarErrorCollection`, whose elements combine the form
//! of the schema with that of the standard's prose. Status and `code` come from a closed list
//! that clients know; `type` names the fault more exactly.

use crate::error::LATE;
use crate::layers::language::{said_of, titled};
use crate::limit::Denied;
use ade::xml::{XmlFault, XmlFaultKind};
use ade::{ErrorCollection, ErrorElement};
use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::error::{Error, Issue, Severity, error_type};
use model::messages::Sentence;
use model::record::json_in::JsonFault;
use model::said;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Seconds after which a caller may try again while the store is away.
const RETRY_AFTER: u64 = 5;

/// A kind of refusal: status, stable code, title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub status: u16,
    pub code: &'static str,
    pub title: &'static str,
}

const fn kind(status: u16, code: &'static str, title: &'static str) -> Kind {
    Kind { status, code, title }
}

pub(super) const UNAUTHORIZED: Kind = kind(401, "unauthorized", "Not signed in");
pub(super) const LOCATION: Kind = kind(404, "location-forbidden", "No such location");
pub(super) const COLLECTION: Kind = kind(404, "collection-unknown", "No such collection");
pub(super) const ROUTE: Kind = kind(404, "route-unknown", "No such address");
pub(super) const RESOURCE: Kind = kind(404, "resource-not-found", "No such resource");
pub(super) const METHOD: Kind = kind(405, "method-not-allowed", "Not offered here");
pub(super) const NOT_JSON: Kind = kind(400, "body-not-json", "The body is not JSON");
pub(super) const NOT_XML: Kind = kind(400, "body-not-xml", "The body is not XML");
pub(super) const FORM: Kind = kind(406, "not-acceptable", "Not offered in this form");
pub(super) const MEDIA: Kind = kind(415, "body-not-json", "The body is not JSON");
pub(super) const SHAPE: Kind = kind(400, "body-shape", "The body has another shape");
pub(super) const LARGE: Kind = kind(413, "body-too-large", "The body is too large");
pub(super) const MISSING: Kind = kind(400, "field-missing", "A member is missing");
pub(super) const VALUE: Kind = kind(400, "field-value", "A value is not accepted");
pub(super) const WRITE: Kind = kind(403, "write-forbidden", "Writing is not allowed");
pub(super) const ANIMAL: Kind = kind(422, "animal-not-found", "No such animal at this location");
const UNKNOWN_ROW: Kind = kind(422, "resource-not-found", "No such resource");
pub(super) const CONFLICT: Kind = kind(409, "conflict", "The resource contradicts stored ones");
const RATE: Kind = kind(429, "rate-limited", "Too many requests");
const OVERLOADED: Kind = kind(503, "overloaded", "Too busy now");
const AWAY: Kind = kind(503, "unavailable", "Not available now");
pub(super) const INTERNAL: Kind = kind(500, "internal", "Something went wrong");

/// The codes that types come under, where it is not [`VALUE`].
const UNDER: [(&str, Kind); 8] = [
    ("resource-not-found", UNKNOWN_ROW),
    ("animal-not-found", ANIMAL),
    ("field-missing", MISSING),
    ("body-shape", SHAPE),
    ("collection-unknown", COLLECTION),
    ("location-forbidden", LOCATION),
    ("write-forbidden", WRITE),
    ("conflict", CONFLICT),
];

/// What a finding of a check is on this face: as the table of error types says.
pub(super) fn kind_of(code: &str) -> Kind {
    let under = error_type(code).map_or("", |one| one.under);
    let entry = UNDER.iter().find(|(name, _)| code == *name || under == *name);
    entry.map_or(VALUE, |(_, kind)| *kind)
}

#[derive(Debug, Clone)]
pub(super) struct Fault {
    kind: Kind,
    /// Finer than the code.
    fine: Cow<'static, str>,
    detail: Sentence,
    pointer: Option<String>,
    meta: Map<String, Value>,
}

impl Fault {
    pub(super) fn new(kind: Kind, detail: impl Into<Sentence>) -> Self {
        Self { kind, fine: kind.code.into(), detail: detail.into(), pointer: None, meta: Map::new() }
    }

    /// A finding about a place in the body.
    pub(super) fn of(issue: Issue, forbidden: bool) -> Self {
        let kind = if forbidden { WRITE } else { kind_of(&issue.code) };
        Self { fine: issue.code, ..Self::new(kind, issue.message).at(issue.path) }
    }

    pub(super) fn of_json(fault: &JsonFault) -> Self {
        let detail = fault.sentence();
        match fault {
            JsonFault::DuplicateMember { pointer } => {
                Self::new(VALUE, detail).fine("duplicate-member").at(pointer.clone())
            }
            JsonFault::ZeroCharacter { pointer } => Self::new(VALUE, detail).fine("zero-character").at(pointer.clone()),
            JsonFault::TooDeep { pointer } => Self::new(NOT_JSON, detail).fine("too-deep").at(pointer.clone()),
            JsonFault::NotAnArray => Self::new(SHAPE, detail),
            JsonFault::TooManyItems { limit } => Self::new(LARGE, detail).fine("too-many-items").with("limit", *limit),
            JsonFault::Utf8 { .. } | JsonFault::Syntax { .. } => Self::new(NOT_JSON, detail),
        }
    }

    pub(super) fn of_xml(fault: XmlFault) -> Self {
        match fault.kind {
            XmlFaultKind::Charset => Self::new(MEDIA, fault.message).fine(fault.code),
            XmlFaultKind::Malformed => Self::new(NOT_XML, fault.message).fine(fault.code),
            XmlFaultKind::Content => Self::new(VALUE, fault.message).fine(fault.code).at(fault.pointer),
        }
    }

    pub(super) fn is_of(&self, kind: Kind) -> bool {
        self.kind == kind
    }

    pub(super) fn fine(mut self, code: &'static str) -> Self {
        self.fine = code.into();
        self
    }

    pub(super) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.meta.insert(name.to_owned(), value.into());
        self
    }

    fn element(self) -> ErrorElement {
        let mut meta = self.meta;
        if let Some(pointer) = &self.pointer {
            meta.insert("pointer".to_owned(), pointer.as_str().into());
        }
        ErrorElement {
            id: Some(uuid::Uuid::new_v4().to_string()),
            status: Some(self.kind.status),
            code: Some(self.kind.code.to_owned()),
            title: Some(titled(self.kind.code, self.kind.title)),
            detail: Some(said_of(&self.detail, Some(&self.fine))),
            meta: (!meta.is_empty()).then_some(meta),
            kind: Some(self.fine.into_owned()),
            severity: Some(ade::Severity::Error),
            instance: self.pointer.filter(|p| !p.is_empty()),
        }
    }
}

/// What a handler answers.
pub(super) type Reply = Result<Response, Refusal>;

/// Why a request was refused; the status is that of the first fault.
#[derive(Debug)]
pub(super) struct Refusal {
    faults: Vec<Fault>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        vec![fault].into()
    }
}

impl From<Vec<Fault>> for Refusal {
    fn from(faults: Vec<Fault>) -> Self {
        Self { faults, headers: Vec::new() }
    }
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        let kind = if denied.is_the_clients() { RATE } else { OVERLOADED };
        let wait = HeaderValue::from(denied.after);
        Self::from(Fault::new(kind, denied.message())).header(header::RETRY_AFTER, wait)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound => Fault::new(RESOURCE, "There is no such resource.").into(),
            Error::Unauthenticated => Self::unauthorized(),
            Error::Forbidden(issues) if issues.is_empty() => {
                Fault::new(WRITE, "You are not allowed to do this.").into()
            }
            Error::Forbidden(issues) => listed(issues, true),
            Error::Invalid(issues) => listed(issues, false),
            Error::Query(paths) => {
                let text = said!("cannot be asked for: {paths}", paths = paths.join(", "));
                Fault::new(VALUE, text).into()
            }
            Error::Dear(paths) => {
                let text = said!("too expensive to be asked for: {paths}", paths = paths.join(", "));
                let fault = Fault::new(VALUE, text);
                fault.fine("query-too-expensive").into()
            }
            Error::Unindexed { paths, fields } => {
                Fault::new(VALUE, crate::error::unindexed(&paths, &fields)).fine("list-without-index").into()
            }
            Error::Late => Self::from(Fault::new(AWAY, LATE).fine("statement-time"))
                .header(header::RETRY_AFTER, HeaderValue::from(Denied::overloaded().after)),
            Error::Overloaded => Denied::overloaded().into(),
            Error::Malformed(why) => Fault::new(VALUE, why).into(),
            Error::Undone => {
                Fault::new(VALUE, "Not created, since another document of the request was refused.").into()
            }
            Error::TooLarge => Fault::new(VALUE, "The file is too large.").into(),
            Error::Full => Fault::new(AWAY, "There is no space for files at present.").into(),
            Error::Unavailable(why) => {
                tracing::error!(why, "request failed");
                Fault::new(AWAY, "The service is not available now.").into()
            }
            Error::Internal(why) => {
                // The request's span carries its id; the caller gets no detail.
                tracing::error!(why, "request failed");
                Fault::new(INTERNAL, "The fault is ours and has been noted.").into()
            }
        }
    }
}

impl Refusal {
    pub(super) fn unauthorized() -> Self {
        let detail = "Sign in, and send the token in the header Authorization.";
        Self::from(Fault::new(UNAUTHORIZED, detail))
            .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer, JWT"))
    }

    /// The request has a token or key that is not accepted (RFC 6750, 3.1).
    pub(super) fn unbelieved() -> Self {
        let detail = "The token or key is unknown or has expired, or its user is blocked. Sign in again.";
        let challenge = "Bearer error=\"invalid_token\", JWT error=\"invalid_token\"";
        let challenge = HeaderValue::from_static(challenge);
        Self::from(Fault::new(UNAUTHORIZED, detail)).header(header::WWW_AUTHENTICATE, challenge)
    }

    /// The user must switch a second factor on first.
    pub(super) fn wants_factor(why: &'static str) -> Self {
        Fault::new(UNAUTHORIZED, why).into()
    }

    pub(super) fn no_route(path: &str) -> Self {
        Fault::new(ROUTE, said!("There is nothing at {path}.", path = path)).into()
    }

    pub(super) fn no_method() -> Self {
        Fault::new(METHOD, "This method is not offered at this address.").into()
    }

    /// The address has only these media types.
    pub(super) fn not_acceptable(offered: Vec<&str>) -> Self {
        let detail = said!("This address answers in these formats: {list}.", list = offered.join(", "));
        Fault::new(FORM, detail).with("supported", offered).into()
    }

    pub(super) fn late() -> Self {
        let detail = "The request took too long. Ask for less, or try again later.";
        Fault::new(AWAY, detail).fine("late").into()
    }

    pub(super) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

fn listed(issues: Vec<Issue>, forbidden: bool) -> Refusal {
    let faults: Vec<Fault> = (issues.into_iter())
        .filter(|issue| issue.severity == Severity::Error)
        .map(|issue| {
            // A push may fail for both reasons at once.
            let content = matches!(kind_of(&issue.code), ANIMAL | MISSING | SHAPE);
            Fault::of(issue, forbidden && !content)
        })
        .collect();
    faults.into()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let first = self.faults.first().map_or(INTERNAL, |f| f.kind);
        let status = StatusCode::from_u16(first.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let errors = self.faults.into_iter().map(Fault::element).collect();
        let mut response = (status, Json(ErrorCollection { errors })).into_response();
        let headers = response.headers_mut();
        headers.extend(self.headers);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            let wait = HeaderValue::from(RETRY_AFTER);
            headers.entry(header::RETRY_AFTER).or_insert(wait);
        }
        response
    }
}
