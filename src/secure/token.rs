//! Secrets that are handed out once and recognised later: tokens of emails (reset, verification,
//! invitations, links) and API keys. Only digests are stored.

use super::keys::{KeyRing, Purpose, mac_of};
use super::password::hex;
use hmac::Mac as _;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Longer texts are never tokens of this service (bytes).
const TOKEN_MAX: usize = 512;

#[derive(Clone, PartialEq, Eq)]
pub struct NewToken {
    /// What is handed out: 64 hexadecimal digits, 256 random bits.
    pub token: String,
    /// What is stored, see [`digest`].
    pub digest: String,
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken").field("digest", &self.digest).finish_non_exhaustive()
    }
}

pub fn mint() -> NewToken {
    let token = hex(&rand::random::<[u8; 32]>());
    let digest = digest(&token);
    NewToken { token, digest }
}

/// SHA-256 of a token, 64 hexadecimal digits. Tokens are random, so that no salt is needed.
pub fn digest(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// Whether a shown token is the one of a stored digest, in constant time.
pub fn matches(token: &str, stored: &str) -> bool {
    token.len() <= TOKEN_MAX && same(&digest(token), stored)
}

/// Whether two digests are equal, in constant time.
pub fn same(a: &str, b: &str) -> bool {
    bool::from(a.as_bytes().ct_eq(b.as_bytes()))
}

impl KeyRing {
    /// The digest under which an API key is stored: HMAC-SHA-256, 64 hexadecimal digits. Without the secret of the
    /// service, keys cannot be tried on a stolen table, although callers may choose their keys.
    pub fn api_key(&self, key: &str) -> String {
        let mac = mac_of(self.current().key(Purpose::ApiKey), key.as_bytes());
        hex(&mac.finalize().into_bytes())
    }

    /// All digests under which a key may be stored while a secret is exchanged, the
    /// current one first. Texts that are too long to be keys have none.
    pub fn api_keys(&self, key: &str) -> Vec<String> {
        let digests = self.keys().map(|key_with_id| {
            let mac = mac_of(key_with_id.key(Purpose::ApiKey), key.as_bytes());
            hex(&mac.finalize().into_bytes())
        });
        let fits = key.len() <= TOKEN_MAX;
        digests.filter(|_| fits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::random_secret;
    use super::*;

    #[test]
    fn a_token_is_known_again_by_its_digest() {
        let minted = mint();
        assert_eq!(minted.token.len(), 64);
        assert_eq!(minted.digest.len(), 64);
        assert!(matches(&minted.token, &minted.digest));
        assert!(!matches(&mint().token, &minted.digest));
        assert!(!matches(&minted.digest, &minted.digest), "the digest opens nothing");
        assert!(!matches("", &minted.digest) && !matches(&minted.token, ""));
        let debug = format!("{minted:?}");
        assert!(!debug.contains(&minted.token), "{debug}");
    }

    /// Independent vector: FIPS 180-4, the digest of `abc`.
    #[test]
    fn digests_are_sha_256() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest("abc"), abc);
    }

    #[test]
    fn api_keys_hang_on_the_secret() {
        let old = KeyRing::new("kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p", None).unwrap();
        let next = random_secret();
        let both = KeyRing::new(&next, Some("kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p")).unwrap();
        assert_ne!(both.api_key("key"), old.api_key("key"));
        assert_eq!(both.api_keys("key"), [both.api_key("key"), old.api_key("key")]);
        assert_ne!(old.api_key("key"), old.api_key("Key"));
        assert!(old.api_keys(&"x".repeat(513)).is_empty());
    }
}
