//! Spans go to a collector, as part of the trace that a request belongs to.

use super::program::Served;
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Uri};
use axum::routing::post;
use std::sync::{Arc, Mutex};

const TRACE: [u8; 16] =
    [0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c];
const PARENT: [u8; 8] = [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31];
const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// The sent requests: path, content type, body.
type Requests = Arc<Mutex<Vec<(String, String, Bytes)>>>;

/// A collector of a few lines, and its address.
async fn collector() -> (String, Requests) {
    let sent = Requests::default();
    let noted = Arc::clone(&sent);
    let take = async move |uri: Uri, headers: HeaderMap, body: Bytes| {
        let kind = headers["content-type"].to_str().unwrap().to_owned();
        noted.lock().unwrap().push((uri.path().to_owned(), kind, body));
    };
    let router = Router::new().route("/v1/traces", post(take));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, sent)
}

fn has(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|window| window == part)
}

/// Asks under an id, with the trace, stops the server, and gives the one span's message.
async fn traced(variable: &str) -> Vec<(String, String, Bytes)> {
    let (url, sent) = collector().await;
    let served = Served::start("info", &[(variable, url.as_str())]);
    let request = reqwest::Client::new()
        .get(served.at("/api/animals?limit=1&secret=zzz-query"))
        .header("x-request-id", "trace-me-1")
        .header("traceparent", TRACEPARENT)
        .header("authorization", "JWT zzz-token");
    assert_eq!(request.send().await.unwrap().status(), 200);
    tokio::task::spawn_blocking(|| served.stop()).await.unwrap();
    let sent = sent.lock().unwrap();
    sent.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_span_has_the_id_of_its_request_and_the_parent_taken_over() {
    for variable in ["HERDBOOK_TELEMETRY_OTLP", "OTEL_EXPORTER_OTLP_ENDPOINT"] {
        let sent = traced(variable).await;
        assert!(!sent.is_empty(), "{variable}");
        for (path, kind, _) in &sent {
            assert_eq!((path.as_str(), kind.as_str()), ("/v1/traces", "application/x-protobuf"));
        }
        let bodies: Vec<&Bytes> = sent.iter().map(|(.., body)| body).collect();
        let mine = bodies.iter().find(|body| has(body, b"trace-me-1"));
        let mine = mine.expect("the span of the request");
        assert!(has(mine, &TRACE) && has(mine, &PARENT));
        assert!(has(mine, b"/api/{slug}") && has(mine, b"herdbook"));
        for secret in [&b"zzz-query"[..], b"zzz-token"] {
            assert!(!bodies.iter().any(|body| has(body, secret)));
        }
    }
}
