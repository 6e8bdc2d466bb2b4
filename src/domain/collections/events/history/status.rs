//! What the rows of an animal make of it now, as values of its record.

use super::lactations::LactationView;
use crate::collections::days::as_day;
use crate::collections::evaluation::ranks::NO_RANK;
use crate::collections::herd::animals::{Animal, Slots, group_of_age};
use crate::derive::current::Current;
use crate::derive::day_of;
use crate::derive::lactation::{CalvingRow, PresentTests, Summary};
use model::record::Value;

/// What is known of the state of an animal now, by slot.
pub(super) fn status(now: &Current) -> Vec<(usize, Value)> {
    let s = Slots::get();
    let day = |at: Option<i64>| Value::from(at.map(as_day));
    vec![
        (s.parity, Value::from(now.parity)),
        (s.days_in_milk, Value::from(now.days_in_milk)),
        (s.last_calving, day(now.last_calving_date)),
        (s.last_insemination, day(now.last_insemination_date)),
        (s.last_dry_off, day(now.last_dry_off_date)),
        (s.expected_calving, day(now.expected_calving_date)),
        (s.lactation_status, Value::from(now.lactation_status.map(|l| l.as_str()))),
        (s.services, Value::from(now.services)),
        (s.reproduction_status, Value::from(now.reproduction_status.map(|r| r.as_str()))),
    ]
}

/// The last test days of the present lactation, by slot.
pub(super) fn last_tests(tests: PresentTests) -> [(usize, Value); 3] {
    let s = Slots::get();
    let day = |at: Option<i64>| Value::from(at.map(as_day));
    let (cells_at, cells) = tests.cells.unzip();
    [(s.last_test, day(tests.last)), (s.last_cells, Value::from(cells)), (s.cells_at, day(cells_at))]
}

/// The slots of `lactations` and `summary`.
pub(crate) fn production(view: LactationView) -> Vec<(usize, Value)> {
    let s = Slots::get();
    let none = view.rows.as_array().is_none_or(Vec::is_empty);
    let rows = (!none).then_some(Value::json(view.rows));
    let mut values = vec![(s.lactations, Value::from(rows))];
    values.extend(summary_values(&view.summary));
    values
}

fn summary_values(summary: &Summary) -> [(usize, Value); 7] {
    let s = Slots::get();
    [
        (s.milk, Value::from(summary.milk_yield)),
        (s.fat_percent, Value::from(summary.fat_percent)),
        (s.protein_percent, Value::from(summary.protein_percent)),
        (s.fat_kg, Value::from(summary.fat_kg)),
        (s.protein_kg, Value::from(summary.protein_kg)),
        (s.fat_protein, Value::from(summary.fat_protein_sum)),
        (s.milk_rank, Value::from(summary.milk_yield.unwrap_or(NO_RANK))),
    ]
}

/// A calving of parity 1 is no first one when the animal was older, days: earlier ones are missing from the book.
const LATEST_FIRST_CALVING: i64 = 1_500;

/// Age at the calving of parity 1, days; none where the book does not have that calving or the birth.
pub(super) fn age_at_first_calving(animal: Animal<'_>, calvings: &[CalvingRow], day: i64) -> (usize, Value) {
    let first = (calvings.iter())
        .filter(|c| c.event.opens() && c.number == 1 && day_of(c.date) <= day_of(day))
        .map(|c| day_of(c.date))
        .min();
    let age = first.zip(animal.birth()).map(|(calving, birth)| calving - day_of(birth));
    let age = age.filter(|age| animal.female() && (1..=LATEST_FIRST_CALVING).contains(age));
    (Slots::get().first_calving_age, Value::from(age))
}

/// The age group and its day, where nobody stated them: by age, of females that calved by calvings. Parity counts as
/// the number of calvings too, since early ones may be missing from the book.
pub(super) fn age_group(animal: Animal<'_>, calvings: &[CalvingRow], day: i64) -> Vec<(usize, Value)> {
    let s = Slots::get();
    if !animal.0.get(s.age_group_computed).truth() {
        return Vec::new();
    }
    let mut openers: Vec<&CalvingRow> =
        (calvings.iter()).filter(|c| animal.female() && c.event.opens() && day_of(c.date) <= day_of(day)).collect();
    openers.sort_by_key(|c| (day_of(c.date), c.number, c.date));
    openers.dedup_by_key(|c| day_of(c.date));
    let mut reached: Option<(i64, i64)> = None;
    for (count, calving) in (1..).zip(openers) {
        let group = calving.number.max(count).min(3);
        // It holds since the calving that brought it, whatever came later.
        if reached.is_none_or(|(before, _)| before < group) {
            reached = Some((group, calving.date));
        }
    }
    let by_calvings = reached.map(|(group, since)| match group {
        1 => ("firstCalf", since),
        2 => ("cow2", since),
        _ => ("cow3", since),
    });
    let (group, since) = by_calvings.or_else(|| group_of_age(animal.female(), animal.birth(), day)).unzip();
    vec![(s.age_group, Value::from(group)), (s.age_group_date, Value::from(since.map(as_day)))]
}
