//! Sets of animals that partners send (docs/exchange.md, *Sets of animals that are sent*): they
//! belong to the organisation of the location, and come back as they were sent.

use crate::ade::full_syncs::course::Sync;
use crate::ade::reading::formats::{XML, get, send};
use crate::ade::stage::{FARM, OTHER, Stage, animal, codes, gone, keys, outcomes, severities, words};
use crate::support::fixture::number;
use serde_json::{Value, json};

const TYPE: &str = "icarAnimalSetResource";
const SETS: &str = "/ade/v1/locations/org.herdbook.orgid/1/animal-sets";
const BATCH: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1/animal-sets";
const PUSH: &str = "/ade/v1/datasets/animal-sets/resources";

/// A set of these animals, on the day of February that the sender says it changed.
fn set(key: &str, members: &[i64], day: u32) -> Value {
    json!({
        "resourceType": TYPE,
        "id": format!("own-{key}"),
        "meta": {"source": "barn.example", "sourceId": key,
            "modified": format!("2026-02-{day:02}T00:00:00Z")},
        "location": {"scheme": "org.herdbook.orgid", "id": "1"},
        "name": "Pen 4",
        "purpose": "Lactation",
        "member": members.iter().map(|id| animal(*id)).collect::<Vec<Value>>(),
    })
}

async fn post(s: &Stage, doc: &Value) -> (u16, Value) {
    let (status, _, body) = s.f.post(SETS, &s.farm, doc.clone()).await;
    (status, body)
}

/// What a batch says of its only element: outcome or errors, and warnings, with their places.
async fn outcome(s: &Stage, doc: &Value) -> Vec<[String; 2]> {
    outcomes(&ask!(s.f, s.farm, "POST {BATCH}", [doc] => 200)).remove(0)
}

/// The set that a sender calls so, as the list has it.
async fn listed(s: &Stage, key: &str) -> Option<Value> {
    let (_, page) = s.get(SETS).await;
    let mut all = page["member"].as_array().unwrap().iter();
    all.find(|one| one["meta"]["sourceId"] == key).cloned()
}

/// The row of a set, as a caller reads it by REST.
async fn row(s: &Stage, id: &str, who: &str) -> (u16, Value) {
    let path = format!("/api/saved-searches/{id}?depth=0");
    let (status, _, row) = s.f.get(&path, who).await;
    (status, row)
}

async fn patch(s: &Stage, id: &str, who: &str, body: Value) -> (u16, Value) {
    let path = format!("/api/saved-searches/{id}");
    let (status, _, answer) = s.send("PATCH", &path, who, &[], body).await;
    (status, answer)
}

/// Numbers of the animals of the documents of a collection, by the kind of the book's own.
async fn moved(s: &Stage, name: &str) -> Vec<String> {
    let (_, page) = s.get(&format!("{FARM}/{name}")).await;
    let all = page["member"].as_array().unwrap().iter();
    let mut all: Vec<String> = all.map(|one| one["animal"]["id"].as_str().unwrap().to_owned()).collect();
    all.sort();
    all
}

fn same(sent: &Value, read: &Value) {
    for (name, value) in sent.as_object().unwrap() {
        if !["id", "meta"].contains(&name.as_str()) {
            assert_eq!(read.get(name), Some(value), "{name}: {read}");
        }
    }
    for name in read.as_object().unwrap().keys() {
        let known = ["id", "@self"].contains(&name.as_str()) || sent.get(name).is_some();
        assert!(known, "{name}: {read}");
    }
}

#[test_each(Stage::each())]
async fn a_set_comes_back_as_it_was_sent_by_every_way(s: Stage) {
    update!(s.f, "animals", 12, {"altIds": {"chipNumber": "643000000000123"}});
    let mut sent = set("a", &[13, 12, 11], 1);
    sent["member"][1] = json!({"scheme": "std.iso.11785", "id": "643000000000123", "x": "y"});
    sent["reference"] = "row 7".into();
    sent["x-pen"] = json!({"no": ["4", ""]});
    sent["meta"]["creator"] = "gate".into();
    let (headers, made) = ask!(s.f, s.farm, "POST {SETS}", sent => 201 with headers);
    assert!(!headers.contains_key("x-icar-ade-messages"), "{headers:?}");
    same(&sent, &made);
    assert_eq!(made["meta"]["creator"], "gate");
    assert_eq!(ade::validate(TYPE, &made), []);
    let at = headers["location"].to_str().unwrap();
    assert_eq!(s.get(at).await, (200, made.clone()));
    assert_eq!(listed(&s, "a").await.as_ref(), Some(&made));
    assert_eq!(get(&s, at, XML).await.document(TYPE), made);
    for name in ["animal-sets", "everything"] {
        let (_, feed) = s.get(&format!("/ade/v1/datasets/{name}/changes")).await;
        assert!(feed.as_array().unwrap().contains(&made), "{name}: {feed}");
    }
    // It is a set of animals, whatever numbers they were named by.
    let id = made["id"].as_str().unwrap();
    let all = [11, 12, 13].map(number);
    assert_eq!(moved(&s, "animal-set-joins").await, all);
    s.weigh(&[1]).await;
    let feed = ask!(s.f, s.farm, "GET /ade/v1/datasets/set-{id}/changes" => 200);
    assert!(keys(&feed).contains(&"w1".to_owned()), "{feed}");

    // One that is named twice counts once, in what a group gets too.
    let mut twice = set("t", &[12, 11, 12], 1);
    twice["member"][2] = sent["member"][1].clone();
    let (status, made) = post(&s, &twice).await;
    assert_eq!(status, 201, "{made}");
    same(&twice, &made);
    let weighed = json!({
        "resourceType": "icarGroupTreatmentEventResource",
        "meta": {"source": "barn.example", "sourceId": "g", "modified": "2026-02-01T00:00:00Z"},
        "location": {"scheme": "org.herdbook.orgid", "id": "1"},
        "eventDateTime": "2026-02-10T00:00:00Z", "groupMethod": "ExistingAnimalSet",
        "animalSetReference": {"@type": "icarAnimalSetResource", "identifier":
            {"scheme": "barn.example", "id": "t"}},
        "procedure": "hoof bath",
    });
    fill!(s.f, "health-event-types", 1, {"name": "treatment", "code": "treatment", "kind": "treatment"});
    ask!(s.f, s.farm, "POST {FARM}/group-treatments", weighed => 201);
    assert_eq!(moved(&s, "treatments").await, [11, 12].map(number));

    // The smallest document, and one by XML.
    let mut least = set("b", &[], 1);
    for name in ["name", "purpose"] {
        least.as_object_mut().unwrap().remove(name);
    }
    let (status, made) = post(&s, &least).await;
    assert_eq!((status, &made["member"]), (201, &json!([])), "{made}");
    same(&least, &made);
    let written = set("c", &[12], 1);
    let text = ade::xml::write(&written, TYPE);
    assert_eq!(send(&s, SETS, XML, &text).await.status, 201);
    same(&written, &listed(&s, "c").await.unwrap());
}

#[test_each(Stage::each())]
async fn the_organisation_of_the_location_has_the_set(s: Stage) {
    let colleague = s.f.user(6, "farmer", Some(1), "operator").await;
    let viewer = s.f.user(5, "farmer", Some(1), "viewer").await;
    for (key, sender) in [("a", &s.farm), ("b", &s.expert)] {
        let made = ask!(s.f, sender, "POST {SETS}", set(key, &[12, 11], 1) => 201);
        let id = made["id"].as_str().unwrap().to_owned();
        let (status, read) = row(&s, &id, &s.farm).await;
        assert_eq!(status, 200, "{read}");
        for (field, value) in [
            ("name", json!("Pen 4")),
            ("adePurpose", json!("lactation")),
            ("members", json!([12, 11])),
            ("scope", json!("organization")),
            ("organization", json!(1)),
            ("author", Value::Null),
            ("adeSet", json!(true)),
            ("place", json!("herd")),
            ("query", json!("")),
        ] {
            assert_eq!(read[field], value, "{field}: {read}");
        }
        assert_eq!(read["ade"]["sourceId"], *key);
        for who in [&colleague, &viewer, &s.expert] {
            assert_eq!(row(&s, &id, who).await.0, 200);
        }
        assert_eq!(row(&s, &id, &s.other).await.0, 404);
        assert_eq!(row(&s, &id, "").await.0, 403);
        for who in [&viewer, &s.other] {
            let (status, answer) = patch(&s, &id, who, json!({"name": "Mine"})).await;
            assert_eq!(status, 403, "{answer}");
            let at = format!("/api/saved-searches/{id}");
            assert_eq!(s.send("DELETE", &at, who, &[], Value::Null).await.0, 403);
        }
        // Those who write its data change it, and cannot make something else of it.
        let (status, answer) = patch(&s, &id, &colleague, json!({"name": "Pen 5"})).await;
        assert_eq!(status, 200, "{answer}");
        for (body, refusal) in [
            (json!({"adeSet": false}), 400),
            (json!({"where": {"sex": {"equals": "female"}}}), 400),
            (json!({"scope": "private"}), 403),
        ] {
            let (status, answer) = patch(&s, &id, &colleague, body).await;
            assert_eq!(status, refusal, "{answer}");
        }
        let read = listed(&s, key).await.unwrap();
        holds!(read, {"name": "Pen 5", "meta.corrected": ["/name"]});
        let second = outcome(&s, &set(key, &[12, 11], 2)).await;
        assert!(second.contains(&["corrected-since".to_owned(), "/name".to_owned()]), "{second:?}");
        ask!(s.f, colleague, "DELETE /api/saved-searches/{id}" => 200);
        assert_eq!(listed(&s, key).await, None);
    }
    // A selection of a user stays the user's.
    let own = json!({"name": "Own", "place": "herd", "query": "q", "scope": "organization"});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, own).await;
    let id = made["doc"]["id"].to_string();
    let (status, answer) = patch(&s, &id, &colleague, json!({"name": "Mine"})).await;
    assert_eq!(status, 403, "{answer}");
}

#[test_each(Stage::each())]
async fn other_members_join_and_leave(s: Stage) {
    s.weigh(&[1]).await;
    let first = set("a", &[11, 12], 1);
    let (_, made) = post(&s, &first).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let feed = format!("/ade/v1/datasets/set-{id}/changes");
    let weighed = async || keys(&s.get(&feed).await.1).contains(&"w1".to_owned());
    assert!(weighed().await);
    // The same again changes nothing.
    let tally = s.rows().await;
    assert_eq!(post(&s, &first).await.0, 200);
    assert_eq!(outcome(&s, &first).await, words(&[["unchanged", ""]]));
    assert_eq!(s.rows().await, tally);

    s.f.pass(60);
    let second = set("a", &[13, 12], 2);
    assert_eq!(outcome(&s, &second).await, words(&[["updated", ""]]));
    let read = listed(&s, "a").await.unwrap();
    same(&second, &read);
    assert_eq!(read["id"], *id);
    assert_eq!(moved(&s, "animal-set-joins").await, [11, 12, 13].map(number));
    assert_eq!(moved(&s, "animal-set-leaves").await, [number(11)]);
    let (_, leaves) = s.get(&format!("{FARM}/animal-set-leaves")).await;
    assert_eq!(leaves["member"][0]["eventDateTime"], read["meta"]["modified"], "{leaves}");
    assert!(!weighed().await, "what is about the animal that left");
    // An older state that comes late changes nothing.
    let late = outcome(&s, &first).await;
    assert_eq!(late[0], ["unchanged", ""]);
    assert_eq!(late[1], ["stale", "/meta/modified"]);
    // Another order is another document, and nobody moves.
    s.f.pass(60);
    let third = set("a", &[12, 13], 3);
    assert_eq!(outcome(&s, &third).await, words(&[["updated", ""]]));
    same(&third, &listed(&s, "a").await.unwrap());
    assert_eq!(moved(&s, "animal-set-joins").await.len(), 3);
    // A join that is sent names the set as its sender does, or as the book does.
    for (key, name) in [("j1", "a"), ("j2", id.as_str())] {
        let cow = if key == "j1" { 11 } else { 12 };
        let join = json!({
            "resourceType": "icarAnimalSetJoinEventResource",
            "meta": {"source": "barn.example", "sourceId": key,
                "modified": "2026-02-20T00:00:00Z"},
            "location": {"scheme": "org.herdbook.orgid", "id": "1"},
            "animal": animal(cow), "animalSetId": name,
            "eventDateTime": "2026-03-01T12:03:00Z",
        });
        let path = format!("{FARM}/animal-set-joins");
        let body = ask!(s.f, s.farm, "POST {path}", join => 201);
        same(&join, &body);
        let mut foreign = join;
        foreign["meta"]["source"] = "other.example".into();
        foreign["animalSetId"] = "a".into();
        ask!(s.f, s.farm, "POST {path}", foreign => 422 ["resource-not-found"]);
    }
    let read = listed(&s, "a").await.unwrap();
    holds!(read, {"member": [animal(12), animal(13), animal(11)], "meta.corrected": ["/member"]});
}

#[test_each(Stage::each())]
async fn every_member_is_an_animal_of_the_location(s: Stage) {
    let tally = s.rows().await;
    let message = async |id: i64| {
        let (status, body) = post(&s, &set("a", &[11, id, 12], 1)).await;
        assert_eq!((status, codes(&body)), (422, vec!["animal-not-found"]));
        assert_eq!(body["errors"].as_array().unwrap().len(), 1, "{body}");
        assert_eq!(body["errors"][0]["instance"], "/member/1");
        let mut error = body["errors"][0].clone();
        error.as_object_mut().unwrap().remove("id");
        error.to_string().replace(&number(id), "N")
    };
    // One of another farm, and one that is not there.
    assert_eq!(message(21).await, message(99).await);
    assert_eq!(s.rows().await, tally);
    // Nor is one that everybody reads.
    update!(s.f, "animals", 21, {"publicVisible": true, "publicDetails": true});
    let tally = s.rows().await;
    assert_eq!(message(21).await, message(99).await);
    let mut odd = set("a", &[11, 12, 11], 1);
    odd["member"][2]["scheme"] = "no.such".into();
    odd["member"][0]["id"] = "nobody".into();
    assert_eq!(
        outcome(&s, &odd).await,
        words(&[["animal-not-found", "/member/0"], ["animal-scheme-unknown", "/member/2"]])
    );
    odd["member"] = vec![animal(11); 10_001].into();
    assert_eq!(outcome(&s, &odd).await, words(&[["too-many", "/member"]]));
    odd.as_object_mut().unwrap().remove("member");
    assert_eq!(outcome(&s, &odd).await[0][1], "/member");
    assert_eq!(s.rows().await, tally);
    // Each of a batch stands for itself; a push is stored as a whole, or not at all.
    let all = json!([set("a", &[11], 1), set("b", &[21], 1), set("c", &[12], 1)]);
    let results = ask!(s.f, s.farm, "POST {BATCH}", all => 200);
    let all = results.as_array().unwrap().iter().map(severities);
    let all: Vec<Vec<&str>> = all.collect();
    assert_eq!(all, [["Information"], ["Error"], ["Information"]], "{results}");
    let tally = s.rows().await;
    let other = json!([set("d", &[11], 1), set("b", &[21], 1)]);
    let body = ask!(s.f, s.farm, "POST {PUSH}", other => 422);
    assert_eq!(body["errors"][0]["instance"], "/1/member/0", "{body}");
    assert_eq!(s.rows().await, tally);
    ask!(s.f, s.farm, "POST {PUSH}", [set("d", &[11], 1)] => 200);
    assert_eq!(keys(&s.get(SETS).await.1), ["a", "c", "d"]);
    // Nobody else sends there.
    ask!(s.f, s.other, "POST {SETS}", set("x", &[11], 1) => 404 ["location-forbidden"]);
    // The same names elsewhere are other sets.
    let mut theirs = set("a", &[21], 1);
    theirs["location"]["id"] = "2".into();
    ask!(s.f, s.other, "POST {OTHER}/animal-sets", theirs => 201);
}

#[test_each(Stage::each())]
async fn a_set_that_is_retracted_is_deleted(s: Stage) {
    let sent = set("a", &[11, 12], 1);
    let (_, made) = post(&s, &sent).await;
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(post(&s, &gone(&sent)).await.0, 200);
    assert_eq!(listed(&s, "a").await, None);
    assert_eq!(row(&s, &id, &s.farm).await.0, 404);
    assert_eq!(moved(&s, "animal-set-joins").await, Vec::<String>::new());
    ask!(s.f, s.farm, "GET /ade/v1/datasets/set-{id}/changes" => 404);
    let (_, feed) = s.get("/ade/v1/datasets/animal-sets/changes").await;
    let last = &feed.as_array().unwrap()[1];
    assert_eq!(last["meta"]["isDeleted"], true, "{feed}");
    assert_eq!(last["meta"]["sourceId"], "a");
    assert_eq!(post(&s, &gone(&sent)).await.0, 200, "once more");
    assert_eq!(s.get("/ade/v1/datasets/animal-sets/changes").await.1[1], *last);
    // A batch that is taken back takes the sets back that it made.
    let all = json!([set("b", &[11], 3), set("c", &[12], 3)]);
    let (_, headers, results) = s.f.post(BATCH, &s.farm, all).await;
    let at = headers["content-location"].to_str().unwrap().to_owned();
    let changed = results[1]["id"].as_str().unwrap();
    patch(&s, changed, &s.farm, json!({"members": [13]})).await;
    let (_, _, body) = s.send("DELETE", &at, &s.farm, &[], Value::Null).await;
    assert_eq!(severities(&body[0]), ["Information"], "{body}");
    assert_eq!(body[1]["messages"][1]["type"], "changed-since", "{body}");
    assert_eq!(listed(&s, "b").await, None);
    assert_eq!(listed(&s, "c").await.unwrap()["member"], json!([animal(13)]));
    assert_eq!(post(&s, &set("a", &[13], 4)).await.0, 201, "it comes again");
    // What a full sync does not name goes, but for what was changed in the book.
    let scope = json!({"sources": ["barn.example"]});
    let sync = Sync::start(&s, "/ade/v1/datasets/animal-sets", &s.farm, scope).await;
    let (status, body) = sync.push(json!([set("n", &[11], 5)])).await;
    assert_eq!(status, 200, "{body}");
    let (status, body) = sync.end(1).await;
    assert_eq!((status, &body["deleted"]["count"], &body["kept"]["count"]), (200, &json!(1), &json!(1)), "{body}");
    let (_, page) = s.get(SETS).await;
    let mut remaining = keys(&page);
    remaining.sort();
    assert_eq!(remaining, ["c", "n"]);
}

#[test_each(Stage::each())]
async fn sets_of_the_book_are_changed_under_their_own_name(s: Stage) {
    let fixed = json!({"name": "Own", "place": "herd", "query": "q", "adeSet": true, "members": [11]});
    let (_, _, fixed) = s.f.post("/api/saved-searches", &s.farm, fixed).await;
    let fixed = fixed["doc"]["id"].as_i64().unwrap();
    let by = json!({"name": "By", "place": "herd", "query": "q", "adeSet": true,
        "where": {"sex": {"equals": "female"}}});
    let (_, _, by) = s.f.post("/api/saved-searches", &s.farm, by).await;
    let by = by["doc"]["id"].as_i64().unwrap();
    let ours = |id: i64, members: &[i64]| {
        let mut doc = set(&format!("animal-sets:{id}"), members, 1);
        doc["meta"]["source"] = "org.herdbook".into();
        doc["name"] = "Renamed".into();
        doc
    };
    assert_eq!(outcome(&s, &ours(fixed, &[12, 11])).await[0], ["updated", ""]);
    let (_, read) = row(&s, &fixed.to_string(), &s.farm).await;
    holds!(read, {"members": [12, 11], "name": "Renamed"});
    assert_eq!((&read["query"], &read["author"]), (&json!("q"), &json!(1)));
    // One by a condition has no members of its own, and keeps its condition.
    let tally = s.rows().await;
    assert_eq!(outcome(&s, &ours(by, &[11])).await, words(&[["set-by-condition", "/member"]]));
    assert_eq!(s.rows().await, tally);
    assert_eq!(outcome(&s, &ours(by, &[])).await[0], ["updated", ""]);
    let (_, read) = row(&s, &by.to_string(), &s.farm).await;
    assert_eq!(read["where"], json!({"sex": {"equals": "female"}}));
    // Another user of the farm is not its author.
    let colleague = s.f.user(6, "farmer", Some(1), "operator").await;
    ask!(s.f, colleague, "POST {SETS}", ours(fixed, &[11]) => 403 ["write-forbidden"]);
    // What a sender named changes under that name only; a sender's name means its own set.
    let (_, made) = post(&s, &set("a", &[11], 1)).await;
    let sent: i64 = made["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(outcome(&s, &ours(sent, &[12])).await, words(&[["sent-by-another", "/meta/source"]]));
    let mut named = set(&format!("animal-sets:{fixed}"), &[13], 1);
    named["name"] = "Theirs".into();
    assert_eq!(outcome(&s, &named).await[0], ["created", ""]);
    let (_, read) = row(&s, &fixed.to_string(), &s.farm).await;
    assert_eq!(read["members"], json!([12, 11]));
    let (_, unknown) = post(&s, &ours(9_999, &[11])).await;
    assert_eq!(codes(&unknown), ["resource-not-found"]);
}

/// A member that was sold is not shown, and what the sender says of the others leaves it in.
#[test_each(Stage::each())]
async fn members_at_other_locations_stay(s: Stage) {
    assert_eq!(post(&s, &set("a", &[11, 12], 1)).await.0, 201);
    s.f.update("animals", 12, json!({"owner": 2})).await;
    let read = listed(&s, "a").await.unwrap();
    holds!(read, {"member": [animal(11)], "meta.corrected": ["/member"]});
    let second = outcome(&s, &set("a", &[11, 12], 2)).await;
    assert_eq!(second, words(&[["unchanged", ""], ["corrected-since", "/member"]]));
    let next = set("a", &[13, 11], 3);
    assert_eq!(outcome(&s, &next).await, words(&[["updated", ""]]));
    same(&next, &listed(&s, "a").await.unwrap());
    assert_eq!(moved(&s, "animal-set-leaves").await, Vec::<String>::new());
    s.f.update("animals", 12, json!({"owner": 1})).await;
    let read = listed(&s, "a").await.unwrap();
    assert_eq!(read["member"], json!([animal(13), animal(11), animal(12)]));
}

#[test_each(Stage::each())]
async fn sets_that_are_sent_count_for_the_organisation(s: Stage) {
    fill!(s.f, "quotas", 1, {"organization": 1, "records": 2});
    let all: Vec<Value> = (["a", "b", "c"].iter()).map(|key| set(key, &[11], 1)).collect();
    let (_, _, results) = s.f.post(BATCH, &s.farm, all.into()).await;
    let ids: Vec<&Value> = (results.as_array().unwrap().iter()).map(|one| &one["messages"][0]["type"]).collect();
    assert_eq!(ids, ["created", "created", "quota"], "{results}");
    let (status, ids) = post(&s, &set("a", &[12], 2)).await;
    assert_eq!(status, 200, "{ids}");
}
