//! The way of sending emails that the settings name.

use config::{MailTransport, Mailing};
use mail::{FileMail, Smtp};
use model::error::{Error, Result};
use model::letter::{Mail, SendError};
use std::sync::Arc;

/// The transport that the settings name.
///
/// # Errors
/// [`Error::Invalid`] when the sender is no address or the server no name, and for a mail
/// server in a program built without SMTP.
pub fn mailer(mailing: &Mailing) -> Result<Arc<dyn Mail>> {
    Ok(match &mailing.transport {
        MailTransport::File(dir) => Arc::new(FileMail::new(dir.clone(), &mailing.from).map_err(unusable)?),
        MailTransport::Smtp { host, port, user, password, tls, certificates } => {
            let certificates = match certificates {
                Some(path) => std::fs::read(path).map_err(|why| {
                    let why = format!("{}: {why}", path.display());
                    Error::invalid("mail.certificates", "not-usable", why)
                })?,
                None => Vec::new(),
            };
            let smtp = Smtp {
                host: host.clone(),
                port: *port,
                user: user.clone(),
                password: password.reveal().to_owned(),
                tls: *tls,
                certificates,
            };
            smtp_transport(&smtp, &mailing.from)?
        }
    })
}

fn unusable(why: SendError) -> Error {
    Error::invalid("mail", "not-usable", why.to_string())
}

#[cfg(feature = "smtp")]
fn smtp_transport(smtp: &Smtp, from: &str) -> Result<Arc<dyn Mail>> {
    let mail = mail::SmtpMail::new(smtp, from).map_err(unusable)?;
    Ok(Arc::new(mail))
}

#[cfg(not(feature = "smtp"))]
fn smtp_transport(_smtp: &Smtp, _from: &str) -> Result<Arc<dyn Mail>> {
    Err(Error::invalid(
        "mail.transport",
        "not-in-this-build",
        "this program was built without SMTP (feature smtp); \"file\" writes emails to a folder",
    ))
}
