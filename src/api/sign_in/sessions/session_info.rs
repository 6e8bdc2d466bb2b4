//! By what the owner of a session recognises it: how it was begun, from about where, and by which program.

use crate::layers::request_facts::{self, RequestFacts};
use serde_json::{Map, Value};
use std::net::IpAddr;

/// Members of a stored session that say so.
const MEMBERS: [&str; 3] = ["kind", "address", "agent"];
/// Members that answers about the user show, as the dialect has them.
const PUBLIC: [&str; 3] = ["id", "createdAt", "expiresAt"];

/// What is stored about the beginning of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionInfo {
    /// How it was begun; none for one that was there already.
    pub kind: Option<&'static str>,
    pub address: Option<String>,
    /// The program, as it named itself.
    pub agent: Option<String>,
}

impl SessionInfo {
    pub(in crate::sign_in) fn now(kind: &'static str) -> Self {
        Self { kind: Some(kind), address: request_facts::address().map(network), agent: RequestFacts::now().agent() }
    }

    pub(in crate::sign_in) fn members(&self) -> impl Iterator<Item = (String, Value)> + use<'_> {
        let kind = self.kind.map(str::to_owned);
        let values = [kind, self.address.clone(), self.agent.clone()];
        let pairs = MEMBERS.into_iter().zip(values);
        pairs.filter_map(|(name, value)| Some((name.to_owned(), value?.into())))
    }
}

/// The network of an address: enough to know it again, too little to find a person by.
fn network(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, c, _] = ip.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(ip) => {
            let [a, b, c, ..] = ip.segments();
            format!("{a:x}:{b:x}:{c:x}::/48")
        }
    }
}

/// A stored session as answers about the user show it.
pub(in crate::sign_in) fn public(session: &Value) -> Value {
    let member = |name: &str| Some((name.to_owned(), session.get(name)?.clone()));
    Value::Object(PUBLIC.into_iter().filter_map(member).collect())
}

/// What else was stored about it, for the list of sessions.
pub(in crate::sign_in) fn details(session: &Value) -> Map<String, Value> {
    let member = |name: &str| {
        let value = session.get(name).cloned().unwrap_or_default();
        (name.to_owned(), value)
    };
    MEMBERS.into_iter().map(member).collect()
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn an_address_is_shortened_to_its_network() {
        let cases = [("192.0.2.77", "192.0.2.0/24"), ("2001:db8:7:1::9", "2001:db8:7::/48"), ("::1", "0:0:0::/48")];
        for (ip, expected) in cases {
            assert_eq!(network(ip.parse().unwrap()), expected);
        }
    }
}
