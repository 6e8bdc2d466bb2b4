//! Means of events (docs/dialect.md, *Means*): by number and by month, of what the caller reads, and nothing else.

use crate::pages::{assert_sound, doc, page};
use crate::rest::world::{World, fill};
use model::record::time;
use serde_json::{Value, json};
use store::{Sql, Ty};

async fn test(w: &World<'_>, who: &str, animal: i64, date: &str, milk: f64) {
    made!(w, who, "milk-tests", {"animal": animal, "date": date, "milkYield": milk});
}

async fn means(w: &World<'_>, who: &str, query: &str) -> Value {
    doc(w, who, &format!("/api/milk-tests/means?{query}")).await["points"].clone()
}

#[test_with(World::each)]
async fn means_are_those_of_the_rows_that_the_caller_reads(w: &World<'_>) {
    for (id, closed) in [(2, json!(false)), (3, json!(false))] {
        let who = if id == 2 { "alpha" } else { "beta" };
        changed!(w, who, "animals", id, {"publicVisible": closed, "publicDetails": closed});
    }
    w.made("alpha", "calvings", json!({"animal": 2, "date": "2025-01-01", "number": 1})).await;
    test(w, "alpha", 2, "2025-01-11", 30.0).await;
    test(w, "alpha", 2, "2025-01-21", 33.0).await;
    test(w, "alpha", 2, "2025-02-10", 27.0).await;
    test(w, "beta", 3, "2025-02-20", 20.0).await;
    let months = |all: &[(&str, u64, f64)]| -> Value {
        all.iter().map(|(from, n, mean)| json!({"from": from, "n": n, "mean": mean})).collect()
    };
    let own = months(&[("2025-01", 2, 31.5), ("2025-02", 1, 27.0)]);
    assert_eq!(means(w, "alpha", "value=milkYield&by=date").await, own);
    assert_eq!(means(w, "alpha", "").await, own, "the defaults");
    assert_eq!(means(w, "beta", "").await, months(&[("2025-02", 1, 20.0)]));
    assert_eq!(means(w, "expert", "").await, months(&[("2025-01", 2, 31.5), ("2025-02", 2, 23.5)]));
    assert_eq!(means(w, "", "").await, json!([]));
    assert_eq!(means(w, "expert", "where[ownerOrg][equals]=2").await, months(&[("2025-02", 1, 20.0)]));
    let days = means(w, "alpha", "by=daysInMilk&width=20").await;
    assert_eq!(
        days,
        json!([{"from": 0, "n": 1, "mean": 30.0}, {"from": 20, "n": 1, "mean": 33.0}, {"from": 40, "n": 1, "mean": 27.0}])
    );
    // What has no value is left out.
    assert_eq!(means(w, "alpha", "value=somaticCells").await, json!([]));
    for bad in ["value=lactationNumber", "value=nope", "by=fatPercent", "width=0", "width=x", "where[nope][equals]=1"] {
        ask!(w, "alpha", "GET /api/milk-tests/means?{bad}" => 400);
    }
    assert_eq!(w.get("alpha", "/api/animals/means").await.status, 404);
    // On pages: the start page has the months of the herd.
    page(w, "alpha", "/book/animals/2?tab=production").await.lacks(&["Mean of the herd"]);
    let home = page(w, "alpha", "/").await;
    home.has(&["2025-01: 31.5"]);
    page(w, "beta", "/").await.lacks(&["2025-01"]);
    // Of charts the last two years count.
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2024-01-28", "bullText": "X", "attemptNumber": 1});
    assert_eq!(doc(w, "alpha", "/api/inseminations/means").await["points"][0]["from"], "2024-01");
    // Events are counted: calvings, and not what else their rows stand for.
    let calved = |from: &str, n: u64| json!({"from": from, "n": n, "mean": 1.0});
    w.made("alpha", "calvings", json!({"animal": 2, "date": "2025-03-01", "number": 1, "eventType": "dryOff"})).await;
    let calvings = doc(w, "alpha", "/api/calvings/means?value=number&where[eventType][equals]=calving").await;
    assert_eq!(calvings["points"], json!([calved("2025-01", 1)]));
    for who in ["alpha", "beta"] {
        let service = json!({"animal": if who == "alpha" { 2 } else { 3 }, "date": "2025-02-25", "bullText": "X", "attemptNumber": 2});
        w.made(who, "inseminations", service).await;
    }
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2025-03-17", "bullText": "X", "attemptNumber": 3});
    let home = page(w, "alpha", "/").await;
    // A number that each event has is no chart: its mean says nothing.
    home.lacks(&["Inseminations: Lactation"]);
    home.has(&[
        "Inseminations <strong>1</strong> (2025-03)",
        "2025-02: 1<",
        "2025-03: 1<",
        "2025-01: 0<",
        "2025-03: 3<",
    ]);
    home.lacks(&["2024-01"]);
    // One month is no line.
    home.lacks(&["Calvings <strong>"]);
    let refused = w.get("alpha", "/api/calvings/means?value=number&by=gestationDays").await;
    assert_eq!(refused.status, 400, "no curves of one animal: {}", refused.text);
}

#[test_with(World::each)]
async fn the_mean_of_a_herd_is_that_of_many_sound_tests_of_a_lactation(w: &World<'_>) {
    let calved =
        json!({"id": 9_000, "animal": 2, "ownerOrg": 1, "date": "2024-06-01", "number": 1, "eventType": "calving"});
    fill(w.stage, "calvings", vec![calved]).await;
    let mut id = 9_000;
    let mut tests = async |days: std::ops::Range<i64>, milk: f64, status: Option<&str>| {
        let rows = days.map(|day| {
            id += 1;
            let date = time::to_iso(time::parse("2024-06-01").unwrap() + day * 86_400_000);
            json!({"id": id, "animal": 2, "ownerOrg": 1, "date": date, "milkYield": milk, "daysInMilk": day,
                "lactationNumber": 1, "checkStatus": status})
        });
        fill(w.stage, "milk-tests", rows.collect()).await;
    };
    tests(1..6, 30.0, None).await;
    tests(31..36, 20.0, Some("note")).await;
    // Too few, what must be corrected, and too late.
    tests(61..65, 77.0, None).await;
    tests(91..97, 77.0, Some("fix")).await;
    tests(510..516, 77.0, None).await;
    let mean = async |who: &str| {
        let card = page(w, who, "/book/animals/2?tab=production").await;
        assert_sound(&card, who);
        let all = card.text.split("Mean of the herd: ").skip(1);
        all.map(|rest| rest.split('<').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for who in ["alpha", "expert"] {
        assert_eq!(mean(who).await, ["15 – 30", "45 – 20"], "{who}");
    }
}

#[test_with(World::each)]
async fn a_test_day_counts_once_with_each_value_of_its_best_row(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-01-01", "number": 1});
    // Of 11 February in Moscow, and of a lactation that the book counts otherwise.
    let at_night = "2025-02-10T21:30:00Z";
    for mut row in [
        json!({"date": "2025-01-11", "milkYield": 30, "somaticCells": 100, "source": "api"}),
        json!({"date": "2025-01-11", "milkYield": 29, "fatPercent": 4, "source": "lab"}),
        json!({"date": at_night, "milkYield": 29, "fatPercent": 4, "source": "lab", "lactationNumber": 3}),
        json!({"date": "2025-02-11", "milkYield": 30, "somaticCells": 100, "source": "api"}),
        json!({"date": "2025-02-20", "milkYield": 25, "source": "owner"}),
        // Rows with a code do not count, neither beside others nor alone.
        json!({"date": "2025-01-11", "milkYield": 1, "official": true, "testCode": "sick"}),
        json!({"date": "2025-02-25", "milkYield": 1, "official": true, "testCode": "sick"}),
    ] {
        row["animal"] = json!(2);
        w.made("admin", "milk-tests", row).await;
    }
    for (query, expected) in [
        ("", json!([{"from": "2025-01", "n": 1, "mean": 29.0}, {"from": "2025-02", "n": 2, "mean": 27.0}])),
        ("by=daysInMilk", json!([{"from": 0, "n": 1, "mean": 29.0}, {"from": 30, "n": 2, "mean": 27.0}])),
        (
            "value=somaticCells",
            json!([{"from": "2025-01", "n": 1, "mean": 100.0}, {"from": "2025-02", "n": 1, "mean": 100.0}]),
        ),
        // What is not requested takes no other row's place.
        (
            "where[source][equals]=api",
            json!([{"from": "2025-01", "n": 1, "mean": 30.0}, {"from": "2025-02", "n": 1, "mean": 30.0}]),
        ),
    ] {
        assert_eq!(means(w, "alpha", query).await, expected, "{query}");
    }
}

#[test_with(World::each)]
async fn a_row_that_the_caller_does_not_read_takes_no_other_ones_place(w: &World<'_>) {
    changed!(w, "beta", "animals", 3, {"publicVisible": false, "publicDetails": false});
    let own = made!(w, "admin", "milk-tests", {"animal": 3, "date": "2025-04-01", "milkYield": 30, "source": "api"});
    made!(w, "admin", "milk-tests", {"animal": 3, "date": "2025-04-01", "milkYield": 29, "source": "lab"});
    // As after a sale: the seller reads the rows that it recorded.
    let seller = Sql::new("UPDATE milk_tests SET owner_org = 1 WHERE id = ").with(Ty::Int, own);
    w.stage.run(seller).await;
    for (who, milk) in [("alpha", 30.0), ("beta", 29.0), ("expert", 29.0)] {
        let answer = means(w, who, "").await;
        assert_eq!(answer, json!([{"from": "2025-04", "n": 1, "mean": milk}]), "{who}");
    }
}
