//! Which callers and documents are refused, in which order, and in which form.

use crate::ade::stage::{FARM, Stage, codes, weight};
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

const NONE: Value = Value::Null;

#[tokio::test]
async fn requests_without_an_answer_are_refused_in_order_and_in_the_form_of_the_standard() {
    let s = Stage::plain().await;
    // The collection is judged before the user, the user before the location.
    let f = &s.f;
    let nowhere = "/ade/v1/locations/org.herdbook.orgid/777";
    for (path, token, status, code) in table![
        format!("{nowhere}/unicorns"), "", 404, "collection-unknown";
        format!("{nowhere}/weights"), "", 401, "unauthorized";
        format!("{nowhere}/weights"), "nonsense", 401, "unauthorized";
        format!("{nowhere}/weights"), s.farm.as_str(), 404, "location-forbidden";
        format!("{nowhere}/weights"), s.expert.as_str(), 404, "location-forbidden";
        format!("{FARM}/unicorns"), s.farm.as_str(), 404, "collection-unknown";
        format!("{FARM}/locations"), s.farm.as_str(), 404, "collection-unknown";
        "/ade/v1/locations".into(), "", 401, "unauthorized";
        "/ade/v1/datasets".into(), "", 401, "unauthorized";
        "/ade/v1/datasets/unicorns".into(), "", 404, "collection-unknown";
        "/ade/v1/datasets/weights/changes".into(), "", 401, "unauthorized";
    ] {
        let (found, headers, body) = f.get(&path, token).await;
        assert_eq!((found, codes(&body)), (status, vec![code]), "{path}");
        assert!(!headers.contains_key("x-icar-ade-version"), "{path}");
        assert!(!headers.contains_key("cache-control"), "{path}");
        let challenge = headers.get("www-authenticate");
        let challenge = challenge.map(|value| value.to_str().unwrap().contains("invalid_token"));
        // A caller who shows a bad token gets the answer that it is not accepted.
        assert_eq!(challenge, (status == 401).then_some(!token.is_empty()));
    }
    let (_, _, body) = f.get(&format!("{FARM}/unicorns"), "").await;
    let supported = body["errors"][0]["meta"]["supported"].as_array().unwrap();
    assert!(supported.contains(&"animals".into()));

    // Foreign, unknown and otherwise named locations get one answer.
    let mut bodies = Vec::new();
    for at in "org.herdbook.orgid/2 org.herdbook.orgid/777 org.herdbook.orgid/1x \
        org.herdbook.orgid/01 org.herdbook.orgid/+1 org.herdbook.orgid/34%2F123%2F1234 \
        org.herdbook.orgid/-1 uk.cph/1 Org.herdbook.orgid/1"
        .split(' ')
    {
        for method in ["GET", "POST"] {
            let path = format!("/ade/v1/locations/{at}/weights");
            let body = if method == "GET" { NONE } else { weight(1, 21) };
            let (status, _, mut body) = s.f.request(method, &path, &s.farm, body).await;
            assert_eq!(status, 404, "{at}");
            body["errors"][0].as_object_mut().unwrap().remove("id");
            bodies.push(body);
        }
    }
    assert!(bodies.iter().all(|body| body == &bodies[0]), "{bodies:?}");

    // Unknown addresses.
    for path in "/ade/v1/cows /ade/v1/locations/a/b /ade/v1/datasets/weights/changes/x \
        /ade/v1/locations/a/%FF/weights"
        .split(' ')
    {
        let (status, headers, body) = s.f.get(path, &s.farm).await;
        assert_eq!((status, codes(&body)), (404, vec!["route-unknown"]), "{path}");
        assert_eq!(headers["content-type"], "application/json");
    }

    assert_read_only(&s).await;

    assert_form_of_errors(&s).await;

    assert_depth_is_survived(&s).await;
}

/// What can only be read says so.
async fn assert_read_only(s: &Stage) {
    let path = format!("{FARM}/lactations");
    let (status, headers, body) = s.f.post(&path, &s.farm, weight(1, 11)).await;
    assert_eq!((status, codes(&body)), (405, vec!["method-not-allowed"]));
    assert_eq!(headers["allow"], "GET, HEAD");
    let writable = body["errors"][0]["meta"]["writable"].as_array().unwrap();
    assert!(writable.contains(&"weights".into()));
    assert!(!writable.contains(&"lactations".into()));
    ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/lactations", [weight(1, 11)] => 405);
    ask!(s.f, s.farm, "POST /ade/v1/datasets/lactations/resources", [weight(1, 11)] => 405);
    for (method, path, allow) in [
        ("PUT", format!("{FARM}/weights"), "GET,HEAD,POST"),
        ("DELETE", format!("{FARM}/weights"), "GET,HEAD,POST"),
        ("POST", "/ade/v1/locations".into(), "GET,HEAD"),
        ("GET", "/ade/v1/datasets/weights/resources".into(), "POST"),
        ("PATCH", format!("{FARM}/weights/1"), "GET,HEAD"),
    ] {
        let (status, headers, body) = s.f.request(method, &path, &s.farm, NONE).await;
        assert_eq!((status, codes(&body)), (405, vec!["method-not-allowed"]), "{path}");
        assert_eq!(headers["allow"], allow, "{method} {path}");
    }
}

/// Errors unite both forms of the standard.
async fn assert_form_of_errors(s: &Stage) {
    let mut bad = weight(1, 11);
    bad["weight"]["units"] = "STONE".into();
    bad["eventDateTime"] = "2026-02-30".into();
    bad.as_object_mut().unwrap().remove("animal");
    let body = ask!(s.f, s.farm, "POST {FARM}/weights", bad => 400);
    let errors = body["errors"].as_array().unwrap();
    let pointers: Vec<&str> = (errors.iter()).map(|e| e["meta"]["pointer"].as_str().unwrap()).collect();
    for pointer in ["/weight/units", "/eventDateTime", "/animal"] {
        assert!(pointers.contains(&pointer), "{pointer}: {body}");
    }
    for error in errors {
        for member in "id code title detail type severity instance".split(' ') {
            assert!(error[member].is_string(), "{member}: {error}");
        }
        assert_eq!(error["status"], 400);
    }
    let missing = errors.iter().find(|e| e["instance"] == "/animal").unwrap();
    assert_eq!(missing["code"], "field-missing");
    assert_eq!(ade::validate("icarErrorCollection", &body), [], "{body}");
}

/// Very deep bodies do not end the server.
async fn assert_depth_is_survived(s: &Stage) {
    let path = format!("{FARM}/weights");
    let body = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let (status, _, answer) = s.f.raw("POST", &path, &s.farm, body.clone()).await;
    assert_eq!((status, codes(&answer)), (400, vec!["body-not-json"]));
    let batch = format!("[{body}]");
    let path = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
    let (status, _, answer) = s.f.raw("POST", path, &s.farm, batch).await;
    assert!(matches!(status, 200 | 400), "{status} {answer}");
    assert_eq!(s.get(&format!("{FARM}/weights")).await.0, 200);
}

#[tokio::test]
async fn viewers_read_and_who_is_blocked_does_not() {
    let s = Stage::plain().await;
    let viewer = s.f.user(5, "farmer", Some(1), "viewer").await;
    let path = format!("{FARM}/weights");
    assert_eq!(s.f.get(&path, &viewer).await.0, 200);
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
    let push = "/ade/v1/datasets/weights/resources";
    let one = weight(1, 11);
    for (path, body) in [(path.as_str(), one.clone()), (batch, json!([one])), (push, json!([one]))] {
        ask!(s.f, viewer, "POST {path}", body => 403 ["write-forbidden"], "{path}");
    }
    assert_eq!(s.get(&path).await.1["view"]["totalItems"], 0);

    // Words of sign-in are read in any case.
    for word in ["JWT", "jwt", "Bearer", "bearer", "BEARER"] {
        let request = Request::get("/ade/v1/locations")
            .header("authorization", format!("{word} {}", s.farm))
            .body(Body::empty())
            .unwrap();
        assert_eq!(s.f.ask(request).await.0, 200, "{word}");
    }
    update!(s.f, "users", 1, {"blockedAt": "2026-03-01T00:00:00Z"});
    ask!(s.f, s.farm, "GET /ade/v1/locations" => 401 ["unauthorized"]);
}

#[tokio::test]
async fn bodies_that_are_no_json_are_refused() {
    let small = [("exchange.body", "2000"), ("exchange.batch", "3")];
    let s = Stage::plain_with(&small).await;
    let path = format!("{FARM}/weights");
    let deep = format!("{{\"a\":{}", "[".repeat(1_900));
    let levels = format!("{}{}", "[".repeat(900), "]".repeat(900));
    let nested = format!("{{\"a\":{levels}}}");
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(2_000));
    for (body, status, code) in [
        (&b""[..], 400, "body-not-json"),
        (b"{", 400, "body-not-json"),
        (b"\xff\xfe", 400, "body-not-json"),
        (b"{\"a\":\"\xff\"}", 400, "body-not-json"),
        (b"{} {}", 400, "body-not-json"),
        (deep.as_bytes(), 400, "body-not-json"),
        (nested.as_bytes(), 400, "body-not-json"),
        (b"null", 400, "body-shape"),
        (b"\"text\"", 400, "body-shape"),
        (b"[]", 400, "body-shape"),
        (b"{\"a\":1,\"a\":2}", 400, "field-value"),
        (large.as_bytes(), 413, "body-too-large"),
        (b"[{},{},{},{}]", 413, "body-too-large"),
    ] {
        let (found, _, answer) = s.f.raw("POST", &path, &s.farm, body.to_vec()).await;
        let input = String::from_utf8_lossy(body);
        assert_eq!((found, codes(&answer)), (status, vec![code]), "{input}");
    }
    let kinds = [("text/plain", 415), ("application/json; charset=utf-8", 201), ("application/ld+json", 200)];
    for (kind, status) in kinds {
        let request = Request::post(&path)
            .header("authorization", format!("JWT {}", s.farm))
            .header("content-type", kind)
            .body(Body::from(weight(1, 11).to_string()))
            .unwrap();
        assert_eq!(s.f.ask(request).await.0, status, "{kind}");
    }
}
