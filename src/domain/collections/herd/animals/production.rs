//! Reported lactations and summary, and parents by genetic tests: what an animal's own
//! rows say of its views (docs/design/derived.md, *Lactations*).

use super::view::animal;
use super::view::{Animal, Slots};
use crate::collections::events::history::{fill, production, reported, shown, with_summary};
use crate::derive::lactation::Summary;
use model::error::Result;
use model::record::Value;
use model::registry::{Draft, Verb};
use serde_json::Value as Json;

/// Stores the reported values and restores the views; they are shown at once on create and
/// recomputed afterwards on update.
pub(super) fn report(draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    parents(draft);
    let before = draft.old.as_ref().map(|o| o.get(s.reported).rows());
    let before = before.unwrap_or_default().to_vec();
    let mut rows = before.clone();
    if draft.changes(s.lactations) {
        let stored = draft.old.as_ref().map(|o| o.get(s.lactations).rows());
        let sent = draft.new.get(s.lactations).rows();
        rows = reported(sent, stored.unwrap_or_default(), &rows);
    }
    let stored = (draft.old.as_ref()).map_or_else(Summary::default, |o| Animal(o).summary());
    let mut sent = animal(draft).summary();
    sent.fat_protein_sum = stored.fat_protein_sum;
    if sent != stored {
        sent.fat_protein_sum = None;
        rows = with_summary(&rows, &sent);
    }
    if rows != before {
        let filled = (!rows.is_empty()).then(|| Value::json(Json::Array(rows.clone())));
        draft.new.set(s.reported, Value::from(filled));
    }
    match draft.old.clone() {
        Some(old) => {
            let views = [s.lactations, s.milk, s.fat_percent, s.protein_percent];
            for slot in views
                .into_iter()
                .chain([s.fat_kg, s.protein_kg, s.fat_protein])
            {
                draft.new.set(slot, old.get(slot).clone());
            }
        }
        None if draft.verb == Verb::Create => fill(draft, production(shown(Vec::new(), &rows))),
        None => {}
    }
    Ok(())
}

/// `parentStatus`: what the latest test that compared the parent says; a parent without a
/// test is declared, no parent is unknown. Inconclusive tests say nothing.
fn parents(draft: &mut Draft) {
    let s = Slots::get();
    let (father, mother) = animal(draft).parents();
    let tests = draft.new.get(s.dna_tests).rows();
    let father = status(father.is_some(), tests, &["byOM", "byO"]);
    let mother = status(mother.is_some(), tests, &["byOM", "byM"]);
    draft.new.set(s.father_status, father);
    draft.new.set(s.mother_status, mother);
}

fn status(known: bool, tests: &[Json], methods: &[&str]) -> &'static str {
    let word = |test: &Json, key: &str| test.get(key).and_then(Json::as_str).map(str::to_owned);
    if !known {
        return "unknown";
    }
    let decided = (tests.iter())
        .filter(|t| word(t, "authMethod").is_some_and(|m| methods.contains(&m.as_str())))
        .filter_map(|t| match word(t, "verdict").as_deref() {
            Some("confirmed") => Some((word(t, "date"), "confirmed")),
            Some("excluded") => Some((word(t, "date"), "excluded")),
            _ => None,
        })
        .max_by(|a, b| a.0.cmp(&b.0));
    decided.map_or("declared", |(_, status)| status)
}

#[cfg(test)]
mod tests {
    use super::status;
    use serde_json::json;

    #[test]
    fn the_latest_conclusive_test_of_the_parent_decides() {
        let tests = [
            json!({"authMethod": "byO", "verdict": "excluded", "date": "2020-01-01T00:00:00.000Z"}),
            json!({"authMethod": "byOM", "verdict": "confirmed", "date": "2021-01-01T00:00:00.000Z"}),
            json!({"authMethod": "byO", "verdict": "inconclusive", "date": "2022-01-01T00:00:00.000Z"}),
        ];
        assert_eq!(status(true, &tests, &["byOM", "byO"]), "confirmed");
        assert_eq!(status(true, &tests[..1], &["byOM", "byM"]), "declared");
        assert_eq!(status(true, &tests[..1], &["byOM", "byO"]), "excluded");
        assert_eq!(status(false, &tests, &["byOM", "byO"]), "unknown");
    }
}
