//! The synthetic book, filled and loaded.

use crate::support::book::demo_rows;
use crate::support::fixture::Fixture;
use futures_util::stream;
use model::registry::Collection;
use ops::{FillSet, LoadPart, Loading};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use store::Sql;
use store::schema::differences;

/// What readers see of each document that is there. Where it stands in commit order is left out: a
/// document that changes while rows are filled moves; and which row stands for a document of several.
const DOCUMENTS: (&str, &[&str]) = (
    "exchange_documents WHERE NOT deleted",
    &[
        "(SELECT name FROM exchange_names WHERE id = dataset)",
        "(SELECT name FROM exchange_names WHERE id = collection)",
        "(SELECT name FROM exchange_names WHERE id = resource_type)",
        "(SELECT name FROM exchange_names WHERE id = source)",
        "source_id",
        "location",
        "event_at",
        "animal",
        "wording",
    ],
);
/// Ids and times follow the order in which values were computed.
const INDEXES: (&str, &[&str]) =
    ("index_values", &["animal", "profile_key", "value", "reliability", "percentile", "rank", "cohort", "used"]);
const COUNTS: (&str, &[&str]) = ("exchange_counts WHERE live > 0", &["location", "dataset", "live"]);
const KEYS: (&str, &[&str]) = (
    "exchange_keys AS k JOIN exchange_documents AS d ON d.id = k.document WHERE NOT d.deleted",
    &[
        "d.source_id",
        "k.location",
        "(SELECT n.name FROM exchange_names n WHERE n.id = k.dataset)",
        "k.name",
        "k.value",
        "k.at",
    ],
);
const MEMBERS: (&str, &[&str]) = ("exchange_members WHERE member", &["animal_set", "animal"]);

async fn rows(of: &Fixture, (from, columns): (&str, &[&str])) -> Vec<String> {
    let columns: Vec<String> =
        (columns.iter()).map(|column| format!("coalesce(CAST({column} AS TEXT), '-')")).collect();
    let has_body = from.starts_with("exchange_documents");
    let text = format!(
        "SELECT {}{} FROM {from} ORDER BY 1",
        columns.join(" || '|' || "),
        if has_body { ", body" } else { "" }
    );
    let rows = of.book.store.rows(Sql::new(&text)).await.unwrap();
    let mut rows: Vec<String> = (rows.iter())
        .map(|row| match has_body {
            true => format!("{}|{}", row.text(0).unwrap(), row.compressed(1).unwrap()),
            false => row.text(0).unwrap().to_owned(),
        })
        .collect();
    rows.sort();
    rows
}

/// What is stored of the rows of a collection, but for when it was and in which order. Rows of lists
/// have ids that are drawn.
async fn stored(of: &Fixture, c: &Collection) -> Vec<String> {
    let when = [c.seq_slot(), c.created_slot(), c.updated_slot()];
    let columns = (c.fields.iter().enumerate()).filter(|(slot, field)| field.stored() && !when.contains(slot)).map(
        |(_, field)| {
            let name = &field.column;
            format!("'{name}=' || coalesce(CAST(\"{name}\" AS TEXT), '-')")
        },
    );
    let columns: Vec<String> = columns.collect();
    let text = format!("SELECT {} FROM \"{}\" ORDER BY \"id\"", columns.join(" || '|' || "), c.table);
    let drawn = regex::Regex::new(r#""id": ?"[0-9a-f]{24}""#).unwrap();
    let rows = of.book.store.rows(Sql::new(&text)).await.unwrap();
    let rows = rows.iter().map(|row| row.text(0).unwrap());
    rows.map(|row| drawn.replace_all(row, "").into_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loaded_book_has_the_rows_and_documents_of_one_that_was_filled() {
    let pairs = (Fixture::each().await.into_iter()).zip(Fixture::each().await);
    for (filled, loaded) in pairs {
        let projector = loaded.exchange.projector();
        projector.forget_generation(&loaded.book).await.unwrap();
        // As if it were a large one.
        let loading = loaded.book.loading(1_000_000).await.unwrap();
        let mut loading = loading.together(300);
        let mut sets = Vec::new();
        for rows in demo_rows(150) {
            filled.book.fill(rows.clone()).await.unwrap();
            sets.push(FillSet::read(loaded.book.registry, rows).unwrap().unwrap());
        }
        load(&mut loading, sets).await;
        // What follows from the rows is missing yet.
        let early = projector.reproject(&loaded.book, |_, _| {}).await;
        assert!(early.is_err_and(|e| e.to_string().contains("broke off")));
        let whole = exchange::whole(&loaded.book.store).await;
        assert!(whole.is_err_and(|e| e.to_string().contains("broke off")));
        let registry = domain::collections::registry().unwrap();
        let missing = differences(&loaded.book.store, registry).await.unwrap();
        assert!(missing.len() > 50, "{missing:?}");
        let progress = Mutex::new(Vec::new());
        let tell = |part, done, all| progress.lock().unwrap().push((part, done, all));
        loading.finish(tell).await.unwrap();
        exchange::whole(&loaded.book.store).await.unwrap_err();
        projector.loaded(&loaded.book).await.unwrap();
        exchange::whole(&loaded.book.store).await.unwrap();
        let progress = progress.into_inner().unwrap();
        for part in [LoadPart::Rows, LoadPart::Tables] {
            let last = progress.iter().rfind(|(of, _, _)| *of == part).unwrap();
            let (_, done, all) = *last;
            assert!(done == all && all > 50, "{part:?}: {done} of {all}");
        }
        while (filled.exchange.projector().work_off(&filled.book)).await.unwrap() {}
        assert_eq!(rows(&loaded, DOCUMENTS).await, Vec::<String>::new());
        assert!(!projector.is_current(&loaded.book.store).await.unwrap());
        // Indexes are computed afterwards, in one place.
        for one in [&filled, &loaded] {
            while one.book.run_job(&cli::ComputeIndexes).await.unwrap() {}
        }
        assert_same_rows(&filled, &loaded).await;
        // Most mappings have more rows than one transaction takes.
        let pieces = projector.clone().in_pieces_of(100);
        pieces.reproject(&loaded.book, |_, _| {}).await.unwrap();
        assert!(projector.is_current(&loaded.book.store).await.unwrap());
        assert!(!rows(&filled, DOCUMENTS).await.is_empty());
        for table in [DOCUMENTS, COUNTS, KEYS, MEMBERS] {
            let (expected, found) = (rows(&filled, table).await, rows(&loaded, table).await);
            for (one, other) in expected.iter().zip(&found) {
                assert_eq!(one, other, "{}", table.0);
            }
            assert_eq!(expected.len(), found.len(), "{}", table.0);
        }
        // Where values stand is found by a run.
        for one in [&filled, &loaded] {
            one.pass(3_600);
            while one.book.run_job(&cli::ComputeIndexes).await.unwrap() {}
        }
        assert_eq!(rows(&filled, INDEXES).await, rows(&loaded, INDEXES).await);
        assert!(!rows(&filled, INDEXES).await.is_empty());
        let missing = differences(&loaded.book.store, registry).await.unwrap();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

/// The rows of two books agree, collection by collection.
async fn assert_same_rows(filled: &Fixture, loaded: &Fixture) {
    // A loaded book had no documents that went again.
    let all = loaded.book.registry.iter();
    for c in all.filter(|c| !["ade-tombstones", "index-values", "index-runs"].contains(&c.slug)) {
        let (expected, found) = (stored(filled, c).await, stored(loaded, c).await);
        for (one, other) in expected.iter().zip(&found) {
            assert_eq!(one, other, "{}", c.slug);
        }
        assert_eq!(expected.len(), found.len(), "{}", c.slug);
    }
}

/// Writes sets until there are none; each but the last transaction takes sets until it has enough.
async fn load(loading: &mut Loading<'_>, sets: Vec<FillSet>) {
    let mut rest = Some(stream::iter(sets.into_iter().map(Ok)));
    let mut written = Vec::new();
    while let Some(sets) = rest {
        let progress = Arc::new(AtomicUsize::new(0));
        let tell = Arc::clone(&progress);
        let tell = move |rows| {
            tell.fetch_add(rows, Ordering::SeqCst);
        };
        let (rows, more) = loading.write(sets, tell).await.unwrap();
        assert_eq!(progress.load(Ordering::SeqCst), rows);
        written.push(rows);
        rest = more;
    }
    // Each but the last took sets until it had enough.
    let (_, full) = written.split_last().unwrap();
    assert!(full.len() > 3 && full.iter().all(|rows| *rows >= 300), "{written:?}");
}
