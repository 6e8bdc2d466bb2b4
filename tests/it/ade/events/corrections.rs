//! Corrections of the book in a document that a partner sent: the document names them, a partner
//! that repeats the former value changes nothing and is informed, and a new value of the partner
//! counts (docs/exchange.md, *What comes back*).

use super::rows::{event, list};
use crate::ade::reading::formats::{XML, get};
use crate::ade::stage::{FARM, Stage, gone, without_findings};
use serde_json::{Value, json};

const SET: &str = "test-day-results";
const TYPE: &str = "icarTestDayResultEventResource";

/// A test day at an instant in the sender's own spelling, with a member that no field holds.
fn test_day(milk: f64) -> Value {
    let own = json!({"milkWeight24Hours": {"value": milk, "unitCode": "KGM"}, "x-own": "a"});
    let mut document = event("t1", TYPE, "2026-01-10", own);
    document["eventDateTime"] = "2026-01-10T09:00:00+03:00".into();
    document
}

async fn correct(s: &Stage, id: &str, milk: f64) {
    ask!(s.f, s.expert, "PATCH /api/milk-tests/{id}", {"milkYield": milk} => 200);
}

async fn sent(s: &Stage, document: &Value) -> (String, Vec<[String; 2]>) {
    sent_to(s, SET, document).await
}

/// Sends by a batch: the outcome, and the codes and members of the warnings.
async fn sent_to(s: &Stage, set: &str, document: &Value) -> (String, Vec<[String; 2]>) {
    let results = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/{set}", [document] => 200);
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let all = results[0]["messages"].as_array().unwrap();
    let warnings = without_findings(&results[0]).filter(|m| m["severity"] == "Warning");
    (text(&all[0], "type"), (warnings.map(|m| ["type", "instance"].map(|name| text(m, name)))).collect())
}

fn milk(document: &Value) -> &Value {
    &document["milkWeight24Hours"]["value"]
}

#[test_each(Stage::each())]
async fn a_correction_is_named_and_stays_until_something_else_is_sent(s: Stage) {
    let path = format!("{FARM}/{SET}");
    let first = ask!(s.f, s.farm, "POST {path}", test_day(31.4) => 201);
    let id = first["id"].as_str().unwrap().to_owned();
    assert_eq!(first["eventDateTime"], "2026-01-10T09:00:00+03:00");
    assert!(first["meta"].get("corrected").is_none(), "{first}");

    // A person corrects it: the document says so, and the rest reads as it was sent.
    correct(&s, &id, 32.5).await;
    let read = list(&s, SET).await.remove(0);
    assert_eq!(milk(&read), 32.5);
    holds!(read, {"meta.corrected": ["/milkWeight24Hours"], "eventDateTime": "2026-01-10T09:00:00+03:00",
        "x-own": "a"});
    assert_eq!(ade::validate(TYPE, &read), []);
    let written = get(&s, &format!("{path}/{id}"), XML).await.text;
    let named = "<corrected>/milkWeight24Hours</corrected>";
    assert!(written.contains(named), "{written}");

    // The sender repeats the value: nothing changes, and the answer names the difference.
    let named = [["corrected-since", "/milkWeight24Hours"].map(str::to_owned)];
    let (state, warnings) = sent(&s, &test_day(31.4)).await;
    assert_eq!((state.as_str(), &warnings[..]), ("unchanged", &named[..]));
    let (headers, body) = ask!(s.f, s.farm, "POST {path}", test_day(31.4) => 200 with headers);
    assert_eq!(&body, &read);
    let text = headers["x-icar-ade-messages"].to_str().unwrap();
    assert!(text.contains("corrected-since"), "{text}");

    // Another change by the sender counts, and the correction stays.
    let mut more = test_day(31.4);
    more["x-own"] = "b".into();
    let (state, warnings) = sent(&s, &more).await;
    assert_eq!((state.as_str(), &warnings[..]), ("updated", &named[..]));
    let read = list(&s, SET).await.remove(0);
    assert_eq!((milk(&read), &read["x-own"]), (&32.5.into(), &"b".into()));

    // A new value of the sender belongs to the sender again.
    let (state, warnings) = sent(&s, &test_day(30.0)).await;
    assert_eq!((state.as_str(), warnings.len()), ("updated", 0));
    let read = list(&s, SET).await.remove(0);
    assert_eq!(milk(&read).as_f64(), Some(30.0));
    assert!(read["meta"].get("corrected").is_none(), "{read}");
}

#[test_each(Stage::each())]
async fn a_correction_that_is_taken_back_or_confirmed_is_none(s: Stage) {
    let path = format!("{FARM}/{SET}");
    let (_, _, first) = s.f.post(&path, &s.farm, test_day(31.4)).await;
    let id = first["id"].as_str().unwrap().to_owned();
    let unmarked = |read: &Value| {
        let mut read = read.clone();
        read["meta"]["modified"] = Value::Null;
        read
    };
    correct(&s, &id, 32.5).await;
    correct(&s, &id, 31.4).await;
    let read = list(&s, SET).await.remove(0);
    assert_eq!(unmarked(&read), unmarked(&first), "taken back");

    correct(&s, &id, 32.5).await;
    let (state, warnings) = sent(&s, &test_day(32.5)).await;
    assert_eq!((state.as_str(), warnings.len()), ("updated", 0));
    let read = list(&s, SET).await.remove(0);
    assert_eq!(milk(&read), 32.5);
    assert!(read["meta"].get("corrected").is_none(), "{read}");

    // Taken back by its sender and sent again, it is a new resource.
    correct(&s, &id, 33.5).await;
    let gone = gone(&test_day(32.5));
    assert_eq!(sent(&s, &gone).await.0, "deleted");
    let (state, warnings) = sent(&s, &test_day(32.5)).await;
    assert_eq!((state.as_str(), warnings.len()), ("created", 0));
    let read = list(&s, SET).await.remove(0);
    assert_eq!(milk(&read), 32.5);
    assert!(read["meta"].get("corrected").is_none(), "{read}");
}

#[test_each(Stage::each())]
async fn an_animal_named_by_another_of_its_numbers_is_told_its_main_one(s: Stage) {
    let (_, cow) = s.get("/api/animals/11?depth=0").await;
    let mut document = test_day(31.4);
    let main = document["animal"].clone();
    document["animal"] = json!({"scheme": "org.herdbook.accountingid", "id": cow["uuid"]});
    let (state, warnings) = sent(&s, &document).await;
    let named = [["stored-otherwise", "/animal"].map(str::to_owned)];
    assert_eq!((state.as_str(), &warnings[..]), ("created", &named[..]));
    assert_eq!(list(&s, SET).await[0]["animal"], main);
    let (state, warnings) = sent(&s, &document).await;
    assert_eq!((state.as_str(), &warnings[..]), ("unchanged", &named[..]));
}

/// Whether a calf came of an embryo follows from the service, where the book has one.
#[test_each(Stage::each())]
async fn an_embryo_that_the_service_contradicts_is_told(s: Stage) {
    let calving = |key: &str, day: &str, embryo: bool| {
        event(key, "icarReproParturitionEventResource", day, json!({"isEmbryoImplant": embryo}))
    };
    let unknown = calving("c1", "2023-01-05", true);
    assert_eq!(sent_to(&s, "parturitions", &unknown).await, ("created".to_owned(), vec![]));
    let service = json!({"inseminationType": "Insemination"});
    let service = event("s1", "icarReproInseminationEventResource", "2024-04-01", service);
    assert_eq!(sent_to(&s, "inseminations", &service).await.0, "created");
    let other = calving("c2", "2025-01-05", true);
    let named = vec![["stored-otherwise", "/isEmbryoImplant"].map(str::to_owned)];
    assert_eq!(sent_to(&s, "parturitions", &other).await, ("created".to_owned(), named.clone()));
    assert_eq!(sent_to(&s, "parturitions", &other).await, ("unchanged".to_owned(), named));
    let read = |read: &[Value], key: &str| {
        let one = read.iter().find(|one| one["meta"]["sourceId"] == key);
        one.unwrap()["isEmbryoImplant"].clone()
    };
    let all = list(&s, "parturitions").await;
    assert_eq!((read(&all, "c1"), read(&all, "c2")), (json!(true), json!(false)));
    let same = calving("c2", "2025-01-05", false);
    assert_eq!(sent_to(&s, "parturitions", &same).await.1, Vec::<[String; 2]>::new());
}

#[test_each(Stage::each())]
async fn the_same_document_twice_in_a_batch_changes_once(s: Stage) {
    let outcomes = async |documents: [&Value; 2]| {
        let results = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/{SET}", documents
            => 200);
        [0, 1].map(|at| results[at]["messages"][0]["type"].clone())
    };
    let first = test_day(31.4);
    assert_eq!(outcomes([&first, &first]).await, ["created", "unchanged"]);
    let second = test_day(30.0);
    assert_eq!(outcomes([&second, &second]).await, ["updated", "unchanged"]);
    // Other words alone.
    let mut third = second.clone();
    third["x-own"] = "b".into();
    assert_eq!(outcomes([&third, &third]).await, ["updated", "unchanged"]);
    assert_eq!(outcomes([&third, &third]).await, ["unchanged", "unchanged"]);
}

#[test_each(Stage::each())]
async fn a_correction_leaves_the_spelling_of_the_other_members(s: Stage) {
    let grams = json!({"measurement": 600_000, "units": "GRM"});
    let own = json!({"weight": grams.clone()});
    let mut document = event("w1", "icarWeightEventResource", "2026-01-10", own);
    document["eventDateTime"] = "2026-01-10T09:00:00+03:00".into();
    let first = ask!(s.f, s.farm, "POST {FARM}/weights", document => 201);
    assert_eq!(&first["weight"], &grams, "{first}");
    let path = format!("/api/weighings/{}", first["id"].as_str().unwrap());
    ask!(s.f, s.expert, "PATCH {path}", {"weight": 610} => 200);
    let read = list(&s, "weights").await.remove(0);
    let kilograms = json!({"measurement": 610, "units": "KGM"});
    assert_eq!(read["weight"], kilograms, "{read}");
    holds!(read, {"eventDateTime": "2026-01-10T09:00:00+03:00", "meta.corrected": ["/weight"]});
}
