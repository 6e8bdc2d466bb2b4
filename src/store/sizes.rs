//! Estimated numbers of rows of each table, by which a query that would take too long is
//! recognised before it runs. The estimates are powers of ten, taken from the highest id and
//! refreshed now and then, so that they reveal nothing about single rows.

use super::{Sql, Store, Ty};
use crate::versions::tables::TABLES;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Rows up to which those with a flag are few, and are counted.
pub(crate) const FEW: u64 = 10_000;
/// How often they are read.
const EVERY: Duration = Duration::from_secs(600);

/// Rows of each table, about.
#[derive(Debug)]
pub struct Sizes {
    rows: Vec<AtomicU64>,
    /// Rows of each table on which a flag is set, as far as it is counted.
    flagged: Mutex<BTreeMap<(String, String), u64>>,
    /// Since when the clock below counts.
    start: OnceLock<Instant>,
    /// When to look next, milliseconds.
    due: AtomicU64,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            rows: (0..TABLES.len()).map(|_| AtomicU64::new(1)).collect(),
            flagged: Mutex::default(),
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

    /// The number of rows of a table with the flag in a column, where they were few when sizes were read.
    pub fn flagged(&self, table: &str, column: &str) -> Option<u64> {
        let flagged = self.flagged.lock().unwrap_or_else(PoisonError::into_inner);
        flagged.get(&(table.to_owned(), column.to_owned())).copied().filter(|rows| *rows <= FEW)
    }

    /// Has tables, and few rows with flags, from now on for ever.
    #[cfg(any(test, feature = "failpoints"))]
    pub fn assume<'t>(&self, tables: impl Iterator<Item = (&'t str, i64)>, rare: &[(&str, &str)]) {
        self.due.store(u64::MAX, Ordering::Relaxed);
        tables.for_each(|(table, rows)| self.learn(table, rows));
        let mut flagged = self.flagged.lock().unwrap_or_else(PoisonError::into_inner);
        flagged.extend(rare.iter().map(|(table, column)| (((*table).to_owned(), (*column).to_owned()), 0)));
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
    pub async fn measure<'t>(&self, tables: impl Iterator<Item = &'t str>, flags: &[(&str, &str)]) {
        if self.sizes.is_due() {
            self.measure_now(tables).await;
            self.measure_flags(flags).await;
        }
    }

    /// Counts rows on which a flag is set, by table and column, as far as they are few.
    async fn measure_flags(&self, flags: &[(&str, &str)]) {
        for (table, column) in flags {
            let mut sql = Sql::new("SELECT count(*) FROM (SELECT 1 FROM ");
            sql.name(table).push(" WHERE ").name(column).push(" = ").bind(Ty::Bool, true);
            sql.push(" LIMIT ").bind(Ty::Int, i64::try_from(FEW + 1).unwrap_or(i64::MAX)).push(") AS n");
            match self.fetch(sql, None).await {
                Ok(rows) => {
                    let rows = rows.first().and_then(|row| u64::try_from(row.int(0)?).ok());
                    let mut flagged = self.sizes.flagged.lock().unwrap_or_else(PoisonError::into_inner);
                    flagged.insert(((*table).to_owned(), (*column).to_owned()), rows.unwrap_or(u64::MAX));
                }
                Err(error) => tracing::warn!(%error, "rows with a flag were not counted"),
            }
        }
    }

    /// Measures at once, even if it is not due.
    pub async fn measure_now<'t>(&self, tables: impl Iterator<Item = &'t str>) {
        let mut sql = Sql::default();
        let mut names = Vec::new();
        for (at, table) in tables.enumerate() {
            sql.push(if at == 0 { "" } else { " UNION ALL " }).push(&format!("SELECT {at}, (SELECT max(\"id\") FROM "));
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
        let sizes = [-1, 0, 1, 2, 10, 11, 100, 101, 99_999, i64::MAX].map(coarse);
        let expected = [1, 1, 1, 10, 10, 100, 100, 1_000, 100_000];
        assert_eq!(sizes[..9], expected);
        assert!(sizes[9] >= 1_000_000_000_000_000_000);
    }
}
