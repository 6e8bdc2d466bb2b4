//! Data sets of several collections: to which of them a received document belongs.

use crate::intake::DocumentIntake;
use crate::intake::delivery::{DocumentAnswer, complete, put};
use crate::intake::last_states::LastStates;
use crate::intake::matching::resolve_rows::Target;
use mapping::{Intake, Mapping, Row};
use model::error::Result;
use model::parallel;
use model::registry::Principal;
use ops::WriteTransaction;
use serde_json::Value as Json;
use std::sync::Arc;

impl DocumentIntake {
    /// Writes documents of one data set and location, no two of the same pair, each by the mapping of its collection.
    pub(crate) async fn write_by_mapping(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, location): (&Mapping, i64),
        docs: &[&Json],
        (last, times): (&mut LastStates, (i64, i64)),
    ) -> Result<Vec<DocumentAnswer>> {
        let all: Vec<&Mapping> = std::iter::once(mapping)
            .chain(
                self.rules
                    .mappings()
                    .iter()
                    .filter(|m| m.dataset() == mapping.dataset() && m.name() != mapping.name() && m.can_post()),
            )
            .collect();
        if all.len() == 1 {
            return (self.write_with_placeholder(work, caller, (mapping, location), docs, (last, times))).await;
        }
        let chosen = self.chosen(work, &all, location, docs).await?;
        let mut answers: Vec<Option<DocumentAnswer>> = docs.iter().map(|_| None).collect();
        for (which, mapping) in all.into_iter().enumerate() {
            let places: Vec<usize> =
                (chosen.iter().enumerate()).filter(|(_, one)| **one == which).map(|(at, _)| at).collect();
            let own: Vec<&Json> = places.iter().filter_map(|at| docs.get(*at).copied()).collect();
            if own.is_empty() {
                continue;
            }
            let done = (self.write_with_placeholder(work, caller, (mapping, location), &own, (last, times))).await?;
            for (at, answer) in places.into_iter().zip(done) {
                put(&mut answers, at, answer);
            }
        }
        Ok(complete(answers))
    }

    /// Of several mappings the one that knows the document, else the first that can read it and
    /// makes a row of it. A part of another row is taken under its own pair only.
    async fn chosen(
        &self,
        work: &mut WriteTransaction<'_>,
        all: &[&Mapping],
        location: i64,
        docs: &[&Json],
    ) -> Result<Vec<usize>> {
        let mut by_pair: Vec<Option<usize>> = docs.iter().map(|_| None).collect();
        let mut reads: Vec<Option<usize>> = docs.iter().map(|_| None).collect();
        for (which, mapping) in all.iter().enumerate() {
            let names = self.names(work, mapping, docs, location).await?;
            let mut read: Vec<Intake> = parallel::map(docs, |doc| mapping.intake(doc, &names));
            for (intake, place) in read.iter_mut().zip(&mut reads) {
                if !intake.refused() && !mapping.is_part() {
                    place.get_or_insert(which);
                }
                // Whether the pair itself is known.
                if let Row::PairOr(_) = intake.row {
                    intake.row = Row::Pair;
                }
            }
            let targets = self.resolve_rows(work, mapping, location, &read).await?;
            for (target, place) in targets.iter().zip(&mut by_pair) {
                if !matches!(target, Target::Absent) {
                    place.get_or_insert(which);
                }
            }
        }
        let rows = all.iter().position(|mapping| !mapping.is_part()).unwrap_or_default();
        Ok((by_pair.into_iter().zip(reads)).map(|(by_pair, reads)| by_pair.or(reads).unwrap_or(rows)).collect())
    }
}
