//! Limits of concurrent requests, tested from outside.

use super::{FARM, Stage, field, weight};
use crate::support::fixture::Answer;
use crate::support::fixture::get_request;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::http::Request;
use axum::response::Response;
use futures_util::future::Either;
use ops::FillRow;
use serde_json::{Value, json};
use tower::ServiceExt;

const FEED: &str = "/ade/v1/datasets/weights/changes";

/// There is one place; requests that wait for changes must not hold it.
#[tokio::test]
async fn who_waits_for_a_change_holds_no_place() {
    let changed = [("limits.running", "1"), ("limits.concurrent", "1")];
    for s in Stage::each_with(&changed).await {
        let begun = s.f.get(&format!("{FEED}?from=now"), &s.farm).await.2;
        let token = begun.as_array().unwrap().last().unwrap()["token"].clone();
        let path = format!("{FEED}?wait=60&since={}", token.as_str().unwrap());
        let waiting: Vec<_> =
            (0..3).map(|_| tokio::spawn(s.f.router.clone().oneshot(get_request(&path, &s.farm, &[])))).collect();
        // Others are answered while the three wait, and a change wakes them.
        for n in 0..20 {
            let (status, _, body) = s.f.get(&super::fresh(n), &s.farm).await;
            assert_eq!(status, 200, "{body}");
        }
        let reply = s.f.post(&format!("{FARM}/weights"), &s.farm, weight(1)).await;
        assert_eq!(reply.0, 201, "{}", reply.2);
        for answer in waiting {
            let response = answer.await.unwrap().unwrap();
            assert_eq!(response.status(), 200);
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let page: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(page[1]["meta"]["sourceId"], "w1", "{page}");
        }
    }
}

/// The answer to a long list is not read to its end: it counts as running, and its client may have no more at a time.
#[tokio::test]
async fn one_client_has_so_many_under_way_and_others_do_not_notice() {
    let changed = [("limits.running", "1"), ("limits.concurrent", "1"), ("limits.queue_age", "1")];
    let s = Stage::with(&changed).await;
    let row = |id: i64| {
        let data = json!({"name": format!("H{id}"), "organization": 1});
        FillRow { collection: "herds", id, data: data.as_object().unwrap().clone(), hidden: Vec::new() }
    };
    s.f.book.fill((1_000..1_700).map(row).collect()).await.unwrap();
    let path = "/api/herds?limit=0&depth=0";
    let long = s.f.router.clone().oneshot(get_request(path, &s.farm, &[])).await.unwrap();
    assert_eq!(long.status(), 200);
    let vary = long.headers().get_all("vary").iter();
    let vary: Vec<&str> = vary.map(|value| value.to_str().unwrap()).collect();
    assert!(vary.contains(&"Authorization, Cookie"), "{vary:?}");
    assert!(long.body().size_hint().exact().is_none(), "it was made as a whole");

    let (headers, body) = ask!(s.f, s.farm, "GET /api/herds?limit=0&depth=1" => 429 with headers);
    let message = "Too many requests at a time. Wait for answers before asking more.";
    assert_eq!(body["errors"][0]["message"], message);
    assert!(!field(&headers, "retry-after").is_empty());
    // Another lane has a queue of its own; another client is not delayed.
    ask!(s.f, s.other, "GET /api/herds?limit=0&depth=0" => 200);
    let body = to_bytes(long.into_body(), usize::MAX).await.unwrap();
    let whole: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(whole["docs"].as_array().unwrap().len(), 700);
    ask!(s.f, s.farm, "GET /api/herds?limit=0&depth=1" => 200);
}

/// The one place is held by a write that cannot go on: a request that waits longer for its turn
/// than the service may be late is answered that it is late, on each face in its words.
#[tokio::test]
async fn who_would_wait_too_long_for_his_turn_is_sent_away() {
    let changed = [("limits.running", "1"), ("limits.queue_age", "1")];
    for s in Stage::each_with(&changed).await {
        let (go, busy) = s.f.hold().await;
        let herd = json!({"name": "H"});
        let [mine, theirs] = [&s.farm, &s.other].map(|token| {
            let sent = posted("/api/herds", token, Body::from(herd.to_string()));
            tokio::spawn(s.f.router.clone().oneshot(sent))
        });
        // One of them has the place, and the other one waits.
        let (refused, first) = match futures_util::future::select(mine, theirs).await {
            Either::Left((refused, first)) | Either::Right((refused, first)) => (refused, first),
        };
        let (status, headers, body) = read(refused.unwrap().unwrap()).await;
        assert_eq!(status, 503, "{body}");
        let message = "The service is too busy now. Come back when Retry-After says.";
        assert_eq!(body["errors"][0]["message"], message);
        assert!(!field(&headers, "retry-after").is_empty());

        let (headers, body) = ask!(s.f, s.expert, "POST {FARM}/weights", weight(1) => 503 with headers);
        assert_eq!(body["errors"][0]["status"], 503, "{body}");
        assert!(!field(&headers, "retry-after").is_empty());
        // Reading requests wait in another queue.
        let (status, _, body) = s.f.get(&super::fresh(1), &s.other).await;
        assert_eq!(status, 200, "{body}");

        go.send(()).unwrap();
        busy.await.unwrap();
        let answer = first.await.unwrap().unwrap();
        assert_eq!(answer.status(), 201);
        ask!(s.f, s.other, "POST /api/herds", herd => 201);
    }
}

/// A client that sends slowly holds no place while nothing comes, but its number of concurrent requests is limited.
#[tokio::test]
async fn who_sends_slowly_keeps_nobody_waiting() {
    let changed = [("limits.running", "1"), ("limits.concurrent", "2"), ("limits.queue_age", "1")];
    for s in Stage::each_with(&changed).await {
        let mut all = Vec::new();
        for path in ["/api/herds", &format!("{FARM}/weights")] {
            let (send, document) = tokio::sync::oneshot::channel::<Bytes>();
            let slow = Body::from_stream(futures_util::stream::once(document));
            let slow = posted(path, &s.farm, slow);
            let slow = tokio::spawn(s.f.router.clone().oneshot(slow));
            all.push((send, slow));
        }
        // None of the others waits, even if there are many.
        let herd = json!({"name": "H"});
        for _ in 0..20 {
            ask!(s.f, s.other, "POST /api/herds", herd => 201);
        }
        // Both are under way, once they were looked at.
        let (status, _, body) = loop {
            let answer = s.f.post("/api/herds", &s.farm, herd.clone()).await;
            if answer.0 != 201 {
                break answer;
            }
        };
        assert_eq!(status, 429, "{body}");
        let mut bodies = [herd, weight(1)].map(|body| body.to_string()).into_iter();
        for (send, slow) in all {
            send.send(Bytes::from(bodies.next().unwrap())).unwrap();
            let answer = slow.await.unwrap().unwrap();
            assert_eq!(answer.status(), 201);
        }
    }
}

async fn read(response: Response) -> Answer {
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    (parts.status.as_u16(), parts.headers, body)
}

fn posted(path: &str, token: &str, body: Body) -> Request<Body> {
    Request::post(path)
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .body(body)
        .unwrap()
}
