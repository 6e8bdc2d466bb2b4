//! Numbers of animals as people, readers and spreadsheets write them, and the columns in which they stand.

use super::desk::{rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A cow with numbers of all kinds.
async fn cow(w: &World<'_>) -> i64 {
    made!(w, "alpha", "animals", {"identNumber": "960001000189", "sex": "female", "birthDate": "2019-06-21",
        "name": "Якутка", "altIds": {"chipNumber": "643096001000189", "earTag": "RU10000WGPV", "inventoryNumber": "189"}})
}

/// Codes and sentences of all faults of a package.
async fn faults(w: &World<'_>, package: &Value) -> Vec<(Value, Value)> {
    let rows = rows(w, "alpha", package["id"].as_i64().unwrap(), "").await;
    let faults = rows
        .iter()
        .flat_map(|row| row["faults"].as_array().into_iter().flatten());
    faults
        .map(|fault| (fault["code"].clone(), fault["message"].clone()))
        .collect()
}

#[tokio::test]
async fn an_animal_is_found_in_every_spelling_of_its_numbers() {
    World::both(async |w| {
        let cow = cow(w).await;
        let numbers = [
            "960001000189.0",
            "960001000189,00",
            "=\"960001000189\"",
            "'960001000189",
            "№960001000189",
            "960 001 000 189",
            "643 096001000189",
            "643-096001000189",
            "0643096001000189",
            "RU 10000WGPV",
            "ru10000wgpv",
            "RU-10000WGPV",
            "189,00",
        ];
        let mut file = "Инд.№;Дата взвешивания;Масса, кг\r\n".to_owned();
        for (day, number) in (1..).zip(numbers) {
            let _ = write!(file, "{number};{day:02}.01.2026;600\r\n");
        }
        // Numbers of nobody.
        file += "960001000189.1;20.01.2026;600\r\n0189;21.01.2026;600\r\n";
        let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
        holds!(package, {"intake.created": numbers.len(), "intake.held": 2});
        let weighings = w.list("weighings", "").await;
        assert!(
            weighings.iter().all(|one| one["animal"] == json!(cow)),
            "{weighings:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_number_that_a_spreadsheet_changed_makes_no_animal() {
    World::both(async |w| {
        cow(w).await;
        made!(w, "beta", "animals", {"identNumber": "960001000777", "sex": "female", "birthDate": "2019-06-21",
            "altIds": {"inventoryNumber": "777"}});
        let before = w.list("animals", "").await.len();
        let file = |row: &str| format!("Инд.№;Пол;Дата рождения;Кличка\r\n{row};Якутка\r\n");
        for number in [
            "960001000189.0",
            "960001000189,00",
            "960 001 000 189",
            "ru10000wgpv",
            "643 096001000189",
            "189,00",
        ] {
            let file = file(&format!("{number};ж;21.06.2019"));
            let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
            holds!(package, {"dataset": "animals", "intake.unchanged": 1}, "{number}");
        }
        // Another cow had the working number; animals of others are told as those of nobody.
        let mut told = Vec::new();
        for row in [
            "189,00;ж;22.06.2019",
            "960001000777.0;ж;21.06.2019",
            "960001000778.0;ж;21.06.2019",
            "777,00;ж;21.06.2019",
            "778,00;ж;21.06.2019",
        ] {
            let package = sent(w, "alpha", "a.csv", file(row).as_bytes(), &json!({})).await;
            holds!(package, {"intake.held": 1}, "{row}");
            let faults = faults(w, &package).await;
            assert!(faults.iter().any(|(code, _)| code == "id-spoiled"), "{row}: {faults:?}");
            told.push(faults);
        }
        assert_eq!(told[1], told[2]);
        assert_eq!(told[3], told[4]);
        assert_eq!(w.list("animals", "").await.len(), before);
    })
    .await;
}

#[tokio::test]
async fn a_column_with_another_number_names_the_animal() {
    World::both(async |w| {
        let cow = cow(w).await;
        let columns = [
            ("Бирка", "RU10000WGPV"),
            ("Ear tag", "RU 10000WGPV"),
            ("Чип", "643096001000189"),
            ("EID", "643096001000189"),
            ("RFID", "643 096001000189"),
            ("Инв. №", "189"),
            ("VID", "189"),
        ];
        for (day, (heading, number)) in (1..).zip(columns) {
            let file = format!("{heading};Дата взвешивания;Живая масса\r\n{number};{day:02}.01.2026;600\r\n");
            let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
            holds!(package, {"dataset": "weighings", "intake.created": 1}, "{heading}");
        }
        // Each column is of its number alone.
        let file = "Чип;Дата взвешивания;Живая масса\r\n189;20.01.2026;600\r\n";
        let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
        holds!(package, {"intake.created": 0, "intake.held": 1});
        // The main number counts, wherever its column stands; the name is no key.
        let file = "Чип;Кличка;Инд.№;Дата замера;Удой за день [кг];Сом. клетки\r\n\
                    1;Зорька;960001000189;01.02.2026;25;120\r\n";
        let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
        holds!(package, {"dataset": "milkTests", "intake.created": 1, "intake.sheets.0.columns.0.leftOut": true,
            "intake.sheets.0.columns.1.leftOut": true, "intake.sheets.0.columns.2.path": "animal"});
        let tests = w.list("milk-tests", "").await;
        holds!(tests[0], {"animal": cow, "milkYield": 25, "somaticCells": 120});
        assert!(w.list("pending-columns", "").await.is_empty());
    })
    .await;
}
