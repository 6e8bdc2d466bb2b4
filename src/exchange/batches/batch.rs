//! Batches as resources: their sender and location, their progress, and the result of each element. Elements are worked
//! on in parts, each a transaction that stores its results along with its rows: a part is done wholly or not at all,
//! however a process ends. Batches that are worked on later wait here with their elements.

use crate::batches::Batches;
use crate::intake::delivery::{Delivery, DocumentAnswer, IntakeContext, IntakeOptions, State};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use model::error::Result;
use model::parallel;
use model::record::Value;
use model::registry::{BookReader, Caller, Principal};
use ops::jobs::{Lease, queue};
use ops::{Book, CHECKED_AT_ONCE, WriteTransaction};
use serde_json::Value as Json;
use std::sync::Arc;
use store::{Row, Sql, Store, Ty};

pub const BATCH_JOB: &str = "batch";

/// Batches that one transaction of the purge forgets.
const FORGOTTEN: i64 = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchStage {
    /// Its elements still arrive; no worker works on it.
    Arriving,
    /// It waits for a worker, or a worker processes it.
    Waiting,
    /// The request that brought it works on it.
    Direct,
    Done,
}

impl BatchStage {
    fn word(self) -> &'static str {
        match self {
            Self::Arriving => "arriving",
            Self::Waiting => "waiting",
            Self::Direct => "direct",
            Self::Done => "done",
        }
    }

    fn read(word: &str) -> Self {
        [Self::Waiting, Self::Direct, Self::Done].into_iter().find(|s| s.word() == word).unwrap_or(Self::Arriving)
    }
}

#[derive(Debug, Clone)]
pub struct BatchOrder {
    /// Its name in addresses: random, so that it cannot be guessed.
    pub id: String,
    /// The organisation whose location it was sent to.
    pub location: i64,
    pub dataset: String,
    /// The user who sent it.
    pub sender: Option<i64>,
    /// The sender's organisation; none for the Association.
    pub organization: Option<i64>,
    /// Whether members that the standard does not have are refused.
    pub strict: bool,
    pub items: usize,
}

impl BatchOrder {
    pub fn new(caller: &Principal, dataset: &str, location: i64, items: usize) -> Self {
        let farm = caller.caller == Caller::Farm;
        Self {
            id: uuid::Uuid::new_v4().to_string(),
            location,
            dataset: dataset.to_owned(),
            sender: caller.user,
            organization: caller.organization.filter(|_| farm),
            strict: false,
            items,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Batch {
    pub order: BatchOrder,
    pub stage: BatchStage,
    pub done: i64,
    /// When it was sent, epoch milliseconds.
    pub created: i64,
    /// When its last result was there.
    pub ended: Option<i64>,
    /// Whether a worker processes it.
    pub taken: bool,
}

impl Batch {
    /// Whether a caller may know of it: one of the sender's organisation, or the Association.
    pub fn is_of(&self, caller: &Principal) -> bool {
        let mine = self.order.organization.is_some();
        caller.sees_all() || (mine && self.order.organization == caller.organization)
    }
}

#[derive(Debug, Clone)]
pub struct BatchPart {
    /// Its number, from 0.
    pub number: i64,
    pub items: usize,
    /// Its elements as a JSON array, as they were sent.
    pub sent: String,
}

#[derive(Debug, Clone)]
pub enum BatchElement {
    /// A document, and its text.
    Read(Json, String),
    /// Not to be read, or not to be taken: its `meta`, and why.
    Refused(Option<Json>, DocumentAnswer),
}

const COLUMNS: &str = "id, location, dataset, sender, organization, strict, items, stage, done, created_at, ended_at, \
    (SELECT due FROM jobs WHERE kind = 'batch' AND key = exchange_batches.id AND lease IS NOT NULL)";

fn batch(row: &Row, now: i64) -> Batch {
    let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
    Batch {
        order: BatchOrder {
            id: text(0),
            location: row.int(1).unwrap_or_default(),
            dataset: text(2),
            sender: row.int(3),
            organization: row.int(4),
            strict: row.truth(5).unwrap_or_default(),
            items: usize::try_from(row.int(6).unwrap_or_default()).unwrap_or_default(),
        },
        stage: BatchStage::read(row.text(7).unwrap_or_default()),
        done: row.int(8).unwrap_or_default(),
        created: row.int(9).unwrap_or_default(),
        ended: row.int(10),
        taken: row.int(11).is_some_and(|due| due > now),
    }
}

fn count(items: usize) -> i64 {
    i64::try_from(items).unwrap_or(i64::MAX)
}

impl Batches {
    pub async fn batch(&self, book: &Book, id: &str) -> Result<Option<Batch>> {
        if id.contains('\0') {
            return Ok(None);
        }
        let mut sql = Sql::new("SELECT ");
        sql.push(COLUMNS).push(" FROM exchange_batches WHERE id = ");
        let rows = book.store.rows(sql.with(Ty::Text, id)).await?;
        let now = book.clock.now();
        Ok(rows.first().map(|row| batch(row, now)))
    }

    /// The results of a batch in the order of its elements: texts of JSON objects with commas
    /// between them, part by part.
    pub fn results(&self, store: &Store, id: &str) -> BoxStream<'static, Result<String>> {
        let sql = Sql::new("SELECT results FROM exchange_batch_parts WHERE batch = ")
            .with(Ty::Text, id)
            .and(" AND results IS NOT NULL ORDER BY part");
        Box::pin(store.stream(sql).map(|row| Ok(row?.compressed(0).unwrap_or_default())))
    }

    /// Enters a batch whose elements follow.
    pub async fn enter(&self, book: &Book, order: BatchOrder) -> Result<()> {
        let statements = vec![entry(&order, BatchStage::Arriving, book.clock.now())];
        book.store.run(statements).await.map(drop)
    }

    /// Leaves elements of a batch that waits: parts by number, with how many elements each
    /// has and their texts as a JSON array.
    pub async fn leave(&self, book: &Book, id: &str, parts: Vec<(i64, usize, String)>) -> Result<()> {
        let rows = (parts.into_iter())
            .map(|(number, items, text)| [id.into(), number.into(), count(items).into(), Value::Text(text)]);
        let into = "exchange_batch_parts (batch, part, items, sent)";
        let sql = Sql::insert(into, [Ty::Text, Ty::Int, Ty::Int, Ty::Compressed], rows);
        book.store.run(vec![sql.one_off()]).await.map(drop)
    }

    /// All elements of a batch are there: it may be worked on.
    pub async fn release(&self, book: &Book, id: &str) -> Result<()> {
        let id = id.to_owned();
        let released = book.store.write(move |tx| {
            Box::pin(async move {
                let sql = Sql::new("UPDATE exchange_batches SET stage = ")
                    .with(Ty::Text, BatchStage::Waiting.word())
                    .and(" WHERE id = ")
                    .with(Ty::Text, id.as_str());
                tx.run(sql).await?;
                queue(tx, BATCH_JOB, vec![id], 0).await
            })
        });
        released.await
    }

    /// The first part of a batch that has no results.
    pub async fn next_part(&self, book: &Book, batch: &str) -> Result<Option<BatchPart>> {
        let sql = Sql::new("SELECT part, items, sent FROM exchange_batch_parts WHERE batch = ")
            .with(Ty::Text, batch)
            .and(" AND results IS NULL ORDER BY part LIMIT 1");
        let rows = book.store.rows(sql).await?;
        Ok(rows.first().map(|row| BatchPart {
            number: row.int(0).unwrap_or_default(),
            items: usize::try_from(row.int(1).unwrap_or_default()).unwrap_or_default(),
            sent: row.compressed(2).unwrap_or_default(),
        }))
    }

    /// Takes a part in, and stores its results in the same transaction. With a lease, only while that holds; without,
    /// the first part enters the batch. `tell` writes a result as JSON. Returns the results with commas between them.
    ///
    /// # Errors
    /// The errors of the store; `Error::Unavailable` when another worker took the batch.
    pub async fn process_part(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        (order, number): (BatchOrder, i64),
        elements: Vec<BatchElement>,
        (options, lease): (IntakeOptions, Option<Lease>),
        tell: impl Fn(&str, Option<Json>, &DocumentAnswer) -> String + Send + Sync + 'static,
    ) -> Result<String> {
        let mut deliveries = Vec::with_capacity(elements.len());
        let mut refusals = Vec::with_capacity(elements.len());
        for element in elements {
            match element {
                BatchElement::Read(doc, text) => {
                    deliveries.push(Delivery {
                        dataset: order.dataset.clone(),
                        location: order.location,
                        doc,
                        sent: Some(text),
                    });
                    refusals.push(None);
                }
                BatchElement::Refused(meta, answer) => refusals.push(Some((meta, answer))),
            }
        }
        let issues = self.intake.all_checked(&mut deliveries, options);
        let this = self.clone();
        let done = book.transact(move |work| {
            Box::pin(async move {
                match lease {
                    Some(mut lease) => lease.advance(work.tx()).await?,
                    None if number == 0 => {
                        let now = work.now();
                        work.tx().run(entry(&order, BatchStage::Direct, now)).await?;
                    }
                    None => {}
                }
                let part = IntakeContext {
                    batch: Some(order.id.as_str()),
                    surveyed: order.items <= CHECKED_AT_ONCE,
                    ..IntakeContext::default()
                };
                let taken = this.intake.run_pipeline(work, &caller, &deliveries, issues, options, part);
                let mut taken = deliveries.iter().zip(taken.await?);
                let all: Vec<(Option<&Json>, DocumentAnswer)> = (refusals.iter())
                    .filter_map(|refusal| match refusal {
                        Some((meta, answer)) => Some((meta.as_ref(), answer.clone())),
                        None => {
                            let (delivery, answer) = taken.next()?;
                            Some((delivery.doc.get("meta"), answer))
                        }
                    })
                    .collect();
                let states: Vec<State> = all.iter().map(|(_, answer)| answer.state).collect();
                let results = parallel::map(&all, |(meta, answer)| tell(&order.dataset, meta.cloned(), answer));
                let results = results.join(",");
                keep(work, &order, number, &states, &results).await?;
                Ok((results, states))
            })
        });
        let (results, states) = done.await?;
        self.intake.tally().add(&states);
        Ok(results)
    }

    /// Forgets batches that were sent before a time and are not waiting; true when there may be more.
    pub async fn forget_batches(&self, book: &Book, before: i64) -> Result<bool> {
        let old = move || {
            Sql::new("SELECT id FROM exchange_batches WHERE created_at < ")
                .with(Ty::Int, before)
                .and(" AND stage <> ")
                .with(Ty::Text, BatchStage::Waiting.word())
                .and(" ORDER BY created_at, id LIMIT ")
                .with(Ty::Int, FORGOTTEN)
        };
        let rows = book.store.rows(old()).await?;
        let ids: Vec<Value> = (rows.iter()).filter_map(|row| Some(Value::Text(row.text(0)?.to_owned()))).collect();
        if ids.is_empty() {
            return Ok(false);
        }
        let mut parts = Sql::new("DELETE FROM exchange_batch_parts WHERE batch IN ");
        parts.bind_list(Ty::Text, ids.clone());
        let mut batches = Sql::new("DELETE FROM exchange_batches WHERE id IN ");
        batches.bind_list(Ty::Text, ids);
        book.store.run(vec![parts.one_off(), batches.one_off()]).await?;
        Ok(true)
    }
}

fn entry(order: &BatchOrder, stage: BatchStage, now: i64) -> Sql {
    let into = "exchange_batches (id, location, dataset, sender, organization, strict, \
                items, stage, done, rejected, created_at)";
    let (int, text, flag) = (Ty::Int, Ty::Text, Ty::Bool);
    let types = [text, int, text, int, int, flag, int, text, int, int, int];
    let [id, dataset, stage] = [order.id.as_str(), order.dataset.as_str(), stage.word()].map(Value::from);
    let [location, items, now] = [order.location, count(order.items), now].map(Value::Int);
    let (sender, organization, strict) = (order.sender.into(), order.organization.into(), order.strict.into());
    let none = || Value::Int(0);
    Sql::insert(into, types, [[id, location, dataset, sender, organization, strict, items, stage, none(), none(), now]])
}

/// The results of a part, and how far its batch is with them. The elements are not needed any more.
async fn keep(
    work: &mut WriteTransaction<'_>,
    order: &BatchOrder,
    number: i64,
    states: &[State],
    results: &str,
) -> Result<()> {
    let items = states.len();
    let rejected = states.iter().filter(|s| **s == State::Rejected).count();
    let into = "exchange_batch_parts (batch, part, items, results)";
    let types = [Ty::Text, Ty::Int, Ty::Int, Ty::Compressed];
    let id = Value::from(order.id.as_str());
    let row = [id, number.into(), count(items).into(), results.into()];
    let sql = Sql::insert(into, types, [row])
        .and(" ON CONFLICT (batch, part) DO UPDATE SET sent = NULL, results = excluded.results");
    work.tx().run(sql).await?;
    let now = work.now().to_string();
    let last = |sql: Sql, then: &str, otherwise: &str| {
        sql.and("CASE WHEN done + ")
            .with(Ty::Int, count(items))
            .and(" >= items THEN ")
            .and(then)
            .and(" ELSE ")
            .and(otherwise)
            .and(" END")
    };
    let sql = Sql::new("UPDATE exchange_batches SET stage = ");
    let sql = last(sql, "'done'", "stage");
    let sql = last(sql.and(", ended_at = "), &now, "ended_at");
    let sql = sql
        .and(", done = done + ")
        .with(Ty::Int, count(items))
        .and(", rejected = rejected + ")
        .with(Ty::Int, count(rejected))
        .and(" WHERE id = ")
        .with(Ty::Text, order.id.as_str());
    work.tx().run(sql).await.map(|_| ())
}
