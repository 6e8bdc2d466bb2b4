//! Rules of rows that sign in: what heads of a team may change of others, and API keys.

use crate::write::WriteTransaction;
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::sign_in::{API_KEY, API_KEY_INDEX, CURRENT_PASSWORD, ENABLE_API_KEY};
use model::registry::{Caller, Collection, Draft, Kind, Principal, Rule, Verb, Writer};
use secure::keys::random_secret;
use secure::weak::weakness;

impl WriteTransaction<'_> {
    /// After the rules allowed the write: refuses fields that the caller may not write, and weak
    /// passwords, and replaces keys by their digests.
    pub(crate) fn accounts(&self, c: &'static Collection, caller: &Principal, drafts: &mut [Draft]) -> Result<()> {
        if !c.auth {
            return Ok(());
        }
        for draft in drafts.iter_mut().filter(|d| d.verb != Verb::Delete) {
            others(c, caller, draft);
            self.new_password(c, draft);
            if c.sign_in.api_keys {
                self.api_key(c, draft)?;
            }
        }
        Ok(())
    }

    /// A new password is none that anybody would try.
    fn new_password(&self, c: &'static Collection, draft: &mut Draft) {
        let field = |f: &&model::registry::Field| f.kind == Kind::Password && !f.shown_once;
        let Some(field) = c.fields.iter().find(field) else { return };
        let slot = c.at(&field.path);
        let Some(password) = draft.new.get(slot).text().filter(|_| draft.sent.contains(slot)) else { return };
        let about = about(c, &draft.new).into_iter().chain(self.services.as_ref().map(|services| &*services.service));
        let about: Vec<&str> = about.collect();
        #[expect(clippy::cast_precision_loss, reason = "lengths of texts stay far below 2^53")]
        let length = password.chars().count() as f64;
        // Shorter ones are already refused as too short.
        let long = field.min.is_none_or(|min| length >= min);
        if let Some(why) = weakness(password, &about).filter(|_| long) {
            draft.issues.push(Issue::error(field.path.clone(), "weak-password", why));
        }
    }

    /// A key that is switched on without being sent is made; what is stored is a digest.
    /// Sending back what a document shows keeps the key that is there.
    fn api_key(&self, c: &'static Collection, draft: &mut Draft) -> Result<()> {
        let (key, index) = (c.at(API_KEY), c.at(API_KEY_INDEX));
        if !draft.new.get(c.at(ENABLE_API_KEY)).truth() {
            draft.new.set(key, Value::Null);
            draft.new.set(index, Value::Null);
            return Ok(());
        }
        let key_text = draft.new.get(key).text().filter(|text| !text.is_empty());
        let key_text = match key_text {
            Some(key_text) => key_text.to_owned(),
            None if draft.new.get(index).is_null() => random_secret(),
            None => {
                draft.new.set(key, Value::Null);
                return Ok(());
            }
        };
        let digest = self.keys()?.api_key(&key_text);
        draft.new.set(key, key_text);
        draft.new.set(index, digest);
        Ok(())
    }
}

/// Address and names of the person of a row.
pub fn about<'r>(c: &Collection, row: &'r Record) -> Vec<&'r str> {
    let slots = ["email"].iter().chain(c.logging.names).filter_map(|path| c.slot(path));
    slots.filter_map(|slot| row.get(slot).text()).collect()
}

/// A user who manages a team changes its members' standing (`@T`), not their persons, addresses,
/// passwords or keys (docs/design/access.md, *The twelve rules*).
fn others(c: &'static Collection, caller: &Principal, draft: &mut Draft) {
    let team =
        *c.access.rule(draft.verb) == Rule::SelfRow && caller.caller == Caller::Farm && caller.user != Some(draft.id);
    if !team {
        return;
    }
    let refused_paths: Vec<&str> = draft.refused.iter().map(|i| i.path.as_str()).collect();
    let strange: Vec<Issue> = (c.fields.iter().enumerate())
        .filter(|(slot, f)| {
            f.writer == Writer::Anyone
                && f.path != CURRENT_PASSWORD
                && draft.sent.contains(*slot)
                && draft.changes(*slot)
                && !refused_paths.contains(&f.path.as_str())
        })
        .map(|(_, f)| Issue::error(f.path.clone(), "forbidden-field", "Only the user concerned may change this."))
        .collect();
    draft.refused.extend(strange);
}
