//! Rows of the events, by date over the whole book.

use std::ops::ControlFlow;

use serde_json::Value;

use super::movements::{self, Places};
use super::{health as illness, notes};
use crate::SeedRow;
use crate::calendar::{Day, END, iso};
use crate::fields::{Fields, Sink};
use crate::health::{self, Line};
use crate::herd::{Calf, Event, Fact, World};
use crate::milk::{self, Test};
use crate::milkings::{self, Visit};
use crate::observed::{self, Observation};
use crate::people::{LABORATORY, technician};
use crate::select::{Selection, Source};
use crate::streams::Stream;
use crate::tables::Tables;
use crate::weights::{self, Weighing};

/// A return to heat is a result after this number of days.
const RETURN_DAYS: i32 = 42;
const EASE: [&str; 5] = ["easy", "assisted", "hard", "veterinary", "surgery"];

/// Something with a date; the order decides within a day.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Import(usize),
    Observation(usize),
    Fact(usize),
    Test(usize),
    Weighing(usize),
    Health(usize),
    Visit(usize),
    BullLeaves(usize),
}

struct Renderer<'a> {
    world: &'a World,
    selection: &'a Selection,
    tables: &'a Tables,
    tests: Vec<Test>,
    weighings: Vec<Weighing>,
    observed: Vec<Observation>,
    journal: Vec<Line>,
    visits: Vec<Visit>,
    places: Places,
    next: Ids,
}

/// Ids handed out so far.
#[derive(Default)]
struct Ids {
    calvings: i64,
    inseminations: i64,
    milk_tests: i64,
    weighings: i64,
    movements: i64,
    events: i64,
    health_events: i64,
    visits: i64,
}

fn next(counter: &mut i64) -> i64 {
    *counter += 1;
    *counter
}

/// Hands out the rows.
pub(crate) fn events(
    seed: u64,
    world: &World,
    selection: &Selection,
    tables: &Tables,
    sink: Sink<'_>,
) -> ControlFlow<()> {
    let (tests, udders) = milk::tests(seed, world, selection);
    let weighings = weights::weighings(seed, world, selection);
    let observed = observed::observed(seed, world, selection);
    let journal = health::journal(seed, world, selection, &udders);
    let visits = milkings::visits(seed, world, selection);
    let mut items: Vec<(Day, Item)> = Vec::with_capacity(world.events.len() + tests.len());
    dated(&mut items, &world.events, |event| event.day, Item::Fact);
    dated(&mut items, &tests, |test| test.day, Item::Test);
    dated(&mut items, &weighings, |w| w.day, Item::Weighing);
    dated(
        &mut items,
        &observed,
        |observation| observation.day,
        Item::Observation,
    );
    dated(&mut items, &journal, |line| line.day, Item::Health);
    dated(&mut items, &visits, |visit| visit.day, Item::Visit);
    items.extend(bull_moves(seed, world, selection));
    items.sort_unstable();
    let places = Places::new(world);
    let next = Ids::default();
    let mut renderer = Renderer {
        world,
        selection,
        tables,
        tests,
        weighings,
        observed,
        journal,
        visits,
        places,
        next,
    };
    for (day, item) in items {
        if let Some(row) = renderer.row(day, item) {
            sink(row)?;
        }
    }
    ControlFlow::Continue(())
}

/// Adds one item for each thing that has a day.
fn dated<T>(
    items: &mut Vec<(Day, Item)>,
    things: &[T],
    day: impl Fn(&T) -> Day,
    item: impl Fn(usize) -> Item,
) {
    let indexed = things.iter().enumerate();
    items.extend(indexed.map(|(index, thing)| (day(thing), item(index))));
}

/// Imported bulls come before their first use; bulls leave when their semen is
/// stored and they are old.
fn bull_moves(seed: u64, world: &World, selection: &Selection) -> Vec<(Day, Item)> {
    let mut moves = Vec::new();
    for entry in selection.entries.iter().filter(|entry| !entry.ancestor) {
        let Source::Bull(index) = entry.source else {
            continue;
        };
        let Some(bull) = world.sires.bulls.get(index) else {
            continue;
        };
        let Some((first, last)) = bull.used else {
            continue;
        };
        let stream = &mut Stream::new(seed, "bull", index as u64);
        let arrival = first - stream.between(30, 90);
        let departure = last + stream.between(330, 900);
        if bull.origin.is_some() {
            moves.push((arrival, Item::Import(index)));
        }
        if departure <= END {
            moves.push((departure, Item::BullLeaves(index)));
        }
    }
    moves
}

impl Renderer<'_> {
    fn row(&mut self, day: Day, item: Item) -> Option<SeedRow> {
        match item {
            Item::Import(bull) => {
                let fields = movements::import(self.selection.bull(bull)?, day);
                Some(fields.row("movements", next(&mut self.next.movements)))
            }
            Item::BullLeaves(bull) => {
                let fields = movements::bull_leaves(self.tables, self.selection.bull(bull)?, day);
                Some(fields.row("movements", next(&mut self.next.movements)))
            }
            Item::Fact(index) => {
                let event = self.world.events.get(index)?;
                self.fact(event)
            }
            Item::Test(index) => {
                let test = self.tests.get(index)?;
                let id = next(&mut self.next.milk_tests);
                let animal = self.selection.recorded(test.animal)?;
                Some(test_row(test, animal, id).row("milk-tests", id))
            }
            Item::Weighing(index) => {
                let weighing = self.weighings.get(index)?;
                let animal = self.selection.recorded(weighing.animal)?;
                let id = next(&mut self.next.weighings);
                Some(weighing_row(weighing, animal).row("weighings", id))
            }
            Item::Observation(index) => {
                let observation = self.observed.get(index)?;
                let animal = self.selection.recorded(observation.animal)?;
                let fields = notes::observed(self.tables, observation, animal);
                Some(fields.row("events", next(&mut self.next.events)))
            }
            Item::Health(index) => {
                let line = self.journal.get(index)?;
                let animal = self.selection.recorded(line.case.animal)?;
                let fields = illness::line(self.tables, line, animal);
                Some(fields.row("health-events", next(&mut self.next.health_events)))
            }
            Item::Visit(index) => {
                let visit = self.visits.get(index)?;
                let animal = self.selection.recorded(visit.animal)?;
                let id = next(&mut self.next.visits);
                Some(notes::visit(visit, animal).row("milking-visits", id))
            }
        }
    }

    fn fact(&mut self, event: &Event) -> Option<SeedRow> {
        let animal = self.selection.recorded(event.animal)?;
        let on = Fields::new()
            .set("animal", animal)
            .set("date", iso(event.day));
        let fields = match &event.fact {
            Fact::Service { .. } => {
                if event.day < self.selection.services_from(event.animal) {
                    return None;
                }
                let id = self.next.inseminations + 1;
                let fields = self.service(on, event, id)?;
                return Some(fields.row("inseminations", next(&mut self.next.inseminations)));
            }
            Fact::Calving {
                parity,
                ease,
                calves,
            } => {
                self.places.joined_cows(event.animal);
                self.calving(on, *parity, *ease, calves)
            }
            Fact::Abortion { parity } => on.set("number", *parity).set("eventType", "abortion"),
            Fact::DryOff { parity } => on.set("number", *parity).set("eventType", "dryOff"),
            Fact::Sale { .. } | Fact::Transfer | Fact::Left(_) => {
                let fields = movements::farm(self.world, self.tables, &mut self.places, on, event)?;
                return Some(fields.row("movements", next(&mut self.next.movements)));
            }
        };
        Some(fields.row("calvings", next(&mut self.next.calvings)))
    }

    fn calving(&self, on: Fields, parity: u8, ease: u8, calves: &[Calf]) -> Fields {
        let progeny: Vec<Value> = calves
            .iter()
            .map(|calf| {
                let animal = calf.animal.and_then(|index| self.selection.animal(index));
                Fields::new()
                    .set("sex", if calf.female { "female" } else { "male" })
                    .set(
                        "birthStatus",
                        if calf.alive { "alive" } else { "stillborn" },
                    )
                    .set("weight", calf.weight)
                    .maybe("animal", animal)
                    .into()
            })
            .collect();
        let ease = usize::from(ease)
            .checked_sub(1)
            .and_then(|step| EASE.get(step))
            .copied();
        on.set("number", parity)
            .set("eventType", "calving")
            .set("result", if calves.len() > 1 { "twins" } else { "one" })
            .maybe("ease", ease)
            .set("progeny", progeny)
    }

    fn service(&self, on: Fields, event: &Event, id: i64) -> Option<Fields> {
        let Fact::Service {
            lactation,
            attempt,
            bull,
            sexed,
            conceived,
            check,
        } = event.fact
        else {
            return None;
        };
        let left = self.world.animals.get(event.animal)?.left;
        let known = |day: Day| day <= END && left.is_none_or(|left| day < left);
        let result_day = check.unwrap_or(event.day + RETURN_DAYS);
        let code = if conceived { "1" } else { "2" };
        let result = known(result_day).then(|| self.tables.id("insemination-results", code));
        let check = check.filter(|day| known(*day));
        let straw = Fields::new()
            .set("number", format!("S{id:08}"))
            .set("batch", format!("{bull:05}-{}", event.day / 90))
            .set("sexed", if sexed { "female" } else { "none" })
            .maybe("sexedPercent", sexed.then_some(90));
        Some(
            on.set("lactationNumber", lactation)
                .maybe("bull", self.selection.bull(bull))
                .maybe(
                    "semenType",
                    self.tables.id("semen-types", if sexed { "2" } else { "1" }),
                )
                .maybe("method", self.tables.id("reproduction-methods", "1"))
                .set("doses", 1)
                .set("attemptNumber", attempt)
                .set(
                    "technician",
                    technician(event.farm, i64::from(event.day % 2)),
                )
                .set("farmStock", true)
                .set("straw", straw)
                .maybe("result", result.flatten())
                .maybe("pregnancyCheckDate", check.map(iso))
                .maybe("pregnancyCheckMethod", check.map(|_| "echography")),
        )
    }
}

fn test_row(test: &Test, animal: i64, id: i64) -> Fields {
    let fields = Fields::new()
        .set("animal", animal)
        .set("date", iso(test.day))
        .set("lactationNumber", test.lactation)
        .set("source", "lab")
        .set("official", true)
        .set("recordingPerYear", 12);
    let Some(result) = test.result else {
        return fields.set("testCode", "sick");
    };
    let yields = Fields::new().set("morning", result.morning).set(
        "evening",
        crate::streams::round(result.milk - result.morning, 1),
    );
    fields
        .set("milkYield", result.milk)
        .set("fatPercent", result.fat)
        .set("proteinPercent", result.protein)
        .set("lactosePercent", result.lactose)
        .set("somaticCells", result.cells)
        .set("urea", result.urea)
        .set("yields", yields)
        .set("samplingMoment", "Composite")
        .set("laboratory", LABORATORY)
        .set("sampleNumber", format!("P{id:08}"))
}

fn weighing_row(weighing: &Weighing, animal: i64) -> Fields {
    Fields::new()
        .set("animal", animal)
        .set("date", iso(weighing.day))
        .set("weight", weighing.weight)
        .set("sign", weighing.sign)
        .maybe("lactationNumber", weighing.lactation)
        .set("method", "loadCell")
        .maybe("bcs", weighing.condition)
}
