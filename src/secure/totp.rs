//! Time-based one-time codes (RFC 6238: SHA-1, six digits, thirty seconds, which all authenticator programs support),
//! and recovery codes for users who lost their device. A code is valid one step before and after the present one, and
//! only once: the caller stores the last step that was used. Must not know whose secret it is.

use super::password::hex;
use super::token::digest;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use totp_rs::{Builder, Secret, Totp};

/// Bytes of a secret: as long as the digest, as RFC 4226 (4, R6) recommends.
const SECRET: usize = 20;
/// Recovery codes that are handed out at a time.
pub const RECOVERY: usize = 10;
/// Hexadecimal digits of each: 80 random bits, so that a digest needs no salt.
const DIGITS: usize = 20;
/// Longer texts are no codes (characters).
const CODE_MAX: usize = 64;

pub fn fresh() -> [u8; SECRET] {
    rand::random()
}

/// A secret as people copy it, in base 32.
pub fn base32(secret: &[u8]) -> String {
    Secret::from(secret).to_base32()
}

/// The address that authenticator programs take a secret from, as a rule as a picture.
pub fn address(service: &str, account: &str, secret: &[u8]) -> String {
    let part = |text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let (service, account) = (part(service), part(account));
    let secret = base32(secret);
    format!("otpauth://totp/{service}:{account}?secret={secret}&issuer={service}&algorithm=SHA1&digits=6&period=30")
}

/// The step of a code that is right at `now` (ms) and of a later step than the last that was used.
pub fn step_of(secret: &[u8], code: &str, now: i64, last: Option<i64>) -> Option<i64> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let plain = code.len() == 6 && code.bytes().all(|b| b.is_ascii_digit());
    let seconds = u64::try_from(now.div_euclid(1000)).ok().filter(|_| plain)?;
    let step = totp(secret)?.check(&code, seconds)?;
    let step = i64::try_from(step).ok()?;
    last.is_none_or(|last| step > last).then_some(step)
}

fn totp(secret: &[u8]) -> Option<Totp> {
    let builder = Builder::new().with_secret(Secret::from(secret));
    let builder = builder.with_digits(6).with_skew(1).with_step_duration(30);
    builder.build().ok()
}

/// New recovery codes: what is handed out, and the digest that is stored.
pub fn recovery() -> Vec<(String, String)> {
    let one = |_| {
        let code = hex(&rand::random::<[u8; DIGITS / 2]>());
        let groups: Vec<&str> = (0..DIGITS).step_by(5).filter_map(|at| code.get(at..at + 5)).collect();
        (groups.join("-"), digest(&code))
    };
    (0..RECOVERY).map(one).collect()
}

/// The digest under which a recovery code is stored, in whatever form it was typed; none for a text
/// that is no such code.
pub fn recovery_digest(typed: &str) -> Option<String> {
    if typed.len() > CODE_MAX {
        return None;
    }
    let code: String = typed.chars().filter(char::is_ascii_alphanumeric).collect();
    (code.len() == DIGITS).then(|| digest(&code.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RFC: &[u8] = b"12345678901234567890";

    /// RFC 6238, appendix B, the last six of its eight digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
        ] {
            let step = step_of(RFC, code, seconds * 1000, None);
            assert_eq!(step, Some(seconds / 30), "{code}");
        }
    }

    #[test]
    fn a_code_is_good_for_a_step_around_the_present_one_and_once() {
        // 287082 is of step 1, from 30 s to 59 s.
        for (seconds, good) in [(0, true), (29, true), (45, true), (89, true), (90, false)] {
            let step = step_of(RFC, "287082", seconds * 1000, None);
            assert_eq!(step, good.then_some(1), "{seconds}");
        }
        assert_eq!(step_of(RFC, "287 082", 45_000, Some(0)), Some(1));
        assert_eq!(step_of(RFC, "287082", 45_000, Some(1)), None, "used");
        assert_eq!(step_of(RFC, "287082", 45_000, Some(2)), None, "a later one was used");
        for wrong in ["", "28708", "2870820", "287083", "abcdef", "２８７０８２", "+28708"] {
            assert_eq!(step_of(RFC, wrong, 45_000, None), None, "{wrong}");
        }
        assert_eq!(step_of(RFC, "287082", -1, None), None);
        assert_eq!(step_of(&[], "287082", 45_000, None), None);
    }

    #[test]
    fn programs_read_the_address() {
        let address = address("kin book", "a@b.example", RFC);
        assert_eq!(
            address,
            "otpauth://totp/kin%20book:a%40b%2Eexample?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=kin%20book&algorithm=SHA1&digits=6&period=30"
        );
    }

    #[test]
    fn recovery_codes_are_known_again_however_they_are_typed() {
        let codes = recovery();
        assert_eq!(codes.len(), RECOVERY);
        for (code, stored_digest) in &codes {
            assert_eq!(recovery_digest(code).as_ref(), Some(stored_digest));
            let typed = format!(" {} ", code.to_uppercase().replace('-', " "));
            assert_eq!(recovery_digest(&typed).as_ref(), Some(stored_digest));
            assert!(!stored_digest.contains(&code.replace('-', "")));
        }
        let different: std::collections::BTreeSet<_> = codes.iter().collect();
        assert_eq!(different.len(), RECOVERY);
        assert_eq!(recovery_digest("123456"), None);
        assert_eq!(recovery_digest(&"a".repeat(1000)), None);
    }
}
