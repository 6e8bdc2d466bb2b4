//! Signatures of messages to others, in the form of *Standard Webhooks*: keys `whsec_…`, signatures `v1,…` over id,
//! time and body (HMAC-SHA-256). Knows neither what a message says nor how it travels.

use super::keys::mac_of;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::Mac as _;

/// What begins a signing key.
const PREFIX: &str = "whsec_";
/// What begins a signature, before its comma.
const VERSION: &str = "v1";

/// A new signing key: 256 random bits.
pub fn signing_key() -> String {
    let key: [u8; 32] = rand::random();
    format!("{PREFIX}{}", STANDARD.encode(key))
}

/// The signature of a message, in the form of `webhook-signature`; none when the key is none.
/// `timestamp` is in epoch seconds.
pub fn signature(key: &str, id: &str, timestamp: i64, body: &str) -> Option<String> {
    let key = STANDARD.decode(key.strip_prefix(PREFIX)?).ok()?;
    let key: [u8; 32] = key.try_into().ok()?;
    let mac = mac_of(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    let signed = STANDARD.encode(mac.finalize().into_bytes());
    Some(format!("{VERSION},{signed}"))
}

#[cfg(test)]
mod tests {
    use super::{signature, signing_key};

    /// Independent vector: computed by the HMAC of OpenSSL over `msg_1.1700000000.{}` under
    /// the 32 bytes `0123456789abcdef0123456789abcdef`.
    #[test]
    fn signatures_are_those_of_the_specification() {
        let key = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
        let signed = signature(key, "msg_1", 1_700_000_000, "{}");
        assert_eq!(signed.as_deref(), Some("v1,2c4VI0bO4Wd5svqP2unEA9pCk0dTAXr/elrHCJ+/efk="));
    }

    #[test]
    fn keys_are_new_each_time_and_sign() {
        let (one, other) = (signing_key(), signing_key());
        assert_ne!(one, other);
        assert_eq!(one.len(), "whsec_".len() + 44);
        let signed = |key: &str| signature(key, "a", 1, "b");
        assert!(signed(&one).is_some() && signed(&one) != signed(&other));
        assert_ne!(signed(&one), signature(&one, "a", 2, "b"));
        assert_ne!(signed(&one), signature(&one, "c", 1, "b"));
        assert_ne!(signed(&one), signature(&one, "a", 1, "c"));
        assert_eq!(signed("whsec_!"), None);
        assert_eq!(signed("x"), None);
    }
}
