//! Shadowed documents and other state that answers do not show: raw documents whose pair is taken
//! at a location, those from before their data set had a mapping, the effects of group events while
//! their sets had other members, the index of filters.

use crate::ade::stage::{FARM, OTHER, Stage, animal, gone, keys};
use crate::support::fixture::number;
use exchange::{Delivery, Exchange, IntakeOptions, State};
use mapping::{Mappings, Settings};
use model::registry::Principal;
use serde_json::{Value, json};
use std::sync::Arc;
use store::Sql;

fn position(key: &str, cow: i64, name: &str) -> Value {
    json!({
        "resourceType": "icarPositionObservationEventResource",
        "meta": {"source": "collar.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"},
        "animal": animal(cow), "eventDateTime": "2026-02-03T04:00:00Z", "positionName": name,
    })
}

async fn list(s: &Stage, path: &str, who: &str) -> Vec<(String, String)> {
    let page = ask!(s.f, who, "GET {path}" => 200);
    let members = page["member"].as_array().unwrap();
    assert_eq!(page["view"]["totalItems"], members.len(), "{page}");
    let text = |m: &Value, at: &str| m.pointer(at).and_then(Value::as_str).unwrap_or("").to_owned();
    let pair = |m: &Value| (text(m, "/meta/sourceId"), text(m, "/positionName"));
    members.iter().map(pair).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(key, name): &(&str, &str)| ((*key).to_owned(), (*name).to_owned());
    all.iter().map(owned).collect()
}

#[test_each(Stage::each())]
async fn what_came_along_waits_behind_what_was_sent_and_comes_out_again(s: Stage) {
    let (mine, theirs) = (format!("{FARM}/position-observations"), format!("{OTHER}/position-observations"));
    let came = position("a", 11, "north");
    assert_eq!(s.f.post(&mine, &s.farm, came.clone()).await.0, 201);
    let own = position("a", 21, "south");
    assert_eq!(s.f.post(&theirs, &s.other, own.clone()).await.0, 201);
    s.f.update("animals", 11, json!({"owner": 2})).await;
    assert_eq!(list(&s, &theirs, &s.other).await, pairs(&[("a", "south")]));
    // Their document is retracted: the shadowed one is shown, at a new place in the feed.
    assert_eq!(s.f.post(&theirs, &s.other, gone(&own)).await.0, 200);
    assert_eq!(list(&s, &theirs, &s.other).await, pairs(&[("a", "north")]));
    let (_, _, feed) = s.f.get("/ade/v1/datasets/position-observations/changes", &s.other).await;
    assert_eq!(feed[1]["positionName"], "north", "{feed}");
    // A key taken anew there takes precedence, and no answer reveals that there was another.
    let mut second = position("a", 21, "west");
    second["meta"]["modified"] = "2026-02-02T00:00:00Z".into();
    let (headers, body) = ask!(s.f, s.other, "POST {theirs}", second => 201 with headers);
    holds!(body, {"positionName": "west"});
    assert!(!headers.contains_key("x-icar-ade-messages"), "{headers:?}");
    assert_eq!(list(&s, &theirs, &s.other).await, pairs(&[("a", "west")]));
    // Corrected to another animal, which is sold: the shadowed one is shown.
    s.f.update("animals", 21, json!({"owner": 1})).await;
    assert_eq!(list(&s, &theirs, &s.other).await, pairs(&[("a", "north")]));
    assert_eq!(list(&s, &mine, &s.farm).await, pairs(&[("a", "west")]));
    // The sender can still retract its own document, and only that.
    let mut mine_gone = gone(&came);
    mine_gone["meta"]["modified"] = "2026-02-05T00:00:00Z".into();
    assert_eq!(s.f.post(&mine, &s.farm, mine_gone).await.0, 200);
    assert_eq!(list(&s, &theirs, &s.other).await, pairs(&[]));
    assert_eq!(list(&s, &mine, &s.farm).await, pairs(&[("a", "west")]));
}

#[test_each(Stage::each())]
async fn a_key_sent_anew_where_another_came_along_keeps_both(s: Stage) {
    let (mine, theirs) = (format!("{FARM}/position-observations"), format!("{OTHER}/position-observations"));
    ask!(s.f, s.farm, "POST {mine}", position("a", 11, "north") => 201);
    s.f.update("animals", 11, json!({"owner": 2})).await;
    assert_eq!(list(&s, &theirs, &s.other).await, pairs(&[("a", "north")]));
    ask!(s.f, s.other, "POST {theirs}", position("a", 21, "south") => 201);
    assert_eq!(list(&s, &theirs, &s.other).await, pairs(&[("a", "south")]));
    // The farm that sent the first uses its key for another of its animals.
    let mut other = position("a", 12, "east");
    other["meta"]["modified"] = "2026-02-02T00:00:00Z".into();
    let (status, _, body) = s.f.post(&mine, &s.farm, other).await;
    assert!(status < 300, "{body}");
    assert_eq!(list(&s, &mine, &s.farm).await, pairs(&[("a", "east")]));
    assert_eq!(list(&s, &theirs, &s.other).await, pairs(&[("a", "south")]));
}

const REMARKS: &str = r#"
dataset = "remarks"
resource = "icarRemarkEventResource"
collection = "events"
verbs = "GPB"
animal = "animal"
location = "animal.owner"
scope = "ownerOrg"
when = { type = "remark", status = "accepted" }
id = "{id}"
event = "date"
pair = "ade"
extra = "adeExtra"
set = { type = "remark" }
[[map]]
ade = "note"
field = "comment"
"#;

fn remark(key: &str, cow: i64, note: &str) -> Value {
    json!({
        "resourceType": "icarRemarkEventResource",
        "meta": {"source": "notes.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"},
        "animal": animal(cow), "eventDateTime": "2026-02-03T04:00:00Z", "note": note,
    })
}

#[test_each(Stage::each())]
async fn what_was_kept_before_a_mapping_is_replaced_once_it_is_sent_again(s: Stage) {
    let path = format!("{FARM}/remarks");
    for (key, cow) in [("a", 11), ("b", 11), ("c", 12), ("d", 13), ("e", 13)] {
        ask!(s.f, s.farm, "POST {path}", remark(key, cow, "kept") => 201);
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("remarks.toml"), REMARKS).unwrap();
    let registry = domain::collections::registry().unwrap();
    let settings = Settings::default();
    let mappings = Mappings::build(registry, &settings, Some(dir.path())).unwrap();
    let mapped = Exchange::new(registry, mappings, &settings);
    mapped.projector().reproject(&s.f.book, |_, _| {}).await.unwrap();
    assert_eq!(keys(&s.get(&path).await.1), ["a", "b", "c", "d", "e"]);
    let send = async |doc: Value| {
        let delivery = Delivery { dataset: "remarks".to_owned(), location: 1, doc, sent: None };
        let caller = Arc::new(Principal::system());
        let done = mapped.intake().deliver(&s.f.book, caller, vec![delivery], IntakeOptions::default());
        done.await.unwrap().remove(0)
    };
    let later = |mut doc: Value| {
        doc["meta"]["modified"] = "2026-02-02T00:00:00Z".into();
        doc
    };
    let answer = send(later(remark("a", 11, "mapped"))).await;
    assert_eq!(answer.state, State::Created, "{answer:?}");
    assert!(answer.body.unwrap().contains("mapped"));
    // Refused, it stays as it was stored.
    let answer = send(later(remark("c", 99, "nobody's"))).await;
    assert_eq!(answer.state, State::Rejected);
    // Taken back, it is gone.
    assert_eq!(send(later(gone(&remark("b", 11, "kept")))).await.state, State::Deleted);
    assert_remarks(&s, &path).await;
    // The rest still goes with its animal, and is found by its address.
    assert_eq!(send(later(remark("e", 13, "mapped"))).await.state, State::Created);
    s.f.update("animals", 13, json!({"owner": 2})).await;
    let (_, _, there) = s.f.get(&format!("{OTHER}/remarks"), &s.other).await;
    assert_eq!(keys(&there), ["d"], "rows move by their own mapping");
    mapped.projector().reproject(&s.f.book, |_, _| {}).await.unwrap();
    let (_, _, there) = s.f.get(&format!("{OTHER}/remarks"), &s.other).await;
    assert_eq!(there["view"]["totalItems"], 2, "{there}");
    let found = mapped.lists().resource(&s.f.book.store, "remarks", 2, "k4").await.unwrap();
    assert!(found.unwrap().contains("\"d\""));
}

/// The remarks after those that were sent once more, of which three are still stored unread.
async fn assert_remarks(s: &Stage, path: &str) {
    let (_, page) = s.get(path).await;
    let mut notes: Vec<(String, &str)> = (keys(&page).into_iter())
        .zip(page["member"].as_array().unwrap().iter().map(|m| m["note"].as_str().unwrap()))
        .collect();
    notes.sort();
    let stored = |key: &str, note: &'static str| (key.to_owned(), note);
    assert_eq!(notes, [stored("a", "mapped"), stored("c", "kept"), stored("d", "kept"), stored("e", "kept")]);
    assert_eq!(page["view"]["totalItems"], 4, "{page}");
    let rows = s.f.book.store.rows(Sql::new("SELECT count(*) FROM exchange_kept")).await;
    assert_eq!(rows.unwrap()[0].int(0), Some(3));
}

#[test_each(Stage::each())]
async fn a_correction_concerns_the_animals_that_the_set_had(s: Stage) {
    let types = json!({"name": "Deworming", "code": "DW", "kind": "treatment"});
    s.f.fill("health-event-types", 1, types).await;
    let set = json!({"name": "Pen", "place": "herd", "query": "q", "adeSet": true, "members": [11, 12]});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, set).await;
    let id = made["doc"]["id"].as_i64().unwrap();
    let treated = |day: u32, site: &str| {
        json!({
            "resourceType": "icarGroupTreatmentEventResource",
            "meta": {"source": "vet.example", "sourceId": "g",
                "modified": format!("2026-02-{day:02}T00:00:00Z")},
            "location": {"scheme": "org.herdbook.orgid", "id": "1"},
            "eventDateTime": "2026-02-05T00:00:00Z", "groupMethod": "ExistingAnimalSet",
            "animalSetReference": {"identifier": {"id": id.to_string(), "scheme": "x"}},
            "procedure": "Pour on", "site": site,
        })
    };
    let path = format!("{FARM}/group-treatments");
    ask!(s.f, s.farm, "POST {path}", treated(6, "Back") => 201);
    update!(s.f, "saved-searches", id, {"members": [12, 13]});
    for doc in [treated(6, "Back"), treated(7, "Neck")] {
        let site = doc["site"].clone();
        assert_eq!(s.f.post(&path, &s.farm, doc).await.0, 200);
        let (_, page) = s.get(&format!("{FARM}/treatments")).await;
        let weights: Vec<(&Value, &Value)> =
            (page["member"].as_array().unwrap().iter()).map(|m| (&m["animal"]["id"], &m["site"])).collect();
        assert_eq!(weights, [(&json!(number(11)), &site), (&json!(number(12)), &site)]);
    }
    // An event of the group now is an event of its present members.
    let mut next = treated(8, "Neck");
    next["meta"]["sourceId"] = "h".into();
    assert_eq!(s.f.post(&path, &s.farm, next).await.0, 201);
    assert_eq!(s.total("treatments").await, 4);
    // A member that is not here any more is reported at the reference.
    s.f.update("animals", 12, json!({"owner": 2})).await;
    let body = ask!(s.f, s.farm, "POST {path}", treated(9, "Leg") => 422 ["animal-not-found"]);
    assert_eq!(body["errors"][0]["instance"], "/animalSetReference");
    // Its event belongs to the present owner of the animal: it cannot be retracted either.
    ask!(s.f, s.farm, "POST {path}", gone(&treated(9, "Leg")) => 403 ["write-forbidden"]);
    s.f.update("animals", 12, json!({"owner": 1})).await;
    ask!(s.f, s.farm, "POST {path}", gone(&treated(9, "Leg")) => 200);
    assert_eq!(s.total("treatments").await, 2);
}

async fn indexed(s: &Stage) -> Vec<String> {
    let sql = "SELECT k.document, k.location, n.name, k.name, k.value, k.at FROM exchange_keys k \
               JOIN exchange_names n ON n.id = k.dataset ORDER BY k.document, k.name, k.value";
    let rows = s.f.book.store.rows(Sql::new(sql)).await.unwrap();
    let text = |row: &store::Row| {
        let texts = [2, 3, 4].map(|at| row.text(at).unwrap_or_default().to_owned());
        format!("{:?} {:?} {texts:?} {:?}", row.int(0), row.int(1), row.int(5))
    };
    rows.iter().map(text).collect()
}

async fn run(s: &Stage, sql: &'static str) {
    s.f.book.transact(move |work| Box::pin(async move { work.tx().run(Sql::new(sql)).await })).await.unwrap();
}

#[test_each(Stage::each_mapped(&[("remarks.toml", REMARKS)]))]
async fn rendering_anew_indexes_what_reads_the_same_by_other_keys(s: Stage) {
    let mut doc = position("p", 11, "north");
    doc["device"] = json!({"registration": {"scheme": "icar.device", "id": "D7"}});
    ask!(s.f, s.farm, "POST {FARM}/position-observations", doc => 201);
    ask!(s.f, s.farm, "POST {FARM}/remarks", remark("r", 11, "x") => 201);
    let before = indexed(&s).await;
    assert!(before.len() >= 3, "{before:?}");
    let filter = "position-observations?identifier-scheme=icar.device&identifier-id=D7";
    let found = async || keys(&s.get(&format!("{FARM}/{filter}")).await.1);
    assert_eq!(found().await, ["p"]);
    // As if other members had answered the filters until now.
    run(
        &s,
        "DELETE FROM exchange_keys WHERE dataset = (SELECT id FROM exchange_names \
         WHERE name = 'position-observations')",
    )
    .await;
    run(&s, "UPDATE exchange_keys SET value = 'old', name = 'metric-id'").await;
    assert_eq!(found().await, Vec::<String>::new());
    let (_, feed) = s.get("/ade/v1/datasets/everything/changes").await;
    s.f.exchange.projector().reproject(&s.f.book, |_, _| {}).await.unwrap();
    assert_eq!(found().await, ["p"]);
    assert_eq!(indexed(&s).await, before);
    // No document has a new place.
    let (_, second) = s.get("/ade/v1/datasets/everything/changes").await;
    assert_eq!(keys(&second), keys(&feed));
}

#[test_each(Stage::each())]
async fn a_set_of_animals_is_a_data_set_of_what_is_told_of_its_members(s: Stage) {
    s.weigh(&[1, 2]).await;
    let mut other = crate::ade::stage::weight(3, 12);
    other["meta"]["sourceId"] = "w3".into();
    s.f.post(&format!("{FARM}/weights"), &s.farm, other).await;
    let set = json!({"name": "Pen", "place": "herd", "query": "q", "adeSet": true, "members": [11]});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, set).await;
    let id = made["doc"]["id"].as_i64().unwrap();
    let name = format!("set-{id}");
    assert_listed(&s, &name).await;
    assert_own(&s, &name).await;
    let changes = format!("/ade/v1/datasets/{name}/changes");
    let (_, _, all) = s.f.get(&changes, &s.expert).await;
    let weights = |feed: &Value| -> Vec<String> {
        let all = keys(feed).into_iter();
        all.filter(|key| key.starts_with('w')).collect()
    };
    assert_eq!(weights(&all), ["w1", "w2"]);
    let token = |feed: &Value| feed.as_array().unwrap().last().unwrap()["token"].as_str().unwrap().to_owned();
    let (_, first) = s.get(&changes).await;
    let without_tokens = |feed: &Value| -> Vec<Value> {
        let all = feed.as_array().unwrap();
        all[1..all.len() - 1].to_vec()
    };
    assert!(without_tokens(&first).iter().all(|m| m["identifier"] == animal(11) || m["animal"] == animal(11)));
    assert_eq!(without_tokens(&first).iter().filter(|m| m["resourceType"] == "icarAnimalCoreResource").count(), 1);
    let since = token(&first);
    let (_, headers, none) = s.f.get(&format!("{changes}?since={since}"), &s.farm).await;
    assert_eq!(without_tokens(&none), Vec::<Value>::new());
    assert!(!headers.contains_key("icar-full-sync"));
    s.weigh(&[5]).await;
    let (_, _, next) = s.f.get(&format!("{changes}?since={since}"), &s.farm).await;
    assert_eq!(weights(&next), ["w5"]);
    // An animal that joins brings its documents along, one that leaves takes them away, at their place.
    update!(s.f, "saved-searches", id, {"members": [12]});
    let since = token(&next);
    let (_, headers, next) = s.f.get(&format!("{changes}?since={since}"), &s.farm).await;
    assert!(!headers.contains_key("icar-full-sync"));
    assert_eq!(weights(&next), ["w3", "w1", "w2", "w5"]);
    let gone: Vec<Value> = (without_tokens(&next).into_iter()).filter(|m| m["meta"]["isDeleted"] == true).collect();
    // Three weights, the animal, and that it joined and left.
    assert_eq!(gone.len(), 6, "{gone:?}");
    assert!(gone.iter().all(|m| m["meta"]["reason"] == "left-set"));
    let (status, _, body) = s.f.get(&format!("/ade/v1/datasets/weights/changes?since={}", token(&next)), &s.farm).await;
    assert_eq!((status, &body["errors"][0]["type"]), (400, &json!("token-foreign")), "{body}");
    ask!(s.f, s.farm, "POST /ade/v1/datasets/{name}/resources", [] => 405 ["method-not-allowed"]);
    update!(s.f, "saved-searches", id, {"adeSet": false});
    assert_eq!(s.get(&changes).await.0, 404);
}

/// A set is among the data sets, and by itself.
async fn assert_listed(s: &Stage, name: &str) {
    let (_, sets) = s.get("/ade/v1/datasets").await;
    let listed = sets.as_array().unwrap().iter().find(|set| set["name"] == *name);
    assert_eq!(listed.unwrap()["changes"], format!("/ade/v1/datasets/{name}/changes"));
    let (_, one) = s.get(&format!("/ade/v1/datasets/{name}")).await;
    assert_eq!(Some(&one), listed);
    assert!(one["containedTypes"].as_array().unwrap().contains(&json!("icarWeightEventResource")));
}

/// No other farm learns of a set.
async fn assert_own(s: &Stage, name: &str) {
    for path in ["", "/changes"] {
        let body = ask!(s.f, s.other, "GET /ade/v1/datasets/{name}{path}" => 404 ["collection-unknown"]);
        let (_, _, none) = s.f.get(&format!("/ade/v1/datasets/set-999{path}"), &s.other).await;
        assert_eq!(
            none["errors"][0]["detail"].as_str().unwrap().replace("set-999", name),
            body["errors"][0]["detail"].as_str().unwrap()
        );
    }
    let (_, _, theirs) = s.f.get("/ade/v1/datasets", &s.other).await;
    assert!(!theirs.to_string().contains(name));
}
