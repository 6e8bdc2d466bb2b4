//! Test days of several sources, and of laboratories that know no yields (docs/derived.md, *Test days*).

use crate::rest::world::World;
use serde_json::{Value, json};

/// Number of a cow.
fn ident(number: i64) -> String {
    (960_000_778_000 + number).to_string()
}

/// A cow of Alpha's that calved.
async fn cow(w: &World<'_>, number: i64) -> i64 {
    let cow = json!({"identNumber": ident(number), "sex": "female", "birthDate": "2020-05-01"});
    let cow = w.made("alpha", "animals", cow).await;
    made!(w, "alpha", "calvings", {"animal": cow, "date": "2025-03-01", "number": 1});
    cow
}

/// A test-day result as farms and laboratories send it.
fn result(number: i64, id: &str, day: &str, more: Value) -> Value {
    let mut doc = json!({
        "resourceType": "icarTestDayResultEventResource",
        "meta": {"source": "lab.example", "sourceId": id, "modified": "2026-02-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": ident(number)},
        "location": {"scheme": "org.herdbook.orgid", "id": "1"},
        "eventDateTime": format!("{day}T00:00:00Z"),
    });
    let members = doc.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    doc
}

const FARM: &str = "/ade/v1/locations/org.herdbook.orgid/1/test-day-results";
const BATCH: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1/test-day-results";
const PUSH: &str = "/ade/v1/datasets/test-day-results/resources";

#[test_with(World::each)]
async fn contents_without_a_yield_are_taken_by_every_face(w: &World<'_>) {
    let cow = cow(w, 20).await;
    let fat = json!({"milkCharacteristics": [{"characteristic": "FAT", "value": "4.0"}]});
    let row = |day: &str| json!({"animal": cow, "date": day, "fatPercent": 4.0});
    w.made("alpha", "milk-tests", row("2025-04-01")).await;
    ask!(w, "alpha", "POST /api/milk-tests", json!([row("2025-04-02"), row("2025-04-03")]) => 201);
    let create = format!(
        "mutation {{ createMilkTest(data: {{animal: {cow}, date: \"2025-04-04\", fatPercent: 4.0}}) {{ id }} }}"
    );
    let answer = ask!(w, "alpha", "POST /api/graphql", json!({"query": create}) => 200);
    assert!(answer.json().get("errors").is_none(), "{}", answer.text);
    ask!(w, "alpha", "POST {FARM}", result(20, "1", "2025-04-05", fat.clone()) => 201);
    ask!(w, "alpha", "POST {BATCH}", json!([result(20, "2", "2025-04-06", fat.clone())]) => 200);
    ask!(w, "alpha", "POST {PUSH}", json!([result(20, "3", "2025-04-07", fat.clone())]) => 200);
    let rows = w.list("milk-tests", &format!("where[animal][equals]={cow}")).await;
    assert_eq!(rows.len(), 7);
    assert!(rows.iter().all(|row| row["fatPercent"] == 4 && row["milkYield"].is_null()), "{rows:?}");
    // They say nothing of the yield until a day has one.
    let lactation = async || w.doc("animals", cow).await["lactations"][0].clone();
    assert_eq!(lactation().await["milkYield"], Value::Null);
    made!(w, "alpha", "milk-tests", {"animal": cow, "date": "2025-05-01", "milkYield": 30});
    let found = lactation().await;
    assert_eq!((&found["milkYield"], &found["fatKg"]), (&json!(2250), &json!(90)), "{found}");

    let answer = ask!(w, "alpha", "GET {FARM}" => 200);
    let served = answer.json()["member"].as_array().unwrap().clone();
    let document = served.iter().filter(|doc| doc["meta"]["source"] == "lab.example");
    let without = |doc: &&Value| doc.get("milkWeight24Hours").is_none();
    assert_eq!(document.filter(without).count(), 3, "{}", answer.text);

    // Nothing at all is refused, and nothing of it stays.
    let nothing = json!({"animal": cow, "date": "2025-04-08"});
    let faults = w.faults("alpha", "milk-tests", nothing).await;
    let message = "A yield, a content or testCode is required.";
    assert_eq!(faults, [("milkYield".to_owned(), message.to_owned())]);
    let answer = w.ask("alpha", "POST", FARM, result(20, "4", "2025-04-08", json!({})).to_string()).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    let rows = w.list("milk-tests", &format!("where[animal][equals]={cow}")).await;
    assert_eq!(rows.len(), 8);
    // A correction must leave something, too.
    let id = rows.iter().find(|row| row["fatPercent"] == 4).unwrap()["id"].as_i64().unwrap();
    let answer = w.patch("alpha", "milk-tests", id, json!({"fatPercent": null})).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
}
