//! The settings of emails.

use super::Secret;
use super::read::Reader;
use super::single::own_url;
use mail::Tls;
use model::face::Face;
use model::letter::{EmailBranding, Links};
use model::messages::Language;
use std::path::PathBuf;

/// How emails are sent, and what they state about the service.
#[derive(Debug, Clone)]
pub struct Mailing {
    /// What all emails state about the sender; its address is empty until the server listens, unless one is configured.
    pub branding: EmailBranding,
    /// Address of the sender, perhaps with a name.
    pub from: String,
    /// How emails are sent.
    pub transport: MailTransport,
    /// Days before the due date on which farms are reminded of assignments.
    pub reminders: Vec<i64>,
}

/// How emails are sent.
#[derive(Debug, Clone)]
pub enum MailTransport {
    File(PathBuf),
    /// Through a mail server.
    Smtp {
        host: String,
        /// Its port; 0: that of the protection.
        port: u16,
        /// User; empty: without signing in.
        user: String,
        password: Secret,
        tls: Tls,
        /// File of authorities beside the public ones.
        certificates: Option<PathBuf>,
    },
}

/// All `mail.` keys and `server.url`.
pub(super) fn read(r: &mut Reader<'_>, face: &Face) -> Option<Mailing> {
    let url = own_url(r, "server.url");
    let links = Links {
        reset: link(r, "mail.reset_link"),
        verify: link(r, "mail.verify_link"),
        invitation: link(r, "mail.invitation_link"),
        unlock: link(r, "mail.unlock_link"),
    };
    let from = r.needed("mail.from");
    if !from.contains('@') || from.contains(['\r', '\n']) {
        r.fault("mail.from", "not-an-address", "must be an address, or Name <address>");
    }
    let smtp = r.word("mail.transport", &[("file", false), ("smtp", true)], false);
    let words = [("tls", Tls::Wrapped), ("starttls", Tls::Starttls), ("none", Tls::None)];
    let tls = r.word("mail.tls", &words, Tls::Starttls);
    let transport = if smtp {
        MailTransport::Smtp {
            host: r.needed("mail.host"),
            port: r.number("mail.port", &(0..=65_535))?,
            user: r.text("mail.user"),
            password: Secret::new(r.text("mail.password")),
            tls,
            certificates: Some(r.text("mail.certificates")).filter(|path| !path.is_empty()).map(PathBuf::from),
        }
    } else {
        MailTransport::File(PathBuf::from(r.needed("mail.dir")))
    };
    let languages = Language::ALL.map(|language| (language.word(), language));
    let language = r.word("mail.language", &languages, Language::English);
    Some(Mailing {
        branding: EmailBranding {
            service: face.name.clone(),
            url,
            links,
            language,
            color: face.color,
            foot: face.foot.clone(),
        },
        from,
        transport,
        reminders: reminders(r),
    })
}

/// The longest time before a due date at which a reminder makes sense, days.
const EARLIEST: i64 = 365;

/// Days before a due date.
fn reminders(r: &mut Reader<'_>) -> Vec<i64> {
    let key = "mail.reminders";
    let words = r.list(key);
    let read = |word: &String| {
        let days: Option<i64> = word.trim().parse().ok();
        days.filter(|days| (0..=EARLIEST).contains(days))
    };
    let days: Option<Vec<i64>> = words.iter().map(read).collect();
    days.unwrap_or_else(|| {
        let message = format!("must be numbers of days from 0 to {EARLIEST}");
        r.fault(key, "out-of-range", message);
        Vec::new()
    })
}

/// A link must carry its token, or it cannot be followed.
fn link(r: &mut Reader<'_>, key: &str) -> String {
    let link = r.text(key);
    if !link.is_empty() && !link.contains("{token}") {
        r.fault(key, "no-token", "must hold {token}");
    }
    link
}
