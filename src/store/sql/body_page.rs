//! A page of bodies as one text. Where handing over rows one by one is expensive (SQLite, whose
//! rows pass a channel each) the database joins them; elsewhere they are streamed.

use super::window::{Window, rows_of};
use crate::{Dialect, Row, Sql, Store, compressed, sqlite};
use futures_util::{Stream, StreamExt};
use model::error::Result;

/// Bodies with commas between them.
#[derive(Debug, Default)]
pub struct JoinedBodies(
    /// With a comma before each.
    Vec<u8>,
);

impl JoinedBodies {
    pub fn add(&mut self, body: &[u8]) {
        self.0.push(b',');
        self.0.extend_from_slice(body);
    }

    /// Adds the body in a column of a row.
    pub fn add_from(&mut self, row: &Row, column: usize) -> Result<()> {
        compressed::append(row.bytes(column).unwrap_or(b"{}"), &mut self.0)
    }
}

impl std::ops::Deref for JoinedBodies {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.get(1..).unwrap_or_default()
    }
}

#[derive(Debug, Default)]
pub struct BodyPage {
    pub count: u64,
    /// Key of the first row.
    pub first: Option<i64>,
    /// Key of the last row.
    pub last: Option<i64>,
    /// The column `body` of the rows, with commas between them.
    pub text: JoinedBodies,
    /// Whether more follow in the direction that was read.
    pub more: bool,
    /// The column [`Window::next`] of the first of those.
    pub next: Option<i64>,
}

impl Store {
    pub async fn body_page(&self, window: Window) -> Result<BodyPage> {
        match self.dialect() {
            Dialect::Sqlite => self.page_joined_by_database(window).await,
            Dialect::Postgres => self.page_from_stream(window).await,
        }
    }

    async fn page_joined_by_database(&self, window: Window) -> Result<BodyPage> {
        let mut rows = self.rows(sqlite::body_page(&window)).await?;
        let Some(row) = rows.pop() else { return Ok(BodyPage::default()) };
        let count = row.int(0).unwrap_or(0).unsigned_abs();
        let long = row.int(5).is_some_and(|long| long != 0);
        let text = match row.bytes(3) {
            _ if long => None,
            Some(joined) => compressed::list(joined, window.bytes)?,
            None => Some(Vec::new()),
        };
        let Some(text) = text else {
            // Longer than a page may be, or not to be unpacked at once: it ends where enough was read.
            return self.page_from_stream(window).await;
        };
        let next = row.int(4);
        Ok(BodyPage {
            count,
            first: row.int(1),
            last: row.int(2),
            text: JoinedBodies(text),
            more: next.is_some(),
            next,
        })
    }

    async fn page_from_stream(&self, window: Window) -> Result<BodyPage> {
        let mut sql = Sql::new("SELECT ");
        sql.push(window.key).push(", body, ").push(window.next).append(&window.from);
        rows_of(&mut sql, &window, (window.limit.saturating_add(1), window.skip));
        gather(&window, self.stream(sql)).await
    }
}

/// A page of rows as they come. A fault before its end is a fault of the page: the rows that were
/// read until then look like a page, and are none.
async fn gather(window: &Window, mut rows: impl Stream<Item = Result<Row>> + Unpin) -> Result<BodyPage> {
    let mut page = BodyPage::default();
    let mut text = JoinedBodies::default();
    let mut backwards: Vec<JoinedBodies> = Vec::new();
    while let Some(row) = rows.next().await {
        let row = row?;
        if page.count >= window.limit || text.len() >= window.bytes {
            page.more = true;
            page.next = row.int(2);
            break;
        }
        if window.backwards {
            let mut body = JoinedBodies::default();
            body.add_from(&row, 1)?;
            backwards.push(body);
        } else {
            text.add_from(&row, 1)?;
        }
        page.first = page.first.or(row.int(0));
        page.last = row.int(0);
        page.count += 1;
    }
    if window.backwards {
        std::mem::swap(&mut page.first, &mut page.last);
        text.0 = backwards.into_iter().rev().flat_map(|body| body.0).collect();
    }
    page.text = text;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Durability;
    use crate::Ty;
    use futures_util::stream;
    use model::clock::Clock;
    use model::error::Error;

    /// The database fails at any row, before or after those of the page.
    #[tokio::test]
    async fn a_fault_at_any_row_is_no_page() {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("book.db").display());
        let (mode, clock) = (Durability::Normal, Clock::system());
        let store = Store::open(&url, mode, clock, true).await.unwrap();
        let rows = async || {
            let sql = "SELECT column1, column2, column1 FROM (VALUES (1,'{}'),(2,'{}'),(3,'{}'),(4,'{}'))";
            let rows: Vec<Result<Row>> = store.stream(Sql::new(sql)).collect().await;
            assert_eq!(rows.len(), 4);
            rows
        };
        let window = |backwards| Window {
            key: "k",
            from: Sql::default(),
            backwards,
            limit: 3,
            skip: 0,
            bytes: usize::MAX,
            next: "k",
        };
        for backwards in [false, true] {
            let whole = gather(&window(backwards), stream::iter(rows().await)).await;
            let whole = whole.unwrap();
            assert_eq!((whole.count, whole.more), (3, true));
            assert_eq!(whole.next, Some(4));
            for at in 0..=3 {
                let mut rows = rows().await;
                rows.truncate(at);
                rows.push(Err(Error::Unavailable("gone".to_owned())));
                let page = gather(&window(backwards), stream::iter(rows)).await;
                assert!(page.is_err(), "a fault at {at}: {page:?}");
            }
        }
    }

    fn window(backwards: bool, limit: u64, skip: u64, bytes: usize) -> Window {
        Window { key: "k", from: Sql::new(" FROM texts WHERE k > 0"), backwards, limit, skip, bytes, next: "k" }
    }

    /// Some texts are long, some do not become shorter, and one is not compressed.
    #[tokio::test]
    async fn a_page_that_the_database_joins_is_that_of_its_rows() {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("book.db").display());
        let (mode, clock) = (Durability::Normal, Clock::system());
        let store = Store::open(&url, mode, clock, true).await.unwrap();
        let fill = store.write(|tx| {
            Box::pin(async move {
                tx.run(Sql::new("CREATE TABLE texts (k INTEGER PRIMARY KEY, body BLOB NOT NULL)")).await?;
                for k in 1..=40_i64 {
                    let words = (1..=if k % 9 == 0 { 900 } else { 5 }).map(|n| (k * n * n * 7_919).to_string());
                    let text = format!("{{\"k\":\"{}\"}}", words.collect::<String>());
                    let ty = if k == 20 { Ty::Text } else { Ty::Compressed };
                    let mut sql = Sql::new("INSERT INTO texts (k, body) VALUES (");
                    sql.bind(Ty::Int, k).push(",").bind(ty, text).push(")");
                    tx.run(sql).await?;
                }
                Ok(())
            })
        });
        fill.await.unwrap();
        let mut short = 0;
        for (bytes, backwards) in [(usize::MAX, false), (usize::MAX, true)]
            .into_iter()
            .chain([1, 700, 5_000, 20_000, 1 << 20].map(|bytes| (bytes, false)))
        {
            for (limit, skip) in [1, 3, 10, 40, 50].into_iter().flat_map(|l| [(l, 0), (l, 7), (l, 45)]) {
                let window = || window(backwards, limit, skip, bytes);
                let case = format!("{bytes} bytes, {limit} rows after {skip}, backwards {backwards}");
                let one = store.page_joined_by_database(window()).await.unwrap();
                let other = store.page_from_stream(window()).await.unwrap();
                assert_eq!(one.text.0, other.text.0, "{case}");
                let page = |joined: &BodyPage| (joined.count, joined.first, joined.last, joined.more, joined.next);
                assert_eq!(page(&one), page(&other), "{case}");
                short += usize::from(one.more && one.count < limit);
            }
        }
        assert!(short > 10, "{short} pages ended by their length");
    }
}
