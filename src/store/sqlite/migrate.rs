//! Migrating an embedded book: all in one transaction, so that of several programs that begin
//! at once one does it and the others find it done, and a failure leaves the book as it was.

use crate::versions::incarnation;
use crate::{failed, migrations};
use model::error::{Error, Result};
use sqlx::migrate::Migration;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row as _};
use std::time::{Duration, Instant};

/// How long one waits for another that migrates.
const PATIENCE: Duration = Duration::from_secs(600);
/// Rows with broken references that an error names one by one.
const EXAMPLES: usize = 5;

/// Brings the book up to date.
///
/// # Errors
/// As [`migrations::apply`]; [`Error::Unavailable`] when rows would point to nothing.
pub(crate) async fn migrate(options: &SqliteConnectOptions, known: &[Migration]) -> Result<()> {
    let options = options
        .clone()
        .busy_timeout(PATIENCE)
        // A table is rebuilt by dropping the one before, which must not take along what points
        // to it. References are looked at in the end instead.
        .foreign_keys(false)
        // A migration is one statement to the driver, and a long one.
        .disable_statement_logging();
    let mut conn = opened(&options).await?;
    let done = in_one(&mut conn, known).await;
    done.and(conn.close().await.map_err(failed))
}

/// Two programs that make a file at once may both want it for themselves for a moment, for which SQLite does not wait.
async fn opened(options: &SqliteConnectOptions) -> Result<SqliteConnection> {
    let begun = Instant::now();
    loop {
        match options.connect().await {
            Err(error) if super::is_busy(&error) && begun.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            done => return done.map_err(|error| super::unopened(options, &error)),
        }
    }
}

async fn in_one(conn: &mut SqliteConnection, known: &[Migration]) -> Result<()> {
    let mut tx = conn.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    if migrations::apply(known, &mut *tx).await? > 0 {
        sound(&mut tx).await?;
    }
    let first = sqlx::query(AssertSqlSafe(incarnation::initial()));
    first.execute(&mut *tx).await.map_err(failed)?;
    tx.commit().await.map_err(failed)
}

/// No row points to a missing one.
async fn sound(conn: &mut SqliteConnection) -> Result<()> {
    let rows = sqlx::query("PRAGMA foreign_key_check").fetch_all(conn).await.map_err(failed)?;
    if rows.is_empty() {
        return Ok(());
    }
    let examples = rows.iter().take(EXAMPLES).map(|row| {
        let text = |at: usize| row.try_get::<String, _>(at).unwrap_or_default();
        let id = row.try_get::<i64, _>(1).unwrap_or_default();
        format!("{} {id} to {}", text(0), text(2))
    });
    let examples = examples.collect::<Vec<_>>().join(", ");
    Err(Error::Unavailable(format!(
        "The migrations were undone: {} rows would point to rows that are not there ({examples}).",
        rows.len()
    )))
}
