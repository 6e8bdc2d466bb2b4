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

#[derive(Debug, Clone, Default)]
pub(crate) struct UnknownValue {
    pub(crate) title: String,
    pub(crate) rows: i64,
    pub(crate) headings: Vec<String>,
}

impl UnknownValues {
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
            let Some(target) = target_of(registry, c, text("path")).filter(|_| !key.is_empty()) else { continue };
            let heading = text("column").to_owned();
            let column = self.columns.entry((target, heading));
            let column = column.or_insert_with(|| Some(BTreeMap::new()));
            if let Some(values) = column {
                let unknown_value = values
                    .entry(key)
                    .or_insert_with(|| UnknownValue { title: value.to_owned(), ..UnknownValue::default() });
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::collections::registry;
    use serde_json::json;

    fn fault(path: &str, code: &str, value: &str) -> Json {
        json!({"column": "C", "path": path, "code": code, "value": value})
    }

    /// What is noted of a fault: the target and the title.
    fn noted(slug: &str, faults: &[Json]) -> Vec<(String, String)> {
        let mut values = UnknownValues::default();
        values.note(registry().unwrap(), slug, faults);
        let all = values.by_target();
        let all = all.iter().flat_map(|(target, values)| {
            values.values().map(|value| value.title.clone()).map(move |title| ((*target).to_owned(), title))
        });
        all.collect()
    }

    #[test]
    fn values_of_dictionaries_and_choices_are_noted_and_nothing_else() {
        for case in [
            "animals;breed;invalid-relation; Голштин ;breeds",
            "animals;dnaTests.0.type;invalid-relation;STR;dna-test-types",
            "calvings;ease;not-an-option;тяжко;calvings:ease",
            "calvings;progeny.1.sex;not-an-option;бычара;calvings:progeny.sex",
            "animals;breed;ambiguous-relation;Голштин;",
            "animals;breed;invalid-relation;code:X;",
            "animals;breed;invalid-relation;.;",
            "animals;father;invalid-relation;960000000001;",
            "animals;owner;invalid-relation;Заря;",
            "inseminations;technician;invalid-relation;Иванова А. П.;",
            "animals;name;wrong-type;Нега;",
            "animals;nothing;not-an-option;x;",
        ] {
            let parts: Vec<&str> = case.split(';').collect();
            let [slug, path, code, value, target] = parts[..] else {
                panic!("{case}");
            };
            let values = noted(slug, &[fault(path, code, value)]);
            let expected = (target.to_owned(), value.trim().to_owned());
            let expected = Some(expected).filter(|_| !target.is_empty());
            assert_eq!(values, Vec::from_iter(expected), "{case}");
        }
        let remark = "а".repeat(LONGEST + 1);
        assert!(noted("animals", &[fault("breed", "invalid-relation", &remark)]).is_empty());
    }

    #[test]
    fn a_column_with_too_many_values_has_none_of_a_dictionary() {
        let of = |count: usize| {
            let values = (0..count).map(|n| fault("breed", "invalid-relation", &format!("Б{n}")));
            noted("animals", &values.collect::<Vec<_>>()).len()
        };
        assert_eq!(of(VALUES), VALUES);
        assert_eq!(of(VALUES + 1), 0);
        assert_eq!(of(VALUES + 9), 0);
    }
}
