//! Retracting a batch: what it created is deleted, unless it was changed since.

use crate::batches::Batches;
use crate::batches::batch::BatchOrder;
use crate::documents::names::Names;
use crate::intake::delivery::{DocumentAnswer, Key, State};
use model::error::{Issue, Result};
use model::fast::IndexMap;
use model::record::Value;
use model::registry::Principal;
use ops::{Book, WriteTransaction};
use serde_json::Value as Json;
use std::sync::Arc;
use store::{Sql, Ty};

/// `meta.source`, `meta.sourceId`.
type Pair = (String, String);

/// The state of a resource in relation to the batch that created it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResourceState {
    /// As the batch left it.
    Untouched,
    /// Changed since by another write, or it lives elsewhere now.
    Changed,
    Gone,
}

impl Batches {
    /// Retracts what one part of a batch created, in a transaction, as the caller. Resources that the batch created are
    /// deleted; those that were changed since stay, and so do those that it only updated, since their former state is
    /// not stored. Returns a result for each element, with commas between them; nothing when there is no such part.
    pub async fn retract_part(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        (order, number): (BatchOrder, i64),
        tell: impl Fn(&str, Option<Json>, &DocumentAnswer) -> String + Send + 'static,
    ) -> Result<Option<String>> {
        let sql = Sql::new("SELECT results FROM exchange_batch_parts WHERE batch = ")
            .with(Ty::Text, order.id.as_str())
            .and(" AND part = ")
            .with(Ty::Int, number);
        let rows = book.store.rows(sql).await?;
        let Some(results) = rows.first().and_then(|row| row.compressed(0)) else { return Ok(None) };
        let results = format!("[{results}]");
        let results: Vec<Json> = serde_json::from_str(&results).map_err(model::error::Error::internal)?;
        let this = self.clone();
        let taken = book.transact(move |work| {
            Box::pin(async move {
                let answers = this.retract_created(work, &caller, &order, &results).await?;
                let retracted = answers
                    .iter()
                    .zip(&results)
                    .map(|(answer, result)| tell(&order.dataset, result.get("meta").cloned(), answer));
                Ok(retracted.collect::<Vec<_>>().join(","))
            })
        });
        taken.await.map(Some)
    }

    async fn retract_created(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        order: &BatchOrder,
        results: &[Json],
    ) -> Result<Vec<DocumentAnswer>> {
        let written = |result: &Json| matches!(word(result), Some("created" | "updated"));
        let pairs: Vec<Pair> = (results.iter().filter(|r| written(r))).filter_map(pair).collect();
        let state = self.resource_states(work, order, &pairs).await?;
        let mut mine: IndexMap<Pair, Option<DocumentAnswer>> = IndexMap::default();
        for result in results.iter().filter(|r| word(r) == Some("created")) {
            if let Some(pair) = pair(result)
                && state.get(&pair) == Some(&ResourceState::Untouched)
            {
                mine.insert(pair, None);
            }
        }
        let (set, location) = (order.dataset.as_str(), order.location);
        let keys = mine.keys().map(|(source, id)| (set, location, source.as_str(), id.as_str()));
        let keys: Vec<Key<'_>> = keys.collect();
        let gone = self.intake.retract(work, caller, &keys).await?;
        for (place, answer) in mine.values_mut().zip(gone) {
            *place = Some(answer);
        }
        let answer = |result: &Json| {
            let pair = pair(result)?;
            if let Some(answer) = mine.get(&pair) {
                return answer.clone();
            }
            Some(match (word(result), state.get(&pair)) {
                (Some("created" | "updated"), None | Some(ResourceState::Gone)) => {
                    DocumentAnswer::new(State::Deleted, None, Vec::new())
                }
                (Some("created"), _) => stays("changed-since", "It was changed since the batch, and stays as it is."),
                (Some("updated"), _) => {
                    stays("updated-stays", "The batch changed it, but did not create it; it stays as it is.")
                }
                _ => return None,
            })
        };
        let nothing = || DocumentAnswer::new(State::Unchanged, None, Vec::new());
        Ok((results.iter()).map(|result| answer(result).unwrap_or_else(nothing)).collect())
    }

    /// The states of the resources that a batch wrote; those without a document are left out.
    async fn resource_states(
        &self,
        work: &mut WriteTransaction<'_>,
        order: &BatchOrder,
        pairs: &[Pair],
    ) -> Result<IndexMap<Pair, ResourceState>> {
        let mut states = IndexMap::default();
        for piece in pairs.chunks(500) {
            let mut sql = Sql::new(
                "SELECT n.name, d.source_id, d.seq, d.deleted, d.reason, s.seq, s.batch \
                 FROM exchange_documents d JOIN exchange_names n ON n.id = d.source \
                 LEFT JOIN exchange_sent s ON s.location = d.location \
                 AND s.source = n.name AND s.source_id = d.source_id AND s.dataset = ",
            )
            .with(Ty::Text, order.dataset.as_str())
            .and(" WHERE d.dataset = ")
            .with_name(&order.dataset)
            .and(" AND d.location = ")
            .with(Ty::Int, order.location)
            .and(" AND d.source");
            let texts = |of: fn(&Pair) -> &String| {
                let all: indexmap::IndexSet<&String> = piece.iter().map(of).collect();
                all.into_iter().cloned().map(Value::Text)
            };
            let sources: indexmap::IndexSet<&str> = piece.iter().map(|p| p.0.as_str()).collect();
            sql.in_name_numbers(sources).push(" AND d.source_id IN ").bind_list(Ty::Text, texts(|p| &p.1));
            for row in work.tx().rows(sql.one_off()).await? {
                let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
                let deleted = row.truth(3) == Some(true);
                let last = row.int(2) <= row.int(5) && row.text(6) == Some(order.id.as_str());
                let state = match (deleted, row.text(4)) {
                    (true, Some("deleted")) => ResourceState::Gone,
                    (false, _) if last => ResourceState::Untouched,
                    _ => ResourceState::Changed,
                };
                states.insert((text(0), text(1)), state);
            }
        }
        Ok(states)
    }
}

fn stays(code: &'static str, message: &'static str) -> DocumentAnswer {
    DocumentAnswer::new(State::Unchanged, None, vec![Issue::warning("", code, message)])
}

/// The outcome of an element: the word of its first message, unless it was refused.
fn word(result: &Json) -> Option<&str> {
    let first = result.get("messages")?.get(0)?;
    let accepted = first.get("severity")?.as_str()? == "Information";
    first.get("type")?.as_str().filter(|_| accepted)
}

fn pair(result: &Json) -> Option<Pair> {
    let meta = result.get("meta")?;
    let text = |name: &str| meta.get(name)?.as_str().map(str::to_owned);
    Some((text("source")?, text("sourceId")?))
}
