//! Sets of animals as data sets: what the location knows of their members.

use super::Exchange;
use super::keys::Number;
use crate::error::Result;
use crate::store::{Row, Sql, Store, Ty};
use indexmap::IndexMap;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

/// Sets that are listed.
const SETS: i64 = 1_000;

/// A set of animals that a location offers.
#[derive(Debug, Clone, PartialEq)]
pub struct AnimalSet {
    /// Its number.
    pub id: i64,
    /// The organisation whose location it is.
    pub location: i64,
    /// The numbers of its members.
    pub members: Vec<Number>,
    /// Changes with the members.
    pub mark: u64,
}

impl Exchange {
    /// The sets of animals of one location, or of all; the first thousand, by number.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn animal_sets(
        &self,
        store: &Store,
        location: Option<i64>,
    ) -> Result<Vec<AnimalSet>> {
        let sql = self
            .sets(location)
            .and(" ORDER BY record LIMIT ")
            .with(Ty::Int, SETS);
        let rows = store.rows(sql).await?;
        Ok(rows
            .iter()
            .filter_map(|row| self.animal_set_of(row))
            .collect())
    }

    /// One of them.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn animal_set(
        &self,
        store: &Store,
        location: Option<i64>,
        id: i64,
    ) -> Result<Option<AnimalSet>> {
        let sql = self.sets(location).and(" AND record = ").with(Ty::Int, id);
        let rows = store.rows(sql).await?;
        Ok(rows.first().and_then(|row| self.animal_set_of(row)))
    }

    fn sets(&self, location: Option<i64>) -> Sql {
        let sql =
            Sql::new("SELECT record, location, body FROM exchange_documents WHERE dataset = ")
                .with(Ty::Text, self.mappings().sets())
                .and(" AND record > 0 AND deleted = ")
                .with(Ty::Bool, false);
        match location {
            Some(location) => sql.and(" AND location = ").with(Ty::Int, location),
            None => sql,
        }
    }

    fn animal_set_of(&self, row: &Row) -> Option<AnimalSet> {
        let mapping = self.mappings().get(self.mappings().sets())?;
        let body: Json = serde_json::from_str(row.text(2)?).ok()?;
        let mut by_field: IndexMap<String, Vec<String>> = IndexMap::new();
        let mut hash = Sha256::new();
        for member in body
            .get("member")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
        {
            let text = |name: &str| member.get(name).and_then(Json::as_str);
            let (Some(scheme), Some(id)) = (text("scheme"), text("id")) else {
                continue;
            };
            hash.update(format!("{scheme}\n{id}\n").as_bytes());
            if let Some(field) = mapping.animal_field(scheme) {
                by_field
                    .entry(field.to_owned())
                    .or_default()
                    .push(id.to_owned());
            }
        }
        let digest = hash.finalize();
        Some(AnimalSet {
            id: row.int(0)?,
            location: row.int(1)?,
            members: (by_field.into_iter())
                .map(|(field, ids)| Number { field, ids })
                .collect(),
            mark: digest
                .iter()
                .take(8)
                .fold(0, |n, byte| n << 8 | u64::from(*byte)),
        })
    }
}
