//! Hints of the time of the next poll, and of the last intake.

use super::stage::{FEED, LIST, Stage};
use crate::support::fixture::Fixture;
use axum::http::HeaderMap;
use serde_json::{Value, json};

/// The hint of a server without any memory of earlier requests.
async fn hint(f: &Fixture, path: &str, token: &str) -> Option<i64> {
    let (status, headers, body) = f.other_process().await.get(path, token).await;
    assert_eq!(status, 200, "{path}: {body}");
    interval(&headers)
}

fn interval(headers: &HeaderMap) -> Option<i64> {
    let seconds = headers.get("poll-interval")?;
    Some(seconds.to_str().unwrap().parse().unwrap())
}

#[test_each(Stage::each())]
async fn the_hint_is_half_of_the_time_between_changes(s: Stage) {
    assert_eq!(hint(&s.f, LIST, &s.farm).await, None);
    for key in 1..=4 {
        s.weigh(1, &[key]).await;
        s.f.pass(120);
    }
    for path in [LIST, FEED] {
        assert_eq!(hint(&s.f, path, &s.farm).await, Some(60), "{path}");
    }
    assert_eq!(hint(&s.f, LIST, &s.expert).await, Some(60));
    // Many documents of one commit are one change.
    s.weigh(1, &(10..250).collect::<Vec<_>>()).await;
    assert_eq!(hint(&s.f, LIST, &s.farm).await, Some(5));
    s.f.pass(120);
    s.weigh(1, &[300]).await;
    s.f.pass(120);
    assert!(hint(&s.f, LIST, &s.farm).await.unwrap() <= 60);
}

#[test_each(Stage::each())]
async fn nobody_learns_how_often_others_are_written_to(s: Stage) {
    s.weigh(1, &[1]).await;
    s.f.pass(600);
    s.weigh(1, &[2]).await;
    s.f.pass(600);
    let before = (hint(&s.f, LIST, &s.farm).await, hint(&s.f, FEED, &s.farm).await);
    assert_eq!(before, (Some(300), Some(300)));
    for key in 1..=30 {
        s.weigh(2, &[key]).await;
    }
    let after = (hint(&s.f, LIST, &s.farm).await, hint(&s.f, FEED, &s.farm).await);
    assert_eq!(after, before);
    // A caller that reads all locations sees all changes.
    assert_eq!(hint(&s.f, FEED, &s.expert).await, Some(300));
    // Narrowed feeds, and errors, have none.
    let narrowed = format!("{FEED}?location-scheme=org.herdbook.orgid&location-id=1");
    assert_eq!(hint(&s.f, &narrowed, &s.farm).await, None);
    let foreign = LIST.replace("/1/", "/2/");
    let (headers, _) = ask!(s.f, s.farm, "GET {foreign}" => 404 with headers);
    assert_eq!(interval(&headers), None);
}

#[test_each(Stage::each())]
async fn the_hint_changes_neither_body_nor_tag(s: Stage) {
    s.weigh(1, &[1, 2]).await;
    s.f.pass(40);
    let (_, first, body) = s.f.get(LIST, &s.farm).await;
    s.f.pass(4_000);
    let (_, later, same) = s.f.other_process().await.get(LIST, &s.farm).await;
    assert_eq!((interval(&first), interval(&later)), (Some(20), Some(2_020)));
    assert_eq!((body, &first["etag"]), (same, &later["etag"]));
    let tag = first["etag"].to_str().unwrap();
    let (status, headers, _) = s.f.get_with(LIST, &s.farm, &[("if-none-match", tag)]).await;
    // Computed anew, though nothing is read: a tenth of the time without changes.
    assert_eq!((status, interval(&headers)), (304, Some(404)));
}

/// `(location, source, time)` of the reported values.
fn fresh(report: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = report.as_array().expect("intakes").iter();
    all.map(|one| (text(&one["location"]["id"]), text(&one["source"]), text(&one["at"]))).collect()
}

#[test_each(Stage::each())]
async fn the_last_intake_of_each_source_is_told_where_it_may_be_seen(s: Stage) {
    let (locations, discovery) = ("/ade/v1/locations", "/.well-known/ade");
    let (_, _, page) = s.f.get(locations, &s.farm).await;
    assert_eq!(page["lastIntakes"], json!([]));
    s.weigh(1, &[1]).await;
    s.f.pass(3_600);
    s.weigh_from("robot.example", 1, &[2]).await;
    s.weigh_from("secret.example", 2, &[3]).await;
    let mine = [("1", "robot.example", "2026-03-01T13:00:00.000Z"), ("1", "scale.example", "2026-03-01T12:00:00.000Z")]
        .map(|(id, source, at)| (id.to_owned(), source.to_owned(), at.to_owned()));
    let (_, _, page) = s.f.get(locations, &s.farm).await;
    assert_eq!(fresh(&page["lastIntakes"]), mine);
    let (_, _, body) = s.f.get(discovery, &s.farm).await;
    assert_eq!(fresh(&body["locations"]["lastIntakes"]), mine);
    let (_, _, body) = s.f.get(discovery, "").await;
    assert!(body.get("locations").is_none());
    let (_, _, page) = s.f.get(locations, &s.expert).await;
    assert_eq!(fresh(&page["lastIntakes"]).len(), 3);
    assert!(page.to_string().contains("secret.example"));

    // A document that came again unchanged counts as fresh intake too; within a minute nothing is new.
    s.f.pass(30);
    s.weigh_once(&[1]).await;
    let (_, headers, page) = s.f.get(locations, &s.farm).await;
    let tag = headers["etag"].clone();
    assert_eq!(fresh(&page["lastIntakes"])[0].2, "2026-03-01T13:00:30.000Z");
    s.f.pass(30);
    s.weigh_once(&[1]).await;
    let (_, headers, same) = s.f.get(locations, &s.farm).await;
    assert_eq!((&headers["etag"], same), (&tag, page));
    // A document that was refused, or only checked, does not count as intake.
    s.f.pass(600);
    let one = super::stage::weight("new.example", 1, 11);
    ask!(s.f, s.farm, "POST {LIST}?validate=only", one => 201);
    let foreign = super::stage::weight("new.example", 1, 21);
    let (status, ..) = s.f.post(LIST, &s.farm, foreign).await;
    assert!(status >= 400);
    let (_, _, page) = s.f.get(locations, &s.farm).await;
    assert_eq!(fresh(&page["lastIntakes"]).len(), 2);
}

impl Stage {
    /// The same by single posts, which keep no results.
    async fn weigh_once(&self, keys: &[u32]) {
        for key in keys {
            let one = super::stage::weight("scale.example", *key, 11);
            ask!(self.f, self.farm, "POST {LIST}", one => 200);
        }
    }
}
