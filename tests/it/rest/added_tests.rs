//! Milk tests that are added to what the earlier ones of their cow add up to, in the databases.
//! `domain` compares random histories; here are the statements and what clients see.

use super::world::World;
use serde_json::{Value, json};
use store::Sql;

/// Makes a cow of Alpha's that calved.
async fn cow(w: &World<'_>, number: i64) -> i64 {
    let cow = json!({"identNumber": (960_000_777_000 + number).to_string(), "sex": "female", "birthDate": "2020-05-01"});
    let cow = w.made("alpha", "animals", cow).await;
    let calving = json!({"animal": cow, "date": "2023-03-01", "number": 1});
    w.made("alpha", "calvings", calving).await;
    cow
}

/// The remembered sums of a cow.
async fn sums(w: &World<'_>, cow: i64) -> Option<String> {
    let sql = format!("SELECT test_sums FROM animals WHERE id = {cow}");
    let rows = w.stage.book.store.rows(Sql::new(&sql)).await.unwrap();
    rows[0].text(0).map(str::to_owned)
}

async fn forget(w: &World<'_>, cow: i64) {
    let sql = format!("UPDATE animals SET test_sums = NULL WHERE id = {cow}");
    w.stage.run(Sql::new(&sql)).await;
}

fn test(cow: i64, date: &str, milk: f64) -> Value {
    json!({"animal": cow, "date": date, "milkYield": milk, "fatPercent": 3.97, "proteinPercent": 3.31, "somaticCells": 171})
}

#[tokio::test]
async fn added_tests_give_what_all_tests_give() {
    World::both(async |w| {
        let cows = [cow(w, 1).await, cow(w, 2).await];
        let mut first = [0, 0];
        let days = [
            ("2023-04-03", 31.3),
            ("2023-05-07", 33.7),
            ("2023-06-04", 29.9),
            ("2023-12-24", 21.1),
            // Behind the standard lactation; before the others; on the day of another.
            ("2024-01-20", 17.3),
            ("2023-07-09", 28.3),
            ("2023-07-09", 11.0),
        ];
        let same = async |what: &str| {
            let mut shown = Vec::new();
            for cow in cows {
                let doc = w.doc("animals", cow).await;
                let of = |path: &str| doc[path].clone();
                shown.push((
                    ["lactations", "summary", "current"].map(of),
                    sums(w, cow).await,
                ));
            }
            assert_eq!(shown[0], shown[1], "{what}");
            assert!(shown[0].1.is_some(), "{what}");
        };
        for (date, milk) in days {
            forget(w, cows[1]).await;
            for (cow, first) in cows.into_iter().zip(&mut first) {
                let mut body = test(cow, date, milk);
                if milk < 12.0 {
                    body["source"] = json!("owner");
                }
                let id = w.made("alpha", "milk-tests", body).await;
                *first = if *first == 0 { id } else { *first };
            }
            same(date).await;
        }
        for (body, what) in [
            (json!({"milkYield": 30.1}), "a correction"),
            (json!({"urea": 21}), "another field"),
        ] {
            forget(w, cows[1]).await;
            for id in first {
                w.changed("alpha", "milk-tests", id, body.clone()).await;
            }
            same(what).await;
        }
        forget(w, cows[1]).await;
        for id in first {
            w.gone("alpha", "milk-tests", id).await;
        }
        same("a deletion").await;
    })
    .await;
}

#[tokio::test]
async fn what_is_remembered_is_no_change_of_the_animal() {
    World::both(async |w| {
        let cow = cow(w, 3).await;
        let id = w
            .made("alpha", "milk-tests", test(cow, "2023-04-03", 31.3))
            .await;
        let known = sums(w, cow).await;
        let before = w.doc("animals", cow).await;
        assert!(
            known.is_some() && before.get("testSums").is_none(),
            "{before}"
        );
        // As in a book of an earlier version.
        forget(w, cow).await;
        w.changed("alpha", "milk-tests", id, json!({"urea": 21}))
            .await;
        assert_eq!(sums(w, cow).await, known);
        assert_eq!(w.doc("animals", cow).await, before);
        // Nobody writes it, or asks for it.
        w.changed("alpha", "animals", cow, json!({"testSums": "1"}))
            .await;
        assert_eq!(sums(w, cow).await, known);
        let asked = w
            .ask(
                "admin",
                "GET",
                "/api/animals?where[testSums][exists]=true",
                "",
            )
            .await;
        assert_eq!(asked.status, 400);
    })
    .await;
}
