//! The end of a full sync: what its sender did not name becomes deleted, in one transaction,
//! by the way of all retractions. Only what came by the exchange is looked at: the last words
//! of that organisation, under the sources and at the locations that it speaks for. What was
//! changed since by somebody else stays, as when a batch is taken back.

use super::Exchange;
use super::full_sync::{FullSync, SyncStage, voice_is};
use super::intake::{Answer, Delivery, Manner, PartOf, State};
use super::sent::Namer;
use crate::error::{Error, Result, Severity};
use crate::ops::{Book, Work};
use crate::record::Value;
use crate::registry::Principal;
use crate::store::{Row, Sql, Ty};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Resources that are retracted together.
const TOGETHER: i64 = 500;
/// Resources of a kind that are named in the answer.
const SHOWN: usize = 20;
/// Times that refused resources are tried again after others went, on which they hung.
const PASSES: usize = 5;
/// The place at which what goes was named; nowhere else is it below zero.
const DOOMED: i64 = -1;

/// A resource in the outcome of a full sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
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

/// Resources of one fate: how many, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fate {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub first: Vec<Told>,
}

impl Fate {
    fn add(&mut self, told: Told) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(told);
        }
    }
}

/// What the end of a full sync did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swept {
    /// Gone.
    pub deleted: Fate,
    /// Not named, but changed since by somebody else: they stay.
    pub kept: Fate,
    /// Not named, but the book does not let them go.
    pub refused: Fate,
}

/// How an end was answered.
#[derive(Debug, Clone)]
pub enum Ending {
    /// The sync as it is now.
    Done(Box<FullSync>),
    /// So many resources were named, another number was expected: nothing was done.
    Miscounted(i64),
}

impl Exchange {
    /// Ends a full sync whose sender believes to have named so many resources. One that has
    /// ended is answered as it was then. `dry`: nothing of it stays.
    ///
    /// # Errors
    /// Those of the store; [`Error::NotFound`] without such a sync of the caller's
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
        let (tell, mut told) = oneshot::channel();
        let done = book.transact(move |work| {
            Box::pin(async move {
                let sync = this.own_full_sync(work, &caller, &id).await?;
                if sync.stage == SyncStage::Ended {
                    return Ok(Ending::Done(Box::new(sync)));
                }
                sync.goes_on()?;
                if sync.resources != expected {
                    return Ok(Ending::Miscounted(sync.resources));
                }
                let swept = this.sweep(work, &caller, &sync).await?;
                let now = work.tx().now();
                let ended = FullSync {
                    stage: SyncStage::Ended,
                    ended: Some(now),
                    swept: Some(swept),
                    ..sync
                };
                if dry {
                    // Nobody listening is no fault: the caller went away.
                    let _ = tell.send(Ending::Done(Box::new(ended)));
                    return Err(Error::internal("nothing of a dry run stays"));
                }
                work.tx().run(over(&ended)?).await?;
                Ok(Ending::Done(Box::new(ended)))
            })
        });
        match (done.await, dry) {
            (Err(error), true) => told.try_recv().map_err(|_| error),
            (done, _) => done,
        }
    }

    /// Deletes what a full sync did not name. First everything that goes is marked: what goes
    /// changes the documents of others, which must not look as if somebody else had.
    async fn sweep(
        &self,
        work: &mut Work<'_>,
        caller: &Arc<Principal>,
        sync: &FullSync,
    ) -> Result<Swept> {
        let named = Namer::of(sync.organization).column();
        let mut swept = Swept::default();
        for place in places(sync) {
            self.spare(work, sync, place, &mut swept.kept).await?;
            let mut doom = Sql::new("UPDATE exchange_sent SET ");
            doom.push(named).push(" = ").bind(Ty::Int, DOOMED);
            unnamed(doom.push(" WHERE "), sync, place, " <= ");
            work.tx().run(doom).await?;
        }
        for _ in 0..PASSES {
            let before = swept.deleted.count;
            swept.refused = Fate::default();
            for place in places(sync) {
                (self.retract_doomed(work, caller, (place, named), &mut swept)).await?;
            }
            if swept.refused.count == 0 || swept.deleted.count == before {
                break;
            }
        }
        for (location, source) in places(sync) {
            let mut sql = Sql::new("UPDATE exchange_sent SET ");
            sql.push(named).push(" = 0 WHERE location = ");
            sql.bind(Ty::Int, location).push(" AND source = ");
            sql.bind(Ty::Text, source).push(" AND ");
            sql.push(named).push(" = ").bind(Ty::Int, DOOMED);
            work.tx().run(sql).await?;
        }
        Ok(swept)
    }

    /// Notes what stays, since somebody else changed it.
    async fn spare(
        &self,
        work: &mut Work<'_>,
        sync: &FullSync,
        place: (i64, &str),
        kept: &mut Fate,
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
        kept.first.extend(rows.iter().map(told));
        kept.count += usize::try_from(found).unwrap_or_default();
        Ok(())
    }

    /// Retracts what is marked at one place, piece by piece.
    async fn retract_doomed(
        &self,
        work: &mut Work<'_>,
        caller: &Arc<Principal>,
        ((location, source), named): ((i64, &str), &str),
        swept: &mut Swept,
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
            .with(Ty::Int, DOOMED);
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
            let mut all: Vec<Told> = work.tx().rows(sql).await?.iter().map(told).collect();
            let Some(last) = all.last() else {
                return Ok(());
            };
            after = Some((last.source_id.clone(), last.dataset.clone()));
            // Resources of a data set are taken back together.
            all.sort_by(|a, b| a.dataset.cmp(&b.dataset));
            let mut deliveries: Vec<Delivery> = all.iter().map(|t| self.retraction(t)).collect();
            let manner = Manner::default();
            let issues = self.all_checked(&mut deliveries, manner);
            let part = PartOf::default();
            let gone = self.within(work, caller, &deliveries, issues, manner, part);
            for (mut told, answer) in all.into_iter().zip(gone.await?) {
                if answer.state == State::Deleted {
                    swept.deleted.add(told);
                } else {
                    told.why = why(&answer);
                    swept.refused.add(told);
                }
            }
        }
    }

    /// The tombstone that takes a resource back.
    fn retraction(&self, told: &Told) -> Delivery {
        let resource = self.mappings().get(&told.dataset).map(|m| m.resource());
        Delivery {
            dataset: told.dataset.clone(),
            location: told.location,
            doc: json!({
                "resourceType": resource,
                "meta": {"source": told.source, "sourceId": told.source_id, "isDeleted": true},
            }),
            sent: None,
        }
    }
}

/// Locations and sources that a full sync speaks for.
fn places(sync: &FullSync) -> impl Iterator<Item = (i64, &str)> {
    let sources = &sync.scope.sources;
    (sync.scope.locations.iter())
        .flat_map(move |location| sources.iter().map(move |s| (*location, s.as_str())))
}

/// The condition on last words: of that organisation, before the sync began, not named since,
/// and of a document that lives there at a place in commit order that compares so with the
/// word.
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
    voice_is(sql, sync.organization);
    sql.push(" AND seq < ").bind(Ty::Int, sync.began);
    sql.push(" AND ")
        .push(Namer::of(sync.organization).column())
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

fn told(row: &Row) -> Told {
    let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
    Told {
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

/// Writes what became of a full sync.
fn over(sync: &FullSync) -> Result<Sql> {
    let outcome = serde_json::to_string(&sync.swept).map_err(Error::internal)?;
    Ok(Sql::new("UPDATE exchange_full_syncs SET stage = ")
        .with(Ty::Text, sync.stage.word())
        .and(", ended_at = ")
        .with(Ty::Int, sync.ended.map_or(Value::Null, Value::Int))
        .and(", outcome = ")
        .with(Ty::Text, outcome)
        .and(" WHERE id = ")
        .with(Ty::Text, sync.id.as_str()))
}
