//! Conditions and bodies as clients of this face write them, in the words of the dialect:
//! names of values become the values, groups and related records become paths.

use super::model::RELATED;
use super::name::chosen;
use indexmap::IndexMap;
use model::query::qs::Tree;
use model::registry::{Collection, Field, Kind, Node, Registry};
use serde_json::{Map, Value as Json};

/// A `where`; none when it asks nothing. Fields and operators that are null count as left
/// out, as everywhere in this language; but `equals: null` asks for rows without a value.
pub(super) fn condition(registry: &'static Registry, c: &'static Collection, given: Option<&Json>) -> Option<Tree> {
    let members = given?.as_object()?;
    let parts = parts((registry, c), members, "");
    (!parts.is_empty()).then_some(Tree::Map(parts))
}

fn parts(
    within: (&'static Registry, &'static Collection),
    given: &Map<String, Json>,
    prefix: &str,
) -> IndexMap<String, Tree> {
    let mut all: IndexMap<String, Tree> = IndexMap::new();
    let mut also = Vec::new();
    for (name, value) in given {
        match (name.as_str(), value) {
            (_, Json::Null) => {}
            ("AND" | "OR", value) => {
                let items = match value {
                    Json::Array(items) => items.as_slice(),
                    // One alone counts as a list of it.
                    one => std::slice::from_ref(one),
                };
                let items = items.iter().filter_map(Json::as_object);
                let items = items.map(|item| Tree::Map(parts(within, item, prefix)));
                let list = Tree::List(items.collect());
                all.insert(name.to_lowercase(), list);
            }
            (name, Json::Object(inner)) => match name.strip_suffix(RELATED) {
                Some(relation) => {
                    let prefix = format!("{prefix}{}.", relation.replace("__", "."));
                    also.push(Tree::Map(parts(within, inner, &prefix)));
                }
                None => {
                    let path = format!("{prefix}{}", name.replace("__", "."));
                    let options = field_at(within.0, within.1, &path).and_then(select);
                    let operators = operators(inner, options);
                    if !operators.is_empty() {
                        all.insert(path, Tree::Map(operators));
                    }
                }
            },
            _ => {}
        }
    }
    also.retain(|tree| !matches!(tree, Tree::Map(parts) if parts.is_empty()));
    if !also.is_empty() {
        let before = all.shift_remove("and");
        also.extend(before.into_iter().flat_map(|tree| match tree {
            Tree::List(items) => items,
            other => vec![other],
        }));
        all.insert("and".to_owned(), Tree::List(also));
    }
    all
}

fn operators(given: &Map<String, Json>, options: Option<&'static [String]>) -> IndexMap<String, Tree> {
    let operators = given.iter().filter(|(word, value)| {
        // Only of these null can be meant.
        !value.is_null() || matches!(word.as_str(), "equals" | "not_equals")
    });
    operators
        .map(|(word, value)| {
            let value = match options {
                Some(options) => valued(value.clone(), options),
                None => value.clone(),
            };
            // A text is not split at its commas: lists are lists here.
            let lists = matches!(word.as_str(), "in" | "not_in" | "all");
            let value = match value {
                Json::String(text) if lists => Json::Array(vec![Json::String(text)]),
                value => value,
            };
            (word.clone(), Tree::from(value))
        })
        .collect()
}

/// The field at a path, which may lead over relations, joins and lists of rows.
fn field_at(registry: &'static Registry, c: &'static Collection, path: &str) -> Option<&'static Field> {
    if let Some(slot) = c.slot(path) {
        return c.fields.get(slot);
    }
    path.match_indices('.').find_map(|(dot, _)| {
        let (head, tail) = (path.get(..dot)?, path.get(dot + 1..)?);
        let Some(slot) = c.slot(head) else {
            let join = c.joins.iter().find(|join| join.name == head)?;
            return field_at(registry, registry.get(join.collection)?, tail);
        };
        match &c.fields.get(slot)?.kind {
            Kind::Relation(to) | Kind::Relations(to) => field_at(registry, registry.get(to)?, tail),
            Kind::Rows(subs) => subs.iter().find(|sub| sub.name() == tail),
            _ => None,
        }
    })
}

fn select(field: &'static Field) -> Option<&'static [String]> {
    match &field.kind {
        Kind::Select(options) | Kind::Selects(options) => Some(options),
        _ => None,
    }
}

fn valued(value: Json, options: &[String]) -> Json {
    match value {
        Json::String(name) => Json::String(chosen(options, name)),
        Json::Array(items) => {
            let items = items.into_iter().map(|item| valued(item, options));
            Json::Array(items.collect())
        }
        other => other,
    }
}

pub(super) fn body(c: &'static Collection, given: Option<&Json>) -> Map<String, Json> {
    let given = given.and_then(Json::as_object);
    given.map_or_else(Map::new, |given| members(c, &c.layout, given))
}

fn members(c: &'static Collection, nodes: &'static [Node], given: &Map<String, Json>) -> Map<String, Json> {
    let each = given.iter().map(|(name, value)| {
        let typed = nodes.iter().find_map(|node| match node {
            Node::Group(group, inner) if group == name => {
                let inner = value.as_object().map(|given| members(c, inner, given));
                inner.map(Json::Object)
            }
            Node::Leaf(slot) => {
                let field = c.fields.get(*slot)?;
                let aliases = c.aliases.iter().filter(|(of, _)| *of == field.path);
                let mut aliases = aliases.map(|(_, alias)| alias.rsplit('.').next());
                let is_it = field.name() == name || aliases.any(|alias| alias == Some(name));
                is_it.then(|| content(field, value))
            }
            Node::Group(..) => None,
        });
        (name.clone(), typed.unwrap_or_else(|| value.clone()))
    });
    each.collect()
}

fn content(field: &'static Field, value: &Json) -> Json {
    match (&field.kind, value) {
        (Kind::Select(options) | Kind::Selects(options), value) => valued(value.clone(), options),
        (Kind::Rows(subs), Json::Array(rows)) => {
            let rows = rows.iter().map(|row| match row {
                Json::Object(given) => {
                    let cells = given.iter().map(|(name, value)| {
                        let sub = subs.iter().find(|sub| sub.name() == name);
                        let value = sub.map_or_else(|| value.clone(), |sub| content(sub, value));
                        (name.clone(), value)
                    });
                    Json::Object(cells.collect())
                }
                other => other.clone(),
            });
            Json::Array(rows.collect())
        }
        (_, value) => value.clone(),
    }
}
