//! How often data sets change, how far clients are behind, and which batches had refusals:
//! statistics of the exchange for the Association and for polling clients. All of it is read by
//! statements that are bounded by an index, however large the book is.

use crate::documents::names::Names;
use crate::feed::Feeds;
use crate::{EVERYTHING, set_number};
use model::error::Result;
use store::{Sql, Store, Ty};

/// Number of the last changed documents whose times are read.
const LOOKED_AT: i64 = 200;
/// Times of commits that count.
const TIMES: usize = 20;
/// Documents after a sequence number among which the first of a data set is looked for.
const NEAR: i64 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPosition<'a> {
    pub dataset: &'a str,
    /// The location that is read; none: all.
    pub location: Option<i64>,
    /// The sequence number that the reader has reached.
    pub seq: i64,
}

/// What a reader has not read yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// The highest sequence number of the set; none: it has no documents, or is a set of
    /// animals, in which a position is not one number.
    pub newest: Option<i64>,
    /// When that was, epoch milliseconds.
    pub newest_at: Option<i64>,
    /// When the first unread change came; none when there is none, or it lies beyond 1,000 documents.
    pub since: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedBatch {
    pub id: String,
    /// The organisation whose location it was sent to.
    pub location: i64,
    pub dataset: String,
    /// The user who sent it.
    pub sender: Option<i64>,
    /// Elements.
    pub items: i64,
    pub done: i64,
    pub rejected: i64,
    /// When it was sent, epoch milliseconds.
    pub created: i64,
}

/// How often something changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeRate {
    /// The median time between the last changes, milliseconds; the time from the last one to the
    /// measurement counts as one of them.
    pub gap: i64,
    /// When the last change was, epoch milliseconds.
    pub last: i64,
}

impl ChangeRate {
    /// When a client should poll again, milliseconds: after half of the time between changes; where nothing happened
    /// for long, after a tenth of that time, the heuristic of caches (RFC 9111, 4.2.2).
    pub fn poll_interval(self, now: i64) -> i64 {
        let silence = now.saturating_sub(self.last);
        (self.gap / 2).max(silence / 10)
    }
}

impl Feeds {
    /// How often a data set changes at a location (none: at all). None without a change.
    pub async fn change_rate(
        &self,
        store: &Store,
        dataset: &str,
        location: Option<i64>,
        now: i64,
    ) -> Result<Option<ChangeRate>> {
        let whole = dataset == EVERYTHING || set_number(dataset).is_some();
        let mut sql = Sql::new("SELECT DISTINCT p.modified FROM (SELECT modified");
        sql.push(" FROM exchange_documents WHERE ");
        let order = match (location, whole) {
            (Some(location), true) => {
                sql.push("location = ").bind(Ty::Int, location);
                "seq"
            }
            (Some(location), false) => {
                sql.push("location = ").bind(Ty::Int, location).push(" AND dataset = ").name_number(dataset);
                "modified"
            }
            (None, true) => {
                sql.push("seq > ").bind(Ty::Int, 0);
                "seq"
            }
            (None, false) => {
                sql.push("dataset = ").name_number(dataset);
                "seq"
            }
        };
        sql.push(" ORDER BY ").push(order).push(" DESC LIMIT ").bind(Ty::Int, LOOKED_AT);
        sql.push(") AS p ORDER BY p.modified DESC LIMIT ").bind(Ty::Int, i64::try_from(TIMES).unwrap_or(i64::MAX));
        let sql = if let Some(location) = location { sql.at(location) } else { sql };
        let rows = store.rows(sql).await?;
        let times: Vec<i64> = rows.iter().filter_map(|row| row.int(0)).collect();
        let last = times.first().copied();
        Ok(median(&times, now).zip(last).map(|(gap, last)| ChangeRate { gap, last }))
    }

    /// How far readers lag behind, in their order.
    pub async fn backlogs(&self, store: &Store, reads: &[ReadPosition<'_>]) -> Result<Vec<Backlog>> {
        let mut all = vec![Backlog::default(); reads.len()];
        let counted = |(_, read): &(usize, &ReadPosition<'_>)| set_number(read.dataset).is_none();
        let mut sql = Sql::default();
        for (at, read) in reads.iter().enumerate().filter(counted) {
            let number = i64::try_from(at).unwrap_or(i64::MAX);
            sql.push(if sql.text().is_empty() { "" } else { " UNION ALL " }).push(&format!("SELECT {number}, "));
            newest(&mut sql, read, "seq");
            sql.push(", ");
            newest(&mut sql, read, "modified");
            sql.push(", ");
            first_beyond(&mut sql, read);
        }
        if sql.text().is_empty() {
            return Ok(all);
        }
        for row in store.rows(sql.one_off()).await? {
            let at = row.int(0).and_then(|at| usize::try_from(at).ok());
            if let Some(backlog) = at.and_then(|at| all.get_mut(at)) {
                *backlog = Backlog { newest: row.int(1), newest_at: row.int(2), since: row.int(3) };
            }
        }
        Ok(all)
    }

    /// The last batches of which elements were refused.
    pub async fn flawed(&self, store: &Store, since: i64, limit: i64) -> Result<Vec<RefusedBatch>> {
        let sql = Sql::new("SELECT id, location, dataset, sender, items, done, rejected, ")
            .and("created_at FROM exchange_batches WHERE created_at >= ")
            .with(Ty::Int, since)
            .and(" AND rejected > 0 ORDER BY created_at DESC, id LIMIT ")
            .with(Ty::Int, limit);
        let rows = store.rows(sql).await?;
        let read = rows.iter().map(|row| RefusedBatch {
            id: row.text(0).unwrap_or_default().to_owned(),
            location: row.int(1).unwrap_or_default(),
            dataset: row.text(2).unwrap_or_default().to_owned(),
            sender: row.int(3),
            items: row.int(4).unwrap_or_default(),
            done: row.int(5).unwrap_or_default(),
            rejected: row.int(6).unwrap_or_default(),
            created: row.int(7).unwrap_or_default(),
        });
        Ok(read.collect())
    }
}

/// ` FROM … WHERE …`: the documents of a data set that a client reads.
fn documents(sql: &mut Sql, read: &ReadPosition<'_>) {
    sql.push(" FROM exchange_documents WHERE ");
    match read.location {
        Some(location) => sql.push("location = ").bind(Ty::Int, location),
        None => sql.push("seq > ").bind(Ty::Int, 0),
    };
    if read.dataset != EVERYTHING {
        sql.push(" AND dataset = ").name_number(read.dataset);
    }
}

/// A column of the last document. Places and times of commits grow together; the index of
/// one data set at one location has the times.
fn newest(sql: &mut Sql, read: &ReadPosition<'_>, column: &str) {
    if read.location.is_some() && read.dataset != EVERYTHING {
        sql.push(&format!("(SELECT max({column})"));
        documents(sql, read);
        sql.push(" AND modified = (SELECT max(modified)");
        documents(sql, read);
        sql.push("))");
    } else {
        sql.push(&format!("(SELECT {column}"));
        documents(sql, read);
        sql.push(" ORDER BY seq DESC LIMIT 1)");
    }
}

/// The time of the first document that the reader has not reached.
fn first_beyond(sql: &mut Sql, read: &ReadPosition<'_>) {
    if let (Some(location), false) = (read.location, read.dataset == EVERYTHING) {
        sql.push("(SELECT min(n.modified) FROM (SELECT dataset, modified FROM ");
        sql.push("exchange_documents WHERE location = ").bind(Ty::Int, location);
        sql.push(" AND seq > ").bind(Ty::Int, read.seq).push(" ORDER BY seq LIMIT ").bind(Ty::Int, NEAR);
        sql.push(") AS n WHERE n.dataset = ").name_number(read.dataset).push(")");
    } else {
        sql.push("(SELECT modified");
        documents(sql, read);
        sql.push(" AND seq > ").bind(Ty::Int, read.seq).push(" ORDER BY seq LIMIT 1)");
    }
}

/// The median of the times between moments, the latest first, and since the last one.
fn median(times: &[i64], now: i64) -> Option<i64> {
    let last = times.first()?;
    let before = times.iter().skip(1);
    let mut gaps: Vec<i64> = times.iter().zip(before).map(|(a, b)| a - b).collect();
    gaps.push(now.saturating_sub(*last).max(0));
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::{ChangeRate, median};

    #[test]
    fn the_middle_of_the_gaps_counts_and_silence_is_one() {
        assert_eq!(median(&[], 100), None);
        assert_eq!(median(&[90], 100), Some(10));
        // Gaps of 10, 20, 300 and the silence of 5.
        assert_eq!(median(&[995, 985, 965, 665], 1_000), Some(20));
        // One long silence does not count more than one gap.
        assert_eq!(median(&[30, 20, 10], 1_000_000), Some(10));
        // A clock that was set back is no gap below nothing.
        assert_eq!(median(&[50], 20), Some(0));
    }

    #[test]
    fn silence_makes_the_next_look_later() {
        let rate = ChangeRate { gap: 40, last: 1_000 };
        let at = [1_000, 1_100, 1_300, 5_000, 0].map(|now| rate.poll_interval(now));
        assert_eq!(at, [20, 20, 30, 400, 20]);
    }
}
