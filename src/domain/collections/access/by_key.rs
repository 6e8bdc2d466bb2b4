//! What is opened with an API key ends with the key (SECURITY.md): a stolen key must not live on as a grant, a
//! mandate, a view link or a webhook. A key changes only what was opened with it, and may end everything.

use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::notify;
use model::registry::{
    Class, Collection, Command, Decl, Draft, HookContext, ID, Kind, Lookup, Principal, Test, Verb, text_n,
};

/// The field that names the key.
pub(crate) const OPENED_WITH: &str = "openedWith";
/// What openings that end with their key are called, and where they have their end.
const SHARED: [&str; 4] = ["access-grants", "genotype-consents", "share-links", "mandates"];
const REVOKED: &str = "revokedAt";
const NOTE: &str = "note";
/// What is added to the remark.
const ENDED: &str = "Отозвано вместе с ключом API. Ended with its API key.";

/// The key with which a row was opened.
pub(crate) fn opened_with() -> Decl {
    let field = text_n(OPENED_WITH, 40).server().class(Class::Hidden).indexed();
    field.doc("API key with which the row was made; when the key is revoked, what the row opens ends.").into()
}

/// A separate key, by its row.
pub(crate) fn separate_key(id: i64) -> String {
    format!("key {id}")
}

/// The single key of an account.
pub(crate) fn key_of_account(user: i64) -> String {
    format!("account {user}")
}

/// The key of a caller; none: a person.
pub(crate) fn key_of(caller: &Principal) -> Option<String> {
    let key = caller.key.as_ref()?;
    key.id.map(separate_key).or(caller.user.map(key_of_account))
}

/// Notes the key with which rows are made, and refuses changes of what others opened; `opening` names the fields
/// that open more.
pub(crate) fn mark(c: &Collection, caller: &Principal, drafts: &mut [Draft], opening: &[&str]) {
    let Some(key) = key_of(caller) else { return };
    let slot = c.at(OPENED_WITH);
    for draft in drafts {
        match draft.verb {
            Verb::Create => draft.new.set(slot, key.as_str()),
            Verb::Update if draft.new.get(slot).text() != Some(key.as_str()) => {
                let closed = |value: &Value| matches!(value, Value::Bool(false));
                let opened = opening.iter().filter(|path| {
                    let slot = c.at(path);
                    // Sending the field requests a new secret.
                    let secret = c.fields.get(slot).is_some_and(|f| f.kind == Kind::Password);
                    let changed = draft.changes(slot) || (secret && draft.sent.contains(slot));
                    changed && !closed(draft.new.get(slot))
                });
                let message = "An API key changes only what was opened with it.";
                let issues = opened.map(|path| Issue::error(*path, "forbidden-field", message));
                let issues: Vec<Issue> = issues.collect();
                draft.refused.extend(issues);
            }
            Verb::Read | Verb::Update | Verb::Delete => {}
        }
    }
}

/// Ends what was opened with these keys.
pub(crate) async fn end(context: &mut dyn HookContext, keys: Vec<String>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let keys: Vec<Value> = keys.into_iter().map(Value::from).collect();
    let now = Value::Time(context.now());
    for slug in SHARED {
        let lookup = Lookup::default().is_in(OPENED_WITH, keys.clone());
        let lookup = lookup.test(REVOKED, Test::Empty).fields(&[NOTE]);
        let note = context.collection(slug)?.at(NOTE);
        let ended = |row: &Record| {
            let note = row.get(note).text().map(|note| format!("{note}\n{ENDED}"));
            let note = note.unwrap_or_else(|| ENDED.to_owned());
            let fields = vec![(REVOKED.to_owned(), now.clone()), (NOTE.to_owned(), note.into())];
            Some(Command::Update(row.get(ID).int()?, fields))
        };
        let rows = context.find(slug, lookup).await?;
        write(context, slug, rows.iter().filter_map(ended).collect()).await?;
    }
    let webhooks = "webhooks";
    let lookup = Lookup::default().is_in(OPENED_WITH, keys).fields(&["id"]);
    let lookup = lookup.is_in(notify::ENABLED, vec![Value::Bool(true)]);
    let stopped = |row: &Record| {
        let fields = vec![
            (notify::ENABLED.to_owned(), Value::Bool(false)),
            (notify::DISABLED_AT.to_owned(), now.clone()),
            (notify::DISABLED_REASON.to_owned(), notify::KEY_REVOKED.into()),
        ];
        Some(Command::Update(row.get(ID).int()?, fields))
    };
    let rows = context.find(webhooks, lookup).await?;
    write(context, webhooks, rows.iter().filter_map(stopped).collect()).await
}

async fn write(context: &mut dyn HookContext, slug: &str, commands: Vec<Command>) -> Result<()> {
    context.write(slug, commands).await.map(drop)
}
