//! The tree while it grows: lists may still have holes.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde_json::Value;

use super::Tree;

pub(super) enum Node {
    Text(String),
    /// A name that was set without a value, where the tree already had names below it.
    Named,
    List(BTreeMap<usize, Node>),
    Map(IndexMap<String, Node>),
}

impl Node {
    pub(super) fn list(nodes: Vec<Self>) -> Self {
        Self::List(nodes.into_iter().enumerate().collect())
    }

    fn is_leaf(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Named)
    }

    /// Joins two trees built from different keys, as `qs` does.
    pub(super) fn merge(self, other: Self) -> Self {
        match (self, other) {
            (into @ (Self::List(_) | Self::Map(_)), Self::Text(empty)) if empty.is_empty() => into,
            (Self::List(mut into), Self::List(from)) => {
                for (index, node) in from {
                    merge_element(&mut into, index, node);
                }
                Self::List(into)
            }
            (Self::List(mut into), leaf @ (Self::Text(_) | Self::Named)) => {
                push(&mut into, leaf);
                Self::List(into)
            }
            (Self::List(into), Self::Map(from)) => merge_maps(by_name(into), from),
            (Self::Map(into), Self::List(from)) => merge_maps(into, by_name(from)),
            (Self::Map(into), Self::Map(from)) => merge_maps(into, from),
            (Self::Map(mut into), Self::Text(name)) => {
                into.insert(name, Self::Named);
                Self::Map(into)
            }
            (Self::Map(into), Self::Named) => Self::Map(into),
            (leaf, Self::List(from)) => Self::list(std::iter::once(leaf).chain(from.into_values()).collect()),
            (leaf, other) => Self::list(vec![leaf, other]),
        }
    }

    pub(super) fn into_tree(self) -> Tree {
        match self {
            Self::Text(text) => Tree::Text(text),
            Self::Named => Tree::Scalar(Value::Bool(true)),
            Self::List(nodes) => Tree::List(nodes.into_values().map(Self::into_tree).collect()),
            Self::Map(nodes) => Tree::Map(nodes.into_iter().map(|(name, node)| (name, node.into_tree())).collect()),
        }
    }
}

/// Two structures at one index become one; anything else moves to the end.
fn merge_element(into: &mut BTreeMap<usize, Node>, index: usize, node: Node) {
    match into.remove(&index) {
        None => {
            into.insert(index, node);
        }
        Some(present) if present.is_leaf() || node.is_leaf() => {
            into.insert(index, present);
            push(into, node);
        }
        Some(present) => {
            into.insert(index, present.merge(node));
        }
    }
}

fn push(into: &mut BTreeMap<usize, Node>, node: Node) {
    let end = into.last_key_value().map_or(0, |(last, _)| last + 1);
    into.insert(end, node);
}

fn merge_maps(mut into: IndexMap<String, Node>, from: IndexMap<String, Node>) -> Node {
    for (name, node) in from {
        match into.entry(name) {
            Entry::Vacant(place) => {
                place.insert(node);
            }
            Entry::Occupied(mut place) => {
                let present = std::mem::replace(place.get_mut(), Node::Named);
                place.insert(present.merge(node));
            }
        }
    }
    Node::Map(into)
}

fn by_name(list: BTreeMap<usize, Node>) -> IndexMap<String, Node> {
    list.into_iter().map(|(index, node)| (index.to_string(), node)).collect()
}
