//! Documents that correct rows of the book (`corrects` of a mapping file; docs/design/intake.md,
//! *Documents that are no rows of their own*). What the sender may change is written as by REST; what is locked becomes a
//! request. Nothing is stored of the document but what its members said last (`exchange_said`): a sender who repeats a
//! value neither undoes what the book changed since, nor makes a second request.

mod requests;

use crate::intake::DocumentIntake;
use crate::intake::corrections::requests::{CorrectionRequests, LockedValue, RequestedValues};
use crate::intake::delivery::{DocumentAnswer, State, pointed, refusal, refused};
use crate::intake::last_states::{LastStates, on_time};
use crate::intake::matching::resolve::Names;
use crate::projection::related::RelatedRecords;
use mapping::{Correction, Corrections, Mapping, same};
use model::error::{Error, Issue, Result};
use model::fast::{IndexMap, IndexSet};
use model::record::{Record, SlotSet, Value};
use model::registry::{BookReader, Collection, ID, Lookup, Principal};
use ops::{Item, LOCKED_BY, Outcome, WriteTransaction, locked_slots};
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Sql, Ty, pieces};

/// Pairs looked up together.
const TOGETHER: usize = 500;

/// Bytes of the digest of a member.
const DIGEST: usize = 8;

/// `meta.source`, `meta.sourceId`.
type Pair = (String, String);

/// In [`Digests`]: the row that was meant.
const ROW: &str = "@row";

/// The digests of the members that a sender sent last, by name.
type Digests = Map<String, Json>;

/// A document on its way.
struct PlannedCorrection {
    answer: DocumentAnswer,
    /// Its row, unless it is refused.
    row: Option<i64>,
    /// Values that are written with the rights of the sender.
    open: Vec<Correction>,
    /// Locked values, for a request to the Association.
    locked: Vec<LockedValue>,
    pair: Pair,
    digests: Digests,
    /// Whether that differs from what was said before.
    news: bool,
}

/// Everything that is read before documents are planned.
struct CorrectionPlanning<'p> {
    collection: &'static Collection,
    mapping: &'p Mapping,
    corrections: &'p Corrections,
    caller: &'p Principal,
    names: &'p Names,
    records: IndexMap<i64, Record>,
    related: RelatedRecords,
    /// Digests of the members that were sent last, by pair.
    before: IndexMap<Pair, Digests>,
}

impl CorrectionPlanning<'_> {
    /// The row that a document corrects, or why it corrects none.
    fn row(
        &self,
        doc: &Json,
        (source, source_id): &Pair,
        id: Option<i64>,
    ) -> std::result::Result<(i64, &Record), Box<Issue>> {
        if doc.pointer("/meta/isDeleted") == Some(&Json::Bool(true)) {
            return Err(Box::new(Issue::error("/meta/isDeleted", "not-deleted", self.corrections.stays.clone())));
        }
        if [source, source_id].iter().any(|part| part.contains('\0')) {
            return Err(Box::new(Issue::error("/meta/sourceId", "field-value", "A name contains no zero character.")));
        }
        let record = id.and_then(|id| self.records.get(&id).map(|record| (id, record)));
        record.ok_or_else(|| {
            let by = self.corrections.by.as_str();
            let identifier = doc.get(by).unwrap_or(&Json::Null);
            Box::new((self.mapping).animal_unknown(&format!("/{by}"), identifier))
        })
    }

    /// What of a document is written, and what is requested.
    fn plan(&self, doc: &Json, id: Option<i64>) -> PlannedCorrection {
        let (c, mapping) = (self.collection, self.mapping);
        let mut plan = PlannedCorrection::new(pair(doc));
        let (id, record) = match self.row(doc, &plan.pair, id) {
            Ok(row) => row,
            Err(issue) => {
                plan.answer.issues.push(*issue);
                return plan;
            }
        };
        let mut served = Vec::new();
        mapping.render(record, &self.related, &mut served);
        let served = served.first().and_then(mapping::RenderedDocument::document).unwrap_or_default();
        let (all, intake) = mapping.corrects(c, doc, (record, &served), self.names);
        plan.answer.issues = intake.issues;
        if refused(&plan.answer.issues) {
            return plan;
        }
        plan.row = Some(id);
        plan.answer = DocumentAnswer::new(State::Unchanged, Some(id), plan.answer.issues).of(c.slug);
        let none = Digests::new();
        // What was said of another row is nothing said of this one.
        let same_row = |digests: &&Digests| digests.get(ROW).and_then(Json::as_i64) == Some(id);
        let before = (self.before.get(&plan.pair)).filter(same_row).unwrap_or(&none);
        plan.digests = before.clone();
        for (name, value) in doc.as_object().into_iter().flatten() {
            // What the book could make nothing of is no repetition when it is sent again.
            let taken = all.iter().any(|one| one.member == *name);
            if taken || mapping.reads(name) && same(Some(value), served.get(name)) {
                plan.digests.insert(name.clone(), Json::String(digest(value)));
            } else {
                plan.digests.shift_remove(name);
            }
        }
        plan.digests.insert(ROW.to_owned(), Json::from(id));
        plan.news = plan.digests != *before;
        let is_repeated = |one: &Correction| before.get(&one.member) == plan.digests.get(&one.member);
        let closed: SlotSet = locked_slots(c, self.caller, record).collect();
        let (locked, open): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| closed.contains(one.slot));
        let (repeated, open): (Vec<_>, Vec<_>) = open.into_iter().partition(is_repeated);
        let since = |one: &Correction| corrected_since(&one.member, served.get(&one.member));
        plan.answer.issues.extend(repeated.iter().map(since));
        let locked = locked
            .into_iter()
            .map(|one| LockedValue { repeated: is_repeated(&one).then(|| since(&one)), correction: one });
        plan.locked = locked.collect();
        plan.open = open;
        plan
    }
}

impl DocumentIntake {
    /// Takes in corrections of one mapping and location, no two of the same pair.
    pub(crate) async fn write_corrections(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, location): (&Mapping, i64),
        docs: &[&Json],
        (last, times): (&mut LastStates, (i64, i64)),
    ) -> Result<Vec<DocumentAnswer>> {
        let timely = last.judged(mapping.dataset(), location, docs, times);
        let fresh = on_time(docs, &timely);
        let run = (mapping, location);
        let taken = match self.corrected(work, caller, run, &fresh).await? {
            Some(taken) => taken,
            // One at fault, or two of one row: one after another.
            None => {
                let mut taken = Vec::with_capacity(fresh.len());
                for doc in fresh.chunks(1) {
                    let alone = self.corrected(work, caller, run, doc).await?;
                    taken.extend(alone.unwrap_or_else(|| vec![DocumentAnswer::rejected(Vec::new())]));
                }
                taken
            }
        };
        Ok(last.noted((mapping.dataset(), location), docs, &timely, taken, times))
    }

    /// The answers; none if the documents must be taken one by one: then nothing was written.
    async fn corrected(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, location): (&Mapping, i64),
        docs: &[&Json],
    ) -> Result<Option<Vec<DocumentAnswer>>> {
        let c: &'static Collection = work.collection(mapping.collection())?;
        let mut planned = self.planned(work, caller, (mapping, location), docs).await?;
        let mut rows = IndexSet::default();
        if !planned.iter().filter_map(|p| p.row).all(|id| rows.insert(id)) {
            return Ok(None);
        }
        let locked = planned.iter().filter(|plan| !plan.locked.is_empty()).filter_map(|plan| plan.row).collect();
        let requests = CorrectionRequests::load(work, location, &locked).await?;
        let attempt = work.attempt().await?;
        let mut items = Vec::new();
        let mut places = Vec::new();
        for (at, plan) in planned.iter_mut().enumerate() {
            let Some(row) = plan.row.filter(|_| !plan.open.is_empty()) else { continue };
            items.push(Item::update(row, plan.open.iter().map(|one| (one.slot, one.value.clone())).collect()));
            places.push(at);
        }
        let outcomes = work.write(c, caller, items).await?;
        for (at, outcome) in places.into_iter().zip(outcomes) {
            if let Some(plan) = planned.get_mut(at) {
                plan.written(mapping, c, outcome);
            }
        }
        let mut requested = Vec::new();
        for (at, plan) in planned.iter_mut().enumerate() {
            let Some(row) = plan.row else { continue };
            let (news, issues) = requests.sift(c, row, std::mem::take(&mut plan.locked));
            plan.answer.issues.extend(issues);
            if !news.is_empty() {
                requested.push(RequestedValues { at, row, values: news });
            }
        }
        let mut refused = false;
        let items = requested.iter().map(|one| requests.item(c, one)).collect();
        for (one, outcome) in requested.iter().zip(work.as_if_open(c, caller, items).await?) {
            // Whoever may not write the row may ask for it; what the book never takes is not asked for.
            if let (Outcome::Refused(error @ Error::Invalid(_)), Some(plan)) = (outcome, planned.get_mut(one.at)) {
                refused = true;
                plan.refuse(refusal_at(mapping, c, &one.values, error));
            }
        }
        let requested = if refused { Vec::new() } else { requested };
        for done in requests.ask(work, caller, c, requested).await? {
            let Some(plan) = planned.get_mut(done.at) else { continue };
            match done.outcome {
                Ok(issues) => plan.answer.issues.extend(issues),
                Err(error) => {
                    refused = true;
                    plan.refuse(error);
                }
            }
        }
        // A document whose request is refused has written nothing.
        if refused {
            work.undo(attempt).await?;
            return Ok((docs.len() == 1).then(|| answers(planned)));
        }
        work.keep_attempt(attempt).await?;
        self.store_digests(work, (mapping, location), &planned).await?;
        Ok(Some(answers(planned)))
    }

    /// What documents correct, and the answers as far as they are known.
    async fn planned(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, location): (&Mapping, i64),
        docs: &[&Json],
    ) -> Result<Vec<PlannedCorrection>> {
        let c: &'static Collection = work.collection(mapping.collection())?;
        let Some(corrections) = mapping.corrections() else { return Ok(Vec::new()) };
        let names = self.names(work, mapping, docs, location).await?;
        let row_ids: Vec<Option<i64>> = (docs.iter())
            .map(|doc| mapping.row_named(doc).and_then(|r| mapping::ReferenceResolver::id(&names, &r)))
            .collect();
        let ids: BTreeSet<i64> = row_ids.iter().flatten().copied().collect();
        let own = mapping.own_fields().iter().map(String::as_str);
        let locked = (c.fields.iter()).filter(|f| f.locked).map(|f| f.path.as_str());
        let fields: BTreeSet<&str> = own.chain(LOCKED_BY).chain(locked).collect();
        let fields: Vec<&str> = fields.into_iter().collect();
        let mut records: IndexMap<i64, Record> = IndexMap::default();
        for record in work.find(c.slug, Lookup::by_ids("id", ids).fields(&fields)).await? {
            if let Some(id) = record.get(ID).int() {
                records.insert(id, record);
            }
        }
        let related = RelatedRecords::load(work, mapping, self.rules.fields(), records.values()).await?;
        let before = self.stored_digests(work, (mapping, location), docs).await?;
        let planning =
            CorrectionPlanning { collection: c, mapping, corrections, caller, names: &names, records, related, before };
        Ok(docs.iter().zip(row_ids).map(|(doc, id)| planning.plan(doc, id)).collect())
    }

    /// Digests of what the members of these documents said last.
    async fn stored_digests(
        &self,
        work: &mut WriteTransaction<'_>,
        (mapping, location): (&Mapping, i64),
        docs: &[&Json],
    ) -> Result<IndexMap<Pair, Digests>> {
        // A database accepts no zero character.
        let plain = |pair: &Pair| !pair.0.contains('\0') && !pair.1.contains('\0');
        let pairs: Vec<Pair> = docs.iter().map(|doc| pair(doc)).filter(plain).collect();
        let mut digests = IndexMap::default();
        for piece in pairs.chunks(TOGETHER) {
            let mut sql = Sql::new("SELECT source, source_id, members FROM exchange_said WHERE location = ");
            sql.bind(Ty::Int, location).push(" AND dataset = ");
            sql.bind(Ty::Text, mapping.dataset()).push(" AND source IN ");
            let sources: IndexSet<&str> = piece.iter().map(|pair| pair.0.as_str()).collect();
            sql.bind_list(Ty::Text, sources.into_iter().map(Value::from)).push(" AND source_id IN ");
            sql.bind_list(Ty::Text, piece.iter().map(|pair| Value::from(pair.1.as_str())));
            let sql = if piece.len() > 1 { sql.one_off() } else { sql };
            for row in work.tx().rows(sql).await? {
                let text = |at: usize| row.text(at).unwrap_or_default();
                let members = serde_json::from_str(text(2)).unwrap_or_default();
                digests.insert((text(0).to_owned(), text(1).to_owned()), members);
            }
        }
        Ok(digests)
    }

    async fn store_digests(
        &self,
        work: &mut WriteTransaction<'_>,
        (mapping, location): (&Mapping, i64),
        planned: &[PlannedCorrection],
    ) -> Result<()> {
        let taken = |plan: &&PlannedCorrection| plan.news && plan.answer.state != State::Rejected;
        let news: Vec<&PlannedCorrection> = planned.iter().filter(taken).collect();
        for piece in pieces(&news, 5) {
            let rows = piece.iter().map(|plan| {
                let members = Json::Object(plan.digests.clone()).to_string();
                let (source, source_id) = (plan.pair.0.as_str(), plan.pair.1.as_str());
                let texts = [source, source_id, mapping.dataset(), members.as_str()];
                let [source, source_id, dataset, members] = texts.map(Value::from);
                [Value::Int(location), source, source_id, dataset, members]
            });
            let into = "exchange_said (location, source, source_id, dataset, members)";
            let mut sql = Sql::insert(into, [Ty::Int, Ty::Text, Ty::Text, Ty::Text, Ty::Text], rows);
            sql.push(" ON CONFLICT (location, source, source_id, dataset) DO UPDATE SET members = excluded.members");
            work.tx().run(sql).await?;
        }
        Ok(())
    }
}

impl PlannedCorrection {
    fn new(pair: Pair) -> Self {
        Self {
            answer: DocumentAnswer::rejected(Vec::new()),
            row: None,
            open: Vec::new(),
            locked: Vec::new(),
            pair,
            digests: Digests::new(),
            news: false,
        }
    }

    /// Notes what came of the sender's own part.
    fn written(&mut self, mapping: &Mapping, c: &Collection, outcome: Outcome) {
        match outcome {
            Outcome::Done(_, more) => {
                self.answer.state = State::Updated;
                self.answer.issues.extend(placed(mapping, c, &self.open, more));
            }
            Outcome::Unchanged(_, _, more) => {
                self.answer.issues.extend(placed(mapping, c, &self.open, more));
            }
            Outcome::Refused(error) => self.refuse(refusal_at(mapping, c, &self.open, error)),
        }
    }

    fn refuse(&mut self, error: Error) {
        self.answer = DocumentAnswer::refused(error);
        self.row = None;
    }
}

/// Faults, each at the member that filled its field.
fn placed(mapping: &Mapping, c: &Collection, values: &[Correction], all: Vec<Issue>) -> Vec<Issue> {
    let with_member = |mut issue: Issue| {
        let slot = c.slot(&issue.path);
        if let Some(one) = values.iter().find(|one| Some(one.slot) == slot) {
            issue.path = format!("/{}", one.member);
        }
        issue
    };
    pointed(mapping, c, all.into_iter().map(with_member).collect()).collect()
}

/// A refusal with its faults there.
fn refusal_at(mapping: &Mapping, c: &Collection, values: &[Correction], error: Error) -> Error {
    let forbidden = matches!(error, Error::Forbidden(_));
    let issues = placed(mapping, c, values, refusal(error));
    match forbidden {
        true => Error::Forbidden(issues),
        false => Error::Invalid(issues),
    }
}

fn answers(planned: Vec<PlannedCorrection>) -> Vec<DocumentAnswer> {
    planned.into_iter().map(|plan| plan.answer).collect()
}

fn pair(doc: &Json) -> Pair {
    let part = |name: &str| doc.get("meta")?.get(name)?.as_str();
    let text = |name: &str| part(name).unwrap_or_default().to_owned();
    (text("source"), text("sourceId"))
}

/// A short digest of a value as it was written: another spelling of the same is news.
fn digest(value: &Json) -> String {
    let digest = Sha256::digest(value.to_string().as_bytes());
    digest.iter().take(DIGEST).map(|byte| format!("{byte:02x}")).collect()
}

/// A member that the sender repeats, and that the book has changed since.
fn corrected_since(member: &str, stored: Option<&Json>) -> Issue {
    let stored = stored.map_or_else(|| "nothing".to_owned(), Json::to_string);
    let message = format!("The book corrected this since it was sent; it has {stored} here.");
    Issue::warning(format!("/{member}"), "corrected-since", message)
}
