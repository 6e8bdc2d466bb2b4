//! The same rows again: recognised, compared, and written only where they differ.

use super::desk::{Desk, FARMS, content, counts};
use crate::rest::stage::Stage;
use cli::OnConflict;

/// The folder of the documentation.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/import");

#[test_with(Stage::each)]
async fn the_example_of_the_documentation_is_imported_and_a_second_time_changes_nothing(stage: &Stage) {
    let desk = Desk::new(stage);
    for file in std::fs::read_dir(EXAMPLE).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), desk.folder().join(file.file_name())).unwrap();
    }
    let done = desk.import().await;
    assert_eq!(desk.report(), Vec::<String>::new());
    let expected = [("organizations", 2), ("animals", 3), ("milk-tests", 3)];
    let expected = expected.map(|(slug, rows)| (slug, counts(rows, 0, 0, 0)));
    assert_eq!(Vec::from_iter(done.collections), expected);
    // Parents were named by their numbers, also one that stands below its daughter.
    let mothers = "SELECT m.name FROM animals a LEFT JOIN animals m ON m.id = a.mother \
                   ORDER BY a.ident_number";
    assert_eq!(desk.texts(mothers).await, ["-", "Заря", "Зорька"]);
    let fathers = "SELECT pedigree_text_father_id FROM animals ORDER BY ident_number";
    assert_eq!(desk.texts(fathers).await, ["HOUSA000012345678", "-", "-"]);
    let sexes = "SELECT sex FROM animals ORDER BY ident_number";
    assert_eq!(desk.texts(sexes).await, ["female", "female", "male"]);
    let documents = "SELECT count(*) FROM exchange_documents d JOIN exchange_names n ON n.id = d.dataset \
                     WHERE n.name IN ('animals', 'test-day-results')";
    assert_eq!(desk.number(documents).await, 6);
    // The log says that the Association wrote them, as after single writes.
    let logged = "SELECT count(*) FROM operations WHERE action = 'animal-created'";
    assert_eq!(desk.number(logged).await, 3);
    let before = content(stage).await;
    assert_eq!(desk.all().await, counts(0, 0, 8, 0));
    assert_eq!(content(stage).await, before);
}

#[test_with(Stage::each)]
async fn a_row_that_the_book_has_otherwise_is_updated_skipped_or_refused(stage: &Stage) {
    let mut desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS)
        .file("animals.csv", "identNumber,sex,owner,name\n100001,female,Alpha,Ada\n100002,female,Alpha,Bea\n");
    desk.all().await;
    desk.file("animals.csv", "identNumber,sex,owner,name\n100001,female,Alpha,Ada\n100002,female,Alpha,Bella\n");
    let before = content(stage).await;
    desk.options.on_conflict = OnConflict::Skip;
    let total = desk.import().await.total();
    assert_eq!((total.skipped, total.unchanged), (1, 3));
    desk.options.on_conflict = OnConflict::Refuse;
    let total = desk.import().await.total();
    assert_eq!((total.refused, total.unchanged), (1, 3));
    assert_eq!(desk.places(), ["animals.csv:3 identNumber exists"]);
    assert_eq!(content(stage).await, before);
    desk.options.on_conflict = OnConflict::Update;
    assert_eq!(desk.all().await, counts(0, 1, 3, 0));
    let names = "SELECT name FROM animals ORDER BY ident_number";
    assert_eq!(desk.texts(names).await, ["Ada", "Bella"]);
    let revised = "SELECT before || ' ' || after FROM animal_revisions WHERE path = 'name'";
    assert_eq!(desk.texts(revised).await, ["Bea Bella"]);
}

#[test_with(Stage::each)]
async fn rows_of_lists_and_days_with_a_time_are_recognised_as_the_same(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    desk.file(
        "animals.ndjson",
        concat!(
            r#"{"identNumber": "100001", "sex": "female", "owner": "Alpha", "birthDate": "2020-01-01", "#,
            r#""shows": [{"date": "2024-05-01", "title": "Spring show"}, {"date": "2025-05-01", "title": "Other"}]}"#,
            "\n"
        ),
    );
    desk.file("weighings.csv", "animal,date,weight\n100001,2025-02-01T06:30:00+03:00,400\n100001,02.02.2025,401\n");
    desk.all().await;
    let before = content(stage).await;
    assert_eq!(desk.all().await, counts(0, 0, 5, 0));
    assert_eq!(content(stage).await, before);
    // Another time of the same day is the same weighing.
    desk.file("weighings.csv", "animal,date,weight\n100001,01.02.2025,402\n");
    assert_eq!(desk.all().await, counts(0, 1, 3, 0));
    let weights = "SELECT count(*) FROM weighings";
    assert_eq!(desk.number(weights).await, 2);
}

#[test_with(Stage::each)]
async fn rows_are_written_in_the_name_of_a_user_of_the_association(stage: &Stage) {
    let mut desk = Desk::new(stage);
    stage.user(71, "expert@example.org", "expert").await;
    stage.user(72, "farmer@example.org", "farmer").await;
    desk.file("organizations.csv", FARMS);
    desk.file("animals.csv", "identNumber,sex,owner\n100001,female,Alpha\n");
    desk.options.user = Some("farmer@example.org".to_owned());
    let refusal = desk.refused().await;
    assert!(refusal[0].contains("is no user of the Association"), "{refusal:?}");
    desk.options.user = Some(" Expert@example.org ".to_owned());
    desk.all().await;
    let actors = "SELECT actor_name FROM operations WHERE action = 'animal-created' AND actor = 71";
    assert_eq!(desk.texts(actors).await.len(), 1);
}

/// Herds are distinguished by their code, though they have one name.
#[test_with(Stage::each)]
async fn a_weaker_key_recognises_no_row_that_a_stricter_one_tells_apart(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    desk.file("herds.csv", "organization,code,name\nAlpha,1,Main\nAlpha,2,Main\nBeta,,Main\n");
    assert_eq!(desk.all().await, counts(5, 0, 0, 0));
    assert_eq!(desk.all().await, counts(0, 0, 5, 0));
    // Without its code the name means either.
    desk.file("herds.csv", "organization,name,address\nAlpha,Main,Hill\nBeta,Main,Vale\n");
    let done = desk.import().await;
    assert_eq!(done.collections["herds"], counts(0, 1, 0, 1));
    assert_eq!(desk.places(), ["herds.csv:2 id ambiguous-key"]);
}
