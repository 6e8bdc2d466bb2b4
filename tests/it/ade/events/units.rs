//! Quantities in other units than those of the book (docs/exchange.md, *Units*): converted, read back as
//! they were sent, refused with the units known.

use crate::ade::stage::{FARM, Stage};
use crate::support::fixture::number;
use serde_json::{Value, json};

const TESTS: &str = "/ade/v1/locations/org.herdbook.orgid/1/test-day-results";

fn test_day(key: &str, day: u32, characteristics: Value) -> Value {
    json!({
        "resourceType": "icarTestDayResultEventResource",
        "meta": {"source": "lab.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": number(11)},
        "eventDateTime": format!("2026-01-{day:02}T05:00:00Z"),
        "milkWeight24Hours": {"unitCode": "KGM", "value": 30},
        "milkCharacteristics": characteristics,
    })
}

#[tokio::test]
async fn quantities_are_converted_and_read_as_they_were_sent() {
    let s = Stage::plain().await;
    // Contents of milk.
    let document = json!([
        {"characteristic": "UREA", "value": "4.2", "unit": "M33", "measuringDevice": "ir-1"},
        {"characteristic": "BHB", "value": "8", "unit": "M1"},
        {"characteristic": "FAT", "value": "41", "unit": "NX"},
        {"characteristic": "SCC", "value": "250"},
    ]);
    let doc = test_day("t1", 10, document.clone());
    let made = ask!(s.f, s.farm, "POST {TESTS}", doc => 201);
    assert_eq!(made["milkCharacteristics"], document, "{made}");
    let path = format!("/api/milk-tests/{}?depth=0", made["id"].as_str().unwrap());
    let row = ask!(s.f, s.farm, "GET {path}" => 200);
    holds!(row, {"urea": 25.2252, "bhb": 0.076_849_183, "fatPercent": 4.1, "somaticCells": 250});
    ask!(s.f, s.farm, "POST {TESTS}", doc => 200);

    // What the book corrects is in the unit of the standard, never in that of the sender.
    ask!(s.f, s.expert, "PATCH {path}", {"urea": 30} => 200);
    let (_, list) = s.get(TESTS).await;
    let read = &list["member"][0];
    assert_eq!(read["meta"]["corrected"], json!(["/milkCharacteristics"]), "{read}");
    let urea = read["milkCharacteristics"].as_array().unwrap().iter();
    let urea: Vec<&Value> = urea.filter(|one| one["characteristic"] == "UREA").collect();
    assert_eq!(urea, [&json!({"characteristic": "UREA", "value": "300", "measuringDevice": "ir-1"})]);

    for (code, unit, known) in [("UREA", "VP", "M1, M33"), ("FAT", "M33", "P1, VP")] {
        let tally = s.tally().await;
        let one = json!([{"characteristic": code, "value": "4", "unit": unit}]);
        let body = ask!(s.f, s.farm, "POST {TESTS}", test_day("t2", 11, one) => 400 ["field-value"]);
        let detail = body["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.contains(known) && detail.contains(unit), "{body}");
        assert_eq!(body["errors"][0]["instance"], "/milkCharacteristics/0");
        assert_eq!(s.tally().await, tally);
    }

    // Weights, of another cow.
    for (key, weight, kilograms) in table![
        "w1", json!({"measurement": 1000, "units": "LBR", "resolution": 0.5}), 453.592_37;
        "w2", json!({"measurement": 0.6, "units": "TNE"}), 600.0;
        "w3", json!({"measurement": 20_000, "units": "ONZ"}), 566.990_462_5;
        "w4", json!({"measurement": 500}), 500.0;
    ] {
        let doc = json!({
            "resourceType": "icarWeightEventResource",
            "meta": {"source": "scale.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.herdbook.animal", "id": number(12)},
            "eventDateTime": format!("2026-01-1{}T05:00:00Z", &key[1..]),
            "weight": weight,
        });
        let made = ask!(s.f, s.farm, "POST {FARM}/weights", doc => 201);
        assert_eq!(made["weight"], weight, "{made}");
        let id = made["id"].as_str().unwrap();
        let row = ask!(s.f, s.farm, "GET /api/weighings/{id}?depth=0" => 200);
        assert_eq!(row["weight"], kilograms, "{row}");
    }
}
