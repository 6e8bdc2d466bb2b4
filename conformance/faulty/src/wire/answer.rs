//! Answers before they go over the wire, and the errors that they report.

use crate::fault::Fault;
use crate::mode::Mode;
use crate::world::World;
use serde_json::{Value, json};

/// An answer whose body is not yet compressed, tagged or cut.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// Only so many bytes of the body are sent before the connection breaks.
    pub(crate) cut: Option<usize>,
    /// The parts of the answer that are watched.
    pub(crate) demands: crate::watch::Demands,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("Content-Type", "application/json".to_owned())],
            body: body.to_string().into_bytes(),
            ..Self::default()
        }
    }

    /// Sets a header, in place of one of that name.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.headers.retain(|(had, _)| *had != name);
        self.headers.push((name, value.into()));
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(had, _)| *had == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// An object of the members that have a value.
pub(crate) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter();
    members.filter_map(|(name, value)| Some((name, value?))).collect()
}

/// One thing that is wrong with a request.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: u16,
    /// The kind that decides the status.
    pub(crate) code: &'static str,
    /// A finer kind.
    pub(crate) kind: &'static str,
    pub(crate) detail: String,
    /// Where in the body.
    pub(crate) pointer: Option<Box<str>>,
    /// Which parameter of the query.
    pub(crate) parameter: Option<Box<str>>,
    /// The methods that the address has.
    pub(crate) allow: Option<Box<str>>,
}

impl From<Problem> for Vec<Problem> {
    fn from(one: Problem) -> Self {
        vec![one]
    }
}

impl Problem {
    pub(crate) fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, kind: code, detail: detail.into(), pointer: None, parameter: None, allow: None }
    }

    /// A parameter of the query that cannot be read.
    pub(crate) fn parameter(name: &str, detail: impl Into<String>) -> Self {
        Self { parameter: Some(name.into()), ..Self::new(400, "field-value", detail) }
    }

    pub(crate) const fn kind(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }

    pub(crate) fn at(mut self, pointer: impl Into<Box<str>>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    pub(crate) fn unauthorized() -> Self {
        let detail = "Sign in, and send the token in the header Authorization.";
        Self::new(401, "unauthorized", detail)
    }

    pub(crate) fn no_location() -> Self {
        let detail = "There is no such location among those that you may use.";
        Self::new(404, "location-forbidden", detail)
    }

    pub(crate) fn title(&self) -> &'static str {
        match self.code {
            "unauthorized" => "Not signed in",
            "location-forbidden" => "No such location",
            "collection-unknown" => "No such collection",
            "route-unknown" => "No such address",
            "resource-not-found" => "No such resource",
            "method-not-allowed" => "Not offered here",
            "body-not-json" => "The body is not JSON",
            "body-shape" => "The body has another shape",
            "field-missing" => "A member is missing",
            "field-value" => "A value is not accepted",
            "animal-not-found" => "No such animal at this location",
            "busy" => "Too many requests",
            _ => "Refused",
        }
    }
}

impl World {
    /// Refuses a request.
    pub(crate) fn refuse(&self, problems: &[Problem]) -> Answer {
        let Some(first) = problems.first() else {
            return Answer::json(500, &json!({"errors": []}));
        };
        let errors: Vec<Value> = problems.iter().map(|one| self.error(one)).collect();
        let mut body = json!({"errors": errors});
        if self.is(Fault::ErrorOtherShape) {
            body = json!({"message": first.detail});
        }
        if self.is(Fault::ErrorsNotList) {
            body = json!({"errors": errors.first()});
        }
        if self.is(Fault::ErrorListEmpty) {
            body = json!({"errors": []});
        }
        let mut answer = Answer::json(first.status, &body);
        if first.status == 401 && !self.is(Fault::ChallengeMissing) {
            answer.set("WWW-Authenticate", "Bearer");
        }
        let allow = first.allow.as_deref();
        if let Some(allow) = allow.filter(|_| !self.is(Fault::AllowMissing)) {
            answer.set("Allow", allow);
        }
        if self.is(Fault::ErrorAsHtml) {
            answer.set("Content-Type", "text/html");
            answer.body = format!("<html><h1>{}</h1></html>", first.title()).into_bytes();
        }
        if self.is(Fault::ErrorBodyEmpty) {
            answer.body.clear();
        }
        if self.is(Fault::ErrorAs200) && first.status != 401 {
            answer.status = 200;
        }
        if self.is(Fault::ErrorAs500) && first.status == 400 {
            answer.status = 500;
        }
        answer
    }

    fn error(&self, one: &Problem) -> Value {
        let status = match () {
            () if self.is(Fault::ErrorStatusDiffers) => json!(500),
            () if self.is(Fault::ErrorStatusAsText) => json!(one.status.to_string()),
            () => json!(one.status),
        };
        if self.has(Mode::OtherErrors) {
            // The form of the schema only: a URI for the type, no members of the older form.
            return json!({
                "type": format!("https://errors.example/{}", one.kind), "status": status,
                "title": one.title(), "detail": one.detail, "instance": one.pointer,
            });
        }
        let mut detail = one.detail.clone();
        if self.is(Fault::StackTraceShown) {
            detail.push_str("\n  at org.example.ade.Handler.get(Handler.java:118)");
        }
        let severity = match self.is(Fault::ErrorSeverityUnknown) {
            true => "Fatal",
            false => "Error",
        };
        let part = |text: &Option<Box<str>>| {
            let text = text.as_ref().filter(|_| !self.is(Fault::ErrorWithoutPlace));
            text.map(|text| json!(text))
        };
        let (pointer, parameter) = (part(&one.pointer), part(&one.parameter));
        let placed = pointer.is_some() || parameter.is_some();
        let place = object([("pointer", pointer.clone()), ("parameter", parameter)]);
        object([
            ("id", Some(json!("00000000-0000-4000-8000-000000000001"))),
            ("status", Some(status)),
            ("code", Some(json!(one.code))),
            ("title", Some(json!(one.title()))),
            ("detail", Some(json!(detail))),
            ("instance", pointer),
            ("meta", placed.then_some(place)),
            ("type", Some(json!(one.kind))),
            ("severity", Some(json!(severity))),
        ])
    }

    /// Applies the rules for every answer of this server.
    pub(crate) fn dress(&self, mut answer: Answer) -> Answer {
        answer.headers.push(("X-ICAR-ADE-Version", ade::VERSION.to_owned()));
        if self.is(Fault::ContentTypeText) && answer.header("Content-Type").is_some() {
            answer.set("Content-Type", "text/plain");
        }
        if self.is(Fault::ContentTypeMissing) {
            answer.headers.retain(|(name, _)| *name != "Content-Type");
        }
        answer
    }
}
