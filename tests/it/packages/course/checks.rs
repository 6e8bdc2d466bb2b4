//! What the checks say of a package as a whole (docs/design/collections.md, *Checks*).

use crate::packages::desk::{read_all, reader, send, sent};
use crate::rest::world::World;
use serde_json::{Value, json};
use std::fmt::Write as _;
use store::Sql;

/// A file of so many milk tests of a cow of Alpha, one for each day.
fn file(milk: &str, days: u32) -> String {
    let mut file = "Инд.№;Дата замера;Удой за день, кг\r\n".to_owned();
    for day in 1..=days {
        let _ = writeln!(file, "960000000002;{day:02}.02.2026;{milk}\r");
    }
    file
}

async fn found(w: &World<'_>, id: i64) -> Vec<Value> {
    let filter = format!("depth=0&where[submission][equals]={id}");
    w.list("check-findings", &filter).await
}

async fn reads(w: &World<'_>, who: &str) -> u16 {
    let answer = w.get(who, "/api/check-findings?where[code][equals]=unit-suspect").await;
    if answer.status != 200 {
        return answer.status;
    }
    let docs = answer.json()["docs"].as_array().unwrap().len();
    u16::try_from(docs).unwrap()
}

#[test_with(World::each)]
async fn the_days_of_a_package_are_those_of_its_farm(w: &World<'_>) {
    // 1 March in Moscow.
    let file = "Инд.№;Дата замера;Удой за день, кг\r\n960000000002;2026-02-28T21:30:00Z;25\r\n";
    let stated = json!({"periodFrom": "2026-03-01", "periodTo": "2026-03-31"});
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &stated).await;
    let id = doc["id"].as_i64().unwrap();
    let rows = crate::packages::desk::rows(w, "alpha", id, "").await;
    assert_eq!(rows[0]["state"], "created", "{rows:?}");
    assert_eq!(rows[0]["date"], "2026-03-01T00:00:00.000Z");
    assert_eq!(rows[0]["faults"], json!([]), "{rows:?}");
    let other = file.replace(";25", ";26");
    let doc = sent(w, "alpha", "b.csv", other.as_bytes(), &json!({})).await;
    let period = (&doc["periodFrom"], &doc["periodTo"]);
    let day = json!("2026-03-01T00:00:00.000Z");
    assert_eq!(period, (&day, &day), "{doc}");
}

#[test_with(World::each)]
async fn a_column_in_another_unit_is_a_finding_of_the_package(w: &World<'_>) {
    let doc = sent(w, "alpha", "a.csv", file("1,5", 3).as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    let all = found(w, id).await;
    assert_eq!(all.len(), 1, "{all:?}");
    holds!(all[0], {"code": "unit-suspect", "collection": "data-submissions", "recordId": id, "path": "sourceFile",
        "severity": "note", "state": "open", "organization.id": 1, "animal": null, "herd": null});
    assert!(all[0]["message"]["en"].as_str().unwrap().contains("milkYield"), "{}", all[0]);
    // Who reads the package reads it.
    for (who, expected) in [("alpha", 1), ("viewer", 1), ("expert", 1), ("beta", 0), ("", 403)] {
        assert_eq!(reads(w, who).await, expected, "{who}");
    }
    // Two values have no middle that says anything.
    let few = sent(w, "alpha", "b.csv", file("1,6", 2).as_bytes(), &json!({})).await;
    assert_eq!(found(w, few["id"].as_i64().unwrap()).await, Vec::<Value>::new());
    // Its rows are corrected: who takes it gets the findings of the present rows.
    for row in w.list("milk-tests", &format!("where[submission][equals]={id}")).await {
        changed!(w, "alpha", "milk-tests", row["id"].as_i64().unwrap(), {"milkYield": 25});
    }
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    assert_eq!(found(w, id).await, Vec::<Value>::new());
}

#[test_with(World::each)]
async fn a_finding_of_the_whole_that_must_be_corrected_is_told_before_the_signature(w: &World<'_>) {
    made!(w, "expert", "check-settings", {"code": "unit-suspect", "severity": "fix"});
    made!(w, "expert", "check-settings", {"code": "test-milk-range", "enabled": false});
    let doc = sent(w, "alpha", "a.csv", file("1,5", 3).as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    assert_eq!(found(w, id).await[0]["severity"], "fix");
    let others = w.list("check-findings", "where[animal][equals]=2&where[severity][equals]=fix").await;
    let mut findings: Vec<Value> = others.iter().map(|_| json!({"animal": 2, "text": "Seen."})).collect();
    let path = format!("/api/data-submissions/{id}");
    let checked = |findings: &[Value]| json!({"status": "checked", "review": {"findings": findings}});
    let body = checked(&findings);
    refused!(w, "expert", "PATCH {path}", body => 400 ["review.findings"]);
    let finding = found(w, id).await[0]["id"].as_i64().unwrap();
    findings.push(json!({"text": "Milk is in litres, it says."}));
    let answer = w.patch("expert", "data-submissions", id, checked(&findings)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    // Or it is dismissed; and it goes with its package.
    let doc = sent(w, "alpha", "b.csv", file("1,6", 4).as_bytes(), &json!({})).await;
    let other = doc["id"].as_i64().unwrap();
    changed!(w, "expert", "data-submissions", other, {"status": "checking"});
    findings.pop();
    let second = found(w, other).await[0]["id"].as_i64().unwrap();
    changed!(w, "expert", "check-findings", second, {"state": "dismissed", "dismissed": {"reason": "A goat."}});
    let answer = w.patch("expert", "data-submissions", other, checked(&findings)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(w.doc("check-findings", finding).await["id"], finding);
    w.gone("admin", "data-submissions", other).await;
    assert_eq!(w.get("admin", &format!("/api/check-findings/{second}")).await.status, 404);
}

/// More rows than one step reads count all together.
#[test_with(World::each)]
async fn a_long_package_is_checked_as_a_whole(w: &World<'_>) {
    let doc = sent(w, "alpha", "a.csv", file("30", 3).as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    assert_eq!(found(w, id).await, Vec::<Value>::new());
    // 2,001 sound weights, and behind them more that are grams.
    let rows = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4100)";
    let sql = format!(
        "INSERT INTO weighings (id, animal, owner_org, date, weight, submission, verification, seq, created_at, updated_at) \
         {rows} SELECT 50000 + n, 2, 1, date, CASE WHEN n <= 2001 THEN 600 ELSE 600000 END, {id}, 'unverified', \
         900000 + n, created_at, updated_at FROM n, (SELECT date, created_at, updated_at FROM milk_tests LIMIT 1) AS one"
    );
    w.stage.run(Sql::new(&sql)).await;
    w.stage.repeat().await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    // Nobody waits while all of them are read: a task does that, and nothing is signed until then.
    let path = format!("/api/data-submissions/{id}");
    assert_eq!(w.doc("data-submissions", id).await["intake"]["unchecked"], true);
    refused!(w, "expert", "PATCH {path}", {"status": "checked"} => 400 ["status"]);
    assert_eq!(found(w, id).await, Vec::<Value>::new());
    read_all(w).await;
    assert_eq!(w.doc("data-submissions", id).await["intake"]["unchecked"], false);
    let all = found(w, id).await;
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0]["message"]["en"].as_str().unwrap().contains("weight"), "{}", all[0]);
}

/// A reader that stops between the last row and the checks is followed by another one, and a package that is to be
/// checked anew meanwhile is checked once more.
#[test_with(World::each)]
async fn checks_that_were_broken_off_are_made(w: &World<'_>) {
    let bytes = file("1,5", 3);
    let id = send(w, "alpha", "a.csv", bytes.as_bytes(), &json!({})).await;
    assert!(w.stage.book.run_job(&reader(w)).await.unwrap());
    let doc = w.doc("data-submissions", id).await;
    holds!(doc, {"intake.state": "read", "intake.unchecked": true});
    w.stage.book.store.failpoint().set(20);
    assert!(w.stage.book.run_job(&reader(w)).await.is_err());
    assert!(!w.stage.book.run_job(&reader(w)).await.unwrap(), "the lease holds");
    assert_eq!(found(w, id).await, Vec::<Value>::new());
    w.stage.pass(300);
    read_all(w).await;
    assert_eq!(found(w, id).await.len(), 1);
    assert_eq!(w.doc("data-submissions", id).await["intake"]["unchecked"], false);
}
