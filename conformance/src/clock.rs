//! The one place that asks the clock of the machine.

/// Now.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the tester is the outermost caller, and judges servers by the time it is"
)]
pub(crate) fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// Nanoseconds since 1970 of a date-time with offset.
#[must_use]
pub(crate) fn instant(text: &str) -> Option<i128> {
    feed_oracle::nanoseconds(text)
}

/// Now, to the millisecond, as a sender would write it.
#[must_use]
pub(crate) fn milliseconds() -> String {
    written(now().as_nanosecond().div_euclid(1_000_000) * 1_000_000)
}

/// The same instant with the offset of Paris or Kyiv.
#[must_use]
pub(crate) fn shifted(nanoseconds: i128) -> Option<String> {
    let time = jiff::Timestamp::from_nanosecond(nanoseconds).ok()?;
    let offset = jiff::tz::Offset::constant(2);
    Some(time.display_with_offset(offset).to_string())
}

/// A date-time in UTC with nanoseconds only where they are needed.
#[must_use]
pub(crate) fn written(nanoseconds: i128) -> String {
    jiff::Timestamp::from_nanosecond(nanoseconds).map_or_else(|_| String::new(), |t| t.to_string())
}
