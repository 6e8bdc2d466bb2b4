//! The text forms of RFC 3339 and RFC 3986 that the standard asserts: `date`, `date-time`, `uri`
//! (types `icarDateType`, `icarDateTimeType`). Strict, without allocation; the calendar is real, so
//! 30 February is no date. Knows nothing of documents.

use fluent_uri::Uri;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

/// A point in time as written: civil time and offset from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) civil: DateTime,
    pub(crate) offset: Offset,
}

/// Whether the text is an absolute URI (RFC 3986, with scheme).
pub(crate) fn is_uri(text: &str) -> bool {
    Uri::parse(text).is_ok()
}

/// A `full-date` of RFC 3339: `YYYY-MM-DD`, a day that exists.
pub(crate) fn date(text: &str) -> Option<Date> {
    let mut rest = Scan(text.as_bytes());
    let date = rest.date()?;
    rest.0.is_empty().then_some(date)
}

/// A `date-time` of RFC 3339. The offset is mandatory; `T` and `Z` may be lower-case. A second of 60 is
/// valid only where UTC may insert one (23:59 UTC) and is read as the second before it. Digits of the
/// fraction beyond nanoseconds are dropped.
pub(crate) fn date_time(text: &str) -> Option<Moment> {
    let mut rest = Scan(text.as_bytes());
    let date = rest.date()?;
    rest.one_of(b"Tt")?;
    let Clock { hour, minute, second } = rest.clock()?;
    let nanos = rest.fraction()?;
    let offset = rest.offset()?;
    if !rest.0.is_empty() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let utc_minute = (i32::from(hour) * 60 + i32::from(minute) - offset).rem_euclid(24 * 60);
    if second == 60 && utc_minute != 23 * 60 + 59 {
        return None;
    }
    let time = Time::new(hour, minute, second.min(59), nanos).ok()?;
    let offset = Offset::from_seconds(offset * 60).ok()?;
    Some(Moment { civil: date.to_datetime(time), offset })
}

/// A time of day as written, not yet checked for its range.
struct Clock {
    hour: i8,
    minute: i8,
    second: i8,
}

/// What is left to read.
struct Scan<'t>(&'t [u8]);

impl Scan<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        self.next().filter(|byte| bytes.contains(byte))
    }

    fn digit(&mut self) -> Option<i16> {
        let byte = self.next()?;
        byte.is_ascii_digit().then(|| i16::from(byte - b'0'))
    }

    fn two(&mut self) -> Option<i8> {
        i8::try_from(self.digit()? * 10 + self.digit()?).ok()
    }

    fn date(&mut self) -> Option<Date> {
        let year = i16::from(self.two()?) * 100 + i16::from(self.two()?);
        self.one_of(b"-")?;
        let month = self.two()?;
        self.one_of(b"-")?;
        Date::new(year, month, self.two()?).ok()
    }

    /// `HH:MM:SS`, without the fraction.
    fn clock(&mut self) -> Option<Clock> {
        let hour = self.two()?;
        self.one_of(b":")?;
        let minute = self.two()?;
        self.one_of(b":")?;
        let second = self.two()?;
        Some(Clock { hour, minute, second })
    }

    /// Nanoseconds of an optional fraction with at least one digit.
    fn fraction(&mut self) -> Option<i32> {
        if self.0.first() != Some(&b'.') {
            return Some(0);
        }
        self.next()?;
        let mut nanos = i32::from(self.digit()?) * 100_000_000;
        let mut place = 10_000_000;
        while self.0.first().is_some_and(u8::is_ascii_digit) {
            nanos += i32::from(self.digit()?) * place;
            place /= 10;
        }
        Some(nanos)
    }

    /// Minutes east of UTC.
    fn offset(&mut self) -> Option<i32> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.two()?;
        self.one_of(b":")?;
        let minutes = self.two()?;
        (hours <= 23 && minutes <= 59).then(|| sign * (i32::from(hours) * 60 + i32::from(minutes)))
    }
}

#[cfg(test)]
mod tests {
    use super::{date, date_time, is_uri};

    #[test]
    fn only_days_that_exist_are_dates() {
        for good in ["2024-02-29", "2000-02-29", "1999-12-31", "0001-01-01"] {
            assert!(date(good).is_some(), "{good}");
        }
        for bad in ["2025-02-29", "1900-02-29", "2025-02-30", "2025-13-01", "2025-1-1", "2025-01-01Z", "", "20250101"] {
            assert!(date(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn date_times_follow_rfc_3339() {
        for good in "2025-01-01T00:00:00Z 2025-01-01t00:00:00z \
            2025-01-01T00:00:00.123456789123+02:00 2016-12-31T23:59:60Z \
            2017-01-01T00:59:60+01:00 2025-01-01T00:00:00-23:59"
            .split(' ')
        {
            assert!(date_time(good).is_some(), "{good}");
        }
        for bad in [
            "2025-01-01",
            "2025-01-01T00:00:00",
            "2025-01-01 00:00:00Z",
            "2025-01-01T24:00:00Z",
            "2025-01-01T00:00:00.Z",
            "2025-01-01T00:00:60Z",
            "2025-02-30T00:00:00Z",
            "2025-01-01T00:00:00+24:00",
            "2025-01-01T00:00:00+0100",
            "2025-01-01T00:00Z",
            "2025-01-01T00:00:00ZZ",
        ] {
            assert!(date_time(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn uris_have_a_scheme() {
        assert!(is_uri("https://example.org/a?b=c"));
        assert!(is_uri("urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66"));
        assert!(!is_uri("/animals/1"));
        assert!(!is_uri("not a uri"));
    }
}
