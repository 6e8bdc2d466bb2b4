//! Encrypted texts that only this service reads again (AES-256-GCM), for secrets that are stored
//! in a table and must not be readable there.
//!
//! Layout before base64url without padding: version (1 byte), key name (4), nonce (12),
//! cipher text with tag. The first two are authenticated. Must not know what a payload means.

use super::keys::{KeyId, KeyRing, Purpose};
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const VERSION: u8 = 1;
const HEAD: usize = 5;

/// Why an encrypted text cannot be decrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CipherFault {
    /// Not an encrypted text.
    #[error("the text is malformed")]
    Malformed,
    /// Encrypted under a secret that is no longer, or was never, configured.
    #[error("the text was encrypted with an unknown key")]
    UnknownKey,
    /// Altered, or encrypted for another purpose.
    #[error("the text was altered")]
    Altered,
    /// The library refused.
    #[error("the text could not be encrypted")]
    Closing,
}

impl KeyRing {
    /// Closes a payload under the current key of `purpose`.
    ///
    /// # Errors
    /// [`CipherFault::Closing`] when there is no randomness.
    pub fn close(&self, purpose: Purpose, payload: &[u8]) -> Result<String, CipherFault> {
        let key = self.current();
        let [a, b, c, d] = key.id.0;
        let head = [VERSION, a, b, c, d];
        let cipher = RandomizedNonceKey::new(&AES_256_GCM, key.key(purpose));
        let cipher = cipher.map_err(|_| CipherFault::Closing)?;
        let mut text = payload.to_vec();
        let nonce = cipher.seal_in_place_append_tag(Aad::from(head), &mut text);
        let nonce = nonce.map_err(|_| CipherFault::Closing)?;
        let mut bytes = head.to_vec();
        bytes.extend_from_slice(nonce.as_ref());
        bytes.extend_from_slice(&text);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Whether a text was encrypted under the current secret.
    pub fn is_closed_anew(&self, text: &str) -> bool {
        let bytes = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
        matches!(bytes.first_chunk(), Some(&[_, a, b, c, d]) if KeyId([a, b, c, d]) == self.current().id)
    }

    /// Returns the payload, if it was encrypted for `purpose` under the current or the previous secret.
    pub fn disclose(&self, purpose: Purpose, text: &str) -> Result<Vec<u8>, CipherFault> {
        let malformed = |_| CipherFault::Malformed;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(malformed)?;
        let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or(CipherFault::Malformed)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_LEN>().ok_or(CipherFault::Malformed)?;
        let [VERSION, a, b, c, d] = *head else {
            return Err(CipherFault::Malformed);
        };
        let id = KeyId([a, b, c, d]);
        let mut outcome = Err(CipherFault::UnknownKey);
        for key in self.keys().filter(|key| key.id == id) {
            let cipher = RandomizedNonceKey::new(&AES_256_GCM, key.key(purpose));
            let cipher = cipher.map_err(|_| CipherFault::Altered)?;
            let mut sealed = sealed.to_vec();
            let opened = cipher.open_in_place(Nonce::from(nonce), Aad::from(*head), &mut sealed);
            outcome = match opened {
                Ok(payload) => return Ok(payload.to_vec()),
                Err(_) => Err(CipherFault::Altered),
            };
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::random_secret;
    use super::*;

    const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";

    fn ring() -> KeyRing {
        KeyRing::new(SECRET, None).unwrap()
    }

    #[test]
    fn what_is_closed_is_unreadable_and_opens() {
        for payload in [&b""[..], b"x", &[7; 5_000]] {
            let text = ring().close(Purpose::Letter, payload).unwrap();
            let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
            let leaks = payload.len() > 8 && bytes.windows(8).any(|w| payload.starts_with(w));
            assert!(!leaks);
            assert_eq!(ring().disclose(Purpose::Letter, &text).unwrap(), payload);
            let other = ring().close(Purpose::Letter, payload).unwrap();
            assert_ne!(other, text, "a nonce is never used twice");
        }
    }

    #[test]
    fn every_changed_byte_and_every_other_key_is_noticed() {
        let text = ring().close(Purpose::Letter, b"token 17").unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            let text = URL_SAFE_NO_PAD.encode(&bytes);
            let expected = match at {
                0 => CipherFault::Malformed,
                1..HEAD => CipherFault::UnknownKey,
                _ => CipherFault::Altered,
            };
            let opened = ring().disclose(Purpose::Letter, &text);
            assert_eq!(opened, Err(expected), "{at}");
        }
        let other = ring().disclose(Purpose::Session, &text);
        assert_eq!(other, Err(CipherFault::Altered));
        for end in 0..text.len() {
            assert!(ring().disclose(Purpose::Letter, &text[..end]).is_err());
        }
    }

    #[test]
    fn the_previous_secret_opens_until_it_is_removed() {
        let old = ring().close(Purpose::Letter, b"x").unwrap();
        let next = random_secret();
        let both = KeyRing::new(&next, Some(SECRET)).unwrap();
        assert_eq!(both.disclose(Purpose::Letter, &old).unwrap(), b"x");
        let alone = KeyRing::new(&next, None).unwrap();
        let opened = alone.disclose(Purpose::Letter, &old);
        assert_eq!(opened, Err(CipherFault::UnknownKey));
    }
}
