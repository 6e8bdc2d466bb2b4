//! Feed tokens: a cursor as an opaque signed text of at most 512 characters, bound to the data set, the client with its
//! filters and rights, the data generation and the incarnation of the book (`docs/feed-profile.md`, P5 and P6).

use model::registry::{Caller, Principal};
use secure::keys::{KeyRing, Purpose};
use secure::sealed::SealFault;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Version of the profile. Raised when the meaning of tokens changes.
const VERSION: u8 = 2;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    #[serde(rename = "v")]
    version: u8,
    /// Name of the data set.
    #[serde(rename = "d")]
    pub dataset: String,
    /// The organisation of the client; 0 for the Association.
    #[serde(rename = "c")]
    client: i64,
    #[serde(rename = "u")]
    user: i64,
    /// What the feed was narrowed to; 0: nothing.
    #[serde(rename = "f")]
    filter: u64,
    /// Data generation under which the place was given.
    #[serde(rename = "g")]
    generation: u64,
    /// The book that gave it: a restored one is another.
    #[serde(rename = "i")]
    incarnation: u64,
    /// What the client could see then.
    #[serde(rename = "r")]
    rights: u64,
    /// What was withdrawn or dropped up to this sequence number was so when reading began. It stands still while
    /// nothing of that kind happens, so that the same page has the same token.
    #[serde(rename = "b")]
    pub base: i64,
    /// Everything up to this sequence number was delivered.
    #[serde(rename = "s")]
    pub seq: i64,
    /// At that number, everything up to this document; 0: all of it.
    #[serde(rename = "w")]
    pub within: i64,
}

/// The state of the book that tokens are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeedState {
    /// Highest sequence number.
    pub newest: i64,
    /// Data generation that the documents were rendered under.
    pub generation: u64,
    pub incarnation: u64,
    /// Highest sequence number of a tombstone that was dropped; 0: none was.
    pub horizon: i64,
}

/// The reader and the data set of a feed.
#[derive(Debug, Clone, Copy)]
pub struct Chain<'a> {
    pub caller: &'a Principal,
    /// Name of the data set.
    pub dataset: &'a str,
    /// Digest of the filters; 0: none.
    pub filter: u64,
}

/// Why a token does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stale {
    /// Not a token of this service: 400.
    Malformed,
    /// Ours at first sight, but not signed by us, or altered: 400.
    Forged,
    /// Of another data set or client: 400.
    Foreign,
    /// Of the same feed with other filters: 400.
    Filter,
    /// The client starts anew (`icar-full-sync`).
    Resync(ResyncReason),
}

/// Why a client starts anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResyncReason {
    /// The token is of another version of the profile.
    Profile,
    /// It was signed with a key that is no longer in use.
    Key,
    /// The book was restored from a backup, or is ahead of the token's.
    Restored,
    /// All documents were rendered anew.
    Generation,
    /// The client may see other locations now.
    Rights,
    /// Tombstones that the client has not read were dropped.
    Expired,
    /// The token is of the service that this one takes over from.
    Service,
}

impl ResyncReason {
    /// As clients read it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Key => "key",
            Self::Restored => "restored",
            Self::Generation => "generation",
            Self::Rights => "rights",
            Self::Expired => "expired",
            Self::Service => "service",
        }
    }
}

impl Cursor {
    /// A cursor: everything up to a sequence number was delivered, and reading begins now.
    pub fn new(chain: Chain<'_>, book: FeedState, seq: i64) -> Self {
        Self {
            version: VERSION,
            dataset: chain.dataset.to_owned(),
            client: client(chain.caller),
            user: chain.caller.user.unwrap_or(0),
            filter: chain.filter,
            generation: book.generation,
            incarnation: book.incarnation,
            rights: rights(chain.caller),
            base: book.horizon,
            seq,
            within: 0,
        }
    }

    /// Where changes of rights up to a sequence number were in force when reading began.
    #[must_use]
    pub fn based(mut self, rights: i64) -> Self {
        self.base = self.base.max(rights);
        self
    }

    /// A later place of the same reading.
    #[must_use]
    pub fn moved(mut self, seq: i64, within: i64) -> Self {
        (self.seq, self.within) = (seq, within);
        self
    }

    pub fn seal(&self, keys: &KeyRing) -> String {
        // Some numbers and a short name always serialise.
        keys.seal(Purpose::Feed, &serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads a token against what the book is now.
    pub fn open(token: &str, keys: &KeyRing, chain: Chain<'_>, book: FeedState) -> Result<Self, Stale> {
        let payload = keys.open(Purpose::Feed, token).map_err(|fault| match fault {
            SealFault::Malformed | SealFault::Version => Stale::Malformed,
            SealFault::BadSignature => Stale::Forged,
            SealFault::UnknownKey => Stale::Resync(ResyncReason::Key),
        })?;
        // We signed it: what cannot be read is of another version.
        let position: Self = serde_json::from_slice(&payload).map_err(|_| Stale::Resync(ResyncReason::Profile))?;
        if position.version != VERSION {
            return Err(Stale::Resync(ResyncReason::Profile));
        }
        if position.dataset != chain.dataset {
            return Err(Stale::Foreign);
        }
        if position.client != client(chain.caller) {
            // A user who moved to another organisation has the token rightly and starts anew.
            let same = position.user != 0 && Some(position.user) == chain.caller.user;
            return Err(if same { Stale::Resync(ResyncReason::Rights) } else { Stale::Foreign });
        }
        if position.filter != chain.filter {
            return Err(Stale::Filter);
        }
        let ended = [
            (position.incarnation != book.incarnation, ResyncReason::Restored),
            (position.seq > book.newest, ResyncReason::Restored),
            (position.generation != book.generation, ResyncReason::Generation),
            (position.rights != rights(chain.caller), ResyncReason::Rights),
            // What was dropped before reading began was never delivered.
            (position.seq.max(position.base) < book.horizon, ResyncReason::Expired),
        ];
        match ended.into_iter().find(|(ended, _)| *ended) {
            Some((_, why)) => Err(Stale::Resync(why)),
            None => Ok(position),
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
    if caller.sees_all() {
        return mark(b"all");
    }
    mark(format!("{:?}", caller.organization).as_bytes())
}

/// A number that differs when a text does.
pub fn mark(text: &[u8]) -> u64 {
    (Sha256::digest(text).iter().take(8)).fold(0, |n, byte| n << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_token_has_at_most_512_characters() {
        let keys = KeyRing::new("kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p", None).unwrap();
        let mut longest: Vec<&str> =
            (ade::catalog::Catalog::get().collections().iter()).map(|entry| entry.name.as_str()).collect();
        longest.sort_by_key(|name| name.len());
        let position = Cursor {
            version: u8::MAX,
            dataset: (*longest.last().unwrap()).to_owned(),
            client: i64::MAX,
            user: i64::MAX,
            filter: u64::MAX,
            generation: u64::MAX,
            incarnation: u64::MAX,
            rights: u64::MAX,
            base: i64::MAX,
            seq: i64::MAX,
            within: i64::MAX,
        };
        let token = position.seal(&keys);
        assert!(token.len() <= 512, "{} characters", token.len());
    }
}
