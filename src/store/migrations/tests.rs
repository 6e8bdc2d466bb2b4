//! What a second migration may do, on both databases.

use super::TABLE;
use crate::{Dialect, Durability, Sql, Store, postgres, sqlite};
use model::clock::Clock;
use model::error::Result;
use sqlx::migrate::{Migration, MigrationType};
use sqlx::{AssertSqlSafe, SqlSafeStr};
use std::time::Duration;
use tempfile::TempDir;
use test_support::postgres::cluster;

/// What every book has to have to be opened, and two tables, of which one points to the other.
const FIRST: &str = "
CREATE TABLE exchange_state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE herds (id INTEGER PRIMARY KEY, size TEXT NOT NULL);
CREATE TABLE cows (id INTEGER PRIMARY KEY, herd INTEGER NOT NULL REFERENCES herds (id) ON DELETE CASCADE);
INSERT INTO herds VALUES (1, '12'), (2, '7');
INSERT INTO cows VALUES (1, 1), (2, 1), (3, 2);
";

/// A column gets another type: SQLite makes the table anew.
const SQLITE: &str = "
CREATE TABLE next_herds (id INTEGER PRIMARY KEY, size INTEGER NOT NULL, name TEXT);
INSERT INTO next_herds (id, size) SELECT id, CAST(size AS INTEGER) FROM herds;
DROP TABLE herds;
ALTER TABLE next_herds RENAME TO herds;
";
const POSTGRES: &str = "
ALTER TABLE herds ALTER COLUMN size TYPE integer USING size::integer, ADD COLUMN name text;
";

fn migrations(texts: &[&str]) -> Vec<Migration> {
    let of = |(at, text): (usize, &&str)| {
        let version = i64::try_from(at).unwrap() + 1;
        let text = AssertSqlSafe((*text).to_owned()).into_sql_str();
        Migration::new(version, "made up".into(), MigrationType::Simple, text, false)
    };
    texts.iter().enumerate().map(of).collect()
}

struct TestBook {
    url: String,
    dialect: Dialect,
    _dir: TempDir,
}

impl TestBook {
    async fn each() -> Vec<Self> {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("book.db").display());
        let mut all = vec![Self { url, dialect: Dialect::Sqlite, _dir: dir }];
        if let Some(cluster) = cluster() {
            all.push(Self {
                url: cluster.fresh_database().await,
                dialect: Dialect::Postgres,
                _dir: tempfile::tempdir().unwrap(),
            });
        }
        all
    }

    async fn migrate(&self, texts: &[&str]) -> Result<()> {
        let migrations = migrations(texts);
        match self.dialect {
            Dialect::Sqlite => {
                let options = sqlite::options(&self.url, true, Durability::Normal, Duration::from_secs(20));
                sqlite::migrate(&options.unwrap(), &migrations).await
            }
            Dialect::Postgres => {
                let options = postgres::options(&self.url).unwrap();
                postgres::migrate(&options, &migrations).await
            }
        }
    }

    fn second(&self) -> &'static str {
        match self.dialect {
            Dialect::Sqlite => SQLITE,
            Dialect::Postgres => POSTGRES,
        }
    }

    /// The whole number that a query answers.
    async fn number(&self, query: &str) -> Option<i64> {
        let store = Store::open(&self.url, Durability::Normal, Clock::system(), false).await.unwrap();
        let rows = store.rows(Sql::new(query)).await.unwrap();
        store.close().await;
        rows[0].int(0)
    }

    async fn applied(&self) -> Option<i64> {
        self.number(&format!("SELECT count(*) FROM {TABLE}")).await
    }
}

const SIZES: &str = "SELECT CAST(sum(h.size * 1) AS bigint) FROM cows c JOIN herds h ON h.id = c.herd";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_one_changes_a_table_under_its_rows_and_those_that_point_to_it() {
    for book in TestBook::each().await {
        book.migrate(&[FIRST]).await.unwrap();
        book.migrate(&[FIRST, book.second()]).await.unwrap();
        assert_eq!(book.number(SIZES).await, Some(12 + 12 + 7));
        assert_eq!(book.applied().await, Some(2));
        // A book that begins now comes by both.
        book.migrate(&[FIRST, book.second()]).await.unwrap();
        assert_eq!(book.applied().await, Some(2));
        let unnamed_herds = "SELECT count(*) FROM herds WHERE name IS NULL";
        assert_eq!(book.number(unnamed_herds).await, Some(2));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_fails_leaves_the_book_as_it_was_and_is_named() {
    for book in TestBook::each().await {
        book.migrate(&[FIRST]).await.unwrap();
        let broken = "INSERT INTO herds VALUES (3, '9'); INSERT INTO nowhere VALUES (1);";
        let failed = book.migrate(&[FIRST, broken]).await.unwrap_err();
        assert!(failed.to_string().contains("Migration 2 failed"), "{failed}");
        assert_eq!(book.number("SELECT count(*) FROM herds").await, Some(2));
        assert_eq!(book.applied().await, Some(1));
        // The lock went with it.
        book.migrate(&[FIRST, book.second()]).await.unwrap();
        assert_eq!(book.applied().await, Some(2));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_would_point_nowhere_undo_it() {
    for book in TestBook::each().await {
        book.migrate(&[FIRST]).await.unwrap();
        let second = match book.dialect {
            // References are not looked at while it runs.
            Dialect::Sqlite => "DELETE FROM herds WHERE id = 2",
            Dialect::Postgres => "UPDATE cows SET herd = 9 WHERE id = 3",
        };
        assert!(book.migrate(&[FIRST, second]).await.is_err());
        assert_eq!(book.number("SELECT count(*) FROM herds").await, Some(2));
        assert_eq!(book.number("SELECT count(*) FROM cows").await, Some(3));
        assert_eq!(book.applied().await, Some(1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_apply_each_once() {
    for book in TestBook::each().await {
        let texts = [FIRST, book.second()];
        for done in futures_util::future::join_all((0..8).map(|_| book.migrate(&texts))).await {
            done.unwrap();
        }
        assert_eq!(book.applied().await, Some(2));
        assert_eq!(book.number(SIZES).await, Some(31));
    }
}
