//! The migrations of a book compared with those of this program.

use super::{TABLE, of};
use crate::{Sql, Store};
use model::error::{Error, Result};
use sqlx::migrate::Migration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migrations {
    /// Number of migrations that were applied to the database.
    pub applied: usize,
    /// Number of migrations that this program has.
    pub known: usize,
    /// How the two relate.
    pub state: State,
}

/// What the migrations of a book are to those of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// All migrations of this program are applied.
    Current,
    /// Some, or all, are still to be applied.
    Behind,
    /// This one was applied by a newer program.
    Newer(i64),
    /// This one was applied with another text.
    Altered(i64),
}

impl State {
    /// Of versions and checksums that were applied, in order.
    pub(super) fn of<'a>(applied: impl Iterator<Item = (i64, &'a [u8])> + Clone, known: &[Migration]) -> Self {
        for (version, checksum) in applied.clone() {
            match known.iter().find(|own| own.version == version) {
                None => return Self::Newer(version),
                Some(own) if &*own.checksum != checksum => return Self::Altered(version),
                Some(_) => {}
            }
        }
        if applied.count() < known.len() { Self::Behind } else { Self::Current }
    }

    /// One word for machines: `current`, `behind`, `newer`, `altered`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Behind => "behind",
            Self::Newer(_) => "newer",
            Self::Altered(_) => "altered",
        }
    }

    /// Whether this program may apply what is still to be applied.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with what to do.
    pub(super) fn open_to(self, known: &[Migration]) -> Result<()> {
        let last = known.last().map_or(0, |own| own.version);
        match self {
            Self::Current | Self::Behind => Ok(()),
            Self::Newer(version) => Err(Error::Unavailable(format!(
                "The book is of a newer program: it has migration {version}, and this program knows \
                 them up to {last}. Nothing was changed. Start the newer program, or put back the \
                 backup that was taken before the upgrade (docs/operations.md)."
            ))),
            Self::Altered(version) => Err(Error::Unavailable(format!(
                "Migration {version} was applied to this book with another text than this program \
                 has: the book was made by a program between two releases. Nothing was changed. \
                 herdbook schema --diff URL shows what its tables lack (docs/operations.md)."
            ))),
        }
    }
}

impl Migrations {
    /// Whether the book can be served, judged by its migrations alone.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with what to do.
    pub fn served(self, store: &Store) -> Result<()> {
        if self.state == State::Behind {
            return Err(Error::Unavailable(format!(
                "The database is not up to date ({} of {} migrations): run herdbook migrate.",
                self.applied, self.known
            )));
        }
        self.state.open_to(of(store.dialect()))
    }
}

impl Store {
    /// Applied and known migrations. A database without the record of them was never migrated.
    pub async fn migrations(&self) -> Result<Migrations> {
        let known = of(self.dialect());
        let sql = format!("SELECT version, checksum FROM {TABLE} ORDER BY version");
        let rows = match self.rows(Sql::new(&sql)).await {
            Ok(rows) => rows,
            Err(Error::Internal(_)) => Vec::new(),
            Err(error) => return Err(error),
        };
        let applied = rows.iter().filter_map(|row| Some((row.int(0)?, row.bytes(1)?)));
        Ok(Migrations { applied: applied.clone().count(), known: known.len(), state: State::of(applied, known) })
    }
}
