//! The task of the server that sends webhooks.

use api::AppState;
use model::error::Result;
use std::sync::Arc;
use tokio::task::JoinHandle;
use webhooks::{SystemLookup, WebhookSender};

/// Starts it. A machine without certificates to check receivers by serves all the same, and sends
/// nothing: the messages wait in the book.
pub(super) fn start(hub: &Arc<AppState>) -> JoinHandle<()> {
    match sender(hub) {
        Ok(sender) => tokio::spawn(Arc::new(sender).run()),
        Err(error) => {
            tracing::error!(%error, "webhooks cannot be sent");
            tokio::spawn(std::future::ready(()))
        }
    }
}

fn sender(hub: &Arc<AppState>) -> Result<WebhookSender> {
    let url = &hub.settings.exchange_url;
    let url = if url.is_empty() {
        &hub.settings.mail.branding.url
    } else {
        url
    };
    WebhookSender::new(
        Arc::clone(&hub.book),
        hub.exchange.clone(),
        hub.settings.webhooks.clone(),
        url,
        Arc::new(SystemLookup),
    )
}
