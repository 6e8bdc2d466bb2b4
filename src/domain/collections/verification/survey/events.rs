//! Rows of events and movements.

use super::meanings::Meanings;
use super::{day, text};
use crate::collections::FieldSet;
use crate::collections::days::placed;
use crate::collections::dictionaries::lookups::related;
use crate::collections::events::history::event_after;
use crate::collections::registry;
use crate::collections::slots::slots;
use crate::derive::day_of;
use crate::derive::lactation::CalvingEvent;
use checks::{
    Animal, Calving, CalvingKind, Daily, Day, Ease, HealthEvent, MilkTest, Movement, MovementKind, OtherEvent, Progeny,
    Service, Touched, Visit, Weighing,
};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup, Rules, Test, WrittenRow};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

slots!(Calvings of "calvings" {
    animal, date, number, result, ease, weight: "calfWeight", heifers: "liveHeifers", bulls: "liveBulls",
    stillborn, calves, progeny, insemination, gestation: "gestationDays", embryo: "embryoTransfer",
});
slots!(Services of "inseminations" {
    animal, date, end: "endDate", bull, bull_text: "bullText", method, technician,
    collected: "straw.collectedOn", sire: "embryo.sire", result, checked: "pregnancyCheckDate",
});
slots!(Tests of "milk-tests" {
    animal, date, milk: "milkYield", fat: "fatPercent", protein: "proteinPercent", lactose: "lactosePercent",
    cells: "somaticCells", urea, code: "testCode", official, source,
});
slots!(Weighings of "weighings" { animal, date, weight, sign });
slots!(Visits of "milking-visits" {
    animal, at: "startedAt", milk: "milkYield", duration, shift: "shiftDate",
});
slots!(Dailies of "daily-milkings" { animal, date, milk: "milkYield", origin });
slots!(Health of "health-events" {
    animal, date, kind: "type", milk: "milkWithdrawalUntil", meat: "meatWithdrawalUntil",
});
slots!(Others of "events" { animal, date, kind: "type", status });
slots!(Movements of "movements" {
    animal, date, kind, from, to, reason, applied, confirmation, created: "createdAt", weight,
    disposal: "disposalMethod",
});

/// Sources of milk tests, and signs of weighings.
const SOURCES: &[&str] = &["lab", "owner", "import", "api"];
const SIGNS: &[&str] =
    &["birth", "age", "firstInsemination", "averageLactation", "highestLactation", "sale", "disposal"];
/// Types of other events, those of females first.
const KINDS: &[&str] = &[
    "dryOff",
    "pregnancyCheck",
    "heat",
    "lactationStatus",
    "reproStatus",
    "embryoFlushing",
    "move",
    "disposal",
    "doNotBreed",
    "remark",
    "other",
];
const FEMALE: u8 = 6;

/// The place of a word in a list; after its end for one that is not there.
fn place(words: &[&str], row: &Record, slot: usize) -> u8 {
    let word = row.get(slot).text().unwrap_or_default();
    let at = words.iter().position(|other| *other == word);
    u8::try_from(at.unwrap_or(words.len())).unwrap_or(u8::MAX)
}

/// Which rows are read, and what their words mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach<'s> {
    pub(super) meanings: &'s Meanings,
    pub(super) touched: &'s Touched,
    /// From when to when visits and daily milk are read; none: all.
    pub(super) around: Option<(i64, i64)>,
}

/// What is read of calvings.
const CALVING: [&str; 17] = [
    "animal",
    "date",
    "number",
    "numberComputed",
    "eventType",
    "opensLactation",
    "result",
    "ease",
    "calfWeight",
    "liveHeifers",
    "liveBulls",
    "stillborn",
    "calves",
    "progeny",
    "insemination",
    "gestationDays",
    "embryoTransfer",
];

/// Reads the rows of animals and puts them where they belong.
pub(super) async fn read(
    context: &mut dyn BookReader,
    reach: Reach<'_>,
    ids: &BTreeSet<i64>,
    animals: &mut BTreeMap<i64, Animal>,
) -> Result<()> {
    let Reach { meanings, touched, around } = reach;
    macro_rules! rows {
        ($slug:literal, $slots:ident, $to:ident, $fields:expr, $read:expr) => {
            let rows = match touched.reads($slug) {
                true => related(context, $slug, "animal", ids.iter().copied(), $fields).await?,
                false => Vec::new(),
            };
            rows!(in $slug, rows, $slots, $to, $fields, $read);
        };
        ($slug:literal from $day:literal, $slots:ident, $to:ident, $fields:expr, $read:expr) => {
            let rows = match (touched.reads($slug), around) {
                (false, _) => Vec::new(),
                (true, None) => {
                    related(context, $slug, "animal", ids.iter().copied(), $fields).await?
                }
                (true, Some(around)) => {
                    between(context, ($slug, $day), ids, around, $fields).await?
                }
            };
            rows!(in $slug, rows, $slots, $to, $fields, $read);
        };
        (in $slug:literal, $rows:ident, $slots:ident, $to:ident, $fields:expr, $read:expr) => {{
            let slot = $slots::get().animal;
            let mut rows = $rows;
            in_order($slug, $fields, &mut rows)?;
            for row in placed(context, $slug, rows).await? {
                let animal = row.get(slot).int().and_then(|id| animals.get_mut(&id));
                if let Some((animal, value)) = animal.zip($read(&row)) {
                    animal.$to.push(value);
                }
            }
        }};
    }
    rows! { "inseminations", Services, services, Services::PATHS, |row: &Record| service(meanings, row) }
    let rules = context.rules();
    let served: BTreeMap<i64, Day> =
        (animals.values()).flat_map(|animal| animal.services.iter().map(|row| (row.id, row.day))).collect();
    rows! { "calvings", Calvings, calvings, &CALVING, |row: &Record| calving(&served, row, rules) }
    rows! { "milk-tests", Tests, tests, Tests::PATHS, test }
    rows! { "weighings", Weighings, weighings, Weighings::PATHS, weighing }
    rows! { "milking-visits" from "startedAt", Visits, visits, Visits::PATHS, visit }
    rows! { "daily-milkings" from "date", Dailies, dailies, Dailies::PATHS, daily }
    rows! { "health-events", Health, health, Health::PATHS, |row: &Record| health(meanings, row) }
    rows! { "events", Others, others, Others::PATHS, other }
    rows! { "movements", Movements, movements, Movements::PATHS, |row: &Record| movement(meanings, row) }
    Ok(())
}

/// What the book derives of calvings: the fruitful service, and the days since then.
const DERIVED: [&str; 2] = ["insemination", "gestationDays"];

/// Orders rows by time and content, so that of two rows of a day the same one is found fault with whichever came first.
fn in_order(slug: &str, fields: &[&str], rows: &mut [Record]) -> Result<()> {
    let Some(c) = registry()?.get(slug) else {
        return Ok(());
    };
    let happens = c.happens.map(|path| c.at(path));
    // What the book derives is no content of the row.
    let stored_fields = fields.iter().filter(|path| !DERIVED.contains(path));
    let slots: Vec<usize> = stored_fields.map(|path| c.at(path)).collect();
    let content = |row: &Record| -> String {
        let values = slots.iter().map(|slot| format!("{:?};", row.get(*slot)));
        values.collect()
    };
    rows.sort_by(|a, b| {
        let at = |row: &Record| happens.and_then(|slot| row.get(slot).time());
        (at(a).cmp(&at(b)))
            .then_with(|| content(a).cmp(&content(b)))
            .then_with(|| a.get(ID).int().cmp(&b.get(ID).int()))
    });
    Ok(())
}

/// Puts a row in its former state, or takes out a new one.
pub(super) fn put_back(meanings: &Meanings, rules: Rules, animal: &mut Animal, written: &WrittenRow) {
    let own = |(of, _): &&(i64, Record)| *of == animal.passport.id;
    let old = written.old.as_ref().filter(own).map(|(_, row)| row);
    macro_rules! back {
        ($rows:ident, $read:expr) => {{
            animal.$rows.retain(|row| row.id != written.id);
            animal.$rows.extend(old.and_then($read));
        }};
    }
    match written.collection {
        "inseminations" => back!(services, |row| service(meanings, row)),
        "calvings" => {
            let served = animal.services.iter().map(|row| (row.id, row.day));
            let served: BTreeMap<i64, Day> = served.collect();
            back!(calvings, |row| calving(&served, row, rules));
        }
        "milk-tests" => back!(tests, test),
        "weighings" => back!(weighings, weighing),
        "milking-visits" => back!(visits, visit),
        "daily-milkings" => back!(dailies, daily),
        "health-events" => back!(health, |row| health(meanings, row)),
        "events" => back!(others, other),
        "movements" => back!(movements, |row| movement(meanings, row)),
        _ => {}
    }
}

/// Rows of animals from a moment to another one.
async fn between(
    context: &mut dyn BookReader,
    (slug, path): (&str, &str),
    ids: &BTreeSet<i64>,
    (from, to): (i64, i64),
    fields: &[&str],
) -> Result<Vec<Record>> {
    let lookup = Lookup::by_ids("animal", ids.iter().copied())
        .test(path, Test::From(Value::Time(from)))
        .test(path, Test::Before(Value::Time(to)))
        .fields(fields);
    context.find(slug, lookup).await
}

fn service(meanings: &Meanings, row: &Record) -> Option<Service> {
    let s = Services::get();
    let link = |slot| row.get(slot).int();
    Some(Service {
        id: link(ID)?,
        day: day(row, s.date)?,
        end: day(row, s.end),
        bull: link(s.sire).or(link(s.bull)),
        bull_text: text(row, s.bull_text),
        collected: day(row, s.collected),
        embryo: link(s.method).is_some_and(|id| meanings.embryo.contains(&id)),
        pregnant: link(s.result).is_some_and(|id| meanings.pregnant.contains(&id)),
        checked: day(row, s.checked),
        expected_inbreeding: None,
        technician_active: link(s.technician).and_then(|id| meanings.technicians.get(&id).copied()),
    })
}

fn calving(served: &BTreeMap<i64, Day>, row: &Record, rules: Rules) -> Option<Calving> {
    let s = Calvings::get();
    let int = |slot| row.get(slot).int();
    let weight = |calf: &Json| Progeny { weight: calf.get("weight").and_then(Json::as_f64) };
    Some(Calving {
        id: int(ID)?,
        number: int(s.number)?,
        day: day(row, s.date)?,
        kind: match event_after(row, int(s.gestation), rules) {
            CalvingEvent::Calving => CalvingKind::Calving,
            CalvingEvent::OpeningAbortion => CalvingKind::OpeningAbortion,
            CalvingEvent::Abortion => CalvingKind::Abortion,
            CalvingEvent::DryOff => CalvingKind::DryOff,
        },
        declared: match row.get(s.result).text() {
            Some("one") => Some(1),
            Some("twins") => Some(2),
            Some("triplets") => Some(3),
            _ => None,
        },
        ease: row.get(s.ease).text().map(|ease| match ease {
            "veterinary" | "surgery" => Ease::Veterinary,
            _ => Ease::Unaided,
        }),
        calf_weight: row.get(s.weight).num(),
        counts: [int(s.heifers), int(s.bulls), int(s.stillborn)],
        calves: row.get(s.calves).ids().to_vec(),
        progeny: row.get(s.progeny).rows().iter().map(weight).collect(),
        served: int(s.insemination).and_then(|id| served.get(&id).copied()),
        gestation: int(s.gestation),
        embryo: row.get(s.embryo).truth(),
    })
}

fn test(row: &Record) -> Option<MilkTest> {
    let s = Tests::get();
    let number = |slot| row.get(slot).num();
    Some(MilkTest {
        id: row.get(ID).int()?,
        day: day(row, s.date)?,
        milk: number(s.milk),
        fat: number(s.fat),
        protein: number(s.protein),
        lactose: number(s.lactose),
        cells: number(s.cells),
        urea: number(s.urea),
        coded: row.get(s.code).text().is_some_and(|code| code != "none"),
        official: row.get(s.official).truth(),
        source: place(SOURCES, row, s.source),
    })
}

fn weighing(row: &Record) -> Option<Weighing> {
    let s = Weighings::get();
    Some(Weighing {
        id: row.get(ID).int()?,
        day: day(row, s.date)?,
        weight: row.get(s.weight).num()?,
        at_birth: row.get(s.sign).text() == Some("birth"),
        sign: place(SIGNS, row, s.sign),
    })
}

fn visit(row: &Record) -> Option<Visit> {
    let s = Visits::get();
    let at = row.get(s.at).time()?;
    Some(Visit {
        id: row.get(ID).int()?,
        at: at.div_euclid(1000),
        day: day(row, s.shift).unwrap_or(Day(day_of(at))),
        milk: row.get(s.milk).num()?,
        seconds: row.get(s.duration).int(),
    })
}

fn daily(row: &Record) -> Option<Daily> {
    let s = Dailies::get();
    Some(Daily {
        id: row.get(ID).int()?,
        day: day(row, s.date)?,
        milk: row.get(s.milk).num()?,
        computed: row.get(s.origin).text() == Some("computed"),
    })
}

fn health(meanings: &Meanings, row: &Record) -> Option<HealthEvent> {
    let s = Health::get();
    let kind = row.get(s.kind).int()?;
    Some(HealthEvent {
        id: row.get(ID).int()?,
        day: day(row, s.date)?,
        kind,
        illness: meanings.illnesses.get(&kind).copied().unwrap_or_default(),
        milk_withdrawal: day(row, s.milk),
        meat_withdrawal: day(row, s.meat),
    })
}

/// Drafts are their author's.
fn other(row: &Record) -> Option<OtherEvent> {
    let s = Others::get();
    let kind = place(KINDS, row, s.kind);
    (row.get(s.status).text() != Some("draft")).then_some(())?;
    Some(OtherEvent { id: row.get(ID).int()?, day: day(row, s.date)?, kind, female: kind < FEMALE })
}

fn movement(meanings: &Meanings, row: &Record) -> Option<Movement> {
    let s = Movements::get();
    let link = |slot| row.get(slot).int();
    Some(Movement {
        id: link(ID)?,
        day: day(row, s.date)?,
        kind: match row.get(s.kind).text()? {
            "sale" => MovementKind::Sale,
            "lease" => MovementKind::Lease,
            "transfer" => MovementKind::Transfer,
            "import" => MovementKind::Import,
            "cull" => MovementKind::Cull,
            "death" => MovementKind::Death,
            _ => MovementKind::Absence,
        },
        from: link(s.from),
        to: link(s.to).filter(|to| meanings.registered.contains(to)),
        applied: row.get(s.applied).truth(),
        pending: row.get(s.confirmation).text() == Some("pending"),
        recorded: day(row, s.created).unwrap_or_default(),
        reason: link(s.reason)
            .and_then(|id| meanings.reasons.get(&id))
            .map(|(_, leaving)| *leaving)
            .unwrap_or_default(),
        weight: row.get(s.weight).num(),
        for_meat: row.get(s.kind).text() == Some("cull")
            && matches!(row.get(s.disposal).text(), None | Some("consumption")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Services of one day: their ids in the order in which they are judged.
    fn judged(rows: [(i64, i64); 2]) -> Vec<(i64, i64)> {
        let c = registry().unwrap().get("inseminations").unwrap();
        let (date, bull) = (c.at("date"), c.at("bull"));
        let row = |(id, of): (i64, i64)| {
            let mut row = Record::empty(c.width());
            row.set(ID, id);
            row.set(date, Value::Time(0));
            row.set(bull, of);
            row
        };
        let mut rows = rows.map(row);
        in_order("inseminations", &["date", "bull"], &mut rows).unwrap();
        let bull_of_row = |row: &Record| (row.get(ID).int().unwrap(), row.get(bull).int().unwrap());
        rows.iter().map(bull_of_row).collect()
    }

    #[test]
    fn services_of_a_day_are_judged_in_the_order_of_their_bulls() {
        assert_eq!(judged([(1, 7), (2, 8)]), [(1, 7), (2, 8)]);
        assert_eq!(judged([(1, 8), (2, 7)]), [(2, 7), (1, 8)]);
    }
}
