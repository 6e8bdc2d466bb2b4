//! Filling a book with rows that bring their ids: a synthetic book, a moved one. They pass
//! the same pipeline as every write, as the system.

use crate::write::deferred_recompute::{PendingRecomputes, join};
use crate::{Book, Item, NoProjection, Outcome, WriteTransaction, parse_body};
use futures_util::{Stream, StreamExt};
use model::error::{Error, Issue, Result};
use model::record::Value;
use model::registry::{Collection, PendingRecompute, Principal, Registry, Verb};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::bulk::{drop_indexes, make_indexes};
use store::schema::{Index, Table};

/// Rows of a load from which on a transaction takes no further set. Each writes the pages of the indexes that it
/// changed, mostly the same ones.
const TOGETHER: usize = 16_000;
/// Rows that catch up in one transaction.
const STEP: usize = 2_000;

#[derive(Debug, Clone)]
pub struct FillRow {
    pub collection: &'static str,
    pub id: i64,
    /// Fields by path, as in a body; marks such as `~` do not apply.
    pub data: Map<String, Json>,
    /// Values by path that a body cannot contain (verifiers).
    pub hidden: Vec<(&'static str, Value)>,
}

/// Rows of one collection that were read, and are ready to be written.
#[derive(Debug)]
pub struct FillSet {
    collection: &'static Collection,
    ids: Vec<i64>,
    items: Vec<Item>,
}

impl FillSet {
    /// Reads rows, which are all of the collection of the first one; none for no rows.
    ///
    /// # Errors
    /// [`Error::Internal`] when there is no such collection.
    pub fn read(registry: &'static Registry, rows: Vec<FillRow>) -> Result<Option<Self>> {
        let Some(first) = rows.first() else { return Ok(None) };
        let slug = first.collection;
        let none = || Error::internal(format!("no collection {slug}"));
        let collection = registry.get(slug).ok_or_else(none)?;
        let ids = rows.iter().map(|r| r.id).collect();
        let item = |row: FillRow| {
            let (body, issues) = parse_body(collection, &row.data, None);
            let server = (row.hidden.into_iter()).map(|(path, value)| (collection.at(path), value)).collect();
            Item { verb: Verb::Create, id: Some(row.id), body, server, issues, strict: false }
        };
        Ok(Some(Self { collection, ids, items: rows.into_iter().map(item).collect() }))
    }

    async fn written(self, work: &mut WriteTransaction<'_>) -> Result<()> {
        let Self { collection, ids, items } = self;
        // What happened to the rows happened elsewhere.
        work.quietly();
        let system = Arc::new(Principal::system());
        let outcomes = work.write(collection, &system, items).await?;
        let mut faults = Vec::new();
        for (id, outcome) in ids.iter().zip(outcomes) {
            if let Outcome::Refused(error) = outcome {
                faults.push(Issue::error(format!("{}/{id}", collection.slug), "refused", error.to_string()));
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::Invalid(faults)) }
    }
}

/// Rows from which on the indexes of a load are made when the rows are there. A small book is quicker with them.
const MANY: usize = 100_000;

/// Whether a load goes without an index until its rows are there. Those that begin with a reference stay, since
/// rules follow references; unique ones refuse rows.
fn is_made_last(registry: &Registry, table: &Table, index: &Index) -> bool {
    let first = index.columns.first();
    let refers = table.foreign_keys.iter().any(|key| Some(&key.column) == first);
    !refers && registry.iter().any(|c| c.table == table.name)
}

/// What the end of a load is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadPart {
    /// Computing what follows from rows.
    Rows,
    /// Making the indexes of tables.
    Tables,
}

/// A book that is being loaded: rows are checked as they come, but what follows from them is
/// computed once, at the end, and their documents are made after that.
#[derive(Debug)]
pub struct Loading<'b> {
    book: &'b Book,
    pending: PendingRecomputes,
    /// Whether indexes are still to be made.
    bare: bool,
    /// Rows of a transaction.
    together: usize,
}

impl Loading<'_> {
    /// How many rows a transaction has about.
    pub fn together(mut self, rows: usize) -> Self {
        self.together = rows;
        self
    }

    /// Writes sets as they come, one after the other, in one transaction; if a row is refused, none is written.
    /// `report` is called with the rows of each set. Answers how many rows it wrote, and the sets that are still to
    /// come: none when all are written.
    ///
    /// # Errors
    /// [`Error::Invalid`] with what was refused, by collection and id; the error of a set; those of the store.
    pub async fn write<S>(
        &mut self,
        mut sets: S,
        mut report: impl FnMut(usize) + Send + 'static,
    ) -> Result<(usize, Option<S>)>
    where
        S: Stream<Item = Result<FillSet>> + Send + Unpin + 'static,
    {
        let together = self.together;
        let written = (self.book).transact_with(Arc::new(NoProjection), move |work| {
            Box::pin(async move {
                work.begin_load();
                let mut rows = 0;
                while rows < together {
                    // The database goes on with the rows of the last set meanwhile.
                    let Some(set) = sets.next().await.transpose()? else {
                        return Ok((work.take_pending(), rows, None));
                    };
                    let count = set.ids.len();
                    set.written(work).await?;
                    report(count);
                    rows += count;
                }
                Ok((work.take_pending(), rows, Some(sets)))
            })
        });
        let (pending, rows, sets) = written.await?;
        join(&mut self.pending, pending);
        Ok((rows, sets))
    }

    /// Computes what follows from the rows, then makes the indexes that are missing; tells how many rows or
    /// tables of how many are done.
    pub async fn finish(mut self, report: impl Fn(LoadPart, usize, usize)) -> Result<()> {
        self.recompute_pending(|done, all| report(LoadPart::Rows, done, all)).await?;
        if self.bare { self.index(|done, all| report(LoadPart::Tables, done, all)).await } else { Ok(()) }
    }

    async fn recompute_pending(&mut self, report: impl Fn(usize, usize)) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let all = pending.values().map(BTreeMap::len).sum();
        let mut done = 0;
        for (slug, rows) in pending {
            let mut rows = rows.into_iter();
            loop {
                let step: PendingRecompute = rows.by_ref().take(STEP).collect();
                if step.is_empty() {
                    break;
                }
                done += step.len();
                let step = PendingRecomputes::from([(slug, step)]);
                let caught_up = (self.book).transact_with(Arc::new(NoProjection), move |work| {
                    Box::pin(async move {
                        work.quietly();
                        work.recompute_pending(&step).await
                    })
                });
                caught_up.await?;
                report(done, all);
            }
        }
        Ok(())
    }

    /// Table by table, so that none waits for all.
    async fn index(&self, report: impl Fn(usize, usize)) -> Result<()> {
        let registry = self.book.registry;
        let all = registry.iter().count();
        for (done, c) in registry.iter().enumerate() {
            let chosen = |table: &Table, index: &Index| table.name == c.table && is_made_last(registry, table, index);
            let made = (self.book).transact_with(Arc::new(NoProjection), move |work| {
                Box::pin(async move { make_indexes(work.tx(), registry, chosen).await })
            });
            made.await?;
            report(done + 1, all);
        }
        Ok(())
    }
}

impl Book {
    /// Writes rows of one collection in one transaction; if one is refused, none is written.
    ///
    /// # Errors
    /// [`Error::Invalid`] with what was refused, by collection and id; those of the store.
    pub async fn fill(&self, rows: Vec<FillRow>) -> Result<usize> {
        let Some(set) = FillSet::read(self.registry, rows)? else { return Ok(0) };
        let count = set.ids.len();
        self.transact(move |work| Box::pin(set.written(work))).await?;
        Ok(count)
    }

    /// Begins to load an empty book with about so many rows, in a program that ends after it. If they are many,
    /// indexes are made at the end. Documents are to be made when it is loaded.
    pub async fn loading(&self, rows: usize) -> Result<Loading<'_>> {
        let bare = rows >= MANY;
        let registry = self.registry;
        let begun = self.transact_with(Arc::new(NoProjection), move |work| {
            Box::pin(async move {
                let chosen = |table: &Table, index: &Index| is_made_last(registry, table, index);
                work.tx().begin_load().await?;
                if bare { drop_indexes(work.tx(), registry, chosen).await } else { Ok(()) }
            })
        });
        begun.await?;
        Ok(Loading { book: self, pending: PendingRecomputes::new(), bare, together: TOGETHER })
    }
}
