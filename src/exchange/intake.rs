//! Intake (design, section 6): one path for single posts, batches and pushes. Documents
//! are checked against the standard outside the transaction, then named things are looked
//! up, documents read, and rows written in sets; each document stands for itself, or, in
//! a push, all or none.

use super::Exchange;
use super::logged;
use super::meant::Meant;
use crate::error::{Error, Issue, Result, Severity};
use crate::mapping::{Intake, Mapping};
use crate::ops::{Book, Item, Outcome, Work};
use crate::record::Value;
use crate::registry::{Collection, Desk, Principal, Source};
use crate::store::{Sql, Ty};
use indexmap::{IndexMap, IndexSet};
use serde_json::Value as Json;
use std::sync::Arc;

/// A document on its way in.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The data set, or collection of the location's address.
    pub dataset: String,
    /// The organisation whose location it was sent to.
    pub location: i64,
    /// The document.
    pub doc: Json,
}

/// What became of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A new row.
    Created,
    /// Another state of a row that was there.
    Updated,
    /// Equal content: nothing was written.
    Unchanged,
    /// The row is gone (or was not there).
    Deleted,
    /// Refused; the issues tell why.
    Rejected,
}

/// The answer to one document.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What became of it.
    pub state: State,
    /// The row that holds it.
    pub record: Option<i64>,
    /// The resource as stored.
    pub body: Option<String>,
    /// What to tell the sender; paths are JSON pointers into the document.
    pub issues: Vec<Issue>,
    /// Whether it was refused because the caller may not, not because of its content.
    pub forbidden: bool,
}

impl Answer {
    fn rejected(issues: Vec<Issue>) -> Self {
        Self {
            state: State::Rejected,
            record: None,
            body: None,
            issues,
            forbidden: false,
        }
    }
}

impl Exchange {
    /// Takes documents in. Answers come in their order. With `atomic`, one refusal refuses
    /// all, as [`Error::Invalid`] with pointers that begin with the document's index.
    pub async fn deliver(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        mut deliveries: Vec<Delivery>,
        atomic: bool,
    ) -> Result<Vec<Answer>> {
        let issues: Vec<Vec<Issue>> = deliveries.iter_mut().map(|d| self.checked(d)).collect();
        let this = self.clone();
        let mut answers = book
            .transact(move |work| {
                Box::pin(async move {
                    work.via(Source::Ade);
                    let answers = this.take(work, &caller, &deliveries, issues).await?;
                    if atomic {
                        all_or_none(&answers)?;
                    }
                    logged::log(work, &caller, &deliveries, &answers);
                    Ok((answers, deliveries))
                })
            })
            .await
            .map(|(answers, deliveries)| self.with_places(answers, deliveries))?;
        self.bodies(book, &mut answers).await?;
        Ok(answers.into_iter().map(|(_, _, answer)| answer).collect())
    }

    fn with_places(
        &self,
        answers: Vec<Answer>,
        deliveries: Vec<Delivery>,
    ) -> Vec<(String, i64, Answer)> {
        (answers.into_iter().zip(deliveries))
            .map(|(answer, d)| (d.dataset, d.location, answer))
            .collect()
    }

    /// The standard's view of a document; a missing type is filled in.
    pub fn checked(&self, delivery: &mut Delivery) -> Vec<Issue> {
        let Some(mapping) = self.mappings().get(&delivery.dataset) else {
            return vec![Issue::error(
                "",
                "collection-unknown",
                "No such collection.",
            )];
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
        let (head, faults) = ade::Head::read(&delivery.doc);
        let mut told = |fault: ade::Fault| {
            issues.push(Issue::error(
                fault.pointer,
                fault.code.as_str(),
                fault.message,
            ));
        };
        if let Some(fault) = head.other_than(mapping.resource()) {
            told(fault);
        } else if head.is_deleted {
            // A tombstone needs its identity only.
            faults
                .into_iter()
                .filter(|f| f.pointer != "/meta/modified")
                .for_each(told);
        } else {
            ade::validate(mapping.resource(), &delivery.doc)
                .into_iter()
                .for_each(told);
        }
        issues
    }

    async fn take(
        &self,
        work: &mut Work<'_>,
        caller: &Arc<Principal>,
        deliveries: &[Delivery],
        mut issues: Vec<Vec<Issue>>,
    ) -> Result<Vec<Answer>> {
        let mut answers: Vec<Option<Answer>> = deliveries.iter().map(|_| None).collect();
        for (at, found) in issues.iter_mut().enumerate() {
            if refused(found) {
                put(&mut answers, at, Answer::rejected(std::mem::take(found)));
            }
        }
        for run in runs(deliveries, &answers) {
            let Some(first) = run.first().and_then(|at| deliveries.get(*at)) else {
                continue;
            };
            let Some(mapping) = self.mappings().get(&first.dataset) else {
                continue;
            };
            let docs: Vec<&Json> = run
                .iter()
                .filter_map(|at| deliveries.get(*at))
                .map(|d| &d.doc)
                .collect();
            let done = self
                .take_run(work, caller, mapping, first.location, &docs)
                .await?;
            for (at, mut answer) in run.iter().zip(done) {
                let mut told = issues.get_mut(*at).map(std::mem::take).unwrap_or_default();
                told.append(&mut answer.issues);
                answer.issues = told;
                put(&mut answers, *at, answer);
            }
        }
        Ok((answers.into_iter())
            .map(|a| a.unwrap_or_else(|| Answer::rejected(Vec::new())))
            .collect())
    }

    /// Documents of one data set and location, no two of the same pair.
    async fn take_run(
        &self,
        work: &mut Work<'_>,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        location: i64,
        docs: &[&Json],
    ) -> Result<Vec<Answer>> {
        let names = self.names(work, mapping, docs, location).await?;
        let mut read: Vec<Intake> = docs.iter().map(|doc| mapping.intake(doc, &names)).collect();
        let rows = self.rows_meant(work, mapping, location, &read).await?;
        let late = self.settle(work, mapping, docs, &rows, &mut read).await?;
        let mut answers: Vec<Option<Answer>> = docs.iter().map(|_| None).collect();
        let mut items = Vec::new();
        let mut places = Vec::new();
        let mut told = Vec::new();
        for (at, (intake, row)) in read.into_iter().zip(rows).enumerate() {
            if intake.refused() {
                put(&mut answers, at, Answer::rejected(intake.issues));
                continue;
            }
            match row {
                Meant::Row(id) if late.contains(&at) => put(&mut answers, at, outdated(id, intake)),
                Meant::Absent if intake.deleted => put(
                    &mut answers,
                    at,
                    Answer {
                        state: State::Deleted,
                        ..Answer::rejected(intake.issues)
                    },
                ),
                Meant::Unknown => put(&mut answers, at, unknown_row(intake.issues)),
                row => {
                    places.push((at, intake.deleted));
                    told.push(intake.issues.clone());
                    items.push(self.item(mapping, intake, row));
                }
            }
        }
        let c = work.collection(mapping.collection())?;
        let outcomes = work.write(c, caller, items).await?;
        for (((at, deleted), issues), outcome) in places.into_iter().zip(told).zip(outcomes) {
            put(
                &mut answers,
                at,
                answer(mapping, c, outcome, issues, deleted),
            );
        }
        Ok((answers.into_iter())
            .map(|a| a.unwrap_or_else(|| Answer::rejected(Vec::new())))
            .collect())
    }

    fn item(&self, mapping: &Mapping, intake: Intake, row: Meant) -> Item {
        match row {
            Meant::Row(id) if intake.deleted && !mapping.is_part() => Item::delete(id),
            Meant::Row(id) => {
                let (body, server) = self.values(mapping, &intake, false);
                Item::update(id, body).with_server(server)
            }
            Meant::Absent | Meant::Unknown => {
                let (body, server) = self.values(mapping, &intake, true);
                Item::create(body).with_server(server)
            }
        }
    }

    /// What the sender says, and what the server keeps with it: his pair and the members
    /// that no field holds.
    fn values(&self, mapping: &Mapping, intake: &Intake, created: bool) -> (Slots, Slots) {
        let kept = |slot: usize| {
            mapping.extra() == Some(slot)
                || mapping.pair().is_some_and(|(a, b)| a == slot || b == slot)
        };
        let (server, body) =
            (mapping.writes(intake, created).into_iter()).partition(|(slot, _)| kept(*slot));
        (body, server)
    }

    /// Resources as stored, for the answers; one statement per data set and location.
    async fn bodies(&self, book: &Book, answers: &mut [(String, i64, Answer)]) -> Result<()> {
        let mut asked: IndexMap<(String, i64), Vec<i64>> = IndexMap::new();
        for (dataset, location, answer) in answers.iter() {
            if let (Some(record), false) = (answer.record, answer.state == State::Deleted) {
                asked
                    .entry((dataset.clone(), *location))
                    .or_default()
                    .push(record);
            }
        }
        let mut bodies: IndexMap<(String, i64, i64), String> = IndexMap::new();
        for ((dataset, location), records) in asked {
            for piece in records.chunks(5_000) {
                // The location is compared here: named in the statement it tempts a planner
                // without statistics to walk through the whole location.
                let mut sql = Sql::new(
                    "SELECT record, body, location FROM exchange_documents WHERE dataset = ",
                )
                .with(Ty::Text, dataset.as_str())
                .and(" AND record IN ");
                sql.bind_list(Ty::Int, piece.iter().copied().map(Value::Int));
                let rows = book.store.rows(sql.one_off()).await?;
                for row in rows.iter().filter(|r| r.int(2) == Some(location)) {
                    if let (Some(record), Some(body)) = (row.int(0), row.text(1)) {
                        bodies.insert((dataset.clone(), location, record), body.to_owned());
                    }
                }
            }
        }
        for (dataset, location, answer) in answers {
            if let Some(record) = answer.record {
                answer.body = bodies.get(&(dataset.clone(), *location, record)).cloned();
            }
        }
        Ok(())
    }
}

/// Values by slot.
type Slots = Vec<(usize, Value)>;

fn outdated(id: i64, mut intake: Intake) -> Answer {
    intake.issues.push(Issue::warning(
        "/eventDateTime",
        "later-one-kept",
        "A later one is kept; this one changes nothing.",
    ));
    Answer {
        state: State::Unchanged,
        record: Some(id),
        ..Answer::rejected(intake.issues)
    }
}

fn unknown_row(mut issues: Vec<Issue>) -> Answer {
    issues.push(Issue::error(
        "/meta/sourceId",
        "resource-not-found",
        "This location has no such resource.",
    ));
    Answer::rejected(issues)
}

fn answer(
    mapping: &Mapping,
    c: &Collection,
    outcome: Outcome,
    mut issues: Vec<Issue>,
    deleted: bool,
) -> Answer {
    let mut forbidden = false;
    let (state, record) = match outcome {
        Outcome::Done(change, more) => {
            issues.extend(pointed(mapping, c, more));
            let state = match (&change.old, &change.new, deleted) {
                (_, _, true) | (_, None, _) => State::Deleted,
                (None, ..) => State::Created,
                (Some(_), ..) => State::Updated,
            };
            (state, Some(change.id))
        }
        Outcome::Unchanged(id, _, more) => {
            issues.extend(pointed(mapping, c, more));
            let state = if deleted {
                State::Deleted
            } else {
                State::Unchanged
            };
            (state, Some(id))
        }
        Outcome::Refused(error) => {
            forbidden = matches!(error, Error::Forbidden(_));
            issues.extend(pointed(mapping, c, refusal(error)));
            (State::Rejected, None)
        }
    };
    Answer {
        state,
        record,
        body: None,
        issues,
        forbidden,
    }
}

fn refusal(error: Error) -> Vec<Issue> {
    match error {
        Error::Invalid(issues) => issues,
        Error::Forbidden(issues) if !issues.is_empty() => issues,
        Error::NotFound => vec![Issue::error("", "resource-not-found", "No such resource.")],
        _ => vec![Issue::error(
            "",
            "write-forbidden",
            "You are not allowed to write this resource.",
        )],
    }
}

/// Field paths of the model become pointers into the document.
fn pointed(mapping: &Mapping, c: &Collection, issues: Vec<Issue>) -> impl Iterator<Item = Issue> {
    (issues.into_iter()).map(|mut issue| {
        if !issue.path.starts_with('/') {
            issue.path = mapping.pointer_of(c, &issue.path).unwrap_or_default();
        }
        issue
    })
}

/// Runs of documents of one data set and location without a pair twice, in order.
fn runs(deliveries: &[Delivery], answers: &[Option<Answer>]) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut run: Vec<usize> = Vec::new();
    let mut seen: IndexSet<(&str, &str)> = IndexSet::new();
    let mut at_place: Option<(&str, i64)> = None;
    for (at, d) in deliveries.iter().enumerate() {
        if answers.get(at).is_some_and(Option::is_some) {
            continue;
        }
        let meta = d.doc.get("meta");
        let part = |name: &str| {
            meta.and_then(|m| m.get(name))
                .and_then(Json::as_str)
                .unwrap_or_default()
        };
        let place = (d.dataset.as_str(), d.location);
        let pair = (part("source"), part("sourceId"));
        if at_place.is_some_and(|p| p != place) || seen.contains(&pair) {
            runs.push(std::mem::take(&mut run));
            seen.clear();
        }
        at_place = Some(place);
        seen.insert(pair);
        run.push(at);
    }
    runs.push(run);
    runs.retain(|r| !r.is_empty());
    runs
}

fn all_or_none(answers: &[Answer]) -> Result<()> {
    let mut all = Vec::new();
    let mut forbidden = false;
    for (at, answer) in answers.iter().enumerate() {
        if answer.state != State::Rejected {
            continue;
        }
        forbidden |= answer.forbidden;
        for issue in answer
            .issues
            .iter()
            .filter(|i| i.severity == Severity::Error)
        {
            let mut issue = issue.clone();
            issue.path = format!("/{at}{}", issue.path);
            all.push(issue);
        }
    }
    match (all.is_empty(), forbidden) {
        (true, false) => Ok(()),
        (_, true) => Err(Error::Forbidden(all)),
        (false, false) => Err(Error::Invalid(all)),
    }
}

fn refused(issues: &[Issue]) -> bool {
    issues.iter().any(|i| i.severity == Severity::Error)
}

fn put(answers: &mut [Option<Answer>], at: usize, answer: Answer) {
    if let Some(place) = answers.get_mut(at) {
        *place = Some(answer);
    }
}
