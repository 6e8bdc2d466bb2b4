//! A row of either driver, read by position. Columns are read without type checks: the
//! statements that produced them come from the registry.

use super::{compressed, postgres, sql::Ty, sqlite};
use model::record::Value;

pub enum Row {
    Sqlite(sqlx::sqlite::SqliteRow),
    Postgres(sqlx::postgres::PgRow),
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Row")
    }
}

macro_rules! read {
    ($(#[$doc:meta])* $name:ident -> $ty:ty) => {
        $(#[$doc])*
        pub fn $name(&self, column: usize) -> Option<$ty> {
            match self {
                Self::Sqlite(r) => sqlite::$name(r, column),
                Self::Postgres(r) => postgres::$name(r, column),
            }
        }
    };
}

/// A compressed text as it was; none where it cannot be read.
pub fn uncompressed(stored: &[u8]) -> Option<String> {
    let text = compressed::text(stored);
    text.inspect_err(|why| tracing::error!(%why, "a stored text is lost")).ok()
}

impl Row {
    read!(/** A whole number or id. */ int -> i64);
    read!(/** A decimal number. */ num -> f64);
    read!(/** Text or JSON text. */ text -> &str);
    read!(/** Bytes, or text as such. */ bytes -> &[u8]);
    read!(/** Yes or no. */ truth -> bool);
    read!(/** Epoch milliseconds. */ time -> i64);

    /// A compressed text ([`Ty::Compressed`]); none where it cannot be read.
    pub fn compressed(&self, column: usize) -> Option<String> {
        uncompressed(self.bytes(column)?)
    }

    pub fn value(&self, column: usize, ty: Ty) -> Value {
        match ty {
            Ty::Bool => self.truth(column).into(),
            Ty::Int => self.int(column).into(),
            Ty::Num => self.num(column).into(),
            Ty::Text => self.text(column).into(),
            Ty::Time => self.time(column).map_or(Value::Null, Value::Time),
            Ty::Compressed => self.compressed(column).into(),
            Ty::Json => (self.text(column)).and_then(|t| serde_json::from_str(t).ok()).map_or(Value::Null, Value::json),
        }
    }
}
