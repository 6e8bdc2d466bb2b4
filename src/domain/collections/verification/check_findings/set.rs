//! The checks of some animals, at once and in the transaction that runs.

use super::rows::{key_of, key_of_row};
use super::scope::{Coverage, Key, Scope, SourcedFinding};
use super::store::{replace, store};
use super::{SLUG, Slots};
use crate::collections::dictionaries::lookups::{by_id, related};
use crate::collections::slots::slots;
use crate::collections::verification::survey::{Step, Survey};
use crate::derive::{DAY_MS, day_of};
use checks::{Language, Touched};
use model::error::Result;
use model::record::Record;
use model::registry::{HookContext, Lookup, Test, WrittenRow};
use std::collections::{BTreeMap, BTreeSet};

/// Animals that are read at once.
const STEP: usize = 500;

slots!(
    /// Slots of `animals` that lead to their mothers.
    Mothers of "animals" { mother }
);

/// Open findings by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// To be corrected.
    pub fix: u64,
    /// Worth a look.
    pub note: u64,
}

/// Days of visits and daily milk that a write looks at, at most.
const DAYS: i64 = 31;

/// Animals and their mothers, as far as the book has them.
async fn with_mothers(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<BTreeSet<i64>> {
    let rows = by_id(context, "animals", ids.iter().copied(), &["mother"]).await?;
    let mothers = rows.values().filter_map(|row| row.get(Mothers::get().mother).int());
    Ok(rows.keys().copied().chain(mothers).collect())
}

/// The check of rows that are dated after the animal left.
const AFTER_LEAVING: &str = "event-after-leaving";

/// What the checks of animals find in a step.
fn findings_of(survey: &Survey, step: &Step) -> Vec<SourcedFinding> {
    let mut all = Vec::new();
    for animal in &step.animals {
        let mut findings = Vec::new();
        survey.run.animal(animal, &step.context, &mut findings);
        let source = Some(animal.passport.id);
        let of = findings.into_iter();
        all.extend(of.map(|finding| SourcedFinding { source, finding }));
    }
    all
}

/// What was found as it is before. Lactations follow from what was written, and so does, of a movement, that the animal
/// left: both are found anew.
fn latent(findings: &[SourcedFinding], before: &[SourcedFinding], moved: bool) -> BTreeSet<Key> {
    let said = |all: &[SourcedFinding]| {
        let mut said: BTreeMap<Key, BTreeSet<String>> = BTreeMap::new();
        for SourcedFinding { finding, .. } in all {
            let sentence = finding.text(Language::English);
            said.entry(key_of(finding)).or_default().insert(sentence);
        }
        said
    };
    let before = said(before);
    let follows = |key: &Key| key.3.starts_with("lactations") || moved && key.0 == AFTER_LEAVING;
    let same = |(key, now): &(Key, BTreeSet<String>)| before.get(key) == Some(now) && !follows(key);
    let all = said(findings).into_iter().filter(same);
    all.map(|(key, _)| key).collect()
}

/// Checks the animals of rows that a request wrote, as far as these rows change what is found of them
/// ([`checks::Touched`]), and stores it; answers the rows of findings that came or changed.
pub(super) async fn check_written(context: &mut dyn HookContext, written: &[WrittenRow]) -> Result<Vec<Record>> {
    let touched = Touched::by(written.iter().map(|row| row.collection));
    let mut ids: BTreeSet<i64> = written.iter().flat_map(|row| row.animals.clone()).collect();
    if touched.is_empty() || ids.is_empty() {
        return Ok(Vec::new());
    }
    if written.iter().any(|row| row.collection == "animals") {
        ids = with_mothers(context, &ids).await?;
    }
    let days = written.iter().flat_map(|row| &row.times).map(|at| day_of(*at));
    let last = days.clone().max().unwrap_or_default() + 1;
    let first = (days.min().unwrap_or_default() - 1).max(last - DAYS);
    // A day is judged by all that was milked on it, at whatever hour of another zone.
    let around = ((first - 2) * DAY_MS, (last + 3) * DAY_MS);
    let survey = Survey::of_write(context, touched.clone(), around).await?;
    let all: Vec<i64> = ids.iter().copied().collect();
    let step = survey.some(context, &all).await?;
    let mut coverage = Coverage { touched, ..Coverage::default() };
    let own = written.iter().map(|row| (row.collection.to_owned(), row.id));
    coverage.rows.extend(own);
    let on = |day: i64| (first..=last).contains(&day);
    for animal in &step.animals {
        let visits = animal.visits.iter().filter(|row| on(row.day.0));
        coverage.rows.extend(visits.map(|row| ("milking-visits".to_owned(), row.id)));
        let dailies = animal.dailies.iter().filter(|row| on(row.day.0));
        coverage.rows.extend(dailies.map(|row| ("daily-milkings".to_owned(), row.id)));
    }
    let mut findings = findings_of(&survey, &step);
    findings.retain(|sourced| {
        let place = sourced.finding.place;
        coverage.knows(place.collection, place.path, place.row)
    });
    let moved = written.iter().any(|row| row.collection == "movements");
    coverage.latent = latent(&findings, &findings_of(&survey, &survey.before(&step, written)), moved);
    let scope = Scope::Written(ids, coverage);
    let (_, changed) = replace(context, &scope, &findings).await?;
    let about = changed.iter().map(|(_, _, record, _)| *record);
    let rows = related(context, SLUG, "recordId", about, &[]).await?;
    let new = |row: &Record| key_of_row(row).is_some_and(|key| changed.contains(&key));
    Ok(rows.into_iter().filter(new).collect())
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
    let all: Vec<i64> = with_mothers(context, ids).await?.into_iter().collect();
    for part in all.chunks(STEP) {
        let step = survey.some(context, part).await?;
        let scope = Scope::Animals(part.iter().copied().collect());
        store(context, &scope, &findings_of(&survey, &step)).await?;
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
