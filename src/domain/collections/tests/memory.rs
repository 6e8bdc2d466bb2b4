//! A book in memory that runs the hooks as the pipeline does: prepare, check, store,
//! effects. It gives hooks only the fields that they request, and counts their requests.

use crate::collections::registry;
use async_trait::async_trait;
use futures_util::FutureExt as _;
use model::error::{Error, Result};
use model::record::{Record, SlotSet, Value};
use model::registry::{
    BookReader, Caller, Capability, Change, Collection, Command, Draft, HookContext, ID, Lookup, Principal, Series,
    Test, Verb,
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Fields = Vec<(String, Value)>;

#[derive(Debug)]
pub(super) struct Book {
    pub(super) now: i64,
    pub(super) caller: Principal,
    rows: BTreeMap<&'static str, BTreeMap<i64, Record>>,
    next: i64,
    numbers: BTreeMap<String, i64>,
    pub(super) look_ups: Vec<String>,
    /// Look-ups of a write in collections that did not change since; they count once.
    cached: BTreeSet<(String, String)>,
    pub(super) amended: Vec<String>,
}

impl Book {
    pub(super) fn new(now: i64) -> Self {
        Self {
            now,
            caller: Principal::system(),
            rows: BTreeMap::new(),
            next: 1,
            numbers: BTreeMap::new(),
            look_ups: Vec::new(),
            cached: BTreeSet::new(),
            amended: Vec::new(),
        }
    }

    /// The rows of a collection.
    pub(super) fn rows(&self, slug: &str) -> BTreeMap<i64, Record> {
        self.rows.get(slug).cloned().unwrap_or_default()
    }

    /// Acts as the head of a farm from here on.
    pub(super) fn farm(&mut self, organization: i64, user: i64) {
        self.caller = Principal {
            caller: Caller::Farm,
            user: Some(user),
            organization: Some(organization),
            capabilities: [
                Capability::Data,
                Capability::Submit,
                Capability::Move,
                Capability::Share,
                Capability::Team,
                Capability::Org,
            ]
            .into(),
            ..Principal::anonymous()
        };
    }

    pub(super) fn association(&mut self, user: i64) {
        self.caller = Principal { caller: Caller::Association, user: Some(user), ..Principal::anonymous() };
    }

    pub(super) fn system(&mut self) {
        self.caller = Principal::system();
    }

    pub(super) fn write(&mut self, slug: &str, commands: Vec<Command>) -> Result<Vec<i64>> {
        self.cached.clear();
        self.run(slug, commands).now_or_never().unwrap()
    }

    pub(super) fn create(&mut self, slug: &str, fields: Fields) -> Result<i64> {
        Ok(self.write(slug, vec![Command::Create(fields)])?[0])
    }

    pub(super) fn update(&mut self, slug: &str, id: i64, fields: Fields) -> Result<()> {
        self.write(slug, vec![Command::Update(id, fields)]).map(drop)
    }

    pub(super) fn delete(&mut self, slug: &str, id: i64) -> Result<()> {
        self.write(slug, vec![Command::Delete(id)]).map(drop)
    }

    pub(super) fn get(&self, slug: &str, id: i64, path: &str) -> Value {
        let slot = collection(slug).slot(path).unwrap();
        self.rows[slug][&id].get(slot).clone()
    }

    pub(super) fn ids(&self, slug: &str) -> Vec<i64> {
        self.rows.get(slug).into_iter().flat_map(|r| r.keys().copied()).collect()
    }

    async fn run(&mut self, slug: &str, commands: Vec<Command>) -> Result<Vec<i64>> {
        let collection = collection(slug);
        let whole = if collection.serial.is_some() { 1 } else { commands.len().max(1) };
        let mut ids = Vec::new();
        for wave in commands.chunks(whole) {
            let mut drafts: Vec<Draft> = wave.iter().map(|c| self.draft(collection, c)).collect();
            collection.hooks.prepare(collection, self, &mut drafts).await?;
            collection.step(&self.caller, self.now, &mut drafts);
            collection.hooks.check(collection, self, &mut drafts).await?;
            let refused: Vec<_> = drafts.iter().flat_map(|d| d.refused.clone()).collect();
            let issues: Vec<_> = drafts.iter().flat_map(|d| d.issues.clone()).collect();
            if !refused.is_empty() {
                return Err(Error::Forbidden(refused));
            }
            if !drafts.iter().all(Draft::clean) {
                return Err(Error::Invalid(issues));
            }
            let hooks = &collection.hooks;
            hooks.complete(collection, self, &mut drafts).await?;
            ids.extend(drafts.iter().map(|d| d.id));
            let changes: Vec<Change> = drafts.into_iter().map(|d| self.store(collection, d)).collect();
            collection.hooks.effects(collection, self, &changes).await?;
        }
        Ok(ids)
    }

    fn draft(&mut self, c: &'static Collection, command: &Command) -> Draft {
        let stored = |id: &i64| self.rows[c.slug][id].clone();
        let (verb, id, old, mut new, fields) = match command {
            Command::Create(fields) => {
                let mut new = Record::empty(c.width());
                let farm = self.caller.caller == Caller::Farm;
                for (slot, f) in c.fields.iter().enumerate() {
                    new.set(slot, f.begins(farm).unwrap_or_default());
                }
                self.next += 1;
                new.set(ID, self.next);
                new.set(c.created_slot(), Value::Time(self.now));
                (Verb::Create, self.next, None, new, fields.clone())
            }
            Command::Update(id, fields) => (Verb::Update, *id, Some(stored(id)), stored(id), fields.clone()),
            Command::Delete(id) => (Verb::Delete, *id, Some(stored(id)), stored(id), vec![]),
        };
        let mut sent = SlotSet::default();
        for (path, value) in fields {
            let slot = c.slot(&path).unwrap_or_else(|| panic!("{}.{path}", c.slug));
            sent.insert(slot);
            new.set(slot, value);
        }
        let (issues, refused) = (vec![], vec![]);
        Draft { verb, id, old, new, sent, issues, refused, place: 0 }
    }

    fn changed(&mut self, slug: &str) {
        self.cached.retain(|(of, _)| of != slug);
    }

    fn store(&mut self, c: &'static Collection, draft: Draft) -> Change {
        self.changed(c.slug);
        let rows = self.rows.entry(c.slug).or_default();
        let new = (draft.verb != Verb::Delete).then_some(draft.new);
        match &new {
            Some(row) => drop(rows.insert(draft.id, row.clone())),
            None => {
                rows.remove(&draft.id);
                self.forget(c.slug, draft.id);
            }
        }
        Change { id: draft.id, old: draft.old, new }
    }

    fn forget(&mut self, slug: &str, id: i64) {
        for referrer in registry().unwrap().referrers(slug) {
            let (other, slot) = (referrer.collection, referrer.slot);
            self.cached.clear();
            let rows = self.rows.entry(other.slug).or_default();
            let points = |r: &Record| referrer.sub.is_none() && r.get(slot).int() == Some(id);
            if other.fields[slot].cascade {
                rows.retain(|_, r| !points(r));
            }
            rows.values_mut().filter(|r| points(r)).for_each(|r| r.set(slot, Value::Null));
        }
    }
}

fn collection(slug: &str) -> &'static Collection {
    registry().unwrap().get(slug).unwrap()
}

fn holds(value: &Value, test: &Test) -> bool {
    match test {
        Test::In(values) => values.contains(value),
        Test::Empty => value.is_null(),
        Test::Filled => !value.is_null(),
        Test::From(least) => (value.time(), value.num()) >= (least.time(), least.num()),
        Test::Before(most) => (value.time(), value.num()) < (most.time(), most.num()),
    }
}

#[async_trait]
impl BookReader for Book {
    fn now(&self) -> i64 {
        self.now
    }
    fn caller(&self) -> &Principal {
        &self.caller
    }
    fn collection(&self, slug: &str) -> Result<&'static Collection> {
        Ok(collection(slug))
    }
    async fn find(&mut self, slug: &str, lookup: Lookup) -> Result<Vec<Record>> {
        let c = collection(slug);
        if self.cached.insert((slug.to_owned(), format!("{lookup:?}"))) {
            self.look_ups.push(slug.to_owned());
        }
        let rows = self.rows.get(slug).into_iter().flat_map(BTreeMap::values);
        let fits = |r: &&Record| {
            lookup.all.iter().enumerate().all(|(i, (p, t))| {
                let other = lookup.instead.as_ref().filter(|_| i == 0);
                let mut paths = std::iter::once(p).chain(other);
                paths.any(|p| holds(r.get(c.slot(p).unwrap()), t))
            })
        };
        let mut rows: Vec<&Record> = rows.filter(fits).collect();
        for path in lookup.order.iter().rev() {
            let (path, down) = match path.strip_prefix('-') {
                Some(path) => (path, true),
                None => (path.as_str(), false),
            };
            let key = |r: &&Record| {
                let value = r.get(c.slot(path).unwrap());
                value.num().or(value.time().map(|t| t as f64)).unwrap()
            };
            rows.sort_by(|a, b| match down {
                true => key(b).total_cmp(&key(a)),
                false => key(a).total_cmp(&key(b)),
            });
        }
        rows.truncate(usize::try_from(lookup.limit.unwrap_or(i64::MAX)).unwrap());
        let matches = rows
            .into_iter()
            .map(|r| {
                if lookup.fields.is_empty() {
                    return r.clone();
                }
                let mut part = Record::partial(c.width());
                part.set(ID, r.get(ID).clone());
                for slot in lookup.fields.iter().map(|f| c.slot(f).unwrap()) {
                    part.set(slot, r.get(slot).clone());
                }
                part
            })
            .collect();
        Ok(matches)
    }
    async fn count(&mut self, slug: &str, lookup: Lookup, most: i64) -> Result<i64> {
        let rows = i64::try_from(self.find(slug, lookup).await?.len()).unwrap();
        Ok(rows.min(most))
    }
    async fn series(
        &mut self,
        slug: &str,
        relation: &str,
        ids: &[i64],
        fields: &[&str],
    ) -> Result<BTreeMap<i64, Series>> {
        let c = collection(slug);
        self.look_ups.push(slug.to_owned());
        let mut by_owner: BTreeMap<i64, Series> = BTreeMap::new();
        for (id, row) in self.rows.get(slug).into_iter().flatten() {
            let owner = row.get(c.slot(relation).unwrap()).int();
            if let Some(owner) = owner.filter(|owner| ids.contains(owner)) {
                let place = by_owner.entry(owner).or_insert_with(|| Series::new(fields.len()));
                let values = fields.iter().map(|f| row.get(c.slot(f).unwrap()).clone());
                place.push(*id, values);
            }
        }
        Ok(by_owner)
    }
}

#[async_trait]
impl HookContext for Book {
    async fn write(&mut self, slug: &str, commands: Vec<Command>) -> Result<Vec<i64>> {
        let caller = std::mem::replace(&mut self.caller, Principal::system());
        let ids = self.run(slug, commands).await;
        self.caller = caller;
        ids
    }
    async fn amend(&mut self, slug: &str, rows: Vec<(i64, Vec<(usize, Value)>)>) -> Result<()> {
        self.amended.push(slug.to_owned());
        for (id, values) in rows {
            self.changed(slug);
            let row = self.rows.get_mut(slug).unwrap().get_mut(&id).unwrap();
            for (slot, value) in values {
                assert!(slot < row.width(), "amends outside {slug}");
                row.set(slot, value);
            }
        }
        Ok(())
    }
    async fn next(&mut self, sequence: &str, count: usize) -> Result<i64> {
        let next = self.numbers.entry(sequence.to_owned()).or_insert(1);
        let first = *next;
        *next += i64::try_from(count).unwrap();
        Ok(first)
    }
    async fn queue_jobs(&mut self, _kind: &str, _ids: Vec<i64>, _due: i64) -> Result<()> {
        Ok(())
    }
    async fn log(&mut self, slug: &str, rows: Vec<Record>) -> Result<()> {
        for mut row in rows {
            self.next += 1;
            row.set(ID, self.next);
            self.rows.entry(collection(slug).slug).or_default().insert(self.next, row);
        }
        Ok(())
    }
}
