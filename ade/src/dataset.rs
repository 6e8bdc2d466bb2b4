//! The generic data exchange (`generic-data-exchange-api.md` of the standard): data sets and the
//! elements of their change feeds and pushes. An array there begins with a context element, goes on
//! with resources and, in a feed, ends with a continuation element.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The `id` of the first element.
pub const CONTEXT: &str = "@context";
/// The `id` of the last element of a feed.
pub const CONTINUATION: &str = "@continuation";

/// A data set as `GET /datasets` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dataset {
    pub name: String,
    /// Where it is described; may be relative.
    pub url: String,
    /// Where its changes are; may be relative.
    pub changes: String,
    /// The resource types it contains. One example of the standard says `containsTypes`.
    #[serde(default, alias = "containsTypes")]
    pub contained_types: Vec<String>,
    /// How long a request for changes may wait for one (`wait`), seconds; not in the standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
}

/// One element of a feed or push.
#[derive(Debug, Clone, PartialEq)]
pub enum Element {
    /// The context; its members besides `id` are not defined.
    Context(Map<String, Value>),
    /// Where to go on reading: an opaque token, `None` if it is missing or no text.
    Continuation(Option<String>),
    /// A resource, or something that should be one.
    Resource(Value),
}

impl Element {
    /// Determines by its `id` what an element is.
    #[must_use]
    pub fn read(value: Value) -> Self {
        let Value::Object(mut members) = value else {
            return Self::Resource(value);
        };
        match members.get("id").and_then(Value::as_str) {
            Some(CONTEXT) => {
                members.shift_remove("id");
                Self::Context(members)
            }
            Some(CONTINUATION) => match members.shift_remove("token") {
                Some(Value::String(token)) => Self::Continuation(Some(token)),
                _ => Self::Continuation(None),
            },
            _ => Self::Resource(Value::Object(members)),
        }
    }
}

/// The first element of a feed, as JSON: `{"id":"@context"}` with further members.
#[must_use]
pub fn context(members: Map<String, Value>) -> Value {
    let id = ("id".to_owned(), Value::String(CONTEXT.to_owned()));
    Value::Object(std::iter::once(id).chain(members).collect())
}

/// The position of a reader after a page; not in the standard, which knows the token alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// Nothing more was there when the page was read.
    pub current: bool,
    /// When the oldest change came that is not in this page, epoch milliseconds.
    pub pending_since: Option<i64>,
}

/// The last element of a feed, as JSON: `{"id":"@continuation","token":"…","current":…}`, with
/// `pendingSince` while more is to come.
#[must_use]
pub fn continuation(token: &str, mark: Mark) -> Value {
    let mut last = serde_json::json!({"id": CONTINUATION, "token": token, "current": mark.current});
    if let (Some(since), Some(members)) = (mark.pending_since, last.as_object_mut()) {
        members.insert("pendingSince".to_owned(), crate::time::format(since).into());
    }
    last
}
