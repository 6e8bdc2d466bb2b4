//! Answers before they go over the wire, and the errors that they report.

use crate::fault::Fault;
use crate::mode::Mode;
use crate::world::World;
use serde_json::{Map, Value, json};

/// An answer whose body is not yet compressed, tagged or cut.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// Only so many bytes of the body are sent before the connection breaks.
    pub(crate) cut: Option<usize>,
    /// The parts of the answer that are watched.
    pub(crate) told: crate::watch::Told,
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
        Self {
            status,
            code,
            kind: code,
            detail: detail.into(),
            pointer: None,
            parameter: None,
            allow: None,
        }
    }

    /// A parameter of the query that cannot be read.
    pub(crate) fn parameter(name: &str, detail: impl Into<String>) -> Self {
        Self {
            parameter: Some(name.into()),
            ..Self::new(400, "field-value", detail)
        }
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
        if let Some(allow) = first
            .allow
            .as_ref()
            .filter(|_| !self.is(Fault::AllowMissing))
        {
            answer.set("Allow", allow.as_ref());
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
        let mut element = Map::new();
        let mut put = |name: &str, value: Value| {
            element.insert(name.to_owned(), value);
        };
        let status = match self.is(Fault::ErrorStatusDiffers) {
            true => 500,
            false => one.status,
        };
        let status = match self.is(Fault::ErrorStatusAsText) {
            true => json!(status.to_string()),
            false => json!(status),
        };
        let severity = match self.is(Fault::ErrorSeverityUnknown) {
            true => "Fatal",
            false => "Error",
        };
        if self.has(Mode::OtherErrors) {
            // The form of the schema only: a URI for the type, no members of the older form.
            put(
                "type",
                json!(format!("https://errors.example/{}", one.kind)),
            );
            put("status", status);
            put("title", json!(one.title()));
            put("detail", json!(one.detail));
            put("instance", json!(one.pointer));
            return Value::Object(element);
        }
        put("id", json!("00000000-0000-4000-8000-000000000001"));
        put("status", status);
        put("code", json!(one.code));
        put("title", json!(one.title()));
        let mut detail = one.detail.clone();
        if self.is(Fault::StackTraceShown) {
            detail.push_str("\n  at org.example.ade.Handler.get(Handler.java:118)");
        }
        put("detail", json!(detail));
        let mut meta = Map::new();
        if let Some(pointer) = one
            .pointer
            .as_ref()
            .filter(|_| !self.is(Fault::ErrorWithoutPlace))
        {
            meta.insert("pointer".to_owned(), json!(pointer));
            put("instance", json!(pointer));
        }
        if let Some(name) = one
            .parameter
            .as_ref()
            .filter(|_| !self.is(Fault::ErrorWithoutPlace))
        {
            meta.insert("parameter".to_owned(), json!(name));
        }
        if !meta.is_empty() {
            put("meta", Value::Object(meta));
        }
        put("type", json!(one.kind));
        put("severity", json!(severity));
        Value::Object(element)
    }

    /// Applies the rules for every answer of this server.
    pub(crate) fn dress(&self, mut answer: Answer) -> Answer {
        answer
            .headers
            .push(("X-ICAR-ADE-Version", ade::VERSION.to_owned()));
        if self.is(Fault::ContentTypeText) && answer.header("Content-Type").is_some() {
            answer.set("Content-Type", "text/plain");
        }
        if self.is(Fault::ContentTypeMissing) {
            answer.headers.retain(|(name, _)| *name != "Content-Type");
        }
        answer
    }
}
