//! Places in an order: the keys of a row, and the rows beyond it. A page that begins behind
//! a known row costs the same wherever it lies.

use super::compile::{filled, key};
use crate::{Row, Scan, Sql, Ty};
use model::query::Order;
use model::record::Value;
use model::registry::{Collection, ID};

#[derive(Debug, Clone, PartialEq)]
pub struct SortPosition {
    pub keys: Vec<Value>,
    /// The id, which breaks ties.
    pub id: i64,
}

pub fn sort_keys(collection: &'static Collection, orders: &[Order]) -> Vec<Ty> {
    let end = |order: &Order| {
        let last = order.hops.last().map_or(collection, |hop| hop.target);
        last.fields.get(order.slot).map_or(Ty::Int, Ty::of)
    };
    orders.iter().map(end).collect()
}

/// Appends the keys of an order as columns, each after a comma.
pub fn push_sort_keys(scan: &mut Scan, sql: &mut Sql, collection: &'static Collection, alias: &str, orders: &[Order]) {
    for order in orders {
        sql.push(", ");
        key(scan, sql, collection, alias, &order.hops, order.slot);
    }
}

impl SortPosition {
    /// From a row whose columns from `first` on are the keys, and whose first is the id.
    pub fn of(row: &Row, first: usize, types: &[Ty]) -> Option<Self> {
        let keys = types.iter().enumerate();
        Some(Self { id: row.int(0)?, keys: keys.map(|(at, ty)| row.value(first + at, *ty)).collect() })
    }
}

/// Appends the condition that a row is beyond a place: after it, or before it when read backwards.
pub fn after_position(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    orders: &[Order],
    position: &SortPosition,
    backwards: bool,
) {
    let types = sort_keys(collection, orders);
    let mut keys = Vec::with_capacity(orders.len());
    let mut unique = false;
    for ((order, value), ty) in orders.iter().zip(&position.keys).zip(types) {
        let mut expr = Sql::default();
        key(scan, &mut expr, collection, alias, &order.hops, order.slot);
        keys.push(Key {
            expr,
            ty,
            value,
            filled: filled(collection, order),
            descending: order.descending != backwards,
        });
        unique = order.hops.is_empty() && order.slot == ID;
        if unique {
            break;
        }
    }
    let tie = (!unique).then(|| TieBreak { id: format!("{alias}.\"id\""), last: position.id, descending: !backwards });
    sql.push("(");
    if let Some(first) = keys.first() {
        first.push_bound(sql);
    }
    push_after(sql, &keys, tie.as_ref());
    sql.push(")");
}

/// For an order with one key, the rows beyond a place as two ranges of its index, one after
/// the other: those of the same value, and those after it. However many rows share a value,
/// the database does not walk over them. None where the rows beyond are not two such ranges.
pub fn ranges(
    scan: &mut Scan,
    collection: &'static Collection,
    alias: &str,
    orders: &[Order],
    position: &SortPosition,
    backwards: bool,
) -> Option<[Sql; 2]> {
    let ([order], [value]) = (orders, position.keys.as_slice()) else { return None };
    let descending = order.descending != backwards;
    let own = order.hops.is_empty() && order.slot != ID;
    if !own || value.is_null() || !(descending || filled(collection, order)) {
        return None;
    }
    let ty = sort_keys(collection, orders).first().copied()?;
    let mut range = |operator: &str| {
        let mut sql = Sql::default();
        key(scan, &mut sql, collection, alias, &order.hops, order.slot);
        sql.push(operator).bind(ty, value.clone());
        sql
    };
    let (mut same, after) = (range(" = "), range(if descending { " < " } else { " > " }));
    let operator = if backwards { " > " } else { " < " };
    same.push(&format!(" AND {alias}.\"id\"{operator}"));
    same.bind(Ty::Int, position.id);
    Some([same, after])
}

struct Key<'p> {
    expr: Sql,
    ty: Ty,
    value: &'p Value,
    filled: bool,
    descending: bool,
}

impl Key<'_> {
    fn compare(&self, sql: &mut Sql, operator: &str) {
        sql.append(&self.expr).push(operator).bind(self.ty, self.value.clone());
    }

    /// What all rows beyond fulfil, so that an index can be entered at the place.
    fn push_bound(&self, sql: &mut Sql) {
        match (self.value.is_null(), self.descending) {
            (false, true) => self.compare(sql, " <= "),
            (false, false) if self.filled => self.compare(sql, " >= "),
            (true, false) => {
                sql.append(&self.expr).push(" IS NULL");
            }
            (false, false) | (true, true) => return,
        }
        sql.push(" AND ");
    }

    fn equal(&self, sql: &mut Sql) {
        if self.value.is_null() {
            sql.append(&self.expr).push(" IS NULL");
        } else {
            self.compare(sql, " = ");
        }
    }

    /// Values after this one; those that are empty come last ascending, first descending.
    fn after(&self, sql: &mut Sql) -> bool {
        match (self.value.is_null(), self.descending) {
            (false, true) => self.compare(sql, " < "),
            (false, false) => {
                self.compare(sql, " > ");
                if !self.filled {
                    sql.push(" OR ").append(&self.expr).push(" IS NULL");
                }
            }
            (true, true) => {
                sql.append(&self.expr).push(" IS NOT NULL");
            }
            (true, false) => return false,
        }
        true
    }
}

/// What decides between rows whose keys are all equal.
struct TieBreak {
    id: String,
    /// The id at the place.
    last: i64,
    descending: bool,
}

/// After in the first key, or equal there and after in the rest.
fn push_after(sql: &mut Sql, keys: &[Key<'_>], tie: Option<&TieBreak>) {
    let Some((first, rest)) = keys.split_first() else {
        match tie {
            Some(tie) => {
                let operator = if tie.descending { " < " } else { " > " };
                sql.push(&tie.id).push(operator).bind(Ty::Int, tie.last);
            }
            None => {
                sql.push("1=0");
            }
        }
        return;
    };
    sql.push("(");
    if first.after(sql) {
        sql.push(" OR ");
    }
    sql.push("(");
    first.equal(sql);
    sql.push(" AND ");
    push_after(sql, rest, tie);
    sql.push("))");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;
    use model::registry::{Access, Collection, Rule, text};

    #[test]
    fn rows_beyond_a_place_are_those_after_it() {
        let fields = vec![text("name").into()];
        let c: &'static Collection = Box::leak(Box::new(Collection::new("things", Access::read(Rule::Any), fields)));
        let by = |slot, descending| Order { hops: Vec::new(), slot, descending };
        let condition = |orders: &[Order], keys: Vec<Value>, backwards| {
            let mut sql = Sql::default();
            let position = SortPosition { keys, id: 7 };
            let scan = &mut Scan::new(Dialect::Sqlite);
            after_position(scan, &mut sql, c, "a", orders, &position, backwards);
            sql.text().to_owned()
        };
        let created = c.created_slot();
        assert_eq!(
            condition(&[by(created, true)], vec![Value::Time(1)], false),
            "(a.\"created_at\" <= ? AND (a.\"created_at\" < ? OR (a.\"created_at\" = ? AND a.\"id\" < ?)))"
        );
        assert_eq!(
            condition(&[by(c.at("name"), true)], vec![Value::Null], false),
            "((a.\"name\" IS NOT NULL OR (a.\"name\" IS NULL AND a.\"id\" < ?)))"
        );
        assert_eq!(
            condition(&[by(c.at("name"), true)], vec![Value::Null], true),
            "(a.\"name\" IS NULL AND ((a.\"name\" IS NULL AND a.\"id\" > ?)))"
        );
        assert_eq!(
            condition(&[by(ID, false)], vec![Value::Int(7)], false),
            "(a.\"id\" >= ? AND (a.\"id\" > ? OR (a.\"id\" = ? AND 1=0)))"
        );
    }
}
