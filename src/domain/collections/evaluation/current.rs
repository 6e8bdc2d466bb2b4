//! The row of an animal that is in force (docs/derived.md, *Evaluations*): of the rows that it has, in
//! whatever order they came.

use super::{indexes, views};
use crate::collections::dictionaries::lookups::{grouped, related};
use crate::collections::events::history::Amendments;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Field, HookContext, ID, boolean};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// `isCurrent b~#`
pub(super) fn is_current() -> Field {
    boolean("isCurrent")
        .default(true)
        .server()
        .indexed()
        .doc("Whether the row is in force: the animal shows it. By rank of its source, then by its day.")
}

/// Where the rule finds what it needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) slug: &'static str,
    pub(super) animal: usize,
    pub(super) current: usize,
    pub(super) date: usize,
    /// The fields that the rule reads.
    pub(super) fields: &'static [&'static str],
    /// The rank of a row, lowest first, and that among rows of one rank and day.
    pub(super) rank: fn(&Record) -> (usize, usize),
    /// A field, and its word in rows that are not in force in any case.
    pub(super) waits: Option<(usize, &'static str)>,
}

/// Gives the mark to the row in force of each animal, and what follows from it: one look-up and one write.
pub(super) async fn follow(place: Place, context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    let ids = animals.iter().copied();
    let rows = related(context, place.slug, "animal", ids, place.fields).await?;
    let mut amendments = Amendments::default();
    for (_, rows) in grouped(rows, place.animal) {
        let order = |row: &&Record| {
            let (rank, kind) = (place.rank)(row);
            (rank, Reverse(row.get(place.date).time()), kind, row.get(ID).int())
        };
        let waits = |row: &&Record| (place.waits).is_some_and(|(slot, word)| row.get(slot).text() == Some(word));
        let first = rows.iter().filter(|row| !waits(row)).min_by_key(order).and_then(|row| row.get(ID).int());
        for row in &rows {
            let current = row.get(ID).int() == first;
            amendments.note(row, [(place.current, Value::Bool(current))]);
        }
    }
    amendments.write(context, place.slug).await?;
    indexes::follow(context, animals).await?;
    views::evaluated(context, animals).await
}

/// The place of a word in a list of words with `|` between them; behind all others where it is none.
pub(super) fn place_of(words: &str, word: Option<&str>) -> usize {
    let mut all = words.split('|');
    all.position(|one| Some(one) == word).unwrap_or(usize::MAX)
}
