//! Tokens and signing keys of rows (invitations, links, webhooks): random, returned by the answer to the write that
//! created them. Of a token, a digest is stored; a signing key is needed again, and is stored encrypted.

use crate::write::WriteTransaction;
use model::error::{Error, Result};
use model::record::Value;
use model::registry::{Collection, Draft, KeyFields, Verb};
use secure::keys::Purpose;
use secure::signing::signing_key;
use secure::token::mint;

impl WriteTransaction<'_> {
    /// Gives every new row its tokens ([`model::registry::Field::digest`]) and its signing key
    /// ([`model::registry::Field::keyed`]), and other rows a new one where the write requests it.
    pub(crate) fn give_tokens(&self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        for (slot, field) in c.fields.iter().enumerate() {
            if let Some(digest) = field.digest {
                for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
                    let minted = mint();
                    draft.new.set(slot, minted.token);
                    draft.new.set(c.at(digest), minted.digest);
                }
            }
            if let Some(keyed) = field.keyed {
                for draft in drafts.iter_mut() {
                    self.key(c, (slot, keyed), draft)?;
                }
            }
        }
        Ok(())
    }

    fn key(&self, c: &'static Collection, (slot, keyed): (usize, KeyFields), draft: &mut Draft) -> Result<()> {
        let is_requested = draft.verb == Verb::Update && draft.sent.contains(slot);
        if draft.verb != Verb::Create && !is_requested {
            return Ok(());
        }
        let key = signing_key();
        let closed = self.keys()?.close(Purpose::Webhook, key.as_bytes()).map_err(Error::internal)?;
        if is_requested {
            let before = draft.new.get(c.at(keyed.current)).clone();
            draft.new.set(c.at(keyed.former), before);
            draft.new.set(c.at(keyed.since), Value::Time(self.tx.now()));
        }
        draft.new.set(c.at(keyed.current), closed);
        draft.new.set(slot, key);
        Ok(())
    }
}
