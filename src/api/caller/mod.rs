//! The caller: the token of a request, its session, and the rights of the user. Resolved once per
//! request, before any handler. A bad token is not refused: the caller is anonymous, and the answer
//! says so in `WWW-Authenticate` (docs/dialect.md, *Which credential counts*).

pub(crate) mod client;

use crate::cache::{Cache, Lifetime};
use crate::layers::request_facts::{self, RequestFacts, SEC_FETCH_SITE};
use crate::layers::scoped;
use crate::layers::shared::InnerService;
use crate::sign_in::{ENROL, SHOW, is_demanded, is_open};
use crate::{AppState, Refusal};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::error::{Error, Result};
use model::registry::{Collection, Principal};
use ops::SignInState;
use secure::session::{Claims, Dialect, SignInHeaders, verify};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use store::Snapshot;

/// Tokens whose signature is remembered.
const TOKENS: u64 = 20_000;

#[derive(Debug, Clone)]
pub struct Who {
    /// Class, organisation, capabilities.
    pub principal: Arc<Principal>,
    /// The accepted proof; none for anonymous callers.
    pub signed_in: Option<Arc<SignedIn>>,
    /// The state of the book at the look-up of the caller, or an earlier one; none for anonymous
    /// callers, who are not looked up.
    pub since: Option<Snapshot>,
}

/// An account whose token or key was accepted.
#[derive(Debug)]
pub struct SignedIn {
    pub collection: &'static Collection,
    pub user: i64,
    pub proof: Proof,
    /// Whether the caller must set up a second factor before anything else, or use it.
    pub lacks_factor: bool,
    /// Whether the caller has a passkey and must use it.
    pub unshown: bool,
}

/// The credential by which a caller was known.
#[derive(Debug)]
pub enum Proof {
    Token {
        /// What was sent.
        token: Arc<Token>,
        session: Arc<serde_json::Value>,
    },
    ApiKey,
}

#[derive(Debug)]
pub struct Token {
    /// As sent.
    pub text: String,
    pub claims: Claims,
}

/// Tokens that were verified, by their text: a signature that was right once stays so. Their end is checked each time.
#[derive(Debug)]
pub struct Tokens(Cache<Token>);

impl Tokens {
    pub(super) fn new() -> Self {
        Self(Cache::new(TOKENS, Lifetime::Unlimited))
    }

    /// None for a token that is not of this service, or has ended.
    fn verified(&self, app: &AppState, text: &str) -> Option<Arc<Token>> {
        let now = app.book.clock.now();
        if let Some(verified) = self.0.get(text) {
            if verified.claims.lives(now) {
                return Some(verified);
            }
            self.0.remove(text);
            return None;
        }
        let claims = verify(&app.book.keys, text, now).ok()?;
        let text = text.to_owned();
        let token = Arc::new(Token { text, claims });
        self.0.insert(token.text.clone(), Arc::clone(&token));
        Some(token)
    }
}

impl Proof {
    pub fn strategy(&self) -> &'static str {
        match self {
            Self::Token { .. } => "local-jwt",
            Self::ApiKey => "api-key",
        }
    }
}

impl Who {
    /// The message for a caller who may only set up a second factor, or use it.
    pub(super) fn wanted(&self) -> Option<&'static str> {
        let signed_in = self.signed_in.as_ref()?;
        match (signed_in.lacks_factor, signed_in.unshown) {
            (false, _) => None,
            (true, false) => Some(ENROL),
            (true, true) => Some(SHOW),
        }
    }

    pub(super) fn anonymous() -> Self {
        // One for all, as what is remembered of a caller is found by the principal.
        static NOBODY: LazyLock<Arc<Principal>> = LazyLock::new(|| Arc::new(Principal::anonymous()));
        Self { principal: Arc::clone(&NOBODY), signed_in: None, since: None }
    }
}

impl<S: Sync> FromRequestParts<S> for Who {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refusal> {
        let who = parts.extensions.get::<Self>().cloned();
        who.ok_or_else(|| Error::internal("the caller of the request was not determined").into())
    }
}

/// Wraps the REST face: puts [`Who`] into the request.
pub(super) async fn resolve(app: Arc<AppState>, mut request: Request, next: impl InnerService) -> Response {
    let (has_credential, who) = match presented(&app, request.headers(), Dialect::Rest).await {
        Ok(presented) => presented,
        Err(error) => return Refusal::from(error).into_response(),
    };
    let refused = has_credential && who.is_none();
    let wanted = who.as_ref().and_then(Who::wanted);
    if let Some(why) = wanted
        && !is_open(&app, request.uri().path(), why == SHOW)
    {
        return Refusal::Denied(why).into_response();
    }
    let who = who.unwrap_or_else(Who::anonymous);
    if !scoped::rest(&who.principal, &request) {
        return Refusal::from(Error::forbidden()).into_response();
    }
    request.extensions_mut().insert(who);
    let mut response = next.run(request).await;
    if refused {
        let value = HeaderValue::from_static("JWT error=\"invalid_token\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}

/// Whether a request has a token or key, and the caller if it is accepted. A bad one is not replaced by another.
pub(super) async fn presented(app: &AppState, headers: &HeaderMap, dialect: Dialect) -> Result<(bool, Option<Who>)> {
    let authorization = headers.get(header::AUTHORIZATION);
    let authorization = authorization.and_then(|value| value.to_str().ok());
    let who = if let Some((collection, key)) = authorization.and_then(|text| api_key(app, text)) {
        holder(app, collection, key).await?
    } else if let Some(token) = authorization.and_then(link).filter(|_| dialect == Dialect::Rest) {
        visitor(app, token).await?
    } else if let Some(token) = token(app, authorization, headers, dialect) {
        believe(app, &token).await?
    } else {
        return Ok((false, None));
    };
    if let Some(who) = &who {
        client::note_caller(who);
    }
    Ok((true, who))
}

/// `Authorization: <slug> API-Key <key>`, of a collection that has keys.
fn api_key<'h>(app: &AppState, authorization: &'h str) -> Option<(&'static Collection, &'h str)> {
    let (slug, rest) = authorization.split_once(' ')?;
    let key = rest.strip_prefix("API-Key ")?;
    let collection = app.book.registry.get(slug)?;
    (collection.auth && collection.sign_in.api_keys).then_some((collection, key))
}

/// `Authorization: Share <token>`: the token of a view link.
fn link(authorization: &str) -> Option<&str> {
    authorization.strip_prefix("Share ")
}

/// The caller with a view link; none when the token opens nothing.
async fn visitor(app: &AppState, token: &str) -> Result<Option<Who>> {
    let caller = app.book.link_holder(token).await?;
    let live = caller.sign_in_state == SignInState::SignedIn;
    Ok(live.then(|| Who {
        principal: request_facts::with_address(caller.principal),
        signed_in: None,
        since: Some(caller.since),
    }))
}

/// The caller behind an API key; none when the key is unknown, or its user is blocked.
async fn holder(app: &AppState, collection: &'static Collection, key: &str) -> Result<Option<Who>> {
    let caller = app.book.key_holder(collection, key).await?;
    let user = caller.principal.user;
    let user = user.filter(|_| caller.sign_in_state == SignInState::SignedIn);
    Ok(user.map(|user| Who {
        since: Some(caller.since),
        principal: caller.principal,
        signed_in: Some(Arc::new(SignedIn {
            collection,
            user,
            proof: Proof::ApiKey,
            // Machines have none.
            lacks_factor: false,
            unshown: false,
        })),
    }))
}

fn token<'h>(
    app: &AppState,
    authorization: Option<&'h str>,
    headers: &'h HeaderMap,
    dialect: Dialect,
) -> Option<Cow<'h, str>> {
    // From where a request comes matters for cookies alone.
    if !headers.contains_key(header::COOKIE) {
        let presented = SignInHeaders { authorization, ..SignInHeaders::default() };
        let credential = app.cookies.find(&presented, dialect);
        return credential.token().map(Cow::Borrowed);
    }
    let one = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let cookies: Vec<&str> = (headers.get_all(header::COOKIE).iter()).filter_map(|value| value.to_str().ok()).collect();
    let facts = RequestFacts::now();
    let presented = SignInHeaders {
        authorization,
        cookies: &cookies,
        origin: one(&header::ORIGIN),
        sec_fetch_site: one(&SEC_FETCH_SITE),
        writes: facts.writes,
        host: facts.host(),
    };
    let credential = app.cookies.find(&presented, dialect);
    credential.token().map(|token| Cow::Owned(token.to_owned()))
}

/// The caller behind a token; none when the token is bad, its session gone, or its user blocked.
async fn believe(app: &AppState, text: &str) -> Result<Option<Who>> {
    let Some(token) = app.tokens.verified(app, text) else {
        return Ok(None);
    };
    let caller = app.book.principal(Some(&token.claims)).await?;
    let collection = app.book.registry.get(&token.claims.collection);
    let (Some(collection), Some(session)) = (collection, caller.session) else {
        return Ok(None);
    };
    if caller.sign_in_state != SignInState::SignedIn {
        return Ok(None);
    }
    let lacks_factor = !caller.factor && is_demanded(&app.settings, &caller.principal);
    let (sid, id) = (&token.claims.sid, token.claims.id);
    app.session_uses.note(sid, id, app.book.clock.now());
    Ok(Some(Who {
        principal: request_facts::with_address(caller.principal),
        signed_in: Some(Arc::new(SignedIn {
            collection,
            user: token.claims.id,
            proof: Proof::Token { token, session },
            lacks_factor,
            unshown: caller.unshown,
        })),
        since: Some(caller.since),
    }))
}

#[cfg(test)]
mod tests {
    use super::Who;
    use std::sync::Arc;

    #[test]
    fn what_is_remembered_of_strangers_is_remembered_once() {
        let [one, other] = [Who::anonymous(), Who::anonymous()];
        assert!(Arc::ptr_eq(&one.principal, &other.principal));
    }
}
