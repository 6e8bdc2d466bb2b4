//! Documents that an organisation sends to the location of another one by a mandate.

use crate::ade::full_syncs::course::Sync;
use crate::ade::stage::{BATCH, FARM, OTHER, PUSH, Stage, codes, placed, severities, stored, weight};
use crate::support::fixture::number;
use cli::jobs::batches;
use serde_json::{Value, json};

/// A mandate of farm 1 for organisation 2; gives its id.
pub(crate) async fn mandate(s: &Stage, sets: Value) -> i64 {
    let made = ask!(s.f, s.farm, "POST /api/mandates?depth=0", {"receiver": 2, "datasets": sets} => 201);
    assert_eq!(made["doc"]["grantor"], 1, "{made}");
    made["doc"]["id"].as_i64().unwrap()
}

pub(crate) async fn revoke(s: &Stage, id: i64) {
    ask!(s.f, s.farm, "PATCH /api/mandates/{id}", {"revokedAt": "2026-01-01T00:00:00Z"} => 200);
}

/// Sends a weight of cow 11 to farm 1 as organisation 2.
async fn sent(s: &Stage, key: u32) -> (u16, Value) {
    let path = format!("{FARM}/weights");
    let (status, _, body) = s.f.post(&path, &s.other, weight(key, 11)).await;
    (status, body)
}

#[test_each(Stage::each())]
async fn a_mandate_lets_send_and_opens_no_reading(s: Stage) {
    let (status, before) = sent(&s, 1).await;
    assert_eq!((status, codes(&before)), (404, vec!["location-forbidden"]));
    let id = mandate(&s, json!(["weights"])).await;

    let path = format!("{FARM}/weights");
    let (headers, made) = ask!(s.f, s.other, "POST {path}", weight(1, 11) => 201 with headers);
    holds!(made, {"meta.sourceId": "w1", "location.id": "1"});
    let at = headers["location"].to_str().unwrap().to_owned();
    assert_eq!(s.f.get(&at, &s.farm).await.0, 200);
    for closed in [&at, &path, "/ade/v1/locations/org.herdbook.orgid/1/animals"] {
        ask!(s.f, s.other, "GET {closed}" => 404 ["location-forbidden"], "{closed}");
    }
    for set in ["weights", "everything"] {
        let changes = format!("/ade/v1/datasets/{set}/changes?limit=1000");
        assert!(!s.f.get(&changes, &s.other).await.2.to_string().contains("\"w1\""));
    }
    let (_, _, list) = s.f.get("/api/weighings", &s.other).await;
    assert_eq!(list["totalDocs"], 0, "{list}");
    // A sender corrects and retracts what it sent.
    let mut other = weight(1, 12);
    other["meta"]["modified"] = json!("2026-02-02T00:00:00Z");
    ask!(s.f, s.other, "POST {path}", other => 200);
    let body = ask!(s.f, s.other, "POST {path}", {"resourceType": "icarWeightEventResource",
        "meta": {"source": "scale.example", "sourceId": "w1", "isDeleted": true}} => 200);
    assert_eq!(stored(&s).await.len(), 0, "{body}");

    // Batches and pushes, of this data set alone.
    let body = ask!(s.f, s.other, "POST {BATCH}", [weight(2, 11), weight(3, 21)] => 200);
    assert_eq!(severities(&body[0]), ["Information"], "{body}");
    assert_eq!(body[1]["messages"][0]["type"], "animal-not-found", "{body}");
    ask!(s.f, s.other, "POST {PUSH}", [placed(weight(4, 11), "1"), placed(weight(5, 21), "2")] => 200);
    assert_eq!(stored(&s).await, ["w2", "w4"]);
    ask!(s.f, s.other, "POST {FARM}/heats", {} => 404 ["location-forbidden"]);

    // The farm ends it, which refuses at once.
    revoke(&s, id).await;
    let tally = s.tally().await;
    let (status, after) = sent(&s, 6).await;
    assert_eq!((status, codes(&after)), (404, codes(&before)));
    assert_eq!(after["errors"][0]["detail"], before["errors"][0]["detail"]);
    ask!(s.f, s.other, "POST {BATCH}", [weight(6, 11)] => 404);
    let push = post!(s.f, PUSH, &s.other, [placed(weight(6, 11), "1")]);
    assert_eq!(push.0, 404, "{}", push.2);
    assert_eq!(s.tally().await, tally);
}

#[test_each(Stage::each())]
async fn the_location_is_listed_while_the_mandate_holds(s: Stage) {
    s.weigh(&[1]).await;
    let list = async || {
        let (_, _, page) = s.f.get("/ade/v1/locations", &s.other).await;
        let all = page["member"].as_array().unwrap().iter();
        let ids: Vec<Value> = all.map(|one| one["identifier"]["id"].clone()).collect();
        holds!(page, {"lastIntakes": []}, "what the farm sent is its own");
        let (_, _, body) = s.f.get("/.well-known/ade", &s.other).await;
        assert_eq!(body["locations"]["total"], ids.len(), "{body}");
        ids
    };
    assert_eq!(list().await, ["2"]);
    ask!(s.f, s.expert, "POST /api/mandates?depth=0", {"receiver": 2, "datasets": ["weights"], "grantor": 1,
        "validFrom": "2026-03-15T12:00:00Z", "validUntil": "2099-01-01T00:00:00Z"} => 201);
    let begins = s.f.book.clock.now() >= 1_773_576_000_000;
    assert_eq!(list().await.len(), if begins { 2 } else { 1 });
    let id = mandate(&s, json!(["heats"])).await;
    assert_eq!(list().await, ["1", "2"]);
    revoke(&s, id).await;
}

#[test_each(Stage::each_with(&[("exchange.chunk", "2")]))]
async fn a_batch_has_the_rights_of_when_its_parts_are_worked_on(s: Stage) {
    let id = mandate(&s, json!(["weights"])).await;
    let prefer = [("prefer", "respond-async")];
    let all: Vec<Value> = (1..=4).map(|key| weight(key, 11)).collect();
    let (status, headers, _) = s.send("POST", BATCH, &s.other, &prefer, json!(all)).await;
    assert_eq!(status, 202);
    let at = headers["location"].to_str().unwrap().to_owned();
    revoke(&s, id).await;
    while s.f.book.run_job(&batches(&s.f.hub)).await.unwrap() {}
    let results = ask!(s.f, s.other, "GET {at}" => 200);
    for result in results.as_array().unwrap() {
        assert_eq!(result["messages"][0]["type"], "write-forbidden", "{result}");
    }
    assert_eq!(stored(&s).await, [""; 0]);
    // Without a mandate a batch cannot be retracted either.
    let id = mandate(&s, json!(["weights"])).await;
    let (_, headers, _) = s.f.post(BATCH, &s.other, json!(all)).await;
    let at = headers["content-location"].to_str().unwrap().to_owned();
    revoke(&s, id).await;
    ask!(s.f, s.other, "DELETE {at}" => 404);
    assert_eq!(stored(&s).await.len(), 4);
    mandate(&s, json!(["weights"])).await;
    ask!(s.f, s.other, "DELETE {at}" => 200);
    assert_eq!(stored(&s).await.len(), 0);
    // The log of the farm states what was taken in, and for whom.
    let (_, _, log) = s.f.get("/api/operations?where[action][equals]=ade-intake", &s.farm).await;
    assert_eq!(log["docs"][0]["subjectType"], "none", "{log}");
}

#[test_each(Stage::each())]
async fn a_full_sync_speaks_for_what_its_sender_sent(s: Stage) {
    s.weigh(&[1, 2]).await;
    mandate(&s, json!(["weights"])).await;
    for key in [11, 12] {
        assert_eq!(sent(&s, key).await.0, 201);
    }
    let there = json!({"sources": ["scale.example"], "locations": [{"scheme": "org.herdbook.orgid", "id": "1"}]});
    let heats = "/ade/v1/datasets/heats/full-syncs";
    assert_eq!(s.f.post(heats, &s.other, there.clone()).await.0, 404);
    let sync = Sync::start(&s, "/ade/v1/datasets/weights", &s.other, there).await;
    let (status, body) = sync.push(json!([placed(weight(11, 11), "1")])).await;
    assert_eq!(status, 200, "{body}");
    let (status, ended) = sync.end(1).await;
    assert_eq!((status, &ended["deleted"]["count"]), (200, &json!(1)), "{ended}");
    assert_eq!(stored(&s).await, ["w1", "w2", "w11"]);
}

#[test_each(Stage::each())]
async fn the_farm_or_the_association_makes_mandates(s: Stage) {
    let post = async |who: &str, body: Value| {
        let (status, _, answer) = s.f.post("/api/mandates?depth=0", who, body).await;
        (status, answer)
    };
    let mine = json!({"receiver": 2, "datasets": ["weights"]});
    let operator = s.f.user(6, "farmer", Some(1), "operator").await;
    assert_eq!(post(&operator, mine.clone()).await.0, 403);
    let theirs = json!({"grantor": 1, "receiver": 2, "datasets": ["weights"]});
    assert_eq!(post(&s.other, theirs.clone()).await.0, 403, "for another farm");
    assert_eq!(post(&s.expert, theirs).await.0, 201);
    let (status, answer) = post(&s.expert, mine).await;
    assert_eq!((status, &answer["errors"][0]["data"]["errors"][0]["path"]), (400, &json!("grantor")));
    for (body, path) in table![
        json!({"receiver": 1, "datasets": ["weights"]}), "receiver";
        json!({"receiver": 2, "datasets": []}), "datasets";
        json!({"receiver": 2, "datasets": ["weights", "nonsense"]}), "datasets.1";
        json!({"receiver": 2, "datasets": ["departures"]}), "datasets.0";
        json!({"receiver": 2, "datasets": ["arrivals"]}), "datasets.0";
        json!({"receiver": 2, "datasets": ["animals"]}), "datasets.0";
        json!({"receiver": 2, "datasets": ["everything"]}), "datasets.0";
        json!({"receiver": 2, "datasets": ["pregnancy-checks"]}), "datasets.0";
        json!({"receiver": 2, "datasets": ["animal-set-joins"]}), "datasets.0";
        json!({"receiver": 2, "datasets": ["group-weights"]}), "datasets.0";
        json!({"receiver": 2, "datasets": ["weights"], "validUntil": "2000-01-01"}), "validUntil";
        json!({"receiver": 2, "datasets": ["weights"], "validFrom": "2099-01-01", "validUntil": "2098-01-01"}),
            "validUntil";
    ] {
        let tally = s.tally().await;
        let (status, answer) = post(&s.farm, body.clone()).await;
        assert_eq!(status, 400, "{body}: {answer}");
        holds!(answer, {"errors.0.data.errors.0.path": path});
        assert_eq!(s.tally().await, tally);
    }
    // Both read it; what it covers stays as it is.
    let third = s.f.user(7, "individual", None, "head").await;
    for (who, many) in [(&s.farm, 1), (&s.other, 1), (&s.expert, 1), (&third, 0)] {
        let (_, _, list) = s.f.get("/api/mandates", who).await;
        assert_eq!(list["totalDocs"], many);
    }
    let (_, _, list) = s.f.get("/api/mandates", &s.farm).await;
    let at = format!("/api/mandates/{}", list["docs"][0]["id"]);
    for (who, body) in [
        (&s.farm, json!({"datasets": ["heats"]})),
        (&s.farm, json!({"receiver": 3})),
        (&s.other, json!({"note": "mine"})),
    ] {
        let (status, _, answer) = s.send("PATCH", &at, who, &[], body).await;
        assert!(status == 400 || status == 403, "{status} {answer}");
    }
    // Those who may create it may also end it, and for good.
    for (who, day, wanted) in
        [(&s.other, json!("2026-01-20"), 403), (&s.expert, json!("2026-01-20"), 200), (&s.farm, Value::Null, 400)]
    {
        let (status, _, answer) = s.send("PATCH", &at, who, &[], json!({"revokedAt": day})).await;
        assert_eq!(status, wanted, "{answer}");
    }
    let (_, _, stored) = s.f.get(&at, &s.farm).await;
    assert!(!stored["revokedAt"].is_null() && !stored["revokedBy"].is_null(), "{stored}");
    ask!(s.f, s.farm, "POST {OTHER}/weights", weight(1, 21) => 404, "it is no mandate back");
}

/// Whose a test day is: of an accredited laboratory that sent it by mandate, else of the farm.
#[test_each(Stage::each())]
async fn a_test_day_is_of_the_laboratory_that_sent_it(s: Stage) {
    mandate(&s, json!(["test-day-results"])).await;
    let path = format!("{FARM}/test-day-results");
    let test = |key: &str, animal: i64, milk: f64, day: u32| {
        json!({
            "resourceType": "icarTestDayResultEventResource",
            "meta": {"source": "lab.example", "sourceId": key, "modified": format!("2026-02-{day:02}T00:00:00Z")},
            "animal": {"scheme": "org.herdbook.animal", "id": number(animal)},
            "eventDateTime": "2026-01-10T05:00:00Z",
            "milkWeight24Hours": {"unitCode": "KGM", "value": milk},
        })
    };
    let row = async |key: &str| {
        let rows = ask!(s.f, s.expert, "GET /api/milk-tests?where[ade.sourceId][equals]={key}&depth=0" => 200);
        rows["docs"][0].clone()
    };
    ask!(s.f, s.other, "POST {path}", test("t1", 11, 30.0, 1) => 201);
    holds!(row("t1").await, {"source": "api", "laboratory": null, "official": false}, "not accredited");
    ask!(s.f, s.expert, "PATCH /api/organizations/2", {"activities": ["laboratory"]} => 200);
    ask!(s.f, s.other, "POST {path}", test("t2", 12, 31.0, 1) => 201);
    let of_laboratory = json!({"source": "lab", "laboratory": 2, "official": true, "milkYield": 31});
    for (member, value) in of_laboratory.as_object().unwrap() {
        assert_eq!(row("t2").await[member], *value, "{member}");
    }
    // Its own animals are those of any farm.
    ask!(s.f, s.other, "POST {OTHER}/test-day-results", test("own", 21, 30.0, 1) => 201);
    holds!(row("own").await, {"source": "api", "laboratory": null, "official": false});

    // A farm cannot say so, whether of a new row or of its own, and takes over what it changes.
    let own = json!({"animal": 13, "date": "2026-01-11", "milkYield": 28});
    for (member, value) in [("official", json!(true)), ("laboratory", json!(2)), ("source", json!("lab"))] {
        let mut body = own.clone();
        body[member] = value.clone();
        let answer = ask!(s.f, s.farm, "POST /api/milk-tests", body => 403);
        assert!(answer.to_string().contains(member), "{answer}");
        let id = row("t1").await["id"].as_i64().unwrap();
        let mut body = json!({});
        body[member] = value;
        let answer = ask!(s.f, s.farm, "PATCH /api/milk-tests/{id}", body => 403);
        assert!(answer.to_string().contains(member), "{answer}");
    }
    let made = ask!(s.f, s.farm, "POST /api/milk-tests?depth=0", own => 201);
    holds!(made["doc"], {"source": "owner", "laboratory": null, "official": false});
    let id = row("t2").await["id"].as_i64().unwrap();
    let doc = ask!(s.f, s.farm, "PATCH /api/milk-tests/{id}?depth=0", {"milkYield": 40} => 200);
    holds!(doc["doc"], {"source": "owner", "laboratory": null, "official": false, "milkYield": 40});
    // What the laboratory says anew is its own again.
    ask!(s.f, s.other, "POST {path}", test("t2", 12, 32.0, 3) => 200);
    holds!(row("t2").await, {"source": "lab", "laboratory": 2, "official": true, "milkYield": 32});
}
