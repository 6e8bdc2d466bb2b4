//! Conditions and orders into SQL. Names come from the declarations, values are bound.

use super::{Dialect, Sql, Ty};
use crate::query::{Cmp, Filter, Order};
use crate::record::Value;
use crate::registry::{Collection, Field, ID, Kind, Writer};

/// Where a statement stands: its dialect and a counter for aliases.
#[derive(Debug)]
pub struct Scan {
    dialect: Dialect,
    aliases: usize,
}

impl Scan {
    /// For one statement.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            aliases: 0,
        }
    }
    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("r{}", self.aliases)
    }
}

/// Appends a condition on the row `alias` of a collection.
pub fn condition(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    filter: &Filter,
) {
    match filter {
        Filter::True => {
            sql.push("1=1");
        }
        Filter::False => {
            sql.push("1=0");
        }
        Filter::And(parts) => joined(scan, sql, collection, alias, parts, " AND "),
        Filter::Or(parts) => joined(scan, sql, collection, alias, parts, " OR "),
        Filter::Not(inner) => {
            sql.push("(");
            condition(scan, sql, collection, alias, inner);
            sql.push(") IS NOT TRUE");
        }
        Filter::Cmp(slot, cmp) => match collection.fields.get(*slot) {
            Some(field) if matches!(field.kind, Kind::Relations(_)) => {
                linked(sql, collection, alias, field, cmp);
            }
            Some(field) => compare(scan, sql, alias, field, cmp),
            None => {
                sql.push("1=0");
            }
        },
        Filter::Via(slot, target, inner) => {
            let Some(field) = collection.fields.get(*slot) else {
                sql.push("1=0");
                return;
            };
            let to = scan.alias();
            sql.push("EXISTS (SELECT 1 FROM ");
            if matches!(field.kind, Kind::Relations(_)) {
                let link = scan.alias();
                sql.name(&collection.link_table(field)).push(&format!(
                    " {link} JOIN \"{}\" {to} ON {to}.\"id\" = {link}.\"target\" WHERE {link}.\"owner\" = {alias}.\"id\"",
                    target.table
                ));
            } else {
                sql.name(&target.table).push(&format!(
                    " {to} WHERE {to}.\"id\" = {alias}.\"{}\"",
                    field.column
                ));
            }
            if !matches!(**inner, Filter::True) {
                sql.push(" AND ");
                condition(scan, sql, target, &to, inner);
            }
            sql.push(")");
        }
    }
}

fn joined(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    parts: &[Filter],
    word: &str,
) {
    sql.push("(");
    // In halves, since SQLite refuses expressions deeper than 1000, and a chain of
    // conditions is as deep as it is long.
    match parts.split_at_checked(parts.len() / 2) {
        Some((left, right)) if parts.len() > 32 => {
            joined(scan, sql, collection, alias, left, word);
            sql.push(word);
            joined(scan, sql, collection, alias, right, word);
        }
        _ => {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    sql.push(word);
                }
                condition(scan, sql, collection, alias, part);
            }
        }
    }
    sql.push(")");
}

fn compare(scan: &Scan, sql: &mut Sql, alias: &str, field: &Field, cmp: &Cmp) {
    let expr = format!("{alias}.\"{}\"", field.column);
    let ty = Ty::of(field);
    let order = |sql: &mut Sql, op: &str, value: &Value| {
        sql.push(&expr);
        if scan.dialect == Dialect::Postgres && ty == Ty::Text {
            sql.push(" COLLATE \"C\"");
        }
        sql.push(op).bind(ty, value.clone());
    };
    match cmp {
        Cmp::Null if matches!(field.kind, Kind::Selects(_) | Kind::Rows(_)) => {
            let empty = format!("({expr} IS NULL OR CAST({expr} AS text) = '[]')");
            sql.push(&empty);
        }
        Cmp::Null => {
            sql.push(&expr).push(" IS NULL");
        }
        Cmp::Eq(value) => {
            sql.push(&expr).push(" = ").bind(ty, value.clone());
        }
        Cmp::In(values) => {
            sql.push(&expr).push(" IN ");
            sql.bind_list(ty, values.iter().cloned());
        }
        Cmp::Lt(value) => order(sql, " < ", value),
        Cmp::Le(value) => order(sql, " <= ", value),
        Cmp::Gt(value) => order(sql, " > ", value),
        Cmp::Ge(value) => order(sql, " >= ", value),
        Cmp::Words(words) => {
            sql.push("(");
            sql.push(&expr).push(" IS NOT NULL");
            for word in words {
                let (before, pattern) = scan.dialect.contains(&expr, word);
                sql.push(" AND ").push(&before).bind(Ty::Text, pattern);
            }
            sql.push(")");
        }
        Cmp::Has(value) => {
            let (before, after) = scan.dialect.list_has(&expr);
            sql.push(&before).bind(Ty::Text, value.clone()).push(&after);
        }
    }
}

/// A comparison of a relation list with ids.
fn linked(sql: &mut Sql, collection: &'static Collection, alias: &str, field: &Field, cmp: &Cmp) {
    let values = match cmp {
        Cmp::Null => {
            sql.push("NOT ");
            None
        }
        Cmp::Eq(v) | Cmp::Has(v) => Some(vec![v.clone()]),
        Cmp::In(vs) => Some(vs.clone()),
        _ => Some(Vec::new()),
    };
    sql.push("EXISTS (SELECT 1 FROM ")
        .name(&collection.link_table(field))
        .push(&format!(" l WHERE l.\"owner\" = {alias}.\"id\""));
    if let Some(values) = values {
        sql.push(" AND l.\"target\" IN ");
        sql.bind_list(Ty::Int, values);
    }
    sql.push(")");
}

/// Appends ` ORDER BY …`; ties are broken by descending id, so that pages never overlap.
/// Empty values come last ascending and first descending, as PostgreSQL has it.
pub fn order_by(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    orders: &[Order],
) {
    sql.push(" ORDER BY ");
    let mut by_id = false;
    for order in orders {
        key(scan, sql, collection, alias, &order.hops, order.slot);
        sql.push(if order.descending { " DESC" } else { " ASC" });
        let filled = order.hops.is_empty()
            && (collection.fields.get(order.slot)).is_some_and(|f| {
                f.required
                    || f.writer == Writer::Server
                        && matches!(f.path.as_str(), "id" | "createdAt" | "updatedAt")
            });
        if !filled {
            sql.push(if order.descending {
                " NULLS FIRST"
            } else {
                " NULLS LAST"
            });
        }
        sql.push(", ");
        by_id |= order.hops.is_empty() && order.slot == ID;
    }
    sql.push(alias)
        .push(if by_id { ".\"seq\"" } else { ".\"id\" DESC" });
}

fn key(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    hops: &[(usize, &'static Collection, Filter)],
    slot: usize,
) {
    match hops.split_first() {
        None => {
            let column = collection.fields.get(slot).map_or("id", |f| &f.column);
            sql.push(&format!("{alias}.\"{column}\""));
            let text = (collection.fields.get(slot)).is_some_and(|f| Ty::of(f) == Ty::Text);
            if text && scan.dialect == Dialect::Postgres {
                sql.push(" COLLATE \"C\"");
            }
        }
        Some(((relation, target, guard), rest)) => {
            let to = scan.alias();
            sql.push("(SELECT ");
            key(scan, sql, target, &to, rest, slot);
            let column = (collection.fields.get(*relation)).map_or("id", |f| &f.column);
            sql.push(&format!(
                " FROM \"{}\" {to} WHERE {to}.\"id\" = {alias}.\"{column}\"",
                target.table
            ));
            if !matches!(guard, Filter::True) {
                sql.push(" AND ");
                condition(scan, sql, target, &to, guard);
            }
            sql.push(")");
        }
    }
}
