//! `herdbook clock`: whether the book is ahead of the clock of this machine; with `--set-back`, the way out
//! (docs/operations.md, *A clock that was wrong*).

use crate::{Exit, announce};
use clap::Args;
use config::Settings;
use model::clock::Clock;
use model::error::Result;
use serde_json::json;
use std::process::ExitCode;
use store::Store;

/// Flags of `clock`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Let the times of the next changes go on from the clock of this machine.
    #[arg(long)]
    set_back: bool,
}

pub(crate) async fn clock(options: &Options, settings: &Settings) -> Result<ExitCode> {
    let clock = Clock::system();
    let url = settings.database_url.reveal();
    let store = Store::open(url, settings.durability, clock.clone(), false).await?;
    let ahead = store.ahead(clock.now()).await;
    let done = match (&ahead, options.set_back) {
        (Ok(Some(_)), true) => store.set_back(clock.now()).await,
        _ => Ok(()),
    };
    store.close().await;
    let ahead = ahead?;
    done?;
    let seconds = ahead.map(|ahead| ahead / 1000);
    announce(&json!({"event": "clock", "aheadSeconds": seconds, "setBack": ahead.is_some() && options.set_back}));
    Ok(match ahead.is_some() && !options.set_back {
        true => Exit::Findings.into(),
        false => Exit::Done.into(),
    })
}
