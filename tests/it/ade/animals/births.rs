//! Births that are sent: each is the birth of an animal of the location that is the calf of a recorded calving; it
//! comes back as it was sent, changes nothing of the animal, and leaves no trace when it is refused.

use crate::ade::events::rows::event;
use crate::ade::reading::formats::{XML, get as get_as};
use crate::ade::stage::{FARM, OTHER, Stage, animal, codes, gone, messages, placed};
use crate::support::fixture::number;
use crate::support::words::merged;
use serde_json::{Value, json};

const RESOURCE: &str = "icarMovementBirthEventResource";

/// A birth of an animal, with its reason.
pub(crate) fn birth(key: &str, id: i64) -> Value {
    let own = json!({"registrationReason": "Born", "animal": animal(id)});
    placed(event(key, RESOURCE, "2026-02-01", own), "1")
}

fn parturition(key: &str, cow: i64, calves: Value) -> Value {
    let own = json!({"animal": animal(cow), "progenyDetails": calves});
    let resource = "icarReproParturitionEventResource";
    placed(event(key, resource, "2026-02-01", own), "1")
}

fn later(doc: &Value, day: u32) -> Value {
    let mut doc = doc.clone();
    doc["meta"]["modified"] = format!("2026-02-{day:02}T00:00:00Z").into();
    doc
}

pub(crate) fn retracted(doc: &Value) -> Value {
    gone(&later(doc, 20))
}

/// A calf of farm 1, born on the first of February.
pub(crate) async fn calf(s: &Stage, id: i64, mother: Option<i64>, own: Value) {
    let data = json!({"identNumber": number(id), "sex": "female", "owner": 1,
        "birthDate": "2026-02-01", "mother": mother});
    s.f.fill("animals", id, merged(data, &own)).await;
}

/// A calving on the first of February.
pub(crate) async fn calving(s: &Stage, id: i64, cow: i64, own: Value) {
    let data = json!({"animal": cow, "date": "2026-02-01"});
    s.f.fill("calvings", id, merged(data, &own)).await;
}

/// Calf 31 of cow 11, which a calving lists.
pub(crate) async fn listed_calf(s: &Stage) {
    calf(s, 31, Some(11), json!({})).await;
    calving(s, 1, 11, json!({"calves": [31]})).await;
}

/// Sends to farm 1; the answer, and the types of its messages.
pub(crate) async fn post(s: &Stage, set: &str, doc: &Value) -> (u16, Value, Vec<String>) {
    let (status, headers, body) = s.f.post(&format!("{FARM}/{set}"), &s.farm, doc.clone()).await;
    (status, body, messages(&headers))
}

pub(crate) async fn post_birth(s: &Stage, doc: &Value) -> (u16, Value, Vec<String>) {
    post(s, "births", doc).await
}

/// A refusal: its code and pointer; it leaves no trace.
async fn refused(s: &Stage, doc: &Value) -> (u16, String, String) {
    let tally = s.tally().await;
    let (status, body, _) = post_birth(s, doc).await;
    assert_eq!(s.tally().await, tally, "{body}");
    let error = &body["errors"][0];
    let word = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    (status, word("type"), word("instance"))
}

fn refusal(status: u16, code: &str, at: &str) -> (u16, String, String) {
    (status, code.to_owned(), at.to_owned())
}

/// What is read at a location.
pub(crate) async fn listed(s: &Stage, place: &str, set: &str) -> Vec<Value> {
    let who = if place == FARM { &s.farm } else { &s.other };
    let page = ask!(s.f, who, "GET {place}/{set}" => 200);
    page["member"].as_array().unwrap().clone()
}

async fn feed(s: &Stage, set: &str) -> Vec<Value> {
    let path = format!("/ade/v1/datasets/{set}/changes?limit=1000");
    let (_, feed) = s.get(&path).await;
    feed.as_array().unwrap().clone()
}

/// The last state of a key in the feed of a set.
pub(crate) async fn last_in_feed(s: &Stage, set: &str, key: &str) -> Value {
    let all = feed(s, set).await.into_iter();
    let mut found = all.filter(|one| one["meta"]["sourceId"] == key);
    found.next_back().unwrap_or_default()
}

/// Members besides those that the server sets.
pub(crate) fn plain(doc: &Value) -> Value {
    let mut doc = doc.clone();
    let members = doc.as_object_mut().unwrap();
    members.retain(|name, _| !["id", "@self"].contains(&name.as_str()));
    let meta = doc["meta"].as_object_mut().unwrap();
    meta.retain(|name, _| name != "modified" && name != "created");
    doc
}

pub(crate) async fn row(s: &Stage, path: &str) -> Value {
    ask!(s.f, s.expert, "GET /api/{path}?depth=0" => 200)
}

async fn calves(s: &Stage, calving: i64) -> Value {
    row(s, &format!("calvings/{calving}")).await["calves"].clone()
}

/// Sends a document, which is taken with this status and reads as it was sent; what is read.
async fn assert_reads_as_sent(s: &Stage, doc: &Value, status: u16) -> Value {
    let (found, made, _) = post_birth(s, doc).await;
    assert_eq!((found, plain(&made)), (status, plain(doc)), "{made}");
    made
}

#[test_each(Stage::both())]
async fn a_birth_comes_back_as_it_was_sent(s: Stage) {
    listed_calf(&s).await;
    let before = row(&s, "animals/31").await;
    let own = listed(&s, FARM, "births").await;
    assert_eq!(own.len(), 1);
    assert_eq!(own[0]["meta"]["sourceId"], "births:31");
    let mut document = birth("b1", 31);
    document["eventDateTime"] = "2026-02-02T01:30:00+03:00".into();
    document["registrationReason"] = "Registered".into();
    document["remark"] = "a small one".into();
    document["x-own"] = json!({"seen": "by me"});
    document["animalDetail"] = json!({"resourceType": "icarAnimalCoreResource",
        "identifier": {"scheme": "other.scheme", "id": "7"}, "specie": "Cattle",
        "gender": "Male", "birthDate": "2025-01-01T00:00:00Z"});
    let path = format!("{FARM}/births");
    let (status, headers, made) = s.f.post(&path, &s.farm, document.clone()).await;
    assert_eq!((status, plain(&made)), (201, plain(&document)), "{made}");
    assert!(ade::validate(RESOURCE, &made).is_empty());
    let at = headers["location"].to_str().unwrap();
    assert_eq!(s.get(at).await, (200, made.clone()));
    let written = get_as(&s, at, XML).await.document(RESOURCE);
    assert_eq!(plain(&written), plain(&document));
    assert_eq!(listed(&s, FARM, "births").await, std::slice::from_ref(&made));
    assert_eq!(last_in_feed(&s, "births", "b1").await, made);
    assert!(feed(&s, "everything").await.contains(&made));
    assert_eq!(last_in_feed(&s, "births", "births:31").await["meta"]["isDeleted"], true);
    // The animal is as it was, and no other one was made.
    let mut after = row(&s, "animals/31").await;
    after["updatedAt"] = before["updatedAt"].clone();
    assert_eq!(after, before);
    assert_eq!(listed(&s, FARM, "animals").await.len(), 4);

    let (status, second, types) = post_birth(&s, &document).await;
    assert_eq!((status, &second, types), (200, &made, vec![]));
    // What the sender leaves out comes up in no document of its own.
    let mut bare = later(&document, 3);
    for name in "eventDateTime registrationReason remark x-own animalDetail".split(' ') {
        bare.as_object_mut().unwrap().remove(name);
    }
    let made = assert_reads_as_sent(&s, &bare, 200).await;
    let (status, old, types) = post_birth(&s, &later(&document, 2)).await;
    assert_eq!((status, &old), (200, &made));
    assert_eq!(types, ["stale"]);

    let (status, body, types) = post_birth(&s, &retracted(&bare)).await;
    assert_eq!((status, types), (200, vec!["kept-by-others".to_owned()]));
    assert_eq!(last_in_feed(&s, "births", "b1").await["meta"]["isDeleted"], true, "{body}");
    let back = listed(&s, FARM, "births").await;
    assert_eq!(back.len(), 1);
    assert_eq!(plain(&back[0]), plain(&own[0]));
    assert_eq!(calves(&s, 1).await, json!([31]));
    let (status, _, types) = post_birth(&s, &retracted(&bare)).await;
    assert_eq!((status, types), (200, vec![]));
    // What is older than the retraction brings nothing back.
    let (status, _, types) = post_birth(&s, &later(&document, 19)).await;
    assert_eq!((status, types), (200, vec!["stale".to_owned()]));
    assert_eq!(listed(&s, FARM, "births").await, back);
    let (status, made, _) = post_birth(&s, &later(&document, 21)).await;
    assert_eq!((status, plain(&made)), (201, plain(&document)), "{made}");
}

#[test_each(Stage::both())]
async fn a_birth_without_a_parturition_is_refused_until_the_parturition_is_sent(s: Stage) {
    calf(&s, 31, None, json!({})).await;
    let document = birth("b1", 31);
    let missing = refusal(400, "no-parturition", "/animal");
    assert_eq!(refused(&s, &document).await, missing);
    let details = json!([{"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Female",
        "identifier": animal(31)}]);
    let (status, made, _) = post(&s, "parturitions", &parturition("p1", 11, details.clone())).await;
    assert_eq!(status, 201, "{made}");
    assert_reads_as_sent(&s, &document, 201).await;
    // It ends with the parturition, and begins again with another one.
    let (status, body, _) = post(&s, "parturitions", &retracted(&parturition("p1", 11, details))).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(listed(&s, FARM, "births").await.len(), 0);
    assert_eq!(last_in_feed(&s, "births", "b1").await["meta"]["isDeleted"], true);
    assert_eq!(refused(&s, &document).await, missing);
    calving(&s, 9, 12, json!({"calves": [31]})).await;
    assert_reads_as_sent(&s, &document, 201).await;
    // The dam goes, and her calvings with her.
    s.f.delete("animals", 12).await;
    assert_eq!(listed(&s, FARM, "births").await.len(), 0);
    assert_eq!(refused(&s, &document).await, missing);
}

#[test_each(Stage::both())]
async fn a_calf_finds_its_place_at_the_calving_of_its_dam(s: Stage) {
    calf(&s, 31, Some(11), json!({"altIds": {"earTag": "RU-31"}})).await;
    calf(&s, 32, Some(11), json!({})).await;
    let details = json!([
        {"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Male", "managementTag": "RU-30"},
        {"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Freemartin", "birthWeight": {"measurement": 35.50, "units": "KGM"}},
        {"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Female", "managementTag": "RU-31"},
    ]);
    let sent = parturition("p1", 11, details);
    let (status, first, _) = post(&s, "parturitions", &sent).await;
    assert_eq!((status, plain(&first)), (201, plain(&sent)), "{first}");
    let made = assert_reads_as_sent(&s, &birth("b1", 31), 201).await;
    let row = row(&s, "calvings/1").await;
    holds!(row, {"calves": [31], "progeny.2.animal": 31});
    // The book's knowledge comes up in the parturition, and is named.
    let read = listed(&s, FARM, "parturitions").await.pop().unwrap();
    assert_eq!(read["meta"]["corrected"], json!(["/progenyDetails"]));
    let mut expected = sent.clone();
    expected["progenyDetails"][2]["identifier"] = animal(31);
    expected["meta"]["corrected"] = read["meta"]["corrected"].clone();
    assert_eq!(plain(&read), plain(&expected));
    // Who repeats the parturition does not undo it; who corrects it, neither.
    let (status, second, types) = post(&s, "parturitions", &sent).await;
    assert_eq!((status, &second), (200, &read));
    assert_eq!(types, ["corrected-since"]);
    let mut better = later(&sent, 3);
    better["progenyDetails"][0]["managementTag"] = "RU-29".into();
    let (status, read, _) = post(&s, "parturitions", &better).await;
    assert_eq!((status, plain(&read)), (200, plain(&better)), "{read}");
    assert_eq!(calves(&s, 1).await, json!([31]));
    let births = listed(&s, FARM, "births").await;
    assert_eq!(births, std::slice::from_ref(&made));
    // No place is left for a second female.
    let (status, _, _) = post_birth(&s, &birth("b2", 32)).await;
    assert_eq!(status, 201, "a calf that was called a freemartin");
    calf(&s, 33, Some(11), json!({})).await;
    let missing = refusal(400, "no-parturition", "/animal");
    assert_eq!(refused(&s, &birth("b3", 33)).await, missing);
    // A parturition without a place for it ends the birth.
    let mut fewer = later(&better, 4);
    fewer["progenyDetails"].as_array_mut().unwrap().truncate(1);
    let (status, body, _) = post(&s, "parturitions", &fewer).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(listed(&s, FARM, "births").await.len(), 0);
    assert_eq!(refused(&s, &birth("b1", 31)).await, missing);
}

#[test_each(Stage::each())]
async fn only_one_calving_of_the_day_with_a_free_place_counts(s: Stage) {
    let missing = refusal(400, "no-parturition", "/animal");
    let none = json!({});
    // Heifers are counted, and both are listed.
    calf(&s, 31, Some(11), none.clone()).await;
    calf(&s, 32, Some(11), none.clone()).await;
    calving(&s, 1, 11, json!({"liveHeifers": 1, "liveBulls": 1})).await;
    assert_eq!(post_birth(&s, &birth("b1", 31)).await.0, 201);
    assert_eq!(calves(&s, 1).await, json!([31]));
    assert_eq!(refused(&s, &birth("b2", 32)).await, missing);
    s.f.update("animals", 32, json!({"sex": "male"})).await;
    assert_eq!(post_birth(&s, &birth("b2", 32)).await.0, 201);
    assert_eq!(calves(&s, 1).await, json!([31, 32]));
    // A dead calf, an abortion, another day, two calvings, a dam of others.
    calf(&s, 33, Some(12), none.clone()).await;
    calving(&s, 2, 12, json!({"stillborn": 1})).await;
    assert_eq!(refused(&s, &birth("b3", 33)).await, missing);
    s.f.update("calvings", 2, json!({"eventType": "abortion", "stillborn": null})).await;
    assert_eq!(refused(&s, &birth("b3", 33)).await, missing);
    let day = json!({"eventType": "calving", "date": "2026-02-03"});
    s.f.update("calvings", 2, day).await;
    assert_eq!(refused(&s, &birth("b3", 33)).await, missing);
    s.f.update("calvings", 2, json!({"date": "2026-02-02"})).await;
    calving(&s, 3, 12, json!({"date": "2026-01-31"})).await;
    assert_eq!(refused(&s, &birth("b3", 33)).await, missing);
    s.f.delete("calvings", 3).await;
    // What the Association signed is to be checked anew.
    s.f.update("calvings", 2, json!({"verification": "pending"})).await;
    assert_eq!(post_birth(&s, &birth("b3", 33)).await.0, 201);
    assert_eq!(row(&s, "calvings/2").await["verification"], "unverified");
    calf(&s, 34, Some(21), none).await;
    calving(&s, 4, 21, json!({"liveHeifers": 1})).await;
    assert_eq!(refused(&s, &birth("b4", 34)).await, missing);
    assert_eq!(calves(&s, 4).await, json!([]));
    // Who owns the dam lists it.
    s.f.update("calvings", 4, json!({"calves": [34]})).await;
    assert_eq!(post_birth(&s, &birth("b4", 34)).await.0, 201);
}

#[test_each(Stage::each())]
async fn a_birth_of_another_day_is_no_correction(s: Stage) {
    listed_calf(&s).await;
    let mut document = birth("b1", 31);
    for day in ["2026-01-30T23:59:59Z", "2026-02-03T00:00:00Z"] {
        document["eventDateTime"] = day.into();
        let fault = refusal(400, "field-value", "/eventDateTime");
        assert_eq!(refused(&s, &document).await, fault);
    }
    document["eventDateTime"] = "2026-02-02T23:59:59Z".into();
    assert_reads_as_sent(&s, &document, 201).await;
    // The animal is corrected in the book: the document reads so.
    s.f.update("animals", 31, json!({"birthDate": "2026-01-31"})).await;
    let read = listed(&s, FARM, "births").await.pop().unwrap();
    holds!(read, {"eventDateTime": "2026-01-31T00:00:00.000Z", "meta.corrected": ["/eventDateTime"]});
    let (status, second, types) = post_birth(&s, &document).await;
    assert_eq!((status, second), (200, read));
    assert_eq!(types, ["corrected-since"]);
}

#[test_each(Stage::both())]
async fn a_dam_that_is_hidden_and_none_are_refused_alike(s: Stage) {
    calf(&s, 31, Some(21), json!({})).await;
    calf(&s, 32, None, json!({})).await;
    let mut answers = Vec::new();
    for animal in [31, 32] {
        let (status, mut body, _) = post_birth(&s, &birth("b1", animal)).await;
        assert_eq!(status, 400);
        body["errors"][0]["id"] = Value::Null;
        answers.push(body.to_string());
    }
    assert_eq!(answers[0], answers[1]);
}

#[test_each(Stage::both())]
async fn an_animal_has_one_birth(s: Stage) {
    listed_calf(&s).await;
    calf(&s, 32, None, json!({})).await;
    calving(&s, 2, 12, json!({"calves": [32]})).await;
    let document = birth("b1", 31);
    assert_eq!(post_birth(&s, &document).await.0, 201);
    let taken = refusal(409, "sent-by-another", "/meta/sourceId");
    assert_eq!(refused(&s, &birth("b2", 31)).await, taken);
    let mut other = birth("b1", 31);
    other["meta"]["source"] = "other.example".into();
    assert_eq!(refused(&s, &other).await, taken);
    // The name of the book is no other way.
    let mut own = birth("births:31", 31);
    own["meta"]["source"] = "org.herdbook".into();
    let (status, code, _) = refused(&s, &own).await;
    assert_eq!((status, code.as_str()), (409, "sent-by-another"));
    // One resource is about one animal.
    let moved = refusal(400, "field-value", "/animal");
    assert_eq!(refused(&s, &birth("b1", 32)).await, moved);
    assert_eq!(post_birth(&s, &retracted(&document)).await.0, 200);
    assert_eq!(post_birth(&s, &other).await.0, 201);

    // In one batch the first one stands, unless it is refused.
    calf(&s, 33, None, json!({})).await;
    let mut late = birth("c1", 33);
    late["eventDateTime"] = "2026-03-01T00:00:00Z".into();
    calving(&s, 3, 13, json!({"calves": [33]})).await;
    let all = json!([birth("a1", 32), birth("a2", 32), late, birth("c2", 33), birth("d1", 99)]);
    let results = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/births", all => 200);
    let first = |at: usize| results[at]["messages"][0]["type"].as_str().unwrap();
    let types: Vec<&str> = (0..5).map(first).collect();
    let expected = ["created", "sent-by-another", "field-value", "created", "animal-not-found"];
    assert_eq!(types, expected, "{results}");
    // A push is stored as a whole or not at all.
    let tally = s.tally().await;
    ask!(s.f, s.farm, "POST /ade/v1/datasets/births/resources", [birth("e1", 31)] => 409 ["conflict"]);
    assert_eq!(s.tally().await, tally);
}

#[test_each(Stage::each())]
async fn the_birth_of_the_book_is_corrected_with_its_parturition(s: Stage) {
    listed_calf(&s).await;
    let own = listed(&s, FARM, "births").await.pop().unwrap();
    // An echo is no change.
    let (status, echo, types) = post_birth(&s, &own).await;
    assert_eq!((status, &echo, types), (200, &own, vec![]));
    let gone = refusal(400, "field-value", "/meta/isDeleted");
    assert_eq!(refused(&s, &retracted(&own)).await, gone);
    ask!(s.f, s.expert, "POST {FARM}/births", retracted(&own) => 400, "nobody deletes animals so");
    let mut other = own.clone();
    other["animal"] = animal(12);
    assert_eq!(refused(&s, &other).await, refusal(400, "field-value", "/animal"));
}

#[test_each(Stage::both())]
async fn a_birth_goes_with_its_animal(s: Stage) {
    listed_calf(&s).await;
    let mut document = birth("b1", 31);
    document["x-own"] = "kept".into();
    assert_eq!(post_birth(&s, &document).await.0, 201);
    let sale = json!({"animal": 31, "kind": "sale", "from": 1, "to": 2, "date": "2026-02-10", "applied": true});
    s.f.fill("movements", 1, sale).await;
    assert_eq!(listed(&s, FARM, "births").await.len(), 0);
    assert_eq!(last_in_feed(&s, "births", "b1").await["meta"]["isDeleted"], true);
    let there = listed(&s, OTHER, "births").await;
    assert_eq!(there.len(), 1);
    holds!(there[0], {"meta.sourceId": "births:31", "x-own": "kept"});
    let (status, body, _) = post_birth(&s, &later(&document, 12)).await;
    assert_eq!((status, codes(&body)), (422, vec!["animal-not-found"]));
    let tally = s.tally().await;
    assert_eq!(post_birth(&s, &retracted(&document)).await.0, 403);
    assert_eq!(s.tally().await, tally);
    // The buyer's own document takes its place there.
    let mut bought = placed(birth("b1", 31), "2");
    bought["registrationReason"] = "Registered".into();
    let path = format!("{OTHER}/births");
    let (status, _, made) = s.f.post(&path, &s.other, bought.clone()).await;
    assert_eq!((status, plain(&made)), (201, plain(&bought)), "{made}");
    assert_eq!(listed(&s, OTHER, "births").await, [made]);
}

#[test_each(Stage::each())]
async fn a_full_sync_retracts_the_births_that_it_does_not_name(s: Stage) {
    listed_calf(&s).await;
    calf(&s, 32, None, json!({})).await;
    calving(&s, 2, 12, json!({"calves": [32]})).await;
    for (key, animal) in [("b1", 31), ("b2", 32)] {
        assert_eq!(post_birth(&s, &birth(key, animal)).await.0, 201);
    }
    let set = "/ade/v1/datasets/births";
    let body = json!({"sources": ["scale.example"]});
    let (headers, sync) = ask!(s.f, s.farm, "POST {set}/full-syncs", body => 201 with headers);
    let at = headers["location"].to_str().unwrap().to_owned();
    let id = sync["id"].as_str().unwrap();
    ask!(s.f, s.farm, "POST {set}/resources?full-sync={id}", [birth("b2", 32)] => 200);
    let body = ask!(s.f, s.farm, "POST {at}/end", {"expect": 1} => 200);
    holds!(body, {"deleted.count": 1});
    let mut remaining = listed(&s, FARM, "births").await;
    remaining.sort_by_key(|one| one["meta"]["sourceId"].to_string());
    let names: Vec<&Value> = remaining.iter().map(|one| &one["meta"]["sourceId"]).collect();
    assert_eq!(names, ["b2", "births:31"]);
    assert_eq!(listed(&s, FARM, "animals").await.len(), 5);
    // A batch is taken back in the same way, and a dry run stores nothing.
    let path = "/ade/v1/batches/locations/org.herdbook.orgid/1/births";
    let (_, headers, _) = s.f.post(path, &s.farm, json!([birth("b3", 31)])).await;
    let batch = headers["content-location"].to_str().unwrap().to_owned();
    ask!(s.f, s.farm, "DELETE {batch}" => 200);
    assert_eq!(last_in_feed(&s, "births", "b3").await["meta"]["isDeleted"], true);
    let tally = s.tally().await;
    ask!(s.f, s.farm, "POST {FARM}/births?validate=only", birth("b4", 31) => 201);
    assert_eq!(s.tally().await, tally);
}
