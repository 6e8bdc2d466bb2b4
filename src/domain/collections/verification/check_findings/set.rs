//! The checks of some animals, at once and in the transaction that runs.

use super::found::{Found, Scope};
use super::store::store;
use super::{SLUG, Slots};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::slots::slots;
use crate::collections::verification::survey::Survey;
use model::error::Result;
use model::registry::{HookContext, Lookup, Test};
use std::collections::BTreeSet;

/// Animals that are read at once.
const STEP: usize = 500;

slots!(
    /// Slots of `animals` that lead to their mothers.
    Mothers of "animals" { mother: "mother" }
);

/// Open findings by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// To be corrected.
    pub fix: u64,
    /// Worth a look.
    pub note: u64,
}

/// Checks some animals with their rows, and stores what is found of them: the checks of rows and of animals. Their
/// mothers are looked at too, since calves are judged by the rows of the mother. What compares animals of a herd or of
/// the whole book waits for the next run.
///
/// The counts are those of open findings that the owners of the animals read.
///
/// # Errors
/// Those of the context.
pub async fn check_animals(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<Counts> {
    let mut counts = Counts::default();
    if ids.is_empty() {
        return Ok(counts);
    }
    let survey = Survey::begin(context).await?;
    let rows = by_id(context, "animals", ids.iter().copied(), &["mother"]).await?;
    let mothers = rows
        .values()
        .filter_map(|row| row.get(Mothers::get().mother).int());
    let all: BTreeSet<i64> = rows.keys().copied().chain(mothers).collect();
    let all: Vec<i64> = all.into_iter().collect();
    for part in all.chunks(STEP) {
        let step = survey.some(context, part).await?;
        let mut found = Vec::new();
        for animal in &step.animals {
            let mut findings = Vec::new();
            survey.run.animal(animal, &step.known, &mut findings);
            let source = Some(animal.passport.id);
            found.extend(
                findings
                    .into_iter()
                    .map(|finding| Found { source, finding }),
            );
        }
        store(
            context,
            &Scope::Animals(part.iter().copied().collect()),
            &found,
        )
        .await?;
    }
    let ids: Vec<i64> = ids.iter().copied().collect();
    for part in ids.chunks(STEP) {
        let lookup = Lookup::by_ids("animal", part.iter().copied())
            .is_in("state", vec!["open".into()])
            .test("organization", Test::Filled)
            .fields(&["severity"]);
        for row in context.find(SLUG, lookup).await? {
            match row.get(Slots::get().severity).text() {
                Some("fix") => counts.fix += 1,
                _ => counts.note += 1,
            }
        }
    }
    Ok(counts)
}
