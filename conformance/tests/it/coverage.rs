//! The gate: every requirement has a check or a written reason, every check a requirement.

use std::collections::{BTreeMap, BTreeSet};

use ade_conformance::{Class, Level, Requirements, checked};

#[test]
fn requirements_and_checks_agree() {
    let all = Requirements::get();
    assert_eq!(all.faults(), Vec::<String>::new());
    let checked: BTreeSet<&str> = checked().collect();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for one in all.all() {
        let id = one.id.as_str();
        if !seen.insert(id) {
            faults.push(format!("{id}: stands twice"));
        }
        match (&one.test, &one.untested, checked.contains(id)) {
            (Some(_), None, true) | (None, Some(_), false) => {}
            (_, _, false) => faults.push(format!("{id}: has neither check nor reason")),
            _ => faults.push(format!("{id}: has a check, and says it is not tested")),
        }
        if one.test.is_some() && one.mend.as_deref().is_none_or(str::is_empty) {
            faults.push(format!("{id}: does not say how it is mended"));
        }
        for (what, text) in [("title", &one.title), ("why", &one.why), ("clause", &one.clause)] {
            if text.trim().len() < 2 && one.untested.is_none() {
                faults.push(format!("{id}: {what} is empty"));
            }
        }
        let profile = one.clause.contains("docs/feed-profile.md");
        if profile != (one.level == Level::Profile) {
            faults.push(format!("{id}: the level does not fit the clause"));
        }
    }
    for id in &checked {
        if !seen.contains(id) {
            faults.push(format!("{id}: is checked, and no requirement"));
        }
    }
    for reading in all.readings() {
        for id in &reading.requirements {
            if !seen.contains(id.as_str()) {
                faults.push(format!("{}: {id} is no requirement", reading.subject));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_class_is_covered_and_every_clause_of_the_profile_named() {
    let all = Requirements::get().all();
    assert!(all.iter().filter(|r| r.test.is_some()).count() >= 120);
    let mut table: BTreeMap<(Class, Level), [usize; 2]> = BTreeMap::new();
    for one in all {
        let row = table.entry((one.class, one.level)).or_default();
        row[usize::from(one.untested.is_some())] += 1;
    }
    for ((class, level), [tested, untested]) in &table {
        println!("{class:<12} {level:<8} tested {tested:>3}, with a reason {untested:>2}");
    }
    for class in Class::ALL {
        assert!(table.keys().any(|(c, _)| *c == class), "{class}");
    }
    for clause in 1..=14 {
        let named =
            |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == format!("P{clause}"));
        assert!(all.iter().any(|r| named(&r.clause)), "P{clause}");
    }
}

/// The table of the documentation; `HERDBOOK_WRITE_DOCS=1` writes it.
#[test]
fn the_documentation_counts_what_there_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/conformance.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- counts: written by the tests -->\n", "<!-- counts end -->");
    let (before, rest) = text.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let written = format!("{before}{begin}{}{end}{after}", Requirements::get().counts());
    if std::env::var_os("HERDBOOK_WRITE_DOCS").is_some() {
        std::fs::write(path, written).unwrap();
    } else {
        assert_eq!(text, written, "run with HERDBOOK_WRITE_DOCS=1");
    }
}

/// Every requirement rests on known requirements, and none rests on itself through others.
#[test]
fn what_rests_on_others_does_not_rest_on_itself() {
    let all = Requirements::get();
    for one in all.all() {
        let mut open: Vec<&str> = one.rests.iter().map(String::as_str).collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            assert_ne!(id, one.id, "{} rests on itself", one.id);
            let cause = all.find(id).unwrap_or_else(|| panic!("{}: {id}", one.id));
            assert!(cause.untested.is_none(), "{}: {id} is not tested", one.id);
            if seen.insert(id) {
                open.extend(cause.rests.iter().map(String::as_str));
            }
        }
    }
}
