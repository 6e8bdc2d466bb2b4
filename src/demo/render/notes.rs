//! Rows of `events` and `milking-visits`.

use serde_json::Value;

use crate::calendar::{Day, iso};
use crate::fields::Fields;
use crate::milkings::Visit;
use crate::observed::{Observation, ObservationKind};
use crate::tables::Tables;

/// A row of `events`.
pub(super) fn observed(tables: &Tables, observation: &Observation, animal: i64) -> Fields {
    let on = Fields::new()
        .set("animal", animal)
        .set("date", iso(observation.day));
    match observation.kind {
        ObservationKind::Heat {
            method,
            probability,
        } => {
            let payload = Fields::new().set("certainty", "InHeat");
            let payload = if method == "visual" {
                let signs = Fields::new()
                    .set("heatSigns", vec!["StandsUnder"])
                    .set("heatIntensity", "Normal");
                payload.set("visualDetection", signs)
            } else {
                payload
            };
            on.set("type", "heat")
                .set("title", "Охота")
                .set("result", method)
                .maybe("value", probability)
                .set("payload", payload)
        }
        ObservationKind::Bar(reason) => {
            let why = tables.id("disposal-reasons", reason);
            let why = why.and_then(|id| tables.name("disposal-reasons", id));
            on.set("type", "doNotBreed")
                .set("title", "Запрет на осеменение")
                .set("value", 1.0)
                .maybe("comment", why)
        }
        ObservationKind::Reproduction(status) => on
            .set("type", "reproStatus")
            .set("title", "Гинекологический осмотр")
            .set("result", status),
        ObservationKind::Lactation(status) => on
            .set("type", "lactationStatus")
            .set("title", "Перевод в предотёльную группу")
            .set("result", status),
    }
}

/// A row of `milking-visits`.
pub(super) fn visit(visit: &Visit, animal: i64) -> Fields {
    let quarters: Vec<Value> = (visit.quarters.iter())
        .map(|quarter| {
            Fields::new()
                .set("position", quarter.position)
                .set("milkYield", quarter.milk)
                .set("duration", quarter.seconds)
                .into()
        })
        .collect();
    let conductivity = Fields::new()
        .set("code", "AVGCOND")
        .set("value", visit.conductivity.to_string())
        .set("unit", "mS/cm");
    let fields = Fields::new()
        .set("animal", animal)
        .set("startedAt", instant(visit.day, visit.second))
        .set("milkYield", visit.milk)
        .set("duration", visit.milking)
        .set("visitDuration", visit.stay)
        .set("milkingType", "automated")
        .set("complete", visit.complete)
        .set("box", "1")
        .set("device", "AMS-1")
        .set("quarters", quarters)
        .set("characteristics", vec![Value::from(conductivity)]);
    if visit.complete {
        fields
    } else {
        fields.set("remarks", vec!["milkingIncomplete"])
    }
}

/// `YYYY-MM-DDThh:mm:ss.000Z`.
fn instant(day: Day, second: i32) -> String {
    let (hours, minutes) = (second / 3_600, second / 60 % 60);
    format!(
        "{}T{hours:02}:{minutes:02}:{:02}.000Z",
        iso(day),
        second % 60
    )
}
