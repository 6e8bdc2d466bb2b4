//! Emails to people: their content ([`Letter`], and all texts in one table), and the trait of mail senders ([`Mail`]).
//! A write to the book queues an email with `registry::HookContext::mail`, in the same transaction; `ops::outbox`
//! stores and delivers it. Must not know users, the store, nor HTTP.

mod letterhead;
mod message;
mod texts;

pub use letterhead::{Letterhead, Links};
pub use message::{Mail, Message, NotSent};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use texts::text;

/// The occasions on which the service writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Template {
    /// A user asked for a new password. Values: `collection`, `name`, `token`, `minutes`.
    ResetPassword,
    /// An address is to be proved. Values: `collection`, `name`, `token`.
    VerifyEmail,
    /// A person is invited into an organisation. Values: `collection`, `organization`, `inviter`,
    /// `token`, `days`.
    Invitation,
    /// A user wants to sign in although others try passwords for that name. Values: `collection`,
    /// `name`, `token`, `minutes`.
    Unlock,
    /// What signs in was changed. Values: `name`, `what`.
    Changed,
    /// A user wants this address for their account. Values: `collection`, `name`, `token`, `hours`.
    NewAddress,
    /// A user wanted this address, which another account has already. Values: `name`.
    AddressWanted,
}

impl Template {
    /// Every occasion.
    pub const ALL: [Self; 7] = [
        Self::ResetPassword,
        Self::VerifyEmail,
        Self::Invitation,
        Self::Unlock,
        Self::Changed,
        Self::NewAddress,
        Self::AddressWanted,
    ];
}

/// An email to one person.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// Address; empty: a decoy, which takes the same work and is not sent.
    pub to: String,
    /// The occasion.
    pub template: Template,
    /// The values for the names in the text.
    pub values: BTreeMap<String, String>,
    /// Epoch milliseconds after which it is pointless to send it.
    pub until: i64,
}

impl std::fmt::Debug for Letter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values hold tokens.
        f.debug_struct("Letter")
            .field("template", &self.template)
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}

impl Letter {
    /// An email without values.
    pub fn new(to: impl Into<String>, template: Template, until: i64) -> Self {
        Self {
            to: to.into(),
            template,
            values: BTreeMap::new(),
            until,
        }
    }

    /// Sets the value for a name in the text. Control characters become spaces.
    #[must_use]
    pub fn with(mut self, place: &str, value: &str) -> Self {
        let clean = |c: char| if c.is_control() { ' ' } else { c };
        let value = value.chars().map(clean).collect();
        self.values.insert(place.to_owned(), value);
        self
    }

    /// Whether there is a recipient.
    pub fn is_decoy(&self) -> bool {
        self.to.is_empty()
    }

    /// The email as text. `id` distinguishes it from all others, `date` is in epoch milliseconds.
    pub fn written(&self, letterhead: &Letterhead, id: &str, date: i64) -> Message {
        let (subject, body) = text(self.template);
        let mut values = self.values.clone();
        values.insert("service".to_owned(), letterhead.service.clone());
        let way = letterhead.way(self.template, &self.values);
        values.insert("way".to_owned(), way);
        Message {
            id: format!("{id}@{}", letterhead.host()),
            to: self.to.clone(),
            subject: filled(subject, &values),
            text: filled(body, &values),
            date,
        }
    }
}

/// `{name}` becomes the value of `name`; what is not known becomes nothing. What was put
/// in is not read again.
pub(super) fn filled(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}') {
            Some((place, after)) => {
                out.push_str(values.get(place).map_or("", String::as_str));
                rest = after;
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letter::Links;

    fn letterhead() -> Letterhead {
        Letterhead {
            service: "herdbook".to_owned(),
            url: "https://book.example".to_owned(),
            links: Links {
                reset: "{url}/reset-password?token={token}".to_owned(),
                ..Links::default()
            },
        }
    }

    #[test]
    fn without_a_page_a_letter_has_the_call() {
        let letter = |template| {
            Letter::new("a@b.example", template, 0)
                .with("collection", "people")
                .with("token", "T0K-en_")
        };
        let letterhead = Letterhead {
            links: Links::default(),
            ..letterhead()
        };
        for (template, call) in [
            (
                Template::ResetPassword,
                "POST https://book.example/api/people/reset-password\n\
                 Content-Type: application/json\n\n\
                 {\"token\": \"T0K-en_\", \"password\": \"...\"}\n",
            ),
            (
                Template::VerifyEmail,
                "POST https://book.example/api/people/verify/T0K-en_\n",
            ),
            (
                Template::Invitation,
                "{\"token\": \"T0K-en_\", \"firstName\": \"...\", \"lastName\": \"...\", \
                 \"password\": \"...\"}\n",
            ),
        ] {
            let text = letter(template).written(&letterhead, "1", 0).text;
            assert!(text.contains(call), "{text}");
        }
    }

    #[test]
    fn a_letter_has_its_values_and_its_link() {
        let letter = Letter::new("a@b.example", Template::ResetPassword, 0)
            .with("name", "Ann {token}\r\nBcc: x@y.example")
            .with("token", "T0K-en_")
            .with("minutes", "60");
        let message = letter.written(&letterhead(), "17", 5);
        assert_eq!(message.id, "17@book.example");
        assert_eq!(message.to, "a@b.example");
        assert!(
            message
                .text
                .contains("https://book.example/reset-password?token=T0K-en_")
        );
        assert!(
            message.text.contains("Ann {token}  Bcc: x@y.example"),
            "{}",
            message.text
        );
        assert!(message.text.contains("60 minutes"));
        assert!(!message.subject.contains(['\r', '\n', '{']));
    }

    #[test]
    fn every_text_knows_its_places() {
        for template in Template::ALL {
            let (subject, body) = text(template);
            let values = [
                "collection",
                "name",
                "token",
                "minutes",
                "organization",
                "inviter",
                "days",
                "what",
                "hours",
            ];
            let mut letter = Letter::new("a@b.example", template, 0);
            for place in values {
                letter = letter.with(place, &format!("<{place}>"));
            }
            let message = letter.written(&letterhead(), "1", 0);
            let open = |text: &str| text.replace("{\"", "").matches('{').count();
            assert_eq!(open(&message.text) + open(&message.subject), 0);
            let notice = [Template::Changed, Template::AddressWanted].contains(&template);
            assert_eq!(message.text.contains("token"), !notice, "{template:?}");
            assert!(!subject.is_empty() && body.ends_with('\n'));
        }
    }
}
