//! Averages of lactations: what they are computed from, and who reads them.

use crate::checks::with_synthetic_book;
use crate::support::fixture::Fixture;
use cli::ComputeAverages;
use domain::collections::{queue_averages, store_averages_of_many};
use domain::derive::averages::{Average, Class};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

async fn rows(fixture: &Fixture, path: &str, token: &str) -> Vec<Value> {
    let (status, _, mut body) = fixture.get(path, token).await;
    assert_eq!(status, 200, "{path}: {body}");
    let Value::Array(rows) = body["docs"].take() else { panic!("{body}") };
    rows
}

async fn averages(fixture: &Fixture, token: &str) -> Vec<Value> {
    rows(fixture, "/api/lactation-averages?limit=0&depth=0&sort=id", token).await
}

async fn compute(fixture: &Fixture) {
    let queued = fixture.book.transact(move |work| Box::pin(async move { queue_averages(work).await }));
    queued.await.unwrap();
    assert!(fixture.book.run_job(&ComputeAverages).await.unwrap());
}

/// Calving intervals by farm, year and parity, from the rows themselves.
async fn intervals(fixture: &Fixture, expert: &str) -> BTreeMap<(i64, i64, i64), Vec<f64>> {
    let calvings = rows(fixture, "/api/calvings?limit=0&depth=0&where[eventType][equals]=calving", expert).await;
    let owner_of = |row: &Value| Some(((row["animal"].as_i64()?, row["number"].as_i64()?), row["ownerOrg"].as_i64()?));
    let owners: BTreeMap<(i64, i64), i64> = calvings.iter().filter_map(owner_of).collect();
    let mut classes: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for animal in rows(fixture, "/api/animals?limit=0&depth=0", expert).await {
        let id = animal["id"].as_i64().unwrap();
        let mut counted = BTreeSet::new();
        for row in animal["lactations"].as_array().into_iter().flatten() {
            let number = row["number"].as_i64().unwrap();
            let (Some(owner), Some(days)) = (owners.get(&(id, number)), row["calvingInterval"].as_f64()) else {
                continue;
            };
            let year = row["calvingDate"].as_str().unwrap()[..4].parse().unwrap();
            if counted.insert((year, number.min(3))) {
                classes.entry((*owner, year, number.min(3))).or_default().push(days);
            }
        }
    }
    classes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_farm_reads_its_own_averages_and_everybody_those_of_many() {
    for fixture in with_synthetic_book().await {
        let expert = fixture.user(900, "expert", None, "head").await;
        let [first, second] = [1, 2];
        let farm = fixture.user(901, "farmer", Some(first), "head").await;
        let other = fixture.user(902, "farmer", Some(second), "head").await;
        compute(&fixture).await;

        // Two farms: nothing is published of several.
        let all = averages(&fixture, &expert).await;
        assert!(all.len() > 20, "{}", all.len());
        assert!(all.iter().all(|row| row["organization"].is_i64() && row["animals"].as_i64() >= Some(5)));
        let mut found = BTreeMap::new();
        for row in all.iter().filter(|row| row["trait"] == "calvingInterval") {
            let number = |field: &str| row[field].as_i64().unwrap();
            let class = (number("organization"), number("year"), number("parity"));
            found.insert(class, (number("animals"), row["mean"].as_f64().unwrap()));
        }
        let mut expected = BTreeMap::new();
        for (class, days) in intervals(&fixture, &expert).await.into_iter().filter(|(_, days)| days.len() >= 5) {
            let mean = days.iter().sum::<f64>() / days.len() as f64;
            expected.insert(class, (days.len() as i64, (mean * 100.0).round() / 100.0));
        }
        assert!(!expected.is_empty());
        assert_eq!(found, expected);

        let of = |id: i64| all.iter().filter(|row| row["organization"] == id).cloned().collect::<Vec<_>>();
        assert_eq!(averages(&fixture, &farm).await, of(first));
        assert_eq!(averages(&fixture, &other).await, of(second));
        let hidden = format!("/api/lactation-averages/{}", of(second)[0]["id"]);
        assert_eq!(fixture.get(&hidden, &farm).await.0, 404);

        // Computed again, nothing is written.
        compute(&fixture).await;
        assert_eq!(averages(&fixture, &expert).await, all);

        // Those of many are written once, and everybody reads them.
        for mean in [8_000.0, 9_000.0] {
            let average = Average { class: Class { year: 2020, of: 0, parity: 1 }, mean, animals: 60 };
            let rows = vec![(Some("Самарская область".to_owned()), average.clone()), (None, average)];
            let stored =
                fixture.book.transact(move |work| Box::pin(async move { store_averages_of_many(work, &rows).await }));
            stored.await.unwrap();
        }
        let of_many = |rows: &[Value]| rows.iter().filter(|row| row["organization"].is_null()).cloned().collect();
        let many: Vec<Value> = of_many(&averages(&fixture, &farm).await);
        let means: Vec<_> = many.iter().map(|row| (&row["region"], &row["mean"], &row["trait"])).collect();
        let (region, book) = (json!("Самарская область"), Value::Null);
        let (mean, milk) = (json!(8_000), json!("milk305"));
        assert_eq!(means, [(&region, &mean, &milk), (&book, &mean, &milk)]);
        assert_eq!(averages(&fixture, "").await, many);

        // The Association has them computed anew by deleting them.
        assert!(!fixture.book.run_job(&ComputeAverages).await.unwrap());
        let path = format!("/api/lactation-averages/{}", many[0]["id"]);
        assert_eq!(fixture.request("DELETE", &path, &farm, Value::Null).await.0, 403);
        assert_eq!(fixture.request("DELETE", &path, &expert, Value::Null).await.0, 200);
        assert!(fixture.book.run_job(&ComputeAverages).await.unwrap());
        let left: Vec<Value> = of_many(&averages(&fixture, &expert).await);
        assert_eq!(left, many[1..]);
    }
}
