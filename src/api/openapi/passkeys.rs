//! Passkeys (docs/sign-in.md). The data that pages exchange with browsers are described by
//! `WebAuthn`, and not again here.

use super::replies::texts;
use serde_json::{Value, json};

/// An operation: method, path below `/api/<slug>/`, name, summary, description, body, answer.
pub(super) type Call = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Option<Value>,
    Value,
);

/// Operations, a row each: method, path and name, summary, description, body and answer.
macro_rules! operations {
    ($($verb:literal $path:literal: $name:literal, $summary:literal, $about:literal, $body:expr => $answer:expr;)+) => {
        vec![$(($verb, $path, $name, $summary, $about, $body, $answer)),+]
    };
}
pub(super) use operations;

pub(super) const PASSWORD: (&str, &str) = ("password", "demo-herdbook");

/// Its operations; `signed_in` is the answer of a sign-in.
pub(super) fn calls(signed_in: &Value) -> Vec<Call> {
    let text = || json!({"type": ["string", "null"]});
    let doc = || {
        json!({
            "type": "object", "required": ["id", "name", "createdAt", "lastUsedAt"],
            "properties": {
                "id": {"type": "string"}, "name": {"type": "string"},
                "createdAt": {"type": "string"}, "lastUsedAt": text(),
            },
        })
    };
    let listed = json!({
        "type": "object", "required": ["docs", "totalDocs"],
        "properties": {"docs": {"type": "array", "items": doc()}, "totalDocs": {"type": "integer"}},
    });
    let told = || {
        json!({
            "type": "object", "required": ["message", "doc"],
            "properties": {"message": {"type": "string"}, "doc": doc()},
        })
    };
    let removed = json!({
        "type": "object", "required": ["message"],
        "properties": {"message": {"type": "string"}},
    });
    let options = || {
        json!({
            "type": "object", "required": ["publicKey"],
            "properties": {"publicKey": {
                "type": "object", "required": ["challenge"],
                "properties": {"challenge": {"type": "string"}},
            }},
        })
    };
    let credential = || {
        json!({
            "type": "object", "required": ["rawId", "response"],
            "description": "The credential that the browser created, as its `toJSON` returns it.",
        })
    };
    let made = json!({
        "type": "object", "required": ["name", "credential"],
        "properties": {
            "name": {"type": "string", "maxLength": 100, "example": "Phone"},
            "credential": credential(),
        },
    });
    let shown = json!({
        "type": "object", "required": ["credential"],
        "properties": {"credential": credential()},
    });
    operations![
        "get" "passkeys": "passkeys", "The passkeys of one's account",
            "The name of each, when it was created, and when it was last used.", None => listed;
        "post" "passkeys/options": "beginPasskey", "Ask for a new passkey",
            "Options that the page passes to `navigator.credentials.create`; valid for five minutes, in this session. Where codes are on, `code` is needed too.", Some(texts(&[PASSWORD])) => options();
        "post" "passkeys": "addPasskey", "Store a new passkey",
            "As the authenticator created it; from then on it signs in.", Some(made) => told();
        "patch" "passkeys/{passkey}": "renamePasskey", "Rename a passkey",
            "Only its owner sees the name.", Some(texts(&[("name", "Phone")])) => told();
        "delete" "passkeys/{passkey}": "removePasskey", "Remove a passkey",
            "It no longer signs in, and all other sign-ins end.", Some(texts(&[PASSWORD])) => removed;
        "post" "passkey-login/options": "askForPasskey", "Ask for a passkey",
            "Options that the page passes to `navigator.credentials.get`: the same for every caller, valid for five minutes.", None => options();
        "post" "passkey-login": "signInByPasskey", "Sign in by a passkey",
            "As by `login`, without address, password or code. All faults get the same answer.", Some(shown) => signed_in.clone();
    ]
}
