//! `herdbook migrate`: brings the database up to date.

use crate::announce;
use config::Settings;
use model::clock::Clock;
use model::error::Result;
use serde_json::json;
use store::{Migrations, Store};

pub(crate) async fn migrate(settings: &Settings) -> Result<()> {
    let url = settings.database_url.reveal();
    let store = Store::open(url, settings.durability, Clock::system(), true).await?;
    let counted = store.migrations().await;
    store.close().await;
    let Migrations { applied, known, .. } = counted?;
    announce(&json!({"event": "migrated", "applied": applied, "known": known}));
    Ok(())
}
