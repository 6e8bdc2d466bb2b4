//! The migrations of both databases, inside the program, and how they are applied. A migration that
//! landed is never edited: a change is another migration (docs/operations.md).
//!
//! By a list of our own rather than by `sqlx::migrate!`: its macro compiles the drivers of both
//! databases, SQLite included, a second time for the compiler's own use.

mod apply;
mod state;

pub(super) use apply::apply;
pub use state::{Migrations, State};

use super::Dialect;
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType};
use std::sync::LazyLock;

/// The table in which a database records its migrations.
const TABLE: &str = "_sqlx_migrations";

/// Version, description and text, in order.
type File = (i64, &'static str, &'static str);

// Each file of the folders in `migrations`, as `build.rs` finds them.
const SQLITE: &[File] = include!(concat!(env!("OUT_DIR"), "/sqlite.rs"));
const POSTGRES: &[File] = include!(concat!(env!("OUT_DIR"), "/postgres.rs"));

pub(super) fn of(dialect: Dialect) -> &'static [Migration] {
    static ALL: LazyLock<[Vec<Migration>; 2]> = LazyLock::new(|| [SQLITE, POSTGRES].map(read));
    let [sqlite, postgres] = &*ALL;
    match dialect {
        Dialect::Sqlite => sqlite,
        Dialect::Postgres => postgres,
    }
}

fn read(files: &[File]) -> Vec<Migration> {
    let migration = |(version, description, text): &File| {
        Migration::new(*version, (*description).into(), MigrationType::Simple, (*text).into_sql_str(), false)
    };
    files.iter().map(migration).collect()
}

#[cfg(test)]
mod tests;
