//! The task of the server that sends webhooks.

use api::AppState;
use model::error::Result;
use std::sync::Arc;
use tokio::task::JoinHandle;
use webhooks::{Courier, SystemLookup};

/// Starts it. A machine without certificates to check receivers by serves all the same, and sends
/// nothing: the messages wait in the book.
pub(super) fn start(hub: &Arc<AppState>) -> JoinHandle<()> {
    match courier(hub) {
        Ok(courier) => tokio::spawn(Arc::new(courier).run()),
        Err(error) => {
            tracing::error!(%error, "webhooks cannot be sent");
            tokio::spawn(std::future::ready(()))
        }
    }
}

fn courier(hub: &Arc<AppState>) -> Result<Courier> {
    let url = &hub.settings.exchange_url;
    let url = if url.is_empty() {
        &hub.settings.mail.letterhead.url
    } else {
        url
    };
    Courier::new(
        Arc::clone(&hub.book),
        hub.exchange.clone(),
        hub.settings.webhooks.clone(),
        url,
        Arc::new(SystemLookup),
    )
}
