//! Diagnoses, treatments, vaccinations and observed health.
//!
//! `current.healthStatus` of an animal is the status that was observed last, in a row whose
//! type is of kind status; the days of `current` until which its milk and meat are withheld are the last of all rows.

use crate::collections::days::{as_day, placed};
use crate::collections::dictionaries::codes::{DIAGNOSIS_STAGE, HEALTH_STATUS};
use crate::collections::dictionaries::lookups::{CHUNK, by_id, touched};
use crate::collections::events::history::Amendments;
use crate::collections::events::{EventKind, Key, event};
use crate::collections::herd::animals::Slots as Animals;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    BookReader, Change, Collection, Decl, Draft, HookContext, ID, Lookup, PackageSet, boolean, day, fields, group,
    long_text, number, relation, select, text, text_n, texts,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn health_events() -> Collection {
    let mut fields = subject();
    fields.extend(diagnosis());
    fields.extend(treatment());
    fields.extend(outcome());
    event("health-events", &["animal", "date", "type"], fields, Health)
        .kind_of("type")
        .timeline(None)
        .headings(HEADINGS)
        .package_set(PackageSet {
            marks: &["type", "procedure", "medicine.name"],
            ..PackageSet::new("healthEvents", "events", &["animal", "date", "type"])
        })
        .doc("Diagnoses, treatments, vaccinations, examinations and observed health.")
}

const HEADINGS: &[(&str, &str)] = &[
    (
        "date",
        "Дата заболевания|дата диагноза|дата лечения|дата обработки|дата вакцинации|diagnosis date|treatment date",
    ),
    ("type", "Диагноз|заболевание|болезнь|ветмероприятие|вид обработки|diagnosis|disease|treatment type"),
    ("title", "Описание"),
    ("severity", "Тяжесть|severity"),
    ("startDate", "Дата начала|начало лечения|start date"),
    ("endDate", "Дата окончания|окончание лечения|дата выздоровления|end date"),
    ("site", "Место поражения|конечность|копыто"),
    ("procedure", "Лечение|процедура|обработка|treatment|procedure"),
    ("medicine.name", "Препарат|лекарство|вакцина|medicine|drug|vaccine"),
    ("medicine.batch", "Серия препарата|серия|batch"),
    ("dose", "Доза|dose"),
    ("doseUnit", "Единица дозы"),
    ("milkWithdrawalUntil", "Ограничение по молоку до|молоко до|milk withdrawal until"),
    ("meatWithdrawalUntil", "Ограничение по мясу до|мясо до|meat withdrawal until"),
    ("outcome", "Исход|outcome"),
    ("description", "Комментарий|примечание|comment|remark"),
];

fn subject() -> Vec<Decl> {
    fields![
        relation("type", "health-event-types").required()
            => "Type of the event; its kind distinguishes diagnosis, treatment and the others.",
        day("date").required().indexed() => "Day of the event.",
        text("title") => "Description of the event.",
        select("severity", "mild|moderate|severe").default("moderate") => "How severe it was.",
        day("startDate") => "First day of the illness or treatment.",
        day("endDate") => "Last day of the illness or treatment.",
        boolean("excludeFromAnalytics").default(false) => "Whether statistics leave the event out.",
        long_text("description") => "Description.",
    ]
}

fn diagnosis() -> Vec<Decl> {
    fields![
        group("diagnosisCode", fields![
            text_n("scheme", 60) => "Code list of the diagnosis.",
            text_n("id", 40) => "Code of the diagnosis in that list.",
        ]),
        select("stage", DIAGNOSIS_STAGE) => "Stage of the illness.",
        texts("positions", 40) => "Affected parts of the animal, one in each row.",
        text("site") => "Affected part of the animal, as text.",
    ]
}

fn treatment() -> Vec<Decl> {
    fields![
        text("procedure") => "Procedure that was done.",
        group("medicine", fields![
            text("name").first() => "Name of the medicine.",
            text_n("registeredId", 40) => "Number of its registration.",
            text_n("gtin", 14) => "Global trade item number.",
            text_n("batch", 40) => "Batch.",
            day("expiryDate") => "Last day of use of the batch.",
        ]),
        number("dose").range(0.0, 1_000_000_000.0) => "Amount given, in `doseUnit`.",
        text_n("doseUnit", 3) => "Unit of the dose, UN/CEFACT common code.",
        day("milkWithdrawalUntil").first() => "Last day on which milk is not delivered.",
        day("meatWithdrawalUntil").first() => "Last day on which the animal is not slaughtered.",
    ]
}

fn outcome() -> Vec<Decl> {
    fields![
        select("observedStatus", HEALTH_STATUS)
            => "Observed health; if the type is of kind status, it becomes the health status of the animal.",
        select("outcome", "ongoing|recovered|culled|died") => "Outcome of the event.",
        relation("reportedBy", "users").server() => "User who reported it.",
    ]
}

slots!(HealthEvents of "health-events" {
    animal, date, kind: "type", observed: "observedStatus", reported_by: "reportedBy",
    milk: "milkWithdrawalUntil", meat: "meatWithdrawalUntil",
});
slots!(Types of "health-event-types" { kind });

#[derive(Debug)]
struct Health;

impl EventKind for Health {
    const KEY: Key = Key::Part;
    const OF_FEMALES: bool = false;

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
            let filled = |row: &Record| [s.observed, s.milk, s.meat].iter().any(|slot| !row.get(*slot).is_null());
            row.as_ref().is_some_and(filled)
        };
        let telling: Vec<Change> = (changes.iter()).filter(|c| telling(&c.old) || telling(&c.new)).cloned().collect();
        present_health(context, &touched(&telling, s.animal)).await
    }
}

/// What follows of health events for their animal.
const PRESENT: &[&str] = &["current.healthStatus", "current.milkWithdrawalUntil", "current.meatWithdrawalUntil"];

/// Sets the health of these animals to what was observed last, and until when their milk and meat are withheld.
pub(super) async fn present_health(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    if animals.is_empty() {
        return Ok(());
    }
    let s = HealthEvents::get();
    let ids: Vec<i64> = animals.iter().copied().collect();
    let mut rows = Vec::new();
    for chunk in ids.chunks(CHUNK) {
        let lookup = Lookup::by_ids("animal", chunk.iter().copied()).fields(&[
            "animal",
            "date",
            "type",
            "observedStatus",
            "milkWithdrawalUntil",
            "meatWithdrawalUntil",
        ]);
        rows.extend(context.find("health-events", lookup).await?);
    }
    let rows = placed(context, "health-events", rows).await?;
    let kinds = rows.iter().filter_map(|row| row.get(s.kind).int());
    let kinds = by_id(context, "health-event-types", kinds, &["kind"]).await?;
    let status = |row: &&Record| {
        let kind = row.get(s.kind).int().and_then(|id| kinds.get(&id));
        kind.is_some_and(|k| k.get(Types::get().kind).text() == Some("status"))
    };
    let mut withheld: BTreeMap<i64, [Option<i64>; 2]> = BTreeMap::new();
    for row in &rows {
        let until = [s.milk, s.meat].map(|slot| row.get(slot).time());
        let until_of = withheld.entry(row.get(s.animal).int().unwrap_or_default()).or_default();
        for (last, until) in until_of.iter_mut().zip(until) {
            *last = (*last).max(until);
        }
    }
    let mut last: BTreeMap<i64, &Record> = BTreeMap::new();
    let order = |row: &Record| (row.get(s.date).time(), row.get(ID).int());
    let observed = |row: &&Record| !row.get(s.observed).is_null() && status(row);
    for row in rows.iter().filter(observed) {
        let Some(animal) = row.get(s.animal).int() else {
            continue;
        };
        let newer = (last.get(&animal)).is_none_or(|latest| order(latest) < order(row));
        if newer {
            last.insert(animal, row);
        }
    }
    let a = Animals::get();
    let mut amendments = Amendments::default();
    for (id, animal) in by_id(context, "animals", ids, PRESENT).await? {
        let status = last.get(&id).map_or(Value::Null, |row| row.get(s.observed).clone());
        let [milk, meat] = withheld.get(&id).copied().unwrap_or_default().map(|at| Value::from(at.map(as_day)));
        amendments.note(&animal, [(a.health_status, status), (a.milk_withheld, milk), (a.meat_withheld, meat)]);
    }
    amendments.write(context, "animals").await
}
