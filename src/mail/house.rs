//! What letters say of the service itself: its name and where it is found.

use super::Template;
use super::letter::filled;
use std::collections::BTreeMap;

/// Addresses that letters point to; `{url}` and `{token}` stand for their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// Where a new password is chosen.
    pub reset: String,
    /// Where an address is proved.
    pub verify: String,
    /// Where an invitation is accepted.
    pub invitation: String,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            reset: "{url}/reset-password?token={token}".to_owned(),
            verify: "{url}/verify?token={token}".to_owned(),
            invitation: "{url}/invitation?token={token}".to_owned(),
        }
    }
}

/// The sender's side of all letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct House {
    /// Name of the service.
    pub service: String,
    /// Address of the service without a slash at the end.
    pub url: String,
    /// Where letters point to.
    pub links: Links,
}

impl House {
    /// The link of a letter.
    pub(super) fn link(&self, template: Template, values: &BTreeMap<String, String>) -> String {
        let pattern = match template {
            Template::ResetPassword => &self.links.reset,
            Template::VerifyEmail => &self.links.verify,
            Template::Invitation => &self.links.invitation,
        };
        let mut values = values.clone();
        values.insert("url".to_owned(), self.url.clone());
        filled(pattern, &values)
    }

    /// The name of the machine in the address.
    pub(super) fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let end = rest.find(['/', ':', '?']).unwrap_or(rest.len());
        let host = rest.get(..end).unwrap_or_default();
        if host.is_empty() { "localhost" } else { host }
    }
}
