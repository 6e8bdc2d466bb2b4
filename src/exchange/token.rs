//! Where a reader stands in a feed, as an opaque signed text of at most 512 characters,
//! bound to the data set, the client, the data generation and his rights.

use crate::registry::{Caller, Principal};
use crate::secure::keys::{KeyRing, Purpose};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Raised when the meaning of tokens changes.
const VERSION: u8 = 1;

/// A place in a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    #[serde(rename = "v")]
    version: u8,
    /// Name of the data set.
    #[serde(rename = "d")]
    pub dataset: String,
    /// The client: his organisation; 0 for the Association.
    #[serde(rename = "c")]
    pub client: i64,
    /// Data generation under which the place was given.
    #[serde(rename = "g")]
    pub generation: u64,
    /// What the client could see then.
    #[serde(rename = "r")]
    pub rights: u64,
    /// Everything up to this sequence number was delivered.
    #[serde(rename = "s")]
    pub seq: i64,
}

/// Why a token does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stale {
    /// Not a token of ours, or altered: 400.
    Malformed,
    /// Of another data set or client: 400.
    Foreign,
    /// Of another data generation, of other rights, or from the future of a restored
    /// backup: the client starts anew (`icar-full-sync`).
    Resync,
}

impl Position {
    /// A place for a client in a data set.
    pub fn new(caller: &Principal, dataset: &str, generation: u64, seq: i64) -> Self {
        Self {
            version: VERSION,
            dataset: dataset.to_owned(),
            client: client(caller),
            generation,
            rights: rights(caller),
            seq,
        }
    }

    /// Bound to something else that the client could see as well: when `mark` differs, he
    /// starts anew.
    #[must_use]
    pub fn bound(mut self, mark: u64) -> Self {
        self.rights ^= mark;
        self
    }

    /// As text.
    pub fn seal(&self, keys: &KeyRing) -> String {
        // A position is a handful of numbers and a short name; it always serialises.
        keys.seal(Purpose::Feed, &serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads a token against the place that this caller would have now; `newest` is the
    /// highest sequence number of the book.
    pub fn open(
        token: &str,
        keys: &KeyRing,
        caller: &Principal,
        dataset: &str,
        generation: u64,
        newest: i64,
    ) -> Result<Self, Stale> {
        Self::open_bound(token, keys, caller, (dataset, 0), generation, newest)
    }

    /// The same of a place that is [bound](Self::bound) to a mark.
    ///
    /// # Errors
    /// As [`Position::open`].
    pub fn open_bound(
        token: &str,
        keys: &KeyRing,
        caller: &Principal,
        (dataset, mark): (&str, u64),
        generation: u64,
        newest: i64,
    ) -> Result<Self, Stale> {
        let payload = keys
            .open(Purpose::Feed, token)
            .map_err(|_| Stale::Malformed)?;
        let position: Self = serde_json::from_slice(&payload).map_err(|_| Stale::Malformed)?;
        if position.dataset != dataset || position.client != client(caller) {
            return Err(Stale::Foreign);
        }
        let fits = position.version == VERSION
            && position.generation == generation
            && position.rights == rights(caller) ^ mark
            && position.seq <= newest;
        if fits {
            Ok(position)
        } else {
            Err(Stale::Resync)
        }
    }
}

fn client(caller: &Principal) -> i64 {
    match caller.caller {
        Caller::Association | Caller::System => 0,
        Caller::Farm | Caller::Anonymous => caller.organization.unwrap_or(-1),
    }
}

/// A mark of the locations that the caller reads.
fn rights(caller: &Principal) -> u64 {
    let text = format!("{:?} {:?}", caller.sees_all(), caller.organization);
    let digest = Sha256::digest(if caller.sees_all() {
        b"all".as_slice()
    } else {
        text.as_bytes()
    });
    digest
        .iter()
        .take(8)
        .fold(0, |n, byte| n << 8 | u64::from(*byte))
}
