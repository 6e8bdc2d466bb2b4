//! Reading: lists, single records, counts. A list is written in the order of the
//! dialect's envelope, documents first, so that long ones leave while they are read.
//! Must not know HTTP.

mod totals;

pub use totals::Totals;

use self::totals::{implied, offset};
use super::Book;
use super::access::Decision;
use super::ask::{self, Asked};
use super::document::{Reader, Shape};
use crate::error::{Error, Result};
use crate::query::Filter;
use crate::query::qs::Tree;
use crate::registry::{Collection, ID, Principal};
use crate::store::{Row, Sql};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use indexmap::IndexMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Rows that are held at a time; longer answers are streamed in parts of this size.
const PART: usize = 500;
/// The same where every row brings documents with it over several levels.
const DEEP_PART: usize = 50;
/// Streams at a time. Each holds a connection for as long as its reader takes, and needs
/// another one now and then, so they must not take all.
pub(super) const STREAMS: usize = 4;
/// How long a stream waits for another to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a list is asked for.
#[derive(Debug, Clone)]
pub struct Ask {
    /// `where`; none: all that the caller may read.
    pub filter: Option<Tree>,
    /// Keys of the order, `-` before descending ones; empty: the collection's own.
    pub sort: Vec<String>,
    /// Rows of a page; 0: all.
    pub limit: u64,
    /// The page, from 1.
    pub page: u64,
    /// Levels of relations to be expanded.
    pub depth: u8,
    /// Whether all rows are to be counted. Without, a face that was given no limit passes 0.
    pub pagination: bool,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            filter: None,
            sort: Vec::new(),
            limit: 10,
            page: 1,
            depth: 0,
            pagination: true,
        }
    }
}

/// The answer to a list.
pub struct Listing {
    /// The end of the envelope; none while it is not known, in long answers.
    pub totals: Option<Totals>,
    /// The envelope as JSON, `docs` first. An error ends it: what was written before is
    /// then no whole answer.
    pub body: BoxStream<'static, Result<Bytes>>,
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Listing({:?})", self.totals)
    }
}

impl Listing {
    /// The whole body, for callers who can hold it.
    ///
    /// # Errors
    /// Whatever ended the stream.
    pub async fn collect(mut self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        while let Some(part) = self.body.next().await {
            out.extend_from_slice(&part?);
        }
        Ok(out)
    }
}

/// A list under way.
struct Query {
    reader: Reader,
    shape: Arc<Shape>,
    filter: Filter,
    limit: u64,
    page: u64,
    depth: u8,
    counted: bool,
}

impl Query {
    /// The end of the envelope after so many rows.
    async fn totals(&self, rows: u64) -> Result<Totals> {
        if !self.counted {
            return Ok(Totals::whole(self.limit, self.page, rows));
        }
        let total = match implied(self.limit, self.page, rows) {
            Some(total) => total,
            None => self.count().await?,
        };
        Ok(Totals::counted(self.limit, self.page, total))
    }

    async fn count(&self) -> Result<u64> {
        self.reader.count(self.shape.collection, &self.filter).await
    }

    async fn documents(&self, rows: Vec<Row>, out: &mut Vec<u8>) -> Result<()> {
        let shape = Arc::clone(&self.shape);
        let expanded = self.reader.expand(shape, rows, self.depth).await?;
        expanded.write(out)
    }

    /// A page that is held as a whole.
    async fn page(self, sql: Sql) -> Result<Listing> {
        let rows = self.reader.rows(sql);
        // On the first page most conditions find fewer rows than it takes, which tells the
        // total. Later pages are mostly full, so the count need not wait for them.
        let (rows, totals) = if self.counted && self.page > 1 {
            let (rows, total) = futures_util::try_join!(rows, self.count())?;
            (rows, Totals::counted(self.limit, self.page, total))
        } else {
            let rows = rows.await?;
            let totals = self.totals(length(&rows)).await?;
            (rows, totals)
        };
        self.whole(rows, totals).await
    }

    async fn whole(&self, rows: Vec<Row>, totals: Totals) -> Result<Listing> {
        let mut out = b"{\"docs\":[".to_vec();
        self.documents(rows, &mut out).await?;
        out.extend_from_slice(&totals.tail());
        Ok(Listing {
            totals: Some(totals),
            body: Box::pin(stream::iter([Ok(Bytes::from(out))])),
        })
    }

    /// An answer of any length. Its first part is read before this returns, so that what
    /// is wrong from the start is told as an error.
    async fn long(self, sql: Sql, permit: OwnedSemaphorePermit) -> Result<Listing> {
        let size = if self.depth > 2 { DEEP_PART } else { PART };
        let mut rows = self.reader.stream(sql);
        let first = part(&mut rows, size).await?;
        if first.len() < size {
            drop((rows, permit));
            let totals = self.totals(length(&first)).await?;
            return self.whole(first, totals).await;
        }
        let mut out = b"{\"docs\":[".to_vec();
        let mut seen = length(&first);
        self.documents(first, &mut out).await?;
        let body = async_stream::try_stream! {
            yield Bytes::from(out);
            loop {
                let next = part(&mut rows, size).await?;
                let last = next.len() < size;
                if !next.is_empty() {
                    seen += length(&next);
                    let mut out = b",".to_vec();
                    self.documents(next, &mut out).await?;
                    yield Bytes::from(out);
                }
                if last {
                    break;
                }
            }
            drop(rows);
            drop(permit);
            yield Bytes::from(self.totals(seen).await?.tail());
        };
        Ok(Listing {
            totals: None,
            body: Box::pin(body),
        })
    }
}

fn length(rows: &[Row]) -> u64 {
    u64::try_from(rows.len()).unwrap_or(u64::MAX)
}

/// The next rows; fewer than asked for only at the end.
async fn part(rows: &mut BoxStream<'static, Result<Row>>, size: usize) -> Result<Vec<Row>> {
    let mut taken = Vec::new();
    while taken.len() < size {
        match rows.next().await {
            Some(row) => taken.push(row?),
            None => break,
        }
    }
    Ok(taken)
}

impl Book {
    /// A page of what a caller may read of a collection, or all of it.
    ///
    /// # Errors
    /// [`Error::Forbidden`] when the collection is closed to him; [`Error::Query`] with
    /// every path that he cannot query; [`Error::Malformed`] when it asks for too much.
    pub async fn list(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        ask: Ask,
    ) -> Result<Listing> {
        let reader = self.reader(caller);
        let asked = asked(&reader, c, ask.filter.as_ref(), &ask.sort)?;
        let query = Query {
            shape: Arc::new(Shape::new(&reader.gate(), c)),
            filter: asked.filter,
            limit: ask.limit,
            page: ask.page.max(1),
            depth: ask.depth,
            counted: ask.pagination && ask.limit > 0,
            reader,
        };
        let range = (ask.limit > 0).then(|| (query.limit, offset(query.limit, query.page)));
        let (shape, filter) = (&query.shape, &query.filter);
        let sql = query.reader.select(shape, filter, &asked.orders, range)?;
        let held = usize::try_from(ask.limit).is_ok_and(|limit| (1..=PART).contains(&limit));
        if held {
            return query.page(sql).await;
        }
        let permit = patient(Arc::clone(&self.streams)).await?;
        query.long(sql, permit).await
    }

    /// One record.
    ///
    /// # Errors
    /// [`Error::Forbidden`] when the collection is closed to the caller, [`Error::NotFound`]
    /// when there is no such record or none that he may read.
    pub async fn by_id(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        id: i64,
        depth: u8,
    ) -> Result<Vec<u8>> {
        let reader = self.reader(caller);
        let readable = readable(&reader, c)?;
        let shape = Arc::new(Shape::new(&reader.gate(), c));
        let filter = Filter::and([Filter::eq(ID, id), readable]);
        let sql = reader.select(&shape, &filter, &[], None)?;
        let rows = reader.rows(sql).await?;
        if rows.is_empty() {
            return Err(Error::NotFound);
        }
        let mut out = Vec::new();
        reader.expand(shape, rows, depth).await?.write(&mut out)?;
        Ok(out)
    }

    /// How many records fulfil a condition among those that the caller may read.
    ///
    /// # Errors
    /// As [`Book::list`].
    pub async fn count(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        filter: Option<&Tree>,
    ) -> Result<u64> {
        let reader = self.reader(caller);
        let asked = asked(&reader, c, filter, &[])?;
        reader.count(c, &asked.filter).await
    }

    /// The ids of what fulfils a condition among what the caller may read, in order; for
    /// operations on many records.
    ///
    /// # Errors
    /// As [`Book::list`].
    pub async fn ids(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        filter: Option<&Tree>,
        sort: &[String],
        limit: Option<u64>,
    ) -> Result<Vec<i64>> {
        let reader = self.reader(caller);
        let asked = asked(&reader, c, filter, sort)?;
        let sql = reader.select_ids(c, &asked.filter, &asked.orders, limit)?;
        let rows = reader.rows(sql).await?;
        Ok(rows.iter().filter_map(|row| row.int(0)).collect())
    }

    /// The documents of rows that the caller just wrote, in the order of the ids; those that
    /// are gone are absent. That he may read the rows is taken for granted; their fields and
    /// the records that they show obey the rules.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn documents(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        ids: &[i64],
        depth: u8,
    ) -> Result<IndexMap<i64, Vec<u8>>> {
        let reader = self.reader(caller);
        let shape = Arc::new(Shape::new(&reader.gate(), c));
        let mut documents = IndexMap::with_capacity(ids.len());
        for ids in ids.chunks(PART) {
            let all = ids.iter().copied();
            let rows = reader.by_ids(&shape, &Filter::True, all).await?;
            let expanded = reader.expand(Arc::clone(&shape), rows, depth).await?;
            let mut found = expanded.each()?;
            let ordered = ids.iter().filter_map(|id| Some((*id, found.remove(id)?)));
            documents.extend(ordered);
        }
        Ok(documents)
    }

    fn reader(&self, caller: &Arc<Principal>) -> Reader {
        Reader {
            registry: self.registry,
            store: self.store.clone(),
            caller: Arc::clone(caller),
            now: self.clock.now(),
        }
    }
}

/// The rows that the caller may read.
fn readable(reader: &Reader, c: &'static Collection) -> Result<Filter> {
    match reader.gate().read(c) {
        Decision::Deny => Err(Error::forbidden()),
        Decision::Rows(filter) => Ok(filter),
    }
}

/// What is asked, among the rows that the caller may read.
fn asked(
    reader: &Reader,
    c: &'static Collection,
    filter: Option<&Tree>,
    sort: &[String],
) -> Result<Asked> {
    let readable = readable(reader, c)?;
    let mut asked = ask::ask(reader.gate(), c, filter, sort)?;
    asked.filter = Filter::and([readable, asked.filter]);
    Ok(asked)
}

async fn patient(streams: Arc<Semaphore>) -> Result<OwnedSemaphorePermit> {
    let busy = || Error::Unavailable("too many long answers are being read".to_owned());
    match tokio::time::timeout(PATIENCE, streams.acquire_owned()).await {
        Ok(permit) => permit.map_err(|_| busy()),
        Err(_) => Err(busy()),
    }
}
