//! Days of the book as whole numbers since 1970-01-01.

use jiff::civil::{Date, date};

/// Days since 1970-01-01.
pub(crate) type Day = i32;

const EPOCH: Date = date(1970, 1, 1);

/// First day of the recorded years: 2021-07-01.
pub(crate) const START: Day = 18_809;
/// Last day of the book: 2025-06-30.
pub(crate) const END: Day = 20_269;
/// The herds are simulated from this day, so that they are in a steady state
/// when the recorded years begin.
pub(crate) const BURN_IN: Day = START - 5 * 365;

/// `YYYY-MM-DD`.
pub(crate) fn iso(day: Day) -> String {
    EPOCH.saturating_add(jiff::Span::new().days(i64::from(day))).to_string()
}

/// Day of the year, 0 to 365.
pub(crate) fn day_of_year(day: Day) -> i32 {
    let date = EPOCH.saturating_add(jiff::Span::new().days(i64::from(day)));
    i32::from(date.day_of_year()) - 1
}

#[cfg(test)]
mod tests {
    use super::{END, START, day_of_year, iso};

    #[test]
    fn the_book_has_its_days() {
        assert_eq!(iso(START), "2021-07-01");
        assert_eq!(iso(END), "2025-06-30");
        assert_eq!(iso(0), "1970-01-01");
        assert_eq!(day_of_year(0), 0);
        assert_eq!(day_of_year(END), 180);
    }
}
