//! Points in time as ADE writes them (`icarDateTimeType`, `icarDateType`: RFC 3339, UTC with `Z` when
//! written) and as programs count them: milliseconds since 1970-01-01T00:00:00Z. Asks no clock.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::format;

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z. Written in the shortest form, read from
/// a date-time with any offset or from a date (midnight UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub i64);

/// Reads an RFC 3339 date-time, or a plain date as its midnight in UTC, into epoch milliseconds.
/// Fractions finer than a millisecond are cut. `None` for any other text.
#[must_use]
pub fn parse(text: &str) -> Option<i64> {
    let (civil, offset) = match format::date_time(text) {
        Some(moment) => (moment.civil, moment.offset),
        None => (format::date(text)?.at(0, 0, 0, 0), Offset::UTC),
    };
    let nanoseconds = offset.to_timestamp(civil).ok()?.as_nanosecond();
    i64::try_from(nanoseconds.div_euclid(1_000_000)).ok()
}

/// Writes `YYYY-MM-DDTHH:MM:SS.sssZ`. Times outside the years 0 to 9999 become the nearest end.
#[must_use]
pub fn format(milliseconds: i64) -> String {
    let time = utc(milliseconds);
    format!(
        "{}T{:02}:{:02}:{:02}.{:03}Z",
        day(time.date()),
        time.hour(),
        time.minute(),
        time.second(),
        time.millisecond()
    )
}

/// Writes `YYYY-MM-DDTHH:MM:SSZ`, with three digits of fraction where there is one.
#[must_use]
pub fn format_shortest(milliseconds: i64) -> String {
    let mut text = format(milliseconds);
    if text.ends_with(".000Z") {
        text.truncate(text.len() - ".000Z".len());
        text.push('Z');
    }
    text
}

/// Writes the day in UTC, `YYYY-MM-DD`.
#[must_use]
pub fn format_date(milliseconds: i64) -> String {
    day(utc(milliseconds).date())
}

fn day(date: Date) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

fn utc(milliseconds: i64) -> jiff::civil::DateTime {
    /// 0000-01-01T00:00:00Z and the last millisecond of 9999 that every offset can still show.
    const RANGE: (i64, i64) = (-62_167_219_200_000, 253_402_207_199_999);
    let within = milliseconds.clamp(RANGE.0, RANGE.1);
    Offset::UTC.to_datetime(Timestamp::from_millisecond(within).unwrap_or(Timestamp::UNIX_EPOCH))
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_shortest(self.0))
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let read = parse(&text).map(Instant);
        read.ok_or_else(|| de::Error::invalid_value(de::Unexpected::Str(&text), &"an RFC 3339 date-time or date"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Instant, format, format_date, format_shortest, parse};

    #[test]
    fn date_times_with_offset_and_dates_are_read() {
        assert_eq!(parse("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse("1970-01-01T01:00:00.0019+01:00"), Some(1));
        assert_eq!(parse("1969-12-31T23:59:59.9999Z"), Some(-1));
        assert_eq!(parse("1970-01-02"), Some(86_400_000));
        assert_eq!(parse("2016-12-31T23:59:60Z"), parse("2016-12-31T23:59:59Z"));
        for bad in ["1970-01-01T00:00:00", "1970-02-30", "0", ""] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn both_forms_are_written_in_utc() {
        let at = parse("2025-03-30T02:30:00.25+02:00").unwrap();
        assert_eq!(format(at), "2025-03-30T00:30:00.250Z");
        assert_eq!(format_shortest(at), "2025-03-30T00:30:00.250Z");
        assert_eq!(format_shortest(at - 250), "2025-03-30T00:30:00Z");
        assert_eq!(format_date(at), "2025-03-30");
    }

    #[test]
    fn what_is_written_is_read_again() {
        for at in [i64::MIN, -62_167_219_200_000, -1, 0, 1_700_000_000_123, i64::MAX] {
            let text = format(at);
            assert_eq!(parse(&text).map(format), Some(text));
        }
    }

    #[test]
    fn instants_are_texts_in_json() {
        let read: Instant = serde_json::from_str("\"2025-01-01\"").unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), "\"2025-01-01T00:00:00Z\"");
        assert!(serde_json::from_str::<Instant>("\"soon\"").is_err());
        assert!(serde_json::from_str::<Instant>("1").is_err());
    }
}
