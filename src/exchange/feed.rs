//! The change feed: the documents of a data set in commit order, after a place.

use super::Exchange;
use super::keys::Number;
use crate::error::Result;
use crate::store::{Sql, Store, Ty, Window};

/// Which documents.
#[derive(Debug, Clone, Copy)]
pub struct Feed<'a> {
    /// One data set, or all.
    pub dataset: Option<&'a str>,
    /// One location, or all.
    pub location: Option<i64>,
    /// After this sequence number.
    pub after: i64,
    /// At most so many.
    pub limit: usize,
    /// No further document once the page has so many bytes.
    pub bytes: usize,
}

/// A page of the feed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Documents as JSON, with commas between them.
    pub bodies: Vec<u8>,
    /// How many.
    pub count: usize,
    /// Everything up to this number is in this page or before it.
    pub last: i64,
    /// Whether more are there already.
    pub more: bool,
}

impl Exchange {
    /// A page of a feed, read as one statement.
    pub async fn changes(&self, store: &Store, feed: Feed<'_>) -> Result<Changes> {
        self.changes_of(store, feed, None).await
    }

    /// The same of documents about some animals alone.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn changes_of(
        &self,
        store: &Store,
        feed: Feed<'_>,
        animals: Option<&[Number]>,
    ) -> Result<Changes> {
        let mut from = Sql::new(" FROM exchange_documents WHERE seq > ").with(Ty::Int, feed.after);
        if let Some(location) = feed.location {
            from.push(" AND location = ").bind(Ty::Int, location);
            from = from.at(location);
        }
        if let Some(dataset) = feed.dataset {
            from.push(" AND dataset = ").bind(Ty::Text, dataset);
        }
        if let Some(animals) = animals {
            from.push(" AND animal IN ");
            self.numbered(&mut from, animals)?;
        }
        let page = store
            .joined(Window {
                key: "seq",
                from,
                backwards: false,
                limit: feed.limit as u64,
                skip: 0,
                bytes: feed.bytes,
            })
            .await?;
        Ok(Changes {
            bodies: page.text,
            count: usize::try_from(page.count).unwrap_or(usize::MAX),
            last: page.last.unwrap_or(feed.after),
            more: page.more,
        })
    }

    /// Highest sequence number of the book, and the data generation that its documents
    /// were rendered under.
    pub async fn standing(&self, store: &Store) -> Result<(i64, u64)> {
        let sql = Sql::new(
            "SELECT (SELECT seq FROM book_sequence WHERE id = 1), \
             (SELECT value FROM exchange_state WHERE name = 'generation')",
        );
        let rows = store.rows(sql).await?;
        let row = rows.first();
        let seq = row.and_then(|r| r.int(0)).unwrap_or(0);
        let generation = row.and_then(|r| r.text(1)?.parse().ok()).unwrap_or(0);
        Ok((seq, generation))
    }
}
