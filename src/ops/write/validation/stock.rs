//! Limits of stored data: rows of a collection that count, and the bytes of files. Counted within
//! the transaction of the write, beside which no other runs, by the index of the relation: no
//! number of writers exceeds a limit, and no counter has to be maintained.

use crate::quota::{self, Allowed, Holder, StoredAmount};
use crate::write::WriteTransaction;
use model::error::{Issue, Result, Severity};
use model::registry::{Caller, Collection, Draft, Principal, Verb};
use model::said;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The code of the fault of a row beyond the limit.
const CODE: &str = "quota";

impl WriteTransaction<'_> {
    /// Refuses what a farm may not keep besides what it has. The Association and the service
    /// may go beyond, and what they make counts all the same.
    pub(crate) async fn check_stock(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        drafts: &mut [Draft],
    ) -> Result<()> {
        let Some(usual) = self.services.as_ref().map(|services| services.stock) else { return Ok(()) };
        if c.stock.is_none() || caller.caller != Caller::Farm {
            return Ok(());
        }
        let mut amounts: BTreeMap<Holder, (StoredAmount, Allowed)> = BTreeMap::new();
        for draft in drafts.iter_mut() {
            // What is only remarked, an unknown field, refuses nothing: the row is written.
            let wrong = |issue: &Issue| issue.severity == Severity::Error;
            let sound = !draft.issues.iter().any(wrong) && draft.refused.is_empty();
            let adds = match draft.verb {
                Verb::Create => 1,
                Verb::Update => 0,
                Verb::Delete | Verb::Read => continue,
            };
            let before = (draft.old.as_ref()).map_or(0, |old| quota::bytes_of(c, old));
            let bytes = quota::bytes_of(c, &draft.new).saturating_sub(before);
            let Some(holder) = quota::holder(c, &draft.new).filter(|_| sound) else { continue };
            if adds == 0 && bytes == 0 {
                continue;
            }
            let Some(holder) = self.holder(c, holder).await? else { continue };
            let (stored, allowed) = match amounts.entry(holder) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(vacant) => {
                    let set = match quota::set_for(self.registry, holder) {
                        None => None,
                        Some(sql) => self.tx.rows(sql).await?.into_iter().next(),
                    };
                    let allowed = usual.of(holder, set.as_ref());
                    let rows = self.tx.rows(quota::stored_amount(self.registry, c, holder)).await?;
                    vacant.insert((StoredAmount::read(rows.first()), allowed))
                }
            };
            let most = if c.upload.is_some() { allowed.files } else { allowed.records };
            let rows = stored.rows.saturating_add(adds);
            let size = stored.bytes.saturating_add(bytes);
            if adds > 0 && most.is_some_and(|most| rows > most) {
                let message = said!(
                    "The limit of stored rows or files is reached ({limit}). Delete some, or ask the Association for \
                     more.",
                    limit = most.unwrap_or_default()
                );
                (draft.refused).push(Issue::error(quota::path(c, holder), CODE, message));
            } else if bytes > 0 && allowed.storage.is_some_and(|most| size > most) {
                let message = said!(
                    "No more than {limit} bytes of files may be stored. Delete some, or ask the Association for more.",
                    limit = allowed.storage.unwrap_or_default()
                );
                draft.refused.push(Issue::error("file", CODE, message));
            } else {
                stored.rows = rows;
                stored.bytes = size;
            }
        }
        Ok(())
    }
    /// The owner for whom a row counts that names it, or a record of it.
    async fn holder(&mut self, c: &'static Collection, holder: Holder) -> Result<Option<Holder>> {
        let Holder::Organization(id) = holder else { return Ok(Some(holder)) };
        let Some(sql) = quota::organization_of(self.registry, c, id) else { return Ok(Some(holder)) };
        let rows = self.tx.rows(sql).await?;
        Ok(rows.first().and_then(|row| row.int(0)).map(Holder::Organization))
    }
}
