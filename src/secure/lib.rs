//! Passwords, sign-in tokens, keys and sealed texts.
//!
//! Everything here is pure: the time is a parameter, nothing is stored, and neither the database
//! nor HTTP types are known. Callers fetch users and headers and hand over plain texts.

pub mod closed;
pub mod device;
pub mod ed25519;
pub mod keys;
#[cfg_attr(not(feature = "passkeys"), path = "passkey_absent.rs")]
pub mod passkey;
pub mod password;
pub mod sealed;
pub mod session;
pub mod signing;
pub mod token;
pub mod totp;
pub mod weak;
