//! `herdbook backup`, `restore` and `mark-restored`: copies of a book, and what a book that
//! comes back from one has to know (docs/backup.md).

use crate::announce;
use crate::progress::{Unit, progress};
use clap::Args;
use config::Settings;
use model::clock::Clock;
use model::error::{Error, Result};
use serde_json::json;
use std::path::PathBuf;
use store::Store;

/// Flags of `backup`.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// File to write the backup to; it must not exist yet.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Flags of `restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// File of the backup.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace an existing book.
    #[arg(long)]
    force: bool,
}

/// PostgreSQL has tools that do it better.
fn own_tools(url: &str, then: &str) -> Result<()> {
    if url.starts_with("sqlite:") {
        return Ok(());
    }
    let why = format!(
        "PostgreSQL is backed up and restored by its own tools (pg_dump, or a base backup with \
         archived logs){then}: see docs/backup.md."
    );
    Err(Error::Unavailable(why))
}

pub(crate) async fn backup(options: &Backup, settings: &Settings) -> Result<()> {
    let url = settings.database_url.reveal();
    own_tools(url, "")?;
    let bar = progress(0, Unit::Bytes);
    let progress_bar = bar.clone();
    let copied = store::back_up(url, &options.file, move |done, all| {
        progress_bar.set_length(all);
        progress_bar.set_position(done.min(all));
    });
    let copied = copied.await;
    bar.finish_and_clear();
    let copied = copied?;
    announce(&json!({
        "event": "backed-up", "file": options.file.display().to_string(),
        "bytes": copied.bytes, "seq": copied.seq,
    }));
    Ok(())
}

pub(crate) async fn restore(options: &Restore, settings: &Settings) -> Result<()> {
    let url = settings.database_url.reveal();
    own_tools(url, ", followed by herdbook mark-restored")?;
    let restored = store::restore(url, &options.file, options.force).await?;
    announce(&json!({
        "event": "restored", "file": options.file.display().to_string(),
        "bytes": restored.bytes, "seq": restored.seq, "incarnation": restored.incarnation,
    }));
    Ok(())
}

pub(crate) async fn mark(settings: &Settings) -> Result<()> {
    let url = settings.database_url.reveal();
    let store = Store::open(url, settings.durability, Clock::system(), false).await?;
    let drawn = store::reincarnate(&store).await;
    store.close().await;
    announce(&json!({"event": "marked-restored", "incarnation": drawn?}));
    Ok(())
}
