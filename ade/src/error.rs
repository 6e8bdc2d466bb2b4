//! Messages to the caller: `icarResponseMessageResource`, and `icarErrorCollection` whose elements
//! unite the two forms the standard shows (the schema's, after RFC 7807, and that of
//! `exampleErrorResource`). Sending the union is valid by both.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fault::{Fault, Severity};

/// The body of a refused request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorCollection {
    /// What is wrong, one element each.
    #[serde(default)]
    pub errors: Vec<ErrorElement>,
}

/// One thing wrong with a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorElement {
    /// Identifies this occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The kind of problem, for machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The kind of problem, for people; the same for each occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// This occurrence, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// A URI for the kind of problem.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// A URI for this occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
}

impl ErrorElement {
    /// The element for a fault in a body, under that HTTP status. The pointer is in `meta.pointer`.
    #[must_use]
    pub fn from_fault(fault: &Fault, status: u16) -> Self {
        let pointer = Value::String(fault.pointer.clone());
        Self {
            status: Some(status),
            code: Some(fault.code.as_str().to_owned()),
            title: Some(fault.code.title().to_owned()),
            detail: Some(fault.to_string()),
            meta: Some(Map::from_iter([("pointer".to_owned(), pointer)])),
            severity: Some(fault.severity),
            ..Self::default()
        }
    }
}

/// A message about one element of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseMessage {
    /// A URI for the kind of problem.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The HTTP status the element alone would have got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The kind of problem, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// This occurrence, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// A URI for this occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
}

impl ResponseMessage {
    /// The message for a fault in an element, with the status it would have got alone.
    #[must_use]
    pub fn from_fault(fault: &Fault, status: u16) -> Self {
        Self {
            severity: Some(fault.severity),
            status: Some(status),
            title: Some(fault.code.title().to_owned()),
            detail: Some(fault.to_string()),
            ..Self::default()
        }
    }
}
