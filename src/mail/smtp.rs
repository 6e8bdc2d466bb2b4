//! Emails through a mail server.

use super::file::{compose, mailbox};
use super::{Smtp, Tls};
use futures_util::future::BoxFuture;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls as Tunnel, TlsParameters};
use lettre::transport::smtp::response::{Category, Severity};
use lettre::transport::smtp::{self, SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use model::letter::{Mail, Message, SendError};
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
    pub fn new(smtp: &Smtp, from: &str) -> Result<Self, SendError> {
        let host = smtp.host.as_str();
        let builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host);
        let never = |why: smtp::Error| SendError::Never(why.to_string());
        let certificates = || trusted(host, &smtp.certificates).map_err(never);
        let builder = match smtp.tls {
            Tls::Wrapped => builder.port(SUBMISSIONS_PORT).tls(Tunnel::Wrapper(certificates()?)),
            Tls::Starttls => builder.port(SUBMISSION_PORT).tls(Tunnel::Required(certificates()?)),
            Tls::None => builder,
        };
        let mut builder = builder.timeout(Some(PATIENCE));
        if smtp.port != 0 {
            builder = builder.port(smtp.port);
        }
        if !smtp.user.is_empty() {
            let credentials = Credentials::new(smtp.user.clone(), smtp.password.clone());
            builder = builder.credentials(credentials);
        }
        Ok(Self { transport: builder.build(), from: mailbox(from)? })
    }
}

impl Mail for SmtpMail {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let email = compose(&self.from, message)?;
            match self.transport.send(email).await {
                Ok(_) => Ok(()),
                Err(why) if why.is_permanent() && !is_about_us(&why) => Err(SendError::Never(why.to_string())),
                Err(why) => Err(SendError::Later(why.to_string())),
            }
        })
    }
}

/// Who may vouch for a mail server.
fn trusted(host: &str, certificates: &[u8]) -> Result<TlsParameters, smtp::Error> {
    let mut builder = TlsParameters::builder(host.to_owned());
    if !certificates.is_empty() {
        builder = builder.add_root_certificate(Certificate::from_pem(certificates)?);
    }
    builder.build_rustls()
}

/// Whether the server refused this service and not the email (RFC 4954, 6: 530, 534, 535, 538): a password that is wrong
/// today is mended by its operator, and the emails must not be lost until then.
fn is_about_us(why: &smtp::Error) -> bool {
    let refused = (Severity::PermanentNegativeCompletion, Category::Unspecified3);
    why.status().is_some_and(|code| (code.severity, code.category) == refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    /// A mail server that takes everything but one command, to which it answers so; with nothing, it hangs up.
    fn server(command: &'static str, answer: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            let (mut out, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(out.try_clone().unwrap()).lines();
            out.write_all(b"220 mail.example\r\n").unwrap();
            let mut content = false;
            while let Some(Ok(line)) = lines.next() {
                let answer_line = match line.split([' ', ':']).next().unwrap_or_default() {
                    _ if content && line != "." => continue,
                    "." if command == "." => answer,
                    word if word == command && answer.is_empty() => return,
                    word if word == command => answer,
                    "EHLO" => "250-mail.example\r\n250 AUTH PLAIN",
                    "AUTH" => "235 welcome",
                    "DATA" => "354 go on",
                    _ => "250 good",
                };
                content = answer_line.starts_with("354");
                if answer_line.is_empty() || out.write_all(format!("{answer_line}\r\n").as_bytes()).is_err() {
                    return;
                }
            }
        });
        port
    }

    async fn outcome_of(command: &'static str, answer: &'static str) -> Result<(), SendError> {
        let smtp = Smtp {
            host: "127.0.0.1".to_owned(),
            port: server(command, answer),
            user: "book".to_owned(),
            password: "secret".to_owned(),
            tls: Tls::None,
            certificates: Vec::new(),
        };
        let mail = SmtpMail::new(&smtp, "book@book.example").unwrap();
        let message = Message {
            id: "1@book.example".to_owned(),
            to: "ann@farm.example".to_owned(),
            subject: "Письмо".to_owned(),
            text: "Hello\n".to_owned(),
            html: "<p>Hello</p>\n".to_owned(),
            unsubscribe: None,
            date: 0,
        };
        mail.send(&message).await
    }

    #[tokio::test]
    async fn what_a_server_refuses_for_good_is_given_up_and_nothing_else() {
        outcome_of("nothing", "").await.unwrap();
        for (command, answer) in [("RCPT", "550 nobody"), ("MAIL", "501 no"), (".", "554 no")] {
            let outcome = outcome_of(command, answer).await;
            assert!(matches!(outcome, Err(SendError::Never(_))), "{command} {outcome:?}");
        }
        // A password that is wrong is no fault of the email.
        for (command, answer) in [
            ("AUTH", "535 wrong"),
            ("MAIL", "530 sign in first"),
            ("RCPT", "451 later"),
            ("DATA", ""),
            (".", ""),
            (".", "452 full"),
        ] {
            let outcome = outcome_of(command, answer).await;
            assert!(matches!(outcome, Err(SendError::Later(_))), "{command} {answer}: {outcome:?}");
        }
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        let smtp = Smtp {
            host: "mail.example".to_owned(),
            port: 0,
            user: String::new(),
            password: String::new(),
            tls: Tls::Starttls,
            certificates: b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n".to_vec(),
        };
        assert!(SmtpMail::new(&smtp, "book@book.example").is_err());
    }
}
