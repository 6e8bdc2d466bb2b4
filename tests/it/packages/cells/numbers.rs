//! Numbers of animals as people, readers and spreadsheets write them, and the columns in which they stand.

use crate::packages::desk::{rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// A cow with numbers of all kinds.
async fn cow(w: &World<'_>) -> i64 {
    made!(w, "alpha", "animals", {"identNumber": "960001000189", "sex": "female", "birthDate": "2019-06-21",
        "name": "Якутка", "altIds": {"chipNumber": "643096001000189", "earTag": "RU10000WGPV", "inventoryNumber": "189"}})
}

/// Codes and sentences of all faults of a package.
async fn faults(w: &World<'_>, package: &Value) -> Vec<(Value, Value)> {
    let rows = rows(w, "alpha", package["id"].as_i64().unwrap(), "").await;
    let faults = rows.iter().flat_map(|row| row["faults"].as_array().into_iter().flatten());
    faults.map(|fault| (fault["code"].clone(), fault["message"].clone())).collect()
}

/// The lines of `tests/packages/numbers.csv` by their headings: a number, and what becomes of its row.
fn numbers() -> BTreeMap<String, Vec<(String, String)>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/numbers.csv");
    let mut reader = csv::ReaderBuilder::new().delimiter(b';').from_path(path).unwrap();
    let mut lines: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in reader.records() {
        let line = line.unwrap();
        let own = lines.entry(line[0].to_owned()).or_default();
        own.push((line[1].to_owned(), line[2].to_owned()));
    }
    lines
}

#[test_with(World::both)]
async fn an_animal_is_found_in_every_spelling_of_its_numbers(w: &World<'_>) {
    let cow = cow(w).await;
    let mut days = (1..=2).flat_map(|month| (1..=28).map(move |day| format!("{day:02}.{month:02}.2026")));
    for (heading, lines) in numbers() {
        let mut file = format!("{heading};Дата взвешивания;Масса, кг\r\n");
        for (number, _) in &lines {
            let _ = write!(file, "{number};{};600\r\n", days.next().unwrap());
        }
        let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
        assert_eq!(package["dataset"], "weighings", "{heading}: {package}");
        let report = rows(w, "alpha", package["id"].as_i64().unwrap(), "sort=position").await;
        assert_eq!(report.len(), lines.len(), "{heading}: {report:?}");
        for (row, (number, means)) in report.iter().zip(&lines) {
            let found = match row["state"].as_str() {
                Some("created") => "cow".to_owned(),
                _ => format!("held: {}", row["faults"][0]["code"].as_str().unwrap_or_default()),
            };
            assert_eq!(found, *means, "{heading} {number}: {row}");
        }
    }
    let weighings = w.list("weighings", "").await;
    let own = |one: &Value| one["animal"] == json!(cow);
    assert!(weighings.iter().all(own), "{weighings:?}");
}

#[test_with(World::both)]
async fn a_number_that_a_spreadsheet_changed_makes_no_animal(w: &World<'_>) {
    cow(w).await;
    made!(w, "beta", "animals", {"identNumber": "960001000777", "sex": "female", "birthDate": "2019-06-21",
        "altIds": {"inventoryNumber": "777"}});
    let before = w.list("animals", "").await.len();
    let file = |row: &str| format!("Инд.№;Пол;Дата рождения;Кличка\r\n{row};Якутка\r\n");
    for number in ["960001000189.0", "960001000189,00", "960 001 000 189", "ru10000wgpv", "643 096001000189", "189,00"]
    {
        let file = file(&format!("{number};ж;21.06.2019"));
        let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
        holds!(package, {"dataset": "animals", "intake.unchanged": 1}, "{number}");
    }
    // Another cow had the working number; animals of others are answered like unknown ones.
    let mut codes = Vec::new();
    for row in "189,00;ж;22.06.2019 960001000777.0;ж;21.06.2019 960001000778.0;ж;21.06.2019 \
        777,00;ж;21.06.2019 778,00;ж;21.06.2019"
        .split(' ')
    {
        let package = sent(w, "alpha", "a.csv", file(row).as_bytes(), &json!({})).await;
        holds!(package, {"intake.held": 1}, "{row}");
        let faults = faults(w, &package).await;
        assert!(faults.iter().any(|(code, _)| code == "id-spoiled"), "{row}: {faults:?}");
        codes.push(faults);
    }
    assert_eq!(codes[1], codes[2]);
    assert_eq!(codes[3], codes[4]);
    assert_eq!(w.list("animals", "").await.len(), before);
}

#[test_with(World::each)]
async fn the_main_number_counts_and_the_name_is_no_key(w: &World<'_>) {
    let cow = cow(w).await;
    // Wherever its column stands.
    let file = "Чип;Кличка;Инд.№;Дата замера;Удой за день [кг];Сом. клетки\r\n\
                1;Зорька;960001000189;01.02.2026;25;120\r\n";
    let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(package, {"dataset": "milkTests", "intake.created": 1, "intake.sheets.0.columns.0.leftOut": true,
        "intake.sheets.0.columns.1.leftOut": true, "intake.sheets.0.columns.2.path": "animal"});
    let tests = w.list("milk-tests", "").await;
    holds!(tests[0], {"animal": cow, "milkYield": 25, "somaticCells": 120});
    assert!(w.list("pending-columns", "").await.is_empty());
}
