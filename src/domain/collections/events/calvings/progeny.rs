//! Counts, calves and weight that follow from the calves one by one.

use crate::collections::events::history::Calvings;
use model::record::Value;
use model::registry::Draft;
use serde_json::Value as Json;

/// Weights are compared to a tenth of a kilogram.
const WEIGHT: f64 = 0.05;

/// Fills what follows from `progeny`; a sent value that differs is refused. What followed from the rows before and does
/// not from these goes.
pub(super) fn counts(draft: &mut Draft) {
    let s = Calvings::get();
    let rows = draft.new.get(s.progeny).rows();
    if rows.is_empty() {
        return;
    }
    let paths = ["liveHeifers", "liveBulls", "stillborn", "calves", "calfWeight"];
    let before = draft.old.as_ref().map(|old| derived(old.get(s.progeny).rows()));
    let before = before.into_iter().flatten().map(|(_, value)| value).chain(std::iter::repeat(None));
    for ((path, (slot, value)), before) in paths.into_iter().zip(derived(rows)).zip(before) {
        let stated = draft.new.get(slot);
        let given = draft.sent.contains(slot) && draft.changes(slot) && !stated.is_null();
        match value {
            Some(value) if given && !same(stated, &value) => {
                let message = "The value differs from the one computed from progeny.";
                draft.fault(path, "progeny-mismatch", message);
            }
            Some(value) => draft.new.set(slot, value),
            None if before.is_some_and(|before| same(stated, &before)) && !given => draft.new.set(slot, Value::Null),
            None => {}
        }
    }
}

/// What rows say; nothing where they leave it open.
fn derived(rows: &[Json]) -> [(usize, Option<Value>); 5] {
    let s = Calvings::get();
    // A live calf of unknown sex is one of both.
    let sexed = !rows.iter().any(|row| !dead(row) && !matches!(word(row, "sex"), Some("female" | "male")));
    let live = |sex| sexed.then(|| Value::Int(live(rows, sex)));
    [
        (s.live_heifers, live("female")),
        (s.live_bulls, live("male")),
        (s.stillborn, Some(Value::Int(born_dead(rows)))),
        (s.calves, Some(Value::Ids(calves(rows)))),
        (s.calf_weight, mean_weight(rows).map(Value::Num)),
    ]
}

fn same(stated: &Value, derived: &Value) -> bool {
    match (stated.num(), derived.num()) {
        (Some(a), Some(b)) => (a - b).abs() < WEIGHT,
        _ => stated == derived,
    }
}

fn word<'a>(row: &'a Json, key: &str) -> Option<&'a str> {
    row.get(key).and_then(Json::as_str)
}

/// Born dead: stillborn or aborted; every other status was reached alive.
fn dead(row: &Json) -> bool {
    matches!(word(row, "birthStatus"), Some("stillborn" | "aborted"))
}

fn count(rows: &[Json], what: impl Fn(&&Json) -> bool) -> i64 {
    i64::try_from(rows.iter().filter(what).count()).unwrap_or(i64::MAX)
}

fn live(rows: &[Json], sex: &str) -> i64 {
    count(rows, |r| !dead(r) && word(r, "sex") == Some(sex))
}

fn born_dead(rows: &[Json]) -> i64 {
    count(rows, |r| dead(r))
}

fn calves(rows: &[Json]) -> Vec<i64> {
    (rows.iter()).filter_map(|r| r.get("animal").and_then(Json::as_i64)).collect()
}

fn mean_weight(rows: &[Json]) -> Option<f64> {
    let weights: Vec<f64> = (rows.iter()).filter_map(|r| r.get("weight").and_then(Json::as_f64)).collect();
    let count = u32::try_from(weights.len()).ok().filter(|n| *n > 0)?;
    let mean = weights.iter().sum::<f64>() / f64::from(count);
    Some((10.0 * mean).round() / 10.0)
}
