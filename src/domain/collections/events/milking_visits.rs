//! Single milkings as parlours and robots report them, and the daily yields that are their
//! sums.

use crate::collections::days::placed_changes;
use crate::collections::dictionaries::codes::MILKING_REMARKS;
use crate::collections::dictionaries::lookups::written;
use crate::collections::events::daily_milkings;
use crate::collections::events::measures::{DAY_SECONDS, MOST_DAY_MILK};
use crate::collections::events::{EventKind, event};
use crate::collections::slots::slots;
use crate::derive::day_of;
use model::error::Result;
use model::record::Record;
use model::registry::{
    BookReader, Change, Collection, Decl, Draft, Field, HookContext, PackageSet, Wording, boolean, day, fields,
    instant, int, number, rows, select, selects, text, text_n,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn milking_visits() -> Collection {
    let mut fields = visit();
    fields.extend(place());
    let natural = &["animal", "startedAt"];
    event("milking-visits", natural, fields, MilkingVisit)
        .headings(HEADINGS)
        .package_set(PackageSet {
            marks: &["milkYield"],
            headings: &[("startedAt", STARTS)],
            ..PackageSet::new("milkingVisits", "productivity", &["animal", "startedAt", "milkYield"])
        })
        .doc("Single milkings as parlours and robots report them; there may be several reports of one milking.")
}

/// Headings of the time in tables of single milkings: a day alone is one of daily yields.
const STARTS: &str = "Начало дойки|начало доения|время дойки|время доения|дата и время|дата и время дойки|\
    дата и время доения|milking start|milking time|start time|begin time|started at";

const HEADINGS: &[(&str, &str)] = &[
    ("milkYield", "Удой|надой|молоко|milk|yield"),
    ("duration", "Длительность доения|длительность дойки|milking duration"),
    ("visitDuration", "Время в боксе|box time"),
    ("box", "Бокс|номер бокса|box"),
    ("device", "Устройство|робот|доильный аппарат|device|robot"),
    ("shiftDate", "Дата смены"),
    ("shiftNumber", "Смена|номер смены|shift"),
    ("complete", "Выдоена полностью"),
];

fn visit() -> Vec<Decl> {
    fields![
        instant("startedAt").required().indexed()
            => "When the milking began; without shiftDate its day in the time zone of the herd is the day of the milk.",
        number("milkYield").range(0.0, MOST_DAY_MILK).required() => "Milk of this milking, kg.",
        int("duration").range(0.0, DAY_SECONDS) => "Duration of the milking, s.",
        int("visitDuration").range(0.0, DAY_SECONDS) => "Duration of the stay in the stall, s.",
        select("milkingType", "manual|automated") => "Whether a person or a robot put the clusters on.",
        boolean("complete") => "The cow was milked out.",
    ]
}

fn place() -> Vec<Decl> {
    fields![
        text_n("box", 20) => "Stall or box.",
        text_n("device", 60) => "Device that milked.",
        day("shiftDate") => "Day of the shift, and so of the milk; the day of the milking or one beside it.",
        int("shiftNumber").range(0.0, 100.0) => "Number of the shift within its day.",
        quarters(),
        characteristics(),
        selects("remarks", MILKING_REMARKS) => "What was out of the ordinary.",
    ]
}

fn quarters() -> Field {
    rows(
        "quarters",
        [
            select("position", "LF|RF|LR|RR").required().doc("Quarter of the udder: left or right, front or rear."),
            number("milkYield").range(0.0, MOST_DAY_MILK).doc("Milk of the quarter, kg."),
            int("duration").range(0.0, DAY_SECONDS).doc("Duration of its milking, s."),
        ],
    )
    .doc("The quarters one by one.")
}

/// Codes of ICAR for what is measured of milk.
const CHARACTERISTICS: &str =
    "SCC FAT PROTEIN LAC UREA BLOOD ACETONE BHB LDH PRO AVGCOND MAXCOND AVGFLWR MAXFLWR WEIGHT TEMPERATURE";

fn characteristics() -> Field {
    rows(
        "characteristics",
        [
            text("code").required().often(CHARACTERISTICS.split(' ')).doc("What was measured."),
            text("value").required().doc("Its value."),
            text("unit").wording(Wording::Unit).doc("Its unit."),
        ],
    )
    .doc("Measured characteristics of the milk.")
}

slots!(Visits of "milking-visits" {
    animal, started: "startedAt", shift: "shiftDate", milk: "milkYield", owner_org: "ownerOrg",
});

#[derive(Debug)]
struct MilkingVisit;

impl EventKind for MilkingVisit {
    const DATE: &'static str = "startedAt";
    const CARD: bool = false;

    async fn check(
        &self,
        _context: &mut dyn BookReader,
        drafts: &mut [Draft],
        _animals: &BTreeMap<i64, Record>,
    ) -> Result<()> {
        let s = Visits::get();
        for draft in written(drafts).filter(|d| d.changes(s.shift) || d.changes(s.started)) {
            let day = |slot| draft.new.get(slot).time().map(day_of);
            let apart = day(s.shift).zip(day(s.started)).map(|(shift, own)| (shift - own).abs());
            if apart.is_some_and(|days| days > 1) {
                let message = "The shift must be of the day of the milking or of one beside it.";
                draft.fault("shiftDate", "shift-apart", message);
            }
        }
        Ok(())
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        let s = Visits::get();
        let changes = placed_changes(context, "milking-visits", changes).await?;
        let mut touched: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        let relevant = changes.iter().filter(|c| match (&c.old, &c.new) {
            (Some(old), Some(new)) => {
                [s.animal, s.started, s.shift, s.milk, s.owner_org].iter().any(|slot| old.get(*slot) != new.get(*slot))
            }
            _ => true,
        });
        for row in relevant.flat_map(|c| [&c.old, &c.new]).flatten() {
            if let (Some(animal), Some(day)) = (row.get(s.animal).int(), daily_milkings::shift_day(row)) {
                touched.entry(day).or_default().insert(animal);
            }
        }
        daily_milkings::add_up(context, &touched).await
    }
}
