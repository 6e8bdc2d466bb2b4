//! The law of imports: rows of every collection, as REST lists show them, become the same rows of an
//! empty book, and imported again, also as tables, change nothing.

use super::desk::{Desk, content};
use crate::rest::stage::{Stage, request};
use axum::body::Body;
use ops::{FillRow, closed_to_import, imports};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Collections without rows in the synthetic book, or of which none come back, and why.
const WITHOUT: [(&str, &str); 0] = [];
/// Fields that come back otherwise, and why.
const OTHERWISE: [(&str, &str, &str); 0] = [];

/// Fields that a file leaves out, since they follow from other rows.
const FOLLOWS: [(&str, &[&str], &str); 1] = [(
    "animals",
    &["disposalDate", "disposalReason", "disposalOrganization"],
    "the movement of leaving says it",
)];

/// A book as its lists show it: by collection, as lines of JSON and as a table.
struct Shown {
    lines: BTreeMap<&'static str, String>,
    tables: BTreeMap<&'static str, String>,
}

async fn shown(stage: &Stage, token: &str) -> Shown {
    let mut shown = Shown {
        lines: BTreeMap::new(),
        tables: BTreeMap::new(),
    };
    for c in stage
        .book
        .registry
        .iter()
        .filter(|c| closed_to_import(c).is_none())
    {
        let path = format!("/api/{}?depth=0&sort=id&limit=0", c.slug);
        for (accept, texts) in [
            ("application/x-ndjson", &mut shown.lines),
            ("text/csv", &mut shown.tables),
        ] {
            let headers = [("authorization", token), ("accept", accept)];
            let answer = stage
                .ask(request("GET", &path, &headers, Body::empty()))
                .await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            if answer
                .text
                .lines()
                .nth(usize::from(accept == "text/csv"))
                .is_some()
            {
                texts.insert(c.slug, answer.text);
            }
        }
    }
    shown
}

/// The synthetic book; with `closed`, only accounts and files, which are not imported.
async fn filled(stage: &Stage, closed: bool) {
    let made = demo::generate(&demo::Options {
        animals: 40,
        seed: 1,
    });
    let registry = stage.book.registry;
    for wave in demo::waves(made.rows) {
        let rows = wave.into_iter().filter(|row| {
            let c = registry.get(row.collection);
            !closed || c.is_some_and(|c| c.auth || c.upload.is_some())
        });
        let rows = rows.map(|row| {
            let mut data = row.data;
            data.extend(row.system);
            FillRow {
                collection: row.collection,
                id: row.id,
                data,
                hidden: Vec::new(),
            }
        });
        let rows: Vec<FillRow> = rows.collect();
        let slug = rows.first().map_or("", |row| row.collection);
        let filled = stage.book.fill(rows).await;
        filled.unwrap_or_else(|error| panic!("{slug}: {error}"));
    }
}

/// Rows as a file of another program has them: without what follows from other rows, and without
/// rows that only the book makes.
fn begun(stage: &Stage, slug: &str, lines: &str) -> String {
    let c = stage.book.registry.get(slug).unwrap();
    let rows = rows(lines)
        .into_values()
        .filter(|row| row["origin"] != "computed");
    let rows = rows.map(|mut row| {
        let follows = FOLLOWS.iter().filter(|(of, _, _)| *of == slug);
        let follows = follows.flat_map(|(_, paths, _)| paths.iter().copied());
        let states = c.states.iter().flat_map(|states| states.paths());
        for path in follows.chain(states) {
            remove(&mut row, path);
        }
        format!("{row}\n")
    });
    rows.collect()
}

fn remove(row: &mut Value, path: &str) {
    let (group, name) = path.rsplit_once('.').unwrap_or(("", path));
    let place = match group {
        "" => Some(row),
        group => row.get_mut(group),
    };
    if let Some(Value::Object(members)) = place {
        members.remove(name);
    }
}

async fn admin(stage: &Stage) -> String {
    stage.user(9_001, "law@example.org", "admin").await;
    format!("JWT {}", stage.token("law@example.org").await)
}

fn rows(lines: &str) -> BTreeMap<i64, Value> {
    let rows = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| (row["id"].as_i64().unwrap(), row)).collect()
}

fn at<'v>(row: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(row, |value, name| &value[name])
}

#[tokio::test]
async fn rows_of_every_collection_come_back_and_a_second_time_change_nothing() {
    let from = Stage::new().await;
    filled(&from, false).await;
    let token = admin(&from).await;
    let given = shown(&from, &token).await;
    Stage::each(async |stage| {
        let desk = Desk::new(stage);
        // Organisations and dictionaries first, since accounts and files name them.
        let base = |slug: &str| {
            let c = stage.book.registry.get(slug).unwrap();
            c.slug == "organizations" || c.section == "Dictionaries"
        };
        for (slug, lines) in given.lines.iter().filter(|(slug, _)| base(slug)) {
            desk.file(&format!("{slug}.ndjson"), begun(stage, slug, lines));
        }
        desk.import().await;
        eprintln!("{:#?}", desk.report().iter().take(20).collect::<Vec<_>>());
        filled(stage, true).await;
        let token = admin(stage).await;
        for (slug, lines) in &given.lines {
            desk.file(&format!("{slug}.ndjson"), begun(stage, slug, lines));
        }
        let done = desk.import().await;
        let mut refused = BTreeMap::new();
        for line in desk.report() {
            let slug = line.split('.').next().unwrap().to_owned();
            refused.entry(slug).or_insert_with(Vec::new).push(line);
        }
        for (slug, lines) in &refused {
            eprintln!(
                "{slug}: {} refused, {:#?}",
                lines.len(),
                &lines[..lines.len().min(3)]
            );
        }
        eprintln!("{:?}", done.collections);
        let back = shown(stage, &token).await;
        let mut otherwise: BTreeSet<(String, String)> = BTreeSet::new();
        for (slug, lines) in &given.lines {
            let c = stage.book.registry.get(slug).unwrap();
            let (given, back) = (rows(lines), rows(back.lines.get(slug).map_or("", |l| l)));
            let lost: Vec<&i64> = given.keys().filter(|id| !back.contains_key(id)).collect();
            if !lost.is_empty() {
                eprintln!("{slug}: {} of {} lost", lost.len(), given.len());
            }
            for (id, row) in &given {
                let Some(there) = back.get(id) else { continue };
                for (slot, field) in c.fields.iter().enumerate() {
                    let taken = imports(c, slot) && field.class != model::registry::Class::Hidden;
                    if taken && at(row, &field.path) != at(there, &field.path) {
                        if otherwise.insert(((*slug).to_owned(), field.path.clone())) {
                            let (was, is) = (at(row, &field.path), at(there, &field.path));
                            eprintln!("{slug}.{}: {was} {is}", field.path);
                        }
                    }
                }
            }
        }
        let before = content(stage).await;
        let again = desk.import().await;
        eprintln!("again {:?}", again.collections);
        assert_eq!(content(stage).await, before, "lines");
        for slug in given.lines.keys() {
            std::fs::remove_file(desk.folder().join(format!("{slug}.ndjson"))).unwrap();
        }
        for (slug, table) in &given.tables {
            desk.file(&format!("{slug}.csv"), table);
        }
        let again = desk.import().await;
        eprintln!("tables {:?}", again.collections);
        assert_eq!(content(stage).await, before, "tables");
        let _ = (WITHOUT, OTHERWISE);
        panic!("look");
    })
    .await;
}
