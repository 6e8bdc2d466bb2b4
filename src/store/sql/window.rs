//! The rows of a page of documents: key, conditions, direction, limits.

use crate::{Sql, Ty};

/// Which rows: those of `from` after its conditions, by a unique integer key.
#[derive(Debug, Clone)]
pub struct Window {
    pub key: &'static str,
    /// ` FROM … WHERE …`
    pub from: Sql,
    /// The last rows instead of the first; they still come in ascending order.
    pub backwards: bool,
    /// Largest number of rows.
    pub limit: u64,
    /// Number of rows to skip.
    pub skip: u64,
    /// Size of the text in bytes after which no further row is added; [`usize::MAX`]: no limit.
    pub bytes: usize,
    /// An integer column of the first row after those of the page.
    pub next: &'static str,
}

/// Appends order and limits: a number of rows, after a number of rows.
pub(crate) fn rows_of(sql: &mut Sql, window: &Window, (limit, skip): (u64, u64)) {
    sql.push(" ORDER BY ").push(window.key).push(if window.backwards { " DESC LIMIT " } else { " LIMIT " });
    sql.bind(Ty::Int, i64::try_from(limit).unwrap_or(i64::MAX));
    if skip > 0 {
        sql.push(" OFFSET ").bind(Ty::Int, i64::try_from(skip).unwrap_or(i64::MAX));
    }
}
