//! Reading: lists, single records, counts. A list is written in the order of the dialect's envelope, documents first,
//! so that long ones leave while they are read. Must not know HTTP.

mod ancestry;
mod branches;
mod counts;
mod cursor;
pub(crate) mod lineage;
pub(crate) mod means;
mod query;
mod recall;
mod row_counts;
pub(crate) mod signed;
mod totals;
pub(crate) mod view;
pub(crate) mod visible_book;
pub(crate) mod visible_rows;
pub(crate) mod work;

pub(super) use recall::{CachedStatement, Recall};
pub use totals::Totals;

use self::branches::Branches;
use self::cursor::Cursor;
use self::query::Query;
use super::access::Decision;
use super::ask::{self, ListQuery};
use super::document::{Plan, Reader};
use super::{Book, View};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use indexmap::IndexMap;
use model::error::{Error, Result};
use model::messages::Language;
use model::query::Filter;
use model::query::qs::{Choice, Count, Select, Tree};
use model::registry::{Caller, Collection, ID, OPENNESS, Principal, Registry, Rule};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Rows that are held at a time; longer answers are streamed in parts of this size.
const PART: usize = 500;
/// Rows that are held at a time together with those that they bring along: by their joins, ancestors and events.
const MOST_ROWS: usize = 12_000;
/// Rows that are held at a time of an answer of any length where every row brings documents over several levels.
const MOST_DEEP_ROWS: usize = 1_000;
/// Rows that are held at a time then, regardless of what they bring along.
const DEEP_PART: usize = 50;
/// Levels of related records from which on they count as several.
const SEVERAL: u8 = 3;
/// Bytes of an answer that is held as a whole.
const WHOLE: usize = 256 << 20;
/// Streams at a time. Each holds a connection for as long as its reader takes, and needs
/// another one now and then, so they must not take all.
pub(super) const STREAMS: usize = 4;
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// The dialect's envelope: documents, then totals.
    #[default]
    Envelope,
    /// A document on each line (NDJSON), without totals.
    Lines,
    /// A table (RFC 4180): a line with the paths of the fields, then one for each row. Relations
    /// are ids, or names where they are requested ([`Ask::names`]).
    Table,
    /// The table for programs that write it in another format: a line of JSON each, an array of cells
    /// ([`Cell`](crate::Cell)); the first has the paths of the fields. For readers of a language, names of relations
    /// are whole, as people call the rows.
    Cells(Option<Language>),
}

/// The request of a list.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The condition (`where`); none: all rows that the caller may read.
    pub filter: Option<Tree>,
    /// Keys of the order, `-` before descending ones; empty: the collection's own.
    pub sort: Vec<String>,
    /// Rows of a page; 0: all.
    pub limit: u64,
    /// The page, from 1.
    pub page: u64,
    /// A cursor of an earlier answer: the page begins behind its last row, and `page` means nothing.
    pub after: Option<String>,
    /// How documents are shown.
    pub view: View,
    /// The format of the answer.
    pub form: Form,
    /// Whether tables show relations by the names of their rows ([`Collection::label_field`]).
    pub names: bool,
    /// Whether rows are to be counted. Without, a face that was given no limit passes 0.
    pub pagination: bool,
    pub count: Count,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            filter: None,
            sort: Vec::new(),
            limit: 10,
            page: 1,
            after: None,
            view: View::default(),
            form: Form::Envelope,
            names: false,
            pagination: true,
            count: Count::Exact,
        }
    }
}

pub struct Listing {
    /// The members at the end of the envelope; none for long answers, where they are not known yet.
    pub totals: Option<Totals>,
    /// A cursor after the last row, if more rows follow; never in long answers.
    pub next: Option<String>,
    /// Whether the body is one part in memory.
    pub in_memory: bool,
    /// In the requested form; the envelope as JSON, `docs` first. An error ends it: the part that was written before is
    /// then no whole answer.
    pub body: BoxStream<'static, Result<Bytes>>,
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Listing({:?})", self.totals)
    }
}

/// Of each collection the field that names its rows, with those of their whole names for people.
fn labels(registry: &Registry, form: Form) -> IndexMap<String, Select> {
    let label = |c: &Collection| {
        let mut paths: Vec<&str> = c.label_field().into_iter().collect();
        if matches!(form, Form::Cells(Some(_))) {
            paths.extend(c.title().naming());
        }
        // A member of a group comes with its group.
        let whole = |path: &str| (path.split('.').next().unwrap_or(path).to_owned(), Choice::Whole);
        (c.slug.to_owned(), Select::Include(paths.into_iter().map(whole).collect()))
    };
    registry.iter().map(label).collect()
}

impl Listing {
    /// The whole body, for callers who can hold it.
    pub async fn collect(mut self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        while let Some(part) = self.body.next().await {
            out.extend_from_slice(&part?);
        }
        Ok(out)
    }
}

impl Book {
    /// A page of what a caller may read of a collection, or all of it.
    ///
    /// # Errors
    /// [`Error::Forbidden`] when the collection is closed to the caller; [`Error::Query`] with
    /// every path that the caller cannot query; [`Error::Malformed`] when the query asks for too much.
    pub async fn list(&self, caller: &Arc<Principal>, c: &'static Collection, ask: Ask) -> Result<Listing> {
        self.measure().await;
        let reader = self.reader(caller);
        let (list_query, branches) = branched(&reader, c, ask.filter.as_ref(), &ask.sort)?;
        let mut view = ask.view;
        if matches!(ask.form, Form::Table | Form::Cells(_)) {
            view.depth = u8::from(ask.names);
            view.populate = if ask.names { labels(reader.registry, ask.form) } else { IndexMap::new() };
        }
        let after = ask.after.as_deref().map(|text| Cursor::read(text, c, &list_query.orders));
        let query = Query {
            plan: Plan::new(&reader.gate(), c, &view)?,
            filter: list_query.filter,
            branches,
            orders: list_query.orders,
            limit: ask.limit,
            page: ask.page.max(1),
            after: after.transpose()?,
            counted: (ask.pagination && ask.limit > 0).then_some(ask.count),
            recall: self.recall.clone(),
            reader,
        };
        let in_memory = usize::try_from(ask.limit).is_ok_and(|limit| (1..=PART).contains(&limit));
        if in_memory {
            return query.page(ask.form).await;
        }
        let permit = patient(Arc::clone(&self.streams), query.reader.store.patience()).await?;
        query.long(ask.form, permit).await
    }

    /// One record.
    ///
    /// # Errors
    /// [`Error::Forbidden`] when the collection is closed to the caller, [`Error::NotFound`]
    /// when there is no such record or the caller may not read it.
    pub async fn by_id(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        id: i64,
        view: impl Into<View>,
    ) -> Result<Vec<u8>> {
        let reader = self.reader(caller);
        let readable = readable(&reader, c)?;
        let plan = Plan::new(&reader.gate(), c, &view.into())?;
        let filter = Filter::and([Filter::eq(ID, id), readable]);
        let sql = reader.select(&plan.shape, &filter)?;
        let rows = reader.rows(sql).await?;
        if rows.is_empty() {
            return Err(Error::NotFound);
        }
        self.note_view(caller, c, id, reader.now);
        let mut out = Vec::new();
        reader.expand(&plan, rows).await?.write(&mut out)?;
        Ok(out)
    }

    /// How many records fulfil a condition among those that the caller may read.
    pub async fn count(&self, caller: &Arc<Principal>, c: &'static Collection, filter: Option<&Tree>) -> Result<u64> {
        self.measure().await;
        let reader = self.reader(caller);
        let (list_query, branches) = branched(&reader, c, filter, &[])?;
        let sql = branches::count(&reader, c, &list_query.filter, branches.as_ref(), None)?;
        self.recall.total(&reader, sql).await
    }

    /// The ids of what fulfils a condition among what the caller may read, in order; for operations on many records.
    pub async fn ids(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        filter: Option<&Tree>,
        sort: &[String],
        limit: Option<u64>,
    ) -> Result<Vec<i64>> {
        self.measure().await;
        let reader = self.reader(caller);
        let list_query = list_query(&reader, c, filter, sort)?;
        let sql = reader.select_ids(c, &list_query.filter, &list_query.orders, limit)?;
        let rows = reader.rows(sql).await?;
        Ok(rows.iter().filter_map(|row| row.int(0)).collect())
    }

    /// The documents of rows that the caller just wrote, in the order of the ids; rows that are gone are absent.
    /// Whether the caller may read the rows is not checked; their fields and the records that they show obey the rules.
    pub async fn documents(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        ids: &[i64],
        view: impl Into<View>,
    ) -> Result<IndexMap<i64, Vec<u8>>> {
        let reader = self.reader(caller);
        let plan = Plan::new(&reader.gate(), c, &view.into())?;
        let mut documents = IndexMap::with_capacity(ids.len());
        for ids in ids.chunks(PART) {
            let rows = reader.by_ids(&plan.shape, &Filter::True, ids.iter().copied()).await?;
            let expanded = reader.expand(&plan, rows).await?;
            let mut by_id = expanded.each()?;
            documents.extend(ids.iter().filter_map(|id| Some((*id, by_id.remove(id)?))));
        }
        Ok(documents)
    }

    /// Reads the sizes of tables now and then.
    pub(super) async fn measure(&self) {
        let tables = self.registry.iter().map(|c| c.table.as_str());
        let books = self.registry.iter().filter(|c| c.access.read == Rule::Book);
        let flags =
            books.flat_map(|c| OPENNESS.iter().filter_map(|path| Some((c.table.as_str(), &*c.field(path)?.column))));
        self.store.measure(tables, &flags.collect::<Vec<_>>()).await;
    }

    pub(super) fn reader(&self, caller: &Arc<Principal>) -> Reader {
        Reader {
            registry: self.registry,
            store: self.store.bound(),
            caller: Arc::clone(caller),
            now: self.clock.now(),
            list_rows: self.list_rows,
            dry_run: super::handling::current().and_then(|handling| handling.begun()),
        }
    }
}

/// The rows that the caller may read.
pub(super) fn readable(reader: &Reader, c: &'static Collection) -> Result<Filter> {
    match reader.gate().read(c) {
        Decision::Deny => Err(Error::forbidden()),
        Decision::Rows(filter) => Ok(filter),
    }
}

/// The query of a list, among the rows that the caller may read.
pub(super) fn list_query(
    reader: &Reader,
    c: &'static Collection,
    filter: Option<&Tree>,
    sort: &[String],
) -> Result<ListQuery> {
    Ok(branched(reader, c, filter, sort)?.0)
}

/// The query of a list, and the kinds of rows of a reader of few.
fn branched(
    reader: &Reader,
    c: &'static Collection,
    filter: Option<&Tree>,
    sort: &[String],
) -> Result<(ListQuery, Option<Branches>)> {
    let readable = readable(reader, c)?;
    let mut list_query = ask::ask(reader.gate(), c, filter, sort)?;
    let branches = Branches::of((reader.registry, reader.store.sizes()), c, &readable, &list_query.filter);
    list_query.filter = Filter::and([readable, list_query.filter]);
    if !list_query.unindexed.is_empty() && reader.caller.caller != Caller::System {
        let rows = match &branches {
            Some(branches) => branches.rows(),
            None => ask::examined(&reader.gate(), c, &list_query.filter),
        };
        if rows > reader.list_rows {
            return Err(Error::Unindexed { paths: list_query.unindexed, fields: ask::leading(&reader.gate(), c) });
        }
    }
    Ok((list_query, branches))
}

async fn patient(streams: Arc<Semaphore>, patience: Duration) -> Result<OwnedSemaphorePermit> {
    let busy = || Error::Overloaded;
    match tokio::time::timeout(patience, streams.acquire_owned()).await {
        Ok(permit) => permit.map_err(|_| busy()),
        Err(_) => Err(busy()),
    }
}
