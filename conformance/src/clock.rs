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

/// A date-time in UTC with nanoseconds only where they are needed.
#[must_use]
pub(crate) fn written(nanoseconds: i128) -> String {
    jiff::Timestamp::from_nanosecond(nanoseconds).map_or_else(|_| String::new(), |t| t.to_string())
}
