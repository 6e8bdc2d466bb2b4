//! Estimated numbers of rows of each table, by which a query that would take too long is
//! recognised before it runs. The estimates are powers of ten, taken from the highest id and
//! refreshed now and then, so that they reveal nothing about single rows.

use super::{Sql, Store};
use crate::versions::tables::TABLES;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often they are read.
const EVERY: Duration = Duration::from_secs(600);

/// Rows of each table, about.
#[derive(Debug)]
pub struct Sizes {
    rows: Vec<AtomicU64>,
    /// Since when the clock below counts.
    start: OnceLock<Instant>,
    /// When to look next, milliseconds.
    due: AtomicU64,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            rows: (0..TABLES.len()).map(|_| AtomicU64::new(1)).collect(),
            start: OnceLock::new(),
            due: AtomicU64::new(0),
        }
    }
}

impl Sizes {
    /// Rows of a table, a power of ten; 1 while nothing is known.
    pub fn of(&self, table: &str) -> u64 {
        let rows = TABLES.find(table).and_then(|table| self.rows.get(table));
        rows.map_or(1, |rows| rows.load(Ordering::Relaxed))
    }

    fn learn(&self, table: &str, last: i64) {
        if let Some(rows) = TABLES.find(table).and_then(|table| self.rows.get(table)) {
            rows.store(coarse(last), Ordering::Relaxed);
        }
    }

    /// Whether it is time to look, said to one of those who ask.
    fn is_due(&self) -> bool {
        let passed = self.start.get_or_init(Instant::now).elapsed();
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (now, due) = (millis(passed), self.due.load(Ordering::Relaxed));
        let next = now.saturating_add(millis(EVERY));
        let taken = || (self.due).compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        now >= due && taken()
    }
}

/// The power of ten that is not below a number.
fn coarse(rows: i64) -> u64 {
    let rows = u64::try_from(rows).unwrap_or(0);
    let mut power: u64 = 1;
    while power < rows {
        power = power.saturating_mul(10);
    }
    power
}

impl Store {
    /// Estimated numbers of rows of each table, by which a query that would take too long is
    /// recognised before it runs. The estimates are powers of ten, taken from the highest id and
    /// refreshed now and then, so that they reveal nothing about single rows.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Reads the sizes of tables that are keyed by `id`, if that is due.
    pub async fn measure<'t>(&self, tables: impl Iterator<Item = &'t str>) {
        if self.sizes.is_due() {
            self.measure_now(tables).await;
        }
    }

    /// Measures at once, even if it is not due.
    pub async fn measure_now<'t>(&self, tables: impl Iterator<Item = &'t str>) {
        let mut sql = Sql::default();
        let mut names = Vec::new();
        for (at, table) in tables.enumerate() {
            sql.push(if at == 0 { "" } else { " UNION ALL " });
            sql.push(&format!("SELECT {at}, (SELECT max(\"id\") FROM "));
            sql.name(table).push(")");
            names.push(table);
        }
        match self.fetch(sql, None).await {
            Ok(rows) => {
                for row in rows {
                    let name = row.int(0).and_then(|at| usize::try_from(at).ok());
                    if let Some(table) = name.and_then(|at| names.get(at)) {
                        self.sizes.learn(table, row.int(1).unwrap_or(0));
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the sizes of tables were not read"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::coarse;

    #[test]
    fn sizes_are_powers_of_ten() {
        let rows = [-1, 0, 1, 2, 10, 11, 100, 101, 99_999, i64::MAX];
        let sizes = rows.map(coarse);
        let expected = [1, 1, 1, 10, 10, 100, 100, 1_000, 100_000];
        assert_eq!(sizes[..9], expected);
        assert!(sizes[9] >= 1_000_000_000_000_000_000);
    }
}
