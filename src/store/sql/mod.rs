//! Statements as text with bound values. Names come from the registry only; every value
//! is bound, so that a question mark in the text is always a placeholder. SQLite reads it
//! so (numbered or named ones cost it a search each); PostgreSQL gets `$n`.

pub(crate) mod body_page;
pub(crate) mod by_day;
pub(crate) mod compile;
pub(crate) mod seek;
pub(crate) mod series;
pub(crate) mod window;

use super::{Dialect, compressed};
use model::parallel;
use model::record::Value;
use model::registry::{Field, Kind};
use std::sync::Arc;

/// What a column holds, the same on both databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Bool,
    /// Whole numbers, ids.
    Int,
    Num,
    Text,
    /// Instants, epoch milliseconds inside.
    Time,
    /// JSON text.
    Json,
    /// Text that the database stores compressed and does not look into.
    Compressed,
}

impl Ty {
    /// The column type of a stored field.
    pub fn of(field: &Field) -> Self {
        match &field.kind {
            Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Select(_) | Kind::Password => Self::Text,
            Kind::Int | Kind::Relation(_) | Kind::Relations(_) => Self::Int,
            Kind::Number => Self::Num,
            Kind::Day | Kind::Instant => Self::Time,
            Kind::Bool => Self::Bool,
            Kind::Json | Kind::Rows(_) | Kind::Selects(_) | Kind::Texts(_) => Self::Json,
        }
    }
}

/// A value on its way into a statement; its kind must fit the type or be null.
#[derive(Debug, Clone, PartialEq)]
pub struct Bind {
    pub ty: Ty,
    pub value: Value,
}

/// A value as a driver takes it.
#[derive(Clone)]
pub(crate) enum Ready {
    Value(Bind),
    Compressed(Vec<u8>),
}

impl Ready {
    fn of(bind: Bind) -> Self {
        match bind {
            Bind { ty: Ty::Compressed, value: Value::Text(text) } => Self::Compressed(compressed::stored(text)),
            other => Self::Value(other),
        }
    }
}

/// A finished statement, with the placeholders of its database.
#[derive(Clone)]
pub(crate) struct ReadyStatement {
    pub(crate) text: String,
    pub(crate) binds: Vec<Ready>,
    /// Whether the database keeps it prepared.
    pub(crate) keep: bool,
}

/// A statement under construction.
#[derive(Debug, Clone, Default)]
pub struct Sql {
    text: String,
    binds: Vec<Bind>,
    one_off: bool,
    location: Option<i64>,
    read_by_seq: bool,
    /// Number of values of the longest list that is sent as one value.
    longest: usize,
}

impl Sql {
    /// Starts with fixed text.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
    /// Inserts rows of values of these types `into` a table with its columns in brackets.
    pub fn insert<const N: usize>(into: &str, types: [Ty; N], rows: impl IntoIterator<Item = [Value; N]>) -> Self {
        let mut sql = Self::new(&format!("INSERT INTO {into} VALUES "));
        sql.bind_rows(types, rows);
        sql
    }
    pub fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }
    /// Appends another piece with its values.
    pub fn append(&mut self, other: &Self) -> &mut Self {
        self.text.push_str(&other.text);
        self.binds.extend(other.binds.iter().cloned());
        self.location = self.location.or(other.location);
        self.longest = self.longest.max(other.longest);
        self
    }
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.text.push('"');
        self.text.push_str(name);
        self.text.push('"');
        self
    }
    /// Appends a placeholder for a value.
    pub fn bind(&mut self, ty: Ty, value: impl Into<Value>) -> &mut Self {
        self.binds.push(Bind { ty, value: value.into() });
        self.text.push('?');
        self
    }
    /// Appends `(?, ?, …)` behind `IN `; an empty list becomes `(NULL)`, which nothing equals. Many ids or texts go as
    /// one value, so that the statement is the same however many there are.
    pub fn bind_list(&mut self, ty: Ty, values: impl IntoIterator<Item = Value>) -> &mut Self {
        let values: Vec<Value> = values.into_iter().collect();
        if values.len() >= MANY
            && let Some(list) = whole(ty, &values)
        {
            debug_assert!(self.text.ends_with(MEMBER));
            self.bind(ty, list);
            self.text.pop();
            self.text.push(LIST);
            self.longest = self.longest.max(values.len());
            return self;
        }
        let end = if values.is_empty() { "NULL)" } else { ")" };
        self.push("(").each(",", values, |sql, value| sql.bind(ty, value)).push(end)
    }
    /// Appends `(?,?),(?,?)` behind `VALUES `: rows of values of these types.
    pub fn bind_rows<const N: usize>(
        &mut self,
        types: [Ty; N],
        rows: impl IntoIterator<Item = [Value; N]>,
    ) -> &mut Self {
        self.each(",", rows, |sql, row| {
            sql.push("(").each(",", types.iter().zip(row), |sql, (ty, value)| sql.bind(*ty, value)).push(")")
        })
    }
    /// Appends what `append` appends of each item, with a text between.
    pub fn each<T>(
        &mut self,
        between: &str,
        items: impl IntoIterator<Item = T>,
        mut append: impl FnMut(&mut Self, T) -> &mut Self,
    ) -> &mut Self {
        for (at, item) in items.into_iter().enumerate() {
            self.push(if at > 0 { between } else { "" });
            append(self, item);
        }
        self
    }
    /// Appends, behind `FROM `, the rows of a table under an alias of which a column is one of many
    /// values, and what `rest` appends holds (` AND …`): the rest of a key, which an index serves.
    /// Whatever the database knows of the table, it looks for each of the values along that index.
    pub fn keyed(
        &mut self,
        dialect: Dialect,
        (table, alias, column): (&str, &str, &str),
        (ty, values): (Ty, impl IntoIterator<Item = Value>),
        rest: impl FnOnce(&mut Self),
    ) -> &mut Self {
        let values: Vec<Value> = values.into_iter().collect();
        let Some(list) = (values.len() > 1).then(|| whole(ty, &values)).flatten() else {
            self.name(table).push(&format!(" {alias} WHERE {alias}."));
            self.name(column).push(" IN ").bind_list(ty, values);
            rest(self);
            return self;
        };
        let [before, between, behind] = dialect.keyed(table, alias, column);
        self.push(&before).bind(ty, distinct(list)).push(&between);
        rest(self);
        self.push(&behind)
    }
    /// Appends a value that is the same for the whole statement; shorthand for chaining.
    pub fn with(mut self, ty: Ty, value: impl Into<Value>) -> Self {
        self.bind(ty, value);
        self
    }
    /// Appends fixed text; shorthand for chaining.
    pub fn and(mut self, text: &str) -> Self {
        self.push(text);
        self
    }
    /// Marks a statement that must not stay prepared (bulk statements of odd sizes).
    pub fn one_off(mut self) -> Self {
        self.one_off = true;
        self
    }
    /// Reads rows of one location alone where rows are found by their number in commit order.
    pub fn at(mut self, location: i64) -> Self {
        self.location = Some(location);
        self
    }
    pub(super) fn location(&self) -> Option<i64> {
        self.location
    }
    /// The reader of the rows that it writes finds them by their number in commit order, or by other
    /// rows of the same location that get one in the same transaction.
    pub fn read_by_seq(mut self) -> Self {
        self.read_by_seq = true;
        self
    }
    /// Whether readers find its rows by commit order or within the same location ([`Sql::read_by_seq`]).
    pub(super) fn is_read_by_seq(&self) -> bool {
        self.read_by_seq
    }
    /// Text and values in one: equal for statements that ask the same. None for statements of
    /// odd sizes, which are not worth remembering.
    pub fn fingerprint(&self) -> Option<Arc<str>> {
        (!self.one_off).then(|| format!("{}{:?}", self.text, self.binds).into())
    }
    pub fn text(&self) -> &str {
        &self.text
    }
    pub fn binds(&self) -> &[Bind] {
        &self.binds
    }
    /// Number of placeholders so far.
    pub fn width(&self) -> usize {
        self.binds.len()
    }
    /// The statement as a database takes it.
    pub(crate) fn into_ready(self, dialect: Dialect) -> ReadyStatement {
        let text = match dialect {
            Dialect::Sqlite if !self.text.contains(LIST) => self.text,
            _ => numbered(&self.text, self.binds.len(), dialect),
        };
        let keep = !self.one_off || self.binds.len() <= FEW;
        let keep = keep && self.longest <= dialect.longest_cached_list();
        let compresses = self.binds.iter().any(|bind| bind.ty == Ty::Compressed);
        let binds = match compresses {
            true => parallel::into_map(self.binds, Ready::of),
            false => self.binds.into_iter().map(Ready::Value).collect(),
        };
        ReadyStatement { text, binds, keep }
    }
}

/// Rows in pieces for statements of many rows of so many values each: of few different sizes,
/// so that the database prepares each but once.
pub fn pieces<T>(mut rows: &[T], width: usize) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let fitting = SIZES.iter().find(|size| **size <= rows.len() && **size * width <= TOGETHER);
        let size = fitting.copied().unwrap_or(1).min(rows.len());
        let (piece, rest) = rows.split_at_checked(size)?;
        rows = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

const SIZES: [usize; 5] = [256, 64, 16, 4, 1];
/// Values of a piece.
const TOGETHER: usize = 8_192;
/// Values up to which a statement of any size is worth a place in the cache.
const FEW: usize = 64;
/// Number of values from which on a list is sent as one value.
const MANY: usize = 16;
/// The text before a list.
const MEMBER: &str = "IN ";
/// Placeholder for a list in the text of a statement.
const LIST: char = '\u{1}';

/// The list without what it has twice.
fn distinct(list: Value) -> Value {
    match list {
        Value::Ids(mut ids) => {
            ids.sort_unstable();
            ids.dedup();
            Value::Ids(ids)
        }
        Value::Texts(mut texts) => {
            texts.sort_unstable();
            texts.dedup();
            Value::Texts(texts)
        }
        list => list,
    }
}

fn whole(ty: Ty, values: &[Value]) -> Option<Value> {
    match ty {
        Ty::Int => {
            let ids: Option<Vec<i64>> = values.iter().map(Value::int).collect();
            Some(Value::Ids(ids?))
        }
        Ty::Text => {
            // No JSON of a database has a zero character.
            let text = |v: &Value| v.text().filter(|t| !t.contains('\0')).map(str::to_owned);
            let texts: Option<Vec<String>> = values.iter().map(text).collect();
            Some(Value::Texts(texts?))
        }
        Ty::Bool | Ty::Num | Ty::Time | Ty::Json | Ty::Compressed => None,
    }
}

/// Placeholders as the database has them: question marks, or `$1`, `$2`, …; lists unfolded.
fn numbered(text: &str, binds: usize, dialect: Dialect) -> String {
    let mut out = String::with_capacity(text.len() + 4 * binds);
    let mut n = 0;
    let mut place = |out: &mut String| {
        n += 1;
        match dialect {
            Dialect::Sqlite => out.push('?'),
            Dialect::Postgres => {
                out.push('$');
                out.push_str(&n.to_string());
            }
        }
    };
    for c in text.chars() {
        let list = match c {
            '?' => {
                place(&mut out);
                continue;
            }
            LIST => dialect.list(),
            c => {
                out.push(c);
                continue;
            }
        };
        // Databases have different words for it.
        if out.ends_with(MEMBER) {
            out.truncate(out.len() - MEMBER.len());
        }
        out.push_str(list.0);
        place(&mut out);
        out.push_str(list.1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Ready, ReadyStatement, SIZES, Sql, Ty, pieces};
    use crate::Dialect;
    use model::record::Value;

    #[test]
    fn placeholders_are_those_of_the_database() {
        let sql = || Sql::new("SELECT a WHERE b = ").with(Ty::Int, 1).and(" AND c IN (").with(Ty::Int, 2).and(")");
        assert_eq!(sql().into_ready(Dialect::Sqlite).text, "SELECT a WHERE b = ? AND c IN (?)");
        assert_eq!(sql().into_ready(Dialect::Postgres).text, "SELECT a WHERE b = $1 AND c IN ($2)");
    }

    #[test]
    fn a_long_list_is_one_value() {
        let mut sql = Sql::new("SELECT a WHERE b = ").with(Ty::Int, 1).and(" AND c IN ");
        sql.bind_list(Ty::Int, (0..20).map(Value::Int)).push(" AND d = ").bind(Ty::Int, 2);
        assert_eq!(sql.width(), 3);
        let ReadyStatement { text, binds, .. } = sql.clone().into_ready(Dialect::Sqlite);
        assert_eq!(text, "SELECT a WHERE b = ? AND c IN (SELECT value FROM json_each(?)) AND d = ?");
        let Ready::Value(list) = &binds[1] else {
            panic!("not compressed");
        };
        assert_eq!(list.value, Value::Ids((0..20).collect()));
        let text = sql.into_ready(Dialect::Postgres).text;
        assert!(text.ends_with("AND c = ANY($2) AND d = $3"), "{text}");
    }

    #[test]
    fn a_plan_for_a_very_long_list_is_not_cached() {
        let is_remembered = |many: i64, dialect| {
            let mut inner = Sql::new("SELECT a WHERE b IN ");
            inner.bind_list(Ty::Int, (0..many).map(Value::Int));
            let mut sql = Sql::default();
            sql.append(&inner);
            sql.into_ready(dialect).keep
        };
        assert!(is_remembered(100, Dialect::Postgres) && is_remembered(1_000, Dialect::Sqlite));
        assert!(!is_remembered(101, Dialect::Postgres));
    }

    #[test]
    fn pieces_are_all_there_and_of_few_sizes() {
        for count in 0..1_300 {
            let rows: Vec<usize> = (0..count).collect();
            let sizes: Vec<usize> = pieces(&rows, 15).map(<[_]>::len).collect();
            assert!(sizes.iter().all(|size| SIZES.contains(size)), "{count}: {sizes:?}");
            assert!(pieces(&rows, 15).flatten().eq(rows.iter()), "{count}");
        }
        assert_eq!(pieces(&[1, 2, 3], 9_000).count(), 3);
    }
}
