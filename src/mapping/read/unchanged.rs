//! What a document does not change. Some members say less than the row knows (one code for
//! several dictionary entries); a document that repeats what we serve must not overwrite
//! the row with the poorer value, nor count as a change.

use crate::compile::plan::{Read, Target};
use crate::read::document::Intake;
use crate::{Mapping, Related};
use model::record::{Record, member};
use serde_json::{Map, Value as Json};

impl Mapping {
    /// Drops from `intake` all that the document says just as the row's present document
    /// does. What is left in [`Intake::fields`] are changes.
    pub fn settle(&self, doc: &Json, row: &Record, related: &dyn Related, intake: &mut Intake) {
        self.settle_here(row, related, intake);
        let mut rendered = Vec::new();
        self.render(row, related, &mut rendered);
        let [served] = rendered.as_slice() else {
            return;
        };
        if let Some(served) = served.json() {
            self.settle_to(doc, row, &served, intake);
        }
    }

    /// Removes from what was read the values that equal the served document.
    pub(crate) fn settle_to(&self, doc: &Json, row: &Record, served: &Json, intake: &mut Intake) {
        let equal = |name: &str| same(doc.get(name), served.get(name));
        intake.fields.retain(|(slot, _)| self.is_rest(*slot) || !self.members_of(*slot).all(equal));
        self.settle_rest(row, &mut intake.fields, equal);
        intake.issues.retain(|issue| {
            let first = issue.path.split('/').nth(1).unwrap_or_default();
            first.is_empty() || first == "meta" || !equal(first)
        });
        let none = Map::new();
        let before = self.extra.and_then(|slot| row.get(slot).as_json());
        let before = before.and_then(Json::as_object).unwrap_or(&none);
        for name in doc.as_object().into_iter().flatten().map(|(name, _)| name) {
            if name == "meta" || !equal(name) {
                continue;
            }
            match before.get(name) {
                Some(previous) => intake.extra.insert(name.clone(), previous.clone()),
                None => intake.extra.remove(name),
            };
        }
    }

    /// Members of the document that a slot is filled from.
    fn members_of(&self, slot: usize) -> impl Iterator<Item = &str> {
        let entries = &self.inward.reading.entries;
        let feeds = move |target: &Target, read: &Read, text: Option<usize>, second| {
            let counted = match read {
                Read::Rows(rows) => rows.counts.iter().any(|(s, _)| *s == slot),
                _ => false,
            };
            counted || text == Some(slot) || second == Some(slot) || matches!(target, Target::Slot(s) if *s == slot)
        };
        entries.iter().filter(move |e| feeds(&e.target, &e.read, e.text, e.second)).flat_map(|e| {
            let totals: &[&str] = match &e.read {
                Read::Rows(rows) if !rows.counts.is_empty() => &["liveProgeny", "totalProgeny"],
                _ => &[],
            };
            let also = e.also.as_ref().map(crate::ade_path::AdePath::first);
            [e.path.first()].into_iter().chain(also).chain(totals.iter().copied())
        })
    }
}

/// Equal in meaning: numbers by value, times by instant, null like absent.
pub fn same(a: Option<&Json>, b: Option<&Json>) -> bool {
    match (a.filter(|v| !v.is_null()), b.filter(|v| !v.is_null())) {
        (None, None) => true,
        (Some(Json::Number(a)), Some(Json::Number(b))) => a == b || same_number(a, b),
        (Some(Json::String(a)), Some(Json::String(b))) => {
            a == b || ade::time::parse(a).is_some_and(|t| ade::time::parse(b) == Some(t))
        }
        (Some(Json::Array(a)), Some(Json::Array(b))) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(Some(a), Some(b)))
        }
        (Some(Json::Object(a)), Some(Json::Object(b))) => {
            // Each member that is there has one in the other object, which has no further ones.
            let filled = |of: &Map<String, Json>| of.values().filter(|v| !v.is_null()).count();
            filled(a) == filled(b) && a.iter().all(|(name, a)| same(Some(a), member(b, name)))
        }
        (a, b) => a == b,
    }
}

/// Longest text of a number that is calculated with without loss.
const EXACT: usize = 15;

/// Equal by value; longer numbers than can be calculated with are equal by their text only.
fn same_number(a: &serde_json::Number, b: &serde_json::Number) -> bool {
    let exact = |n: &serde_json::Number| (n.to_string().len() <= EXACT).then(|| n.as_f64());
    matches!((exact(a), exact(b)), (Some(Some(a)), Some(Some(b))) if a == b)
}
