//! Batches as resources: answered later, inspected, read again, retracted.

use crate::ade::stage::{BATCH, FARM, Stage, gone, keys, severities, weight, without_findings};
use cli::jobs::batches;
use exchange::BATCH_JOB;
use serde_json::{Value, json};
use store::Sql;

fn many(keys: std::ops::Range<u32>) -> Vec<Value> {
    keys.map(|key| weight(key, 11)).collect()
}

fn words(results: &Value) -> Vec<&str> {
    let results = results.as_array().unwrap();
    (results.iter()).map(|r| r["messages"][0]["type"].as_str().unwrap()).collect()
}

async fn total(s: &Stage) -> Value {
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    page["view"]["totalItems"].clone()
}

async fn work(s: &Stage) {
    while s.f.book.run_job(&batches(&s.f.hub)).await.unwrap() {}
}

#[test_each(Stage::each_with(&[("exchange.chunk", "10")]))]
async fn a_batch_is_taken_now_and_answered_later(s: Stage) {
    let mut all = many(0..25);
    all[7]["weight"]["measurement"] = (-1).into();
    let prefer = [("prefer", "respond-async")];
    let response = s.send("POST", BATCH, &s.farm, &prefer, json!(all));
    let (status, headers, body) = response.await;
    assert_eq!(status, 202, "{body}");
    assert_eq!(headers["preference-applied"], "respond-async");
    assert!(headers.contains_key("retry-after"));
    let at = headers["location"].to_str().unwrap().to_owned();
    holds!(body, {"items": 25, "state": "waiting", "done": 0});
    assert_eq!(total(&s).await, 0, "nothing is stored yet");
    let (headers, body) = ask!(s.f, s.farm, "GET {at}" => 202 with headers);
    holds!(body, {"state": "waiting"});
    assert!(headers.contains_key("retry-after"));
    // No other farm sees it; the Association does.
    assert_eq!(s.f.get(&at, &s.other).await.0, 404);
    assert_eq!(s.f.get(&at, "").await.0, 401);
    assert_eq!(s.f.get(&at, &s.expert).await.0, 202);
    let unknown = "/ade/v1/batches/00000000-0000-4000-8000-000000000000";
    let (foreign, unknown) = (s.f.get(&at, &s.other).await.2, s.f.get(unknown, &s.other).await.2);
    assert_eq!(foreign["errors"][0]["detail"], unknown["errors"][0]["detail"]);
    ask!(s.f, s.farm, "DELETE {at}" => 409 ["conflict"], "not done");

    work(&s).await;
    let results = ask!(s.f, s.farm, "GET {at}" => 200);
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), 25);
    for (key, result) in results.iter().enumerate() {
        assert_eq!(result["meta"]["sourceId"], format!("w{key}"));
        let expected = if key == 7 { "Error" } else { "Information" };
        assert_eq!(severities(result), [expected], "{result}");
    }
    assert_eq!(total(&s).await, 24);
    assert_eq!(s.f.get(&at, &s.other).await.0, 404);
}

#[tokio::test]
async fn a_long_batch_is_answered_later_by_itself() {
    let few = [("exchange.async_above", "3"), ("exchange.chunk", "2")];
    for s in Stage::each_with(&few).await {
        ask!(s.f, s.farm, "POST {BATCH}", many(0..3) => 200);
        let (headers, _) = ask!(s.f, s.farm, "POST {BATCH}", many(0..4) => 202 with headers);
        assert!(!headers.contains_key("preference-applied"));
        work(&s).await;
        let (status, _, results) = s.f.get(headers["location"].to_str().unwrap(), &s.farm).await;
        assert_eq!(status, 200);
        assert_eq!(words(&results), ["unchanged", "unchanged", "unchanged", "created"]);
    }
}

#[test_each(Stage::each_with(&[("exchange.chunk", "2"), ("exchange.lease", "30")]))]
async fn a_worker_that_went_away_is_followed_by_another_when_its_lease_is_over(s: Stage) {
    let prefer = [("prefer", "respond-async")];
    let response = s.send("POST", BATCH, &s.farm, &prefer, json!(many(0..6)));
    let at = response.await.1["location"].to_str().unwrap().to_owned();
    // A worker that takes the batch and never finishes it.
    let (book, exchange) = (&s.f.book, &s.f.exchange);
    let gone = book.lease_job(BATCH_JOB, 30_000).await.unwrap().unwrap();
    let other = batches(&s.f.hub);
    assert!(!book.run_job(&other).await.unwrap(), "it is taken");
    assert_eq!(s.f.get(&at, &s.farm).await.2["state"], "running");
    s.f.pass(31);
    assert!(book.run_job(&other).await.unwrap());
    let results = ask!(s.f, s.farm, "GET {at}" => 200);
    assert_eq!(words(&results), ["created"; 6]);
    assert!(exchange.batches().next_part(book, gone.key()).await.unwrap().is_none());
    assert_eq!(total(&s).await, 6);
}

#[test_each(Stage::each_with(&[("exchange.chunk", "2")]))]
async fn a_part_that_fails_again_and_again_is_given_up_and_the_rest_goes_on(s: Stage) {
    let prefer = [("prefer", "respond-async")];
    let response = s.send("POST", BATCH, &s.farm, &prefer, json!(many(0..5)));
    let at = response.await.1["location"].to_str().unwrap().to_owned();
    for _ in 0..5 {
        let taken = s.f.book.lease_job(BATCH_JOB, 0).await;
        assert!(taken.unwrap().is_some());
    }
    work(&s).await;
    let results = ask!(s.f, s.farm, "GET {at}" => 200);
    let expected = ["internal", "internal", "created", "created", "created"];
    assert_eq!(words(&results), expected);
    assert_eq!(severities(&results[0]), ["Error"]);
    assert_eq!(results[0]["meta"]["sourceId"], "w0");
    assert_eq!(total(&s).await, 3);
}

#[test_each(Stage::each())]
async fn a_sender_who_may_not_write_any_more_is_refused_element_by_element(s: Stage) {
    let prefer = [("prefer", "respond-async")];
    let response = s.send("POST", BATCH, &s.farm, &prefer, json!(many(0..2)));
    let at = response.await.1["location"].to_str().unwrap().to_owned();
    update!(s.f, "users", 1, {"blockedAt": "2026-03-01T12:00:00Z"});
    work(&s).await;
    let (_, _, results) = s.f.get(&at, &s.expert).await;
    assert_eq!(words(&results), ["write-forbidden"; 2], "{results}");
    assert_eq!(results[1]["meta"]["sourceId"], "w1");
    let (_, _, page) = s.f.get(&format!("{FARM}/weights"), &s.expert).await;
    assert_eq!(page["view"]["totalItems"], 0);
}

#[test_each(Stage::each_with(&[("exchange.chunk", "2")]))]
async fn the_result_of_a_batch_can_be_read_again_until_it_is_forgotten(s: Stage) {
    let (headers, first) = ask!(s.f, s.farm, "POST {BATCH}", many(0..5) => 200 with headers);
    let at = headers["content-location"].to_str().unwrap().to_owned();
    let second = ask!(s.f, s.farm, "GET {at}" => 200);
    assert_eq!(&second, &first, "{second}");
    assert_eq!(s.f.get(&at, &s.other).await.0, 404);
    s.f.pass(10);
    let now = s.f.book.clock.now();
    let forget = |before| s.f.exchange.batches().forget_batches(&s.f.book, before);
    assert!(!forget(now - 10_000).await.unwrap(), "not old enough");
    assert!(forget(now).await.unwrap());
    assert_eq!(s.f.get(&at, &s.farm).await.0, 404);
    let sql = "SELECT count(*) FROM exchange_batch_parts";
    let rows = s.f.book.store.rows(Sql::new(sql)).await.unwrap();
    assert_eq!(rows[0].int(0), Some(0));
    assert_eq!(total(&s).await, 5, "what was stored stays");
}

#[test_each(Stage::each_with(&[("exchange.chunk", "3")]))]
async fn a_batch_is_taken_back_but_for_what_was_changed_since(s: Stage) {
    s.weigh(&[0]).await;
    let mut all = many(0..7);
    all[0]["weight"]["measurement"] = 555.into();
    all[5]["weight"]["measurement"] = (-1).into();
    let (_, headers, results) = s.f.post(BATCH, &s.farm, json!(all)).await;
    assert_eq!(words(&results)[..5], ["updated", "created", "created", "created", "created"]);
    let at = headers["content-location"].to_str().unwrap().to_owned();
    // 1 by its sender, 2 by a person, 3 to the same state, 4 away.
    let mut one = weight(1, 11);
    one["weight"]["measurement"] = 601.into();
    let four = gone(&weight(4, 11));
    let later = json!([one, weight(3, 11), four]);
    let (_, _, body) = s.f.post(BATCH, &s.farm, later).await;
    assert_eq!(words(&body), ["updated", "unchanged", "deleted"]);
    let id = results[2]["id"].as_str().unwrap().parse().unwrap();
    s.f.update("weighings", id, json!({"weight": 602})).await;

    ask!(s.f, s.other, "DELETE {at}" => 404);
    for _ in 0..2 {
        let body = ask!(s.f, s.farm, "DELETE {at}" => 200);
        let all: Vec<String> = (body.as_array().unwrap().iter())
            .map(|r| {
                let all: Vec<&str> = without_findings(r).map(|m| m["type"].as_str().unwrap()).collect();
                all.join(" ")
            })
            .collect();
        let expected = [
            "unchanged updated-stays",
            "unchanged changed-since",
            "unchanged changed-since",
            "deleted",
            "deleted",
            "unchanged",
            "deleted",
        ];
        assert_eq!(all, expected, "the second time as well");
        let (_, page) = s.get(&format!("{FARM}/weights")).await;
        assert_eq!(keys(&page), ["w0", "w1", "w2"]);
    }
    let (_, _, still) = s.f.get(&at, &s.farm).await;
    assert_eq!(still, results, "what became of it then");
}

#[test_each(Stage::each_with(&[("exchange.async_above", "1000")]))]
async fn one_bad_element_of_thousands_is_named(s: Stage) {
    let mut all: Vec<Value> = (0..3_000).map(|key| weight(key, 11 + i64::from(key % 3))).collect();
    all[2_321]["animal"]["id"] = "nobody".into();
    let (headers, _) = ask!(s.f, s.farm, "POST {BATCH}", all => 202 with headers);
    work(&s).await;
    let at = headers["location"].to_str().unwrap();
    let results = ask!(s.f, s.farm, "GET {at}" => 200);
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), 3_000);
    for (key, result) in results.iter().enumerate() {
        let first = &result["messages"][0];
        if key == 2_321 {
            holds!(first, {"severity": "Error", "type": "animal-not-found", "instance": "/animal", "status": 422});
            assert_eq!(result["meta"]["sourceId"], "w2321");
        } else {
            assert_eq!(first["type"], "created", "{result}");
        }
    }
    assert_eq!(total(&s).await, 2_999);
}

/// What a part takes in memory follows from its length, so long elements make parts of fewer. A client sees one batch.
#[test_each(Stage::each())]
async fn long_elements_make_parts_of_fewer_of_them(s: Stage) {
    let long = |keys: std::ops::Range<u32>| -> Vec<Value> {
        let mut all = many(keys);
        for one in &mut all {
            one["responsible"] = "x".repeat(200).into();
            one["remark"] = "x".repeat(9_000).into();
        }
        all
    };
    let prefer = [("prefer", "respond-async")];
    let response = s.send("POST", BATCH, &s.farm, &prefer, json!(long(0..250)));
    let (status, headers, body) = response.await;
    assert_eq!(status, 202, "{body}");
    let at = headers["location"].to_str().unwrap().to_owned();
    work(&s).await;
    let later = ask!(s.f, s.farm, "GET {at}" => 200);
    let sql = "SELECT count(*) FROM exchange_batch_parts";
    let parts = s.f.book.store.rows(Sql::new(sql)).await.unwrap();
    assert_eq!(parts[0].int(0), Some(3), "2.3 MB");
    let direct = ask!(s.f, s.farm, "POST {BATCH}", long(300..550) => 200);
    let parts = s.f.book.store.rows(Sql::new(sql)).await.unwrap();
    assert_eq!(parts[0].int(0), Some(6));
    for (results, first) in [(later, 0), (direct, 300)] {
        let results = results.as_array().unwrap();
        assert_eq!(results.len(), 250);
        for (key, result) in results.iter().enumerate() {
            assert_eq!(result["meta"]["sourceId"], format!("w{}", first + key));
        }
    }
    assert_eq!(total(&s).await, 500);
}
