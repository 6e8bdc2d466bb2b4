//! Findings of the checks as rows: they come, stay, are dismissed and go; who reads them; runs and their guards.

use crate::checks::{plant, with_synthetic_book};
use crate::support::fixture::{Fixture, TwoFarms, number};
use checks::Finding;
use cli::CheckBook;
use domain::collections::{Counts, RUN_JOB, begin_checks, check_animals};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use store::Sql;

const HERE: [(i64, i64); 4] = [(1, 1), (2, 1), (3, 2), (4, 1)];

async fn worlds() -> Vec<(Fixture, TwoFarms)> {
    let mut all = Vec::new();
    for fixture in Fixture::each().await {
        let callers = fixture.two_farms("First", &HERE).await;
        all.push((fixture, callers));
    }
    all
}

/// Asks for a run as the Association does, and performs it.
async fn run(fixture: &Fixture, token: &str) -> Value {
    let response = fixture.post("/api/check-runs", token, json!({"label": "spring"})).await;
    let id = match response.0 {
        201 => response.2["doc"]["id"].clone(),
        _ => {
            let found = get(fixture, "/api/check-runs?where[label][equals]=spring", token).await;
            let id = found["docs"][0]["id"].clone();
            ask!(fixture, token, "PATCH /api/check-runs/{id}", {"state": "queued"} => 200);
            id
        }
    };
    let queued = get(fixture, &format!("/api/check-runs/{id}"), token).await;
    assert_eq!(queued["state"], "queued", "{queued}");
    assert!(fixture.book.run_job(&CheckBook).await.unwrap());
    assert!(!fixture.book.run_job(&CheckBook).await.unwrap());
    let done = get(fixture, &format!("/api/check-runs/{id}"), token).await;
    assert_eq!(done["state"], "done", "{done}");
    done
}

async fn get(fixture: &Fixture, path: &str, token: &str) -> Value {
    ask!(fixture, token, "GET {path}" => 200)
}

/// The findings of a check that a caller reads.
async fn of(fixture: &Fixture, code: &str, token: &str) -> Vec<Value> {
    let path = format!("/api/check-findings?limit=0&depth=0&where[code][equals]={code}");
    let found = get(fixture, &path, token).await;
    found["docs"].as_array().unwrap().clone()
}

/// The services that a caller reads to be of kin.
async fn matings(fixture: &Fixture, token: &str) -> Vec<i64> {
    let found = of(fixture, "mating-inbreeding", token).await;
    let mut all: Vec<i64> = (found.iter()).map(|row| row["recordId"].as_i64().unwrap()).collect();
    all.sort_unstable();
    all
}

async fn sql(fixture: &Fixture, text: &str) {
    let text = text.to_owned();
    let done = fixture.book.store.write(move |tx| Box::pin(async move { tx.run(Sql::new(&text)).await.map(drop) }));
    done.await.unwrap();
}

async fn rows(fixture: &Fixture, text: &str) -> Vec<(i64, i64)> {
    let rows = fixture.book.store.rows(Sql::new(text)).await.unwrap();
    let pair = |row: &store::Row| (row.int(0).unwrap(), row.int(1).unwrap());
    rows.iter().map(pair).collect()
}

async fn status(fixture: &Fixture, animal: i64, token: &str) -> (Value, Value) {
    let doc = get(fixture, &format!("/api/animals/{animal}?depth=0"), token).await;
    (doc["checkStatus"].clone(), doc["updatedAt"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_comes_is_dismissed_and_goes_when_it_is_mended() {
    for (fixture, who) in worlds().await {
        let chip = json!({"altIds": {"chipNumber": "999000000000001"}, "breed": null});
        fixture.update("animals", 1, chip).await;
        let (before, written) = status(&fixture, 1, &who.farm).await;
        assert_eq!(before, Value::Null);
        fixture.pass(60);
        assert_run_counts(&fixture, &who).await;

        let found = of(&fixture, "rfid-invalid", &who.farm).await;
        assert_eq!(found.len(), 1, "{found:?}");
        let row = &found[0];
        holds!(row, {"severity": "fix", "collection": "animals", "recordId": 1, "path": "altIds.chipNumber"});
        let message = |language: &str| row["message"][language].as_str().unwrap();
        assert!(message("en").contains("999000000000001"));
        assert!(message("ru").starts_with("Номер чипа"));
        assert_eq!(row["firstSeenAt"], row["lastSeenAt"]);
        assert_eq!(status(&fixture, 1, &who.farm).await, (json!("fix"), written.clone()));
        assert_eq!(of(&fixture, "rfid-invalid", &who.other).await, Vec::<Value>::new());
        assert_eq!(of(&fixture, "rfid-invalid", &who.expert).await.len(), 1);

        let path = format!("/api/check-findings/{}", row["id"]);
        let dismissed = json!({"state": "dismissed", "dismissed": {"reason": "A training chip."}});
        for caller in [&who.farm, &who.other] {
            let (refused, _, body) = fixture.request("PATCH", &path, caller, dismissed.clone()).await;
            assert!([403, 404].contains(&refused), "{body}");
        }
        let bare = json!({"state": "dismissed"});
        ask!(fixture, who.expert, "PATCH {path}", bare => 400);
        let body = ask!(fixture, who.expert, "PATCH {path}", dismissed => 200);
        assert!(body["doc"]["dismissed"]["at"].is_string(), "{body}");
        assert_eq!(status(&fixture, 1, &who.farm).await, (json!("note"), written.clone()));

        fixture.pass(3_600);
        run(&fixture, &who.expert).await;
        let second = of(&fixture, "rfid-invalid", &who.farm).await;
        assert_eq!(second[0]["state"], "dismissed");
        assert_eq!(second[0]["id"], row["id"]);
        assert_eq!(second[0]["firstSeenAt"], row["firstSeenAt"]);
        assert_eq!(status(&fixture, 1, &who.farm).await.0, "note");

        let open = json!({"state": "open"});
        let body = ask!(fixture, who.expert, "PATCH {path}", open => 200);
        assert!(body["doc"]["dismissed"].get("reason").is_none_or(Value::is_null), "{body}");
        assert_eq!(status(&fixture, 1, &who.farm).await.0, "fix");

        let mended = json!({"altIds": {"chipNumber": null}});
        fixture.update("animals", 1, mended).await;
        run(&fixture, &who.expert).await;
        assert_eq!(of(&fixture, "rfid-invalid", &who.expert).await, Vec::<Value>::new());
        assert_eq!(status(&fixture, 1, &who.farm).await.0, "note");
        assert_only_checks_make_findings(&fixture, &who).await;
    }
}

/// A run counts what it did, and tells the counts of the whole book to the Association alone.
async fn assert_run_counts(fixture: &Fixture, who: &TwoFarms) {
    let done = run(fixture, &who.expert).await;
    holds!(done, {"ok": true, "failed": 1});
    let packages = ["row-outside-period", "row-foreign-animal", "unit-suspect"];
    let over = checks::checks().filter(|check| !packages.contains(&check.code));
    assert_eq!(done["total"], over.count(), "{done}");
    assert_eq!((&done["animals"], &done["checked"]), (&json!(4), &json!(4)));
    let result = json!({"code": "rfid-invalid", "fix": 1, "note": 0});
    assert!(done["results"].as_array().unwrap().contains(&result), "{done}");
    // Counts of the whole book are nobody else's.
    let answer = get(fixture, "/api/check-runs", "").await;
    assert!(answer["docs"][0]["ranAt"].is_string(), "{answer}");
    assert!(answer["docs"][0].get("results").is_none(), "{answer}");
    assert!(answer["docs"][0].get("failed").is_none(), "{answer}");
}

/// Findings go with their animal; nobody else makes or deletes them.
async fn assert_only_checks_make_findings(fixture: &Fixture, who: &TwoFarms) {
    // An animal that goes takes its findings along.
    let about = "SELECT COUNT(*), 0 FROM check_findings WHERE animal = 4";
    assert_ne!(rows(fixture, about).await, [(0, 0)]);
    fixture.delete("animals", 4).await;
    assert_eq!(rows(fixture, about).await, [(0, 0)]);
    // Nobody makes or deletes findings.
    ask!(fixture, who.expert, "POST /api/check-findings", {"code": "no-breed"} => 403);
    let note = &of(fixture, "no-breed", &who.expert).await[0]["id"];
    ask!(fixture, who.expert, "DELETE /api/check-findings/{note}" => 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_farm_learns_nothing_of_animals_that_it_does_not_see() {
    for (fixture, who) in worlds().await {
        // A cow of the other farm as father, an old bull of it as another one, a tag that both farms use, and one that
        // is used twice here.
        let bull = json!({"identNumber": number(5), "sex": "male", "owner": 2, "birthDate": "1990-01-01"});
        fixture.fill("animals", 5, bull).await;
        sql(&fixture, "UPDATE animals SET father = 3 WHERE id = 1").await;
        sql(&fixture, "UPDATE animals SET father = 4 WHERE id = 2").await;
        sql(&fixture, "UPDATE animals SET father = 5 WHERE id = 4").await;
        sql(&fixture, "UPDATE animals SET alt_ids_ear_tag = 'A' WHERE id IN (1, 3)").await;
        sql(&fixture, "UPDATE animals SET alt_ids_ear_tag = 'B' WHERE id IN (2, 4)").await;
        run(&fixture, &who.expert).await;
        let wrong = of(&fixture, "parent-wrong-sex", &who.expert).await;
        // Who the father is, belongs to the animal that names him: its owner reads it, and nobody else.
        assert_eq!(visible(&wrong), [(1, false), (2, false)]);
        let named = |row: &&Value| row["message"]["en"].as_str().unwrap().contains(&number(3));
        assert_eq!(wrong.iter().filter(named).count(), 1);
        let tags = of(&fixture, "duplicate-ear-tag", &who.expert).await;
        assert_eq!(visible(&tags), [(1, true), (2, false), (3, true), (4, false)]);
        // That no semen of the old bull is stored, does not.
        let old = of(&fixture, "parent-age-implausible", &who.expert).await;
        assert_eq!(visible(&old), [(4, true)]);
        for (farm, wrong, tags) in [(&who.farm, &[1, 2][..], &[2, 4][..]), (&who.other, &[], &[])] {
            for (code, expected) in
                [("parent-wrong-sex", wrong), ("parent-age-implausible", &[][..]), ("duplicate-ear-tag", tags)]
            {
                let found = of(&fixture, code, farm).await;
                let ids: Vec<i64> = visible(&found).into_iter().map(|(id, _)| id).collect();
                assert_eq!(ids, expected, "{code}");
            }
            let all = get(&fixture, "/api/check-findings?limit=0&depth=0", farm).await;
            assert!(farm == &who.other || !all.to_string().contains(&number(5)), "{all}");
        }
        // What is withheld shows nowhere else.
        assert_eq!(status(&fixture, 1, &who.farm).await.0, "fix");
        assert_eq!(status(&fixture, 4, &who.farm).await.0, "note");
        ask!(fixture, who.farm, "GET /api/animals/3" => 404);

        assert_open_rows_tell_of_themselves(&fixture, &who).await;
    }
}

/// The rows of findings by id, and whether nobody but the Association reads them.
fn visible(found: &[Value]) -> Vec<(i64, bool)> {
    let own = |row: &Value| (row["recordId"].as_i64().unwrap(), row["organization"].is_null());
    let mut all: Vec<(i64, bool)> = found.iter().map(own).collect();
    all.sort_unstable();
    all
}

/// A row that is open to everybody is seen, and tells of itself, but its card is not.
async fn assert_open_rows_tell_of_themselves(fixture: &Fixture, who: &TwoFarms) {
    for id in [3, 5] {
        fixture.update("animals", id, json!({"publicVisible": true})).await;
    }
    run(fixture, &who.expert).await;
    let seen = of(fixture, "parent-age-implausible", &who.farm).await;
    assert_eq!(visible(&seen), [(4, false)]);
    assert_eq!(status(fixture, 4, &who.farm).await.0, "fix");
    assert_eq!(visible(&of(fixture, "duplicate-ear-tag", &who.farm).await), [(2, false), (4, false)]);
    fixture.update("animals", 5, json!({"publicVisible": false})).await;
    run(fixture, &who.expert).await;
    let seen = of(fixture, "parent-age-implausible", &who.farm).await;
    assert!(seen.is_empty(), "{seen:?}");
    assert_eq!(status(fixture, 4, &who.farm).await.0, "note");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mating_is_judged_by_the_pedigrees_of_a_cow_and_of_a_bull_whose_card_is_seen() {
    for (fixture, who) in worlds().await {
        // Half sibs by a closed sire of the other farm: the cow, a bull of hers, and a closed one.
        for (id, owner, born) in [(5, 2, "2012-01-01"), (6, 1, "2018-01-01"), (7, 2, "2018-01-01")] {
            let bull = json!({"identNumber": number(id), "sex": "male", "owner": owner, "birthDate": born});
            fixture.fill("animals", id, bull).await;
        }
        for (id, bull) in [(1, 6), (2, 7)] {
            let service = json!({"animal": 1, "date": format!("2024-0{id}-01"), "bull": bull});
            fixture.fill("inseminations", id, service).await;
        }
        let sire = "UPDATE animals SET father = 5 WHERE id IN (1, 6, 7)";
        sql(&fixture, sire).await;
        run(&fixture, &who.expert).await;
        assert_eq!(matings(&fixture, &who.expert).await, [1, 2]);
        assert_eq!(matings(&fixture, &who.farm).await, [1]);
        let open = json!({"publicVisible": true, "publicDetails": true});
        fixture.update("animals", 7, open).await;
        run(&fixture, &who.expert).await;
        assert_eq!(matings(&fixture, &who.farm).await, [1, 2]);
        assert!(matings(&fixture, &who.other).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_hold_from_their_commit_on_and_lead_to_a_run() {
    for (fixture, who) in worlds().await {
        run(&fixture, &who.expert).await;
        assert_eq!(of(&fixture, "no-breed", &who.farm).await.len(), 3);
        let off = json!({"code": "no-breed", "enabled": false});
        let body = ask!(fixture, who.expert, "POST /api/check-settings", off => 201);
        let id = body["doc"]["id"].clone();
        assert!(!fixture.book.run_job(&CheckBook).await.unwrap(), "it waits for more");
        fixture.pass(61);
        assert!(fixture.book.run_job(&CheckBook).await.unwrap());
        assert_eq!(of(&fixture, "no-breed", &who.expert).await, Vec::<Value>::new());

        let graver = json!({"enabled": true, "severity": "fix"});
        ask!(fixture, who.expert, "PATCH /api/check-settings/{id}", graver => 200);
        fixture.pass(61);
        assert!(fixture.book.run_job(&CheckBook).await.unwrap());
        let found = of(&fixture, "no-breed", &who.farm).await;
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|row| row["severity"] == "fix"), "{found:?}");
        assert_eq!(status(&fixture, 1, &who.farm).await.0, "fix");

        let threshold = json!({"key": "ageMaxYears", "value": 15});
        ask!(fixture, who.expert, "POST /api/check-thresholds", threshold => 201);
        fixture.pass(61);
        assert!(fixture.book.run_job(&CheckBook).await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_runs_and_a_run_that_was_killed_begins_again() {
    for (fixture, who) in worlds().await {
        let other = fixture.other_process().await;
        let body = ask!(fixture, who.expert, "POST /api/check-runs", {"label": "x", "ok": false} => 201);
        let path = format!("/api/check-runs/{}", body["doc"]["id"]);
        let killed = fixture.book.lease_job(RUN_JOB, 60_000).await.unwrap();
        let id = killed.unwrap().id();
        let begun = fixture.book.transact(move |work| Box::pin(async move { begin_checks(work, id).await }));
        assert!(begun.await.unwrap().is_some());
        assert_eq!(get(&fixture, &path, &who.farm).await["state"], "running");
        assert!(!other.book.run_job(&CheckBook).await.unwrap());
        fixture.pass(61);
        assert!(other.book.run_job(&CheckBook).await.unwrap());
        assert_eq!(get(&fixture, &path, &who.farm).await["state"], "done");
        ask!(fixture, who.farm, "PATCH {path}", {"state": "queued"} => 403);
        let (refused, _, body) = fixture.request("PATCH", &path, &who.expert, json!({"state": "running"})).await;
        assert!([400, 403].contains(&refused), "{body}");

        // The run of a night, once for all processes.
        let night = fixture.book.clock.now();
        cli::ask_nightly(&fixture.book, night).await.unwrap();
        cli::ask_nightly(&other.book, night).await.unwrap();
        assert!(fixture.book.run_job(&CheckBook).await.unwrap());
        cli::ask_nightly(&other.book, night).await.unwrap();
        assert!(!other.book.run_job(&CheckBook).await.unwrap());
        fixture.pass(86_400);
        cli::ask_nightly(&other.book, night + 86_400_000).await.unwrap();
        assert!(other.book.run_job(&CheckBook).await.unwrap());
    }
}

/// Every finding as it is stored, and the status of animals.
async fn stored(fixture: &Fixture) -> Vec<(i64, i64)> {
    let mut all = rows(fixture, "SELECT id, seq FROM check_findings ORDER BY id").await;
    let animals = "SELECT id, COALESCE(LENGTH(check_status), 0) FROM animals ORDER BY id";
    all.extend(rows(fixture, animals).await);
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_faults_become_rows_and_a_second_run_writes_none() {
    for fixture in with_synthetic_book().await {
        let expert = fixture.user(900, "expert", None, "head").await;
        run(&fixture, &expert).await;
        let none = rows(&fixture, "SELECT COUNT(*), 0 FROM check_findings WHERE severity = 'fix'").await;
        assert_eq!(none, [(0, 0)]);
        let unchecked = "SELECT COUNT(*), 0 FROM milk_tests WHERE check_status IS NULL OR check_status = 'fix'";
        assert_eq!(rows(&fixture, unchecked).await, [(0, 0)]);
        let planted = plant(&fixture).await;
        run(&fixture, &expert).await;
        let mut found: BTreeMap<String, BTreeSet<(String, i64)>> = BTreeMap::new();
        let all = get(&fixture, "/api/check-findings?limit=0&depth=0", &expert).await;
        for row in all["docs"].as_array().unwrap() {
            let text = |path: &str| row[path].as_str().unwrap().to_owned();
            let id = row["recordId"].as_i64().unwrap();
            found.entry(text("code")).or_default().insert((text("collection"), id));
        }
        for (code, places) in &planted {
            for place in places {
                assert!(found[*code].contains(place), "{code} {place:?}");
            }
        }
        // The stored rows are what the checks say, no more and no less.
        let mut reported: BTreeSet<(String, String, i64, String)> = BTreeSet::new();
        let note = |finding: Finding| {
            let place = finding.place;
            let text = |text: &str| text.to_owned();
            reported.insert((text(finding.code), text(place.collection), place.row, text(place.path)));
        };
        cli::survey(&fixture.book, note, |_, _| {}).await.unwrap();
        assert_eq!(all["totalDocs"].as_u64().unwrap(), reported.len() as u64);

        let before = stored(&fixture).await;
        let commits = rows(&fixture, "SELECT commits, seq FROM book_sequence").await[0];
        run(&fixture, &expert).await;
        assert_eq!(stored(&fixture).await, before);
        let after = rows(&fixture, "SELECT commits, seq FROM book_sequence").await[0];
        // It is requested, which is logged, leased, begun, done, and measured.
        assert_eq!((after.0 - commits.0, after.1 - commits.1), (5, 5));

        assert_sets_say_the_same(&fixture, &before).await;

        // An animal that goes takes its findings along, and a set of one changes only what is said of it.
        let planted = planted["no-breed"][0].1;
        sql(&fixture, &format!("UPDATE animals SET breed = 1 WHERE id = {planted}")).await;
        let one = BTreeSet::from([planted]);
        let checked = fixture.book.transact(move |work| Box::pin(async move { check_animals(work, &one).await }));
        checked.await.unwrap();
        let remaining = stored(&fixture).await;
        assert_eq!(remaining.len(), before.len() - 1);
        let breed = format!("SELECT COUNT(*), 0 FROM check_findings WHERE code = 'no-breed' AND animal = {planted}");
        assert_eq!(rows(&fixture, &breed).await, [(0, 0)]);
    }
}

/// Checking all animals as one set says what a run says.
async fn assert_sets_say_the_same(fixture: &Fixture, before: &[(i64, i64)]) {
    let ids: BTreeSet<i64> = rows(fixture, "SELECT id, id FROM animals").await.into_iter().map(|(id, _)| id).collect();
    let all = ids.clone();
    let checked = fixture.book.transact(move |work| Box::pin(async move { check_animals(work, &all).await }));
    let counts: Counts = checked.await.unwrap();
    assert_eq!(stored(fixture).await, before);
    let open = "SELECT SUM(CASE WHEN severity = 'fix' THEN 1 ELSE 0 END), SUM(CASE WHEN severity = 'note' THEN 1 ELSE 0 END) FROM check_findings WHERE animal IS NOT NULL AND organization IS NOT NULL";
    let (fix, note) = rows(fixture, open).await[0];
    assert_eq!((counts.fix as i64, counts.note as i64), (fix, note));
}
