//! Replaces `passkey.rs` in a program that was built without it: there is no site that passkeys are for.

use serde_json::Value;
use std::fmt;
use url::Url;
use uuid::Uuid;

/// Why there is no question.
#[derive(Debug)]
pub struct Fault {
    pub cloned: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this program was built without passkeys")
    }
}

/// The start of a ceremony: a registration or an authentication.
#[derive(Debug)]
pub struct Ceremony {
    pub options: Value,
    /// The challenge by which the answer is recognised.
    pub challenge: String,
    /// What judging the answer needs.
    pub state: String,
}

/// Whether this program knows passkeys.
pub const KNOWN: bool = false;

const NONE: Fault = Fault { cloned: false };

/// A service that passkeys are for: there is none.
#[derive(Debug)]
pub enum RelyingParty {}

impl RelyingParty {
    pub fn new(_service: &str, _origin: &Url, _more: &[Url]) -> Result<Self, Fault> {
        Err(NONE)
    }

    pub fn start_registration(&self, _handle: Uuid, _email: &str, _known: &[&Value]) -> Result<Ceremony, Fault> {
        match *self {}
    }

    pub fn finish_registration(&self, _credential: &Value, _state: &str) -> Result<Value, Fault> {
        match *self {}
    }

    pub fn start_authentication(&self) -> Result<Ceremony, Fault> {
        match *self {}
    }

    pub fn finish_authentication(&self, _credential: &Value, _state: &str, _key: &Value) -> Result<Value, Fault> {
        match *self {}
    }
}

pub fn name_of(key: &Value) -> Option<&str> {
    key.pointer("/cred/cred_id").and_then(Value::as_str)
}
