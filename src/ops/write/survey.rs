//! What the checks find in the rows that a request wrote, reported in its answer.

use super::WriteTransaction;
use crate::Outcome;
use model::error::Result;
use model::messages::Sentence;
use model::record::Record;
use model::registry::review::finding;
use model::registry::{BookReader, Class, Collection, Feature, ID, WrittenRow};
use std::collections::BTreeSet;

/// Rows of a request that are checked with it, and findings that its answer names. Those of more rows are checked by the
/// next run over the book.
pub const CHECKED_AT_ONCE: usize = 100;

/// A finding that a request made.
#[derive(Debug, Clone)]
pub struct NewFinding {
    /// The written row that made it: its own, or the first about the same animal.
    pub by: i64,
    pub code: String,
    /// How grave: `fix` or `note`.
    pub severity: String,
    /// Collection and id of the record that it is about.
    pub record: (String, i64),
    pub path: String,
    pub message: Sentence,
}

/// The report of the checks of a request.
#[derive(Debug, Clone, Default)]
pub struct SurveyResult {
    pub findings: Vec<NewFinding>,
    /// Whether it wrote too many rows for them to be checked at once.
    pub later: bool,
}

impl WriteTransaction<'_> {
    /// Checks the rows of a collection that were written as the caller ([`WriteTransaction::set_caller`]).
    pub async fn survey(&mut self, c: &'static Collection, ids: impl IntoIterator<Item = i64>) -> Result<SurveyResult> {
        let Some(findings_collection) = self.registry.with_feature(Feature::Findings) else {
            return Ok(SurveyResult::default());
        };
        let rows: Vec<WrittenRow> = ids.into_iter().filter_map(|id| self.written_row(c, id)).collect();
        if rows.len() > CHECKED_AT_ONCE {
            return Ok(SurveyResult { later: true, ..SurveyResult::default() });
        }
        if rows.is_empty() {
            return Ok(SurveyResult::default());
        }
        // The checks write by themselves, not for the caller, who stays the actor.
        self.depth += 1;
        let made = findings_collection.hooks.survey(findings_collection, self, &rows).await;
        self.depth -= 1;
        let made = made?;
        if made.is_empty() {
            return Ok(SurveyResult::default());
        }
        let ids: BTreeSet<i64> = made.iter().filter_map(|row| row.get(ID).int()).collect();
        let read = self.reads(findings_collection.slug, Class::Row, ids).await?;
        let readable = made.iter().filter(|row| row.get(ID).int().is_some_and(|id| read.contains(&id)));
        Ok(SurveyResult {
            findings: readable
                .filter_map(|row| finding(findings_collection, row, (c, &rows)))
                .take(CHECKED_AT_ONCE)
                .collect(),
            later: false,
        })
    }

    /// Checks the rows that outcomes wrote.
    pub(crate) async fn survey_outcomes(
        &mut self,
        c: &'static Collection,
        outcomes: &[Outcome],
    ) -> Result<SurveyResult> {
        let done = outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Done(change, _) => Some(change.id),
            Outcome::Unchanged(..) | Outcome::Refused(_) => None,
        });
        self.survey(c, done).await
    }

    /// A row that is about an animal.
    fn written_row(&self, c: &'static Collection, id: i64) -> Option<WrittenRow> {
        let animal = c.slot(c.animal?)?;
        let happens = c.happens.and_then(|path| c.slot(path));
        let touch = self.touched.get(&(c.slug, id))?;
        let both = || [&touch.old, &touch.new].into_iter().flatten();
        Some(WrittenRow {
            collection: c.slug,
            id,
            animals: both().filter_map(|row| row.get(animal).int()).collect(),
            times: both().filter_map(|row| row.get(happens?).time()).collect(),
            old: (touch.old.as_ref()).and_then(|row| Some((row.get(animal).int()?, row.clone()))),
        })
    }
}

fn finding(
    findings_collection: &Collection,
    row: &Record,
    (c, rows): (&Collection, &[WrittenRow]),
) -> Option<NewFinding> {
    let text = |path: &str| row.get(findings_collection.at(path)).text().unwrap_or_default().to_owned();
    let record = (text(finding::COLLECTION), row.get(findings_collection.at(finding::RECORD)).int()?);
    let animal = row.get(findings_collection.at(finding::ANIMAL)).int();
    let own = rows.iter().find(|row| record.0 == c.slug && record.1 == row.id);
    let same =
        || rows.iter().find(|row: &&WrittenRow| animal.is_some_and(|id| row.animals.contains(&id))).or(rows.first());
    let message = |language: &str| text(&format!("{}.{language}", finding::MESSAGE));
    Some(NewFinding {
        by: own.or_else(same)?.id,
        code: text(finding::CODE),
        severity: text(finding::SEVERITY),
        record,
        path: text(finding::PATH),
        message: Sentence::written(message("en"), message("ru")),
    })
}
