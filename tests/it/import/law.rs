//! The law of imports: rows of every collection, as REST lists show them, become the same rows of an
//! empty book, and imported again, also as tables, change nothing.

use super::desk::{Desk, content};
use crate::rest::stage::{Stage, request};
use crate::support::book::demo_rows;
use axum::body::Body;
use ingest::{closed_to_import, imports};
use model::registry::{Class, Collection};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Fields that the files leave out, and why.
const FOLLOWS: [(&str, &[&str], &str); 1] = [(
    "animals",
    &["disposalDate", "disposalReason", "disposalOrganization", "lactations", "summary"],
    "movements, calvings and tests say it",
)];

/// Codes with which rows are refused, and why they do not come back.
const REFUSED: [(&str, &str, &str); 3] = table![
    "index-bases", "illegal-move", "a base takes effect after it was compared with the one in force";
    "movements", "not-the-owner", "animals come with their present owner, who did not give them away before";
    "access-grants", "required", "a grant of a whole herd is given by its organisation, not by the Association";
];

/// A book as its lists show it: by collection, as lines of JSON and as a table.
struct Lists {
    lines: BTreeMap<&'static str, String>,
    tables: BTreeMap<&'static str, String>,
}

async fn shown(stage: &Stage, token: &str) -> Lists {
    let mut shown = Lists { lines: BTreeMap::new(), tables: BTreeMap::new() };
    for c in stage.book.registry.iter().filter(|c| closed_to_import(c).is_none()) {
        let path = format!("/api/{}?depth=0&sort=id&limit=0", c.slug);
        for (accept, texts) in [("application/x-ndjson", &mut shown.lines), ("text/csv", &mut shown.tables)] {
            let headers = [("authorization", token), ("accept", accept)];
            let answer = stage.ask(request("GET", &path, &headers, Body::empty())).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            if answer.text.lines().nth(usize::from(accept == "text/csv")).is_some() {
                texts.insert(c.slug, answer.text);
            }
        }
    }
    shown
}

/// The synthetic book; with `closed`, only accounts and files, which are not imported.
async fn filled(stage: &Stage, closed: bool) {
    let registry = stage.book.registry;
    for mut rows in demo_rows(40) {
        rows.retain(|row| {
            let c = registry.get(row.collection);
            !closed || c.is_some_and(|c| c.auth || c.upload.is_some())
        });
        let slug = rows.first().map_or("", |row| row.collection);
        let filled = stage.book.fill(rows).await;
        filled.unwrap_or_else(|error| panic!("{slug}: {error}"));
    }
}

/// Rows as a file of another program has them: without what follows from other rows, and without
/// rows that only the book makes.
fn begun(stage: &Stage, slug: &str, lines: &str) -> String {
    let c = stage.book.registry.get(slug).unwrap();
    let rows = rows(lines).into_values().filter(|row| row["origin"] != "computed");
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
    let rows = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
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
        assert_eq!(desk.report(), NOTHING);
        filled(stage, true).await;
        let token = admin(stage).await;
        for (slug, lines) in &given.lines {
            desk.file(&format!("{slug}.ndjson"), begun(stage, slug, lines));
        }
        desk.import().await;
        let expected: BTreeSet<String> = (REFUSED.iter()).map(|(slug, code, _)| format!("{slug} {code}")).collect();
        let refused: BTreeSet<String> = (desk.places().iter())
            .map(|place| {
                let slug = place.split('.').next().unwrap();
                format!("{slug} {}", place.rsplit(' ').next().unwrap())
            })
            .collect();
        assert_eq!(refused, expected, "{:#?}", desk.report());
        let lost: BTreeSet<(&str, i64)> = lost(&desk, &given);
        let back = shown(stage, &token).await;
        for (slug, lines) in &given.lines {
            let c = stage.book.registry.get(slug).unwrap();
            let (given, back) = (rows(lines), rows(back.lines.get(slug).map_or("", |l| l)));
            for (id, row) in &given {
                if row["origin"] == "computed" || lost.contains(&(slug, *id)) {
                    continue;
                }
                let there = back.get(id).unwrap_or_else(|| panic!("{slug}/{id} is lost"));
                for (slot, field) in c.fields.iter().enumerate() {
                    let shown = field.class != Class::Hidden && !left_out(c, &field.path);
                    if imports(c, slot) && shown {
                        let (was, is) = (at(row, &field.path), at(there, &field.path));
                        assert_eq!(is, was, "{slug}/{id} {}", field.path);
                    }
                }
            }
        }
        let before = content(stage).await;
        let second = desk.import().await.total();
        assert_eq!((second.created, second.updated), (0, 0));
        assert_eq!(difference(&before, &content(stage).await), NOTHING);
        // The same lists as tables.
        for slug in given.lines.keys() {
            std::fs::remove_file(desk.folder().join(format!("{slug}.ndjson"))).unwrap();
        }
        let back = shown(stage, &token).await;
        for (slug, table) in &back.tables {
            desk.file(&format!("{slug}.csv"), table);
        }
        let second = desk.import().await.total();
        assert_eq!((second.created, second.updated), (0, 0), "{:#?}", desk.report());
        assert_eq!(desk.report(), NOTHING);
        assert_eq!(difference(&before, &content(stage).await), NOTHING);
    })
    .await;
}

const NOTHING: [&str; 0] = [];

/// Lines of one book that the other does not have.
fn difference(before: &[String], after: &[String]) -> Vec<String> {
    let (before, after) = (BTreeSet::from_iter(before), BTreeSet::from_iter(after));
    (before.symmetric_difference(&after)).map(|line| (*line).clone()).collect()
}

/// Ids of the rows that were refused.
fn lost<'g>(desk: &Desk<'_>, given: &'g Lists) -> BTreeSet<(&'g str, i64)> {
    let places = desk.places();
    let lost = places.iter().map(|place| {
        let (slug, line) = place.split(' ').next().unwrap().split_once(".ndjson:").unwrap();
        let (slug, _) = given.lines.get_key_value(slug).unwrap();
        let file = std::fs::read_to_string(desk.folder().join(format!("{slug}.ndjson"))).unwrap();
        let line = file.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap();
        let row: Value = serde_json::from_str(line).unwrap();
        (*slug, row["id"].as_i64().unwrap())
    });
    lost.collect()
}

/// Whether the files leave out a field: it follows from other rows, or is a state, whose course a new row begins.
fn left_out(c: &Collection, path: &str) -> bool {
    let follows = FOLLOWS.iter().filter(|(of, _, _)| *of == c.slug);
    let mut follows = follows.flat_map(|(_, paths, _)| paths.iter());
    let within = |whole: &str| path.strip_prefix(whole).is_some_and(|r| r.is_empty() || r.starts_with('.'));
    let mut states = c.states.iter().flat_map(|states| states.paths());
    follows.any(|whole| within(whole)) || states.any(|state| state == path)
}
