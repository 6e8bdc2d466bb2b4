//! Sends files of a farm, reads them as the task of the server does, and tells what came of them.

use crate::rest::stage::{Answer, Stage};
use crate::rest::uploads::form::Form;
use crate::rest::world::{World, begun};
use api::AppState;
use ingest::Reader;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use store::Dialect;

/// The task that reads packages.
pub(super) fn reader(w: &World<'_>) -> Reader {
    reader_of(&w.stage.hub)
}

/// The same of a service.
pub(crate) fn reader_of(hub: &AppState) -> Reader {
    Reader::new(Arc::clone(&hub.book), Arc::clone(&hub.schemes), hub.exchange.clone())
}

/// Reads all packages that wait.
pub(crate) async fn read_all(w: &World<'_>) {
    let reader = reader(w);
    while w.stage.book.run_job(&reader).await.unwrap() {}
}

/// A world on SQLite alone: for what files say, which is read above the database.
pub(super) async fn once(test: impl AsyncFn(&World<'_>)) {
    let begun = begun(Dialect::Sqlite).await.expect("SQLite is there");
    let test = async |stage: &Stage| test(&World::of(stage, begun.known.clone())).await;
    Stage::show(&begun.template, &test).await;
}

/// What would become of a file.
pub(super) async fn preview(w: &World<'_>, who: &str, name: &str, bytes: &[u8], body: &Value) -> Answer {
    let form = Form::new().payload(body).file(name, "", bytes);
    form.send(w, who, "POST", "/api/data-submissions/preview").await
}

/// Sends a file as a new package; the id.
pub(super) async fn send(w: &World<'_>, who: &str, name: &str, bytes: &[u8], body: &Value) -> i64 {
    let form = Form::new().payload(body).file(name, "", bytes);
    let answer = form.send(w, who, "POST", "/api/data-submissions?depth=0").await;
    assert_eq!(answer.status, 201, "{name}: {}", answer.text);
    answer.json()["doc"]["id"].as_i64().unwrap()
}

/// Sends a file and reads it; the package.
pub(crate) async fn sent(w: &World<'_>, who: &str, name: &str, bytes: &[u8], body: &Value) -> Value {
    let id = send(w, who, name, bytes, body).await;
    read_all(w).await;
    w.doc("data-submissions", id).await
}

/// The rows of a package as a caller sees them.
pub(super) async fn rows(w: &World<'_>, who: &str, id: i64, query: &str) -> Vec<Value> {
    let path = format!("/api/data-submissions/{id}/rows?depth=0&limit=0&{query}");
    ask!(w, who, "GET {path}" => 200).json()["docs"].as_array().unwrap().clone()
}

/// What came of a package, for people.
pub(super) async fn protocol(w: &World<'_>, who: &str, doc: &Value) -> String {
    let (mut out, intake) = (String::new(), &doc["intake"]);
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let _ = writeln!(
        out,
        "{}: {} {} {}, set {} of {}",
        word(&intake["state"]),
        word(&intake["form"]),
        word(&intake["encoding"]),
        word(&doc["periodFrom"]).get(..10).unwrap_or("-"),
        word(&doc["dataset"]),
        word(&doc["kind"]),
    );
    if intake["fault"].is_string() {
        let _ = writeln!(out, "  {}: {}", word(&intake["fault"]), word(&intake["message"]));
    }
    for sheet in intake["sheets"].as_array().into_iter().flatten() {
        let unknown: Vec<String> = (sheet["columns"].as_array().into_iter().flatten())
            .filter(|column| column["unknown"] == json!(true))
            .map(|column| word(&column["title"]))
            .collect();
        let _ = writeln!(
            out,
            "  sheet {:?}: {} with {}, header {}, unknown {unknown:?}",
            word(&sheet["name"]),
            word(&sheet["set"]),
            sheet["score"],
            sheet["header"],
        );
    }
    let counts = ["rows", "created", "updated", "unchanged", "skipped", "held", "removed"];
    let counts: Vec<String> = counts.iter().map(|name| format!("{name} {}", intake[*name])).collect();
    let _ = writeln!(out, "  {}", counts.join(", "));
    for row in rows(w, who, doc["id"].as_i64().unwrap(), "").await {
        for fault in row["faults"].as_array().into_iter().flatten() {
            let _ = writeln!(
                out,
                "  {} {} {} {}: {} on {} [{}]",
                word(&row["sheet"]),
                row["line"],
                word(&row["ident"]),
                word(&row["state"]),
                word(&fault["code"]),
                word(&fault["path"]),
                word(&fault["value"]),
            );
        }
    }
    out
}
