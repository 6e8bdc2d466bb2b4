//! Stored conditions may query only what their caller may query.

use crate::access::Gate;
use crate::ask;
use crate::write::WriteTransaction;
use model::error::{Error, Issue, Result};
use model::messages::Sentence;
use model::query::qs::Tree;
use model::record::Value;
use model::registry::{Collection, Draft, Principal, Verb};
use model::said;

impl WriteTransaction<'_> {
    /// Refuses stored conditions, with the paths that the caller may not query.
    pub(crate) fn check_stored_queries(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        drafts: &mut [Draft],
    ) -> Result<()> {
        for (slot, field) in c.fields.iter().enumerate() {
            if let Some(target) = field.asks.and_then(|slug| self.registry.get(slug)) {
                for draft in written(drafts, slot) {
                    let fault = self.condition_fault(target, caller, draft.new.get(slot));
                    draft.issues.extend(fault?.map(|text| Issue::error(&field.path, "not-a-where", text)));
                }
            }
        }
        Ok(())
    }

    fn gate<'p>(&self, principal: &'p Principal) -> Gate<'p> {
        Gate { registry: self.registry, principal, now: self.tx.now(), sizes: None }
    }

    /// The fault of a stored condition, if it has one.
    fn condition_fault(
        &self,
        target: &'static Collection,
        caller: &Principal,
        value: &Value,
    ) -> Result<Option<Sentence>> {
        let Value::Json(json) = value else { return Ok(None) };
        if !json.is_object() {
            return Ok(Some("This must be an object of conditions.".into()));
        }
        match ask::condition(self.gate(caller), target, &Tree::from((**json).clone())) {
            Ok(_) => Ok(None),
            Err(Error::Query(paths)) => {
                Ok(Some(said!("The following paths cannot be queried: {paths}", paths = paths.join(", "))))
            }
            Err(Error::Dear(paths)) => {
                Ok(Some(said!("The following paths are too expensive to query: {paths}", paths = paths.join(", "))))
            }
            Err(Error::Malformed(text)) => Ok(Some(text)),
            Err(error) => Err(error),
        }
    }
}

/// The drafts that write another value there.
fn written(drafts: &mut [Draft], slot: usize) -> impl Iterator<Item = &mut Draft> {
    (drafts.iter_mut()).filter(move |d| d.verb != Verb::Delete && d.changes(slot))
}
