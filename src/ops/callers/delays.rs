//! Delays of sign-in after wrong passwords. They grow with each failure, and are counted by name, by address, and by
//! known device. They are stored in a table, so that all processes of a book share them. Unknown names are counted like
//! known ones: the same statements run, and the same delays follow. Nothing here takes a place in commit order.

use crate::Book;
use model::clock::Clock;
use model::error::Result;
use model::record::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::{Sql, Store, Tx, Ty};

/// Counting starts anew when no attempt failed for so long, milliseconds.
const FORGOTTEN: i64 = 86_400_000;
/// How often old rows are looked for, milliseconds.
const SWEEP: i64 = 600_000;
/// Number of rows that are stored; the rows of the latest failures stay.
const MOST: i64 = 100_000;
/// The first delay, milliseconds.
const FIRST: i64 = 1_000;

/// How delays grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Number of the first failure that causes a delay.
    pub from: i64,
    /// The longest delay, milliseconds.
    pub longest: i64,
}

impl Backoff {
    /// The delay after this number of failures, milliseconds.
    pub fn delay(self, failures: i64) -> i64 {
        let Ok(over) = u32::try_from(failures.saturating_sub(self.from).min(40)) else { return 0 };
        FIRST.saturating_mul(1_i64.checked_shl(over).unwrap_or(i64::MAX)).min(self.longest)
    }
}

/// The counts of failures, written in transactions of their own.
#[derive(Clone)]
pub(crate) struct Delays {
    store: Store,
    clock: Clock,
    /// When old rows were looked for last.
    swept: Arc<AtomicI64>,
}

impl Delays {
    pub(crate) fn new(store: &Store, clock: &Clock) -> Self {
        Self { store: store.clone(), clock: clock.clone(), swept: Arc::default() }
    }

    pub(crate) async fn wait(&self, whose: &[String]) -> Result<bool> {
        let mut sql = Sql::new("SELECT 1 FROM sign_in_delays WHERE until > ");
        sql.bind(Ty::Int, self.clock.now()).push(" AND whose IN ");
        sql.bind_list(Ty::Text, whose.iter().map(|one| Value::from(one.as_str())));
        let rows = self.store.rows(sql.push(" LIMIT 1").clone()).await?;
        Ok(!rows.is_empty())
    }

    pub(crate) async fn fail(&self, whose: Vec<(String, Backoff)>) -> Result<()> {
        let now = self.clock.now();
        let swept = self.swept.load(Ordering::Relaxed);
        let sweep = now.saturating_sub(swept) >= SWEEP
            && (self.swept).compare_exchange(swept, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        let job = self.store.write(move |tx| {
            Box::pin(async move {
                for (whose, pace) in whose {
                    count_failure(tx, whose, pace, now).await?;
                }
                if sweep { forget(tx, now).await } else { Ok(()) }
            })
        });
        job.await
    }
}

impl Book {
    /// Whether one of these waits still.
    pub async fn delayed(&self, whose: &[String]) -> Result<bool> {
        self.delays.wait(whose).await
    }

    /// Counts a failure for each of these.
    pub async fn failed(&self, whose: Vec<(String, Backoff)>) -> Result<()> {
        self.delays.fail(whose).await
    }
}

/// The statement that deletes the count of one name.
pub fn forgiven(whose: &str) -> Sql {
    Sql::new("DELETE FROM sign_in_delays WHERE whose = ").with(Ty::Text, whose)
}

/// Whether one of these waits still, as a write sees it.
pub async fn is_delayed(tx: &mut Tx, whose: &[(String, Backoff)], now: i64) -> Result<bool> {
    let mut sql = Sql::new("SELECT 1 FROM sign_in_delays WHERE until > ");
    sql.bind(Ty::Int, now).push(" AND whose IN ");
    sql.bind_list(Ty::Text, whose.iter().map(|(one, _)| Value::from(one.as_str())));
    Ok(!tx.rows(sql).await?.is_empty())
}

/// Counts a failure within a write.
pub async fn count_failure(tx: &mut Tx, whose: String, pace: Backoff, now: i64) -> Result<()> {
    let stored = Sql::new("SELECT failures FROM sign_in_delays WHERE whose = ")
        .with(Ty::Text, whose.as_str())
        .and(" AND last_at > ")
        .with(Ty::Int, now.saturating_sub(FORGOTTEN));
    let stored = tx.rows(stored).await?;
    let failures = stored.first().and_then(|row| row.int(0)).unwrap_or(0);
    let failures = failures.saturating_add(1);
    let until = now.saturating_add(pace.delay(failures));
    let [failures, last_at, until] = [failures, now, until].map(Value::Int);
    let into = "sign_in_delays (whose, failures, last_at, until)";
    let mut sql = Sql::insert(into, [Ty::Text, Ty::Int, Ty::Int, Ty::Int], [[whose.into(), failures, last_at, until]]);
    sql.push(
        " ON CONFLICT (whose) DO UPDATE SET failures = excluded.failures, \
         last_at = excluded.last_at, until = excluded.until",
    );
    tx.run(sql).await?;
    Ok(())
}

async fn forget(tx: &mut Tx, now: i64) -> Result<()> {
    let old = |before: i64| Sql::new("DELETE FROM sign_in_delays WHERE last_at <= ").with(Ty::Int, before);
    tx.run(old(now.saturating_sub(FORGOTTEN))).await?;
    let last = Sql::new("SELECT last_at FROM sign_in_delays ORDER BY last_at DESC LIMIT 1 OFFSET ");
    let last = tx.rows(last.with(Ty::Int, MOST)).await?;
    if let Some(before) = last.first().and_then(|row| row.int(0)) {
        tx.run(old(before)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Backoff;

    #[test]
    fn delays_grow_to_the_longest_and_stay_there() {
        let pace = Backoff { from: 5, longest: 600_000 };
        let delays: Vec<i64> = [1, 4, 5, 6, 9, 14, 15, 100, i64::MAX].map(|failures| pace.delay(failures)).into();
        let expected = [0, 0, 1_000, 2_000, 16_000, 512_000, 600_000, 600_000, 600_000];
        assert_eq!(delays, expected);
    }
}
