//! How much is worked on at a time, seen from outside.

use super::{FARM, Stage, field, request, weight};
use axum::body::{HttpBody, to_bytes};
use herdbook::ops::FillRow;
use serde_json::{Value, json};
use tower::ServiceExt;

const FEED: &str = "/ade/v1/datasets/weights/changes";

/// One place, which each of two who wait for changes would keep.
#[tokio::test]
async fn who_waits_for_a_change_holds_no_place() {
    let changed = [("limits.running", "1"), ("limits.concurrent", "1")];
    for s in Stage::each_with(&changed).await {
        let begun = s.f.get(&format!("{FEED}?from=now"), &s.farm).await.2;
        let token = begun.as_array().unwrap().last().unwrap()["token"].clone();
        let path = format!("{FEED}?wait=60&since={}", token.as_str().unwrap());
        let waiting: Vec<_> = (0..3)
            .map(|_| tokio::spawn(s.f.router.clone().oneshot(request(&path, &s.farm, &[]))))
            .collect();
        // Others are answered, however long the three wait, and a change wakes them.
        for n in 0..20 {
            let (status, _, body) = s.f.get(&super::fresh(n), &s.farm).await;
            assert_eq!(status, 200, "{body}");
        }
        let sent =
            s.f.post(&format!("{FARM}/weights"), &s.farm, weight(1))
                .await;
        assert_eq!(sent.0, 201, "{}", sent.2);
        for answer in waiting {
            let response = answer.await.unwrap().unwrap();
            assert_eq!(response.status(), 200);
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let page: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(page[1]["meta"]["sourceId"], "w1", "{page}");
        }
    }
}

/// The answer to a long list is not read on: it is under way, and its client has no more
/// at a time.
#[tokio::test]
async fn one_client_has_so_many_under_way_and_others_do_not_notice() {
    let changed = [
        ("limits.running", "1"),
        ("limits.concurrent", "1"),
        ("limits.queue_age", "1"),
    ];
    let s = Stage::with(&changed).await;
    let row = |id: i64| {
        let data = json!({"name": format!("H{id}"), "organization": 1});
        FillRow {
            collection: "herds",
            id,
            data: data.as_object().unwrap().clone(),
            hidden: Vec::new(),
        }
    };
    s.f.book
        .fill((1_000..1_700).map(row).collect())
        .await
        .unwrap();
    let path = "/api/herds?limit=0&depth=0";
    let long =
        s.f.router
            .clone()
            .oneshot(request(path, &s.farm, &[]))
            .await
            .unwrap();
    assert_eq!(long.status(), 200);
    assert!(
        long.body().size_hint().exact().is_none(),
        "it was made as a whole"
    );

    let (status, headers, body) = s.f.get("/api/herds?limit=0&depth=1", &s.farm).await;
    assert_eq!(status, 429, "{body}");
    let message = "Too many requests at a time. Wait for answers before asking more.";
    assert_eq!(body["errors"][0]["message"], message);
    assert!(!field(&headers, "retry-after").is_empty());
    // Another lane has a line of its own; another client is not kept.
    let (status, _, _) = s.f.get("/api/herds?limit=0&depth=0", &s.other).await;
    assert_eq!(status, 200);
    let body = to_bytes(long.into_body(), usize::MAX).await.unwrap();
    let whole: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(whole["docs"].as_array().unwrap().len(), 700);
    let (status, _, _) = s.f.get("/api/herds?limit=0&depth=1", &s.farm).await;
    assert_eq!(status, 200);
}
