//! What cells of packages mean: a word that is understood is its value, one that is not never becomes another fact.

use crate::packages::desk::{once, rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

/// The rows of a table that Alpha sends, in their order.
async fn read(w: &World<'_>, header: &str, lines: &[&str]) -> Vec<Value> {
    let file = format!("{header}\r\n{}\r\n", lines.join("\r\n"));
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    assert_eq!(doc["intake"]["state"], "read", "{doc}");
    rows(w, "alpha", doc["id"].as_i64().unwrap(), "sort=position").await
}

/// Each line is read as one column says: as a new row with this value of the field, or held with this code.
async fn means(w: &World<'_>, header: &str, title: &str, path: &str, cases: &[(&str, Value)]) {
    let lines: Vec<&str> = cases.iter().map(|(line, _)| *line).collect();
    let all = read(w, header, &lines).await;
    assert_eq!(all.len(), cases.len(), "{all:?}");
    for (row, (line, value)) in all.iter().zip(cases) {
        if let Some(code) = value["held"].as_str() {
            holds!(row, {"state": "held", "record": null, "faults.0.code": code, "faults.0.column": title,
                "faults.0.path": path}, "{line}");
            continue;
        }
        assert_eq!(row["state"], "created", "{line}: {row}");
        assert_eq!(row["faults"], json!([]), "{line}: {row}");
        let slug = row["collection"].as_str().unwrap();
        let doc = w.doc(slug, row["record"].as_i64().unwrap()).await;
        assert_eq!(doc[path], *value, "{line}: {doc}");
    }
}

fn held(code: &str) -> Value {
    json!({"held": code})
}

#[test_with(once)]
async fn an_event_of_an_unknown_kind_never_becomes_a_calving(w: &World<'_>) {
    let header = "Инд.№;Дата события;Номер отёла;Тип события";
    means(
        w,
        header,
        "Тип события",
        "eventType",
        &table![
            "960000000002;12.03.2022;;Отёл", json!("calving");
            "960000000002;12.01.2023;;сухостой", json!("dryOff");
            "960000000002;12.03.2023;;отел", json!("calving");
            "960000000002;12.01.2024;;Запуск", json!("dryOff");
            "960000000002;10.02.2025;;Аборт", json!("abortion");
            "960000000002;10.06.2025;;Abortion", json!("abortion");
            "960000000002;10.08.2025;;Dry off", json!("dryOff");
            "960000000002;10.10.2025;;DRYOFF", json!("dryOff");
            "960000000002;10.02.2026;;Абракадабра", held("not-an-option");
        ],
    )
    .await;
}

#[test_with(once)]
async fn words_of_farms_are_values(w: &World<'_>) {
    let header = "Инд.№;Дата отёла;Номер отёла;Лёгкость отёла;Приплод";
    let lines = [
        "960000000002;12.03.2022;;лёгкий;двойня",
        "960000000002;12.03.2023;;Трудный;один",
        "960000000002;12.03.2025;;без помощи;Тройня",
        "960000000002;12.02.2026;;7;Двойня",
    ];
    let all = read(w, header, &lines).await;
    let expected = [("easy", "twins"), ("hard", "one"), ("easy", "triplets"), ("", "twins")];
    for (row, (ease, result)) in all.iter().zip(expected) {
        let doc = w.doc("calvings", row["record"].as_i64().unwrap()).await;
        let ease = (!ease.is_empty()).then_some(ease);
        holds!(doc, {"ease": ease, "result": result}, "{row}");
    }
    // No other value takes its place: the row is taken without it.
    holds!(all[3], {"state": "created", "faults.0.code": "not-an-option", "faults.0.column": "Лёгкость отёла"});

    means(
        w,
        "Инд.№;Пол;Дата рождения",
        "Пол",
        "sex",
        &[
            ("960000000101;ж;01.02.2025", json!("female")),
            ("960000000102;Тёлочка;01.02.2025", json!("female")),
            ("960000000103;Самка;01.02.2025", json!("female")),
            ("960000000104;нетель;01.02.2025", json!("female")),
            ("960000000105;Самец;01.02.2025", json!("male")),
            ("960000000106;бычок;01.02.2025", json!("male")),
            ("960000000107;непонятно;01.02.2025", held("not-an-option")),
        ],
    )
    .await;
    let lines = ["960000000101;выбыло;20.01.2026", "960000000102;ушла;20.01.2026"];
    let all = read(w, "Инд.№;Состояние;Дата выбытия", &lines).await;
    holds!(all[0], {"state": "updated", "faults": []});
    let doc = w.doc("animals", all[0]["record"].as_i64().unwrap()).await;
    assert_eq!(doc["state"], "culled");
    holds!(all[1], {"state": "held", "faults.0.code": "not-an-option", "faults.0.column": "Состояние"});
}

#[test_with(once)]
async fn what_decides_about_a_row_holds_it(w: &World<'_>) {
    means(
        w,
        "Инд.№;Дата осеменения;Бык;Результат",
        "Результат",
        "result",
        &table![
            "960000000002;01.02.2022;960000000001;Pregnant", json!(1);
            "960000000002;01.05.2022;960000000001;Подтверждено", held("invalid-relation");
        ],
    )
    .await;
    means(
        w,
        "Инд.№;Дата замера;Удой за день, кг;Код",
        "Код",
        "testCode",
        &table![
            "960000000002;01.02.2023;25;", json!("none");
            "960000000002;02.02.2023;;Сухостой", json!("dry");
            "960000000002;03.02.2023;;сухост.", json!("dry");
            "960000000002;04.02.2023;;Больная", json!("sick");
            "960000000002;05.02.2023;25;непонятно", held("not-an-option");
        ],
    )
    .await;
    means(
        w,
        "Инд.№;Дата взвешивания;Живая масса",
        "Живая масса",
        "weight",
        &[
            ("960000000002;01.02.2023;612", json!(612)),
            ("960000000002;02.02.2023;0", held("too-small")),
            ("960000000002;03.02.2023;0,0", held("too-small")),
        ],
    )
    .await;
}

#[test_with(once)]
async fn an_unknown_parent_is_no_parent_and_takes_none_from_the_book(w: &World<'_>) {
    let unknown = [
        "0",
        "000000000000000",
        "0,00",
        "нет",
        "Неизвестен",
        "неизв.",
        "unknown",
        "UNK",
        "UUUUUUUUUUUUUUUUUUU",
        "-",
        "н/д",
    ];
    let line = |(at, text): (usize, &&str)| format!("9600000001{at:02};ж;01.02.2025;{text};{text}");
    let lines: Vec<String> = unknown.iter().enumerate().map(line).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for row in read(w, "Инд.№;Пол;Дата рождения;Отец;Мать", &lines).await {
        holds!(row, {"state": "created", "faults": []});
        let doc = w.doc("animals", row["record"].as_i64().unwrap()).await;
        holds!(doc, {"father": null, "mother": null, "pedigreeText.fatherId": null, "pedigreeText.motherId": null}, "{row}");
    }
    // A parent that is not in the book is a text, which stays too.
    read(w, "Инд.№;Отец", &["960000000100;HODEU000099000013"]).await;
    let lines = ["960000000004;Нега;0;нет", "960000000100;Якутка;неизвестен;-"];
    let all = read(w, "Инд.№;Кличка;Отец;Мать", &lines).await;
    let known = w.doc("animals", 4).await;
    holds!(known, {"name": "Нега", "father": 1, "mother": 2, "pedigreeText.fatherId": null});
    let other = w.doc("animals", all[1]["record"].as_i64().unwrap()).await;
    holds!(other, {"name": "Якутка", "pedigreeText.fatherId": "HODEU000099000013"});
    let all = read(w, "identNumber;name;father;mother", &["960000000004;Вега;0;000000"]).await;
    holds!(all[0], {"state": "updated", "faults": []});
    holds!(w.doc("animals", 4).await, {"name": "Вега", "father": 1, "mother": 2});

    let all = read(w, "Инд.№;Дата осеменения;Бык", &["960000000002;01.02.2022;неизвестен"]).await;
    let service = w.doc("inseminations", all[0]["record"].as_i64().unwrap()).await;
    holds!(service, {"bull": null, "bullText": null});
}

#[test_with(once)]
async fn a_kind_of_event_in_a_column_that_is_not_read_holds_its_row(w: &World<'_>) {
    let lines = ["960000000002;20.01.2026;Аборт", "960000000002;21.01.2026;Отёл", "960000000002;22.01.2026;три"];
    let all = read(w, "Инд.№;Дата отёла;Чем закончилось", &lines).await;
    holds!(all[0], {"state": "held", "record": null, "faults.0.code": "column-unconfirmed", "faults.0.path": "eventType"});
    holds!(all[1], {"state": "created", "faults": []});
    let all = read(w, "Инд.№;Дата события;Исход отёла;Номер отёла", &["960000000002;20.01.2026;Аборт;3"]).await;
    assert_eq!(w.doc("calvings", all[0]["record"].as_i64().unwrap()).await["eventType"], "abortion");
}
