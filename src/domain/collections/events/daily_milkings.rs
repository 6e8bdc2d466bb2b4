//! Milk of whole days: reported, or added up from single milkings.
//!
//! The row of sums stands beside reported rows, with an origin of its own, and is computed from its
//! milkings: no caller writes it. The mean of seven days is over the rows of one origin; days
//! without a row do not count.

use crate::collections::FieldSet;
use crate::collections::days::{placed, placed_changes};
use crate::collections::dictionaries::lookups::{CHUNK, related, written};
use crate::collections::events::history::{Amendments, fill};
use crate::collections::events::measures::MOST_DAY_MILK;
use crate::collections::events::{EventKind, event};
use crate::collections::slots::slots;
use crate::derive::{day_of, instant_of};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    BookReader, Caller, Change, Collection, Command, Decl, Draft, HookContext, ID, Lookup, PackageSet, Test, Verb, day,
    fields, int, number, select,
};
use std::collections::{BTreeMap, BTreeSet};

/// Days of the mean, the day itself among them.
const MEAN_DAYS: i64 = 7;
/// Days by which the UTC day of a time may differ from the day that it belongs to: one for the time zone, and
/// one for a milking of a shift that began the day before or ends the day after.
const BESIDE_DAYS: i64 = 2;
/// Days between two touched ones up to which one look-up reads them both.
const GAP_DAYS: i64 = 31;

pub(crate) fn daily_milkings() -> Collection {
    let natural = &["animal", "date", "origin"];
    event("daily-milkings", natural, fields(), DailyMilking)
        .singular("Daily Milk Yield")
        .headings(&[("milkYield", "Удой")])
        .package_set(PackageSet {
            marks: &["milkYield"],
            ..PackageSet::new("dailyMilkings", "productivity", &["animal", "date", "milkYield"])
        })
        .unique(&["animal", "date", "origin"])
        .doc("Milk yields of whole days.")
}

fn fields() -> Vec<Decl> {
    fields![
        day("date").required().indexed() => "The day.",
        number("milkYield").range(0.0, MOST_DAY_MILK).required() => "Milk of the day, kg.",
        number("average7").server() => "Mean over seven days up to this one, by rows of the same origin, kg.",
        int("milkings").range(0.0, 100.0) => "Number of milkings.",
        number("conductivityMax").range(0.0, 1_000.0) => "Highest conductivity of the day, mS/cm.",
        select("origin", "parlour|robot|manual|computed").default("manual")
            => "Origin of the yield; `computed` is the sum of the milking visits, and only the server sets it.",
    ]
}

slots!(Days of "daily-milkings" {
    animal, date, milk: "milkYield", average: "average7", origin, milkings,
});
slots!(
    /// Slots of `milking-visits` that are added up.
    Visits of "milking-visits" {
        animal, started: "startedAt", shift: "shiftDate", milk: "milkYield", owner_org: "ownerOrg",
    }
);

#[derive(Debug)]
struct DailyMilking;

impl EventKind for DailyMilking {
    const CARD: bool = false;

    async fn check(
        &self,
        context: &mut dyn BookReader,
        drafts: &mut [Draft],
        _animals: &BTreeMap<i64, Record>,
    ) -> Result<()> {
        if context.caller().caller != Caller::System {
            drafts.iter_mut().for_each(reported);
        }
        let ranges = written(drafts).filter_map(|d| place(&d.new)).collect();
        let stored = around(context, &ranges).await?;
        // Rows of this batch replace the stored ones.
        let own: BTreeSet<i64> = drafts.iter().map(|d| d.id).collect();
        let stored = (stored.into_iter()).filter(|r| r.get(ID).int().is_none_or(|id| !own.contains(&id)));
        let all: Vec<Record> = stored.chain(written(drafts).map(|d| d.new.clone())).collect();
        let series = series(&all);
        for draft in written(drafts) {
            let values = [(Days::get().average, average(&draft.new, &series))];
            fill(draft, values);
        }
        Ok(())
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        let changes = placed_changes(context, "daily-milkings", changes).await?;
        let rows = changes.iter().flat_map(|c| [&c.old, &c.new]).flatten();
        let rows = around(context, &rows.filter_map(place).collect()).await?;
        let series = series(&rows);
        let mut amendments = Amendments::default();
        for row in &rows {
            amendments.note(row, [(Days::get().average, average(row, &series))]);
        }
        amendments.write(context, "daily-milkings").await
    }
}

/// What is added up follows its milkings.
fn reported(draft: &mut Draft) {
    let s = Days::get();
    let computed = |row: &Record| row.get(s.origin).text() == Some("computed");
    let stored = draft.old.as_ref().is_some_and(computed);
    let changed = draft.verb != Verb::Update || draft.old.as_ref() != Some(&draft.new);
    if changed && (stored || computed(&draft.new)) {
        let path = if draft.verb == Verb::Delete { "id" } else { "origin" };
        let message = "Only the server writes a yield that is computed from the milking visits.";
        draft.fault(path, "computed", message);
    }
}

/// Day and animal of a row.
fn place(row: &Record) -> Option<(i64, i64)> {
    let s = Days::get();
    Some((day_of(row.get(s.date).time()?), row.get(s.animal).int()?))
}

/// Yields by animal, origin and day.
type Series = BTreeMap<(i64, String), BTreeMap<i64, f64>>;

fn series(rows: &[Record]) -> Series {
    let s = Days::get();
    let mut series = Series::new();
    for row in rows {
        if let (Some((day, animal)), Some(milk)) = (place(row), row.get(s.milk).num()) {
            let origin = row.get(s.origin).text().unwrap_or_default().to_owned();
            series.entry((animal, origin)).or_default().insert(day, milk);
        }
    }
    series
}

fn average(row: &Record, series: &Series) -> Value {
    let s = Days::get();
    let origin = row.get(s.origin).text().unwrap_or_default().to_owned();
    let Some((day, animal)) = place(row) else {
        return Value::Null;
    };
    let own = series.get(&(animal, origin));
    let week = own.map(|days| days.range(day - MEAN_DAYS + 1..=day));
    let (mut sum, mut count) = (0.0, 0_u32);
    for (_, milk) in week.into_iter().flatten() {
        sum += milk;
        count += 1;
    }
    if count == 0 {
        return Value::Null;
    }
    Value::Num(rounded(sum / f64::from(count)))
}

/// To grams, so that sums of decimals look as they were meant.
fn rounded(kg: f64) -> f64 {
    (1000.0 * kg).round() / 1000.0
}

/// The rows that these days' means read, and those whose means read these days.
async fn around(context: &mut dyn BookReader, places: &BTreeSet<(i64, i64)>) -> Result<Vec<Record>> {
    let mut touched: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for (day, animal) in places {
        touched.entry(*day).or_default().insert(*animal);
    }
    let fields = ["animal", "date", "milkYield", "average7", "origin"];
    let mut rows = BTreeMap::new();
    for stretch in stretches(&touched) {
        // The earliest row whose mean changes needs the days before it as well.
        let (first, last) = (stretch.first - MEAN_DAYS + 1, stretch.last + MEAN_DAYS - 1);
        let ask = stretch.query("daily-milkings", "date", first, last);
        for row in ask.read(context, &fields, None).await? {
            rows.extend(row.get(ID).int().map(|id| (id, row)));
        }
    }
    Ok(rows.into_values().collect())
}

/// Neighbouring days, with the animals that are touched on any of them.
#[derive(Debug)]
struct Stretch {
    first: i64,
    last: i64,
    animals: BTreeSet<i64>,
}

/// Touched days in stretches, so that the number of look-ups follows the time that a batch
/// covers and not its rows.
fn stretches(touched: &BTreeMap<i64, BTreeSet<i64>>) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for (day, animals) in touched {
        match stretches.last_mut() {
            Some(open) if day - open.last <= GAP_DAYS => {
                open.last = *day;
                open.animals.extend(animals);
            }
            _ => stretches.push(Stretch { first: *day, last: *day, animals: animals.clone() }),
        }
    }
    stretches
}

/// Rows of some animals in a range of days.
struct RowQuery<'a> {
    slug: &'a str,
    path: &'a str,
    from: i64,
    before: i64,
    animals: &'a BTreeSet<i64>,
}

impl Stretch {
    fn query<'a>(&'a self, slug: &'a str, path: &'a str, first: i64, last: i64) -> RowQuery<'a> {
        RowQuery {
            slug,
            path,
            from: instant_of(first - BESIDE_DAYS),
            before: instant_of(last + 1 + BESIDE_DAYS),
            animals: &self.animals,
        }
    }
}

impl RowQuery<'_> {
    async fn read(&self, context: &mut dyn BookReader, fields: &[&str], origin: Option<&str>) -> Result<Vec<Record>> {
        let animals: Vec<i64> = self.animals.iter().copied().collect();
        let mut rows = Vec::new();
        for chunk in animals.chunks(CHUNK) {
            let mut lookup = Lookup::by_ids("animal", chunk.iter().copied())
                .test(self.path, Test::From(Value::Time(self.from)))
                .test(self.path, Test::Before(Value::Time(self.before)))
                .fields(fields);
            if let Some(origin) = origin {
                lookup = lookup.is_in("origin", vec![origin.into()]);
            }
            let batch = context.find(self.slug, lookup).await?;
            rows.extend(placed(context, self.slug, batch).await?);
        }
        Ok(rows)
    }
}

/// The day of a milking visit, whose times are on the clock of its place: that of its shift where one is stated.
pub(super) fn shift_day(visit: &Record) -> Option<i64> {
    let v = Visits::get();
    let shift = visit.get(v.shift).time();
    shift.or(visit.get(v.started).time()).map(day_of)
}

fn milk(visit: &Record) -> f64 {
    visit.get(Visits::get().milk).num().unwrap_or_default()
}

/// Milk, number of milkings and owner of a day.
#[derive(Debug, Default)]
struct Sum {
    milk: f64,
    milkings: i64,
    owner: Value,
}

/// Adds up all days of these animals anew.
pub(super) async fn recompute_all(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    let mut touched: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let ids = || animals.iter().copied();
    let fields = ["animal", "startedAt", "shiftDate"];
    let visits = related(context, "milking-visits", "animal", ids(), &fields).await?;
    for visit in placed(context, "milking-visits", visits).await? {
        if let (Some(day), Some(animal)) = (shift_day(&visit), visit.get(Visits::get().animal).int()) {
            touched.entry(day).or_default().insert(animal);
        }
    }
    let fields = ["animal", "date", "origin"];
    let days = related(context, "daily-milkings", "animal", ids(), &fields).await?;
    for (day, animal) in placed(context, "daily-milkings", days).await?.iter().filter_map(place) {
        touched.entry(day).or_default().insert(animal);
    }
    add_up(context, &touched).await
}

/// Makes, amends or removes the computed rows of these days (animals by day).
pub(crate) async fn add_up(context: &mut dyn HookContext, touched: &BTreeMap<i64, BTreeSet<i64>>) -> Result<()> {
    let (v, s) = (Visits::get(), Days::get());
    let mut sums: BTreeMap<(i64, i64), Sum> = BTreeMap::new();
    let mut stored: BTreeMap<(i64, i64), Record> = BTreeMap::new();
    for stretch in stretches(touched) {
        let (first, last) = (stretch.first, stretch.last);
        let ask = stretch.query("milking-visits", "startedAt", first, last);
        let mut milkings: BTreeMap<(i64, i64), Record> = BTreeMap::new();
        for visit in ask.read(context, Visits::PATHS, None).await? {
            if let (Some(at), Some(animal)) = (visit.get(v.started).time(), visit.get(v.animal).int()) {
                let place = milkings.entry((animal, at));
                let highest = place.or_insert_with(|| visit.clone());
                // Of the reports of one milking by several senders the highest counts, whichever came first.
                let order = shift_day(highest).cmp(&shift_day(&visit));
                if milk(highest).total_cmp(&milk(&visit)).then(order).is_lt() {
                    *highest = visit;
                }
            }
        }
        for ((animal, _), visit) in &milkings {
            let Some(day) = shift_day(visit) else {
                continue;
            };
            let sum = sums.entry((day, *animal)).or_default();
            sum.milk += milk(visit);
            sum.milkings += 1;
            sum.owner = visit.get(v.owner_org).clone();
        }
        let ask = stretch.query("daily-milkings", "date", first, last);
        let fields = ["animal", "date", "milkYield", "milkings", "ownerOrg"];
        for row in ask.read(context, &fields, Some("computed")).await? {
            stored.extend(place(&row).map(|place| (place, row)));
        }
    }
    let mut commands = Vec::new();
    for (day, animals) in touched {
        for animal in animals {
            let place = (*day, *animal);
            commands.extend(command(place, sums.get(&place), stored.get(&place), s));
        }
    }
    context.write("daily-milkings", commands).await.map(drop)
}

fn command((day, animal): (i64, i64), sum: Option<&Sum>, stored: Option<&Record>, s: &Days) -> Option<Command> {
    let id = stored.and_then(|row| row.get(ID).int());
    let Some(sum) = sum else {
        return id.map(Command::Delete);
    };
    let mut fields = vec![
        ("milkYield".to_owned(), Value::Num(rounded(sum.milk))),
        ("milkings".to_owned(), Value::Int(sum.milkings)),
    ];
    match (id, stored) {
        (Some(id), Some(row)) => {
            let same =
                row.get(s.milk).num() == Some(rounded(sum.milk)) && row.get(s.milkings).int() == Some(sum.milkings);
            (!same).then_some(Command::Update(id, fields))
        }
        _ => {
            fields.extend([
                ("animal".to_owned(), Value::Int(animal)),
                ("date".to_owned(), Value::Time(instant_of(day))),
                ("origin".to_owned(), Value::from("computed")),
                ("ownerOrg".to_owned(), sum.owner.clone()),
            ]);
            Some(Command::Create(fields))
        }
    }
}
