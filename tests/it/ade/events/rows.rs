//! Events whose documents and rows do not correspond one to one: diagnoses of several rows,
//! pregnancy checks of two collections, data sets that share a collection.

use crate::ade::stage::{FARM, OTHER, Stage, animal, codes, gone, keys, weight};
use crate::support::words::merged;
use serde_json::{Value, json};
use store::Sql;

pub(crate) async fn types(s: &Stage) {
    for (id, code, kind) in
        [(1, "MAST", "diagnosis"), (2, "ANTI", "treatment"), (3, "SEEN", "status"), (4, "LAME", "diagnosis")]
    {
        let row = json!({"name": format!("Type {code}"), "code": code, "kind": kind, "sortOrder": id});
        s.f.fill("health-event-types", id, row).await;
    }
}

/// An event of cow 11 under a key of its sender.
pub(crate) fn event(key: &str, resource: &str, day: &str, own: Value) -> Value {
    let mut doc = weight(1, 11);
    doc.as_object_mut().unwrap().remove("weight");
    doc["resourceType"] = resource.into();
    doc["meta"]["sourceId"] = key.into();
    doc["eventDateTime"] = format!("{day}T08:00:00Z").into();
    merged(doc, &own)
}

pub(crate) fn diagnoses(names: &[&str]) -> Value {
    let all: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    let own = json!({"diagnoses": all, "responsible": "Dr Orlova"});
    event("v1", "icarDiagnosisEventResource", "2026-01-10", own)
}

pub(crate) async fn send(s: &Stage, set: &str, doc: &Value) -> (u16, Value) {
    let path = format!("{FARM}/{set}");
    let (status, _, body) = s.f.post(&path, &s.farm, doc.clone()).await;
    (status, body)
}

/// Changes a row by REST.
pub(crate) async fn patched(s: &Stage, path: &str, body: &Value) -> (u16, Value) {
    let request = axum::http::Request::builder()
        .method("PATCH")
        .uri(path)
        .header("authorization", format!("JWT {}", s.farm))
        .header("content-type", "application/json");
    let body = axum::body::Body::from(body.to_string());
    let (status, _, answer) = s.f.ask(request.body(body).unwrap()).await;
    (status, answer)
}

pub(crate) async fn list(s: &Stage, set: &str) -> Vec<Value> {
    let page = ask!(s.f, s.farm, "GET {FARM}/{set}" => 200);
    let members = page["member"].as_array().unwrap().clone();
    assert_eq!(page["view"]["totalItems"], members.len(), "{page}");
    members
}

/// Resources of the feed of a set, tombstones included.
async fn feed(s: &Stage, set: &str) -> Vec<Value> {
    let (_, all) = s.get(&format!("/ade/v1/datasets/{set}/changes")).await;
    let all = all.as_array().unwrap();
    all[1..all.len() - 1].to_vec()
}

/// Rows of cow 11, by id.
pub(crate) async fn rows(s: &Stage, collection: &str) -> Vec<Value> {
    let page = ask!(s.f, s.farm, "GET /api/{collection}?where[animal][equals]=11&sort=id&limit=200&depth=0" => 200);
    page["docs"].as_array().unwrap().clone()
}

pub(crate) fn names(doc: &Value) -> Vec<&str> {
    let all = doc["diagnoses"].as_array().expect("diagnoses");
    all.iter().map(|d| d["name"].as_str().unwrap()).collect()
}

#[test_each(Stage::each())]
async fn a_document_of_several_rows_is_one_document_everywhere(s: Stage) {
    types(&s).await;
    let sent = diagnoses(&["Cough", "Type LAME", "Fever"]);
    let (status, first) = send(&s, "diagnoses", &sent).await;
    assert_eq!(status, 201, "{first}");
    assert_eq!(ade::validate("icarDiagnosisEventResource", &first), []);
    assert_eq!(names(&first), ["Cough", "Type LAME", "Fever"]);
    assert_eq!(first["responsible"], "Dr Orlova");
    assert_eq!(list(&s, "diagnoses").await, std::slice::from_ref(&first));
    assert_eq!(feed(&s, "diagnoses").await, std::slice::from_ref(&first));
    let stored = rows(&s, "health-events").await;
    let kinds: Vec<&Value> = stored.iter().map(|r| &r["type"]).collect();
    assert_eq!(kinds, [1, 4, 1], "named types are found, others are the first");
    s.f.pass(5);

    assert_eq!(send(&s, "diagnoses", &sent).await, (200, first.clone()));
    let ids = |rows: &[Value]| -> Vec<i64> { rows.iter().map(|r| r["id"].as_i64().unwrap()).collect() };
    let before = ids(&stored);
    for (sent, count) in [(vec!["Cough", "Lameness"], 2), (vec!["A", "Lameness", "C", "D"], 2), (vec!["A"], 1)] {
        let (status, body) = send(&s, "diagnoses", &diagnoses(&sent)).await;
        assert_eq!((status, names(&body)), (200, sent.clone()));
        assert_eq!(list(&s, "diagnoses").await, std::slice::from_ref(&body));
        assert_eq!(feed(&s, "diagnoses").await, [body]);
        let now = ids(&rows(&s, "health-events").await);
        assert_eq!(now.len(), sent.len());
        assert_eq!(now[..count], before[..count], "rows stay what they are");
    }
    let gone = json!({"resourceType": "icarDiagnosisEventResource", "meta": {
        "source": "scale.example", "sourceId": "v1", "isDeleted": true,
        "modified": "2026-02-02T00:00:00Z"}});
    let (status, body) = send(&s, "diagnoses", &gone).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(rows(&s, "health-events").await.len(), 0);
    assert_eq!(list(&s, "diagnoses").await.len(), 0);
    let changes = feed(&s, "diagnoses").await;
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0]["meta"]["isDeleted"], true);
}

#[test_each(Stage::each())]
async fn rows_written_elsewhere_change_their_document(s: Stage) {
    types(&s).await;
    let (_, first) = send(&s, "diagnoses", &diagnoses(&["A", "B", "C"])).await;
    let ids: Vec<i64> = (rows(&s, "health-events").await.iter()).map(|r| r["id"].as_i64().unwrap()).collect();
    let row = |at: usize| format!("/api/health-events/{}", ids[at]);
    let patch = json!({"title": "Bee"});
    let (status, body) = patched(&s, &row(1), &patch).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(names(&list(&s, "diagnoses").await[0]), ["A", "Bee", "C"]);
    // The first row is deleted, the document stays.
    let (status, _, body) = s.f.request("DELETE", &row(0), &s.farm, Value::Null).await;
    assert_eq!(status, 200, "{body}");
    let remaining = list(&s, "diagnoses").await;
    assert_eq!((remaining.len(), names(&remaining[0])), (1, vec!["Bee", "C"]));
    assert_eq!(remaining[0]["meta"]["sourceId"], first["meta"]["sourceId"]);
    assert_eq!(feed(&s, "diagnoses").await, remaining);
    let (_, _, buried) = s.f.get("/api/ade-tombstones", &s.farm).await;
    assert_eq!(buried["totalDocs"], 0, "{buried}");
    // A row of another kind now has a document of its own.
    let patch = json!({"type": 2});
    let (status, body) = patched(&s, &row(2), &patch).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(names(&list(&s, "diagnoses").await[0]), ["Bee"]);
    let treated = list(&s, "treatments").await;
    let own = format!("treatments:{}", ids[2]);
    assert_eq!(keys(&Value::from(treated)), [own]);
    // The name of a type is shown by the documents of its rows.
    let patch = json!({"title": null});
    patched(&s, &row(1), &patch).await;
    update!(s.f, "health-event-types", 1, {"name": "Inflammation"});
    assert_eq!(names(&list(&s, "diagnoses").await[0]), ["Inflammation"]);
}

/// What is stored beside the text of a document, which feeds and sets are read by.
async fn stored(s: &Stage) -> Value {
    let sql = "SELECT id, record, animal, event_at, deleted, seq FROM exchange_documents \
               WHERE source_id = 'w1'";
    let rows = s.f.book.store.rows(Sql::new(sql)).await.unwrap();
    assert_eq!(rows.len(), 1);
    let number = |at: usize| rows[0].int(at);
    let [id, record, animal, event] = [0, 1, 2, 3].map(number);
    json!({"id": id, "record": record, "animal": animal, "event": event, "deleted": rows[0].truth(4), "seq": number(5)})
}

#[test_each(Stage::each())]
async fn a_document_that_changes_stays_in_its_place_with_what_is_stored_beside_it(s: Stage) {
    let (status, _) = send(&s, "weights", &weight(1, 11)).await;
    assert_eq!(status, 201);
    let first = stored(&s).await;
    holds!(first, {"animal": 11, "event": 1_769_990_400_000_i64, "deleted": false});
    let mut seq = first["seq"].as_i64().unwrap();
    let heavier = json!({"weight": {"measurement": 777, "units": "KGM"}});
    let later = json!({"eventDateTime": "2026-02-03T00:00:00Z"});
    let of_another = json!({"animal": animal(12)});
    for (change, animal, event) in [
        (heavier, 11, 1_769_990_400_000_i64),
        (later, 11, 1_770_076_800_000),
        (of_another, 12, 1_769_990_400_000),
        (json!({}), 11, 1_769_990_400_000),
    ] {
        let mut doc = weight(1, 11);
        (doc.as_object_mut().unwrap()).extend(change.as_object().unwrap().clone());
        let (status, body) = send(&s, "weights", &doc).await;
        assert_eq!(status, 200, "{body}");
        let now = stored(&s).await;
        holds!(now, {"id": first["id"], "record": first["record"], "animal": animal, "event": event});
        let before = std::mem::replace(&mut seq, now["seq"].as_i64().unwrap());
        assert!(seq > before, "it is news");
    }
    assert_eq!(send(&s, "weights", &gone(&weight(1, 11))).await.0, 200);
    assert_eq!(stored(&s).await["deleted"], true);
    assert_eq!(send(&s, "weights", &weight(1, 11)).await.0, 201);
    let second = stored(&s).await;
    holds!(second, {"id": first["id"], "deleted": false, "animal": 11});
}

#[test_each(Stage::each())]
async fn our_own_pair_names_the_whole_document(s: Stage) {
    types(&s).await;
    fill!(s.f, "health-events", 7, {"animal": 11, "type": 1, "date": "2026-01-10", "title": "Cough"});
    let own = |names: &[&str]| {
        let mut doc = diagnoses(names);
        doc["meta"]["source"] = "org.herdbook".into();
        doc["meta"]["sourceId"] = "diagnoses:7".into();
        doc
    };
    for response in [vec!["Cough", "Fever"], vec!["X", "Fever", "Pain"], vec!["X"]] {
        let (status, body) = send(&s, "diagnoses", &own(&response)).await;
        assert_eq!((status, names(&body)), (200, response.clone()), "{body}");
        assert_eq!(body["meta"]["sourceId"], "diagnoses:7");
        assert_eq!(list(&s, "diagnoses").await, [body]);
        assert_eq!(rows(&s, "health-events").await.len(), response.len());
    }
    let mut strange = own(&["A"]);
    strange["meta"]["sourceId"] = "diagnoses:8".into();
    let (status, body) = send(&s, "diagnoses", &strange).await;
    assert_eq!((status, codes(&body)), (422, vec!["resource-not-found"]));
}

#[test_each(Stage::each())]
async fn a_refused_document_changes_none_of_its_rows(s: Stage) {
    types(&s).await;
    let (_, first) = send(&s, "diagnoses", &diagnoses(&["A", "B"])).await;
    let mut future = diagnoses(&["C", "D", "E"]);
    future["eventDateTime"] = "2027-01-01T00:00:00Z".into();
    let (status, body) = send(&s, "diagnoses", &future).await;
    assert_eq!(status, 400, "{body}");
    assert_eq!(body["errors"][0]["instance"], "/eventDateTime", "{body}");
    assert_eq!(body["errors"].as_array().unwrap().len(), 1, "reported once: {body}");
    let mut bad = diagnoses(&["C", "D"]);
    bad["diagnoses"][1]["severity"] = "Mild".into();
    let (status, body) = send(&s, "diagnoses", &bad).await;
    assert_eq!(status, 400, "{body}");
    assert_eq!(body["errors"][0]["instance"], "/diagnoses/1/severity");
    let (status, body) = send(&s, "diagnoses", &diagnoses(&[])).await;
    assert_eq!(status, 400, "{body}");
    assert_eq!(body["errors"][0]["instance"], "/diagnoses");
    // A verified row is deleted by the Association only: the document stays whole.
    let id = rows(&s, "health-events").await[1]["id"].as_i64().unwrap();
    let verified = json!({"verification": "pending"});
    s.f.update("health-events", id, verified).await;
    update!(s.f, "health-events", id, {"verification": "verified"});
    let (status, body) = send(&s, "diagnoses", &diagnoses(&["Z"])).await;
    assert_eq!(status, 403, "{body}");
    assert_eq!(list(&s, "diagnoses").await, [first]);
    // In a batch the other elements are stored.
    let mut other = diagnoses(&["Y"]);
    other["meta"]["sourceId"] = "v2".into();
    let batch = Value::from(vec![diagnoses(&["Z"]), other]);
    ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/diagnoses", batch => 200);
    let all = list(&s, "diagnoses").await;
    assert_eq!(all.iter().map(names).collect::<Vec<_>>(), [vec!["A", "B"], vec!["Y"]]);
}

#[test_each(Stage::each())]
async fn parallel_writers_do_not_double_rows(s: Stage) {
    types(&s).await;
    let all: Vec<Value> = (1..=8)
        .map(|n| {
            let names: Vec<String> = (0..n % 4 + 1).map(|i| format!("{n}/{i}")).collect();
            diagnoses(&names.iter().map(String::as_str).collect::<Vec<_>>())
        })
        .collect();
    let response = all.iter().map(|doc| send(&s, "diagnoses", doc));
    for (status, body) in futures_util::future::join_all(response).await {
        assert!(status == 200 || status == 201, "{status} {body}");
    }
    let one = list(&s, "diagnoses").await;
    assert_eq!(one.len(), 1);
    assert!(all.iter().any(|doc| names(doc) == names(&one[0])), "no mixture of documents: {one:?}");
    assert_eq!(rows(&s, "health-events").await.len(), names(&one[0]).len());
}

#[test_each(Stage::each())]
async fn a_document_of_several_rows_moves_with_its_animal(s: Stage) {
    types(&s).await;
    send(&s, "diagnoses", &diagnoses(&["A", "B"])).await;
    let sale = json!({"animal": 11, "from": 1, "to": 2, "kind": "sale", "date": "2026-02-20"});
    ask!(s.f, s.farm, "POST /api/movements", sale => 201);
    assert_eq!(list(&s, "diagnoses").await.len(), 0);
    let changes = feed(&s, "diagnoses").await;
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0]["meta"]["isDeleted"], true);
    let (_, _, page) = s.f.get(&format!("{OTHER}/diagnoses"), &s.other).await;
    assert_eq!(page["view"]["totalItems"], 1, "{page}");
    assert_eq!(names(&page["member"][0]), ["A", "B"]);
    let own = page["member"][0]["meta"].clone();
    assert_eq!(own["source"], "org.herdbook");
    // There the new owner names it by our pair; rows stay with the organisation that owned the animal.
    let path = format!("{OTHER}/diagnoses");
    for (document, status) in [(vec!["A", "B", "C"], 400), (vec!["A", "Bee"], 200)] {
        let mut doc = diagnoses(&document);
        doc["meta"] = own.clone();
        let (got, _, body) = s.f.post(&path, &s.other, doc).await;
        assert_eq!(got, status, "{body}");
        if status == 400 {
            assert_eq!(body["errors"][0]["instance"], "/diagnoses");
        } else {
            assert_eq!(names(&body), document);
            assert_eq!(body["meta"]["sourceId"], own["sourceId"]);
        }
    }
    let (_, _, page) = s.f.get(&path, &s.other).await;
    assert_eq!(page["view"]["totalItems"], 1, "{page}");
}

#[test_each(Stage::each())]
async fn one_milking_told_by_two_sources_is_two_resources_and_counts_once(s: Stage) {
    let visit = |source: &str, milk: f64| {
        let own = json!({"milkingStartingDateTime": "2026-01-10T05:00:00Z",
            "milkingMilkWeight": {"value": milk, "unitCode": "KGM"}});
        let mut visit = event(source, "icarMilkingVisitEventResource", "2026-01-10", own);
        visit["eventDateTime"] = "2026-01-10T05:00:00Z".into();
        visit["meta"]["source"] = source.into();
        visit
    };
    for (source, milk) in [("robot.example", 12.0), ("dairy.example", 12.5)] {
        let (status, body) = send(&s, "milking-visits", &visit(source, milk)).await;
        assert_eq!(status, 201, "{body}");
    }
    assert_eq!(list(&s, "milking-visits").await.len(), 2);
    let days = rows(&s, "daily-milkings").await;
    assert_eq!(days.len(), 1);
    // Of two reports of one milking the higher yield counts, whichever came first.
    holds!(days[0], {"milkYield": 12.5, "milkings": 1});
}

#[test_each(Stage::each())]
async fn data_sets_of_one_collection_have_keys_of_their_own(s: Stage) {
    types(&s).await;
    for (set, resource, day, own) in table![
        "parturitions", "icarReproParturitionEventResource", "2025-01-05", json!({"damParity": 1});
        "drying-offs", "icarMilkingDryOffEventResource", "2025-11-05", json!({});
        "abortions", "icarReproAbortionEventResource", "2025-12-05", json!({});
        "treatments", "icarTreatmentEventResource", "2025-06-05", json!({"procedure": "Drench"});
        "health-status", "icarHealthStatusObservedEventResource", "2025-06-06", json!({"observedStatus": "Ill"});
        "heats", "icarReproHeatEventResource", "2025-03-05", json!({"certainty": "InHeat"});
    ] {
        let doc = event("17", resource, day, own);
        let (status, body) = send(&s, set, &doc).await;
        assert_eq!(status, 201, "{set}: {body}");
        assert_eq!(keys(&Value::from(list(&s, set).await)), ["17"], "{set}");
    }
    let numbers: Vec<Value> =
        (rows(&s, "calvings").await.iter()).map(|r| json!([r["eventType"], r["number"]])).collect();
    assert_eq!(numbers, [json!(["calving", 1]), json!(["dryOff", 1]), json!(["abortion", 1])]);
    let (_, cow) = s.get("/api/animals/11?depth=0").await;
    assert_eq!(cow["current"]["healthStatus"], "ill");
}

#[tokio::test]
async fn what_a_sender_says_beyond_our_fields_of_an_event_comes_back() {
    let s = Stage::plain().await;
    types(&s).await;
    let heat = json!({"heatDetectionMethod": "EarTag", "deviceHeatProbability": 88.5,
        "commencementDateTime": "2026-01-10T05:30:00Z", "certainty": "Suspect",
        "optimumInseminationWindow": [{"startDateTime": "2026-01-10T12:00:00Z"}], "x-own": 1});
    let doc = event("h1", "icarReproHeatEventResource", "2026-01-10", heat.clone());
    let (status, body) = send(&s, "heats", &doc).await;
    assert_eq!(status, 201, "{body}");
    for (name, value) in heat.as_object().unwrap() {
        assert_eq!(&body[name], value, "{name}");
    }
    let row = &rows(&s, "events").await[0];
    holds!(row, {"result": "earTag", "value": 88.5, "payload.certainty": "Suspect"});
    assert!(row["payload"].get("x-own").is_none(), "{row}");
    // Values that users write there stay, and those that the standard does not allow are not served.
    let at = format!("/api/events/{}", row["id"]);
    let patch = json!({"payload": {"certainty": 5, "stall": "7"}});
    let (status, answer) = patched(&s, &at, &patch).await;
    assert_eq!(status, 200, "{answer}");
    let served = &list(&s, "heats").await[0];
    assert_eq!(ade::validate("icarReproHeatEventResource", served), []);
    assert!(served.get("certainty").is_none() && served.get("stall").is_none());
    // Its sender repeats the value: the correction stays, and the answer names it.
    let (_, body) = send(&s, "heats", &doc).await;
    assert!(body.get("certainty").is_none(), "{body}");
    let corrected = json!(["/commencementDateTime", "/certainty", "/optimumInseminationWindow"]);
    assert_eq!(body["meta"]["corrected"], corrected);
    let mut sure = doc.clone();
    sure["certainty"] = "InHeat".into();
    let (_, body) = send(&s, "heats", &sure).await;
    assert_eq!(body["certainty"], "InHeat");
    let corrected = json!(["/commencementDateTime", "/optimumInseminationWindow"]);
    assert_eq!(body["meta"]["corrected"], corrected);
    assert_eq!(rows(&s, "events").await[0]["payload"]["stall"], "7");

    let medicine = json!({"medicine": {"identifier": {"id": "P-9", "scheme": "vet.shop"},
        "registeredIdentifier": {"id": "R-1", "scheme": "vet.register"}, "name": "Cefalexin",
        "family": "Veterinary Supplies"},
        "batches": [{"identifier": "B1"}, {"identifier": "B2", "expiryDate": "2027-01-01T00:00:00Z"}],
        "positions": [{"position": "UdderRearLeft"}],
        "withdrawals": [{"productType": "Milk", "endDate": "2026-01-20T00:00:00Z", "market": "EU"}],
        "dose": {"doseQuantity": 5, "doseUnits": "MLT"}});
    let doc = event("t1", "icarTreatmentEventResource", "2026-01-11", medicine.clone());
    let (status, body) = send(&s, "treatments", &doc).await;
    assert_eq!(status, 201, "{body}");
    for (name, value) in medicine.as_object().unwrap() {
        let mut served = body[name].clone();
        if let Some(end) = served.pointer_mut("/0/endDate") {
            *end = "2026-01-20T00:00:00Z".into();
        }
        assert_eq!(&served, value, "{name}");
    }
    let row = rows(&s, "health-events").await.remove(0);
    holds!(row, {"medicine.registeredId": "R-1", "medicine.batch": "B1", "positions": ["udderRearLeft"]});
}

#[tokio::test]
async fn a_calf_of_tons_is_refused_the_first_time() {
    let s = Stage::plain().await;
    let calf = json!({"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Female",
        "birthWeight": {"measurement": 4.5, "units": "TNE"}});
    let own = json!({"progenyDetails": [calf]});
    let doc = event("p1", "icarReproParturitionEventResource", "2026-01-10", own);
    let (status, answer) = send(&s, "parturitions", &doc).await;
    assert_eq!(status, 400, "{answer}");
    let fault = &answer["errors"][0];
    let at = "/progenyDetails/0/birthWeight";
    holds!(fault, {"type": "too-large", "instance": at}, "{answer}");
    assert_eq!(rows(&s, "calvings").await, Vec::<Value>::new());
}
