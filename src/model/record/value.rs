//! The closed set of values that a slot can hold.

use super::time::to_iso;
use serde_json::json;
use std::sync::Arc;

/// A value of a field. Times are epoch milliseconds, UTC; relations are ids.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// Not filled.
    #[default]
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number, or the id of a relation.
    Int(i64),
    /// A decimal number.
    Num(f64),
    /// Text, or the value of a select.
    Text(String),
    /// A day or a point in time, in epoch milliseconds.
    Time(i64),
    /// Ids of several relations, in order.
    Ids(Vec<i64>),
    /// Values of a select with several.
    Texts(Vec<String>),
    /// Rows or free JSON. Times inside are ISO text, relations are numbers. Elsewhere in memory,
    /// since it is three times as large as the others and records have hundreds of values, and shared, since
    /// records are copied.
    Json(Arc<serde_json::Value>),
}

impl Value {
    /// Nothing there. An empty list counts as filled.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
    /// A whole number or id.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(i) => Some(*i),
            _ => None,
        }
    }
    /// A number of either kind.
    pub fn num(&self) -> Option<f64> {
        match self {
            Self::Num(n) => Some(*n),
            #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
            Self::Int(i) => Some(*i as f64),
            _ => None,
        }
    }
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(t) => Some(t),
            _ => None,
        }
    }
    /// Epoch milliseconds.
    pub fn time(&self) -> Option<i64> {
        match self {
            Self::Time(t) => Some(*t),
            _ => None,
        }
    }
    /// True only for a filled yes.
    pub fn truth(&self) -> bool {
        matches!(self, Self::Bool(true))
    }
    /// Ids of several relations; empty when not filled.
    pub fn ids(&self) -> &[i64] {
        match self {
            Self::Ids(ids) => ids,
            _ => &[],
        }
    }
    /// Several select values; empty when not filled.
    pub fn texts(&self) -> &[String] {
        match self {
            Self::Texts(t) => t,
            _ => &[],
        }
    }
    /// Rows; empty when not filled.
    pub fn rows(&self) -> &[serde_json::Value] {
        match self {
            Self::Json(json) => json.as_array().map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }
    /// As JSON, times by ISO 8601.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(v) => json!(v),
            Self::Int(v) => json!(v),
            Self::Num(v) => json!(v),
            Self::Text(v) => json!(v),
            Self::Time(v) => json!(to_iso(*v)),
            Self::Ids(v) => json!(v),
            Self::Texts(v) => json!(v),
            Self::Json(v) => (**v).clone(),
        }
    }
    /// Rows or free JSON.
    pub fn json(json: serde_json::Value) -> Self {
        Self::Json(Arc::new(json))
    }
    /// Rows or free JSON, if it is that.
    pub fn as_json(&self) -> Option<&serde_json::Value> {
        match self {
            Self::Json(json) => Some(json),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(v: bool) -> Self {
        Self::Bool(v)
    }
}
impl From<i64> for Value {
    fn from(v: i64) -> Self {
        Self::Int(v)
    }
}
impl From<f64> for Value {
    fn from(v: f64) -> Self {
        Self::Num(v)
    }
}
impl From<&str> for Value {
    fn from(v: &str) -> Self {
        Self::Text(v.to_owned())
    }
}
impl From<String> for Value {
    fn from(v: String) -> Self {
        Self::Text(v)
    }
}
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(v: Option<T>) -> Self {
        v.map_or(Self::Null, Into::into)
    }
}
