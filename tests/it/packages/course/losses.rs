//! What files must not do silently: take values out of the book, give one number to two animals, come in as text that
//! nobody reads.

use crate::packages::desk::{once, rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

/// The rows of a table of a set that Alpha sends, in their order.
async fn read(w: &World<'_>, set: &str, file: &str) -> Vec<Value> {
    let kind = if set == "animals" { set } else { "events" };
    let body = json!({"kind": kind, "dataset": set});
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &body).await;
    assert_eq!(doc["intake"]["state"], "read", "{doc}");
    rows(w, "alpha", doc["id"].as_i64().unwrap(), "sort=position").await
}

#[test_with(once)]
async fn a_mark_of_nothing_changes_nothing_that_the_book_has(w: &World<'_>) {
    let service = made!(w, "alpha", "inseminations", {"animal": 2, "date": "2025-02-01", "bull": 1, "result": 1,
        "pregnancyCheckDate": "2025-03-20"});
    for mark in ["-", "–", "—", "н/д", "нет данных", ""] {
        let file = format!(
            "Инд.№;Дата осеменения;Бык;Результат;Дата проверки;Примечание\r\n\
            960000000002;01.02.2025;960000000001;{mark};{mark};знак {mark}\r\n"
        );
        let lines = read(w, "inseminations", &file).await;
        holds!(lines[0], {"state": "updated", "record": service, "faults": []}, "{mark}");
        let doc = w.doc("inseminations", service).await;
        holds!(doc, {"result": 1, "pregnancyCheckDate": "2025-03-20T00:00:00.000Z"}, "{mark}");
    }
    // A check that has no result says nothing, in a table of its own and among other events.
    for (set, file) in [
        (
            "pregnancyChecks",
            "Инд.№;Дата проверки;Результат проверки\r\n960000000002;12.01.2026;-\r\n960000000002;13.01.2026;\r\n",
        ),
        (
            "events",
            "Инд.№;Дата;Вид события;Результат\r\n960000000002;12.01.2026;pregnancyCheck;\r\n\
         960000000002;13.01.2026;pregnancyCheck;н/д\r\n",
        ),
    ] {
        for row in read(w, set, file).await {
            holds!(row, {"state": "held", "record": null, "faults.0.code": "required", "faults.0.path": "result"}, "{file}");
        }
    }
}

#[test_with(once)]
async fn a_number_of_another_animal_of_the_farm_is_told_at_its_cell(w: &World<'_>) {
    let own = |number: &str, tag: &str| {
        json!({"identNumber": number, "sex": "female", "birthDate": "2019-06-21",
            "altIds": {"earTag": tag, "chipNumber": "643096001000189", "inventoryNumber": "189"}})
    };
    let id = w.made("alpha", "animals", own("960001000189", "RU10000WGPV")).await;
    w.made(
        "beta",
        "animals",
        json!({"identNumber": "960001000777", "sex": "female", "birthDate": "2019-06-21",
        "altIds": {"earTag": "RU777", "inventoryNumber": "777"}}),
    )
    .await;
    let header = "Инд.№;Пол;Дата рождения;Бирка;Чип;Технологический номер\r\n";
    for (cells, path) in [(";ru10000wgpv;;", "altIds.earTag"), (";;643096001000189;", "altIds.chipNumber")] {
        // Of a new animal, and of one that the book has.
        for number in ["960001000555;ж;01.02.2025", "960000000002;;"] {
            let lines = read(w, "animals", &format!("{header}{number}{cells}\r\n")).await;
            holds!(lines[0], {"state": "held", "faults.0.code": "not-unique", "faults.0.path": path}, "{number}{cells}");
            let message = lines[0]["faults"][0]["message"].as_str().unwrap();
            assert!(message.contains("960001000189"), "{message}");
        }
    }
    // Its own numbers are no fault, and those of other farms are taken as numbers of nobody.
    let lines = read(w, "animals", &format!("{header}960001000189;;;RU10000WGPV;643096001000189;189\r\n")).await;
    holds!(lines[0], {"state": "unchanged", "record": id, "faults": []});
    let lines = read(
        w,
        "animals",
        &format!(
            "{header}960001000556;ж;01.02.2025;RU777;;777\r\n\
        960001000557;ж;01.02.2025;RU557;;\r\n960001000558;ж;01.02.2025;RU557;;\r\n"
        ),
    )
    .await;
    holds!(lines[0], {"state": "created", "faults": []});
    // Nor do two rows of a file share one, whichever comes first.
    for (row, other) in [(1, "960001000558"), (2, "960001000557")] {
        holds!(lines[row], {"state": "held", "faults.0.code": "not-unique"});
        assert!(lines[row]["faults"][0]["message"].as_str().unwrap().contains(other), "{}", lines[row]);
    }
    // Working numbers may be shared, and a check tells of them.
    let lines = read(w, "animals", &format!("{header}960001000559;ж;01.02.2025;;;189\r\n")).await;
    holds!(lines[0], {"state": "created", "faults": []});
}

#[test_with(once)]
async fn utf_16_is_read_without_its_mark(w: &World<'_>) {
    let text = "Инд.№;Дата взвешивания;Живая масса\r\n960000000002;12.01.2026;612\r\n";
    for (day, unit) in [("12", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("13", u16::to_be_bytes)] {
        let text = text.replace("12.01", &format!("{day}.01"));
        let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
        let doc = sent(w, "alpha", "a.csv", &bytes, &json!({})).await;
        holds!(doc, {"intake.state": "read", "intake.created": 1}, "{doc}");
    }
}
