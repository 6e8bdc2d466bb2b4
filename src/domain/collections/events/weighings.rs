//! Weighings and body measures.

use crate::collections::days::placed;
use crate::collections::dictionaries::codes::WEIGHT_METHOD;
use crate::collections::dictionaries::lookups::{grouped, keyed, related, related_ids, touched, written};
use crate::collections::events::history::{Amendments, fill, fill_number, parities};
use crate::collections::events::measures::{LEAST_WEIGHT, MOST_CALVINGS};
use crate::collections::events::{EventKind, computed, event};
use crate::collections::herd::animals::Animal;
use crate::collections::slots::slots;
use crate::derive::day_of;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    BookReader, Change, Collection, Decl, Draft, Grid, HookContext, ID, PackageSet, day, fields, int, long_text,
    number, select,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn weighings() -> Collection {
    event("weighings", &["animal", "date", "sign"], fields(), Weighing)
        .headings(HEADINGS)
        .words("sign", SIGNS)
        .package_set(PackageSet {
            marks: &["weight"],
            ..PackageSet::new("weighings", "productivity", &["animal", "date", "weight"])
        })
        .grid(Grid {
            cells: &["weight", "bcs"],
            same: &["method"],
            among: &[("state", "equals", "alive"), ("archived", "equals", "false")],
            rests: None,
            each: false,
        })
        .doc("Live weights and body measures.")
}

const HEADINGS: &[(&str, &str)] = &[
    ("date", "Дата взвешивания"),
    ("weight", "Живая масса|масса|вес|живой вес|live weight"),
    ("sign", "Привязка|признак взвешивания|признак"),
    ("lactationNumber", "Номер лактации взвешивания"),
    ("method", "Способ взвешивания"),
    ("bcs", "Упитанность|кондиция"),
    ("hipHeight", "Высота в крестце"),
    ("chestGirth", "Обхват груди"),
    ("note", "Комментарий|примечание|comment|remark"),
];

/// Words for the occasions.
const SIGNS: &[(&str, &str)] = &[
    ("birth", "при рождении"),
    ("firstInsemination", "при первом осеменении"),
    ("sale", "при продаже"),
    ("disposal", "при выбытии"),
];

fn fields() -> Vec<Decl> {
    fields![
        day("date").required().indexed() => "Day of weighing.",
        number("weight").range(LEAST_WEIGHT, 20_000.0).required() => "Live weight, kg.",
        select("sign", "birth|age|firstInsemination|averageLactation|highestLactation|sale|disposal")
            => "Occasion of the weighing.",
        int("lactationNumber").range(0.0, MOST_CALVINGS)
            => "Number of the last calving before it, 0 before the first; from calvings when left out.",
        computed("lactationNumberComputed"),
        select("method", WEIGHT_METHOD) => "How the weight was taken.",
        number("hipHeight").range(20.0, 250.0) => "Height at the hips, cm.",
        number("chestGirth").range(30.0, 400.0) => "Girth of the chest, cm.",
        number("bcs").range(1.0, 5.0) => "Body condition score: 1 is thin, 5 is fat.",
        int("ageDays").server() => "Age, days.",
        number("dailyGain").server() => "Mean gain a day since the weighing before, g.",
        long_text("note") => "Remark.",
    ]
}

slots!(Weighings of "weighings" {
    animal, date, weight, number: "lactationNumber", counted: "lactationNumberComputed", age: "ageDays",
    gain: "dailyGain",
});

#[derive(Debug)]
struct Weighing;

impl EventKind for Weighing {
    const OF_FEMALES: bool = false;

    async fn check(
        &self,
        context: &mut dyn BookReader,
        drafts: &mut [Draft],
        animals: &BTreeMap<i64, Record>,
    ) -> Result<()> {
        let s = Weighings::get();
        let ids = related_ids(drafts, s.animal);
        let fields = ["animal", "date", "weight"];
        let stored = related(context, "weighings", "animal", ids.iter().copied(), &fields).await?;
        let stored = placed(context, "weighings", stored).await?;
        // Rows of this batch replace the stored ones, so that gains within it are right.
        let own: BTreeSet<i64> = drafts.iter().map(|d| d.id).collect();
        let others = stored.into_iter().filter(|r| r.get(ID).int().is_none_or(|id| !own.contains(&id)));
        let all = others.chain(written(drafts).map(|d| d.new.clone())).collect();
        let weighings: BTreeMap<i64, Vec<Weighed>> =
            (grouped(all, s.animal).into_iter()).map(|(animal, rows)| (animal, by_day(&rows))).collect();
        let calvings = parities(context, ids).await?;
        // What is repeated stays as it is; what follows for it from others is amended behind these, for
        // whoever repeats a weighing changed nothing.
        let changed = |d: &&mut Draft| d.old.as_ref() != Some(&d.new);
        for draft in written(drafts).filter(changed) {
            let Some(id) = draft.new.get(s.animal).int() else {
                continue;
            };
            let birth = animals.get(&id).and_then(|a| Animal(a).birth());
            let siblings = weighings.get(&id).map_or(&[][..], Vec::as_slice);
            let values = gained(&draft.new, siblings, birth);
            fill(draft, values);
            let parity = calvings.get(&id).map_or(&[][..], Vec::as_slice);
            let female = animals.get(&id).is_some_and(|a| Animal(a).female());
            fill_number(draft, [s.number, s.counted, s.date], parity, female.then_some(0));
        }
        Ok(())
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        recompute(context, &touched(changes, Weighings::get().animal)).await
    }
}

/// Recomputes age and gain in all weighings of these animals.
pub(crate) async fn recompute(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    let s = Weighings::get();
    let fields = ["animal", "date", "weight", "ageDays", "dailyGain"];
    let ids = animals.iter().copied();
    let rows = related(context, "weighings", "animal", ids, &fields).await?;
    if rows.is_empty() {
        return Ok(());
    }
    let rows = placed(context, "weighings", rows).await?;
    let ids = animals.iter().copied();
    let births = related(context, "animals", "id", ids, &["birthDate"]).await?;
    let births = keyed(placed(context, "animals", births).await?);
    let mut amendments = Amendments::default();
    for (animal, rows) in grouped(rows, s.animal) {
        let birth = births.get(&animal).and_then(|a| Animal(a).birth());
        let days = by_day(&rows);
        for row in &rows {
            amendments.note(row, gained(row, &days, birth));
        }
    }
    amendments.write(context, "weighings").await
}

/// Day, id and kg of a weighing among those of its animal.
type Weighed = (i64, Option<i64>, Option<f64>);

/// In the order of days, so that the one before is found at once: scales that cows walk over weigh each day.
fn by_day(rows: &[Record]) -> Vec<Weighed> {
    let s = Weighings::get();
    let weighed = |r: &Record| {
        let day = r.get(s.date).time().map(day_of)?;
        Some((day, r.get(ID).int(), r.get(s.weight).num()))
    };
    let mut days: Vec<Weighed> = rows.iter().filter_map(weighed).collect();
    days.sort_by_key(|(day, id, _)| (*day, *id));
    days
}

/// Age, and mean gain since the last weighing of an earlier day; none for the first.
fn gained(row: &Record, all: &[Weighed], birth: Option<i64>) -> [(usize, Value); 2] {
    let s = Weighings::get();
    let own = row.get(s.date).time().map(day_of);
    let age = own.zip(birth).map(|(own, birth)| own - day_of(birth));
    let gain = own.and_then(|own| {
        let earlier = all.partition_point(|(day, ..)| *day < own);
        let (day, _, kg) = all.get(earlier.checked_sub(1)?)?;
        let days = i32::try_from(own - day).ok()?;
        let kg = row.get(s.weight).num()? - (*kg)?;
        Some((1000.0 * kg / f64::from(days)).round())
    });
    [(s.age, Value::from(age)), (s.gain, Value::from(gain))]
}
