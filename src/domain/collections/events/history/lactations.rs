//! Rows of `animals.lactations` and the reported ones behind them, between JSON and the
//! calculation (docs/design/derived.md, *Lactations*).

use crate::collections::computed::decimal;
use crate::derive::lactation::{Lactation, Origin, Summary, YieldMethod, summary, with_reported};
use model::record::time;
use serde_json::{Map, Value as Json, json};

/// The view of an animal's lactations.
#[derive(Debug)]
pub(crate) struct LactationView {
    /// `lactations`.
    pub(crate) rows: Json,
    /// `summary`.
    pub(crate) summary: Summary,
}

/// What an animal shows: computed lactations, reported ones in the gaps.
pub(crate) fn lactation_view(computed: Vec<Lactation>, reported: &[Json]) -> LactationView {
    let reported = reported.iter().map(read).collect();
    let all = with_reported(computed, reported);
    let rows = (all.iter().filter(|l| l.number != 0)).map(write).collect();
    LactationView { rows: Json::Array(rows), summary: summary(&all).unwrap_or_default() }
}

/// The reported rows after the caller sent `incoming`: rows that only repeat a computed one
/// report nothing new, but what was reported for their number stays.
pub(crate) fn reported(incoming: &[Json], view: &[Json], before: &[Json]) -> Vec<Json> {
    let same = |number: i64| move |row: &&Json| number_of(row) == number;
    let mut rows: Vec<Json> = before.iter().filter(same(0)).cloned().collect();
    for row in incoming {
        let number = number_of(row);
        if number == 0 {
            rows.retain(|r| number_of(r) != 0);
        }
        let repeated = (view.iter().find(same(number)))
            .is_some_and(|s| s.get("origin") == Some(&json!("computed")) && facts(s) == facts(row));
        if repeated {
            rows.extend(before.iter().find(same(number)).cloned());
        } else {
            let mut row = row.clone();
            if let Some(row) = row.as_object_mut() {
                row.insert("origin".to_owned(), json!("reported"));
            }
            rows.push(row);
        }
    }
    rows
}

/// The reported rows with the written summary as lactation 0; none when it is empty.
pub(crate) fn with_summary(before: &[Json], summary: &Summary) -> Vec<Json> {
    let mut rows: Vec<Json> = before.iter().filter(|r| number_of(r) != 0).cloned().collect();
    if *summary != Summary::default() {
        rows.push(json!({
            "id": "0",
            "number": 0,
            "milkYield": summary.milk_yield,
            "milk305": summary.milk_yield,
            "fat305": summary.fat_percent,
            "protein305": summary.protein_percent,
            "fatKg": summary.fat_kg,
            "proteinKg": summary.protein_kg,
            "origin": "reported",
        }));
    }
    rows
}

fn number_of(row: &Json) -> i64 {
    row.get("number").and_then(Json::as_i64).unwrap_or_default()
}

/// Members that only the server sets.
const SERVER: [&str; 15] = [
    "id",
    "origin",
    "yieldMethod",
    "scs",
    "official",
    "daysOpen",
    "services",
    "calvingInterval",
    "ecm305",
    "fcm305",
    "peakMilk",
    "peakDay",
    "persistency",
    "projected305",
    "projectedFrom",
];

/// A row without what the server sets and without empty members.
fn facts(row: &Json) -> Map<String, Json> {
    (row.as_object().into_iter().flatten())
        .filter(|(key, value)| !SERVER.contains(&key.as_str()) && !value.is_null())
        .map(|(key, value)| {
            let value = value.as_f64().map_or_else(|| value.clone(), |n| json!(n));
            (key.clone(), value)
        })
        .collect()
}

fn read(row: &Json) -> Lactation {
    let number = |key: &str| row.get(key).and_then(Json::as_f64);
    let day = |key: &str| row.get(key).and_then(Json::as_str).and_then(time::parse);
    Lactation {
        number: number_of(row),
        calving_date: day("calvingDate"),
        insemination_date: day("inseminationDate"),
        service_bull: row.get("serviceBull").and_then(Json::as_str).map(str::to_owned),
        dd: row.get("dd").and_then(Json::as_i64),
        milk_yield: number("milkYield"),
        milk305: number("milk305"),
        fat_kg: number("fatKg"),
        protein_kg: number("proteinKg"),
        fat305: number("fat305"),
        protein305: number("protein305"),
        scc: number("scc"),
        dry_off_date: day("dryOffDate"),
        end_date: day("endDate"),
        last_test_date: day("lastTestDay"),
        origin: Origin::Reported,
        ..Lactation::default()
    }
}

fn write(row: &Lactation) -> Json {
    let text = |text: Option<String>| text.map_or(Json::Null, Json::String);
    let day = |at: Option<i64>| text(at.map(|at| time::to_iso(time::day_start(at))));
    let number = |n: Option<f64>| n.map_or(Json::Null, decimal);
    let origin = match row.origin {
        Origin::Computed => "computed",
        Origin::Reported => "reported",
    };
    let method = row.yield_method.map(|method| match method {
        YieldMethod::TestInterval => "testInterval",
        YieldMethod::StandardCurves => "standardCurves",
    });
    let members = [
        ("id", Json::String(row.number.to_string())),
        ("number", row.number.into()),
        ("calvingDate", day(row.calving_date)),
        ("inseminationDate", day(row.insemination_date)),
        ("serviceBull", text(row.service_bull.clone())),
        ("dd", row.dd.into()),
        ("milkYield", number(row.milk_yield)),
        ("milk305", number(row.milk305)),
        ("fatKg", number(row.fat_kg)),
        ("proteinKg", number(row.protein_kg)),
        ("fat305", number(row.fat305)),
        ("protein305", number(row.protein305)),
        ("scc", number(row.scc)),
        ("scs", number(row.scs)),
        ("official", row.official.into()),
        ("ecm305", number(row.ecm305)),
        ("fcm305", number(row.fcm305)),
        ("peakMilk", number(row.peak_milk)),
        ("peakDay", row.peak_day.into()),
        ("persistency", number(row.persistency)),
        ("projected305", number(row.projected305)),
        ("projectedFrom", row.projected_from.into()),
        ("daysOpen", row.days_open.into()),
        ("services", row.services.into()),
        ("calvingInterval", row.calving_interval.into()),
        ("dryOffDate", day(row.dry_off_date)),
        ("endDate", day(row.end_date)),
        ("lastTestDay", day(row.last_test_date)),
        ("yieldMethod", method.into()),
        ("origin", Json::String(origin.to_owned())),
    ];
    // Of the right size from the start.
    let mut object = Map::with_capacity(members.len());
    for (name, value) in members {
        object.insert(name.to_owned(), value);
    }
    Json::Object(object)
}

#[cfg(test)]
mod tests {
    use super::{lactation_view, reported, with_summary};
    use crate::derive::lactation::{Lactation, Summary};
    use serde_json::json;

    #[test]
    fn what_repeats_a_computed_row_is_not_reported() {
        let computed = Lactation {
            number: 1,
            calving_date: Some(0),
            milk_yield: Some(7000.0),
            milk305: Some(7000.0),
            ..Lactation::default()
        };
        let view = lactation_view(vec![computed], &[]);
        let rows = view.rows.as_array().unwrap().clone();
        let mut incoming = rows.clone();
        incoming.push(json!({"number": 2, "milk305": 8000}));
        let stored = reported(&incoming, &rows, &[]);
        assert_eq!(stored, [json!({"number": 2, "milk305": 8000, "origin": "reported"})]);

        let view = lactation_view(vec![], &stored);
        assert_eq!(view.rows[0]["origin"], "reported");
        assert_eq!(view.summary.milk_yield, Some(8000.0));
    }

    #[test]
    fn a_written_summary_counts_only_without_lactations() {
        let summary = Summary { milk_yield: Some(6000.0), fat_percent: Some(4.0), ..Summary::default() };
        let stored = with_summary(&[], &summary);
        let view = lactation_view(vec![], &stored);
        assert_eq!(view.rows, json!([]));
        assert_eq!(view.summary.milk_yield, Some(6000.0));
        assert_eq!(view.summary.fat_kg, Some(240.0));
        assert!(with_summary(&stored, &Summary::default()).is_empty());
    }
}
