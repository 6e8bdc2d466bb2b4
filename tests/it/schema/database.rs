//! Empty databases of both kinds, with a way to run whole scripts on them.

use model::clock::Clock;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use store::schema::{Table, live};
use store::{Dialect, Durability, Store};
use tempfile::TempDir;
use test_support::postgres::cluster;

/// An empty database.
pub(crate) enum Database {
    /// A file in a folder that goes with it.
    Sqlite { url: String, _folder: TempDir },
    /// A database on the server of the tests.
    Postgres { url: String },
}

/// One of each kind; without a PostgreSQL server only the file.
pub(crate) async fn databases() -> Vec<Database> {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("book.db").display());
    let mut all = vec![Database::Sqlite { url, _folder: folder }];
    if let Some(cluster) = cluster() {
        let url = cluster.fresh_database().await;
        all.push(Database::Postgres { url });
    }
    all
}

impl Database {
    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite { .. } => Dialect::Sqlite,
            Self::Postgres { .. } => Dialect::Postgres,
        }
    }

    pub(crate) fn url(&self) -> &str {
        match self {
            Self::Sqlite { url, .. } | Self::Postgres { url } => url,
        }
    }

    /// Opens it as a book.
    pub(crate) async fn open(&self, migrate: bool) -> Store {
        let clock = Clock::fixed(Arc::new(AtomicI64::new(1_700_000_000_000)));
        Store::open(self.url(), Durability::Normal, clock, migrate).await.unwrap()
    }

    /// The tables that it has now.
    pub(crate) async fn tables(&self) -> Vec<Table> {
        let store = self.open(false).await;
        let tables = live(&store).await.unwrap();
        store.close().await;
        tables
    }

    /// Runs a script; it must not fail.
    pub(crate) async fn execute(&self, script: &str) {
        if let Err(error) = self.attempt(script).await {
            panic!("{:?}: {error}\n{script}", self.dialect());
        }
    }

    /// Runs a script.
    pub(crate) async fn attempt(&self, script: &str) -> Result<(), sqlx::Error> {
        let text = AssertSqlSafe(script.to_owned());
        match self {
            Self::Sqlite { url, .. } => {
                let options = SqliteConnectOptions::from_str(url)?;
                let options = options.create_if_missing(true).foreign_keys(true);
                let mut conn: SqliteConnection = options.connect().await?;
                let done = sqlx::raw_sql(text).execute(&mut conn).await;
                conn.close().await?;
                done.map(|_| ())
            }
            Self::Postgres { url } => {
                let mut conn = PgConnection::connect(url).await?;
                let done = sqlx::raw_sql(text).execute(&mut conn).await;
                conn.close().await?;
                done.map(|_| ())
            }
        }
    }

    /// The one whole number that a query answers.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        let text = AssertSqlSafe(query.to_owned());
        match self {
            Self::Sqlite { url, .. } => {
                let mut conn = SqliteConnection::connect(url).await.unwrap();
                let found = sqlx::query_scalar(text).fetch_one(&mut conn).await;
                conn.close().await.unwrap();
                found.unwrap()
            }
            Self::Postgres { url } => {
                let mut conn = PgConnection::connect(url).await.unwrap();
                let found = sqlx::query_scalar(text).fetch_one(&mut conn).await;
                conn.close().await.unwrap();
                found.unwrap()
            }
        }
    }
}
