//! The condition of a list as a tree that people read and change part by part, and its parameters of the REST face
//! (docs/dialect.md, *Conditions*). Must not know how it is shown.

use model::messages::{Language, labels};
use model::query::qs::{self, Tree};
use model::record::time;
use model::registry::{Collection, Field, Kind, Registry};
use serde_json::Value;
use std::collections::BTreeSet;

/// A condition, or several of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    One(Condition),
    All(Vec<Node>),
    Any(Vec<Node>),
}

/// What one path must fulfil.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition {
    pub(crate) path: String,
    /// A word of the dialect.
    pub(crate) operator: String,
    pub(crate) operand: Tree,
}

/// The parts of the condition that the query of an address states, all of which hold; none where it is no condition, of
/// which the REST face says what is wrong.
pub(crate) fn read(query: &str) -> Option<Vec<Node>> {
    let tree = qs::parse(query).ok()?;
    match qs::filter(&tree).ok()? {
        Some(tree) => all(&tree),
        None => Some(Vec::new()),
    }
}

/// The parts of a tree, as JSON may state it.
pub(crate) fn all(tree: &Tree) -> Option<Vec<Node>> {
    let Tree::Map(parts) = tree else {
        return None;
    };
    let mut nodes = Vec::new();
    for (name, part) in parts {
        match (name.to_ascii_lowercase().as_str(), part) {
            ("and", Tree::List(items)) => {
                for item in items {
                    nodes.extend(all(item)?);
                }
            }
            ("or", Tree::List(items)) => {
                let items: Option<Vec<Vec<Node>>> = items.iter().map(all).collect();
                let items = items?;
                // An empty list, and an alternative that always holds, ask nothing.
                if !items.iter().any(Vec::is_empty) {
                    nodes.extend(any(items.into_iter().map(whole).collect()));
                }
            }
            (word, Tree::Map(operators)) if !["and", "or"].contains(&word) => {
                nodes.extend(operators.iter().map(|(operator, operand)| {
                    let (path, operator) = (name.clone(), operator.clone());
                    Node::One(Condition { path, operator, operand: operand.clone() }.plain())
                }))
            }
            _ => return None,
        }
    }
    Some(nodes)
}

/// All of them as one.
pub(crate) fn whole(mut nodes: Vec<Node>) -> Node {
    match nodes.len() {
        1 => nodes.remove(0),
        _ => Node::All(nodes),
    }
}

/// Any of them as one; nothing where there is none.
pub(crate) fn any(mut nodes: Vec<Node>) -> Option<Node> {
    match nodes.len() {
        0 => None,
        1 => Some(nodes.remove(0)),
        _ => Some(Node::Any(nodes)),
    }
}

/// The parameters of parts all of which hold. Single conditions have short names as long as these differ.
pub(crate) fn parameters(nodes: &[Node]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut taken = BTreeSet::new();
    let mut place = 0_usize;
    for node in nodes {
        match node {
            Node::One(one) if taken.insert((&one.path, &one.operator)) => one.put("where", &mut out),
            other => {
                other.put(&format!("where[and][{place}]"), &mut out);
                place = place.saturating_add(1);
            }
        }
    }
    out
}

impl Node {
    fn put(&self, key: &str, out: &mut Vec<(String, String)>) {
        let (word, nodes) = match self {
            Self::One(one) => return one.put(key, out),
            Self::All(nodes) => ("and", nodes),
            Self::Any(nodes) => ("or", nodes),
        };
        for (place, node) in nodes.iter().enumerate() {
            node.put(&format!("{key}[{word}][{place}]"), out);
        }
    }

    /// The single conditions in it.
    pub(crate) fn singles(&self) -> Vec<&Condition> {
        match self {
            Self::One(one) => vec![one],
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().flat_map(Self::singles).collect(),
        }
    }
}

/// Parts without the one at these places, from the outside to the inside; what is left alone stands for itself.
pub(crate) fn without(nodes: &[Node], places: &[usize]) -> Vec<Node> {
    let Some((first, rest)) = places.split_first() else {
        return Vec::new();
    };
    let parts = nodes.iter().enumerate().filter_map(|(place, node)| match node {
        node if place != *first => Some(node.clone()),
        Node::All(inner) => Some(whole(without(inner, rest))).filter(|left| *left != Node::All(Vec::new())),
        Node::Any(inner) => any(without(inner, rest)),
        Node::One(_) => None,
    });
    parts.collect()
}

impl Condition {
    pub(crate) fn new(path: &str, operator: &str, value: &str) -> Self {
        Self { path: path.to_owned(), operator: operator.to_owned(), operand: Tree::Text(value.to_owned()) }
    }

    /// Values of JSON as texts; null is what has no value.
    fn plain(mut self) -> Self {
        if self.operand == Tree::Scalar(Value::Null) && ["equals", "not_equals"].contains(&self.operator.as_str()) {
            let filled = (self.operator == "not_equals").to_string();
            (self.operator, self.operand) = ("exists".to_owned(), Tree::Text(filled));
        }
        self
    }

    fn put(&self, key: &str, out: &mut Vec<(String, String)>) {
        put(&format!("{key}[{}][{}]", self.path, self.operator), &self.operand, out);
    }

    /// The values that are compared with.
    pub(crate) fn values(&self) -> Vec<String> {
        let list = ["in", "not_in", "all"].contains(&self.operator.as_str());
        match &self.operand {
            Tree::Text(text) if list => text.split(',').map(str::to_owned).collect(),
            Tree::Text(text) => vec![text.clone()],
            Tree::Scalar(value) => vec![value.to_string()],
            Tree::List(all) => all.iter().filter_map(|one| one.as_text().map(str::to_owned)).collect(),
            Tree::Map(_) => Vec::new(),
        }
    }

    /// Whether no value of the field can be what it is compared with, so that no row would be found.
    pub(crate) fn is_beyond(&self, field: &Field) -> bool {
        let operator = self.operator.as_str();
        let compares = !["exists", "like", "not_like", "contains"].contains(&operator);
        compares && self.values().iter().any(|value| !is_possible(field, operator, value.trim()))
    }
}

fn put(key: &str, tree: &Tree, out: &mut Vec<(String, String)>) {
    match tree {
        Tree::Text(text) => out.push((key.to_owned(), text.clone())),
        Tree::Scalar(value) => out.push((key.to_owned(), value.to_string())),
        Tree::List(all) if all.is_empty() => out.push((format!("{key}[]"), String::new())),
        Tree::List(all) => {
            all.iter().enumerate().for_each(|(place, one)| put(&format!("{key}[{place}]"), one, out));
        }
        Tree::Map(all) => all.iter().for_each(|(name, one)| put(&format!("{key}[{name}]"), one, out)),
    }
}

fn is_possible(field: &Field, operator: &str, value: &str) -> bool {
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    match &field.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Texts(_) | Kind::Json | Kind::Rows(_) | Kind::Password => {
            true
        }
        Kind::Select(words) | Kind::Selects(words) => words.iter().any(|word| word == value),
        _ if value == "null" => true,
        Kind::Int if ["equals", "not_equals"].contains(&operator) => {
            value.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
        }
        Kind::Int | Kind::Number => is_number(value),
        Kind::Relation(_) | Kind::Relations(_) => value.parse::<i64>().is_ok(),
        Kind::Bool => ["true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word)),
        Kind::Day | Kind::Instant => time::parse_filter(value).is_some(),
    }
}

/// A field at the end of a path: of which collection it is, and its path there.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) of: &'static Collection,
    pub(crate) field: &'static Field,
    pub(crate) path: String,
    /// The relations and related lists on the way, as people call them.
    way: Vec<(&'static str, String)>,
}

impl End {
    /// The field that a path leads to from a collection: its own, a member of a list, one of related records.
    pub(crate) fn of(registry: &'static Registry, c: &'static Collection, path: &str) -> Option<Self> {
        let path = path.replace("__", ".");
        if let Some(field) = c.field(&path) {
            return Some(Self { of: c, field, path, way: Vec::new() });
        }
        path.match_indices('.').find_map(|(dot, _)| {
            let (head, tail) = (path.get(..dot)?, path.get(dot.saturating_add(1)..)?);
            if let Some(join) = c.joins.iter().find(|join| join.name == head) {
                let mut end = Self::of(registry, registry.get(join.collection)?, tail)?;
                end.way.insert(0, (join.collection, String::new()));
                return Some(end);
            }
            let field = c.field(head)?;
            if let Kind::Rows(members) = &field.kind {
                let member = members.iter().find(|member| member.path == tail)?;
                return Some(Self { of: c, field: member, path: path.clone(), way: Vec::new() });
            }
            let target = registry.get(field.target()?)?;
            if tail == "id" {
                return Some(Self { of: c, field, path: head.to_owned(), way: Vec::new() });
            }
            let mut end = Self::of(registry, target, tail)?;
            end.way.insert(0, (c.slug, head.to_owned()));
            Some(end)
        })
    }

    /// What people call the field, with the way to it.
    pub(crate) fn label(&self, language: Language) -> String {
        let mut names: Vec<String> = (self.way.iter())
            .map(|(slug, path)| match path.as_str() {
                "" => labels::collections(language, slug),
                path => labels::field(language, slug, path),
            })
            .collect();
        names.push(match self.path.as_str() {
            "id" => "№".to_owned(),
            path => labels::field(language, self.of.slug, path),
        });
        names.join(": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::registry::{boolean, day, int, number, relation, select, text};

    #[test]
    fn a_condition_is_written_as_it_was_read() {
        for (query, written) in [
            ("where[sex][equals]=male", "where[sex][equals]=male"),
            ("where[and][0][sex][equals]=male", "where[sex][equals]=male"),
            (
                "where[or][0][a][equals]=1&where[or][1][b][equals]=2&where[c][exists]=true",
                "where[and][0][or][0][a][equals]=1&where[and][0][or][1][b][equals]=2&where[c][exists]=true",
            ),
            ("where[and][0][a][equals]=1&where[and][1][a][equals]=2", "where[a][equals]=1&where[and][0][a][equals]=2"),
            ("where[a][in][0]=x&where[a][in][1]=y", "where[a][in][0]=x&where[a][in][1]=y"),
            (
                "where={\"a\":{\"equals\":null},\"b\":{\"greater_than\":2}}",
                "where[a][exists]=false&where[b][greater_than]=2",
            ),
            ("where[or][0][a][equals]=1", "where[a][equals]=1"),
            ("where=", ""),
        ] {
            let nodes = read(query).unwrap_or_else(|| panic!("{query}"));
            let all = parameters(&nodes).into_iter().map(|(name, value)| format!("{name}={value}"));
            assert_eq!(all.collect::<Vec<_>>().join("&"), written, "{query}");
        }
        for query in ["where=text", "where[a]=1", "where[or][a][equals]=1"] {
            assert_eq!(read(query), None, "{query}");
        }
    }

    #[test]
    fn single_parts_are_taken_out() {
        let all = read("where[a][equals]=1&where[or][0][b][equals]=2&where[or][1][c][equals]=3").unwrap();
        let left = |places: &[usize]| {
            let left = without(&all, places);
            let singles: Vec<&str> = left.iter().flat_map(Node::singles).map(|one| one.path.as_str()).collect();
            (left.len(), singles.concat())
        };
        assert_eq!(left(&[0]), (1, "bc".to_owned()));
        assert_eq!(left(&[1, 0]), (2, "ac".to_owned()));
        assert_eq!(left(&[1]), (1, "a".to_owned()));
    }

    #[test]
    fn values_that_no_row_can_have_are_known() {
        for (field, operator, value, beyond) in [
            (number("n"), "greater_than", "30.5", false),
            (number("n"), "equals", "30,5", true),
            (int("n"), "equals", "2.5", true),
            (int("n"), "less_than", "2.5", false),
            (int("n"), "exists", "x", false),
            (day("d"), "equals", "2026-02-30", true),
            (day("d"), "less_than", "2026-02", false),
            (select("s", "a|b"), "in", "a,c", true),
            (select("s", "a|b"), "not_equals", "b", false),
            (boolean("b"), "equals", "yes", true),
            (relation("r", "things"), "equals", "null", false),
            (relation("r", "things"), "equals", "x", true),
            (text("t"), "equals", "anything", false),
        ] {
            let one = Condition::new(&field.path, operator, value);
            assert_eq!(one.is_beyond(&field), beyond, "{operator} {value}");
        }
    }
}
