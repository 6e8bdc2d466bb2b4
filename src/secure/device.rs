//! Known devices: a cookie of a browser that signed in before. It grants no access by itself, but its sign-ins are not
//! delayed by wrong passwords from elsewhere. A link in an email makes a device known, always the same one. Device and
//! link are sealed for different purposes, so that neither is accepted as the other: a link that made a new device each
//! time would reset the count of wrong passwords.

use super::keys::{KeyRing, Purpose};
use super::password::hex;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    #[serde(rename = "c")]
    pub collection: String,
    #[serde(rename = "u")]
    pub user: i64,
    /// Fingerprint of the verifier at that time: a new password makes the device unknown.
    #[serde(rename = "p")]
    pub print: String,
    /// Distinguishes it from other devices of the account.
    #[serde(rename = "n")]
    pub nonce: String,
    /// Expiry, Unix seconds.
    #[serde(rename = "e")]
    pub until: i64,
}

impl Device {
    pub fn new(collection: &str, user: i64, verifier: Option<&str>, until: i64) -> Self {
        Self {
            collection: collection.to_owned(),
            user,
            print: print(verifier),
            nonce: hex(&rand::random::<[u8; 8]>()),
            until,
        }
    }

    /// The sealed text, which [`Self::open`] reads.
    pub fn sealed(&self, ring: &KeyRing) -> String {
        self.sealed_as(Purpose::Device, ring)
    }

    /// Reads a sealed text; none when it is not of this service, or expired at `now` (ms).
    pub fn open(ring: &KeyRing, text: &str, now: i64) -> Option<Self> {
        Self::open_as(Purpose::Device, ring, text, now)
    }

    fn sealed_as(&self, purpose: Purpose, ring: &KeyRing) -> String {
        // A struct of texts and numbers is always JSON.
        let payload = serde_json::to_vec(self).unwrap_or_default();
        ring.seal(purpose, &payload)
    }

    fn open_as(purpose: Purpose, ring: &KeyRing, text: &str, now: i64) -> Option<Self> {
        let payload = ring.open(purpose, text).ok()?;
        let device: Self = serde_json::from_slice(&payload).ok()?;
        (now.div_euclid(1000) < device.until).then_some(device)
    }

    /// Whether it belongs to this account, with this verifier.
    pub fn is_of(&self, collection: &str, user: i64, verifier: Option<&str>) -> bool {
        self.collection == collection && self.user == user && self.print == print(verifier)
    }
}

/// The link of an unlock email. It makes a device known for the account, and always the same
/// device, however often it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link(Device);

impl Link {
    pub fn new(collection: &str, user: i64, verifier: Option<&str>, until: i64) -> Self {
        Self(Device::new(collection, user, verifier, until))
    }

    /// The sealed text, which [`Self::open`] reads.
    pub fn sealed(&self, ring: &KeyRing) -> String {
        self.0.sealed_as(Purpose::Link, ring)
    }

    /// Reads a sealed text; none when it is not of this service, or expired at `now` (ms).
    pub fn open(ring: &KeyRing, text: &str, now: i64) -> Option<Self> {
        Device::open_as(Purpose::Link, ring, text, now).map(Self)
    }

    pub fn user(&self) -> i64 {
        self.0.user
    }

    /// Whether it belongs to this account, with this verifier.
    pub fn is_of(&self, collection: &str, user: i64, verifier: Option<&str>) -> bool {
        self.0.is_of(collection, user, verifier)
    }

    /// The device that the link makes known until this time (Unix seconds).
    pub fn device(self, until: i64) -> Device {
        Device { until, ..self.0 }
    }
}

/// A part of the digest of a verifier: enough to distinguish verifiers, and too little to reveal one.
fn print(verifier: Option<&str>) -> String {
    let digest = blake3::hash(verifier.unwrap_or_default().as_bytes());
    let (short, _) = digest.as_bytes().split_at(8);
    hex(short)
}

#[cfg(test)]
mod tests {
    use super::super::keys::random_secret;
    use super::*;

    #[test]
    fn a_device_is_known_for_one_account_and_one_password_to_its_end() {
        let ring = KeyRing::new(&random_secret(), None).unwrap();
        let device = Device::new("users", 7, Some("v"), 100);
        let text = device.sealed(&ring);
        let opened = Device::open(&ring, &text, 99_999).unwrap();
        assert_eq!(opened, device);
        assert!(opened.is_of("users", 7, Some("v")));
        for (collection, user, verifier) in
            [("users", 8, Some("v")), ("members", 7, Some("v")), ("users", 7, Some("w")), ("users", 7, None)]
        {
            assert!(!opened.is_of(collection, user, verifier));
        }
        assert_eq!(Device::open(&ring, &text, 100_000), None, "it ended");
        let other = KeyRing::new(&random_secret(), None).unwrap();
        assert_eq!(Device::open(&other, &text, 0), None);
        let page = ring.seal(Purpose::Page, &serde_json::to_vec(&device).unwrap());
        assert_eq!(Device::open(&ring, &page, 0), None, "another purpose");
        assert!(text.len() < 300, "{}", text.len());
    }

    #[test]
    fn a_link_is_no_device_and_makes_one_only() {
        let ring = KeyRing::new(&random_secret(), None).unwrap();
        let text = Link::new("users", 7, Some("v"), 100).sealed(&ring);
        assert_eq!(Device::open(&ring, &text, 0), None);
        let device = || Link::open(&ring, &text, 0).unwrap().device(500);
        assert_eq!(device(), device(), "however often");
        assert!(device().is_of("users", 7, Some("v")));
        assert_eq!(Link::open(&ring, &device().sealed(&ring), 0), None);
        assert_eq!(Link::open(&ring, &text, 100_000), None, "it ended");
    }
}
