//! The ways of a package: previews, mappings, pending columns, large files, broken ones.

use crate::packages::desk::{once, preview, read_all, reader, rows, send, sent};
use crate::rest::uploads::form::Form;
use crate::rest::world::World;
use serde_json::json;
use std::fmt::Write as _;

const TESTS: &str = "Инд.№;Дата замера;Удой за день, кг;Настроение\r\n";

#[test_with(World::each)]
async fn a_preview_tells_everything_and_leaves_nothing(w: &World<'_>) {
    let file = format!(
        "{TESTS}960000000002;01.02.2026;30,5;добрая\r\n960000000002;02.02.2026;305;\r\n960000000099;01.02.2026;20;\r\n"
    );
    let before = w.stage.content().await;
    let answer = preview(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let foreseen = answer.json();
    holds!(foreseen, {"dataset": "milkTests", "kind": "productivity", "encoding": "utf-8", "rows": 3, "tried": 3,
        "created": 1, "held": 2, "unread": ["Настроение"], "unknownColumns.0.title": "Настроение", "docs.0.values.milkYield": 30.5,
        "faults.0.code": "too-large", "faults.0.column": "Удой за день, кг", "faults.0.value": "305",
        "faults.0.line": 3, "faults.1.code": "invalid-relation"});
    assert_eq!(w.stage.content().await, before, "nothing stays of a preview");
    // Without a file, for a stranger, with a wrong mapping.
    let none = Form::new().payload(&json!({}));
    let answer = none.send(w, "alpha", "POST", "/api/data-submissions/preview").await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    let answer = preview(w, "", "a.csv", file.as_bytes(), &json!({})).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
    let body = json!({"dataset": "nothing", "mapping": {"set": "x", "columns": {"a": "nothing", "b": 1}}});
    let answer = preview(w, "alpha", "a.csv", file.as_bytes(), &body).await;
    answer.assert_faulty(400, &["mapping.set", "mapping.columns.b", "mapping.columns.a", "dataset"]);
    assert_eq!(w.stage.content().await, before);
}

#[test_with(World::each)]
async fn tests_without_a_yield_are_taken_when_they_say_something(w: &World<'_>) {
    let file = "Инд.№;Дата замера;Жир;Белок\r\n960000000002;01.02.2026;4,1;3,3\r\n960000000002;02.02.2026;;\r\n";
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"dataset": "milkTests", "kind": "productivity", "intake.created": 1, "intake.held": 1});
    let file = "Инд.№;Дата замера;Удой за день, кг;Жир\r\n960000000002;03.02.2026;;4,1\r\n960000000002;04.02.2026;30;\r\n\
                960000000002;05.02.2026;тридцать;4,1\r\n";
    let doc = sent(w, "alpha", "b.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"dataset": "milkTests", "intake.created": 2, "intake.held": 1});
    let tests = w.list("milk-tests", "sort=date").await;
    let entries: Vec<_> = tests.iter().map(|test| (&test["milkYield"], &test["fatPercent"])).collect();
    let (fat, milk) = (json!(4.1), json!(30));
    assert_eq!(entries, [(&json!(null), &fat), (&json!(null), &fat), (&milk, &json!(null))]);
}

#[test_with(World::each)]
async fn a_farm_maps_columns_of_its_own_package(w: &World<'_>) {
    let file = "Корова;Когда;Сколько;Жир\r\n960000000002;01.02.2026;30,5;4,1\r\n";
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    assert_eq!((&doc["intake"]["state"], &doc["intake"]["fault"]), (&json!("failed"), &json!("no-set")));
    let mapping =
        json!({"mapping": {"set": "milkTests", "columns": {"Когда": "date", "сколько": "milkYield", "Жир": null}}});
    let path = format!("/api/data-submissions/{id}/preview");
    let answer = w.ask("alpha", "POST", &path, mapping.to_string()).await;
    holds!(answer.json(), {"dataset": "milkTests", "created": 1, "docs.0.values.milkYield": 30.5});
    let doc = w.changed("alpha", "data-submissions", id, mapping).await;
    assert_eq!(doc["intake"]["state"], "waiting");
    read_all(w).await;
    let doc = w.doc("data-submissions", id).await;
    holds!(doc, {"dataset": "milkTests", "kind": "productivity", "intake.state": "read", "intake.created": 1});
    let tests = w.list("milk-tests", "").await;
    assert_eq!((&tests[0]["milkYield"], &tests[0]["fatPercent"]), (&json!(30.5), &json!(null)));
    assert_eq!(tests[0]["submission"], json!(id));
    // No column of it is pending: the sender said what they are.
    assert!(w.list("pending-columns", "").await.is_empty());
}

#[test_with(World::each)]
async fn a_column_that_the_association_maps_is_read_in_all_packages(w: &World<'_>) {
    let file = |day: u8| format!("{TESTS}960000000002;0{day}.02.2026;30,5;4,{day}\r\n");
    let mut packages = Vec::new();
    for day in [1, 2] {
        packages.push(send(w, "alpha", "a.csv", file(day).as_bytes(), &json!({})).await);
    }
    read_all(w).await;
    let columns = w.list("pending-columns", "").await;
    assert_eq!(columns.len(), 1);
    holds!(columns[0], {"title": "Настроение", "dataset": "milkTests", "seenTimes": 2, "rowsWithValue": 2, "samples": ["4,1", "4,2"]});
    let column = columns[0]["id"].as_i64().unwrap();
    let path = format!("/api/pending-columns/{column}");
    refused!(w, "expert", "PATCH {path}", {"status": "accepted", "mapsTo": "nothing"} => 400 ["mapsTo"]);
    changed!(w, "expert", "pending-columns", column, {"status": "accepted", "mapsTo": "proteinPercent"});
    for id in &packages {
        assert_eq!(w.doc("data-submissions", *id).await["intake"]["state"], "waiting");
    }
    read_all(w).await;
    for id in &packages {
        holds!(w.doc("data-submissions", *id).await, {"intake.state": "read", "intake.updated": 1, "intake.rows": 1});
        assert_eq!(rows(w, "alpha", *id, "").await.len(), 1);
    }
    let tests = w.list("milk-tests", "").await;
    let read: Vec<f64> = tests.iter().map(|test| test["proteinPercent"].as_f64().unwrap()).collect();
    assert_eq!(read, [4.1, 4.2]);
}

/// More rows than one transaction takes; killed in the middle, it goes on behind the rows that are in the book.
#[test_with(World::each)]
async fn a_large_file_is_read_in_pieces_and_goes_on_after_a_kill(w: &World<'_>) {
    let mut file = TESTS.to_owned();
    for n in 0..2_600 {
        let (day, month) = (n % 28 + 1, n / 28 % 12 + 1);
        let _ = write!(
            file,
            "{};{day:02}.{month:02}.{};20,{};\r\n",
            ["960000000002", "960000000099"][n % 2],
            2021 + n / 336 % 5,
            n % 10
        );
    }
    let id = send(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let mut part = 0;
    for statement in (1..5).map(|n| n * 60) {
        w.stage.book.store.failpoint().set(statement);
        assert!(w.stage.book.run_job(&reader(w)).await.is_err(), "statement {statement}");
        let doc = w.doc("data-submissions", id).await;
        part = doc["intake"]["rows"].as_i64().unwrap();
        assert!(!w.stage.book.run_job(&reader(w)).await.unwrap(), "the lease holds");
        w.stage.pass(300);
        if part > 0 {
            break;
        }
    }
    assert!(part > 0 && part < 2_600, "{part}");
    read_all(w).await;
    let doc = w.doc("data-submissions", id).await;
    holds!(doc, {"intake.state": "read", "intake.rows": 2600, "intake.held": 1300});
    let all = rows(w, "alpha", id, "select[position]=true").await;
    let positions: Vec<i64> = all.iter().map(|row| row["position"].as_i64().unwrap()).collect();
    assert_eq!(positions, (1..=2_600).collect::<Vec<_>>());
}

#[test_with(World::each)]
async fn the_table_of_a_package_can_be_mended_and_sent_again(w: &World<'_>) {
    let file = format!(
        "{TESTS}960000000002;01.02.2026;30,5;\r\n960000000002;02.02.2026;305;\r\n960000000002;03.02.2026;=1+1;\r\n"
    );
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    let table = w.get("alpha", &format!("/api/data-submissions/{id}/table?state=held")).await;
    let text = table.text.trim_start_matches('\u{feff}');
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert_eq!(lines[0], "Инд.№;Дата замера;Удой за день, кг;Настроение;_state;_line;_reason");
    assert!(lines[1].starts_with("960000000002;02.02.2026;305;;held;3;"), "{}", lines[1]);
    assert!(lines[2].starts_with("960000000002;03.02.2026;'=1+1;;held;4;"), "{}", lines[2]);
    let russian = format!("/api/data-submissions/{id}/table?state=held&language=ru");
    let russian = w.get("alpha", &russian).await.text;
    assert!(russian.contains("305 больше наибольшего допустимого значения"), "{russian}");
    let mended = text.replace(";305;", ";30,6;").replace("'=1+1", "30,7");
    let doc = sent(w, "alpha", "b.csv", mended.as_bytes(), &json!({})).await;
    holds!(doc, {"intake.state": "read", "intake.created": 2, "intake.rows": 2});
    let pending = w.list("pending-columns", "").await;
    assert!(pending.is_empty(), "{pending:?}");
    ask!(w, "alpha", "GET /api/data-submissions/{id}/table?state=lost" => 400);
}

/// Files that harm or lie: each fails with its code, nothing is written, and the server reads the next one. What is wrong
/// and what to do is said in the language of the reader, and nothing of what a parser says.
#[test_with(once)]
async fn a_file_that_cannot_be_read_fails_with_its_code_and_says_what_to_do(w: &World<'_>) {
    let wide = format!("Инд.№;Дата замера;Удой за день, кг{}", ";x".repeat(600));
    let quote = format!("{TESTS}\"960000000002;01.02.2026;30,5;\r\n");
    let meta = |id: &str| json!({"source": "farm.example", "sourceId": id, "modified": "2026-03-01T06:00:00Z"});
    let two_quotes = "Инд.№;Пол;Кличка\r\n960000000002;ж;\"Заря\r\n960000000003;ж;\"Ночь\r\n";
    let other = json!([{"resourceType": "icarFeedResource", "meta": meta("f1")}]).to_string();
    let broken = format!("[{},", json!({"resourceType": "icarTestDayResultEventResource", "meta": meta("t1")}));
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"cccc\">]><batch>&b;</batch>";
    // Empty: whatever it is.
    for (name, text, code, english, russian) in table![
        "wide.csv", wide.as_str(), "too-many-columns", "", "";
        "quote.csv", &quote, "quote-not-closed", "delete the mark, or end the text", "удалите кавычку";
        "two-quotes.csv", two_quotes, "quote-not-closed", "In line 2 ", "В строке 2 ";
        "text.csv", "nothing of this is a table", "no-header", "Write the titles", "Напишите названия столбцов";
        "rows.json", "{\"animal\": ", "", "Line 1 is no object of JSON", "Строка 1 – не объект JSON";
        "broken.xml", "<batch><icarX><a></icarX></batch>", "", "The file is no XML", "создайте его заново";
        "bomb.xml", bomb, "body-not-xml", "", "";
        "other.json", &other, "no-set", "", "";
        "broken.json", &broken, "body-not-json", "", "";
    ] {
        let doc = sent(w, "alpha", name, text.as_bytes(), &json!({})).await;
        assert_eq!(doc["intake"]["state"], "failed", "{name}: {doc}");
        let fault = doc["intake"]["fault"].as_str().unwrap();
        assert!(code.is_empty() || fault == code, "{name}: {fault}");
        let message = doc["intake"]["message"].as_str().unwrap();
        assert!(!message.is_empty() && message.contains(english), "{name}: {message}");
        if russian.is_empty() {
            continue;
        }
        for word in ["EOF", "column 1", "byte", "expected"] {
            assert!(!message.contains(word), "{name}: {message}");
        }
        let path = format!("/api/data-submissions/{}/preview", doc["id"]);
        let headers = [("content-type", "application/json"), ("accept-language", "ru")];
        let answer = w.send("alpha", "POST", &path, &headers, "{}").await.json();
        let message = answer["fault"]["message"].as_str().unwrap();
        assert!(message.contains(russian), "{name}: {message}");
    }
    for slug in ["milk-tests", "submission-rows", "pending-columns"] {
        assert!(w.list(slug, "").await.is_empty(), "{slug}");
    }
}

#[test_with(World::each)]
async fn a_file_that_was_sent_already_names_its_package(w: &World<'_>) {
    let file = format!("{TESTS}960000000002;01.02.2026;30,5;\r\n");
    let id = send(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let form = Form::new().payload(&json!({})).file("b.csv", "", file.as_bytes());
    let second = form.send(w, "alpha", "POST", "/api/data-submissions").await;
    assert_eq!(second.status, 400, "{}", second.text);
    let body = second.json();
    holds!(body["errors"][0]["data"]["errors"][0], {"message": "You sent this file already: package 000001.",
        "path": "sha256", "record.collection": "data-submissions", "record.id": id});
    // Another farm may have the same file.
    send(w, "beta", "c.csv", file.as_bytes(), &json!({})).await;
}

/// A package finds the assignment that it fits, and a row outside of its stated period is a fault until the review
/// tells it.
#[test_with(World::each)]
async fn a_package_fits_its_assignment_and_its_period(w: &World<'_>) {
    let query = json!({"organization": 1, "kind": "productivity", "dataset": "milkTests", "periodFrom": "2026-02-01",
        "periodTo": "2026-02-28", "dueDate": "2026-03-10"});
    let assignment = w.made("expert", "upload-assignments", query.clone()).await;
    let mut other = query;
    other["dataset"] = json!("weighings");
    w.made("expert", "upload-assignments", other).await;
    let off = json!({"code": "production-before-calving", "enabled": false});
    w.made("expert", "check-settings", off).await;
    let file = format!("{TESTS}960000000002;01.02.2026;30,5;\r\n960000000002;20.02.2026;31;\r\n");
    let body = json!({"kind": "productivity", "periodFrom": "2026-02-01", "periodTo": "2026-02-10"});
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &body).await;
    let id = doc["id"].as_i64().unwrap();
    holds!(doc, {"assignment": assignment, "animals": [2], "intake.created": 2});
    let task = w.doc("upload-assignments", assignment).await;
    assert_eq!((&task["status"], &task["submission"]), (&json!("inProgress"), &json!(id)));
    let found = rows(w, "alpha", id, "").await;
    assert_eq!((&found[0]["faults"], &found[1]["faults"][0]["code"]), (&json!([]), &json!("row-outside-period")));
    assert_eq!(found[1]["state"], "created");

    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    let fix = w.list("check-findings", "where[severity][equals]=fix").await;
    assert!(fix.is_empty(), "{fix:?}");
    let path = format!("/api/data-submissions/{id}");
    refused!(w, "expert", "PATCH {path}", {"status": "checked"} => 400 ["review.findings"]);
    let findings = json!({"status": "checked", "review": {"findings": [{"animal": 2, "text": "Another month."}]}});
    w.changed("expert", "data-submissions", id, findings).await;
    // Its rows are signed: another mapping comes too late.
    refused!(w, "alpha", "PATCH {path}", {"mapping": {"set": "milkTests"}} => 400 ["mapping"]);
}

#[test_with(World::each)]
async fn a_package_that_was_sent_back_is_mapped_again_and_signed(w: &World<'_>) {
    let file = "Инд.№;Дата замера;Удой за день, кг;Жир\r\n960000000002;01.02.2026;30,5;4,1\r\n";
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    w.changed("expert", "data-submissions", id, json!({"status": "checking"})).await;
    let back = json!({"status": "uploaded", "review": {"comment": "Column of fat: which unit?"}});
    w.changed("expert", "data-submissions", id, back).await;
    w.changed("alpha", "data-submissions", id, json!({"mapping": {"set": "milkTests", "columns": {"Жир": null}}}))
        .await;
    read_all(w).await;
    let doc = w.doc("data-submissions", id).await;
    holds!(doc, {"status": "uploaded", "intake.state": "read", "review.assignee": 2});
    w.changed("expert", "data-submissions", id, json!({"status": "checking"})).await;
    let findings = w.list("check-findings", "where[animal][equals]=2&where[severity][equals]=fix").await;
    let entries = findings.iter().map(|_| json!({"animal": 2, "text": "Seen."}));
    let checked = json!({"status": "checked", "review": {"findings": entries.collect::<Vec<_>>()}});
    let doc = w.changed("expert", "data-submissions", id, checked).await;
    assert_eq!(doc["signature"]["rows"], 1);
}
