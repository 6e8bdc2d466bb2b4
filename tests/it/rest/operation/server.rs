//! The surroundings of the faces: health, metrics, request ids, internal errors.

use crate::rest::stage::Stage;

#[tokio::test]
async fn health_tells_of_the_database_and_its_migrations() {
    let stage = Stage::new().await;
    let answer = stage.get("/healthz").await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{}", answer.text);
    holds!(body, {"status": "ok", "service": "herdbook"});
    assert_eq!(body["database"], serde_json::json!({"connected": true}));
    assert_eq!(body["migrations"]["applied"], body["migrations"]["known"]);
    assert!(body["tookMs"].is_u64());
    ask!(stage, "", "GET /healthz/live" => 200);
}

#[tokio::test]
async fn without_a_database_health_is_503_and_live_is_not() {
    let stage = Stage::new().await;
    stage.book.store.close().await;
    let answer = stage.get("/healthz").await;
    let body = answer.json();
    assert_eq!(answer.status, 503);
    holds!(body, {"status": "error", "database.connected": false});
    ask!(stage, "", "GET /healthz/live" => 200);
    let list = ask!(stage, "", "GET /api/herds"
        => (503, r#"{"errors":[{"message":"The service is not available now."}]}"#));
    assert_eq!(list.header("retry-after"), "5");
}

#[tokio::test]
async fn numbers_are_kept_by_pattern_and_never_by_path() {
    Stage::each(async |stage| {
    stage.get("/api/herds/123456").await;
    stage.get("/nowhere/123456").await;
    let text = stage.get("/metrics").await.text;
    let counted = r#"herdbook_http_requests_total{face="rest",class="rest-read",client="anonymous",method="GET",route="/api/{slug}/{id}",status="404"} 1"#;
    assert!(text.contains(counted), "{text}");
    assert!(text.contains(r#"route="none",status="404"} 1"#), "{text}");
    assert!(
        text.contains("herdbook_http_request_duration_seconds_bucket"),
        "{text}"
    );
    assert!(!text.contains("123456"), "{text}");
    })
    .await;
}

#[test_with(Stage::each)]
async fn every_answer_has_a_request_id(stage: &Stage) {
    let own = stage.send("GET", "/api/herds", &[("x-request-id", "abc-1.2")]).await;
    assert_eq!(own.header("x-request-id"), "abc-1.2");
    let long = "x".repeat(65);
    for id in ["two words", "", &long] {
        let answer = stage.send("GET", "/nope", &[("x-request-id", id)]).await;
        assert_eq!(answer.header("x-request-id").len(), 36, "{id}");
    }
}

#[tokio::test]
async fn faults_of_ours_are_500_without_detail() {
    let stage = Stage::new().await;
    let sql = store::Sql::new("DROP TABLE herds");
    stage.run(sql).await;
    ask!(stage, "", "GET /api/herds" => (500, r#"{"errors":[{"message":"Something went wrong."}]}"#));
}
