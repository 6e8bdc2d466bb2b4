//! Imports that only check, and imports that are broken off.

use super::desk::{Desk, FARMS, content, counts};
use crate::rest::stage::Stage;

fn folder(desk: &Desk<'_>) {
    desk.file("organizations.csv", FARMS);
    let mut animals = String::from("identNumber,sex,owner,mother\n");
    let mut tests = String::from("animal,date,milkYield\n");
    for n in 0..600 {
        let owner = if n % 100 == 7 { "Nobody" } else { "Alpha" };
        let mother = if n % 2 == 0 && n < 500 {
            (800_000 + n + 1).to_string()
        } else {
            String::new()
        };
        animals += &format!("{},female,{owner},{mother}\n", 800_000 + n);
        tests += &format!(
            "{},2025-01-{:02},{}\n",
            800_000 + n,
            n % 28 + 1,
            10 + n % 30
        );
    }
    desk.file("animals.csv", animals);
    desk.file("milk-tests.csv", tests);
}

#[tokio::test]
async fn a_dry_run_tells_the_same_and_writes_nothing() {
    Stage::each(async |stage| {
        let mut desk = Desk::new(stage);
        folder(&desk);
        let before = content(stage).await;
        desk.options.dry_run = true;
        let checked = desk.import().await;
        let told = desk.report();
        assert_eq!(content(stage).await, before);
        desk.options.dry_run = false;
        let written = desk.import().await;
        assert_eq!(checked, written);
        assert_eq!(desk.report(), told);
        assert!(
            checked.total().refused > 6 && checked.total().created > 1_000,
            "{checked:?}"
        );
    })
    .await;
}

/// Breaks a statement of each part in turn: the next run goes on, and in the end all is as if
/// nothing had been broken off.
#[tokio::test]
async fn an_import_that_is_broken_off_goes_on_where_it_was() {
    Stage::each(async |stage| {
        let desk = Desk::new(stage);
        folder(&desk);
        let other = Stage::copy(
            test_books::Template::empty(stage.book.store.dialect()).await.unwrap(),
            &[],
        )
        .await;
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
    })
    .await;
}

#[tokio::test]
async fn a_journal_of_other_files_begins_anew() {
    Stage::each(async |stage| {
        let desk = Desk::new(stage);
        folder(&desk);
        stage.book.store.failpoint().set(200);
        assert!(desk.tried().await.is_err());
        stage.book.store.failpoint().set(0);
        desk.file(
            "milk-tests.csv",
            "animal,date,milkYield\n800000,2025-01-01,20\n",
        );
        let done = desk.import().await;
        assert!(!done.resumed);
        assert_eq!(done.collections["milk-tests"], counts(1, 0, 0, 0));
    })
    .await;
}
