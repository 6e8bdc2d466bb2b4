//! Instants as milliseconds since 1970-01-01T00:00Z, read from and written as ISO 8601 text.
//!
//! The book knows days and timestamps, both instants on the wire: a day means 00:00Z, a sent time
//! is stored, output is always `YYYY-MM-DDTHH:mm:ss.sssZ`. Only the years 1 to 9999 exist here.
//! Must not ask the clock.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, date};

/// 0001-01-01T00:00:00.000Z (ms).
pub const MIN_MS: i64 = -62_135_596_800_000;
/// 9999-12-31T23:59:59.999Z (ms).
pub const MAX_MS: i64 = 253_402_300_799_999;

// Civil arithmetic throughout: the library's own timestamps end a day before the year 9999 does.
const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);
/// A day (ms).
pub const DAY_MS: i64 = 86_400_000;
const MINUTE_MS: i64 = 60_000;

/// Reads a day `YYYY-MM-DD` (its 00:00Z) or an instant by RFC 3339 with its offset, to the
/// millisecond (further digits are cut off). Everything else is `None`: other orders such as
/// `10.01.2025`, impossible days, times without offset, leap seconds, years outside 1 to 9999.
pub fn parse(text: &str) -> Option<i64> {
    let mut rest = Scanner(text.as_bytes());
    let day = rest.date()?;
    if rest.is_done() {
        return Some(day);
    }
    rest.one_of(b"Tt")?;
    let time = rest.hour_and_minute()? + rest.seconds()?;
    finish(rest, day + time, false)
}

/// Reads the value of a date filter as tolerantly as the REST dialect (docs/dialect.md, *Values in
/// conditions*) needs: besides [`parse`] also a year (`2018` = 1 January), a month `YYYY-MM`, times
/// without seconds, and times without offset (taken as UTC). Garbage is `None`, which matches no
/// row.
pub fn parse_filter(text: &str) -> Option<i64> {
    let mut rest = Scanner(text.trim_ascii().as_bytes());
    let year = rest.number::<4>()?;
    if rest.is_done() {
        return civil_day(year, 1, 1);
    }
    rest.one_of(b"-")?;
    let month = rest.number::<2>()?;
    if rest.is_done() {
        return civil_day(year, month, 1);
    }
    rest.one_of(b"-")?;
    let day = civil_day(year, month, rest.number::<2>()?)?;
    if rest.is_done() {
        return Some(day);
    }
    rest.one_of(b"Tt")?;
    let mut time = rest.hour_and_minute()?;
    if rest.peek() == Some(b':') {
        time += rest.seconds()?;
    }
    finish(rest, day + time, true)
}

/// Appends `ms` as `YYYY-MM-DDTHH:mm:ss.sssZ` (24 bytes) without allocating. Values outside
/// [`MIN_MS`] to [`MAX_MS`] cannot come from [`parse`]; they are written as the nearer end.
pub fn write_iso(ms: i64, out: &mut Vec<u8>) {
    let ms = ms.clamp(MIN_MS, MAX_MS);
    // Always in range after the clamp; the fallback only spares a panic path.
    let moment = EPOCH.checked_add(SignedDuration::from_millis(ms)).unwrap_or(EPOCH);
    let year = moment.year().unsigned_abs();
    let [century, year] = [year / 100, year % 100].map(|n| two_digits(i8::try_from(n).unwrap_or(0)));
    let [month, day] = [moment.month(), moment.day()].map(two_digits);
    let [hour, minute, second] = [moment.hour(), moment.minute(), moment.second()].map(two_digits);
    let millis = moment.millisecond().unsigned_abs();
    let [_, hundreds] = two_digits(i8::try_from(millis / 100).unwrap_or(0));
    let millis = two_digits(i8::try_from(millis % 100).unwrap_or(0));
    let ([c1, c2], [y1, y2], [m1, m2], [d1, d2]) = (century, year, month, day);
    let ([h1, h2], [n1, n2], [s1, s2], [f2, f3]) = (hour, minute, second, millis);
    out.extend_from_slice(&[
        c1, c2, y1, y2, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', n1, n2, b':', s1, s2, b'.', hundreds, f2, f3,
        b'Z',
    ]);
}

/// Length of a written instant, bytes.
pub const WIDTH: usize = 24;

/// Appends the UTC day of `ms` as `YYYY-MM-DD`; values out of range as in [`write_iso`].
pub fn write_day(ms: i64, out: &mut Vec<u8>) {
    let start = out.len();
    write_iso(ms, out);
    out.truncate(start + "2025-01-10".len());
}

/// [`write_iso`] as text, for places where speed does not matter.
pub fn to_iso(ms: i64) -> String {
    let mut out = Vec::with_capacity(WIDTH);
    write_iso(ms, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// 00:00Z of the UTC day that contains `ms`; keys, rules and filters by day compare this.
pub const fn day_start(ms: i64) -> i64 {
    ms.saturating_sub(ms.rem_euclid(DAY_MS))
}

fn two_digits(n: i8) -> [u8; 2] {
    let n = n.unsigned_abs();
    [b'0' + n / 10 % 10, b'0' + n % 10]
}

fn civil_day(year: i64, month: i64, day: i64) -> Option<i64> {
    if year < 1 {
        return None;
    }
    let date = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    let since = date.ok()?.at(0, 0, 0, 0).duration_since(EPOCH);
    i64::try_from(since.as_millis()).ok()
}

/// Takes the offset and checks that nothing follows and that the instant exists here.
fn finish(mut rest: Scanner<'_>, local: i64, offset_optional: bool) -> Option<i64> {
    let offset = if offset_optional && rest.is_done() { 0 } else { rest.offset()? };
    let ms = local - offset;
    (rest.is_done() && (MIN_MS..=MAX_MS).contains(&ms)).then_some(ms)
}

struct Scanner<'a>(&'a [u8]);

impl Scanner<'_> {
    fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        allowed.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    fn number<const N: usize>(&mut self) -> Option<i64> {
        let (digits, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        digits.iter().try_fold(0, |sum, b| b.is_ascii_digit().then(|| sum * 10 + i64::from(b - b'0')))
    }

    fn number_to<const N: usize>(&mut self, max: i64) -> Option<i64> {
        self.number::<N>().filter(|n| *n <= max)
    }

    fn date(&mut self) -> Option<i64> {
        let year = self.number::<4>()?;
        self.one_of(b"-")?;
        let month = self.number::<2>()?;
        self.one_of(b"-")?;
        civil_day(year, month, self.number::<2>()?)
    }

    fn hour_and_minute(&mut self) -> Option<i64> {
        let hour = self.number_to::<2>(23)?;
        self.one_of(b":")?;
        Some((hour * 60 + self.number_to::<2>(59)?) * MINUTE_MS)
    }

    fn seconds(&mut self) -> Option<i64> {
        self.one_of(b":")?;
        let whole = self.number_to::<2>(59)? * 1000;
        if self.one_of(b".").is_none() {
            return Some(whole);
        }
        let end = self.0.iter().position(|b| !b.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())?;
        self.0 = rest;
        let millis = digits.iter().chain(b"000").take(3).fold(0, |sum, b| sum * 10 + i64::from(b - b'0'));
        Some(whole + millis)
    }

    /// The distance from UTC in ms, positive to the east.
    fn offset(&mut self) -> Option<i64> {
        match self.one_of(b"Zz+-")? {
            b'+' => self.hour_and_minute(),
            b'-' => self.hour_and_minute().map(|distance| -distance),
            _ => Some(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert_eq, proptest};

    /// 2025-01-10T00:00:00Z
    const DAY: i64 = 1_736_467_200_000;

    #[test]
    fn days_and_instants_are_read() {
        for (text, ms) in [
            ("2025-01-10", DAY),
            ("2025-01-10T00:00:00Z", DAY),
            ("2025-01-10t00:00:00z", DAY),
            ("2025-01-10T02:00:00+02:00", DAY),
            ("2025-01-09T20:30:00-03:30", DAY),
            ("2025-01-10T00:00:00-00:00", DAY),
            ("2025-01-10T10:20:30.4Z", DAY + 37_230_400),
            ("2025-01-10T10:20:30.456789123456Z", DAY + 37_230_456),
            ("1970-01-01", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2024-02-29", 1_709_164_800_000),
            ("0001-01-01", MIN_MS),
            ("9999-12-31T23:59:59.999Z", MAX_MS),
        ] {
            assert_eq!(parse(text), Some(ms), "{text}");
            assert_eq!(parse_filter(text), Some(ms), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            " ",
            "10.01.2025",
            "01/10/2025",
            "2025-02-30",
            "2025-02-29",
            "2025-13-01",
            "2025-00-10",
            "2025-01-00",
            "2025-1-10",
            "20250110",
            "0000-01-01",
            "-0001-01-01",
            "+002025-01-10",
            "2025-01-10 00:00:00Z",
            "2025-01-10T24:00:00Z",
            "2025-01-10T00:60:00Z",
            "2025-01-10T23:59:60Z",
            "2025-01-10T00:00:00.Z",
            "2025-01-10T00:00:00+0200",
            "2025-01-10T00:00:00+24:00",
            "2025-01-10T00:00:00+02:60",
            "2025-01-10T00:00:00 02:00",
            "2025-01-10T00:00:00Zx",
            "2025-01-10Z",
            "2025-01-10T",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "Jan 10, 2025",
            "1736467200000",
            "２０２５-01-10",
            "garbage",
        ] {
            assert_eq!(parse(text), None, "{text}");
            assert_eq!(parse_filter(text), None, "{text}");
        }
        for tolerated in ["2018", "2018-06", "2025-01-10T10:20", "2025-01-10T10:20:30", " 2025-01-10"] {
            assert_eq!(parse(tolerated), None, "{tolerated}");
        }
    }

    #[test]
    fn filters_are_read_tolerantly() {
        for (text, iso) in [
            ("2018", "2018-01-01T00:00:00.000Z"),
            ("2018-06", "2018-06-01T00:00:00.000Z"),
            (" 2018-06-02 ", "2018-06-02T00:00:00.000Z"),
            ("2011-02-11T02:00:00+02:00", "2011-02-11T00:00:00.000Z"),
            ("2011-02-11T02:00", "2011-02-11T02:00:00.000Z"),
            ("2011-02-11T02:00:05.25", "2011-02-11T02:00:05.250Z"),
            ("2011-02-11T02:00+02:00", "2011-02-11T00:00:00.000Z"),
        ] {
            assert_eq!(parse_filter(text).map(to_iso).as_deref(), Some(iso), "{text}");
        }
        for garbage in ["201", "20188", "2018-", "2018-6", "2018-13", "0000", "null", "true", "2018-02-30"] {
            assert_eq!(parse_filter(garbage), None, "{garbage}");
        }
    }

    #[test]
    fn ends_are_written_and_not_crossed() {
        assert_eq!(to_iso(MIN_MS), "0001-01-01T00:00:00.000Z");
        assert_eq!(to_iso(MAX_MS), "9999-12-31T23:59:59.999Z");
        assert_eq!(to_iso(i64::MIN), to_iso(MIN_MS));
        assert_eq!(to_iso(i64::MAX), to_iso(MAX_MS));
        assert_eq!(to_iso(-1), "1969-12-31T23:59:59.999Z");
        let mut out = b"x".to_vec();
        write_iso(0, &mut out);
        assert_eq!(out, b"x1970-01-01T00:00:00.000Z");
        let mut day = b"x".to_vec();
        write_day(DAY + 1, &mut day);
        assert_eq!(day, b"x2025-01-10");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(ms in MIN_MS..=MAX_MS) {
            let text = to_iso(ms);
            prop_assert_eq!(text.len(), 24);
            prop_assert_eq!(parse(&text), Some(ms));
            prop_assert_eq!(parse_filter(&text), Some(ms));
            // The library's own printer as the second opinion.
            if let Ok(moment) = jiff::Timestamp::from_millisecond(ms) {
                prop_assert_eq!(format!("{moment:.3}"), text);
            }
        }

        #[test]
        fn a_day_starts_at_midnight(ms in MIN_MS..=MAX_MS) {
            let day = to_iso(ms).split_once('T').map(|(day, _)| day.to_owned());
            prop_assert_eq!(day.as_deref().and_then(parse), Some(day_start(ms)));
        }

        #[test]
        fn any_text_is_answered(text in ".{0,40}") {
            if let Some(ms) = parse(&text) {
                prop_assert_eq!(parse_filter(&text), Some(ms));
            }
        }
    }
}
