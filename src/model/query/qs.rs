//! The query string (or form body) as a tree, by the rules of the `qs` library as the REST dialect
//! has them (docs/dialect.md, *Parsing*), and the plain parameters read from it.
//!
//! Knows neither collections nor operators: `where` comes out as a tree, to be checked against
//! fields elsewhere.

use crate::messages::Sentence;
use crate::said;
use indexmap::IndexMap;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::fmt;

pub use self::joins::{JoinPage, JoinSelection, joins};
use self::node::Node;
pub use self::params::{COUNT_LIMIT, Count, DEPTH_CAP, NUMBER_CAP, count, depth, filter, flag, limit, page, sort};
pub use self::select::{Choice, Select, SelectTree, Story, populate, select};
use crate::record::json_in::JsonFault;

mod joins;
mod node;
mod params;
mod select;

/// Brackets one key may have: four nested `and`/`or` fit, five do not.
pub const LEVELS_MAX: usize = 10;
/// Highest array index.
pub const INDEX_MAX: usize = 1000;
/// Parameters one query may have.
pub const PARAMETERS_MAX: usize = 10_000;
/// Faults listed in one answer.
const FAULTS_LISTED: usize = 50;

/// A parsed query, or a part of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// Text, as everything in a query string is.
    Text(String),
    /// A number, truth value or null, which only JSON can say.
    Scalar(Value),
    /// `key[]=a&key[]=b`, `key[0]=a&key[1]=b`, `key=a&key=b`, `key[]`, or a JSON array.
    List(Vec<Tree>),
    /// `key[name]=…`, or a JSON object.
    Map(IndexMap<String, Tree>),
}

impl Tree {
    /// A query without parameters.
    pub fn empty() -> Self {
        Self::Map(IndexMap::new())
    }

    /// The part under `name`, if this is a map that has it.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(parts) => parts.get(name),
            Self::Text(_) | Self::Scalar(_) | Self::List(_) => None,
        }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Scalar(_) | Self::List(_) | Self::Map(_) => None,
        }
    }
}

impl From<Value> for Tree {
    /// JSON as a tree; numbers, truth values and null keep their kind. Recurses as deep as the
    /// value, which [`crate::record::json_in`] bounds.
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            Value::Array(elements) => Self::List(elements.into_iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Map(members.into_iter().map(|(name, value)| (name, Self::from(value))).collect())
            }
            scalar @ (Value::Null | Value::Bool(_) | Value::Number(_)) => Self::Scalar(scalar),
        }
    }
}

/// What is wrong with a query. Paths are dotted, as query errors of the dialect write them
/// (`where.or.1001.state`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryFault {
    /// More than [`PARAMETERS_MAX`] parameters.
    TooManyParameters {
        /// Parameters allowed.
        limit: usize,
    },
    /// A key with more than [`LEVELS_MAX`] brackets.
    TooDeep {
        /// The key.
        path: String,
    },
    /// An array index above [`INDEX_MAX`].
    IndexTooLarge {
        /// The key.
        path: String,
    },
    /// A `where` written as text that is not a JSON object.
    NotAFilter {
        /// Always `where`, or the place that represents it.
        path: String,
        /// What is wrong with its JSON; empty if it is JSON but no object.
        faults: Vec<JsonFault>,
    },
}

impl QueryFault {
    /// What is wrong, for people.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::TooManyParameters { limit } => {
                said!("the query has more than {limit} parameters", limit = limit)
            }
            Self::TooDeep { path } => {
                said!("the path {path} is nested deeper than 10 levels", path = path)
            }
            Self::IndexTooLarge { path } => {
                said!("the array index in {path} is above 1000", path = path)
            }
            Self::NotAFilter { path, .. } => said!("the path {path} is not a filter", path = path),
        }
    }
}

impl fmt::Display for QueryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for QueryFault {}

/// Parses a query string (a leading `?` is ignored) or a form body.
///
/// A key that cannot be percent-decoded, or whose decoding is not UTF-8, is taken as it stands,
/// like a value; that is what `qs` does. Keys without a name are dropped.
///
/// # Errors
/// All faults found (at most 50).
pub fn parse(query: &str) -> Result<Tree, Vec<QueryFault>> {
    let query = query.strip_prefix('?').unwrap_or(query);
    // Parameters of one key are gathered first: `a=1&a=2` is a list at any position.
    let mut gathered: IndexMap<String, Vec<Node>> = IndexMap::new();
    for (count, part) in query.split('&').filter(|part| !part.is_empty()).enumerate() {
        if count == PARAMETERS_MAX {
            return Err(vec![QueryFault::TooManyParameters { limit: PARAMETERS_MAX }]);
        }
        let (key, value) = split(part);
        let key = decode(key);
        let values = match value {
            Some(value) => vec![Node::Text(decode(value))],
            // `key[]` without `=` is an empty array.
            None if key.ends_with("[]") => Vec::new(),
            None => vec![Node::Text(String::new())],
        };
        if !key.is_empty() {
            gathered.entry(key).or_default().extend(values);
        }
    }
    let mut faults = Vec::new();
    let mut root = Node::Map(IndexMap::new());
    for (key, values) in gathered {
        match Key::split(&key) {
            Ok(key) => root = root.merge(key.build(values)),
            Err(fault) if faults.len() < FAULTS_LISTED => faults.push(fault),
            Err(_) => {}
        }
    }
    if faults.is_empty() { Ok(root.into_tree()) } else { Err(faults) }
}

/// Splits a parameter at its `=`: the one behind the brackets if the key has any, so that the key
/// of `a[b=c]=d` stays whole.
fn split(part: &str) -> (&str, Option<&str>) {
    let Some((key, value)) = part.split_once('=') else {
        return (part, None);
    };
    match part.find("]=") {
        Some(end) if key.contains('[') => {
            let (key, value) = part.split_at(end + 1);
            (key, value.strip_prefix('='))
        }
        _ => (key, Some(value)),
    }
}

fn decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    if !spaced.contains('%') {
        return spaced;
    }
    let mut tails = spaced.split('%').skip(1).map(str::as_bytes);
    let well_formed = tails.all(|tail| matches!(tail, [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit()));
    let decoded = percent_decode_str(&spaced).decode_utf8().ok().filter(|_| well_formed);
    decoded.map(|text| text.into_owned()).unwrap_or(spaced)
}

/// Characters of an offending key that a fault repeats.
const PATH_SHOWN: usize = 200;

/// One step into the tree.
enum Step<'k> {
    Name(&'k str),
    Index(usize),
    Append,
}

/// A key taken apart: `where[or][0][state]`.
struct Key<'k>(Vec<Step<'k>>);

impl<'k> Key<'k> {
    fn split(key: &'k str) -> Result<Self, QueryFault> {
        let first = brackets(key).next();
        let root = first.map_or(key, |(start, _)| key.get(..start).unwrap_or_default());
        let path = || {
            let names = brackets(key).map(|(_, name)| name).take(LEVELS_MAX + 1);
            let names = std::iter::once(root).filter(|root| !root.is_empty()).chain(names);
            names.collect::<Vec<_>>().join(".").chars().take(PATH_SHOWN).collect()
        };
        let mut steps = Vec::with_capacity(4);
        if !root.is_empty() {
            steps.push(Step::Name(root));
        }
        for (level, (_, name)) in brackets(key).enumerate() {
            if level == LEVELS_MAX {
                return Err(QueryFault::TooDeep { path: path() });
            }
            steps.push(match name {
                "" => Step::Append,
                name if is_index(name) => match name.parse() {
                    Ok(index) if index <= INDEX_MAX => Step::Index(index),
                    _ => return Err(QueryFault::IndexTooLarge { path: path() }),
                },
                name => Step::Name(name),
            });
        }
        Ok(Self(steps))
    }

    /// The tree with nothing but these values under this key.
    fn build(self, values: Vec<Node>) -> Node {
        let mut node = match <[Node; 1]>::try_from(values) {
            Ok([only]) => only,
            Err(values) => Node::list(values),
        };
        for step in self.0.into_iter().rev() {
            node = match (step, node) {
                (Step::Name(name), node) => Node::Map(IndexMap::from([(name.to_owned(), node)])),
                (Step::Index(index), node) => Node::List([(index, node)].into()),
                // `a[]=1&a[]=2` has gathered a list already; `[]` does not wrap it again.
                (Step::Append, list @ Node::List(_)) => list,
                (Step::Append, node) => Node::list(vec![node]),
            };
        }
        node
    }
}

/// The innermost bracket pairs of a key with their starts; text between and behind them is ignored,
/// unpaired brackets are text.
fn brackets(key: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut open = None;
    key.char_indices().filter_map(move |(at, c)| match c {
        '[' => {
            open = Some(at);
            None
        }
        ']' => {
            let start = open.take()?;
            Some((start, key.get(start + 1..at)?))
        }
        _ => None,
    })
}

fn is_index(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !name.starts_with('0'))
}

#[cfg(test)]
mod tests;
