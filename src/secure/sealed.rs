//! Sealed texts: small payloads handed to clients and believed when they come back unchanged.
//!
//! Layout before base64url without padding: version (1 byte), key name (4), length of the payload
//! (2, the higher byte first), payload, HMAC-SHA-256 over all before it, truncated to 16 bytes.
//! Signed, not encrypted. The length tells a text that was cut off from one that was altered. Must
//! not know what a payload means.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::Mac as _;

use super::keys::{KeyId, KeyRing, Purpose, mac_of};

const VERSION: u8 = 1;
const KEY_ID_BYTES: usize = 4;
/// All before the payload.
const HEAD: usize = 1 + KEY_ID_BYTES + 2;
const MAC_BYTES: usize = 16;

/// Longest payload whose sealed text is promised to stay within 512 characters, in bytes.
pub const PAYLOAD_MAX: usize = 300;

/// Why a sealed text is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unseal {
    /// Not base64url, or not as long as it says: cut off, or never sealed.
    #[error("the token is malformed")]
    Malformed,
    /// Sealed under a secret that is no longer, or was never, configured.
    #[error("the token was sealed with an unknown key")]
    UnknownKey,
    /// Altered, or sealed for another purpose.
    #[error("the token's signature is wrong")]
    BadSignature,
    /// Of a layout this program does not know.
    #[error("the token is of an unknown version")]
    Version,
}

impl KeyRing {
    /// Seals a payload under the current key of `purpose`. The text has `⌈(payload + 23) · 4 / 3⌉`
    /// characters, which is at most 431 for [`PAYLOAD_MAX`] bytes.
    pub fn seal(&self, purpose: Purpose, payload: &[u8]) -> String {
        let key = self.current();
        let mut bytes = Vec::with_capacity(HEAD + payload.len() + MAC_BYTES);
        bytes.push(VERSION);
        bytes.extend_from_slice(&key.id.0);
        bytes.extend(length(payload.len()));
        bytes.extend_from_slice(payload);
        let mac = mac_of(key.key(purpose), &bytes).finalize().into_bytes();
        bytes.extend(mac.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Gives the payload back, if the text was sealed for `purpose` under the current or the
    /// previous secret.
    ///
    /// # Errors
    /// See [`Unseal`].
    pub fn open(&self, purpose: Purpose, text: &str) -> Result<Vec<u8>, Unseal> {
        let mut bytes = URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|_| Unseal::Malformed)?;
        match bytes.first() {
            None => return Err(Unseal::Malformed),
            Some(&VERSION) => {}
            Some(_) => return Err(Unseal::Version),
        }
        let signed = bytes
            .len()
            .checked_sub(MAC_BYTES)
            .ok_or(Unseal::Malformed)?;
        let (message, mac) = bytes.split_at_checked(signed).ok_or(Unseal::Malformed)?;
        let Some((&[_, a, b, c, d, told @ ..], payload)) = message.split_first_chunk::<HEAD>()
        else {
            return Err(Unseal::Malformed);
        };
        if told != length(payload.len()) {
            return Err(Unseal::Malformed);
        }
        let id = KeyId([a, b, c, d]);
        let mut named = self.keys().filter(|key| key.id == id).peekable();
        if named.peek().is_none() {
            return Err(Unseal::UnknownKey);
        }
        if !named.any(|key| {
            mac_of(key.key(purpose), message)
                .verify_truncated_left(mac)
                .is_ok()
        }) {
            return Err(Unseal::BadSignature);
        }
        bytes.truncate(signed);
        bytes.drain(..HEAD);
        Ok(bytes)
    }
}

/// The lower two bytes of a length. Payloads are far shorter.
fn length(bytes: usize) -> [u8; 2] {
    let [.., high, low] = bytes.to_be_bytes();
    [high, low]
}

#[cfg(test)]
mod tests {
    use super::super::keys::random_secret;
    use super::*;
    use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

    const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";

    fn ring() -> KeyRing {
        KeyRing::new(SECRET, None).unwrap()
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens(payload in prop::collection::vec(any::<u8>(), 0..=PAYLOAD_MAX)) {
            let text = ring().seal(Purpose::Feed, &payload);
            prop_assert!(text.len() <= 512);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            prop_assert_eq!(ring().open(Purpose::Feed, &text), Ok(payload));
        }

        #[test]
        fn any_text_is_answered(text in ".{0,80}") {
            prop_assert!(ring().open(Purpose::Page, &text).is_err());
        }
    }

    #[test]
    fn every_changed_bit_is_noticed() {
        let sealed = URL_SAFE_NO_PAD
            .decode(ring().seal(Purpose::Page, b"seq 17"))
            .unwrap();
        for at in 0..sealed.len() * 8 {
            let mut bytes = sealed.clone();
            bytes[at / 8] ^= 1 << (at % 8);
            let expected = match at / 8 {
                0 => Unseal::Version,
                1..=4 => Unseal::UnknownKey,
                5..=6 => Unseal::Malformed,
                _ => Unseal::BadSignature,
            };
            assert_eq!(
                ring().open(Purpose::Page, &URL_SAFE_NO_PAD.encode(&bytes)),
                Err(expected),
                "bit {at}"
            );
        }
    }

    #[test]
    fn a_text_that_was_cut_off_or_lengthened_is_told_from_an_altered_one() {
        let text = ring().seal(Purpose::Page, b"seq 17");
        for end in 0..text.len() {
            let cut = ring().open(Purpose::Page, &text[..end]);
            assert_eq!(cut, Err(Unseal::Malformed), "{end}");
        }
        for broken in [
            String::new(),
            format!("{text}="),
            format!(" {text}"),
            format!("{text}A"),
        ] {
            let fault = ring().open(Purpose::Page, &broken);
            assert_eq!(fault, Err(Unseal::Malformed), "{broken}");
        }
        assert_eq!(
            ring().open(Purpose::Page, "not base64!"),
            Err(Unseal::Malformed)
        );
        assert_eq!(
            ring().open(Purpose::Page, &URL_SAFE_NO_PAD.encode([VERSION; 20])),
            Err(Unseal::Malformed)
        );
    }

    #[test]
    fn a_text_for_one_purpose_is_worthless_for_another() {
        let text = ring().seal(Purpose::Feed, b"x");
        assert_eq!(ring().open(Purpose::Page, &text), Err(Unseal::BadSignature));
    }

    #[test]
    fn the_previous_secret_is_believed_until_it_is_removed() {
        let old = ring().seal(Purpose::Feed, b"x");
        let next = random_secret();
        let overlapping = KeyRing::new(&next, Some(SECRET)).unwrap();
        assert_eq!(overlapping.open(Purpose::Feed, &old), Ok(b"x".to_vec()));
        let new = overlapping.seal(Purpose::Feed, b"y");
        let alone = KeyRing::new(&next, None).unwrap();
        assert_eq!(alone.open(Purpose::Feed, &new), Ok(b"y".to_vec()));
        assert_eq!(alone.open(Purpose::Feed, &old), Err(Unseal::UnknownKey));
    }
}
