//! Who calls: the token of a request, its session, and what the user may. Resolved once per
//! request, before any handler. A bad token is not refused: the caller is anonymous, and
//! hears of it in `WWW-Authenticate` (the dialect, section 3).

use super::{Hub, Refusal};
use crate::error::{Error, Result};
use crate::ops::Standing;
use crate::registry::Principal;
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
    /// The token that was believed; none for anonymous callers.
    pub signed_in: Option<Arc<SignedIn>>,
}

/// A token that was believed.
#[derive(Debug)]
pub struct SignedIn {
    /// As sent.
    pub token: String,
    /// What it says.
    pub claims: Claims,
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

/// Whether a request shows a token, and the caller if it is believed.
///
/// # Errors
/// Those of the store.
pub(super) async fn presented(
    hub: &Hub,
    headers: &HeaderMap,
    dialect: Dialect,
) -> Result<(bool, Option<Who>)> {
    match token(hub, headers, dialect) {
        Some(token) => Ok((true, believe(hub, &token).await?)),
        None => Ok((false, None)),
    }
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
    if known.standing != Standing::SignedIn {
        return Ok(None);
    }
    let token = token.to_owned();
    Ok(Some(Who {
        principal: known.principal,
        signed_in: Some(Arc::new(SignedIn { token, claims })),
    }))
}
