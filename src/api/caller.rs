//! Who calls: the token of a request, its session, and what the user may. Resolved once per
//! request, before any handler. A bad token is not refused: the caller is anonymous, and
//! hears of it in `WWW-Authenticate` (the dialect, section 3).

use super::{Hub, Refusal, peer};
use crate::error::{Error, Result};
use crate::ops::Standing;
use crate::registry::{Collection, Principal};
use crate::secure::session::{Claims, Dialect, Presented, verify};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The caller of a request.
#[derive(Debug, Clone)]
pub struct Who {
    /// Class, organisation, capabilities.
    pub principal: Arc<Principal>,
    /// What was believed; none for anonymous callers.
    pub signed_in: Option<Arc<SignedIn>>,
}

/// An account whose proof was believed.
#[derive(Debug)]
pub struct SignedIn {
    /// The collection of the account.
    pub collection: &'static Collection,
    /// Its id.
    pub user: i64,
    /// How it was proved.
    pub proof: Proof,
}

/// By what a caller was known.
#[derive(Debug)]
pub enum Proof {
    /// A token with its session.
    Token {
        /// As sent.
        token: String,
        /// What it says.
        claims: Claims,
        /// Its session, as answers tell it.
        session: Arc<serde_json::Value>,
    },
    /// An API key.
    ApiKey,
}

impl Proof {
    /// What answers call it.
    pub fn strategy(&self) -> &'static str {
        match self {
            Self::Token { .. } => "local-jwt",
            Self::ApiKey => "api-key",
        }
    }
}

impl Who {
    fn anonymous() -> Self {
        Self {
            principal: Arc::new(Principal::anonymous()),
            signed_in: None,
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Who {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refusal> {
        let found = parts.extensions.get::<Self>().cloned();
        found.ok_or_else(|| Error::internal("the caller was not resolved").into())
    }
}

/// Wraps the REST face: puts [`Who`] into the request.
pub(super) async fn resolve(
    State(hub): State<Arc<Hub>>,
    mut request: Request,
    next: Next,
) -> Response {
    let (shown, who) = match presented(&hub, request.headers(), Dialect::Rest).await {
        Ok(found) => found,
        Err(error) => return Refusal::from(error).into_response(),
    };
    let refused = shown && who.is_none();
    request
        .extensions_mut()
        .insert(who.unwrap_or_else(Who::anonymous));
    let mut response = next.run(request).await;
    if refused {
        let value = HeaderValue::from_static("JWT error=\"invalid_token\"");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, value);
    }
    response
}

/// Whether a request shows a token or key, and the caller if it is believed. A bad one is
/// not replaced by another.
///
/// # Errors
/// Those of the store.
pub(super) async fn presented(
    hub: &Hub,
    headers: &HeaderMap,
    dialect: Dialect,
) -> Result<(bool, Option<Who>)> {
    if let Some((collection, key)) = api_key(hub, headers) {
        return Ok((true, holder(hub, collection, key).await?));
    }
    match token(hub, headers, dialect) {
        Some(token) => Ok((true, believe(hub, &token).await?)),
        None => Ok((false, None)),
    }
}

/// `Authorization: <slug> API-Key <key>`, of a collection that has keys.
fn api_key<'h>(hub: &Hub, headers: &'h HeaderMap) -> Option<(&'static Collection, &'h str)> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (slug, key) = value.split_once(" API-Key ")?;
    let collection = hub.book.registry.get(slug)?;
    (collection.auth && collection.sign_in.api_keys).then_some((collection, key))
}

/// The caller behind an API key; none when nobody has it, or a blocked user.
async fn holder(hub: &Hub, collection: &'static Collection, key: &str) -> Result<Option<Who>> {
    let known = hub.book.key_holder(collection, key).await?;
    let user = known.principal.user;
    let user = user.filter(|_| known.standing == Standing::SignedIn);
    Ok(user.map(|user| Who {
        principal: known.principal,
        signed_in: Some(Arc::new(SignedIn {
            collection,
            user,
            proof: Proof::ApiKey,
        })),
    }))
}

/// The one token of a request that counts.
fn token(hub: &Hub, headers: &HeaderMap, dialect: Dialect) -> Option<String> {
    let one = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let cookies: Vec<&str> = (headers.get_all(header::COOKIE).iter())
        .filter_map(|value| value.to_str().ok())
        .collect();
    let presented = Presented {
        authorization: one(&header::AUTHORIZATION),
        cookies: &cookies,
        origin: one(&header::ORIGIN),
        sec_fetch_site: one(&SEC_FETCH_SITE),
    };
    let found = hub.cookies.find(&presented, dialect);
    found.token().map(str::to_owned)
}

/// The caller behind a token; none when the token is bad, its session gone, or its user
/// blocked.
async fn believe(hub: &Hub, token: &str) -> Result<Option<Who>> {
    let now = hub.book.clock.now();
    let Ok(claims) = verify(&hub.book.keys, token, now) else {
        return Ok(None);
    };
    let known = hub.book.principal(Some(&claims)).await?;
    let collection = hub.book.registry.get(&claims.collection);
    let (Some(collection), Some(session)) = (collection, known.session) else {
        return Ok(None);
    };
    if known.standing != Standing::SignedIn {
        return Ok(None);
    }
    let user = claims.id;
    let proof = Proof::Token {
        token: token.to_owned(),
        session,
        claims,
    };
    Ok(Some(Who {
        principal: peer::placed(known.principal),
        signed_in: Some(Arc::new(SignedIn {
            collection,
            user,
            proof,
        })),
    }))
}
