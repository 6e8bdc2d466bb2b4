//! Emails as text, and the trait of mail senders.

use futures_util::future::BoxFuture;

/// An email as text.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Distinguishes it from all others, also when it is sent a second time (`Message-ID`).
    pub id: String,
    /// Address of the person.
    pub to: String,
    pub subject: String,
    /// Plain text, lines end with `\n`.
    pub text: String,
    /// The text as HTML.
    pub html: String,
    /// Address at which one request ends emails of its kind (RFC 8058).
    pub unsubscribe: Option<String>,
    /// Epoch milliseconds.
    pub date: i64,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The text holds tokens.
        f.debug_struct("Message").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Why an email was not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It never will: the address is none, or the server refuses it for good.
    #[error("refused: {0}")]
    Never(String),
    /// Perhaps later.
    #[error("not now: {0}")]
    Later(String),
}

/// A way to send emails.
pub trait Mail: Send + Sync + 'static {
    /// Sends one email. After `Ok` another system is responsible for it.
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), SendError>>;
}
