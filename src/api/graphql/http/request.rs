//! A request as it comes over the wire: a JSON body, or parameters of an address.

use crate::body;
use axum::http::HeaderMap;
use model::query::qs::{self, Tree};
use model::record::json_in;
use serde_json::{Map, Value as Json};

#[derive(Debug, Default)]
pub(in crate::graphql) struct GraphqlRequest {
    pub(in crate::graphql) query: Option<String>,
    pub(in crate::graphql) operation: Option<String>,
    pub(in crate::graphql) variables: Map<String, Json>,
    /// The SHA-256 that identifies the query, or will.
    pub(in crate::graphql) hash: Option<String>,
}

/// Why it cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::graphql) enum RequestError {
    Type,
    Bad(&'static str),
}

const BAD_VARIABLES: RequestError = RequestError::Bad("Invalid variables");
const BAD_EXTENSIONS: RequestError = RequestError::Bad("Invalid extensions");
const MISSING: RequestError = RequestError::Bad("Missing query");

pub(in crate::graphql) fn from_body(headers: &HeaderMap, bytes: &[u8]) -> Result<GraphqlRequest, RequestError> {
    if !body::is_json(headers) {
        return Err(RequestError::Type);
    }
    let Ok(json) = json_in::parse(bytes) else {
        return Err(RequestError::Bad("Invalid JSON"));
    };
    // Batches are not served.
    let Json::Object(mut members) = json else {
        return Err(MISSING);
    };
    let mut take = |name| members.remove(name).filter(|value| !value.is_null());
    let (query, operation) = (take("query"), take("operationName"));
    let (variables, extensions) = (take("variables"), take("extensions"));
    let text = |value: Option<Json>, fault| match value {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(RequestError::Bad(fault)),
    };
    GraphqlRequest {
        query: text(query, "Invalid query")?,
        operation: text(operation, "Invalid operationName")?,
        variables: object(variables, BAD_VARIABLES)?,
        hash: hash(extensions)?,
    }
    .whole()
}

pub(in crate::graphql) fn from_query(address: &str) -> Result<GraphqlRequest, RequestError> {
    let Ok(tree) = qs::parse(address) else {
        return Err(MISSING);
    };
    let text = |name| match tree.get(name) {
        Some(Tree::Text(text)) if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    let json = |name, fault| match text(name) {
        None => Ok(None),
        Some(text) => json_in::parse(text.as_bytes()).map(Some).map_err(|_| fault),
    };
    GraphqlRequest {
        query: text("query"),
        operation: text("operationName"),
        variables: object(json("variables", BAD_VARIABLES)?, BAD_VARIABLES)?,
        hash: hash(json("extensions", BAD_EXTENSIONS)?)?,
    }
    .whole()
}

impl GraphqlRequest {
    fn whole(self) -> Result<Self, RequestError> {
        let none = self.query.as_deref().unwrap_or_default().trim().is_empty();
        match none && self.hash.is_none() {
            true => Err(MISSING),
            false => Ok(self),
        }
    }
}

fn object(value: Option<Json>, fault: RequestError) -> Result<Map<String, Json>, RequestError> {
    match value {
        None | Some(Json::Null) => Ok(Map::new()),
        Some(Json::Object(members)) => Ok(members),
        Some(_) => Err(fault),
    }
}

fn hash(extensions: Option<Json>) -> Result<Option<String>, RequestError> {
    let members = object(extensions, BAD_EXTENSIONS)?;
    let Some(persisted) = members.get("persistedQuery") else {
        return Ok(None);
    };
    let hash = persisted.get("sha256Hash").and_then(Json::as_str);
    let first = persisted.get("version").is_none_or(|v| v.as_u64() == Some(1));
    match hash.filter(|hash| first && hash.len() == 64) {
        Some(hash) => Ok(Some(hash.to_owned())),
        None => Err(RequestError::Bad("PersistedQueryNotSupported")),
    }
}

/// Levels of brackets in a text of the language; those in strings and comments do not count.
/// Counted before the text is parsed, since parsing recurses as deep.
pub(in crate::graphql) fn levels(query: &str) -> usize {
    let (mut deepest, mut level) = (0_usize, 0_usize);
    let mut rest = query.as_bytes();
    while let Some((byte, tail)) = rest.split_first() {
        rest = match byte {
            b'{' | b'[' | b'(' => {
                level += 1;
                deepest = deepest.max(level);
                tail
            }
            b'}' | b']' | b')' => {
                level = level.saturating_sub(1);
                tail
            }
            b'#' => after(tail, |b| b.starts_with(b"\n") || b.starts_with(b"\r"), 1),
            b'"' if tail.starts_with(b"\"\"") => {
                let text = tail.get(2..).unwrap_or_default();
                after(text, |b| b.starts_with(b"\"\"\""), 3)
            }
            b'"' => after(tail, |b| b.starts_with(b"\"") || b.starts_with(b"\n"), 1),
            _ => tail,
        };
    }
    deepest
}

/// What follows the first end, which is so many bytes long; escaped bytes end nothing.
fn after(mut text: &[u8], ends: impl Fn(&[u8]) -> bool, long: usize) -> &[u8] {
    while let Some((byte, tail)) = text.split_first() {
        if ends(text) {
            return text.get(long..).unwrap_or_default();
        }
        text = match byte {
            b'\\' => tail.get(1..).unwrap_or_default(),
            _ => tail,
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::levels;

    #[test]
    fn brackets_are_counted() {
        assert_eq!(levels("{ a(b: [{c: 1}]) { d } }"), 4);
        assert_eq!(levels("{ a # {{{{\n }"), 1);
        assert_eq!(levels(r#"{ a(b: "\"[[[", c: """[[ " [[""") { d }"#), 2);
        assert_eq!(levels(&"[".repeat(1000)), 1000);
    }
}
