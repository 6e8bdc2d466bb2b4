//! Raw documents, which belong to no collection, come back as they were sent.

use super::generate::{self, Dice};
use super::stage::{FARM, OTHER, Stage, animal, keys, severities};
use crate::support::fixture::number;
use ade::schema::Standard;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use mapping::{Mapping, Part};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use tower::ServiceExt;

const SEED: u64 = 151;
/// Documents of each type.
const OF_EACH: usize = 4;

/// A document without the members that the server owns.
pub(super) fn said(document: &Value) -> Value {
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

/// A valid document of a data set, of cow 11 where it is about one.
fn document(mapping: &Mapping, dice: &mut Dice, key: &str) -> Value {
    let declaration = Standard::get().resource(mapping.resource()).unwrap();
    let mut document = generate::valid(declaration, dice);
    let members = document.as_object_mut().unwrap();
    members.insert("resourceType".into(), mapping.resource().into());
    let sent = members.entry("meta").or_insert_with(|| json!({}));
    let sent = sent.as_object_mut().unwrap();
    sent.remove("isDeleted");
    for (name, value) in meta(key).as_object().unwrap() {
        sent.insert(name.clone(), value.clone());
    }
    if mapping.has(Part::Animal) {
        members.insert("animal".into(), animal(11));
    }
    // Members that lead to rows of animals have tests of their own.
    for name in ["embeddedAnimalSet", "animalWeights"] {
        members.remove(name);
    }
    document
}

#[tokio::test]
async fn documents_of_every_type_come_back_equal() {
    let bundle = Official::open();
    for s in Stage::each().await {
        let mappings = s.f.exchange.rules().mappings();
        let whole: Vec<&Mapping> = mappings.all().filter(|m| m.is_passthrough()).collect();
        assert!(!whole.is_empty());
        let mut dice = Dice(SEED);
        for mapping in whole {
            let name = mapping.dataset();
            let sent: Vec<Value> = (0..OF_EACH)
                .map(|n| document(mapping, &mut dice, &format!("{name}-{n}")))
                .collect();
            let mut pushed = sent.clone();
            for one in &mut pushed {
                one["location"] = json!({"scheme": "org.herdbook.orgid", "id": "1"});
            }
            let push = format!("/ade/v1/datasets/{name}/resources");
            ask!(s.f, s.farm, "POST {push}", pushed => 200, "{name}");
            let (_, page) = match ade::catalog::Catalog::get().collection(name) {
                // A list that must be narrowed: its feed has all.
                Some(entry) if !entry.required.is_empty() => {
                    let (_, feed) = s.get(&format!("/ade/v1/datasets/{name}/changes")).await;
                    let all = feed.as_array().unwrap();
                    (200, json!({"member": all[1..all.len() - 1]}))
                }
                _ => s.get(&format!("{FARM}/{name}")).await,
            };
            let served = page["member"].as_array().unwrap();
            assert_eq!(served.len(), sent.len(), "{name}: {page}");
            for (sent, served) in sent.iter().zip(served) {
                assert_eq!(said(sent), said(served), "{name}");
                assert_eq!(served["resourceType"], mapping.resource());
                holds!(served, {"location": {"scheme": "org.herdbook.orgid", "id": "1"}});
                assert_eq!(
                    ade::validate(mapping.resource(), served),
                    [],
                    "{name}: {served}"
                );
                bundle.check(mapping.resource(), served);
            }
            let (_, feed) = s.get(&format!("/ade/v1/datasets/{name}/changes")).await;
            let feed = feed.as_array().unwrap();
            assert_eq!(&feed[1..feed.len() - 1], served.as_slice(), "{name}");
            // Once more: the same documents, no new places in the feed.
            let token = feed.last().unwrap()["token"].as_str().unwrap();
            ask!(s.f, s.farm, "POST {push}", page["member"].clone() => 200, "{name}");
            let since = format!("/ade/v1/datasets/{name}/changes?since={token}");
            let (_, later) = s.get(&since).await;
            assert_eq!(later.as_array().unwrap().len(), 2, "{name}: {later}");
        }
    }
}

/// The official schemas, where they are at hand.
struct Official(Option<(Value, RefCell<BTreeMap<String, jsonschema::Validator>>)>);

impl Official {
    fn open() -> Self {
        Self(test_support::official().map(|folder| {
            let text = std::fs::read_to_string(folder.join("ade-1.5.bundle.json")).unwrap();
            (serde_json::from_str(&text).unwrap(), Default::default())
        }))
    }

    fn check(&self, resource: &str, document: &Value) {
        let Some((bundle, made)) = &self.0 else {
            return;
        };
        let mut made = made.borrow_mut();
        let validator = made.entry(resource.to_owned()).or_insert_with(|| {
            let mut schema = bundle.clone();
            schema["$ref"] = format!("#/$defs/{resource}").into();
            let options = jsonschema::options()
                .with_draft(jsonschema::Draft::Draft202012)
                .should_validate_formats(true);
            options.build(&schema).unwrap()
        });
        let faults: Vec<String> = (validator.iter_errors(document))
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{resource}: {faults:?}");
    }
}

#[tokio::test]
async fn numbers_keep_their_digits_and_texts_their_letters() {
    for s in Stage::each().await {
        let numbers =
            "[1.0,1,-0,1E5,12345678901234567890,0.10000000000000000555,123456789.123456789123]";
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
        assert!(
            served.contains(&format!("\"x\":{numbers},\"n\":null")),
            "{served}"
        );
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
}

#[tokio::test]
async fn a_document_is_created_corrected_left_alone_and_retracted() {
    for s in Stage::each().await {
        let path = format!("{FARM}/feed-intakes");
        let (headers, first) =
            ask!(s.f, s.farm, "POST {path}", intake("i1", 11) => 201 with headers);
        assert_eq!(said(&first), said(&intake("i1", 11)));
        assert_eq!(first["meta"]["modified"], "2026-03-01T12:00:00.000Z");
        let at = headers["location"].to_str().unwrap().to_owned();
        assert_eq!(s.get(&at).await, (200, first.clone()));
        s.f.pass(5);

        let mut again = intake("i1", 11);
        again["meta"]["modified"] = "2026-02-02T00:00:00Z".into();
        let same = ask!(s.f, s.farm, "POST {path}", again => 200);
        assert_eq!(&same, &first, "equal content");

        let mut changed = intake("i1", 11);
        changed["feedVisitDuration"]["value"] = 300.5.into();
        changed["meta"]["modified"] = "2026-02-02T00:00:00Z".into();
        let second = ask!(s.f, s.farm, "POST {path}", changed => 200);
        assert_eq!(said(&second), said(&changed));
        assert_eq!(second["meta"]["modified"], "2026-03-01T12:00:05.000Z");
        assert_eq!(second["meta"]["created"], first["meta"]["created"]);
        assert_eq!(s.get(&at).await, (200, second));
        let from = format!("{path}?meta-modified-from=2026-03-01T12:00:05Z");
        assert_eq!(s.get(&from).await.1["view"]["totalItems"], 1);

        let gone = json!({"meta": {"source": "feeder.example", "sourceId": "i1",
            "isDeleted": true, "modified": "2026-02-02T00:00:00Z"}});
        let body = ask!(s.f, s.farm, "POST {path}", gone => 200);
        assert_eq!(body["meta"]["isDeleted"], true);
        assert_eq!(s.get(&at).await.0, 404);
        let (_, page) = s.get(&path).await;
        assert_eq!(
            (&page["view"]["totalItems"], keys(&page)),
            (&json!(0), vec![])
        );
        let (_, feed) = s.get("/ade/v1/datasets/feed-intakes/changes").await;
        assert_eq!(feed[1]["meta"]["isDeleted"], true, "{feed}");
        assert_eq!(feed[1]["meta"]["sourceId"], "i1");
        assert_eq!(s.f.post(&path, &s.farm, gone).await.0, 200, "once more");
        let body = ask!(s.f, s.farm, "POST {path}", intake("i1", 11) => 200);
        holds!(body, {"member": null}, "an older state");
        assert_eq!(s.get(&path).await.1["view"]["totalItems"], 0);
        let mut anew = intake("i1", 11);
        anew["meta"]["modified"] = "2026-02-03T00:00:00Z".into();
        ask!(s.f, s.farm, "POST {path}", anew => 201);
        assert_eq!(s.get(&path).await.1["view"]["totalItems"], 1);
        let (_, _, all) =
            s.f.get("/ade/v1/datasets/everything/changes", &s.farm)
                .await;
        assert!(keys(&all).contains(&"i1".to_owned()));
    }
}

#[tokio::test]
async fn animals_must_be_in_the_book_and_here() {
    for s in Stage::each().await {
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
        let all = json!([
            intake("a", 11),
            intake("b", 12),
            intake("c", 11),
            intake("d", 21)
        ]);
        let (_, _, results) = s.f.post(batch, &s.farm, all).await;
        assert_eq!(severities(&results[2]), ["Information"]);
        assert_eq!(severities(&results[3]), ["Error"], "{results}");
        let filter = format!("animal-scheme=org.herdbook.animal&animal-id={}", number(11));
        let (_, page) = s.get(&format!("{path}?{filter}")).await;
        assert_eq!(keys(&page), ["a", "c"]);
        let (_, page) = s
            .get(&format!("{path}?date-from=2026-02-03T02:05:06Z"))
            .await;
        assert_eq!(page["view"]["totalItems"], 3);
        let (_, page) = s.get(&format!("{path}?date-to=2026-02-03T02:05:06Z")).await;
        assert_eq!(page["view"]["totalItems"], 0);
    }
}

#[tokio::test]
async fn the_same_key_is_another_document_at_another_location() {
    for s in Stage::each().await {
        for (path, token, cow) in [(FARM, &s.farm, 11), (OTHER, &s.other, 21)] {
            ask!(s.f, token, "POST {path}/feed-intakes", intake("i1", cow) => 201);
        }
        post!(s.f, &format!("{FARM}/feed-intakes"), &s.farm, {"meta": {"source": "feeder.example", "sourceId": "i1",
            "isDeleted": true, "modified": "2026-02-02T00:00:00Z"}});
        assert_eq!(
            s.get(&format!("{FARM}/feed-intakes")).await.1["view"]["totalItems"],
            0
        );
        let (_, _, page) = s.f.get(&format!("{OTHER}/feed-intakes"), &s.other).await;
        assert_eq!(page["member"][0]["animal"], animal(21));
    }
}

#[tokio::test]
async fn documents_follow_their_animal() {
    for s in Stage::each_with(&[]).await {
        let (mine, theirs) = (
            format!("{FARM}/feed-intakes"),
            format!("{OTHER}/feed-intakes"),
        );
        let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/feed-intakes";
        post!(
            s.f,
            batch,
            &s.farm,
            [intake("a", 11), intake("b", 12), intake("c", 11)]
        );
        s.f.post(&theirs, &s.other, intake("c", 21)).await;
        s.f.pass(5);
        s.f.update("animals", 11, json!({"owner": 2})).await;
        let (_, page) = s.get(&mine).await;
        assert_eq!(
            (keys(&page), &page["view"]["totalItems"]),
            (vec!["b".to_owned()], &json!(1))
        );
        let (_, feed) = s.get("/ade/v1/datasets/feed-intakes/changes").await;
        let dead: Vec<&Value> = (feed.as_array().unwrap().iter())
            .filter(|e| e["meta"]["isDeleted"] == true)
            .collect();
        assert_eq!(dead.len(), 2, "{feed}");
        assert_eq!(dead[0]["location"]["id"], "1");
        // Theirs of the same key stays theirs.
        let (_, _, page) = s.f.get(&theirs, &s.other).await;
        assert_eq!(
            (keys(&page), &page["view"]["totalItems"]),
            (vec!["c".to_owned(), "a".into()], &json!(2))
        );
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
        assert_eq!(
            (keys(&page), &page["view"]["totalItems"]),
            (vec!["c".to_owned()], &json!(1))
        );
        // A new rendering changes nothing.
        let (_, _, before) =
            s.f.get("/ade/v1/datasets/everything/changes", &s.expert)
                .await;
        s.f.exchange
            .projector()
            .reproject(&s.f.book, |_, _| {})
            .await
            .unwrap();
        let (_, _, after) =
            s.f.get("/ade/v1/datasets/everything/changes", &s.expert)
                .await;
        let (before, after) = (before.as_array().unwrap(), after.as_array().unwrap());
        assert_eq!(before[..before.len() - 1], after[..after.len() - 1]);
    }
}

#[tokio::test]
async fn many_documents_of_an_animal_follow_in_chunks() {
    for s in Stage::each().await {
        let all: Vec<Value> = (0..301).map(|n| intake(&format!("n{n:03}"), 11)).collect();
        let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/feed-intakes";
        assert_eq!(s.f.post(batch, &s.farm, all.into()).await.0, 200);
        s.f.update("animals", 11, json!({"owner": 2})).await;
        let mut chunks = 0;
        while s.f.exchange.projector().work_off(&s.f.book).await.unwrap() {
            chunks += 1;
        }
        assert_eq!(chunks, 2);
        assert_eq!(
            s.get(&format!("{FARM}/feed-intakes")).await.1["view"]["totalItems"],
            0
        );
        let (_, _, page) = s.f.get(&format!("{OTHER}/feed-intakes"), &s.other).await;
        assert_eq!(page["view"]["totalItems"], 301);
    }
}

#[tokio::test]
async fn what_can_only_be_read_comes_by_push() {
    for s in Stage::each().await {
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
}

#[tokio::test]
async fn second_names_lead_to_one_data_set() {
    for s in Stage::each().await {
        let transaction = |key: &str| {
            json!({"resourceType": "icarFeedTransactionResource", "meta": meta(key),
                "transactionKind": "Receipt", "quantity": 12, "units": "KGM",
                "product": {"identifier": {"id": "1", "scheme": "x.y"}, "family": "Animal Feeds"}})
        };
        let batches = "/ade/v1/batches/locations/org.herdbook.orgid/1";
        for (n, name) in ["feed-transactions", "feed-inventory-transactions"]
            .iter()
            .enumerate()
        {
            let body =
                ask!(s.f, s.farm, "POST {batches}/{name}", [transaction(&n.to_string())] => 200);
            assert_eq!(severities(&body[0]), ["Information"], "{body}");
        }
        let (_, page) = s.get(&format!("{FARM}/feed-inventory-transactions")).await;
        assert_eq!(keys(&page), ["0", "1"]);
    }
}

#[tokio::test]
async fn what_is_wrong_with_one_of_a_batch_leaves_the_others() {
    for s in Stage::each().await {
        let mut bad = intake("b", 11);
        bad.as_object_mut()
            .unwrap()
            .remove("feedingStartingDateTime");
        let mut later = intake("a", 11);
        later["remark"] = "later".into();
        let all = json!([intake("a", 11), bad, intake("c", 21), later]);
        let results = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/feed-intakes", all => 200);
        let words: Vec<&Value> = results
            .as_array()
            .unwrap()
            .iter()
            .map(|r| &r["messages"][0]["type"])
            .collect();
        assert_eq!(words, ["created", "missing", "animal-not-found", "updated"]);
        let (_, page) = s.get(&format!("{FARM}/feed-intakes")).await;
        assert_eq!(
            (keys(&page), &page["member"][0]["remark"]),
            (vec!["a".to_owned()], &json!("later"))
        );
        let (_, _, log) = s.f.get("/api/operations?limit=5", &s.expert).await;
        assert!(
            log.to_string()
                .contains("feed-intakes: 1 created, 1 updated"),
            "{log}"
        );
    }
}

#[tokio::test]
async fn who_may_only_read_sends_nothing() {
    for s in Stage::each().await {
        let viewer = s.f.user(9, "farmer", Some(1), "viewer").await;
        let path = format!("{FARM}/feed-intakes");
        ask!(s.f, viewer, "POST {path}", intake("a", 11) => 403 ["write-forbidden"]);
        ask!(s.f, "", "POST {path}", intake("a", 11) => 401 ["unauthorized"]);
        assert_eq!(s.f.get(&path, &viewer).await.2["view"]["totalItems"], 0);
    }
}
