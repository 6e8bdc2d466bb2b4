//! The weekly email about work lists: on Mondays, once a week, to who wishes it and where there is something to do.

use super::{known, letters};
use crate::rest::world::World;
use cli::write_letters;
use serde_json::json;

const DAY: i64 = 86_400;

/// What is sent in so many days, of which each hour is looked at twice. It is Sunday, 2026-03-01, 12:00 UTC.
async fn days(w: &World<'_>, count: i64) -> Vec<String> {
    for _ in 0..count {
        for _ in 0..2 {
            write_letters(&w.stage.book).await.unwrap();
        }
        w.stage.pass(DAY);
    }
    let mut all: Vec<String> =
        letters(w).await.iter().map(|letter| format!("{} {} {}", letter.to, letter.subject, letter.text)).collect();
    all.sort();
    all
}

#[test_with(World::each)]
async fn a_week_begins_with_its_work(w: &World<'_>) {
    known(w).await;
    for (who, id) in [("alpha", 11), ("viewer", 13), ("beta", 21)] {
        changed!(w, who, "users", id, {"notifyWork": true});
    }
    letters(w).await;
    // She is expected on 2 May, and to be dried off on 3 March.
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-04-10"});
    let served = json!({"animal": 2, "date": "2025-07-27", "result": 1, "pregnancyCheckDate": "2025-08-25"});
    w.made("alpha", "inseminations", served).await;
    let first = days(w, 1).await;
    assert_eq!(first.len(), 1, "neither who does not act, nor who wishes none, nor who has nothing to do: {first:?}");
    assert!(first[0].starts_with("alpha@demo.herdbook herdbook: работы недели"), "{first:?}");
    for text in ["К запуску: 1", "Ожидаемые отёлы: 0", "Нет контрольного доения: 1", "«Alpha»", "о работах недели"]
    {
        assert!(first[0].contains(text), "{text}: {first:?}");
    }
    // The next ones come on Monday, the 2nd, and then a week later.
    assert_eq!(days(w, 1).await.len(), 1);
    assert_eq!(days(w, 6).await, [""; 0]);
    assert_eq!(days(w, 1).await.len(), 1);
}
