//! The end of a full sync deletes, in one transaction, the resources that the sync did not name,
//! each by a retraction as a sender would send it. Only resources that came by the exchange are
//! candidates: those whose last state is of the same organisation, with a source and a location of
//! the sync's scope. A resource that was changed since by another caller stays, as when a batch is
//! retracted.

use crate::full_sync::FullSyncs;
use crate::full_sync::{FullSync, SyncStage, sender_is};
use crate::intake::delivery::{Answer, Delivery, IntakeOptions, PartOf, State};
use crate::intake::last_states::SyncScope;
use model::error::{Error, Result, Severity};
use model::record::Value;
use model::registry::Principal;
use ops::{Book, Work};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use store::{Row, Sql, Ty};
use tokio::sync::oneshot;

/// Resources that are retracted together.
const TOGETHER: i64 = 500;
/// Resources that the answer lists of each outcome.
const SHOWN: usize = 20;
/// Passes over refused resources: one may be deletable after others that refer to it went.
const PASSES: usize = 5;
/// Marks a resource that is to be deleted, in place of a sequence number.
const UNNAMED: i64 = -1;

/// A resource in the outcome of a full sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AffectedResource {
    /// The data set.
    pub dataset: String,
    /// The organisation whose location it is.
    pub location: i64,
    /// `meta.source`.
    pub source: String,
    /// `meta.sourceId`.
    pub source_id: String,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// Resources with the same outcome: how many, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Affected {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub first: Vec<AffectedResource>,
}

impl Affected {
    fn add(&mut self, resource: AffectedResource) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(resource);
        }
    }
}

/// What the end of a full sync did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncOutcome {
    /// Gone.
    pub deleted: Affected,
    /// Not named, but changed since by another caller: they stay.
    pub kept: Affected,
    /// Not named, but the book does not let them go.
    pub refused: Affected,
}

/// The answer to the end of a full sync.
#[derive(Debug, Clone)]
pub enum Ending {
    /// The sync in its new state.
    Done(Box<FullSync>),
    /// The number of resources named, when another was expected: nothing was done.
    Miscounted(i64),
}

impl FullSyncs {
    /// Ends a full sync whose sender expects to have named this number of resources. A repeated end
    /// returns the stored outcome. `dry`: nothing is stored.
    ///
    /// # Errors
    /// The errors of the store; [`Error::NotFound`] without such a sync of the caller's
    /// organisation; [`Error::Invalid`] when it does not go on.
    pub async fn end_full_sync(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        id: &str,
        expected: i64,
        dry: bool,
    ) -> Result<Ending> {
        let (this, id) = (self.clone(), id.to_owned());
        let (tx, mut rx) = oneshot::channel();
        let done = book.transact(move |work| {
            Box::pin(async move {
                let sync = FullSync::own(work, &caller, &id).await?;
                if sync.stage == SyncStage::Ended {
                    return Ok(Ending::Done(Box::new(sync)));
                }
                sync.goes_on()?;
                if sync.resources != expected {
                    return Ok(Ending::Miscounted(sync.resources));
                }
                let outcome = this.delete_unnamed(work, &caller, &sync).await?;
                let now = work.tx().now();
                let ended = FullSync {
                    stage: SyncStage::Ended,
                    ended: Some(now),
                    outcome: Some(outcome),
                    ..sync
                };
                if dry {
                    // The receiver is gone when the caller went away.
                    let _ = tx.send(Ending::Done(Box::new(ended)));
                    return Err(Error::internal("nothing of a dry run stays"));
                }
                work.tx().run(over(&ended)?).await?;
                Ok(Ending::Done(Box::new(ended)))
            })
        });
        match (done.await, dry) {
            (Err(error), true) => rx.try_recv().map_err(|_| error),
            (done, _) => done,
        }
    }

    /// Deletes what a full sync did not name. All candidates are marked first: a deletion renders
    /// documents that depend on it, which would then look changed by another caller.
    async fn delete_unnamed(
        &self,
        work: &mut Work<'_>,
        caller: &Arc<Principal>,
        sync: &FullSync,
    ) -> Result<SyncOutcome> {
        let named = SyncScope::of(sync.organization).column();
        let mut outcome = SyncOutcome::default();
        for place in places(sync) {
            self.note_kept(work, sync, place, &mut outcome.kept).await?;
            let mut mark = Sql::new("UPDATE exchange_sent SET ");
            mark.push(named).push(" = ").bind(Ty::Int, UNNAMED);
            unnamed(mark.push(" WHERE "), sync, place, " <= ");
            work.tx().run(mark).await?;
        }
        for _ in 0..PASSES {
            let before = outcome.deleted.count;
            outcome.refused = Affected::default();
            for place in places(sync) {
                (self.retract_unnamed(work, caller, (place, named), &mut outcome)).await?;
            }
            if outcome.refused.count == 0 || outcome.deleted.count == before {
                break;
            }
        }
        for (location, source) in places(sync) {
            let mut sql = Sql::new("UPDATE exchange_sent SET ");
            sql.push(named).push(" = 0 WHERE location = ");
            sql.bind(Ty::Int, location).push(" AND source = ");
            sql.bind(Ty::Text, source).push(" AND ");
            sql.push(named).push(" = ").bind(Ty::Int, UNNAMED);
            work.tx().run(sql).await?;
        }
        Ok(outcome)
    }

    /// Counts the resources that stay because another caller changed them.
    async fn note_kept(
        &self,
        work: &mut Work<'_>,
        sync: &FullSync,
        place: (i64, &str),
        kept: &mut Affected,
    ) -> Result<()> {
        let mut count = Sql::new("SELECT count(*) FROM exchange_sent WHERE ");
        unnamed(&mut count, sync, place, " > ");
        let rows = work.tx().rows(count).await?;
        let found = rows.first().and_then(|row| row.int(0)).unwrap_or_default();
        if found == 0 {
            return Ok(());
        }
        let room = SHOWN.saturating_sub(kept.first.len());
        let mut first =
            Sql::new("SELECT location, source, source_id, dataset FROM exchange_sent WHERE ");
        unnamed(&mut first, sync, place, " > ");
        first
            .push(" ORDER BY source_id, dataset LIMIT ")
            .bind(Ty::Int, i64::try_from(room).unwrap_or_default());
        let rows = work.tx().rows(first).await?;
        kept.first.extend(rows.iter().map(affected));
        kept.count += usize::try_from(found).unwrap_or_default();
        Ok(())
    }

    /// Retracts what is marked at one place, piece by piece.
    async fn retract_unnamed(
        &self,
        work: &mut Work<'_>,
        caller: &Arc<Principal>,
        ((location, source), named): ((i64, &str), &str),
        outcome: &mut SyncOutcome,
    ) -> Result<()> {
        let mut after: Option<(String, String)> = None;
        loop {
            let mut sql = Sql::new(
                "SELECT location, source, source_id, dataset FROM exchange_sent WHERE location = ",
            )
            .with(Ty::Int, location)
            .and(" AND source = ")
            .with(Ty::Text, source)
            .and(" AND ")
            .and(named)
            .and(" = ")
            .with(Ty::Int, UNNAMED);
            if let Some((id, dataset)) = &after {
                sql.push(" AND source_id >= ")
                    .bind(Ty::Text, id.as_str())
                    .push(" AND (source_id > ")
                    .bind(Ty::Text, id.as_str())
                    .push(" OR dataset > ")
                    .bind(Ty::Text, dataset.as_str())
                    .push(")");
            }
            sql.push(" ORDER BY source_id, dataset LIMIT ")
                .bind(Ty::Int, TOGETHER);
            let mut all: Vec<AffectedResource> =
                work.tx().rows(sql).await?.iter().map(affected).collect();
            let Some(last) = all.last() else {
                return Ok(());
            };
            after = Some((last.source_id.clone(), last.dataset.clone()));
            // Resources of a data set are retracted together.
            all.sort_by(|a, b| a.dataset.cmp(&b.dataset));
            let mut deliveries: Vec<Delivery> = all.iter().map(|t| self.retraction(t)).collect();
            let options = IntakeOptions::default();
            let issues = self.intake.all_checked(&mut deliveries, options);
            let part = PartOf::default();
            let gone = self
                .intake
                .within(work, caller, &deliveries, issues, options, part);
            for (mut resource, answer) in all.into_iter().zip(gone.await?) {
                if answer.state == State::Deleted {
                    outcome.deleted.add(resource);
                } else {
                    resource.why = why(&answer);
                    outcome.refused.add(resource);
                }
            }
        }
    }

    /// The tombstone that takes a resource back.
    fn retraction(&self, of: &AffectedResource) -> Delivery {
        let resource_type = self.rules.mappings().get(&of.dataset).map(|m| m.resource());
        Delivery {
            dataset: of.dataset.clone(),
            location: of.location,
            doc: json!({
                "resourceType": resource_type,
                "meta": {"source": of.source, "sourceId": of.source_id, "isDeleted": true},
            }),
            sent: None,
        }
    }
}

/// Each location with each source of a full sync's scope.
fn places(sync: &FullSync) -> impl Iterator<Item = (i64, &str)> {
    let sources = &sync.scope.sources;
    (sync.scope.locations.iter())
        .flat_map(move |location| sources.iter().map(move |s| (*location, s.as_str())))
}

/// The condition on last states: sent by that organisation before the sync began, not named
/// since, with a live document at that location whose sequence number compares so (`order`)
/// with that of the state.
fn unnamed(sql: &mut Sql, sync: &FullSync, (location, source): (i64, &str), order: &str) {
    sql.push("location = ")
        .bind(Ty::Int, location)
        .push(" AND source = ")
        .bind(Ty::Text, source);
    if let Some(dataset) = &sync.scope.dataset {
        sql.push(" AND dataset = ").bind(Ty::Text, dataset.as_str());
    }
    sql.push(" AND live = ").bind(Ty::Bool, true);
    sql.push(" AND organization");
    sender_is(sql, sync.organization);
    sql.push(" AND seq < ").bind(Ty::Int, sync.began);
    sql.push(" AND ")
        .push(SyncScope::of(sync.organization).column())
        .push(" < ")
        .bind(Ty::Int, sync.began);
    sql.push(
        " AND EXISTS (SELECT 1 FROM exchange_documents AS d \
         WHERE d.dataset = exchange_sent.dataset AND d.source = exchange_sent.source \
         AND d.source_id = exchange_sent.source_id AND d.location = exchange_sent.location \
         AND d.deleted = ",
    )
    .bind(Ty::Bool, false)
    .push(" AND d.seq")
    .push(order)
    .push("exchange_sent.seq)");
}

fn affected(row: &Row) -> AffectedResource {
    let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
    AffectedResource {
        location: row.int(0).unwrap_or_default(),
        source: text(1),
        source_id: text(2),
        dataset: text(3),
        why: Vec::new(),
    }
}

fn why(answer: &Answer) -> Vec<String> {
    let errors = answer.issues.iter();
    let errors = errors.filter(|issue| issue.severity == Severity::Error);
    errors.map(|issue| issue.message.clone()).collect()
}

/// Writes the outcome of a full sync.
fn over(sync: &FullSync) -> Result<Sql> {
    let outcome = serde_json::to_string(&sync.outcome).map_err(Error::internal)?;
    Ok(Sql::new("UPDATE exchange_full_syncs SET stage = ")
        .with(Ty::Text, sync.stage.word())
        .and(", ended_at = ")
        .with(Ty::Int, sync.ended.map_or(Value::Null, Value::Int))
        .and(", outcome = ")
        .with(Ty::Text, outcome)
        .and(" WHERE id = ")
        .with(Ty::Text, sync.id.as_str()))
}
