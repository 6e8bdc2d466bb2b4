//! Signing in and out of every `auth` collection (the dialect, section 3).

pub mod account;
mod password;

use self::account::{Closed, Session};
use self::password::Checked;
use super::caller::Who;
use super::rest::read;
use super::rest::target::Target;
use super::rest::view::View;
use super::{Hub, Refusal, SignedIn, body};
use crate::error::{Error, Issue};
use crate::query::qs;
use crate::registry::Collection;
use crate::secure::session::{Issued, Subject, issue, verify};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const INCORRECT: &str = "The email or password provided is incorrect.";
const LOCKED: &str = "This user is locked due to having too many failed login attempts.";
const BLOCKED: &str = "This user is blocked.";

/// How a token of ours is called.
const STRATEGY: &str = "local-jwt";

/// `POST /api/<slug>/login`
pub(crate) async fn login(
    State(hub): State<Arc<Hub>>,
    target: Target,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let c = target.auth()?;
    let view = View::read(&hub, &target.tree()?);
    let members = body::object(&hub, c.slug, &headers, body).await?;
    let (email, secret) = credentials(c, &members)?;
    let (account, fresh) = match password::check(&hub, c, email, secret).await? {
        Checked::Right(account, fresh) => (account, fresh),
        Checked::Wrong => return Err(Refusal::SignIn(INCORRECT)),
        Checked::Locked => return Err(Refusal::SignIn(LOCKED)),
    };
    let subject = Subject {
        id: account.id,
        email: account.email.clone(),
        role: account.role.clone(),
        sid: uuid::Uuid::new_v4().to_string(),
    };
    let issued = issued(&hub, &subject)?;
    let session = session(&subject, &issued);
    let now = hub.book.clock.now();
    let opened = hub.book.transact(move |work| {
        Box::pin(
            async move { account::open_session(work, c, &account, &session, fresh, now).await },
        )
    });
    match opened.await? {
        Ok(()) => {}
        Err(Closed::Locked) => return Err(Refusal::SignIn(LOCKED)),
        Err(Closed::Blocked) => return Err(Refusal::SignIn(BLOCKED)),
        Err(Closed::Changed) => return Err(Refusal::SignIn(INCORRECT)),
    }
    let claims = verify(&hub.book.keys, &issued.token, now).map_err(Error::internal)?;
    let known = hub.book.principal(Some(&claims)).await?;
    let user = read::document(&hub, &known.principal, c, subject.id, view).await?;
    let head = json!({
        "message": "Authentication Passed", "exp": issued.exp, "token": issued.token,
    });
    let cookie = hub.cookies.sign_in(&issued);
    Ok(answer(
        &head,
        Some(("user", &user)),
        &json!({}),
        Some(cookie),
    ))
}

/// `POST /api/<slug>/logout`
pub(crate) async fn logout(
    State(hub): State<Arc<Hub>>,
    target: Target,
    who: Who,
) -> Result<Response, Refusal> {
    let c = target.auth()?;
    let Some(signed_in) = member(&who, c) else {
        return Err(Error::Malformed("No User".to_owned()).into());
    };
    let all = qs::flag(&target.tree()?, "allSessions") == Some(true);
    let (id, sid) = (signed_in.claims.id, signed_in.claims.sid.clone());
    let now = hub.book.clock.now();
    let closed = hub.book.transact(move |work| {
        Box::pin(async move {
            // What was resolved for the tokens of this session holds no longer, here and
            // in other processes.
            work.tx().moves_rights();
            let only = (!all).then_some(sid.as_str());
            account::close_sessions(work, c, id, only, now).await
        })
    });
    closed.await?;
    let head = json!({"message": "Logout successful."});
    let cookie = hub.cookies.sign_out();
    Ok(answer(&head, None, &json!({}), Some(cookie)))
}

/// `GET /api/<slug>/me`
pub(crate) async fn me(
    State(hub): State<Arc<Hub>>,
    target: Target,
    who: Who,
) -> Result<Response, Refusal> {
    let c = target.auth()?;
    let Some(signed_in) = member(&who, c) else {
        let nobody = json!({"user": null, "message": "Account"});
        return Ok(answer(&nobody, None, &json!({}), None));
    };
    let view = View::read(&hub, &target.tree()?);
    let user = read::document(&hub, &who.principal, c, signed_in.claims.id, view).await?;
    let tail = json!({
        "collection": c.slug, "strategy": STRATEGY, "exp": signed_in.claims.exp,
        "token": signed_in.token, "message": "Account",
    });
    Ok(answer(&json!({}), Some(("user", &user)), &tail, None))
}

/// `POST /api/<slug>/refresh-token`; the old token stays valid to its own end.
pub(crate) async fn refresh(
    State(hub): State<Arc<Hub>>,
    target: Target,
    who: Who,
) -> Result<Response, Refusal> {
    let c = target.auth()?;
    let Some(signed_in) = member(&who, c) else {
        return Err(Error::forbidden().into());
    };
    let view = View::read(&hub, &target.tree()?);
    let claims = &signed_in.claims;
    let subject = Subject {
        id: claims.id,
        email: claims.email.clone(),
        role: claims.role.clone(),
        sid: claims.sid.clone(),
    };
    let issued = issued(&hub, &subject)?;
    let session = session(&subject, &issued);
    let id = subject.id;
    let now = hub.book.clock.now();
    let prolonged = hub.book.transact(move |work| {
        Box::pin(async move { account::prolong(work, c, id, &session, now).await })
    });
    if !prolonged.await? {
        return Err(Error::forbidden().into());
    }
    let user = read::document(&hub, &who.principal, c, id, view).await?;
    let head = json!({
        "message": "Token refresh successful.", "exp": issued.exp,
        "refreshedToken": issued.token, "setCookie": true, "strategy": STRATEGY,
    });
    let cookie = hub.cookies.sign_in(&issued);
    Ok(answer(
        &head,
        Some(("user", &user)),
        &json!({}),
        Some(cookie),
    ))
}

/// Address and password of a login body; all that is missing is told at once.
fn credentials(
    c: &'static Collection,
    members: &Map<String, Value>,
) -> Result<(String, String), Refusal> {
    let text = |name| {
        members
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let email = text("email").trim().to_lowercase();
    let password = text("password");
    let issues: Vec<Issue> = [
        ("email", email.is_empty()),
        ("password", password.trim().is_empty()),
    ]
    .into_iter()
    .filter(|(_, missing)| *missing)
    .map(|(name, _)| Issue::error(name, "required", "This field is required."))
    .collect();
    if issues.is_empty() {
        Ok((email, password.to_owned()))
    } else {
        Err(Refusal::Credentials(c.slug, issues))
    }
}

/// The caller's token when it is of this collection.
fn member<'w>(who: &'w Who, c: &Collection) -> Option<&'w SignedIn> {
    let signed_in = who.signed_in.as_deref();
    signed_in.filter(|signed_in| signed_in.claims.collection == c.slug)
}

fn issued(hub: &Hub, subject: &Subject) -> Result<Issued, Error> {
    let now = hub.book.clock.now();
    issue(&hub.book.keys, subject, now, hub.settings.token_lifetime).map_err(Error::internal)
}

/// The session of a token ends with it.
fn session(subject: &Subject, issued: &Issued) -> Session {
    Session {
        sid: subject.sid.clone(),
        until: issued.exp.saturating_mul(1000),
    }
}

/// Joins members, one of which is a rendered document, without parsing that again.
fn answer(
    head: &Value,
    document: Option<(&str, &[u8])>,
    tail: &Value,
    cookie: Option<String>,
) -> Response {
    let mut parts: Vec<Vec<u8>> = Vec::with_capacity(3);
    let members = |value: &Value| {
        let text = value.to_string();
        let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
        inner.unwrap_or_default().as_bytes().to_vec()
    };
    parts.push(members(head));
    if let Some((name, document)) = document {
        let mut part = format!("\"{name}\":").into_bytes();
        part.extend_from_slice(document);
        parts.push(part);
    }
    parts.push(members(tail));
    parts.retain(|part| !part.is_empty());
    let mut body = b"{".to_vec();
    body.extend_from_slice(&parts.join(&b','));
    body.push(b'}');
    let json = (header::CONTENT_TYPE, "application/json");
    let mut response = ([json], body).into_response();
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
