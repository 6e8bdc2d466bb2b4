//! Passkeys (docs/sign-in.md). What pages hand to browsers and get back is described by
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
            "description": "What the browser made, as its `toJSON` tells it.",
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
    vec![
        (
            "get",
            "passkeys",
            "passkeys",
            "The passkeys of one's account",
            "What each is called, when it was made and last used.",
            None,
            listed,
        ),
        (
            "post",
            "passkeys/options",
            "beginPasskey",
            "Ask for a new passkey",
            "What the page hands to `navigator.credentials.create`; holds for five minutes, in this session. `code` too, where codes are on.",
            Some(texts(&[PASSWORD])),
            options(),
        ),
        (
            "post",
            "passkeys",
            "addPasskey",
            "Keep a new passkey",
            "As the authenticator made it; it signs in from then on.",
            Some(made),
            told(),
        ),
        (
            "patch",
            "passkeys/{passkey}",
            "renamePasskey",
            "Call a passkey otherwise",
            "Its name is for its owner only.",
            Some(texts(&[("name", "Phone")])),
            told(),
        ),
        (
            "delete",
            "passkeys/{passkey}",
            "removePasskey",
            "Remove a passkey",
            "It signs in no more, and all other sign-ins end.",
            Some(texts(&[PASSWORD])),
            removed,
        ),
        (
            "post",
            "passkey-login/options",
            "askForPasskey",
            "Ask for a passkey",
            "What the page hands to `navigator.credentials.get`: the same for everybody, for five minutes.",
            None,
            options(),
        ),
        (
            "post",
            "passkey-login",
            "signInByPasskey",
            "Sign in by a passkey",
            "As by `login`, with neither address, password nor code. Whatever is wrong is answered alike.",
            Some(shown),
            signed_in.clone(),
        ),
    ]
}
