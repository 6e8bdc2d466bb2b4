//! The client for which a request is counted.

use crate::caller::Who;
use crate::layers::peer::{Address, customer};
use axum::http::Extensions;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::LazyLock;

/// The unit for which requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Client {
    Organization(i64),
    /// A signed-in user without an organisation.
    User(i64),
    Address(IpAddr),
    /// A caller without an account and a known address.
    Unknown,
    /// An API key, within its organisation: its account, and the row of the key, if it has one.
    Key(i64, Option<i64>),
    /// An account that a client tries to sign in to, by a digest of its name.
    Account([u8; 16]),
}

impl Client {
    /// The client of a request: the accepted caller, or the address.
    pub(super) fn of(extensions: &Extensions) -> Self {
        let principal = extensions.get::<Who>().map(|who| &who.principal);
        let signed_in = principal.and_then(|who| match (who.organization, who.user) {
            (Some(organization), Some(_)) => Some(Self::Organization(organization)),
            (None, Some(user)) => Some(Self::User(user)),
            (_, None) => None,
        });
        signed_in.unwrap_or_else(|| Self::at(extensions))
    }

    /// A number of its own within this process.
    pub(super) fn number(self) -> u64 {
        static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        STATE.hash_one(self)
    }

    /// The client by its address alone.
    pub(super) fn at(extensions: &Extensions) -> Self {
        let address = extensions.get::<Address>().and_then(|Address(ip)| *ip);
        Self::from(address)
    }

    pub(super) fn key(extensions: &Extensions) -> Option<Self> {
        let who = extensions.get::<Who>()?;
        let key = who.principal.key.as_ref()?;
        Some(Self::Key(who.principal.user?, key.id))
    }

    /// An account by its name, whether or not there is one.
    pub(super) fn account(collection: &str, name: &str) -> Self {
        let text = format!("{collection}\n{}", name.trim().to_lowercase());
        let digest = blake3::hash(text.as_bytes());
        let mut short = [0; 16];
        for (to, from) in short.iter_mut().zip(digest.as_bytes()) {
            *to = *from;
        }
        Self::Account(short)
    }
}

impl From<Option<IpAddr>> for Client {
    fn from(address: Option<IpAddr>) -> Self {
        address.map_or(Self::Unknown, |ip| Self::Address(customer(ip)))
    }
}
