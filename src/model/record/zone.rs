//! Time zones of places: on which day an instant falls there (docs/derived.md, *Days*). The
//! data of the zones is in the program, so that all machines agree.

use jiff::Timestamp;
pub use jiff::tz::TimeZone;

/// Zone of installations that configure none.
pub const USUAL: &str = "Europe/Moscow";

const DAY_MS: i64 = 86_400_000;

/// The zone of an IANA name; none where there is no such zone.
pub fn zone(name: &str) -> Option<TimeZone> {
    // The library knows a zone for "unknown", which is no place.
    TimeZone::get(name).ok().filter(|zone| !zone.is_unknown())
}

/// The zone of installations that configure none.
pub fn usual() -> TimeZone {
    zone(USUAL).unwrap_or(TimeZone::UTC)
}

/// What the clock of a place shows at an instant, as if it were UTC: epoch milliseconds whose UTC day is
/// the day of the place.
pub fn clock(zone: &TimeZone, at: i64) -> i64 {
    let offset = Timestamp::from_millisecond(at).map(|at| zone.to_offset(at).seconds());
    at.saturating_add(i64::from(offset.unwrap_or_default()) * 1000)
}

/// The instant at which the clock of a place shows that; none where it shows it twice or never, as an hour is set
/// back or forward.
pub fn instant(zone: &TimeZone, clock: i64) -> Option<i64> {
    let shown = TimeZone::UTC.to_datetime(Timestamp::from_millisecond(clock).ok()?);
    zone.to_ambiguous_timestamp(shown).unambiguous().ok().map(Timestamp::as_millisecond)
}

/// [`clock`] for a value of a field of days: one at exactly 00:00:00.000 UTC is a day, which is the same
/// in every zone.
pub fn day_clock(zone: &TimeZone, at: i64) -> i64 {
    match is_day(at) {
        true => at,
        false => clock(zone, at),
    }
}

/// Whether a time is a day, and not an instant within one.
pub const fn is_day(at: i64) -> bool {
    at.rem_euclid(DAY_MS) == 0
}

#[cfg(test)]
mod tests {
    use super::{TimeZone, clock, day_clock, instant, usual, zone};
    use crate::record::time::{day_start, parse, to_iso};
    use jiff::Timestamp;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
    use proptest::sample::select;
    use test_support::table;

    fn day(name: &str, instant: &str) -> String {
        let at = parse(instant).unwrap();
        let day = day_start(day_clock(&zone(name).unwrap(), at));
        to_iso(day)[..10].to_owned()
    }

    #[test]
    fn an_instant_falls_on_the_day_of_the_clock_of_its_place() {
        for (name, instant, expected) in table![
            "Europe/Moscow", "2025-03-16T00:40:28+03:00", "2025-03-16";
            "Europe/Kaliningrad", "2025-03-16T00:40:28+03:00", "2025-03-15";
            // Kaliningrad went back from UTC+3 to UTC+2 on 26 October 2014.
            "Europe/Kaliningrad", "2014-10-25T21:30:00Z", "2014-10-26";
            "Europe/Kaliningrad", "2014-10-26T21:30:00Z", "2014-10-26";
            "Asia/Vladivostok", "2025-06-01T09:59:59.999+10:00", "2025-06-01";
            "Asia/Vladivostok", "2025-05-31T14:00:00.001Z", "2025-06-01";
            // Summer time began at 2 in the morning of 9 March 2025: 04:30Z is 23:30 or 00:30.
            "America/New_York", "2025-03-09T04:30:00Z", "2025-03-08";
            "America/New_York", "2025-03-10T04:30:00Z", "2025-03-10";
            // A day is the same in every zone.
            "America/New_York", "2025-03-16", "2025-03-16";
            "America/New_York", "2025-03-15T20:00:00-04:00", "2025-03-16";
            "Pacific/Kiritimati", "2025-03-16", "2025-03-16";
        ] {
            assert_eq!(day(name, instant), expected, "{instant} in {name}");
        }
    }

    #[test]
    fn a_clock_shows_an_instant_unless_an_hour_is_set() {
        for (name, shown, expected) in table![
            "Europe/Moscow", "2025-12-31T22:30:00Z", Some("2025-12-31T19:30:00.000Z");
            "Asia/Kamchatka", "2025-12-31T14:00:00Z", Some("2025-12-31T02:00:00.000Z");
            "America/New_York", "2025-03-09T01:59:59Z", Some("2025-03-09T06:59:59.000Z");
            "America/New_York", "2025-03-09T02:30:00Z", None;
            "America/New_York", "2025-11-02T01:30:00Z", None;
        ] {
            let at = instant(&zone(name).unwrap(), parse(shown).unwrap()).map(to_iso);
            assert_eq!(at.as_deref(), expected, "{shown} in {name}");
        }
    }

    #[test]
    fn names_of_no_zone_are_known_as_such() {
        assert!(usual() != TimeZone::UTC);
        for name in ["", "Moscow", "UTC+3", "+03:00", "Europe/Nowhere", "Etc/Unknown", "../etc/passwd"] {
            assert!(zone(name).is_none(), "{name}");
        }
    }

    proptest! {
        /// The library itself answers by its own way through civil time.
        #[test]
        fn the_clock_is_that_of_the_library(
            name in select(vec!["Europe/Moscow", "Europe/Kaliningrad", "America/New_York", "Asia/Kathmandu",
                "Pacific/Apia", "Australia/Lord_Howe", "UTC"]),
            at in -3_000_000_000_000_i64..7_000_000_000_000,
        ) {
            let zone = zone(name).unwrap();
            let civil = Timestamp::from_millisecond(at).unwrap().to_zoned(zone.clone()).datetime();
            let expected = parse(&format!("{}Z", civil.strftime("%Y-%m-%dT%H:%M:%S%.3f")));
            prop_assert_eq!(Some(clock(&zone, at)), expected);
            prop_assert!(instant(&zone, clock(&zone, at)).is_none_or(|back| back == at));
        }
    }
}
