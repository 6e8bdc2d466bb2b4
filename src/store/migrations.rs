//! The migrations of both databases, inside the program.
//!
//! As a list here rather than by `sqlx::migrate!`: its macro compiles the drivers of both
//! databases, SQLite included, a second time for the compiler's own use.

use super::Dialect;
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use std::sync::LazyLock;

/// Version, description and text, in order.
type File = (i64, &'static str, &'static str);

const SQLITE: &[File] = &[
    (
        1,
        "core",
        include_str!("../../migrations/sqlite/0001_core.sql"),
    ),
    (
        2,
        "released",
        include_str!("../../migrations/sqlite/0002_released.sql"),
    ),
    (
        3,
        "mergers",
        include_str!("../../migrations/sqlite/0003_mergers.sql"),
    ),
];

const POSTGRES: &[File] = &[
    (
        1,
        "core",
        include_str!("../../migrations/postgres/0001_core.sql"),
    ),
    (
        2,
        "released",
        include_str!("../../migrations/postgres/0002_released.sql"),
    ),
    (
        3,
        "mergers",
        include_str!("../../migrations/postgres/0003_mergers.sql"),
    ),
];

/// Those of one database, ready to run.
pub(super) fn of(dialect: Dialect) -> &'static Migrator {
    static MIGRATORS: LazyLock<[Migrator; 2]> = LazyLock::new(|| [SQLITE, POSTGRES].map(migrator));
    let [sqlite, postgres] = &*MIGRATORS;
    match dialect {
        Dialect::Sqlite => sqlite,
        Dialect::Postgres => postgres,
    }
}

fn migrator(files: &'static [File]) -> Migrator {
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
    Migrator::with_migrations(files.iter().map(migration).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The lists name every file of their folder, by its name and with its text.
    #[test]
    fn every_file_is_embedded() {
        for (folder, files) in [("sqlite", SQLITE), ("postgres", POSTGRES)] {
            let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("migrations")
                .join(folder);
            let mut found: Vec<_> = std::fs::read_dir(&dir)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            found.sort();
            let listed: Vec<_> = files
                .iter()
                .map(|(version, description, _)| format!("{version:04}_{description}.sql"))
                .collect();
            assert_eq!(found, listed, "{folder}");
            for ((_, _, text), name) in files.iter().zip(&found) {
                assert_eq!(std::fs::read_to_string(dir.join(name)).unwrap(), *text);
            }
        }
    }
}
