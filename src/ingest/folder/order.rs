//! The order in which collections are written: what rows name comes before them. Where collections name each other, the
//! one comes first whose relation need not be filled; what it names is completed at the end.

use model::registry::{Collection, Field, Kind, Registry};
use std::collections::{BTreeMap, BTreeSet};

/// A collection and what its files name.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) collection: &'static Collection,
    /// Slots that files fill.
    pub(super) slots: BTreeSet<usize>,
    pub(super) rows: u64,
}

/// A collection in its place, with those that it names and that come later.
#[derive(Debug)]
pub(super) struct OrderedNode {
    pub(super) node: Node,
    pub(super) later: BTreeSet<&'static str>,
    /// Whether rows name rows of the collection itself.
    pub(super) names_itself: bool,
}

pub(super) fn in_write_order(registry: &'static Registry, nodes: Vec<Node>) -> Vec<OrderedNode> {
    let slugs: BTreeSet<&str> = nodes.iter().map(|node| node.collection.slug).collect();
    let mut open: Vec<(Node, BTreeMap<&'static str, bool>)> = (nodes.into_iter())
        .map(|node| {
            let targets = targets(registry, &node).into_iter().filter(|(slug, _)| slugs.contains(slug)).collect();
            (node, targets)
        })
        .collect();
    // Dictionaries first: some rows name their entries without a relation.
    let place = |c: &Collection| (!c.keep_used, registry.iter().position(|o| o.slug == c.slug));
    open.sort_by_key(|(node, _)| place(node.collection));
    let mut placed: Vec<OrderedNode> = Vec::new();
    while !open.is_empty() {
        let left: BTreeSet<&str> = open.iter().map(|(n, _)| n.collection.slug).collect();
        let cost = |(node, targets): &(Node, BTreeMap<&'static str, bool>)| {
            let missing = |(slug, _): &(&&str, &bool)| **slug != node.collection.slug && left.contains(*slug);
            let missing: Vec<bool> = targets.iter().filter(missing).map(|(_, r)| *r).collect();
            let required = missing.iter().filter(|required| **required).count();
            (required, missing.len(), if missing.is_empty() { 0 } else { node.rows })
        };
        let at = (0..open.len()).min_by_key(|at| open.get(*at).map(cost));
        let (node, targets) = open.remove(at.unwrap_or_default());
        let own = node.collection.slug;
        let later = targets.keys().filter(|slug| **slug != own && left.contains(**slug));
        placed.push(OrderedNode { later: later.copied().collect(), names_itself: targets.contains_key(own), node });
    }
    placed
}

/// Collections that rows name, and whether they must.
fn targets(registry: &'static Registry, node: &Node) -> BTreeMap<&'static str, bool> {
    let c = node.collection;
    let mut targets: BTreeMap<&'static str, bool> = BTreeMap::new();
    let mut add = |field: &Field| {
        if let Some(target) = field.target().and_then(|slug| registry.get(slug)) {
            *targets.entry(target.slug).or_default() |= field.required;
        }
    };
    for slot in &node.slots {
        let Some(field) = c.fields.get(*slot) else { continue };
        add(field);
        if let Kind::Rows(subs) = &field.kind {
            subs.iter().for_each(&mut add);
        }
        let text = c.naming.texts.iter().find(|text| text.text == field.path);
        if let Some(relation) = text.and_then(|text| c.field(text.relation)) {
            add(relation);
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::collections::registry;

    fn order(files: &[(&str, &[&str], u64)]) -> Vec<(&'static str, Vec<&'static str>, bool)> {
        let registry = registry().unwrap();
        let nodes = files.iter().map(|(slug, paths, rows)| {
            let collection = registry.get(slug).unwrap();
            let slots = paths.iter().map(|path| collection.slot(path).unwrap());
            Node { collection, slots: slots.collect(), rows: *rows }
        });
        let placed = in_write_order(registry, nodes.collect());
        let lines = placed.iter().map(|p| {
            let later = p.later.iter().copied().collect();
            (p.node.collection.slug, later, p.names_itself)
        });
        lines.collect()
    }

    #[test]
    fn what_rows_name_comes_before_them() {
        let order = order(&[
            ("milk-tests", &["animal", "date"], 9),
            ("animals", &["owner", "herd", "mother"], 5),
            ("herds", &["organization"], 1),
            ("organizations", &["name"], 1),
        ]);
        let slugs: Vec<_> = order.iter().map(|(slug, _, _)| *slug).collect();
        assert_eq!(slugs, ["organizations", "herds", "animals", "milk-tests"]);
        assert!(order.iter().all(|(slug, later, own)| { later.is_empty() && *own == (*slug == "animals") }));
    }

    #[test]
    fn of_collections_that_name_each_other_the_smaller_one_is_completed() {
        let order = order(&[("animals", &["line", "pedigreeText.fatherId"], 900), ("lines", &["founder", "code"], 3)]);
        assert_eq!(order, [("lines", vec!["animals"], false), ("animals", vec![], true)]);
    }
}
