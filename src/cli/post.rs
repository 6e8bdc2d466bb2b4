//! Letters leave: by the way that the settings name, by a task of the server.

use crate::api::Hub;
use crate::config::{Mailing, Post};
use crate::error::{Error, Result};
use crate::mail::{FileMail, Mail, Smtp, SmtpMail};
use std::sync::Arc;
use std::time::Duration;

/// How often letters are looked for without being told: those that wait for another
/// attempt, and those that other processes queued and did not send.
const LOOK_AGAIN: Duration = Duration::from_secs(15);

/// The way out.
///
/// # Errors
/// [`Error::Invalid`] when the sender is no address or the server no name.
pub fn post(mailing: &Mailing) -> Result<Arc<dyn Mail>> {
    let refused = |why: crate::mail::NotSent| Error::invalid("mail", "not-usable", why.to_string());
    Ok(match &mailing.post {
        Post::File(dir) => Arc::new(FileMail::new(dir.clone(), &mailing.from).map_err(refused)?),
        Post::Smtp {
            host,
            port,
            user,
            password,
            tls,
        } => {
            let smtp = Smtp {
                host: host.clone(),
                port: *port,
                user: user.clone(),
                password: password.reveal().to_owned(),
                tls: *tls,
            };
            Arc::new(SmtpMail::new(&smtp, &mailing.from).map_err(refused)?)
        }
    })
}

/// Sends what is queued: at start what an earlier process left, then whenever something
/// is queued here, and now and then what waits.
pub(super) async fn deliver(hub: Arc<Hub>, mail: Arc<dyn Mail>) {
    loop {
        match hub
            .book
            .deliver(&hub.settings.mail.house, mail.as_ref())
            .await
        {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "letters were not sent"),
        }
        // Running out of time is the other way to wake.
        let _ = tokio::time::timeout(LOOK_AGAIN, hub.book.letters()).await;
    }
}
