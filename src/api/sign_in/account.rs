//! The hidden state of accounts: verifier and sessions. Read and written as the system, field by field, so that a
//! sign-in touches nothing else of a user. Times are epoch milliseconds. Must not know HTTP.

use super::sessions::session_info::SessionInfo;
use model::error::{Error, Result};
use model::record::time::{parse, to_iso};
use model::record::{Record, Value};
use model::registry::sign_in::{NEW_EMAIL_TOKEN, PASSKEY_HANDLE, RESET_TOKEN, RESET_UNTIL};
use model::registry::{Collection, HookContext, ID, Lookup};
use ops::Book;
use secure::token;
use serde_json::json;
use store::{Sql, Ty};

/// Sessions that one account may have; the oldest end when there are more.
const SESSIONS_MAX: usize = 50;

/// The fields that signing in reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: i64,
    /// Address, lower case.
    pub email: String,
    pub role: String,
    /// Stored hash; none: cannot sign in.
    pub verifier: Option<String>,
    /// Whether the user is blocked.
    pub blocked: bool,
}

/// Paths that [`Account`] reads, in its order; which of them there are is for the declaration to say.
const PATHS: [&str; 5] = ["id", "email", "role", "verifier", "blockedAt"];

fn paths(c: &Collection) -> impl Iterator<Item = &'static str> + '_ {
    PATHS.into_iter().filter(|path| c.slot(path).is_some())
}

impl Account {
    pub(super) fn of(c: &Collection, row: &Record) -> Self {
        let text = |path| row.get(c.at(path)).text().map(str::to_owned);
        Self {
            id: row.get(ID).int().unwrap_or_default(),
            email: text("email").unwrap_or_default(),
            role: text("role").unwrap_or_default(),
            verifier: text("verifier"),
            blocked: !row.get(c.at("blockedAt")).is_null(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id, the `sid` of tokens.
    pub sid: String,
    /// End, epoch milliseconds.
    pub until: i64,
    pub info: SessionInfo,
}

/// Why a right password does not sign in after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInRefusal {
    /// Blocked by the Association or the team.
    Blocked,
    /// A second factor was not shown.
    Unshown,
    /// The code of the second factor is not right.
    Code,
    /// The password was changed, or the user is gone, since it was checked.
    Changed,
}

/// The account of an address (trimmed, lower case), outside of any transaction.
pub async fn by_email(book: &Book, c: &Collection, email: &str) -> Result<Option<Account>> {
    one(book, c, "email", Value::from(email)).await
}

/// The account of an id, outside of any transaction.
pub async fn by_id(book: &Book, c: &Collection, id: i64) -> Result<Option<Account>> {
    one(book, c, "id", Value::Int(id)).await
}

/// The account of a handle of passkeys, outside of any transaction.
pub async fn by_handle(book: &Book, c: &Collection, handle: &str) -> Result<Option<Account>> {
    one(book, c, PASSKEY_HANDLE, Value::from(handle)).await
}

async fn one(book: &Book, c: &Collection, by: &str, value: Value) -> Result<Option<Account>> {
    let mut sql = Sql::new("SELECT ");
    let mut types = Vec::with_capacity(PATHS.len());
    for path in paths(c) {
        let slot = c.at(path);
        let field = c.fields.get(slot).ok_or_else(|| missing(c, path))?;
        if !types.is_empty() {
            sql.push(", ");
        }
        sql.name(&field.column);
        types.push((slot, Ty::of(field)));
    }
    let key = c.field(by).ok_or_else(|| missing(c, by))?;
    sql.push(" FROM ").name(&c.table).push(" WHERE ");
    sql.name(&key.column).push(" = ").bind(Ty::of(key), value);
    let rows = book.store.rows(sql).await?;
    Ok(rows.first().map(|row| {
        let mut record = Record::partial(c.width());
        for (column, (slot, ty)) in types.iter().enumerate() {
            record.set(*slot, row.value(column, *ty));
        }
        Account::of(c, &record)
    }))
}

/// Whether some account has the digest of this token at that path, outside of any
/// transaction. Whether it still holds is for the transaction to say.
pub async fn knows(book: &Book, c: &Collection, path: &str, token: &str) -> Result<bool> {
    let field = c.field(path).ok_or_else(|| missing(c, path))?;
    let mut sql = Sql::new("SELECT \"id\" FROM ");
    sql.name(&c.table).push(" WHERE ").name(&field.column);
    sql.push(" = ").bind(Ty::Text, token::digest(token));
    Ok(!book.store.rows(sql).await?.is_empty())
}

/// Opens a session after `checked` showed the right password, unless the account changed
/// since it was read. `fresh` replaces the verifier by one of the present cost.
pub async fn open_session(
    context: &mut dyn HookContext,
    c: &'static Collection,
    checked: &Account,
    session: &Session,
    fresh: Option<String>,
    now: i64,
) -> Result<std::result::Result<(), SignInRefusal>> {
    let Some(row) = find(context, c, checked.id).await? else {
        return Ok(Err(SignInRefusal::Changed));
    };
    let account = Account::of(c, &row);
    if account.verifier != checked.verifier {
        return Ok(Err(SignInRefusal::Changed));
    }
    if account.blocked {
        return Ok(Err(SignInRefusal::Blocked));
    }
    let mut live = live(&row, c, now);
    live.push(stored_session(session, now));
    live.drain(..live.len().saturating_sub(SESSIONS_MAX));
    let mut fields = vec![(c.at("sessions"), Value::json(live.into()))];
    if let Some(verifier) = fresh {
        fields.push((c.at("verifier"), Value::Text(verifier)));
    }
    context.amend(c.slug, vec![(account.id, fields)]).await?;
    Ok(Ok(()))
}

/// Moves the end of a session; false when the session is gone or the user is blocked.
pub async fn prolong(
    context: &mut dyn HookContext,
    c: &'static Collection,
    id: i64,
    session: &Session,
    now: i64,
) -> Result<bool> {
    let Some(row) = find(context, c, id).await? else {
        return Ok(false);
    };
    if Account::of(c, &row).blocked {
        return Ok(false);
    }
    let mut live = live(&row, c, now);
    let own = live.iter_mut().find(|s| sid(s) == Some(&session.sid));
    let Some(serde_json::Value::Object(own)) = own else {
        return Ok(false);
    };
    own.insert("expiresAt".to_owned(), to_iso(session.until).into());
    let fields = vec![(c.at("sessions"), Value::json(live.into()))];
    context.amend(c.slug, vec![(id, fields)]).await?;
    Ok(true)
}

/// Ends the sessions of an account except those with the given ids, and returns how many were alive; tokens that name
/// them die.
pub async fn keep_sessions(
    context: &mut dyn HookContext,
    c: &'static Collection,
    id: i64,
    now: i64,
    keeps: &(dyn Fn(&str) -> bool + Send + Sync),
) -> Result<usize> {
    let Some(row) = find(context, c, id).await? else {
        return Ok(0);
    };
    let mut live = live(&row, c, now);
    let before = live.len();
    live.retain(|session| sid(session).is_some_and(keeps));
    let ended = before.saturating_sub(live.len());
    if ended > 0 {
        let fields = vec![(c.at("sessions"), Value::json(live.into()))];
        context.amend(c.slug, vec![(id, fields)]).await?;
    }
    Ok(ended)
}

/// The sessions of an account that live, the oldest first, outside of any transaction.
pub async fn sessions(book: &Book, c: &Collection, id: i64, now: i64) -> Result<Vec<serde_json::Value>> {
    let slot = c.at("sessions");
    let field = c.fields.get(slot).ok_or_else(|| missing(c, "sessions"))?;
    let mut sql = Sql::new("SELECT ");
    sql.name(&field.column).push(" FROM ").name(&c.table);
    sql.push(" WHERE \"id\" = ").bind(Ty::Int, id);
    let rows = book.store.rows(sql).await?;
    let Some(row) = rows.first() else {
        return Ok(Vec::new());
    };
    let mut record = Record::partial(c.width());
    record.set(slot, row.value(0, Ty::of(field)));
    Ok(live(&record, c, now))
}

/// Sets a new verifier; the sessions of the old password end with it.
pub async fn set_verifier(
    context: &mut dyn HookContext,
    c: &'static Collection,
    id: i64,
    verifier: String,
) -> Result<()> {
    let fields = renewed(c, verifier, &[]);
    context.amend(c.slug, vec![(id, fields)]).await
}

/// What a token for a new password puts into an account: its digest and its end, epoch milliseconds.
pub fn reset_fields(c: &Collection, digest: String, until: i64) -> Vec<(usize, Value)> {
    vec![(c.at(RESET_TOKEN), Value::Text(digest)), (c.at(RESET_UNTIL), Value::Time(until))]
}

/// What a new password puts into an account: sessions of the old one end, and so does a
/// token that was sent for it, and one for another address.
pub(super) fn renewed(c: &Collection, verifier: String, sessions: &[serde_json::Value]) -> Vec<(usize, Value)> {
    vec![
        (c.at("verifier"), Value::Text(verifier)),
        (c.at("sessions"), Value::json(sessions.to_vec().into())),
        (c.at(RESET_TOKEN), Value::Null),
        (c.at(RESET_UNTIL), Value::Null),
        (c.at(NEW_EMAIL_TOKEN), Value::Null),
    ]
}

pub fn stored_session(session: &Session, created: i64) -> serde_json::Value {
    let mut stored = json!({"id": session.sid, "createdAt": to_iso(created), "expiresAt": to_iso(session.until)});
    if let Some(members) = stored.as_object_mut() {
        members.extend(session.info.members());
    }
    stored
}

pub(super) async fn find(context: &mut dyn HookContext, c: &Collection, id: i64) -> Result<Option<Record>> {
    let fields: Vec<&str> = paths(c).chain(["sessions"]).collect();
    let lookup = Lookup::by_ids("id", [id]).fields(&fields);
    let rows = context.find(c.slug, lookup).await?;
    Ok(rows.into_iter().next())
}

/// Sessions that have not ended.
fn live(row: &Record, c: &Collection, now: i64) -> Vec<serde_json::Value> {
    let stored = row.get(c.at("sessions")).rows().iter();
    let ends = |session: &serde_json::Value| parse(session.get("expiresAt")?.as_str()?);
    stored.filter(|session| ends(session).is_some_and(|end| end > now)).cloned().collect()
}

fn sid(session: &serde_json::Value) -> Option<&str> {
    session.get("id").and_then(serde_json::Value::as_str)
}

fn missing(c: &Collection, path: &str) -> Error {
    Error::internal(format!("{} has no field {path} for signing in", c.slug))
}
