//! Lanes, what requests cost in them, and what answers report about it.

use super::{FARM, Stage, codes, field, fresh, weight};
use serde_json::{Value, json};

const BATCH: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
const POST: &str = "/ade/v1/locations/org.herdbook.orgid/1/weights";

#[tokio::test]
async fn a_lane_has_so_many_requests_and_tells_exactly_what_is_left() {
    let s = Stage::with(&[("limits.read", "6")]).await;
    for n in 0..6 {
        let (status, headers, body) = s.f.get(&fresh(n), &s.farm).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(field(&headers, "ratelimit-policy"), "\"read\";q=6;w=60");
        let lane = format!("\"read\";r={};t={}", 5 - n, (n + 1) * 10);
        assert_eq!(field(&headers, "ratelimit"), lane);
    }
    let (status, headers, body) = s.f.get(&fresh(6), &s.farm).await;
    assert_eq!(status, 429);
    let message = "Too many requests. Come back when Retry-After says.";
    assert_eq!(body, json!({"errors": [{"message": message}]}));
    assert_eq!(field(&headers, "ratelimit"), "\"read\";r=0;t=60");
    let after: u64 = field(&headers, "retry-after").parse().unwrap();
    assert!((1..=3).contains(&after), "{after}");

    // Another lane, and another client.
    let weight = weight(1);
    let response = s.f.post(POST, &s.farm, weight).await;
    assert_eq!(response.0, 201, "{}", response.2);
    assert_eq!(field(&response.1, "ratelimit-policy"), "\"write\";q=3000;w=60");
    assert_eq!(s.f.get(&fresh(0), &s.other).await.0, 200);

    // A tenth is enough to begin; the rest is owed, and paid before the next.
    s.f.pass(1);
    assert_eq!(s.f.get(&fresh(7), &s.farm).await.0, 200);
    s.f.pass(1);
    assert_eq!(s.f.get(&fresh(8), &s.farm).await.0, 429);
    s.f.pass(9);
    assert_eq!(s.f.get(&fresh(9), &s.farm).await.0, 200);
}

#[tokio::test]
async fn each_lane_counts_its_own_requests() {
    let s = Stage::with(&[("limits.write", "2"), ("limits.bulk", "2"), ("limits.read", "0")]).await;
    for n in 0..4 {
        let (status, headers, body) = s.f.post(POST, &s.farm, weight(n)).await;
        assert_eq!(status, if n < 2 { 201 } else { 429 }, "{body}");
        if n >= 2 {
            assert_eq!(codes(&body), ["rate-limited"]);
            assert_eq!(body["errors"][0]["status"], 429);
            assert!(headers.contains_key("retry-after"));
        }
    }
    for n in 0..4 {
        let path = format!("/api/herds?limit=0&page={}", n + 1);
        let (status, headers, body) = s.f.get(&path, &s.farm).await;
        assert_eq!(status, if n < 2 { 200 } else { 429 }, "{body}");
        assert_eq!(field(&headers, "ratelimit-policy"), "\"bulk\";q=2;w=60");
    }
    ask!(s.f, s.farm, "POST {BATCH}", [weight(9)] => 429 ["rate-limited"]);
    ask!(s.f, s.farm, "DELETE /api/weighings?where[id][equals]=1" => 429);
    // Answers report nothing about a lane without a limit.
    let (status, headers, _) = s.f.get(&fresh(0), &s.farm).await;
    assert_eq!((status, field(&headers, "ratelimit")), (200, ""));
}

#[tokio::test]
async fn nothing_new_costs_a_tenth_and_what_is_in_memory_a_fifth() {
    let s = Stage::with(&[("limits.read", "2")]).await;
    let path = "/api/animals?limit=1";
    let (_, headers, _) = s.f.get(path, &s.farm).await;
    let tag = field(&headers, "etag").to_owned();
    for n in 0..8 {
        let known = [("if-none-match", tag.as_str())];
        let (status, headers, _) = s.f.get_with(path, &s.farm, &known).await;
        assert_eq!(status, 304, "{n}");
        assert_eq!(field(&headers, "ratelimit").split(';').nth(1), Some("r=0"));
    }
    // Two tenths are left.
    assert_eq!(s.f.get(path, &s.farm).await.0, 200);
    assert_eq!(s.f.get(path, &s.farm).await.0, 429, "given again or not");
}

#[tokio::test]
async fn a_batch_costs_what_it_brings() {
    let s = Stage::with(&[("limits.bulk", "60")]).await;
    let batch = |from: u32, rows: u32| -> Value { (from..from + rows).map(weight).collect() };
    let cost = |headers: &axum::http::HeaderMap| {
        let remaining = field(headers, "ratelimit").split(';').nth(1).unwrap();
        60 - remaining.strip_prefix("r=").unwrap().parse::<u64>().unwrap()
    };
    let (headers, _) = ask!(s.f, s.farm, "POST {BATCH}", batch(0, 1) => 200 with headers);
    assert_eq!(cost(&headers), 1);
    let many = batch(100, 600);
    let bytes = u64::try_from(many.to_string().len()).unwrap();
    let (headers, answer) = ask!(s.f, s.farm, "POST {BATCH}", many => 200 with headers);
    let text = u64::try_from(answer.to_string().len()).unwrap();
    // In tenths: sent bytes by 4 KiB, answered bytes by 16.
    let due = 10 + 10 + bytes / 4_096 + text / 16_384;
    assert!(bytes > 100_000, "{bytes}");
    assert!(cost(&headers).abs_diff(due.div_ceil(10)) <= 1, "{} {due}", cost(&headers));
}

#[tokio::test]
async fn a_refusal_speaks_the_form_of_the_client() {
    let s = Stage::with(&[("limits.read", "1")]).await;
    let path = format!("{FARM}/weights");
    assert_eq!(s.f.get(&path, &s.farm).await.0, 200);
    let accept = [("accept", "application/xml")];
    let (status, headers, body) = s.raw(&path, &s.farm, &accept).await;
    assert_eq!(status, 429);
    assert!(field(&headers, "content-type").starts_with("application/xml"));
    let text = String::from_utf8(body).unwrap();
    assert!(text.contains(">rate-limited<"), "{text}");
    let old = [("prefer", "deployed-answers")];
    let (status, _, body) = s.f.get_with(&path, &s.farm, &old).await;
    assert_eq!((status, codes(&body)), (429, vec!["rate-limited"]));
}

#[tokio::test]
async fn a_query_of_graphql_costs_what_it_asks_for_and_its_changes_are_writes() {
    let s = Stage::with(&[("limits.read", "40"), ("limits.write", "1")]).await;
    let ask = async |query: &str| {
        let body = json!({ "query": query });
        s.f.post("/api/graphql", &s.farm, body).await
    };
    let remaining = |headers: &axum::http::HeaderMap| {
        let remaining = field(headers, "ratelimit").split(';').nth(1).unwrap();
        remaining.strip_prefix("r=").unwrap().parse::<u64>().unwrap()
    };
    let (_, headers, body) = ask("{ Herds(limit: 1) { totalDocs } }").await;
    assert_eq!(remaining(&headers), 39, "{body}");
    let deep = "{ Animals(limit: 10) { docs { id name owner { id name animals(limit: 3) { docs { id } } } } } }";
    let (status, headers, body) = ask(deep).await;
    assert_eq!(status, 200, "{body}");
    assert!(body.get("errors").is_none(), "{body}");
    assert!(remaining(&headers) < 37, "{}", remaining(&headers));

    let change = "mutation { updateAnimal(id: 11, data: {name: \"Rose\"}) { id } }";
    let (status, _, body) = ask(change).await;
    assert_eq!((status, body["data"]["updateAnimal"]["id"].is_null()), (200, false), "{body}");
    let (status, headers, body) = ask(change).await;
    assert_eq!(status, 429, "{body}");
    assert!(body["errors"][0]["message"].is_string());
    assert!(headers.contains_key("retry-after"));
}

#[tokio::test]
async fn whether_the_service_is_well_can_be_asked_at_any_rate() {
    let s = Stage::with(&[("limits.read", "1"), ("limits.running", "1")]).await;
    for _ in 0..30 {
        for path in ["/healthz", "/healthz/live"] {
            let (headers, _) = ask!(s.f, "", "GET {path}" => 200 with headers);
            assert_eq!(field(&headers, "ratelimit"), "", "{path}");
        }
    }
    assert_eq!(s.f.get("/ade/v1/", "").await.0, 200);
    assert_eq!(s.f.get("/api-docs/openapi.json", "").await.0, 429);
}

#[test_each(Stage::each_with(&[("limits.read", "12000")]))]
async fn limits_count_over_each_database(s: Stage) {
    let (_, headers, _) = s.f.get(&fresh(0), &s.farm).await;
    assert_eq!(field(&headers, "ratelimit"), "\"read\";r=11999;t=1");
}

#[tokio::test]
async fn head_costs_what_get_does() {
    let s = Stage::with(&[("limits.read", "12000")]).await;
    for n in 0..100 {
        ask!(s.f, s.farm, "POST /api/herds", {"name": format!("Herd {n} {}", "x".repeat(100))} => 201);
    }
    let mut remaining = Vec::new();
    for (n, method) in ["GET", "HEAD"].into_iter().enumerate() {
        let path = format!("/api/herds?limit=100&depth=1&n={n}");
        let (status, headers, _) = s.f.request(method, &path, &s.farm, Value::Null).await;
        assert_eq!(status, 200);
        let size: u64 = field(&headers, "content-length").parse().unwrap();
        assert!(size > 32 << 10, "{size}");
        remaining.push(field(&headers, "ratelimit").to_owned());
        // The whole quota refills.
        s.f.pass(60);
    }
    assert_eq!(remaining[0], remaining[1]);
}
