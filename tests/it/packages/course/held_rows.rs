//! Held rows are mended in place, columns are chosen among proposals, and previews say what each column is taken for
//! (docs/packages.md, *Rows*, *Preview*, *Mapping*).

use crate::packages::desk::{preview, read_all, reader, rows, sent};
use crate::rest::stage::Answer;
use crate::rest::world::World;
use serde_json::{Value, json};

const TESTS: &str = "Инд.№;Дата замера;Удой за день, кг;Настроение\r\n";

/// Sends cells of held rows again.
async fn mend(w: &World<'_>, who: &str, id: i64, body: Value) -> Answer {
    let path = format!("/api/data-submissions/{id}/rows");
    w.ask(who, "PATCH", &path, body.to_string()).await
}

/// A package of a row that is taken, one of too much milk, and one whose milk cannot be read.
async fn package(w: &World<'_>) -> (i64, Vec<i64>) {
    let file = format!(
        "{TESTS}960000000002;06/25/2025;30,5;\r\n960000000002;06/05/2025;305;\r\n960000000002;06/06/2025;много;\r\n"
    );
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(doc, {"intake.created": 1, "intake.held": 2});
    let id = doc["id"].as_i64().unwrap();
    let all = rows(w, "alpha", id, "").await;
    (id, all.iter().map(|row| row["id"].as_i64().unwrap()).collect())
}

/// Days and yields of the tests of a package, the earliest first.
async fn yields(w: &World<'_>, id: i64) -> Vec<(String, Value)> {
    let tests = w.list("milk-tests", "").await;
    let own = tests.iter().filter(|test| test["submission"] == json!(id));
    let day = |test: &Value| test["date"].as_str().unwrap()[..10].to_owned();
    let mut all: Vec<_> = own.map(|test| (day(test), test["milkYield"].clone())).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

#[test_with(World::each)]
async fn held_rows_are_mended_in_place(w: &World<'_>) {
    let (id, row) = package(w).await;
    let answer = mend(
        w,
        "alpha",
        id,
        json!([
            {"id": row[2], "cells": ["960000000002", "06/06/2025", "400", ""]},
            {"id": row[1], "cells": {"Удой за день, кг": "31,5"}},
        ]),
    )
    .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer = answer.json();
    holds!(answer, {"docs.0.state": "held", "docs.0.faults.0.code": "too-large", "docs.0.faults.0.value": "400",
        "docs.1.id": row[1], "docs.1.state": "created", "docs.1.faults": []});
    let both = [("2025-06-05".to_owned(), json!(31.5)), ("2025-06-25".to_owned(), json!(30.5))];
    assert_eq!(yields(w, id).await, both, "as the column is read");
    let doc = w.doc("data-submissions", id).await;
    holds!(doc, {"intake.rows": 3, "intake.created": 2, "intake.held": 1, "intake.mended": 2,
        "intake.unchecked": true, "intake.issues.0.row": 4,
        "periodFrom": "2025-06-05T00:00:00.000Z", "periodTo": "2025-06-25T00:00:00.000Z"});
    assert_eq!(doc["intake"]["issues"].as_array().unwrap().len(), 1, "{doc}");
    // The protocol says that one is held still, and that the checks are not made yet.
    let protocol = async || w.get("alpha", &format!("/api/data-submissions/{id}/protocol")).await;
    let held = "Rows that are held</th><td>1</td>";
    protocol().await.has(&[held, "Checks</th><td>are still being made</td>"]);
    let all = rows(w, "expert", id, "").await;
    holds!(all[1], {"state": "created", "cells.2": "31,5", "mended.0.place": 3, "mended.0.was": "305",
        "mended.0.by": 11, "mended.0.at": "2026-03-01T12:00:00.000Z"});
    holds!(all[2], {"cells.2": "400", "mended.0.was": "много"});
    let table = w.get("alpha", &format!("/api/data-submissions/{id}/table?state=held")).await.text;
    assert!(table.contains(";400;;held;4;"), "{table}");

    // What was mended stays when the file is read again.
    changed!(w, "alpha", "data-submissions", id, {"mapping": {"columns": {"Настроение": null}}});
    read_all(w).await;
    holds!(w.doc("data-submissions", id).await, {"intake.unchanged": 2, "intake.held": 1, "intake.mended": 2});
    protocol().await.has(&[held]);
    protocol().await.lacks(&["are still being made"]);
    assert_eq!(yields(w, id).await, both);

    // While it is checked, the Association may, too; the row waits for verification as the others do.
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    let answer = mend(w, "expert", id, json!([{"id": row[2], "cells": {"Удой за день, кг": "29"}}])).await.json();
    holds!(answer, {"docs.0.state": "created"});
    let test = w.doc("milk-tests", answer["docs"][0]["record"].as_i64().unwrap()).await;
    holds!(test, {"verification": "pending", "submission": id, "date": "2025-06-06T00:00:00.000Z"});
    let all = rows(w, "alpha", id, "").await;
    holds!(all[2], {"mended.0.was": "много", "mended.0.by": 2});
    assert_eq!(reader(w).try_waiting().await.unwrap(), 0);
}

#[test_with(World::each)]
async fn only_held_rows_of_open_packages_are_mended(w: &World<'_>) {
    let (id, row) = package(w).await;
    let cells = json!({"Удой за день, кг": "31,5"});
    let faulty = mend(
        w,
        "alpha",
        id,
        json!([
            {"id": row[0], "cells": cells}, {"id": row[1], "cells": {"Нет": "1"}}, {"id": 9_999, "cells": cells},
            {"id": row[1], "cells": cells},
        ]),
    )
    .await;
    faulty.assert_faulty(400, &["0.id", "1.cells.Нет", "2.id", "3.id"]);
    mend(w, "alpha", id, json!([{"id": "1", "cells": 5}])).await.assert_faulty(400, &["0.id", "0.cells"]);
    for (who, status) in [("beta", 404), ("viewer", 403), ("", 403)] {
        let answer = mend(w, who, id, json!([{"id": row[1], "cells": cells}])).await;
        assert_eq!(answer.status, status, "{who}: {}", answer.text);
    }
    let other = w.ask("alpha", "PATCH", "/api/animals/2/calvings", "[]").await;
    assert_eq!(other.status, 404);
    // Of another row of the package it must not say otherwise.
    let twice = json!([{"id": row[1], "cells": {"Дата замера": "06/25/2025", "Удой за день, кг": "20"}}]);
    let body = mend(w, "alpha", id, twice).await.json();
    holds!(body, {"docs.0.state": "held", "docs.0.faults.0.code": "duplicate-row"});
    assert_eq!(yields(w, id).await, [("2025-06-25".to_owned(), json!(30.5))]);
    let said = "Такая же запись есть в более ранней строке. (960000000002, 06/25/2025)";
    crate::pages::russian(w, "alpha", &format!("/book/data-submissions/{id}")).await.has(&[said]);
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    changed!(w, "expert", "data-submissions", id, {"status": "rejected", "review": {"comment": "No."}});
    mend(w, "alpha", id, json!([{"id": row[1], "cells": cells}])).await.assert_faulty(400, &["rows"]);
}

#[test_with(World::each)]
async fn a_column_is_chosen_among_proposals(w: &World<'_>) {
    let file = "Инд.№;Дата замера;Удой за день, кг;Примета\r\n960000000002;01.02.2026;30,5;утро\r\n";
    sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let pending = w.list("pending-columns", "").await;
    let id = |title: &str| {
        let own = pending.iter().find(|one| one["title"] == title);
        own.unwrap_or_else(|| panic!("{title}: {pending:?}"))["id"].as_i64().unwrap()
    };
    let sample = id("Примета");
    let of = async |who: &str, id: i64| w.get(who, &format!("/api/pending-columns/{id}/proposals?language=ru")).await;
    assert_eq!(of("alpha", sample).await.status, 403);
    assert_eq!(w.get("expert", "/api/animals/2/proposals").await.status, 404);
    let answer = of("expert", sample).await.json();
    let fields = answer["fields"].as_array().unwrap();
    let milk = fields.iter().find(|field| field["path"] == "milkYield").unwrap();
    holds!(*milk, {"dataset": "milkTests", "because": []});
    assert!(!milk["label"].as_str().unwrap().is_ascii(), "in the language of the reader: {milk}");
    assert!(fields.iter().all(|field| field["dataset"] == "milkTests"));

    // What the farm stated of a column of this title is the first proposal.
    let second = "Инд.№;Дата замера;Удой за день, кг;Примета\r\n960000000002;02.02.2026;30,6;утро\r\n";
    let stated = json!({"mapping": {"columns": {"ПРИМЕТА": "sampleNumber"}}});
    sent(w, "alpha", "b.csv", second.as_bytes(), &stated).await;
    let answer = of("expert", sample).await.json();
    holds!(answer, {"docs.0.path": "sampleNumber", "docs.0.because.0": "farm"});

    let path = format!("/api/pending-columns/{sample}");
    for wrong in ["nothing", "birthDate", ""] {
        refused!(w, "expert", "PATCH {path}", {"status": "accepted", "mapsTo": wrong} => 400 ["mapsTo"]);
    }
    changed!(w, "expert", "pending-columns", sample, {"status": "accepted", "mapsTo": "sampleNumber"});
}

#[test_with(World::each)]
async fn a_preview_says_what_each_column_is_taken_for(w: &World<'_>) {
    let file = "Инд.№;Когда;Удой за день, кг;Настроение\r\n960000000002;06/05/2025;30,5;добрая\r\n960000000002;06/25/2025;много;\r\n";
    let body = json!({"mapping": {"columns": {"Когда": "date"}}});
    let answer = preview(w, "alpha", "a.csv", file.as_bytes(), &body).await.json();
    let columns = &answer["sheets"][0]["columns"];
    holds!(columns[1], {"path": "date", "source": "mapping", "notation.slash": "month-first"});
    assert_eq!(
        columns[1]["samples"],
        json!([
            {"cell": "06/05/2025", "value": "2025-06-05", "line": 2, "decides": false},
            {"cell": "06/25/2025", "value": "2025-06-25", "line": 3, "decides": true},
        ])
    );
    holds!(columns[2], {"source": "heading", "samples.0.value": 30.5, "samples.1.cell": "много", "samples.1.value": null});
    holds!(columns[3], {"source": null, "samples.0.cell": "добрая", "samples.0.value": null});
    assert!(columns[0]["label"].is_string() && columns[3].get("label").is_none(), "{columns}");
}
