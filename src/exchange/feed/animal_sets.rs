//! Sets of animals as data sets: which sets a location offers.

use crate::documents::names::Names;
use crate::feed::Feeds;
use model::error::Result;
use store::{Row, Sql, Store, Ty};

/// Sets that are listed.
const SETS: i64 = 1_000;

/// A set of animals that a location offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnimalSet {
    /// Its number.
    pub id: i64,
    /// The organisation whose location it is.
    pub location: i64,
}

impl Feeds {
    /// The sets of animals of one location, or of all; the first thousand, by number.
    pub async fn animal_sets(&self, store: &Store, location: Option<i64>) -> Result<Vec<AnimalSet>> {
        let sql = self.sets(location).and(" ORDER BY record LIMIT ").with(Ty::Int, SETS);
        let rows = store.rows(sql).await?;
        Ok(rows.iter().filter_map(animal_set_of).collect())
    }

    /// The set with that number.
    pub async fn animal_set(&self, store: &Store, location: Option<i64>, id: i64) -> Result<Option<AnimalSet>> {
        let sql = self.sets(location).and(" AND record = ").with(Ty::Int, id);
        let rows = store.rows(sql).await?;
        Ok(rows.first().and_then(animal_set_of))
    }

    fn sets(&self, location: Option<i64>) -> Sql {
        let sql = Sql::new("SELECT record, location FROM exchange_documents WHERE dataset = ")
            .with_name(self.rules.mappings().sets())
            .and(" AND record > 0 AND deleted = ")
            .with(Ty::Bool, false);
        match location {
            Some(location) => sql.and(" AND location = ").with(Ty::Int, location),
            None => sql,
        }
    }
}

fn animal_set_of(row: &Row) -> Option<AnimalSet> {
    Some(AnimalSet { id: row.int(0)?, location: row.int(1)? })
}
