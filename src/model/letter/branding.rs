//! What emails state about the service itself: its name and its address.

use super::{Template, filled};
use crate::face::Color;
use crate::messages::{self, Language};
use std::collections::BTreeMap;

/// Placeholder for the recipient's own words.
const OWN: &str = "...";

/// The page of an occasion: where it is configured, the path of its request, and the members of its body.
pub(super) struct Way<'l> {
    page: &'l str,
    path: &'static str,
    members: &'static [&'static str],
}

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
pub struct EmailBranding {
    /// Name of the service.
    pub service: String,
    /// Address of the service without a slash at the end.
    pub url: String,
    /// The pages that emails link to.
    pub links: Links,
    /// Language of emails to recipients who chose none.
    pub language: Language,
    /// Colour of links.
    pub color: Option<Color>,
    /// Lines at the end.
    pub foot: Vec<String>,
}

impl EmailBranding {
    /// The way of an occasion; none: nothing is to be done.
    pub(super) fn way_of(&self, template: Template) -> Option<Way<'_>> {
        let way = |page, path, members| Some(Way { page, path, members });
        let links = &self.links;
        match template {
            Template::ResetPassword => way(&links.reset, "/api/{collection}/reset-password", &["token", "password"]),
            Template::NewAddress => way(&links.verify, "/api/{collection}/verify/{token}", &[]),
            Template::Invitation => {
                way(&links.invitation, "/api/{collection}/accept", &["token", "firstName", "lastName", "password"])
            }
            Template::Unlock => way(&links.unlock, "/api/{collection}/unlock", &["token"]),
            _ => None,
        }
    }

    /// What the recipient has to do: follow a link, or send a request.
    pub(super) fn way(&self, template: Template, language: Language, values: &BTreeMap<String, String>) -> String {
        let Some(way) = self.way_of(template) else {
            return String::new();
        };
        let mut values = values.clone();
        values.insert("url".to_owned(), self.url.clone());
        let name = if way.page.is_empty() {
            values.insert("call".to_owned(), call(&way, &values));
            "way-call"
        } else {
            values.insert("link".to_owned(), filled(way.page, &values));
            "way-link"
        };
        messages::text(language, name, &values)
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
fn call(way: &Way<'_>, values: &BTreeMap<String, String>) -> String {
    let mut call = filled(&format!("POST {{url}}{}", way.path), values);
    if !way.members.is_empty() {
        let members = way.members.iter().map(|member| {
            let value = values.get(*member).map_or(OWN, String::as_str);
            format!("\"{member}\": {}", serde_json::Value::from(value))
        });
        let members = members.collect::<Vec<_>>().join(", ");
        call.push_str("\nContent-Type: application/json\n\n{");
        call.push_str(&members);
        call.push('}');
    }
    call
}
