//! Resources that only accredited organisations and the Association send, to all locations.

use crate::ade::full_syncs::course::Sync;
use crate::ade::stage::{FARM, OTHER, Stage, keys, placed};
use crate::support::fixture::number;
use serde_json::{Value, json};

const BATCH: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1/conformation-scores";

fn meta(key: &str, day: u32) -> Value {
    json!({"source": "classifier.example", "sourceId": key,
        "modified": format!("2026-02-{day:02}T00:00:00Z")})
}

fn classification(key: &str, animal: i64, day: u32) -> Value {
    json!({
        "resourceType": "icarTypeClassificationEventResource",
        "meta": meta(key, day),
        "animal": {"scheme": "org.herdbook.animal", "id": number(animal)},
        "eventDateTime": "2026-01-20T08:09:10.000Z",
        "score": 84.50,
        "traitScored": "FinalScore",
        "conformationScores": [
            {"traitGroup": "Linear", "traitScored": "Angularity", "score": 7, "method": "Automated"},
            {"traitGroup": "Linear", "traitScored": "Stature", "score": 6.5, "method": "Manual"},
        ],
        "device": {"id": "cam-1"},
    })
}

fn score(key: &str, animal: i64) -> Value {
    json!({
        "resourceType": "icarConformationScoreEventResource",
        "meta": meta(key, 1),
        "animal": {"scheme": "org.herdbook.animal", "id": number(animal)},
        "eventDateTime": "2026-01-20T08:09:10.000Z",
        "traitGroup": "Linear", "traitScored": "Stature", "score": 6, "method": "Manual",
    })
}

fn values(key: &str, animal: i64) -> Value {
    placed(
        json!({
            "resourceType": "icarBreedingValueResource",
            "id": key,
            "meta": meta(key, 1),
            "animal": {"scheme": "org.herdbook.animal", "id": number(animal)},
            "base": {"scheme": "centre.example.base", "id": "2026-1"}, "version": "August 2026",
            "breedingValues": [{"traitLabel": {"scheme": "centre.example.trait", "id": "milk"},
                "calculationType": "GenomicBreedingValue", "value": 812.0, "reliability": 71}],
        }),
        "1",
    )
}

/// Lets the Association accredit organisation 2.
async fn accredited(s: &Stage, activities: Value) {
    ask!(s.f, s.expert, "PATCH /api/organizations/2", {"activities": activities} => 200);
}

#[test_each(Stage::each())]
async fn classifiers_send_to_all_locations_and_farms_do_not(s: Stage) {
    let path = format!("{FARM}/type-classifications");
    for (path, who, body) in table![
        path.as_str(), &s.farm, classification("c1", 11, 1);
        BATCH, &s.farm, json!([score("s1", 11)]);
        "/ade/v1/datasets/breeding-values/resources", &s.farm, json!([values("v1", 11)]);
    ] {
        let tally = s.tally().await;
        ask!(s.f, who, "POST {path}", body => 403 ["write-forbidden"], "{path}");
        assert_eq!(s.tally().await, tally);
    }
    ask!(s.f, s.other, "POST {path}", classification("c1", 11, 1) => 404 ["location-forbidden"]);
    // No organisation can accredit itself.
    let own = json!({"activities": ["classifier"]});
    ask!(s.f, s.other, "PATCH /api/organizations/2", own => 403);

    accredited(&s, json!(["classifier"])).await;
    let sent = classification("c1", 11, 1);
    let (headers, made) = ask!(s.f, s.other, "POST {path}", sent => 201 with headers);
    let at = headers["location"].to_str().unwrap();
    let read = ask!(s.f, s.farm, "GET {at}" => 200);
    assert_eq!(&read, &made, "the farm reads it");
    for (member, value) in sent.as_object().unwrap() {
        if member != "meta" {
            assert_eq!(read[member], *value, "{member}");
        }
    }
    ask!(s.f, s.other, "GET {at}" => 404, "the sender reads nothing");
    assert_eq!(s.f.get(&path, &s.other).await.0, 404);
    let (_, _, list) = s.f.get("/ade/v1/locations", &s.other).await;
    assert_eq!(list["member"].as_array().unwrap().len(), 1, "{list}");
    // The list also has the rows of the book.
    fill!(s.f, "animal-exteriors", 91, {"animal": 12, "assessedAt": "2026-01-10", "height": 7});
    assert_eq!(keys(&s.get(&path).await.1), ["c1", "type-classifications:91"]);

    // Only its own resources, only animals of the location, and known locations.
    let mut book = classification("c2", 12, 2);
    book["meta"]["source"] = json!("org.herdbook");
    book["meta"]["sourceId"] = json!("type-classifications:91");
    for who in [&s.other, &s.expert] {
        ask!(s.f, who, "POST {path}", book => 422 ["resource-not-found"]);
    }
    ask!(s.f, s.other, "POST {path}", classification("c3", 21, 1) => 422 ["animal-not-found"]);
    let nowhere = "/ade/v1/locations/org.herdbook.orgid/77/type-classifications";
    assert_eq!(s.f.post(nowhere, &s.other, sent.clone()).await.0, 404);
    ask!(s.f, s.other, "POST {BATCH}", [score("s1", 11), score("s2", 12)] => 200);
    let (_, scores) = s.get(&format!("{FARM}/conformation-scores")).await;
    assert_eq!(keys(&scores), ["conformation-scores:91:height", "s1", "s2"]);
    // A classifier is no evaluation centre.
    ask!(s.f, s.other, "POST /ade/v1/datasets/breeding-values/resources", [values("v1", 11)] => 404);

    // The Association sends and corrects too, and a withdrawn accreditation ends at once.
    let mut corrected = classification("c1", 11, 3);
    corrected["score"] = json!(85);
    ask!(s.f, s.expert, "POST {path}", corrected => 200);
    let answer = ask!(s.f, s.other, "POST {path}", classification("c1", 11, 4) => 409);
    holds!(answer, {"errors.0.type": "sent-by-another"});
    accredited(&s, json!([])).await;
    ask!(s.f, s.other, "POST {path}", classification("c9", 11, 1) => 404);
    ask!(s.f, s.other, "POST {OTHER}/type-classifications", classification("c9", 21, 1) => 403 ["write-forbidden"]);
}

#[test_each(Stage::each())]
async fn evaluation_centres_push_breeding_values(s: Stage) {
    accredited(&s, json!(["evaluationCentre"])).await;
    let set = "/ade/v1/datasets/breeding-values";
    let push = format!("{set}/resources");
    ask!(s.f, s.other, "POST {push}", [values("v1", 11)] => 200);
    ask!(s.f, s.expert, "POST {push}", [values("v2", 12)] => 200);
    let (_, page) = s.get(&format!("{FARM}/breeding-values")).await;
    assert_eq!(sent(&page), ["v1", "v2"]);
    let members = page["member"].as_array().unwrap();
    let found = members.iter().find(|one| one["meta"]["sourceId"] == "v1");
    assert_eq!(found.unwrap()["breedingValues"], values("v1", 11)["breedingValues"]);
    let path = format!("{FARM}/breeding-values");
    assert_eq!(s.f.post(&path, &s.other, values("v3", 11)).await.0, 405);
    // Its full sync covers its own documents; those of the Association stay.
    let there = json!({"sources": ["classifier.example"],
        "locations": [{"scheme": "org.herdbook.orgid", "id": "1"}]});
    let sync = Sync::start(&s, set, &s.other, there).await;
    let (status, ended) = sync.end(0).await;
    assert_eq!((status, &ended["deleted"]["count"]), (200, &json!(1)), "{ended}");
    assert_eq!(sent(&s.get(&path).await.1), ["v2"]);
}

/// Keys of what was sent: indexes that follow from it have keys of the book.
fn sent(page: &Value) -> Vec<String> {
    let mut keys = keys(page);
    keys.retain(|key| !key.starts_with("breeding-values:"));
    keys.sort();
    keys
}

#[tokio::test]
async fn who_sends_is_told() {
    let s = Stage::plain().await;
    let senders_for = async |who: &str| {
        let (_, _, senders_for) = s.f.get("/.well-known/ade", who).await;
        let mut types = senders_for["types"].as_array().unwrap().iter();
        let found = types.find(|t| t["collection"] == "conformation-scores");
        let found = found.unwrap().clone();
        let (_, _, api) = s.f.get("/ade/v1/openapi.json", who).await;
        let at = "/ade/v1/locations/{location-scheme}/{location-id}/conformation-scores";
        assert_eq!(api["paths"][at]["post"].is_object(), found["verbs"].as_array().unwrap().contains(&json!("post")));
        (found["senders"].clone(), found["verbs"].clone())
    };
    let reads = (json!(["classifier"]), json!(["get", "changes"]));
    assert_eq!(senders_for(&s.farm).await, reads);
    let sends = (json!(["classifier"]), json!(["get", "post", "batch", "push", "changes"]));
    assert_eq!(senders_for(&s.expert).await, sends);
    accredited(&s, json!(["classifier"])).await;
    assert_eq!(senders_for(&s.other).await, sends);
}

/// Rows as the Association reads them.
async fn rows(s: &Stage, slug: &str) -> Vec<Value> {
    let list = ask!(s.f, s.expert, "GET /api/{slug}?sort=id&depth=0" => 200);
    list["docs"].as_array().unwrap().clone()
}

async fn card(s: &Stage, animal: i64) -> Value {
    ask!(s.f, s.farm, "GET /api/animals/{animal}?depth=0" => 200)
}

#[tokio::test]
async fn what_a_centre_sends_is_in_force_in_whatever_order_it_comes() {
    const PUSH: &str = "/ade/v1/datasets/breeding-values/resources";
    for s in Stage::each().await {
        accredited(&s, json!(["evaluationCentre"])).await;
        let own = json!({"animal": 11, "evaluatedAt": "2026-02-20", "source": "association", "milkForecast": 152, "ipc": 100});
        s.f.fill("animal-evaluations", 91, own).await;
        holds!(card(&s, 11).await, {"production.milk.forecast": 152, "ipc": 100});
        let mut fat = values("v2", 11);
        fat["breedingValues"] = json!([
            {"traitLabel": {"scheme": "icar.idea", "id": "fat"}, "calculationType": "GenomicBreedingValue", "value": 21.5},
            {"traitLabel": {"scheme": "centre.example.trait", "id": "milk"}, "calculationType": "BreedingValue", "value": 1, "reliability": 20},
            {"traitLabel": {"scheme": "centre.example.trait", "id": "temper"}, "value": 3},
        ]);
        let pushed = [values("v1", 11), fat];
        for (day, order) in [(1, [0, 1]), (5, [1, 0])] {
            for at in order {
                let mut one = pushed[at].clone();
                one["meta"]["modified"] = json!(format!("2026-02-{day:02}T00:00:00Z"));
                ask!(s.f, s.other, "POST {PUSH}", [one] => 200);
            }
            let found = rows(&s, "animal-evaluations").await;
            let centre: Vec<&Value> = found.iter().filter(|row| row["sentBy"] == 2).collect();
            let genomic = centre.iter().find(|row| row["calculation"] == "gebv").unwrap();
            holds!(genomic, {"source": "center", "milkForecast": 812, "milkR": 71, "fatKgForecast": 21.5, "isCurrent": true,
                "evaluatedAt": format!("2026-02-{day:02}T00:00:00.000Z"), "baseVersion": "2026-1", "center": "August 2026", "ownerOrg": 1});
            assert_eq!((centre.len(), found.len()), (2, 3), "{found:?}");
            holds!(card(&s, 11).await, {"production.milk": {"forecast": 812, "r": 71}, "production.fatKg.forecast": 21.5, "ipc": 608.92});
            let listed = ask!(s.f, s.farm, "GET /api/animals?where[production.milk.forecast][greater_than]=800" => 200);
            assert_eq!(listed["totalDocs"], 1);
            assert_eq!(s.total("breeding-values").await, 2 + 7, "and the indexes");
            // The row follows from what was sent, and from nothing else.
            let id = &genomic["id"];
            let admin = s.f.user(90 + i64::from(day), "admin", None, "head").await;
            ask!(s.f, admin, "PATCH /api/animal-evaluations/{id}", {"ipc": 1} => 403);
            for key in ["v1", "v2"] {
                let mut gone =
                    placed(json!({"resourceType": "icarBreedingValueResource", "meta": meta(key, day + 1)}), "1");
                gone["meta"]["isDeleted"] = json!(true);
                ask!(s.f, s.other, "POST {PUSH}", [gone] => 200);
            }
            assert_eq!(rows(&s, "animal-evaluations").await.len(), 1);
            holds!(card(&s, 11).await, {"production.milk.forecast": 152, "ipc": 100});
            let (_, page) = s.get(&format!("{FARM}/breeding-values")).await;
            let mut own = keys(&page);
            own.sort();
            let profiles = ["association", "cheese", "ebv", "nm", "profit", "tpi"];
            assert_eq!(own, profiles.map(|key| format!("breeding-values:11:{key}")));
        }
    }
}

#[test_each(Stage::each())]
async fn what_classifiers_send_of_a_day_is_one_row(s: Stage) {
    accredited(&s, json!(["classifier"])).await;
    let path = format!("{FARM}/type-classifications");
    let made = ask!(s.f, s.other, "POST {path}", classification("c1", 11, 1) => 201);
    assert_eq!(made["score"], 84.5, "{made}");
    let row = rows(&s, "animal-exteriors").await;
    assert_eq!(row.len(), 1);
    holds!(row[0], {"finalScore": 84.5, "finalClass": "GP", "height": null, "sentBy": 2, "isCurrent": true});
    // A value off the scale stays with the document, and its sender gets a warning.
    let mut steep = score("s2", 11);
    steep["traitScored"] = json!("RumpAngle");
    steep["score"] = json!(45);
    let results = ask!(s.f, s.other, "POST {BATCH}", [score("s1", 11), steep] => 200);
    let messages_of = [&results[0]["messages"], &results[1]["messages"]].map(Value::to_string);
    assert!(messages_of[0].contains("created") && !messages_of[0].contains("not-kept"), "{results}");
    assert!(messages_of[1].contains("created") && messages_of[1].contains("not-kept"), "{results}");
    let row = rows(&s, "animal-exteriors").await;
    assert_eq!(row.len(), 1);
    holds!(row[0], {"finalScore": 84.5, "height": 6, "rumpAngle": null});
    holds!(card(&s, 11).await, {"linearScore.height": 6});
    let (_, page) = s.get(&format!("{FARM}/conformation-scores")).await;
    assert_eq!(keys(&page), ["s1", "s2"]);
    // A trait that is there twice counts once; where its values differ, the whole is refused.
    let trait_of =
        |score: i64| json!({"traitGroup": "Linear", "traitScored": "Stature", "score": score, "method": "Manual"});
    let mut twice = classification("c2", 12, 1);
    twice["conformationScores"] = json!([trait_of(6), trait_of(7)]);
    let refused = ask!(s.f, s.other, "POST {path}", twice => 400 ["field-value"]);
    assert_eq!(refused["errors"][0]["instance"], "/conformationScores/1/score");
    assert_eq!(rows(&s, "animal-exteriors").await.len(), 1);
    twice["conformationScores"] = json!([trait_of(6), trait_of(6)]);
    ask!(s.f, s.other, "POST {path}", twice => 201);
    holds!(rows(&s, "animal-exteriors").await[1], {"animal": 12, "height": 6});
}
