//! A plan of matings as JSON.

use super::mates::{percent, rounded};
use super::planning::MatingPlan;
use domain::collections::mating::{Goal, Mate};
use domain::derive::mating::{Advice, Exclusion, METHOD, Mating, mean};
use domain::derive::pedigree;
use model::record::time::to_iso;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The answer; `documents` is how many were made of the plan, if any were to be.
pub(super) fn json(plan: &MatingPlan, documents: Option<usize>, now: i64) -> Value {
    let best = plan.advice.iter().filter_map(|one| one.best.ok());
    let best: Vec<Mating> = best.collect();
    let females = plan.advice.len();
    let limits = &plan.request.limits;
    let mut out = json!({
        "females": females, "mated": best.len(), "unmated": females - best.len(),
        "expectedValue": mean(best.iter().filter_map(|mating| mating.value.as_ref())).map(rounded),
        "expectedInbreeding": mean(best.iter().map(|mating| &mating.inbreeding)).map(percent),
        "goal": plan.request.goal.as_ref().map(goal),
        "limits": {
            "inbreeding": limits.inbreeding, "uses": limits.uses, "carriers": limits.carriers,
            "doses": limits.doses.iter().map(|(bull, doses)| json!({"bull": bull, "doses": doses})).collect::<Vec<_>>(),
        },
        "docs": plan.advice.iter().map(|advice| of_female(plan, advice)).collect::<Vec<_>>(),
        "bulls": bulls(plan),
        "left": plan.left.iter().map(|(id, why)| json!({"animal": who(plan, *id), "reason": why.word()})).collect::<Vec<_>>(),
        "method": METHOD, "kinshipMethod": pedigree::METHOD, "computedAt": to_iso(now),
    });
    if let (Some(documents), Some(members)) = (documents, out.as_object_mut()) {
        members.insert("stored".to_owned(), documents.into());
    }
    out
}

fn goal(goal: &Goal) -> Value {
    match goal {
        Goal::Profile(key) => json!({"profile": key}),
        Goal::Weights(weights) => {
            let rows = weights.iter().map(|(name, weight)| json!({"trait": name, "weight": weight}));
            json!({"weights": rows.collect::<Vec<_>>()})
        }
    }
}

fn who(plan: &MatingPlan, id: i64) -> Value {
    let mate = plan.mates.get(&id);
    let name = mate.and_then(|mate| mate.name.as_deref());
    json!({"id": id, "identNumber": mate.map(|mate: &Mate| &mate.number), "name": name})
}

fn mating(plan: &MatingPlan, mating: Mating) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("bull".to_owned(), who(plan, mating.bull));
    out.insert("expectedValue".to_owned(), mating.value.map_or(Value::Null, rounded));
    out.insert("expectedInbreeding".to_owned(), percent(mating.inbreeding));
    out
}

fn of_female(plan: &MatingPlan, advice: &Advice) -> Value {
    let mut out = Map::new();
    out.insert("female".to_owned(), who(plan, advice.female));
    let depth = plan.depths.get(&advice.female);
    out.insert("pedigreeDepth".to_owned(), depth.map_or(Value::Null, |depth| rounded(*depth)));
    match advice.best {
        Ok(best) => out.extend(mating(plan, best)),
        Err(why) => {
            out.insert("bull".to_owned(), Value::Null);
            out.insert("reason".to_owned(), why.word().into());
        }
    }
    let alternatives = advice.alternatives.iter();
    let alternatives = alternatives.map(|one| Value::Object(mating(plan, *one)));
    out.insert("alternatives".to_owned(), alternatives.collect());
    let mut excluded: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, _, why) in &advice.exclusions {
        *excluded.entry(why.word()).or_default() += 1;
    }
    out.insert("excluded".to_owned(), json!(excluded));
    if plan.request.exclusions {
        out.insert("exclusions".to_owned(), advice.exclusions.iter().map(exclusion).collect());
    }
    Value::Object(out)
}

fn exclusion((bull, inbreeding, why): &(i64, f64, Exclusion)) -> Value {
    let mut one = json!({"bull": bull, "reason": why.word(), "expectedInbreeding": percent(*inbreeding)});
    if let (Exclusion::Carriers(both), Some(members)) = (why, one.as_object_mut()) {
        members.insert("carriers".to_owned(), json!(both));
    }
    one
}

fn bulls(plan: &MatingPlan) -> Value {
    let uses = plan.uses();
    let bulls = plan.places.iter().map(|(id, places)| {
        let left_out = plan.left_out.iter().find(|(bull, _)| bull == id);
        let mut one = json!({
            "bull": who(plan, *id), "uses": uses.get(id).copied().unwrap_or(0), "limit": places,
            "meanKinship": plan.kinship.get(id).map(|mean| rounded(*mean)),
            "pedigreeDepth": plan.depths.get(id).map(|depth| rounded(*depth)),
        });
        if let (Some((_, why)), Some(members)) = (left_out, one.as_object_mut()) {
            members.insert("reason".to_owned(), why.word().into());
        }
        one
    });
    bulls.collect()
}
