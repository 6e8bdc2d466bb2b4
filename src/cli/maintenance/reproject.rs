//! `herdbook reproject`: renders all exchange documents anew.

use crate::bench_runs::measured;
use crate::progress::{Unit, progress};
use crate::{OpenBook, announce, open};
use clap::Args;
use config::Settings;
use model::error::Result;
use serde_json::json;
use std::time::Instant;

/// Flags of `reproject`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Folder of mapping files that add to the built-in ones or replace parts of them.
    #[arg(long, value_name = "FOLDER")]
    mappings: Option<String>,
}

pub(crate) async fn reproject(_options: &Options, settings: &Settings) -> Result<()> {
    let opened = open(settings, settings.passing_ring()?).await?;
    let began = Instant::now();
    let done = match opened.book.store.begin_load().await {
        Ok(()) => all(&opened).await,
        Err(error) => Err(error),
    };
    if let Ok(rows) = done {
        measured(&opened.book, "reproject", ("rows", rows), began.elapsed()).await;
    }
    opened.book.store.close().await;
    let rows = done?;
    announce(&json!({"event": "reprojected", "rows": rows}));
    Ok(())
}

/// All rows, with a progress bar.
pub(crate) async fn all(opened: &OpenBook) -> Result<u64> {
    let bar = progress(0, Unit::Rows);
    let progress_bar = bar.clone();
    let done = opened
        .exchange
        .projector()
        .reproject(&opened.book, move |done, all| {
            progress_bar.set_length(all);
            progress_bar.set_position(done);
        })
        .await;
    bar.finish_and_clear();
    done
}
