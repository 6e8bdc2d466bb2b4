//! What accepted rows of `events` say about an animal's state, and the pregnancy checks among them.

use super::rows::result_of;
use crate::collections::FieldSet;
use crate::collections::days::placed;
use crate::collections::dictionaries::codes::PREGNANCY_METHOD;
use crate::collections::dictionaries::lookups::CHUNK;
use crate::collections::slots::slots;
use crate::derive::current::{LactationStatus, Observation, Observed, ReproductionStatus, ServiceResult};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// The types that say something.
const TYPES: [&str; 4] = ["doNotBreed", "pregnancyCheck", "lactationStatus", "reproStatus"];
/// The longest age of a foetus that is believed, days.
const LONGEST: i64 = 400;

slots!(
    /// Slots of `events` that observations come from.
    Events of "events" { animal, date, kind: "type", result, value, payload, insemination }
);

/// A pregnancy check. In order of time; of two at once the one that found more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PregnancyCheck {
    /// Epoch milliseconds.
    pub(super) date: i64,
    pub(super) result: ServiceResult,
    pub(super) foetal_age: Option<i64>,
    /// A word of the model.
    pub(super) method: Option<&'static str>,
    pub(super) foetuses: Option<i64>,
    /// Id of the service that it names.
    pub(super) names: Option<i64>,
    /// Id of the event.
    pub(super) id: i64,
}

/// What was seen of an animal.
#[derive(Debug, Default)]
pub(super) struct ObservedEvents {
    /// All but pregnancy checks.
    pub(super) observations: Vec<Observation>,
    /// In order.
    pub(super) checks: Vec<PregnancyCheck>,
}

/// What was seen of animals, by animal.
pub(super) async fn observations_of(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, ObservedEvents>> {
    let mut by_animal: BTreeMap<i64, ObservedEvents> = BTreeMap::new();
    let animals: Vec<i64> = animals.into_iter().collect();
    for chunk in animals.chunks(CHUNK) {
        let lookup = Lookup::by_ids("animal", chunk.iter().copied())
            .is_in("type", TYPES.map(Value::from).to_vec())
            .is_in("status", vec!["accepted".into()])
            .fields(Events::PATHS);
        let rows = context.find("events", lookup).await?;
        for row in placed(context, "events", rows).await? {
            let Some(animal) = row.get(Events::get().animal).int() else {
                continue;
            };
            let observed = by_animal.entry(animal).or_default();
            observed.observations.extend(observation(&row));
            observed.checks.extend(check(&row));
        }
    }
    by_animal.values_mut().for_each(|observed| observed.checks.sort());
    Ok(by_animal)
}

fn observation(row: &Record) -> Option<Observation> {
    let s = Events::get();
    let result = row.get(s.result).text();
    let fact = match row.get(s.kind).text()? {
        "doNotBreed" => Observed::DoNotBreed(row.get(s.value).num() != Some(0.0)),
        "lactationStatus" => Observed::Lactation(LactationStatus::parse(result?)?),
        "reproStatus" => Observed::Reproduction(ReproductionStatus::parse(result?)?),
        _ => return None,
    };
    Some(Observation { date: row.get(s.date).time()?, fact })
}

fn check(row: &Record) -> Option<PregnancyCheck> {
    let s = Events::get();
    let payload = |name: &str| row.get(s.payload).as_json()?.get(name);
    let age = payload("foetalAge").and_then(Json::as_i64);
    let method = payload("method").and_then(Json::as_str).and_then(|code| {
        let mut words = PREGNANCY_METHOD.split('|');
        words.find(|word| word.eq_ignore_ascii_case(code))
    });
    (row.get(s.kind).text() == Some("pregnancyCheck")).then_some(())?;
    Some(PregnancyCheck {
        date: row.get(s.date).time()?,
        result: result_of(row.get(s.result).text()),
        foetal_age: age.filter(|age| (0..=LONGEST).contains(age)),
        method,
        foetuses: payload("foetusCount").and_then(Json::as_i64),
        names: row.get(s.insemination).int(),
        id: row.get(ID).int()?,
    })
}
