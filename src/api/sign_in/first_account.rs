//! The very first account of a collection, which can be made without signing in, since there is
//! no account yet when a service is set up.

use super::account::{self, Account};
use super::password::password_reset;
use super::{NewSession, SessionInfo};
use crate::body;
use crate::rest::call::{Call, JsonReply, Reply};
use axum::Json;
use axum::body::Body;
use model::error::{Error, Result};
use model::record::Value;
use model::registry::{BookReader, Collection, HookContext, Lookup, Principal, Writer};
use ops::{Book, Item, Outcome, WriteTransaction, parse_body};
use serde_json::json;
use std::sync::Arc;
use store::Sql;

/// `GET /api/<slug>/init`: whether there is any account.
pub(super) async fn init(Call(app, target, _, _): Call) -> JsonReply {
    let c = target.auth()?;
    let some = initialized(&app.book, c).await?;
    Ok(Json(json!({"initialized": some})))
}

/// Whether there is any account.
pub(crate) async fn initialized(book: &Book, c: &Collection) -> Result<bool> {
    Ok(!is_empty(book, c).await?)
}

async fn is_empty(book: &Book, c: &Collection) -> Result<bool> {
    let mut sql = Sql::new("SELECT \"id\" FROM ");
    sql.name(&c.table).push(" LIMIT 1");
    Ok(book.store.rows(sql).await?.is_empty())
}

/// `POST /api/<slug>/first-register`: only into an empty collection.
pub(super) async fn register(Call(app, target, _, headers): Call, body: Body) -> Reply {
    let c = target.auth()?;
    let view = target.view(&app)?;
    if !is_empty(&app.book, c).await? {
        return Err(Error::forbidden().into());
    }
    let members = body::object(&app, c.slug, &headers, body).await?;
    let secret = members.get("password").and_then(serde_json::Value::as_str);
    let (values, mut issues) = parse_body(c, &members, None);
    issues.extend(password_reset::password_issues(c, secret.unwrap_or_default()));
    let item = Item::create(mine(c, values)).with_issues(issues);
    let system = Arc::new(Principal::system());
    let items = app.book.with_verifiers(&system, c, vec![item]).await?;
    let shared = Arc::clone(&app);
    let info = SessionInfo::now("first-register");
    let begun = app.book.transact(move |work| {
        Box::pin(async move {
            // Asked again under the lock: of two that come at once one is the first.
            let any = Lookup::default().fields(&["id"]).limit(1);
            if !work.find(c.slug, any).await?.is_empty() {
                return Err(Error::forbidden());
            }
            let account = make(work, c, &system, items).await?;
            let begun = NewSession::new(&shared, c, &account, info)?;
            let session = account::stored_session(&begun.session, begun.created);
            let fields = vec![(c.at("sessions"), Value::json(json!([session])))];
            work.amend(c.slug, vec![(account.id, fields)]).await?;
            Ok(begun)
        })
    });
    let begun = target.ok(begun.await)?;
    let head = json!({
        "exp": begun.issued.exp,
        "message": "Successfully registered first user.",
        "token": begun.issued.token,
    });
    begun.welcome(&app, c, view, &head).await
}

/// What may be sent at all, and what the first account is unless it says otherwise.
fn mine(c: &Collection, values: Vec<(usize, Value)>) -> Vec<(usize, Value)> {
    let open = |slot: usize| {
        let field = c.fields.get(slot);
        field.is_some_and(|f| f.writer != Writer::Server)
    };
    let mut values: Vec<_> = values.into_iter().filter(|(s, _)| open(*s)).collect();
    for (path, text) in &c.sign_in.first {
        let slot = c.at(path);
        let said = |(s, value): &(usize, Value)| *s == slot && !value.is_null();
        if !values.iter().any(said) {
            values.push((slot, (*text).into()));
        }
    }
    values
}

async fn make(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    system: &Arc<Principal>,
    items: Vec<Item>,
) -> Result<Account> {
    let made = work.write(c, system, items).await?;
    let id = match made.into_iter().next() {
        Some(Outcome::Done(change, _)) => change.id,
        Some(Outcome::Refused(error)) => return Err(error),
        _ => return Err(Error::internal("the write has no result")),
    };
    let row = account::find(work, c, id).await?;
    let account = row.map(|row| Account::of(c, &row));
    account.ok_or_else(|| Error::internal("the new account cannot be read"))
}
