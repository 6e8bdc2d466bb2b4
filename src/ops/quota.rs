//! What an organisation may ask for, as the Association set it. Knows neither requests nor
//! how they are counted.

use super::Book;
use crate::error::Result;
use crate::record::Value;
use crate::registry::quota::{LIMITS, ORGANIZATION};
use crate::store::{Footprint, Moment, Sql, Ty, versions};

/// What was set for an organisation, and as of when.
#[derive(Debug)]
pub struct Allowance {
    /// In the order of [`LIMITS`]; none where nothing was set.
    pub limits: [Option<i64>; LIMITS.len()],
    since: Moment,
    read: Footprint,
}

impl Book {
    /// What was set for an organisation.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn allowance(&self, organization: i64) -> Result<Allowance> {
        let since = self.store.moment().await?;
        let (limits, read) = versions::footprint(self.quota(organization)).await;
        Ok(Allowance {
            limits: limits?,
            since,
            read,
        })
    }

    /// Whether that is still so, as of the last look at the state of the book.
    pub fn stands(&self, allowance: &Allowance) -> bool {
        let versions = self.store.versions();
        allowance.read.is_closed() && versions.holds(allowance.since, &allowance.read)
    }

    async fn quota(&self, organization: i64) -> Result<[Option<i64>; LIMITS.len()]> {
        let Some(quotas) = self.registry.iter().find(|c| c.quotas) else {
            return Ok([None; LIMITS.len()]);
        };
        let column = |path: &str| quotas.field(path).map_or("id", |field| &field.column);
        let mut sql = Sql::new("SELECT ");
        for (place, (path, _)) in LIMITS.iter().enumerate() {
            sql.push(if place == 0 { "" } else { ", " });
            sql.name(column(path));
        }
        sql.push(" FROM ").name(&quotas.table);
        sql.push(" WHERE ").name(column(ORGANIZATION)).push(" = ");
        sql.bind(Ty::Int, Value::Int(organization));
        let rows = self.store.rows(sql).await?;
        let mut limits = [None; LIMITS.len()];
        if let Some(row) = rows.first() {
            for (place, limit) in limits.iter_mut().enumerate() {
                *limit = row.int(place);
            }
        }
        Ok(limits)
    }
}
