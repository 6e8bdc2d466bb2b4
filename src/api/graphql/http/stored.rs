//! Queries that clients send by their SHA-256 (automatic persisted queries): a client that once
//! sent a query with its hash may send the hash alone afterwards. They are held in the memory of
//! one process: a client whose hash is answered as unknown sends the query again.

use crate::cache::Cache;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Memory for queries, bytes.
const ROOM: u64 = 16 << 20;

pub(in crate::graphql) struct Stored(Cache<String>);

impl Stored {
    pub(in crate::graphql) fn new() -> Self {
        Self(Cache::by_weight(ROOM, |hash, query| hash.len() + query.len() + 128))
    }

    pub(in crate::graphql) fn get(&self, hash: &str) -> Option<Arc<String>> {
        self.0.get(&hash.to_ascii_lowercase())
    }

    /// Whether a hash is that of a query.
    pub(in crate::graphql) fn fits(hash: &str, query: &str) -> bool {
        let digest = Sha256::digest(query.as_bytes());
        let text: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        text.eq_ignore_ascii_case(hash)
    }

    /// Remembers a query under its hash.
    pub(in crate::graphql) fn put(&self, hash: &str, query: &str) {
        self.0.insert(hash.to_ascii_lowercase(), Arc::new(query.to_owned()));
    }
}
