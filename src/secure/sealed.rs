//! Sealed texts: small payloads that are given to clients and accepted when they come back unchanged. Layout before
//! base64url without padding: version (1 byte), key name (4), length of the payload (2, the higher byte first), payload
//! under AES-256 in counter mode, HMAC-SHA-256 over all before it in plain text, truncated to 16 bytes. The HMAC is the
//! initial counter (a synthetic IV, as in RFC 5297): the same payload gives the same text, and nothing else can be read
//! from it. A place in a feed shows commits that its reader may not know of, so it must not be legible. Version 1 was
//! signed and not encrypted; its texts are still accepted. The length distinguishes a text that was cut off from one
//! that was altered. Must not know what a payload means.

use aws_lc_rs::cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::Mac as _;

use super::keys::{KeyId, KeyRing, Purpose, mac_of};

const VERSION: u8 = 2;
/// Signed, not encrypted.
const CLEAR: u8 = 1;
const KEY_ID_BYTES: usize = 4;
/// All before the payload.
const HEAD: usize = 1 + KEY_ID_BYTES + 2;
const MAC_BYTES: usize = 16;

/// Longest payload whose sealed text is promised to stay within 512 characters, in bytes.
pub const PAYLOAD_MAX: usize = 300;

/// Why a sealed text is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealFault {
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
        let mut tag = [0; MAC_BYTES];
        tag.iter_mut().zip(mac).for_each(|(to, from)| *to = from);
        if let Some(payload) = bytes.get_mut(HEAD..)
            && !mask(key.key(purpose), tag, payload)
        {
            // Better a text that never opens than one that everybody reads.
            payload.fill(0);
        }
        bytes.extend(tag);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Gives the payload back, if the text was sealed for `purpose` under the current or the previous secret.
    pub fn open(&self, purpose: Purpose, text: &str) -> Result<Vec<u8>, SealFault> {
        let mut bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| SealFault::Malformed)?;
        let version = match bytes.first() {
            None => return Err(SealFault::Malformed),
            Some(&version @ (VERSION | CLEAR)) => version,
            Some(_) => return Err(SealFault::Version),
        };
        let signed = bytes.len().checked_sub(MAC_BYTES).ok_or(SealFault::Malformed)?;
        let mac = bytes.split_off(signed);
        let Some((&[_, a, b, c, d, stated_length @ ..], payload)) = bytes.split_first_chunk::<HEAD>() else {
            return Err(SealFault::Malformed);
        };
        if stated_length != length(payload.len()) {
            return Err(SealFault::Malformed);
        }
        let tag: [u8; MAC_BYTES] = mac.try_into().map_err(|_| SealFault::Malformed)?;
        let id = KeyId([a, b, c, d]);
        let mut fault = SealFault::UnknownKey;
        for key in self.keys().filter(|key| key.id == id) {
            fault = SealFault::BadSignature;
            let mut clear = bytes.clone();
            let decrypted = match clear.get_mut(HEAD..) {
                Some(payload) if version == VERSION => mask(key.key(purpose), tag, payload),
                _ => true,
            };
            let mac = mac_of(key.key(purpose), &clear);
            if decrypted && mac.verify_truncated_left(&tag).is_ok() {
                clear.drain(..HEAD);
                return Ok(clear);
            }
        }
        Err(fault)
    }
}

/// Encrypts a payload in its place, or decrypts it, which is the same; false when the library refuses.
fn mask(key: &[u8; 32], tag: [u8; MAC_BYTES], payload: &mut [u8]) -> bool {
    let own = mac_of(key, b"herdbook seal 2: cipher").finalize().into_bytes();
    let own = UnboundCipherKey::new(&AES_256, &own).and_then(EncryptingKey::ctr);
    let context = EncryptionContext::Iv128(FixedLength::from(tag));
    own.is_ok_and(|own| own.less_safe_encrypt(payload, context).is_ok())
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
        let sealed = URL_SAFE_NO_PAD.decode(ring().seal(Purpose::Page, b"seq 17")).unwrap();
        for at in 0..sealed.len() * 8 {
            let mut bytes = sealed.clone();
            bytes[at / 8] ^= 1 << (at % 8);
            let expected = match at / 8 {
                0 => SealFault::Version,
                1..=4 => SealFault::UnknownKey,
                5..=6 => SealFault::Malformed,
                _ => SealFault::BadSignature,
            };
            assert_eq!(ring().open(Purpose::Page, &URL_SAFE_NO_PAD.encode(&bytes)), Err(expected), "bit {at}");
        }
    }

    #[test]
    fn nobody_else_reads_what_is_sealed_and_the_same_is_sealed_alike() {
        let text = ring().seal(Purpose::Feed, b"{\"s\":1234567}");
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        assert!(!bytes.windows(3).any(|part| part == b"123" || part == b"\"s\""));
        assert_eq!(ring().seal(Purpose::Feed, b"{\"s\":1234567}"), text);
        // Neighbours have nothing in common but the head.
        let next = ring().seal(Purpose::Feed, b"{\"s\":1234568}");
        let next = URL_SAFE_NO_PAD.decode(&next).unwrap();
        let alike = bytes.iter().zip(&next).skip(HEAD).filter(|(a, b)| a == b);
        assert!(alike.count() < 6);
    }

    #[test]
    fn texts_of_the_first_version_are_believed() {
        let ring = ring();
        let mut bytes = vec![CLEAR];
        bytes.extend(ring.current().id.0);
        bytes.extend(length(6));
        bytes.extend(b"seq 17");
        let mac = mac_of(ring.current().key(Purpose::Page), &bytes);
        bytes.extend(mac.finalize().into_bytes().iter().take(MAC_BYTES));
        let text = URL_SAFE_NO_PAD.encode(&bytes);
        assert_eq!(ring.open(Purpose::Page, &text), Ok(b"seq 17".to_vec()));
        assert_eq!(ring.open(Purpose::Feed, &text), Err(SealFault::BadSignature));
        bytes[0] = VERSION;
        let moved = ring.open(Purpose::Page, &URL_SAFE_NO_PAD.encode(&bytes));
        assert_eq!(moved, Err(SealFault::BadSignature));
    }

    #[test]
    fn a_text_of_another_length_is_a_fault_of_its_own() {
        let text = ring().seal(Purpose::Page, b"seq 17");
        for end in 0..text.len() {
            let cut = ring().open(Purpose::Page, &text[..end]);
            assert_eq!(cut, Err(SealFault::Malformed), "{end}");
        }
        for broken in [String::new(), format!("{text}="), format!(" {text}"), format!("{text}A")] {
            let fault = ring().open(Purpose::Page, &broken);
            assert_eq!(fault, Err(SealFault::Malformed), "{broken}");
        }
        assert_eq!(ring().open(Purpose::Page, "not base64!"), Err(SealFault::Malformed));
        assert_eq!(ring().open(Purpose::Page, &URL_SAFE_NO_PAD.encode([VERSION; 20])), Err(SealFault::Malformed));
    }

    #[test]
    fn a_text_for_one_purpose_is_worthless_for_another() {
        let text = ring().seal(Purpose::Feed, b"x");
        assert_eq!(ring().open(Purpose::Page, &text), Err(SealFault::BadSignature));
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
        assert_eq!(alone.open(Purpose::Feed, &old), Err(SealFault::UnknownKey));
    }
}
