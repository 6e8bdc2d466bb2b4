//! Registry, migrations and live databases agree, on both databases.

mod awkward;
mod database;
mod drift;

pub(crate) use database::{Database, databases};
use domain::collections;
use store::schema::{ROW_COUNTS, Statement, Table, diff, expected, trigram_indexes};
use store::{Dialect, Sql, State, Store};

/// The tables of the whole registry.
fn demanded(dialect: Dialect) -> Vec<Table> {
    expected(collections::registry().unwrap(), dialect).unwrap()
}

fn shown(statements: &[Statement]) -> String {
    statements.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn the_migrations_make_what_the_registry_demands() {
    const NEXT: &str = "the next migration, to be reviewed (docs/operations.md, Writing a migration)";
    for database in databases().await {
        let store = database.open(true).await;
        let live = store::schema::live(&store).await.unwrap();
        let demanded = demanded(store.dialect());
        let missing = shown(&diff(&demanded, &live, store.dialect()));
        assert!(missing.is_empty(), "{:?}: {NEXT}:\n{missing}", store.dialect());
        assert_eq!(live.len(), demanded.len());
        let migrations = store.migrations().await.unwrap();
        assert_eq!(migrations.applied, migrations.known);
        assert_eq!(migrations.state, State::Current);
        store.close().await;
    }
}

/// A row with every column filled goes into every table, in an order that minds no reference, and comes back whole.
#[test_each(databases())]
async fn every_table_takes_a_full_row(database: Database) {
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
        let columns: Vec<String> = (t.columns.iter()).map(|c| format!("\"{}\"", c.name)).collect();
        let sql = format!("SELECT {} FROM \"{}\"", columns.join(", "), t.name);
        let rows = store.rows(Sql::new(&sql)).await.unwrap();
        // A book has an incarnation from its first migration on.
        let counted = collections::registry().unwrap().iter().filter(|c| c.reader_slots().is_some()).count();
        let own = match t.name.as_str() {
            "exchange_state" => 1,
            // One of each table whose triggers count its full row.
            ROW_COUNTS => counted,
            _ => 0,
        };
        assert_eq!(rows.len(), 1 + own, "{}", t.name);
        seen += 1;
        for (place, column) in t.columns.iter().enumerate() {
            let text = rows[0].text(place);
            assert!(column.ty.to_lowercase() != "text" || text.is_some(), "{}.{}", t.name, column.name);
        }
    }
    assert_eq!(seen, count);
    triggers_that_are_missing_are_made_and_rows_counted_anew(&database, &store).await;
    store.close().await;
}

async fn triggers_that_are_missing_are_made_and_rows_counted_anew(database: &Database, store: &Store) {
    let dialect = store.dialect();
    let of_table = if dialect == Dialect::Postgres { " ON animals" } else { "" };
    database.execute(&format!("DROP TRIGGER animals_count_insert{of_table}; UPDATE row_counts SET total = 7")).await;
    let missing = diff(&demanded(dialect), &database.tables().await, dialect);
    assert!(missing.iter().any(|statement| statement.sql.contains("CREATE TRIGGER")), "{dialect:?}");
    database.execute(&shown(&missing)).await;
    assert_eq!(shown(&diff(&demanded(dialect), &database.tables().await, dialect)), "", "{dialect:?}");
    let totals = async |which: &str| {
        let sql = format!("SELECT total FROM row_counts WHERE table_name {which} 'animals'");
        let rows = store.rows(Sql::new(&sql)).await.unwrap();
        rows.iter().map(|row| row.int(0)).collect::<Vec<_>>()
    };
    assert_eq!(totals("=").await, [Some(1)], "{dialect:?}");
    assert!(totals("<>").await.iter().all(|total| *total == Some(7)), "counts of other tables stay");
}

/// `INSERT` with 1, 1.5, 'x' and their like in every column.
fn full_row(t: &Table) -> String {
    let (names, values): (Vec<_>, Vec<_>) =
        (t.columns.iter()).map(|c| (format!("\"{}\"", c.name), filler(&c.ty))).unzip();
    format!("INSERT INTO \"{}\" ({}) VALUES ({})", t.name, names.join(", "), values.join(", "))
}

fn filler(ty: &str) -> &'static str {
    match ty {
        "INTEGER" | "bigint" => "1",
        "REAL" | "double precision" => "1.5",
        "TEXT" | "text" => "'x'",
        "BLOB" => "x'7b7d'",
        "bytea" => "'\\x7b7d'",
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
        let live = store::schema::live(&store).await.unwrap();
        let remaining = diff(&demanded(Dialect::Postgres), &live, Dialect::Postgres);
        assert_eq!(shown(&remaining), "");
        store.close().await;
    }
}
