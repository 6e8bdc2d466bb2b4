//! Values of bodies (docs/dialect.md, *Bodies*) beyond the cases in the table of the dialect, with the real collections.

use crate::rest::world::World;
use serde_json::{Value, json};

/// A good heifer of Alpha.
fn heifer() -> Value {
    json!({"identNumber": "960000001000", "sex": "female", "birthDate": "2025-01-10", "owner": 1})
}

fn with(mut body: Value, path: &str, value: Value) -> Value {
    body[path] = value;
    body
}

#[test_with(World::each)]
async fn values_of_the_wrong_kind_are_told_by_path(w: &World<'_>) {
    let animal = |path: &str, value: Value| ("animals", with(heifer(), path, value));
    let test = |path: &str, value: Value| {
        let body = json!({"animal": 2, "date": "2025-01-10", "milkYield": 30});
        ("milk-tests", with(body, path, value))
    };
    for ((slug, body), path) in [
        (animal("birthDate", json!("2025-02-30")), "birthDate"),
        (animal("birthDate", json!("10.01.2025")), "birthDate"),
        (animal("birthDate", json!("")), "birthDate"),
        (animal("birthDate", json!(20_250_110)), "birthDate"),
        (animal("birthDate", json!("+292278994-01-01")), "birthDate"),
        (animal("bloodPercent", json!("abc")), "bloodPercent"),
        (animal("bloodPercent", json!("NaN")), "bloodPercent"),
        (animal("bloodPercent", json!({})), "bloodPercent"),
        (animal("publicVisible", json!("true")), "publicVisible"),
        (animal("name", json!(["x"])), "name"),
        (animal("name", json!("a\u{0}b")), "name"),
        (animal("altIds", json!("x")), "altIds"),
        (animal("haplotypes", json!({"0": {}})), "haplotypes"),
        (animal("haplotypes", json!([1])), "haplotypes.0"),
        (test("date", json!("10.01.2025")), "date"),
        (test("lactationNumber", json!(1.5)), "lactationNumber"),
        (test("milkYield", json!(151)), "milkYield"),
        (test("yields", json!({"noon": "x"})), "yields.noon"),
        (test("source", json!("Lab")), "source"),
    ] {
        let found = w.faults("alpha", slug, body).await;
        let found: Vec<_> = found.into_iter().map(|(path, _)| path).collect();
        assert_eq!(found, [path]);
    }
    holds!(changed!(w, "alpha", "animals", 2, {"bloodPercent": "45.5"}), {"bloodPercent": 45.5});
}

#[test_with(World::each)]
async fn numbers_and_dates_at_the_edge_are_kept_or_refused(w: &World<'_>) {
    for weight in [json!(1e308), json!(-1e308), json!(9e18), json!(5e-324)] {
        let answer = post!(w, "alpha", "weighings", {"animal": 2, "date": "2025-01-10", "weight": weight});
        assert!([201, 400].contains(&answer.status), "{weight} {}", answer.text);
    }
    let body = |date: &str| json!({"animal": 3, "date": date, "weight": 1});
    for date in "0000-01-01 0001-01-01 9999-12-31T23:59:59Z -000001-01-01".split(' ') {
        ask!(w, "beta", "POST /api/weighings?depth=0", body(date) => 400, "{date}");
    }
    for date in ["0001-01-01", "9999-12-31", "9999-12-31T23:59:59-23:59"] {
        let answer = patch!(w, "alpha", "animals", 2, {"arrivalDate": date});
        assert!([200, 400].contains(&answer.status), "{date} {}", answer.text);
    }
    for number in [json!(1_000_000), json!(-1_000_000)] {
        holds!(changed!(w, "expert", "breeds", 1, {"sortOrder": number}), {"sortOrder": number});
    }
    for number in [json!(1_000_001), json!(8_999_999_999_999_999_i64)] {
        let answer = patch!(w, "expert", "breeds", 1, {"sortOrder": number});
        let path = &answer.json()["errors"][0]["data"]["errors"][0]["path"];
        assert_eq!((answer.status, path), (400, &json!("sortOrder")), "{number}");
    }
}
