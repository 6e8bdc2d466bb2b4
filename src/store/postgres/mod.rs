//! All that is particular to PostgreSQL: connecting, binding, reading, and the few
//! phrases of SQL that differ. JSON columns have the type `json`, which keeps the text as
//! it came, so that bytes go out unparsed and members keep their order.

mod migrate;
mod readers;

pub(super) use migrate::migrate;
pub(super) use readers::{Readers, SHARES};

use super::sql::{Bind, Ready, Ty};
use super::{DAMAGED, FAILING, FULL, Fault, READ_ONLY};
use model::error::Error;
use model::record::Value;
use model::registry::Kind;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{
    PgArgumentBuffer, PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow, PgTypeInfo,
};
use sqlx::query::Query;
use sqlx::{ConnectOptions, Encode, Postgres, Row as _, Type};
use std::str::FromStr;
use std::time::Duration;

/// How long the server may take to answer at the start.
const REACHED: Duration = Duration::from_secs(5);

/// 2000-01-01T00:00Z in epoch milliseconds: zero of PostgreSQL's clock.
const EPOCH: i64 = 946_684_800_000;

/// The most placeholders in one statement.
pub(super) const MAX_BINDS: usize = 60_000;

/// Membership of a number in a bound list.
pub(super) const AMONG_IDS: (&str, &str) =
    (" IN (SELECT among.v::bigint FROM json_array_elements_text(", ") AS among(v))");

/// Membership in a bound list of ids, or of texts: an array, which a key of several columns is searched by. A list of
/// rows would be joined, in a loop over both where the planner knows nothing of a table yet.
pub(super) const LIST: (&str, &str) = ("= ANY(", ")");

/// Rows of a table by a key of several columns, one of which is in a list: the text before the
/// list, between it and the rest of the key, and behind that. Each value is looked up by itself,
/// along the whole key: the planner, which knows little of rows that came lately, would otherwise
/// read all rows with the same rest of the key. `OFFSET 0` keeps it from turning that round.
pub(super) fn keyed(table: &str, alias: &str, column: &str) -> [String; 3] {
    [
        "unnest(".to_owned(),
        format!(
            ") AS listed(v) CROSS JOIN LATERAL (SELECT * FROM \"{table}\" {alias} WHERE {alias}.\"{column}\" = listed.v"
        ),
        format!(" OFFSET 0) AS {alias}"),
    ]
}

/// For the connection that writes, in a program that fills a book and ends: memory is the server's affair.
pub(super) const LOADING: &[&str] = &[];

/// Around statements that make indexes: the server sorts in files by itself.
pub(super) const SORTING: Option<[&str; 2]> = None;

/// Number of values of a list up to which a plan is cached. A cached plan assumes ten.
pub(super) const LONGEST_CACHED_LIST: usize = 100;

pub(super) fn options(url: &str) -> Result<PgConnectOptions, sqlx::Error> {
    Ok(PgConnectOptions::from_str(url)?
        .application_name("herdbook")
        .statement_cache_capacity(400)
        .options([("timezone", "UTC"), ("jit", "off")]))
}

/// A first connection, or why there is none, with where it was looked for; never with the password.
pub(super) async fn reached(options: &PgConnectOptions) -> Result<PgConnection, Error> {
    let why = match tokio::time::timeout(REACHED, options.connect()).await {
        Ok(Ok(conn)) => return Ok(conn),
        Ok(Err(sqlx::Error::Io(fault))) => fault.to_string(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} seconds", REACHED.as_secs()),
    };
    let place = match options.get_socket() {
        Some(folder) => folder.display().to_string(),
        None => options.get_host().to_owned(),
    };
    let name = options.get_database().unwrap_or_else(|| options.get_username());
    Err(Error::Unavailable(format!(
        "PostgreSQL at {place}:{} (database {name}, user {}): {why}. Is it running, and is database.url right?",
        options.get_port(),
        options.get_username()
    )))
}

pub(super) async fn pool(options: PgConnectOptions, size: u32) -> Result<PgPool, sqlx::Error> {
    PgPoolOptions::new().max_connections(size).acquire_timeout(Duration::from_secs(20)).connect_with(options).await
}

/// Whether the server closed the connection: it ended or restarted, or something in between forgot it
/// (SQLSTATE classes 08 and 57P).
pub(super) fn is_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        sqlx::Error::Database(db) => (db.code()).is_some_and(|code| {
            let is_postgres = db.try_downcast_ref::<sqlx::postgres::PgDatabaseError>();
            is_postgres.is_some() && (code.starts_with("08") || code.starts_with("57P"))
        }),
        _ => false,
    }
}

/// A `timestamptz` in epoch milliseconds.
struct Millis(i64);

impl Type<Postgres> for Millis {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(1184))
    }
}

impl Encode<'_, Postgres> for Millis {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Postgres>::encode((self.0.saturating_sub(EPOCH)).saturating_mul(1000), buf)
    }
}

struct JsonText(String);

impl Type<Postgres> for JsonText {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(114))
    }
}

impl Encode<'_, Postgres> for JsonText {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        buf.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }
}

pub(super) fn bind<'q>(query: Query<'q, Postgres, PgArguments>, ready: Ready) -> Query<'q, Postgres, PgArguments> {
    let bind = match ready {
        Ready::Compressed(text) => return query.bind(text),
        Ready::Value(bind) => bind,
    };
    let bind = match bind {
        // Lists that go as one value.
        Bind { ty: Ty::Int, value: Value::Ids(ids) } => return query.bind(ids),
        Bind { ty: Ty::Text, value: Value::Texts(texts) } => return query.bind(texts),
        bind => bind,
    };
    match bind.ty {
        Ty::Bool => query.bind(match bind.value {
            Value::Bool(b) => Some(b),
            _ => None,
        }),
        Ty::Int => query.bind(bind.value.int()),
        Ty::Num => query.bind(bind.value.num()),
        Ty::Time => query.bind(bind.value.time().map(Millis)),
        // A zero character is the one that PostgreSQL cannot store in text.
        Ty::Text => query.bind(match bind.value {
            Value::Text(t) if t.contains('\0') => Some(t.replace('\0', "")),
            Value::Text(t) => Some(t),
            _ => None,
        }),
        Ty::Compressed => query.bind(None::<Vec<u8>>),
        Ty::Json => query.bind(match bind.value {
            Value::Json(v) => Some(JsonText(v.to_string())),
            Value::Texts(v) => Some(JsonText(serde_json::Value::from(v).to_string())),
            Value::Ids(v) => Some(JsonText(serde_json::Value::from(v).to_string())),
            Value::Text(t) => Some(JsonText(t)),
            _ => None,
        }),
    }
}

pub(super) fn int(row: &PgRow, column: usize) -> Option<i64> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn num(row: &PgRow, column: usize) -> Option<f64> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn text(row: &PgRow, column: usize) -> Option<&str> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn bytes(row: &PgRow, column: usize) -> Option<&[u8]> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn truth(row: &PgRow, column: usize) -> Option<bool> {
    row.try_get_unchecked(column).ok().flatten()
}
pub(super) fn time(row: &PgRow, column: usize) -> Option<i64> {
    // The wire form is microseconds; rounding is exact, since only milliseconds go in.
    int(row, column).map(|micros| micros.div_euclid(1000) + EPOCH)
}

/// Which rule of the schema a statement broke.
pub(super) fn fault(error: &dyn sqlx::error::DatabaseError) -> Option<Fault> {
    match error.code().as_deref() {
        Some("23505") => Some(Fault::Unique(key_columns(error))),
        Some("23503") => Some(Fault::Reference),
        // Lock timeout, shutdown, too many connections.
        Some("55P03" | "57P01" | "57P02" | "57P03" | "53300") => Some(Fault::Busy),
        // It took longer than it may.
        Some("57014") => Some(Fault::Late),
        // A standby, or a server that is configured read-only.
        Some("25006") => Some(Fault::Unwritable(READ_ONLY)),
        Some("53100") => Some(Fault::Unwritable(FULL)),
        Some("58030") => Some(Fault::Unwritable(FAILING)),
        Some("XX001" | "XX002") => Some(Fault::Unwritable(DAMAGED)),
        _ => None,
    }
}

/// The columns of the key that two rows would share: the detail says `(a, b)=(1, 2)`, in whatever language.
fn key_columns(error: &dyn sqlx::error::DatabaseError) -> Vec<String> {
    let server = error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>();
    let names = server.and_then(|server| {
        let (_, key) = server.detail()?.split_once('(')?;
        key.split_once(")=(").map(|(names, _)| names)
    });
    names.into_iter().flat_map(|names| names.split(", ")).map(|name| name.trim_matches('"').to_owned()).collect()
}

/// `expr` matches, ignoring case, wherever `word` stands in it. A class per letter folds case for
/// all of Unicode under every locale of the server, and a trigram index serves it.
pub(super) fn contains(expr: &str, word: &str) -> (String, String) {
    let mut pattern = String::new();
    for c in word.chars() {
        let variants = super::case_variants(c);
        if variants.len() == 1 {
            if !c.is_alphanumeric() && !c.is_whitespace() {
                pattern.push('\\');
            }
            pattern.push(c);
        } else {
            pattern.push('[');
            pattern.extend(variants);
            pattern.push(']');
        }
    }
    (format!("{expr} ~ "), pattern)
}

/// Membership in a JSON list of texts.
pub(super) fn list_has(expr: &str) -> (String, String) {
    (format!("({expr})::jsonb @> to_jsonb("), "::text)".to_owned())
}

/// The UTC day of a time.
pub(super) fn day(expr: &str) -> String {
    format!("({expr} AT TIME ZONE 'UTC')::date")
}

/// Ids in a member of the objects of a JSON list.
pub(super) fn rows_have(expr: &str, member: &str) -> (String, String) {
    (format!("EXISTS (SELECT 1 FROM json_array_elements({expr}) r WHERE (r->>'{member}')::bigint IN "), ")".to_owned())
}

pub(super) fn day_number(expr: &str) -> String {
    format!("CAST(floor(extract(epoch FROM {expr}) / 86400) AS BIGINT)")
}

/// A member of an element of a JSON list. Relations are compared with ids, which have an
/// index; other whole numbers may be written with a point.
pub(super) fn member(alias: &str, name: &str, kind: &Kind) -> String {
    let text = format!("{alias}.\"value\"->>'{name}'");
    match kind {
        Kind::Relation(_) => format!("({text})::bigint"),
        Kind::Int => format!("({text})::numeric"),
        Kind::Number => format!("({text})::double precision"),
        Kind::Bool => format!("({text})::boolean"),
        Kind::Json | Kind::Rows(_) | Kind::Selects(_) | Kind::Texts(_) | Kind::Relations(_) => {
            format!("({alias}.\"value\"->'{name}')")
        }
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Password | Kind::Select(_) | Kind::Day | Kind::Instant => {
            format!("({text})")
        }
    }
}

/// References are checked at the end of the transaction.
pub(super) const DEFERS: &str = "SET CONSTRAINTS ALL DEFERRED";
/// References are checked now: a table with unchecked ones gets no index.
pub(super) const CHECKS: &str = "SET CONSTRAINTS ALL IMMEDIATE";

pub(super) fn column_type(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "boolean",
        Ty::Int => "bigint",
        Ty::Num => "double precision",
        Ty::Text => "text",
        Ty::Time => "timestamptz",
        Ty::Json => "json",
        Ty::Compressed => "bytea",
    }
}
