//! Values that all rows of a set have, and words that a set has for values of texts.

use crate::write::ImportRow;
use model::error::Issue;
use model::registry::{Collection, Field, PackageSet};
use model::said;
use serde_json::Value as Json;

/// The value of a cell by the words of the set. A text that none of them is refuses the row; in a relation it is a name.
pub(crate) fn worded(
    (c, set): (&Collection, &PackageSet),
    (path, heading): (&str, &str),
    cell: &str,
    value: Option<Json>,
    row: &mut ImportRow,
) -> Option<Json> {
    let is_name = || c.field(path).and_then(Field::target).is_some();
    match value.as_ref().and_then(|_| set.worded(path, heading, cell)) {
        None => value,
        Some(Ok(known)) => Some(Json::from(known)),
        Some(Err(())) if is_name() => value,
        Some(Err(())) => {
            let message = "This field has an invalid selection.";
            row.issues.push(Issue::error(path, "not-an-option", message));
            None
        }
    }
}

/// Gives a row the values of its set. A row that says something else is none of the set.
pub(crate) fn put(set: &PackageSet, row: &mut ImportRow) {
    for (path, value) in set.constants {
        let constant = Json::from(*value);
        let said = row.body.insert((*path).to_owned(), constant.clone());
        if said.is_some_and(|said| !said.is_null() && said != constant) {
            let message = said!("The set {name} has other rows: send this one as one of another set.", name = set.name);
            row.issues.push(Issue::error(*path, "not-an-option", message));
        }
    }
}

/// The faults of a row that lacks what a set of rows of its kind must have, where the collection does not ask for it: a
/// pregnancy check without a result says nothing.
pub(crate) fn lacking(c: &Collection, row: &ImportRow) -> Vec<Issue> {
    let says = |path: &str| row.body.get(path).is_some_and(|value| !value.is_null());
    let is_one = |(path, value): &(&str, &str)| row.body.get(*path).and_then(Json::as_str) == Some(*value);
    let sets = (c.package_sets.iter()).filter(|set| !set.constants.is_empty() && set.constants.iter().all(is_one));
    let lacks = |path: &&&str| {
        let must_come = c.field(path).is_none_or(Field::must_come);
        let has_issue = row.issues.iter().any(|issue| issue.path == **path);
        !must_come && !has_issue && !says(path)
    };
    let paths = sets.flat_map(|set| set.required.iter().filter(lacks));
    paths.map(|path: &&str| Issue::error(*path, "required", "This field is required.")).collect()
}

#[cfg(test)]
mod tests {
    use super::{lacking, put, worded};
    use crate::write::ImportRow;
    use domain::collections::registry;
    use model::registry::{Collection, PackageSet};
    use serde_json::{Value, json};

    fn of(name: &str) -> (&'static Collection, &'static PackageSet) {
        registry().unwrap().package_sets().find(|(_, set)| set.name == name).unwrap()
    }

    #[test]
    fn rows_have_the_values_of_their_set_and_no_others() {
        for (said, faults) in [
            (json!({}), 0),
            (json!({"eventType": null}), 0),
            (json!({"eventType": "dryOff"}), 0),
            (json!({"eventType": "calving"}), 1),
        ] {
            let mut row = ImportRow { body: said.as_object().unwrap().clone(), ..ImportRow::default() };
            put(of("dryOffs").1, &mut row);
            assert_eq!(row.body["eventType"], "dryOff", "{said}");
            assert_eq!(row.issues.len(), faults, "{said}");
        }
    }

    #[test]
    fn results_of_pregnancy_checks_are_words_or_faults() {
        let checks = of("pregnancyChecks");
        let result = ("result", "Результат проверки");
        let cases = [
            ("Стельная", Some("pregnant")),
            ("ст.", Some("pregnant")),
            ("стельн.", Some("pregnant")),
            ("+", Some("pregnant")),
            ("1", Some("pregnant")),
            ("PREGNANT", Some("pregnant")),
            ("двойня", Some("multiple")),
            ("не стельная", Some("empty")),
            ("Нестельная", Some("empty")),
            ("ялов.", Some("empty")),
            ("нет", Some("empty")),
            ("0", Some("empty")),
            ("open", Some("empty")),
            ("сомнительно", Some("unknown")),
            ("неизвестно", None),
            ("Абракадабра", None),
            ("2", None),
            ("-", None),
        ];
        for (cell, means) in cases {
            let mut row = ImportRow::default();
            let value = worded(checks, result, cell, Some(json!(cell)), &mut row);
            assert_eq!(value.as_ref().and_then(Value::as_str), means, "{cell}");
            assert_eq!(row.issues.is_empty(), means.is_some(), "{cell}");
        }
        let mut row = ImportRow::default();
        assert_eq!(worded(checks, result, "", None, &mut row), None);
        let (remark, quiet) = (("comment", "Комментарий"), Some(json!("тихая")));
        let read = worded(checks, remark, "тихая", quiet.clone(), &mut row);
        assert_eq!(read, quiet);
        assert!(row.issues.is_empty());
    }

    #[test]
    fn signs_are_results_of_services_only_where_the_heading_is_of_a_pregnancy_check() {
        let services = of("inseminations");
        let cases = [
            ("Стельность", "да", "pregnant"),
            ("Стельность", "+", "pregnant"),
            ("Результат УЗИ", "нет", "empty"),
            ("Стельность", "0", "empty"),
            // The code of an entry.
            ("Стельность", "1", "1"),
            ("Стельность", "Яловая", "Яловая"),
            ("Результат", "нет", "нет"),
            ("Результат", "0", "0"),
        ];
        for (heading, cell, means) in cases {
            let (mut row, head) = (ImportRow::default(), ("result", heading));
            let value = worded(services, head, cell, Some(json!(cell)), &mut row);
            assert_eq!(value, Some(json!(means)), "{heading}: {cell}");
            assert!(row.issues.is_empty(), "{heading}: {cell}");
        }
    }

    #[test]
    fn a_pregnancy_check_has_a_result_in_whatever_table_it_comes() {
        let c = registry().unwrap().get("events").unwrap();
        for (said, faults) in [
            (json!({"type": "pregnancyCheck"}), 1),
            (json!({"type": "pregnancyCheck", "result": null}), 1),
            (json!({"type": "pregnancyCheck", "result": "empty"}), 0),
            (json!({"type": "heat"}), 0),
            (json!({"type": "remark"}), 0),
            (json!({}), 0),
        ] {
            let row = ImportRow { body: said.as_object().unwrap().clone(), ..ImportRow::default() };
            let issues = lacking(c, &row);
            assert_eq!(issues.len(), faults, "{said}");
            assert!(issues.iter().all(|issue| issue.path == "result"));
        }
    }
}
