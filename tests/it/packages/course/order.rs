//! The same table with its rows and columns in another order, and with titles, blank rows, the header once more and
//! totals, says the same of the book. That it is read alike is a property test of `src/ingest/tests/order.rs`.

use crate::packages::desk::{once, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

/// Tables that bring rows, some of which are held.
const TABLES: [&[&str]; 3] = [
    &[
        "Инд.№;Дата отёла;Событие;Лёгкость отёла",
        "960000000002;12.03.22;Отёл;лёгкий",
        "960000000002;12.01.23;Запуск;",
        "960000000002;12.03.23;Отёл;7",
        "960000000002;12.02.26;Абракадабра;",
    ],
    &[
        "Инд.№;Дата контроля;Удой, кг;Жир, %",
        "960000000002;06/25/2025;31,5;4,1",
        "960000000002;06/05/2025;24,5;н/д",
        "960000000002;07/06/2025;22;3,95",
        "960000000099;07/06/2025;22;3,95",
    ],
    &[
        "Инд.№;Пол;Дата рождения;Отец;Кличка",
        "960000000101;ж;45658;0;Зорька",
        "960000000102;тёлочка;45659;нет;Ночка",
        "960000000103;непонятно;45660;;Милка",
    ],
];

/// A table in another order, and with what people put around its rows.
fn changed(table: &[&str], case: usize) -> String {
    let cells = |line: &str| {
        let mut cells: Vec<String> = line.split(';').map(str::to_owned).collect();
        let turns = case % cells.len();
        cells.rotate_left(turns);
        cells.join(";")
    };
    let header = cells(table[0]);
    let mut rows: Vec<String> = table[1..].iter().map(|line| cells(line)).collect();
    let turns = case % rows.len();
    rows.rotate_left(turns);
    if case % 2 == 1 {
        rows.reverse();
    }
    rows.insert(turns, header.clone());
    rows.insert(turns, String::new());
    let title = format!("Отчёт № {case}");
    // A row with an animal is no total.
    let total = header.split(';').enumerate().map(|(place, title)| match (place, title) {
        (0, _) => "Итого",
        (_, "Инд.№") => "",
        _ => "1.034,5",
    });
    let total = total.collect::<Vec<_>>().join(";");
    [vec![title, header], rows, vec![total]].concat().join("\r\n")
}

async fn counts(w: &World<'_>, file: &str) -> [Value; 4] {
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let intake = &doc["intake"];
    assert_eq!(intake["state"], "read", "{file}: {intake}");
    ["created", "updated", "unchanged", "held"].map(|name| intake[name].clone())
}

#[test_with(once)]
async fn order_and_surroundings_of_rows_change_nothing_that_is_stored(w: &World<'_>) {
    let mut brought = Vec::new();
    for table in TABLES {
        let [created, _, _, held] = counts(w, &table.join("\r\n")).await;
        assert_eq!([&created, &held], [&json!(table.len() - 2), &json!(1)], "{table:?}");
        brought.push((created, held));
    }
    for case in 1..=test_support::at(6, 24) {
        let place = case % TABLES.len();
        let (created, held) = brought[place].clone();
        let file = changed(TABLES[place], case);
        let second = counts(w, &file).await;
        assert_eq!(second, [json!(0), json!(0), created, held], "{file}");
    }
}
