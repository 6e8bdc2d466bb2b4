//! Cells that show more than a number: zeros before it, a percentage, a formula that makes it a text
//! (docs/import.md, *Cells*).

use crate::packages::desk::{once, rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

#[path = "../../../../src/sheets/tests/pack.rs"]
mod pack;

enum Cell {
    Text(&'static str),
    /// A number under the format `0000`, and what people see.
    Zeros(&'static str, &'static str),
    /// A number under the format `0.00%`, and what people see.
    Percent(&'static str, &'static str),
}
use Cell::{Percent, Text, Zeros};

type Rows<'r> = &'r [&'r [Cell]];

fn xlsx(table: Rows<'_>) -> Vec<u8> {
    let cell = |cell: &Cell| match cell {
        Text(text) => format!(r#"<c t="inlineStr"><is><t>{text}</t></is></c>"#),
        Zeros(number, _) => format!(r#"<c s="2"><v>{number}</v></c>"#),
        Percent(number, _) => format!(r#"<c s="3"><v>{number}</v></c>"#),
    };
    let row = |row: &&[Cell]| format!("<row>{}</row>", row.iter().map(cell).collect::<String>());
    pack::rows(&table.iter().map(row).collect::<String>())
}

/// A file of a table.
type Pack = fn(Rows<'_>) -> Vec<u8>;

fn ods(table: Rows<'_>) -> Vec<u8> {
    let cell = |cell: &Cell| {
        let (kind, number, seen) = match cell {
            Text(text) => ("string", "", text),
            Zeros(number, seen) => ("float", *number, seen),
            Percent(number, seen) => ("percentage", *number, seen),
        };
        format!(
            r#"<table:table-cell office:value-type="{kind}" office:value="{number}"><text:p>{seen}</text:p></table:table-cell>"#
        )
    };
    let row = |row: &&[Cell]| {
        let cells: String = row.iter().map(cell).collect();
        format!("<table:table-row>{cells}</table:table-row>")
    };
    let rows: String = table.iter().map(row).collect();
    pack::ods(&format!(r#"<table:table table:name="A">{rows}</table:table>"#))
}

const HERD: Rows<'static> = &[
    &[Text("Инд.№"), Text("Пол"), Text("Дата рождения"), Text("Инвентарный номер")],
    &[Text("960001007001"), Text("ж"), Text("01.02.2022"), Text("800")],
    &[Text("960001007002"), Text("ж"), Text("01.02.2022"), Zeros("800", "0800")],
];
const WEIGHTS: Rows<'static> = &[
    &[Text("Инд.№"), Text("Дата взвешивания"), Text("Масса, кг")],
    &[Zeros("800", "0800"), Text("04.02.2026"), Zeros("600", "0600")],
    &[Text("800"), Text("05.02.2026"), Text("601")],
];
const TESTS: Rows<'static> = &[
    &[Text("Инд.№"), Text("Дата замера"), Text("Удой за день, кг"), Text("Жир, %")],
    &[Text("960000000002"), Text("01.02.2026"), Text("25"), Percent("0.041", "4,10 %")],
    // Milk is no percentage.
    &[Text("960000000002"), Text("02.02.2026"), Percent("0.25", "25,00 %"), Text("4,1")],
];

/// The values of a list, field by field.
async fn values(w: &World<'_>, slug: &str, fields: [&str; 2]) -> Vec<[Value; 2]> {
    let docs = w.list(slug, "").await;
    let values = |doc: &Value| fields.map(|field| doc[field].clone());
    docs.iter().map(values).collect()
}

#[test_with(once)]
async fn workbooks_say_what_people_see_in_them(w: &World<'_>) {
    let forms: [(&str, Pack); 2] = [("xlsx", xlsx), ("ods", ods)];
    for (form, write) in forms {
        // The same rows in another form change nothing.
        let state = match form {
            "xlsx" => "created",
            _ => "unchanged",
        };
        for (table, taken, held) in [(HERD, 2, 0), (WEIGHTS, 2, 0), (TESTS, 1, 1)] {
            let name = format!("a.{form}");
            let doc = sent(w, "alpha", &name, &write(table), &json!({})).await;
            let counts = [&doc["intake"][state], &doc["intake"]["held"]];
            assert_eq!(counts, [&json!(taken), &json!(held)], "{doc}");
        }
    }
    let numbered = async |number: &str| {
        let filter = format!("where[altIds.inventoryNumber][equals]={number}");
        w.list("animals", &filter).await[0]["id"].clone()
    };
    let weights = values(w, "weighings", ["animal", "weight"]).await;
    let (with_zero, without) = (numbered("0800").await, numbered("800").await);
    assert_ne!(with_zero, without);
    assert_eq!(weights, [[with_zero, json!(600)], [without, json!(601)]]);
    let tests = values(w, "milk-tests", ["milkYield", "fatPercent"]).await;
    assert_eq!(tests, [[json!(25), json!(4.1)]]);
}

#[test_with(once)]
async fn texts_of_spreadsheets_are_read_without_what_protects_them(w: &World<'_>) {
    let head = "Инд.№;Дата замера;Удой за день, кг;Жир, %\r\n";
    let row = "=\"960000000002\";10.02.2026;=\"25,5\";4,10%\r\n";
    let file = format!("{head}{row}");
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"dataset": "milkTests", "intake.created": 1, "intake.held": 0});
    let lines = rows(w, "alpha", doc["id"].as_i64().unwrap(), "").await;
    assert_eq!(lines[0]["ident"], "960000000002");
    let tests = values(w, "milk-tests", ["milkYield", "fatPercent"]).await;
    assert_eq!(tests, [[json!(25.5), json!(4.1)]]);
}

#[test_with(once)]
async fn shares_in_place_of_percentages_are_a_finding_of_the_package(w: &World<'_>) {
    let mut file = "Инд.№;Дата замера;Удой за день, кг;Жир, %\r\n".to_owned();
    for day in 1..=3 {
        file += &format!("960000000002;0{day}.02.2026;25;0,041\r\n");
    }
    // The sender says that they are as they stand.
    let stated = json!({"mapping": {"units": {"Жир, %": null}}});
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &stated).await;
    let filter = format!("where[submission][equals]={}", doc["id"]);
    let found = w.list("check-findings", &filter).await;
    assert_eq!(found.len(), 1, "{found:?}");
    holds!(found[0], {"code": "unit-suspect", "collection": "data-submissions"});
    let message = found[0]["message"]["en"].as_str().unwrap();
    assert!(message.contains("fatPercent"), "{message}");
}
