//! The rows that an animal's history is made of, in the form that the calculations need.

use crate::collections::FieldSet;
use crate::collections::days::placed;
use crate::collections::dictionaries::lookups::{by_id, grouped, keyed, related};
use crate::collections::slots::slots;
use crate::derive::current::{Service, ServiceResult};
use crate::derive::day_of;
use crate::derive::lactation::{CalvingEvent, CalvingRow};
use crate::derive::parity::Numbered;
use crate::derive::pregnancy::abortion;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup, Rules};
use std::collections::{BTreeMap, BTreeSet};

use super::services::StoredService;

slots!(Calvings of "calvings" {
    animal, date, number, counted: "numberComputed", event: "eventType", opens: "opensLactation",
    dry_off: "dryOffDate", milking_days: "milkingDays", insemination, gestation: "gestationDays",
    embryo: "embryoTransfer", progeny, live_heifers: "liveHeifers", live_bulls: "liveBulls", stillborn, calves,
    calf_weight: "calfWeight",
});
slots!(Inseminations of "inseminations" {
    animal, date, bull, bull_text: "bullText", method, number: "lactationNumber",
    counted: "lactationNumberComputed", result, checked: "pregnancyCheckDate",
    checked_by: "pregnancyCheckMethod", foetuses: "foetusCount", check, stated_result: "statedCheck.result",
    stated_date: "statedCheck.date", stated_method: "statedCheck.method",
    stated_foetuses: "statedCheck.foetusCount", expected: "expectedCalving", days_open: "daysOpen",
});
slots!(MilkTests of "milk-tests" {
    animal, date, milk: "milkYield", code: "testCode", morning: "yields.morning", noon: "yields.noon",
    evening: "yields.evening", summed: "milkYieldComputed", fat: "fatPercent", protein: "proteinPercent",
    cells: "somaticCells", official, source, days_in_milk: "daysInMilk", number: "lactationNumber",
    counted: "lactationNumberComputed", protocol: "recordingProtocol", scheme: "recordingScheme",
    sampling: "samplingScheme",
});
slots!(
    /// Slots of `weighings` that calvings decide.
    Weighings of "weighings" { animal, date, number: "lactationNumber", counted: "lactationNumberComputed" }
);
slots!(Methods of "reproduction-methods" { code, ade_type: "adeType" });
slots!(Results of "insemination-results" { ade_result: "adeResult" });

/// What the dictionaries say of methods and results.
#[derive(Debug, Default)]
pub(crate) struct Meanings {
    embryo: BTreeSet<i64>,
    results: BTreeMap<i64, ServiceResult>,
}

/// `adeResult` of insemination results, and `result` of pregnancy checks.
pub(super) fn result_of(word: Option<&str>) -> ServiceResult {
    match word {
        Some("pregnant") => ServiceResult::Pregnant,
        Some("multiple") => ServiceResult::Multiple,
        Some("empty") => ServiceResult::Empty,
        _ => ServiceResult::Unknown,
    }
}

impl Meanings {
    /// Reads the entries that the rows name; all results where there are checks.
    pub(crate) async fn load<'r>(
        context: &mut dyn BookReader,
        rows: impl Iterator<Item = &'r Record>,
        checks: bool,
    ) -> Result<Self> {
        let s = Inseminations::get();
        let (mut methods, mut results) = (BTreeSet::new(), BTreeSet::new());
        for row in rows {
            methods.extend(row.get(s.method).int());
            results.extend([s.result, s.stated_result].iter().filter_map(|slot| row.get(*slot).int()));
        }
        let methods = by_id(context, "reproduction-methods", methods, Methods::PATHS).await?;
        let results = match checks {
            true => {
                let all = Lookup::default().fields(&["adeResult"]);
                keyed(context.find("insemination-results", all).await?)
            }
            false => by_id(context, "insemination-results", results, &["adeResult"]).await?,
        };
        let m = Methods::get();
        let embryo = (methods.into_iter())
            .filter(|(_, r)| r.get(m.code).text() == Some("3") || r.get(m.ade_type).text() == Some("Implantation"))
            .map(|(id, _)| id)
            .collect();
        let meaning = |r: &Record| result_of(r.get(Results::get().ade_result).text());
        let results = (results.into_iter()).map(|(id, r)| (id, meaning(&r))).collect();
        Ok(Self { embryo, results })
    }

    /// What an entry of `insemination-results` means.
    pub(super) fn result(&self, entry: &Value) -> ServiceResult {
        let meaning = entry.int().and_then(|id| self.results.get(&id));
        meaning.copied().unwrap_or_default()
    }

    /// The first entry of a meaning.
    pub(super) fn entry(&self, result: ServiceResult) -> Option<i64> {
        let mut all = self.results.iter();
        all.find(|(_, other)| **other == result).map(|(id, _)| *id)
    }

    /// What a row says; none without a date.
    pub(crate) fn service(&self, row: &Record) -> Option<Service> {
        let s = Inseminations::get();
        Some(Service {
            date: row.get(s.date).time()?,
            embryo: (row.get(s.method).int()).is_some_and(|id| self.embryo.contains(&id)),
            result: self.result(row.get(s.result)),
            foetus_count: row.get(s.foetuses).int(),
            checked: row.get(s.checked).time(),
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

/// A row of `calvings` as it is stored; none without date or number.
pub(crate) fn calving_of(row: &Record, rules: Rules) -> Option<CalvingRow> {
    let s = Calvings::get();
    let event = event_after(row, row.get(s.gestation).int(), rules);
    Some(CalvingRow { date: row.get(s.date).time()?, number: row.get(s.number).int()?, event })
}

/// Kind of a row of `calvings` after so many days of gestation.
pub(crate) fn event_after(row: &Record, gestation: Option<i64>, rules: Rules) -> CalvingEvent {
    let stated = row.get(Calvings::get().opens);
    match event_of(row) {
        CalvingEvent::Abortion => {
            let stated = (!stated.is_null()).then(|| stated.truth());
            abortion(stated, gestation, rules.opening_abortion)
        }
        event => event,
    }
}

/// The number of a row that somebody stated.
pub(super) fn stated_number(row: &Record) -> Option<i64> {
    let s = Calvings::get();
    row.get(s.number).int().filter(|_| !row.get(s.counted).truth())
}

/// A row of `calvings` as it is stored, for its number.
pub(crate) fn numbered(row: &Record, rules: Rules) -> Option<Numbered> {
    let s = Calvings::get();
    Some(Numbered {
        day: row.get(s.date).time().map(day_of)?,
        event: event_after(row, row.get(s.gestation).int(), rules),
        stated: stated_number(row),
    })
}

/// Rows of animals, by the animal in that slot, with their days on the clocks of their places.
async fn placed_by(
    context: &mut dyn BookReader,
    (slug, animal): (&str, usize),
    animals: impl IntoIterator<Item = i64>,
    fields: &[&str],
) -> Result<BTreeMap<i64, Vec<Record>>> {
    let rows = related(context, slug, "animal", animals, fields).await?;
    Ok(grouped(placed(context, slug, rows).await?, animal))
}

/// Calvings of animals, by animal, with their days on the clocks of their places.
pub(crate) async fn calvings_of(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<Record>>> {
    let fields = [
        "animal",
        "date",
        "number",
        "numberComputed",
        "eventType",
        "opensLactation",
        "dryOffDate",
        "milkingDays",
        "insemination",
        "gestationDays",
        "embryoTransfer",
    ];
    let rows = ("calvings", Calvings::get().animal);
    placed_by(context, rows, animals, &fields).await
}

/// Inseminations of animals, by animal, in the same way.
pub(crate) async fn services_of(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<Record>>> {
    let rows = ("inseminations", Inseminations::get().animal);
    placed_by(context, rows, animals, Inseminations::PATHS).await
}

/// Milk tests of animals by animal, as far as calvings decide what they show.
pub(super) async fn dated_tests(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<Record>>> {
    let fields = ["animal", "date", "daysInMilk", "lactationNumber", "lactationNumberComputed"];
    let rows = ("milk-tests", MilkTests::get().animal);
    placed_by(context, rows, animals, &fields).await
}

/// Weighings of animals by animal, as far as calvings decide what they show.
pub(super) async fn dated_weighings(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<Record>>> {
    let rows = ("weighings", Weighings::get().animal);
    placed_by(context, rows, animals, Weighings::PATHS).await
}

/// How the bulls of services are shown: the number in the book.
pub(super) async fn bulls_of(
    context: &mut dyn BookReader,
    services: &BTreeMap<i64, Vec<Record>>,
) -> Result<BTreeMap<i64, String>> {
    let slot = Inseminations::get().bull;
    let ids: BTreeSet<i64> = (services.values().flatten()).filter_map(|r| r.get(slot).int()).collect();
    let rows = by_id(context, "animals", ids, &["identNumber"]).await?;
    let ident = crate::collections::herd::animals::Slots::get().ident;
    Ok((rows.into_iter()).filter_map(|(id, r)| Some((id, r.get(ident).text()?.to_owned()))).collect())
}

/// How the bull of a service is shown: its number in the book, else as it was written.
pub(super) fn bull_of(row: &Record, bulls: &BTreeMap<i64, String>) -> Option<String> {
    let s = Inseminations::get();
    let bull = row.get(s.bull).int().and_then(|id| bulls.get(&id)).cloned();
    bull.or_else(|| row.get(s.bull_text).text().map(str::to_owned))
}

/// Services with their ids, in an order of their content: the bulls as they are shown, where they are known.
pub(crate) fn stored_services(
    rows: &[Record],
    meanings: &Meanings,
    bulls: &BTreeMap<i64, String>,
) -> Vec<StoredService> {
    let mut served: Vec<_> = (rows.iter())
        .filter_map(|row| {
            let service = meanings.service(row)?;
            let order = (service.date, service.embryo, bull_of(row, bulls));
            Some((order, StoredService { id: row.get(ID).int()?, service }))
        })
        .collect();
    served.sort_by(|one, other| one.0.cmp(&other.0));
    served.into_iter().map(|(_, served)| served).collect()
}
