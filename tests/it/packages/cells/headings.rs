//! Headings and results as farms write them, and what a sender reads in his language.

use crate::packages::desk::{once, reader, rows, sent};
use crate::pages::page;
use crate::rest::world::World;
use serde_json::{Value, json};

/// The rows of a table that Alpha sends, in their order.
async fn read(w: &World<'_>, table: &str) -> Vec<Value> {
    let doc = sent(w, "alpha", "a.csv", table.as_bytes(), &json!({})).await;
    assert_eq!(doc["intake"]["state"], "read", "{table}: {}", doc["intake"]);
    rows(w, "alpha", doc["id"].as_i64().unwrap(), "sort=position").await
}

#[test_with(once)]
async fn an_abortion_is_never_taken_as_a_calving(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-03-01"});
    let table = "Инд.№;Дата аборта;Тип события\r\n960000000002;10.01.2026;\r\n960000000002;11.01.2026;Отёл\r\n";
    let all = read(w, table).await;
    holds!(all[0], {"state": "created", "dataset": "abortions", "faults": []});
    holds!(all[1], {"state": "held", "record": null, "faults.0.code": "not-an-option", "faults.0.column": "Тип события"});
    // Stated as calvings, and with a day that may be either, it is not read; nor are treatments and leavings.
    for (table, body, fault) in [
        (
            "Инд.№;Дата аборта;Комментарий\r\n960000000002;12.01.2026;\r\n",
            json!({"mapping": {"set": "calvings"}}),
            "missing-columns",
        ),
        ("Инд.№;Дата отёла;Дата аборта\r\n960000000002;;12.01.2026\r\n", json!({}), "set-unsure"),
        ("Инд.№;Дата;Лечение\r\n960000000002;12.01.2026;Мастинол\r\n", json!({}), "missing-columns"),
        ("Инд.№;Дата;Причина выбытия\r\n960000000002;12.01.2026;Udder\r\n", json!({}), "missing-columns"),
    ] {
        let doc = sent(w, "alpha", "b.csv", table.as_bytes(), &body).await;
        holds!(doc, {"intake.state": "failed", "intake.fault": fault}, "{table}");
    }
    let kinds: Vec<Value> = w.list("calvings", "").await.iter().map(|row| row["eventType"].clone()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "calving").count(), 1, "{kinds:?}");
}

#[test_with(once)]
async fn rows_of_a_second_table_are_held_unless_they_are_no_records(w: &World<'_>) {
    let table = "Инд.№;Дата замера;Удой;Жир;Белок\r\n960000000002;05.01.2026;25;4,1;3,3\r\n\r\n\
        Инд.№;Дата замера;Удой;Белок;Жир\r\n960000000002;06.01.2026;25;3,3;4,1\r\nИтого;;50;;\r\n";
    let doc = sent(w, "alpha", "a.csv", table.as_bytes(), &json!({})).await;
    let path = format!("/api/data-submissions/{}", doc["id"]);
    let all = rows(w, "alpha", doc["id"].as_i64().unwrap(), "sort=position").await;
    assert_eq!(all.len(), 4, "{all:?}");
    holds!(all[0], {"state": "created", "faults": []});
    for row in &all[1..3] {
        holds!(row, {"state": "held", "record": null, "faults.0.code": "other-table"});
    }
    holds!(all[3], {"state": "skipped"});
    // Their cells mean something else than the columns say: no way leads them into the book.
    for cells in [json!(["960000000002", "06.01.2026", "25", "3,3", "4,1"]), json!({"Удой": "26"})] {
        let body = json!([{"id": all[2]["id"], "cells": cells}]).to_string();
        w.ask("alpha", "PATCH", &format!("{path}/rows"), body).await.assert_faulty(400, &["0.id"]);
    }
    page(w, "alpha", &path.replace("/api", "/book")).await.lacks(&["name=\"cell."]);
    assert_eq!(reader(w).try_waiting().await.unwrap(), 0);
    let held = w.get("alpha", &format!("{path}/table?state=held")).await.text;
    let again = sent(w, "alpha", "b.csv", held.as_bytes(), &json!({})).await;
    holds!(again, {"intake.state": "read", "intake.rows": 2, "intake.held": 2}, "{held}");
    let tests = w.list("milk-tests", "").await;
    assert_eq!(tests.len(), 1, "{tests:?}");
}

#[test_with(once)]
async fn a_result_is_the_only_entry_that_means_what_a_word_says(w: &World<'_>) {
    let empty = json!({"code": "2", "name": "Пришла в охоту", "adeResult": "empty"});
    let empty = w.made("admin", "insemination-results", empty).await;
    let line = |(month, result): (u8, &str)| format!("960000000002;01.{month:02}.2022;960000000001;{result}\r\n");
    let lines = |cells: &[(u8, &str)]| cells.iter().copied().map(line).collect::<String>();
    let cells = [(1, "ялов."), (3, "нет"), (5, "0"), (7, "-"), (9, "+"), (11, "Абракадабра")];
    let head = "Инд.№;Дата осеменения;Бык;Стельность\r\n";
    let all = read(w, &format!("{head}{}", lines(&cells))).await;
    for (row, result) in all.iter().zip([empty, empty, empty, empty, 1]) {
        holds!(row, {"state": "created", "faults": []});
        let doc = w.doc("inseminations", row["record"].as_i64().unwrap()).await;
        assert_eq!(doc["result"], result, "{row}");
    }
    holds!(all[5], {"state": "held", "faults.0.code": "invalid-relation"});
    // A yes is a result only under a heading of a check, and nobody knows which of two entries a word means.
    let head = "Инд.№;Дата осеменения;Бык;Результат\r\n";
    made!(w, "admin", "insemination-results", {"code": "3", "name": "Прохолост", "adeResult": "empty"});
    for row in read(w, &format!("{head}{}", lines(&[(2, "да"), (4, "ялов.")]))).await {
        holds!(row, {"state": "held", "faults.0.code": "invalid-relation", "faults.0.column": "Результат"});
    }
}

#[test_with(once)]
async fn rows_of_animals_say_what_is_wrong_and_what_to_do(w: &World<'_>) {
    made!(w, "beta", "animals", {"identNumber": "643999000000001", "sex": "female", "birthDate": "2020-05-05",
        "publicVisible": true, "publicDetails": true});
    let table = "Инд.№;Пол;Дата рождения;Кличка;Состояние;Дата выбытия\r\n\
        643999000000001;ж;05.05.2020;Нега;;\r\n\
        960000000002;ж;;;жива;20.01.2026\r\n";
    let expected = [
        ("row-foreign-animal", "Инд.№", "This is an animal of another farm: correct its number, or leave the row out."),
        (
            "disposal-vs-state",
            "Дата выбытия",
            "The animal counts as alive, and a day of leaving is sent: \
            leave the day out, or say how the animal left (state or reason).",
        ),
    ];
    for (row, (code, column, message)) in read(w, table).await.iter().zip(expected) {
        holds!(row, {"state": "held", "faults.0.code": code, "faults.0.column": column, "faults.0.message": message});
    }
}

#[test_with(once)]
async fn why_a_file_is_not_read_is_told_in_the_language_of_the_request(w: &World<'_>) {
    let doc = sent(w, "alpha", "a.csv", "Настроение;Погода\r\n1;2\r\n".as_bytes(), &json!({})).await;
    let english = doc["intake"]["message"].as_str().unwrap().to_owned();
    assert!(english.starts_with("None of the first 20 rows"), "{doc}");
    let one = format!("/api/data-submissions/{}", doc["id"]);
    let list = "/api/data-submissions?limit=0".to_owned();
    // In turns: what one reader got must not be answered to the other.
    for language in ["ru", "en", "ru"] {
        for path in [&one, &list] {
            let answer = w.send("alpha", "GET", path, &[("accept-language", language)], "").await;
            let body = answer.json();
            let doc = body.get("docs").map_or(&body, |docs| &docs[0]);
            let message = doc["intake"]["message"].as_str().unwrap();
            assert_eq!(message.starts_with("Ни в одной из первых 20 строк"), language == "ru", "{path}: {message}");
            assert_eq!(message == english, language == "en", "{path}: {message}");
            assert_eq!(doc["intake"]["fault"], "no-header");
        }
    }
}
