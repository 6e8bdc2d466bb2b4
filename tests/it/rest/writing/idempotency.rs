//! Creates with an `Idempotency-Key`: done once, by whichever caller, however often, at any time and by any process.

use crate::rest::stage::{Answer, Stage, request};
use crate::rest::world::World;
use axum::body::Body;
use serde_json::Value;

const ROWS: &str = r#"[{"name":"First","organization":1},{"name":""},{"name":"Third","organization":1}]"#;

async fn posted(w: &World<'_>, token: &str, key: &str) -> Answer {
    let headers = [("content-type", "application/json"), ("authorization", token), ("idempotency-key", key)];
    let request = request("POST", "/api/herds", &headers, Body::from(ROWS));
    w.stage.ask(request).await
}

async fn token(stage: &Stage) -> String {
    format!("JWT {}", stage.token("admin@demo.herdbook").await)
}

/// Status and body without what a body written at another moment may differ in.
fn status_and_body(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.json())
}

#[test_with(World::each)]
async fn asked_at_the_same_time_it_is_done_once(w: &World<'_>) {
    let before = w.list("herds", "").await.len();
    let token = token(w.stage).await;
    let requests = (0..8).map(|_| posted(w, &token, "import-7"));
    let answers = futures_util::future::join_all(requests).await;
    let first = status_and_body(&answers[0]);
    assert_eq!(first.0, 207, "{}", first.1);
    holds!(first.1, {"results.0.doc.name": "First", "results.1.status": 400});
    for answer in &answers {
        assert_eq!(status_and_body(answer), first);
    }
    assert_eq!(w.list("herds", "").await.len(), before + 2);
    // Another key is another request.
    let other = posted(w, &token, "import-8").await;
    assert_eq!(other.status, 207);
    assert_ne!(other.json()["results"][0]["doc"]["id"], first.1["results"][0]["doc"]["id"]);
    assert_eq!(w.list("herds", "").await.len(), before + 4);
}

#[test_with(World::each)]
async fn what_was_done_is_answered_again_for_a_day(w: &World<'_>) {
    let token = token(w.stage).await;
    let first = posted(w, &token, "k").await;
    // The state after a server stopped between the commit and the answer.
    let gone = "UPDATE rest_answers SET status = NULL, answer = NULL";
    w.stage.run(store::Sql::new(gone)).await;
    let herds = w.list("herds", "").await;
    let second = posted(w, &token, "k").await;
    assert_eq!(status_and_body(&second), status_and_body(&first));
    assert_eq!(w.list("herds", "").await, herds, "nothing is written again");
    let third = posted(w, &token, "k").await;
    assert_eq!(third.header("idempotent-replayed"), "true");
    assert_eq!(status_and_body(&third), status_and_body(&first));
    let hour = 3600;
    w.stage.pass(23 * hour);
    let token = self::token(w.stage).await;
    let later = posted(w, &token, "k").await;
    assert_eq!(status_and_body(&later), status_and_body(&first));
    w.stage.pass(hour);
    let anew = posted(w, &token, "k").await;
    assert_ne!(anew.json()["results"][0]["doc"]["id"], first.json()["results"][0]["doc"]["id"]);
    let answers = w.stage.number("SELECT count(*) FROM rest_answers").await;
    assert_eq!(answers, 1, "what is a day old is gone");
}

/// The record of a request that wrote nothing takes no considerable storage.
#[test_with(World::each)]
async fn what_is_refused_uses_up_no_key(w: &World<'_>) {
    let token = token(w.stage).await;
    let headers =
        [("content-type", "application/json"), ("authorization", token.as_str()), ("idempotency-key", "once-more")];
    let many = format!("[{}]", [r#"{"name":""}"#; 400].join(","));
    for (body, status) in [
        ("{bad", 400),
        (many.as_str(), 400),
        (r#"[{"name":"Good","organization":1}]"#, 201),
        (r#"[{"name":"Other","organization":1}]"#, 422),
    ] {
        let body = Body::from(body.to_owned());
        let answer = w.stage.ask(request("POST", "/api/herds", &headers, body)).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        let stored = w.stage.number("SELECT count(*) FROM rest_answers").await;
        assert_eq!(stored, i64::from(status != 400));
    }
}

#[test_with(World::each)]
async fn together_all_are_created_or_none(w: &World<'_>) {
    let path = "/api/herds?depth=0&together=true";
    let before = w.list("herds", "").await.len();
    let statuses = |answer: &Answer| -> Vec<u64> {
        let results = answer.json()["results"].as_array().unwrap().clone();
        results.iter().map(|result| result["status"].as_u64().unwrap()).collect()
    };
    let refused = w.refused("admin", "POST", path, ROWS).await;
    assert_eq!((refused.status, statuses(&refused)), (400, vec![424, 400, 424]), "{}", refused.text);
    assert_eq!(refused.header("x-ignored"), "");
    // One that cannot even be read; one that the caller may not write.
    let unread = w.refused("admin", "POST", path, r#"[{"name":"First","organization":1},7]"#).await;
    assert_eq!(statuses(&unread), [424, 400], "{}", unread.text);
    let foreign = r#"[{"name":"First"},{"name":"Second","organization":2}]"#;
    let foreign = w.refused("alpha", "POST", path, foreign).await;
    assert_eq!(statuses(&foreign), [424, 403], "{}", foreign.text);
    // A key tells the same again.
    let token = token(w.stage).await;
    let send = async |rows: &str| {
        let headers = [("content-type", "application/json"), ("authorization", &*token), ("idempotency-key", rows)];
        w.stage.ask(request("POST", path, &headers, Body::from(rows.to_owned()))).await
    };
    let bad = r#"[{"name":"First","organization":1},{"name":""}]"#;
    for _ in 0..2 {
        assert_eq!(statuses(&send(bad).await), [424, 400]);
    }
    assert_eq!(w.list("herds", "").await.len(), before);
    let good = r#"[{"name":"First","organization":1},{"name":"Second","organization":1}]"#;
    for other in ["1", "TRUE", "%74rue", "true&together=false"] {
        let path = format!("/api/herds?depth=0&together={other}");
        assert_eq!(w.refused("admin", "POST", &path, good).await.status, 400, "{other}");
    }
    assert_eq!(statuses(&send(good).await), [201, 201]);
    let only = w.ask("admin", "POST", &format!("{path}&validate=only"), good).await;
    assert_eq!(statuses(&only), [200, 200], "{}", only.text);
    assert_eq!(w.list("herds", "").await.len(), before + 2);
}
