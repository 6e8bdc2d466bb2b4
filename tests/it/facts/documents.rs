//! Rows as documents of the exchange.

use super::bodies::word;
use super::story::{BULLS, DAY_MS, Fact, Row};
use super::world::Subject;
use book_reference::{Code, Event, Source, When};
use model::record::time::to_iso;
use serde_json::{Value, json};

/// Whether the exchange can say all of a row.
pub(super) fn exchanged(row: &Row) -> bool {
    match &row.fact {
        Fact::Calving { event, number, opens } => opens.is_none() && (*event == Event::Calving || number.is_none()),
        Fact::Service { result, number, .. } => result.is_none() && number.is_none(),
        Fact::Test { source, number, .. } => *source == Source::Other && number.is_none(),
        _ => true,
    }
}

pub(super) fn document(subject: &Subject, at: usize, row: &Row, version: u32) -> Value {
    let date = match row.when {
        When::Day(of) => to_iso(of * DAY_MS),
        When::At(at) => to_iso(at),
    };
    let marker = format!("r{at}");
    let mut own = match &row.fact {
        Fact::Calving { event, number, .. } => {
            let resource = match event {
                Event::Calving => "icarReproParturitionEventResource",
                Event::Abortion => "icarReproAbortionEventResource",
                Event::DryOff => "icarMilkingDryOffEventResource",
            };
            let parity = number.filter(|_| *event == Event::Calving);
            json!({"resourceType": resource, "remark": marker, "damParity": parity})
        }
        Fact::Service { bull, embryo, .. } => {
            let sires = (*bull < 2).then(|| json!([{"scheme": "org.herdbook.animal", "id": BULLS[*bull]}]));
            let name = (*bull == 2).then_some(BULLS[2]);
            let kind = if *embryo { "Implantation" } else { "Insemination" };
            json!({"resourceType": "icarReproInseminationEventResource", "remark": marker, "inseminationType": kind,
                "sireIdentifiers": sires, "sireOfficialName": name})
        }
        Fact::Check { outcome, age } => {
            let mut result = word(*outcome).0.to_owned();
            result[..1].make_ascii_uppercase();
            json!({"resourceType": "icarReproPregnancyCheckEventResource", "remark": marker, "method": "Blood",
                "result": result, "foetalAge": age})
        }
        Fact::Test { milk, contents: [fat, protein, cells], code, .. } => {
            let milk = milk.map(|milk| json!({"value": milk, "unitCode": "KGM"}));
            let contents = [("FAT", fat), ("PROTEIN", protein), ("SCC", cells)];
            let contents = contents.into_iter().filter_map(|(name, value)| {
                let value = (*value)?;
                Some(json!({"characteristic": name, "value": value.to_string()}))
            });
            let contents: Vec<Value> = contents.collect();
            let code = code.map(|code| match code {
                Code::Dry => "Dry",
                Code::Other => "Sick",
            });
            json!({"resourceType": "icarTestDayResultEventResource", "milkWeight24Hours": milk,
                "milkCharacteristics": (!contents.is_empty()).then_some(contents), "testDayCode": code})
        }
        Fact::Visit { milk, shift } => {
            json!({"resourceType": "icarMilkingVisitEventResource", "milkingStartingDateTime": date,
                "milkingMilkWeight": {"value": milk, "unitCode": "KGM"}, "milkingDeviceId": marker,
                "milkingShiftLocalStartDate": shift.map(|shift| to_iso(shift * DAY_MS))})
        }
        Fact::Weighing { kg } => {
            json!({"resourceType": "icarWeightEventResource", "remark": marker,
                "weight": {"measurement": kg, "units": "KGM"}})
        }
        Fact::Leaving { death: true } => {
            json!({"resourceType": "icarMovementDeathEventResource", "explanation": marker, "deathReason": "Unknown",
                "deathMethod": "Perished"})
        }
        Fact::Leaving { .. } => {
            json!({"resourceType": "icarMovementDepartureEventResource", "remark": marker, "departureKind": "Slaughter"})
        }
    };
    own.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    own["meta"] = json!({"source": "farm.example", "sourceId": format!("{}-r{at}", subject.number),
        "modified": format!("2026-02-0{version}T00:00:00Z")});
    own["animal"] = json!({"scheme": "org.herdbook.animal", "id": subject.number});
    own["eventDateTime"] = date.into();
    own
}
