//! Values of files that no entry of a dictionary and no choice has.

use model::registry::{Collection, Kind, Registry, entry_key};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Unknown values of a column, beyond which it has something else than entries of a dictionary.
const VALUES: usize = 200;
/// Longest value, characters; longer ones are remarks.
const LONGEST: usize = 100;

/// Values of the rows of a package that no entry of a dictionary and no choice has.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnknownValues {
    /// By dictionary or choice, and heading; none: the column has too many.
    columns: BTreeMap<(String, String), Option<BTreeMap<String, UnknownValue>>>,
}

/// A value that is unknown.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnknownValue {
    pub(crate) title: String,
    pub(crate) rows: i64,
    /// The headings of its columns.
    pub(crate) headings: Vec<String>,
}

impl UnknownValues {
    /// Notes those of a row by its faults.
    pub(crate) fn note(&mut self, registry: &Registry, slug: &str, faults: &[Json]) {
        let Some(c) = registry.get(slug) else { return };
        for fault in faults {
            let text = |name: &str| fault.get(name).and_then(Json::as_str).unwrap_or_default();
            let (code, value) = (text("code"), text("value").trim());
            // `field:value` says itself which field is meant.
            let is_word = !value.contains(':') && value.chars().count() <= LONGEST;
            if !matches!(code, "invalid-relation" | "not-an-option") || !is_word {
                continue;
            }
            let key = entry_key(value);
            let Some(target) = target_of(registry, c, text("path")).filter(|_| !key.is_empty())
            else {
                continue;
            };
            let heading = text("column").to_owned();
            let column = self.columns.entry((target, heading));
            let column = column.or_insert_with(|| Some(BTreeMap::new()));
            if let Some(values) = column {
                let unknown_value = values.entry(key).or_insert_with(|| UnknownValue {
                    title: value.to_owned(),
                    ..UnknownValue::default()
                });
                unknown_value.rows = unknown_value.rows.saturating_add(1);
                if values.len() > VALUES {
                    *column = None;
                }
            }
        }
    }

    /// By dictionary or choice.
    pub(crate) fn by_target(&self) -> BTreeMap<&str, BTreeMap<&str, UnknownValue>> {
        let mut all: BTreeMap<&str, BTreeMap<&str, UnknownValue>> = BTreeMap::new();
        for ((target, heading), values) in &self.columns {
            for (key, value) in values.iter().flatten() {
                let unknown_value = all.entry(target).or_default().entry(key).or_default();
                if unknown_value.title.is_empty() {
                    unknown_value.title.clone_from(&value.title);
                }
                unknown_value.rows = unknown_value.rows.saturating_add(value.rows);
                unknown_value.headings.push(heading.clone());
            }
        }
        all
    }
}

/// The dictionary, or the choice, that a field of a row has a value of.
fn target_of(registry: &Registry, c: &Collection, path: &str) -> Option<String> {
    let is_place = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = path.split('.').filter(|part| !is_place(part)).collect();
    let path = parts.join(".");
    match &c.member(&path)?.kind {
        Kind::Relation(slug) => {
            let target = registry.get(slug).filter(|target| target.has_aliases());
            target.map(|target| target.slug.to_owned())
        }
        Kind::Select(_) => Some(format!("{}:{path}", c.slug)),
        _ => None,
    }
}
