//! The task of the server that sends webhooks.

use api::AppState;
use model::error::Result;
use std::sync::Arc;
use webhooks::{SystemLookup, WebhookSender};

/// Sends them. A machine without certificates to check receivers by serves all the same, and sends
/// nothing: the messages wait in the book.
pub(crate) async fn send(hub: Arc<AppState>) {
    match sender(&hub) {
        Ok(sender) => Arc::new(sender).run().await,
        Err(error) => tracing::error!(%error, "webhooks cannot be sent"),
    }
}

fn sender(hub: &Arc<AppState>) -> Result<WebhookSender> {
    let url = &hub.settings.exchange_url;
    let url = if url.is_empty() { &hub.settings.mail.branding.url } else { url };
    WebhookSender::new(
        Arc::clone(&hub.book),
        hub.exchange.clone(),
        hub.settings.webhooks.clone(),
        url,
        Arc::new(SystemLookup),
    )
}
