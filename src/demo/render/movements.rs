//! Rows of `movements`, and where every animal stands meanwhile.

use crate::calendar::{Day, iso};
use crate::fields::Fields;
use crate::herd::{Event, Fact, Leaving, World};
use crate::people::{AI_STATION, OUTSIDE_BUYER, herd, organization};
use crate::tables::Tables;

/// Which animals are in the herd of the cows, while events pass by in order.
pub(super) struct Places {
    with_cows: Vec<bool>,
}

impl Places {
    pub(super) fn new(world: &World) -> Self {
        Self {
            with_cows: vec![false; world.animals.len()],
        }
    }

    pub(super) fn joined_cows(&mut self, animal: usize) {
        self.set(animal, true);
    }

    fn set(&mut self, animal: usize, with_cows: bool) {
        if let Some(place) = self.with_cows.get_mut(animal) {
            *place = with_cows;
        }
    }

    fn with_cows(&self, animal: usize) -> bool {
        self.with_cows.get(animal).copied().unwrap_or(false)
    }
}

/// A sale, transfer or exit from a farm.
pub(super) fn farm(
    world: &World,
    tables: &Tables,
    places: &mut Places,
    on: Fields,
    event: &Event,
) -> Option<Fields> {
    let here = herd(world, event.farm, places.with_cows(event.animal));
    let from = |kind: &str| {
        on.set("kind", kind)
            .set("from", organization(event.farm))
            .set("fromHerd", here)
    };
    let reason = |code: &'static str| tables.id("disposal-reasons", code);
    Some(match &event.fact {
        Fact::Sale { to } => {
            places.set(event.animal, false);
            from("sale")
                .set("to", organization(*to))
                .set("toHerd", herd(world, *to, false))
                .maybe("reason", reason("sale"))
        }
        Fact::Transfer => {
            places.joined_cows(event.animal);
            from("transfer")
                .set("to", organization(event.farm))
                .set("toHerd", herd(world, event.farm, true))
        }
        Fact::Left(Leaving::Sold) => from("sale")
            .set("to", OUTSIDE_BUYER)
            .maybe("reason", reason("sale")),
        Fact::Left(Leaving::Culled(code)) => from("cull").maybe("reason", reason(code)),
        Fact::Left(Leaving::Died(code)) => {
            let method = if *code == "died-accident" {
                "accident"
            } else {
                "perished"
            };
            from("death")
                .maybe("reason", reason(code))
                .set("deathMethod", method)
                .set("disposalMethod", "approvedService")
        }
        _ => return None,
    })
}

/// The arrival of a bull from abroad.
pub(super) fn import(bull: i64, day: Day) -> Fields {
    Fields::new()
        .set("animal", bull)
        .set("date", iso(day))
        .set("kind", "import")
        .set("to", AI_STATION)
}

/// An old bull goes to slaughter.
pub(super) fn bull_leaves(tables: &Tables, bull: i64, day: Day) -> Fields {
    Fields::new()
        .set("animal", bull)
        .set("date", iso(day))
        .set("kind", "cull")
        .set("from", AI_STATION)
        .maybe("reason", tables.id("disposal-reasons", "old-age"))
}
