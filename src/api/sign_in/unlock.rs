//! Ending delays of sign-ins, and proving addresses.

use super::account::{self, Account};
use super::sessions::session;
use super::{address, attempt, members, with_cookie};
use crate::caller::Who;
use crate::rest::call::{Call, JsonReply, Reply};
use crate::{AppState, Refusal};
use axum::Json;
use axum::body::Body;
use axum::extract::Path;
use axum::response::IntoResponse;
use model::error::{Error, Result};
use model::letter::{AccountChange, Letter, Template};
use model::record::{Record, Value};
use model::registry::sign_in::{NEW_EMAIL, NEW_EMAIL_TOKEN, NEW_EMAIL_UNTIL, RESET_TOKEN};
use model::registry::{BookReader, Caller, Capability, Collection, HookContext, ID, Lookup, Principal};
use ops::{WriteTransaction, forgiven};
use secure::device::Link;
use secure::token;
use serde_json::{Map, json};
use std::sync::Arc;

const NO_LINK: &str = "Token is either invalid or has expired.";
/// How long the link of an email is valid, minutes.
const LINK_MINUTES: i64 = 30;
const NO_TOKEN: &str = "Verification token is invalid.";

/// `POST /api/<slug>/unlock`: ends the delay of an account, by the Association or a head of the
/// team of the user. An address that the caller may not unlock looks like an unknown one. With
/// the token of an email it makes the browser a known device, which is not delayed.
pub(super) async fn unlock(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let c = target.auth()?;
    let members = members(&app, c, &headers, body).await?;
    let done = Json(json!({"message": "Success"}));
    let Some(token) = members.get("token").and_then(serde_json::Value::as_str) else {
        open(&app, c, &who, &members).await?;
        return Ok(done.into_response());
    };
    let cookie = followed(&app, c, token).await?;
    let mut answer = done.into_response();
    with_cookie(&app, &mut answer, &cookie);
    Ok(answer)
}

/// The cookie of a device from which the link of an email was followed.
async fn followed(app: &AppState, c: &'static Collection, token: &str) -> Result<String, Refusal> {
    let refused = || Refusal::Denied(NO_LINK);
    let now = app.book.clock.now();
    let link = Link::open(&app.book.keys, token, now).ok_or_else(refused)?;
    let account = account::by_id(&app.book, c, link.user()).await?;
    let is_his = |account: &Account| link.is_of(c.slug, account.id, account.verifier.as_deref()) && !account.blocked;
    if !account.as_ref().is_some_and(is_his) {
        return Err(refused());
    }
    Ok(attempt::linked(app, link))
}

/// `POST /api/<slug>/unlock-link`: sends an email with which a user can sign in although wrong
/// passwords from elsewhere delay the account. The answer is the same for every address.
pub(super) async fn link(Call(app, target, _, headers): Call, body: Body) -> JsonReply {
    let c = target.auth()?;
    let members = members(&app, c, &headers, body).await?;
    let missing = || Error::Malformed("Missing email.".into());
    let email = address(&members).ok_or_else(missing)?;
    if app.email_throttle.may(&format!("unlock {email}")) {
        let _place = app.book.checks.wait("letters")?;
        let account = account::by_email(&app.book, c, &email).await?;
        send_link(&app, c, account.filter(|account| !account.blocked)).await?;
    }
    Ok(Json(json!({"message": "Success"})))
}

/// Queues the email; without an account, the same work is done without a result.
async fn send_link(app: &AppState, c: &'static Collection, account: Option<Account>) -> Result<()> {
    let until = (app.book.clock.now()).saturating_add(LINK_MINUTES * 60_000);
    let (id, verifier) = match &account {
        Some(account) => (account.id, account.verifier.as_deref()),
        None => (0, None),
    };
    let link = Link::new(c.slug, id, verifier, until.div_euclid(1000));
    let to = account.as_ref().map_or("", |account| &account.email);
    let letter = Letter::new(to, Template::Unlock, until)
        .with("collection", c.slug)
        .with("name", to)
        .with("token", &link.sealed(&app.book.keys))
        .with("minutes", &LINK_MINUTES.to_string());
    let queued = app.book.transact(move |work| Box::pin(async move { work.mail(&letter).await }));
    queued.await
}

/// Ends the delay of an account's name.
pub(crate) async fn open(
    app: &AppState,
    c: &'static Collection,
    who: &Who,
    members: &Map<String, serde_json::Value>,
) -> Result<(), Refusal> {
    let caller = Arc::clone(&who.principal);
    let manages = caller.caller == Caller::Farm && caller.can(Capability::Team);
    if !caller.sees_all() && !manages {
        return Err(Error::forbidden().into());
    }
    let missing = || Error::Malformed("Missing email.".into());
    let email = address(members).ok_or_else(missing)?;
    let account = account::by_email(&app.book, c, &email).await?;
    let id = account.ok_or_else(Error::forbidden)?.id;
    let name = attempt::name_key(c, &email);
    let unlocked = app.book.transact(move |work| {
        Box::pin(async move {
            if !caller.sees_all() && !same_team(work, c, id, &caller).await? {
                return Ok(false);
            }
            work.tx().run(forgiven(&name)).await?;
            Ok(true)
        })
    });
    if !unlocked.await? {
        return Err(Error::forbidden().into());
    }
    Ok(())
}

/// Whether the caller manages that account: the Association, or a head of its team.
pub(super) async fn manages(app: &AppState, c: &'static Collection, caller: &Principal, id: i64) -> Result<bool> {
    if caller.sees_all() {
        return Ok(account::by_id(&app.book, c, id).await?.is_some());
    }
    if caller.caller != Caller::Farm || !caller.can(Capability::Team) {
        return Ok(false);
    }
    let caller = caller.clone();
    let job = (app.book).transact(move |work| Box::pin(async move { same_team(work, c, id, &caller).await }));
    job.await
}

async fn same_team(context: &mut dyn HookContext, c: &'static Collection, id: i64, caller: &Principal) -> Result<bool> {
    if c.slot("organization").is_none() {
        return Ok(false);
    }
    let lookup = Lookup::by_ids("id", [id]).fields(&["organization"]);
    let rows = context.find(c.slug, lookup).await?;
    let team = rows.first().and_then(|row| row.get(c.at("organization")).int());
    Ok(team.is_some() && team == caller.organization)
}

/// `POST /api/<slug>/verify/<token>`: an account proves its new address.
pub(super) async fn verify(Call(app, target, who, _): Call, Path((_, token)): Path<(String, String)>) -> JsonReply {
    let c = target.auth()?;
    proved(&app, c, &who, token).await?;
    let message = json!({"message": "Account verified successfully."});
    Ok(Json(message))
}

/// Proves an address by the token of an email.
pub(crate) async fn proved(app: &AppState, c: &'static Collection, who: &Who, token: String) -> Result<(), Refusal> {
    // Guesses cost a look, and not the writer.
    if !account::knows(&app.book, c, NEW_EMAIL_TOKEN, &token).await? {
        return Err(Refusal::Denied(NO_TOKEN));
    }
    let present = session::by_session(who, c);
    let present = present.ok().map(|(signed_in, sid)| (signed_in.user, sid.to_owned()));
    let proved = app.book.transact(move |work| Box::pin(async move { replace(work, c, &token, present).await }));
    if !proved.await? {
        return Err(Refusal::Denied(NO_TOKEN));
    }
    Ok(())
}

/// The proved address replaces the present one; false when the token belongs to no account, has ended, or another
/// account has the address by now. All sessions end but the one that shows the token.
async fn replace(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    token: &str,
    present: Option<(i64, String)>,
) -> Result<bool> {
    let digest = vec![Value::Text(token::digest(token))];
    let fields = [NEW_EMAIL, NEW_EMAIL_TOKEN, NEW_EMAIL_UNTIL, "email", "blockedAt"];
    let fields: Vec<&str> = (fields.into_iter()).filter(|path| c.slot(path).is_some()).collect();
    let lookup = Lookup::default().is_in(NEW_EMAIL_TOKEN, digest);
    let rows = work.find(c.slug, lookup.fields(&fields)).await?;
    let now = work.now();
    let good = |row: &&Record| {
        let stored = row.get(c.at(NEW_EMAIL_TOKEN)).text().unwrap_or_default();
        let until = row.get(c.at(NEW_EMAIL_UNTIL)).time();
        let blocked = c.slot("blockedAt").is_some_and(|slot| !row.get(slot).is_null());
        token::matches(token, stored) && until.is_some_and(|until| until > now) && !blocked
    };
    let Some(row) = rows.iter().find(good) else {
        return Ok(false);
    };
    let address = row.get(c.at(NEW_EMAIL));
    let (Some(id), Some(text)) = (row.get(ID).int(), address.text()) else {
        return Ok(false);
    };
    let lookup = Lookup::default().is_in("email", vec![address.clone()]);
    if !work.find(c.slug, lookup.fields(&["email"])).await?.is_empty() {
        return Ok(false);
    }
    let before = row.get(c.at("email")).text().unwrap_or_default();
    let what = AccountChange::Address(text.to_owned());
    work.tell_account(before, &what).await?;
    let mut fields = vec![(c.at("email"), address.clone())];
    // An email about a new password went to the old address.
    for path in [NEW_EMAIL, NEW_EMAIL_TOKEN, NEW_EMAIL_UNTIL, RESET_TOKEN] {
        fields.push((c.at(path), Value::Null));
    }
    work.tx().note_rights_change();
    work.amend(c.slug, vec![(id, fields)]).await?;
    let keeps = |sid: &str| present.as_ref().is_some_and(|(user, own)| *user == id && own == sid);
    account::keep_sessions(work, c, id, now, &keeps).await?;
    Ok(true)
}
