//! Days and ages.

use jiff::Span;
use jiff::civil::{Date, date};

const EPOCH: Date = date(1970, 1, 1);
/// Days beyond every calendar; what lies there is its first or last day.
const FARTHEST: i64 = 7_000_000;

/// A UTC day: whole days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Day(pub i64);

impl Day {
    /// Days from an earlier day to this one; negative when that one is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The day so many days later.
    #[must_use]
    pub const fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// Age in months at this day of what was born at `birth`: whole calendar months, and the days beyond them in
    /// parts of 31. Grows with the day.
    #[must_use]
    pub fn months_since(self, birth: Self) -> f64 {
        let (from, to) = (birth.civil(), self.civil());
        let years = i64::from(to.year()) - i64::from(from.year());
        let mut months = years * 12 + i64::from(to.month()) - i64::from(from.month());
        let mut anniversary = birth.after_months(months);
        if anniversary > self {
            months -= 1;
            anniversary = birth.after_months(months);
        }
        exact(months) + exact(self.since(anniversary)) / 31.0
    }

    /// Age in years, as [`Day::months_since`].
    #[must_use]
    pub fn years_since(self, birth: Self) -> f64 {
        self.months_since(birth) / 12.0
    }

    /// The calendar year.
    #[must_use]
    pub fn year(self) -> i64 {
        self.civil().year().into()
    }

    /// Month of the year and day of the month, from 1.
    #[must_use]
    pub fn month_and_day(self) -> (i64, i64) {
        let civil = self.civil();
        (civil.month().into(), civil.day().into())
    }

    /// `2025-06-30`.
    #[must_use]
    pub fn iso(self) -> String {
        self.civil().to_string()
    }

    /// A day of the calendar, also in constants, where the library computes none.
    #[must_use]
    pub const fn of(year: i64, month: i64, day: i64) -> Self {
        // Years begin in March, so that the day that not every year has is the last one.
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }

    fn civil(self) -> Date {
        let days = self.0.clamp(-FARTHEST, FARTHEST);
        EPOCH.saturating_add(Span::new().days(days))
    }

    /// The same day of a later month, or its last one where it is shorter.
    fn after_months(self, months: i64) -> Self {
        let months = months.clamp(-FARTHEST / 31, FARTHEST / 31);
        Self::from(self.civil().saturating_add(Span::new().months(months)))
    }
}

impl From<Date> for Day {
    fn from(date: Date) -> Self {
        Self::of(date.year().into(), date.month().into(), date.day().into())
    }
}

/// A count of days, calves or rows as a number to compare with.
#[expect(clippy::cast_precision_loss, reason = "what is counted here is far below 2^52")]
pub(crate) fn exact(n: i64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::Day;
    use jiff::civil::date;
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    proptest! {
        // A file of former failures would be a member of the workspace, `src/*`.
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn days_are_those_of_the_calendar(days in -200_000_i64..200_000) {
            let other = date(1970, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
            let day = Day(days);
            prop_assert_eq!(day.iso(), other.to_string());
            prop_assert_eq!(Day::of(other.year().into(), other.month().into(), other.day().into()), day);
        }

        #[test]
        fn age_grows_with_the_day(birth in -9_000_i64..20_000, age in 0_i64..9_000) {
            let (birth, day) = (Day(birth), Day(birth + age));
            prop_assert!(day.months_since(birth) >= 0.0);
            prop_assert!(day.plus(1).months_since(birth) > day.months_since(birth));
        }
    }

    #[test]
    fn months_are_whole_at_the_day_of_the_month() {
        let born = Day::of(2020, 1, 31);
        assert_eq!(Day::of(2020, 2, 29).months_since(born), 1.0);
        assert_eq!(Day::of(2021, 8, 31).months_since(born), 19.0);
        assert!(Day::of(2021, 8, 30).months_since(born) < 19.0);
        assert_eq!(Day::of(2045, 1, 31).years_since(born), 25.0);
        assert!(Day::of(2020, 1, 1).months_since(born) < 0.0);
    }
}
