//! Rules for the digits of numbers.

use serde::Deserialize;

/// A rule for the digits of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// ISO 11784: 15 digits, a country or maker that is not the test code, a national number
    /// that fits 38 bits.
    Iso11784,
    /// The last digit is the check digit of Luhn (ISO/IEC 7812-1).
    Luhn,
}

impl Check {
    /// Its name in `codes.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iso11784 => "iso11784",
            Self::Luhn => "luhn",
        }
    }

    /// Whether a number obeys.
    pub fn holds(self, id: &str) -> bool {
        match self {
            Self::Iso11784 => is_transponder(id),
            Self::Luhn => has_luhn_digit(id),
        }
    }
}

/// ISO 11784: 15 digits, a country or manufacturer that is not the test code, a national
/// number that fits 38 bits.
pub(crate) fn is_transponder(id: &str) -> bool {
    let split = (id.len() == 15).then(|| id.split_at_checked(3)).flatten();
    let Some((country, number)) = split else {
        return false;
    };
    let digits = id.bytes().all(|b| b.is_ascii_digit());
    let number = number.parse::<u64>().unwrap_or(u64::MAX);
    digits && country != "000" && country != "999" && number < 1 << 38
}

/// Luhn: every second digit from the right, the check digit aside, counts twice.
pub(crate) fn has_luhn_digit(id: &str) -> bool {
    let digits: Option<Vec<u32>> = id.chars().rev().map(|c| c.to_digit(10)).collect();
    let Some(digits) = digits.filter(|digits| digits.len() > 1) else {
        return false;
    };
    let sum: u32 = (digits.iter().enumerate())
        .map(|(place, digit)| match place % 2 {
            0 => *digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}
