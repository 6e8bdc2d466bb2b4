//! Rows that two senders report, such as giver and receiver (`meets` of a mapping file): the document of
//! the second is stored with the row that the first recorded, until it is retracted. The row
//! keeps the values of the first; what the second says otherwise is the wording of its document.

use crate::intake::DocumentIntake;
use crate::intake::delivery::{DocumentAnswer, State, pointed, refusal};
use crate::intake::issues::{ended, waiting};
use crate::intake::matching::resolve_rows::{MatchKind, Target};
use crate::projection::related::rows_by_id;
use mapping::{Intake, Mapping};
use model::error::{Error, Issue, Result};
use model::fast::IndexMap;
use model::record::{Record, Value};
use model::registry::{BookReader, Collection, ID, Lookup, Principal, Rule, Verb};
use ops::{Item, Outcome, WriteTransaction};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A document of a row that the other side has recorded.
pub(crate) struct MatchedDocument {
    pub at: usize,
    pub row: i64,
    pub kind: MatchKind,
    pub intake: Intake,
}

impl DocumentIntake {
    /// Finds the rows that the other side has recorded, and those that do not wait any more.
    pub(crate) async fn match_existing(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        rows: &mut [Target],
        read: &mut [Intake],
    ) -> Result<()> {
        if mapping.match_rule().is_none() && !mapping.has_waiting() {
            return Ok(());
        }
        let row_ids: BTreeSet<i64> = (rows.iter())
            .filter_map(|row| match row {
                Target::Row(id) => Some(*id),
                _ => None,
            })
            .collect();
        if !row_ids.is_empty() {
            let records = rows_by_id(work, mapping, row_ids).await?;
            for (row, intake) in rows.iter_mut().zip(read.iter_mut()) {
                if let Target::Row(id) = *row
                    && let Some(record) = records.get(&id)
                    && let Some(other) = self.match_known_row(work, mapping, location, record, intake)?
                {
                    *row = other;
                }
            }
        }
        self.match_by_event(work, mapping, location, rows, read).await
    }

    /// What becomes of a document of which the row is known, if that is nothing usual.
    fn match_known_row(
        &self,
        work: &WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        record: &Record,
        intake: &mut Intake,
    ) -> Result<Option<Target>> {
        let id = record.get(ID).int().unwrap_or_default();
        let joined = mapping.match_rule().is_some_and(|m| m.is_joined(record));
        if intake.deleted {
            return Ok(joined.then_some(Target::Matched(id, MatchKind::Leaves)));
        }
        if let Some(why) = mapping.ended(record) {
            intake.issues.push(ended(why));
            return Ok(None);
        }
        if !joined || intake.refused() {
            return Ok(None);
        }
        if let Some(slot) = mapping.unlike(intake, location, record) {
            let c: &'static Collection = work.collection(mapping.collection())?;
            let path = c.fields.get(slot).map_or("", |field| field.path.as_str());
            let at = mapping.pointer_of(c, path).unwrap_or_default();
            let message = "This resource is about a movement that others recorded, and this is \
                           another one; retract it, and send another.";
            intake.issues.push(Issue::error(at, "field-value", message));
            return Ok(None);
        }
        Ok(Some(Target::Matched(id, MatchKind::Corrects)))
    }

    async fn match_by_event(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        rows: &mut [Target],
        read: &mut [Intake],
    ) -> Result<()> {
        let Some((_, animal)) = mapping.match_rule().zip(mapping.animal_slot()) else { return Ok(()) };
        let animal_of = |intake: &Intake| {
            let field = intake.fields.iter().find(|(slot, _)| *slot == animal);
            let (source, key) = &intake.pair;
            let identified = !source.is_empty() && !key.is_empty() && !intake.deleted;
            field.filter(|_| identified)?.1.int()
        };
        let new = rows.iter().zip(read.iter()).filter(|(row, _)| matches!(row, Target::Absent));
        let animals: BTreeSet<i64> = new.filter_map(|(_, intake)| animal_of(intake)).collect();
        if animals.is_empty() {
            return Ok(());
        }
        let c: &'static Collection = work.collection(mapping.collection())?;
        let path = c.fields.get(animal).map_or("", |field| field.path.as_str());
        let fields: Vec<&str> = mapping.own_fields().iter().map(String::as_str).collect();
        let lookup = Lookup::by_ids(path, animals).fields(&fields);
        let mut records: IndexMap<i64, Vec<Record>> = IndexMap::default();
        for row in work.find(c.slug, lookup).await? {
            if let Some(id) = row.get(animal).int() {
                records.entry(id).or_default().push(row);
            }
        }
        let mut taken: BTreeSet<i64> = BTreeSet::new();
        for (row, intake) in rows.iter_mut().zip(read.iter_mut()) {
            let of = animal_of(intake).and_then(|id| records.get(&id));
            let (Some(of), Target::Absent) = (of, &*row) else { continue };
            let Some(id) = mapping.matching_row(intake, location, of.iter()).and_then(|row| row.get(ID).int()) else {
                continue;
            };
            if taken.insert(id) {
                // The row has its values: what this document lacks for one of its own is no fault.
                intake.issues.clear();
                *row = Target::Matched(id, MatchKind::Joins);
            }
        }
        Ok(())
    }

    /// Writes what documents do with rows of the other side. What the sender itself decides by it is written with the
    /// sender's rights, the rest by the server: the sender may create such rows, and does not own this one.
    pub(crate) async fn write_matched(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        matched: Vec<MatchedDocument>,
    ) -> Result<Vec<(usize, DocumentAnswer)>> {
        let mut answers = Vec::with_capacity(matched.len());
        let Some(match_rule) = mapping.match_rule() else { return Ok(answers) };
        let c: &'static Collection = work.collection(mapping.collection())?;
        let system = Arc::new(Principal::system());
        for document in matched {
            let MatchedDocument { at, row, kind, intake } = document;
            if !creates(c, caller) {
                answers.push((at, DocumentAnswer::refused(Error::forbidden())));
                continue;
            }
            let written = match kind {
                MatchKind::Leaves => mapping.leaves(),
                MatchKind::Joins => mapping.joins(&intake, false),
                MatchKind::Corrects => mapping.joins(&intake, true),
            };
            let decided = (self.differing(work, mapping, row, written.sender)).await?;
            let writer = if decided.is_empty() { &system } else { caller };
            let outcome = work.write(c, writer, vec![Item::update(row, decided).with_server(written.server)]).await?;
            let mut issues = intake.issues;
            let notice = match kind {
                MatchKind::Joins => Some(("joined", match_rule.says.clone())),
                MatchKind::Leaves => Some(("kept-by-others", match_rule.stays.clone())),
                MatchKind::Corrects => None,
            };
            issues.extend(notice.map(|(code, text)| Issue::warning("", code, text)));
            answers.push((at, answered(mapping, c, row, kind, outcome, issues)));
        }
        Ok(answers)
    }

    async fn differing(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        row: i64,
        mut values: Vec<(usize, Value)>,
    ) -> Result<Vec<(usize, Value)>> {
        if !values.is_empty()
            && let Some(record) = rows_by_id(work, mapping, [row]).await?.get(&row)
        {
            values.retain(|(slot, value)| record.get(*slot) != value);
        }
        Ok(values)
    }
}

/// Whether the caller has the capability to record such rows.
fn creates(c: &Collection, caller: &Principal) -> bool {
    let able = match c.access.rule(Verb::Create) {
        Rule::Own(capability) => caller.can(*capability),
        _ => false,
    };
    caller.sees_all() || able
}

fn answered(
    mapping: &Mapping,
    c: &'static Collection,
    row: i64,
    kind: MatchKind,
    outcome: Vec<Outcome>,
    mut issues: Vec<Issue>,
) -> DocumentAnswer {
    let done = match kind {
        MatchKind::Joins => State::Created,
        MatchKind::Corrects => State::Updated,
        MatchKind::Leaves => State::Deleted,
    };
    let state = match outcome.into_iter().next() {
        Some(Outcome::Done(change, more)) => {
            issues.extend(change.new.as_ref().and_then(|row| mapping.waits(row)).map(waiting));
            issues.extend(pointed(mapping, c, more));
            done
        }
        Some(Outcome::Unchanged(_, row, more)) => {
            issues.extend(mapping.waits(&row).map(waiting));
            issues.extend(pointed(mapping, c, more));
            match kind {
                MatchKind::Corrects => State::Unchanged,
                _ => done,
            }
        }
        Some(Outcome::Refused(error)) => {
            let forbidden = matches!(error, Error::Forbidden(_));
            // It is another row that the sender does not know of; what hinders it is its document.
            let issues: Vec<Issue> = pointed(mapping, c, refusal(error)).collect();
            return DocumentAnswer { forbidden, ..DocumentAnswer::rejected(issues) };
        }
        None => return DocumentAnswer::rejected(issues),
    };
    DocumentAnswer::new(state, Some(row), issues).of(c.slug)
}
