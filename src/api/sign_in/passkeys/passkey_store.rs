//! The passkeys of an account as they are stored, beside its codes: what each is called, when it was made and used, and
//! the key. What authenticators send, as far as it says which account, key and question are meant.

use super::super::factor::Factor;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::error::Result;
use model::record::Value;
use model::record::time::to_iso;
use model::registry::sign_in::PASSKEY_HANDLE;
use model::registry::{Collection, HookContext, Lookup};
use secure::passkey::name_of;
use serde_json::{Value as Json, json};
use uuid::Uuid;

/// Passkeys that an account may have.
pub(in crate::sign_in) const MOST: usize = 20;

/// What an authenticator sent, as far as it is read here.
#[derive(Debug)]
pub(in crate::sign_in) struct AuthenticatorAnswer {
    pub(in crate::sign_in) challenge: String,
    /// The account, as the authenticator names it; none for a new passkey.
    pub(in crate::sign_in) handle: Option<String>,
    pub(in crate::sign_in) name: String,
}

impl AuthenticatorAnswer {
    /// None where it does not say so much.
    pub(in crate::sign_in) fn read(credential: &Json) -> Option<Self> {
        let text = |place: &str| credential.pointer(place).and_then(Json::as_str);
        let data: Json = serde_json::from_slice(&bytes(text("/response/clientDataJSON")?)?).ok()?;
        let handle = text("/response/userHandle").and_then(bytes);
        let handle = handle.and_then(|handle| Uuid::from_slice(&handle).ok());
        Some(Self {
            challenge: data.get("challenge")?.as_str()?.to_owned(),
            handle: handle.map(|handle| handle.to_string()),
            name: URL_SAFE_NO_PAD.encode(bytes(text("/rawId")?)?),
        })
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

/// The handle by which authenticators name an account: the stored one, or a new one.
pub(in crate::sign_in) async fn handle(context: &mut dyn HookContext, c: &'static Collection, id: i64) -> Result<Uuid> {
    let lookup = Lookup::by_ids("id", [id]).fields(&[PASSKEY_HANDLE]);
    let rows = context.find(c.slug, lookup).await?;
    let stored = rows.first().and_then(|row| row.get(c.at(PASSKEY_HANDLE)).text());
    if let Some(stored) = stored.and_then(|stored| Uuid::parse_str(stored).ok()) {
        return Ok(stored);
    }
    let fresh = Uuid::new_v4();
    let fields = vec![(c.at(PASSKEY_HANDLE), Value::from(fresh.to_string()))];
    context.amend(c.slug, vec![(id, fields)]).await?;
    Ok(fresh)
}

pub(in crate::sign_in) fn stored(name: &str, key: Json, now: i64) -> Json {
    json!({"id": Uuid::new_v4().to_string(), "name": name, "createdAt": to_iso(now), "lastUsedAt": null, "key": key})
}

/// A stored passkey as its owner sees it.
pub(in crate::sign_in) fn document(stored: &Json) -> Json {
    let member = |name| stored.get(name).cloned().unwrap_or_default();
    json!({
        "id": member("id"), "name": member("name"), "createdAt": member("createdAt"),
        "lastUsedAt": member("lastUsedAt"),
    })
}

pub(in crate::sign_in) fn key(stored: &Json) -> Option<&Json> {
    stored.get("key")
}

/// Whether a stored passkey is the one of that name.
pub(in crate::sign_in) fn is(stored: &Json, name: &str) -> bool {
    key(stored).and_then(name_of) == Some(name)
}

/// Whether a stored passkey has that id.
pub(in crate::sign_in) fn has_id(stored: &Json, id: &str) -> bool {
    stored.get("id").and_then(Json::as_str) == Some(id)
}

#[derive(Debug)]
pub(in crate::sign_in) struct PasskeyProof {
    pub(in crate::sign_in) name: String,
    /// The key by which it was judged.
    pub(in crate::sign_in) by: Json,
    pub(in crate::sign_in) now: Json,
}

impl PasskeyProof {
    /// Stores its counter and the time; false when the passkey was used or removed since it was
    /// read: then it was judged by outdated data.
    pub(in crate::sign_in) async fn keep(
        &self,
        context: &mut dyn HookContext,
        c: &'static Collection,
        id: i64,
        now: i64,
    ) -> Result<bool> {
        let mut factor = Factor::read(context, c, id).await?;
        let stored = factor.passkeys.iter_mut().find(|one| is(one, &self.name));
        let Some(stored) = stored.filter(|one| key(one) == Some(&self.by)) else {
            return Ok(false);
        };
        if let Some(members) = stored.as_object_mut() {
            members.insert("key".to_owned(), self.now.clone());
            members.insert("lastUsedAt".to_owned(), to_iso(now).into());
        }
        factor.write(context, c, id).await?;
        Ok(true)
    }
}
