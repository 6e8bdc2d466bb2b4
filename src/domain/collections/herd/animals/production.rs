//! Reported lactations and summary: what an animal's own rows say of its views
//! (docs/design/derived.md, *Lactations*).

use super::view::animal;
use super::view::{Animal, Slots};
use crate::collections::events::history::{fill, lactation_view, production, reported, with_summary};
use crate::derive::lactation::Summary;
use model::error::Result;
use model::record::Value;
use model::registry::{Draft, Verb};
use serde_json::Value as Json;

/// Stores the reported values and restores the views; they are shown at once on create and
/// recomputed afterwards on update.
pub(super) fn report(draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    let before = draft.old.as_ref().map(|o| o.get(s.reported).rows());
    let before = before.unwrap_or_default().to_vec();
    let mut rows = before.clone();
    if draft.changes(s.lactations) {
        let stored = draft.old.as_ref().map(|o| o.get(s.lactations).rows());
        let incoming = draft.new.get(s.lactations).rows();
        rows = reported(incoming, stored.unwrap_or_default(), &rows);
    }
    let stored = (draft.old.as_ref()).map_or_else(Summary::default, |o| Animal(o).summary());
    let mut summary = animal(draft).summary();
    summary.fat_protein_sum = stored.fat_protein_sum;
    if summary != stored {
        summary.fat_protein_sum = None;
        rows = with_summary(&rows, &summary);
    }
    if rows != before {
        let filled = (!rows.is_empty()).then(|| Value::json(Json::Array(rows.clone())));
        draft.new.set(s.reported, Value::from(filled));
    }
    match draft.old.clone() {
        Some(old) => {
            let views = [s.lactations, s.milk, s.fat_percent, s.protein_percent];
            for slot in views.into_iter().chain([s.fat_kg, s.protein_kg, s.fat_protein]) {
                draft.new.set(slot, old.get(slot).clone());
            }
        }
        None if draft.verb == Verb::Create => fill(draft, production(lactation_view(Vec::new(), &rows))),
        None => {}
    }
    Ok(())
}
