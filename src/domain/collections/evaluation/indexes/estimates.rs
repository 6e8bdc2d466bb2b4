//! What indexes are made of: the breeding values of animals with an evaluation in force. A composite of conformation that
//! the evaluation does not have is that of the exterior in force, as the animal shows it ([`views`]).
//!
//! [`views`]: crate::collections::evaluation::views

use crate::collections::dictionaries::lookups::{by_id, grouped};
use crate::collections::evaluation::traits::COMPOSITES;
use crate::collections::slots::slots;
use crate::derive::index::{Estimate, Estimates, TRAITS};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup, Test};
use std::collections::{BTreeMap, BTreeSet};

slots!(Evaluations of "animal-evaluations" { animal });
slots!(Exteriors of "animal-exteriors" { animal });
slots!(Animals of "animals" { owner, archived });

/// An animal with an evaluation in force.
#[derive(Debug, Clone)]
pub(super) struct EvaluatedAnimal {
    pub(super) owner: Option<i64>,
    pub(super) archived: bool,
    /// The evaluation.
    pub(super) evaluation: Option<i64>,
    pub(super) estimates: Estimates,
}

/// The fields of a trait: in evaluations the value and its reliability, in exteriors the value.
struct TraitPaths {
    value: String,
    reliability: Option<String>,
    exterior: Option<&'static str>,
}

fn paths(key: &'static str) -> TraitPaths {
    match COMPOSITES.iter().any(|(composite, _)| *composite == key) {
        true => TraitPaths { value: format!("exterior.{key}"), reliability: None, exterior: Some(key) },
        false => TraitPaths { value: format!("{key}Forecast"), reliability: Some(format!("{key}R")), exterior: None },
    }
}

fn in_force(ids: &BTreeSet<i64>) -> Lookup {
    Lookup::by_ids("animal", ids.iter().copied()).is_in("isCurrent", vec![Value::Bool(true)])
}

/// Those of the animals that have an evaluation in force.
pub(super) async fn estimates(
    context: &mut dyn BookReader,
    ids: &BTreeSet<i64>,
) -> Result<BTreeMap<i64, EvaluatedAnimal>> {
    let traits = TRAITS.map(|one| paths(one.key));
    let mut fields: Vec<&str> = vec!["animal"];
    for one in &traits {
        fields.push(&one.value);
        fields.extend(one.reliability.as_deref());
    }
    let evaluations = context.find("animal-evaluations", in_force(ids).fields(&fields)).await?;
    if evaluations.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut fields = vec!["animal"];
    fields.extend(COMPOSITES.map(|(key, _)| key));
    let exteriors = context.find("animal-exteriors", in_force(ids).fields(&fields)).await?;
    let exteriors = grouped(exteriors, Exteriors::get().animal);
    let animals = by_id(context, "animals", ids.iter().copied(), &["owner", "archived"]).await?;
    let (evaluation, exterior) = (context.collection("animal-evaluations")?, context.collection("animal-exteriors")?);
    let of = |row: &Record| {
        let id = row.get(Evaluations::get().animal).int()?;
        let animal = animals.get(&id)?;
        let scored = exteriors.get(&id).and_then(|rows| rows.first());
        let estimate = |one: &TraitPaths| {
            let own = row.get(evaluation.at(&one.value)).num();
            let scored = scored.zip(one.exterior);
            let scored = scored.and_then(|(row, path)| row.get(exterior.at(path)).num());
            let reliability = one.reliability.as_deref().map(|path| evaluation.at(path));
            Estimate { value: own.or(scored), reliability: reliability.and_then(|slot| row.get(slot).num()) }
        };
        let evaluated = EvaluatedAnimal {
            owner: animal.get(Animals::get().owner).int(),
            archived: animal.get(Animals::get().archived).truth(),
            evaluation: row.get(ID).int(),
            estimates: traits.each_ref().map(estimate),
        };
        Some((id, evaluated))
    };
    Ok(evaluations.iter().filter_map(of).collect())
}

/// Animals with an evaluation in force behind a row of evaluations, as far as one step goes, and the last row; none at
/// the end.
pub(super) async fn step(context: &mut dyn BookReader, after: i64, most: i64) -> Result<Option<(BTreeSet<i64>, i64)>> {
    let lookup = Lookup::default()
        .is_in("isCurrent", vec![Value::Bool(true)])
        .test("id", Test::From(Value::Int(after.saturating_add(1))))
        .fields(&["animal"])
        .order(&["id"])
        .limit(most);
    let rows = context.find("animal-evaluations", lookup).await?;
    let animals = rows.iter().filter_map(|row| row.get(Evaluations::get().animal).int());
    let last = rows.last().and_then(|row| row.get(ID).int());
    Ok(last.map(|last| (animals.collect(), last)))
}

/// The same of the animals of one owner, whether or not they have an evaluation; the last of them.
pub(super) async fn step_of_owner(
    context: &mut dyn BookReader,
    owner: i64,
    after: i64,
    most: i64,
) -> Result<Option<(BTreeSet<i64>, i64)>> {
    let lookup = Lookup::by_ids("owner", [owner])
        .test("id", Test::From(Value::Int(after.saturating_add(1))))
        .fields(&["id"])
        .order(&["id"])
        .limit(most);
    let rows = context.find("animals", lookup).await?;
    let animals: BTreeSet<i64> = rows.iter().filter_map(|row| row.get(ID).int()).collect();
    Ok(animals.last().copied().map(|last| (animals, last)))
}
