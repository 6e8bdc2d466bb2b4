//! Emails to people: their content ([`Letter`]), and the trait of mail senders ([`Mail`]). Their texts are
//! `model::messages`. A write to the book queues emails with `registry::HookContext::mail`, in the same transaction;
//! `ops::outbox` stores and delivers them. Must not know users, the store, nor HTTP.

mod branding;
mod html;
mod message;
mod template;

pub use branding::{EmailBranding, Links};
pub use html::escaped;
pub use message::{Mail, Message, SendError};
pub use template::{AccountChange, Template, Wish};

use crate::messages::{self, Language};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The account that an email is for, where it may decline such emails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Collection of the account.
    pub collection: String,
    /// Its row.
    pub id: i64,
    /// The organisation for which it acts, where the email is about that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<i64>,
    /// The field of its role, and the roles that get the email.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<(String, Vec<String>)>,
    /// Nobody else with these roles gets it, unless the account is gone when it leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
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
    /// The account that it is for, where it may decline it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// Path of the page of what it is about; empty: the start page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub page: String,
}

impl std::fmt::Debug for Letter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values hold tokens.
        f.debug_struct("Letter").field("template", &self.template).field("until", &self.until).finish_non_exhaustive()
    }
}

impl Letter {
    /// An email without values.
    pub fn new(to: impl Into<String>, template: Template, until: i64) -> Self {
        Self { to: to.into(), template, values: BTreeMap::new(), until, account: None, page: String::new() }
    }

    /// Sets what it is about: a record of a collection, or several, of which there is the list.
    #[must_use]
    pub fn about(mut self, collection: &str, id: Option<i64>) -> Self {
        self.page = match id {
            Some(id) => format!("/book/{collection}/{id}"),
            None => format!("/book/{collection}"),
        };
        self
    }

    /// An email to an account that may decline it, acts for this organisation, and has one of these roles, which its
    /// field names; perhaps to it alone of those who have them.
    #[must_use]
    pub fn to_account(
        mut self,
        collection: &str,
        id: i64,
        organization: Option<i64>,
        (path, roles, alone): (&str, &[&str], bool),
    ) -> Self {
        let role = Some((path.to_owned(), roles.iter().map(|role| (*role).to_owned()).collect()));
        self.account = Some(Account { collection: collection.to_owned(), id, organization, role, alone });
        self
    }

    /// Sets a remark that may be empty.
    #[must_use]
    pub fn with_remark(self, remark: Option<&str>) -> Self {
        let remark = remark.map(str::trim).unwrap_or_default();
        let remarked = if remark.is_empty() { "no" } else { "yes" };
        self.with("remarked", remarked).with("comment", remark)
    }

    /// Sets what of an account was changed.
    #[must_use]
    pub fn with_change(self, change: &AccountChange) -> Self {
        let (what, value) = change.words();
        let letter = self.with("what", what);
        match value {
            Some((place, value)) => letter.with(place, value),
            None => letter,
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

    /// The email as text in a language. `id` distinguishes it from all others, `date` is in epoch milliseconds,
    /// `unsubscribe` is the address that ends such emails.
    pub fn written(
        &self,
        branding: &EmailBranding,
        (id, date): (&str, i64),
        language: Language,
        unsubscribe: Option<String>,
    ) -> Message {
        let mut values = self.values.clone();
        let page = format!("{}{}", branding.url, self.page);
        for (place, value) in [("service", &branding.service), ("url", &page)] {
            values.insert(place.to_owned(), value.clone());
        }
        let way = branding.way(self.template, language, &self.values);
        values.insert("way".to_owned(), way);
        let word = self.template.word();
        let subject = messages::text(language, &format!("{word}.subject"), &values);
        let mut parts = vec![messages::text(language, word, &values)];
        // Emails that ask for something, or report about an account, end with the name alone.
        parts.push(match self.template.wish() {
            None => branding.service.clone(),
            Some(_) => messages::text(language, "service-line", &values),
        });
        parts.push(branding.foot.join("\n"));
        if let (Some(link), Some(wish)) = (&unsubscribe, self.template.wish()) {
            values.insert("link".to_owned(), link.clone());
            values.insert("flag".to_owned(), wish.word().to_owned());
            parts.push(messages::text(language, "unsubscribe", &values));
        }
        let text = spaced(&parts.join("\n\n"));
        Message {
            id: format!("{id}@{}", branding.host()),
            to: self.to.clone(),
            html: html::page(language.word(), &subject, &text, branding.color),
            subject,
            text,
            unsubscribe,
            date,
        }
    }
}

/// Without the gaps that empty parts leave, and with an end of the last line.
fn spaced(text: &str) -> String {
    let parts: Vec<&str> =
        (text.split("\n\n").map(|part| part.trim_matches('\n'))).filter(|part| !part.trim().is_empty()).collect();
    let mut out = parts.join("\n\n");
    out.push('\n');
    out
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
    use crate::face::Color;
    use crate::letter::Links;

    fn branding() -> EmailBranding {
        EmailBranding {
            service: "herdbook".to_owned(),
            url: "https://book.example".to_owned(),
            links: Links { reset: "{url}/reset-password?token={token}".to_owned(), ..Links::default() },
            language: Language::English,
            color: None,
            foot: Vec::new(),
        }
    }

    fn written(letter: &Letter, branding: &EmailBranding) -> Message {
        letter.written(branding, ("17", 5), Language::English, None)
    }

    #[test]
    fn without_a_page_a_letter_has_the_call() {
        let letter =
            |template| Letter::new("a@b.example", template, 0).with("collection", "people").with("token", "T0K-en_");
        let branding = EmailBranding { links: Links::default(), ..branding() };
        for (template, call) in [
            (
                Template::ResetPassword,
                "POST https://book.example/api/people/reset-password\n\
                 Content-Type: application/json\n\n\
                 {\"token\": \"T0K-en_\", \"password\": \"...\"}\n",
            ),
            (Template::NewAddress, "POST https://book.example/api/people/verify/T0K-en_\n"),
            (
                Template::Invitation,
                "{\"token\": \"T0K-en_\", \"firstName\": \"...\", \"lastName\": \"...\", \
                 \"password\": \"...\"}\n",
            ),
        ] {
            let text = written(&letter(template), &branding).text;
            assert!(text.contains(call), "{text}");
        }
    }

    #[test]
    fn a_letter_has_its_values_and_its_link() {
        let letter = Letter::new("a@b.example", Template::ResetPassword, 0)
            .with("name", "Ann {token}\r\nBcc: x@y.example")
            .with("token", "T0K-en_")
            .with("minutes", "60");
        let message = written(&letter, &branding());
        assert_eq!(message.id, "17@book.example");
        assert_eq!(message.to, "a@b.example");
        assert!(message.text.contains("https://book.example/reset-password?token=T0K-en_"));
        assert!(message.text.contains("Ann {token}  Bcc: x@y.example"), "{}", message.text);
        assert!(message.text.contains("60 minutes"));
        assert!(!message.subject.contains(['\r', '\n', '{']));
    }

    /// Every value that a text may have.
    const PLACES: [&str; 38] = [
        "dryOff",
        "calving",
        "pregnancyCheck",
        "open",
        "repeat",
        "cells",
        "noTest",
        "milkWithdrawal",
        "meatWithdrawal",
        "animals",
        "code",
        "collection",
        "comment",
        "count",
        "created",
        "dataset",
        "days",
        "due",
        "from",
        "held",
        "hours",
        "inviter",
        "key",
        "kind",
        "minutes",
        "name",
        "number",
        "numbered",
        "organization",
        "remarked",
        "rows",
        "title",
        "to",
        "to-address",
        "token",
        "updated",
        "what",
        "date",
    ];

    #[test]
    fn every_text_knows_its_places() {
        for template in Template::ALL {
            for language in Language::ALL {
                let mut letter = Letter::new("a@b.example", *template, 0);
                for place in PLACES {
                    letter = letter.with(place, &format!("<{place}>"));
                }
                let message = letter.written(&branding(), ("1", 0), language, None);
                // Fluent shows values that it lacks in braces.
                let open = |text: &str| text.replace("{\"", "").matches('{').count();
                assert_eq!(open(&message.text) + open(&message.subject), 0, "{}", message.text);
                let asks = branding().way_of(*template).is_some();
                assert_eq!(message.text.contains("<token>"), asks, "{template:?}");
                assert!(!message.html.contains("<token>") && !message.html.contains("<name>"));
                assert!(!message.subject.is_empty() && message.text.ends_with('\n'));
                let russian = |text: &str| text.chars().any(|c| matches!(c, 'а'..='я'));
                for text in [&message.text, &message.html] {
                    assert_eq!(russian(text), language == Language::Russian, "{text}");
                }
                assert!(!message.text.contains("\n\n\n"), "{}", message.text);
            }
        }
    }

    #[test]
    fn the_page_of_the_record_stands_at_the_end() {
        let letter = Letter::new("a@b.example", Template::PackageRead, 0);
        let ends = |letter: &Letter, page: &str| {
            let message = written(letter, &branding());
            let end = format!("herdbook\nhttps://book.example{page}\n");
            assert!(message.text.ends_with(&end), "{}", message.text);
            let link = format!("href=\"https://book.example{page}\"");
            assert!(message.html.contains(&link), "{}", message.html);
        };
        ends(&letter, "");
        ends(&letter.clone().about("things", Some(7)), "/book/things/7");
        ends(&letter.about("things", None), "/book/things");
        // Emails that wait since before there were pages can be read.
        let old = r#"{"to": "a@b.example", "template": "PackageRead", "values": {}, "until": 1}"#;
        let template = serde_json::to_value(Template::PackageRead).unwrap();
        let old = old.replace("\"PackageRead\"", &template.to_string());
        assert_eq!(serde_json::from_str::<Letter>(&old).unwrap().page, "");
    }

    #[test]
    fn a_letter_shows_the_face_of_the_installation() {
        let foot = vec!["Tel. 1 <2>".to_owned(), "Ltd.".to_owned()];
        let branding = EmailBranding { color: Color::read("#1f6b3a"), foot, ..branding() };
        let message = written(&Letter::new("a@b.example", Template::PackageRead, 0), &branding);
        assert!(message.text.ends_with("https://book.example\n\nTel. 1 <2>\nLtd.\n"), "{}", message.text);
        assert!(message.html.contains("Tel. 1 &lt;2&gt;<br>\nLtd."), "{}", message.html);
        assert!(message.html.contains("<a style=\"color:#1f6b3a\" href="), "{}", message.html);
    }

    #[test]
    fn only_what_may_be_declined_ends_with_the_link() {
        for template in Template::ALL {
            let letter = Letter::new("a@b.example", *template, 0);
            let link = "https://book.example/api/users/unsubscribe?token=x&y";
            let link = template.wish().map(|_| link.to_owned());
            let message = letter.written(&branding(), ("1", 0), Language::Russian, link.clone());
            assert_eq!(message.text.contains("unsubscribe?"), link.is_some());
            assert_eq!(message.html.contains("unsubscribe?token=x&amp;y\">"), link.is_some());
        }
    }
}
