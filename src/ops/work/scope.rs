//! Values that reach only as far as their caller: relations that may name only what he
//! reads, and conditions that may ask only what he could ask himself.

use super::Work;
use crate::error::{Error, Issue, Result};
use crate::ops::access::Gate;
use crate::ops::ask;
use crate::query::Filter;
use crate::query::qs::Tree;
use crate::record::Value;
use crate::registry::{Collection, Draft, Field, Principal, Verb};
use crate::store::{Scan, Sql, Ty, condition};
use std::collections::BTreeSet;

/// Ids in one statement.
const LIST: usize = 5_000;

impl Work<'_> {
    /// Refuses what reaches further than the caller: an unreadable record in the words for
    /// one that does not exist, a condition with the paths that he cannot ask.
    pub(super) async fn reach(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        drafts: &mut [Draft],
    ) -> Result<()> {
        for (slot, field) in c.fields.iter().enumerate() {
            if field.seen {
                self.named(slot, field, caller, drafts).await?;
            }
            if let Some(target) = field.asks.and_then(|slug| self.registry.get(slug)) {
                for draft in written(drafts, slot) {
                    let fault = self.unasked(target, caller, draft.new.get(slot));
                    let fault = fault?.map(|text| Issue::error(&field.path, "not-a-where", text));
                    draft.issues.extend(fault);
                }
            }
        }
        Ok(())
    }

    fn gate<'p>(&self, principal: &'p Principal) -> Gate<'p> {
        Gate {
            registry: self.registry,
            principal,
            now: self.tx.now(),
            sizes: None,
        }
    }

    async fn named(
        &mut self,
        slot: usize,
        field: &Field,
        caller: &Principal,
        drafts: &mut [Draft],
    ) -> Result<()> {
        let Some(target) = field.target().and_then(|slug| self.registry.get(slug)) else {
            return Ok(());
        };
        let readable = self.gate(caller).readable(target);
        if matches!(readable, Filter::True) {
            return Ok(());
        }
        let wanted: BTreeSet<i64> = written(drafts, slot)
            .flat_map(|d| ids(d.new.get(slot)))
            .collect();
        let wanted: Vec<i64> = wanted.into_iter().collect();
        let mut known = BTreeSet::new();
        for piece in wanted.chunks(LIST) {
            let mut scan = Scan::new(self.tx.dialect());
            let mut sql = Sql::new("SELECT a.\"id\" FROM ");
            sql.name(&target.table).push(" a WHERE a.\"id\" IN ");
            sql.bind_list(Ty::Int, piece.iter().copied().map(Value::Int));
            sql.push(" AND ");
            condition(&mut scan, &mut sql, target, "a", &readable);
            let rows = self.tx.rows(sql.one_off()).await?;
            known.extend(rows.iter().filter_map(|row| row.int(0)));
        }
        for draft in written(drafts, slot) {
            let named = ids(draft.new.get(slot));
            let bad: Vec<String> = (named.iter().enumerate())
                .filter(|(_, id)| !known.contains(*id))
                .map(|(i, id)| format!("{id} {i}"))
                .collect();
            if bad.is_empty() {
                continue;
            }
            // Takes the place of what was said of the records that do not exist, so that
            // both are told in one breath.
            draft.issues.retain(|issue| issue.path != field.path);
            let text = format!(
                "This relationship field has the following invalid relationships: {}",
                bad.join(", ")
            );
            let issue = Issue::error(&field.path, "invalid-relation", text);
            draft.issues.push(issue);
        }
        Ok(())
    }

    /// What is wrong with a stored condition, if anything.
    fn unasked(
        &self,
        target: &'static Collection,
        caller: &Principal,
        value: &Value,
    ) -> Result<Option<String>> {
        let Value::Json(json) = value else {
            return Ok(None);
        };
        if !json.is_object() {
            return Ok(Some("This must be an object of conditions.".to_owned()));
        }
        match ask::condition(self.gate(caller), target, &Tree::from(json.clone())) {
            Ok(_) => Ok(None),
            Err(Error::Query(paths)) => Ok(Some(format!(
                "The following paths cannot be queried: {}",
                paths.join(", ")
            ))),
            Err(Error::Dear(paths)) => Ok(Some(format!(
                "The following paths are too expensive to query: {}",
                paths.join(", ")
            ))),
            Err(Error::Malformed(text)) => Ok(Some(text)),
            Err(error) => Err(error),
        }
    }
}

/// The drafts that write another value there.
fn written(drafts: &mut [Draft], slot: usize) -> impl Iterator<Item = &mut Draft> {
    (drafts.iter_mut()).filter(move |d| d.verb != Verb::Delete && d.changes(slot))
}

fn ids(value: &Value) -> Vec<i64> {
    value
        .int()
        .map_or_else(|| value.ids().to_vec(), |id| vec![id])
}
