//! The key pairs by which the installation signs what anybody may verify (Ed25519, RFC 8032), and their public halves
//! as JSON Web Keys (RFC 8037). Knows neither what is signed nor where keys are stored.

use super::closed::CipherFault;
use super::keys::{KeyRing, Purpose};
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The name of the algorithm, in statements and in the list of keys.
pub const ALGORITHM: &str = "Ed25519";
/// Bytes of a seed and of a public half.
const KEY: usize = 32;
/// Bytes of a signature.
const SIGNATURE: usize = 64;

/// Why a key pair cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SigningKeyFault {
    /// The stored half cannot be decrypted.
    #[error("the stored half cannot be decrypted: {0}")]
    Closed(#[from] CipherFault),
    /// What was decrypted is no key.
    #[error("what was decrypted is no key")]
    Malformed,
}

pub struct SigningPair(Ed25519KeyPair);

impl std::fmt::Debug for SigningPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SigningPair({})", self.public().id())
    }
}

impl SigningPair {
    /// A new one, with its private half as it may be stored.
    ///
    /// # Errors
    /// [`SigningKeyFault::Closed`] when there is no randomness.
    pub fn new(ring: &KeyRing) -> Result<(Self, String), SigningKeyFault> {
        let seed: [u8; KEY] = rand::random();
        let closed = ring.close(Purpose::Signature, &seed)?;
        Ok((Self::of(&seed)?, closed))
    }

    /// The one of a stored half.
    pub fn open(ring: &KeyRing, closed: &str) -> Result<Self, SigningKeyFault> {
        Self::of(&ring.disclose(Purpose::Signature, closed)?)
    }

    /// The private half as it is to be stored from now on, where it was encrypted under a former secret.
    pub fn close_anew(ring: &KeyRing, closed: &str) -> Result<Option<String>, SigningKeyFault> {
        if ring.is_closed_anew(closed) {
            return Ok(None);
        }
        let seed = ring.disclose(Purpose::Signature, closed)?;
        Ok(Some(ring.close(Purpose::Signature, &seed)?))
    }

    fn of(seed: &[u8]) -> Result<Self, SigningKeyFault> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed);
        pair.map(Self).map_err(|_| SigningKeyFault::Malformed)
    }

    pub fn public(&self) -> PublicKey {
        let mut key = [0; KEY];
        let bytes = self.0.public_key().as_ref();
        key.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        PublicKey(key)
    }

    /// The signature of a text, base64url without padding.
    pub fn sign(&self, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.0.sign(text.as_bytes()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; KEY]);

impl PublicKey {
    /// From base64url without padding.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// From a JSON Web Key; none of another kind.
    pub fn from_jwk(jwk: &Value) -> Option<Self> {
        let text = |name| jwk.get(name).and_then(Value::as_str);
        let kind = (text("kty"), text("crv"));
        (kind == (Some("OKP"), Some(ALGORITHM))).then(|| Self::read(text("x")?)).flatten()
    }

    /// All of a set of JSON Web Keys, or of a single one.
    pub fn all_of(jwks: &Value) -> Vec<Self> {
        match jwks.get("keys").and_then(Value::as_array) {
            Some(keys) => keys.iter().filter_map(Self::from_jwk).collect(),
            None => Self::from_jwk(jwks).into_iter().collect(),
        }
    }

    /// base64url without padding.
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Its name: the thumbprint (RFC 7638).
    pub fn id(&self) -> String {
        let (x, form) = (self.text(), ALGORITHM);
        let members = format!(r#"{{"crv":"{form}","kty":"OKP","x":"{x}"}}"#);
        URL_SAFE_NO_PAD.encode(Sha256::digest(members))
    }

    /// As a JSON Web Key.
    pub fn jwk(&self) -> Value {
        json!({
            "kty": "OKP", "crv": ALGORITHM, "x": self.text(), "kid": self.id(), "use": "sig", "alg": "EdDSA",
        })
    }

    /// Whether the signature of the text is that of this key.
    pub fn verifies(&self, text: &str, signature: &str) -> bool {
        let signature = URL_SAFE_NO_PAD.decode(signature);
        signature.is_ok_and(|signature| {
            let key = UnparsedPublicKey::new(&ED25519, self.0);
            signature.len() == SIGNATURE && key.verify(text.as_bytes(), &signature).is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{PublicKey, SigningPair};
    use crate::closed::CipherFault;
    use crate::ed25519::SigningKeyFault;
    use crate::keys::{KeyRing, Purpose, random_secret};
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    /// RFC 8037, appendix A: the key of RFC 8032, its thumbprint, a signature.
    #[test]
    fn keys_and_signatures_are_those_of_the_rfc() {
        let seed = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
        let seed = URL_SAFE_NO_PAD.decode(seed).unwrap();
        let pair = SigningPair::of(&seed).unwrap();
        let public = pair.public();
        assert_eq!(public.text(), "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        assert_eq!(public.id(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        let text = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        let signed = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        assert_eq!(pair.sign(text), signed);
        assert!(public.verifies(text, signed));
        assert!(!public.verifies("another", signed));
        assert!(!public.verifies(text, &signed[..80]));
        assert!(!public.verifies(text, "!"));
    }

    #[test]
    fn public_halves_are_read_from_keys_and_sets() {
        let ring = KeyRing::new(&random_secret(), None).unwrap();
        let (pair, _) = SigningPair::new(&ring).unwrap();
        let key = pair.public();
        assert_eq!(PublicKey::from_jwk(&key.jwk()), Some(key));
        assert_eq!(PublicKey::all_of(&key.jwk()), [key]);
        let other = json!({"kty": "EC", "crv": "P-256", "x": key.text()});
        let short = json!({"kty": "OKP", "crv": "Ed25519", "x": "AAAA"});
        let set = json!({"keys": [other, key.jwk(), short]});
        assert_eq!(PublicKey::all_of(&set), [key]);
        assert_eq!(PublicKey::all_of(&json!("x")), []);
    }

    #[test]
    fn the_private_half_is_stored_unreadable_and_opens_under_its_secret_only() {
        let secret = random_secret();
        let ring = KeyRing::new(&secret, None).unwrap();
        let (pair, closed) = SigningPair::new(&ring).unwrap();
        let opened = SigningPair::open(&ring, &closed).unwrap();
        assert_eq!(opened.public(), pair.public());
        let next = random_secret();
        let overlapping = KeyRing::new(&next, Some(&secret)).unwrap();
        assert!(SigningPair::open(&overlapping, &closed).is_ok());
        assert_eq!(SigningPair::close_anew(&ring, &closed), Ok(None));
        let anew = SigningPair::close_anew(&overlapping, &closed).unwrap();
        let other = KeyRing::new(&next, None).unwrap();
        let moved = SigningPair::open(&other, &anew.unwrap()).unwrap();
        assert_eq!(moved.public(), pair.public());
        let unknown = SigningKeyFault::Closed(CipherFault::UnknownKey);
        assert_eq!(SigningPair::open(&other, &closed).unwrap_err(), unknown);
        let odd = ring.close(Purpose::Signature, b"short").unwrap();
        let malformed = SigningPair::open(&ring, &odd).unwrap_err();
        assert_eq!(malformed, SigningKeyFault::Malformed);
        assert!(!format!("{pair:?}").contains(&closed));
    }
}
