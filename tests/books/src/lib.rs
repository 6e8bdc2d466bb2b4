//! Migrated books, to be copied: migrating takes longer.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use model::clock::Clock;
use std::path::Path;
use store::{Dialect, Durability, Store};
use test_support::postgres::{Cluster, cluster};
use tokio::sync::OnceCell;

/// The databases that a book can live on.
pub const DIALECTS: [Dialect; 2] = [Dialect::Sqlite, Dialect::Postgres];

/// Those for a test of what a face does, which is above the database: SQLite alone in a quick run, all in a full one.
pub fn dialects() -> &'static [Dialect] {
    test_support::at(&DIALECTS[..1], &DIALECTS)
}

/// A book that others begin as: migrating and filling take longer than copying.
pub enum Template {
    /// The file.
    Sqlite(Vec<u8>),
    /// The name of a database to which nobody is connected.
    Postgres(&'static Cluster, String),
}

impl Template {
    /// A migrated book without rows; none where the database is not there.
    pub async fn empty(dialect: Dialect) -> Option<&'static Self> {
        static SQLITE: OnceCell<Template> = OnceCell::const_new();
        static POSTGRES: OnceCell<Template> = OnceCell::const_new();
        match dialect {
            Dialect::Sqlite => {
                let make = async || {
                    let dir = tempfile::tempdir().unwrap();
                    let file = dir.path().join("book.db");
                    migrate(&format!("sqlite:{}", file.display())).await;
                    Self::Sqlite(std::fs::read(&file).unwrap())
                };
                Some(SQLITE.get_or_init(make).await)
            }
            Dialect::Postgres => {
                let cluster = cluster()?;
                let make = async || {
                    let url = cluster.fresh_database().await;
                    migrate(&url).await;
                    Self::lasting(cluster, &url)
                };
                Some(POSTGRES.get_or_init(make).await)
            }
        }
    }

    /// A copy, and where it is: on SQLite a file in this folder.
    pub async fn copy(&self, dir: &Path) -> String {
        match self {
            Self::Sqlite(bytes) => {
                let file = dir.join("book.db");
                std::fs::write(&file, bytes).unwrap();
                format!("sqlite:{}", file.display())
            }
            Self::Postgres(cluster, name) => cluster.copy_of(name).await,
        }
    }

    /// What became of a book; nobody can use it any more.
    pub async fn of(store: &Store, url: &str) -> Self {
        store.close().await;
        match url.strip_prefix("sqlite:") {
            Some(file) => Self::Sqlite(std::fs::read(file).unwrap()),
            None => Self::lasting(cluster().unwrap(), url),
        }
    }

    fn lasting(cluster: &'static Cluster, url: &str) -> Self {
        cluster.keep(name_of(url));
        Self::Postgres(cluster, name_of(url).to_owned())
    }

    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(..) => Dialect::Postgres,
        }
    }
}

/// The name of the database in a URL: `scheme://authority/NAME?parameters`.
pub fn name_of(url: &str) -> &str {
    let address = url.split_once('?').map_or(url, |(address, _)| address);
    address.rsplit_once('/').map_or(address, |(_, name)| name)
}

async fn migrate(url: &str) {
    let store = Store::open(url, Durability::Normal, Clock::system(), true).await;
    store.unwrap().close().await;
}
