//! The book as hooks see it: [`BookReader`] and [`HookContext`] of a running write.

use super::{Item, Outcome, WriteTransaction};
use crate::jobs;
use async_trait::async_trait;
use model::error::{Error, Issue, Result, Severity};
use model::letter::Letter;
use model::outward::Policy;
use model::record::zone::{TimeZone, usual};
use model::record::{Record, SlotSet, Value};
use model::registry::{
    BookReader, Class, Collection, Command, Field, HookContext, ID, Lookup, Operation, PendingRecompute, Principal,
    Rules, Series, SignedStatement, Verb,
};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Values by slot, of rows by id.
type Values = BTreeMap<i64, Vec<(usize, Value)>>;

#[async_trait]
impl BookReader for WriteTransaction<'_> {
    fn now(&self) -> i64 {
        self.tx.now()
    }

    fn caller(&self) -> &Principal {
        &self.caller
    }

    fn collection(&self, slug: &str) -> Result<&'static Collection> {
        self.registry.get(slug).ok_or_else(|| Error::internal(format!("no collection {slug}")))
    }

    fn loads(&self) -> bool {
        self.is_load()
    }

    async fn find(&mut self, slug: &str, lookup: Lookup) -> Result<Vec<Record>> {
        let c = self.collection(slug)?;
        self.load(c, &lookup).await
    }

    async fn count(&mut self, slug: &str, lookup: Lookup, most: i64) -> Result<i64> {
        let c = self.collection(slug)?;
        self.count_rows(c, &lookup, most).await
    }

    async fn series(
        &mut self,
        slug: &str,
        relation: &str,
        ids: &[i64],
        fields: &[&str],
    ) -> Result<BTreeMap<i64, Series>> {
        let c = self.collection(slug)?;
        self.load_series(c, relation, ids, fields).await
    }

    async fn reads(&mut self, slug: &str, class: Class, ids: BTreeSet<i64>) -> Result<BTreeSet<i64>> {
        self.rows_read(self.collection(slug)?, class, ids).await
    }

    fn rules(&self) -> Rules {
        (self.services.as_ref()).map_or_else(Rules::default, |services| services.rules)
    }

    fn outward(&self) -> Policy {
        (self.services.as_ref()).map_or_else(Policy::default, |services| (*services.policy).clone())
    }

    fn zone(&self) -> TimeZone {
        (self.services.as_ref()).map_or_else(usual, |services| services.zone.clone())
    }

    fn offers(&self, dataset: &str) -> bool {
        (self.services.as_ref()).is_some_and(|services| services.projection.offers(dataset))
    }

    fn delegates(&self, dataset: &str) -> bool {
        (self.services.as_ref()).is_some_and(|services| services.projection.delegates(dataset))
    }

    async fn signed_part(&mut self, slug: &str, package: i64, part: i64) -> Result<Option<String>> {
        self.stored_part(slug, package, part).await
    }
}

#[async_trait]
impl HookContext for WriteTransaction<'_> {
    async fn write(&mut self, slug: &str, commands: Vec<Command>) -> Result<Vec<i64>> {
        if commands.is_empty() {
            return Ok(Vec::new());
        }
        let c = self.collection(slug)?;
        let items = (commands.into_iter()).map(|command| item(c, command)).collect::<Result<Vec<_>>>()?;
        let system = Arc::new(Principal::system());
        let mut ids = Vec::with_capacity(items.len());
        for outcome in WriteTransaction::write(self, c, &system, items).await? {
            match outcome {
                Outcome::Done(change, _) => ids.push(change.id),
                Outcome::Unchanged(id, _, _) => ids.push(id),
                Outcome::Refused(error) => return Err(error),
            }
        }
        Ok(ids)
    }

    async fn write_and_forget(&mut self, slug: &str, commands: Vec<Command>) -> Result<()> {
        self.write_forgotten(slug, commands).await
    }

    async fn amend(&mut self, slug: &str, rows: Vec<(i64, Vec<(usize, Value)>)>) -> Result<()> {
        let c = self.collection(slug)?;
        self.amend_rows(c, rows).await
    }

    async fn amend_and_forget(&mut self, slug: &str, rows: Vec<(i64, Vec<(usize, Value)>)>) -> Result<()> {
        let c = self.collection(slug)?;
        self.amend_forgotten(c, rows).await
    }

    fn postpone(&mut self, slug: &'static str, pending: &PendingRecompute) -> bool {
        self.note_pending(slug, pending)
    }

    async fn next(&mut self, sequence: &str, count: usize) -> Result<i64> {
        self.tx.allocate(sequence, count).await
    }

    async fn log(&mut self, slug: &str, rows: Vec<Record>) -> Result<()> {
        let c = self.collection(slug)?;
        self.log_rows(c, rows).await
    }

    fn note_change(&mut self, slug: &str, id: i64, old: &Record, new: &Record) {
        if let Ok(c) = self.collection(slug)
            && c.logging.revised.is_some()
            && !self.logs.quiet
        {
            self.revise(c, id, old, new, SlotSet::default());
        }
    }

    fn operate(&mut self, operation: Operation) {
        self.log_operation(operation);
    }

    async fn sign(&mut self, statement: Map<String, Json>) -> Result<SignedStatement> {
        self.sign_statement(statement).await
    }

    async fn keep_signed(&mut self, slug: &str, package: i64, part: i64, lines: String) -> Result<()> {
        self.store_part(slug, package, part, lines).await
    }

    async fn queue_jobs(&mut self, kind: &str, ids: Vec<i64>, due: i64) -> Result<()> {
        jobs::queue(self.tx, kind, ids.iter().map(i64::to_string).collect(), due).await
    }

    async fn mail(&mut self, letter: &Letter) -> Result<()> {
        self.queue_letters(std::slice::from_ref(letter)).await
    }

    async fn mail_all(&mut self, letters: &[Letter]) -> Result<()> {
        self.queue_letters(letters).await
    }
}

impl WriteTransaction<'_> {
    /// Computed values of existing rows. Rows that get the same slots go together.
    pub(super) async fn amend_rows(
        &mut self,
        c: &'static Collection,
        rows: Vec<(i64, Vec<(usize, Value)>)>,
    ) -> Result<()> {
        let mut groups: BTreeMap<SlotSet, Values> = BTreeMap::new();
        for (id, mut values) in rows {
            values.retain(|(slot, _)| *slot < c.width());
            values.sort_by_key(|(slot, _)| *slot);
            values.dedup_by_key(|(slot, _)| *slot);
            if values.is_empty() {
                continue;
            }
            let slots = values.iter().map(|(slot, _)| *slot).collect();
            groups.entry(slots).or_default().insert(id, values);
        }
        let now = self.tx.now();
        let sources = self.registry.followers(c.slug);
        let mut followed: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
        for f in sources {
            let named = groups.iter().filter(|(slots, _)| slots.contains(f.source));
            named.for_each(|(_, rows)| followed.entry(f.source).or_default().extend(rows.keys()));
        }
        for (mut slots, rows) in groups {
            if silent(c, slots) {
                let plain: Vec<(i64, Vec<&Value>)> =
                    (rows.iter()).map(|(id, values)| (*id, values.iter().map(|(_, v)| v).collect())).collect();
                self.update_computed(c, slots, &plain).await?;
                continue;
            }
            slots.extend([c.seq_slot(), c.updated_slot()]);
            let stamped: Vec<(i64, Vec<(usize, Value)>)> = (rows.into_iter())
                .map(|(id, mut values)| {
                    values.push((c.seq_slot(), Value::Int(self.tx.next_seq())));
                    values.push((c.updated_slot(), Value::Time(now)));
                    values.sort_by_key(|(slot, _)| *slot);
                    (id, values)
                })
                .collect();
            let plain: Vec<(i64, Vec<&Value>)> =
                (stamped.iter()).map(|(id, values)| (*id, values.iter().map(|(_, v)| v).collect())).collect();
            self.update_computed(c, slots, &plain).await?;
            for (id, values) in &stamped {
                self.touch(c.slug, *id, |touch| {
                    for (slot, value) in values {
                        touch.slots.insert(*slot);
                        if let Some(new) = touch.new.as_mut() {
                            new.set(*slot, value.clone());
                        }
                    }
                });
            }
        }
        self.follow(c, followed).await
    }

    /// New rows of a closed collection.
    pub(super) async fn log_rows(&mut self, c: &'static Collection, mut rows: Vec<Record>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let first = self.tx.allocate(&c.table, rows.len()).await?;
        let now = self.tx.now();
        for (id, row) in (first..).zip(&mut rows) {
            row.set(ID, id);
            row.set(c.seq_slot(), self.tx.next_seq());
            row.set(c.created_slot(), Value::Time(now));
            row.set(c.updated_slot(), Value::Time(now));
        }
        self.fill_through_fields(c, rows.iter_mut().collect()).await?;
        self.insert(c, &rows.iter().collect::<Vec<_>>()).await?;
        self.accepted().await?;
        for row in rows {
            let id = row.get(ID).int().unwrap_or_default();
            self.touch(c.slug, id, |touch| touch.new = Some(row));
        }
        Ok(())
    }
}

/// The sign-in fields of an account, hidden from all callers, and what the server remembers for its
/// calculations: they change neither the record's date nor its place in the feed.
fn silent(c: &Collection, slots: SlotSet) -> bool {
    let hidden = |f: &Field| f.memory || (c.auth && f.class == Class::Hidden);
    (slots.iter()).all(|slot| c.fields.get(slot).is_some_and(hidden))
}

fn item(c: &'static Collection, command: Command) -> Result<Item> {
    let (verb, id, fields) = match command {
        Command::Create(fields) => (Verb::Create, None, fields),
        Command::Update(id, fields) => (Verb::Update, Some(id), fields),
        Command::Delete(id) => (Verb::Delete, Some(id), Vec::new()),
    };
    let values = (fields.into_iter())
        .map(|(path, value)| match c.slot(&path) {
            Some(slot) => Ok((slot, value)),
            None => Err(Error::internal(format!("{} has no field {path}", c.slug))),
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Item { verb, id, body: Vec::new(), server: values, issues: Vec::new(), strict: false })
}

/// The refusal that a list of issues amounts to, if any of them is one.
pub(super) fn refusal(issues: &[Issue], refused: &[Issue]) -> Option<Error> {
    if !refused.is_empty() {
        return Some(Error::Forbidden(refused.to_vec()));
    }
    // What cannot be read counts as missing for the rules behind: the first fault of a
    // field is the cause, the others are its consequence.
    let mut paths = BTreeSet::new();
    let errors: Vec<Issue> = (issues.iter())
        .filter(|i| i.severity == Severity::Error && (paths.insert(i.path.as_str()) || i.additional))
        .cloned()
        .collect();
    (!errors.is_empty()).then_some(Error::Invalid(errors))
}
