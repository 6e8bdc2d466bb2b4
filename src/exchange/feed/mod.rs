//! The change feed: the documents of a data set in commit order, after a sequence number.

pub(crate) mod animal_sets;
pub(crate) mod change_rate;
pub(crate) mod members;
pub(crate) mod notices;
pub(crate) mod token;

use crate::documents::names::Names;
use crate::feed::token::FeedState;
use crate::rules::Rules;
use crate::tombstones::retention::HORIZON;
use model::error::Result;
use std::sync::Arc;
use store::{INCARNATION, JoinedBodies, Sql, Store, Ty, Window};

#[derive(Debug, Clone, Copy)]
pub struct Feed<'a> {
    /// Data sets; none: all.
    pub datasets: &'a [&'a str],
    /// Locations; none: all.
    pub locations: &'a [i64],
    /// After this sequence number.
    pub after: i64,
    /// The largest number of documents.
    pub limit: usize,
    /// No further document once the page has this number of bytes.
    pub bytes: usize,
}

#[derive(Debug, Default)]
pub struct Changes {
    /// Documents as JSON, with commas between them.
    pub bodies: JoinedBodies,
    pub count: usize,
    /// Everything up to this number is in this page or before it.
    pub last: i64,
    /// At that number, everything up to this document; 0: all of it.
    pub within: i64,
    pub more: bool,
    /// When the first of those came, epoch milliseconds.
    pub pending_since: Option<i64>,
}

impl Feed<'_> {
    /// ` FROM … WHERE …`: the rows after a place. Of several data sets and locations each gives a
    /// limited number of rows, from its index, so that rare ones cost no search among all others.
    fn from(&self, after: i64, limit: u64) -> Sql {
        let pairs = self.pairs();
        let conditions = |sql: &mut Sql, (dataset, location): (Option<&str>, Option<i64>)| {
            sql.push(" FROM exchange_documents WHERE seq > ").bind(Ty::Int, after);
            if let Some(location) = location {
                sql.push(" AND location = ").bind(Ty::Int, location);
            }
            if let Some(dataset) = dataset {
                sql.push(" AND dataset = ").name_number(dataset);
            }
        };
        let mut from = Sql::default();
        if let [one] = pairs.as_slice() {
            conditions(&mut from, *one);
        } else {
            from.push(" FROM (");
            for (at, pair) in pairs.iter().enumerate() {
                from.push(if at > 0 { " UNION ALL " } else { "" });
                from.push("SELECT * FROM (SELECT seq, modified, body");
                conditions(&mut from, *pair);
                from.push(" ORDER BY seq LIMIT ").bind(Ty::Int, limit as i64);
                from.push(") AS p");
            }
            from.push(") AS u WHERE 1 = 1");
        }
        match self.locations {
            [one] => from.at(*one),
            _ => from,
        }
    }

    /// Each data set at each location.
    fn pairs(&self) -> Vec<(Option<&str>, Option<i64>)> {
        let datasets: Vec<Option<&str>> = match self.datasets {
            [] => vec![None],
            all => all.iter().copied().map(Some).collect(),
        };
        let locations: Vec<Option<i64>> = match self.locations {
            [] => vec![None],
            all => all.iter().copied().map(Some).collect(),
        };
        let of = |location: Option<i64>| datasets.iter().map(move |dataset| (*dataset, location));
        locations.into_iter().flat_map(of).collect()
    }
}

/// Reads what changed, and how far readers are. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Feeds {
    pub(crate) rules: Arc<Rules>,
}

impl Feeds {
    pub(crate) fn new(rules: Arc<Rules>) -> Self {
        Self { rules }
    }

    /// A page of a feed, read as one statement.
    pub async fn changes(&self, store: &Store, feed: Feed<'_>) -> Result<Changes> {
        let limit = feed.limit as u64;
        let page = store
            .body_page(Window {
                key: "seq",
                from: feed.from(feed.after, limit.saturating_add(1)),
                backwards: false,
                limit,
                skip: 0,
                bytes: feed.bytes,
                next: "modified",
            })
            .await?;
        let last = page.last.unwrap_or(feed.after);
        Ok(Changes {
            bodies: page.text,
            count: usize::try_from(page.count).unwrap_or(usize::MAX),
            last,
            within: 0,
            more: page.more,
            pending_since: page.next,
        })
    }

    /// What tokens are compared with.
    pub async fn feed_state(&self, store: &Store) -> Result<FeedState> {
        FeedState::read(store).await
    }
}

impl FeedState {
    pub(crate) async fn read(store: &Store) -> Result<Self> {
        let state = |name: &str| format!("(SELECT value FROM exchange_state WHERE name = '{name}')");
        let sql = Sql::new(&format!(
            "SELECT (SELECT seq FROM book_sequence WHERE id = 1), {}, {}, {}",
            state("generation"),
            state(INCARNATION),
            state(HORIZON),
        ));
        let rows = store.rows(sql).await?;
        let row = rows.first();
        let number = |at: usize| row.and_then(|r| r.text(at)?.parse::<u64>().ok()).unwrap_or(0);
        Ok(Self {
            newest: row.and_then(|r| r.int(0)).unwrap_or(0),
            generation: number(1),
            incarnation: number(2),
            horizon: i64::try_from(number(3)).unwrap_or(i64::MAX),
        })
    }
}
