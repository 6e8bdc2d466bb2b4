//! The list of a location: the live documents of one data set there, in an order that no change moves (by first
//! appearance), so that paging under writes neither skips nor repeats.

use crate::documents::names::Names;
use crate::lists::Lists;
use crate::lists::keys::{AnimalNumbers, KeyFilter};
use model::error::Result;
use serde::{Deserialize, Serialize};
use store::{BodyPage, JoinedBodies, Sql, Store, Ty, Window};

/// Where a page begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Turn {
    #[default]
    First,
    /// After a document.
    After(i64),
    /// The page that ends before a document.
    Before(i64),
    /// The given number of last documents.
    Last(u64),
    /// After the given number of documents (clients that count pages themselves).
    Skip(u64),
}

impl Turn {
    /// The rows of `from` that the page has, in the order of a unique key.
    pub(crate) fn window(self, key: &'static str, mut from: Sql, limit: u64) -> Window {
        let mut bound = |word: &str, id: i64| {
            from.push(" AND ").push(key).push(word).bind(Ty::Int, id);
        };
        let (backwards, limit, skip) = match self {
            Self::First => (false, limit, 0),
            Self::After(id) => {
                bound(" > ", id);
                (false, limit, 0)
            }
            Self::Before(id) => {
                bound(" < ", id);
                (true, limit, 0)
            }
            Self::Last(rows) => (true, rows, 0),
            Self::Skip(rows) => (false, limit, rows),
        };
        Window { key, from, backwards, limit, skip, bytes: usize::MAX, next: key }
    }
}

/// State of a link between pages: it carries all that a request needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageCursor {
    #[serde(rename = "t")]
    pub turn: Turn,
    /// Number of that page, from 1.
    #[serde(rename = "n")]
    pub page: u64,
}

#[derive(Debug, Clone, Default)]
pub struct ListQuery {
    pub dataset: String,
    pub location: i64,
    /// `meta.modified` at least, epoch milliseconds.
    pub modified_from: Option<i64>,
    /// `meta.modified` before.
    pub modified_to: Option<i64>,
    pub event_from: Option<i64>,
    pub event_to: Option<i64>,
    /// About an animal with one of these numbers; an empty list fits nothing.
    pub animals: Option<Vec<AnimalNumbers>>,
    /// Found by the index, each of these.
    pub filters: Vec<KeyFilter>,
    pub limit: u64,
    pub turn: Turn,
}

#[derive(Debug, Default)]
pub struct Page {
    /// Documents as JSON, in order, with commas between them.
    pub bodies: JoinedBodies,
    pub count: u64,
    /// Place of the first one.
    pub first: Option<i64>,
    /// Place of the last one.
    pub last: Option<i64>,
    /// All documents that fit.
    pub total: u64,
    /// Whether more follow in the direction that was read: before the page for
    /// [`Turn::Before`] and [`Turn::Last`], else after it.
    pub more: bool,
}

impl Page {
    pub(crate) fn of(page: BodyPage, total: u64) -> Self {
        Self { bodies: page.text, count: page.count, first: page.first, last: page.last, total, more: page.more }
    }
}

impl ListQuery {
    fn filtered(&self) -> bool {
        self.modified_from.is_some()
            || self.modified_to.is_some()
            || self.event_from.is_some()
            || self.event_to.is_some()
            || self.animals.is_some()
            || !self.filters.is_empty()
    }

    fn conditions(&self, lists: &Lists, sql: &mut Sql) -> Result<()> {
        sql.push(" FROM exchange_documents WHERE location = ").bind(Ty::Int, self.location);
        sql.push(" AND dataset = ").name_number(&self.dataset).push(" AND deleted = ").bind(Ty::Bool, false);
        for (text, limit) in [
            (" AND modified >= ", self.modified_from),
            (" AND modified < ", self.modified_to),
            (" AND event_at >= ", self.event_from),
            (" AND event_at < ", self.event_to),
        ] {
            if let Some(limit) = limit {
                sql.push(text).bind(Ty::Int, limit);
            }
        }
        if let Some(animals) = &self.animals {
            sql.push(" AND animal IN ");
            lists.numbered(sql, animals)?;
        }
        let list = (self.location, self.dataset.as_str());
        (self.filters.iter()).try_for_each(|filter| lists.restrict(sql, list, filter))
    }
}

impl Lists {
    pub async fn page(&self, store: &Store, query: &ListQuery) -> Result<Page> {
        let mut from = Sql::default().at(query.location);
        query.conditions(self, &mut from)?;
        let window = query.turn.window("id", from, query.limit);
        let (total, page) = tokio::try_join!(self.total(store, query), store.body_page(window))?;
        Ok(Page::of(page, total))
    }

    /// How many documents fit: counted at write time for a whole location, counted in the
    /// documents when a filter narrows it.
    async fn total(&self, store: &Store, query: &ListQuery) -> Result<u64> {
        let sql = if query.filtered() {
            let mut sql = Sql::new("SELECT count(*)");
            query.conditions(self, &mut sql)?;
            sql
        } else {
            Sql::new("SELECT live FROM exchange_counts WHERE location = ")
                .with(Ty::Int, query.location)
                .and(" AND dataset = ")
                .with(Ty::Text, query.dataset.as_str())
        };
        let rows = store.rows(sql.at(query.location)).await?;
        Ok(u64::try_from(rows.first().and_then(|r| r.int(0)).unwrap_or(0)).unwrap_or(0))
    }
}
