//! Registry, migrations and live databases say the same, on both databases.

mod awkward;
mod database;
mod drift;

use database::{Database, databases};
use herdbook::collections;
use herdbook::store::schema::{Statement, Table, diff, expected, migration_text, trigram_indexes};
use herdbook::store::{Dialect, Sql};
use std::fs;
use std::path::PathBuf;

/// The tables of the whole registry.
fn demanded(dialect: Dialect) -> Vec<Table> {
    expected(collections::registry().unwrap(), dialect).unwrap()
}

fn shown(statements: &[Statement]) -> String {
    statements.iter().map(ToString::to_string).collect()
}

/// `HERDBOOK_BLESS=1` writes the files anew; then run the tests again, since the files are
/// embedded when the program is compiled. Once there is a second migration the first is
/// history, and only its effect together with the others counts.
#[test]
fn the_first_migration_is_the_registry_printed() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("migrations");
    for (dialect, name) in [(Dialect::Sqlite, "sqlite"), (Dialect::Postgres, "postgres")] {
        let folder = folder.join(name);
        if fs::read_dir(&folder).unwrap().count() > 1 {
            continue;
        }
        let file = folder.join("0001_core.sql");
        let text = migration_text(collections::registry().unwrap(), dialect).unwrap();
        let stored = fs::read_to_string(&file).unwrap();
        if stored == text {
            continue;
        }
        if std::env::var("HERDBOOK_BLESS").is_ok_and(|v| v == "1") {
            fs::write(&file, text).unwrap();
            continue;
        }
        let first = (text.lines().zip(stored.lines())).find(|(new, old)| new != old);
        panic!(
            "migrations/{name}/0001_core.sql is not what the registry demands \
             (HERDBOOK_BLESS=1 writes it anew); first difference: {first:?}"
        );
    }
}

#[tokio::test]
async fn the_migrations_make_what_the_registry_demands() {
    for database in databases().await {
        let store = database.open(true).await;
        let live = herdbook::store::schema::live(&store).await.unwrap();
        let demanded = demanded(store.dialect());
        assert_eq!(shown(&diff(&demanded, &live, store.dialect())), "");
        assert_eq!(live.len(), demanded.len());
        let (applied, known) = store.migrations().await.unwrap();
        assert_eq!(applied, known);
        store.close().await;
    }
}

/// A row with every column filled goes into every table, in an order that minds no
/// reference, and comes back whole.
#[tokio::test]
async fn every_table_takes_a_full_row() {
    for database in databases().await {
        let store = database.open(true).await;
        let dialect = store.dialect();
        let tables = demanded(dialect);
        let mut statements = vec![match dialect {
            Dialect::Sqlite => "PRAGMA defer_foreign_keys = ON".to_owned(),
            Dialect::Postgres => "SET CONSTRAINTS ALL DEFERRED".to_owned(),
        }];
        let filled = || tables.iter().filter(|t| t.initial.is_none());
        statements.extend(filled().map(full_row));
        let count = filled().count();
        let write = store.write(move |tx| {
            Box::pin(async move {
                for text in statements {
                    tx.run(Sql::new(&text).one_off()).await?;
                }
                Ok(())
            })
        });
        write.await.unwrap();
        let mut seen = 0;
        for t in filled() {
            // By name: a later migration adds its columns at the end.
            let columns: Vec<String> = (t.columns.iter())
                .map(|c| format!("\"{}\"", c.name))
                .collect();
            let sql = format!("SELECT {} FROM \"{}\"", columns.join(", "), t.name);
            let rows = store.rows(Sql::new(&sql)).await.unwrap();
            // A book has an incarnation from its first migration on.
            let own = usize::from(t.name == "exchange_state");
            assert_eq!(rows.len(), 1 + own, "{}", t.name);
            seen += 1;
            for (place, column) in t.columns.iter().enumerate() {
                let text = rows[0].text(place);
                assert!(
                    column.ty.to_lowercase() != "text" || text.is_some(),
                    "{}.{}",
                    t.name,
                    column.name
                );
            }
        }
        assert_eq!(seen, count);
        store.close().await;
    }
}

/// `INSERT` with 1, 1.5, 'x' and their like in every column.
fn full_row(t: &Table) -> String {
    let (names, values): (Vec<_>, Vec<_>) = (t.columns.iter())
        .map(|c| (format!("\"{}\"", c.name), filler(&c.ty)))
        .unzip();
    format!(
        "INSERT INTO \"{}\" ({}) VALUES ({})",
        t.name,
        names.join(", "),
        values.join(", ")
    )
}

fn filler(ty: &str) -> &'static str {
    match ty {
        "INTEGER" | "bigint" => "1",
        "REAL" | "double precision" => "1.5",
        "TEXT" | "text" => "'x'",
        "boolean" => "true",
        "timestamptz" => "'2024-02-29T12:00:00Z'",
        "json" => "'{\"b\":1,\"a\":2}'",
        other => panic!("no value for the type {other}"),
    }
}

#[tokio::test]
async fn the_optional_step_for_trigrams_leaves_no_difference() {
    let registry = collections::registry().unwrap();
    assert_eq!(trigram_indexes(registry, Dialect::Sqlite), []);
    let steps = trigram_indexes(registry, Dialect::Postgres);
    assert!(steps.len() > 1, "animals are searched by parts of names");
    for database in databases().await {
        let Database::Postgres { .. } = &database else {
            continue;
        };
        let store = database.open(true).await;
        let extension = Sql::new("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'");
        if store.rows(extension).await.unwrap().is_empty() {
            continue;
        }
        // Twice, since it may be run again.
        database.execute(&shown(&steps)).await;
        database.execute(&shown(&steps)).await;
        let count = Sql::new("SELECT count(*) FROM pg_indexes WHERE indexname LIKE '%_trgm'");
        let rows = store.rows(count).await.unwrap();
        assert_eq!(rows[0].int(0), i64::try_from(steps.len() - 1).ok());
        let live = herdbook::store::schema::live(&store).await.unwrap();
        let left = diff(&demanded(Dialect::Postgres), &live, Dialect::Postgres);
        assert_eq!(shown(&left), "");
        store.close().await;
    }
}
