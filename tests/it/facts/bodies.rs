//! Rows as bodies of REST and GraphQL.

use super::story::{BULLS, DAY_MS, Fact, Row};
use book_reference::{Code, Event, Outcome, Source, When};
use model::record::time::to_iso;
use serde_json::{Map, Value, json};

/// The collection and the body of a row.
pub(super) fn body(row: &Row, at: usize) -> (&'static str, Map<String, Value>) {
    let marker = format!("r{at}");
    let date = written(row.when);
    let (slug, body) = match &row.fact {
        Fact::Calving { event, number, opens } => {
            let event = match event {
                Event::Calving => "calving",
                Event::Abortion => "abortion",
                Event::DryOff => "dryOff",
            };
            let body =
                json!({"date": date, "eventType": event, "number": number, "opensLactation": opens, "comment": marker});
            ("calvings", body)
        }
        Fact::Service { bull, embryo, result, number } => {
            let text = (*bull == 2).then_some(BULLS[2]);
            let known = (*bull < 2).then_some(901 + bull);
            let body = json!({"date": date, "bull": known, "bullText": text, "method": if *embryo { 3 } else { 1 },
                "result": result.map(|(outcome, _)| word(outcome).1), "lactationNumber": number,
                "pregnancyCheckDate": result.map(|(_, on)| day(on)), "comment": marker});
            ("inseminations", body)
        }
        Fact::Check { outcome, age } => {
            let mut payload = json!({"method": "Blood"});
            if let Some(age) = age {
                payload["foetalAge"] = (*age).into();
            }
            let body = json!({"date": date, "type": "pregnancyCheck", "result": word(*outcome).0, "payload": payload, "comment": marker});
            ("events", body)
        }
        Fact::Test { source, milk, contents: [fat, protein, cells], code, number } => {
            let code = code.map(|code| match code {
                Code::Dry => "dry",
                Code::Other => "sick",
            });
            let official = (*source == Source::Official).then_some(true);
            let body = json!({"date": date, "source": source_name(*source), "official": official, "milkYield": milk, "fatPercent": fat,
                "proteinPercent": protein, "somaticCells": cells, "testCode": code, "lactationNumber": number,
                "sampleNumber": marker});
            ("milk-tests", body)
        }
        Fact::Visit { milk, shift } => {
            let body = json!({"startedAt": date, "milkYield": milk, "shiftDate": shift.map(day), "device": marker});
            ("milking-visits", body)
        }
        Fact::Weighing { kg } => ("weighings", json!({"date": date, "weight": kg, "note": marker})),
        Fact::Leaving { death } => {
            let kind = if *death { "death" } else { "cull" };
            (
                "movements",
                json!({"date": date, "kind": kind, "deathMethod": death.then_some("perished"), "note": marker}),
            )
        }
    };
    let Value::Object(mut body) = body else { unreachable!() };
    body.retain(|_, value| !value.is_null());
    (slug, body)
}

fn source_name(source: Source) -> &'static str {
    match source {
        Source::Owner => "owner",
        Source::Other => "api",
        Source::Laboratory | Source::Official => "lab",
    }
}

pub(super) fn day(day: i64) -> String {
    to_iso(day * DAY_MS)[..10].to_owned()
}

fn written(when: When) -> String {
    match when {
        When::Day(of) => day(of),
        When::At(at) => to_iso(at),
    }
}

pub(super) fn word(outcome: Outcome) -> (&'static str, i64) {
    match outcome {
        Outcome::Pregnant => ("pregnant", 1),
        Outcome::Empty => ("empty", 2),
        Outcome::Multiple => ("multiple", 3),
        Outcome::Unknown => ("unknown", 4),
    }
}

/// What a correction must clear when the right row has none.
pub(super) fn clearable(fact: &Fact) -> &'static [&'static str] {
    match fact {
        Fact::Calving { .. } => &["number"],
        Fact::Test { .. } => &["lactationNumber"],
        Fact::Leaving { .. } => &["deathMethod"],
        _ => &[],
    }
}

/// The name of a row, which every row carries.
pub(super) fn marker(slug: &str, doc: &Value) -> Option<String> {
    let field = match slug {
        "milk-tests" => "sampleNumber",
        "milking-visits" => "device",
        "weighings" | "movements" => "note",
        _ => "comment",
    };
    let text = doc[field].as_str().map(str::to_owned);
    text.or_else(|| Some(doc["ade"]["sourceId"].as_str()?.rsplit('-').next()?.to_owned()))
}
