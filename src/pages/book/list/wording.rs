//! Conditions in words: operators by the kind of a field, what visitors type as the REST face takes it, and what a
//! condition says.

use crate::book::conditions::{Condition, End, Node};
use crate::book::query::written;
use crate::components::input::iso;
use crate::components::shell::Shell;
use crate::visitor::ORGANIZATION;
use futures_util::future::join_all;
use model::display::{DisplayField, at, called};
use model::messages::labels;
use model::registry::evaluation::profiles;
use model::registry::{Collection, Feature, Field, Kind, Registry, Wording};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// That there is a value, and that there is none: both are `exists` for the REST face.
pub(super) const FILLED: &str = "filled";
pub(super) const EMPTY: &str = "empty";
/// Related records of each collection that conditions call by name, and rows of a set that the address of a list names.
pub(super) const NAMED: usize = 100;
/// Values of a condition that are said one by one.
const SAID: usize = 5;

/// The operators that are offered for a field, the most usual first.
pub(super) fn operators(field: &Field) -> &'static [&'static str] {
    match &field.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email
            if field.named_values().is_empty() && field.wording != Wording::Collection =>
        {
            &["contains", "equals", "not_like", "not_equals", FILLED, EMPTY]
        }
        Kind::Int | Kind::Number => &[
            "equals",
            "greater_than_equal",
            "less_than_equal",
            "greater_than",
            "less_than",
            "not_equals",
            FILLED,
            EMPTY,
        ],
        Kind::Day => &["greater_than_equal", "less_than_equal", "equals", FILLED, EMPTY],
        Kind::Instant => &["greater_than_equal", "less_than_equal", FILLED, EMPTY],
        Kind::Json | Kind::Rows(_) => &[FILLED, EMPTY],
        Kind::Password => &[],
        _ => &["equals", "not_equals", FILLED, EMPTY],
    }
}

/// The operator as a form has it; none where forms have no such.
pub(super) fn offered(field: &Field, one: &Condition) -> Option<&'static str> {
    let word = match (one.operator.as_str(), one.operand.as_text()?) {
        ("exists", "true") => FILLED,
        ("exists", _) => EMPTY,
        (other, _) => other,
    };
    operators(field).iter().copied().find(|own| *own == word)
}

/// A condition as the REST face takes it. Days and numbers may be typed as people write them.
pub(super) fn typed(field: &Field, path: &str, operator: &str, text: &str) -> Condition {
    let text = text.trim();
    let value = match (&field.kind, operator) {
        (_, FILLED) => return Condition::new(path, "exists", "true"),
        (_, EMPTY) => return Condition::new(path, "exists", "false"),
        (Kind::Int | Kind::Number, _) => text.replace(',', ".").replace(['\u{a0}', ' '], ""),
        (Kind::Day | Kind::Instant, _) => iso(text).unwrap_or_else(|| text.to_owned()),
        _ => text.to_owned(),
    };
    Condition::new(path, operator, &value)
}

/// What an operator says about a field.
pub(super) fn operator_text(shell: &Shell<'_>, field: &Field, operator: &str) -> String {
    let known = ["all", "in", "not_in", "like"].contains(&operator) || operators(field).contains(&operator);
    let name = match (&field.kind, operator) {
        (Kind::Day | Kind::Instant, "greater_than_equal") => "since".to_owned(),
        (Kind::Day | Kind::Instant, "less_than_equal") => "until".to_owned(),
        (Kind::Relations(_) | Kind::Selects(_) | Kind::Texts(_), "equals" | "contains") => "has".to_owned(),
        (Kind::Relations(_) | Kind::Selects(_) | Kind::Texts(_), "not_equals") => "lacks".to_owned(),
        (_, operator) if known || operator.contains("than") => operator.replace('_', "-"),
        _ => return operator.to_owned(),
    };
    shell.text(&format!("page-operator-{name}"))
}

/// Names of related records, by collection and id.
pub(super) type Names = BTreeMap<(String, i64), String>;

/// The record that a value of a condition means: a related one, the profile of a key, or its own one of an id.
fn record(registry: &'static Registry, end: &End, value: &str) -> Option<(&'static str, i64)> {
    let value = value.trim();
    let (slug, id) = match &end.field.wording {
        Wording::WordsOr(..) => {
            (registry.with_feature(Feature::IndexProfiles)?.slug, value.strip_prefix(profiles::KEY)?)
        }
        _ => (named(end)?, value),
    };
    Some((slug, id.parse().ok()?))
}

/// The names of the related records that a condition names: a request for each of their collections. That of the
/// visitor's organisation is known.
pub(super) async fn names(shell: &Shell<'_>, c: &'static Collection, nodes: &[Node]) -> Names {
    let registry = shell.pages.site.registry;
    let mut wanted: BTreeMap<&'static str, BTreeSet<i64>> = BTreeMap::new();
    let mut known = Names::new();
    for one in nodes.iter().flat_map(Node::singles).filter(|one| one.values().len() <= SAID) {
        let Some(end) = End::of(registry, c, &one.path) else { continue };
        for (slug, id) in one.values().iter().filter_map(|value| record(registry, &end, value)) {
            let own = shell.visitor.text_at("organization.name").filter(|_| is_own(shell, slug, id));
            match own {
                Some(own) => drop(known.insert((slug.to_owned(), id), own.to_owned())),
                None => wanted.entry(slug).or_default().extend([id]),
            }
        }
    }
    let all = wanted.into_iter().map(async |(slug, ids)| {
        let Some(target) = registry.get(slug) else {
            return Vec::new();
        };
        let ids: Vec<String> = ids.iter().take(NAMED).map(i64::to_string).collect();
        let mut query = vec![("where[id][in]".to_owned(), ids.join(","))];
        let paths: BTreeSet<&str> = called(target).into_iter().chain(target.title().naming()).collect();
        query.extend(paths.into_iter().map(|path| {
            let key = format!("select[{}]", path.replace('.', "]["));
            (key, "true".to_owned())
        }));
        let rest = [("depth", "0".to_owned()), ("joins", "false".to_owned()), ("limit", NAMED.to_string())];
        query.extend(rest.map(|(name, value)| (name.to_owned(), value)));
        let answer = shell.get(&format!("/api/{slug}?{}", written(&query))).await;
        let named = answer.docs().iter();
        let named =
            named.filter_map(|doc| Some(((slug.to_owned(), at(doc, "id").as_i64()?), shell.title(target, doc))));
        named.collect::<Vec<_>>()
    });
    known.extend(join_all(all).await.into_iter().flatten());
    known
}

/// The collection whose record a value of the field names: that of a relation, or its own one of an id.
fn named(end: &End) -> Option<&'static str> {
    match end.path.as_str() {
        "id" => Some(end.of.slug).filter(|_| !called(end.of).is_empty()),
        _ => end.field.target(),
    }
}

fn is_own(shell: &Shell<'_>, slug: &str, id: i64) -> bool {
    let users = crate::visitor::accounts(shell.pages.site.registry);
    let organizations = users.and_then(|users| users.field(ORGANIZATION)?.target());
    organizations == Some(slug) && shell.visitor.organization() == Some(id)
}

/// What a part of a condition says.
pub(super) fn said(shell: &Shell<'_>, c: &'static Collection, node: &Node, names: &Names) -> String {
    let (word, nodes) = match node {
        Node::One(one) => return one_said(shell, c, one, names),
        Node::All(nodes) => ("page-and", nodes),
        Node::Any(nodes) => ("page-or", nodes),
    };
    let part = |node: &Node| match node {
        Node::One(one) => one_said(shell, c, one, names),
        several => format!("({})", said(shell, c, several, names)),
    };
    nodes.iter().map(part).collect::<Vec<_>>().join(&format!(" {} ", shell.text(word)))
}

fn one_said(shell: &Shell<'_>, c: &'static Collection, one: &Condition, names: &Names) -> String {
    let Some(end) = End::of(shell.pages.site.registry, c, &one.path) else {
        return format!("{} {} {}", one.path, one.operator, one.values().join(", "));
    };
    let label = match (end.path.as_str(), named(&end)) {
        ("id", Some(slug)) => labels::collection(shell.language(), slug),
        _ => end.label(shell.language()),
    };
    if one.operator == "exists" {
        let word = if one.operand.as_text() == Some("true") { FILLED } else { EMPTY };
        return format!("{label} {}", operator_text(shell, end.field, word));
    }
    let values = one.values();
    let operator = operator_text(shell, end.field, &one.operator);
    if values.len() > SAID {
        return format!("{label} {operator} {}", values.len());
    }
    let values: Vec<String> = values.iter().map(|value| value_said(shell, &end, value, names)).collect();
    format!("{label} {operator} {}", values.join(", "))
}

/// A value of a condition as people read it; what is no value of the field stands as it was typed.
fn value_said(shell: &Shell<'_>, end: &End, text: &str, names: &Names) -> String {
    if let Some((slug, id)) = record(shell.pages.site.registry, end, text) {
        return names.get(&(slug.to_owned(), id)).cloned().unwrap_or_else(|| format!("№ {id}"));
    }
    let value = match &end.field.kind {
        Kind::Int | Kind::Number => text
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .map(|_| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
        Kind::Bool => text.parse::<bool>().ok().map(Value::from),
        Kind::Select(words) | Kind::Selects(words) => words.iter().any(|word| word == text).then(|| Value::from(text)),
        Kind::Day | Kind::Instant if text.len() < 10 => None,
        Kind::Instant if text.len() < 16 => return model::display::day_of(shell.language(), text),
        _ => Some(Value::from(text)),
    };
    let value = match (&end.field.kind, value) {
        (Kind::Selects(_), Some(word)) => Some(Value::from(vec![word])),
        (_, value) => value,
    };
    let display = DisplayField { collection: end.of, field: end.field, path: &end.path };
    value.map_or_else(|| text.to_owned(), |value| display.text(shell.pages.site.registry, shell.language(), &value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::registry::{day, instant, number, text};

    #[test]
    fn what_people_type_is_what_the_dialect_takes() {
        for (field, operator, typed_text, is) in [
            (number("n"), "equals", " 1 250,5 ", ("equals", "1250.5")),
            (day("n"), "equals", "5.2.2026", ("equals", "2026-02-05")),
            (day("n"), "equals", "2026-02-05", ("equals", "2026-02-05")),
            (instant("n"), "less_than_equal", "05.02.2026 06:40", ("less_than_equal", "2026-02-05T06:40")),
            (text("n"), "contains", " a b ", ("contains", "a b")),
            (text("n"), FILLED, "", ("exists", "true")),
            (text("n"), EMPTY, "x", ("exists", "false")),
        ] {
            let (operator_is, value) = is;
            assert_eq!(typed(&field, "n", operator, typed_text), Condition::new("n", operator_is, value));
        }
    }
}
