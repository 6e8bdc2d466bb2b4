//! Plans of matings (docs/mating.md, *Mating plan*): what is best under limits, who may plan what, the workbook, and
//! the recommendations that farm software reads.

use crate::rest::reading::spreadsheets::read;
use crate::rest::stage::{Answer, request};
use crate::rest::world::{FORBIDDEN, World, fill};
use serde_json::{Value, json};

const PLAN: &str = "/api/animals/mating-plan";
const WORKBOOK: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const DATASET: &str = "/ade/v1/locations/org.herdbook.orgid/1/mating-recommendations";

/// A bull of Alpha's beside its bull 1, unrelated to all.
async fn second_bull(w: &World<'_>) -> i64 {
    made!(w, "alpha", "animals", {"identNumber": "960000007001", "name": "Second", "sex": "male",
        "birthDate": "2016-01-01", "breed": 1})
}

async fn planned(w: &World<'_>, who: &str, body: Value) -> Value {
    let answer = w.ask(who, "POST", PLAN, body.to_string()).await;
    assert_eq!(answer.status, 200, "{body}: {}", answer.text);
    answer.json()
}

/// Each female with her bull.
fn pairs(plan: &Value) -> Vec<(i64, Option<i64>)> {
    let docs = plan["docs"].as_array().unwrap().iter();
    docs.map(|doc| (doc["female"]["id"].as_i64().unwrap(), doc["bull"]["id"].as_i64())).collect()
}

#[test_with(World::both)]
async fn a_plan_keeps_to_its_limits_and_says_why(w: &World<'_>) {
    let second = second_bull(w).await;
    // 4 is a daughter of 1.
    let plan = planned(w, "alpha", json!({"females": [4, 2], "bulls": [second, 1]})).await;
    assert_eq!(pairs(&plan), [(2, Some(1)), (4, Some(second))]);
    // Without a request there are only numbers.
    holds!(plan, {"docs.0.excluded": {}, "docs.1.excluded": {"inbreeding": 1}});
    assert!(plan["docs"][1]["exclusions"].is_null());
    let plan = planned(w, "alpha", json!({"females": [4, 2], "bulls": [second, 1], "exclusions": true})).await;
    holds!(plan, {
        "females": 2, "mated": 2, "unmated": 0, "expectedValue": null, "expectedInbreeding": 0.0, "goal": null,
        "limits": {"inbreeding": 6.25, "uses": null, "carriers": false, "doses": []}, "left": [],
        "docs.1.exclusions": [{"bull": 1, "reason": "inbreeding", "expectedInbreeding": 25.0}],
        "docs.1.alternatives": [], "docs.1.pedigreeDepth": 1.0, "docs.0.female.identNumber": "960000000002",
        "bulls.0.bull.id": 1, "bulls.0.uses": 1, "bulls.0.limit": 2,
        "bulls.0.meanKinship": 0.125, "bulls.1.meanKinship": 0.0,
    });
    assert_eq!(plan["docs"][0]["alternatives"][0]["bull"]["name"], "Second");
    let wide = json!({"females": [4], "bulls": [1], "limits": {"inbreeding": 25}});
    assert_eq!(pairs(&planned(w, "alpha", wide).await), [(4, Some(1))]);

    // Doses and uses; more females come first.
    let short = json!({"females": [2, 4], "bulls": [1, second], "limits": {"uses": 5,
        "doses": [{"bull": second, "doses": 0}]}});
    let plan = planned(w, "alpha", short).await;
    assert_eq!(pairs(&plan), [(2, Some(1)), (4, None)]);
    holds!(plan, {"docs.1.reason": "all-excluded", "bulls.1.reason": "no-doses", "bulls.1.limit": 0,
        "mated": 1, "unmated": 1});
    let one = json!({"females": [2, 4], "bulls": [second], "limits": {"uses": 1}});
    let plan = planned(w, "alpha", one).await;
    assert_eq!(pairs(&plan), [(2, Some(second)), (4, None)]);
    holds!(plan, {"docs.1.reason": "none-left", "docs.1.alternatives.0.bull.id": second});

    // Carriers of the same.
    for id in [2, second] {
        changed!(w, "alpha", "animals", id, {"genetics": {"cvm": "carrier"}});
    }
    let carriers =
        |open: bool| json!({"females": [2], "bulls": [second], "limits": {"carriers": open}, "exclusions": true});
    let plan = planned(w, "alpha", carriers(false)).await;
    holds!(plan, {"docs.0.exclusions.0.reason": "carriers", "docs.0.exclusions.0.carriers": ["CVM"]});
    assert_eq!(pairs(&planned(w, "alpha", carriers(true)).await), [(2, Some(second))]);

    // Conditions; and animals of another sex than they were named for.
    let condition =
        json!({"females": {"owner": {"equals": 1}}, "bulls": {"sex": {"equals": "male"}, "owner": {"equals": 1}}});
    let plan = planned(w, "alpha", condition).await;
    assert_eq!(pairs(&plan), [(2, Some(1)), (4, Some(second))]);
    let left = plan["left"].as_array().unwrap();
    assert_eq!(left.len(), 2, "the two bulls among the females: {left:?}");
    holds!(left[0], {"animal.id": 1, "reason": "not-female"});
}

#[test_with(World::each)]
async fn the_goal_is_a_profile_or_weights(w: &World<'_>) {
    let second = second_bull(w).await;
    let value = |id: i64, animal: i64, value: f64| json!({"id": id, "animal": animal, "profileKey": "association", "value": value});
    let values = vec![value(1, 1, 80.0), value(2, second, 120.0), value(3, 2, 60.0)];
    fill(w.stage, "index-values", values).await;
    let by_profile = json!({"females": [2], "bulls": [1, second], "goal": {"profile": "association"}});
    let plan = planned(w, "alpha", by_profile).await;
    assert_eq!(pairs(&plan), [(2, Some(second))]);
    holds!(plan, {"expectedValue": 90.0, "docs.0.expectedValue": 90.0, "docs.0.alternatives.0.expectedValue": 70.0,
        "goal": {"profile": "association"}});
    let unknown = json!({"females": [2], "bulls": [1, second], "goal": {"profile": "none such"}});
    let plan = planned(w, "alpha", unknown).await;
    holds!(plan, {"mated": 0, "bulls.0.reason": "no-value", "docs.0.reason": "all-excluded"});

    for (animal, milk, fat) in [(1, 900.0, 10.0), (second, 100.0, 30.0)] {
        made!(w, "admin", "animal-evaluations", {"animal": animal, "evaluatedAt": "2025-01-01",
            "milkForecast": milk, "fatKgForecast": fat});
    }
    let weighed = |milk: f64, fat: f64| {
        json!({"females": [2], "bulls": [1, second], "goal": {"weights": [
        {"trait": "milk", "weight": milk}, {"trait": "fatKg", "weight": fat}]}})
    };
    let plan = planned(w, "alpha", weighed(0.1, 1.0)).await;
    assert_eq!(pairs(&plan), [(2, Some(1))]);
    // She has no evaluation: the bulls decide, and a calf has no value.
    holds!(plan, {"docs.0.expectedValue": null, "expectedValue": null});
    assert_eq!(pairs(&planned(w, "alpha", weighed(0.0, 1.0)).await), [(2, Some(second))]);
    assert_eq!(pairs(&planned(w, "alpha", weighed(-1.0, 1.0)).await), [(2, Some(second))]);

    // Values that the caller does not read are none: the row of the bull is open, and his card, but not to Beta.
    changed!(w, "alpha", "animals", 1, {"publicVisible": true, "publicDetails": true});
    let foreign = json!({"females": [3], "bulls": [1], "goal": {"profile": "association"}});
    assert_eq!(pairs(&planned(w, "beta", foreign.clone()).await), [(3, Some(1))]);
    changed!(w, "alpha", "animals", 1, {"publicDetails": false});
    let grant = json!({"grantee": 2, "animal": 1, "scopes": ["origin"]});
    w.made("alpha", "access-grants", grant).await;
    holds!(planned(w, "beta", foreign).await, {"mated": 0, "bulls.0.reason": "no-value"});
}

/// A farm's profile has no values of the bulls of others; they are computed as those of its own animals are.
#[test_with(World::both)]
async fn a_farms_profile_is_a_goal_for_bulls_of_others(w: &World<'_>) {
    let profile = made!(w, "alpha", "index-profiles", {"name": "Own", "kind": "economic",
        "weights": [{"trait": "milk", "weight": 1.0}, {"trait": "udderComposite", "weight": 100.0}]});
    let stud = made!(w, "beta", "animals", {"identNumber": "960000007002", "name": "Stud", "sex": "male",
        "birthDate": "2016-01-01", "breed": 1, "publicVisible": true, "publicDetails": true});
    for (animal, milk) in [(stud, 300.0), (1, 100.0)] {
        made!(w, "admin", "animal-evaluations", {"animal": animal, "evaluatedAt": "2025-01-01", "milkForecast": milk});
    }
    let goal = json!({"profile": format!("own:{profile}")});
    let body = json!({"females": [2], "bulls": [1, stud], "goal": goal});
    let plan = planned(w, "alpha", body.clone()).await;
    assert_eq!(pairs(&plan), [(2, Some(stud))]);
    // A composite that the evaluation lacks is that of the exterior in force, of both kinds of goals.
    made!(w, "admin", "animal-exteriors", {"animal": 1, "assessedAt": "2025-01-01", "udderComposite": 2.5});
    assert_eq!(pairs(&planned(w, "alpha", body.clone()).await), [(2, Some(1))]);
    let weights = json!([{"trait": "milk", "weight": 1.0}, {"trait": "udderComposite", "weight": 100.0}]);
    let weighed = json!({"females": [2], "bulls": [1, stud], "goal": {"weights": weights}});
    let plan = planned(w, "alpha", weighed).await;
    assert_eq!(pairs(&plan), [(2, Some(1))]);
    holds!(plan, {"bulls.1.reason": "no-value"});
    // The profile is the farm's own: to others it is none.
    let foreign = json!({"females": [3], "bulls": [stud], "goal": goal});
    holds!(planned(w, "beta", foreign).await, {"mated": 0, "bulls.0.reason": "no-value"});
    // What the farm does not read of a bull does not count.
    changed!(w, "beta", "animals", stud, {"publicDetails": false});
    let grant = json!({"grantee": 1, "animal": stud, "scopes": ["origin"]});
    w.made("beta", "access-grants", grant).await;
    let plan = planned(w, "alpha", body).await;
    holds!(plan, {"bulls.1.reason": "no-value", "docs.0.bull.id": 1});
}

#[test_with(World::each)]
async fn who_does_not_breed_is_no_candidate(w: &World<'_>) {
    let made = async |number: i64, sex: &str, more: Value| {
        let mut body = json!({"identNumber": (960_000_007_010 + number).to_string(), "sex": sex,
            "birthDate": "2020-01-01", "breed": 1});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        w.made("alpha", "animals", body).await
    };
    let freemartin = made(1, "female", json!({"sexStatus": "freemartin"})).await;
    let dead = made(2, "female", json!({})).await;
    let castrate = made(3, "male", json!({"sexStatus": "castrate"})).await;
    for id in [dead, 1] {
        made!(w, "alpha", "movements", {"animal": id, "date": "2026-03-01", "kind": "death"});
    }
    let plan = planned(w, "alpha", json!({"females": [2, freemartin, dead], "bulls": [1, castrate]})).await;
    // The bull died too; there may be semen of him.
    assert_eq!(pairs(&plan), [(2, Some(1))]);
    let left = plan["left"].as_array().unwrap().iter();
    let left: Vec<_> = left.map(|one| (one["animal"]["id"].as_i64(), one["reason"].as_str())).collect();
    let expected = [(freemartin, "not-fertile"), (dead, "not-alive"), (castrate, "not-fertile")]
        .map(|(id, why)| (Some(id), Some(why)));
    assert_eq!(left, expected);
}

#[test_with(World::each)]
async fn a_key_that_only_reads_requests_plans_and_stores_none(w: &World<'_>) {
    let key = post!(w, "alpha", "api-keys", {"name": "Reader", "scope": "read"}).json();
    let key = format!("users API-Key {}", key["doc"]["key"].as_str().unwrap());
    let by_key = async |body: Value| {
        let headers = [("content-type", "application/json"), ("authorization", key.as_str())];
        w.stage.ask(request("POST", PLAN, &headers, body.to_string().into())).await
    };
    let answer = by_key(json!({"females": [2], "bulls": [1]})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(pairs(&answer.json()), [(2, Some(1))]);
    let answer = by_key(json!({"females": [2], "bulls": [1], "store": true})).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
    assert!(!w.documents(2).await.contains(&"mating-recommendations 1".to_owned()));
}

#[test_with(World::each)]
async fn animals_that_are_closed_take_no_part(w: &World<'_>) {
    let nobody =
        faults(&refused!(w, "beta", "POST /api/animals/mating-plan", {"females": [999999], "bulls": [1]} => 400));
    assert_eq!(nobody.len(), 2);
    // 2 is Alpha's and closed: the same words as of one that is not there.
    let closed = faults(&refused!(w, "beta", "POST /api/animals/mating-plan", {"females": [2], "bulls": [1]} => 400));
    let lines: Vec<String> = closed.iter().map(|text| text.replace("record 2 ", "record 999999 ")).collect();
    assert_eq!(lines, nobody);
    // An open row whose parents are closed is neither found by id nor by a condition.
    changed!(w, "alpha", "animals", 1, {"publicVisible": true});
    refused!(w, "beta", "POST /api/animals/mating-plan", {"females": [3], "bulls": [1]} => 400);
    let open = json!({"females": [3], "bulls": {"sex": {"equals": "male"}}});
    let plan = planned(w, "beta", open.clone()).await;
    holds!(plan, {"bulls": [], "docs.0.reason": "all-excluded"});
    changed!(w, "alpha", "animals", 1, {"publicDetails": true});
    assert_eq!(pairs(&planned(w, "beta", open).await), [(3, Some(1))]);
    // Strangers plan nothing; the officer plans for all; a viewer plans, and stores nothing.
    let answer = w.ask("", "POST", PLAN, json!({"females": [3], "bulls": [1]}).to_string()).await;
    answer.assert_is(FORBIDDEN, "a stranger");
    let all = json!({"females": [2, 3, 5], "bulls": [1]});
    assert_eq!(pairs(&planned(w, "expert", all).await), [(2, Some(1)), (3, Some(1)), (5, Some(1))]);
    assert_eq!(pairs(&planned(w, "viewer", json!({"females": [2], "bulls": [1]})).await), [(2, Some(1))]);
    for who in ["viewer", "expert", "admin"] {
        refused!(w, who, "POST /api/animals/mating-plan", {"females": [2], "bulls": [1], "store": true} => 403);
    }
    // An invalid condition is refused.
    let by_value = json!({"females": {"entry.owner": {"equals": 1}}, "bulls": [1]});
    refused!(w, "alpha", "POST /api/animals/mating-plan", by_value => 400);
    refused!(w, "alpha", "POST /api/animals/mating-plan", {"females": [2], "bulls": [1], "cows": [3]} => 400 ["cows"]);
    refused!(w, "alpha", "POST /api/animals/mating-plan?format=csv", {"females": [2], "bulls": [1]} => 400);
    let doses = json!({"females": [2], "bulls": [1], "limits": {"doses": [{"bull": 2, "doses": 1}]}});
    refused!(w, "alpha", "POST /api/animals/mating-plan", doses => 400 ["limits.doses"]);
    refused!(w, "alpha", "POST /api/herds/mating-plan", {"females": [2], "bulls": [1]} => 404);
}

/// Path and words of each fault.
fn faults(answer: &Answer) -> Vec<String> {
    let list = crate::rest::world::faults(answer);
    list.into_iter().map(|(path, message)| format!("{path}: {message}")).collect()
}

#[test_with(World::each)]
async fn a_plan_is_a_workbook(w: &World<'_>) {
    let second = second_bull(w).await;
    let body = json!({"females": [2, 4], "bulls": [1, second], "limits": {"doses": [{"bull": second, "doses": 0}]}});
    let by_format = w.ask("alpha", "POST", &format!("{PLAN}?format=xlsx"), body.to_string()).await;
    assert_eq!(by_format.header("content-type"), WORKBOOK);
    assert_eq!(by_format.header("content-disposition"), "attachment; filename=\"mating-plan.xlsx\"");
    let accept = [("accept", WORKBOOK), ("content-type", "application/json")];
    let by_accept = w.send("alpha", "POST", PLAN, &accept, body.to_string()).await;
    let sheets = read(by_format.bytes);
    assert_eq!(read(by_accept.bytes), sheets);
    let names: Vec<&str> = sheets.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["females", "exclusions", "bulls"]);
    let females = &sheets[0].1;
    let titles =
        ["female.identNumber", "female.name", "bull.identNumber", "bull.name", "expectedValue", "expectedInbreeding"];
    assert_eq!(females[0][..6], titles);
    assert_eq!(females[1][..6], ["960000000002", "Animal 2", "960000000001", "Animal 1", "", "0"]);
    assert_eq!(females[2].last().map(String::as_str), Some("all-excluded"));
    assert_eq!(sheets[1].1[1][..6], ["960000000004", "Animal 4", "960000000001", "Animal 1", "inbreeding", "25"]);
    assert_eq!(sheets[2].1[0], ["bull.identNumber", "bull.name", "uses", "limit", "meanKinship", "reason"]);
    assert_eq!(sheets[2].1[2], ["960000007001", "Second", "0", "0", "", "no-doses"]);
    // With names for people.
    let russian = [("accept-language", "ru"), ("content-type", "application/json")];
    let path = format!("{PLAN}?format=xlsx&headers=labels");
    let labels = w.send("alpha", "POST", &path, &russian, body.to_string()).await;
    assert_eq!(labels.header("content-language"), "ru");
    let sheets = read(labels.bytes);
    assert_eq!(sheets[0].0, "Самки");
    assert_eq!(sheets[0].1[0][..3], ["Самка: номер", "Самка: кличка", "Бык: номер"]);
    assert_eq!(sheets[0].1[0][6], "Запасной 1: Бык: номер");
    assert_eq!(sheets[0].1[2].last().map(String::as_str), Some("Исключены все быки"));
}

#[test_with(World::both)]
async fn a_plan_is_stored_as_recommendations_that_farm_software_reads(w: &World<'_>) {
    let second = second_bull(w).await;
    let body = |bulls: Value| json!({"females": [2, 4], "bulls": bulls, "store": true});
    let plan = planned(w, "alpha", body(json!([1, second]))).await;
    assert_eq!(plan["stored"], 2);
    let documents = async || {
        let page = ask!(w, "alpha", "GET {DATASET}" => 200).json();
        page["member"].as_array().unwrap().clone()
    };
    let first = documents().await;
    assert_eq!(first.len(), 2);
    let of = |all: &[Value], number: &str| -> Value {
        all.iter().find(|doc| doc["animal"]["id"] == number).unwrap().clone()
    };
    let sire = |number: &str, name: &str, rank: i64| {
        json!({
            "recommendationType": "SireRecommended", "sireRank": rank, "sireOfficialName": name,
            "sireIdentifiers": [{"scheme": "org.herdbook.animal", "id": number}],
        })
    };
    let cow = of(&first, "960000000002");
    let both = [sire("960000000001", "Animal 1", 1), sire("960000007001", "Second", 2)];
    holds!(cow, {"resourceType": "icarReproMatingRecommendationResource", "meta.source": "org.herdbook.mating-plan",
        "meta.sourceId": "mating-plan:2", "location.id": "1", "sireRecommendations": both});
    let heifer = of(&first, "960000000004");
    assert_eq!(heifer["sireRecommendations"], json!([sire("960000007001", "Second", 1)]));
    // The farm's own operator polls them; another farm does not.
    ask!(w, "operator", "GET {DATASET}" => 200);
    ask!(w, "beta", "GET {DATASET}" => 404);

    // A later plan takes the place of the earlier one.
    planned(w, "operator", body(json!([1]))).await;
    let later = documents().await;
    assert_eq!(later.len(), 2);
    let impossible = json!([{"recommendationType": "RecommendationImpossible"}]);
    assert_eq!(of(&later, "960000000004")["sireRecommendations"], impossible);

    // A dry run, and a plan with a foreign female, leave nothing.
    let dry = format!("{PLAN}?validate=only");
    let answer = w.ask("alpha", "POST", &dry, body(json!([second])).to_string()).await;
    assert_eq!((answer.status, &answer.json()["stored"]), (200, &json!(2)), "{}", answer.text);
    assert_eq!(documents().await, later);
    changed!(w, "beta", "animals", 3, {"publicVisible": true, "publicDetails": true});
    let foreign = json!({"females": [2, 3], "bulls": [1], "store": true});
    refused!(w, "alpha", "POST /api/animals/mating-plan", foreign => 400 ["females"]);
    assert_eq!(documents().await, later);
    assert!(w.documents(2).await.contains(&"mating-recommendations 1".to_owned()));
}
