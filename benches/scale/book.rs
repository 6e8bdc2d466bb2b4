//! The book that is measured: how fast it is loaded, what it takes on disk, how soon it is served.

use crate::program::{self, number};
use crate::shared::{opened, render, row, serve};
use crate::table::{Budget, Table};
use crate::{median, turns};
use cli::OpenBook;
use indexmap::{IndexMap, IndexSet};
use model::record::Value;
use ops::FillRow;
use reqwest::Client;
use serde_json::{Value as Json, json};
use std::path::Path;
use std::time::{Duration, Instant};
use store::{Sql, Store, Ty};

/// Cows that the batches of a writer are about.
pub(crate) const COWS: i64 = 1_000;
/// Writers at once, each with cows of its own: days of one cow that come out of order cost more.
pub(crate) const WRITERS: usize = 8;
/// The first id of their rows, which the synthetic book does not reach.
pub(crate) const FIRST: i64 = 100_000_000;
/// The farm that owns them.
pub(crate) const FARM: i64 = 2;
/// The account of that farm.
const ACCOUNT: &str = "farm1@demo.herdbook";
/// Rows of a transaction.
const PART: usize = 1_000;

/// A filled book.
pub(crate) struct Book {
    pub(crate) dir: tempfile::TempDir,
    /// Rows that were loaded, and their length as CSV.
    source: (usize, usize),
    loading: Duration,
    /// Bare inserts of rows a second.
    pub(crate) bare: f64,
    /// Documents, and how long each second rendering of all of them takes.
    documents: f64,
}

impl Book {
    pub(crate) async fn make(table: &mut Table) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let animals = number("HERDBOOK_BENCH_ANIMALS", 2_000);
        program::run(&["migrate"], dir.path());
        let loading = program::run(&["generate", "--animals", &animals.to_string()], dir.path());
        let source = source(usize::try_from(animals).unwrap());
        let opened = opened(dir.path()).await;
        space(&opened.book.store, dir.path(), source.1, table).await;
        let bare = bare(&opened.book.store).await;
        cows(&opened).await;
        let documents = "SELECT count(*) FROM exchange_documents WHERE NOT deleted";
        let documents = count(&opened.book.store, documents).await;
        opened.book.store.close().await;
        Self { dir, source, loading, bare, documents }
    }

    pub(crate) async fn loading(&self, table: &mut Table) {
        table.add(
            format!("first load, {} rows, documents included", self.source.0),
            (self.source.0 as f64 / self.loading.as_secs_f64(), "rows/s"),
            Some(("bare insert", self.bare)),
            Budget::AtLeast(100_000.0),
        );
        let rendered = (0..turns()).map(|_| {
            let took = program::run(&["reproject"], self.dir.path());
            self.documents / took.as_secs_f64()
        });
        table.add(
            format!("reproject of {} documents", self.documents),
            (median(rendered.collect()), "documents/s"),
            None,
            Budget::AtLeast(60_000.0),
        );
    }

    pub(crate) fn start(&self, table: &mut Table) {
        let mut memory = Vec::new();
        let started = (0..turns()).map(|_| {
            let begun = Instant::now();
            let server = serve(self.dir.path());
            let took = begun.elapsed();
            memory.extend(program::memory(server.id(), "RssAnon"));
            took.as_secs_f64() * 1e3
        });
        table.add("start to ready", (median(started.collect()), "ms"), None, Budget::AtMost(150.0));
        if !memory.is_empty() {
            table.add("anonymous memory after the start", (median(memory), "MB"), None, Budget::AtMost(150.0));
        }
    }
}

/// The token of the farm.
pub(crate) async fn token(client: &Client, url: &str) -> String {
    program::sign_in(client, url, ACCOUNT).await
}

/// Rows of the synthetic book, and their length as CSV: a file for each collection, a column for each field.
fn source(animals: usize) -> (usize, usize) {
    let made = demo::generate(&demo::Options { animals, ..demo::Options::default() });
    type File<'r> = (IndexSet<&'r str>, Vec<&'r serde_json::Map<String, Json>>);
    let mut files: IndexMap<&str, File<'_>> = IndexMap::new();
    for row in &made.rows {
        let (columns, rows) = files.entry(row.collection).or_default();
        columns.extend(row.data.keys().map(String::as_str));
        rows.push(&row.data);
    }
    let mut bytes = 0;
    for (columns, rows) in files.values() {
        bytes += columns.iter().map(|name| name.len() + 1).sum::<usize>();
        for row in rows {
            let cell = |name: &&str| match row.get(*name) {
                None | Some(Json::Null) => 0,
                Some(Json::String(text)) => text.len(),
                Some(other) => other.to_string().len(),
            };
            bytes += columns.iter().map(|name| cell(name) + 1).sum::<usize>();
        }
    }
    (made.rows.len(), bytes)
}

async fn count(store: &Store, sql: &str) -> f64 {
    let rows = store.rows(Sql::new(sql)).await.unwrap();
    rows.first().and_then(|row| row.int(0)).unwrap() as f64
}

/// What the book takes on disk.
async fn space(store: &Store, dir: &Path, source: usize, table: &mut Table) {
    let bytes = match std::env::var("HERDBOOK_BENCH_POSTGRES") {
        Ok(_) => count(store, "SELECT pg_database_size(current_database())").await,
        Err(_) => std::fs::metadata(dir.join("book.db")).unwrap().len() as f64,
    };
    table.add(
        "space of the book",
        (bytes / 1e6, "MB"),
        Some(("source rows as CSV", source as f64 / 1e6)),
        Budget::RatioAtMost(4.0),
    );
}

/// The milk tests of the book again, into a table without indexes, by statements of many rows in
/// transactions of 1,000: the least that storing them can cost. Rows a second.
async fn bare(store: &Store) -> f64 {
    let registry = domain::collections::registry().unwrap();
    let tests = registry.get("milk-tests").unwrap();
    let columns: Vec<(&str, Ty)> = (tests.fields.iter()).map(|field| (field.column.as_str(), Ty::of(field))).collect();
    let names: Vec<String> = (columns.iter()).map(|(name, _)| format!("\"{name}\"")).collect();
    let names = names.join(",");
    let read = format!("SELECT {names} FROM milk_tests ORDER BY id LIMIT 20000");
    let rows: Vec<Vec<(Ty, Value)>> = (store.rows(Sql::new(&read)).await.unwrap().iter())
        .map(|row| {
            let values = columns.iter().enumerate();
            let value = |(at, (_, ty)): (usize, &(&str, Ty))| (*ty, row.value(at, *ty));
            values.map(value).collect()
        })
        .collect();
    let mut rates = Vec::new();
    for _ in 0..turns() {
        let copy = "CREATE TABLE bench_bare AS SELECT * FROM milk_tests WHERE 1 = 0";
        run(store, copy).await;
        let begun = Instant::now();
        for batch in rows.chunks(PART).map(<[_]>::to_vec) {
            let head = format!("INSERT INTO bench_bare ({names}) VALUES ");
            let done = store.write(move |tx| {
                Box::pin(async move {
                    for piece in batch.chunks(500) {
                        let mut sql = Sql::new(&head);
                        for (i, row) in piece.iter().enumerate() {
                            sql.push(if i > 0 { ",(" } else { "(" });
                            for (j, (ty, value)) in row.iter().enumerate() {
                                sql.push(if j > 0 { "," } else { "" });
                                sql.bind(*ty, value.clone());
                            }
                            sql.push(")");
                        }
                        tx.run(sql).await?;
                    }
                    Ok(())
                })
            });
            done.await.unwrap();
        }
        rates.push(rows.len() as f64 / begun.elapsed().as_secs_f64());
        run(store, "DROP TABLE bench_bare").await;
    }
    median(rates)
}

async fn run(store: &Store, sql: &'static str) {
    let done = store.write(move |tx| Box::pin(async move { tx.run(Sql::new(sql)).await }));
    done.await.unwrap();
}

/// The number of a cow.
pub(crate) fn cow(at: i64) -> String {
    (970_000_000_000 + at).to_string()
}

/// Cows of the farm that calved in January 2025.
async fn cows(opened: &OpenBook) {
    let animal = |at| json!({"identNumber": cow(at), "sex": "female", "birthDate": "2022-05-01", "owner": FARM});
    let calving = |at| json!({"animal": FIRST + at, "number": 1, "date": "2025-01-10"});
    let count = COWS * WRITERS as i64;
    let all = |of: &dyn Fn(i64) -> FillRow| (0..count).map(of).collect::<Vec<_>>();
    let animals = all(&|at| row("animals", FIRST + at, animal(at)));
    opened.book.fill(animals).await.unwrap();
    let calvings = all(&|at| row("calvings", FIRST + at, calving(at)));
    opened.book.fill(calvings).await.unwrap();
    render(opened).await;
}
