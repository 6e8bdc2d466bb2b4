//! Numbers that name another animal than the one of the row, and columns that say the same thing twice: nothing is
//! guessed of them.

use crate::packages::desk::{once, read_all, rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

/// The package and the rows of a table that Alpha sends, in their order.
async fn read(w: &World<'_>, header: &str, lines: &[&str], dataset: &str) -> (i64, Vec<Value>) {
    let file = format!("{header}\r\n{}\r\n", lines.join("\r\n"));
    let kind = match dataset {
        "milkTests" => "productivity",
        "animals" => "animals",
        _ => "events",
    };
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({"kind": kind, "dataset": dataset})).await;
    assert_eq!(doc["intake"]["state"], "read", "{doc}");
    let id = doc["id"].as_i64().unwrap();
    (id, rows(w, "alpha", id, "sort=position").await)
}

/// An animal that everybody reads, with a working number and an ear tag.
async fn animal(w: &World<'_>, farm: &str, ident: &str, sex: &str, number: &str) -> i64 {
    made!(w, farm, "animals", {"identNumber": ident, "sex": sex, "birthDate": "2019-06-21", "publicVisible": true,
        "publicDetails": true, "altIds": {"inventoryNumber": number, "earTag": format!("T{number}")}})
}

#[test_with(once)]
async fn a_parent_has_its_sex_and_other_farms_have_the_same_working_numbers(w: &World<'_>) {
    let cow = animal(w, "alpha", "960000000901", "female", "123").await;
    let bull = animal(w, "alpha", "960000000902", "male", "124").await;
    animal(w, "beta", "960000000903", "female", "151").await;
    let away = animal(w, "beta", "960000000904", "male", "152").await;
    let services = [
        ("123", None),
        ("124", Some(bull)),
        ("151", None),
        ("152", None),
        ("T152", None),
        ("960000000903", None),
        ("960000000904", Some(away)),
    ];
    let line = |(at, (text, _)): (usize, &(&str, Option<i64>))| format!("960000000002;01.{:02}.2022;{text}", at + 1);
    let lines: Vec<String> = services.iter().enumerate().map(line).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_, all) = read(w, "Инд.№;Дата осеменения;Бык", &lines, "inseminations").await;
    for (row, (text, bull)) in all.iter().zip(services) {
        assert_eq!(row["state"], "created", "{text}: {row}");
        let doc = w.doc("inseminations", row["record"].as_i64().unwrap()).await;
        let remaining = bull.is_none().then_some(text);
        holds!(doc, {"bull": bull, "bullText": remaining}, "{text}");
    }
    // As a relation, too: a name that means nothing is no bull.
    let (_, all) = read(w, "Инд.№;Дата осеменения;bull", &["960000000002;01.12.2022;151"], "inseminations").await;
    holds!(all[0], {"state": "held", "faults.0.code": "invalid-relation", "faults.0.column": "bull"});

    let lines =
        ["960000000911;ж;01.02.2025;124;123", "960000000912;ж;01.02.2025;123;124", "960000000913;ж;01.02.2025;152;151"];
    let (_, all) = read(w, "Инд.№;Пол;Дата рождения;Отец;Мать", &lines, "animals").await;
    let parents = [(Some(bull), Some(cow), "124"), (None, None, "123"), (None, None, "152")];
    for (row, (father, mother, text)) in all.iter().zip(parents) {
        let doc = w.doc("animals", row["record"].as_i64().unwrap()).await;
        holds!(doc, {"father": father, "mother": mother, "pedigreeText.fatherId": text}, "{row}");
    }
}

#[test_with(once)]
async fn zeros_of_a_spreadsheet_are_no_part_of_the_number_of_a_parent(w: &World<'_>) {
    let lines = ["960000000911;ж;01.02.2025;960000000002.0", "960000000912;ж;01.02.2025;960000000099,00"];
    let (_, all) = read(w, "Инд.№;Пол;Дата рождения;Мать", &lines, "animals").await;
    assert_eq!(all[0]["state"], "created", "{all:?}");
    holds!(all[1], {"state": "created", "faults.0.code": "id-spoiled", "faults.0.column": "Мать"});
    for (row, mother) in all.iter().zip([json!(2), json!(null)]) {
        let doc = w.doc("animals", row["record"].as_i64().unwrap()).await;
        holds!(doc, {"mother": mother, "pedigreeText.motherId": null}, "{row}");
    }
}

#[test_with(once)]
async fn a_second_number_must_not_be_that_of_another_animal(w: &World<'_>) {
    animal(w, "alpha", "960000000901", "female", "1").await;
    animal(w, "alpha", "960000000902", "female", "2").await;
    animal(w, "beta", "960000000903", "female", "3").await;
    let tags = [("T1", true), ("T2", false), ("T3", true), ("T4", true), ("", true)];
    let milk = |(at, (tag, _)): (usize, &(&str, bool))| format!("960000000901;{tag};0{}.02.2026;25", at + 1);
    let lines: Vec<String> = tags.iter().enumerate().map(milk).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_, tests) = read(w, "Инд.№;Бирка;Дата замера;Удой", &lines, "milkTests").await;
    let show = |(at, (tag, _)): (usize, &(&str, bool))| format!("960000000901;{tag};0{}.02.2025;Звезда", at + 1);
    let lines: Vec<String> = tags.iter().enumerate().map(show).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_, shows) = read(w, "Инд.№;Бирка;Дата выставки;Выставка", &lines, "shows").await;
    for (row, (tag, is_taken)) in tests.iter().chain(&shows).zip(tags.iter().chain(&tags)) {
        let held = row["state"] == "held";
        assert_eq!(held, !is_taken, "{tag}: {row}");
        if held {
            holds!(row, {"record": null, "faults.0.code": "ambiguous-relation"}, "{tag}");
        }
    }
}

#[test_with(once)]
async fn numbers_of_a_merged_record_are_those_of_the_other(w: &World<'_>) {
    let cow = animal(w, "alpha", "960000000901", "female", "1").await;
    let twin = animal(w, "alpha", "960000000902", "female", "2").await;
    animal(w, "alpha", "960000000903", "female", "3").await;
    changed!(w, "expert", "animals", twin, {"mergedInto": cow});
    let numbers = [("960000000902", "T2"), ("960000000902", "T1"), ("960000000901", "T2"), ("960000000902", "T3")];
    let milk = |(at, (number, tag)): (usize, &(&str, &str))| format!("{number};{tag};0{}.02.2026;25", at + 1);
    let lines: Vec<String> = numbers.iter().enumerate().map(milk).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_, tests) = read(w, "Инд.№;Бирка;Дата замера;Удой", &lines, "milkTests").await;
    for row in &tests[..3] {
        holds!(row, {"state": "created", "animal": cow, "faults": []});
    }
    holds!(tests[3], {"state": "held", "faults.0.code": "ambiguous-relation"});
    // Lists are of the record itself.
    let lines = ["960000000901;T2;01.02.2025;Звезда", "960000000902;T2;02.02.2025;Звезда"];
    let (_, shows) = read(w, "Инд.№;Бирка;Дата выставки;Выставка", &lines, "shows").await;
    assert_ne!(shows[0]["state"], "held", "{shows:?}");
    let mut faults = shows.iter().flat_map(|row| row["faults"].as_array().unwrap());
    assert!(faults.all(|fault| fault["code"] != "ambiguous-relation"), "{shows:?}");
}

#[test_with(once)]
async fn two_columns_of_one_field_must_not_differ(w: &World<'_>) {
    animal(w, "alpha", "960000000901", "female", "1").await;
    let lines = ["1;960000000002;01.02.2026;27", "960000000002;960000000002;02.02.2026;28"];
    let (id, all) = read(w, "Номер;Номер животного;Дата замера;Удой", &lines, "milkTests").await;
    holds!(all[0], {"state": "held", "record": null, "faults.0.code": "column-unconfirmed", "faults.0.column": "Номер"});
    holds!(all[1], {"state": "created", "faults": []});
    // What the sender says counts.
    changed!(w, "alpha", "data-submissions", id, {"mapping": {"columns": {"Номер животного": "animal"}}});
    read_all(w).await;
    holds!(w.doc("data-submissions", id).await, {"intake.state": "read", "intake.held": 0});
    let tests = w.list("milk-tests", "").await;
    assert!(tests.len() == 2 && tests.iter().all(|test| test["animal"] == 2), "{tests:?}");

    let lines = [
        "960000000002;03.02.2026;27;4,1;3,3",
        "960000000002;04.02.2026;27;4,1;4,10",
        "960000000002;05.02.2026;27;4,1;-",
        "960000000002;06.02.2026;27;;3,3",
    ];
    let (_, all) = read(w, "Инд.№;Дата замера;Удой;Жир, %;МДЖ", &lines, "milkTests").await;
    let states: Vec<&str> = all.iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["held", "created", "created", "held"], "{all:?}");
    holds!(all[0], {"faults.0.code": "column-unconfirmed", "faults.0.column": "Жир, %", "faults.0.path": "fatPercent"});
}
