//! The answers of the service that this one replaces: its table of errors row by row, its bodies of
//! intake, pages, feed and data sets.

use crate::ade::stage::{BATCH, FARM, PUSH, Stage, gone, placed, weight};
use serde_json::{Value, json};

const PREFER: [(&str, &str); 1] = [("prefer", "deployed-answers")];
const ELEVEN: [&str; 11] = [
    "animals",
    "test-day-results",
    "parturitions",
    "inseminations",
    "type-classifications",
    "weights",
    "breeding-values",
    "arrivals",
    "departures",
    "deaths",
    "pregnancy-checks",
];

/// A request, its answer, and the place of a value in the answer.
struct Row {
    name: &'static str,
    method: &'static str,
    path: String,
    signed: bool,
    body: Value,
    status: u16,
    code: &'static str,
    meta: Value,
}

fn row(name: &'static str, path: impl Into<String>, status: u16, code: &'static str) -> Row {
    Row {
        name,
        method: "POST",
        path: path.into(),
        signed: true,
        body: json!([weight(1, 11)]),
        status,
        code,
        meta: Value::Null,
    }
}

impl Row {
    fn get(self) -> Self {
        let method = "GET";
        Self { method, body: Value::Null, ..self }
    }

    fn body(self, body: Value) -> Self {
        Self { body, ..self }
    }

    fn meta(self, meta: Value) -> Self {
        Self { meta, ..self }
    }
}

fn without(pointer: &str) -> Value {
    let mut doc = weight(1, 11);
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = doc.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.remove(name);
    doc
}

fn with(pointer: &str, value: Value) -> Value {
    let mut doc = weight(1, 11);
    *doc.pointer_mut(pointer).unwrap() = value;
    doc
}

fn table() -> Vec<Row> {
    let one = format!("{FARM}/weights");
    let gone = gone(&placed(weight(1, 11), "1"));
    let supported = json!({"supported": ELEVEN});
    let writable = ["test-day-results", "parturitions", "inseminations", "weights"];
    let methods = json!({"field": "weight.method", "allowed": ["LoadCell", "Girth", "Assessed", "WalkOver", "Predicted",
        "Imaged", "FrontEndCorrelated", "GroupAverage"]});
    let there = "/ade/v1/locations/org.herdbook.orgid";
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/99/weights";
    let continued = json!([placed(weight(1, 11), "1"), {"id": "@continuation", "token": "x"}]);
    Vec::from(table![
        Row { signed: false, ..row("no token", &one, 401, "unauthorized") };
        row("a foreign location", format!("{there}/2/weights"), 404, "location-forbidden").get();
        row("an unknown location", batch, 404, "location-forbidden");
        row("another scheme", "/ade/v1/locations/x/1/weights", 404, "location-forbidden").get();
        row("no such collection", format!("{FARM}/goats"), 404, "collection-unknown").get().meta(supported.clone());
        row("no such set", "/ade/v1/datasets/goats/changes", 404, "collection-unknown").get().meta(supported);
        row("a read only collection", format!("{FARM}/lactations"), 405, "method-not-allowed")
            .meta(json!({"writable": writable}));
        row("no JSON", &one, 400, "body-not-json").body("{".into());
        row("no array", BATCH, 400, "body-shape").body(weight(1, 11));
        row("no array in a push", PUSH, 400, "body-shape").body(weight(1, 11));
        row("an empty array", BATCH, 400, "body-shape").body(json!([]));
        row("no object", &one, 400, "body-shape").body(json!(17));
        row("no objects in a push", PUSH, 400, "body-shape").body(json!([17]));
        row("a continuation in a push", PUSH, 400, "body-shape").body(continued);
        row("no source", &one, 400, "field-missing").body(without("/meta/source"))
            .meta(json!({"field": "meta.source"}));
        row("no animal", &one, 400, "field-missing").body(without("/animal")).meta(json!({"field": "animal"}));
        row("a code that is none", &one, 400, "field-value").body(with("/weight/method", "Guess".into())).meta(methods);
        row("no such day", &one, 400, "field-value").body(with("/eventDateTime", "2026-02-30".into()))
            .meta(json!({"field": "eventDateTime"}));
        row("half an animal", format!("{one}?animal-id=1"), 400, "field-value").get()
            .meta(json!({"field": "animal-scheme"}));
        row("a bad token", "/ade/v1/datasets/weights/changes?since=abc", 400, "field-value").get();
        row("a deletion in a push", PUSH, 400, "field-value").body(json!([gone]));
        row("an animal of others", &one, 422, "animal-not-found").body(weight(1, 21))
            .meta(json!({"animal": weight(1, 21)["animal"]["id"]}));
    ])
}

#[tokio::test]
async fn its_errors_are_told_row_by_row() {
    let s = Stage::plain().await;
    for row in table() {
        let token = if row.signed { s.farm.as_str() } else { "" };
        let response = s.send(row.method, &row.path, token, &PREFER, row.body);
        let (status, headers, body) = response.await;
        let name = row.name;
        assert_eq!(status, row.status, "{name}: {body}");
        let first = &body["errors"][0];
        assert_eq!(first["code"], row.code, "{name}: {body}");
        assert_eq!(first["status"], row.status, "{name}");
        assert!(first["id"].as_str().is_some_and(|id| id.len() == 36), "{name}");
        let russian = |t: &str| t.chars().any(|c| ('а'..='я').contains(&c));
        assert!(first["title"].as_str().is_some_and(russian), "{name}: {body}");
        for error in body["errors"].as_array().unwrap() {
            let known = ["id", "status", "code", "title", "detail", "meta"];
            let members = error.as_object().unwrap();
            assert!(members.keys().all(|m| known.contains(&m.as_str())), "{name}: {error}");
        }
        for (member, value) in row.meta.as_object().into_iter().flatten() {
            assert_eq!(&first["meta"][member], value, "{name}: {body}");
        }
        if status == 405 {
            assert_eq!(headers["allow"], "GET", "{name}");
        }
        assert_eq!(headers["preference-applied"], "deployed-answers");
        assert!(!headers.contains_key("x-icar-ade-version"), "errors carry no release");
    }
    // A row that cannot be stored beside another.
    let (_, _, response) = s.f.post(&format!("{FARM}/weights"), &s.farm, weight(1, 11)).await;
    let mut ours = weight(1, 11);
    ours["meta"]["source"] = "org.herdbook".into();
    ours["meta"]["sourceId"] = format!("weights:{}", response["id"].as_str().unwrap()).into();
    let path = format!("{FARM}/weights");
    let (status, _, body) = s.send("POST", &path, &s.farm, &PREFER, ours).await;
    assert_eq!((status, &body["errors"][0]["code"]), (500, &json!("conflict")), "{body}");
    // The list of locations has another message.
    let response = s.send("GET", "/ade/v1/locations", "", &PREFER, Value::Null);
    let (status, _, body) = response.await;
    assert_eq!((status, &body["resourceType"]), (401, &"icarResponseMessageResource".into()));
    assert_eq!(body["severity"], "Error");
}

#[tokio::test]
async fn its_intake_answers_with_messages() {
    let s = Stage::plain().await;
    let path = format!("{FARM}/weights");
    let mut changed = weight(1, 11);
    changed["weight"]["measurement"] = 600.into();
    let gone = gone(&weight(1, 11));
    let same = changed.clone();
    let steps =
        [(weight(1, 11), 201, "created"), (changed, 200, "updated"), (same, 200, "updated"), (gone, 200, "deleted")];
    for (doc, expected, word) in steps {
        let (status, _, body) = s.send("POST", &path, &s.farm, &PREFER, doc).await;
        assert_eq!(status, expected, "{body}");
        let id = body["id"].clone();
        assert_eq!(
            body,
            json!({"resourceType": "icarResponseMessageResource", "severity": "Information", "message": word, "id": id})
        );
        assert!(id.is_string(), "{body}");
    }
    let all = json!([weight(2, 11), weight(3, 21), weight(2, 11)]);
    let (status, _, body) = s.send("POST", BATCH, &s.farm, &PREFER, all).await;
    assert_eq!((status, &body["resourceType"]), (200, &"icarBatchResult".into()));
    holds!(body, {"meta": {"source": "org.herdbook", "modified": "2026-03-01T12:00:00.000Z"}});
    let messages: Vec<(&str, &str)> = (body["messages"].as_array().unwrap().iter())
        .map(|m| (m["severity"].as_str().unwrap(), m["resourceType"].as_str().unwrap()))
        .collect();
    let kind = "icarResponseMessageResource";
    assert_eq!(messages, [("Information", kind), ("Error", kind), ("Information", kind)]);
    holds!(body, {"messages.0.message": "created", "messages.2.message": "updated"});
    assert_eq!(body["messages"][0]["id"], body["messages"][2]["id"]);
    let (status, _, body) = s.send("POST", PUSH, &s.farm, &PREFER, json!([placed(weight(4, 11), "1")])).await;
    assert_eq!((status, body), (200, Value::Null));
}

#[tokio::test]
async fn its_pages_sets_and_feeds_are_as_they_were() {
    let s = Stage::plain_with(&[("exchange.answers", "deployed")]).await;
    let weights: Vec<Value> = (1..4).map(|key| weight(key, 11)).collect();
    s.f.post(BATCH, &s.farm, json!(weights)).await;
    let gone = gone(&weight(2, 11));
    s.f.post(&format!("{FARM}/weights"), &s.farm, gone).await;
    let (headers, page) = ask!(s.f, s.farm, "GET {FARM}/weights?page=1&pageSize=1" => 200 with headers);
    assert!(!headers.contains_key("preference-applied"), "no preference was sent");
    holds!(page, {"view": {"totalItems": 2, "pageSize": 1, "currentPage": 1, "totalPages": 2}});
    assert_eq!(page["member"][0]["meta"]["sourceId"], "w1");
    let (_, list) = s.get("/ade/v1/locations").await;
    holds!(list, {"supportedCollections": ELEVEN, "view.totalPages": 1});
    let (_, sets) = s.get("/ade/v1/datasets").await;
    for set in sets.as_array().unwrap() {
        let name = set["name"].as_str().unwrap();
        assert!(ELEVEN.contains(&name), "{name}");
        assert_eq!(set["url"], format!("/ade/v1/datasets/{name}"));
        assert_eq!(set["containedTypes"].as_array().unwrap().len(), 1);
    }
    let (_, feed) = s.get("/ade/v1/datasets/weights/changes").await;
    let feed = feed.as_array().unwrap();
    let gone = feed.iter().find(|e| e["meta"]["isDeleted"] == true).unwrap();
    holds!(gone, {"resourceType": "icarResource", "meta.sourceId": "w2"});
    assert_eq!(gone.as_object().unwrap().len(), 2, "{gone}");
    assert_eq!(feed.first().unwrap()["id"], "@context");
    assert_eq!(feed.last().unwrap()["id"], "@continuation");
}
