//! How long tombstones stay, and the record of those that were dropped.

use crate::ade::stage::{FARM, Stage, keys, weight};
use config::{Settings, Sources};
use exchange::DroppedCounts;
use serde_json::{Value, json};
use store::Sql;

const DAY: i64 = 86_400;

/// Lets days pass. Tokens of sign-in do not outlive them.
async fn pass(s: &mut Stage, days: i64) {
    s.f.pass(days * DAY);
    let body = json!({"email": "user1@example.org", "password": "demo-herdbook"});
    let answer = ask!(s.f, "", "POST /api/users/login", body => 200);
    s.farm = answer["token"].as_str().unwrap().to_owned();
}

async fn gone(s: &Stage, key: u32) {
    let doc = crate::ade::stage::gone(&weight(key, 11));
    ask!(s.f, s.farm, "POST {FARM}/weights", doc => 200);
}

async fn numbers(s: &Stage, sql: &str) -> Vec<i64> {
    let rows = s.f.book.store.rows(Sql::new(sql)).await.unwrap();
    rows.iter().filter_map(|row| row.int(0)).collect()
}

/// Places of the tombstones of the feed.
async fn buried(s: &Stage) -> Vec<i64> {
    numbers(s, "SELECT seq FROM exchange_documents WHERE deleted ORDER BY seq").await
}

async fn drop_old(s: &Stage) -> DroppedCounts {
    let before = s.f.book.clock.now() - 400 * DAY * 1_000;
    let dropped = s.f.exchange.projector().drop_tombstones(&s.f.book, before).await;
    dropped.unwrap()
}

async fn horizon(s: &Stage) -> i64 {
    s.f.exchange.projector().horizon(&s.f.book).await.unwrap()
}

#[test_each(Stage::both())]
async fn tombstones_go_when_they_are_old_and_leave_a_horizon(mut s: Stage) {
    s.weigh(&[1, 2, 3, 4]).await;
    gone(&s, 1).await;
    gone(&s, 2).await;
    let first = buried(&s).await;
    assert_eq!(first.len(), 2);
    pass(&mut s, 10).await;
    gone(&s, 3).await;
    let (_, feed) = s.get("/ade/v1/datasets/everything/changes?limit=1000").await;
    let token = feed.as_array().unwrap().last().unwrap()["token"].as_str();
    let token = token.unwrap().to_owned();
    // A clock that goes back drops nothing, nor does one that is stopped.
    for by in [0, -800, 800, 389] {
        s.f.pass(by * DAY);
        if by == 800 {
            continue;
        }
        assert_eq!(drop_old(&s).await, DroppedCounts::default(), "{by}");
        assert_eq!((horizon(&s).await, buried(&s).await.len()), (0, 3));
    }
    // The first two are of 400 days and a little.
    pass(&mut s, 2).await;
    let dropped = drop_old(&s).await;
    let two = DroppedCounts { documents: 2, tombstones: 2, last_states: 2 };
    assert_eq!(dropped, two);
    assert_eq!(horizon(&s).await, first[1]);
    assert_eq!(buried(&s).await.len(), 1);
    let remaining = "SELECT count(*) FROM ade_tombstones";
    assert_eq!(numbers(&s, remaining).await, [1]);
    let words = "SELECT count(*) FROM exchange_sent";
    assert_eq!(numbers(&s, words).await, [2], "of 3, which is gone, and of 4");
    // Live documents are untouched, and a token is still accepted.
    assert_eq!(keys(&s.get(&format!("{FARM}/weights")).await.1), ["w4"]);
    let (headers, page) = ask!(s.f, s.farm, "GET /ade/v1/datasets/everything/changes?since={token}"
        => 200 with headers);
    assert_eq!(page.as_array().unwrap().len(), 2, "{page}");
    assert!(!headers.contains_key("icar-full-sync"));
    assert_eq!(drop_old(&s).await, DroppedCounts::default());
    // A jump far ahead, and back: dropped documents stay dropped, the horizon stays.
    let third = buried(&s).await[0];
    s.f.pass(9_000 * DAY);
    let dropped = drop_old(&s).await;
    assert_eq!((dropped.documents, dropped.tombstones), (1, 1));
    assert_eq!(horizon(&s).await, third);
    s.f.pass(-9_000 * DAY);
    assert_eq!(drop_old(&s).await, DroppedCounts::default());
    assert_eq!(horizon(&s).await, third);
    // A deleted document can come back, as a new one.
    ask!(s.f, s.farm, "POST {FARM}/weights", weight(1, 11) => 201);
    let counts = "SELECT live FROM exchange_counts WHERE dataset = 'weights'";
    assert_eq!(numbers(&s, counts).await, [2]);
}

#[tokio::test]
async fn more_than_a_window_of_them_goes_and_the_horizon_is_the_last() {
    // The window is in the statements of both databases; so many documents are sent once.
    let mut s = Stage::plain_with(&[("exchange.async_above", "100000")]).await;
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
    for deleted in [false, true] {
        let all: Vec<Value> = (0..6_000)
            .map(|key| {
                let mut doc = weight(key, 11 + i64::from(key % 3));
                doc["meta"]["isDeleted"] = (deleted && key % 2 == 0).into();
                doc
            })
            .collect();
        ask!(s.f, s.farm, "POST {batch}", all => 200);
    }
    let last = *buried(&s).await.last().unwrap();
    pass(&mut s, 401).await;
    s.weigh(&[7_000]).await;
    let dropped = drop_old(&s).await;
    assert_eq!((dropped.documents, dropped.last_states), (3_000, 3_000));
    assert_eq!(dropped.tombstones, 3_000);
    assert_eq!((horizon(&s).await, buried(&s).await.len()), (last, 0));
    assert_eq!(s.total("weights").await, 3_001);
}

#[test]
fn less_than_the_standard_demands_is_refused() {
    for (days, good) in [("399", false), ("400", true), ("4000", true)] {
        let sources = Sources { flags: [("exchange.tombstones_kept", days.to_owned())].into(), ..Sources::default() };
        assert_eq!(Settings::load(&sources).is_ok(), good, "{days}");
    }
}
