//! A request for a list: its statements for rows and total, and how the answer is written.

use super::branches::{self, Branches};
use super::cursor::Cursor;
use super::recall::{CachedStatement, Recall, Way};
use super::totals::{Totals, implied, offset};
use super::{DEEP_PART, Form, Listing, MOST_DEEP_ROWS, MOST_ROWS, PART, SEVERAL, WHOLE};
use crate::document::{Plan, Reader, Stretch};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use model::error::{Error, Result};
use model::query::qs::Count;
use model::query::{Filter, Order};
use store::{Row, SortPosition, Sql, sort_keys};
use tokio::sync::OwnedSemaphorePermit;

/// Rows before a page from which on its place is looked for among those remembered.
const DEEP: u64 = 500;
/// Rows before a page from which on the total is worth knowing first: the page may lie nearer to the end.
const FAR: u64 = 5_000;
/// Number of skipped rows from which on a walk is long.
const LONG: u64 = if cfg!(test) { 400 } else { 5_000 };
/// Signposts in a list, about.
const SIGNPOSTS: u64 = 2_048;
/// Rows between two signposts at least.
const APART: u64 = 100;

pub(super) struct Query {
    pub(super) reader: Reader,
    pub(super) plan: Plan,
    pub(super) filter: Filter,
    /// The kinds of rows of a reader of few.
    pub(super) branches: Option<Branches>,
    pub(super) orders: Vec<Order>,
    pub(super) limit: u64,
    pub(super) page: u64,
    pub(super) after: Option<Cursor>,
    /// How rows are counted; none: not at all.
    pub(super) counted: Option<Count>,
    pub(super) recall: Recall,
}

/// Rows of a page, with the total when it was counted meanwhile.
struct PageRows {
    rows: Vec<Row>,
    total: Option<u64>,
}

impl Recall {
    /// All rows, from memory if none of the tables changed since.
    pub(super) async fn total(&self, reader: &Reader, sql: Sql) -> Result<u64> {
        let statement = reader.cached_statement(&sql).await?;
        if let Some(total) = self.count(&statement) {
            return Ok(total);
        }
        let total = reader.count(sql).await?;
        self.counted(statement, total);
        Ok(total)
    }
}

impl Query {
    /// Rows before the page.
    fn before(&self) -> u64 {
        if let Some(cursor) = &self.after { cursor.before } else { offset(self.limit, self.page) }
    }

    /// The number of the page; behind a cursor it follows from the rows before it.
    fn number(&self) -> u64 {
        match &self.after {
            Some(cursor) => (cursor.before.checked_div(self.limit)).unwrap_or(0).saturating_add(1),
            None => self.page,
        }
    }

    async fn total(&self) -> Result<u64> {
        self.recall.total(&self.reader, self.count(None)?).await
    }

    fn count(&self, most: Option<u64>) -> Result<Sql> {
        branches::count(&self.reader, self.plan.shape.collection, &self.filter, self.branches.as_ref(), most)
    }

    /// The total, if all rows are to be counted.
    async fn counting(&self) -> Result<Option<u64>> {
        match self.counted {
            Some(Count::Exact) => self.total().await.map(Some),
            Some(Count::Bounded(_)) | None => Ok(None),
        }
    }

    /// The total, if there are no more rows than that.
    async fn total_up_to(&self, most: u64) -> Result<Option<u64>> {
        let all = self.count(None)?;
        let cached_count = self.recall.count(&self.reader.cached_statement(&all).await?);
        let total = match cached_count {
            Some(total) => total,
            None => self.recall.total(&self.reader, self.count(Some(most))?).await?,
        };
        Ok((total <= most).then_some(total))
    }

    /// The totals when rows are counted to a bound, or to the end of the page if that is further;
    /// `more`: whether rows follow the page, if that is known.
    async fn bounded(&self, bound: u64, more: Option<bool>) -> Result<Totals> {
        let read = self.before().saturating_add(self.limit);
        let most = bound.max(read);
        let total = match more {
            Some(true) if bound <= read => None,
            _ => self.total_up_to(most).await?,
        };
        let more = more.unwrap_or(true);
        Ok(match total {
            Some(total) => Totals::counted(self.limit, self.number(), total),
            None => Totals::at_least(self.limit, self.number(), most, more),
        })
    }

    fn select(&self, stretch: Stretch<'_>) -> Result<Sql> {
        let shape = &self.plan.shape;
        let take = stretch.skip.saturating_add(stretch.take.unwrap_or(u64::MAX));
        let branches = self.branches.as_ref().and_then(|b| b.paged(shape.collection, &self.orders, take));
        let select = |kinds| (self.reader).select_page(shape, (&self.filter, kinds), &self.orders, stretch);
        // Each kind repeats the values of the condition, which may be more than a statement can have.
        select(branches.as_deref()).or_else(|_| select(None))
    }

    /// The rows of the page and one more, which shows whether another page follows.
    async fn rows(&self) -> Result<PageRows> {
        let before = self.before();
        let take = self.limit.saturating_add(1);
        let stretch = |from, skip| Stretch { from, backwards: false, skip, take: Some(take) };
        if let Some(cursor) = &self.after {
            let sql = self.select(stretch(Some(&cursor.place), 0))?;
            let (rows, total) = futures_util::try_join!(self.reader.rows(sql), self.counting())?;
            return Ok(PageRows { rows, total });
        }
        if before >= DEEP {
            return self.deep(before, take).await;
        }
        let sql = self.select(stretch(None, before))?;
        if before == 0 {
            // On the first page most conditions find fewer rows than it takes, which gives the total.
            return Ok(PageRows { rows: self.reader.rows(sql).await?, total: None });
        }
        let (rows, total) = futures_util::try_join!(self.reader.rows(sql), self.counting())?;
        Ok(PageRows { rows, total })
    }

    /// A page far from the beginning: from the nearest row whose place is remembered, or from the end, whichever is
    /// nearer. Who jumps far twice in the same list has signposts put up in it, so that no later jump walks far.
    async fn deep(&self, before: u64, take: u64) -> Result<PageRows> {
        let exact = self.counted == Some(Count::Exact);
        let total = if exact && before >= FAR { Some(self.total().await?) } else { None };
        let list = (self.reader).select_ids(self.plan.shape.collection, &self.filter, &self.orders, None)?;
        let list = self.reader.cached_statement(&list).await?;
        let mut way = (self.recall).way(&list, before, take, total);
        if way.skip >= LONG && self.recall.walks_again(&list) {
            self.put_up(&list, before.max(total.unwrap_or(0))).await?;
            way = (self.recall).way(&list, before, take, total);
        }
        let rows = self.along(&way);
        let (mut rows, total) = match (exact, total) {
            (true, None) => {
                let (rows, total) = futures_util::try_join!(rows, self.total())?;
                (rows, Some(total))
            }
            (_, total) => (rows.await?, total),
        };
        if way.backwards {
            rows.reverse();
        }
        let last = rows.iter().zip(before..).take(usize::try_from(self.limit).unwrap_or(usize::MAX)).last();
        if let Some((number, place)) = last.and_then(|(row, number)| Some((number, self.place(row)?))) {
            self.recall.passed(&list, number, place);
        }
        Ok(PageRows { rows, total })
    }

    /// Remembers rows all along a list of this length.
    async fn put_up(&self, list: &CachedStatement<'_>, rows: u64) -> Result<()> {
        let c = self.plan.shape.collection;
        let sql = (self.reader).select_signposts(c, &self.filter, &self.orders, (rows / SIGNPOSTS).max(APART))?;
        let types = sort_keys(c, &self.orders);
        let signposts = self.reader.rows(sql).await?;
        let posts = signposts.iter().filter_map(|row| {
            let number = u64::try_from(row.int(types.len() + 1)?).ok()?;
            Some((number.checked_sub(1)?, SortPosition::of(row, 1, &types)?))
        });
        self.recall.posted(list, posts.collect());
        Ok(())
    }

    async fn along(&self, way: &Way) -> Result<Vec<Row>> {
        if way.take == 0 {
            return Ok(Vec::new());
        }
        let sql = self.select(Stretch {
            from: way.from.as_ref(),
            backwards: way.backwards,
            skip: way.skip,
            take: Some(way.take),
        })?;
        self.reader.rows(sql).await
    }

    fn place(&self, row: &Row) -> Option<SortPosition> {
        let shape = &self.plan.shape;
        let types = sort_keys(shape.collection, &self.orders);
        SortPosition::of(row, shape.width(), &types)
    }

    /// A page that is held as a whole.
    pub(super) async fn page(self, form: Form) -> Result<Listing> {
        let PageRows { mut rows, total } = self.rows().await?;
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).and_then(|row| {
            let place = self.place(row)?;
            let cursor = Cursor { place, before: self.before().saturating_add(length(&rows)) };
            cursor.write(self.plan.shape.collection, &self.orders)
        });
        if form != Form::Envelope {
            let mut out = self.head(form)?;
            self.paged(rows, form, &mut out).await?;
            return Ok(Listing::whole(out, None, next));
        }
        let rows_on_page = length(&rows);
        let totals = async {
            let Some(count) = self.counted else { return Ok(Totals::whole(self.limit, self.number(), rows_on_page)) };
            // The last page gives the total, unless it lies beyond the end.
            let last = !more && self.after.is_none() && (rows_on_page > 0 || self.before() == 0);
            let implied = last.then(|| self.before().saturating_add(rows_on_page));
            let total = match (total.or(implied), count) {
                (Some(total), _) => total,
                (None, Count::Exact) => self.total().await?,
                (None, Count::Bounded(bound)) => return self.bounded(bound, Some(more)).await,
            };
            Ok(Totals::counted(self.limit, self.number(), total))
        };
        let mut out = b"{\"docs\":[".to_vec();
        let ((), totals) = futures_util::try_join!(self.paged(rows, form, &mut out), totals)?;
        out.extend_from_slice(&totals.tail());
        Ok(Listing::whole(out, Some(totals), next))
    }

    /// Rows that are held at a time with all that they bring along.
    fn part(&self, deep: bool) -> usize {
        let (budget, most) = if deep { (MOST_DEEP_ROWS, DEEP_PART) } else { (MOST_ROWS, PART) };
        (budget / self.plan.weight().max(1)).clamp(1, most)
    }

    /// The documents of a page, part by part: only what is written is held of them all.
    async fn paged(&self, mut rows: Vec<Row>, form: Form, out: &mut Vec<u8>) -> Result<()> {
        let size = self.part(false);
        let mut first = true;
        while !rows.is_empty() || first {
            let rest = rows.split_off(size.min(rows.len()));
            let part = std::mem::replace(&mut rows, rest);
            if form == Form::Envelope && !first {
                out.push(b',');
            }
            self.documents(part, form, out).await?;
            if out.len() > WHOLE {
                return Err(Error::Malformed("the answer is too large: ask for fewer rows or levels".into()));
            }
            first = false;
        }
        Ok(())
    }

    async fn documents(&self, rows: Vec<Row>, form: Form, out: &mut Vec<u8>) -> Result<()> {
        let expanded = self.reader.expand(&self.plan, rows).await?;
        match form {
            Form::Envelope => expanded.write(out),
            Form::Lines => expanded.write_lines(out),
            Form::Table => expanded.write_table(out),
            Form::Cells(titles) => expanded.write_cells(titles, out),
        }
    }

    /// The part before the first row.
    fn head(&self, form: Form) -> Result<Vec<u8>> {
        match form {
            Form::Envelope => Ok(b"{\"docs\":[".to_vec()),
            Form::Lines => Ok(Vec::new()),
            Form::Table => self.plan.shape.head(),
            Form::Cells(_) => self.plan.shape.paths(),
        }
    }

    /// The part after the last row.
    async fn tail(&self, form: Form, rows: u64) -> Result<Option<(Vec<u8>, Totals)>> {
        if form != Form::Envelope {
            return Ok(None);
        }
        let implied = implied(self.limit, self.page, rows).filter(|_| self.after.is_none());
        let totals = match (self.counted, implied) {
            (None, _) => Totals::whole(self.limit, self.number(), rows),
            (Some(_), Some(total)) => Totals::counted(self.limit, self.number(), total),
            (Some(Count::Exact), None) => Totals::counted(self.limit, self.number(), self.total().await?),
            (Some(Count::Bounded(bound)), None) => self.bounded(bound, None).await?,
        };
        Ok(Some((totals.tail(), totals)))
    }

    /// An answer of any length. Its first part is read before this returns, so that an early
    /// error is returned as an error.
    pub(super) async fn long(self, form: Form, permit: OwnedSemaphorePermit) -> Result<Listing> {
        let size = self.part(self.plan.depth >= SEVERAL);
        let from = self.after.as_ref().map(|cursor| &cursor.place);
        let sql = self.select(Stretch {
            from,
            backwards: false,
            skip: if from.is_some() { 0 } else { self.before() },
            take: (self.limit > 0).then_some(self.limit),
        })?;
        let mut rows = self.reader.stream(sql);
        let first = part(&mut rows, size).await?;
        let mut out = self.head(form)?;
        let mut documents = length(&first);
        let last = first.len() < size;
        if last {
            drop((rows, permit));
            self.documents(first, form, &mut out).await?;
            let tail = self.tail(form, documents).await?;
            let totals = tail.map(|(tail, totals)| {
                out.extend_from_slice(&tail);
                totals
            });
            return Ok(Listing::whole(out, totals, None));
        }
        self.documents(first, form, &mut out).await?;
        let body = async_stream::try_stream! {
            yield Bytes::from(out);
            loop {
                let next = part(&mut rows, size).await?;
                let last = next.len() < size;
                if !next.is_empty() {
                    documents += length(&next);
                    let comma: &[u8] = if form == Form::Envelope { b"," } else { b"" };
                    let mut out = comma.to_vec();
                    self.documents(next, form, &mut out).await?;
                    yield Bytes::from(out);
                }
                if last {
                    break;
                }
            }
            drop(rows);
            drop(permit);
            if let Some((tail, _)) = self.tail(form, documents).await? {
                yield Bytes::from(tail);
            }
        };
        Ok(Listing { totals: None, next: None, in_memory: false, body: Box::pin(body) })
    }
}

impl Listing {
    fn whole(out: Vec<u8>, totals: Option<Totals>, next: Option<String>) -> Self {
        Self { totals, next, in_memory: true, body: Box::pin(stream::iter([Ok(Bytes::from(out))])) }
    }
}

fn length(rows: &[Row]) -> u64 {
    u64::try_from(rows.len()).unwrap_or(u64::MAX)
}

/// The next rows; fewer than requested only at the end.
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
