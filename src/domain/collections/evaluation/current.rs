//! One current row per animal (docs/design/collections.md, *Evaluation*): a row that becomes
//! current replaces the former current row, and when the current row is deleted, the latest of the
//! others takes its place. A row that is only set to be not current leaves its animal without a
//! current row.

use super::sole::Sole;
use crate::collections::dictionaries::lookups::{grouped, related};
use crate::collections::events::history::Amendments;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Change, Field, HookContext, ID, boolean};
use std::collections::{BTreeMap, BTreeSet};

/// `isCurrent b=true#`
pub(super) fn is_current() -> Field {
    boolean("isCurrent")
        .default(true)
        .indexed()
        .doc("Whether the animal shows this row. At most one row per animal is shown; a new one replaces it.")
}

/// Where the rule finds what it needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) slug: &'static str,
    pub(super) animal: usize,
    pub(super) current: usize,
    pub(super) date: usize,
    /// Path of the date.
    pub(super) dated: &'static str,
}

impl Place {
    /// The mark, once per animal.
    pub(super) fn sole(self) -> Sole {
        Sole {
            mark: self.current,
            within: Some(self.animal),
        }
    }

    /// The animal that a row leaves without a current one.
    fn leaves(self, change: &Change) -> Option<i64> {
        let old = change.old.as_ref().filter(|old| self.sole().marked(old))?;
        let moved = |new: &Record| new.get(self.animal) != old.get(self.animal);
        let gone = change.new.as_ref().is_none_or(moved);
        old.get(self.animal).int().filter(|_| gone)
    }
}

/// Takes the mark from the rows that were replaced, and gives it to those that follow:
/// one look-up and one write for all animals.
pub(super) async fn follow(
    place: Place,
    context: &mut dyn HookContext,
    changes: &[Change],
) -> Result<()> {
    let sole = place.sole();
    let winners: BTreeMap<i64, i64> = (sole.winners(changes).into_iter())
        .filter_map(|(animal, id)| Some((animal?, id)))
        .collect();
    let left: BTreeSet<i64> = changes.iter().filter_map(|c| place.leaves(c)).collect();
    let animals = winners.keys().chain(&left).copied();
    let fields = ["animal", "isCurrent", place.dated];
    let rows = related(context, place.slug, "animal", animals, &fields).await?;
    let mut amendments = Amendments::default();
    for (animal, rows) in grouped(rows, place.animal) {
        let heir = match winners.get(&animal) {
            Some(id) => Some(*id),
            None if rows.iter().any(|r| sole.marked(r)) => continue,
            None => latest(place, &rows),
        };
        for row in &rows {
            let current = row.get(ID).int() == heir;
            if current != sole.marked(row) {
                amendments.note(row, [(place.current, Value::Bool(current))]);
            }
        }
    }
    amendments.write(context, place.slug).await
}

fn latest(place: Place, rows: &[Record]) -> Option<i64> {
    (rows.iter())
        .max_by_key(|r| (r.get(place.date).time(), r.get(ID).int()))
        .and_then(|r| r.get(ID).int())
}
