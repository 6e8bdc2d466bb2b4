//! Migrating a book on a server: under a lock of its own, one transaction each.

use super::reached;
use crate::versions::incarnation;
use crate::{failed, migrations};
use model::error::Result;
use sqlx::migrate::Migration;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

/// Brings the book up to date.
pub(crate) async fn migrate(options: &PgConnectOptions, known: &[Migration]) -> Result<()> {
    // A migration is one statement to the driver, and a long one.
    let mut conn = reached(&options.clone().disable_statement_logging()).await?;
    let done = async {
        migrations::apply(known, &mut conn).await?;
        let first = sqlx::query(AssertSqlSafe(incarnation::initial()));
        first.execute(&mut conn).await.map_err(failed)
    };
    let done = done.await;
    // The lock ends with the connection, whatever the outcome of the rest.
    let closed = conn.close().await.map_err(failed);
    done?;
    closed
}
