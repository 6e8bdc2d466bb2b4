//! Signed texts: sessions, and places in a feed.

use crate::world::{ASSOCIATION, FARM};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The key of a server that holds nothing worth a secret.
const KEY: &[u8] = b"a key for made-up documents";

/// The first byte of every token of a feed.
const KIND: u8 = 2;
/// Bytes of a signature.
const SIGNED: usize = 16;

fn signature(purpose: &str, payload: &[u8]) -> Vec<u8> {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(KEY) else {
        return Vec::new();
    };
    mac.update(purpose.as_bytes());
    mac.update(&[0]);
    mac.update(payload);
    mac.finalize().into_bytes().into_iter().take(SIGNED).collect()
}

/// A strong tag of a body.
pub(crate) fn tag(body: &[u8]) -> String {
    let hash = Sha256::digest(body);
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(hash.get(..16).unwrap_or_default()))
}

#[must_use]
pub fn session(account: &str) -> String {
    let payload = account.as_bytes();
    let signed = URL_SAFE_NO_PAD.encode(signature("session", payload));
    format!("{}.{signed}", URL_SAFE_NO_PAD.encode(payload))
}

/// Whose session it is.
pub(crate) fn account(token: &str) -> Option<&'static str> {
    [ASSOCIATION, FARM].into_iter().find(|account| session(account) == token)
}

/// The content of a token of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Name of the data set.
    pub(crate) set: String,
    pub(crate) account: String,
    /// Types and locations that were requested.
    pub(crate) filter: String,
    /// The last change that was returned.
    pub(crate) change: u64,
    /// Which beginning it is of; others start anew.
    pub(crate) epoch: u64,
}

/// The fault of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bad {
    Malformed,
    Forged,
}

impl Standing {
    pub(crate) fn write(&self) -> String {
        self.write_longer(0)
    }

    /// The token with so many meaningless characters added.
    pub(crate) fn write_longer(&self, letters: usize) -> String {
        let payload = json!({"d": self.set, "c": self.account, "f": self.filter,
            "s": self.change, "e": self.epoch, "x": "x".repeat(letters)});
        let payload = payload.to_string().into_bytes();
        // The length comes first, so that a truncated token can be distinguished from an altered one.
        let length = u16::try_from(payload.len()).unwrap_or(u16::MAX);
        let mut bytes = vec![KIND];
        bytes.extend(length.to_be_bytes());
        bytes.extend(&payload);
        bytes.extend(signature("changes", &payload));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a token; with `believe` the signature is not looked at.
    pub(crate) fn read(token: &str, believe: bool) -> Result<Self, Bad> {
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| Bad::Malformed)?;
        let [KIND, high, low, rest @ ..] = bytes.as_slice() else {
            return Err(Bad::Malformed);
        };
        let end = usize::from(u16::from_be_bytes([*high, *low]));
        let (payload, signed) = rest.split_at_checked(end).ok_or(Bad::Malformed)?;
        if signed.len() != SIGNED {
            return Err(Bad::Malformed);
        }
        if signature("changes", payload) != signed && !believe {
            return Err(Bad::Forged);
        }
        let read: Option<Value> = serde_json::from_slice(payload).ok();
        let read = read.ok_or(Bad::Malformed)?;
        let text = |name: &str| read.get(name).and_then(Value::as_str).map(str::to_owned);
        let number = |name: &str| read.get(name).and_then(Value::as_u64);
        let standing = || {
            Some(Self {
                set: text("d")?,
                account: text("c")?,
                filter: text("f")?,
                change: number("s")?,
                epoch: number("e")?,
            })
        };
        standing().ok_or(Bad::Malformed)
    }
}
