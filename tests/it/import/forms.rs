//! How files may be written, and how they may be broken.

use super::desk::{Desk, FARMS, counts, once};
use crate::rest::stage::Stage;
use cli::Encoding;
use flate2::Compression;
use flate2::write::GzEncoder;
use model::record::Value;
use std::io::Write;
use store::{Sql, Ty};

#[test_with(once)]
async fn files_are_tables_with_any_sign_or_lines_zipped_or_not(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", "\u{feff}\"name\";inn\r\nAlpha;1\r\n\r\n;\r\n");
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    zipped.write_all(b"name\tinn\nBeta\t2\n").unwrap();
    desk.file("organizations.more.tsv.gz", zipped.finish().unwrap());
    desk.file(
        "animals.2024.csv",
        "Список на 1 января\nidentNumber,sex,owner,forSale,bloodPercent,altIds.earTag,name\n100001,f,Alpha,да,\"12,5\",7,\"A, \"\"B\"\"\"\n",
    );
    desk.file(
        "animals.2025.jsonl",
        "\n{\"identNumber\": \"100002\", \"sex\": \"female\", \"owner\": {\"inn\": \"2\"}, \"altIds\": {\"earTag\": \"8\"}, \"Кличка\": \"C\"}\n",
    );
    assert_eq!(desk.all().await, counts(4, 0, 0, 0));
    let names = "SELECT name FROM animals ORDER BY ident_number";
    assert_eq!(desk.texts(names).await, ["A, \"B\"", "C"]);
    let blood = "SELECT count(*) FROM animals WHERE blood_percent = 12.5 AND for_sale";
    assert_eq!(desk.number(blood).await, 1);
    assert_eq!(desk.all().await, counts(0, 0, 4, 0));
}

#[test_with(once)]
async fn a_column_is_read_as_all_of_its_cells_are_written(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    desk.file("animals.csv", "identNumber;sex;owner;birthDate\n100001;f;Alpha;06/05/2020\n100002;f;Alpha;06/25/2020\n");
    assert_eq!(desk.all().await, counts(4, 0, 0, 0));
    // 5 June, since the other day is the 25th of June.
    let june =
        Sql::new("SELECT count(*) FROM animals WHERE birth_date = ").with(Ty::Time, Value::Time(1_591_315_200_000));
    let rows = desk.stage.book.store.rows(june).await.unwrap();
    assert_eq!(rows[0].int(0), Some(1));
}

#[test_with(once)]
async fn old_russian_files_are_read_by_their_encoding(stage: &Stage) {
    let mut desk = Desk::new(stage);
    desk.file("organizations.csv", b"name\n\xca\xee\xeb\xf5\xee\xe7\n");
    let report = desk.import().await;
    assert_eq!(report.total(), counts(0, 0, 0, 1));
    assert_eq!(desk.places(), ["organizations.csv:2 name not-utf8"]);
    // A heading that cannot be read is reported before.
    desk.file("organizations.csv", b"\xcd\xe0\xe7\xe2\xe0\xed\xe8\xe5\n\xca\n");
    let report = desk.refused().await;
    assert!(report[0].contains("--encoding windows-1251"), "{report:?}");
    desk.file("organizations.csv", b"\xcd\xe0\xe7\xe2\xe0\xed\xe8\xe5\n\xca\xee\xeb\xf5\xee\xe7\n");
    desk.options.encoding = Encoding::Windows1251;
    desk.all().await;
    let names = "SELECT name FROM organizations";
    assert_eq!(desk.texts(names).await, ["Колхоз"]);
    // The mark of UTF-16 goes before what is said of the folder.
    desk.file("organizations.csv", b"\xff\xfen\0a\0m\0e\0\n\0B\0\n\0");
    desk.all().await;
    let wide = "SELECT count(*) FROM organizations WHERE name = 'B'";
    assert_eq!(desk.number(wide).await, 1);
}

#[test_with(once)]
async fn broken_rows_are_refused_and_broken_files_are_told(stage: &Stage) {
    let desk = Desk::new(stage);
    let mut table = b"name,inn\nAlpha,1\nBeta\nGamma,3,more\nDelta,4,\nE\0,5\n".to_vec();
    table.extend(b"\xff\xfe,6\nZeta,\"7\n");
    table.extend(b"\",8\n#N/A,9\n");
    desk.file("organizations.csv", table);
    let lines = [
        "{\"name\": \"Eta\"}",
        "{\"name\": ",
        "[1]",
        "null",
        "\u{fffd}",
        "{\"name\": \"A\\u0000\"}",
        "{\"name\": {\"deep\": 1}}",
        "{\"id\": \"x\", \"name\": \"B\"}",
        "{\"id\": -1, \"name\": \"B\"}",
    ];
    desk.file("organizations.lines.ndjson", lines.join("\n"));
    let done = desk.import().await;
    assert_eq!(
        desk.places(),
        [
            "organizations.csv:3  columns",
            "organizations.csv:4  columns",
            "organizations.csv:6 name wrong-type",
            "organizations.csv:7 name not-utf8",
            "organizations.csv:8  columns",
            "organizations.csv:10 name cell-error",
            "organizations.lines.ndjson:2  not-json",
            "organizations.lines.ndjson:3  not-an-object",
            "organizations.lines.ndjson:4  not-an-object",
            "organizations.lines.ndjson:5  not-json",
            "organizations.lines.ndjson:6 name wrong-type",
            "organizations.lines.ndjson:7 name wrong-type",
            "organizations.lines.ndjson:8 id wrong-type",
            "organizations.lines.ndjson:9 id wrong-type",
        ]
    );
    assert_eq!(done.total(), counts(3, 0, 0, 14));
    std::fs::remove_file(desk.folder().join("organizations.lines.ndjson")).unwrap();
    // A quote that is never closed: the rest of the file would be one cell.
    desk.file("organizations.csv", "inn,name\n1,\"Alpha\n2,Beta\n3,Gamma\n");
    let refusal = desk.refused().await;
    let quote = "In line 2 a quotation mark begins a text that does not end";
    assert!(refusal[0].contains(quote), "{refusal:?}");
    let long = format!("inn,name\n1,\"Alpha\n{}", "2,Beta\n".repeat(700_000));
    desk.file("organizations.csv", long);
    let refusal = desk.refused().await;
    assert!(refusal[0].contains(quote), "{refusal:?}");
    // What is no gzip, and what was cut off.
    std::fs::remove_file(desk.folder().join("organizations.csv")).unwrap();
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    zipped.write_all(FARMS.as_bytes()).unwrap();
    let zipped = zipped.finish().unwrap();
    for broken in [b"name\nAlpha\n".as_slice(), &zipped[..zipped.len() - 9]] {
        desk.file("organizations.csv.gz", broken);
        let refusal = desk.refused().await;
        assert!(refusal[0].starts_with("organizations.csv.gz: "), "{refusal:?}");
    }
}
