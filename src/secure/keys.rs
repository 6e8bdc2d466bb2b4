//! The key ring: signing keys derived from the configured secrets, with overlap while a secret is exchanged.
//!
//! Must not know what is signed; see `session` and `sealed` for that.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::password::hex;

/// Shortest secret accepted, in characters.
pub const SECRET_MIN_CHARS: usize = 32;

/// Longest unit whose mere repetition is refused as a secret, in bytes.
const LONGEST_REPEATED_UNIT: usize = 16;

/// Secrets seen in examples, templates and tutorials, in lower case. Short ones are listed as well,
/// for a message that says what is wrong.
const WELL_KNOWN: &str = "secret changeme change-me change_me password test dev development demo \
    demo-herdbook herdbook your_secret_here your-secret-here your-256-bit-secret your-secret-key \
    your_jwt_secret mysecret supersecret a-string-secret-at-least-256-bits-long \
    please-change-this-secret-before-use this-is-a-secret-please-change-it \
    change-this-to-a-long-random-string replace-with-at-least-32-characters \
    abcdefghijklmnopqrstuvwxyz012345 abcdefghijklmnopqrstuvwxyz123456 \
    12345678901234567890123456789012";

/// What a key is for. Each purpose has a key of its own, so a text signed for one is worthless for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    Session,
    /// Continuation tokens of the change feed.
    Feed,
    /// Cursors of paged lists.
    Page,
    /// Emails that wait to be sent.
    Letter,
    /// Digests by which API keys are found.
    ApiKey,
    /// Stored signing keys of webhooks.
    Webhook,
    Device,
    /// Links in emails that make a device known.
    Link,
    /// Secrets of one-time codes.
    SecondFactor,
    /// Private halves of the keys that sign packages.
    Signature,
    /// Links that end emails of a kind.
    Unsubscribe,
}

impl Purpose {
    /// Every purpose.
    pub const ALL: [Self; 11] = [
        Self::Session,
        Self::Feed,
        Self::Page,
        Self::Letter,
        Self::ApiKey,
        Self::Webhook,
        Self::Device,
        Self::Link,
        Self::SecondFactor,
        Self::Signature,
        Self::Unsubscribe,
    ];

    const fn label(self) -> &'static [u8] {
        match self {
            Self::Session => b"herdbook key 1: session",
            Self::Feed => b"herdbook key 1: feed",
            Self::Page => b"herdbook key 1: page",
            Self::Letter => b"herdbook key 1: letter",
            Self::ApiKey => b"herdbook key 1: api key",
            Self::Webhook => b"herdbook key 1: webhook",
            // For a device that was sealed before, it is unknown whether a cookie made it.
            Self::Device => b"herdbook key 1: known device",
            Self::Link => b"herdbook key 1: link",
            Self::SecondFactor => b"herdbook key 1: second factor",
            Self::Signature => b"herdbook key 1: signature",
            Self::Unsubscribe => b"herdbook key 1: unsubscribe",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretFault {
    /// No secret, or only white space.
    #[error("the {which} secret is missing")]
    Missing { which: Which },
    /// Fewer than [`SECRET_MIN_CHARS`] characters.
    #[error("the {which} secret has {chars} characters, at least 32 are needed")]
    Short { which: Which, chars: usize },
    /// An example from documentation or templates.
    #[error("the {which} secret is a well-known example")]
    WellKnown { which: Which },
    /// A short text repeated.
    #[error("the {which} secret only repeats a short text")]
    Repetitive { which: Which },
}

/// Which of the two configured secrets is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Current,
    Previous,
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Current => "current",
            Self::Previous => "previous",
        })
    }
}

/// Name of a key, derived from its secret and safe to show: first four bytes of a MAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyId(pub(crate) [u8; 4]);

impl std::fmt::Display for KeyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

#[derive(Clone)]
pub(crate) struct KeyWithId {
    pub(crate) id: KeyId,
    session: [u8; 32],
    feed: [u8; 32],
    page: [u8; 32],
    letter: [u8; 32],
    api_key: [u8; 32],
    webhook: [u8; 32],
    device: [u8; 32],
    link: [u8; 32],
    second_factor: [u8; 32],
    signature: [u8; 32],
    unsubscribe: [u8; 32],
}

impl KeyWithId {
    fn derive(secret: &str) -> Self {
        // Hashing first gives a key of fixed length for a secret of any length.
        let root: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        let key = |purpose: Purpose| -> [u8; 32] { mac_of(&root, purpose.label()).finalize().into_bytes().into() };
        let name: [u8; 32] = mac_of(&root, b"herdbook key 1: name").finalize().into_bytes().into();
        let [a, b, c, d, ..] = name;
        Self {
            id: KeyId([a, b, c, d]),
            session: key(Purpose::Session),
            feed: key(Purpose::Feed),
            page: key(Purpose::Page),
            letter: key(Purpose::Letter),
            api_key: key(Purpose::ApiKey),
            webhook: key(Purpose::Webhook),
            device: key(Purpose::Device),
            link: key(Purpose::Link),
            second_factor: key(Purpose::SecondFactor),
            signature: key(Purpose::Signature),
            unsubscribe: key(Purpose::Unsubscribe),
        }
    }

    pub(crate) fn key(&self, purpose: Purpose) -> &[u8; 32] {
        match purpose {
            Purpose::Session => &self.session,
            Purpose::Feed => &self.feed,
            Purpose::Page => &self.page,
            Purpose::Letter => &self.letter,
            Purpose::ApiKey => &self.api_key,
            Purpose::Webhook => &self.webhook,
            Purpose::Device => &self.device,
            Purpose::Link => &self.link,
            Purpose::SecondFactor => &self.second_factor,
            Purpose::Signature => &self.signature,
            Purpose::Unsubscribe => &self.unsubscribe,
        }
    }
}

/// Signing keys: one that signs and, while the secret is changed, one that is still accepted.
#[derive(Clone)]
pub struct KeyRing {
    current: KeyWithId,
    previous: Option<KeyWithId>,
    passing: bool,
}

impl std::fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<_> = self.keys().map(|key| key.id.to_string()).collect();
        f.debug_struct("KeyRing").field("ids", &ids).finish_non_exhaustive()
    }
}

impl KeyRing {
    /// Derives all keys from the secrets. Texts signed under `previous` stay valid until it is
    /// taken out of the configuration; an empty `previous` counts as none.
    ///
    /// # Errors
    /// All faults of both secrets at once.
    pub fn new(current: &str, previous: Option<&str>) -> Result<Self, Vec<SecretFault>> {
        let previous = previous.filter(|secret| !secret.trim().is_empty());
        let faults: Vec<_> = check_secret(current, Which::Current)
            .into_iter()
            .chain(previous.and_then(|secret| check_secret(secret, Which::Previous)))
            .collect();
        if faults.is_empty() {
            let previous = previous.filter(|secret| *secret != current).map(KeyWithId::derive);
            Ok(Self { current: KeyWithId::derive(current), previous, passing: false })
        } else {
            Err(faults)
        }
    }

    /// These keys, of a secret that nobody stores.
    #[must_use]
    pub fn passing(mut self) -> Self {
        self.passing = true;
        self
    }

    /// Whether nobody keeps its secret: what is encrypted under it is lost when the program ends.
    pub fn is_passing(&self) -> bool {
        self.passing
    }

    pub fn current_id(&self) -> KeyId {
        self.current.id
    }

    pub(crate) fn current(&self) -> &KeyWithId {
        &self.current
    }

    /// All accepted keys, the current one first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyWithId> {
        std::iter::once(&self.current).chain(&self.previous)
    }
}

/// Says what is wrong with a secret, if anything.
pub fn check_secret(secret: &str, which: Which) -> Option<SecretFault> {
    let plain = secret.trim().to_lowercase();
    let chars = secret.chars().count();
    if plain.is_empty() {
        Some(SecretFault::Missing { which })
    } else if WELL_KNOWN.split(' ').any(|one| one == plain) {
        Some(SecretFault::WellKnown { which })
    } else if chars < SECRET_MIN_CHARS {
        Some(SecretFault::Short { which, chars })
    } else if is_repetition(plain.as_bytes()) {
        Some(SecretFault::Repetitive { which })
    } else {
        None
    }
}

/// A new secret of 256 random bits, 43 characters of base64url.
pub fn random_secret() -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// HMAC-SHA-256 under a 32-byte key, already fed with `message`.
pub(crate) fn mac_of(key: &[u8; 32], message: &[u8]) -> Hmac<Sha256> {
    // A key shorter than the block is padded with zeros by definition (RFC 2104), which spares a fallible constructor.
    let mut block = [0_u8; 64];
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    let mut mac = Hmac::<Sha256>::new(&block.into());
    mac.update(message);
    mac
}

fn is_repetition(text: &[u8]) -> bool {
    (1..=LONGEST_REPEATED_UNIT)
        .any(|period| period < text.len() && text.iter().zip(text.iter().skip(period)).all(|(a, b)| a == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";

    #[test]
    fn good_secrets_pass() {
        assert_eq!(check_secret(GOOD, Which::Current), None);
        assert_eq!(GOOD.chars().count(), SECRET_MIN_CHARS);
        for _ in 0..20 {
            assert_eq!(check_secret(&random_secret(), Which::Current), None);
        }
        assert_ne!(random_secret(), random_secret());
        assert_eq!(random_secret().len(), 43);
    }

    #[test]
    fn bad_secrets_are_refused_with_their_reason() {
        let which = Which::Current;
        let refused = |secret: &str, fault: SecretFault| {
            assert_eq!(check_secret(secret, which), Some(fault), "{secret}");
        };
        for missing in ["", "   ", "\n"] {
            refused(missing, SecretFault::Missing { which });
        }
        refused(&GOOD[1..], SecretFault::Short { which, chars: 31 });
        for default in WELL_KNOWN.split(' ') {
            refused(&default.to_uppercase(), SecretFault::WellKnown { which });
            assert_eq!(default, default.to_lowercase());
        }
        for repeated in ["a".repeat(40), "changeme".repeat(4), "secret".repeat(6), "0123456789abcdef".repeat(2)] {
            refused(&repeated, SecretFault::Repetitive { which });
        }
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let faults = KeyRing::new("secret", Some("short")).unwrap_err();
        assert_eq!(
            faults,
            [SecretFault::WellKnown { which: Which::Current }, SecretFault::Short { which: Which::Previous, chars: 5 }]
        );
        assert!(KeyRing::new(GOOD, Some("")).unwrap().previous.is_none());
    }

    #[test]
    fn every_purpose_has_its_own_key() {
        let ring = KeyRing::new(GOOD, None).unwrap();
        let keys = std::collections::BTreeSet::from(Purpose::ALL.map(|purpose| *ring.current.key(purpose)));
        assert_eq!(keys.len(), Purpose::ALL.len());
        let other = KeyRing::new(&random_secret(), None).unwrap();
        assert_ne!(ring.current.session, other.current.session);
        assert_ne!(ring.current_id(), other.current_id());
    }

    /// Independent vector: Python's `hmac.new(sha256(secret), label, sha256)`. Changing it would end every session.
    #[test]
    fn derivation_is_stable() {
        let ring = KeyRing::new(GOOD, None).unwrap();
        assert_eq!(hex(&ring.current.session), "8726bddfc7b427b98aed8fa7b2b3625820ca226585ff4ba6774e8e724a8b6437");
        assert_eq!(ring.current_id().to_string(), "c17cc2b1");
    }

    #[test]
    fn debug_output_shows_no_key() {
        let ring = KeyRing::new(GOOD, None).unwrap();
        let debug = format!("{ring:?}");
        assert!(!debug.contains(&hex(&ring.current.session)) && !debug.contains(GOOD), "{debug}");
    }
}
