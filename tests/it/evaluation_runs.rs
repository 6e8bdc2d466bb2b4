//! Runs of the evaluation: values that nobody but the Association reads until it releases them, that are the same each
//! time, and that are in force afterwards.

use crate::checks::with_synthetic_book;
use crate::support::fixture::Fixture;
use crate::support::program::done;
use cli::{Evaluate, Release};
use domain::collections::evaluations::{EVALUATION_JOB, begin_evaluation};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

async fn get(fixture: &Fixture, path: &str, token: &str) -> Value {
    let (status, _, body) = fixture.get(path, token).await;
    assert_eq!(status, 200, "{path}: {body}");
    body
}

async fn change(fixture: &Fixture, id: i64, token: &str, state: &str) -> u16 {
    let path = format!("/api/evaluation-runs/{id}");
    let (status, _, _) = fixture.request("PATCH", &path, token, json!({"state": state})).await;
    status
}

/// The evaluations of the Association that a caller reads, by animal.
async fn values(fixture: &Fixture, token: &str) -> BTreeMap<i64, Value> {
    let path = "/api/animal-evaluations?limit=0&depth=0&where[source][equals]=association";
    let rows = get(fixture, path, token).await["docs"].take();
    let by_animal = |row: &Value| {
        let mut row = row.clone();
        for changing in ["id", "createdAt", "updatedAt"] {
            row.as_object_mut().unwrap().remove(changing);
        }
        (row["animal"].as_i64().unwrap(), row)
    };
    rows.as_array().unwrap().iter().map(by_animal).collect()
}

/// A run that was queued, and its id.
async fn ask(fixture: &Fixture, expert: &str) -> i64 {
    let body = json!({"title": "Spring", "state": "released", "digest": "x"});
    let (status, _, body) = fixture.post("/api/evaluation-runs", expert, body).await;
    assert_eq!(status, 201, "{body}");
    assert_eq!(body["doc"]["state"], "queued", "the server says how far it is");
    assert_eq!(body["doc"]["digest"], Value::Null);
    body["doc"]["id"].as_i64().unwrap()
}

async fn computed(fixture: &Fixture, id: i64, expert: &str) -> Value {
    assert!(fixture.book.run_job(&Evaluate).await.unwrap());
    let run = get(fixture, &format!("/api/evaluation-runs/{id}"), expert).await;
    assert_eq!(run["state"], "computed", "{run}");
    run
}

#[tokio::test(flavor = "multi_thread")]
async fn values_wait_for_their_release_and_are_in_force_afterwards() {
    for fixture in with_synthetic_book().await {
        let expert = fixture.user(900, "expert", None, "head").await;
        let herd =
            get(&fixture, "/api/animals?limit=1&sort=id&where[sex][equals]=female&where[state][equals]=alive", &expert)
                .await;
        let owner = herd["docs"][0]["owner"]["id"].as_i64().unwrap();
        let farm = fixture.user(901, "farmer", Some(owner), "head").await;
        let (refused, _, _) = fixture.post("/api/evaluation-runs", &farm, json!({"title": "x"})).await;
        assert_eq!(refused, 403);

        let id = ask(&fixture, &expert).await;
        let run = computed(&fixture, id, &expert).await;
        assert_eq!(run["digest"].as_str().unwrap().len(), 64);
        assert!(run["commit"].as_i64().unwrap() > 0);
        let traits = run["results"].as_array().unwrap();
        let milk = traits.iter().find(|one| one["trait"] == "milk").unwrap();
        assert!(milk["records"].as_u64().unwrap() > 100, "{milk}");
        let path = format!("/api/evaluation-runs/{id}");
        assert_eq!(fixture.get(&path, &farm).await.0, 404);

        // They are there for the Association alone, and nothing shows them.
        let waiting = values(&fixture, &expert).await;
        assert!(waiting.len() > 100, "{}", waiting.len());
        assert!(waiting.values().all(|row| row["isCurrent"] == false && row["release"] == "awaited"));
        assert!(waiting.values().any(|row| row["calculation"] == "parentAverage"));
        assert!(values(&fixture, &farm).await.is_empty());
        let counted = get(&fixture, "/api/animal-evaluations/count?where[release][equals]=awaited", &farm).await;
        assert_eq!(counted["totalDocs"], 0);
        let one = get(&fixture, "/api/animal-evaluations?limit=1&where[release][equals]=awaited", &expert).await;
        let hidden = format!("/api/animal-evaluations/{}", one["docs"][0]["id"]);
        assert_eq!(fixture.get(&hidden, &farm).await.0, 404);

        // Computed again the values are the same; a row of the day that is not a run's stays.
        let by_hand = *waiting.keys().next().unwrap();
        let day = waiting[&by_hand]["evaluatedAt"].clone();
        let row = json!({"animal": by_hand, "evaluatedAt": day, "source": "association", "calculation": "other", "milkForecast": 7});
        let (made, _, body) = {
            let admin = fixture.user(902, "admin", None, "head").await;
            fixture.post("/api/animal-evaluations", &admin, row).await
        };
        assert_eq!(made, 201, "{body}");
        assert_eq!(change(&fixture, id, &farm, "queued").await, 403);
        assert_eq!(change(&fixture, id, &expert, "queued").await, 200);
        let again = computed(&fixture, id, &expert).await;
        assert_eq!(again["digest"], run["digest"]);
        assert_eq!(again["results"], run["results"]);
        assert_eq!(again["skipped"], 1);
        let mut same = values(&fixture, &expert).await;
        assert_eq!(same.remove(&by_hand).unwrap()["milkForecast"], 7);
        let before = waiting.iter().filter(|(animal, _)| **animal != by_hand);
        assert!(before.eq(same.iter()));

        // Released, they are evaluations like others.
        assert_eq!(change(&fixture, id, &farm, "releasing").await, 403);
        assert_eq!(change(&fixture, id, &expert, "releasing").await, 200);
        assert!(fixture.book.run_job(&Release).await.unwrap());
        let run = get(&fixture, &format!("/api/evaluation-runs/{id}"), &expert).await;
        assert_eq!(run["state"], "released", "{run}");
        let open = get(&fixture, &path, &farm).await;
        assert_eq!((&open["digest"], &open["results"]), (&run["digest"], &run["results"]));
        assert_eq!((open.get("leftOut"), open.get("skipped")), (None, None), "{open}");
        let released = values(&fixture, &expert).await;
        let own = values(&fixture, &farm).await;
        assert!(!own.is_empty());
        let current = own.iter().find(|(_, row)| row["isCurrent"] == true && row["milkForecast"] != Value::Null);
        let (animal, row) = current.expect("an animal without another evaluation");
        let card = get(&fixture, &format!("/api/animals/{animal}?depth=0"), &farm).await;
        assert_eq!(card["production"]["milk"]["forecast"], row["milkForecast"]);
        assert_eq!(card["evaluationDate"], row["evaluatedAt"]);
        assert_eq!(change(&fixture, id, &expert, "queued").await, 400, "it is over");

        values_go_out_to_other_programs(&fixture, &released, by_hand);

        let measured = get(&fixture, "/api/bench-runs?where[label][equals]=evaluation", &expert).await;
        assert_eq!(measured["totalDocs"], 2);
        assert!(measured["docs"][0]["rows"][0]["ms"].is_i64());
    }
}

/// The column of milk of a file, by animal.
fn milk(file: &Path) -> BTreeMap<i64, Option<f64>> {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let cell = |name: &str| row.get_column_iter().find(|(own, _)| *own == name).unwrap().1;
        let (Field::Long(animal), milk) = (cell("animal"), cell("milkForecast")) else {
            panic!("{row}");
        };
        let milk = match milk {
            Field::Double(milk) => Some(*milk),
            other => {
                assert_eq!(*other, Field::Null);
                None
            }
        };
        (*animal, milk)
    });
    rows.collect()
}

/// `herdbook evaluate` computes again what was released, and writes both, and files of BLUPF90.
fn values_go_out_to_other_programs(fixture: &Fixture, released: &BTreeMap<i64, Value>, by_hand: i64) {
    let dir = tempfile::tempdir().unwrap();
    let words = ["evaluate", "--database-url", fixture.url(), "--blupf90", "blupf90", "--parquet", "parquet"];
    let line: Value = serde_json::from_str(&done(dir.path(), &words).out).unwrap();
    let of_run = released.iter().filter(|(animal, _)| **animal != by_hand);
    let expected: BTreeMap<i64, Option<f64>> =
        of_run.map(|(animal, row)| (*animal, row["milkForecast"].as_f64())).collect();
    let parquet = dir.path().join("parquet");
    assert_eq!(milk(&parquet.join("released-values.parquet")), expected);
    let mut computed = milk(&parquet.join("breeding-values.parquet"));
    assert!(computed.remove(&by_hand).is_some(), "computed, though another value was stored");
    assert_eq!(computed, expected);
    let rows = |name: &str| {
        let reader = SerializedFileReader::new(File::open(parquet.join(name)).unwrap()).unwrap();
        u64::try_from(reader.metadata().file_metadata().num_rows()).unwrap()
    };
    assert_eq!(Some(rows("pedigree.parquet")), line["animals"].as_u64());
    let milk = line["traits"].as_array().unwrap().iter().find(|one| one["trait"] == "milk").unwrap();
    assert_eq!(Some(rows("lactations.parquet")), milk["records"].as_u64());
    assert!(rows("classifications.parquet") > 0);

    let lines = |name: &str| std::fs::read_to_string(dir.path().join("blupf90").join(name)).unwrap().lines().count();
    assert_eq!(Some(lines("milk.dat") as u64), milk["records"].as_u64());
    assert_eq!(lines("milk.ped"), lines("ids.txt"));
    assert!(lines("milk.par") > 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_killed_begins_again_and_one_without_records_fails() {
    for fixture in Fixture::each().await {
        let who = fixture.two_farms("First", &[(1, 1), (2, 2)]).await;
        let id = ask(&fixture, &who.expert).await;
        let other = fixture.other_process().await;
        let killed = fixture.book.lease_job(EVALUATION_JOB, 60_000).await.unwrap();
        assert_eq!(killed.map(|lease| lease.id()), Some(id));
        let begun = fixture.book.transact(move |work| Box::pin(async move { begin_evaluation(work, id).await }));
        assert!(begun.await.unwrap().is_some());
        assert!(!other.book.run_job(&Evaluate).await.unwrap());
        fixture.pass(61);
        assert!(other.book.run_job(&Evaluate).await.unwrap());
        let run = get(&fixture, &format!("/api/evaluation-runs/{id}"), &who.expert).await;
        assert_eq!((&run["state"], &run["fault"]), (&json!("failed"), &json!("noRecords")));
        assert!(values(&fixture, &who.expert).await.is_empty());
    }
}
