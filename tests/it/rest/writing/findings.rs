//! What the checks find in a write is reported by its answer, on each face, and bounds hold on each.

use crate::rest::world::World;
use axum::body::Body;
use serde_json::{Value, json};

const ADE: &str = "/ade/v1/locations/org.herdbook.orgid/1/weights";

/// A weighing as the exchange has it, of Alpha's cow.
fn weight(number: &str, id: &str, day: &str, kg: f64) -> Value {
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "s", "sourceId": id, "modified": "2026-01-01T00:00:00Z"},
        "animal": {"id": number, "scheme": "org.herdbook.animal"},
        "eventDateTime": format!("{day}T00:00:00Z"),
        "weight": {"measurement": kg, "units": "KGM"},
    })
}

/// Codes of findings with their severity, collection and field.
fn lines_of(findings: &Value) -> Vec<String> {
    let list = findings.as_array().map_or(&[][..], Vec::as_slice);
    let text = |f: &Value, name: &str| f[name].as_str().unwrap_or_default().to_owned();
    list.iter().map(|f| ["code", "severity", "collection", "path"].map(|name| text(f, name)).join(" ")).collect()
}

const HEAVY: &str = "weight-implausible note weighings weight";

#[test_with(World::each)]
async fn each_face_tells_what_a_write_makes_wrong_and_nothing_older(w: &World<'_>) {
    let heavy = json!({"animal": 2, "date": "2024-05-01", "weight": 6500});
    let tried = ask!(w, "alpha", "POST /api/weighings?validate=only", heavy.clone() => 200).json();
    assert_eq!(lines_of(&tried["findings"]), [HEAVY], "{tried}");
    let answer = ask!(w, "alpha", "POST /api/weighings?depth=0", heavy => 201).json();
    assert_eq!(lines_of(&answer["findings"]), [HEAVY], "{answer}");
    assert!(answer["findings"][0]["message"].as_str().unwrap().contains("6500"), "{answer}");
    let id = answer["doc"]["id"].as_i64().unwrap();
    assert_eq!(answer["findings"][0]["id"], id);
    assert_eq!(answer["doc"]["checkStatus"], "note", "{answer}");
    // They are stored as a run would store them.
    let stored = w.list("check-findings", &format!("where[recordId][equals]={id}")).await;
    holds!(stored[0], {"code": "weight-implausible", "organization": 1, "state": "open"});
    // A finding that is stored already is not reported again, a mended one goes.
    let second = ask!(w, "alpha", "PATCH /api/weighings/{id}?depth=0", {"note": "Twice"} => 200).json();
    assert_eq!(second.get("findings"), None, "{second}");
    let mended = ask!(w, "alpha", "PATCH /api/weighings/{id}?depth=0", {"weight": 650} => 200).json();
    assert_eq!(mended.get("findings"), None, "{mended}");
    assert!(w.list("check-findings", &format!("where[recordId][equals]={id}")).await.is_empty());

    // A service 5 days after a calving; of an array each element has its own.
    w.made("alpha", "calvings", json!({"animal": 2, "date": "2023-03-01", "number": 1})).await;
    let rows = json!([
        {"animal": 2, "date": "2023-03-06", "bull": 1}, {"animal": 2, "date": "2023-06-01", "bull": 1}, {"date": "x"}
    ]);
    let answer = ask!(w, "alpha", "POST /api/inseminations?depth=0", rows => 207).json();
    let soon = lines_of(&answer["results"][0]["findings"]);
    assert!(soon.iter().any(|f| f.starts_with("insemination-too-soon fix inseminations")), "{answer}");
    assert_eq!(answer["results"][1].get("findings"), None, "{answer}");

    // By a condition, and by GraphQL.
    let all = format!("/api/weighings?where[id][equals]={id}&depth=0");
    let answer = ask!(w, "alpha", "PATCH {all}", {"weight": 6600} => 200).json();
    assert_eq!(lines_of(&answer["findings"]), [HEAVY], "{answer}");
    let query = format!("mutation {{ updateWeighing(id: {id}, data: {{weight: 6700}}) {{ id }} }}");
    let answer = ask!(w, "alpha", "POST /api/graphql", {"query": query} => 200).json();
    assert_eq!(lines_of(&answer["extensions"]["findings"]), [HEAVY], "{answer}");
    assert_eq!(answer.get("errors"), None);

    // The owner of another cow gets his own findings.
    let foreign = json!({"animal": 3, "date": "2024-05-01", "weight": 6500});
    let answer = ask!(w, "beta", "POST /api/weighings?depth=0", foreign => 201).json();
    assert_eq!(lines_of(&answer["findings"]), [HEAVY]);

    // Many rows are checked later, and it is said.
    let rows: Vec<Value> =
        (1..=101).map(|n| json!({"animal": 2, "date": "2025-02-01", "weight": 600, "note": n.to_string()})).collect();
    let answer = w.ask("alpha", "POST", "/api/weighings?depth=0", Body::from(Value::from(rows).to_string())).await;
    assert_eq!((answer.status, answer.header("x-findings")), (201, "later"), "{}", answer.text);
    answer.lacks(&["findings"]);
}

#[test_with(World::each)]
async fn the_exchange_tells_findings_as_messages_that_refuse_nothing(w: &World<'_>) {
    let number = w.doc("animals", 2).await["identNumber"].as_str().unwrap().to_owned();
    let document = weight(&number, "w1", "2024-05-01", 6500.0);
    let answer = w.ask("alpha", "POST", ADE, document.to_string()).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let messages: Value = serde_json::from_str(answer.header("x-icar-ade-messages")).unwrap();
    holds!(messages, {"0.type": "weight-implausible", "0.severity": "Information", "0.instance": "/weight"});
    let batch = ADE.replace("/locations", "/batches/locations");
    let document = json!([weight(&number, "w2", "2024-06-01", 700.0), weight(&number, "w3", "2024-07-01", 7000.0),]);
    let results = ask!(w, "alpha", "POST {batch}", document => 200).json();
    let types = |at: usize| -> Vec<String> {
        let messages = results[at]["messages"].as_array().unwrap();
        messages.iter().map(|m| m["type"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(types(0)[0], "created");
    assert!(types(1).contains(&"weight-implausible".to_owned()), "{results}");
}

#[test_with(World::each)]
async fn what_cannot_be_is_refused_on_each_face_alike(w: &World<'_>) {
    let number = w.doc("animals", 2).await["identNumber"].as_str().unwrap().to_owned();
    for (slug, body, path) in [
        ("weighings", json!({"animal": 2, "date": "2024-05-01", "weight": 0}), "weight"),
        ("weighings", json!({"animal": 2, "date": "2024-05-01", "weight": -1}), "weight"),
        ("weighings", json!({"animal": 2, "date": "2024-05-01", "weight": 20_001}), "weight"),
        ("weighings", json!({"animal": 2, "date": "2024-05-01", "weight": 1e308}), "weight"),
        ("weighings", json!({"animal": 2, "date": "1949-12-31", "weight": 600}), "date"),
        ("milk-tests", json!({"animal": 2, "date": "2024-05-01", "milkYield": 20, "fatPercent": 26}), "fatPercent"),
        ("milk-tests", json!({"animal": 2, "date": "2024-05-01", "milkYield": 151}), "milkYield"),
        ("daily-milkings", json!({"animal": 2, "date": "2024-05-01", "milkYield": 151}), "milkYield"),
        ("milking-visits", json!({"animal": 2, "startedAt": "1900-01-01T00:00:00Z", "milkYield": 10}), "startedAt"),
        ("calvings", json!({"animal": 2, "date": "2024-05-01", "calfWeight": 0}), "calfWeight"),
        ("calvings", json!({"animal": 2, "date": "2024-05-01", "stillborn": -1}), "stillborn"),
        ("animals", json!({"identNumber": "RU-0", "sex": "male", "birthDate": "1800-01-01"}), "birthDate"),
    ] {
        let text = body.to_string();
        let one = w.refused("alpha", "POST", &format!("/api/{slug}"), &text).await;
        assert!(crate::rest::world::paths(&one).contains(&path.to_owned()), "{slug} {text}: {}", one.text);
        let many = w.refused("alpha", "POST", &format!("/api/{slug}"), &format!("[{text}]")).await;
        many.has_in(&format_args!("{slug} {text}"), &[&format!("\"path\":\"{path}\"")]);
    }
    let query = r#"mutation { createWeighing(data: {animal: 2, date: "2024-05-01", weight: 0}) { id } }"#;
    let answer = ask!(w, "alpha", "POST /api/graphql", {"query": query} => 200).json();
    assert!(answer["errors"].to_string().contains("weight"), "{answer}");
    for (day, kg) in [
        ("2024-05-01", 0.0),
        ("2024-05-01", -5.0),
        ("2024-05-01", 20_001.0),
        ("2024-05-01", 1e308),
        ("1949-01-01", 600.0),
    ] {
        let document = weight(&number, "w1", day, kg).to_string();
        let answer = w.ask("alpha", "POST", ADE, document.clone()).await;
        assert_eq!(answer.status / 100, 4, "{document}: {}", answer.text);
        let batch = ADE.replace("/locations", "/batches/locations");
        let answer = w.ask("alpha", "POST", &batch, format!("[{document}]")).await.json();
        assert_eq!(answer[0]["messages"][0]["severity"], "Error", "{document}: {answer}");
    }
}
