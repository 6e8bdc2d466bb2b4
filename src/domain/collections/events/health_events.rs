//! Diagnoses, treatments, vaccinations and observed health (docs/model/health-events.md).
//!
//! `current.healthStatus` of an animal is the status that was observed last, in a row whose
//! type is of kind status.

use crate::collections::dictionaries::codes::{DIAGNOSIS_STAGE, HEALTH_STATUS};
use crate::collections::dictionaries::lookups::{CHUNK, by_id, touched};
use crate::collections::events::history::Amendments;
use crate::collections::events::{EventKind, Key, event};
use crate::collections::herd::animals::Slots as Animals;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    BookReader, Change, Collection, Decl, Draft, HookContext, ID, Lookup, Test, boolean, day,
    group, long_text, number, relation, select, text, text_n, texts,
};
use std::collections::{BTreeMap, BTreeSet};

/// The collection.
pub(crate) fn health_events() -> Collection {
    let mut fields = subject();
    fields.extend(diagnosis());
    fields.extend(treatment());
    fields.extend(outcome());
    event("health-events", &["animal", "date", "type"], fields, Health)
        .doc("Diagnoses, treatments, vaccinations, examinations and observed health.")
}

fn subject() -> Vec<Decl> {
    vec![
        relation("type", "health-event-types")
            .required()
            .doc("Type of the event; its kind distinguishes diagnosis, treatment and the others.")
            .into(),
        day("date")
            .required()
            .indexed()
            .doc("Day of the event.")
            .into(),
        text("title").doc("Description of the event.").into(),
        select("severity", "mild|moderate|severe")
            .default("moderate")
            .doc("How severe it was.")
            .into(),
        day("startDate")
            .doc("First day of the illness or treatment.")
            .into(),
        day("endDate")
            .doc("Last day of the illness or treatment.")
            .into(),
        boolean("excludeFromAnalytics")
            .default(false)
            .doc("Whether statistics leave the event out.")
            .into(),
        long_text("description").doc("Description.").into(),
    ]
}

fn diagnosis() -> Vec<Decl> {
    vec![
        group(
            "diagnosisCode",
            [
                text_n("scheme", 60)
                    .doc("Code list of the diagnosis.")
                    .into(),
                text_n("id", 40)
                    .doc("Code of the diagnosis in that list.")
                    .into(),
            ],
        ),
        select("stage", DIAGNOSIS_STAGE)
            .doc("Stage of the illness.")
            .into(),
        texts("positions", 40)
            .doc("Affected parts of the animal, one in each row.")
            .into(),
        text("site")
            .doc("Affected part of the animal, as text.")
            .into(),
    ]
}

fn treatment() -> Vec<Decl> {
    vec![
        text("procedure").doc("Procedure that was done.").into(),
        group(
            "medicine",
            [
                text("name").doc("Name of the medicine.").into(),
                text_n("registeredId", 40)
                    .doc("Number of its registration.")
                    .into(),
                text_n("gtin", 14).doc("Global trade item number.").into(),
                text_n("batch", 40).doc("Batch.").into(),
                day("expiryDate")
                    .doc("Last day of use of the batch.")
                    .into(),
            ],
        ),
        number("dose")
            .range(0.0, 1_000_000_000.0)
            .doc("Amount given, in `doseUnit`.")
            .into(),
        text_n("doseUnit", 3)
            .doc("Unit of the dose, UN/CEFACT common code.")
            .into(),
        day("milkWithdrawalUntil")
            .doc("Last day on which milk is not delivered.")
            .into(),
        day("meatWithdrawalUntil")
            .doc("Last day on which the animal is not slaughtered.")
            .into(),
    ]
}

fn outcome() -> Vec<Decl> {
    vec![
        select("observedStatus", HEALTH_STATUS)
            .doc("Observed health; if the type is of kind status, it becomes the health status of the animal.")
            .into(),
        select("outcome", "ongoing|recovered|culled|died")
            .doc("Outcome of the event.")
            .into(),
        relation("reportedBy", "users")
            .server()
            .doc("User who reported it.")
            .into(),
    ]
}

slots!(
    /// Slots of `health-events`.
    HealthEvents of "health-events" {
        animal: "animal", date: "date", kind: "type", observed: "observedStatus",
        reported_by: "reportedBy",
    }
);
slots!(
    /// Slots of `health-event-types`.
    Types of "health-event-types" { kind: "kind" }
);

#[derive(Debug)]
struct Health;

impl EventKind for Health {
    const KEY: Key = Key::Part;

    fn female(&self, _draft: &Draft) -> bool {
        false
    }

    async fn prepare(&self, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
        let user = context.caller().user;
        for draft in drafts.iter_mut().filter(|d| d.old.is_none()) {
            if user.is_some() {
                draft.new.set(HealthEvents::get().reported_by, user);
            }
        }
        Ok(())
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        let s = HealthEvents::get();
        let telling = |row: &Option<Record>| {
            let filled = |row: &Record| !row.get(s.observed).is_null();
            row.as_ref().is_some_and(filled)
        };
        let telling: Vec<Change> = (changes.iter())
            .filter(|c| telling(&c.old) || telling(&c.new))
            .cloned()
            .collect();
        observe(context, &touched(&telling, s.animal)).await
    }
}

/// Sets the health of these animals to what was observed last.
async fn observe(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    if animals.is_empty() {
        return Ok(());
    }
    let s = HealthEvents::get();
    let ids: Vec<i64> = animals.iter().copied().collect();
    let mut seen = Vec::new();
    for chunk in ids.chunks(CHUNK) {
        let lookup = Lookup::by_ids("animal", chunk.iter().copied())
            .test("observedStatus", Test::Filled)
            .fields(&["animal", "date", "type", "observedStatus"]);
        seen.extend(context.find("health-events", lookup).await?);
    }
    let kinds = seen.iter().filter_map(|row| row.get(s.kind).int());
    let kinds = by_id(context, "health-event-types", kinds, &["kind"]).await?;
    let status = |row: &&Record| {
        let kind = row.get(s.kind).int().and_then(|id| kinds.get(&id));
        kind.is_some_and(|k| k.get(Types::get().kind).text() == Some("status"))
    };
    let mut last: BTreeMap<i64, &Record> = BTreeMap::new();
    let order = |row: &Record| (row.get(s.date).time(), row.get(ID).int());
    for row in seen.iter().filter(status) {
        let Some(animal) = row.get(s.animal).int() else {
            continue;
        };
        let newer = (last.get(&animal)).is_none_or(|known| order(known) < order(row));
        if newer {
            last.insert(animal, row);
        }
    }
    let health = Animals::get().health_status;
    let mut amendments = Amendments::default();
    for (id, animal) in by_id(context, "animals", ids, &["current.healthStatus"]).await? {
        let status = last
            .get(&id)
            .map_or(Value::Null, |row| row.get(s.observed).clone());
        amendments.note(&animal, [(health, status)]);
    }
    amendments.write(context, "animals").await
}
