//! The pipeline of every written row: read, defaults, prepare, access, checks, store, effects. It works on sets; rows
//! that build on each other are taken one after another (`Collection::serial`).

use super::hook_context::refusal;
use super::{Item, Outcome, WriteTransaction};
use crate::handling::{self, READ_ONLY};
use crate::write::validation::locks::locked_slots;
use crate::write::validation::rules::{ValueDecision, takes};
use futures_util::future::BoxFuture;
use model::error::{Error, Issue, Result};
use model::fast::IndexMap;
use model::parallel;
use model::record::{Record, SlotSet, Value};
use model::registry::{Caller, Change, Class, Collection, Draft, Field, ID, Kind, Lookup, Principal, Rule, Verb};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Writes may call for writes, but not without end.
const DEPTH: usize = 12;

enum SetOutcome {
    /// It is written but for rows that were refused, for which nothing was.
    Stands(Vec<Outcome>),
    /// It is undone: every row was refused, or hooks had written for one that was.
    Undone(Vec<Outcome>),
}

impl WriteTransaction<'_> {
    /// Writes items as the caller; answers in the order of the items. Refused items leave no trace,
    /// the others are stored.
    pub fn write<'a>(
        &'a mut self,
        c: &'static Collection,
        caller: &'a Arc<Principal>,
        items: Vec<Item>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>>> {
        Box::pin(async move {
            if self.depth >= DEPTH {
                return Err(Error::internal(format!("{}: each write causes another, without end", c.slug)));
            }
            if caller.reads_only() {
                return Ok(items.iter().map(|_| Outcome::Refused(Error::forbidden())).collect());
            }
            self.acts(caller);
            let before = std::mem::replace(&mut self.caller, Arc::clone(caller));
            self.depth += 1;
            let done = self.in_order(c, caller, items).await;
            self.depth -= 1;
            self.caller = before;
            done
        })
    }

    /// A run as one set; when an effect refuses it, row by row, so that only the row that is at fault is lost.
    pub(super) async fn write_run(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        run: Vec<Item>,
    ) -> Result<Vec<Outcome>> {
        if self.is_load() && self.depth == 1 {
            // A load that is refused ends, and nothing of it stays: it needs no way back.
            return self.write_set(c, caller, run).await.map(|(outcomes, _)| outcomes);
        }
        // A set of one needs the way back too: its caller may go on without it.
        let copy = (run.len() > 1).then(|| run.clone());
        match self.tried(c, caller, run).await {
            Ok(SetOutcome::Stands(outcomes)) => Ok(outcomes),
            Ok(SetOutcome::Undone(outcomes)) => {
                self.without_refused(c, caller, copy.unwrap_or_default(), outcomes).await
            }
            Err(error @ (Error::Invalid(_) | Error::Forbidden(_))) => match copy {
                None => Ok(vec![Outcome::Refused(error)]),
                Some(items) => {
                    let mut outcomes = Vec::with_capacity(items.len());
                    for item in items {
                        match self.tried(c, caller, vec![item]).await {
                            Ok(SetOutcome::Stands(one) | SetOutcome::Undone(one)) => outcomes.extend(one),
                            Err(error @ (Error::Invalid(_) | Error::Forbidden(_))) => {
                                outcomes.push(Outcome::Refused(error));
                            }
                            Err(error) => return Err(error),
                        }
                    }
                    Ok(outcomes)
                }
            },
            Err(error) => Err(error),
        }
    }

    /// A set that was undone because hooks had written for rows that were refused later: the
    /// other rows once more, without those.
    fn without_refused<'a>(
        &'a mut self,
        c: &'static Collection,
        caller: &'a Principal,
        run: Vec<Item>,
        mut outcomes: Vec<Outcome>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>>> {
        Box::pin(async move {
            let stands = |outcome: &Outcome| !matches!(outcome, Outcome::Refused(_));
            let rest: Vec<Item> =
                (run.into_iter().zip(&outcomes)).filter(|(_, outcome)| stands(outcome)).map(|(item, _)| item).collect();
            // Fewer each time, so that it ends.
            let anew = if rest.is_empty() { Vec::new() } else { self.write_run(c, caller, rest).await? };
            for (place, outcome) in outcomes.iter_mut().filter(|outcome| stands(outcome)).zip(anew) {
                *place = outcome;
            }
            Ok(outcomes)
        })
    }

    /// One set under a savepoint. A refused set leaves no trace, including everything that was
    /// written for it on the way: ids, numbers, rows of hooks.
    async fn tried(&mut self, c: &'static Collection, caller: &Principal, items: Vec<Item>) -> Result<SetOutcome> {
        let journal = self.journal.len();
        let logs = self.logs.mark();
        let mark = self.tx.savepoint(self.depth).await?;
        let mut done = self.write_set(c, caller, items).await;
        if done.is_ok() {
            let accepted = self.accepted().await;
            done = accepted.and(done);
        }
        let done = done.map_err(|error| shared_key(c, error));
        if let Ok((outcomes, early)) = &done {
            let refused = outcomes.iter().filter(|outcome: &&Outcome| matches!(outcome, Outcome::Refused(_))).count();
            if refused == 0 || (refused < outcomes.len() && !early) {
                self.tx.release(&mark).await?;
                return done.map(|(outcomes, _)| SetOutcome::Stands(outcomes));
            }
        }
        self.tx.roll_back(mark).await?;
        self.untouch(journal);
        self.logs.forget(logs);
        done.map(|(outcomes, _)| SetOutcome::Undone(outcomes))
    }

    /// Outcomes in the order of the items, and whether anything was written before it was known
    /// which of them are refused.
    async fn write_set(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        items: Vec<Item>,
    ) -> Result<(Vec<Outcome>, bool)> {
        let before = self.tx.changes();
        let (mut drafts, mut outcomes) = self.drafts(c, caller, items).await?;
        self.mask_unreadable_relations(c, caller, &mut drafts).await?;
        self.resolve_merge_targets(c, &mut drafts).await?;
        self.name_files(c, &mut drafts).await?;
        c.hooks.prepare(c, self, &mut drafts).await?;
        let subjects = self.subjects(c, &drafts).await?;
        for draft in &drafts {
            if !self.may_write(c, caller, draft, &subjects) {
                set(&mut outcomes, draft.place, Outcome::Refused(Error::forbidden()));
            }
        }
        drafts = settle(drafts, &mut outcomes);
        self.locks(c, caller, &mut drafts);
        self.give_tokens(c, &mut drafts)?;
        self.accounts(c, caller, &mut drafts)?;
        self.give_keys(c, &mut drafts)?;
        self.check_credentials(c, caller, &mut drafts);
        let email_changes = self.stage_email_change(c, caller, &mut drafts);
        self.validate(c, &mut drafts).await?;
        self.check_stored_queries(c, caller, &mut drafts)?;
        c.step(caller, self.tx.now(), &mut drafts);
        c.hooks.check(c, self, &mut drafts).await?;
        self.check_deletes(c, &mut drafts).await?;
        self.check_mergers(c, &mut drafts).await?;
        self.check_stock(c, caller, &mut drafts).await?;
        for draft in &drafts {
            if let Some(error) = refusal(&draft.issues, &draft.refused) {
                set(&mut outcomes, draft.place, Outcome::Refused(error));
            }
        }
        drafts = settle(drafts, &mut outcomes);
        let early = self.tx.changes() > before;
        c.hooks.complete(c, self, &mut drafts).await?;
        let rows = drafts.iter_mut().filter(|d| d.verb != Verb::Delete);
        self.fill_through_fields(c, rows.map(|d| &mut d.new).collect()).await?;
        let (answers, done) = self.store(c, drafts, &mut outcomes).await?;
        if !done.is_empty() {
            if c.moves_rights() {
                self.tx.note_rights_change();
            }
            c.hooks.effects(c, self, &done).await?;
            self.tell_changed(c, &done).await?;
            self.ask_for_proof(c, email_changes, &done).await?;
            self.merge(c, &done).await?;
        }
        for ((place, issues), change) in answers.into_iter().zip(done) {
            set(&mut outcomes, place, Outcome::Done(change, issues));
        }
        Ok((outcomes.into_iter().flatten().collect(), early))
    }

    /// Items as drafts: the stored row, defaults, the caller's values as far as they are
    /// taken. What cannot become a draft is answered at once.
    async fn drafts(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        items: Vec<Item>,
    ) -> Result<(Vec<Draft>, Vec<Option<Outcome>>)> {
        let mut outcomes: Vec<Option<Outcome>> = items.iter().map(|_| None).collect();
        let ids: Vec<i64> = (items.iter()).filter(|i| i.verb != Verb::Create).filter_map(|i| i.id).collect();
        let mut olds: IndexMap<i64, Record> = IndexMap::default();
        if !ids.is_empty() {
            for row in self.load(c, &Lookup::by_ids("id", ids)).await? {
                olds.insert(row.get(ID).int().unwrap_or_default(), row);
            }
        }
        let fresh = (items.iter()).filter(|i| i.verb == Verb::Create && i.id.is_none()).count();
        let mut next = if fresh > 0 { self.tx.allocate(&c.table, fresh).await? } else { 0 };
        if let Some(highest) = items.iter().filter(|i| i.verb == Verb::Create).filter_map(|i| i.id).max() {
            self.tx.reserve(&c.table, highest).await?;
        }
        let mut open = Vec::with_capacity(items.len());
        for (at, item) in items.into_iter().enumerate() {
            let old = match item.verb {
                Verb::Create => None,
                _ => item.id.and_then(|id| olds.get(&id).cloned()),
            };
            if item.verb != Verb::Create && old.is_none() {
                set(&mut outcomes, at, Outcome::Refused(absent(c, caller, item.verb)));
                continue;
            }
            let id = match (item.verb, item.id) {
                (Verb::Create, None) => {
                    next += 1;
                    next - 1
                }
                (_, id) => id.unwrap_or_default(),
            };
            open.push((at, id, old, item));
        }
        let drafts = parallel::into_map(open, |(place, id, old, item)| {
            let mut draft = Draft {
                verb: item.verb,
                id,
                new: old.clone().unwrap_or_else(|| blank(c, id)),
                old,
                sent: SlotSet::default(),
                issues: item.issues,
                refused: Vec::new(),
                place,
            };
            fill(c, caller, &mut draft, item.body, item.server);
            if item.strict {
                handling::refuse(&mut draft.issues);
            }
            draft
        });
        Ok((drafts, outcomes))
    }

    /// Refuses changes of locked fields.
    fn locks(&self, c: &'static Collection, caller: &Principal, drafts: &mut [Draft]) {
        for draft in drafts {
            let Some(old) = &draft.old else { continue };
            for slot in locked_slots(c, caller, old).filter(|_| !self.unlocked) {
                if let Some(field) = c.fields.get(slot).filter(|_| draft.changes(slot)) {
                    draft.refused.push(Issue::error(
                        field.path.clone(),
                        "locked",
                        "Verified data can only be changed by a verification request (correction).",
                    ));
                }
            }
        }
    }

    /// Writes what is left, in three sets, and says what was done; of each change its place among the
    /// outcomes, and the warnings that go with it.
    async fn store(
        &mut self,
        c: &'static Collection,
        mut drafts: Vec<Draft>,
        outcomes: &mut [Option<Outcome>],
    ) -> Result<(Vec<(usize, Vec<Issue>)>, Vec<Change>)> {
        let now = self.tx.now();
        for draft in &mut drafts {
            let changed = draft.verb != Verb::Update || (0..c.width()).any(|slot| draft.changes(slot));
            if !changed {
                continue;
            }
            if draft.verb == Verb::Create {
                if draft.new.get(c.created_slot()).is_null() {
                    draft.new.set(c.created_slot(), Value::Time(now));
                }
                if draft.new.get(c.updated_slot()).is_null() {
                    draft.new.set(c.updated_slot(), Value::Time(now));
                }
            } else if draft.verb == Verb::Update && !draft.changes(c.updated_slot()) {
                draft.new.set(c.updated_slot(), Value::Time(now));
            }
            draft.new.set(c.seq_slot(), self.tx.next_seq());
        }
        let (unchanged, drafts): (Vec<Draft>, Vec<Draft>) =
            drafts.into_iter().partition(|d| d.verb == Verb::Update && !(0..c.width()).any(|slot| d.changes(slot)));
        for d in unchanged {
            set(outcomes, d.place, Outcome::Unchanged(d.id, d.new, d.issues));
        }
        let creates: Vec<&Record> = of(&drafts, Verb::Create).map(|d| &d.new).collect();
        if !creates.is_empty() {
            self.insert(c, &creates).await?;
        }
        let updates: Vec<&Draft> = of(&drafts, Verb::Update).collect();
        self.store_updates(c, &updates).await?;
        let mut changed: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
        for f in self.registry.followers(c.slug) {
            for d in updates.iter().filter(|d| d.changes(f.source)) {
                changed.entry(f.source).or_default().insert(d.id);
            }
        }
        self.follow(c, changed).await?;
        let gone: Vec<i64> = of(&drafts, Verb::Delete).map(|d| d.id).collect();
        if !gone.is_empty() {
            self.release(c, &gone).await?;
            self.remove(c, &gone).await?;
            self.drop_signed(c, &gone).await?;
        }
        let mut answers = Vec::with_capacity(drafts.len());
        let mut done = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let change =
                Change { id: draft.id, new: (draft.verb != Verb::Delete).then_some(draft.new), old: draft.old };
            self.note(c, &change);
            self.take_note(c, &change, draft.sent);
            answers.push((draft.place, draft.issues));
            done.push(change);
        }
        Ok((answers, done))
    }

    async fn store_updates(&mut self, c: &'static Collection, updates: &[&Draft]) -> Result<()> {
        // Rows with the same changed slots go into one statement.
        let mut groups: IndexMap<SlotSet, Vec<&Draft>> = IndexMap::default();
        for draft in updates {
            let slots = (0..c.width()).filter(|s| draft.changes(*s)).collect();
            groups.entry(slots).or_default().push(draft);
        }
        for (slots, group) in groups {
            let rows: Vec<(i64, Vec<&Value>)> =
                (group.iter()).map(|d| (d.id, slots.iter().map(|s| d.new.get(s)).collect())).collect();
            self.update(c, slots, &rows).await?;
        }
        Ok(())
    }

    fn note(&mut self, c: &'static Collection, change: &Change) {
        let slots = match (&change.old, &change.new) {
            (Some(old), Some(new)) => old.changed(new),
            _ => SlotSet::all(c.width()),
        };
        self.touch(c.slug, change.id, |touch| {
            if touch.old.is_none() && touch.new.is_none() {
                touch.old.clone_from(&change.old);
            }
            touch.new.clone_from(&change.new);
            touch.gone = change.new.is_none();
            touch.slots.extend(slots.iter());
        });
    }
}

/// A key that only the database saw shared, reported at the last field of it that callers know.
fn shared_key(c: &Collection, mut error: Error) -> Error {
    let Error::Invalid(issues) = &mut error else { return error };
    let unnamed = |issue: &&mut Issue| issue.code == "not-unique" && c.slot(&issue.path).is_none();
    for issue in issues.iter_mut().filter(unnamed) {
        let visible =
            |column: &str| c.fields.iter().filter(|f| f.class != Class::Hidden).find(|field| field.column == column);
        let field = issue.path.split(',').rev().find_map(visible);
        issue.path = field.map_or("id", |field| &field.path).to_owned();
    }
    error
}

/// A new row with what it has by default.
pub(crate) fn blank(c: &'static Collection, id: i64) -> Record {
    let mut record = Record::empty(c.width());
    record.set(ID, id);
    for (slot, field) in c.fields.iter().enumerate() {
        if let Some(value) = &field.default {
            record.set(slot, value.clone());
        } else if matches!(field.kind, Kind::Relations(_)) {
            record.set(slot, Value::Ids(Vec::new()));
        }
    }
    record
}

fn fill(
    c: &'static Collection,
    caller: &Principal,
    draft: &mut Draft,
    body: Vec<(usize, Value)>,
    server: Vec<(usize, Value)>,
) {
    let farm = caller.caller == Caller::Farm;
    if farm && draft.verb == Verb::Create {
        for (slot, field) in c.fields.iter().enumerate().filter(|(_, f)| f.typed.is_some()) {
            draft.new.set(slot, field.begins(farm));
        }
    }
    for (slot, value) in body {
        let Some(field) = c.fields.get(slot) else { continue };
        let stored = draft.old.as_ref().map(|o| o.get(slot));
        let stamp = slot == c.created_slot() || slot == c.updated_slot();
        let value = match emptied(field, stored, value) {
            Value::Text(text) => Value::Text(field.spell(text)),
            value => value,
        };
        match takes(caller, field, stored, &value) {
            // Stamps are the server's, but a caller who moves data keeps them (dialect).
            ValueDecision::Ignored if stamp && caller.sees_all() && !value.is_null() => {
                draft.new.set(slot, value);
            }
            // Such a field is the server's, but some of its moves are the Association's.
            ValueDecision::Ignored if stored.is_some() && c.takes_moves(caller, slot) => {
                draft.sent.insert(slot);
                draft.new.set(slot, value);
            }
            ValueDecision::Ignored => {
                // What was read and is sent back changes nothing, nor does a default.
                let before = stored.or(field.default.as_ref()).unwrap_or(&Value::Null);
                if value != *before {
                    draft.issues.push(handling::ignore(field.path.clone(), READ_ONLY));
                }
            }
            ValueDecision::Refused(issue) => draft.refused.push(issue),
            ValueDecision::Yes => {
                draft.sent.insert(slot);
                let value = match value {
                    // A create that says null gets the default, as one that says nothing.
                    Value::Null if draft.verb == Verb::Create => continue,
                    value => value,
                };
                draft.new.set(slot, value);
            }
        }
    }
    for (slot, value) in server {
        draft.sent.insert(slot);
        draft.new.set(slot, value);
    }
    let my = farm.then_some(caller.organization).flatten();
    for (slot, field) in c.fields.iter().enumerate() {
        if field.session && draft.verb == Verb::Create && draft.new.get(slot).is_null() {
            draft.new.set(slot, my);
        }
    }
}

/// Lists that are empty look the same in documents, however they are stored: sending one back is no change.
fn emptied(field: &Field, stored: Option<&Value>, sent: Value) -> Value {
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Ids(list) => list.is_empty(),
        Value::Texts(list) => list.is_empty(),
        Value::Json(json) => json.as_array().is_some_and(Vec::is_empty),
        _ => false,
    };
    let list = matches!(field.kind, Kind::Relations(_) | Kind::Rows(_) | Kind::Selects(_) | Kind::Texts(_));
    if !list || !empty(&sent) {
        return sent;
    }
    match stored {
        Some(stored) if empty(stored) => stored.clone(),
        _ if matches!(field.kind, Kind::Relations(_)) => Value::Ids(Vec::new()),
        _ => Value::Null,
    }
}

/// 403 where a filter would have hidden the row, 404 where the rule shuts no caller out
/// (docs/dialect.md, *403 or 404*).
fn absent(c: &'static Collection, caller: &Principal, verb: Verb) -> Error {
    let open = match c.access.rule(verb) {
        Rule::Nobody => caller.caller == Caller::System,
        Rule::Any => true,
        Rule::Admin | Rule::SelfRow => caller.admin || caller.caller == Caller::System,
        Rule::Signed => caller.caller != Caller::Anonymous,
        // Private rows of others are hidden from the Association too.
        Rule::Author => caller.caller == Caller::System,
        _ => caller.sees_all(),
    };
    if open { Error::NotFound } else { Error::forbidden() }
}

fn of(drafts: &[Draft], verb: Verb) -> impl Iterator<Item = &Draft> {
    drafts.iter().filter(move |d| d.verb == verb)
}

fn set(outcomes: &mut [Option<Outcome>], at: usize, outcome: Outcome) {
    if let Some(place) = outcomes.get_mut(at) {
        *place = Some(outcome);
    }
}

/// Drops the drafts that were answered.
fn settle(drafts: Vec<Draft>, outcomes: &mut [Option<Outcome>]) -> Vec<Draft> {
    (drafts.into_iter()).filter(|d| outcomes.get(d.place).is_some_and(Option::is_none)).collect()
}
