//! Statements as text with bound values. Names come from the registry only; every value
//! is bound, so that a question mark in the text is always a placeholder. SQLite reads it
//! so (numbered or named ones cost it a search each); PostgreSQL gets `$n`.

use super::Dialect;
use crate::record::Value;
use crate::registry::{Field, Kind};
use std::sync::Arc;

/// What a column holds, the same on both databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    /// Yes or no.
    Bool,
    /// Whole numbers, ids.
    Int,
    /// Decimal numbers.
    Num,
    /// Text.
    Text,
    /// Instants, epoch milliseconds inside.
    Time,
    /// JSON text.
    Json,
}

impl Ty {
    /// The column type of a stored field.
    pub fn of(field: &Field) -> Self {
        match &field.kind {
            Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Select(_) | Kind::Password => {
                Self::Text
            }
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
    /// Type of the placeholder.
    pub ty: Ty,
    /// The value.
    pub value: Value,
}

/// A statement under construction.
#[derive(Debug, Clone, Default)]
pub struct Sql {
    text: String,
    binds: Vec<Bind>,
    one_off: bool,
}

impl Sql {
    /// Starts with fixed text.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }
    /// Appends fixed text.
    pub fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }
    /// Appends another piece with its values.
    pub fn append(&mut self, other: &Self) -> &mut Self {
        self.text.push_str(&other.text);
        self.binds.extend(other.binds.iter().cloned());
        self
    }
    /// Appends a name in quotes.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.text.push('"');
        self.text.push_str(name);
        self.text.push('"');
        self
    }
    /// Appends a placeholder for a value.
    pub fn bind(&mut self, ty: Ty, value: impl Into<Value>) -> &mut Self {
        self.binds.push(Bind {
            ty,
            value: value.into(),
        });
        self.text.push('?');
        self
    }
    /// Appends `(?, ?, …)`; an empty list becomes `(NULL)`, which nothing equals.
    pub fn bind_list(&mut self, ty: Ty, values: impl IntoIterator<Item = Value>) -> &mut Self {
        self.push("(");
        let mut any = false;
        for v in values {
            if any {
                self.push(",");
            }
            any = true;
            self.bind(ty, v);
        }
        self.push(if any { ")" } else { "NULL)" })
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
    /// Not worth a place in the statement cache (bulk statements of odd sizes).
    pub fn one_off(mut self) -> Self {
        self.one_off = true;
        self
    }
    /// Text and values in one: equal for statements that ask the same. None for statements of
    /// odd sizes, which are not worth remembering.
    pub fn print(&self) -> Option<Arc<str>> {
        (!self.one_off).then(|| format!("{}{:?}", self.text, self.binds).into())
    }
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// The values.
    pub fn binds(&self) -> &[Bind] {
        &self.binds
    }
    /// Number of placeholders so far.
    pub fn width(&self) -> usize {
        self.binds.len()
    }
    /// Text, values, and whether to cache.
    pub(crate) fn into_parts(self, dialect: Dialect) -> (String, Vec<Bind>, bool) {
        let text = match dialect {
            Dialect::Sqlite => self.text,
            Dialect::Postgres => numbered(&self.text, self.binds.len()),
        };
        (text, self.binds, !self.one_off)
    }
}

/// Question marks as `$1`, `$2`, ….
fn numbered(text: &str, binds: usize) -> String {
    let mut out = String::with_capacity(text.len() + 4 * binds);
    for (n, part) in text.split('?').enumerate() {
        if n > 0 {
            out.push('$');
            out.push_str(&n.to_string());
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Sql, Ty};
    use crate::store::Dialect;

    #[test]
    fn placeholders_are_those_of_the_database() {
        let sql = || {
            Sql::new("SELECT a WHERE b = ")
                .with(Ty::Int, 1)
                .and(" AND c IN (")
                .with(Ty::Int, 2)
                .and(")")
        };
        assert_eq!(
            sql().into_parts(Dialect::Sqlite).0,
            "SELECT a WHERE b = ? AND c IN (?)"
        );
        assert_eq!(
            sql().into_parts(Dialect::Postgres).0,
            "SELECT a WHERE b = $1 AND c IN ($2)"
        );
    }
}
