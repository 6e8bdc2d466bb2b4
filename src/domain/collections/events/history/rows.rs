//! The rows that an animal's history is made of, in the form that the calculations need.

use crate::collections::dictionaries::lookups::{by_id, grouped, related};
use crate::collections::herd::animals::Animal;
use crate::collections::slots::slots;
use crate::derive::current::{Observation, Service, ServiceResult};
use crate::derive::lactation::{CalvingEvent, CalvingRow, ServiceRow, TestRow};
use model::error::Result;
use model::record::Record;
use model::registry::{BookReader, ID};
use std::collections::{BTreeMap, BTreeSet};

use super::services::Served;
use super::tests::Course;

slots!(
    /// Slots of `calvings`.
    Calvings of "calvings" {
        animal: "animal", date: "date", number: "number", event: "eventType",
        dry_off: "dryOffDate", milking_days: "milkingDays", insemination: "insemination",
        gestation: "gestationDays", embryo: "embryoTransfer", progeny: "progeny",
        live_heifers: "liveHeifers", live_bulls: "liveBulls", stillborn: "stillborn",
        calves: "calves", calf_weight: "calfWeight",
    }
);
slots!(
    /// Slots of `inseminations`.
    Inseminations of "inseminations" {
        animal: "animal", date: "date", bull: "bull", bull_text: "bullText", method: "method",
        result: "result", foetuses: "foetusCount", expected: "expectedCalving",
        days_open: "daysOpen", number: "lactationNumber", checked: "pregnancyCheckDate",
        checked_by: "pregnancyCheckMethod", check: "check",
    }
);
slots!(
    /// Slots of `milk-tests`.
    MilkTests of "milk-tests" {
        animal: "animal", date: "date", milk: "milkYield", code: "testCode",
        fat: "fatPercent", protein: "proteinPercent", cells: "somaticCells",
        days_in_milk: "daysInMilk", number: "lactationNumber",
        protocol: "recordingProtocol", scheme: "recordingScheme", sampling: "samplingScheme",
    }
);
slots!(
    /// Slots of `reproduction-methods`.
    Methods of "reproduction-methods" { code: "code", ade_type: "adeType" }
);
slots!(
    /// Slots of `insemination-results`.
    Results of "insemination-results" { ade_result: "adeResult" }
);

/// What the dictionaries say of methods and results.
#[derive(Debug, Default)]
pub(crate) struct Meanings {
    embryo: BTreeSet<i64>,
    results: BTreeMap<i64, ServiceResult>,
}

impl Meanings {
    /// Reads the entries that the rows name.
    pub(crate) async fn load<'r>(
        context: &mut dyn BookReader,
        rows: impl Iterator<Item = &'r Record>,
    ) -> Result<Self> {
        let s = Inseminations::get();
        let (mut methods, mut results) = (BTreeSet::new(), BTreeSet::new());
        for row in rows {
            methods.extend(row.get(s.method).int());
            results.extend(row.get(s.result).int());
        }
        let fields = ["code", "adeType"];
        let methods = by_id(context, "reproduction-methods", methods, &fields).await?;
        let results = by_id(context, "insemination-results", results, &["adeResult"]).await?;
        let m = Methods::get();
        let embryo = (methods.into_iter())
            .filter(|(_, r)| {
                r.get(m.code).text() == Some("3")
                    || r.get(m.ade_type).text() == Some("Implantation")
            })
            .map(|(id, _)| id)
            .collect();
        let meaning = |r: &Record| match r.get(Results::get().ade_result).text() {
            Some("pregnant") => ServiceResult::Pregnant,
            Some("multiple") => ServiceResult::Multiple,
            Some("empty") => ServiceResult::Empty,
            _ => ServiceResult::Unknown,
        };
        let results = (results.into_iter())
            .map(|(id, r)| (id, meaning(&r)))
            .collect();
        Ok(Self { embryo, results })
    }

    /// What a row says; none without a date.
    pub(crate) fn service(&self, row: &Record) -> Option<Service> {
        let s = Inseminations::get();
        let result = row.get(s.result).int().and_then(|id| self.results.get(&id));
        Some(Service {
            date: row.get(s.date).time()?,
            embryo: (row.get(s.method).int()).is_some_and(|id| self.embryo.contains(&id)),
            result: result.copied().unwrap_or_default(),
            foetus_count: row.get(s.foetuses).int(),
        })
    }
}

/// Kind of a row of `calvings`; empty counts as calving.
pub(crate) fn event_of(row: &Record) -> CalvingEvent {
    match row.get(Calvings::get().event).text() {
        Some("dryOff") => CalvingEvent::DryOff,
        Some("abortion") => CalvingEvent::Abortion,
        _ => CalvingEvent::Calving,
    }
}

/// A row of `calvings`; none without date or number.
pub(crate) fn calving_of(row: &Record) -> Option<CalvingRow> {
    let s = Calvings::get();
    Some(CalvingRow {
        date: row.get(s.date).time()?,
        number: row.get(s.number).int()?,
        event: event_of(row),
    })
}

/// Calvings of animals, by animal.
pub(crate) async fn calvings_of(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<Record>>> {
    let fields = [
        "animal",
        "date",
        "number",
        "eventType",
        "dryOffDate",
        "milkingDays",
        "insemination",
        "gestationDays",
        "embryoTransfer",
    ];
    let rows = related(context, "calvings", "animal", animals, &fields).await?;
    Ok(grouped(rows, Calvings::get().animal))
}

/// Inseminations of animals, by animal.
pub(crate) async fn services_of(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<Record>>> {
    let fields = [
        "animal",
        "date",
        "bull",
        "bullText",
        "method",
        "result",
        "foetusCount",
        "expectedCalving",
        "daysOpen",
    ];
    let rows = related(context, "inseminations", "animal", animals, &fields).await?;
    Ok(grouped(rows, Inseminations::get().animal))
}

/// Milk tests of animals by animal, as far as calvings decide what they show.
pub(super) async fn dated_tests(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<Record>>> {
    let fields = ["animal", "date", "daysInMilk"];
    let rows = related(context, "milk-tests", "animal", animals, &fields).await?;
    Ok(grouped(rows, MilkTests::get().animal))
}

/// How the bulls of services are shown: the number in the book.
pub(super) async fn bulls_of(
    context: &mut dyn BookReader,
    services: &BTreeMap<i64, Vec<Record>>,
) -> Result<BTreeMap<i64, String>> {
    let slot = Inseminations::get().bull;
    let ids: BTreeSet<i64> = (services.values().flatten())
        .filter_map(|r| r.get(slot).int())
        .collect();
    let rows = by_id(context, "animals", ids, &["identNumber"]).await?;
    let ident = crate::collections::herd::animals::Slots::get().ident;
    Ok((rows.into_iter())
        .filter_map(|(id, r)| Some((id, r.get(ident).text()?.to_owned())))
        .collect())
}

/// The rows of one animal.
#[derive(Debug)]
pub(super) struct Past<'a> {
    pub(super) animal: Animal<'a>,
    /// Its calvings.
    pub(super) rows: &'a [Record],
    pub(super) course: &'a Course,
    pub(super) services: &'a [Record],
    /// All of its tests, where the course needs them.
    pub(super) tests: &'a [TestRow],
    pub(super) observations: &'a [Observation],
}

impl Past<'_> {
    pub(super) fn served(&self, meanings: &Meanings) -> Vec<Served> {
        served(self.services, meanings)
    }
    pub(super) fn service_rows(&self, bulls: &BTreeMap<i64, String>) -> Vec<ServiceRow> {
        let s = Inseminations::get();
        let shown = |row: &Record| {
            let known = row.get(s.bull).int().and_then(|id| bulls.get(&id)).cloned();
            known.or_else(|| row.get(s.bull_text).text().map(str::to_owned))
        };
        (self.services.iter())
            .filter_map(|row| {
                Some(ServiceRow {
                    date: row.get(s.date).time()?,
                    bull: shown(row),
                })
            })
            .collect()
    }
}

/// Services with their ids.
pub(crate) fn served(rows: &[Record], meanings: &Meanings) -> Vec<Served> {
    (rows.iter())
        .filter_map(|row| {
            Some(Served {
                id: row.get(ID).int()?,
                service: meanings.service(row)?,
            })
        })
        .collect()
}
