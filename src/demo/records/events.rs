//! Rows of the events, by date over the whole book: services, calvings and movements here, the
//! others by their modules.
#![expect(clippy::indexing_slicing, reason = "indexes come from the world that the vectors here are sized by")]

use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::people::{AI_STATION, OUTSIDE_BUYER, herd, organization, technician};
use super::rows::{Diary, Sink};
use super::tables::Tables;
use super::{health, milk, milkings, observed, weights};
use crate::simulation::calendar::{Day, END, iso};
use crate::simulation::herd::{Event, Fact, Leaving, World};
use crate::simulation::select::Selection;
use crate::simulation::streams::Stream;

/// A return to heat is a result after this number of days.
const RETURN_DAYS: i32 = 42;

/// Hands out the rows.
pub(crate) fn events(world: &World, selection: &Selection, tables: &Tables, sink: Sink<'_>) -> ControlFlow<()> {
    let mut diary = Diary::default();
    let (imports, culls) = bull_moves(world, selection);
    for (day, bull) in imports {
        diary.add(
            day,
            "movements",
            move |_| json!({"animal": bull, "date": iso(day), "kind": "import", "to": AI_STATION}),
        );
    }
    observed::observe(world, selection, tables, &mut diary);
    facts(world, selection, tables, &mut diary);
    let udders = milk::tests(world, selection, &mut diary);
    weights::weighings(world, selection, &mut diary);
    health::journal(world, selection, tables, &udders, &mut diary);
    milkings::visits(world, selection, &mut diary);
    let reason = tables.id("disposal-reasons", "old-age");
    for (day, bull) in culls {
        diary.add(
            day,
            "movements",
            move |_| json!({"animal": bull, "date": iso(day), "kind": "cull", "from": AI_STATION, "reason": reason}),
        );
    }
    diary.rows(sink)
}

/// Bulls by the days on which they move.
type BullDays = Vec<(Day, i64)>;

/// Imports and culls: imported bulls come before their first use; bulls leave when their semen is
/// stored and they are old.
fn bull_moves(world: &World, selection: &Selection) -> (BullDays, BullDays) {
    let (mut imports, mut culls) = (Vec::new(), Vec::new());
    for (index, bull) in world.sires.bulls.iter().enumerate() {
        let id = selection.bull(index).filter(|_| bull.in_use());
        let (Some(id), Some((first, last))) = (id, bull.used) else {
            continue;
        };
        let stream = &mut Stream::new(world.seed, "bull", index as u64);
        let arrival = first - stream.between(30, 90);
        let departure = last + stream.between(330, 900);
        imports.extend(bull.origin.map(|_| (arrival, id)));
        culls.extend((departure <= END).then_some((departure, id)));
    }
    (imports, culls)
}

/// What happened to the animals of the book.
fn facts<'w>(world: &'w World, selection: &'w Selection, tables: &'w Tables, diary: &mut Diary<'w>) {
    // Which animals are in the herd of the cows, while events pass by in order.
    let mut with_cows = vec![false; world.animals.len()];
    for event in &world.events {
        let Some(animal) = selection.recorded(event.animal) else {
            continue;
        };
        let day = event.day;
        let turn = move |number: u8, kind: &'static str| move |_| json!({"animal": animal, "date": iso(day), "number": number, "eventType": kind});
        match &event.fact {
            Fact::Service { .. } if day < selection.services_from(event.animal) => {}
            Fact::Service { .. } => {
                diary.add(day, "inseminations", move |id| service(world, selection, tables, event, animal, id))
            }
            Fact::Calving { .. } => {
                with_cows[event.animal] = true;
                diary.add(day, "calvings", move |_| calving(selection, event, animal));
            }
            Fact::Abortion { parity } => diary.add(day, "calvings", turn(*parity, "abortion")),
            Fact::DryOff { parity } => diary.add(day, "calvings", turn(*parity, "dryOff")),
            Fact::Sale { .. } | Fact::Transfer | Fact::Left(_) => {
                let here = std::mem::replace(&mut with_cows[event.animal], matches!(event.fact, Fact::Transfer));
                diary.add(day, "movements", move |_| movement(world, tables, event, animal, here));
            }
        }
    }
}

fn service(world: &World, selection: &Selection, tables: &Tables, event: &Event, animal: i64, id: i64) -> Value {
    let Fact::Service { lactation, attempt, bull, sexed, conceived, check } = event.fact else {
        return Value::Null;
    };
    let known = |day: Day| day <= END && world.animals[event.animal].is_there(day);
    let result_day = check.unwrap_or(event.day + RETURN_DAYS);
    let code = if conceived { "1" } else { "2" };
    let result = known(result_day).then(|| tables.id("insemination-results", code));
    let check = check.filter(|day| known(*day));
    json!({
        "animal": animal,
        "date": iso(event.day),
        "lactationNumber": lactation,
        "bull": selection.bull(bull),
        "semenType": tables.id("semen-types", if sexed { "2" } else { "1" }),
        "method": tables.id("reproduction-methods", "1"),
        "doses": 1,
        "attemptNumber": attempt,
        "technician": technician(event.farm, i64::from(event.day % 2)),
        "farmStock": true,
        "straw": {
            "number": format!("S{id:08}"),
            "batch": format!("{bull:05}-{}", event.day / 90),
            "sexed": if sexed { "female" } else { "none" },
            "sexedPercent": sexed.then_some(90),
        },
        "result": result.flatten(),
        "pregnancyCheckDate": check.map(iso),
        "pregnancyCheckMethod": check.map(|_| "echography"),
    })
}

fn calving(selection: &Selection, event: &Event, animal: i64) -> Value {
    let Fact::Calving { parity, ease, calves } = &event.fact else {
        return Value::Null;
    };
    let progeny = calves.iter().map(|calf| {
        json!({
            "sex": if calf.female { "female" } else { "male" },
            "birthStatus": if calf.alive { "alive" } else { "stillborn" },
            "weight": calf.weight,
            "animal": calf.animal.and_then(|index| selection.animal(index)),
        })
    });
    json!({
        "animal": animal,
        "date": iso(event.day),
        "number": parity,
        "eventType": "calving",
        "result": if calves.len() > 1 { "twins" } else { "one" },
        "ease": ease,
        "progeny": progeny.collect::<Value>(),
    })
}

/// A sale, transfer or exit from a farm.
fn movement(world: &World, tables: &Tables, event: &Event, animal: i64, with_cows: bool) -> Value {
    let farm = event.farm;
    let inside = |to: usize, cows: bool| (Some(organization(to)), Some(herd(world, to, cows)));
    let (kind, (to, to_herd), reason) = match &event.fact {
        Fact::Sale { to } => ("sale", inside(*to, false), Some("sale")),
        Fact::Left(Leaving::Sold) => ("sale", (Some(OUTSIDE_BUYER), None), Some("sale")),
        Fact::Left(Leaving::Culled(code)) => ("cull", (None, None), Some(*code)),
        Fact::Left(Leaving::Died(code)) => ("death", (None, None), Some(*code)),
        _ => ("transfer", inside(farm, true), None),
    };
    let died = kind == "death";
    let accident = reason == Some("died-accident");
    let method = if accident { "accident" } else { "perished" };
    json!({
        "animal": animal,
        "date": iso(event.day),
        "kind": kind,
        "from": organization(farm),
        "fromHerd": herd(world, farm, with_cows),
        "to": to,
        "toHerd": to_herd,
        "reason": reason.and_then(|code| tables.id("disposal-reasons", code)),
        "deathMethod": died.then_some(method),
        "disposalMethod": died.then_some("approvedService"),
    })
}
