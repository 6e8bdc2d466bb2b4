//! An authenticator with one key, and its answers; CBOR is written by hand.

use super::ORIGIN;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as URL;
use serde_json::{Value, json};

/// Present and verified.
pub(super) const VERIFIED: u8 = 0x05;
/// Present only.
pub(super) const PRESENT: u8 = 0x01;

/// An authenticator with one key.
pub(super) struct Device {
    pub(super) key: EcdsaKeyPair,
    pub(super) id: Vec<u8>,
    pub(super) handle: Vec<u8>,
}

/// The differences from a good answer.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) origin: &'a str,
    pub(super) site: &'a str,
    pub(super) flags: u8,
    pub(super) counter: u32,
    pub(super) spoilt: bool,
}

pub(super) const GOOD: Way<'static> =
    Way { origin: ORIGIN, site: "localhost", flags: VERIFIED, counter: 1, spoilt: false };

pub(super) fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest(&SHA256, bytes).as_ref().to_vec()
}

pub(super) fn client_data(kind: &str, challenge: &str, origin: &str) -> String {
    json!({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false}).to_string()
}

impl Device {
    /// For the account that the options name.
    pub(super) fn new(options: &Value, id: u8) -> Self {
        let handle = options["publicKey"]["user"]["id"].as_str().unwrap();
        Self {
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap(),
            id: vec![id; 16],
            handle: URL.decode(handle).unwrap(),
        }
    }

    fn data(way: Way<'_>, more: u8) -> Vec<u8> {
        let mut data = sha256(way.site.as_bytes());
        data.push(way.flags | more);
        data.extend(way.counter.to_be_bytes());
        data
    }

    /// The answer to a request for a new key, by hand in CBOR.
    pub(super) fn make(&self, options: &Value, way: Way<'_>) -> Value {
        let challenge = options["publicKey"]["challenge"].as_str().unwrap();
        let mut data = Self::data(way, 0x40);
        data.extend([0; 16]);
        data.extend([0, 16]);
        data.extend(&self.id);
        let point = self.key.public_key().as_ref();
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32]);
        data.extend(&point[1..33]);
        data.extend([0x22, 0x58, 32]);
        data.extend(&point[33..65]);
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(u8::try_from(data.len()).unwrap());
        object.extend(data);
        let client = client_data("webauthn.create", challenge, way.origin);
        json!({
            "id": URL.encode(&self.id), "rawId": URL.encode(&self.id), "type": "public-key",
            "response": {"attestationObject": URL.encode(object), "clientDataJSON": URL.encode(client)},
            "clientExtensionResults": {},
        })
    }

    /// The answer to a challenge of a sign-in.
    pub(super) fn show(&self, options: &Value, way: Way<'_>) -> Value {
        let challenge = options["publicKey"]["challenge"].as_str().unwrap();
        let data = Self::data(way, 0);
        let client = client_data("webauthn.get", challenge, way.origin);
        let mut signed = data.clone();
        signed.extend(sha256(client.as_bytes()));
        if way.spoilt {
            signed[40] ^= 1;
        }
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        json!({
            "id": URL.encode(&self.id), "rawId": URL.encode(&self.id), "type": "public-key",
            "response": {
                "authenticatorData": URL.encode(data), "clientDataJSON": URL.encode(client),
                "signature": URL.encode(signature), "userHandle": URL.encode(&self.handle),
            },
            "clientExtensionResults": {},
        })
    }
}
