//! Means of events: how a number of many rows goes over another number or over time, for charts (docs/dialect.md,
//! *Means*). One statement, over the rows that the caller reads. Only what a declaration offers as a chart.

use crate::Book;
use crate::find::list_query;
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::record::time;
use model::registry::{Class, Collection, Principal};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Scan, Sql, by_day, condition};

/// Bins, or days, of one answer at most.
const MOST: u32 = 40_000;
/// Digits behind the point of a mean, as a factor.
const DIGITS: f64 = 1_000.0;
/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// A request for means: a number by another number, in bins of that width, or by the month in which it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeansAsk<'a> {
    /// Path of the number.
    pub value: &'a str,
    /// Path of what it goes over.
    pub by: &'a str,
    /// Width of a bin; months have none.
    pub width: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    /// Where the bin begins: a number, or a month (`2026-03`).
    pub from: String,
    /// Rows in it; where the rows of an animal on one day are one event, such days.
    pub n: u64,
    pub mean: f64,
}

impl Book {
    /// The means of a number over the rows that fulfil a condition, among those that the caller reads: a row that is
    /// hidden takes no other one's place. Rows without one of the two numbers are left out, and so are bins without rows.
    ///
    /// # Errors
    /// `Error::Query` with the paths that no chart of the collection has; otherwise as [`Book::list`].
    pub async fn means(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        filter: Option<&Tree>,
        ask: MeansAsk<'_>,
    ) -> Result<Vec<Mean>> {
        let monthly = c.happens == Some(ask.by);
        let is_drawn = |path: &str| {
            let chart = c.ui.charts.iter().find(|chart| chart.value == path);
            chart.filter(|chart| monthly || chart.curves.is_some_and(|curves| curves.at == ask.by)).is_some()
        };
        if !is_drawn(ask.value) {
            let unknown = if c.ui.charts.iter().any(|chart| chart.value == ask.value) { "by" } else { "value" };
            return Err(Error::Query(vec![unknown.to_owned()]));
        }
        let (Some(value), Some(by)) = (c.field(ask.value), c.field(ask.by)) else {
            return Err(Error::Query(vec!["value".to_owned()]));
        };
        // Whoever reads the row reads these.
        if value.class != Class::Row || by.class != Class::Row {
            return Err(Error::Query(vec!["value".to_owned()]));
        }
        let reader = self.reader(caller);
        let list_query = list_query(&reader, c, filter, &[])?;
        let dialect = self.store.dialect();
        let column = format!("a.\"{}\"", by.column);
        let bin = match monthly {
            true => dialect.day_number(&column),
            false => format!("CAST({column} AS BIGINT) / {}", ask.width.max(1)),
        };
        let mut rows = Sql::new(" FROM ");
        rows.name(&c.table).push(" a WHERE ");
        let mut scan = Scan::new(dialect);
        condition(&mut scan, &mut rows, c, "a", &list_query.filter);
        for field in [value, by] {
            rows.push(&format!(" AND a.\"{}\" IS NOT NULL", field.column));
        }
        let values = [bin, format!("a.\"{}\"", value.column)];
        let mut sql = Sql::new("SELECT v0, count(*), avg(CAST(v1 AS DOUBLE PRECISION)) FROM (");
        sql.append(&by_day(dialect, c, "a", &values, &rows)).push(&format!(") d GROUP BY 1 ORDER BY 1 LIMIT {MOST}"));
        let rows = reader.rows(reader.fits(sql)?).await?;
        let bins = rows.iter().filter_map(|row| {
            let n = u64::try_from(row.int(1)?).ok()?;
            Some((row.int(0)?, n, row.num(2)?))
        });
        Ok(match monthly {
            true => months(bins),
            false => {
                let width = i64::from(ask.width.max(1));
                let bin = |(bin, n, mean): (i64, u64, f64)| Mean {
                    from: bin.saturating_mul(width).to_string(),
                    n,
                    mean: rounded(mean),
                };
                bins.map(bin).collect()
            }
        })
    }
}

fn months(days: impl Iterator<Item = (i64, u64, f64)>) -> Vec<Mean> {
    let mut all: BTreeMap<String, (u64, f64)> = BTreeMap::new();
    for (day, n, mean) in days {
        let iso = time::to_iso(day.saturating_mul(DAY));
        let (count, sum) = all.entry(iso.get(..7).unwrap_or_default().to_owned()).or_default();
        *count = count.saturating_add(n);
        *sum += mean * count_of(n);
    }
    let month = |(from, (n, sum)): (String, (u64, f64))| Mean { from, n, mean: rounded(sum / count_of(n)) };
    all.into_iter().map(month).collect()
}

#[expect(clippy::cast_precision_loss, reason = "rows of a book are fewer than 2^53")]
fn count_of(n: u64) -> f64 {
    n as f64
}

fn rounded(mean: f64) -> f64 {
    (mean * DIGITS).round() / DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_in_their_months_by_their_rows() {
        // 31 January, 1 and 2 February 2026.
        let result = months([(20_484, 1, 10.0), (20_485, 1, 20.0), (20_486, 3, 24.0)].into_iter());
        let mean = |from: &str, n, mean| Mean { from: from.to_owned(), n, mean };
        assert_eq!(result, [mean("2026-01", 1, 10.0), mean("2026-02", 4, 23.0)]);
    }
}
