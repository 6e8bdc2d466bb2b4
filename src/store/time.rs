//! The time of the book: that of its last commit. It does not go back by itself, so that times of changes keep their
//! order when a clock is put right; what was written while a clock was far ahead holds it there.

use super::{Sql, Store, Ty};
use model::error::{Error, Result};

/// By how much the book may be ahead of a clock before it is reported, milliseconds: clocks of several machines differ.
const APART: i64 = 300_000;

impl Store {
    /// By how much the last commit is ahead of a clock, milliseconds; none where they agree within five minutes.
    pub async fn ahead(&self, now: i64) -> Result<Option<i64>> {
        let rows = self.rows_unlimited(Sql::new("SELECT modified FROM book_sequence WHERE id = 1")).await?;
        let last = rows.first().and_then(|row| row.int(0));
        let last = last.ok_or_else(|| Error::internal("the sequence of commits is missing"))?;
        Ok(Some(last.saturating_sub(now)).filter(|ahead| *ahead > APART))
    }

    /// Lets the times of the next commits go on from this time, though earlier ones are later. The numbers of
    /// commits keep the order.
    pub async fn set_back(&self, to: i64) -> Result<()> {
        let sql = Sql::new("UPDATE book_sequence SET modified = ")
            .with(Ty::Int, to)
            .and(" WHERE id = 1 AND modified > ")
            .with(Ty::Int, to);
        self.run(vec![sql]).await.map(drop)
    }
}
