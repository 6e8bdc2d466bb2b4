//! A page of bodies as one text. Where rows are dear to hand over one by one (SQLite, whose
//! rows pass a channel each) the database joins them; elsewhere they are streamed.

use super::{Dialect, Sql, Store, Ty, sqlite};
use crate::error::Result;
use futures_util::StreamExt;

/// Which rows: those of `from` after its conditions, by a unique integer key.
#[derive(Debug, Clone)]
pub struct Window {
    /// The key column.
    pub key: &'static str,
    /// ` FROM … WHERE …`
    pub from: Sql,
    /// The last rows instead of the first; they still come in ascending order.
    pub backwards: bool,
    /// At most so many.
    pub limit: u64,
    /// After so many.
    pub skip: u64,
    /// No further row once the text has so many bytes, where rows are streamed; where the
    /// database joins them, the limit of a body bounds the page.
    pub bytes: usize,
}

/// A page.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    /// How many rows.
    pub count: u64,
    /// Key of the first.
    pub first: Option<i64>,
    /// Key of the last.
    pub last: Option<i64>,
    /// The column `body` of the rows, with commas between them.
    pub text: Vec<u8>,
    /// Whether more follow in the direction that was read.
    pub more: bool,
}

impl Store {
    /// Reads a page.
    pub async fn joined(&self, window: Window) -> Result<Joined> {
        match self.dialect() {
            Dialect::Sqlite => self.joined_by_database(window).await,
            Dialect::Postgres => self.joined_from_stream(window).await,
        }
    }

    async fn joined_by_database(&self, window: Window) -> Result<Joined> {
        let rows = self.rows(sqlite::joined(&window)).await?;
        let Some(row) = rows.first() else {
            return Ok(Joined::default());
        };
        let count = row.int(0).unwrap_or(0).unsigned_abs();
        Ok(Joined {
            count,
            first: row.int(1),
            last: row.int(2),
            text: row.text(3).unwrap_or_default().as_bytes().to_vec(),
            more: row.int(4).unwrap_or(0).unsigned_abs() > count,
        })
    }

    async fn joined_from_stream(&self, window: Window) -> Result<Joined> {
        let mut sql = Sql::new("SELECT ");
        sql.push(window.key).push(", body").append(&window.from);
        rows_of(&mut sql, &window, window.limit.saturating_add(1));
        let mut page = Joined::default();
        let mut bodies: Vec<String> = Vec::new();
        let mut rows = self.stream(sql);
        while let Some(row) = rows.next().await {
            let row = row?;
            if page.count >= window.limit || page.text.len() >= window.bytes {
                page.more = true;
                break;
            }
            let body = row.text(1).unwrap_or("{}");
            if window.backwards {
                bodies.push(body.to_owned());
            } else {
                if page.count > 0 {
                    page.text.push(b',');
                }
                page.text.extend_from_slice(body.as_bytes());
            }
            page.first = page.first.or(row.int(0));
            page.last = row.int(0);
            page.count += 1;
        }
        if window.backwards {
            std::mem::swap(&mut page.first, &mut page.last);
            bodies.reverse();
            page.text = bodies.join(",").into_bytes();
        }
        Ok(page)
    }
}

/// Appends order and limits.
pub(super) fn rows_of(sql: &mut Sql, window: &Window, limit: u64) {
    sql.push(" ORDER BY ").push(window.key);
    sql.push(if window.backwards {
        " DESC LIMIT "
    } else {
        " LIMIT "
    });
    sql.bind(Ty::Int, i64::try_from(limit).unwrap_or(i64::MAX));
    if window.skip > 0 {
        let skip = i64::try_from(window.skip).unwrap_or(i64::MAX);
        sql.push(" OFFSET ").bind(Ty::Int, skip);
    }
}
