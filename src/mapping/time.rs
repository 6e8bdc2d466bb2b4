//! Points in time as the exchange writes them: ISO 8601, UTC, milliseconds, `Z`
//! (ADE standard 1.5.1, clause 3 of the design notes on times: UTC with `Z`).

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};

/// Length of a written instant: `2024-03-01T00:00:00.000Z`.
pub(crate) const WIDTH: usize = 24;

/// Writes epoch milliseconds. Years outside 0–9999 are clamped, which the standard's format demands.
pub(crate) fn write(millis: i64, out: &mut Vec<u8>) {
    let stamp = Timestamp::from_millisecond(millis.clamp(MIN, MAX)).unwrap_or_default();
    let t = Offset::UTC.to_datetime(stamp);
    let year = u32::from(t.year().unsigned_abs());
    digits(year, 4, out);
    out.push(b'-');
    digits(small(t.month()), 2, out);
    out.push(b'-');
    digits(small(t.day()), 2, out);
    out.push(b'T');
    digits(small(t.hour()), 2, out);
    out.push(b':');
    digits(small(t.minute()), 2, out);
    out.push(b':');
    digits(small(t.second()), 2, out);
    out.push(b'.');
    digits(u32::from(t.millisecond().unsigned_abs()), 3, out);
    out.push(b'Z');
}

/// Writes the UTC day.
pub(crate) fn write_day(millis: i64, out: &mut Vec<u8>) {
    let start = out.len();
    write(millis, out);
    out.truncate(start + "2024-03-01".len());
}

/// Reads an instant or a day (midnight UTC) as epoch milliseconds.
pub(crate) fn parse(text: &str) -> Option<i64> {
    if let Ok(stamp) = text.parse::<Timestamp>() {
        return Some(stamp.as_millisecond());
    }
    if text.len() != "2024-03-01".len() {
        return None;
    }
    let day = text.parse::<Date>().ok()?;
    Some(
        day.to_zoned(TimeZone::UTC)
            .ok()?
            .timestamp()
            .as_millisecond(),
    )
}

const MIN: i64 = -62_167_219_200_000;
const MAX: i64 = 253_402_207_200_000;

fn small(n: i8) -> u32 {
    u32::from(n.unsigned_abs())
}

fn digits(n: u32, width: u32, out: &mut Vec<u8>) {
    for place in (0..width).rev() {
        let digit = n / 10_u32.pow(place) % 10;
        out.push(b'0' + u8::try_from(digit).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, write, write_day};

    fn text(millis: i64) -> String {
        let mut out = Vec::new();
        write(millis, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn instants_are_written_as_utc_with_milliseconds() {
        assert_eq!(text(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(text(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(text(1_709_211_845_678), "2024-02-29T13:04:05.678Z");
        let mut day = Vec::new();
        write_day(1_709_211_845_678, &mut day);
        assert_eq!(day, b"2024-02-29");
    }

    #[test]
    fn days_and_offsets_are_read() {
        assert_eq!(parse("2024-02-29"), Some(1_709_164_800_000));
        assert_eq!(
            parse("2024-02-29T16:04:05.678+03:00"),
            Some(1_709_211_845_678)
        );
        assert_eq!(parse("2024-02-30"), None);
        assert_eq!(parse("2024-02"), None);
    }
}
