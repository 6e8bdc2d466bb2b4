//! Intake (docs/design/intake.md, *Steps*): one path for single posts, batches and pushes. Documents are checked
//! against the standard outside the transaction, then the records that they name are looked up, documents read, and
//! rows written in sets; documents are independent of each other, or, in a push, all or none are stored.

use crate::documents::wordings::{Repeat, name_differences};
use crate::full_sync::{FullSync, sender_of};
use crate::intake::DocumentIntake;
use crate::intake::answer::answer;
use crate::intake::delivery::{
    Delivery, DocumentAnswer, IntakeContext, IntakeOptions, Key, State, complete, pointed, put, refused,
};
use crate::intake::issues::{ahead, foreign, of_another_set, outdated, stale, unknown_row};
use crate::intake::last_states::{LastStates, Sender, Timely, on_time};
use crate::intake::logged;
use crate::intake::mandates::writer;
use crate::intake::matching::execution_order::{all_or_none, execution_order};
use crate::intake::matching::match_existing::MatchedDocument;
use crate::intake::matching::resolve_rows::{MatchKind, Target};
use crate::intake::stats;
use mapping::{Intake, Mapping};
use model::error::{Error, Issue, Result, Severity};
use model::fast::IndexSet;
use model::parallel;
use model::record::Value;
use model::registry::{BookReader, Principal, Source, Writer};
use ops::{Book, CHECKED_AT_ONCE, Item, Outcome, WriteTransaction};
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Members of linked data, which say nothing beside the others.
const ENVELOPE: [&str; 4] = ["/@self", "/@type", "/@context", "/@id"];

type Slots = Vec<(usize, Value)>;

/// The documents of a run by what becomes of them.
#[derive(Default)]
struct SortedDocuments {
    answers: Vec<Option<DocumentAnswer>>,
    items: Vec<Item>,
    /// Of each item the index of its document, whether that deletes, and the issues so far.
    written: Vec<(usize, bool, Vec<Issue>)>,
    matched: Vec<MatchedDocument>,
}

impl DocumentIntake {
    /// Takes documents in. Answers come in their order, with the resources as this very intake stored them.
    ///
    /// # Errors
    /// The errors of the store; of an atomic intake, why it was refused.
    pub async fn deliver(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        deliveries: Vec<Delivery>,
        options: IntakeOptions,
    ) -> Result<Vec<DocumentAnswer>> {
        (self.deliver_for_sync(book, caller, deliveries, options, None)).await
    }

    /// Takes documents in as a part of a full sync: its id, and for how many milliseconds it may go on from here.
    ///
    /// # Errors
    /// As [`DocumentIntake::deliver`]; [`Error::NotFound`] without such a sync of the caller's organisation,
    /// [`Error::Invalid`] when it does not go on or does not cover all documents.
    pub async fn deliver_for_sync(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        mut deliveries: Vec<Delivery>,
        options: IntakeOptions,
        sync: Option<(String, i64)>,
    ) -> Result<Vec<DocumentAnswer>> {
        let issues = self.all_checked(&mut deliveries, options);
        let this = self.clone();
        let (tx, mut rx) = oneshot::channel();
        let done = book.transact(move |work| {
            Box::pin(async move {
                let part = IntakeContext {
                    sync: sync.as_ref().map(|(id, lease)| (id.as_str(), *lease)),
                    surveyed: deliveries.len() <= CHECKED_AT_ONCE,
                    ..IntakeContext::default()
                };
                let answers = this.run_pipeline(work, &caller, &deliveries, issues, options, part).await?;
                if options.dry {
                    // The receiver is gone when the caller went away.
                    let _ = tx.send(answers);
                    return Err(Error::internal("nothing of a dry run stays"));
                }
                Ok(answers)
            })
        });
        match (done.await, options.dry) {
            (Err(error), true) => rx.try_recv().map_err(|_| error),
            (done, _) => done.inspect(|answers| {
                let states: Vec<State> = answers.iter().map(|answer| answer.state).collect();
                self.tally().add(&states);
            }),
        }
    }

    /// Takes documents in within a transaction of the caller, one independent of the other; `issues` is what
    /// [`DocumentIntake::checked`] found in each.
    pub async fn deliver_within(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        deliveries: &[Delivery],
        issues: Vec<Vec<Issue>>,
    ) -> Result<Vec<DocumentAnswer>> {
        let (options, part) = (IntakeOptions::default(), IntakeContext::default());
        self.run_pipeline(work, caller, deliveries, issues, options, part).await
    }

    /// Takes resources back, each by the tombstone that its sender would send.
    pub(crate) async fn retract(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        resources: &[Key<'_>],
    ) -> Result<Vec<DocumentAnswer>> {
        let tombstone = |(dataset, location, source, id): &Key<'_>| {
            let resource_type = self.rules.mappings().get(dataset).map(|m| m.resource());
            let meta = json!({"source": source, "sourceId": id, "isDeleted": true});
            let doc = json!({"resourceType": resource_type, "meta": meta});
            Delivery { dataset: (*dataset).to_owned(), location: *location, doc, sent: None }
        };
        let mut deliveries: Vec<Delivery> = resources.iter().map(tombstone).collect();
        let issues = self.all_checked(&mut deliveries, IntakeOptions::default());
        self.deliver_within(work, caller, &deliveries, issues).await
    }

    /// What the standard finds in documents.
    pub(crate) fn all_checked(&self, deliveries: &mut [Delivery], options: IntakeOptions) -> Vec<Vec<Issue>> {
        parallel::map_mut(deliveries, |delivery| self.checked(delivery, options.strict))
    }

    /// All steps of intake within a transaction: who may send, [`DocumentIntake::write_runs`], rendering, last states.
    pub(crate) async fn run_pipeline(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        deliveries: &[Delivery],
        issues: Vec<Vec<Issue>>,
        options: IntakeOptions,
        part: IntakeContext<'_>,
    ) -> Result<Vec<DocumentAnswer>> {
        work.via(Source::Ade);
        let caller = &self.with_mandates(work, caller, deliveries).await?;
        work.set_caller(caller);
        let joined = match part.sync {
            Some((id, lease)) => Some((FullSync::joined(work, caller, id, deliveries).await?, lease)),
            None => None,
        };
        let mut last = self.last_states(work, deliveries).await?;
        let checks = (issues, self.denied(work, caller, deliveries, &mut last).await?);
        let mut answers = self.write_runs(work, caller, deliveries, checks, &mut last, options).await?;
        if options.atomic {
            all_or_none(&answers)?;
        }
        let findings = if part.surveyed { self.survey(work, deliveries, &answers).await? } else { Vec::new() };
        let projected = self.project_sent(work, deliveries, &mut answers).await?;
        for at in projected.reworded {
            let (Some(delivery), Some(answer)) = (deliveries.get(at), answers.get(at)) else { continue };
            let times = (work.now(), work.now().saturating_add(options.tolerance));
            last.note(&delivery.dataset, delivery.location, &delivery.doc, answer, times);
        }
        logged::log(work, caller, deliveries, &answers);
        work.project(&self.projector).await?;
        if let Some((sync, lease)) = joined {
            let first = last.all_named(deliveries, &answers, &sync);
            sync.advance(work, first, lease).await?;
        }
        self.store_last_states(work, last, Sender { organization: sender_of(caller), batch: part.batch }).await?;
        stats::note(work, deliveries, &answers).await?;
        // The results of a batch have no bodies.
        let among = part.batch.map(|_| &projected.unnamed);
        self.bodies(work, deliveries, &mut answers, among).await?;
        name_differences(self.rules.mappings(), deliveries, &mut answers, &projected.unread);
        // Last: a finding about a member does not stand for a difference of it.
        for (at, issue) in findings {
            if let Some(answer) = answers.get_mut(at) {
                answer.issues.push(issue);
            }
        }
        Ok(answers)
    }

    /// What the checks find in the rows that documents became, as messages that refuse nothing, by the place of the
    /// document.
    async fn survey(
        &self,
        work: &mut WriteTransaction<'_>,
        deliveries: &[Delivery],
        answers: &[DocumentAnswer],
    ) -> Result<Vec<(usize, Issue)>> {
        let mut all = Vec::new();
        let mut rows: BTreeMap<&'static str, Vec<i64>> = BTreeMap::new();
        let wrote = |answer: &&DocumentAnswer| matches!(answer.state, State::Created | State::Updated | State::Deleted);
        for answer in answers.iter().filter(wrote) {
            let record = answer.record.filter(|id| *id > 0);
            rows.entry(answer.collection).or_default().extend(record);
        }
        for (slug, ids) in rows {
            let Some(c) = work.registry().get(slug) else { continue };
            for finding in work.survey(c, ids).await?.findings {
                let by = |answer: &DocumentAnswer| answer.collection == slug && answer.record == Some(finding.by);
                let Some(at) = answers.iter().position(by) else { continue };
                let own = finding.record == (slug.to_owned(), finding.by);
                let issue = Issue {
                    severity: match finding.severity.as_str() {
                        "fix" => Severity::Warning,
                        _ => Severity::Information,
                    },
                    // Of another record of the animal the sentence speaks, not a member of this document.
                    ..Issue::warning(if own { finding.path } else { String::new() }, finding.code, finding.message)
                };
                let set = deliveries.get(at).map(|delivery| delivery.dataset.as_str());
                let mapping = set.and_then(|set| self.rules.mappings().get(set));
                match mapping.filter(|_| own) {
                    Some(mapping) => {
                        all.extend(pointed(mapping, c, vec![issue]).map(|issue| (at, issue)));
                    }
                    None => all.push((at, issue)),
                }
            }
        }
        Ok(all)
    }

    /// The standard's view of a document; a missing type is filled in. `strict` refuses members that it does not have.
    pub fn checked(&self, delivery: &mut Delivery, strict: bool) -> Vec<Issue> {
        let Some(mapping) = self.rules.mappings().get(&delivery.dataset) else {
            return vec![Issue::error("", "collection-unknown", "No such collection.")];
        };
        let mut issues = Vec::new();
        let Some(members) = delivery.doc.as_object_mut() else {
            return vec![Issue::error("", "body-shape", "A resource is an object.")];
        };
        if members.get("resourceType").is_none_or(Json::is_null) {
            members.insert("resourceType".to_owned(), mapping.resource().into());
            issues.push(Issue::warning(
                "/resourceType",
                "resource-type-filled",
                format!("Taken as {}.", mapping.resource()),
            ));
        }
        // The server fills in the location, which a sender may leave out.
        if mapping.keeps_sent() && members.get("location").is_none_or(Json::is_null) {
            let (id, scheme) = (delivery.location.to_string(), self.rules.location_scheme());
            members.insert("location".to_owned(), json!({"id": id, "scheme": scheme}));
        }
        let (head, faults) = ade::Head::read(&delivery.doc);
        let mut report = |fault: ade::Fault| {
            issues.push(Issue::error(fault.pointer, fault.code.as_str(), fault.message));
        };
        if let Some(fault) = head.other_than(mapping.resource()) {
            report(fault);
        } else if head.is_deleted {
            // A tombstone needs its identity only.
            faults.into_iter().filter(|f| f.pointer != "/meta/modified").for_each(&mut report);
        } else {
            ade::validate(mapping.resource(), &delivery.doc).into_iter().for_each(&mut report);
        }
        if strict {
            (ade::unknown_members(mapping.resource(), &delivery.doc).into_iter())
                .filter(|fault| !ENVELOPE.contains(&fault.pointer.as_str()))
                .for_each(report);
        }
        issues
    }

    /// Writes documents in runs of one data set and location, in execution order.
    async fn write_runs(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        deliveries: &[Delivery],
        (mut issues, mut answers): (Vec<Vec<Issue>>, Vec<Option<DocumentAnswer>>),
        last: &mut LastStates,
        options: IntakeOptions,
    ) -> Result<Vec<DocumentAnswer>> {
        for (at, own) in issues.iter_mut().enumerate() {
            let open = answers.get(at).is_some_and(Option::is_none);
            if open && refused(own) {
                put(&mut answers, at, DocumentAnswer::rejected(std::mem::take(own)));
            }
        }
        for run in execution_order(deliveries, &answers) {
            let Some(first) = run.first().and_then(|at| deliveries.get(*at)) else { continue };
            let Some(mapping) = self.rules.mappings().taking(&first.dataset) else { continue };
            let sent_here: Vec<&Delivery> = (run.iter()).filter_map(|at| deliveries.get(*at)).collect();
            let times = (work.now(), work.now().saturating_add(options.tolerance));
            let run_of = (mapping, first.location);
            let caller = &writer(caller, first.location);
            let done = if mapping.is_passthrough() {
                self.write_raw_run(work, caller, run_of, &sent_here, (last, times)).await?
            } else if mapping.corrections().is_some() {
                let docs: Vec<&Json> = sent_here.iter().map(|d| &d.doc).collect();
                self.write_corrections(work, caller, run_of, &docs, (last, times)).await?
            } else {
                let docs: Vec<&Json> = sent_here.iter().map(|d| &d.doc).collect();
                self.write_mapped_run(work, caller, run_of, &docs, (last, times)).await?
            };
            for (at, mut answer) in run.iter().zip(done) {
                let mut all = issues.get_mut(*at).map(std::mem::take).unwrap_or_default();
                all.append(&mut answer.issues);
                answer.issues = all;
                put(&mut answers, *at, answer);
            }
        }
        Ok(complete(answers))
    }

    /// Writes the documents of a mapped data set, but those that repeat the resource as it is read:
    /// they change nothing, whatever the row is made of.
    async fn write_mapped_run(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, location): (&Mapping, i64),
        docs: &[&Json],
        (last, times): (&mut LastStates, (i64, i64)),
    ) -> Result<Vec<DocumentAnswer>> {
        let place = (mapping.dataset(), location);
        let mut repeats = self.repeats(work, place, docs, last).await?;
        let timely = last.judged(mapping.dataset(), location, docs, times);
        let whole_ones = mapping.element().is_none() && !caller.reads_only();
        let mut answers: Vec<Option<DocumentAnswer>> = docs.iter().map(|_| None).collect();
        let mut rest: Vec<(usize, Cow<'_, Json>)> = Vec::with_capacity(docs.len());
        for (at, (doc, time)) in docs.iter().zip(timely).enumerate() {
            match repeats.swap_remove(&at) {
                Some(Repeat::Whole(answer)) if whole_ones && time == Timely::Yes => {
                    last.note(mapping.dataset(), location, doc, &answer, times);
                    put(&mut answers, at, answer);
                }
                Some(Repeat::Corrected(news)) => rest.push((at, Cow::Owned(news))),
                _ => rest.push((at, Cow::Borrowed(*doc))),
            }
        }
        if !rest.is_empty() {
            let docs: Vec<&Json> = rest.iter().map(|(_, doc)| doc.as_ref()).collect();
            let done = (self.write_by_mapping(work, caller, (mapping, location), &docs, (last, times))).await?;
            self.supersede(work, caller, place, &docs, &done).await?;
            for ((at, _), answer) in rest.iter().zip(done) {
                put(&mut answers, *at, answer);
            }
        }
        Ok(complete(answers))
    }

    /// Writes the documents of one mapping and location. Gives the answers, and whether what was
    /// made beside the rows is needed by one of them.
    pub(crate) async fn write_documents(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, location): (&Mapping, i64),
        docs: &[&Json],
        (last, times): (&mut LastStates, (i64, i64)),
    ) -> Result<(Vec<DocumentAnswer>, bool)> {
        let timely = last.judged(mapping.dataset(), location, docs, times);
        if mapping.parts().is_some() || mapping.element().is_some() {
            let fresh = on_time(docs, &timely);
            let taken = match mapping.element() {
                Some(element) => {
                    self.write_elements(work, caller, (mapping, element), (location, times.1), &fresh).await?
                }
                None => (self.write_parts(work, caller, mapping, location, &fresh)).await?,
            };
            return Ok((last.noted((mapping.dataset(), location), docs, &timely, taken, times), true));
        }
        let names = self.names(work, mapping, docs, location).await?;
        let mut read = parallel::map(docs, |doc| mapping.intake(doc, &names));
        let mut rows = self.resolve_rows(work, mapping, location, &read).await?;
        self.match_existing(work, mapping, location, &mut rows, &mut read).await?;
        self.match_joined(work, mapping, location, docs, (&mut rows, &mut read)).await?;
        let late = self.settle(work, mapping, docs, &rows, &mut read).await?;
        let SortedDocuments { mut answers, items, written, matched } =
            self.sort_documents(mapping, (read, rows), &timely, &late);
        let c = work.collection(mapping.collection())?;
        let placed: Vec<bool> = items.iter().map(|item| names.placed(item)).collect();
        let outcomes = work.write(c, caller, items).await?;
        let needed = !names.made
            || (placed.iter().zip(&outcomes))
                .any(|(placed, outcome)| *placed && !matches!(outcome, Outcome::Refused(_)));
        for ((at, deleted, issues), outcome) in written.into_iter().zip(outcomes) {
            put(&mut answers, at, answer(mapping, c, outcome, issues, deleted));
        }
        let joined = match mapping.beside() {
            Some(_) => (self.write_joined(work, caller, mapping, location, matched)).await?,
            None => self.write_matched(work, caller, mapping, matched).await?,
        };
        for (at, answer) in joined {
            put(&mut answers, at, answer);
        }
        let mut answers = complete(answers);
        for ((answer, doc), time) in answers.iter_mut().zip(docs).zip(timely) {
            if answer.state == State::Created
                && let Some(other) = last.elsewhere(mapping.dataset(), location, doc)
            {
                answer.issues.push(of_another_set(other));
            }
            if answer.state != State::Rejected && time != Timely::Stale {
                last.note(mapping.dataset(), location, doc, answer, times);
            }
        }
        Ok((answers, needed))
    }

    /// Answers the documents of which nothing is written; the others become items, or have their rows already.
    fn sort_documents(
        &self,
        mapping: &Mapping,
        (read, rows): (Vec<Intake>, Vec<Target>),
        timely: &[Timely],
        late: &IndexSet<usize>,
    ) -> SortedDocuments {
        let slug = self.rules.slug(mapping);
        let mut sorted = SortedDocuments { answers: read.iter().map(|_| None).collect(), ..SortedDocuments::default() };
        for (at, ((mut intake, row), time)) in read.into_iter().zip(rows).zip(timely).enumerate() {
            let is_stale = *time == Timely::Stale;
            if *time == Timely::Ahead {
                intake.issues.push(ahead());
            }
            let answer = match row {
                _ if intake.refused() => DocumentAnswer::rejected(intake.issues),
                Target::Foreign => foreign(intake.issues),
                Target::Row(id) if is_stale => stale(Some(id), intake.issues).of(slug),
                Target::Absent if is_stale => stale(None, intake.issues),
                Target::Row(id) if late.contains(&at) => outdated(id, intake).of(slug),
                Target::Absent if intake.deleted => DocumentAnswer::new(State::Deleted, None, intake.issues),
                Target::Unknown => unknown_row(intake.issues),
                Target::Matched(id, kind) if is_stale => {
                    stale((kind != MatchKind::Joins).then_some(id), intake.issues).of(slug)
                }
                Target::Matched(row, kind) => {
                    sorted.matched.push(MatchedDocument { at, row, kind, intake });
                    continue;
                }
                row => {
                    let issues = std::mem::take(&mut intake.issues);
                    sorted.written.push((at, intake.deleted, issues));
                    sorted.items.push(self.item(mapping, intake, row));
                    continue;
                }
            };
            put(&mut sorted.answers, at, answer);
        }
        sorted
    }

    fn item(&self, mapping: &Mapping, intake: Intake, row: Target) -> Item {
        match row {
            Target::Row(id) if intake.deleted && !mapping.is_part() => Item::delete(id),
            Target::Row(id) => {
                let (body, server) = self.values(mapping, intake, false);
                Item::update(id, body).with_server(server)
            }
            Target::Absent | Target::Unknown | Target::Foreign | Target::Matched(..) => {
                let (body, server) = self.values(mapping, intake, true);
                Item::create(body).with_server(server)
            }
        }
    }

    /// What the sender says, and what the server stores with it: the sender's pair and the members that no field holds.
    fn values(&self, mapping: &Mapping, intake: Intake, created: bool) -> (Slots, Slots) {
        let is_server = self.servers(mapping);
        let (server, body) = (mapping.writes(intake, created).into_iter()).partition(|(slot, _)| is_server(*slot));
        (body, server)
    }

    /// Whether only the server writes a field of the rows of a mapping.
    pub(crate) fn servers(&self, mapping: &Mapping) -> impl Fn(usize) -> bool {
        let c = self.rules.registry().get(mapping.collection());
        move |slot| c.and_then(|c| c.fields.get(slot)).is_some_and(|f| f.writer == Writer::Server)
    }
}
