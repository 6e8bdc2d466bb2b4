//! Times in documents.

/// Nanoseconds since 1970 of an RFC 3339 text; a time without an offset counts as UTC, as
/// the examples of the standard write it.
#[must_use]
pub fn nanoseconds(text: &str) -> Option<i128> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = digits(parts.next()?, 2).filter(|m| (1..=12).contains(m))?;
    let day = digits(parts.next()?, 2).filter(|d| (1..=31).contains(d))?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, rest) = rest.split_at_checked(8)?;
    let mut parts = clock.split(':');
    let hour = digits(parts.next()?, 2).filter(|h| *h < 24)?;
    let minute = digits(parts.next()?, 2).filter(|m| *m < 60)?;
    let second = digits(parts.next()?, 2).filter(|s| *s <= 60)?;
    let (fraction, offset) = match rest.strip_prefix('.') {
        None => (0, rest),
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit());
            let (fraction, offset) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
            if fraction.is_empty() {
                return None;
            }
            let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
            (nine.parse::<i64>().ok()?, offset)
        }
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(i128::from(seconds - shift(offset)?) * 1_000_000_000 + i128::from(fraction))
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// The seconds of an offset.
fn shift(text: &str) -> Option<i64> {
    if text.is_empty() || text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    Some(sign * (digits(hours, 2)? * 3_600 + digits(minutes, 2)? * 60))
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn times_are_read() {
        let second = 1_000_000_000;
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:30:15Z", 951_827_415 * second),
            ("2026-11-22T08:00:00.125+02:00", 1_795_327_200 * second + 125_000_000),
            ("1969-12-31T23:59:59", -second),
        ] {
            assert_eq!(nanoseconds(text), Some(expected), "{text}");
        }
        for text in ["", "2026-02-01", "2026-13-01T00:00:00Z", "2026-02-01T00:00:00.Z", "2026-02-01T00:00:00+2"] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }
}
