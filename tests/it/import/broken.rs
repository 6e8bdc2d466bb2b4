//! Imports that only check, and imports that are broken off.

use super::desk::{Desk, FARMS, content, counts};
use crate::rest::stage::Stage;
use crate::support::program::{herdbook, migrated, ran};
use serde_json::Value;
use std::process::Stdio;

fn folder(desk: &Desk<'_>) {
    desk.file("organizations.csv", FARMS);
    let mut animals = String::from("identNumber,sex,owner,mother\n");
    let mut tests = String::from("animal,date,milkYield\n");
    for n in 0..600 {
        let owner = if n % 100 == 7 { "Nobody" } else { "Alpha" };
        let mother = if n % 2 == 0 && n < 500 { (800_000 + n + 1).to_string() } else { String::new() };
        animals += &format!("{},female,{owner},{mother}\n", 800_000 + n);
        tests += &format!("{},2025-01-{:02},{}\n", 800_000 + n, n % 28 + 1, 10 + n % 30);
    }
    desk.file("animals.csv", animals);
    desk.file("milk-tests.csv", tests);
}

#[test_with(Stage::each)]
async fn a_dry_run_tells_the_same_and_writes_nothing(stage: &Stage) {
    let mut desk = Desk::new(stage);
    folder(&desk);
    let before = content(stage).await;
    desk.options.dry_run = true;
    let checked = desk.import().await;
    let report = desk.report();
    assert_eq!(content(stage).await, before);
    desk.options.dry_run = false;
    let written = desk.import().await;
    assert_eq!(checked, written);
    assert_eq!(desk.report(), report);
    assert!(checked.total().refused > 6 && checked.total().created > 1_000, "{checked:?}");
}

/// Breaks a statement of each part in turn: the next run goes on, and in the end all is as if
/// nothing had been broken off.
#[test_with(Stage::each)]
async fn an_import_that_is_broken_off_goes_on_where_it_was(stage: &Stage) {
    let desk = Desk::new(stage);
    folder(&desk);
    let other = Stage::copy(test_books::Template::empty(stage.book.store.dialect()).await.unwrap(), &[]).await;
    let whole = Desk::new(&other);
    folder(&whole);
    let expected = whole.import().await;
    let mut broken = 0;
    let done = loop {
        // Further each time, so that there is progress.
        stage.book.store.failpoint().set(40 + broken * 15);
        let tried = desk.tried().await;
        stage.book.store.failpoint().set(0);
        match tried {
            Ok(done) => break done,
            Err(_) => broken += 1,
        }
        assert!(broken < 60, "no progress");
    };
    assert!(broken > 3, "{broken}");
    assert!(done.resumed);
    assert_eq!(done.collections, expected.collections);
    assert_eq!(desk.report(), whole.report());
    assert!(!desk.dir.path().join("report.csv.journal").exists());
    for sql in [
        "SELECT ident_number FROM animals ORDER BY id",
        "SELECT a.ident_number FROM milk_tests t JOIN animals a ON a.id = t.animal ORDER BY t.id",
        "SELECT path FROM animal_revisions ORDER BY id",
        "SELECT name FROM book_ids ORDER BY name",
    ] {
        assert_eq!(desk.texts(sql).await, whole.texts(sql).await, "{sql}");
    }
}

#[test_with(Stage::each)]
async fn a_journal_of_other_files_begins_anew(stage: &Stage) {
    let desk = Desk::new(stage);
    folder(&desk);
    stage.book.store.failpoint().set(200);
    assert!(desk.tried().await.is_err());
    stage.book.store.failpoint().set(0);
    desk.file("milk-tests.csv", "animal,date,milkYield\n800000,2025-01-01,20\n");
    let done = desk.import().await;
    assert!(!done.resumed);
    assert_eq!(done.collections["milk-tests"], counts(1, 0, 0, 0));
}

/// A process that is killed in the middle, and the same command again.
#[test]
fn a_command_that_is_killed_goes_on() {
    let dir = migrated();
    let rows = dir.path().join("rows");
    std::fs::create_dir(&rows).unwrap();
    let mut animals = String::from("identNumber,sex,owner\n");
    for n in 0..3_000 {
        let sex = if n % 500 == 3 { "cow?" } else { "f" };
        animals += &format!("{},{sex},Alpha\n", 900_000 + n);
    }
    std::fs::write(rows.join("organizations.csv"), FARMS).unwrap();
    std::fs::write(rows.join("animals.csv"), animals).unwrap();
    let command = herdbook(dir.path(), &["import", "rows"]);
    let mut child = { command }.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Two parts are in the book as soon as the journal has the third.
    let journal = dir.path().join("import-report.csv.journal");
    let parts = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while parts() < 4 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let done = ran(dir.path(), &["import", "rows"]);
    assert_eq!(done.code, Some(3), "{done:?}");
    let line: Value = serde_json::from_str(&done.out).unwrap();
    holds!(line, {"event": "rows-imported", "rows": 3_002, "created": 2_996, "refused": 6,
        "unchanged": 0, "report": "import-report.csv"});
    assert!(!journal.exists());
    let report = std::fs::read_to_string(dir.path().join("import-report.csv")).unwrap();
    let lines: Vec<&str> = report.lines().skip(1).collect();
    let expected: Vec<String> = (0..6).map(|n| format!("animals.csv,{},sex,", n * 500 + 5)).collect();
    assert_eq!(lines.len(), expected.len());
    for (line, begin) in lines.iter().zip(&expected) {
        assert!(line.starts_with(begin), "{line}");
    }
    let second = ran(dir.path(), &["import", "rows", "--dry-run"]);
    assert_eq!(second.code, Some(3), "{second:?}");
    let line: Value = serde_json::from_str(&second.out).unwrap();
    holds!(line, {"event": "import-checked", "created": 0, "unchanged": 2_996, "refused": 6});
}

#[test]
fn a_folder_that_is_no_import_is_told() {
    let dir = migrated();
    std::fs::create_dir(dir.path().join("rows")).unwrap();
    let refusal = ran(dir.path(), &["import", "rows"]);
    assert_eq!((refusal.code, refusal.err.as_str()), (Some(1), "rows: the folder has no files\n"));
    let refusal = ran(dir.path(), &["import", "nowhere"]);
    assert_eq!(refusal.code, Some(1));
    std::fs::write(dir.path().join("rows/book.json"), "{}").unwrap();
    let refusal = ran(dir.path(), &["import", "rows", "--dry-run"]);
    assert!(refusal.err.contains("takes none of these flags"), "{refusal:?}");
    std::fs::remove_file(dir.path().join("rows/book.json")).unwrap();
    std::fs::write(dir.path().join("rows/organizations.csv"), FARMS).unwrap();
    let refusal = ran(dir.path(), &["import", "rows", "--as", "nobody@example.org"]);
    assert!(refusal.err.contains("no account has the address"), "{refusal:?}");
}
