//! What emails state about the service itself: its name and its address.

use super::texts;
use super::{Template, filled};
use std::collections::BTreeMap;

/// Addresses of pages that emails link to; `{url}` and `{token}` stand for their values. Empty:
/// there is no such page, and the email names the call that it would make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// Where a new password is chosen.
    pub reset: String,
    /// Where an address is proved.
    pub verify: String,
    /// Where an invitation is accepted.
    pub invitation: String,
    /// Where a browser becomes known.
    pub unlock: String,
}

/// What all emails state about the sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letterhead {
    /// Name of the service.
    pub service: String,
    /// Address of the service without a slash at the end.
    pub url: String,
    /// The pages that emails link to.
    pub links: Links,
}

impl Letterhead {
    /// What the recipient has to do: follow a link, or send a request.
    pub(super) fn way(&self, template: Template, values: &BTreeMap<String, String>) -> String {
        let pattern = match template {
            Template::ResetPassword => &self.links.reset,
            Template::VerifyEmail | Template::NewAddress => &self.links.verify,
            Template::Invitation => &self.links.invitation,
            Template::Unlock => &self.links.unlock,
            // Nothing is to be done.
            Template::Changed | Template::AddressWanted => return String::new(),
        };
        let mut values = values.clone();
        values.insert("url".to_owned(), self.url.clone());
        if pattern.is_empty() {
            values.insert("call".to_owned(), call(template, &values));
            return filled(texts::CALL, &values);
        }
        values.insert("link".to_owned(), filled(pattern, &values));
        filled(texts::LINK, &values)
    }

    /// The name of the machine in the address.
    pub(super) fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let end = rest.find(['/', ':', '?']).unwrap_or(rest.len());
        let host = rest.get(..end).unwrap_or_default();
        if host.is_empty() { "localhost" } else { host }
    }
}

/// The request that a page would send, in words.
fn call(template: Template, values: &BTreeMap<String, String>) -> String {
    let (path, members) = texts::call(template);
    let mut call = filled(&format!("POST {{url}}{path}"), values);
    if !members.is_empty() {
        let members = members.iter().map(|member| {
            let value = values.get(*member).map_or(texts::OWN, String::as_str);
            format!("\"{member}\": {}", serde_json::Value::from(value))
        });
        let members = members.collect::<Vec<_>>().join(", ");
        call.push_str("\nContent-Type: application/json\n\n{");
        call.push_str(&members);
        call.push('}');
    }
    call
}
