//! What the visitor may do, as the REST face says (`POST /api/<slug>/access[/<id>]`): pages offer nothing else.

use crate::components::shell::Shell;
use model::registry::Collection;
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct Rights(Value);

impl Rights {
    pub(crate) async fn of(shell: &Shell<'_>, c: &Collection, id: Option<i64>) -> Self {
        let row = id.map(|id| format!("/{id}")).unwrap_or_default();
        let path = format!("/api/{}/access{row}", c.slug);
        let answer = shell.post(&path, &json!({})).await;
        Self(answer.body)
    }

    /// Whether a verb is allowed: `create`, `update`, `delete`, `read`. A condition counts as yes; the row decides.
    pub(crate) fn may(&self, verb: &str) -> bool {
        is_granted(self.0.get(verb))
    }

    /// Whether a field may be written by that verb.
    pub(crate) fn may_write(&self, path: &str, verb: &str) -> bool {
        self.may_with(path, verb)
    }

    /// Whether a field may be read, on some row at least.
    pub(crate) fn may_read(&self, path: &str) -> bool {
        self.may_with(path, "read")
    }

    fn may_with(&self, path: &str, verb: &str) -> bool {
        let mut fields = self.0.get("fields");
        let mut steps = path.split('.').peekable();
        while let Some(step) = steps.next() {
            let own = fields.and_then(|fields| fields.get(step));
            if steps.peek().is_none() {
                return own.is_some_and(|own| is_granted(own.get(verb)));
            }
            fields = own.and_then(|own| own.get("fields"));
        }
        false
    }
}

/// Rights on all collections (`GET /api/access`).
#[derive(Debug)]
pub(super) struct AllRights(Value);

impl AllRights {
    pub(super) async fn of(shell: &Shell<'_>) -> Self {
        let answer = shell.get("/api/access").await;
        Self(answer.body)
    }

    /// Whether the visitor reads rows of the collection, or may.
    pub(super) fn may_read(&self, c: &Collection) -> bool {
        self.on(c).may("read")
    }

    /// Those on one collection.
    pub(super) fn on(&self, c: &Collection) -> Rights {
        let own = self.0.get("collections").and_then(|all| all.get(c.slug));
        Rights(own.cloned().unwrap_or_default())
    }
}

fn is_granted(permission: Option<&Value>) -> bool {
    match permission {
        Some(Value::Bool(yes)) => *yes,
        Some(Value::Object(_)) => true,
        _ => false,
    }
}
