//! Signing in and out of every `auth` collection (docs/dialect.md, *Calls*). Must not know any single collection.

mod accept;
mod access;
pub mod account;
pub mod attempt;
pub mod factor;
mod first_account;
mod mfa_policy;
pub(crate) mod passkeys;
mod password;
mod sessions;
mod throttle;
mod totp_setup;
mod unlock;
mod unsubscribe;

pub use sessions::session_info::SessionInfo;
pub use sessions::session_use::SessionUses;
pub use throttle::EmailThrottle;

pub(crate) use accept::accept;
pub(super) use first_account::initialized;
pub(super) use mfa_policy::{ENROL, SHOW, is_demanded, is_open};
pub(super) use password::password_reset::{forget, renew};
pub(super) use unlock::{open, proved};

use self::account::{Account, Session, SignInRefusal};
use self::attempt::SignInAttempt;
use self::factor::{CodeInput, CodeVerdict};
use self::passkeys::passkey_store::PasskeyProof;
use self::password::PasswordCheck;
use crate::body;
use crate::caller::{Proof, Who};
use crate::layers::{ignored, request_facts};
use crate::rest::call::{Call, Reply};
use crate::rest::changes::append_members;
use crate::{AppState, Refusal, SignedIn};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};
use model::error::{Error, Issue};
use model::query::qs;
use model::record::time::{parse, to_iso};
use model::registry::{Collection, Operation};
use ops::{View, forgiven};
use secure::session::{IssuedToken, Subject, issue, verify};
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::sync::Arc;

const INCORRECT: &str = "The email or password provided is incorrect.";

pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/api/access", get(access::all))
        .route("/api/{slug}/access", post(access::collection))
        .route("/api/{slug}/access/{id}", post(access::row))
        .route("/api/{slug}/login", post(login))
        .route("/api/{slug}/accept", post(accept))
        .route("/api/{slug}/logout", post(logout))
        .route("/api/{slug}/me", get(me))
        .route("/api/{slug}/refresh-token", post(refresh))
        .route("/api/{slug}/forgot-password", post(password::password_reset::forgot))
        .route("/api/{slug}/reset-password", post(password::password_reset::reset))
        .route("/api/{slug}/unsubscribe", get(unsubscribe::ask).post(unsubscribe::end))
        .route("/api/{slug}/unlock", post(unlock::unlock))
        .route("/api/{slug}/unlock-link", post(unlock::link))
        .route("/api/{slug}/verify/{token}", post(unlock::verify))
        .route("/api/{slug}/sessions", get(sessions::list).delete(sessions::end_others))
        .route("/api/{slug}/second-factor", get(totp_setup::state).post(totp_setup::begin))
        .route("/api/{slug}/second-factor/confirm", post(totp_setup::confirm))
        .route("/api/{slug}/second-factor/disable", post(totp_setup::disable))
        .route("/api/{slug}/passkeys", get(passkeys::list).post(passkeys::create))
        .route("/api/{slug}/passkeys/options", post(passkeys::options))
        .route("/api/{slug}/passkeys/{id}", patch(passkeys::rename).delete(passkeys::remove))
        .route("/api/{slug}/passkey-login", post(passkeys::login))
        .route("/api/{slug}/passkey-login/options", post(passkeys::ask))
        .route("/api/{slug}/sessions/{id}", delete(sessions::end))
        .route("/api/{slug}/{id}/sessions", delete(sessions::end_of_member))
        .route("/api/{slug}/init", get(first_account::init))
        .route("/api/{slug}/first-register", post(first_account::register))
        .layer(from_fn(ignored::not_dry))
}

/// `POST /api/<slug>/login`
pub(crate) async fn login(Call(app, target, _, headers): Call, body: Body) -> Reply {
    let c = target.auth()?;
    let view = target.view(&app)?;
    let members = members(&app, c, &headers, body).await?;
    signed(&app, c, &members, view).await
}

pub(crate) async fn signed(
    app: &Arc<AppState>,
    c: &'static Collection,
    members: &Map<String, Value>,
    view: View,
) -> Reply {
    let (email, secret) = credentials(c, members)?;
    let attempt = SignInAttempt::now(app, c, &email).await?;
    if !attempt.known_device {
        app.limits.count_account_attempt(c.slug, &email)?;
    }
    let (account, fresh) = match password::check(app, c, attempt.clone(), email.clone(), secret).await? {
        PasswordCheck::Right(account, fresh) => (account, fresh),
        refused => {
            app.book.refused(&email, request_facts::address());
            return Err(match refused {
                PasswordCheck::Closed => Refusal::Closed(INCORRECT),
                _ => Refusal::SignIn(INCORRECT),
            });
        }
    };
    let code = members.get("code").and_then(Value::as_str);
    let proof = SignInProof { fresh, info: SessionInfo::now("password"), code: code.map(str::to_owned), passkey: None };
    enter(app, c, account, proof, view, Some(attempt)).await
}

/// What proves a sign-in, and where it came from.
#[derive(Default)]
struct SignInProof {
    /// A verifier of the present cost.
    fresh: Option<String>,
    info: SessionInfo,
    /// A code of the second factor.
    code: Option<String>,
    /// A passkey, which is both factors.
    passkey: Option<PasskeyProof>,
}

/// Opens a session for an account that showed who it is, and answers as a login does. Ends counting what failed before.
async fn enter(
    app: &AppState,
    c: &'static Collection,
    account: Account,
    proof: SignInProof,
    view: View,
    attempt: Option<SignInAttempt>,
) -> Reply {
    let ip = request_facts::address();
    let email = account.email.clone();
    let refused = |why| {
        app.book.refused(&email, ip);
        Err(Refusal::SignIn(why))
    };
    let SignInProof { fresh, info, code, passkey } = proof;
    let incorrect = match passkey {
        Some(_) => passkeys::REFUSED,
        None => INCORRECT,
    };
    let begun = NewSession::new(app, c, &account, info)?;
    let mut session = begun.session.clone();
    let keys = Arc::clone(&app.book.keys);
    let attempt = attempt.unwrap_or_else(|| SignInAttempt::by_name(app, c, &account.email));
    let now = app.book.clock.now();
    let opened = app.book.transact(move |work| {
        Box::pin(async move {
            let input = CodeInput { keys: &keys, code: code.as_deref(), now };
            let judged = match passkey {
                Some(passkey) if passkey.keep(work, c, account.id, now).await? => CodeVerdict::None,
                Some(_) => return Ok(Err(SignInRefusal::Changed)),
                None => attempt.judged(work, c, account.id, input).await?,
            };
            match judged {
                CodeVerdict::None => {}
                CodeVerdict::Right(kind) => session.info.kind = Some(kind),
                CodeVerdict::Missing => return Ok(Err(SignInRefusal::Unshown)),
                CodeVerdict::Wrong => return Ok(Err(SignInRefusal::Code)),
            }
            let opened = account::open_session(work, c, &account, &session, fresh, now).await?;
            if opened.is_ok() {
                work.log_operation(signed_in(c, account.id, ip));
                work.tx().run(forgiven(attempt.own())).await?;
            }
            Ok(opened)
        })
    });
    match opened.await? {
        Ok(()) => {}
        Err(SignInRefusal::Blocked | SignInRefusal::Changed) => return refused(incorrect),
        Err(SignInRefusal::Unshown) => return Err(Refusal::SecondFactor),
        Err(SignInRefusal::Code) => return refused(totp_setup::WRONG),
    }
    let head = json!({"message": "Authentication Passed", "exp": begun.issued.exp, "token": begun.issued.token});
    begun.welcome(app, c, view, &head).await
}

/// The line of the operation log for a sign-in.
fn signed_in(c: &'static Collection, id: i64, ip: Option<IpAddr>) -> Operation {
    Operation { action: "login", actor: Some(id), subject: Some(("user", c.slug, id)), ip, ..Operation::default() }
}

/// `POST /api/<slug>/logout`
pub(crate) async fn logout(Call(app, target, who, _): Call) -> Reply {
    let c = target.auth()?;
    let all = (target.tree()).map(|tree| qs::flag(&tree, "allSessions") == Some(true));
    ended(&app, c, &who, all).await
}

pub(crate) async fn ended(app: &AppState, c: &'static Collection, who: &Who, all: Result<bool, Refusal>) -> Reply {
    let Some(signed_in) = member(who, c) else {
        return Err(Error::Malformed("No User".into()).into());
    };
    let all = all?;
    if all && who.principal.key.is_some() {
        // A key ends no sign-in of its people.
        return Err(Error::forbidden().into());
    }
    let id = signed_in.user;
    let sid = match &signed_in.proof {
        Proof::Token { token, .. } => Some(token.claims.sid.clone()),
        // A key has no session of its own.
        Proof::ApiKey => None,
    };
    let now = app.book.clock.now();
    let closed = app.book.transact(move |work| {
        Box::pin(async move {
            // What was resolved for the tokens of this session holds no longer, here and in other processes.
            work.tx().note_rights_change();
            account::keep_sessions(work, c, id, now, &|one| !all && sid.as_deref() != Some(one)).await
        })
    });
    closed.await?;
    let head = json!({"message": "Logout successful."});
    let mut answer = answer(&head, None, &json!({}));
    with_cookie(app, &mut answer, &app.cookies.sign_out());
    Ok(answer)
}

/// `GET /api/<slug>/me`
pub(crate) async fn me(Call(app, target, who, _): Call) -> Reply {
    let c = target.auth()?;
    myself(&app, c, &who, target.view(&app)).await
}

pub(crate) async fn myself(app: &AppState, c: &'static Collection, who: &Who, view: Result<View, Refusal>) -> Reply {
    let Some(signed_in) = member(who, c) else {
        let nobody = json!({"user": null, "message": "Account"});
        return Ok(answer(&nobody, None, &json!({})));
    };
    let view = view?;
    let user = app.book.by_id(&who.principal, c, signed_in.user, view).await?;
    let strategy = signed_in.proof.strategy();
    let (user, tail) = match &signed_in.proof {
        Proof::Token { token, session } => (
            with_session(user, session),
            json!({
                "collection": c.slug, "strategy": strategy, "exp": token.claims.exp,
                "token": token.text, "message": "Account",
            }),
        ),
        Proof::ApiKey => (user, json!({"collection": c.slug, "strategy": strategy, "message": "Account"})),
    };
    Ok(answer(&json!({}), Some(("user", &user)), &tail))
}

/// `POST /api/<slug>/refresh-token`; the old token stays valid to its own end.
pub(crate) async fn refresh(Call(app, target, who, _): Call) -> Reply {
    let c = target.auth()?;
    renewed(&app, c, &who, target.view(&app)).await
}

/// A new token for this sign-in.
pub(crate) async fn renewed(app: &AppState, c: &'static Collection, who: &Who, view: Result<View, Refusal>) -> Reply {
    let Some(signed_in) = member(who, c) else {
        return Err(Error::forbidden().into());
    };
    let Proof::Token { token, session } = &signed_in.proof else {
        return Err(Error::forbidden().into());
    };
    let claims = &token.claims;
    let view = view?;
    let subject = Subject {
        collection: c.slug.to_owned(),
        id: claims.id,
        email: claims.email.clone(),
        role: claims.role.clone(),
        sid: claims.sid.clone(),
    };
    let begun = session.get("createdAt").and_then(Value::as_str);
    let begun = begun.and_then(parse).ok_or_else(Error::forbidden)?;
    let issued = issued(app, &subject, begun)?;
    let until = session_of(&subject, &issued);
    let (id, end) = (subject.id, to_iso(until.until));
    let now = app.book.clock.now();
    let prolonged =
        app.book.transact(move |work| Box::pin(async move { account::prolong(work, c, id, &until, now).await }));
    if !prolonged.await? {
        return Err(Error::forbidden().into());
    }
    let mut session = Value::clone(session);
    if let Some(place) = session.get_mut("expiresAt") {
        *place = end.into();
    }
    let user = app.book.by_id(&who.principal, c, id, view).await?;
    let user = with_session(user, &session);
    let head = json!({
        "message": "Token refresh successful.", "exp": issued.exp,
        "refreshedToken": issued.token, "setCookie": true,
        "strategy": signed_in.proof.strategy(),
    });
    let mut answer = answer(&head, Some(("user", &user)), &json!({}));
    with_cookie(app, &mut answer, &app.cookies.sign_in(&issued));
    Ok(answer)
}

struct NewSession {
    issued: IssuedToken,
    session: Session,
    created: i64,
}

impl NewSession {
    /// A new session of an account, with a token for it.
    fn new(app: &AppState, c: &Collection, account: &Account, info: SessionInfo) -> Result<Self, Error> {
        let subject = Subject {
            collection: c.slug.to_owned(),
            id: account.id,
            email: account.email.clone(),
            role: account.role.clone(),
            sid: uuid::Uuid::new_v4().to_string(),
        };
        let created = app.book.clock.now();
        let issued = issued(app, &subject, created)?;
        let session = Session { info, ..session_of(&subject, &issued) };
        Ok(Self { session, issued, created })
    }

    /// The answer, after the session was stored: the members of `head`, then the user as the
    /// user may see it, with this session and no other.
    async fn welcome(self, app: &AppState, c: &'static Collection, view: View, head: &Value) -> Reply {
        let now = app.book.clock.now();
        let claims = verify(&app.book.keys, &self.issued.token, now).map_err(Error::internal)?;
        let caller = app.book.principal(Some(&claims)).await?;
        let user = app.book.by_id(&caller.principal, c, claims.id, view).await?;
        let stored = caller.session.unwrap_or_else(|| Arc::new(account::stored_session(&self.session, self.created)));
        let user = with_session(user, &stored);
        let lacks = !caller.factor && is_demanded(&app.settings, &caller.principal);
        let next = totp_setup::next_step(lacks, caller.unshown);
        let mut answer = answer(head, Some(("user", &user)), &next);
        with_cookie(app, &mut answer, &app.cookies.sign_in(&self.issued));
        if let Some(device) = attempt::remembered(app, c, claims.id).await? {
            with_cookie(app, &mut answer, &device);
        }
        Ok(answer)
    }
}

/// Adds a cookie to an answer, unless the request came from a page that may not have it set.
fn with_cookie(app: &AppState, answer: &mut Response, cookie: &str) {
    if let Ok(cookie) = HeaderValue::try_from(cookie)
        && app.cookies.may_set(&request_facts::RequestFacts::now().page())
    {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// The user with the present session only; other sessions are left out.
fn with_session(user: Vec<u8>, session: &Value) -> Vec<u8> {
    append_members::append(user, [("sessions", json!([sessions::session_info::public(session)]))])
}

/// The members of a body; an empty body counts as an empty object, so that the answer names the missing members.
async fn members(
    app: &AppState,
    c: &'static Collection,
    headers: &HeaderMap,
    body: Body,
) -> Result<Map<String, Value>, Refusal> {
    let length = headers.get(header::CONTENT_LENGTH);
    let none =
        length.is_some_and(|length| length == "0") || (length.is_none() && !headers.contains_key(header::CONTENT_TYPE));
    if none {
        return Ok(Map::new());
    }
    body::object(app, c.slug, headers, body).await
}

/// The address in a body, trimmed and in lower case.
fn address(members: &Map<String, Value>) -> Option<String> {
    let email = members.get("email")?.as_str()?.trim().to_lowercase();
    (!email.is_empty()).then_some(email)
}

/// Address and password of a login body; all missing members are answered at once.
fn credentials(c: &'static Collection, members: &Map<String, Value>) -> Result<(String, String), Refusal> {
    let text = |name| members.get(name).and_then(Value::as_str).unwrap_or_default();
    let email = address(members).unwrap_or_default();
    let password = text("password");
    let issues: Vec<Issue> = [("email", email.is_empty()), ("password", password.trim().is_empty())]
        .into_iter()
        .filter(|(_, missing)| *missing)
        .map(|(name, _)| Issue::error(name, "required", "This field is required."))
        .collect();
    if issues.is_empty() { Ok((email, password.to_owned())) } else { Err(Refusal::Credentials(c.slug, issues)) }
}

/// The caller if it is an account of this collection.
fn member<'w>(who: &'w Who, c: &Collection) -> Option<&'w SignedIn> {
    let signed_in = who.signed_in.as_deref();
    signed_in.filter(|signed_in| signed_in.collection.slug == c.slug)
}

/// A token of a session that was begun at that time (ms): it lasts no longer than sessions do,
/// however often they are prolonged.
fn issued(app: &AppState, subject: &Subject, begun: i64) -> Result<IssuedToken, Error> {
    let now = app.book.clock.now();
    let settings = &app.settings;
    let end = (begun.div_euclid(1000)).saturating_add(settings.session_lifetime);
    let remaining = end.saturating_sub(now.div_euclid(1000));
    if remaining <= 0 {
        return Err(Error::forbidden());
    }
    let lifetime = settings.token_lifetime.min(remaining);
    issue(&app.book.keys, subject, now, lifetime).map_err(Error::internal)
}

fn session_of(subject: &Subject, issued: &IssuedToken) -> Session {
    Session { sid: subject.sid.clone(), until: issued.exp.saturating_mul(1000), info: SessionInfo::default() }
}

/// Joins members, one of which is a rendered document, without parsing that again.
fn answer(head: &Value, document: Option<(&str, &[u8])>, tail: &Value) -> Response {
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
    ([json], body).into_response()
}
