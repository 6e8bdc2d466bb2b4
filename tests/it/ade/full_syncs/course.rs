//! Full syncs: resources that a sender does not name from start to end are deleted at the end.

use crate::ade::events::rows::{event, types};
use crate::ade::stage::{FARM, OTHER, Stage, codes, gone, keys, placed, stored, weight};
use serde_json::{Value, json};

pub(crate) const EVERYTHING: &str = "/ade/v1/datasets/everything";
const WEIGHTS: &str = "/ade/v1/datasets/weights";

pub(crate) fn scale(keys: impl IntoIterator<Item = u32>) -> Value {
    let all = keys.into_iter().map(|key| placed(weight(key, 11), "1"));
    all.collect::<Vec<_>>().into()
}

pub(crate) fn sources() -> Value {
    json!({"sources": ["scale.example"]})
}

/// A sender and the full sync that it has started.
pub(crate) struct Sync<'s> {
    s: &'s Stage,
    token: String,
    pub(crate) at: String,
    pub(crate) id: String,
}

impl<'s> Sync<'s> {
    pub(crate) async fn start(s: &'s Stage, set: &str, token: &str, body: Value) -> Self {
        let path = format!("{set}/full-syncs");
        let (headers, sync) = ask!(s.f, token, "POST {path}", body => 201 with headers);
        holds!(sync, {"state": "started"});
        let at = headers["location"].to_str().unwrap().to_owned();
        let id = sync["id"].as_str().unwrap().to_owned();
        assert_eq!(at, format!("{path}/{id}"));
        let token = token.to_owned();
        Self { s, token, at, id }
    }

    pub(crate) async fn push(&self, docs: Value) -> (u16, Value) {
        let path = format!("{EVERYTHING}/resources?full-sync={}", self.id);
        let (status, _, body) = self.s.f.post(&path, &self.token, docs).await;
        (status, body)
    }

    pub(crate) async fn look(&self) -> Value {
        let (status, _, body) = self.s.f.get(&self.at, &self.token).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    pub(crate) async fn end(&self, expect: i64) -> (u16, Value) {
        let path = format!("{}/end", self.at);
        let body = json!({"expect": expect});
        let (status, _, body) = self.s.f.post(&path, &self.token, body).await;
        (status, body)
    }

    pub(crate) async fn give_up(&self) -> u16 {
        let given_up = self.s.f.request("DELETE", &self.at, &self.token, Value::Null);
        given_up.await.0
    }
}

pub(crate) fn kind(body: &Value) -> &str {
    body["errors"][0]["type"].as_str().unwrap_or("?")
}

pub(crate) fn counts(body: &Value) -> [i64; 3] {
    ["deleted", "kept", "refused"].map(|fate| body[fate]["count"].as_i64().unwrap())
}

pub(crate) fn first<'b>(body: &'b Value, fate: &str) -> Vec<&'b str> {
    let all = body[fate]["first"].as_array().unwrap().iter();
    all.map(|one| one["sourceId"].as_str().unwrap()).collect()
}

async fn token(s: &Stage) -> String {
    let (_, page) = s.get(&format!("{EVERYTHING}/changes?limit=1000")).await;
    let last = page.as_array().unwrap().last().unwrap();
    last["token"].as_str().unwrap().to_owned()
}

#[test_each(Stage::each())]
async fn what_is_not_named_becomes_deleted_at_the_end_and_nothing_else(s: Stage) {
    let push = format!("{WEIGHTS}/resources");
    assert_eq!(s.f.post(&push, &s.farm, scale(1..=8)).await.0, 200);
    // Of another source, of the Association, made by a person.
    let mut other = placed(weight(20, 12), "1");
    other["meta"]["source"] = "other.example".into();
    assert_eq!(s.f.post(&push, &s.farm, json!([other])).await.0, 200);
    assert_eq!(s.f.post(&push, &s.expert, scale([21])).await.0, 200);
    fill!(s.f, "weighings", 900, {"animal": 11, "date": "2026-01-05", "weight": 700});
    // The same source at another location.
    let theirs = placed(weight(1, 21), "2");
    assert_eq!(s.f.post(&push, &s.other, json!([theirs])).await.0, 200);
    s.f.pass(60);

    let sync = Sync::start(&s, WEIGHTS, &s.farm, sources()).await;
    // The same, changed, older than the stored state, a tombstone, and new.
    let mut two = weight(2, 11);
    two["weight"]["measurement"] = 610.into();
    two["meta"]["modified"] = "2026-02-02T00:00:00Z".into();
    let mut three = weight(3, 11);
    three["meta"]["modified"] = "2025-02-02T00:00:00Z".into();
    let four = gone(&weight(4, 11));
    let document = [weight(1, 11), two, three, four, weight(9, 12)];
    let document: Vec<Value> = document.into_iter().map(|doc| placed(doc, "1")).collect();
    for _ in 0..2 {
        let (status, body) = sync.push(document.clone().into()).await;
        assert_eq!(status, 200, "{body}");
    }
    // 5 by another request, 6 by a person; 7 and 8 are not named.
    let mut five = weight(5, 11);
    five["weight"]["measurement"] = 605.into();
    let path = format!("{FARM}/weights");
    assert_eq!(s.f.post(&path, &s.farm, five).await.0, 200);
    let (_, page) = s.get(&path).await;
    let members = page["member"].as_array().unwrap();
    let six = members.iter().find(|m| m["meta"]["sourceId"] == "w6");
    let six = six.unwrap()["id"].as_str().unwrap().parse().unwrap();
    s.f.update("weighings", six, json!({"weight": 666})).await;
    let state = sync.look().await;
    holds!(state, {"pushes": 2, "resources": 5});
    assert!(state.get("deleted").is_none(), "{state}");

    let mark = token(&s).await;
    let tried = tried(&s, &sync).await;

    let (status, ended) = sync.end(5).await;
    assert_eq!(status, 200, "{ended}");
    assert_eq!(ended["state"], "ended");
    for fate in ["deleted", "kept", "refused"] {
        assert_eq!(ended[fate], tried[fate], "as the dry run said");
    }
    let mut found = stored(&s).await;
    found.sort();
    assert_eq!(found.join(" "), "w1 w2 w20 w21 w3 w5 w6 w9 weights:900");
    let (_, _, theirs) = s.f.get(&format!("{OTHER}/weights"), &s.other).await;
    assert_eq!(keys(&theirs), ["w1"]);
    // Tombstones in the feed and in the book, and nothing else.
    let since = format!("{EVERYTHING}/changes?since={mark}");
    let (_, feed) = s.get(&since).await;
    let state: Vec<(&str, bool)> = (feed.as_array().unwrap().iter())
        .filter_map(|m| {
            let meta = &m["meta"];
            Some((meta["sourceId"].as_str()?, meta["isDeleted"] == true))
        })
        .collect();
    assert_eq!(state, [("w7", true), ("w8", true)]);
    let (_, buried) = s.get("/api/ade-tombstones?sort=id").await;
    assert_eq!(buried["totalDocs"], 3, "w4, w7, w8: {buried}");
    assert_ended(&s, &sync, &ended).await;
    // A deleted document can come back with its former state.
    assert_eq!(s.f.post(&push, &s.farm, scale([7])).await.0, 200);
    assert!(stored(&s).await.contains(&"w7".to_owned()));
}

/// Ended again, a full sync gives the same answer, and nothing is done.
async fn assert_ended(s: &Stage, sync: &Sync<'_>, ended: &Value) {
    let before = s.tally().await;
    assert_eq!(sync.end(5).await, (200, ended.clone()));
    assert_eq!(sync.end(17).await, (200, ended.clone()), "it has ended");
    assert_eq!(sync.look().await, *ended);
    assert_eq!(s.tally().await, before);
    let (status, body) = sync.push(scale([30])).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-ended"));
    assert_eq!((sync.give_up().await, s.tally().await), (409, before));
}

/// An end is tried first, and does not begin with a wrong count; what it would do.
async fn tried(s: &Stage, sync: &Sync<'_>) -> Value {
    let before = s.tally().await;

    let (status, body) = sync.end(4).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-count"), "{body}");
    let meta = &body["errors"][0]["meta"];
    holds!(meta, {"expected": 4, "resources": 5});
    let only = format!("{}/end?validate=only", sync.at);
    let (headers, tried) = ask!(s.f, s.farm, "POST {only}", {"expect": 5} => 200 with headers);
    assert_eq!(counts(&tried), [2, 1, 0], "{tried}");
    assert_eq!(first(&tried, "deleted"), ["w7", "w8"]);
    assert_eq!(first(&tried, "kept"), ["w6"]);
    let remark: Value = serde_json::from_slice(headers["x-icar-ade-messages"].as_bytes()).unwrap();
    assert_eq!(remark[0]["type"], "only-checked");
    assert_eq!(s.tally().await, before);
    assert_eq!(sync.look().await["state"], "started");
    tried
}

/// A document of each type that the herd book takes in.
pub(crate) fn mapped() -> Vec<Value> {
    let yielded = json!({"unitCode": "KGM", "value": 30.5});
    let all = table![
        "icarReproParturitionEventResource", "2025-01-05", json!({"damParity": 1});
        "icarReproHeatEventResource", "2025-03-05", json!({"certainty": "InHeat"});
        "icarReproInseminationEventResource", "2025-03-06", json!({"inseminationType": "Insemination"});
        "icarReproPregnancyCheckEventResource", "2025-04-20", json!({"method": "Blood", "result": "Pregnant"});
        "icarMilkingDryOffEventResource", "2025-11-05", json!({});
        "icarReproAbortionEventResource", "2025-12-05", json!({});
        "icarTreatmentEventResource", "2025-06-05", json!({"procedure": "Drench"});
        "icarHealthStatusObservedEventResource", "2025-06-06", json!({"observedStatus": "Ill"});
        "icarDiagnosisEventResource", "2025-06-07", json!({"diagnoses": [{"name": "Cough"}, {"name": "Fever"}]});
        "icarReproDoNotBreedEventResource", "2025-12-20", json!({"doNotBreed": true});
        "icarReproStatusObservedEventResource", "2025-12-21", json!({"observedStatus": "Open"});
        "icarLactationStatusObservedEventResource", "2025-12-22", json!({"observedStatus": "Dry"});
        "icarTestDayResultEventResource", "2025-05-01", json!({"milkWeight24Hours": yielded});
        "icarWeightEventResource", "2025-05-02", json!({"weight": {"measurement": 600, "units": "KGM"}});
    ];
    all.map(|(resource, day, own)| placed(event(resource, resource, day, own), "1")).into()
}

#[test_each(Stage::each())]
async fn resources_of_every_type_come_by_push_and_go_with_a_full_sync(s: Stage) {
    types(&s).await;
    let docs = mapped();
    let sync = Sync::start(&s, EVERYTHING, &s.farm, sources()).await;
    let (status, body) = sync.push(docs.clone().into()).await;
    assert_eq!(status, 200, "{body}");
    let named = i64::try_from(docs.len()).unwrap();
    let (status, body) = sync.end(named).await;
    assert_eq!((status, counts(&body)), (200, [0, 0, 0]), "{body}");
    let live = async || {
        let (_, feed) = s.get(&format!("{EVERYTHING}/changes?limit=1000")).await;
        let all = feed.as_array().unwrap().iter();
        let sent = all.filter(|m| m["meta"]["source"] == "scale.example");
        let live = sent.filter(|m| m["meta"]["isDeleted"] != true);
        let mut types: Vec<String> = live.map(|m| m["resourceType"].as_str().unwrap().to_owned()).collect();
        types.sort();
        types
    };
    let mut sent: Vec<&str> = docs.iter().map(|doc| doc["resourceType"].as_str().unwrap()).collect();
    sent.sort_unstable();
    assert_eq!(live().await, sent);
    s.f.pass(60);
    let sync = Sync::start(&s, EVERYTHING, &s.farm, sources()).await;
    let (status, body) = sync.end(0).await;
    assert_eq!((status, counts(&body)), (200, [named, 0, 0]), "{body}");
    assert_eq!(live().await, Vec::<String>::new());
    for (set, collection) in [("calvings", "calvings"), ("tests", "milk-tests")] {
        let (_, page) = s.get(&format!("/api/{collection}?depth=0")).await;
        assert_eq!(page["totalDocs"], 0, "{set}: {page}");
    }
}

#[test_each(Stage::each())]
async fn what_cannot_be_started_or_pushed_is_refused_with_its_place(s: Stage) {
    let before = s.tally().await;
    let path = format!("{WEIGHTS}/full-syncs");
    let place = |id: &str| json!({"scheme": "org.herdbook.orgid", "id": id});
    for (body, status, code, pointer) in table![
        json!([]), 400, "body-shape", Value::Null;
        json!({}), 400, "field-missing", json!("/sources");
        json!({"sources": []}), 400, "field-value", json!("/sources");
        json!({"sources": "a"}), 400, "field-value", json!("/sources");
        json!({"sources": ["a", ""]}), 400, "field-value", json!("/sources/1");
        json!({"sources": ["org.herdbook"]}), 400, "field-value", json!("/sources/0");
        json!({"sources": ["a"], "x": 1}), 400, "field-value", json!("/x");
        json!({"sources": ["a"], "locations": [place("1"), place("2")]}), 404, "location-forbidden",
            json!("/locations/1");
        json!({"sources": ["a"], "locations": [{"id": "1"}]}), 404, "location-forbidden", json!("/locations/0");
    ] {
        let (found, _, answer) = s.f.post(&path, &s.farm, body.clone()).await;
        assert_eq!((found, codes(&answer)), (status, vec![code]), "{body}: {answer}");
        assert_eq!(answer["errors"][0]["instance"], pointer, "{body}");
    }
    ask!(s.f, s.expert, "POST {path}", sources() => 400 ["field-missing"], "which locations?");
    let foreign = json!({"sources": ["a"], "locations": [place("777")]});
    ask!(s.f, s.expert, "POST {path}", foreign => 404 ["location-forbidden"]);
    for (path, status) in [
        ("/ade/v1/datasets/animals/full-syncs", 405),
        ("/ade/v1/datasets/set-1/full-syncs", 405),
        ("/ade/v1/datasets/nothing/full-syncs", 404),
    ] {
        assert_eq!(s.f.post(path, &s.farm, sources()).await.0, status, "{path}");
    }
    let viewer = s.f.user(5, "farmer", Some(1), "viewer").await;
    assert_eq!(s.f.post(&path, "", sources()).await.0, 401);
    assert_eq!(s.f.post(&path, &viewer, sources()).await.0, 403);
    let (status, _, answer) = {
        let push = format!("{WEIGHTS}/resources");
        let header = [("icar-full-sync", "true")];
        let response = s.send("POST", &push, &s.farm, &header, scale([1]));
        response.await
    };
    assert_eq!((status, kind(&answer)), (400, "full-sync-header"), "{answer}");
    for id in ["nothing", "00000000-0000-4000-8000-000000000000", "%00"] {
        let path = format!("{WEIGHTS}/resources?full-sync={id}");
        let status = s.f.post(&path, &s.farm, scale([1])).await.0;
        assert_eq!(status, if id == "%00" { 400 } else { 404 }, "{id}");
    }
    assert_eq!(stored(&s).await.len(), 0);
    // The viewer's account is all that was added.
    let users =
        |tally: Vec<String>| -> Vec<String> { (tally.into_iter()).filter(|t| t.contains("exchange")).collect() };
    assert_eq!(users(s.tally().await), users(before));

    assert_bounds(&s, &viewer).await;
}

/// What is pushed to a full sync is of its sources and its set, sent by its own people, at its own address.
async fn assert_bounds(s: &Stage, viewer: &str) {
    let sync = Sync::start(s, WEIGHTS, &s.farm, sources()).await;
    let mut source = placed(weight(2, 11), "1");
    source["meta"]["source"] = "other.example".into();
    let heat = event("h", "icarReproHeatEventResource", "2026-01-10", json!({"certainty": "InHeat"}));
    let docs = json!([placed(weight(1, 11), "1"), source, placed(heat, "1")]);
    let (status, body) = sync.push(docs).await;
    assert_eq!(status, 400, "{body}");
    let answer: Vec<[&str; 2]> = (body["errors"].as_array().unwrap().iter())
        .map(|e| [&e["type"], &e["instance"]].map(|v| v.as_str().unwrap()))
        .collect();
    assert_eq!(answer, [["outside-full-sync", "/1/meta/source"], ["outside-full-sync", "/2/resourceType"],]);
    assert_eq!(sync.look().await["pushes"], 0);
    let from = sync.push(json!([{"id": "@context"}, placed(weight(1, 21), "1")])).await;
    assert_eq!(from.0, 422, "a push is all or nothing: {}", from.1);
    assert_eq!(sync.look().await["resources"], 0);
    // At its own address alone, for its own people alone.
    let stray = sync.at.replace("/weights/", "/everything/");
    assert_eq!(s.f.get(&stray, &s.farm).await.0, 404);
    assert_eq!(s.f.get(&sync.at, &s.other).await.0, 404);
    assert_eq!(s.f.get(&sync.at, "").await.0, 401);
    assert_eq!(s.f.get(&sync.at, &s.expert).await.0, 200);
    let end = format!("{}/end", sync.at);
    let expect = json!({"expect": 0});
    assert_eq!(s.f.post(&end, &s.other, expect.clone()).await.0, 404);
    assert_eq!(s.f.post(&end, &s.expert, expect.clone()).await.0, 403);
    assert_eq!(s.f.post(&end, viewer, expect).await.0, 403);
    let push = format!("{EVERYTHING}/resources?full-sync={}", sync.id);
    assert_eq!(s.f.post(&push, &s.expert, scale([1])).await.0, 403);
    assert_eq!(s.f.post(&push, &s.other, scale([1])).await.0, 404);
    let body = ask!(s.f, s.farm, "POST {end}", {} => 400 ["field-missing"]);
    holds!(body, {"errors.0.instance": "/expect"});
    for expect in [json!(-1), json!(1.5), json!("1"), Value::Null] {
        ask!(s.f, s.farm, "POST {end}", {"expect": expect} => 400 ["field-value"], "{expect}");
    }
    // Given up: it can be given up again, and deletes nothing.
    assert_eq!((sync.give_up().await, sync.give_up().await), (204, 204));
    let (status, body) = sync.push(scale([1])).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-given-up"));
    let (status, body) = sync.end(0).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-given-up"));
}

#[test_each(Stage::each_with(&[("exchange.full_sync_lease", "60")]))]
async fn a_full_sync_that_nobody_pushes_to_expires_and_deletes_nothing(s: Stage) {
    s.weigh(&[1, 2]).await;
    let sync = Sync::start(&s, WEIGHTS, &s.farm, sources()).await;
    for _ in 0..3 {
        s.f.pass(50);
        assert_eq!(sync.push(scale([1])).await.0, 200, "each push renews it");
    }
    s.f.pass(50);
    // A request that is refused or only checked does not renew the full sync.
    let bad = json!([placed(weight(1, 21), "1")]);
    assert_eq!(sync.push(bad).await.0, 422);
    let only = format!("{WEIGHTS}/resources?validate=only&full-sync={}", sync.id);
    assert_eq!(s.f.post(&only, &s.farm, scale([1, 2])).await.0, 200);
    assert_eq!(sync.look().await["resources"], 1);
    s.f.pass(10);
    assert_eq!(sync.look().await["state"], "expired");
    let before = s.tally().await;
    let (status, body) = sync.push(scale([2])).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-expired"), "{body}");
    let (status, body) = sync.end(1).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-expired"));
    assert_eq!(sync.give_up().await, 204);
    assert_eq!(sync.look().await["state"], "expired");
    assert_eq!(s.tally().await, before);
    assert_eq!(stored(&s).await, ["w1", "w2"]);

    // It is dropped together with the batches; one that is still running is not.
    let going = Sync::start(&s, WEIGHTS, &s.farm, sources()).await;
    s.f.pass(1);
    let now = s.f.book.clock.now();
    let forget = || s.f.exchange.full_syncs().forget_full_syncs(&s.f.book, now);
    assert!(forget().await.unwrap());
    assert!(!forget().await.unwrap());
    assert_eq!(s.f.get(&sync.at, &s.farm).await.0, 404);
    assert_eq!(going.look().await["state"], "started");
    let (status, body) = going.end(0).await;
    assert_eq!((status, counts(&body)), (200, [2, 0, 0]));
}

#[test_each(Stage::each())]
async fn the_later_start_wins_where_both_can_name_the_same(s: Stage) {
    s.weigh(&[1, 2]).await;
    let both = json!({"sources": ["scale.example", "other.example"]});
    let place = |id: &str| json!({"scheme": "org.herdbook.orgid", "id": id});
    let of = |id: &str| json!({"sources": ["scale.example"], "locations": [place(id)]});
    let earlier = Sync::start(&s, EVERYTHING, &s.farm, both).await;
    assert_eq!(earlier.push(scale([1])).await.0, 200);
    // Nothing in common: another source, other resources, another organisation.
    let apart = [
        Sync::start(&s, WEIGHTS, &s.farm, json!({"sources": ["third.example"]})).await,
        Sync::start(&s, WEIGHTS, &s.expert, of("1")).await,
        Sync::start(&s, WEIGHTS, &s.expert, of("2")).await,
    ];
    assert_eq!(earlier.look().await["state"], "started");
    let later = Sync::start(&s, WEIGHTS, &s.farm, of("1")).await;
    assert_eq!(earlier.look().await["state"], "superseded");
    for one in &apart {
        assert_eq!(one.look().await["state"], "started");
    }
    let (status, body) = earlier.push(scale([2])).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-superseded"), "{body}");
    let (status, body) = earlier.end(1).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-superseded"));
    assert_eq!(stored(&s).await.len(), 2);
    // The later full sync must name again the documents that the earlier one named.
    assert_eq!(later.push(scale([2])).await.0, 200);
    let (status, body) = later.end(1).await;
    assert_eq!((status, counts(&body)), (200, [1, 0, 0]), "{body}");
    assert_eq!(stored(&s).await, ["w2"]);
    // The Association sent nothing: it deletes nothing that the farm sent.
    let (status, body) = apart[1].end(0).await;
    assert_eq!((status, counts(&body)), (200, [0, 0, 0]));
    assert_eq!(stored(&s).await, ["w2"]);
}
