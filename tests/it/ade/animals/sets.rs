//! Animals join sets and leave them.

use crate::ade::stage::{FARM, OTHER, Stage, codes, gone, keys};
use crate::support::fixture::number;
use serde_json::{Value, json};

const JOINS: &str = "/ade/v1/locations/org.herdbook.orgid/1/animal-set-joins";
const LEAVES: &str = "/ade/v1/locations/org.herdbook.orgid/1/animal-set-leaves";

/// A set of farm 1 that is offered.
async fn set(s: &Stage, members: &[i64]) -> i64 {
    let made = ask!(s.f, s.farm, "POST /api/saved-searches",
        {"name": "To dry off", "place": "herd", "query": "view=list", "adeSet": true, "members": members} => 201);
    made["doc"]["id"].as_i64().unwrap()
}

fn event(kind: &str, key: &str, set: &str, animal: i64, day: &str) -> Value {
    json!({
        "resourceType": format!("icarAnimalSet{kind}EventResource"),
        "meta": {"source": "barn.example", "sourceId": key, "modified": "2026-02-20T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": number(animal)},
        "animalSetId": set,
        "eventDateTime": format!("{day}T06:00:00Z"),
    })
}

fn join(key: &str, set: i64, animal: i64, day: &str) -> Value {
    event("Join", key, &set.to_string(), animal, day)
}

fn leave(key: &str, set: i64, animal: i64, day: &str) -> Value {
    event("Leave", key, &set.to_string(), animal, day)
}

/// Numbers of the members of a set, as it is served.
async fn members(s: &Stage, set: i64) -> Vec<String> {
    let (_, page) = s.get(&format!("{FARM}/animal-sets")).await;
    let sets = page["member"].as_array().unwrap();
    let id = set.to_string();
    let one = sets.iter().find(|one| one["id"].as_str() == Some(&id));
    let mut all: Vec<String> =
        (one.unwrap()["member"].as_array().unwrap().iter()).map(|m| m["id"].as_str().unwrap().to_owned()).collect();
    all.sort();
    all
}

async fn sent(s: &Stage, path: &str, doc: &Value) -> (u16, Value) {
    let (status, _, body) = s.f.post(path, &s.farm, doc.clone()).await;
    (status, body)
}

#[test_each(Stage::each())]
async fn joins_and_leaves_move_the_members_and_are_served_as_they_were_sent(s: Stage) {
    let id = set(&s, &[11]).await;
    let mut doc = join("j1", id, 12, "2026-02-10");
    doc["remark"] = "from pen 4".into();
    doc["x-pen"] = json!({"no": 4});
    doc["meta"]["creator"] = "gate".into();
    let (headers, body) = ask!(s.f, s.farm, "POST {JOINS}", doc => 201 with headers);
    assert_eq!(ade::validate("icarAnimalSetJoinEventResource", &body), []);
    for (at, value) in [
        ("/meta/source", json!("barn.example")),
        ("/meta/sourceId", json!("j1")),
        ("/meta/creator", json!("gate")),
        ("/animal/id", json!(number(12))),
        ("/animalSetId", json!(id.to_string())),
        ("/eventDateTime", json!("2026-02-10T06:00:00Z")),
        ("/remark", json!("from pen 4")),
        ("/x-pen/no", json!(4)),
    ] {
        assert_eq!(body.pointer(at), Some(&value), "{at}");
    }
    let text = s.f.get(JOINS, &s.farm).await.2.to_string();
    assert_eq!(text.matches("\"creator\"").count(), 1, "{text}");
    let at = headers["location"].to_str().unwrap();
    let at = at.strip_prefix("http://book.example").unwrap_or(at);
    assert_eq!(s.get(at).await, (200, body));
    assert_eq!(members(&s, id).await, [number(11), number(12)]);

    // The same again changes nothing.
    let (_, feed) = s.get("/ade/v1/datasets/everything/changes").await;
    let tally = s.tally().await;
    assert_eq!(sent(&s, JOINS, &doc).await.0, 200);
    assert_eq!(s.tally().await, tally);
    assert_eq!(keys(&s.get("/ade/v1/datasets/everything/changes").await.1), keys(&feed));

    // By the key of the set as well; an earlier leave that comes late changes nothing.
    let key = format!("animal-sets:{id}");
    let early = event("Leave", "l0", &key, 12, "2026-02-09");
    assert_eq!(sent(&s, LEAVES, &early).await.0, 201);
    assert_eq!(members(&s, id).await, [number(11), number(12)]);
    let late = leave("l1", id, 12, "2026-02-11");
    assert_eq!(sent(&s, LEAVES, &late).await.0, 201);
    assert_eq!(members(&s, id).await, [number(11)]);
    // Corrected: it was the other one that left.
    let mut other = leave("l1", id, 11, "2026-03-01");
    other["meta"]["modified"] = "2026-02-21T00:00:00Z".into();
    other["eventDateTime"] = "2026-03-01T12:00:01Z".into();
    assert_eq!(sent(&s, LEAVES, &other).await.0, 200);
    assert_eq!(members(&s, id).await, [number(12)]);
    // Taken back.
    assert_eq!(sent(&s, JOINS, &gone(&doc)).await.0, 200);
    assert_eq!(members(&s, id).await, Vec::<String>::new());
    assert_eq!(sent(&s, JOINS, &gone(&doc)).await.0, 200);
    assert_eq!(sent(&s, LEAVES, &gone(&other)).await.0, 200);
    assert_eq!(members(&s, id).await, [number(11)]);
    let (_, feed) = s.get("/ade/v1/datasets/animal-set-joins/changes").await;
    let dead = feed.as_array().unwrap().iter();
    let dead: Vec<&Value> = dead.filter(|e| e["meta"]["isDeleted"] == true).collect();
    assert_eq!(dead.len(), 1, "{feed}");
    assert_eq!(dead[0]["meta"]["sourceId"], "j1");
    let (_, _, removed) = s.f.get("/api/ade-tombstones?where[sourceId][equals]=j1", &s.farm).await;
    assert_eq!(removed["docs"][0]["reason"], "deleted", "{removed}");
}

#[test_each(Stage::each())]
async fn each_of_a_batch_stands_for_itself(s: Stage) {
    let (id, other) = (set(&s, &[]).await, set(&s, &[]).await);
    let fixed = json!({"name": "Old", "place": "herd", "query": "q", "adeSet": true,
        "where": {"sex": {"equals": "female"}}});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, fixed).await;
    let fixed = made["doc"]["id"].as_i64().unwrap();
    let (_, _, made) = post!(s.f, "/api/saved-searches", &s.other,
            {"name": "Theirs", "place": "herd", "query": "q", "adeSet": true});
    let theirs = made["doc"]["id"].as_i64().unwrap();
    let hidden = json!({"name": "Mine", "place": "herd", "query": "q"});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, hidden).await;
    let hidden = made["doc"]["id"].as_i64().unwrap();
    let mut tomorrow = join("g", id, 11, "2026-03-02");
    tomorrow["eventDateTime"] = "2026-03-02T00:00:00Z".into();
    let mut animals = join("h", id, 11, "2026-02-01");
    animals.as_object_mut().unwrap().remove("animal");
    let all = json!([
        join("a", id, 11, "2026-02-01"),
        join("b", id, 21, "2026-02-01"),
        join("c", theirs, 11, "2026-02-01"),
        join("d", 9_999, 11, "2026-02-01"),
        join("e", fixed, 11, "2026-02-01"),
        join("f", hidden, 11, "2026-02-01"),
        tomorrow,
        animals,
        join("i", id, 12, "2026-02-01"),
        join("i", other, 12, "2026-02-02"),
    ]);
    let results = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/animal-set-joins", all => 200);
    let outcomes_of: Vec<(&str, &str)> = (results.as_array().unwrap().iter())
        .map(|r| {
            let messages = r["messages"].as_array().unwrap();
            assert_eq!(messages.len(), 1, "{r}");
            let text = |name: &str| messages[0][name].as_str().unwrap_or("");
            (text("type"), text("instance"))
        })
        .collect();
    assert_eq!(
        outcomes_of,
        [
            ("created", ""),
            ("animal-not-found", "/animal"),
            ("set-not-found", "/animalSetId"),
            ("set-not-found", "/animalSetId"),
            ("set-by-condition", "/animalSetId"),
            ("set-not-found", "/animalSetId"),
            ("event-in-future", "/eventDateTime"),
            ("missing", "/animal"),
            ("created", ""),
            ("updated", ""),
        ]
    );
    assert_eq!(members(&s, id).await, [number(11)]);
    assert_eq!(members(&s, other).await, [number(12)]);
    assert_eq!(members(&s, fixed).await, Vec::<String>::new());
    assert_eq!(keys(&s.get(JOINS).await.1), ["a", "i"]);
    // No other farm sends to the location, or sees its changes.
    ask!(s.f, s.other, "POST {JOINS}", join("x", id, 11, "2026-02-01") => 404 ["location-forbidden"]);
    ask!(s.f, s.other, "POST {OTHER}/animal-set-joins", join("x", id, 21, "2026-02-01") => 422 ["resource-not-found"]);
}

#[test_each(Stage::each())]
async fn what_people_did_is_ours_to_take_back_and_not_to_rename(s: Stage) {
    let id = set(&s, &[11]).await;
    let (_, page) = s.get(JOINS).await;
    let own = page["member"][0].clone();
    assert_eq!(own["meta"]["source"], "org.herdbook");
    let (status, body) = sent(&s, JOINS, &own).await;
    assert_eq!(status, 200, "{body}");
    let mut renamed = own.clone();
    renamed["animal"]["id"] = number(12).into();
    let (status, body) = sent(&s, JOINS, &renamed).await;
    assert_eq!((status, codes(&body)), (400, vec!["field-value"]));
    assert_eq!(body["errors"][0]["instance"], "/animal");
    let joined = join("j", id, 12, "2026-02-01");
    assert_eq!(sent(&s, JOINS, &joined).await.0, 201);
    let mut ours = joined.clone();
    ours["meta"]["source"] = "org.herdbook".into();
    ours["meta"]["sourceId"] = format!("animal-set-joins:{id}:12:2026-02-01T06:00:00.000Z").into();
    let (status, body) = sent(&s, JOINS, &ours).await;
    assert_eq!((status, codes(&body)), (409, vec!["conflict"]), "{body}");
    assert_eq!(sent(&s, JOINS, &gone(&own)).await.0, 200);
    assert_eq!(members(&s, id).await, [number(12)]);
    // A push is stored as a whole, or not at all.
    let push = json!([
        {"id": "@context", "@vocab": "https://icar.org"},
        leave("l", id, 12, "2026-02-02"),
        leave("m", 9_999, 12, "2026-02-02"),
    ]);
    let at = "/ade/v1/datasets/animal-set-leaves/resources";
    let mut all = push.as_array().unwrap().clone();
    for doc in all.iter_mut().skip(1) {
        doc["location"] = json!({"id": "1", "scheme": "org.herdbook.orgid"});
    }
    ask!(s.f, s.farm, "POST {at}", all => 422);
    assert_eq!(members(&s, id).await, [number(12)]);
    all.pop();
    ask!(s.f, s.farm, "POST {at}", all => 200);
    assert_eq!(members(&s, id).await, Vec::<String>::new());
    // After the sale nothing is reported about it; the former owner's set is hidden from the new one.
    s.f.update("animals", 12, json!({"owner": 2})).await;
    assert_eq!(keys(&s.get(JOINS).await.1), Vec::<String>::new());
    let (_, _, theirs) = s.f.get(&format!("{OTHER}/animal-set-leaves"), &s.other).await;
    assert_eq!(theirs["member"], json!([]));
}

/// As far as clocks of senders may be ahead, and no further.
#[tokio::test]
async fn nobody_joins_later_than_clocks_may_be_ahead() {
    let setting = "exchange.clock_tolerance";
    for (seconds, minute, code) in
        [("300", "04", None), ("300", "06", Some("event-in-future"))].into_iter().chain([("3600", "59", None)])
    {
        for s in Stage::each_with(&[(setting, seconds)]).await {
            let set = set(&s, &[]).await;
            let mut doc = join("j1", set, 11, "2026-03-01");
            doc["eventDateTime"] = format!("2026-03-01T12:{minute}:00Z").into();
            let (status, body) = sent(&s, JOINS, &doc).await;
            match code {
                None => assert_eq!(status, 201, "{seconds} {minute}: {body}"),
                Some(code) => assert_eq!(body["errors"][0]["type"], code, "{body}"),
            }
        }
    }
}
