//! Emails through a mail server.

use super::post::{composed, mailbox};
use super::{Smtp, Tls};
use futures_util::future::BoxFuture;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use model::letter::{Mail, Message, NotSent};
use std::time::Duration;

/// How long a mail server may take for one email.
const PATIENCE: Duration = Duration::from_secs(45);

/// Emails through a mail server.
#[derive(Debug, Clone)]
pub struct SmtpMail {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl SmtpMail {
    /// Through that server; nothing is connected yet.
    ///
    /// # Errors
    /// When `from` is no address, or the host no name.
    pub fn new(smtp: &Smtp, from: &str) -> Result<Self, NotSent> {
        type Transport = AsyncSmtpTransport<Tokio1Executor>;
        let host = smtp.host.as_str();
        let builder = match smtp.tls {
            Tls::Wrapped => Transport::relay(host),
            Tls::Starttls => Transport::starttls_relay(host),
            Tls::None => Ok(Transport::builder_dangerous(host)),
        };
        let mut builder = builder
            .map_err(|why| NotSent::Never(why.to_string()))?
            .timeout(Some(PATIENCE));
        if smtp.port != 0 {
            builder = builder.port(smtp.port);
        }
        if !smtp.user.is_empty() {
            let credentials = Credentials::new(smtp.user.clone(), smtp.password.clone());
            builder = builder.credentials(credentials);
        }
        Ok(Self {
            transport: builder.build(),
            from: mailbox(from)?,
        })
    }
}

impl Mail for SmtpMail {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), NotSent>> {
        Box::pin(async move {
            let composed = composed(&self.from, message)?;
            match self.transport.send(composed).await {
                Ok(_) => Ok(()),
                Err(why) if why.is_permanent() => Err(NotSent::Never(why.to_string())),
                Err(why) => Err(NotSent::Later(why.to_string())),
            }
        })
    }
}
