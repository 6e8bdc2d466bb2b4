//! Raw documents, which belong to no collection, come back as they were sent.

use crate::ade::stage::{FARM, OTHER, Stage, animal, keys, severities};
use crate::support::fixture::number;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use tower::ServiceExt;

/// A document without the members that the server owns.
pub(crate) fn said(document: &Value) -> Value {
    let mut said = document.clone();
    let members = said.as_object_mut().unwrap();
    members.remove("resourceType");
    members.remove("location");
    if let Some(meta) = members.get_mut("meta").and_then(Value::as_object_mut) {
        meta.remove("modified");
        meta.remove("created");
    }
    said
}

fn meta(key: &str) -> Value {
    json!({"source": "feeder.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"})
}

fn intake(key: &str, cow: i64) -> Value {
    json!({
        "resourceType": "icarFeedIntakeEventResource",
        "meta": meta(key),
        "animal": animal(cow),
        "eventDateTime": "2026-02-03T04:05:06+02:00",
        "feedingStartingDateTime": "2026-02-03T04:00:00Z",
        "feedVisitDuration": {"unitCode": "SEC", "value": 306},
        "x-own": [1.0, {"a": null}],
    })
}

#[test_each(Stage::each())]
async fn numbers_keep_their_digits_and_texts_their_letters(s: Stage) {
    let numbers = "[1.0,1,-0,1E5,12345678901234567890,0.10000000000000000555,123456789.123456789123]";
    let sent = format!(
        "{{\"id\": \"f1\", \"name\": \"a \\u00e9 \\\" b\",\n  \"x\": {numbers}, \"n\": null,\n \"meta\": {{\"sourceId\": \"1\", \
         \"source\": \"feeder.example\", \"modified\": \"2026-02-01T00:00:00Z\", \"x\": 2.50}}}}"
    );
    let path = format!("{FARM}/feeds");
    let (status, _, body) = s.f.raw("POST", &path, &s.farm, sent.clone()).await;
    assert_eq!(status, 201, "{body}");
    let raw = async || {
        let request = Request::get(&path).header("authorization", format!("JWT {}", s.farm));
        let request = request.body(Body::empty()).unwrap();
        let response = s.f.router.clone().oneshot(request).await.unwrap();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    };
    let served = raw().await;
    assert!(served.contains(&format!("\"x\":{numbers},\"n\":null")), "{served}");
    assert!(served.contains("\"name\":\"a \\u00e9 \\\" b\""), "{served}");
    assert!(served.contains("\"x\":2.50"), "{served}");
    // Another order and other blanks are the same document, other digits are not.
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/feeds";
    let turned = format!(
        "[{{\"meta\":{{\"modified\":\"2026-02-09T00:00:00Z\",\"x\":2.50,\"source\":\"feeder.example\",\
         \"sourceId\":\"1\"}},\"n\":null,\"x\":{numbers},\"name\":\"a é \\\" b\",\"id\":\"f1\"}}]"
    );
    let (_, _, body) = s.f.raw("POST", batch, &s.farm, turned.clone()).await;
    assert_eq!(body[0]["messages"][0]["type"], "unchanged", "{body}");
    assert_eq!(raw().await, served);
    let other = turned.replace("[1.0,", "[1.00,");
    let (_, _, body) = s.f.raw("POST", batch, &s.farm, other).await;
    assert_eq!(body[0]["messages"][0]["type"], "updated", "{body}");
    assert!(raw().await.contains("\"x\":[1.00,1,"));
}

#[test_each(Stage::each())]
async fn animals_must_be_in_the_book_and_here(s: Stage) {
    let path = format!("{FARM}/feed-intakes");
    for cow in [21, 99] {
        let body = ask!(s.f, s.farm, "POST {path}", intake("i1", cow) => 422 ["animal-not-found"], "{cow}");
        assert_eq!(body["errors"][0]["instance"], "/animal");
    }
    let mut bad = intake("i1", 99);
    bad["feedVisitDuration"] = json!({"unitCode": "DAY"});
    bad["meta"].as_object_mut().unwrap().remove("sourceId");
    let body = ask!(s.f, s.farm, "POST {path}", bad => 400);
    holds!(body, {"errors.0.instance": "/feedVisitDuration/unitCode"});
    assert_eq!(s.get(&path).await.1["view"]["totalItems"], 0);
    // A foreign location does not exist, for any caller.
    ask!(s.f, s.farm, "POST {OTHER}/feed-intakes", intake("i1", 21) => 404 ["location-forbidden"]);
    // The animal's filter.
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/feed-intakes";
    let all = json!([intake("a", 11), intake("b", 12), intake("c", 11), intake("d", 21)]);
    let (_, _, results) = s.f.post(batch, &s.farm, all).await;
    assert_eq!(severities(&results[2]), ["Information"]);
    assert_eq!(severities(&results[3]), ["Error"], "{results}");
    let filter = format!("animal-scheme=org.herdbook.animal&animal-id={}", number(11));
    let (_, page) = s.get(&format!("{path}?{filter}")).await;
    assert_eq!(keys(&page), ["a", "c"]);
    let (_, page) = s.get(&format!("{path}?date-from=2026-02-03T02:05:06Z")).await;
    assert_eq!(page["view"]["totalItems"], 3);
    let (_, page) = s.get(&format!("{path}?date-to=2026-02-03T02:05:06Z")).await;
    assert_eq!(page["view"]["totalItems"], 0);
}

#[test_each(Stage::each_with(&[]))]
async fn documents_follow_their_animal(s: Stage) {
    let (mine, theirs) = (format!("{FARM}/feed-intakes"), format!("{OTHER}/feed-intakes"));
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/feed-intakes";
    post!(s.f, batch, &s.farm, [intake("a", 11), intake("b", 12), intake("c", 11)]);
    s.f.post(&theirs, &s.other, intake("c", 21)).await;
    s.f.pass(5);
    s.f.update("animals", 11, json!({"owner": 2})).await;
    let (_, page) = s.get(&mine).await;
    assert_eq!((keys(&page), &page["view"]["totalItems"]), (vec!["b".to_owned()], &json!(1)));
    let (_, feed) = s.get("/ade/v1/datasets/feed-intakes/changes").await;
    let dead: Vec<&Value> = (feed.as_array().unwrap().iter()).filter(|e| e["meta"]["isDeleted"] == true).collect();
    assert_eq!(dead.len(), 2, "{feed}");
    assert_eq!(dead[0]["location"]["id"], "1");
    // Theirs of the same key stays theirs.
    let (_, _, page) = s.f.get(&theirs, &s.other).await;
    assert_eq!((keys(&page), &page["view"]["totalItems"]), (vec!["c".to_owned(), "a".into()], &json!(2)));
    assert_eq!(page["member"][0]["animal"], animal(21));
    let moved = &page["member"][1];
    assert_eq!(said(moved), said(&intake("a", 11)));
    holds!(moved, {"location.id": "2", "meta.modified": "2026-03-01T12:00:05.000Z"});
    // The sender can still retract it; the present owner of the animal cannot be found by it.
    ask!(s.f, s.farm, "POST {mine}", intake("a", 11) => 422 ["animal-not-found"]);
    // Back again, and away once more.
    s.f.update("animals", 11, json!({"owner": 1})).await;
    let (_, page) = s.get(&mine).await;
    assert_eq!(page["view"]["totalItems"], 3, "{page}");
    s.f.update("animals", 11, json!({"owner": 2})).await;
    let (_, _, page) = s.f.get(&theirs, &s.other).await;
    assert_eq!(keys(&page), ["c", "a"], "nothing was lost");
    ask!(s.f, s.farm, "POST {mine}", {"meta": {"source": "feeder.example", "sourceId": "a",
        "isDeleted": true, "modified": "2026-02-02T00:00:00Z"}} => 200);
    let (_, _, page) = s.f.get(&theirs, &s.other).await;
    assert_eq!((keys(&page), &page["view"]["totalItems"]), (vec!["c".to_owned()], &json!(1)));
    // A new rendering changes nothing.
    let (_, _, before) = s.f.get("/ade/v1/datasets/everything/changes", &s.expert).await;
    s.f.exchange.projector().reproject(&s.f.book, |_, _| {}).await.unwrap();
    let (_, _, after) = s.f.get("/ade/v1/datasets/everything/changes", &s.expert).await;
    let (before, after) = (before.as_array().unwrap(), after.as_array().unwrap());
    assert_eq!(before[..before.len() - 1], after[..after.len() - 1]);
}

#[test_each(Stage::each())]
async fn many_documents_of_an_animal_follow_in_chunks(s: Stage) {
    let all: Vec<Value> = (0..301).map(|n| intake(&format!("n{n:03}"), 11)).collect();
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/feed-intakes";
    assert_eq!(s.f.post(batch, &s.farm, all.into()).await.0, 200);
    s.f.update("animals", 11, json!({"owner": 2})).await;
    let mut chunks = 0;
    while s.f.exchange.projector().work_off(&s.f.book).await.unwrap() {
        chunks += 1;
    }
    assert_eq!(chunks, 2);
    assert_eq!(s.total("feed-intakes").await, 0);
    let (_, _, page) = s.f.get(&format!("{OTHER}/feed-intakes"), &s.other).await;
    assert_eq!(page["view"]["totalItems"], 301);
}

#[test_each(Stage::each())]
async fn what_can_only_be_read_comes_by_push(s: Stage) {
    let prediction = json!([{
        "resourceType": "icarMilkPredictionResource", "meta": meta("p1"),
        "location": {"scheme": "org.herdbook.orgid", "id": "1"},
        "animal": animal(11), "eventDateTime": "2026-02-01T00:00:00Z",
        "daysInMilkAtLactationPeak": 60,
    }]);
    for set in ["milk-predictions", "everything"] {
        ask!(s.f, s.farm, "POST /ade/v1/datasets/{set}/resources", prediction => 200, "{set}");
    }
    let (_, page) = s.get(&format!("{FARM}/milk-predictions")).await;
    assert_eq!(said(&page["member"][0]), said(&prediction[0]));
    assert_eq!(page["view"]["totalItems"], 1);
    let mut foreign = prediction.clone();
    foreign[0]["location"]["id"] = "2".into();
    ask!(s.f, s.farm, "POST /ade/v1/datasets/milk-predictions/resources", foreign => 404 ["location-forbidden"]);
}

#[test_each(Stage::each())]
async fn second_names_lead_to_one_data_set(s: Stage) {
    let transaction = |key: &str| {
        json!({"resourceType": "icarFeedTransactionResource", "meta": meta(key),
            "transactionKind": "Receipt", "quantity": 12, "units": "KGM",
            "product": {"identifier": {"id": "1", "scheme": "x.y"}, "family": "Animal Feeds"}})
    };
    let batches = "/ade/v1/batches/locations/org.herdbook.orgid/1";
    for (n, name) in ["feed-transactions", "feed-inventory-transactions"].iter().enumerate() {
        let body = ask!(s.f, s.farm, "POST {batches}/{name}", [transaction(&n.to_string())] => 200);
        assert_eq!(severities(&body[0]), ["Information"], "{body}");
    }
    let (_, page) = s.get(&format!("{FARM}/feed-inventory-transactions")).await;
    assert_eq!(keys(&page), ["0", "1"]);
}

#[test_each(Stage::each())]
async fn what_is_wrong_with_one_of_a_batch_leaves_the_others(s: Stage) {
    let mut bad = intake("b", 11);
    bad.as_object_mut().unwrap().remove("feedingStartingDateTime");
    let mut later = intake("a", 11);
    later["remark"] = "later".into();
    let all = json!([intake("a", 11), bad, intake("c", 21), later]);
    let results = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/feed-intakes", all => 200);
    let words: Vec<&Value> = results.as_array().unwrap().iter().map(|r| &r["messages"][0]["type"]).collect();
    assert_eq!(words, ["created", "missing", "animal-not-found", "updated"]);
    let (_, page) = s.get(&format!("{FARM}/feed-intakes")).await;
    assert_eq!((keys(&page), &page["member"][0]["remark"]), (vec!["a".to_owned()], &json!("later")));
    let (_, _, log) = s.f.get("/api/operations?limit=5", &s.expert).await;
    assert!(log.to_string().contains("feed-intakes: 1 created, 1 updated"), "{log}");
}
