//! Conditions and orders into SQL. Names come from the declarations, values are bound.

use crate::{Dialect, Sql, Ty};
use model::query::{Cmp, Filter, Order, OrderHop, Pointing};
use model::record::{Value, time};
use model::registry::{Collection, Field, ID, Kind, Writer};

/// The state of a statement: its dialect and a counter for aliases.
#[derive(Debug)]
pub struct Scan {
    dialect: Dialect,
    aliases: usize,
}

impl Scan {
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, aliases: 0 }
    }
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("r{}", self.aliases)
    }
}

/// The subject of a condition: a row of a table, or an element of a list of rows.
#[derive(Clone, Copy)]
enum Subject<'a> {
    Row(&'static Collection, &'a str),
    Element(&'static [Field], &'a str),
}

impl Subject<'_> {
    fn field(self, slot: usize) -> Option<&'static Field> {
        match self {
            Self::Row(collection, _) => collection.fields.get(slot),
            Self::Element(fields, _) => fields.get(slot),
        }
    }

    fn expr(self, dialect: Dialect, field: &Field) -> String {
        match self {
            Self::Row(_, alias) => format!("{alias}.\"{}\"", field.column),
            Self::Element(_, alias) => dialect.member(alias, field.name(), &field.kind),
        }
    }

    /// How values of a field are bound; times in elements are texts.
    fn ty(self, field: &Field) -> Ty {
        match (self, Ty::of(field)) {
            (Self::Element(..), Ty::Time) => Ty::Text,
            (_, ty) => ty,
        }
    }

    fn bound(self, value: &Value) -> Value {
        match (self, value) {
            (Self::Element(..), Value::Time(ms)) => Value::Text(time::to_iso(*ms)),
            (_, value) => value.clone(),
        }
    }
}

/// Appends a condition on the row `alias` of a collection.
pub fn condition(scan: &mut Scan, sql: &mut Sql, collection: &'static Collection, alias: &str, filter: &Filter) {
    holds(scan, sql, Subject::Row(collection, alias), filter);
}

fn holds(scan: &mut Scan, sql: &mut Sql, subject: Subject<'_>, filter: &Filter) {
    let field = |slot: &usize| subject.field(*slot);
    match filter {
        Filter::True => {
            sql.push("1=1");
        }
        Filter::False => {
            sql.push("1=0");
        }
        Filter::And(parts) => joined(scan, sql, subject, parts, " AND "),
        Filter::Or(parts) => joined(scan, sql, subject, parts, " OR "),
        Filter::Not(inner) => {
            sql.push("(");
            holds(scan, sql, subject, inner);
            sql.push(") IS NOT TRUE");
        }
        Filter::Cmp(slot, cmp) => match (field(slot), subject) {
            (Some(field), Subject::Row(collection, alias)) if matches!(field.kind, Kind::Relations(_)) => {
                linked(sql, collection, alias, field, cmp);
            }
            (Some(field), _) => compare(scan, sql, subject, field, cmp),
            (None, _) => {
                sql.push("1=0");
            }
        },
        Filter::Via(slot, target, inner) => match field(slot) {
            Some(field) => related(scan, sql, subject, field, target, inner),
            None => {
                sql.push("1=0");
            }
        },
        Filter::Among(slot, target, inner) => match (field(slot), subject) {
            (Some(field), Subject::Row(collection, alias)) => {
                let to = scan.alias();
                let many = matches!(field.kind, Kind::Relations(_));
                match many {
                    true => sql
                        .push(&format!("{alias}.\"id\" IN (SELECT l.\"owner\" FROM "))
                        .name(&collection.link_table(field)),
                    false => sql.push(&subject.expr(scan.dialect, field)),
                };
                sql.push(if many { " l WHERE l.\"target\"" } else { "" });
                sql.push(" IN (SELECT ").push(&to).push(".\"id\" FROM ").name(&target.table);
                sql.push(&format!(" {to} WHERE "));
                holds(scan, sql, Subject::Row(target, &to), inner);
                sql.push(if many { "))" } else { ")" });
            }
            _ => {
                sql.push("1=0");
            }
        },
        Filter::Backed(by, on, inner) => match subject {
            Subject::Row(collection, alias) => {
                backed(scan, sql, (collection, alias), (by, on), inner);
            }
            Subject::Element(..) => {
                sql.push("1=0");
            }
        },
        Filter::Element(slot, inner) => match field(slot).map(|f| (f, &f.kind)) {
            Some((field, Kind::Rows(subs))) => {
                let to = scan.alias();
                let from = (scan.dialect).elements(&subject.expr(scan.dialect, field), &to);
                sql.push("EXISTS (SELECT 1 FROM ").push(&from).push(" WHERE ");
                holds(scan, sql, Subject::Element(subs, &to), inner);
                sql.push(")");
            }
            _ => {
                sql.push("1=0");
            }
        },
        Filter::Join(pointing, inner) => match subject {
            Subject::Row(_, alias) => {
                let to = scan.alias();
                sql.push("EXISTS (SELECT 1 FROM ").name(&pointing.from.table).push(&format!(" {to} WHERE "));
                points(scan, sql, pointing, &to, &format!("{alias}.\"id\""));
                further(scan, sql, Subject::Row(pointing.from, &to), inner);
                sql.push(")");
            }
            Subject::Element(..) => {
                sql.push("1=0");
            }
        },
    }
}

/// Appends that a row of `by` has the same values in these pairs of fields, and fulfils the filter.
fn backed(
    scan: &mut Scan,
    sql: &mut Sql,
    (collection, alias): (&'static Collection, &str),
    (by, on): (&'static Collection, &[(usize, usize)]),
    filter: &Filter,
) {
    let to = scan.alias();
    let column = |c: &'static Collection, slot: &usize| c.fields.get(*slot).map_or("id", |f| f.column.as_str());
    sql.push("EXISTS (SELECT 1 FROM ").name(&by.table).push(&format!(" {to} WHERE "));
    for (there, here) in on {
        sql.push(&format!("{to}.")).name(column(by, there));
        sql.push(&format!(" = {alias}.")).name(column(collection, here)).push(" AND ");
    }
    condition(scan, sql, by, &to, filter);
    sql.push(")");
}

/// ` AND …`, unless it always holds.
fn further(scan: &mut Scan, sql: &mut Sql, subject: Subject<'_>, filter: &Filter) {
    if !matches!(filter, Filter::True) {
        sql.push(" AND ");
        holds(scan, sql, subject, filter);
    }
}

/// A related row fulfils a condition.
fn related(
    scan: &mut Scan,
    sql: &mut Sql,
    subject: Subject<'_>,
    field: &'static Field,
    target: &'static Collection,
    inner: &Filter,
) {
    let to = scan.alias();
    sql.push("EXISTS (SELECT 1 FROM ");
    let many = matches!(field.kind, Kind::Relations(_));
    match subject {
        Subject::Row(collection, alias) if many => {
            let link = scan.alias();
            sql.name(&collection.link_table(field)).push(&format!(
                " {link} JOIN \"{}\" {to} ON {to}.\"id\" = {link}.\"target\" WHERE {link}.\"owner\" = {alias}.\"id\"",
                target.table
            ));
        }
        _ => {
            let expr = subject.expr(scan.dialect, field);
            sql.name(&target.table).push(&format!(" {to} WHERE {to}.\"id\" "));
            if many {
                let (before, after) = scan.dialect.among_ids();
                sql.push(before).push(&expr).push(after);
            } else {
                sql.push("= ").push(&expr);
            }
        }
    }
    further(scan, sql, Subject::Row(target, &to), inner);
    sql.push(")");
}

/// Appends that the row `alias` of the other collection points to the row with that id.
pub fn points(scan: &mut Scan, sql: &mut Sql, pointing: &Pointing, alias: &str, id: &str) {
    sql.push("(");
    for (place, (slot, guard)) in pointing.on.iter().enumerate() {
        sql.push(if place > 0 { " OR (" } else { "(" });
        match pointing.from.fields.get(*slot) {
            Some(field) if matches!(field.kind, Kind::Relations(_)) => {
                let link = scan.alias();
                sql.push("EXISTS (SELECT 1 FROM ")
                    .name(&pointing.from.link_table(field))
                    .push(&format!(" {link} WHERE {link}.\"owner\" = {alias}.\"id\" AND {link}.\"target\" = {id})"));
            }
            Some(field) => {
                sql.push(&format!("{alias}.\"{}\" = {id}", field.column));
            }
            None => {
                sql.push("1=0");
            }
        }
        further(scan, sql, Subject::Row(pointing.from, alias), guard);
        sql.push(")");
    }
    sql.push(if pointing.on.is_empty() { "1=0)" } else { ")" });
}

fn joined(scan: &mut Scan, sql: &mut Sql, subject: Subject<'_>, parts: &[Filter], word: &str) {
    sql.push("(");
    // In halves, since SQLite refuses expressions deeper than 1000, and a chain of conditions is as deep as it is long.
    match parts.split_at_checked(parts.len() / 2) {
        Some((left, right)) if parts.len() > 32 => {
            joined(scan, sql, subject, left, word);
            sql.push(word);
            joined(scan, sql, subject, right, word);
        }
        _ => {
            sql.each(word, parts, |sql, part| {
                holds(scan, sql, subject, part);
                sql
            });
        }
    }
    sql.push(")");
}

fn compare(scan: &Scan, sql: &mut Sql, subject: Subject<'_>, field: &Field, cmp: &Cmp) {
    let expr = subject.expr(scan.dialect, field);
    let ty = subject.ty(field);
    let order = |sql: &mut Sql, op: &str, value: &Value| {
        sql.push(&expr);
        if scan.dialect == Dialect::Postgres && ty == Ty::Text {
            sql.push(" COLLATE \"C\"");
        }
        sql.push(op).bind(ty, subject.bound(value));
    };
    match cmp {
        Cmp::Null if matches!(field.kind, Kind::Selects(_) | Kind::Texts(_) | Kind::Rows(_) | Kind::Relations(_)) => {
            let empty = format!("({expr} IS NULL OR CAST({expr} AS text) = '[]')");
            sql.push(&empty);
        }
        Cmp::Null => {
            sql.push(&expr).push(" IS NULL");
        }
        Cmp::Eq(value) => {
            sql.push(&expr).push(" = ").bind(ty, subject.bound(value));
        }
        Cmp::In(values) => {
            sql.push(&expr).push(" IN ").bind_list(ty, values.iter().map(|value| subject.bound(value)));
        }
        Cmp::Lt(value) => order(sql, " < ", value),
        Cmp::Le(value) => order(sql, " <= ", value),
        Cmp::Gt(value) => order(sql, " > ", value),
        Cmp::Ge(value) => order(sql, " >= ", value),
        Cmp::Words(words) => {
            sql.push("(").push(&expr).push(" IS NOT NULL");
            for word in words {
                let (before, pattern) = scan.dialect.contains(&expr, word);
                sql.push(" AND ").push(&before).bind(Ty::Text, pattern);
            }
            sql.push(")");
        }
        Cmp::Has(Value::Int(id)) => {
            let (before, after) = scan.dialect.among_ids();
            sql.bind(Ty::Int, *id).push(before).push(&expr).push(after);
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
        sql.push(" AND l.\"target\" IN ").bind_list(Ty::Int, values);
    }
    sql.push(")");
}

/// Appends ` ORDER BY …`; ties are broken by descending id, so that pages never overlap.
/// Empty values come last ascending and first descending, as PostgreSQL has it. `backwards`: the last rows first.
pub fn order_by(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    orders: &[Order],
    backwards: bool,
) {
    ordered(scan, sql, collection, alias, orders, (backwards, ""));
}

/// The order of few rows that are chosen by their ids: they are sorted, not looked for along
/// an index of the order, which would pass over all rows of the table.
pub fn order_chosen(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    orders: &[Order],
    backwards: bool,
) {
    let by_value = scan.dialect.by_value();
    ordered(scan, sql, collection, alias, orders, (backwards, by_value));
}

fn ordered(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    orders: &[Order],
    (backwards, sign): (bool, &str),
) {
    sql.push(" ORDER BY ");
    let mut by_id = false;
    for order in orders {
        sql.push(sign);
        key(scan, sql, collection, alias, &order.hops, order.slot);
        let descending = order.descending != backwards;
        sql.push(if descending { " DESC" } else { " ASC" });
        if !filled(collection, order) {
            sql.push(if descending { " NULLS FIRST" } else { " NULLS LAST" });
        }
        sql.push(", ");
        by_id |= order.hops.is_empty() && order.slot == ID;
    }
    sql.push(sign).push(alias).push(match (by_id, backwards) {
        (true, _) => ".\"seq\"",
        (false, false) => ".\"id\" DESC",
        (false, true) => ".\"id\" ASC",
    });
}

/// Appends what leads the planner along an index of the first key where further keys break
/// ties: it would rather read and sort the whole table, not knowing that few rows are wanted.
pub fn along(dialect: Dialect, sql: &mut Sql, collection: &'static Collection, alias: &str, orders: &[Order]) {
    let [first, _, ..] = orders else { return };
    let Some(field) = collection.fields.get(first.slot) else { return };
    let indexed = field.indexed || matches!(field.path.as_str(), "createdAt" | "updatedAt");
    if first.slot != ID && indexed && filled(collection, first) {
        let lowest = dialect.at_least_lowest(Ty::of(field));
        if !lowest.is_empty() {
            sql.push(" AND ").push(alias).push(".").name(&field.column).push(lowest);
        }
    }
}

/// Whether every row has a value for a key.
pub(crate) fn filled(collection: &'static Collection, order: &Order) -> bool {
    order.hops.is_empty()
        && (collection.fields.get(order.slot)).is_some_and(|f| {
            f.required || f.writer == Writer::Server && matches!(f.path.as_str(), "id" | "createdAt" | "updatedAt")
        })
}

pub(crate) fn key(
    scan: &mut Scan,
    sql: &mut Sql,
    collection: &'static Collection,
    alias: &str,
    hops: &[OrderHop],
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
        Some((hop, rest)) => {
            let OrderHop { relation, target, guard } = hop;
            let to = scan.alias();
            sql.push("(SELECT ");
            key(scan, sql, target, &to, rest, slot);
            let column = (collection.fields.get(*relation)).map_or("id", |f| &f.column);
            sql.push(&format!(" FROM \"{}\" {to} WHERE {to}.\"id\" = {alias}.\"{column}\"", target.table));
            if !matches!(guard, Filter::True) {
                sql.push(" AND ");
                condition(scan, sql, target, &to, guard);
            }
            sql.push(")");
        }
    }
}
