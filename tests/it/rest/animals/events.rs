//! Events of animals and what the book makes of them (docs/design/derived.md, *Derived values*), beside what the law of
//! facts compares with its reference.

use crate::rest::world::{World, paths};
use serde_json::{Value, json};
use store::Sql;

async fn current(w: &World<'_>, animal: i64) -> Value {
    w.doc("animals", animal).await["current"].clone()
}

/// An ISO day of a document's field.
fn day(value: &Value) -> &str {
    value.as_str().map_or("", |d| &d[..10])
}

fn calving(number: Option<i64>, date: &str) -> Value {
    let mut body = json!({"animal": 2, "date": date});
    if let Some(number) = number {
        body["number"] = number.into();
    }
    body
}

#[test_with(World::each)]
async fn events_that_cannot_be(w: &World<'_>) {
    for (body, path) in table![
        calving(Some(0), "2025-01-01"), "number";
        json!({"animal": 1, "date": "2025-01-01"}), "animal";
        json!({"animal": 2, "date": "2025-01-01", "stillborn": -1}), "stillborn";
    ] {
        refused!(w, "alpha", "POST /api/calvings", body => 400 [path]);
    }
    let of_bull = json!({"animal": 1, "date": "2025-01-01", "milkYield": 3, "weight": 900});
    refused!(w, "alpha", "POST /api/milk-tests", of_bull => 400 ["animal"]);
    made!(w, "alpha", "weighings", of_bull);
    // A cow is no sire, a bull no dam; all faults at once.
    let served = json!({"animal": 2, "date": "2025-01-01", "bull": 4, "embryo": {"donor": 1, "sire": 2}});
    refused!(w, "alpha", "POST /api/inseminations", served => 400 ["bull", "embryo.donor", "embryo.sire"]);
    let served = json!({"animal": 2, "date": "2025-01-01", "bull": 1, "embryo": {"donor": 4, "sire": 1}});
    let id = made!(w, "alpha", "inseminations", served);
    refused!(w, "alpha", "PATCH /api/inseminations/{id}", {"bull": 2} => 400 ["bull"]);
    let born = json!({"identNumber": "960000004001", "sex": "female", "birthDate": "2025-06-01"});
    let of = |more: Value| crate::support::words::merged(born.clone(), &more);
    refused!(w, "alpha", "POST /api/animals", of(json!({"father": 2, "mother": 1})) => 400 ["father", "mother"]);
    let both = json!({"animal": 2, "date": "2024-08-10", "milkYield": 30, "dailyYield": 31});
    refused!(w, "alpha", "POST /api/milk-tests", both => 400 ["dailyYield"]);
}

#[test_with(World::each)]
async fn the_dry_off_is_one_row_seen_from_both_sides(w: &World<'_>) {
    let mut body = calving(None, "2024-05-01");
    body["dryOffDate"] = "2025-03-01".into();
    let id = w.made("alpha", "calvings", body).await;
    let rows = w.list("calvings", "where[eventType][equals]=dryOff").await;
    assert_eq!((rows.len(), &rows[0]["number"], day(&rows[0]["date"])), (1, &json!(1), "2025-03-01"));
    let dry = rows[0]["id"].as_i64().unwrap();
    assert_eq!(w.doc("calvings", id).await["milkingDays"], 304);
    assert_eq!(day(&current(w, 2).await["lastDryOffDate"]), "2025-03-01");
    // Moved from here, then from there.
    changed!(w, "alpha", "calvings", id, {"dryOffDate": "2025-03-05"});
    assert_eq!(day(&w.doc("calvings", dry).await["date"]), "2025-03-05");
    changed!(w, "alpha", "calvings", dry, {"date": "2025-03-07"});
    let doc = w.doc("calvings", id).await;
    assert_eq!((day(&doc["dryOffDate"]), &doc["milkingDays"]), ("2025-03-07", &json!(310)));
    // Gone from there, made again, gone from here.
    w.gone("alpha", "calvings", dry).await;
    assert_eq!(w.doc("calvings", id).await["dryOffDate"], Value::Null);
    changed!(w, "alpha", "calvings", id, {"dryOffDate": "2025-03-01"});
    changed!(w, "alpha", "calvings", id, {"dryOffDate": null});
    assert_eq!(w.list("calvings", "where[eventType][equals]=dryOff").await.len(), 0);
    assert_eq!(current(w, 2).await["lastDryOffDate"], Value::Null);
    refused!(w, "alpha", "PATCH /api/calvings/{id}", {"dryOffDate": "2024-04-01"} => 400 ["dryOffDate"]);
}

/// A calving whose day or kind is corrected leaves the drying-off alone, whichever lactation that is of then.
#[test_with(World::each)]
async fn a_corrected_calving_leaves_the_drying_off_alone(w: &World<'_>) {
    let id = made!(w, "alpha", "calvings", calving(None, "2022-10-21"));
    let dry = made!(w, "alpha", "calvings", {"animal": 2, "date": "2022-12-05", "eventType": "dryOff"});
    for (body, dry_off, days) in table![
        json!({"date": "2022-10-20"}), "2022-12-05", json!(46);
        json!({"date": "2022-12-10"}), "", Value::Null;
        json!({"date": "2022-10-21"}), "2022-12-05", json!(45);
        json!({"eventType": "abortion"}), "", Value::Null;
        json!({"eventType": "calving"}), "2022-12-05", json!(45);
    ] {
        changed!(w, "alpha", "calvings", id, body.clone());
        let doc = w.doc("calvings", id).await;
        assert_eq!((day(&doc["dryOffDate"]), &doc["milkingDays"]), (dry_off, &days), "{body}");
        assert_eq!(day(&w.doc("calvings", dry).await["date"]), "2022-12-05", "{body}");
    }
    // What is sent is written, as it stands in the row.
    refused!(w, "alpha", "PATCH /api/calvings/{id}", {"date": "2022-12-10", "dryOffDate": "2022-12-05"}
        => 400 ["dryOffDate"]);
    changed!(w, "alpha", "calvings", id, {"dryOffDate": null});
    holds!(w.doc("calvings", id).await, {"dryOffDate": null, "milkingDays": null});
    // Days that somebody stated stay.
    changed!(w, "alpha", "calvings", id, {"milkingDays": 300});
    changed!(w, "alpha", "calvings", id, {"date": "2022-10-19"});
    holds!(w.doc("calvings", id).await, {"milkingDays": 300});
}

#[test_with(World::each)]
async fn calves_one_by_one_or_by_count(w: &World<'_>) {
    let mut body = calving(None, "2024-02-01");
    body["progeny"] = json!([
        {"sex": "female", "weight": 40, "animal": 4},
        {"sex": "male", "weight": 44, "birthStatus": "stillborn"},
    ]);
    let id = w.made("alpha", "calvings", body.clone()).await;
    let doc = w.doc("calvings", id).await;
    let counts = [&doc["liveHeifers"], &doc["liveBulls"], &doc["stillborn"], &doc["calfWeight"]];
    assert_eq!(counts, [&json!(1), &json!(0), &json!(1), &json!(42)]);
    holds!(doc, {"calves": [4], "progeny.0.birthStatus": "alive"});
    let births = w.documents(4).await;
    assert!(births.contains(&"births 1".to_owned()), "{births:?}");
    for (path, value) in [("liveHeifers", json!(2)), ("calfWeight", json!(41)), ("calves", json!([]))] {
        let mut other = body.clone();
        other[path] = value;
        w.post("alpha", "calvings", other).await.assert_faulty(400, &[path]);
    }
    refused!(w, "alpha", "PATCH /api/calvings/{id}", {
        "progeny": [{"sex": "x"}, {"size": 6, "sex": "male"}, {"animal": 777, "sex": "male"}],
    } => 400 ["progeny.0.sex", "progeny.1.size"]);
    let doc = changed!(w, "alpha", "calvings", id, {"progeny": [{"sex": "male"}]});
    holds!(doc, {"liveHeifers": 0, "liveBulls": 1, "calves": []});
    assert!(!w.documents(4).await.contains(&"births 1".to_owned()));
    // One whose sex nobody knows is not counted as none.
    let doc = changed!(w, "alpha", "calvings", id, {
        "progeny": [{"sex": "female"}, {"sex": "unknown"}, {"sex": "unknown", "birthStatus": "stillborn"}],
    });
    holds!(doc, {"liveHeifers": null, "liveBulls": null, "stillborn": 1});
    let stated = changed!(w, "alpha", "calvings", id, {"liveHeifers": 1, "liveBulls": 1});
    holds!(stated, {"liveHeifers": 1, "liveBulls": 1});
    holds!(changed!(w, "alpha", "calvings", id, {"comment": "twins"}), {"liveHeifers": 1, "stillborn": 1});
}

#[test_with(World::each)]
async fn an_abortion_is_no_parturition_any_more(w: &World<'_>) {
    let id = made!(w, "alpha", "calvings", calving(None, "2024-05-01"));
    assert!(w.documents(2).await.contains(&"parturitions 1".to_owned()));
    changed!(w, "alpha", "calvings", id, {"eventType": "abortion"});
    assert!(w.documents(2).await.contains(&"parturitions 1 retyped".to_owned()));
    assert_eq!(
        w.list("ade-tombstones", "where[reason][equals]=retyped&where[dataset][equals]=parturitions").await.len(),
        1
    );
    changed!(w, "alpha", "calvings", id, {"eventType": null});
    assert!(w.documents(2).await.contains(&"parturitions 1".to_owned()), "empty counts as calving");
    w.gone("alpha", "calvings", id).await;
    assert!(w.documents(2).await.contains(&"parturitions 1 deleted".to_owned()));
}

#[test_with(World::each)]
async fn a_service_has_documents_of_its_own_and_of_its_check(w: &World<'_>) {
    w.made("alpha", "calvings", calving(None, "2024-05-01")).await;
    let id = made!(w, "alpha", "inseminations", {"animal": 2, "date": "2024-07-10", "bull": 1, "method": 3});
    let doc = changed!(w, "alpha", "inseminations", id, {"method": 1, "pregnancyCheckDate": "2024-08-20", "result": 1});
    assert_eq!(day(&doc["expectedCalving"]), "2025-04-15", "279 days");
    let documents = ["animals", "gestations", "inseminations", "lactations", "parturitions", "pregnancy-checks"];
    assert_eq!(w.documents(2).await, documents.map(|name| format!("{name} 1")));
    let next = w.made("alpha", "calvings", calving(None, "2025-04-14")).await;
    holds!(w.doc("calvings", next).await, {"insemination": id, "gestationDays": 278, "embryoTransfer": false});
    w.gone("alpha", "inseminations", id).await;
    assert_eq!(w.doc("calvings", next).await["insemination"], Value::Null);
    assert!(w.documents(2).await.contains(&"pregnancy-checks 1 deleted".to_owned()));
}

/// What the law of facts derives from tests is beside what was written with them.
#[test_with(World::each)]
async fn tests_have_one_yield_and_the_protocol_of_their_herd(w: &World<'_>) {
    changed!(w, "alpha", "herds", 1, {"recordingProtocol": "C-Both"});
    let id = w.made("alpha", "calvings", calving(None, "2024-05-01")).await;
    let test = made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2024-07-10", "dailyYield": 32.5});
    holds!(w.doc("milk-tests", test).await, {"milkYield": 32.5, "dailyYield": 32.5, "recordingProtocol": "C-Both"});
    made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2024-08-10", "milkYield": 30, "dailyYield": 30});
    let doc = changed!(w, "alpha", "milk-tests", test, {"dailyYield": 33});
    holds!(doc, {"milkYield": 33, "dailyYield": 33});
    assert_eq!(w.list("milk-tests", "where[dailyYield][equals]=33").await.len(), 1);

    // Reported lactations are used where nothing is computed, and come back with their origin.
    let lactations = async || w.doc("animals", 2).await["lactations"].as_array().unwrap().clone();
    let computed = lactations().await[0].clone();
    changed!(w, "alpha", "animals", 2, {"lactations": [
        {"number": 1, "milkYield": 1}, {"number": 2, "milkYield": 9000, "milk305": 8800},
    ]});
    let rows = lactations().await;
    let origins: Vec<_> = rows.iter().map(|row| (&row["number"], &row["origin"])).collect();
    assert_eq!(origins, [(&json!(1), &json!("computed")), (&json!(2), &json!("reported"))]);
    assert_eq!((&rows[0]["milkYield"], &rows[1]["milk305"]), (&computed["milkYield"], &json!(8800)));
    holds!(w.doc("animals", 2).await, {"summary.milkYield": 8800});
    w.gone("alpha", "calvings", id).await;
    assert!(lactations().await.iter().all(|row| row["origin"] == "reported"));
}

/// What the book remembers of earlier tests, so that it need not read them all again.
#[test_with(World::both)]
async fn what_is_remembered_of_tests_is_no_change_of_the_animal(w: &World<'_>) {
    made!(w, "alpha", "calvings", calving(None, "2023-03-01"));
    let test = made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2023-04-03", "milkYield": 31.3});
    let sums = async || {
        let sql = Sql::new("SELECT test_sums FROM animals WHERE id = 2");
        let rows = w.stage.book.store.rows(sql).await.unwrap();
        rows[0].text(0).map(str::to_owned)
    };
    let (known, before) = (sums().await, w.doc("animals", 2).await);
    assert!(known.is_some() && before.get("testSums").is_none(), "{before}");
    // As in a book of an earlier version.
    w.stage.run(Sql::new("UPDATE animals SET test_sums = NULL WHERE id = 2")).await;
    changed!(w, "alpha", "milk-tests", test, {"urea": 21});
    assert_eq!((sums().await, w.doc("animals", 2).await), (known.clone(), before));
    // Nobody writes it, or asks for it.
    changed!(w, "alpha", "animals", 2, {"testSums": "1"});
    assert_eq!(sums().await, known);
    ask!(w, "admin", "GET /api/animals?where[testSums][exists]=true" => 400);
}

#[test_with(World::each)]
async fn a_test_code_stands_in_for_the_yield(w: &World<'_>) {
    let body =
        |code: &str, milk: Value| json!({"animal": 2, "date": "2024-06-10", "testCode": code, "milkYield": milk});
    for (code, milk) in [("none", Value::Null), ("broken", json!(20))] {
        let body = body(code, milk.clone()).to_string();
        let answer = w.refused("alpha", "POST", "/api/milk-tests", &body).await;
        assert_eq!(paths(&answer), [if code == "none" { "milkYield" } else { "testCode" }]);
    }
    let id = w.made("alpha", "milk-tests", body("dry", Value::Null)).await;
    refused!(w, "alpha", "PATCH /api/milk-tests/{id}", {"testCode": "none"} => 400 ["milkYield"]);
    changed!(w, "alpha", "milk-tests", id, {"testCode": "none", "milkYield": 20});
}

#[test_with(World::each)]
async fn a_written_summary_counts_until_there_is_another(w: &World<'_>) {
    let doc = changed!(w, "alpha", "animals", 2, {"summary": {"milkYield": 7000, "fatPercent": 4}});
    holds!(doc, {"summary.milkYield": 7000, "summary.fatPercent": 4});
    holds!(w.doc("animals", 2).await, {"summary.milkYield": 7000});
    changed!(w, "alpha", "animals", 2, {"lactations": [{"number": 1, "milkYield": 5000, "milk305": 5000}]});
    assert_eq!(w.doc("animals", 2).await["summary"]["milkYield"], 5000);
}

#[test_with(World::each)]
async fn gains_follow_the_weighings_around(w: &World<'_>) {
    let body = |date: &str, weight: i64| json!({"animal": 4, "date": date, "weight": weight});
    let first = w.made("alpha", "weighings", body("2024-02-01", 40)).await;
    let third = w.made("alpha", "weighings", body("2024-08-01", 222)).await;
    let gains = async || {
        let mut rows = w.list("weighings", "where[animal][equals]=4").await;
        rows.sort_by_key(|r| r["date"].as_str().unwrap().to_owned());
        rows.iter().map(|r| (r["id"].as_i64().unwrap(), r["dailyGain"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(gains().await, [(first, Value::Null), (third, json!(1000))]);
    let second = w.made("alpha", "weighings", body("2024-05-02", 113)).await;
    assert_eq!(gains().await, [(first, Value::Null), (second, json!(802)), (third, json!(1198))]);
    assert_eq!(w.doc("weighings", second).await["ageDays"], 91);
    changed!(w, "alpha", "weighings", second, {"weight": 131});
    assert_eq!(gains().await, [(first, Value::Null), (second, json!(1000)), (third, json!(1000))]);
    w.gone("alpha", "weighings", first).await;
    assert_eq!(gains().await, [(second, Value::Null), (third, json!(1000))]);
    changed!(w, "alpha", "animals", 4, {"birthDate": "2024-01-31"});
    assert_eq!(w.doc("weighings", third).await["ageDays"], 183);
}

#[test_with(World::each)]
async fn events_stay_within_the_animals_life(w: &World<'_>) {
    for slug in ["weighings", "milk-tests", "calvings", "inseminations"] {
        // The day is that of Moscow, where 2 March begins at 21:00 UTC.
        for date in "2026-03-02 2020-01-09 2026-03-01T21:00:00Z 2027-01-01T00:00:00Z".split(' ') {
            let body = json!({"animal": 2, "date": date, "weight": 1, "milkYield": 1});
            refused!(w, "alpha", "POST /api/{slug}", body => 400 ["date"]);
        }
        for date in ["2026-03-01T20:59:59Z", "2020-01-10"] {
            made!(w, "alpha", slug, {"animal": 2, "date": date, "weight": 1, "milkYield": 1});
        }
    }
    let weighings = w.list("weighings", "").await;
    holds!(weighings[0], {"date": "2026-03-01T20:59:59.000Z"}, "a sent time is stored");
}

#[test_with(World::each)]
async fn inbreeding_follows_the_parents_and_reaches_descendants(w: &World<'_>) {
    let born = |n: i64, sex: &str, birth: &str, father: Value, mother: Value| json!({"identNumber": format!("96000000{n}"), "sex": sex, "birthDate": birth, "father": father, "mother": mother});
    let sire = w.made("alpha", "animals", born(4001, "male", "2016-01-01", json!(1), Value::Null)).await;
    let dam = w.made("alpha", "animals", born(4002, "female", "2016-02-01", Value::Null, Value::Null)).await;
    let calf = w.made("alpha", "animals", born(4003, "female", "2018-05-01", json!(sire), json!(dam))).await;
    let next = w.made("alpha", "animals", born(4004, "female", "2021-05-01", json!(sire), json!(calf))).await;
    let f = async |id: i64| w.doc("animals", id).await["inbreeding"].as_f64().unwrap();
    assert_eq!((f(calf).await, f(next).await), (0.0, 25.0));
    assert_eq!(w.doc("animals", next).await["inbreedingNeedsApproval"], false, "not above 25");
    // The dam becomes a daughter of the same grandsire: half sibs were mated.
    changed!(w, "alpha", "animals", dam, {"father": 1});
    assert_eq!(f(calf).await, 12.5);
    assert!((f(next).await - 31.25).abs() < 1e-9, "{}", f(next).await);
    assert_eq!(w.doc("animals", next).await["inbreedingNeedsApproval"], true);
    changed!(w, "alpha", "animals", dam, {"father": null});
    assert_eq!((f(calf).await, f(next).await), (0.0, 25.0));
    for (id, body, path) in [
        (sire, json!({"father": next}), "father"),
        (sire, json!({"father": sire}), "father"),
        (dam, json!({"mother": next}), "mother"),
        (calf, json!({"father": dam}), "mother"),
        (calf, json!({"mother": sire}), "mother"),
        (sire, json!({"birthDate": "2019-01-01"}), "birthDate"),
    ] {
        let answer = w.refused("alpha", "PATCH", &format!("/api/animals/{id}"), &body.to_string()).await;
        assert!(answer.status == 400 && paths(&answer).contains(&path.to_owned()), "{body} {}", answer.text);
    }
}
