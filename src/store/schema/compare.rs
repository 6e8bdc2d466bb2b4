//! An open book compared with the declarations.

use super::{Statement, diff, expected, live};
use crate::Store;
use model::error::{Error, Result};
use model::registry::Registry;

/// Differences that a refusal names one by one.
const LISTED_MAX: usize = 10;

/// What would bring the tables of a book to what the declarations demand.
///
/// # Errors
/// `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is busy; [`Error::Invalid`] for declarations that no table can carry.
pub async fn differences(store: &Store, registry: &Registry) -> Result<Vec<Statement>> {
    let expected = expected(registry, store.dialect()).map_err(Error::Invalid)?;
    let live = live(store).await?;
    Ok(diff(&expected, &live, store.dialect()))
}

/// The differences with which a book must not be served, as a refusal.
///
/// # Errors
/// [`Error::Unavailable`] with the first of them and what to do; those of
/// [`differences`].
pub async fn refuse_missing(store: &Store, registry: &Registry) -> Result<()> {
    let mut statements = differences(store, registry).await?;
    statements.retain(|statement| !statement.optional);
    if statements.is_empty() {
        return Ok(());
    }
    let first: String = statements.iter().take(LISTED_MAX).map(ToString::to_string).collect();
    Err(Error::Unavailable(format!(
        "The tables of the database are not those of this program; {} statements would mend \
         them, first:\n\n{first}\nSomebody changed them by hand, or a restore was not complete. \
         herdbook schema --diff URL shows all; docs/operations.md says what to do.",
        statements.len()
    )))
}
