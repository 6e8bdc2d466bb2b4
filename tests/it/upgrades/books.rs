//! A small book of each released schema, as text: the tables of the migrations up to then, and the
//! rows of `books/<version>.<database>.sql`.

use super::{File, blessed, files, root};
use crate::run::{Server, ended, herdbook};
use crate::schema::{Database, databases};
use crate::support::fixture::Fixture;
use domain::collections::registry;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use store::schema::{ROW_COUNTS, Table, differences, expected, live};
use store::{Dialect, Sql, State, Store};

/// Cows of the book.
const COWS: i64 = 3;
/// The name of the first one.
const NAME: &str = "Meadow's \"best\" \\ 1";

/// How the record of migrations is made, as the driver makes it.
const RECORD: [&str; 2] = [
    "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, \
     installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, \
     checksum BLOB NOT NULL, execution_time BIGINT NOT NULL)",
    "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, \
     installed_on TIMESTAMPTZ NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, \
     checksum BYTEA NOT NULL, execution_time BIGINT NOT NULL)",
];

fn folder(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "sqlite",
        Dialect::Postgres => "postgres",
    }
}

fn path(file: &File) -> PathBuf {
    let name = format!("{}.{}.sql", file.version(), file.folder);
    root().join("tests/it/upgrades/books").join(name)
}

/// Something of most kinds: people, animals, events with what follows from them, documents of the exchange, logs.
async fn fill(f: &Fixture) {
    let cows: Vec<(i64, i64)> = (1..=COWS).map(|cow| (cow, 1 + cow / COWS)).collect();
    let people = f.two_farms("Meadow", &cows).await;
    ask!(f, people.farm, "POST /api/calvings", {"animal": 1, "date": "2025-11-03"} => 201);
    ask!(f, people.farm, "POST /api/milk-tests",
        {"animal": 1, "date": "2025-12-01", "milkYield": 31.4, "fat": 4.05, "protein": 3.4} => 201);
    ask!(f, people.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/weights", [{
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "scale.example", "sourceId": "w1", "modified": "2026-02-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": crate::support::fixture::number(2)},
        "eventDateTime": "2026-02-01T00:00:00Z",
        "weight": {"measurement": 612.5, "units": "KGM"},
    }] => 200);
    ask!(f, people.farm, "PATCH /api/animals/1", {"name": NAME} => 200);
}

/// `INSERT` for each row of a table, without empty columns.
async fn rows(store: &Store, table: &str, columns: &[&str], order: &str) -> String {
    let quoted: Vec<String> = columns
        .iter()
        .map(|column| match store.dialect() {
            Dialect::Sqlite => format!("quote(\"{column}\")"),
            Dialect::Postgres => format!("quote_nullable(\"{column}\"::text)"),
        })
        .collect();
    let text = format!("SELECT {} FROM \"{table}\" ORDER BY {order}", quoted.join(", "));
    let mut message = String::new();
    for row in store.rows(Sql::new(&text).one_off()).await.unwrap() {
        let cells = columns.iter().enumerate();
        let filled: Vec<(&str, String)> = cells
            .map(|(at, column)| (*column, row.text(at).unwrap().to_owned()))
            .filter(|(_, value)| value != "NULL")
            .collect();
        let names: Vec<String> = filled.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let values: Vec<&str> = filled.iter().map(|(_, value)| value.as_str()).collect();
        message.push_str(&format!(
            "INSERT INTO \"{table}\" ({}) VALUES\n  ({});\n",
            names.join(", "),
            values.join(", ")
        ));
    }
    message
}

async fn dumped(store: &Store, version: &str) -> String {
    let dialect = store.dialect();
    let [sqlite, postgres] = RECORD;
    let (record, later) = match dialect {
        Dialect::Sqlite => (sqlite, "PRAGMA defer_foreign_keys = ON"),
        Dialect::Postgres => (postgres, "SET CONSTRAINTS ALL DEFERRED"),
    };
    let mut text =
        format!("-- A small book as the migrations up to {version} left it.\n\n{record};\nBEGIN;\n{later};\n");
    let columns = ["version", "description", "success", "checksum", "execution_time"];
    text.push_str(&rows(store, "_sqlx_migrations", &columns, "version").await);
    let begun: Vec<Table> = expected(registry().unwrap(), dialect).unwrap();
    for table in live(store).await.unwrap() {
        // Triggers count the rows anew.
        if table.name == ROW_COUNTS {
            continue;
        }
        let columns: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
        let order: Vec<String> = table.primary_key.iter().map(|key| format!("\"{key}\"")).collect();
        let rows = rows(store, &table.name, &columns, &order.join(", ")).await;
        if rows.is_empty() {
            continue;
        }
        text.push('\n');
        // Rows that the migration itself wrote.
        if begun.iter().any(|t| t.name == table.name && t.initial.is_some()) {
            text.push_str(&format!("DELETE FROM \"{}\";\n", table.name));
        }
        text.push_str(&rows);
    }
    text.push_str("COMMIT;\n");
    text
}

/// Writes the books of the newest migrations where they are not there yet.
async fn write_missing() {
    for f in Fixture::both().await {
        let store = &f.book.store;
        let files = files(folder(store.dialect()));
        let path = path(files.last().unwrap());
        if !path.exists() {
            fill(&f).await;
            let version = files.last().unwrap().version();
            fs::write(&path, dumped(store, version).await).unwrap();
        }
    }
}

/// How many rows the text has of each table.
fn counted(text: &str) -> BTreeMap<&str, i64> {
    let mut counts = BTreeMap::new();
    let rows = text.lines().filter_map(|line| line.strip_prefix("INSERT INTO \""));
    for row in rows {
        *counts.entry(row.split_once('"').unwrap().0).or_default() += 1;
    }
    counts.remove("_sqlx_migrations");
    counts
}

/// A database as a release left it: its migrations, and the rows of its book.
async fn released(database: &Database, upto: usize) -> String {
    let files = files(folder(database.dialect()));
    for file in &files[..upto] {
        database.execute(&file.text).await;
    }
    let path = path(&files[upto - 1]);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}; HERDBOOK_BLESS=1 writes it", path.display()));
    database.execute(&text).await;
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_book_of_each_release_comes_to_the_present_with_all_its_rows() {
    if blessed() {
        write_missing().await;
    }
    for upto in 1..=files("sqlite").len() {
        for database in databases().await {
            let text = released(&database, upto).await;
            let store = database.open(true).await;
            let migrations = store.migrations().await.unwrap();
            assert_eq!(migrations.state, State::Current);
            let remaining = differences(&store, registry().unwrap()).await.unwrap();
            assert_eq!(remaining, [], "{:?}", database.dialect());
            let present = live(&store).await.unwrap();
            store.close().await;
            let counts = counted(&text);
            assert!(counts.len() > 10, "{counts:?}");
            for (table, count) in counts {
                // A table that a later migration dropped must be moved by that migration.
                if present.iter().any(|t| t.name == table) {
                    let rows = database.number(&format!("SELECT count(*) FROM \"{table}\"")).await;
                    assert_eq!(rows, count, "{table} of {upto} on {:?}", database.dialect());
                }
            }
            served(&database).await;
        }
    }
}

/// The program itself does the rest.
async fn served(database: &Database) {
    let dir = tempfile::tempdir().unwrap();
    let words = ["--database-url", database.url(), "--log", "warn"];
    for command in ["migrate", "recompute", "reproject"] {
        let done = ended(herdbook(dir.path(), &[&[command], &words[..]].concat()));
        assert_eq!(done.code, Some(0), "{command}: {done:?}");
    }
    let server = Server::start(dir.path(), &words);
    let client = reqwest::Client::new();
    let health = client.get(format!("{}/healthz", server.url)).send().await;
    let health: Value = health.unwrap().json().await.unwrap();
    assert_eq!(health["status"], "ok", "{health}");
    let login = client.post(format!("{}/api/users/login", server.url));
    let login = login.json(&json!({"email": "user3@example.org", "password": "demo-herdbook"}));
    let login: Value = login.send().await.unwrap().json().await.unwrap();
    let token = login["token"].as_str().unwrap_or_else(|| panic!("{login}"));
    let list = client.get(format!("{}/api/animals?sort=id&depth=0", server.url));
    let list = list.header("authorization", format!("JWT {token}"));
    let list: Value = list.send().await.unwrap().json().await.unwrap();
    assert_eq!(list["totalDocs"], COWS, "{list}");
    assert_eq!(list["docs"][0]["name"], NAME, "{list}");
    server.stop();
}
