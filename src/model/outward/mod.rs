//! Where the server may connect to by itself when a caller names the address: which URLs are
//! accepted, and which network addresses. Pure: resolves nothing and connects to nothing.
//!
//! A name is judged twice: by its form when it is received, and by the addresses that it resolves
//! to at every connection. Only the second judgement protects, since a name may resolve elsewhere
//! at any moment.

use crate::messages::Sentence;
use crate::said;
use ipnet::IpNet;
use std::fmt;
use std::net::IpAddr;
use std::sync::LazyLock;
use url::{Host, Url};

/// Longest URL, bytes.
pub const URL_MAX: usize = 2_000;

/// Ports below this one are services of the system; of them only those of the web are
/// connected to.
const FIRST_FREE_PORT: u16 = 1_024;

/// Addresses that are never connected to, with their kind, by the registries of special-purpose
/// addresses (IANA), and the public addresses at which clouds give machines data about themselves.
const CLOSED: [(&str, &str); 31] = [
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared by a provider"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "of a cloud's own services"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "of protocols"),
    ("192.0.2.0/24", "for documentation"),
    ("192.31.196.0/24", "of protocols"),
    ("192.52.193.0/24", "of protocols"),
    ("192.88.99.0/24", "of protocols"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "of protocols"),
    ("198.18.0.0/15", "for measurements"),
    ("198.51.100.0/24", "for documentation"),
    ("203.0.113.0/24", "for documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::ffff:0:0/96", "of the other protocol"),
    ("64:ff9b::/96", "of the other protocol"),
    ("2001::/23", "of protocols"),
    ("2001:db8::/32", "for documentation"),
    ("2002::/16", "of the other protocol"),
    ("2620:4f:8000::/48", "of protocols"),
    ("3fff::/20", "for documentation"),
    ("fc00::/7", "unique local"),
    ("fe80::/10", "link-local"),
    ("ff00::/8", "multicast"),
];

/// All that is unicast and global in IPv6.
const GLOBAL: &str = "2000::/3";

static CLOSED_NETS: LazyLock<Vec<(IpNet, &str)>> = LazyLock::new(|| {
    let read = |(net, kind): &(&str, &'static str)| Some((net.parse().ok()?, *kind));
    CLOSED.iter().filter_map(read).collect()
});

static GLOBAL_NET: LazyLock<Option<IpNet>> = LazyLock::new(|| GLOBAL.parse().ok());

/// Why a place is not connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressError {
    /// Not a URL, without a host, or longer than [`URL_MAX`].
    Form,
    /// Another scheme than those that are allowed.
    Scheme,
    /// A user or password in it.
    Credentials,
    /// A fragment, which no server gets to see.
    Fragment,
    /// A port of a service that is not the web's.
    Port,
    /// An address of that kind.
    Address(&'static str),
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for AddressError {}

impl AddressError {
    /// What the address does, as the end of a sentence about it.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Form => "must be https://host[:port]/path".into(),
            Self::Scheme => "must begin with https://".into(),
            Self::Credentials => "must not hold a user or password".into(),
            Self::Fragment => "must not have a fragment".into(),
            Self::Port => "must have the port 443, or one from 1024".into(),
            Self::Address(kind) => {
                let kind = Sentence::from(*kind);
                said!("must not lead to an address that is {kind}", kind = kind)
            }
        }
    }

    /// Its code in errors.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Form => "not-a-url",
            Self::Scheme => "scheme",
            Self::Credentials => "credentials",
            Self::Fragment => "fragment",
            Self::Port => "port",
            Self::Address(_) => "address",
        }
    }
}

/// A place that may be connected to, as far as its form shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The URL as it will be requested.
    pub url: String,
    /// Name or address of its host, lower-case.
    pub host: String,
}

/// What an installation allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Whether connections may go unencrypted.
    pub http: bool,
    /// Ranges to which connections are allowed in any case.
    pub allow: Vec<IpNet>,
}

impl Policy {
    /// Judges a URL by its form, and by its address where it names one.
    ///
    /// # Errors
    /// The first reason why it is not connected to.
    pub fn url(&self, text: &str) -> Result<Place, AddressError> {
        let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '\\';
        if text.len() > URL_MAX || !text.chars().all(plain) {
            return Err(AddressError::Form);
        }
        let url = Url::parse(text).map_err(|_| AddressError::Form)?;
        match url.scheme() {
            "https" => {}
            "http" if self.http => {}
            _ => return Err(AddressError::Scheme),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Credentials);
        }
        if url.fragment().is_some() {
            return Err(AddressError::Fragment);
        }
        let port = url.port_or_known_default().ok_or(AddressError::Port)?;
        let web = port == 443 || (self.http && port == 80);
        if !web && port < FIRST_FREE_PORT {
            return Err(AddressError::Port);
        }
        // The parser reads every notation of an address that a connector would (`0x7f.1`).
        match url.host().ok_or(AddressError::Form)? {
            Host::Ipv4(ip) => self.address(ip.into())?,
            Host::Ipv6(ip) => self.address(ip.into())?,
            Host::Domain("") => return Err(AddressError::Form),
            Host::Domain(_) => {}
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        Ok(Place { url: url.into(), host })
    }

    /// Judges an address.
    ///
    /// # Errors
    /// [`AddressError::Address`] with its kind.
    pub fn address(&self, ip: IpAddr) -> Result<(), AddressError> {
        if self.allow.iter().any(|net| net.contains(&ip)) {
            return Ok(());
        }
        let closed = CLOSED_NETS.iter().find(|(net, _)| net.contains(&ip));
        if let Some((_, kind)) = closed {
            return Err(AddressError::Address(kind));
        }
        let global = ip.is_ipv4() || GLOBAL_NET.is_some_and(|net| net.contains(&ip));
        if global { Ok(()) } else { Err(AddressError::Address("reserved")) }
    }
}

#[cfg(test)]
mod tests;
