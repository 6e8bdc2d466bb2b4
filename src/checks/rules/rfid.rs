//! Codes of transponders (ISO 11784).

/// Why an RFID code is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RfidFault {
    /// Not exactly 15 digits.
    #[error("an RFID code has 15 digits")]
    Shape,
    /// The first three digits are 999.
    #[error("the prefix 999 marks test transponders")]
    Test,
    /// The first three digits are neither a country nor a manufacturer.
    #[error("the first three digits are neither a country code nor a manufacturer code")]
    Prefix,
    /// The other twelve digits do not fit in 38 bits.
    #[error("the national part exceeds 274877906943")]
    TooLarge,
}

/// The largest national code: 38 bits (ISO 11784).
const RFID_NATIONAL_MAX: u64 = (1 << 38) - 1;

/// Checks `altIds.chipNumber` as an ISO 11784 code. `is_country` knows the
/// numeric codes of ISO 3166-1; 900 to 998 are manufacturers.
///
/// # Errors
/// The first [`RfidFault`] found, in the order of its variants.
pub fn check_rfid(code: &str, is_country: impl Fn(u16) -> bool) -> Result<(), RfidFault> {
    if code.len() != 15 || !code.bytes().all(|b| b.is_ascii_digit()) {
        return Err(RfidFault::Shape);
    }
    let (prefix, national) = code.split_at_checked(3).ok_or(RfidFault::Shape)?;
    let prefix: u16 = prefix.parse().map_err(|_| RfidFault::Shape)?;
    let national: u64 = national.parse().map_err(|_| RfidFault::Shape)?;
    match prefix {
        999 => Err(RfidFault::Test),
        prefix if prefix < 900 && !is_country(prefix) => Err(RfidFault::Prefix),
        _ if national > RFID_NATIONAL_MAX => Err(RfidFault::TooLarge),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{RfidFault, check_rfid};

    #[test]
    fn rfid_codes() {
        let check = |code: &str| check_rfid(code, |prefix| prefix == 643);
        assert_eq!(check("643000000000001"), Ok(()));
        assert_eq!(check("643274877906943"), Ok(()));
        assert_eq!(check("643274877906944"), Err(RfidFault::TooLarge));
        assert_eq!(check("985000000000001"), Ok(()));
        assert_eq!(check("999000000000001"), Err(RfidFault::Test));
        assert_eq!(check("001000000000001"), Err(RfidFault::Prefix));
        for code in ["", "64300000000000", "6430000000000012", "64300000000000x"] {
            assert_eq!(check(code), Err(RfidFault::Shape));
        }
    }
}
