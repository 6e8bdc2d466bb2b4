//! A package that replaces another one takes back what that brought (docs/packages.md, *Replacing*).

use super::desk::{read_all, reader, rows, send, sent};
use crate::rest::world::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const TESTS: &str = "Инд.№;Дата замера;Удой за день, кг;Жир\r\n";

/// Milk of all tests, by day.
async fn milk(w: &World<'_>) -> Vec<f64> {
    let all = w.list("milk-tests", "sort=date&depth=0").await;
    all.iter()
        .map(|row| row["milkYield"].as_f64().unwrap())
        .collect()
}

async fn test_of(w: &World<'_>, id: i64) -> Value {
    let doc = w.doc("milk-tests", id).await;
    json!([doc["milkYield"], doc["fatPercent"], doc["submission"]])
}

#[tokio::test]
async fn values_go_back_unless_they_were_changed_since() {
    World::each(async |w| {
        let test = |day: u8| json!({"animal": 2, "date": format!("2026-02-{day:02}"), "milkYield": 20, "fatPercent": 4});
        let mut own = Vec::new();
        for day in 1..=4 {
            own.push(w.made("alpha", "milk-tests", test(day)).await);
        }
        let first = "960000000002;01.02.2026;21;5\r\n960000000002;02.02.2026;21;5\r\n960000000002;03.02.2026;21;5\r\n\
            960000000002;04.02.2026;21;4\r\n960000000002;05.02.2026;21;5\r\n960000000002;06.02.2026;21;5\r\n";
        let doc = sent(w, "alpha", "a.csv", format!("{TESTS}{first}").as_bytes(), &json!({})).await;
        let former = doc["id"].as_i64().unwrap();
        holds!(doc, {"intake.updated": 4, "intake.created": 2});
        // Read again, which changes nothing of what it was before.
        changed!(w, "alpha", "data-submissions", former, {"mapping": {"set": "milkTests"}});
        read_all(w).await;
        holds!(w.doc("data-submissions", former).await, {"intake.unchanged": 6, "intake.state": "read"});
        // Of the second somebody changes one value; the third is in the new package too.
        changed!(w, "alpha", "milk-tests", own[1], {"milkYield": 22});
        let second = "960000000002;03.02.2026;23;\r\n960000000002;06.02.2026;23;6\r\n";
        let file = format!("{TESTS}{second}");
        let doc = sent(w, "alpha", "b.csv", file.as_bytes(), &json!({"replaces": former})).await;
        let new = doc["id"].as_i64().unwrap();
        holds!(doc, {"intake.state": "read", "intake.updated": 2, "intake.removed": 1});
        assert_eq!(test_of(w, own[0]).await, json!([20, 4, null]), "as it was");
        assert_eq!(test_of(w, own[1]).await, json!([22, 4, null]), "what was changed since stays");
        assert_eq!(test_of(w, own[2]).await, json!([23, 5, new]), "the new one has it");
        assert_eq!(test_of(w, own[3]).await, json!([20, 4, null]));
        assert_eq!(milk(w).await, [20.0, 22.0, 23.0, 20.0, 23.0]);
        // A third one without them: what the first had changed does not come back.
        let file = format!("{TESTS}960000000002;20.02.2026;24;\r\n");
        let doc = sent(w, "alpha", "c.csv", file.as_bytes(), &json!({"replaces": new})).await;
        holds!(doc, {"intake.created": 1, "intake.removed": 0});
        assert_eq!(test_of(w, own[2]).await, json!([23, 5, new]));
        // How it was is shown to nobody.
        for row in rows(w, "admin", former, "").await {
            assert_eq!(row.get("before"), None, "{row}");
        }
    })
    .await;
}

/// Verified records stay, and so do records that another package has by now.
#[tokio::test]
async fn what_is_not_its_own_any_more_stays() {
    World::each(async |w| {
        let line = |day: u8, milk: u8| format!("960000000002;{day:02}.02.2026;{milk};\r\n");
        let file = |lines: &[String]| format!("{TESTS}{}", lines.concat());
        let one = file(&[line(1, 20), line(2, 20), line(3, 20)]);
        let doc = sent(w, "alpha", "a.csv", one.as_bytes(), &json!({})).await;
        let former = doc["id"].as_i64().unwrap();
        let other = file(&[line(2, 21)]);
        sent(w, "alpha", "b.csv", other.as_bytes(), &json!({})).await;
        let new = file(&[line(3, 22)]);
        let doc = sent(
            w,
            "alpha",
            "c.csv",
            new.as_bytes(),
            &json!({"replaces": former}),
        )
        .await;
        assert_eq!(doc["intake"]["removed"], 1);
        assert_eq!(milk(w).await, [21.0, 22.0]);
    })
    .await;
}

/// More rows than one transaction of other packages takes.
#[tokio::test]
async fn readers_see_a_package_or_the_one_that_replaces_it_and_nothing_between() {
    World::each(async |w| {
        made!(w, "admin", "animals", {"identNumber": "960000000006", "sex": "female", "birthDate": "2020-05-05", "owner": 1});
        let file = |milk: u8, from: usize| {
            let mut file = TESTS.to_owned();
            for n in from..from + 2_100 {
                let (day, month, year) = (n / 2 % 28 + 1, n / 56 % 12 + 1, 2022 + n / 672);
                let cow = ["960000000002", "960000000006"][n % 2];
                let _ = write!(file, "{cow};{day:02}.{month:02}.{year};{milk};\r\n");
            }
            file
        };
        let doc = sent(w, "alpha", "a.csv", file(20, 0).as_bytes(), &json!({})).await;
        let former = doc["id"].as_i64().unwrap();
        assert_eq!(doc["intake"]["created"], 2_100);
        let body = json!({"replaces": former});
        let id = send(w, "alpha", "b.csv", file(21, 50).as_bytes(), &body).await;
        let look = async || {
            let count = async |milk: u8| {
                let path = format!("/api/milk-tests/count?where[milkYield][equals]={milk}");
                w.get("alpha", &path).await.json()["totalDocs"].as_u64().unwrap()
            };
            // In one list, since the two counts are of different moments.
            let all = w.get("alpha", "/api/milk-tests?limit=1&depth=0&sort=date").await.json();
            (all["totalDocs"].as_u64().unwrap(), all["docs"][0]["milkYield"].as_f64().unwrap(), count(21).await)
        };
        let before = look().await;
        assert_eq!(before, (2_100, 20.0, 0));
        let task = reader(w);
        let mut commits = w.stage.book.store.watch().subscribe();
        let mut reading = std::pin::pin!(task.read_next());
        let mut seen = BTreeSet::new();
        // Whoever looks after each commit sees what others see meanwhile.
        let after = loop {
            tokio::select! {
                biased;
                done = &mut reading => {
                    assert!(done.unwrap());
                    break look().await;
                }
                changed = commits.changed() => changed.unwrap(),
            }
            let looked = look().await;
            let (count, first, new) = looked;
            assert!((count, first) == (2_100, 20.0) || (count, first) == (2_100, 21.0), "{looked:?}");
            assert!(new == 0 || new == 2_100, "{looked:?}");
            seen.insert(new);
        };
        assert_eq!(after, (2_100, 21.0, 2_100));
        assert!(seen.contains(&0), "somebody looked while it was read");
        read_all(w).await;
        holds!(w.doc("data-submissions", id).await, {"intake.state": "read", "intake.rows": 2_100, "intake.created": 50,
            "intake.updated": 2_050, "intake.removed": 50});
    })
    .await;
}
