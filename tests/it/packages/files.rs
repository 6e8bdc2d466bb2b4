//! The files of `tests/packages`, one after another as packages of one farm, with what came of each.

use super::desk::{once, preview, protocol, reader, sent};
use crate::rest::world::World;
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/files")
}

fn files() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder()).unwrap();
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    assert!(files.len() >= 40);
    files
}

/// The book of `tests/packages/README.md`, *The book before*.
async fn before(w: &World<'_>) {
    for (slug, code, name) in [
        ("breeds", "holstein", "Голштинская"),
        ("coat-colors", "bw", "Чёрно-пёстрая"),
        ("reproduction-methods", "ai", "Искусственное осеменение"),
        ("insemination-results", "pregnant", "Стельная"),
        ("insemination-results", "open", "Яловая"),
        ("dna-test-types", "str", "Микросателлиты (ISAG)"),
    ] {
        made!(w, "admin", slug, {"code": code, "name": name});
    }
    made!(w, "beta", "animals", {"identNumber": "643999000000001", "sex": "female", "birthDate": "2020-05-05"});
}

#[test_with(once)]
async fn files_of_a_farm_become_rows_of_the_book_and_what_cannot_be_taken_is_told(w: &World<'_>) {
    before(w).await;
    let mut all = String::new();
    let mut packages: Vec<(String, i64)> = Vec::new();
    for (name, bytes) in files() {
        let before = packages.iter().find(|(name, _)| name.starts_with("05-")).map(|(_, id)| *id);
        if ["20-", "22-", "40-"].iter().any(|begin| name.starts_with(begin)) {
            // Two sets fit: nothing is read before the farm says which.
            let foreseen = preview(w, "alpha", &name, &bytes, &json!({})).await.json();
            let _ = writeln!(all, "{name}, set not stated\n  {}", foreseen["fault"]["message"]);
        }
        let body = match name.get(..2).unwrap() {
            "06" => json!({"replaces": before}),
            "20" | "22" | "40" => json!({"dataset": "dailyMilkings", "kind": "productivity"}),
            "38" => json!({"mapping": {"delimiter": "|"}}),
            _ => json!({}),
        };
        if name.starts_with("36-") {
            // What is no table is refused when it is sent.
            let form = crate::rest::uploads::form::Form::new().payload(&body);
            let form = form.file(&name, "", &bytes);
            let answer = form.send(w, "alpha", "POST", "/api/data-submissions").await;
            assert_eq!(answer.status, 400, "{name}");
            let fault = &answer.json()["errors"][0]["data"]["errors"][0];
            let _ = writeln!(all, "{name}\n  {}: {}", fault["path"], fault["message"]);
            continue;
        }
        let doc = sent(w, "alpha", &name, &bytes, &body).await;
        let _ = writeln!(all, "{name}\n{}", protocol(w, "alpha", &doc).await);
        packages.push((name, doc["id"].as_i64().unwrap()));
    }
    let taken = reader(w).try_waiting().await.unwrap();
    let _ = writeln!(all, "Tried again: {taken} taken");
    let calvings = packages.iter().find(|(name, _)| name.starts_with("09-")).unwrap().1;
    let doc = w.doc("data-submissions", calvings).await;
    let _ = writeln!(all, "09 again\n{}", protocol(w, "alpha", &doc).await);
    let pending: Vec<String> = (w.list("pending-columns", "").await.iter())
        .map(|column| {
            format!(
                "{} of {}, seen {}, rows {}, {}",
                column["title"], column["dataset"], column["seenTimes"], column["rowsWithValue"], column["samples"]
            )
        })
        .collect();
    let _ = writeln!(all, "Pending columns\n  {}", pending.join("\n  "));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../golden/packages");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("files", all));
}
