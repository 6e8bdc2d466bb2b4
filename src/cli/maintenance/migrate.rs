//! `herdbook migrate`: brings the database up to date.

use crate::announce;
use clap::Args;
use config::Settings;
use model::clock::Clock;
use model::error::Result;
use serde_json::json;
use store::{Migrations, Store};

/// Flags of `migrate`.
#[derive(Debug, Args)]
pub(crate) struct Options {}

pub(crate) async fn migrate(_options: &Options, settings: &Settings) -> Result<()> {
    let url = settings.database_url.reveal();
    let store = Store::open(url, settings.durability, Clock::system(), true).await?;
    let counted = store.migrations().await;
    store.close().await;
    let Migrations { applied, known, .. } = counted?;
    announce(&json!({"event": "migrated", "applied": applied, "known": known}));
    Ok(())
}
