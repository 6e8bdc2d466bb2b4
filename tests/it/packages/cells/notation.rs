//! The dates and numbers of a column are read as all of its cells are written (docs/import.md, *Cells*).

use crate::packages::desk::{once, preview, reader, rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

/// Weighings of one animal: days and weights.
fn weighings(cells: &[[&str; 2]]) -> String {
    let lines = cells.iter().map(|[day, weight]| format!("960000000002;{day};{weight}\r\n"));
    format!("Инд.№;Дата взвешивания;Масса, кг\r\n{}", lines.collect::<String>())
}

/// Days and weights that a package brought.
async fn brought(w: &World<'_>, id: i64) -> Vec<(String, f64)> {
    let all = w.list("weighings", "").await;
    let own = all.iter().filter(|row| row["submission"] == json!(id));
    let day = |row: &Value| row["date"].as_str().unwrap()[..10].to_owned();
    own.map(|row| (day(row), row["weight"].as_f64().unwrap())).collect()
}

#[test_with(once)]
async fn a_column_is_read_as_all_of_its_cells_are_written(w: &World<'_>) {
    let slash = |order: &str| (1, json!({"slash": order}));
    let decimal = |sign: &str| (2, json!({"decimal": sign}));
    type Case<'c> = (&'c [[&'c str; 2]], (usize, Value), &'c [(&'c str, f64)]);
    let cases: [Case<'_>; 10] = table![
        &[["06/05/2025", "601"], ["06/25/2025", "602"]], slash("month-first"),
            &[("2025-06-05", 601.0), ("2025-06-25", 602.0)];
        &[["07/05/2025", "611"], ["08/05/2025", "612"]], slash("undecided"),
            &[("2025-05-07", 611.0), ("2025-05-08", 612.0)];
        &[["25/07/2025", "621"], ["07/26/2025", "622"], ["03/04/2025", "623"], ["04.04.2025", "624"]],
            slash("contradicts"), &[("2025-04-04", 624.0)];
        &[["01.02.2025", "1.034,5"], ["02.02.2025", "1.034"]], decimal("comma"),
            &[("2025-02-01", 1034.5), ("2025-02-02", 1034.0)];
        &[["01.03.2025", "1,034.5"], ["02.03.2025", "1,034"], ["03.03.2025", "612.5"]], decimal("point"),
            &[("2025-03-01", 1034.5), ("2025-03-02", 1034.0), ("2025-03-03", 612.5)];
        &[["01.01.2025", "1.034,5"], ["02.01.2025", "1,034.5"], ["03.01.2025", "605"]], decimal("contradicts"),
            &[("2025-01-03", 605.0)];
        &[["20.10.25", "631"], ["5.1.26", "632"]], (1, json!({"shortYearsTo": "2027-03-02"})),
            &[("2025-10-20", 631.0), ("2026-01-05", 632.0)];
        &[["20251021", "641"], ["20251022", "642"]], (1, json!({"digits": "days"})),
            &[("2025-10-21", 641.0), ("2025-10-22", 642.0)];
        &[["22.11.2025 0:00:00", "651"], ["2025/11/23", "652"], ["2025.11.24", "653"]], (1, Value::Null),
            &[("2025-11-22", 651.0), ("2025-11-23", 652.0), ("2025-11-24", 653.0)];
        &[["45930", "661"], ["45931", "662"]], (1, json!({"digits": "serials"})),
            &[("2025-09-30", 661.0), ("2025-10-01", 662.0)];
    ];
    for (cells, (column, notation), read) in &cases {
        let file = weighings(cells);
        let foreseen = preview(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await.json();
        assert_eq!(foreseen["sheets"][0]["columns"][*column]["notation"], *notation, "{cells:?}");
        let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
        let stored = &doc["intake"]["sheets"][0]["columns"][*column]["notation"];
        assert_eq!(stored, notation, "{cells:?}");
        let id = doc["id"].as_i64().unwrap();
        let read: Vec<_> = read.iter().map(|(day, weight)| ((*day).to_owned(), *weight)).collect();
        assert_eq!(brought(w, id).await, read, "{cells:?}");
        for row in rows(w, "alpha", id, "where[state][equals]=held").await {
            holds!(row["faults"][0], {"code": "notation-contradicts"});
        }
    }
}

/// A time that is written without an offset is one of the clock of the place, and its day the one that is written.
#[test_with(once)]
async fn times_without_an_offset_are_those_of_the_place(w: &World<'_>) {
    changed!(w, "alpha", "organizations", 1, {"timeZone": "Asia/Kamchatka"});
    let calving = "Инд.№;Дата отёла;Лёгкость отёла\r\n960000000002;31.12.2025 14:00;1\r\n";
    for (state, file) in table![
        "created", calving.to_owned();
        "unchanged", calving.replace(" 14:00", "");
        "unchanged", calving.replace("14:00", "23:59:59");
    ] {
        let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
        holds!(doc["intake"], {"rows": 1, state: 1}, "{file}");
    }
    holds!(w.doc("animals", 2).await, {"current.lastCalvingDate": "2025-12-31T00:00:00.000Z"});

    let visit = |time: &str| format!("960000000002;01.02.2026 {time};8;3\r\n");
    let visits: String = ["00:30", "13:00", "23:30"].map(visit).concat();
    let file = format!("Корова;Начало дойки;Удой, кг;Бокс\r\n{visits}");
    for (state, end) in [("created", ""), ("unchanged", "\r\n")] {
        let doc = sent(w, "alpha", "b.csv", format!("{file}{end}").as_bytes(), &json!({})).await;
        holds!(doc["intake"], {"rows": 3, state: 3}, "{}", doc["intake"]);
    }
    let all = w.list("milking-visits", "").await;
    holds!(all[0], {"startedAt": "2026-01-31T12:30:00.000Z"});
    let days = w.list("daily-milkings", "").await;
    assert_eq!(days.len(), 1);
    holds!(days[0], {"date": "2026-02-01T00:00:00.000Z", "milkYield": 24});
}

/// What was decided by other rows holds for rows that wait, and for the table of those that are held.
#[test_with(once)]
async fn rows_that_are_held_keep_the_notation_of_their_column(w: &World<'_>) {
    let file = weighings(&[["06/25/2025", "1.034,5"], ["06/05/2025", "1.044"], ["06/06/2025", "1.055"]])
        .replace("960000000002;06/05", "960000000098;06/05")
        .replace("960000000002;06/06", "960000000099;06/06");
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"intake.created": 1, "intake.held": 2});
    let id = doc["id"].as_i64().unwrap();
    let table = w.get("alpha", &format!("/api/data-submissions/{id}/table?state=held")).await.text;
    assert!(table.contains("960000000098;2025-06-05;1044;held;3;"), "{table}");
    assert!(table.contains("960000000099;2025-06-06;1055;held;4;"), "{table}");

    made!(w, "admin", "animals", {"identNumber": "960000000099", "sex": "female", "birthDate": "2020-05-05", "owner": 1});
    assert_eq!(reader(w).try_waiting().await.unwrap(), 1);
    let read = [("2025-06-25".to_owned(), 1034.5), ("2025-06-06".to_owned(), 1055.0)];
    assert_eq!(brought(w, id).await, read);

    let mended = table.replace("960000000098", "960000000002");
    let doc = sent(w, "alpha", "b.csv", mended.as_bytes(), &json!({})).await;
    holds!(doc, {"intake.created": 1, "intake.unchanged": 1});
    let second = brought(w, doc["id"].as_i64().unwrap()).await;
    assert!(second.contains(&("2025-06-05".to_owned(), 1044.0)), "{second:?}");
}
