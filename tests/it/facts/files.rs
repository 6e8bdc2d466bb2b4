//! Rows in files: in a folder that the command imports, and in packages that farms send.

use super::bodies::body;
use super::story::{BULLS, Row};
use super::world::{Subject, World};
use crate::packages::desk::reader_of;
use crate::rest::uploads::form::{Form, kind};
use axum::body::Body;
use axum::http::Request;
use cli::{OpenBook, RowOptions, import_rows};
use domain::collections::registry;
use model::registry::PackageSet;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The set of packages that has rows of a collection.
fn set(slug: &str) -> Option<&'static PackageSet> {
    registry().unwrap().get(slug)?.whole_set()
}

/// Whether a table of a package can say all of a row.
pub(super) fn tabled(row: &Row) -> bool {
    set(body(row, 0).0).is_some()
}

/// A body as a row of a file, which names other rows as people do.
pub(super) fn named(subject: &Subject, mut body: Map<String, Value>) -> Map<String, Value> {
    body.insert("animal".to_owned(), subject.number.clone().into());
    if let Some(Value::Number(bull)) = body.get("bull").cloned() {
        let number = BULLS[usize::try_from(bull.as_i64().unwrap() - 901).unwrap()];
        body.insert("bull".to_owned(), number.into());
    }
    for name in ["method", "result"] {
        if let Some(Value::Number(id)) = body.get(name).cloned() {
            body.insert(name.to_owned(), format!("id:{id}").into());
        }
    }
    body
}

/// A table with the columns that one of its set must have, and those that its rows fill.
fn table(set: &PackageSet, rows: &[Map<String, Value>]) -> String {
    let mut columns: Vec<&str> = set.decisive().collect();
    for path in rows.iter().flat_map(|row| row.keys()) {
        if !columns.contains(&path.as_str()) {
            columns.push(path);
        }
    }
    let mut text = columns.join(";");
    for row in rows {
        let cell = |path: &&str| match row.get(*path) {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        text.push('\n');
        text.push_str(&cells.join(";"));
    }
    text
}

impl World {
    /// Imports rows of a collection.
    pub(super) async fn imported(&self, slug: &str, rows: &[Map<String, Value>]) -> Result<(), String> {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("rows");
        std::fs::create_dir(&folder).unwrap();
        let lines = rows.iter().map(|row| format!("{}\n", Value::Object(row.clone())));
        std::fs::write(folder.join(format!("{slug}.ndjson")), lines.collect::<String>()).unwrap();
        let opened = OpenBook { book: Arc::clone(&self.f.book), exchange: self.f.exchange.clone() };
        let report = dir.path().join("report.csv");
        let options = RowOptions { report: report.clone(), ..RowOptions::default() };
        let done = import_rows(&opened, &folder, &options).await.map_err(|error| format!("{error:?}"))?;
        let total = done.total();
        match (total.created, total.refused) {
            (created, 0) if created == rows.len() as u64 => Ok(()),
            _ => Err(format!("{total:?} {}", std::fs::read_to_string(report).unwrap_or_default())),
        }
    }

    /// Sends rows of a collection as the table of a package. No value of them may be left out.
    pub(super) async fn sent_table(
        &self,
        subject: &Subject,
        token: &str,
        slug: &str,
        rows: &[Map<String, Value>],
    ) -> Result<(), String> {
        let set = set(slug).unwrap();
        let stated = json!({"organization": subject.farm(), "kind": set.kind, "dataset": set.name});
        let text = table(set, rows);
        let report = self.sent_package(token, &stated, ("rows.csv", &text), rows.len()).await?;
        match report.iter().find(|row| row["faults"] != json!([])) {
            None => Ok(()),
            Some(row) => Err(format!("values are left out: {row}")),
        }
    }

    /// Sends documents of the exchange as a package.
    pub(super) async fn sent_documents(
        &self,
        subject: &Subject,
        token: &str,
        documents: Vec<Value>,
    ) -> Result<(), String> {
        let stated = json!({"organization": subject.farm()});
        let rows = documents.len();
        let text = Value::Array(documents).to_string();
        let report = self.sent_package(token, &stated, ("rows.json", &text), rows);
        report.await.map(drop)
    }

    /// Sends a file as a package, which is read at once. What became of its rows: each must be a new record.
    async fn sent_package(
        &self,
        token: &str,
        stated: &Value,
        (name, text): (&str, &str),
        rows: usize,
    ) -> Result<Vec<Value>, String> {
        let form = Form::new().payload(stated).file(name, "", text.as_bytes());
        let request = Request::post("/api/data-submissions?depth=0")
            .header("host", "book.example")
            .header("authorization", format!("JWT {token}"))
            .header("content-type", kind())
            .body(Body::from(form.ended().0))
            .unwrap();
        let (status, _, answer) = self.f.ask(request).await;
        let Some(id) = answer["doc"]["id"].as_i64().filter(|_| status == 201) else {
            return Err(format!("{status} {answer}"));
        };
        let reader = reader_of(&self.f.hub);
        while self.f.book.run_job(&reader).await.map_err(|error| format!("{error:?}"))? {}
        let path = format!("/api/data-submissions/{id}");
        let (_, _, mut page) = self.f.get(&format!("{path}/rows?depth=0&limit=0"), token).await;
        if let Value::Array(entries) = page["docs"].take()
            && entries.len() == rows
            && entries.iter().all(|row| row["state"] == "created")
        {
            return Ok(entries);
        }
        let (_, _, package) = self.f.get(&format!("{path}?depth=0"), token).await;
        Err(format!("{} of {text}", package["intake"]))
    }
}
