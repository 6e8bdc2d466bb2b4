//! New passwords become verifiers before the transaction begins: hashing is slow by design, and other writes must not
//! wait for it. A password that is going to be refused is not hashed, and a request sets a limited number of passwords.

use crate::access::{Decision, Gate};
use crate::{Book, Item, checked, handling};
use model::error::{Error, Result, Severity};
use model::record::Value;
use model::registry::sign_in::{CURRENT_PASSWORD, NEW_EMAIL_TOKEN, RESET_TOKEN};
use model::registry::{Caller, Collection, Field, Kind, Principal, Rule, Verb};
use model::said;
use std::sync::Arc;

/// Passwords that one request may set.
const MOST: usize = 20;

impl Book {
    /// Turns passwords into verifiers. A changed password ends all sessions.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the request sets too many, [`Error::Unavailable`] when too many
    /// others wait.
    pub async fn with_verifiers(
        &self,
        caller: &Principal,
        c: &'static Collection,
        mut items: Vec<Item>,
    ) -> Result<Vec<Item>> {
        if !c.auth || caller.caller == Caller::Anonymous || caller.key.is_some() {
            return Ok(items);
        }
        let gate = Gate { registry: self.registry, principal: caller, now: self.clock.now(), sizes: None };
        let due: Vec<(&mut Item, String)> = (items.iter_mut())
            .filter_map(|item| {
                let (field, password) = password_of(c, item)?;
                let set = !is_lost(&gate, c, item, (field, &password));
                set.then_some((item, password))
            })
            .collect();
        if handling::passwords(due.len()) > MOST {
            return Err(Error::Malformed(said!("A request may set at most {limit} passwords.", limit = MOST)));
        }
        for (item, password) in due {
            let place = self.checks.enter().await?;
            let passwords = Arc::clone(&self.passwords);
            let hashed = tokio::task::spawn_blocking(move || {
                let hash = passwords.hash(&password);
                // A client that hangs up frees no place while the hash is computed.
                drop(place);
                hash
            });
            // What cannot be hashed is too long; the field's limits say so.
            let Ok(hash) = hashed.await.map_err(Error::internal)? else { continue };
            item.server.push((c.at("verifier"), hash.into()));
            // A token for a new password is not needed once the password is set.
            item.server.push((c.at(RESET_TOKEN), Value::Null));
            // A new address that was requested under the old password becomes invalid, too.
            item.server.push((c.at(NEW_EMAIL_TOKEN), Value::Null));
            if item.verb == Verb::Update {
                item.server.push((c.at("sessions"), Value::json(serde_json::Value::Array(Vec::new()))));
            }
        }
        Ok(items)
    }
}

fn password_of(c: &'static Collection, item: &Item) -> Option<(&'static Field, String)> {
    item.body.iter().find_map(|(slot, value)| {
        let field = c.fields.get(*slot)?;
        let password = field.kind == Kind::Password && !field.shown_once && field.path != CURRENT_PASSWORD;
        password.then(|| Some((field, value.text()?.to_owned())))?
    })
}

/// Whether it is certain before any row is read that the item is refused.
fn is_lost(gate: &Gate<'_>, c: &'static Collection, item: &Item, (field, password): (&Field, &str)) -> bool {
    let caller = gate.principal;
    let denied = matches!(gate.write(c, item.verb), Decision::Deny);
    // A user who manages a team sets no passwords in it.
    let strange = *c.access.rule(item.verb) == Rule::SelfRow
        && caller.caller != Caller::System
        && !caller.admin
        && item.id != caller.user;
    let unconfirmed = item.verb == Verb::Update && !caller.is_fresh(gate.now);
    let faults = checked(field, &Value::from(password));
    let bad = faults.iter().any(|fault| fault.severity >= Severity::Error);
    denied || strange || unconfirmed || bad || !item.is_sound()
}
