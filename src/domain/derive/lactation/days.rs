//! Test days: what all rows of an animal on one day say together (docs/derived.md, *Test days*).

use super::{Recorder, TestRow};
use crate::derive::day_of;
use std::cmp::Reverse;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TestDay {
    /// Days since the epoch.
    pub(super) day: i64,
    /// Date of the row that has the milk, the milk in kg, and whether it is official; none: a day of samples.
    pub(super) milk: Option<(i64, f64, bool)>,
    /// Fat, %.
    pub(super) fat: Option<f64>,
    /// Protein, %.
    pub(super) protein: Option<f64>,
    /// Somatic cells, 1000/ml.
    pub(super) cells: Option<f64>,
}

/// The days of rows in any order, the earliest first. Rows with a test code do not count.
pub(super) fn test_days(rows: &[TestRow]) -> Vec<TestDay> {
    let mut rows: Vec<&TestRow> = rows.iter().filter(|row| !row.has_test_code).collect();
    rows.sort_by_key(|row| day_of(row.date));
    rows.chunk_by(|a, b| day_of(a.date) == day_of(b.date))
        .filter_map(|rows| {
            let value = |of: fn(&TestRow) -> Option<f64>| best(rows, of).map(|(_, value)| value);
            Some(TestDay {
                day: day_of(rows.first()?.date),
                milk: best(rows, |row| row.milk).map(|(row, kg)| (row.date, kg, row.source == Recorder::Official)),
                fat: value(|row| row.fat),
                protein: value(|row| row.protein),
                cells: value(|row| row.scc),
            })
        })
        .collect()
}

/// The row whose value counts: that of the best source, of the most contents, of the latest instant, of the highest
/// value, so that neither ids nor the order of arrival matter.
fn best<'a>(rows: &[&'a TestRow], of: impl Fn(&TestRow) -> Option<f64>) -> Option<(&'a TestRow, f64)> {
    let weight = |row: &TestRow| {
        let contents = [row.fat, row.protein, row.scc].into_iter().flatten();
        (Reverse(row.source), contents.count(), row.date)
    };
    rows.iter().filter_map(|row| Some((*row, of(row).filter(|value| value.is_finite())?))).max_by(
        |(a, one), (b, other)| {
            let by_row = weight(a).cmp(&weight(b));
            by_row.then(one.total_cmp(other))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Recorder, TestRow};
    use super::test_days;
    use crate::derive::DAY_MS;
    use test_support::table;

    fn row(source: Recorder, milk: Option<f64>, fat: Option<f64>) -> TestRow {
        TestRow { date: 100 * DAY_MS, milk, fat, source, ..TestRow::default() }
    }

    #[test]
    fn rows_of_one_day_are_one_test_in_any_order() {
        use Recorder::{Laboratory, Official, Other, Owner};
        let later = |row: TestRow| TestRow { date: row.date + 1, ..row };
        let coded = TestRow { has_test_code: true, ..row(Official, Some(1.0), Some(1.0)) };
        let cells = TestRow { scc: Some(120.0), protein: Some(3.3), ..row(Owner, Some(27.0), None) };
        // Rows, milk, fat, official.
        type Case<'a> = (&'a [TestRow], Option<f64>, Option<f64>, bool);
        let cases: &[Case<'_>] = &table![
            &[row(Other, Some(30.0), None), row(Laboratory, Some(31.0), Some(4.0))], Some(31.0), Some(4.0),
                false;
            &[row(Official, Some(30.0), None), row(Owner, Some(31.0), Some(4.0))], Some(30.0), Some(4.0),
                true;
            &[row(Official, None, Some(3.9)), row(Other, Some(31.0), Some(4.0))], Some(31.0), Some(3.9),
                false;
            &[row(Laboratory, None, Some(4.1)), row(Other, Some(29.0), None)], Some(29.0), Some(4.1), false;
            &[row(Laboratory, None, Some(4.1))], None, Some(4.1), false;
            // Of one source: more contents, the later instant, the higher value.
            &[cells, later(row(Owner, Some(35.0), Some(5.0)))], Some(27.0), Some(5.0), false;
            &[later(row(Owner, Some(25.0), None)), row(Owner, Some(35.0), None)], Some(25.0), None, false;
            &[row(Owner, Some(25.0), None), row(Owner, Some(35.0), None)], Some(35.0), None, false;
            &[coded, row(Other, Some(9.0), None)], Some(9.0), None, false;
        ];
        for (rows, milk, fat, official) in cases {
            for reversed in [false, true] {
                let mut rows = rows.to_vec();
                if reversed {
                    rows.reverse();
                }
                let days = test_days(&rows);
                assert_eq!(days.len(), 1, "{rows:?}");
                let milked = days[0].milk.map(|(_, kg, official)| (kg, official));
                assert_eq!(milked, milk.map(|kg| (kg, *official)), "{rows:?}");
                assert_eq!(days[0].fat, *fat, "{rows:?}");
            }
        }
        assert!(test_days(&[coded]).is_empty());
    }
}
