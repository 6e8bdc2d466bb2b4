//! The mandates that an organisation holds (docs/design/intake.md, *Mandates*).

use crate::WriteTransaction;
use crate::columns::{column, columns, words};
use model::error::Result;
use model::registry::mandates::{self, Mandate};
use model::registry::{Feature, Principal, Registry};
use store::{Row, Sql, Ty};

impl WriteTransaction<'_> {
    /// The caller with the mandates that its organisation has in this very transaction.
    pub async fn with_mandates(&mut self, caller: &Principal) -> Result<Principal> {
        let sql = (caller.organization).and_then(|my| mandates_of(self.registry(), my));
        let rows = if let Some(sql) = sql { self.tx().rows(sql).await? } else { Vec::new() };
        Ok(Principal { mandates: mandates_in(&rows).into(), ..caller.clone() })
    }
}

/// The statement for the mandates of an organisation that were not taken back; none in a registry without mandates.
pub(crate) fn mandates_of(registry: &'static Registry, my: i64) -> Option<Sql> {
    let c = registry.with_feature(Feature::Mandates)?;
    let paths = [mandates::GRANTOR, mandates::DATASETS, mandates::FROM, mandates::UNTIL];
    let mut sql = columns(c, &paths);
    sql.push(" WHERE ").name(column(c, mandates::RECEIVER)).push(" = ").bind(Ty::Int, my).push(" AND ");
    sql.name(column(c, mandates::REVOKED)).push(" IS NULL ORDER BY \"id\"");
    Some(sql)
}

pub(crate) fn mandates_in(rows: &[Row]) -> Vec<Mandate> {
    let mandate = |row: &Row| {
        Some(Mandate { grantor: row.int(0)?, datasets: words(row, 1), from: row.time(2), until: row.time(3) })
    };
    rows.iter().filter_map(mandate).collect()
}
