//! Documents that stand beside the rows of their animals (`beside` of a mapping file): they find their
//! row by the animal, and are made, corrected and retracted without it.

use crate::intake::DocumentIntake;
use crate::intake::delivery::{DocumentAnswer, State, pointed, refusal};
use crate::intake::issues::taken;
use crate::intake::matching::match_existing::MatchedDocument;
use crate::intake::matching::resolve_rows::{MatchKind, Target};
use crate::projection::related::{RelatedRecords, rows_by_id};
use mapping::{Beside, Intake, Mapping, Row};
use model::error::{Error, Issue, Result};
use model::registry::{BookReader, Collection, Principal};
use ops::{Item, Outcome, WriteTransaction};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// When the event of a document was.
fn event(doc: &Json) -> Option<i64> {
    doc.get("eventDateTime").and_then(Json::as_str).and_then(ade::time::parse)
}

impl DocumentIntake {
    /// Finds the rows of documents that stand beside them.
    pub(crate) async fn match_joined(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        docs: &[&Json],
        (rows, read): (&mut [Target], &mut [Intake]),
    ) -> Result<()> {
        let Some(rule) = mapping.beside() else { return Ok(()) };
        let stated_ids: Vec<Option<i64>> = (read.iter_mut()).map(|intake| mapping.take_row(intake)).collect();
        let current = rows.iter().filter_map(|row| match row {
            Target::Row(id) => Some(*id),
            _ => None,
        });
        let ids: BTreeSet<i64> = current.chain(stated_ids.iter().flatten().copied()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let records = rows_by_id(work, mapping, ids).await?;
        let related = RelatedRecords::load(work, mapping, self.rules.fields(), records.values()).await?;
        for (at, (row, intake)) in rows.iter_mut().zip(read).enumerate() {
            let (matched, fault) = match_row(mapping, rule, row, intake, stated_ids.get(at).copied().flatten());
            intake.issues.extend(fault);
            let Some(id) = matched.filter(|_| !intake.refused()) else { continue };
            if intake.deleted {
                *row = Target::Matched(id, MatchKind::Leaves);
                continue;
            }
            let Some(record) = records.get(&id) else { continue };
            intake.issues.extend(mapping.other_event(docs.get(at).and_then(|doc| event(doc)), record, &related));
            match row {
                Target::Row(_) if matches!(intake.row, Row::Id(_)) => {}
                Target::Row(_) => *row = Target::Matched(id, MatchKind::Corrects),
                _ if mapping.is_sent_here(record, location) => {
                    intake.issues.push(taken(rule.taken.clone()));
                }
                _ => *row = Target::Matched(id, MatchKind::Joins),
            }
        }
        Ok(())
    }

    /// Writes documents beside their rows, with the rights of the sender. Of two that come to one
    /// row the first that is taken stands.
    pub(crate) async fn write_joined(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        location: i64,
        matched: Vec<MatchedDocument>,
    ) -> Result<Vec<(usize, DocumentAnswer)>> {
        let mut answers = Vec::with_capacity(matched.len());
        let Some(rule) = mapping.beside() else { return Ok(answers) };
        let c: &'static Collection = work.collection(mapping.collection())?;
        let mut standing: BTreeSet<i64> = BTreeSet::new();
        let mut open = matched;
        while !open.is_empty() {
            let mut rows_of_turn: BTreeSet<i64> = BTreeSet::new();
            let (first, later): (Vec<MatchedDocument>, Vec<MatchedDocument>) =
                open.into_iter().partition(|document| rows_of_turn.insert(document.row));
            let (first, beaten): (Vec<MatchedDocument>, Vec<MatchedDocument>) =
                (first.into_iter()).partition(|j| j.kind != MatchKind::Joins || !standing.contains(&j.row));
            for MatchedDocument { at, mut intake, .. } in beaten {
                intake.issues.push(taken(rule.taken.clone()));
                answers.push((at, DocumentAnswer::rejected(intake.issues)));
            }
            let items = first.iter().map(|document| {
                let server = match document.kind {
                    MatchKind::Leaves => mapping.clears(),
                    _ => mapping.stands(&document.intake, location),
                };
                Item::update(document.row, Vec::new()).with_server(server)
            });
            let outcomes = work.write(c, caller, items.collect()).await?;
            for (document, outcome) in first.into_iter().zip(outcomes) {
                if !matches!(outcome, Outcome::Refused(_)) {
                    match document.kind {
                        MatchKind::Leaves => standing.remove(&document.row),
                        _ => standing.insert(document.row),
                    };
                }
                let at = document.at;
                answers.push((at, answered(mapping, c, rule, document, outcome)));
            }
            open = later;
        }
        Ok(answers)
    }
}

/// The row of a document, or why it has none.
fn match_row(
    mapping: &Mapping,
    rule: &Beside,
    row: &Target,
    intake: &Intake,
    stated_id: Option<i64>,
) -> (Option<i64>, Option<Issue>) {
    let fault = |at: &str, message: &String| Some(Issue::error(at, "field-value", message.clone()));
    if intake.refused() {
        return (None, None);
    }
    match row {
        Target::Row(_) if intake.deleted && matches!(intake.row, Row::Id(_)) => {
            (None, fault("/meta/isDeleted", &rule.own))
        }
        Target::Row(id) if intake.deleted => (Some(*id), None),
        Target::Row(id) => match stated_id == Some(*id) {
            true => (Some(*id), None),
            false => (None, fault("/animal", &rule.moved)),
        },
        Target::Absent if intake.deleted => (None, None),
        Target::Absent => match stated_id {
            Some(id) => (Some(id), None),
            None => (None, Some(mapping.animal_unknown("/animal", &Json::Null))),
        },
        Target::Unknown | Target::Foreign | Target::Matched(..) => (None, None),
    }
}

fn answered(
    mapping: &Mapping,
    c: &'static Collection,
    rule: &Beside,
    document: MatchedDocument,
    outcome: Outcome,
) -> DocumentAnswer {
    let MatchedDocument { row, kind, intake, .. } = document;
    let mut issues = intake.issues;
    let unchanged = matches!(outcome, Outcome::Unchanged(..));
    match outcome {
        Outcome::Done(_, more) | Outcome::Unchanged(_, _, more) => {
            issues.extend(pointed(mapping, c, more));
        }
        Outcome::Refused(error) => {
            let forbidden = matches!(error, Error::Forbidden(_));
            issues.extend(pointed(mapping, c, refusal(error)));
            return DocumentAnswer { forbidden, ..DocumentAnswer::rejected(issues) };
        }
    }
    let state = match kind {
        MatchKind::Joins => State::Created,
        MatchKind::Corrects if unchanged => State::Unchanged,
        MatchKind::Corrects => State::Updated,
        MatchKind::Leaves => {
            issues.push(Issue::warning("", "kept-by-others", rule.stays.clone()));
            State::Deleted
        }
    };
    DocumentAnswer::new(state, Some(row), issues).of(c.slug)
}
