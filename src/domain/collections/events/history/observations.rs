//! What accepted rows of `events` say about an animal's state.

use crate::collections::dictionaries::lookups::CHUNK;
use crate::collections::slots::slots;
use crate::derive::current::{
    LactationStatus, Observation, Observed, ReproductionStatus, ServiceResult,
};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Lookup};
use std::collections::BTreeMap;

/// The types that say something.
const TYPES: [&str; 4] = [
    "doNotBreed",
    "pregnancyCheck",
    "lactationStatus",
    "reproStatus",
];

slots!(
    /// Slots of `events` that observations come from.
    Events of "events" {
        animal: "animal", date: "date", kind: "type", result: "result", value: "value",
    }
);

/// Observations of animals, by animal.
pub(super) async fn observations_of(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<Observation>>> {
    let mut found: BTreeMap<i64, Vec<Observation>> = BTreeMap::new();
    let animals: Vec<i64> = animals.into_iter().collect();
    for chunk in animals.chunks(CHUNK) {
        let lookup = Lookup::by_ids("animal", chunk.iter().copied())
            .is_in("type", TYPES.map(Value::from).to_vec())
            .is_in("status", vec!["accepted".into()])
            .fields(&["animal", "date", "type", "result", "value"]);
        for row in context.find("events", lookup).await? {
            let animal = row.get(Events::get().animal).int();
            if let (Some(animal), Some(seen)) = (animal, observation(&row)) {
                found.entry(animal).or_default().push(seen);
            }
        }
    }
    Ok(found)
}

fn observation(row: &Record) -> Option<Observation> {
    let s = Events::get();
    let result = row.get(s.result).text();
    let fact = match row.get(s.kind).text()? {
        "doNotBreed" => Observed::DoNotBreed(row.get(s.value).num() != Some(0.0)),
        "pregnancyCheck" => Observed::PregnancyCheck(match result? {
            "pregnant" => ServiceResult::Pregnant,
            "multiple" => ServiceResult::Multiple,
            "empty" => ServiceResult::Empty,
            _ => ServiceResult::Unknown,
        }),
        "lactationStatus" => Observed::Lactation(LactationStatus::parse(result?)?),
        "reproStatus" => Observed::Reproduction(ReproductionStatus::parse(result?)?),
        _ => return None,
    };
    Some(Observation {
        date: row.get(s.date).time()?,
        fact,
    })
}
