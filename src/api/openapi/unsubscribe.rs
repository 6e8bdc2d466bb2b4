//! The link that ends emails (docs/letters.md, *Ending them*), for collections whose accounts get such.

use super::replies::{replies, sign_in_tag};
use model::registry::Collection;
use serde_json::{Map, Value, json};

/// `/api/<slug>/unsubscribe`
pub(super) fn of(c: &Collection) -> Map<String, Value> {
    let mut paths = Map::new();
    if c.sign_in.wishes.is_empty() {
        return paths;
    }
    let token = json!({
        "name": "token", "in": "query", "required": true, "schema": {"type": "string"},
        "description": "From the link in an email.",
    });
    let page = |about: &str| json!({"description": about, "content": {"text/html": {"schema": {"type": "string"}}}});
    let call = |verb: &str, summary: &str, about: &str| {
        let mut answers = replies(("200", page(about)), []);
        if let Some(answers) = answers.as_object_mut() {
            let unknown = "The token ends nothing, whatever the reason.";
            answers.insert("400".to_owned(), page(unknown));
        }
        json!({
            "operationId": format!("{verb}{}", c.singular.replace(' ', "")),
            "tags": [sign_in_tag(c)], "summary": summary, "description": about,
            "security": [{}],
            "responses": answers,
        })
    };
    let ask = call(
        "askToUnsubscribe",
        "Ask whether emails are to end",
        "A page with a button. Nothing is changed.",
    );
    let end = call(
        "unsubscribe",
        "End emails of a kind",
        "Clears the flag of the account (RFC 8058). The body says nothing that the token does not.",
    );
    let path = json!({"parameters": [token], "get": ask, "post": end});
    paths.insert(format!("/api/{}/unsubscribe", c.slug), path);
    paths
}
