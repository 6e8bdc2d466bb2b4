//! The plain parameters of a list: `limit`, `page`, `depth`, `sort`, flags, and `where` as a tree.

use std::borrow::Cow;

use serde_json::Value;

use super::{QueryFault, Tree};
use crate::record::json_in;

/// Highest `depth`.
pub const DEPTH_CAP: u8 = 10;
/// The bound of `count=bounded` unless `countLimit` gives another one.
pub const COUNT_LIMIT: u64 = 1_000;
/// Highest `limit` and `page`: the largest integer that every client reads back exactly.
pub const NUMBER_CAP: u64 = 9_007_199_254_740_991;

/// `limit`: a non-negative integer (0 = all rows); anything else, also absence, is `default`.
pub fn limit(query: &Tree, default: u64) -> u64 {
    query.get("limit").and_then(natural).unwrap_or(default)
}

/// `page`: an integer from 1; 0 and anything else is 1.
pub fn page(query: &Tree) -> u64 {
    query.get("page").and_then(natural).unwrap_or(1).max(1)
}

/// How the rows of a list are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Count {
    /// All of them.
    #[default]
    Exact,
    /// At most so many, or those up to the end of the page if these are more.
    Bounded(u64),
}

/// `count`: `exact`, also when it is absent or empty; `bounded`, with the bound in `countLimit`;
/// `none`, which counts nothing beyond the page.
///
/// # Errors
/// The name of the parameter that has another value.
pub fn count(query: &Tree) -> Result<Count, &'static str> {
    let given = |name: &str| match query.get(name) {
        Some(Tree::Text(text)) if text.is_empty() => None,
        Some(Tree::Scalar(Value::Null)) => None,
        found => found,
    };
    // Clients that are generated from the description send the defaults of all parameters, so a
    // bound that nothing needs is no fault.
    let bound = given("countLimit").map_or(Some(COUNT_LIMIT), natural);
    let bound = bound.filter(|bound| *bound > 0).ok_or("countLimit")?;
    match given("count").map(Tree::as_text) {
        None | Some(Some("exact")) => Ok(Count::Exact),
        Some(Some("none")) => Ok(Count::Bounded(0)),
        Some(Some("bounded")) => Ok(Count::Bounded(bound)),
        Some(_) => Err("count"),
    }
}

/// `depth`: 0 and below is 0, above [`DEPTH_CAP`] is that, a fraction is cut off, anything else is
/// `default`.
pub fn depth(query: &Tree, default: u8) -> u8 {
    let number = query.get("depth").and_then(|depth| match depth {
        Tree::Text(text) => decimal(text),
        Tree::Scalar(Value::Number(number)) => number.as_f64(),
        Tree::Scalar(_) | Tree::List(_) | Tree::Map(_) => None,
    });
    match number {
        None => default,
        Some(number) => (0..DEPTH_CAP).find(|level| number < f64::from(level + 1)).unwrap_or(DEPTH_CAP),
    }
}

/// A flag such as `pagination` or `draft`: only `true` and `false` count.
pub fn flag(query: &Tree, name: &str) -> Option<bool> {
    query.get(name).and_then(truth)
}

/// `sort=a,-b` or a list, in order and untrimmed; no empty entries. An absent sort is an empty
/// list.
pub fn sort(query: &Tree) -> Vec<&str> {
    let keys: Vec<&str> = match query.get("sort") {
        Some(Tree::Text(text)) => text.split(',').collect(),
        Some(Tree::List(keys)) => keys.iter().filter_map(Tree::as_text).collect(),
        Some(Tree::Scalar(_) | Tree::Map(_)) | None => Vec::new(),
    };
    keys.into_iter().filter(|key| !key.is_empty()).collect()
}

/// `where` as a map: bracketed, or one JSON object as text. Absent and empty (`where=`, `where={}`,
/// `where[]=`) is `None`: for a list no filter, for a bulk write a missing one. A list is passed on
/// for the field check to refuse.
///
/// # Errors
/// [`QueryFault::NotAFilter`] for text that is not a JSON object, or has duplicate members.
pub fn filter(query: &Tree) -> Result<Option<Cow<'_, Tree>>, QueryFault> {
    let refuse = |faults| QueryFault::NotAFilter { path: "where".to_owned(), faults };
    let condition = match query.get("where") {
        None | Some(Tree::Scalar(Value::Null)) => return Ok(None),
        Some(Tree::Text(text)) if text.trim().is_empty() => return Ok(None),
        Some(Tree::Text(text)) => {
            let json = json_in::parse(text.as_bytes()).map_err(refuse)?;
            if !json.is_object() {
                return Err(refuse(Vec::new()));
            }
            Cow::Owned(Tree::from(json))
        }
        Some(Tree::Scalar(_)) => return Err(refuse(Vec::new())),
        Some(tree @ (Tree::List(_) | Tree::Map(_))) => Cow::Borrowed(tree),
    };
    let empty = match condition.as_ref() {
        Tree::Map(parts) => parts.is_empty(),
        Tree::List(parts) => parts.iter().all(|part| part.as_text() == Some("")),
        Tree::Text(_) | Tree::Scalar(_) => false,
    };
    Ok((!empty).then_some(condition))
}

pub(super) fn truth(tree: &Tree) -> Option<bool> {
    match tree {
        Tree::Text(text) if text == "true" => Some(true),
        Tree::Text(text) if text == "false" => Some(false),
        Tree::Scalar(Value::Bool(truth)) => Some(*truth),
        Tree::Text(_) | Tree::Scalar(_) | Tree::List(_) | Tree::Map(_) => None,
    }
}

fn natural(tree: &Tree) -> Option<u64> {
    match tree {
        Tree::Text(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            // Only a number beyond 64 bits can fail here.
            Some(text.parse().unwrap_or(NUMBER_CAP).min(NUMBER_CAP))
        }
        Tree::Scalar(Value::Number(number)) => number.as_u64().map(|number| number.min(NUMBER_CAP)),
        Tree::Text(_) | Tree::Scalar(_) | Tree::List(_) | Tree::Map(_) => None,
    }
}

/// A decimal number; the words for infinity and not-a-number that Rust would read are no numbers
/// here.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    text.parse().ok().filter(|_| plain)
}
