//! Values of dictionaries and choices in packages: found as people write them, and learned once for all farms.

use crate::packages::desk::{read_all, rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

/// A table that a farm sends; its package, and its rows.
async fn read(w: &World<'_>, who: &str, header: &str, lines: &[&str]) -> (i64, Vec<Value>) {
    let file = format!("{header}\r\n{}\r\n", lines.join("\r\n"));
    let doc = sent(w, who, "a.csv", file.as_bytes(), &json!({})).await;
    assert_eq!(doc["intake"]["state"], "read", "{doc}");
    let id = doc["id"].as_i64().unwrap();
    (id, rows(w, who, id, "sort=position").await)
}

/// A field of the record of a row.
async fn value(w: &World<'_>, row: &Value, path: &str) -> Value {
    let slug = row["collection"].as_str().unwrap();
    let doc = w.doc(slug, row["record"].as_i64().unwrap()).await;
    doc[path].clone()
}

const ANIMALS: &str = "Инд.№;Пол;Дата рождения;Порода";

#[test_with(World::each)]
async fn a_breed_is_found_as_people_write_it_and_learned_once_for_all_farms(w: &World<'_>) {
    let holstein = made!(w, "expert", "breeds", {"code": "10", "name": "Голштинская"});
    let black = made!(w, "expert", "breeds", {"code": "11", "name": "Чёрно-пёстрая"});
    made!(w, "expert", "breeds", {"code": "12", "name": "Красная степная", "aliases": ["Степная"]});
    made!(w, "expert", "breeds", {"code": "13", "name": "Бурая", "aliases": ["степная."]});
    let cases = [
        ("голштинская", json!(holstein), ""),
        ("ЧЕРНО-ПЕСТРАЯ", json!(black), ""),
        ("Чёрно пёстрая", json!(black), ""),
        ("11", json!(black), ""),
        ("hol", json!(1), ""),
        ("СТЕПНАЯ", json!(null), "ambiguous-relation"),
        ("Голштинизированная", json!(null), "invalid-relation"),
    ];
    let line = |(at, (text, ..)): (usize, &(&str, Value, &str))| format!("96000000010{at};ж;01.02.2025;{text}");
    let lines: Vec<String> = cases.iter().enumerate().map(line).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (first, all) = read(w, "alpha", ANIMALS, &lines).await;
    for (row, (text, breed, code)) in all.iter().zip(&cases) {
        assert_eq!(value(w, row, "breed").await, *breed, "{text}");
        let fault = row["faults"][0]["code"].as_str().unwrap_or_default();
        assert_eq!((&row["state"], fault), (&json!("created"), *code), "{text}");
    }
    let other = "960000000201;ж;01.02.2025;ГОЛШТИНИЗИРОВАННАЯ";
    let (second, others) = read(w, "beta", ANIMALS, &[other]).await;

    let pending = w.list("pending-values", "").await;
    assert_eq!(pending.len(), 1, "{pending:?}");
    holds!(pending[0], {"title": "Голштинизированная", "target": "breeds", "status": "new", "seenTimes": 2,
        "rowsWithValue": 2, "samples": ["Порода"], "organizations": [1, 2]});
    let id = pending[0]["id"].as_i64().unwrap();
    let path = format!("/api/pending-values/{id}");
    ask!(w, "alpha", "GET /api/pending-values" => 403);
    for body in [json!({"status": "accepted"}), json!({"status": "accepted", "meansCode": "степная"})] {
        refused!(w, "expert", "PATCH {path}", body => 400 ["meansCode"]);
    }
    // A name becomes the code.
    let doc = changed!(w, "expert", "pending-values", id, {"status": "accepted", "meansCode": "голштинская"});
    holds!(doc, {"meansCode": "10", "decision.decidedBy": 2});
    assert_eq!(w.doc("breeds", holstein).await["aliases"], json!(["Голштинизированная"]));
    for package in [first, second] {
        assert_eq!(w.doc("data-submissions", package).await["intake"]["state"], "waiting");
    }
    read_all(w).await;
    for row in [&all[6], &others[0]] {
        assert_eq!(value(w, row, "breed").await, json!(holstein));
    }
    let line = "960000000120;ж;01.02.2025;«голштинизированная»";
    let (_, all) = read(w, "alpha", ANIMALS, &[line]).await;
    holds!(all[0], {"state": "created", "faults": []});
    assert_eq!(value(w, &all[0], "breed").await, json!(holstein));

    // Decided otherwise: the alias goes with it, and the packages are read again.
    changed!(w, "expert", "pending-values", id, {"meansCode": "11"});
    let aliases = w.doc("breeds", holstein).await["aliases"].clone();
    assert!(aliases.as_array().is_none_or(Vec::is_empty), "{aliases}");
    assert_eq!(w.doc("breeds", black).await["aliases"], json!(["Голштинизированная"]));
    read_all(w).await;
    assert_eq!(value(w, &others[0], "breed").await, json!(black));
    holds!(w.doc("pending-values", id).await, {"seenTimes": 2, "rowsWithValue": 2});
}

#[test_with(World::each)]
async fn a_row_that_waits_for_the_meaning_of_a_choice_is_taken_when_it_is_decided(w: &World<'_>) {
    let header = "Инд.№;Дата события;Номер отёла;Тип события";
    let lines = ["960000000002;12.03.2022;;Отёл", "960000000002;10.02.2025;;Вытек плод"];
    let (package, all) = read(w, "alpha", header, &lines).await;
    holds!(all[1], {"state": "held", "faults.0.code": "not-an-option"});
    let pending = w.list("pending-values", "").await;
    assert_eq!(pending.len(), 1, "{pending:?}");
    holds!(pending[0], {"title": "Вытек плод", "target": "calvings:eventType", "samples": ["Тип события"]});
    let id = pending[0]["id"].as_i64().unwrap();
    let path = format!("/api/pending-values/{id}");
    refused!(w, "expert", "PATCH {path}", {"status": "accepted", "meansCode": "1"} => 400 ["meansCode"]);
    let doc = changed!(w, "expert", "pending-values", id, {"status": "accepted", "meansCode": "Аборт"});
    assert_eq!(doc["meansCode"], "abortion");
    read_all(w).await;
    let all = rows(w, "alpha", package, "sort=position").await;
    holds!(all[1], {"state": "created", "faults": []});
    assert_eq!(value(w, &all[1], "eventType").await, "abortion");
}

#[test_with(World::each)]
async fn names_of_people_and_organisations_are_found_and_not_learned(w: &World<'_>) {
    let person = made!(w, "expert", "technicians", {"fullName": "Иванова А.П."});
    let header = "Инд.№;Дата осеменения;Бык;Техник";
    let lines = ["960000000002;01.02.2022;960000000001;ИВАНОВА  А. П.", "960000000002;01.05.2022;960000000001;Петрова"];
    let (_, all) = read(w, "alpha", header, &lines).await;
    assert_eq!(value(w, &all[0], "technician").await, json!(person));
    holds!(all[1], {"state": "created", "faults.0.code": "invalid-relation"});

    let laboratory = made!(w, "expert", "organizations", {"name": "ООО «ГенЛаб»"});
    let kind = made!(w, "expert", "dna-test-types", {"code": "str", "name": "Микросателлиты (ISAG)"});
    let header = "Инд.№;Дата исследования;Тип теста;Лаборатория;BM1818;SPS115";
    let lines = ["960000000002;26.01.2026;микросателлиты ISAG;ооо Генлаб;121/141;123/133"];
    let (_, all) = read(w, "alpha", header, &lines).await;
    assert_eq!(all[0]["faults"], json!([]));
    let tests = value(w, &all[0], "dnaTests").await;
    holds!(tests[0], {"type": kind, "laboratory": laboratory});
    assert!(w.list("pending-values", "").await.is_empty());
}
