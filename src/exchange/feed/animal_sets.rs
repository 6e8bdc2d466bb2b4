//! Sets of animals as data sets: which sets a location offers.

use crate::documents::names::Names;
use crate::feed::Feeds;
use model::error::Result;
use store::{Row, Sql, Store, Ty};

/// Sets that are listed.
const SETS: i64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnimalSet {
    pub id: i64,
    /// The organisation whose location it is.
    pub location: i64,
}

impl Feeds {
    /// The sets of animals of one location, or of all; the first thousand, by number.
    pub async fn animal_sets(&self, store: &Store, location: Option<i64>) -> Result<Vec<AnimalSet>> {
        let rows = store.rows(self.sets(location).and(" ORDER BY record LIMIT ").with(Ty::Int, SETS)).await?;
        Ok(rows.iter().filter_map(animal_set_of).collect())
    }

    pub async fn animal_set(&self, store: &Store, location: Option<i64>, id: i64) -> Result<Option<AnimalSet>> {
        let rows = store.rows(self.sets(location).and(" AND record = ").with(Ty::Int, id)).await?;
        Ok(rows.first().and_then(animal_set_of))
    }

    fn sets(&self, location: Option<i64>) -> Sql {
        let sql = Sql::new("SELECT record, location FROM exchange_documents WHERE dataset = ")
            .with_name(self.rules.mappings().sets())
            .and(" AND record > 0 AND deleted = ")
            .with(Ty::Bool, false);
        if let Some(location) = location { sql.and(" AND location = ").with(Ty::Int, location) } else { sql }
    }
}

fn animal_set_of(row: &Row) -> Option<AnimalSet> {
    Some(AnimalSet { id: row.int(0)?, location: row.int(1)? })
}
