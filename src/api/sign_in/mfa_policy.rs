//! The accounts that must have a second factor, and what a session without it may do.

use crate::AppState;
use config::{Demand, Settings};
use model::registry::{Caller, Capability, Principal};

/// The message for a user who must have a second factor and has none.
pub(crate) const ENROL: &str = "Your account needs a second factor. Switch one on: POST /api/users/second-factor with \
     your password, then POST /api/users/second-factor/confirm. Until then this session may do nothing else.";
/// The message for a user who must use a passkey and signed in without it.
pub(crate) const SHOW: &str = "Your account needs its second factor, which is a passkey. Sign in with it: \
     POST /api/users/passkey-login/options, then POST /api/users/passkey-login. This session may do nothing else.";

/// Paths below `/api/<slug>/` that a session may call that must switch a second factor on.
const OPEN: [&str; 13] = [
    "me",
    "login",
    "logout",
    "refresh-token",
    "sessions",
    "second-factor",
    "second-factor/confirm",
    "forgot-password",
    "reset-password",
    "passkeys",
    "passkeys/options",
    "passkey-login",
    "passkey-login/options",
];
/// The calls that set another factor up: not for a session that has one to show.
const SETS_UP: [&str; 4] = ["second-factor", "second-factor/confirm", "passkeys", "passkeys/options"];

/// Whether the installation asks this caller for a second factor.
pub(crate) fn is_demanded(settings: &Settings, caller: &Principal) -> bool {
    let head = || {
        let leads = caller.caller == Caller::Farm && caller.organization.is_some();
        leads && caller.can(Capability::Team)
    };
    match settings.second_factor {
        Demand::Nobody => false,
        Demand::Association => caller.caller == Caller::Association,
        Demand::Heads => caller.caller == Caller::Association || head(),
    }
}

/// Whether a path serves a session that must switch a second factor on, or show the passkey that the account has.
pub(crate) fn is_open(app: &AppState, path: &str, unshown: bool) -> bool {
    let rest = path.strip_prefix("/api/").and_then(|rest| rest.split_once('/'));
    rest.is_some_and(|(slug, tail)| {
        let auth = app.book.registry.get(slug).is_some_and(|c| c.auth);
        auth && OPEN.contains(&tail) && !(unshown && SETS_UP.contains(&tail))
    })
}
