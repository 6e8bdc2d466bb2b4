//! Applying what is still to be applied. A second process waits for the first and finds nothing
//! left to do; a failing migration leaves nothing of itself.

use super::TABLE;
use super::state::State;
use crate::failed;
use model::error::{Error, Result};
use sqlx::migrate::{Migrate, MigrateError, Migration};

/// Applies those that are missing, one transaction each, and answers how many they were.
///
/// # Errors
/// [`Error::Unavailable`] when the book is of a newer program, or one of these migrations was
/// applied with another text; what the database says when one fails, with its number.
pub(crate) async fn apply<C: Migrate>(known: &[Migration], conn: &mut C) -> Result<usize> {
    conn.lock().await.map_err(refused)?;
    let done = missing(known, conn).await;
    // Of two failures only the first is reported.
    let unlocked = conn.unlock().await.map_err(refused);
    let done = done?;
    unlocked.map(|()| done)
}

async fn missing<C: Migrate>(known: &[Migration], conn: &mut C) -> Result<usize> {
    conn.ensure_migrations_table(TABLE).await.map_err(refused)?;
    if let Some(version) = conn.dirty_version(TABLE).await.map_err(refused)? {
        return Err(refused(MigrateError::Dirty(version)));
    }
    let applied = conn.list_applied_migrations(TABLE).await.map_err(refused)?;
    State::of(applied.iter().map(|one| (one.version, &*one.checksum)), known).open_to(known)?;
    let mut done = 0;
    for migration in known {
        if applied.iter().any(|one| one.version == migration.version) {
            continue;
        }
        let (version, description) = (migration.version, &*migration.description);
        tracing::debug!(version, description, "a migration begins");
        let took = conn.apply(TABLE, migration).await.map_err(refused)?;
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(version, description, ms, "a migration was applied");
        done += 1;
    }
    Ok(done)
}

fn refused(error: MigrateError) -> Error {
    match error {
        MigrateError::Execute(error) => failed(error),
        MigrateError::ExecuteMigration(error, version) => {
            let why = failed(error);
            Error::Unavailable(format!("Migration {version} failed and was rolled back completely: {why}"))
        }
        other => Error::Unavailable(other.to_string()),
    }
}
