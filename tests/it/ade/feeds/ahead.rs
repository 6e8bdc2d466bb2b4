//! Pages of feeds that are read before they are requested (docs/design/cache.md, *Reading ahead*).

use crate::ade::stage::{BATCH, Stage, keys, severities, weight};
use serde_json::Value;
use std::time::Duration;

const FEED: &str = "/ade/v1/datasets/weights/changes?limit=2";
/// Longer than a page takes to be read.
const LONG: Duration = Duration::from_secs(20);

/// Pages read in advance, those of them that were taken, and those that were out of date.
async fn counts(s: &Stage) -> [u64; 3] {
    let (_, text) = s.f.text("/metrics").await;
    ["read", "taken", "stale"].map(|outcome| {
        let line = format!("herdbook_feed_ahead_total{{outcome=\"{outcome}\"}} ");
        let found = text.lines().find_map(|l| l.strip_prefix(&line));
        found.map_or(0, |n| n.parse().unwrap())
    })
}

/// Waits until so many pages were read in advance.
async fn until_read(s: &Stage, count: u64) {
    let read = async {
        while counts(s).await[0] < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, read).await.unwrap();
}

/// A page after a token: its keys, its token, whether there are more.
async fn page(s: &Stage, since: Option<&str>) -> (Vec<String>, String, bool) {
    page_of(s, FEED, since).await
}

async fn page_of(s: &Stage, feed: &str, since: Option<&str>) -> (Vec<String>, String, bool) {
    let path = since.map_or(feed.to_owned(), |token| format!("{feed}&since={token}"));
    let page: Value = ask!(s.f, s.farm, "GET {path}" => 200);
    let end = page.as_array().unwrap().last().unwrap();
    let token = end["token"].as_str().unwrap().to_owned();
    (keys(&page), token, end["current"] == false)
}

#[test_each(Stage::both())]
async fn who_follows_a_feed_finds_the_next_page_read(s: Stage) {
    let sent: Vec<u32> = (1..=9).collect();
    s.weigh(&sent).await;
    let (mut read, mut token, mut more) = page(&s, None).await;
    let mut ahead = 0;
    while more {
        let (next, end, yet) = page(&s, Some(&token)).await;
        read.extend(next);
        ahead += u64::from(yet);
        until_read(&s, ahead).await;
        (token, more) = (end, yet);
    }
    let whole: Vec<String> = sent.iter().map(|key| format!("w{key}")).collect();
    assert_eq!(read, whole);
    // The first page is often all that is wanted, and nothing stands behind the last one.
    assert_eq!(counts(&s).await, [3, 3, 0]);
}

#[test_each(Stage::both())]
async fn a_page_that_changed_since_it_was_read_is_read_again(s: Stage) {
    s.weigh(&(1..=9).collect::<Vec<u32>>()).await;
    let (_, token, _) = page(&s, None).await;
    let (second, token, _) = page(&s, Some(&token)).await;
    assert_eq!(second, ["w3", "w4"]);
    until_read(&s, 1).await;

    let mut other = weight(5, 11);
    other["meta"]["modified"] = "2026-02-02T00:00:00Z".into();
    other["weight"]["measurement"] = 700.into();
    let document: Value = ask!(s.f, s.farm, "POST {BATCH}", [other] => 200);
    assert_eq!(severities(&document[0]), ["Information"], "{document}");

    let (third, token, _) = page(&s, Some(&token)).await;
    assert_eq!(third, ["w6", "w7"]);
    let [_, taken, stale] = counts(&s).await;
    assert_eq!((taken, stale), (0, 1));
    let (fourth, token, _) = page(&s, Some(&token)).await;
    let (fifth, _, more) = page(&s, Some(&token)).await;
    assert_eq!((fourth, fifth), (vec!["w8".into(), "w9".into()], vec!["w5".to_owned()]));
    assert!(!more);
}

#[tokio::test]
async fn nobody_waits_for_a_page_that_is_not_being_read() {
    const ONE: &str = "/ade/v1/datasets/weights/changes?limit=1";
    for s in Stage::both().await {
        s.weigh(&(1..=11).collect::<Vec<u32>>()).await;
        let (_, token, _) = page(&s, None).await;
        let (_, token, _) = page(&s, Some(&token)).await;
        // The third and the fourth; the fifth is not read before the third is requested.
        until_read(&s, 2).await;
        // Another reader gets to the same places without asking for the third.
        let (_, token, _) = page_of(&s, ONE, Some(&token)).await;
        let (sixth, token, _) = page_of(&s, ONE, Some(&token)).await;
        assert_eq!(sixth, ["w6"]);
        let (fourth, token, _) = page(&s, Some(&token)).await;
        assert_eq!(fourth, ["w7", "w8"]);
        let fifth = tokio::time::timeout(Duration::from_secs(8), page(&s, Some(&token)));
        assert_eq!(fifth.await.unwrap().0, ["w9", "w10"]);
    }
}

#[test_each(Stage::both())]
async fn a_page_that_was_read_for_one_farm_is_no_others(s: Stage) {
    s.weigh(&(1..=9).collect::<Vec<u32>>()).await;
    let (_, token, _) = page(&s, None).await;
    let (_, token, _) = page(&s, Some(&token)).await;
    until_read(&s, 1).await;
    ask!(s.f, s.other, "GET {FEED}&since={token}" => 400);
    let theirs: Value = ask!(s.f, s.other, "GET {FEED}" => 200);
    assert_eq!(keys(&theirs), [""; 0]);
    assert_eq!(counts(&s).await[1..], [0, 0]);
    assert_eq!(page(&s, Some(&token)).await.0, ["w5", "w6"]);
}
