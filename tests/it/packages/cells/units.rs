//! Units and signs in cells, and columns whose unit the sender confirms (docs/import.md, *Units*).

use crate::packages::desk::{once, preview, protocol, read_all, rows, sent};
use crate::pages::russian;
use crate::pages::send as press;
use crate::rest::world::World;
use serde_json::{Value, json};

/// Milk tests of one cow, one for each day of a month.
fn tests(month: u32, column: &str, cells: &[String]) -> String {
    let lines = (1..).zip(cells).map(|(day, cell)| format!("960000000002;{day:02}.{month:02}.2026;25;{cell}\r\n"));
    format!("Инд.№;Дата замера;Удой за день, кг;{column}\r\n{}", lines.collect::<String>())
}

/// The values of a field that a package brought.
async fn brought(w: &World<'_>, slug: &str, id: i64, field: &str) -> Vec<Value> {
    let mut all = w.list(slug, &format!("where[submission][equals]={id}")).await;
    all.sort_by_key(|row| row["date"].to_string());
    all.iter().map(|row| row[field].clone()).collect()
}

async fn answers(w: &World<'_>, id: i64, mapping: Value) -> Value {
    let answer = w.patch("alpha", "data-submissions", id, json!({"mapping": mapping})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    read_all(w).await;
    w.doc("data-submissions", id).await
}

#[test_with(once)]
async fn a_column_that_may_be_in_another_unit_waits_for_the_sender(w: &World<'_>) {
    let cells: Vec<String> = (1..=12).map(|n| (80_000 + 1_000 * n).to_string()).collect();
    let file = tests(1, "Соматика", &cells);
    let question = json!([{"title": "Соматика", "unit": "cells/ml", "samples": ["81000", "82000"]}]);
    let foreseen = preview(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await.json();
    assert_eq!(foreseen["questions"], question, "{foreseen}");

    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"intake.held": 12, "intake.created": 0});
    assert_eq!(doc["intake"]["sheets"][0]["questions"], question);
    let id = doc["id"].as_i64().unwrap();
    for row in rows(w, "alpha", id, "").await {
        holds!(row["faults"][0], {"code": "column-unconfirmed", "path": "somaticCells"});
    }
    assert!(protocol(w, "alpha", &doc).await.contains("column-unconfirmed"));

    let page = format!("/book/data-submissions/{id}");
    let answer = russian(w, "alpha", &page).await;
    for text in ["81000; 82000", "cells/ml", "name=\"mapping\"", "Нет, как записано"] {
        assert!(answer.text.contains(text), "{text}: {}", answer.text);
    }
    let yes = r#"{"units":{"Соматика":"cells/ml"}}"#;
    let answered = press(w, "alpha", &page, &[("mapping", yes)]).await;
    assert_eq!(answered.status, 303, "{}", answered.text);
    read_all(w).await;
    let doc = w.doc("data-submissions", id).await;
    holds!(doc, {"intake.held": 0, "intake.created": 12, "intake.sheets.0.questions": []});
    let thousands: Vec<Value> = (81..=92).map(|n| json!(n)).collect();
    assert_eq!(brought(w, "milk-tests", id, "somaticCells").await, thousands);

    let doc = answers(w, id, json!({"units": {"Соматика": null}})).await;
    holds!(doc, {"intake.held": 0});
    let written: Vec<Value> = (81..=92).map(|n| json!(1_000 * n)).collect();
    assert_eq!(brought(w, "milk-tests", id, "somaticCells").await, written);

    let body = json!({"mapping": {"units": {"Соматика": "шагов"}}});
    let path = format!("/api/data-submissions/{id}");
    refused!(w, "alpha", "PATCH {path}", body => 400 ["mapping.units.Соматика"]);

    // One wild value is none of the column.
    let wild = tests(2, "Соматика", &["250", "90000", "300"].map(str::to_owned));
    let doc = sent(w, "alpha", "b.csv", wild.as_bytes(), &json!({})).await;
    holds!(doc, {"intake.created": 3});
}

#[test_with(once)]
async fn numbers_behind_signs_wait_for_the_sender(w: &World<'_>) {
    for (month, counts, taken) in [(1, true, json!([10, 250, 5000])), (2, false, json!([null, 250, null]))] {
        let file = tests(month, "Соматика", &["<10", "250", ">5000"].map(str::to_owned));
        let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
        holds!(doc, {"intake.held": 2, "intake.created": 1});
        let question = json!([{"title": "Соматика", "samples": ["<10", ">5000"]}]);
        assert_eq!(doc["intake"]["sheets"][0]["questions"], question);
        let id = doc["id"].as_i64().unwrap();
        let held_rows = rows(w, "alpha", id, "where[state][equals]=held").await;
        holds!(held_rows[0]["faults"][0], {"code": "column-unconfirmed", "value": "<10"});
        let doc = answers(w, id, json!({"signs": {"Соматика": counts}})).await;
        holds!(doc, {"intake.held": 0});
        assert_eq!(json!(brought(w, "milk-tests", id, "somaticCells").await), taken);
    }
}

#[test_with(once)]
async fn units_behind_numbers_are_those_of_the_field(w: &World<'_>) {
    let file = "Инд.№;Дата взвешивания;Масса\r\n960000000002;01.02.2026;612 кг\r\n\
                960000000002;02.02.2026;1300 lb\r\n960000000002;03.02.2026;612,5кг\r\n960000000002;04.02.2026;31%\r\n";
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"intake.created": 3, "intake.held": 1});
    let id = doc["id"].as_i64().unwrap();
    let read = brought(w, "weighings", id, "weight").await;
    assert_eq!(read, [json!(612), json!(589.670_081), json!(612.5)]);

    let file = tests(2, "Жир, %", &["4,10%", "4.1 %", "31 кг"].map(str::to_owned));
    let doc = sent(w, "alpha", "b.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"intake.created": 3});
    let id = doc["id"].as_i64().unwrap();
    let read = brought(w, "milk-tests", id, "fatPercent").await;
    assert_eq!(read, [json!(4.1), json!(4.1), Value::Null]);
    let lines = rows(w, "alpha", id, "sort=line").await;
    holds!(lines[2]["faults"][0], {"code": "wrong-unit", "value": "31 кг"});
}

/// Milkings without a total, as files and as other writes have them.
#[test_with(once)]
async fn milkings_without_a_total_are_added_up(w: &World<'_>) {
    let file = "Инд.№;Дата замера;Утро, кг;Обед, кг;Вечер, кг\r\n960000000002;01.02.2026;12,3;;11,4\r\n\
                960000000002;02.02.2026;10;8;9,5\r\n960000000002;03.02.2026;12;;\r\n";
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"dataset": "milkTests", "intake.created": 2, "intake.held": 1});
    let id = doc["id"].as_i64().unwrap();
    assert_eq!(brought(w, "milk-tests", id, "milkYield").await, [json!(23.7), json!(27.5)]);
    let lines = rows(w, "alpha", id, "sort=line").await;
    holds!(lines[0]["faults"][0], {"code": "sum-of-milkings", "path": "milkYield"});
    holds!(lines[2]["faults"][0], {"code": "required", "path": "milkYield"});

    // The order in which milkings arrive makes no difference.
    for (day, parts) in [(1, ["morning", "noon", "evening"]), (2, ["evening", "noon", "morning"])] {
        let kg = |part: &str| match part {
            "morning" => 12.3,
            "noon" => 7.1,
            _ => 11.4,
        };
        let test = made!(w, "alpha", "milk-tests", {"animal": 2, "date": format!("2026-01-0{day}"), "fatPercent": 4});
        for part in parts {
            changed!(w, "alpha", "milk-tests", test, {"yields": {part: kg(part)}});
        }
        let doc = w.doc("milk-tests", test).await;
        holds!(doc, {"milkYield": 30.8, "milkYieldComputed": true});
        // A stated total stays, until nobody states one.
        changed!(w, "alpha", "milk-tests", test, {"milkYield": 30});
        changed!(w, "alpha", "milk-tests", test, {"yields": {"noon": 9}});
        holds!(w.doc("milk-tests", test).await, {"milkYield": 30, "milkYieldComputed": null});
        changed!(w, "alpha", "milk-tests", test, {"milkYield": null});
        holds!(w.doc("milk-tests", test).await, {"milkYield": 32.7, "milkYieldComputed": true});
        // One milking is no day.
        changed!(w, "alpha", "milk-tests", test, {"yields": {"evening": null}});
        holds!(w.doc("milk-tests", test).await, {"milkYield": null, "milkYieldComputed": null});
    }
}
