//! Opens a book: connections, migrations, the writer.

use super::{Dialect, Durability, Readers, Store, Versions, Watch};
use crate::readers::terms::Shares;
use crate::versions::{self, watch};
use crate::{migrations, postgres, refused, sqlite, writer};
use model::clock::Clock;
use model::error::{Error, Result};
use sqlx::ConnectOptions;
use std::sync::Arc;
use std::time::Duration;

/// How long a statement waits for a lock of another connection.
const WAIT: Duration = Duration::from_secs(20);

impl Store {
    /// Opens `sqlite:<path>` or `postgres://…`, brings the schema up to date if `migrate` says so,
    /// and starts the writer.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the database cannot be reached, or not be migrated;
    /// [`Error::Malformed`] for another kind of address.
    pub async fn open(url: &str, durability: Durability, clock: Clock, migrate: bool) -> Result<Self> {
        Self::open_waiting(url, durability, clock, migrate, WAIT).await
    }

    pub(super) async fn open_waiting(
        url: &str,
        durability: Durability,
        clock: Clock,
        migrate: bool,
        wait: Duration,
    ) -> Result<Self> {
        let watch = Arc::new(Watch::default());
        let (readers, backend, index) = if url.starts_with("sqlite:") {
            let options = sqlite::options(url, migrate, durability, wait).map_err(refused)?;
            let file = options.get_filename();
            if !migrate && !file.exists() {
                return Err(sqlite::absent(file));
            }
            if migrate {
                sqlite::migrate(&options, migrations::of(Dialect::Sqlite)).await?;
            }
            let conn = sqlite::writing(&options).connect().await.map_err(|error| sqlite::unopened(&options, &error))?;
            let readers = sqlite::Readers::new(&options).map_err(refused)?;
            let index = versions::index_of(Dialect::Sqlite, file);
            (Readers::Sqlite(readers), writer::Backend::Sqlite(Box::new(conn)), index)
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            let options = postgres::options(url).map_err(refused)?;
            match migrate {
                true => postgres::migrate(&options, migrations::of(Dialect::Postgres)).await?,
                // A pool would only say, after a while, that it had to wait.
                false => drop(postgres::reached(&options).await?),
            }
            let pool = postgres::pool(options.clone(), 2).await.map_err(refused)?;
            let readers = postgres::Readers::new(&options).map_err(refused)?;
            let writers = postgres::pool(options, 1).await.map_err(refused)?;
            watch::listen(&pool, Arc::clone(&watch)).await.map_err(refused)?;
            (Readers::Postgres(readers, pool), writer::Backend::Postgres(writers), None)
        } else {
            return Err(Error::Malformed("the database must be sqlite:<path> or postgres://…".into()));
        };
        let shares = match &readers {
            Readers::Sqlite(_) => sqlite::SHARES,
            Readers::Postgres(..) => postgres::SHARES,
        };
        Ok(Self {
            readers,
            writer: writer::Queue::start(backend, clock, Arc::clone(&watch), wait),
            watch,
            versions: Arc::new(Versions::new(index)),
            poller: Arc::default(),
            waited: Arc::default(),
            shares: Arc::new(Shares::new(shares)),
            sizes: Arc::default(),
            terms: None,
        })
    }
}
