//! Join fields: pages of rows of another collection that point to the rows of a sheet. One
//! statement for each join field, regardless of the number of rows.

use super::Reader;
use super::field_selection::FieldSelection;
use super::write::JoinedRows;
use crate::access::Gate;
use crate::ask;
use model::error::{Error, Result};
use model::query::qs::{self, JoinPage};
use model::query::{Filter, Order, Pointing};
use model::record::Value;
use model::registry::Join;
use std::collections::BTreeMap;
use store::{ListedIds, Scan, Sql, Ty, condition, order_by, points};

/// Rows of one join field in one part of an answer.
const ROWS_MAX: i64 = 100_000;
/// Rows of one join field in one document at most, even if all are requested; `hasNextPage` shows that there are more.
const MOST: u64 = if cfg!(test) { 300 } else { 5_000 };
/// Their approximate number, where all are requested.
const MANY: usize = 50;

/// A join field of a shape.
#[derive(Debug)]
pub(super) struct Joining {
    pub(super) selection: FieldSelection,
    pointing: Pointing,
    filter: Filter,
    orders: Vec<Order>,
    page: JoinPage,
}

/// The rows that a join leads to, under the rights of a caller; none when the caller may read none.
pub(super) fn joining(
    gate: &Gate<'_>,
    join: &'static Join,
    page: JoinPage,
    selection: impl FnOnce(&'static str) -> FieldSelection,
) -> Result<Option<Joining>> {
    let Some((pointing, readable)) = gate.pointing(join) else { return Ok(None) };
    let tree = match page.filter.as_ref().map(qs::filter) {
        None => None,
        Some(Ok(tree)) => tree,
        Some(Err(_)) => return Err(Error::Query(vec![format!("joins.{}.where", join.name)])),
    };
    let query = ask::ask(*gate, pointing.from, tree.as_deref(), &page.sort)?;
    Ok(Some(Joining {
        selection: selection(pointing.from.slug),
        filter: Filter::and([readable, query.filter]),
        orders: query.orders,
        pointing,
        page,
    }))
}

impl Joining {
    /// The total number of rows, if it was requested.
    pub(super) fn total(&self, joined: Option<&JoinedRows>) -> Option<u64> {
        (self.page.count).then(|| joined.map_or(0, |joined| joined.total))
    }

    /// Rows of it in one document, about.
    pub(super) fn most(&self) -> usize {
        match self.page.limit {
            0 => MANY,
            limit => usize::try_from(limit.min(MOST)).unwrap_or(usize::MAX),
        }
    }

    /// Rows of a page.
    fn limit(&self) -> u64 {
        match self.page.limit {
            0 => MOST,
            limit => limit.min(MOST),
        }
    }

    fn select(&self, scan: &mut Scan, owners: Vec<i64>) -> Sql {
        let ListedIds { before, after, id: owner } = scan.dialect().listed_ids();
        let from = self.pointing.from;
        let mut sql = Sql::new("SELECT w.o, w.i, w.n");
        sql.push(if self.page.count { ", w.t" } else { "" });
        sql.push(&format!(" FROM (SELECT {owner} AS o, t.\"id\" AS i, row_number() OVER (PARTITION BY {owner}"));
        order_by(scan, &mut sql, from, "t", &self.orders, false);
        sql.push(") AS n");
        if self.page.count {
            sql.push(&format!(", count(*) OVER (PARTITION BY {owner}) AS t"));
        }
        sql.push(" FROM ").push(before).bind(Ty::Json, Value::Ids(owners)).push(after);
        sql.push(" JOIN ").name(&from.table).push(" t ON ");
        points(scan, &mut sql, &self.pointing, "t", owner);
        sql.push(" AND ");
        condition(scan, &mut sql, from, "t", &self.filter);
        sql.push(") AS w");
        let (skip, limit) = (self.skip(), whole(self.limit()));
        sql.push(" WHERE w.n > ").bind(Ty::Int, skip);
        // One more row shows whether a page follows.
        sql.push(" AND w.n <= ").bind(Ty::Int, skip.saturating_add(limit).saturating_add(1));
        // The first row has the total, also on pages beyond the end.
        sql.push(if self.page.count { " OR w.n = 1" } else { "" }).push(" ORDER BY w.o, w.n LIMIT ");
        sql.bind(Ty::Int, ROWS_MAX + 1);
        sql
    }

    fn skip(&self) -> i64 {
        match self.page.limit {
            0 => 0,
            _ => whole(self.page.page.saturating_sub(1).saturating_mul(self.limit())),
        }
    }
}

fn whole(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

impl Reader {
    /// The rows of a join field, by the rows that they point to.
    pub(super) async fn joined(&self, join: &Joining, owners: Vec<i64>) -> Result<BTreeMap<i64, JoinedRows>> {
        let mut by_owner: BTreeMap<i64, JoinedRows> = BTreeMap::new();
        if owners.is_empty() {
            return Ok(by_owner);
        }
        let rows = self.rows(self.fits(join.select(&mut Scan::new(self.store.dialect()), owners))?).await?;
        if i64::try_from(rows.len()).is_ok_and(|n| n > ROWS_MAX) {
            return Err(Error::Malformed("the joins bring too many rows: ask for fewer".into()));
        }
        let skip = join.skip();
        let end = skip.saturating_add(whole(join.limit()));
        for row in &rows {
            let (Some(owner), Some(id), Some(place)) = (row.int(0), row.int(1), row.int(2)) else { continue };
            let joined = by_owner.entry(owner).or_default();
            let total = if join.page.count { row.int(3) } else { None };
            joined.total = total.map_or(joined.total, i64::unsigned_abs);
            if place > end {
                joined.more = true;
            } else if place > skip {
                joined.ids.push(id);
            }
        }
        Ok(by_owner)
    }
}
