//! Marks that at most one row of a group carries: the default profile of an organisation,
//! the active base, the current row of an animal. The row that is marked last has it.

use crate::collections::events::history::Amendments;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Change, Draft, HookContext, ID, Lookup, Test, Verb};
use std::collections::BTreeMap;

/// The rows of a group, by the relation that they share; those without one are a group too.
type Group = Option<i64>;

/// A mark and the relation within which it is given once.
#[derive(Debug, Clone, Copy)]
pub(super) struct CurrentMark {
    /// Slot of the mark.
    pub(super) mark: usize,
    /// Slot of the relation; none: once in the collection.
    pub(super) within: Option<usize>,
}

impl CurrentMark {
    pub(super) fn marked(self, row: &Record) -> bool {
        row.get(self.mark).truth()
    }

    fn group(self, row: &Record) -> Group {
        self.within.and_then(|slot| row.get(slot).int())
    }

    /// The group in which a row gets the mark by this write.
    pub(super) fn claims(self, old: Option<&Record>, new: &Record) -> Option<Group> {
        let group = self.group(new);
        let had = old.is_some_and(|old| self.marked(old) && self.group(old) == group);
        (self.marked(new) && !had).then_some(group)
    }

    /// Of the rows of one set that get the mark of a group the last one keeps it: the same
    /// as if they had been written one after another.
    pub(super) fn settle(self, drafts: &mut [Draft]) {
        let last: BTreeMap<Group, i64> = (drafts.iter())
            .filter(|d| d.verb != Verb::Delete && d.clean())
            .filter_map(|d| Some((self.claims(d.old.as_ref(), &d.new)?, d.id)))
            .collect();
        for draft in drafts.iter_mut().filter(|d| d.verb != Verb::Delete) {
            let winner = last.get(&self.group(&draft.new));
            if self.marked(&draft.new) && winner.is_some_and(|id| *id != draft.id) {
                draft.new.set(self.mark, false);
            }
        }
    }

    /// The rows that got the mark, by group.
    pub(super) fn winners(self, changes: &[Change]) -> BTreeMap<Group, i64> {
        (changes.iter()).filter_map(|c| Some((self.claims(c.old.as_ref(), c.new.as_ref()?)?, c.id))).collect()
    }

    /// Takes the mark from the rows that had it before: a look-up or two and one write.
    pub(super) async fn replace(
        self,
        context: &mut dyn HookContext,
        slug: &str,
        [mark, within]: [&str; 2],
        changes: &[Change],
    ) -> Result<()> {
        let winners = self.winners(changes);
        let marked = || Lookup::default().is_in(mark, vec![Value::Bool(true)]);
        let fields = [mark, within];
        let fields = if self.within.is_some() { &fields[..] } else { &fields[..1] };
        let mut rows = Vec::new();
        let groups: Vec<Value> = (winners.keys().flatten()).map(|id| Value::Int(*id)).collect();
        if !groups.is_empty() {
            let lookup = marked().is_in(within, groups).fields(fields);
            rows.extend(context.find(slug, lookup).await?);
        }
        if winners.contains_key(&None) {
            let ungrouped = match self.within {
                Some(_) => marked().test(within, Test::Empty),
                None => marked(),
            };
            rows.extend(context.find(slug, ungrouped.fields(fields)).await?);
        }
        let mut amendments = Amendments::default();
        for row in rows {
            if winners.get(&self.group(&row)).copied() != row.get(ID).int() {
                amendments.note(&row, [(self.mark, Value::Bool(false))]);
            }
        }
        amendments.write(context, slug).await
    }
}
