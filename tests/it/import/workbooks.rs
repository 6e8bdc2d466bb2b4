//! Workbooks of spreadsheets as files of a folder (docs/import.md, *Workbooks*).

use super::desk::{Desk, FARMS, counts, once};
use crate::rest::stage::Stage;

/// The same list in three forms; `src/sheets/tests/files/make.py` made them.
const FORMS: [(&str, &[u8]); 3] = table![
    "milk-tests.xlsx", include_bytes!("../../../src/sheets/tests/files/tests.xlsx");
    "milk-tests.xls", include_bytes!("../../../src/sheets/tests/files/tests.xls");
    "milk-tests.ods", include_bytes!("../../../src/sheets/tests/files/tests.ods");
];

const ANIMALS: &str = "identNumber,sex,owner,altIds.earTag\n100001,f,Alpha,RU1001\n100002,f,Alpha,'=RU1002\n";

#[test_with(once)]
async fn workbooks_of_three_forms_are_the_same_rows(stage: &Stage) {
    let mut desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    desk.file("animals.csv", ANIMALS);
    desk.all().await;
    for name in ["organizations.csv", "animals.csv"] {
        std::fs::remove_file(desk.folder().join(name)).unwrap();
    }
    let mut first = true;
    for (name, bytes) in FORMS {
        desk.options.skip_unknown = false;
        desk.file(name, bytes);
        let refusal = desk.refused().await;
        assert_eq!(refusal.len(), 1, "{refusal:#?}");
        assert!(refusal[0].contains("sheet \"Пусто\": none of the first rows has two columns"), "{refusal:#?}");
        desk.options.skip_unknown = true;
        let done = desk.import().await;
        // A row with an error of a formula is refused and reported at its place in its sheet.
        match std::mem::take(&mut first) {
            true => assert_eq!(done.total(), counts(3, 0, 0, 1)),
            false => assert_eq!(done.total(), counts(0, 0, 3, 1), "{name}"),
        }
        assert_eq!(desk.places()[0], format!("{name} (Контроль):8 animal cell-error"));
        std::fs::remove_file(desk.folder().join(name)).unwrap();
    }
    // The number of the cow stands in a merged cell over two rows; dates are those of the spreadsheet.
    stage.user(9_001, "admin@example.org", "admin").await;
    let token = format!("JWT {}", stage.token("admin@example.org").await);
    let path = "/api/milk-tests?depth=0&sort=date,-milkYield";
    let answer = stage.answer_to(&token, "GET", path, String::new()).await;
    let answer = answer.json();
    let docs = answer["docs"].as_array().unwrap();
    let refusal: Vec<_> = (docs.iter()).map(|row| (row["date"].as_str(), row["milkYield"].as_f64())).collect();
    let expected = [
        (Some("2025-03-01T00:00:00.000Z"), Some(31.5)),
        (Some("2025-04-01T00:00:00.000Z"), Some(28.0)),
        (Some("2025-04-01T00:00:00.000Z"), Some(0.3)),
    ];
    assert_eq!(refusal, expected);
}

#[tokio::test]
async fn a_workbook_that_cannot_be_read_is_told_with_its_reason() {
    let stage = Stage::new().await;
    let desk = Desk::new(&stage);
    let (_, whole) = FORMS[0];
    desk.file("milk-tests.xlsx", &whole[..whole.len() / 2]);
    desk.file("weighings.xlsx.gz", b"\x1f\x8b");
    desk.file("herds.xls", b"<html><table>");
    // A name that is no collection is reported with the collection that has such columns.
    desk.file("удои март.ods", FORMS[2].1);
    desk.file("взвешивания.csv", "Ферма Заря\nИнд.№;Дата взвешивания;Живая масса\n1;01.02.2025;500\n");
    desk.file("прочее.csv", "а;б\n1;2\n");
    let refusal = desk.refused().await;
    let expected = [
        "milk-tests.xlsx: The file ends too early: it was not copied or saved whole. Send the whole file.",
        "weighings.xlsx.gz: is neither .csv, .tsv, .ndjson nor .jsonl (nor one of them with .gz), nor .xlsx, .xls, .ods",
        "herds.xls: A web page (HTML) is not read: save the file as XLSX, ODS or CSV.",
        "удои март.ods: there is no collection удои март; its columns are those of milk-tests: name it milk-tests.удои март.ods",
        "взвешивания.csv: there is no collection взвешивания; its columns are those of weighings: name it weighings.взвешивания.csv",
        "прочее.csv: there is no collection прочее",
    ];
    for line in expected {
        assert!(refusal.iter().any(|refusal| refusal == line), "{line} in {refusal:#?}");
    }
}
