//! Signing in and out of every `auth` collection (docs/dialect.md, *Calls*). Must not know any
//! single collection.

mod accept;
mod access;
pub mod account;
mod demand;
pub mod entry;
pub mod factor;
mod first;
mod forgotten;
mod keychain;
mod marks;
pub(crate) mod passkeys;
mod password;
mod second;
mod session;
mod sessions;
mod throttle;
mod unlock;
mod unsubscribe;
mod used;

pub use marks::Marks;
pub use throttle::Asked;
pub use used::Used;

pub(crate) use accept::accept;
pub(super) use demand::{ENROL, SHOW, is_demanded, is_open};
pub(super) use first::initialized;
pub(super) use forgotten::{forget, renew};
pub(super) use unlock::{open, proved};

use self::account::{Account, Closed, Session};
use self::entry::Entry;
use self::factor::{Judged, SentCode};
use self::keychain::Proven;
use self::password::Checked;
use crate::body;
use crate::caller::{Proof, Who};
use crate::layers::{asked, ignored, peer};
use crate::rest::call::{Call, Reply};
use crate::rest::view::View;
use crate::rest::{append_members, read};
use crate::{Hub, Refusal, SignedIn};
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
use ops::forgiven;
use secure::session::{IssuedToken, Subject, issue, verify};
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::sync::Arc;

const INCORRECT: &str = "The email or password provided is incorrect.";
const UNPROVED: &str = "Please verify your email before logging in.";

/// All paths of signing in.
pub(super) fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/api/access", get(access::all))
        .route("/api/{slug}/access", post(access::collection))
        .route("/api/{slug}/access/{id}", post(access::row))
        .route("/api/{slug}/login", post(login))
        .route("/api/{slug}/accept", post(accept))
        .route("/api/{slug}/logout", post(logout))
        .route("/api/{slug}/me", get(me))
        .route("/api/{slug}/refresh-token", post(refresh))
        .route("/api/{slug}/forgot-password", post(forgotten::forgot))
        .route("/api/{slug}/reset-password", post(forgotten::reset))
        .route(
            "/api/{slug}/unsubscribe",
            get(unsubscribe::ask).post(unsubscribe::end),
        )
        .route("/api/{slug}/unlock", post(unlock::unlock))
        .route("/api/{slug}/unlock-link", post(unlock::link))
        .route("/api/{slug}/verify/{token}", post(unlock::verify))
        .route(
            "/api/{slug}/sessions",
            get(sessions::list).delete(sessions::end_others),
        )
        .route(
            "/api/{slug}/second-factor",
            get(second::state).post(second::begin),
        )
        .route("/api/{slug}/second-factor/confirm", post(second::confirm))
        .route("/api/{slug}/second-factor/disable", post(second::disable))
        .route(
            "/api/{slug}/passkeys",
            get(passkeys::list).post(passkeys::create),
        )
        .route("/api/{slug}/passkeys/options", post(passkeys::options))
        .route(
            "/api/{slug}/passkeys/{id}",
            patch(passkeys::rename).delete(passkeys::remove),
        )
        .route("/api/{slug}/passkey-login", post(passkeys::login))
        .route("/api/{slug}/passkey-login/options", post(passkeys::ask))
        .route("/api/{slug}/sessions/{id}", delete(sessions::end))
        .route("/api/{slug}/{id}/sessions", delete(sessions::end_of_member))
        .route("/api/{slug}/init", get(first::init))
        .route("/api/{slug}/first-register", post(first::register))
        .layer(from_fn(ignored::not_dry))
}

/// `POST /api/<slug>/login`
pub(crate) async fn login(Call(hub, target, _, headers): Call, body: Body) -> Reply {
    let c = target.auth()?;
    let view = View::read(&hub, &target.tree()?);
    let members = members(&hub, c, &headers, body).await?;
    signed(&hub, c, &members, view).await
}

/// Signs in by address and password.
pub(crate) async fn signed(
    hub: &Arc<Hub>,
    c: &'static Collection,
    members: &Map<String, Value>,
    view: View,
) -> Result<Response, Refusal> {
    let (email, secret) = credentials(c, members)?;
    let entry = Entry::now(hub, c, &email).await?;
    if !entry.known {
        hub.limits.knock(c.slug, &email)?;
    }
    let (account, fresh) =
        match password::check(hub, c, entry.clone(), email.clone(), secret).await? {
            Checked::Right(account, fresh) => (account, fresh),
            Checked::Wrong => {
                hub.book.refused(&email, peer::current());
                return Err(Refusal::SignIn(INCORRECT));
            }
        };
    let code = members.get("code").and_then(Value::as_str);
    let shown = Shown {
        fresh,
        marks: Marks::now("password"),
        code: code.map(str::to_owned),
        passkey: None,
    };
    enter(hub, c, account, shown, view, Some(entry)).await
}

/// What a sign-in came with.
#[derive(Default)]
struct Shown {
    /// A verifier of the present cost.
    fresh: Option<String>,
    marks: Marks,
    /// A code of the second factor.
    code: Option<String>,
    /// A passkey, which is both factors.
    passkey: Option<Proven>,
}

/// Opens a session for an account that showed who it is, and answers as a login does. Ends
/// counting what failed before.
async fn enter(
    hub: &Hub,
    c: &'static Collection,
    account: Account,
    shown: Shown,
    view: View,
    entry: Option<Entry>,
) -> Result<Response, Refusal> {
    let ip = peer::current();
    let email = account.email.clone();
    let refused = |why| {
        hub.book.refused(&email, ip);
        Err(Refusal::SignIn(why))
    };
    let Shown {
        fresh,
        marks,
        code,
        passkey,
    } = shown;
    let incorrect = match passkey {
        Some(_) => passkeys::REFUSED,
        None => INCORRECT,
    };
    let begun = Begun::new(hub, c, &account, marks)?;
    let mut session = begun.session.clone();
    let keys = Arc::clone(&hub.book.keys);
    let entry = entry.unwrap_or_else(|| Entry::by_name(hub, c, &account.email));
    let now = hub.book.clock.now();
    let opened = hub.book.transact(move |work| {
        Box::pin(async move {
            let sent = SentCode {
                keys: &keys,
                code: code.as_deref(),
                now,
            };
            let judged = match passkey {
                Some(passkey) if passkey.keep(work, c, account.id, now).await? => Judged::None,
                Some(_) => return Ok(Err(Closed::Changed)),
                None => entry.judged(work, c, account.id, sent).await?,
            };
            match judged {
                Judged::None => {}
                Judged::Right(kind) => session.marks.kind = Some(kind),
                Judged::Missing => return Ok(Err(Closed::Unshown)),
                Judged::Wrong => return Ok(Err(Closed::Code)),
            }
            let opened = account::open_session(work, c, &account, &session, fresh, now).await?;
            if opened.is_ok() {
                work.log_operation(signed_in(c, account.id, ip));
                work.tx().run(forgiven(entry.own())).await?;
            }
            Ok(opened)
        })
    });
    match opened.await? {
        Ok(()) => {}
        Err(Closed::Unproved) => return Err(Refusal::Denied(UNPROVED)),
        Err(Closed::Blocked | Closed::Changed) => return refused(incorrect),
        Err(Closed::Unshown) => return Err(Refusal::SecondFactor),
        Err(Closed::Code) => return refused(second::WRONG),
    }
    let head = json!({
        "message": "Authentication Passed",
        "exp": begun.issued.exp,
        "token": begun.issued.token,
    });
    begun.welcome(hub, c, view, &head).await
}

/// The line of the operation log for a sign-in.
fn signed_in(c: &'static Collection, id: i64, ip: Option<IpAddr>) -> Operation {
    Operation {
        action: "login",
        actor: Some(id),
        subject: Some(("user", c.slug, id)),
        ip,
        ..Operation::default()
    }
}

/// `POST /api/<slug>/logout`
pub(crate) async fn logout(Call(hub, target, who, _): Call) -> Reply {
    let c = target.auth()?;
    let tree = target.tree();
    let all = || Ok(qs::flag(&tree?, "allSessions") == Some(true));
    ended(&hub, c, &who, all).await
}

/// Ends this sign-in, or all of the account.
pub(crate) async fn ended(
    hub: &Hub,
    c: &'static Collection,
    who: &Who,
    all: impl FnOnce() -> Result<bool, Refusal>,
) -> Result<Response, Refusal> {
    let Some(signed_in) = member(who, c) else {
        return Err(Error::Malformed("No User".into()).into());
    };
    let all = all()?;
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
    let now = hub.book.clock.now();
    let closed = hub.book.transact(move |work| {
        Box::pin(async move {
            // What was resolved for the tokens of this session holds no longer, here and
            // in other processes.
            work.tx().moves_rights();
            match (all, sid) {
                (true, _) => account::close_sessions(work, c, id, None, now).await,
                (false, Some(sid)) => account::close_sessions(work, c, id, Some(&sid), now).await,
                (false, None) => Ok(()),
            }
        })
    });
    closed.await?;
    let head = json!({"message": "Logout successful."});
    let mut answer = answer(&head, None, &json!({}));
    with_cookie(hub, &mut answer, &hub.cookies.sign_out());
    Ok(answer)
}

/// `GET /api/<slug>/me`
pub(crate) async fn me(Call(hub, target, who, _): Call) -> Reply {
    let c = target.auth()?;
    let tree = target.tree();
    let view = || Ok(View::read(&hub, &tree?));
    myself(&hub, c, &who, view).await
}

/// Who the caller is.
pub(crate) async fn myself(
    hub: &Hub,
    c: &'static Collection,
    who: &Who,
    view: impl FnOnce() -> Result<View, Refusal>,
) -> Result<Response, Refusal> {
    let Some(signed_in) = member(who, c) else {
        let nobody = json!({"user": null, "message": "Account"});
        return Ok(answer(&nobody, None, &json!({})));
    };
    let view = view()?;
    let user = read::document(hub, &who.principal, c, signed_in.user, view).await?;
    let strategy = signed_in.proof.strategy();
    let (user, tail) = match &signed_in.proof {
        Proof::Token { token, session } => (
            with_session(user, session),
            json!({
                "collection": c.slug, "strategy": strategy, "exp": token.claims.exp,
                "token": token.text, "message": "Account",
            }),
        ),
        Proof::ApiKey => (
            user,
            json!({"collection": c.slug, "strategy": strategy, "message": "Account"}),
        ),
    };
    Ok(answer(&json!({}), Some(("user", &user)), &tail))
}

/// `POST /api/<slug>/refresh-token`; the old token stays valid to its own end.
pub(crate) async fn refresh(Call(hub, target, who, _): Call) -> Reply {
    let c = target.auth()?;
    let tree = target.tree();
    let view = || Ok(View::read(&hub, &tree?));
    renewed(&hub, c, &who, view).await
}

/// A new token for this sign-in.
pub(crate) async fn renewed(
    hub: &Hub,
    c: &'static Collection,
    who: &Who,
    view: impl FnOnce() -> Result<View, Refusal>,
) -> Result<Response, Refusal> {
    let Some(signed_in) = member(who, c) else {
        return Err(Error::forbidden().into());
    };
    let Proof::Token { token, session } = &signed_in.proof else {
        return Err(Error::forbidden().into());
    };
    let claims = &token.claims;
    let view = view()?;
    let subject = Subject {
        collection: c.slug.to_owned(),
        id: claims.id,
        email: claims.email.clone(),
        role: claims.role.clone(),
        sid: claims.sid.clone(),
    };
    let begun = session.get("createdAt").and_then(Value::as_str);
    let begun = begun.and_then(parse).ok_or_else(Error::forbidden)?;
    let issued = issued(hub, &subject, begun)?;
    let until = session_of(&subject, &issued);
    let (id, end) = (subject.id, to_iso(until.until));
    let now = hub.book.clock.now();
    let prolonged = hub.book.transact(move |work| {
        Box::pin(async move { account::prolong(work, c, id, &until, now).await })
    });
    if !prolonged.await? {
        return Err(Error::forbidden().into());
    }
    let mut session = Value::clone(session);
    if let Some(place) = session.get_mut("expiresAt") {
        *place = end.into();
    }
    let user = read::document(hub, &who.principal, c, id, view).await?;
    let user = with_session(user, &session);
    let head = json!({
        "message": "Token refresh successful.", "exp": issued.exp,
        "refreshedToken": issued.token, "setCookie": true,
        "strategy": signed_in.proof.strategy(),
    });
    let mut answer = answer(&head, Some(("user", &user)), &json!({}));
    with_cookie(hub, &mut answer, &hub.cookies.sign_in(&issued));
    Ok(answer)
}

/// A sign-in under way: its token, and the session that is to be stored.
struct Begun {
    issued: IssuedToken,
    session: Session,
    created: i64,
}

impl Begun {
    /// A new session of an account, with a token for it.
    fn new(hub: &Hub, c: &Collection, account: &Account, marks: Marks) -> Result<Self, Error> {
        let subject = Subject {
            collection: c.slug.to_owned(),
            id: account.id,
            email: account.email.clone(),
            role: account.role.clone(),
            sid: uuid::Uuid::new_v4().to_string(),
        };
        let created = hub.book.clock.now();
        let issued = issued(hub, &subject, created)?;
        let session = Session {
            marks,
            ..session_of(&subject, &issued)
        };
        Ok(Self {
            session,
            issued,
            created,
        })
    }

    /// The answer, after the session was stored: the members of `head`, then the user as the
    /// user may see it, with this session and no other.
    async fn welcome(
        self,
        hub: &Hub,
        c: &'static Collection,
        view: View,
        head: &Value,
    ) -> Result<Response, Refusal> {
        let now = hub.book.clock.now();
        let claims = verify(&hub.book.keys, &self.issued.token, now).map_err(Error::internal)?;
        let known = hub.book.principal(Some(&claims)).await?;
        let user = read::document(hub, &known.principal, c, claims.id, view).await?;
        let stored = known
            .session
            .unwrap_or_else(|| Arc::new(account::told(&self.session, self.created)));
        let user = with_session(user, &stored);
        let lacks = !known.factor && is_demanded(&hub.settings, &known.principal);
        let told = second::told(lacks, known.unshown);
        let mut answer = answer(head, Some(("user", &user)), &told);
        with_cookie(hub, &mut answer, &hub.cookies.sign_in(&self.issued));
        if let Some(device) = entry::remembered(hub, c, claims.id).await? {
            with_cookie(hub, &mut answer, &device);
        }
        Ok(answer)
    }
}

/// Adds a cookie to an answer, unless a page asked that may not have it set.
fn with_cookie(hub: &Hub, answer: &mut Response, cookie: &str) {
    if let Ok(cookie) = HeaderValue::try_from(cookie)
        && hub.cookies.may_set(&asked::Asked::now().page())
    {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// The user with the present session only; other sessions are left out.
fn with_session(user: Vec<u8>, session: &Value) -> Vec<u8> {
    append_members::append(user, [("sessions", json!([marks::told(session)]))])
}

/// The members of a body; an empty body counts as an empty object, so that the answer names the
/// missing members.
async fn members(
    hub: &Hub,
    c: &'static Collection,
    headers: &HeaderMap,
    body: Body,
) -> Result<Map<String, Value>, Refusal> {
    let length = headers.get(header::CONTENT_LENGTH);
    let none = length.is_some_and(|length| length == "0")
        || (length.is_none() && !headers.contains_key(header::CONTENT_TYPE));
    if none {
        return Ok(Map::new());
    }
    body::object(hub, c.slug, headers, body).await
}

/// The address in a body, trimmed and in lower case.
fn address(members: &Map<String, Value>) -> Option<String> {
    let email = members.get("email")?.as_str()?.trim().to_lowercase();
    (!email.is_empty()).then_some(email)
}

/// Address and password of a login body; all missing members are answered at once.
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
    let email = address(members).unwrap_or_default();
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

/// The caller if it is an account of this collection.
fn member<'w>(who: &'w Who, c: &Collection) -> Option<&'w SignedIn> {
    let signed_in = who.signed_in.as_deref();
    signed_in.filter(|signed_in| signed_in.collection.slug == c.slug)
}

/// A token of a session that was begun at that time (ms): it lasts no longer than sessions do,
/// however often they are prolonged.
fn issued(hub: &Hub, subject: &Subject, begun: i64) -> Result<IssuedToken, Error> {
    let now = hub.book.clock.now();
    let settings = &hub.settings;
    let end = (begun.div_euclid(1000)).saturating_add(settings.session_lifetime);
    let left = end.saturating_sub(now.div_euclid(1000));
    if left <= 0 {
        return Err(Error::forbidden());
    }
    let lifetime = settings.token_lifetime.min(left);
    issue(&hub.book.keys, subject, now, lifetime).map_err(Error::internal)
}

/// The session of a token ends with it.
fn session_of(subject: &Subject, issued: &IssuedToken) -> Session {
    Session {
        sid: subject.sid.clone(),
        until: issued.exp.saturating_mul(1000),
        marks: Marks::default(),
    }
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
