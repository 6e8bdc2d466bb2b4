//! Single milkings as parlours and robots report them, and the daily yields that are their
//! sums (docs/model/milking-visits.md).

use crate::collections::dictionaries::codes::MILKING_REMARKS;
use crate::collections::events::daily_milkings;
use crate::collections::events::measures::DAY_SECONDS;
use crate::collections::events::{EventKind, event};
use crate::collections::slots::slots;
use crate::derive::day_of;
use model::error::Result;
use model::registry::{
    Change, Collection, Decl, Field, HookContext, boolean, day, fields, instant, int, number, rows,
    select, selects, text, text_n,
};
use std::collections::{BTreeMap, BTreeSet};

/// The collection.
pub(crate) fn milking_visits() -> Collection {
    let mut fields = visit();
    fields.extend(place());
    let natural = &["animal", "startedAt"];
    event("milking-visits", natural, fields, MilkingVisit)
        .doc("Single milkings as parlours and robots report them; there may be several reports of one milking.")
}

fn visit() -> Vec<Decl> {
    fields![
        instant("startedAt").required().indexed() => "When the milking began; its UTC day is the day of the milk.",
        number("milkYield").range(0.0, 1_000.0).required() => "Milk of this milking, kg.",
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
        day("shiftDate") => "Local day of the shift.",
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
            select("position", "LF|RF|LR|RR")
                .required()
                .doc("Quarter of the udder: left or right, front or rear."),
            number("milkYield")
                .range(0.0, 1_000.0)
                .doc("Milk of the quarter, kg."),
            int("duration")
                .range(0.0, DAY_SECONDS)
                .doc("Duration of its milking, s."),
        ],
    )
    .doc("The quarters one by one.")
}

fn characteristics() -> Field {
    rows(
        "characteristics",
        [
            text("code").required().doc("What was measured."),
            text("value").required().doc("Its value."),
            text("unit").doc("Its unit."),
        ],
    )
    .doc("Measured characteristics of the milk.")
}

slots!(
    /// Slots of `milking-visits`.
    Visits of "milking-visits" {
        animal: "animal", started: "startedAt", milk: "milkYield", owner_org: "ownerOrg",
    }
);

#[derive(Debug)]
struct MilkingVisit;

impl EventKind for MilkingVisit {
    const DATE: &'static str = "startedAt";
    const CARD: bool = false;

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        let s = Visits::get();
        let mut touched: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        let relevant = changes.iter().filter(|c| match (&c.old, &c.new) {
            (Some(old), Some(new)) => [s.animal, s.started, s.milk, s.owner_org]
                .iter()
                .any(|slot| old.get(*slot) != new.get(*slot)),
            _ => true,
        });
        for row in relevant.flat_map(|c| [&c.old, &c.new]).flatten() {
            if let (Some(animal), Some(at)) = (row.get(s.animal).int(), row.get(s.started).time()) {
                touched.entry(day_of(at)).or_default().insert(animal);
            }
        }
        daily_milkings::add_up(context, &touched).await
    }
}
