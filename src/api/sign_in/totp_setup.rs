//! Switching the second factor of one's own account on and off. Each step asks for the password again: a session that
//! was left open must not lock its owner out. Wrong passwords and wrong codes count alike.

use super::account::{self, Account};
use super::attempt::SignInAttempt;
use super::factor::{CodeInput, CodeVerdict, Factor};
use super::mfa_policy::{ENROL, SHOW, is_demanded};
use super::password::{self, PasswordCheck};
use super::sessions::session::OwnAccount;
use super::{INCORRECT, members};
use crate::caller::Who;
use crate::layers::request_facts;
use crate::rest::call::JsonReply;
use crate::{AppState, Refusal};
use axum::Json;
use axum::body::Body;
use axum::http::HeaderMap;
use model::error::{Error, Issue, Result};
use model::letter::AccountChange;
use model::registry::Collection;
use secure::keys::Purpose;
use secure::totp;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// How long a secret waits for its first code, milliseconds.
const WAITS: i64 = 15 * 60_000;

const ON: &str = "A second factor is on already. Switch it off first.";
const OFF: &str = "No second factor is on.";
/// The message for a wrong code.
pub(super) const WRONG: &str = "The code is not right, or was used already.";
/// `GET /api/<slug>/second-factor`
pub(super) async fn state(OwnAccount(app, c, id, _): OwnAccount, who: Who) -> JsonReply {
    let factor = (app.book).transact(move |work| Box::pin(async move { Factor::read(work, c, id).await })).await?;
    Ok(Json(json!({
        "enabled": factor.is_on(), "since": factor.since(), "recoveryCodes": factor.codes_left(),
        "required": is_demanded(&app.settings, &who.principal),
    })))
}

/// `POST /api/<slug>/second-factor`: a new secret, which counts from its first code on.
pub(super) async fn begin(OwnAccount(app, c, id, _): OwnAccount, headers: HeaderMap, body: Body) -> JsonReply {
    let members = members(&app, c, &headers, body).await?;
    let (account, _) = proved(&app, c, id, &members).await?;
    let secret = totp::fresh();
    let closed = app.book.keys.close(Purpose::SecondFactor, &secret);
    let closed = closed.map_err(Error::internal)?;
    let until = app.book.clock.now().saturating_add(WAITS);
    let id = account.id;
    let begun = app.book.transact(move |work| {
        Box::pin(async move {
            let factor = Factor::read(work, c, id).await?;
            if factor.is_on() {
                return Err(Error::Malformed(ON.into()));
            }
            factor.begin(work, c, id, (closed, until)).await
        })
    });
    begun.await?;
    Ok(Json(json!({
        "message": "Put the secret into an authenticator, and confirm with a code of it.",
        "secret": totp::base32(&secret),
        "url": totp::address(&app.settings.service, &account.email, &secret),
        "until": model::record::time::to_iso(until),
    })))
}

/// `POST /api/<slug>/second-factor/confirm`: the first code switches it on. All other sessions
/// end: they were begun without it.
pub(super) async fn confirm(OwnAccount(app, c, id, current): OwnAccount, headers: HeaderMap, body: Body) -> JsonReply {
    let members = members(&app, c, &headers, body).await?;
    let code = code(c, &members)?;
    let (account, attempt) = proved(&app, c, id, &members).await?;
    let id = account.id;
    let (codes, digests): (Vec<_>, Vec<_>) = totp::recovery().into_iter().unzip();
    let (keys, now) = (Arc::clone(&app.book.keys), app.book.clock.now());
    let confirmed = app.book.transact(move |work| {
        Box::pin(async move {
            let factor = Factor::read(work, c, id).await?;
            if factor.is_on() {
                return Err(Error::Malformed(ON.into()));
            }
            let input = CodeInput { keys: &keys, code: Some(&code), now };
            let right = factor.confirm(work, c, id, input, digests).await?;
            if right {
                work.tx().note_rights_change();
                account::keep_sessions(work, c, id, now, &|sid| sid == current).await?;
                work.tell_account(&account.email, &AccountChange::SecondFactorOn).await?;
            } else {
                attempt.count(work, now).await?;
            }
            Ok(right)
        })
    });
    if !confirmed.await? {
        return Err(Refusal::SignIn(WRONG));
    }
    Ok(Json(json!({
        "message": "The second factor is on. Keep the recovery codes: each replaces a code once, and they are not shown again.",
        "recoveryCodes": codes,
    })))
}

/// `POST /api/<slug>/second-factor/disable`: by password and a code.
pub(super) async fn disable(OwnAccount(app, c, id, _): OwnAccount, headers: HeaderMap, body: Body) -> JsonReply {
    let members = members(&app, c, &headers, body).await?;
    let code = code(c, &members)?;
    let (account, attempt) = proved(&app, c, id, &members).await?;
    let (id, keys, now) = (account.id, Arc::clone(&app.book.keys), app.book.clock.now());
    let judged = app.book.transact(move |work| {
        Box::pin(async move {
            let input = CodeInput { keys: &keys, code: Some(&code), now };
            let judged = attempt.judged(work, c, id, input).await?;
            if let CodeVerdict::Right(_) = judged {
                work.tx().note_rights_change();
                let factor = Factor::read(work, c, id).await?;
                factor.disable(work, c, id).await?;
                work.tell_account(&account.email, &AccountChange::SecondFactorOff).await?;
            }
            Ok(judged)
        })
    });
    match judged.await? {
        CodeVerdict::Right(_) => Ok(Json(json!({"message": "The second factor is off."}))),
        CodeVerdict::None => Err(Error::Malformed(OFF.into()).into()),
        CodeVerdict::Wrong | CodeVerdict::Missing => Err(Refusal::SignIn(WRONG)),
    }
}

/// The account of a session whose owner sent its password, and from where.
pub(super) async fn proved(
    app: &Arc<AppState>,
    c: &'static Collection,
    id: i64,
    members: &Map<String, Value>,
) -> Result<(Account, SignInAttempt), Refusal> {
    let password = text(c, members, "password")?;
    let account = account::by_id(&app.book, c, id).await?;
    let email = account.ok_or_else(Error::forbidden)?.email;
    let attempt = SignInAttempt::now(app, c, &email).await?;
    match password::check(app, c, attempt.clone(), email.clone(), password).await? {
        PasswordCheck::Right(account, _) => Ok((account, attempt)),
        PasswordCheck::Wrong | PasswordCheck::Closed => {
            app.book.refused(&email, request_facts::address());
            Err(Refusal::SignIn(INCORRECT))
        }
    }
}

fn code(c: &'static Collection, members: &Map<String, Value>) -> Result<String, Refusal> {
    text(c, members, "code")
}

pub(super) fn text(
    c: &'static Collection,
    members: &Map<String, Value>,
    name: &'static str,
) -> Result<String, Refusal> {
    let text = members.get(name).and_then(Value::as_str);
    match text.filter(|text| !text.trim().is_empty()) {
        Some(text) => Ok(text.to_owned()),
        None => {
            let issue = Issue::error(name, "required", "This field is required.");
            Err(Refusal::Credentials(c.slug, vec![issue]))
        }
    }
}

/// Members of a sign-in answer for users who must set up a second factor, or use a passkey.
pub(super) fn next_step(lacks: bool, unshown: bool) -> Value {
    match (lacks, unshown) {
        (true, true) => json!({"secondFactor": "required", "next": SHOW}),
        (true, false) => json!({"secondFactor": "required", "next": ENROL}),
        (false, _) => json!({}),
    }
}
