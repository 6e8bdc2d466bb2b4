//! The session of a caller.

use super::member;
use crate::Refusal;
use crate::caller::{Proof, SignedIn, Who};
use model::error::Error;
use model::registry::Collection;

const NO_KEYS: &str = "An API key has no sessions: sign in with the password.";

/// The caller, by a session of this collection, and its id.
pub(super) fn by_session<'w>(
    who: &'w Who,
    c: &Collection,
) -> Result<(&'w SignedIn, &'w str), Refusal> {
    let signed_in = member(who, c).ok_or_else(Error::forbidden)?;
    match &signed_in.proof {
        Proof::Token { token, .. } => Ok((signed_in, &token.claims.sid)),
        Proof::ApiKey => Err(Refusal::Denied(NO_KEYS)),
    }
}
