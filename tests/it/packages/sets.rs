//! Sets of events as farms write them: what each table brings, what it brings when it is sent again, and by whose rights.

use super::desk::{once, rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

/// The rows of a table that a caller sends for Alpha, in their order.
async fn read(w: &World<'_>, who: &str, table: &str) -> Vec<Value> {
    let body = match who {
        "admin" | "expert" => json!({"organization": 1}),
        _ => json!({}),
    };
    let doc = sent(w, who, "a.csv", table.as_bytes(), &body).await;
    assert_eq!(doc["intake"]["state"], "read", "{table}: {}", doc["intake"]);
    rows(w, "admin", doc["id"].as_i64().unwrap(), "sort=position").await
}

#[test_with(once)]
async fn each_event_comes_as_a_file_and_again_is_unchanged(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-03-01"});
    made!(w, "admin", "health-event-types", {"code": "M", "name": "Мастит", "kind": "diagnosis"});
    let day = |day: &str| format!("2026-01-{day}T00:00:00.000Z");
    for (who, set, table, expected) in table![
        "alpha", "heats",
        "Инд.№;Дата охоты;Признаки охоты\r\n960000000002;10.01.2026;активность",
        json!({"animal": 2, "type": "heat", "date": day("10"), "result": "активность", "status": "accepted", "verification": "unverified"});
        "alpha", "pregnancyChecks",
        "Инд.№;Дата проверки;Результат проверки\r\n960000000002;12.01.2026;Стельная",
        json!({"animal": 2, "type": "pregnancyCheck", "date": day("12"), "result": "pregnant"});
        "alpha", "pregnancyChecks",
        "Cow;Preg check;Result\r\n960000000002;2026-01-13;open",
        json!({"animal": 2, "type": "pregnancyCheck", "date": day("13"), "result": "empty"});
        "alpha", "dryOffs",
        "Cow;Dry date;Remark\r\n960000000002;2026-01-14;quiet",
        json!({"animal": 2, "eventType": "dryOff", "date": day("14"), "comment": "quiet"});
        "alpha", "abortions",
        "Инд.№;Дата аборта;Комментарий\r\n960000000002;20.01.2026;двойня",
        json!({"animal": 2, "eventType": "abortion", "date": day("20"), "comment": "двойня"});
        "alpha", "events",
        "Инд.№;Дата;Вид события\r\n960000000002;15.01.2026;Заметка",
        json!({"animal": 2, "type": "remark", "date": day("15")});
        "alpha", "healthEvents",
        "Инд.№;Дата заболевания;Диагноз;Препарат;Доза\r\n960000000002;16.01.2026;Мастит;Мастинол;10",
        json!({"animal": 2, "date": day("16"), "medicine.name": "Мастинол", "dose": 10});
        "alpha", "milkingVisits",
        "Корова;Начало дойки;Удой, кг;Бокс\r\n960000000002;17.01.2026 05:10;12,4;3",
        json!({"animal": 2, "startedAt": "2026-01-17T02:10:00.000Z", "milkYield": 12.4, "box": "3"});
        "alpha", "movements",
        "Инд.№;Дата движения;Вид движения;Причина выбытия\r\n960000000004;18.01.2026;Падёж;Udder",
        json!({"animal": 4, "kind": "death", "date": day("18"), "reason": 1, "from": 1, "applied": true});
        "admin", "breedingValues",
        "Инд.№;Дата оценки;ИПЦ;ПЦ по удою, кг\r\n960000000001;19.01.2026;812;950",
        json!({"animal": 1, "evaluatedAt": day("19"), "ipc": 812, "milkForecast": 950, "source": "import"});
    ] {
        let first = read(w, who, table).await;
        assert_eq!(first.len(), 1, "{set}: {first:?}");
        holds!(first[0], {"state": "created", "dataset": set, "faults": []}, "{set}");
        let slug = first[0]["collection"].as_str().unwrap();
        let record = first[0]["record"].as_i64().unwrap();
        let doc = w.doc(slug, record).await;
        crate::support::words::assert_holds(&doc, &expected, format_args!("{set}"));
        if set != "movements" {
            assert_eq!(doc["submission"], first[0]["submission"], "{set}");
        }
        let second = read(w, who, &format!("{table}\r\n\r\n")).await;
        holds!(second[0], {"state": "unchanged", "record": record, "faults": []}, "{set}");
    }
    assert_eq!(w.doc("animals", 4).await["state"], "dead");
}

#[test_with(once)]
async fn a_table_of_one_kind_never_brings_another(w: &World<'_>) {
    let table = "Инд.№;Дата запуска;Тип события\r\n960000000002;10.01.2026;Запуск\r\n960000000002;11.01.2026;Отёл";
    let all = read(w, "alpha", table).await;
    holds!(all[0], {"state": "created", "dataset": "dryOffs", "faults": []});
    holds!(all[1], {"state": "held", "record": null, "faults.0.code": "not-an-option", "faults.0.column": "Тип события"});
    let table =
        "Инд.№;Дата проверки;Результат проверки\r\n960000000002;12.01.2026;Абракадабра\r\n960000000002;13.01.2026;-";
    for (row, code) in read(w, "alpha", table).await.iter().zip(["not-an-option", "required"]) {
        holds!(row, {"state": "held", "faults.0.code": code, "faults.0.path": "result"});
    }
    let kinds: Vec<Value> = w.list("calvings", "").await.iter().map(|row| row["eventType"].clone()).collect();
    assert_eq!(kinds, ["dryOff"]);
    assert!(w.list("events", "").await.is_empty());
}

#[test_with(once)]
async fn a_leaving_in_a_file_of_animals_makes_its_movement(w: &World<'_>) {
    let reason =
        w.made("admin", "disposal-reasons", json!({"code": "77", "name": "Выбраковка", "state": "culled"})).await;
    let table = "Инд.№;Дата выбытия;Причина выбытия\r\n\
        960000000004;20.01.2026;Выбраковка\r\n\
        960000000002;20.01.2026;\r\n\
        960000000001;20.01.2026;Surplus\r\n\
        960000000001;20.01.2026;Абракадабра\r\n\
        960000000001;;Выбраковка";
    let all = read(w, "alpha", table).await;
    holds!(all[0], {"state": "updated", "faults": []});
    let held = [
        ("disposal-vs-state", "disposalDate"),
        ("required", "disposalReason"),
        ("invalid-relation", "disposalReason"),
        ("required", "disposalDate"),
    ];
    for (row, (code, path)) in all[1..].iter().zip(held) {
        assert_eq!(row["state"], "held", "{row}");
        let faults = row["faults"].as_array().unwrap();
        let reported = faults.iter().any(|fault| fault["code"] == code && fault["path"] == path);
        assert!(reported, "{code} {path}: {row}");
    }
    for id in [1, 2] {
        holds!(w.doc("animals", id).await, {"state": "alive", "disposalDate": null, "disposalReason": null});
    }
    let remaining = "2026-01-20T00:00:00.000Z";
    holds!(w.doc("animals", 4).await, {"state": "culled", "disposalDate": remaining, "disposalReason": reason});
    let second = "Инд.№;Дата выбытия;Причина выбытия\r\n960000000004;20.01.2026;Выбраковка\r\n";
    holds!(read(w, "alpha", second).await[0], {"state": "unchanged", "faults": []});
    // The present day is not what the file says.
    let state = read(w, "alpha", "Инд.№;Состояние\r\n960000000002;выбыло\r\n").await;
    holds!(state[0], {"state": "held", "faults.0.code": "required", "faults.0.path": "disposalDate"});
    // An animal that the book gets with its leaving.
    let new =
        "Инд.№;Пол;Дата рождения;Дата выбытия;Причина выбытия\r\n960000000301;ж;01.02.2020;21.01.2026;Выбраковка\r\n";
    holds!(read(w, "alpha", new).await[0], {"state": "created", "faults": []});
    let movements = w.list("movements", "").await;
    assert_eq!(movements.len(), 2, "{movements:?}");
    holds!(movements[0], {"animal": 4, "kind": "cull", "date": remaining, "reason": reason, "from": 1});
    holds!(movements[1], {"kind": "cull", "date": "2026-01-21T00:00:00.000Z", "reason": reason, "from": 1});
}

/// The right to send packages opens neither movements nor breeding values.
#[test_with(once)]
async fn sets_open_no_doors(w: &World<'_>) {
    made!(w, "admin", "disposal-reasons", {"code": "77", "name": "Выбраковка", "state": "culled"});
    let value = w
        .made(
            "admin",
            "animal-evaluations",
            json!({"animal": 2, "evaluatedAt": "2026-01-05", "source": "center", "ipc": 10}),
        )
        .await;
    let movement = "Инд.№;Дата движения;Вид движения\r\n960000000002;18.01.2026;Падёж";
    let leaving = "Инд.№;Дата выбытия;Причина выбытия\r\n960000000002;18.01.2026;Выбраковка";
    let values = "Инд.№;Дата оценки;Источник оценки;ИПЦ\r\n960000000002;05.01.2026;center;999";
    let own = format!("id;animal;evaluatedAt;source;ipc\r\n{value};2;2026-01-05;center;999");
    for (who, table) in [
        ("operator", movement),
        ("operator", leaving),
        ("alpha", "Инд.№;Дата оценки;ИПЦ\r\n960000000002;05.01.2026;999"),
        ("expert", "Инд.№;Дата оценки;ИПЦ\r\n960000000002;06.01.2026;999"),
        ("alpha", own.as_str()),
    ] {
        let all = read(w, who, table).await;
        holds!(all[0], {"state": "held", "record": null, "faults.0.code": "forbidden"}, "{who} {table}");
    }
    // Whoever may write them says no other source in a file of a farm than that it is one.
    let all = read(w, "admin", &format!("{values}\r\n")).await;
    assert_eq!(all[0]["state"], "held", "{all:?}");
    assert!(w.list("movements", "").await.is_empty());
    assert_eq!(w.doc("animals", 2).await["state"], "alive");
    let evaluations = w.list("animal-evaluations", "").await;
    assert_eq!(evaluations.len(), 1, "{evaluations:?}");
    holds!(evaluations[0], {"source": "center", "ipc": 10, "submission": null});
    // A table of the book that says nothing new adopts nothing that its sender may not write.
    let same = format!("id;animal;evaluatedAt;source;ipc\r\n{value};2;2026-01-05;center;10");
    holds!(read(w, "alpha", &same).await[0], {"state": "unchanged", "faults": []});
    assert_eq!(w.doc("animal-evaluations", value).await["submission"], Value::Null);
    // The head of the farm moves animals.
    let all = read(w, "alpha", &format!("{movement}\r\n")).await;
    holds!(all[0], {"state": "created", "faults": []});
}
