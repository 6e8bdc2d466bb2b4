//! Emails as files in a folder.

use futures_util::future::BoxFuture;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, MessageBuilder};
use model::letter::{Mail, Message, NotSent};
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
    pub fn new(dir: PathBuf, from: &str) -> Result<Self, NotSent> {
        let from = mailbox(from)?;
        Ok(Self { dir, from })
    }
}

impl Mail for FileMail {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), NotSent>> {
        Box::pin(async move {
            let bytes = composed(&self.from, message)?.formatted();
            let dir = self.dir.clone();
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let name: String = message.id.chars().map(plain).collect();
            let place = dir.display().to_string();
            let written = tokio::task::spawn_blocking(move || write(&dir, &name, &bytes));
            let later = |why: &dyn std::fmt::Display| NotSent::Later(format!("{place}: {why}"));
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

pub(super) fn mailbox(address: &str) -> Result<Mailbox, NotSent> {
    address
        .parse()
        .map_err(|why| NotSent::Never(format!("{why}")))
}

pub(super) fn composed(from: &Mailbox, message: &Message) -> Result<lettre::Message, NotSent> {
    let to = message.to.parse();
    let to = to.map_err(|why: lettre::address::AddressError| NotSent::Never(why.to_string()))?;
    let since = Duration::from_millis(u64::try_from(message.date).unwrap_or(0));
    MessageBuilder::new()
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .subject(message.subject.clone())
        .date(SystemTime::UNIX_EPOCH + since)
        .message_id(Some(format!("<{}>", message.id)))
        .header(ContentType::TEXT_PLAIN)
        .body(message.text.clone())
        .map_err(|why| NotSent::Never(why.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Message {
        Message {
            id: "17@book.example".to_owned(),
            to: "ann@farm.example".to_owned(),
            subject: "Ein Brief für Ännchen".to_owned(),
            text: "Hello\nhttps://book.example/reset-password?token=abc\n".to_owned(),
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
        assert!(
            text.contains("Date: Sun, 01 Mar 2026 12:00:00 +0000\r\n"),
            "{text}"
        );
        assert!(text.contains("token="), "{text}");
    }

    #[tokio::test]
    async fn what_is_no_address_is_never_sent() {
        let dir = tempfile::tempdir().unwrap();
        let mail = FileMail::new(dir.path().into(), "book@book.example").unwrap();
        for to in ["", "nobody", "a@b\r\nBcc: c@d.example"] {
            let to = to.to_owned();
            let sent = mail.send(&Message { to, ..message() }).await;
            assert!(matches!(sent, Err(NotSent::Never(_))), "{sent:?}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        assert!(FileMail::new(dir.path().into(), "nobody").is_err());
    }
}
