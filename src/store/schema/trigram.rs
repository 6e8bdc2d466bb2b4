//! An optional step for PostgreSQL: indexes that serve a search for parts of words ([`Dialect::contains`]). They need
//! the extension `pg_trgm`, which a server may lack and which not every role may create; without them such a search
//! reads the whole table. Therefore no migration has them, and [`live`](super::live()) passes over them.

use super::diff::Statement;
use super::name::{quoted, trigram_name};
use crate::Dialect;
use model::registry::Registry;

/// The statements of the step, which may be run again; none on SQLite.
pub fn trigram_indexes(registry: &Registry, dialect: Dialect) -> Vec<Statement> {
    if dialect == Dialect::Sqlite {
        return Vec::new();
    }
    let extension = "CREATE EXTENSION IF NOT EXISTS pg_trgm".to_owned();
    let mut steps = vec![Statement::warned(extension, "Optional: serves the search for parts of words.")];
    for c in registry.iter() {
        for field in c.trigram.iter().filter_map(|path| c.field(path)) {
            steps.push(Statement::run(format!(
                "CREATE INDEX IF NOT EXISTS {} ON {} USING gin ({} gin_trgm_ops)",
                quoted(&trigram_name(&c.table, &field.column)),
                quoted(&c.table),
                quoted(&field.column)
            )));
        }
    }
    steps
}
