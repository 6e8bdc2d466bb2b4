//! The migrations of both databases, inside the program, and how they are applied. One that
//! landed is never edited: what changes is another one (docs/operations.md).
//!
//! As a list here rather than by `sqlx::migrate!`: its macro compiles the drivers of both
//! databases, SQLite included, a second time for the compiler's own use.

mod apply;
mod state;

pub(super) use apply::apply;
pub use state::{Migrations, State};

use super::Dialect;
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType};
use std::sync::LazyLock;

/// Where a database keeps which ones it has.
const TABLE: &str = "_sqlx_migrations";

/// Version, description and text, in order.
type File = (i64, &'static str, &'static str);

const SQLITE: &[File] = &[
    (
        1,
        "core",
        include_str!("../../../migrations/sqlite/0001_core.sql"),
    ),
    (
        2,
        "released",
        include_str!("../../../migrations/sqlite/0002_released.sql"),
    ),
    (
        3,
        "mergers",
        include_str!("../../../migrations/sqlite/0003_mergers.sql"),
    ),
    (
        4,
        "security",
        include_str!("../../../migrations/sqlite/0004_security.sql"),
    ),
];

const POSTGRES: &[File] = &[
    (
        1,
        "core",
        include_str!("../../../migrations/postgres/0001_core.sql"),
    ),
    (
        2,
        "released",
        include_str!("../../../migrations/postgres/0002_released.sql"),
    ),
    (
        3,
        "mergers",
        include_str!("../../../migrations/postgres/0003_mergers.sql"),
    ),
    (
        4,
        "security",
        include_str!("../../../migrations/postgres/0004_security.sql"),
    ),
];

/// Those of one database, in order.
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
        let kind = MigrationType::Simple;
        Migration::new(
            *version,
            (*description).into(),
            kind,
            (*text).into_sql_str(),
            false,
        )
    };
    files.iter().map(migration).collect()
}

#[cfg(test)]
mod embedded;
#[cfg(test)]
mod tests;
