//! Tokens of new rows (invitations, links): random, handed out by the answer to the write
//! that made the row, kept as digests only.

use crate::registry::{Collection, Draft, Verb};
use crate::secure::token::mint;

/// Gives every new row its tokens ([`crate::registry::Field::digest`]).
pub(super) fn give(c: &'static Collection, drafts: &mut [Draft]) {
    for (slot, field) in c.fields.iter().enumerate() {
        let Some(digest) = field.digest else { continue };
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            let minted = mint();
            draft.new.set(slot, minted.token);
            draft.new.set(c.at(digest), minted.digest);
        }
    }
}
