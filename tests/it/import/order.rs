//! The order of rows and files does not matter.

use super::desk::{Desk, FARMS, content, counts};
use crate::rest::stage::Stage;

/// Generations of one line, youngest first: each is the daughter of the next.
fn youngest_first(generations: u32) -> String {
    let mut rows = String::from("identNumber,sex,owner,birthDate,mother\n");
    for age in 0..generations {
        let mother = match age + 1 < generations {
            true => (500_000 + age + 1).to_string(),
            false => String::new(),
        };
        let year = 2020 - age * 2;
        rows += &format!("{},female,Alpha,{year}-01-01,{mother}\n", 500_000 + age);
    }
    rows
}

#[test_with(Stage::each)]
async fn daughters_may_stand_before_their_dams(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    desk.file("animals.csv", youngest_first(12));
    desk.all().await;
    let mothers = "SELECT count(*) FROM animals WHERE mother IS NOT NULL";
    assert_eq!(desk.number(mothers).await, 11);
    // Numbers that wait for a row that never comes are reported; those of a text stay a text.
    desk.file(
        "animals.csv",
        concat!(
            "identNumber,sex,owner,mother,Отец\n",
            "600001,female,Alpha,600002,600009\n",
            "600002,female,Nobody,,\n",
            "600003,female,Alpha,,600002\n",
        ),
    );
    let done = desk.import().await;
    assert_eq!(done.collections["animals"], counts(1, 0, 0, 2));
    assert_eq!(desk.places(), ["animals.csv:3 owner invalid-relation", "animals.csv:2 mother invalid-relation",]);
    let text = "SELECT pedigree_text_father_id FROM animals WHERE ident_number = '600003'";
    assert_eq!(desk.texts(text).await, ["600002"]);
}

/// Rows of more than one part, whose dams stand in later parts, and unknown sires everywhere.
#[test_with(Stage::each)]
async fn rows_of_several_parts_find_each_other(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    let mut rows = String::from("Инд.№;Пол;owner;Дата рождения;Отец;Мать\n");
    for n in 0..1_200 {
        // Granddaughters, daughters, dams: 400 of each.
        let mother = (n < 800).then(|| (700_000 + n + 400).to_string());
        let year = 2020 - n / 400 * 3;
        let mother = mother.unwrap_or_default();
        rows += &format!("{};ж;Alpha;01.01.{year};HOUSA{:012};{mother}\n", 700_000 + n, n % 7);
    }
    desk.file("animals.csv", rows);
    desk.all().await;
    let mothers = "SELECT count(*) FROM animals WHERE mother IS NOT NULL";
    assert_eq!(desk.number(mothers).await, 800);
    let before = content(stage).await;
    assert_eq!(desk.all().await.unchanged, 1_202);
    assert_eq!(content(stage).await, before);
}

#[test_with(Stage::each)]
async fn collections_that_name_each_other_are_completed(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    desk.file("lines.csv", "code,name,founder\nW,Wolf,100001\nX,Other,\n");
    desk.file("animals.csv", "identNumber,sex,owner,line\n100001,male,Alpha,W\n100002,male,Alpha,Other\n");
    assert_eq!(desk.all().await, counts(6, 0, 0, 0));
    let founders = "SELECT a.ident_number FROM lines l LEFT JOIN animals a ON a.id = l.founder \
                    ORDER BY l.code";
    assert_eq!(desk.texts(founders).await, ["100001", "-"]);
    let before = content(stage).await;
    assert_eq!(desk.all().await, counts(0, 0, 6, 0));
    assert_eq!(content(stage).await, before);
    // An unknown founder is reported.
    desk.file("lines.csv", "code,name,founder\nY,New,999999\n");
    let done = desk.import().await;
    assert_eq!(desk.places(), ["lines.csv:2 founder invalid-relation"]);
    assert_eq!(done.collections["lines"].created, 1);
}
