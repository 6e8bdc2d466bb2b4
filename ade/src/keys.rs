//! The values of a resource that answer the filters for members inside it: a server stores them in an index. The
//! catalogue names these members ([`Answer`]). This module must not know how an index is stored.

use crate::catalog::{Answer, Catalog, Filter};
use serde_json::Value;

/// A value by which a resource is found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// The parameter that asks for it, of a pair the one with the number.
    pub parameter: &'static str,
    /// A code; of an identifier [`pair`]; of a point in time the same as `at`.
    pub value: String,
    /// A point in time, epoch milliseconds.
    pub at: Option<i64>,
}

/// An identifier as the value of a key.
#[must_use]
pub fn pair(scheme: &str, id: &str) -> String {
    format!("{scheme}\n{id}")
}

/// The parameters that resources of a type are found by with the help of an index: those of its
/// collections at locations that some member answers.
pub fn parameters(resource: &str) -> impl Iterator<Item = &'static Answer> {
    let catalog = Catalog::get();
    let mut filters: Vec<Filter> = Vec::new();
    for one in catalog.of_resource(resource).filter(|one| one.scoped) {
        for filter in one.all_filters() {
            if !filters.contains(&filter) {
                filters.push(filter);
            }
        }
    }
    (catalog.answers().iter())
        .filter(move |answer| Filter::of_parameter(&answer.parameter).is_some_and(|filter| filters.contains(&filter)))
}

/// The keys of a resource, each once.
#[must_use]
pub fn of(resource: &str, document: &Value) -> Vec<Key> {
    let mut keys = Vec::new();
    for answer in parameters(resource) {
        let window = Filter::of_parameter(&answer.parameter).is_some_and(Filter::is_window);
        for member in &answer.members {
            let mut found = Vec::new();
            walk(document, member, &mut found);
            for value in found {
                let key = key(&answer.parameter, window, value);
                keys.extend(key.filter(|key| !keys.contains(key)));
            }
        }
    }
    keys
}

fn key(parameter: &'static str, window: bool, value: &Value) -> Option<Key> {
    let (value, at) = match value {
        Value::String(text) if window => {
            let at = crate::time::parse(text)?;
            (at.to_string(), Some(at))
        }
        Value::String(text) => (text.clone(), None),
        Value::Object(members) => {
            let text = |name: &str| members.get(name).and_then(Value::as_str);
            (pair(text("scheme")?, text("id")?), None)
        }
        _ => return None,
    };
    Some(Key { parameter, value, at })
}

/// The values at a path; `[]` leads into the elements of a list.
fn walk<'d>(value: &'d Value, path: &str, found: &mut Vec<&'d Value>) {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    let (name, list) = match step.strip_suffix("[]") {
        Some(name) => (name, true),
        None => (step, false),
    };
    let Some(inner) = value.get(name) else { return };
    let elements: &[Value] = match inner {
        Value::Array(elements) if list => elements,
        _ if list => &[],
        one => std::slice::from_ref(one),
    };
    for element in elements {
        if rest.is_empty() {
            found.push(element);
        } else {
            walk(element, rest, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn named(keys: &[Key]) -> Vec<(&str, &str)> {
        let pairs = keys.iter().map(|k| (k.parameter, k.value.as_str()));
        pairs.collect()
    }

    #[test]
    fn identifiers_codes_and_times_are_found_wherever_they_stand_and_once() {
        let product = json!({"family": "Milking Supplies", "identifiers": [
            {"scheme": "a.b", "id": "1"}, {"scheme": "a.b", "id": "1"}, {"scheme": "a.b"}, 7,
        ]});
        let keys = of("icarInventoryTransactionResource", &json!({"product": product, "eventDateTime": "2026-01-01"}));
        let expected = [("identifier-id", "a.b\n1"), ("family", "Milking Supplies")];
        assert_eq!(named(&keys), expected);
        let summary = json!({"animal": {"scheme": "a.b", "id": "1"}, "statistics": [
            {"metric": {"scheme": "m", "id": "x"}, "duration": "P1D",
                "startDateTime": "2026-01-01T02:00:00+02:00"},
            {"duration": "PT1H", "startDateTime": "soon"},
        ]});
        let keys = of("icarObservationSummaryResource", &summary);
        let start = "1767225600000";
        let expected = [
            ("metric-id", "m\nx"),
            ("duration", "P1D"),
            ("duration", "PT1H"),
            ("date-from", start),
            ("date-to", start),
        ];
        assert_eq!(named(&keys), expected);
        assert_eq!(keys[3].at, Some(1_767_225_600_000));
    }

    #[test]
    fn what_is_found_by_columns_has_no_keys() {
        assert_eq!(parameters("icarWeightEventResource").count(), 0);
        assert_eq!(parameters("icarAnimalCoreResource").count(), 0);
    }
}
