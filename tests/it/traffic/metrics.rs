//! `/metrics`, and what is based on it: the page that explains it, the dashboard, the alerts.

use super::stage::{FEED, LIST, Stage, weight};
use api::METRICS;
use indexmap::IndexSet;
use serde_json::{Value, json};

fn read(path: &str) -> String {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// The value of a series, of which the labels are written as Prometheus writes them.
fn value(text: &str, series: &str) -> f64 {
    let found = text.lines().find_map(|line| {
        let (name, value) = line.rsplit_once(' ')?;
        (name == series).then(|| value.parse().unwrap())
    });
    found.unwrap_or_else(|| panic!("no {series} in\n{text}"))
}

#[test_each(Stage::each())]
async fn requests_are_told_apart_by_class_of_route_and_of_client(s: Stage) {
    let (_, headers, _) = s.text(LIST, &s.farm, &[]).await;
    let tag = headers["etag"].to_str().unwrap();
    for _ in 0..2 {
        let (status, ..) = s.text(LIST, &s.farm, &[("if-none-match", tag)]).await;
        assert_eq!(status, 304);
    }
    s.text(LIST, &s.expert, &[]).await;
    s.text(FEED, &s.farm, &[]).await;
    s.text(LIST, "", &[]).await;
    s.text(LIST, "no-token", &[]).await;
    s.text("/api/animals", "", &[]).await;
    let text = s.metrics().await;
    let list = |client: &str, status: u16| {
        value(
            &text,
            &format!(
                "herdbook_http_requests_total{{face=\"ade\",class=\"ade-list\",client=\"{client}\",\
                 method=\"GET\",route=\"/ade/v1/locations/{{scheme}}/{{id}}/{{collection}}\",status=\"{status}\"}}"
            ),
        )
    };
    assert_eq!(list("farm", 200), 1.0);
    assert_eq!(list("farm", 304), 2.0);
    assert_eq!(list("association", 200), 1.0);
    assert_eq!(list("anonymous", 401), 2.0);
    let seconds = |class: &str, client: &str| {
        let labels = format!("{{class=\"{class}\",client=\"{client}\"}}");
        value(&text, &format!("herdbook_http_request_duration_seconds_count{labels}"))
    };
    assert_eq!(seconds("ade-list", "farm"), 3.0);
    assert_eq!(seconds("ade-feed", "farm"), 1.0);
    assert_eq!(seconds("rest-read", "anonymous"), 1.0);
    // The one that asks is the only one.
    assert_eq!(value(&text, "herdbook_http_requests_running"), 1.0);
    assert!(!text.contains("organization"), "no client is named");
}

#[test_each(Stage::each())]
async fn intake_is_counted_by_what_became_of_it(s: Stage) {
    s.weigh(1, &[1, 2]).await;
    s.weigh(1, &[1, 2, 3]).await;
    let mut bad = weight("scale.example", 9, 11);
    bad["weight"] = json!({"measurement": "heavy"});
    let path = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
    s.f.post(path, &s.farm, json!([bad])).await;
    let one = weight("scale.example", 4, 11);
    let (status, ..) = s.f.post(LIST, &s.farm, one.clone()).await;
    assert_eq!(status, 201);
    let dry = format!("{LIST}?validate=only");
    s.f.post(&dry, &s.farm, weight("scale.example", 5, 11)).await;
    let text = s.metrics().await;
    let of = |state: &str| value(&text, &format!("herdbook_intake_documents_total{{state=\"{state}\"}}"));
    assert_eq!([of("created"), of("unchanged"), of("rejected"), of("deleted")], [4.0, 2.0, 1.0, 0.0]);
}

#[test_each(Stage::each())]
async fn queues_tell_their_length_and_the_age_of_the_oldest(s: Stage) {
    let text = s.metrics().await;
    assert_eq!(value(&text, "herdbook_queue_depth{queue=\"batches\"}"), 0.0);
    assert_eq!(value(&text, "herdbook_feed_lag_seconds"), 0.0);
    let path = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
    let body = json!([weight("scale.example", 1, 11)]).to_string();
    let request = axum::http::Request::post(path)
        .header("authorization", format!("JWT {}", s.farm))
        .header("content-type", "application/json")
        .header("prefer", "respond-async")
        .body(body.into())
        .unwrap();
    let (status, ..) = s.f.ask(request).await;
    assert_eq!(status, 202);
    ask!(s.f, s.farm, "POST /api/webhooks", {"url": "https://receiver.example/", "dataset": "weights"} => 201);
    s.f.pass(90);
    // Values that were read are returned again for some seconds by the same server.
    let other = s.f.other_process().await;
    let (_, _, text) = super::stage::text(&other, "/metrics", "", &[]).await;
    assert_eq!(value(&text, "herdbook_queue_depth{queue=\"batches\"}"), 1.0);
    assert_eq!(value(&text, "herdbook_queue_age_seconds{queue=\"batches\"}"), 90.0);
    assert_eq!(value(&text, "herdbook_feed_lag_seconds"), 90.0);
    assert_eq!(value(&text, "herdbook_queue_depth{queue=\"letters\"}"), 0.0);
    assert_eq!(value(&text, "herdbook_queue_depth{queue=\"webhooks\"}"), 0.0);
    let connections = |state: &str| value(&text, &format!("herdbook_database_connections{{state=\"{state}\"}}"));
    assert!(connections("idle") + connections("used") >= 1.0);
    assert!(connections("max") >= connections("used"));
    assert!(value(&text, "process_resident_memory_bytes") > 1e6);
    assert!(value(&text, "process_start_time_seconds") > 1.7e9);
}

#[test_each(Stage::each())]
async fn a_book_that_does_not_answer_costs_the_numbers_of_it_alone(s: Stage) {
    s.text("/healthz/live", "", &[]).await;
    s.f.book.store.close().await;
    let text = s.metrics().await;
    assert_eq!(value(&text, "herdbook_looks_failed_total"), 1.0);
    assert!(text.contains("route=\"/healthz/live\""), "{text}");
}

/// Names of numbers in a text.
fn named(text: &str) -> IndexSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (text.split(|c| !word(c)))
        .filter(|w| w.starts_with("herdbook_") || w.starts_with("process_"))
        .map(|w| {
            let histogram = ["_bucket", "_count", "_sum"];
            let end = histogram.iter().find_map(|end| w.strip_suffix(end));
            end.unwrap_or(w).to_owned()
        })
        .collect()
}

#[tokio::test]
async fn dashboard_alerts_and_page_name_the_numbers_that_there_are() {
    let all = Stage::each().await;
    let s = all.first().unwrap();
    s.text(LIST, &s.farm, &[]).await;
    let text = s.metrics().await;
    let metrics: IndexSet<String> = (text.lines()).filter(|line| !line.starts_with('#')).flat_map(named).collect();
    let declared: IndexSet<String> = METRICS.iter().map(|n| n.name.to_owned()).collect();
    assert_eq!(metrics.symmetric_difference(&declared).collect::<Vec<_>>(), Vec::<&String>::new());
    for file in ["ops/grafana-dashboard.json", "ops/alerts.yml"] {
        let named = named(&read(file));
        let unknown: Vec<_> = named.difference(&metrics).collect();
        assert!(named.len() > 4 && unknown.is_empty(), "{file}: {unknown:?}");
    }
    let page = named(&read("docs/operations.md"));
    let missing: Vec<_> = metrics.difference(&page).collect();
    assert!(missing.is_empty(), "docs/operations.md: {missing:?}");
    for metric in METRICS {
        assert!(text.contains(&format!("# HELP {} ", metric.name)), "{}", metric.name);
    }
}

#[test]
fn the_dashboard_is_one_that_grafana_reads() {
    let dashboard: Value = serde_json::from_str(&read("ops/grafana-dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(dashboard["title"].is_string() && dashboard["schemaVersion"].is_u64());
    let mut ids = IndexSet::new();
    for panel in panels {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
        assert!(panel["title"].is_string() && panel["gridPos"]["w"].is_u64());
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty());
        for target in targets {
            let query = target["expr"].as_str().unwrap();
            let open = query.matches('(').count();
            assert_eq!(open, query.matches(')').count(), "{query}");
        }
    }
    assert!(panels.len() >= 10);
}
