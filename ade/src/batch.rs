//! `icarBatchResult`: the outcome of one element of a batch. The answer to a batch is a bare array with
//! one result per posted element, in posted order.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ResponseMessage;

/// The outcome of one element.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BatchResult {
    /// The id under which it is stored; absent if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The posted `meta`, so that the client can match results. Unchanged, because a refused
    /// element may have an invalid one; the schema requires `source` and `modified` in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    /// The messages; an element with a message of severity `Error` was not stored.
    #[serde(default, deserialize_with = "null_as_none")]
    pub messages: Vec<ResponseMessage>,
}

/// The schema allows null for the messages.
fn null_as_none<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<ResponseMessage>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}
