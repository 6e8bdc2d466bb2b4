//! Documents for which a placeholder organisation is created (`absent` of a mapping file): it stays
//! only if one of them is accepted.

use crate::intake::DocumentIntake;
use crate::intake::delivery::{DocumentAnswer, State};
use crate::intake::last_states::LastStates;
use mapping::Mapping;
use model::error::Result;
use model::registry::Principal;
use ops::WriteTransaction;
use serde_json::Value as Json;
use std::sync::Arc;

impl DocumentIntake {
    /// Writes documents of one mapping and location, no two of the same pair. A placeholder that
    /// was made for them stays only with one that was accepted.
    pub(crate) async fn write_with_placeholder(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        run: (&Mapping, i64),
        docs: &[&Json],
        (last, times): (&mut LastStates, (i64, i64)),
    ) -> Result<Vec<DocumentAnswer>> {
        if !run.0.needs_placeholder() {
            return Ok(self.write_documents(work, caller, run, docs, (last, times)).await?.0);
        }
        let attempt = work.attempt().await?;
        let (mut answers, needed) = self.write_documents(work, caller, run, docs, (&mut *last, times)).await?;
        if needed {
            work.keep_attempt(attempt).await?;
            return Ok(answers);
        }
        work.undo(attempt).await?;
        let taken = |answer: &DocumentAnswer| answer.state != State::Rejected;
        let rest: Vec<&Json> =
            (docs.iter().zip(&answers)).filter(|(_, answer)| taken(answer)).map(|(doc, _)| *doc).collect();
        if !rest.is_empty() {
            let again = self.write_documents(work, caller, run, &rest, (last, times));
            for (place, answer) in answers.iter_mut().filter(|answer| taken(answer)).zip(again.await?.0) {
                *place = answer;
            }
        }
        Ok(answers)
    }
}
