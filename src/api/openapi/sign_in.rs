//! Signing in (docs/dialect.md, *Calls*), for every collection that has accounts.

use super::replies::{ok, replies, sign_in_tag, texts};
use super::sessions;
use super::{to_parameter, to_schema};
use model::registry::{Collection, Registry};
use serde_json::{Map, Value, json};

/// The ways to authenticate.
pub(super) fn schemes(service: &str) -> Value {
    json!({
        "token": {
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "The token of a sign-in; `Authorization: JWT <token>` is understood too.",
        },
        "cookie": {
            "type": "apiKey", "in": "cookie", "name": format!("{service}-token"),
            "description": "Set by a sign-in. It allows writes from pages of the service only; where trusted origins are configured, it is accepted from their pages only.",
        },
        "apiKey": {
            "type": "apiKey", "in": "header", "name": "Authorization",
            "description": "For programs: `users API-Key <key>`.",
        },
    })
}

/// Bodies and answers of signing in.
pub(super) fn schemas(registry: &Registry) -> Map<String, Value> {
    let mut out = Map::new();
    for c in registry.iter().filter(|c| c.auth) {
        let (slug, user) = (c.slug, to_schema(c.slug));
        let exp =
            json!({"type": "integer", "description": "End of the token, seconds of Unix time."});
        let message = json!({"type": "string"});
        let token = json!({"type": "string"});
        let signed_in = json!({
            "type": "object", "required": ["message", "exp", "token", "user"],
            "properties": {"message": message, "exp": exp, "token": token, "user": user},
        });
        let me = json!({
            "type": "object", "required": ["user", "message"],
            "properties": {
                "user": {"anyOf": [user, {"type": "null"}]},
                "collection": {"type": "string"}, "strategy": {"type": "string"},
                "exp": exp, "token": token, "message": message,
            },
        });
        let refreshed = json!({
            "type": "object", "required": ["message", "exp", "refreshedToken", "user"],
            "properties": {
                "message": message, "exp": exp, "refreshedToken": token, "setCookie": {"type": "boolean"},
                "strategy": {"type": "string"}, "user": user,
            },
        });
        let reset = json!({
            "type": "object", "required": ["message", "user"],
            "properties": {"message": message, "token": token, "user": user},
        });
        let named = [
            ("login", signed_in),
            ("me", me),
            ("refreshed", refreshed),
            ("reset", reset),
        ];
        out.extend(named.map(|(name, schema)| (format!("{slug}-{name}"), schema)));
    }
    let told = json!({
        "type": "object", "required": ["message"], "properties": {"message": {"type": "string"}},
    });
    out.insert("told".to_owned(), told);
    let initialized = json!({
        "type": "object", "required": ["initialized"],
        "properties": {"initialized": {"type": "boolean"}},
    });
    out.insert("initialized".to_owned(), initialized);
    let rights = json!({
        "type": "object", "required": ["collections"],
        "properties": {
            "canAccessAdmin": {"type": "boolean"},
            "collections": {"type": "object", "additionalProperties": {"type": "object"}},
        },
    });
    out.insert("rights".to_owned(), rights);
    out
}

/// An operation under `/api/<slug>/`.
struct Call {
    verb: &'static str,
    path: &'static str,
    name: &'static str,
    summary: &'static str,
    about: &'static str,
    body: Option<Value>,
    answer: Value,
    statuses: &'static [(&'static str, &'static str)],
}

/// The same with a code of the second factor, which may be left out.
fn coded(mut body: Value) -> Value {
    let members = body.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(members) = members {
        let code = json!({"type": "string", "description": "A code of the second factor, or a recovery code."});
        members.insert("code".to_owned(), code);
    }
    body
}

fn calls(c: &Collection) -> Vec<Call> {
    let email = ("email", "farm1@demo.herdbook");
    let password = ("password", "demo-herdbook");
    let slug = c.slug;
    let own = |name: &str| to_schema(&format!("{slug}-{name}"));
    let told = to_schema("told");
    let mut all = vec![
        Call {
            verb: "post",
            path: "login",
            name: "login",
            summary: "Sign in",
            about: "A wrong password gets the same answer whether there is such an account or not. From the fifth wrong password on, the next one is checked only after a growing delay. A device that is known by its cookie is not delayed by others. Where a second factor is on, a code of it, or a recovery code, is sent as `code`; without one the answer is 401 with the name `SecondFactorRequired`.",
            body: Some(coded(texts(&[email, password]))),
            answer: own("login"),
            statuses: &[
                ("400", "bad-request"),
                ("401", "unauthorized"),
                ("403", "forbidden"),
                ("413", "too-large"),
            ],
        },
        Call {
            verb: "post",
            path: "logout",
            name: "logout",
            summary: "Sign out",
            about: "Ends the session of the token; `allSessions=true` ends all.",
            body: None,
            answer: told.clone(),
            statuses: &[("400", "bad-request")],
        },
        Call {
            verb: "get",
            path: "me",
            name: "me",
            summary: "Who am I",
            about: "Without a valid sign-in the user is null.",
            body: None,
            answer: own("me"),
            statuses: &[("400", "bad-request")],
        },
        Call {
            verb: "post",
            path: "refresh-token",
            name: "refreshToken",
            summary: "Prolong a sign-in",
            about: "The old token stays valid to its own end.",
            body: None,
            answer: own("refreshed"),
            statuses: &[("400", "bad-request"), ("403", "forbidden")],
        },
        Call {
            verb: "post",
            path: "forgot-password",
            name: "forgotPassword",
            summary: "Ask for a new password",
            about: "Sends a link, if there is such an account. The answer is the same if there is none.",
            body: Some(texts(&[email])),
            answer: told.clone(),
            statuses: &[("400", "bad-request"), ("413", "too-large")],
        },
        Call {
            verb: "post",
            path: "reset-password",
            name: "resetPassword",
            summary: "Set a new password",
            about: "Takes the token of the link, which works once. Where a second factor is on, a code of it is needed too.",
            body: Some(coded(texts(&[("token", "from the link"), password]))),
            answer: own("reset"),
            statuses: &[
                ("400", "bad-request"),
                ("401", "unauthorized"),
                ("403", "forbidden"),
                ("413", "too-large"),
            ],
        },
        Call {
            verb: "post",
            path: "unlock",
            name: "unlock",
            summary: "End a delay",
            about: "After too many wrong passwords: the Association or a head sends the address, or anyone sends the token of an email, which makes the device known.",
            body: Some(json!({"anyOf": [texts(&[email]), texts(&[("token", "from the link")])]})),
            answer: told.clone(),
            statuses: &[
                ("400", "bad-request"),
                ("403", "forbidden"),
                ("413", "too-large"),
            ],
        },
        Call {
            verb: "post",
            path: "unlock-link",
            name: "unlockLink",
            summary: "Ask for an unlock link",
            about: "Sends a link that makes a device known, if there is such an account. The answer is the same if there is none.",
            body: Some(texts(&[email])),
            answer: told.clone(),
            statuses: &[("400", "bad-request"), ("413", "too-large")],
        },
        Call {
            verb: "get",
            path: "init",
            name: "initialized",
            summary: "Is there any account",
            about: "Before the first account exists, anyone may create it.",
            body: None,
            answer: to_schema("initialized"),
            statuses: &[("400", "bad-request")],
        },
        Call {
            verb: "post",
            path: "first-register",
            name: "firstRegister",
            summary: "Create the first account",
            about: "Only while there is no account.",
            body: Some(to_schema(&format!("{slug}-create"))),
            answer: own("login"),
            statuses: &[
                ("400", "bad-request"),
                ("403", "forbidden"),
                ("413", "too-large"),
            ],
        },
    ];
    all.push(Call {
        verb: "post",
        path: "verify/{token}",
        name: "verify",
        summary: "Prove an address",
        about: "Takes the token of the email that was sent to the new address of an account. All sessions of the account except the calling one end.",
        body: None,
        answer: told,
        statuses: &[("400", "bad-request"), ("403", "forbidden")],
    });
    all
}

/// The paths of a collection with accounts.
pub(super) fn of(c: &Collection) -> Map<String, Value> {
    let path = |call: Call| {
        let mut operation = json!({
            "operationId": format!("{}{}", call.name, c.singular.replace(' ', "")),
            "tags": [sign_in_tag(c)],
            "summary": call.summary,
            "description": call.about,
            "security": [{}, {"token": []}, {"cookie": []}, {"apiKey": []}],
        });
        if let Some(members) = operation.as_object_mut() {
            if let Some(body) = call.body {
                let content = json!({"application/json": {"schema": body}});
                let body = json!({"required": true, "content": content});
                members.insert("requestBody".to_owned(), body);
            }
            let parameter = match call.name {
                "logout" => json!({
                    "name": "allSessions", "in": "query", "schema": {"type": "boolean"},
                    "description": "Whether all sessions of the user end.",
                }),
                "verify" => json!({
                    "name": "token", "in": "path", "required": true, "schema": {"type": "string"},
                    "description": "From the email.",
                }),
                _ => to_parameter("depth"),
            };
            members.insert("parameters".to_owned(), json!([parameter]));
            let mut answers = replies(("200", ok(call.summary, &call.answer)), []);
            if let Some(answers) = answers.as_object_mut() {
                for (status, name) in call.statuses {
                    answers.insert((*status).to_owned(), super::to_reply(name));
                }
            }
            members.insert("responses".to_owned(), answers);
        }
        let item = Map::from_iter([(call.verb.to_owned(), operation)]);
        (
            format!("/api/{}/{}", c.slug, call.path),
            Value::Object(item),
        )
    };
    let mut paths: Map<String, Value> = calls(c).into_iter().map(path).collect();
    paths.extend(sessions::of(c));
    paths
}
