//! Who vouches for genetic tests, and what they say of the parents (docs/derived.md, *Descent*). The
//! owner writes tests of own animals, so a verdict counts only when somebody else stands behind it: an
//! accredited laboratory that sent it, or the Association that wrote or accepted it.

use crate::collections::herd::animals::view::{Slots, animal};
use model::error::Issue;
use model::record::{Record, Value};
use model::registry::{Caller, Draft, Principal};
use serde_json::{Value as Json, json};

/// The member of `dnaTests` that says who vouches for the row.
pub(crate) const ATTESTED_BY: &str = "attestedBy";
/// The Association wrote the row, or accepted it with the animal.
pub(crate) const ASSOCIATION: &str = "association";
/// A genotype report in force that the Association issued.
pub(crate) const REPORT: &str = "report";
/// An accredited laboratory sent the row: the word of the activity, too.
const LABORATORY: &str = "laboratory";

/// Words of `authMethod` that compare the father, and those that compare the mother.
const FATHER: [&str; 2] = ["byOM", "byO"];
const MOTHER: [&str; 2] = ["byOM", "byM"];

fn word<'t>(test: &'t Json, name: &str) -> Option<&'t str> {
    test.get(name).and_then(Json::as_str)
}

/// Who vouches for a test.
pub(crate) fn attested(test: &Json) -> Option<&str> {
    word(test, ATTESTED_BY)
}

/// Whether a test compared one of the parents with these words, and what it found.
fn verdict<'t>(test: &'t Json, methods: &[&str]) -> Option<&'t str> {
    let compared = word(test, "authMethod").is_some_and(|method| methods.contains(&method));
    word(test, "verdict").filter(|verdict| compared && matches!(*verdict, "confirmed" | "excluded"))
}

/// Whether a test that somebody vouches for confirmed a parent.
pub(crate) fn confirms(test: &Json) -> bool {
    let confirmed = |methods| verdict(test, methods) == Some("confirmed");
    attested(test).is_some() && (confirmed(&FATHER) || confirmed(&MOTHER))
}

/// Whether a genotype report with this number is one about the test: neither names another one.
pub(crate) fn is_of_report(test: &Json, number: Option<&str>) -> bool {
    let plain = |number: &str| number.trim().to_lowercase();
    let own = word(test, "certificateNumber").map(plain);
    let (Some(own), Some(number)) = (own, number.map(plain)) else {
        return true;
    };
    own.is_empty() || number.is_empty() || own == number
}

/// Whether two tests are one, whoever vouches for it: rows without ids, marks and empty members.
fn same(one: &Json, other: &Json) -> bool {
    let content = |test: &Json| -> Vec<(String, Json)> {
        let members = test.as_object().into_iter().flatten();
        let members = members.filter(|(name, value)| *name != "id" && *name != ATTESTED_BY && !value.is_null());
        let mut members: Vec<(String, Json)> = members.map(|(n, v)| (n.clone(), v.clone())).collect();
        members.sort_by(|a, b| a.0.cmp(&b.0));
        members
    };
    content(one) == content(other)
}

/// A test with another mark.
fn with_mark(test: &Json, mark: Option<&str>) -> Json {
    let mut test = test.clone();
    if attested(&test) != mark
        && let Some(members) = test.as_object_mut()
    {
        members.insert(ATTESTED_BY.to_owned(), json!(mark));
    }
    test
}

/// Marks the tests of a draft by who writes them, whatever was sent as mark, and sets what follows for
/// the parents. What a row says stays vouched for while it is sent back as it was; a row that somebody
/// else than the Association or a laboratory changes is that one's word. What confirmed a parent says
/// nothing of another one that takes its place. The system brings marks along.
pub(crate) fn attest(caller: &Principal, draft: &mut Draft) {
    let s = Slots::get();
    let system = caller.caller == Caller::System && caller.organization.is_none();
    if !system {
        marks(caller, draft);
    }
    let (father, mother) = animal(draft).parents();
    let tests = draft.new.get(s.dna_tests).rows();
    let father = status(father.is_some(), tests, &FATHER);
    let mother = status(mother.is_some(), tests, &MOTHER);
    draft.new.set(s.father_status, father);
    draft.new.set(s.mother_status, mother);
}

fn marks(caller: &Principal, draft: &mut Draft) {
    let s = Slots::get();
    let association = caller.caller == Caller::Association;
    let writer = match association {
        true => Some(ASSOCIATION),
        false => (caller.activities.iter().any(|word| word == LABORATORY)).then_some(LABORATORY),
    };
    let stored = draft.old.as_ref().map(|old| old.get(s.dna_tests).rows());
    let stored = stored.unwrap_or_default();
    let incoming = draft.new.get(s.dna_tests).rows();
    // The Association may fill in the parent that was compared.
    let replaced = |slot: usize| {
        let old = draft.old.as_ref().map(|old| old.get(slot));
        draft.changes(slot) && old.is_some_and(|old| !association || !old.is_null())
    };
    let replaced = [(s.father, FATHER), (s.mother, MOTHER)].map(|(slot, of)| (replaced(slot), of));
    let mark = |test: &Json| {
        let earlier = || stored.iter().filter(move |old| same(old, test));
        let sent_back = earlier().any(|old| old.get("id") == test.get("id"));
        if let (Some(writer), false) = (writer, sent_back) {
            return Some(writer);
        }
        let other_parent = (replaced.iter()).any(|(replaced, of)| *replaced && verdict(test, of) == Some("confirmed"));
        earlier().find_map(attested).filter(|_| !other_parent)
    };
    let marked: Vec<Json> = incoming.iter().map(|test| with_mark(test, mark(test))).collect();
    let stands = |old: &&Json| !marked.iter().any(|test| same(old, test));
    let mut gone = stored.iter().filter(|old| attested(old).is_some()).filter(stands);
    let excluding = |old: &Json| word(old, "verdict") == Some("excluded");
    if !association && gone.any(excluding) {
        let message = "A test that excludes a parent is changed or taken out by the Association only.";
        let issue = Issue::error("dnaTests", "locked", message);
        draft.refused.push(issue);
    }
    if marked != incoming {
        draft.new.set(s.dna_tests, Value::json(Json::Array(marked)));
    }
}

/// The tests of an animal with new marks, where `mark` gives one; none: nothing changes.
pub(crate) fn remarked(row: &Record, mark: impl Fn(&Json) -> Option<Option<&'static str>>) -> Option<Value> {
    let tests = row.get(Slots::get().dna_tests).rows();
    let marked: Vec<Json> = (tests.iter()).map(|test| with_mark(test, mark(test).unwrap_or(attested(test)))).collect();
    (marked != tests).then(|| Value::json(Json::Array(marked)))
}

/// The tests of an animal that gets other parents, without the word of those who confirmed the former
/// ones; none: nothing changes.
pub(crate) fn of_other_parents(row: &Record, father: bool, mother: bool) -> Option<Value> {
    let other = [(father, FATHER), (mother, MOTHER)];
    remarked(row, |test| {
        let mut former = other.iter().filter(|(replaced, _)| *replaced);
        (former.any(|(_, of)| verdict(test, of) == Some("confirmed"))).then_some(None)
    })
}

/// `parentStatus`: what the latest test that compared the parent and that somebody vouches for says; of
/// tests of one day an exclusion. A parent of whom only others say something is stated, one without a
/// test is declared, no parent is unknown. Inconclusive tests say nothing.
fn status(has_parent: bool, tests: &[Json], methods: &[&str]) -> &'static str {
    if !has_parent {
        return "unknown";
    }
    let conclusive = || {
        let tests = tests.iter();
        tests.filter_map(move |test| Some((test, verdict(test, methods)?)))
    };
    let latest = conclusive()
        .filter(|(test, _)| attested(test).is_some())
        .max_by_key(|&(test, verdict)| (word(test, "date"), verdict == "excluded"));
    match latest {
        Some((_, "excluded")) => "excluded",
        Some(_) => "confirmed",
        None if conclusive().next().is_some() => "stated",
        None => "declared",
    }
}

#[cfg(test)]
mod tests {
    use super::{FATHER, MOTHER, same, status};
    use serde_json::json;
    use test_support::table;

    #[test]
    fn the_latest_conclusive_test_that_somebody_vouches_for_decides() {
        let test = |how: &str, verdict: &str, year: u32, by: Option<&str>| json!({"authMethod": how, "verdict": verdict, "date": format!("{year}-01-01T00:00:00.000Z"), "attestedBy": by});
        let lab = Some("laboratory");
        let excluded = test("byO", "excluded", 2020, lab);
        let confirmed = test("byOM", "confirmed", 2021, lab);
        let nothing = test("byO", "inconclusive", 2022, lab);
        let own = test("byOM", "confirmed", 2023, None);
        let same_day = test("byOM", "excluded", 2021, lab);
        for (tests, father, mother) in table![
            vec![], "declared", "declared";
            vec![&excluded, &confirmed, &nothing], "confirmed", "confirmed";
            vec![&confirmed, &nothing, &excluded], "confirmed", "confirmed";
            vec![&excluded], "excluded", "declared";
            vec![&nothing], "declared", "declared";
            vec![&own], "stated", "stated";
            vec![&own, &excluded], "excluded", "stated";
            vec![&same_day, &confirmed], "excluded", "excluded";
            vec![&confirmed, &same_day], "excluded", "excluded";
        ] {
            let tests: Vec<_> = tests.into_iter().cloned().collect();
            assert_eq!(status(true, &tests, &FATHER), father, "{tests:?}");
            assert_eq!(status(true, &tests, &MOTHER), mother, "{tests:?}");
            assert_eq!(status(false, &tests, &FATHER), "unknown");
        }
    }

    #[test]
    fn a_test_is_the_same_whatever_its_id_and_mark() {
        let one = json!({"id": "a", "verdict": "confirmed", "date": null, "attestedBy": "laboratory"});
        assert!(same(&one, &json!({"verdict": "confirmed"})));
        assert!(!same(&one, &json!({"verdict": "confirmed", "date": "2020-01-01T00:00:00.000Z"})));
        assert!(!same(&one, &json!({"verdict": "excluded"})));
    }
}
