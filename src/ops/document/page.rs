//! The statement for a part of a list: after a position or a number of skipped rows, in either direction.

use super::{Reader, Shape};
use model::error::Result;
use model::query::{Filter, Order};
use model::registry::{Collection, ID};
use store::{
    Scan, SortPosition, Sql, after_position, along, condition, order_by, order_chosen, push_sort_keys, ranges,
};

/// Number of skipped rows from which on ids are looked for first: whole rows are then fetched for the page alone.
const LATE: u64 = 500;

/// Which rows of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch<'a> {
    /// Rows after this position.
    pub(crate) from: Option<&'a SortPosition>,
    /// Read towards the beginning; they come in that order.
    pub(crate) backwards: bool,
    /// The number of rows that are skipped.
    pub(crate) skip: u64,
    /// The largest number of rows; none: all.
    pub(crate) take: Option<u64>,
}

impl Reader {
    /// A statement for a stretch of a list, with the keys of the order behind the columns
    /// of the shape. Rows of a condition may be given as the kinds of which it consists.
    pub(crate) fn select_page(
        &self,
        shape: &Shape,
        (filter, kinds): (&Filter, Option<&[(&Filter, bool)]>),
        orders: &[Order],
        stretch: Stretch<'_>,
    ) -> Result<Sql> {
        let c = shape.collection;
        let mut scan = Scan::new(self.store.dialect());
        let backwards = stretch.backwards;
        let range = stretch.take.map(|take| (take, stretch.skip));
        let ids =
            |scan: &mut Scan, filter: &Filter, is_along: bool, further: Option<&Sql>, range: Option<(u64, u64)>| {
                let mut sql = Sql::new("SELECT a.\"id\" FROM ");
                sql.name(&c.table).push(" a WHERE ");
                condition(scan, &mut sql, c, "a", filter);
                match further {
                    Some(further) => {
                        sql.push(" AND ").append(further);
                    }
                    None if kinds.is_none() => along(self.store.dialect(), &mut sql, c, "a", orders),
                    None => {}
                }
                match kinds {
                    Some(_) if range.is_none() => {}
                    // Found by what makes them few, then sorted.
                    Some(_) if !is_along => order_chosen(scan, &mut sql, c, "a", orders, backwards),
                    _ => order_by(scan, &mut sql, c, "a", orders, backwards),
                }
                self.range(&mut sql, range);
                sql
            };
        let mut sql = Sql::default();
        shape.select(&mut scan, &mut sql, orders);
        sql.push(" WHERE ");
        let place = stretch.from.map(|place| (place, backwards));
        let ranges = place
            .filter(|_| range.is_some() && kinds.is_none())
            .and_then(|(place, backwards)| ranges(&mut scan, c, "a", orders, place, backwards));
        let after = place.map(|(place, backwards)| {
            let mut sql = Sql::default();
            after_position(&mut scan, &mut sql, c, "a", orders, place, backwards);
            sql
        });
        // Each part has as many as may be needed; together they are in order.
        let parts: Vec<(&Filter, bool, Option<&Sql>)> = match (&ranges, kinds) {
            (_, Some(kinds)) => kinds.iter().map(|(kind, is_along)| (*kind, *is_along, after.as_ref())).collect(),
            (Some([same, after]), None) => vec![(filter, true, Some(same)), (filter, true, Some(after))],
            (None, None) if range.is_some() && (stretch.skip >= LATE || sorts(orders)) => {
                vec![(filter, true, after.as_ref())]
            }
            (None, None) => Vec::new(),
        };
        if !parts.is_empty() {
            let alone = parts.len() == 1;
            let most = range.map(|(take, skip)| if alone { (take, skip) } else { (take.saturating_add(skip), 0) });
            sql.push("a.\"id\" IN (");
            for (at, (filter, is_along, further)) in parts.iter().enumerate() {
                let name = format!("p{at}");
                sql.push(if at == 0 { "SELECT " } else { " UNION ALL SELECT " }).push(&name).push(".\"id\" FROM (");
                sql.append(&ids(&mut scan, filter, *is_along, *further, most)).push(") AS ").push(&name);
            }
            sql.push(")");
            order_chosen(&mut scan, &mut sql, c, "a", orders, backwards);
            self.range(&mut sql, range.filter(|_| !alone));
        } else {
            condition(&mut scan, &mut sql, c, "a", filter);
            match &after {
                Some(after) => {
                    sql.push(" AND ").append(after);
                }
                None if range.is_some() => along(self.store.dialect(), &mut sql, c, "a", orders),
                None => {}
            }
            order_by(&mut scan, &mut sql, c, "a", orders, backwards);
            self.range(&mut sql, range);
        }
        self.fits(sql)
    }

    /// A statement for every n-th row of a list: its id, the keys of the order, and its number, from 1.
    pub(crate) fn select_signposts(
        &self,
        c: &'static Collection,
        filter: &Filter,
        orders: &[Order],
        every: u64,
    ) -> Result<Sql> {
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::new("WITH signposts(id");
        for at in 0..orders.len() {
            sql.push(&format!(", k{at}"));
        }
        sql.push(", n) AS (SELECT a.\"id\"");
        push_sort_keys(&mut scan, &mut sql, c, "a", orders);
        sql.push(", row_number() OVER (");
        order_by(&mut scan, &mut sql, c, "a", orders, false);
        sql.push(") FROM ").name(&c.table).push(" a WHERE ");
        condition(&mut scan, &mut sql, c, "a", filter);
        along(self.store.dialect(), &mut sql, c, "a", orders);
        sql.push(&format!(") SELECT * FROM signposts WHERE n % {every} = 0"));
        self.fits(sql)
    }
}

/// Whether the database must sort rows of equal keys: ties go by descending id, which an
/// index read forwards has the other way round. A day of the book has tens of thousands of
/// rows, so ids are sorted alone, which the index gives, and rows are fetched of the page only.
fn sorts(orders: &[Order]) -> bool {
    let key = |order: &&Order| !(order.hops.is_empty() && order.slot == ID);
    (orders.iter().take_while(key)).any(|order| !order.descending)
}
