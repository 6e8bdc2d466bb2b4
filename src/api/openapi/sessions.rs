//! Sessions and the second factor (docs/sign-in.md), for every collection that has accounts.

use super::passkeys::{self, Call, PASSWORD, operations};
use super::replies::{ok, replies, sign_in_tag, texts};
use super::{to_reply, to_schema};
use model::registry::Collection;
use serde_json::{Map, Value, json};

const CODE: (&str, &str) = ("code", "123456");

fn calls() -> Vec<Call> {
    let text = || json!({"type": ["string", "null"]});
    let session = json!({
        "type": "object", "required": ["id", "current", "createdAt", "expiresAt"],
        "properties": {
            "id": {"type": "string"}, "current": {"type": "boolean"}, "kind": text(),
            "createdAt": text(), "usedAt": text(), "expiresAt": text(), "endsAt": text(),
            "address": text(), "agent": text(),
        },
    });
    let listed = json!({
        "type": "object", "required": ["docs", "totalDocs"],
        "properties": {"docs": {"type": "array", "items": session}, "totalDocs": {"type": "integer"}},
    });
    let ended = || {
        json!({
            "type": "object", "required": ["message"],
            "properties": {"message": {"type": "string"}, "ended": {"type": "integer"}},
        })
    };
    let state = json!({
        "type": "object", "required": ["enabled", "recoveryCodes", "required"],
        "properties": {
            "enabled": {"type": "boolean"}, "since": text(),
            "recoveryCodes": {"type": "integer"}, "required": {"type": "boolean"},
        },
    });
    let secret = texts(&[
        ("message", "Put the secret into an authenticator."),
        ("secret", "JBSWY3DPEHPK3PXP"),
        ("url", "otpauth://totp/herdbook:a"),
        ("until", "2026-03-01T12:15:00.000Z"),
    ]);
    let codes = json!({
        "type": "object", "required": ["message", "recoveryCodes"],
        "properties": {
            "message": {"type": "string"},
            "recoveryCodes": {"type": "array", "items": {"type": "string"}},
        },
    });
    operations![
        "get" "sessions": "sessions", "One's own sign-ins",
            "The live sign-ins, the most recent first.", None => listed;
        "delete" "sessions": "endOtherSessions", "End all other sign-ins",
            "All except the calling one.", None => ended();
        "delete" "sessions/{session}": "endSession", "End a sign-in",
            "Its tokens are invalid from then on.", None => ended();
        "delete" "{id}/sessions": "endSessionsOf", "End all sign-ins of a member",
            "The Association may do this, and a head for members of the same organisation.", None => ended();
        "get" "second-factor": "secondFactor", "The second factor of one's account",
            "Whether a second factor is on, and whether it is required.", None => state;
        "post" "second-factor": "beginSecondFactor", "Ask for a secret of one-time codes",
            "It takes effect once a code of it is confirmed, within a quarter of an hour.", Some(texts(&[PASSWORD])) => secret;
        "post" "second-factor/confirm": "confirmSecondFactor", "Switch the second factor on",
            "Takes a first code; all other sign-ins end. The recovery codes are shown only once.", Some(texts(&[PASSWORD, CODE])) => codes;
        "post" "second-factor/disable": "disableSecondFactor", "Switch the second factor off",
            "Takes a code or a recovery code.", Some(texts(&[PASSWORD, CODE])) => to_schema("told");
    ]
}

/// The paths of a collection with accounts.
pub(super) fn of(c: &Collection) -> Map<String, Value> {
    let mut paths = Map::new();
    let signed_in = to_schema(&format!("{}-login", c.slug));
    let calls = calls().into_iter().chain(passkeys::calls(&signed_in));
    for (verb, path, name, summary, about, body, answer) in calls {
        let at_the_door = path.starts_with("passkey-login");
        let mut operation = json!({
            "operationId": format!("{name}{}", c.singular.replace(' ', "")),
            "tags": [sign_in_tag(c)], "summary": summary, "description": about,
            "security": [{"token": []}, {"cookie": []}],
        });
        let place = match path {
            "sessions/{session}" => Some(("session", "string", "From the list of sign-ins.")),
            "passkeys/{passkey}" => Some(("passkey", "string", "From the list of passkeys.")),
            "{id}/sessions" => Some(("id", "integer", "The member.")),
            _ => None,
        };
        let status = match (verb, path) {
            ("post", "passkeys") => "201",
            _ => "200",
        };
        let mut answers = replies((status, ok(summary, &answer)), []);
        let statuses: &[(&str, &str)] = match (&body, place) {
            (None, None) if at_the_door => &[("400", "bad-request")],
            (Some(_), None) if at_the_door => &[
                ("400", "bad-request"),
                ("401", "unauthorized"),
                ("413", "too-large"),
            ],
            (Some(_), Some(_)) => &[
                ("400", "bad-request"),
                ("401", "unauthorized"),
                ("403", "forbidden"),
                ("404", "not-found"),
                ("413", "too-large"),
            ],
            (Some(_), _) => &[
                ("400", "bad-request"),
                ("401", "unauthorized"),
                ("403", "forbidden"),
                ("413", "too-large"),
            ],
            (None, Some(_)) => &[("403", "forbidden"), ("404", "not-found")],
            (None, None) => &[("403", "forbidden")],
        };
        if let Some(answers) = answers.as_object_mut() {
            for (status, name) in statuses {
                answers.insert((*status).to_owned(), to_reply(name));
            }
        }
        if let Some(members) = operation.as_object_mut() {
            if at_the_door {
                members.insert("security".to_owned(), json!([{}]));
            }
            if let Some(body) = body {
                let content = json!({"application/json": {"schema": body}});
                let body = json!({"required": true, "content": content});
                members.insert("requestBody".to_owned(), body);
            }
            if let Some((name, ty, about)) = place {
                let parameter = json!({
                    "name": name, "in": "path", "required": true, "schema": {"type": ty},
                    "description": about,
                });
                members.insert("parameters".to_owned(), json!([parameter]));
            }
            members.insert("responses".to_owned(), answers);
        }
        let item = paths
            .entry(format!("/api/{}/{path}", c.slug))
            .or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(verb.to_owned(), operation);
        }
    }
    paths
}
