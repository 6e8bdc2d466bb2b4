//! The law that no number of rows costs statements: over every collection of the book, at
//! every depth, with every join, and for rows that are written together.

use super::fixture::{Who, parse_ask};
use crate::{Book, FillRow, Item, NoProjection, Outcome};
use model::clock::Clock;
use model::record::Value;
use model::registry::{Class, Collection, Field, Kind, Writer};
use secure::keys::{KeyRing, random_secret};
use secure::password::{PasswordCost, Passwords};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::statement_log::{read as statements, written};
use store::{Dialect, Durability, Sql, Store};
use test_books::{Template, dialects};

/// Rows of the larger set of two.
const MANY: usize = 50;
/// Statements that a set may need more than a small one: for an older generation of
/// ancestors, for kinds of rows that the small one lacks, for the tables that repeat the owner of an animal, eleven for
/// each step of rows. A single statement for each row would be more.
const SLACK: usize = 36;
/// How often one statement may occur in a set: rows are written four, sixteen and sixty-four at a
/// time, the rest one by one, and several computed values read the same rows.
const TIMES: usize = 8;

/// A migrated book on every database of this depth.
pub(super) async fn books() -> Vec<(Book, tempfile::TempDir)> {
    books_at(&Clock::system()).await
}

pub(super) async fn books_at(clock: &Clock) -> Vec<(Book, tempfile::TempDir)> {
    let mut all = Vec::new();
    for dialect in dialects() {
        let Some(empty) = Template::empty(*dialect).await else { continue };
        let dir = tempfile::tempdir().unwrap();
        let url = empty.copy(dir.path()).await;
        let store = Store::open(&url, Durability::Normal, clock.clone(), false);
        let book = Book::new(
            domain::collections::registry().unwrap(),
            store.await.unwrap(),
            clock.clone(),
            Arc::new(NoProjection),
            Arc::new(Passwords::new(PasswordCost::default()).unwrap()),
            Arc::new(KeyRing::new(&random_secret(), None).unwrap()),
        );
        all.push((book, dir));
    }
    all
}

fn filling(row: demo::SeedRow) -> FillRow {
    let mut data = row.data;
    data.extend(row.system);
    FillRow { collection: row.collection, id: row.id, data, hidden: Vec::new() }
}

/// A set in parts without rows that build on each other, since those go one after another however they are sent.
fn apart(book: &Book, rows: Vec<FillRow>) -> Vec<Vec<FillRow>> {
    let mut parts: Vec<Vec<FillRow>> = Vec::new();
    let (mut by_key, mut by_id) = (BTreeMap::new(), BTreeMap::new());
    for row in rows {
        let c = book.registry.get(row.collection).unwrap();
        let value = |path: &str| row.data.get(path).and_then(serde_json::Value::as_i64);
        let key = c.serial.and_then(value);
        let own = c.fields.iter().filter(|f| f.target() == Some(c.slug));
        let kin = own.filter_map(|f| value(&f.path)).filter_map(|id| by_id.get(&id));
        let part = kin.chain(key.and_then(|key| by_key.get(&key))).max().map_or(0, |last: &usize| last + 1);
        by_key.extend(key.map(|key| (key, part)));
        by_id.insert(row.id, part);
        if parts.len() <= part {
            parts.push(Vec::new());
        }
        parts[part].push(row);
    }
    parts
}

/// Fills a book with the synthetic one, and returns how many different statements sets of a few and
/// of many rows cost by collection, at least.
async fn filled(book: &Book) -> BTreeMap<&'static str, (usize, usize)> {
    let made = demo::generate(&demo::Options { animals: 150, ..demo::Options::default() });
    let mut costs: BTreeMap<&str, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    let sets = demo::waves(made.rows).into_iter();
    for mut rows in sets.flat_map(|set| apart(book, set.into_iter().map(filling).collect())) {
        while !rows.is_empty() {
            let few = rows.len().min(5);
            let many = rows.len().min(MANY);
            let slug = rows[0].collection;
            let (small, large) = costs.entry(slug).or_default();
            // Small and large ones by turns.
            let take = if small.len() > large.len() { many } else { few };
            written();
            book.fill(rows.drain(..take).collect()).await.unwrap();
            let heard = written();
            let (times, sql) = repeated(&heard);
            assert!(times <= TIMES, "{slug}: {take} rows, {times} times: {sql}");
            let cost = heard.iter().collect::<BTreeSet<_>>().len();
            match take {
                MANY => large.push(cost),
                5 => small.push(cost),
                _ => {}
            }
        }
    }
    let lists = costs.into_iter();
    lists
        .filter_map(|(slug, (small, large))| Some((slug, (small.into_iter().max()?, large.into_iter().min()?))))
        .collect()
}

/// The most frequent statement, and how often it occurred.
fn repeated(heard: &[String]) -> (usize, &str) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for sql in heard {
        *times.entry(sql).or_default() += 1;
    }
    times.into_iter().max_by_key(|(_, times)| *times).map_or((0, ""), |(sql, times)| (times, sql))
}

#[test_each(books())]
async fn no_collection_asks_row_by_row((book, _dir): (Book, tempfile::TempDir)) {
    let costs = filled(&book).await;
    assert!(costs.len() >= 5, "sets of both sizes: {costs:?}");
    for (slug, (small, large)) in &costs {
        assert!(*large <= small + SLACK, "{slug}: {small} statements for 5 rows, {large} for {MANY}");
    }
    reads_do_not_grow(&book).await;
    updates_do_not_grow(&book).await;
}

/// Statements of a list: at each level one for each collection that is shown there in the same way,
/// so that none occurs more often than there are levels.
async fn reads_do_not_grow(book: &Book) {
    let mut crowded = 0;
    let mut deepest = 0;
    for c in book.registry.iter() {
        for depth in 0..=3 {
            let joins: String = c.joins.iter().map(|j| format!("&joins[{}][limit]=5", j.name)).collect();
            let query = format!("limit={MANY}&depth={depth}&pagination=false&sort=id{joins}");
            statements();
            let listing = book.list(&Who::A.principal(), c, parse_ask(&query)).await;
            let body = listing.unwrap().collect().await.unwrap();
            let heard = statements();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let rows = body["docs"].as_array().unwrap().len();
            crowded += usize::from(depth == 0 && rows >= 10);
            deepest = deepest.max(heard.len());
            let (times, sql) = repeated(&heard);
            assert!(times <= depth + 1, "{}: depth {depth}, {rows} rows, {times} times: {sql}", c.slug);
        }
    }
    assert!(crowded >= 12, "{crowded} collections with rows");
    assert!(deepest > 5, "{deepest} statements at most: nothing was expanded");
}

/// Fields that take any text.
fn free(field: &Field) -> bool {
    matches!(field.kind, Kind::Text(_) | Kind::LongText)
        && !field.unique
        && field.writer != Writer::Server
        && field.class != Class::Hidden
}

async fn updated(book: &Book, c: &'static Collection, slot: usize, ids: &[i64], to: &str) -> bool {
    let items = ids.iter().map(|id: &i64| Item::update(*id, vec![(slot, Value::Text(to.to_owned()))])).collect();
    let outcomes = book.write(Who::A.principal(), c, items).await.unwrap();
    outcomes.iter().all(|o| !matches!(o, Outcome::Refused(_)))
}

async fn updates_do_not_grow(book: &Book) {
    let mut tried = 0;
    // Where rows of an animal build on each other, changes go one after another.
    for c in book.registry.iter().filter(|c| c.serial.is_none()) {
        let ids = book.ids(&Who::A.principal(), c, None, &[], Some(60)).await;
        let Ok(ids) = ids else { continue };
        if ids.len() < MANY + 5 {
            continue;
        }
        let (few, many) = ids.split_at(5);
        for (slot, field) in c.fields.iter().enumerate().filter(|(_, f)| free(f)) {
            written();
            if !updated(book, c, slot, few, "few").await {
                continue;
            }
            let small = written().len();
            if !updated(book, c, slot, &many[..MANY], "many").await {
                continue;
            }
            let large = written().len();
            let path = &field.path;
            assert!(large <= small + SLACK, "{}.{path}: {small} statements for 5 rows, {large} for {MANY}", c.slug);
            tried += 1;
            break;
        }
    }
    assert!(tried >= 5, "{tried} collections were written to");
}

#[tokio::test]
async fn what_follows_from_rows_of_one_subject_is_computed_once() {
    let row = |collection, id, data: serde_json::Value| FillRow {
        collection,
        id,
        data: data.as_object().unwrap().clone(),
        hidden: Vec::new(),
    };
    for (book, _dir) in books().await {
        let farm = json!({"name": "Farm", "presence": "registered", "type": "farm"});
        book.fill(vec![row("organizations", 1, farm)]).await.unwrap();
        let cow = json!({"identNumber": "960000000001", "sex": "female", "birthDate": "2015-05-01", "owner": 1});
        book.fill(vec![row("animals", 1, cow)]).await.unwrap();
        let calving = |year: i64| {
            let date = format!("{}-03-01", 2016 + year);
            row("calvings", year, json!({"animal": 1, "date": date}))
        };
        written();
        book.fill((1..=6).map(calving).collect()).await.unwrap();
        let views = written();
        let views = views.iter().filter(|sql| sql.starts_with("UPDATE \"animals\""));
        // The views with the age group.
        assert_eq!(views.count(), 1);
        let sql = "SELECT current_parity, age_group FROM animals WHERE id = 1";
        let rows = book.store.rows(Sql::new(sql)).await.unwrap();
        assert_eq!((rows[0].int(0), rows[0].text(1)), (Some(6), Some("cow3")));
    }
}

#[test_each(books())]
async fn ancestors_are_read_a_generation_at_a_time_and_only_those_that_are_not_known(
    (book, _dir): (Book, tempfile::TempDir),
) {
    let row = |collection, id: i64, data: serde_json::Value| FillRow {
        collection,
        id,
        data: data.as_object().unwrap().clone(),
        hidden: Vec::new(),
    };
    let farm = json!({"name": "Farm", "presence": "registered", "type": "farm"});
    book.fill(vec![row("organizations", 1, farm)]).await.unwrap();
    // A line of forty bulls.
    let bull = |id: i64| {
        let father = (id > 1).then_some(id - 1);
        let data = json!({"identNumber": (960_000_000_000 + id).to_string(), "sex": "male",
            "birthDate": format!("{}-05-01", 1950 + id), "owner": 1, "father": father});
        row("animals", id, data)
    };
    book.fill((1..=40).map(bull).collect()).await.unwrap();
    let (c, who) = (book.registry.get("animals").unwrap(), Who::A.principal());
    let read = async |known: fn(i64) -> bool| {
        statements();
        let rows = book.ancestry(&who, c, &[40, 39], &known).await.unwrap();
        (rows, statements().len())
    };
    let (rows, count) = read(|_| false).await;
    let line = (1..=40).map(|id| (id, [(id > 1).then_some(id - 1), None]));
    assert_eq!(rows, line.collect::<BTreeMap<i64, _>>());
    assert_eq!(count, 31, "thirty generations, and the rest");
    let (rows, count) = read(|id| id < 38).await;
    assert_eq!((rows.into_keys().collect::<Vec<_>>(), count), (vec![38, 39, 40], 2));
    assert_eq!(read(|_| true).await, (BTreeMap::new(), 0));
}

#[tokio::test]
async fn a_page_is_found_along_the_index_of_its_order() {
    for (book, _dir) in books().await {
        if book.store.dialect() != Dialect::Sqlite {
            continue;
        }
        let c = book.registry.get("milk-tests").unwrap();
        for sort in ["date", "-date", "createdAt", "updatedAt"] {
            statements();
            let listing = book.list(&Who::A.principal(), c, parse_ask(&format!("limit=10&sort={sort}"))).await.unwrap();
            listing.collect().await.unwrap();
            let heard = statements();
            let page = heard.iter().find(|text| text.contains("ORDER BY"));
            let page = page.unwrap_or_else(|| panic!("{sort}: {heard:#?}"));
            let plan = book.store.rows(Sql::new(&format!("EXPLAIN QUERY PLAN {page}"))).await.unwrap();
            let steps: Vec<&str> = plan.iter().filter_map(|row| row.text(3)).collect();
            // Whether the planner would go along the index unled depends on its version.
            let led = page.contains(" >= -9223372036854775808");
            assert!(led || sort == "createdAt", "{sort}: {page}");
            // Neither are all rows read, nor all sorted.
            let index = steps.iter().any(|step| step.contains("INDEX milk_tests_"));
            assert!(index && !steps.contains(&"SCAN a"), "{sort}: {steps:#?} {page}");
        }
    }
}
