//! Emails as files in a folder.

use futures_util::future::BoxFuture;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart};
use model::letter::{Mail, Message, SendError};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Emails as `.eml` files in a folder, one each, for installations without a mail server.
#[derive(Debug, Clone)]
pub struct FileMail {
    dir: PathBuf,
    from: Mailbox,
}

impl FileMail {
    /// Into a folder, which is made when it is not there.
    ///
    /// # Errors
    /// When `from` is no address.
    pub fn new(dir: PathBuf, from: &str) -> Result<Self, SendError> {
        let from = mailbox(from)?;
        Ok(Self { dir, from })
    }
}

impl Mail for FileMail {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let bytes = compose(&self.from, message)?.formatted();
            let dir = self.dir.clone();
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let name: String = message.id.chars().map(plain).collect();
            let place = dir.display().to_string();
            let written = tokio::task::spawn_blocking(move || write(&dir, &name, &bytes));
            let later = |why: &dyn std::fmt::Display| SendError::Later(format!("{place}: {why}"));
            (written.await.map_err(|why| later(&why))?).map_err(|why| later(&why))
        })
    }
}

/// The file of an email gets its name when it is complete; no other user may read it.
fn write(dir: &std::path::Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let draft = dir.join(format!(".{name}.part"));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    std::io::Write::write_all(&mut options.open(&draft)?, bytes)?;
    std::fs::rename(draft, dir.join(format!("{name}.eml")))
}

pub(super) fn mailbox(address: &str) -> Result<Mailbox, SendError> {
    address.parse().map_err(|why| SendError::Never(format!("{why}")))
}

pub(super) fn compose(from: &Mailbox, message: &Message) -> Result<lettre::Message, SendError> {
    let to = message.to.parse();
    let to = to.map_err(|why: lettre::address::AddressError| SendError::Never(why.to_string()))?;
    let since = Duration::from_millis(u64::try_from(message.date).unwrap_or(0));
    let mut builder = MessageBuilder::new()
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .subject(message.subject.clone())
        .date(SystemTime::UNIX_EPOCH + since)
        .message_id(Some(format!("<{}>", message.id)));
    if let Some(link) = &message.unsubscribe {
        builder = builder.header(Unsubscribe(format!("<{link}>"))).header(OneClick(ONE_CLICK.to_owned()));
    }
    let parts = MultiPart::alternative_plain_html(message.text.clone(), message.html.clone());
    builder.multipart(parts).map_err(|why| SendError::Never(why.to_string()))
}

/// What a mail program sends to the address of [`Unsubscribe`] (RFC 8058).
const ONE_CLICK: &str = "List-Unsubscribe=One-Click";

/// Declares a header that goes out as it is: its value is one word, which must not be folded.
macro_rules! header {
    ($(#[$doc:meta])* $name:ident = $word:literal) => {
        $(#[$doc])*
        #[derive(Clone)]
        struct $name(String);

        impl Header for $name {
            fn name() -> HeaderName {
                HeaderName::new_from_ascii_str($word)
            }
            fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
                Ok(Self(text.to_owned()))
            }
            fn display(&self) -> HeaderValue {
                let text = self.0.clone();
                HeaderValue::dangerous_new_pre_encoded(Self::name(), text.clone(), text)
            }
        }
    };
}

header!(
    /// Where emails of this kind are ended (RFC 2369).
    Unsubscribe = "List-Unsubscribe"
);
header!(
    /// That one request ends them (RFC 8058).
    OneClick = "List-Unsubscribe-Post"
);

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Message {
        Message {
            id: "17@book.example".to_owned(),
            to: "ann@farm.example".to_owned(),
            subject: "Ein Brief für Ännchen".to_owned(),
            text: "Hello\nhttps://book.example/reset-password?token=abc\n".to_owned(),
            html: "<p>Hello</p>\n".to_owned(),
            unsubscribe: None,
            date: 1_772_366_400_000,
        }
    }

    #[tokio::test]
    async fn a_file_holds_the_whole_letter_and_only_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("mail");
        let mail = FileMail::new(folder.clone(), "Book <book@book.example>").unwrap();
        for _ in 0..2 {
            mail.send(&message()).await.unwrap();
        }
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert_eq!(files.len(), 1);
        let text = std::fs::read_to_string(folder.join("17-book-example.eml")).unwrap();
        assert!(text.contains("To: ann@farm.example\r\n"), "{text}");
        assert!(text.contains("Message-ID: <17@book.example>\r\n"), "{text}");
        assert!(text.contains("Date: Sun, 01 Mar 2026 12:00:00 +0000\r\n"), "{text}");
        assert!(text.contains("token="), "{text}");
    }

    #[test]
    fn a_letter_has_two_forms_and_says_how_to_end_such_letters() {
        let from = mailbox("book@book.example").unwrap();
        let written = |message| {
            let bytes = compose(&from, &message).unwrap().formatted();
            String::from_utf8(bytes).unwrap()
        };
        let link = format!("https://book.example/api/users/unsubscribe?token={}", "a".repeat(200));
        let unsubscribe = Some(link.clone());
        let text = written(Message { unsubscribe, ..message() });
        for part in [
            "Content-Type: multipart/alternative",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Type: text/html; charset=utf-8",
            &format!("\r\nList-Unsubscribe: <{link}>\r\n"),
            "\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let (plain, html) = (text.find("text/plain"), text.find("text/html"));
        assert!(plain < html, "the better form is the last one");
        assert!(!written(message()).contains("List-Unsubscribe"));
    }

    #[tokio::test]
    async fn what_is_no_address_is_never_sent() {
        let dir = tempfile::tempdir().unwrap();
        let mail = FileMail::new(dir.path().into(), "book@book.example").unwrap();
        for to in ["", "nobody", "a@b\r\nBcc: c@d.example"] {
            let to = to.to_owned();
            let outcome = mail.send(&Message { to, ..message() }).await;
            assert!(matches!(outcome, Err(SendError::Never(_))), "{outcome:?}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        assert!(FileMail::new(dir.path().into(), "nobody").is_err());
    }
}
