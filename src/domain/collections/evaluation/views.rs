//! What an animal shows of its evaluation (docs/design/collections.md, *Evaluation*): copies of the current
//! evaluation and exterior, the index, and the latest grading. Sets of animals: a look-up per collection, and one
//! write of what differs.

use super::ranks::NO_RANK;
use super::traits::{COMPOSITES, FARTHEST_VALUE, LINEAR, TRAITS};
use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::events::history::Amendments;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Collection, HookContext, Lookup};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Key of the built-in profile of the Association.
pub(in crate::collections) const ASSOCIATION: &str = "association";

slots!(
    /// Slots of `animals` that are computed here beyond the copies.
    ViewSlots of "animals" { grade, grade_date: "gradeDate", ipc, rank: "ipcRank" }
);
slots!(Graded of "gradings" { animal, date, grade });
slots!(Indexed of "index-values" { animal, value });
slots!(
    /// Slots that evaluations and exteriors name alike.
    Evaluated of "animal-evaluations" { animal, ipc }
);
slots!(Scored of "animal-exteriors" { animal });

/// A field of an animal, and the fields that it is copied from: of the current evaluation,
/// where that has none of the current exterior.
struct View {
    path: String,
    to: usize,
    evaluation: Option<usize>,
    exterior: Option<usize>,
}

/// All copies, resolved once.
fn copies() -> Result<&'static [View]> {
    static COPIES: OnceLock<Vec<View>> = OnceLock::new();
    if let Some(copies) = COPIES.get() {
        return Ok(copies);
    }
    let registry = crate::collections::registry()?;
    let of = |slug| registry.get(slug);
    let (animals, evaluations, exteriors) = (of("animals"), of("animal-evaluations"), of("animal-exteriors"));
    let slot = |c: Option<&Collection>, path: &str| {
        let slot = c.and_then(|c| c.slot(path));
        debug_assert!(slot.is_some(), "no {path}");
        slot
    };
    let copies = paths().into_iter().filter_map(|paths| {
        Some(View {
            to: slot(animals, &paths.animal)?,
            evaluation: paths.evaluation.and_then(|e| slot(evaluations, &e)),
            exterior: paths.exterior.and_then(|e| slot(exteriors, &e)),
            path: paths.animal,
        })
    });
    Ok(COPIES.get_or_init(|| copies.collect()))
}

/// The paths of a [`View`].
struct Paths {
    animal: String,
    evaluation: Option<String>,
    exterior: Option<String>,
}

/// All copies, by their paths.
fn paths() -> Vec<Paths> {
    let evaluation =
        |to: &str, from: &str| Paths { animal: to.to_owned(), evaluation: Some(from.to_owned()), exterior: None };
    let exterior = |to: String, from: &str| Paths { animal: to, evaluation: None, exterior: Some(from.to_owned()) };
    let mut paths = vec![
        evaluation("evaluationDate", "evaluatedAt"),
        evaluation("ipcDetails.forecast", "ipc"),
        evaluation("ipcDetails.r", "ipcR"),
        evaluation("ipcDetails.percentile", "ipcPercentile"),
        evaluation("ipcDetails.center", "center"),
        evaluation("ipcDetails.base", "baseVersion"),
        evaluation("production.reliabilityLevel", "productionReliabilityLevel"),
        evaluation("health.reliabilityLevel", "healthReliabilityLevel"),
    ];
    for t in &TRAITS {
        let (group, key) = (t.group, t.key);
        let to = format!("{group}.{key}");
        paths.push(evaluation(&format!("{to}.forecast"), &format!("{key}Forecast")));
        paths.push(evaluation(&format!("{to}.r"), &format!("{key}R")));
    }
    for (key, _) in LINEAR {
        let own = format!("exterior.{key}");
        paths.push(evaluation(&own, &own));
        paths.push(exterior(format!("linearScore.{key}"), key));
    }
    for (key, _) in COMPOSITES {
        let own = format!("exterior.{key}");
        paths.push(Paths { exterior: Some(key.to_owned()), ..evaluation(&own, &own) });
    }
    paths.push(exterior("linearScore.assessedAt".to_owned(), "assessedAt"));
    paths
}

/// Shows the current evaluation, the current exterior and the index on these animals.
pub(super) async fn evaluated(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let copies = copies()?;
    let paths: Vec<&str> = (copies.iter().map(|c| c.path.as_str())).chain(["ipc", "ipcRank"]).collect();
    let animals = by_id(context, "animals", ids.iter().copied(), &paths).await?;
    let current = || Lookup::by_ids("animal", ids.iter().copied()).is_in("isCurrent", vec![Value::Bool(true)]);
    let evaluations = context.find("animal-evaluations", current()).await?;
    let evaluations = by_animal(evaluations, Evaluated::get().animal);
    let exteriors = context.find("animal-exteriors", current()).await?;
    let exteriors = by_animal(exteriors, Scored::get().animal);
    let index = Lookup::by_ids("animal", ids.iter().copied())
        .is_in("profileKey", vec![Value::from(ASSOCIATION)])
        .fields(Indexed::PATHS);
    let indexes = by_animal(context.find("index-values", index).await?, Indexed::get().animal);
    let mut amendments = Amendments::default();
    let s = ViewSlots::get();
    for (id, animal) in &animals {
        let (evaluation, exterior) = (evaluations.get(id), exteriors.get(id));
        let of = |row: Option<&Record>, slot: Option<usize>| {
            let value = row.zip(slot).map(|(row, slot)| row.get(slot));
            value.filter(|v| !v.is_null()).cloned()
        };
        let mut values: Vec<(usize, Value)> = (copies.iter())
            .map(|copy| {
                let own = of(evaluation, copy.evaluation);
                let value = own.or_else(|| of(exterior, copy.exterior));
                (copy.to, value.unwrap_or_default())
            })
            .collect();
        let given = evaluation.and_then(|e| e.get(Evaluated::get().ipc).num());
        let ours = || indexes.get(id).and_then(|i| i.get(Indexed::get().value).num());
        let ipc = given.or_else(ours);
        values.push((s.ipc, Value::from(ipc)));
        // An own index has no bound.
        let rank = ipc.map_or(NO_RANK, |ipc| ipc.max(-FARTHEST_VALUE));
        values.push((s.rank, Value::from(rank)));
        amendments.note(animal, values);
    }
    amendments.write(context, "animals").await
}

/// Shows the latest grading on these animals; of two of one instant the later row.
pub(super) async fn graded(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let (s, g) = (ViewSlots::get(), Graded::get());
    let animals = by_id(context, "animals", ids.iter().copied(), &["grade", "gradeDate"]).await?;
    let lookup = Lookup::by_ids("animal", ids.iter().copied());
    let rows = context.find("gradings", lookup.fields(Graded::PATHS)).await?;
    let mut latest: BTreeMap<i64, Record> = BTreeMap::new();
    // Rows come by id, so that the later of equal days stays.
    for row in rows {
        let Some(animal) = row.get(g.animal).int() else {
            continue;
        };
        let older = |known: &Record| known.get(g.date).time() <= row.get(g.date).time();
        if latest.get(&animal).is_none_or(older) {
            latest.insert(animal, row);
        }
    }
    let mut amendments = Amendments::default();
    for (id, animal) in &animals {
        let of = |slot| latest.get(id).map_or(Value::Null, |row| row.get(slot).clone());
        amendments.note(animal, [(s.grade, of(g.grade)), (s.grade_date, of(g.date))]);
    }
    amendments.write(context, "animals").await
}

fn by_animal(rows: Vec<Record>, slot: usize) -> BTreeMap<i64, Record> {
    (rows.into_iter()).filter_map(|row| Some((row.get(slot).int()?, row))).collect()
}
