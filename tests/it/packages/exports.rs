//! The law of exports: what a list answers as a table, sent back by whoever requested it, is unchanged row by row.

use super::desk::{rows, sent};
use crate::rest::stage::{PASSWORD, Stage};
use crate::rest::world::{Tokens, World};
use crate::support::book::demo_rows;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::Dialect;

/// Forms of tables: the format, what stands above the columns, and the language.
const FORMS: [(&str, &str, &str); 6] = [
    ("csv", "paths", "en"),
    ("csv-ru", "paths", "ru"),
    ("csv-ru", "labels", "ru"),
    ("csv-ru", "labels", "en"),
    ("xlsx", "paths", "en"),
    ("xlsx", "labels", "ru"),
];
/// Changes of values, but for those that every package makes: whose the records are, and that they were checked.
const REVISIONS: &str =
    "SELECT count(*) FROM animal_revisions WHERE path NOT IN ('submission', 'trustLevel', 'trustCheckedAt')";
/// Collections of which the farm of the synthetic book surely has rows.
const FILLED: [&str; 5] = ["animals", "calvings", "inseminations", "milk-tests", "weighings"];

/// The synthetic book, whose users sign in with the password of tests.
async fn filled(stage: &Stage) {
    let verifier = stage.book.passwords.hash(PASSWORD).unwrap();
    for mut rows in demo_rows(15) {
        for user in rows.iter_mut().filter(|row| row.collection == "users") {
            user.hidden.push(("verifier", verifier.clone().into()));
        }
        stage.book.fill(rows).await.unwrap();
    }
}

/// The forms in which a set is sent, with names instead of ids or without: in a long run all of them, else every
/// fourth, other ones on each database, and those of four sets together are all. Each has a workbook, and both names
/// and ids.
fn sent_forms(dialect: Dialect, set: usize) -> impl Iterator<Item = (u8, (&'static str, &'static str, &'static str))> {
    let all = [0, 1].into_iter().flat_map(|depth| FORMS.map(|form| (depth, form)));
    let step = test_support::one_of(4, 4);
    let first = match dialect {
        Dialect::Sqlite => set,
        Dialect::Postgres => set + 2,
    };
    all.skip(first % step).step_by(step)
}

/// When each row of a collection was changed last.
async fn changed(w: &World<'_>, slug: &str) -> Vec<Value> {
    w.list(slug, "select[updatedAt]=true").await
}

#[test_with(Stage::each)]
async fn the_exports_of_every_set_come_back_unchanged(stage: &Stage) {
    filled(stage).await;
    let mut tokens = Tokens::new();
    for (caller, user) in [("alpha", "farm1"), ("admin", "association")] {
        let token = stage.token(&format!("{user}@demo.herdbook")).await;
        tokens.insert(caller, format!("JWT {token}"));
    }
    let w = &World::of(stage, tokens);
    let sets = stage.book.registry.package_sets();
    let slugs: BTreeSet<&str> = sets.map(|(c, _)| c.slug).collect();
    let dialect = stage.book.store.dialect();
    for (set, slug) in slugs.into_iter().enumerate() {
        let before = changed(w, slug).await;
        if before.is_empty() {
            assert!(!FILLED.contains(&slug), "{slug}");
            continue;
        }
        let revisions = stage.number(REVISIONS).await;
        for (at, (depth, (format, headers, language))) in sent_forms(dialect, set).enumerate() {
            // The whole list once; its first rows have what the forms differ in.
            let limit = if at == 0 { 0 } else { 12 };
            let path = format!("/api/{slug}?format={format}&headers={headers}&depth={depth}&sort=id&limit={limit}");
            let accept = [("accept-language", language)];
            let answer = w.send("alpha", "GET", &path, &accept, "").await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            let extension = if format == "xlsx" { "xlsx" } else { "csv" };
            let name = format!("{slug}.{format}.{headers}.{language}.{depth}.{extension}");
            let doc = sent(w, "alpha", &name, &answer.bytes, &json!({})).await;
            let intake = &doc["intake"];
            assert_eq!(intake["state"], "read", "{name}: {intake}");
            let id = doc["id"].as_i64().unwrap();
            let lines = rows(w, "alpha", id, "").await;
            let wrong: Vec<&Value> =
                (lines.iter()).filter(|row| row["state"] != "unchanged" || has_faults(row)).take(3).collect();
            assert!(wrong.is_empty(), "{name}: {wrong:#?}");
            assert!(!lines.is_empty(), "{name}");
        }
        assert_eq!(changed(w, slug).await, before, "{slug}");
        let after = stage.number(REVISIONS).await;
        assert_eq!(after, revisions, "{slug}");
    }
}

fn has_faults(row: &Value) -> bool {
    row["faults"].as_array().is_some_and(|all| !all.is_empty())
}

#[test_with(World::each)]
async fn a_changed_cell_of_an_export_changes_its_row_and_no_other(w: &World<'_>) {
    let own = w.made("alpha", "weighings", json!({"animal": 2, "date": "2026-02-01", "weight": 600})).await;
    let other = w.made("beta", "weighings", json!({"animal": 3, "date": "2026-02-01", "weight": 500})).await;
    let columns = "select[animal]=true&select[date]=true&select[weight]=true";
    for (depth, weight, name) in [(0, 610, "2"), (1, 620, "960000000002")] {
        let path = format!("/api/weighings?format=csv-ru&depth={depth}&limit=0&where[id][equals]={own}&{columns}");
        let table = w.get("alpha", &path).await.text;
        let line = table.lines().nth(1).unwrap();
        assert!(line.starts_with(&format!("{own};{name};01.02.2026;")), "{line}");
        let heavier = format!("{own};{name};01.02.2026;{weight}");
        let table = table.replace(line, &heavier);
        let doc = sent(w, "alpha", "a.csv", table.as_bytes(), &json!({})).await;
        holds!(doc, {"intake.state": "read", "intake.rows": 1, "intake.updated": 1});
        let row = w.doc("weighings", own).await;
        assert_eq!((&row["animal"], &row["weight"]), (&json!(2), &json!(weight)));
    }
    // An id of another farm's row changes nothing, and one that the book does not have makes no row.
    let all = w.list("weighings", "").await.len();
    for id in [other, other + 1_000] {
        let table = format!("id;animal;date;weight\r\n{id};2;03.02.2026;615\r\n");
        let doc = sent(w, "alpha", "b.csv", table.as_bytes(), &json!({})).await;
        holds!(doc, {"intake.state": "read", "intake.held": 1});
        if id != other {
            let lines = rows(w, "alpha", doc["id"].as_i64().unwrap(), "").await;
            assert_eq!(lines[0]["faults"][0]["code"], "resource-not-found", "{lines:?}");
        }
    }
    assert_eq!(w.list("weighings", "").await.len(), all);
    assert_eq!(w.doc("weighings", other).await["weight"], 500);
    // The key of another program that is called `id` is none of the book.
    let table = "id;Инд.№;Дата взвешивания;Живая масса, кг\r\n77;960000000002;05.02.2026;630\r\n";
    let doc =
        sent(w, "alpha", "c.csv", table.as_bytes(), &json!({"kind": "productivity", "dataset": "weighings"})).await;
    holds!(doc, {"intake.state": "read", "intake.created": 1});
}

#[test_with(World::each)]
async fn a_cell_of_another_row_means_what_it_means_there(w: &World<'_>) {
    let jersey = made!(w, "expert", "breeds", {"code": "2", "name": "Джерсейская", "nameEnglish": "Jersey"});
    changed!(w, "alpha", "animals", 4, {"breed": jersey});
    let born = json!({"identNumber": "960000000010", "sex": "female", "birthDate": "2025-03-01"});
    let calf = w.made("alpha", "animals", born).await;
    for (language, breed) in [("ru", "Джерсейская"), ("en", "Jersey")] {
        let columns = "select[identNumber]=true&select[breed]=true&select[mother]=true";
        let rest = format!("language={language}&where[id][in]=4,{calf}&{columns}");
        let path = format!("/api/animals?format=csv-ru&headers=labels&depth=1&sort=id&{rest}");
        let table = w.get("alpha", &path).await.text;
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[1], format!("960000000004;{breed};Animal 2 960000000002;4"), "{table}");
        // Beside the row that it was copied from; alone; and below another name than the book has.
        let row = |mother: &str| format!("960000000010;{breed};{mother};{calf}");
        let (copied, other) = (row("Animal 2 960000000002"), row("Zorka 960000000002"));
        for (at, below) in [format!("{}\r\n{copied}", lines[1]), copied, other].iter().enumerate() {
            changed!(w, "admin", "animals", calf, {"mother": null, "breed": null});
            let (name, table) = (format!("{language}{at}.csv"), format!("{}\r\n{below}\r\n", lines[0]));
            let doc = sent(w, "alpha", &name, table.as_bytes(), &json!({})).await;
            holds!(doc, {"intake.state": "read", "intake.updated": 1, "intake.held": 0}, "{name}");
            holds!(w.doc("animals", calf).await, {"mother": 2, "breed": jersey}, "{name}");
        }
    }
}
