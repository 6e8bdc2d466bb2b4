//! The session of a caller.

use super::super::member;
use crate::caller::{Proof, SignedIn, Who};
use crate::rest::call::Call;
use crate::{AppState, Refusal};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use model::error::Error;
use model::registry::Collection;
use std::sync::Arc;

const NO_KEYS: &str = "An API key has no sessions: sign in with the password.";

/// The caller, by a session of this collection, and its id.
pub(in crate::sign_in) fn by_session<'w>(who: &'w Who, c: &Collection) -> Result<(&'w SignedIn, &'w str), Refusal> {
    let signed_in = member(who, c).ok_or_else(Error::forbidden)?;
    match &signed_in.proof {
        Proof::Token { token, .. } => Ok((signed_in, &token.claims.sid)),
        Proof::ApiKey => Err(Refusal::Denied(NO_KEYS)),
    }
}

/// A request about the caller's own account: the service, the collection and the id of the account, and the
/// session, since an API key has none.
pub(in crate::sign_in) struct OwnAccount(
    pub(in crate::sign_in) Arc<AppState>,
    pub(in crate::sign_in) &'static Collection,
    pub(in crate::sign_in) i64,
    pub(in crate::sign_in) String,
);

impl FromRequestParts<Arc<AppState>> for OwnAccount {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Refusal> {
        let Call(app, target, who, _) = Call::from_request_parts(parts, app).await?;
        let c = target.auth()?;
        let (signed_in, sid) = by_session(&who, c)?;
        Ok(Self(app, c, signed_in.user, sid.to_owned()))
    }
}
