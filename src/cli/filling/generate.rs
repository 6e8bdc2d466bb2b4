//! `herdbook generate`: fills an empty book with a synthetic herd book. `demo` does the same to its own.

use crate::index_runs::ComputeIndexes;
use crate::progress::{Unit, progress};
use crate::{OpenBook, announce, open};
use clap::Args;
use config::Settings;
use demo::SeedRow;
use domain::collections::registry;
use futures_util::{Stream, stream};
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use model::error::{Error, Result};
use model::record::Value;
use model::registry::{Class, Registry};
use ops::{FillRow, FillSet, LoadPart};
use serde_json::json;
use std::ops::ControlFlow;
use store::{Durability, Sql};
use tokio::sync::mpsc;

/// Password of the demonstration accounts.
pub(crate) const PASSWORD: &str = "demo-herdbook";

/// Rows of a synthetic book for each of its animals, about.
const ROWS: usize = 17;
/// Sets that are made before they are read: those of a part of a large book, so that the next part is made meanwhile.
const MADE: usize = 64;
/// Sets that are read before they are written.
const READ: usize = 4;
/// The first day on which a book may end: its oldest ancestors are decades older.
const FIRST_END: Date = date(2000, 1, 1);

/// Size and seed of a synthetic book.
#[derive(Debug, Clone, Args)]
pub(crate) struct Size {
    /// Approximate number of animals.
    #[arg(long, default_value_t = 500, value_name = "N")]
    pub(crate) animals: usize,
    /// Seed: the same seed gives the same book.
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub(crate) seed: u64,
    /// Last day of the book, to which all its days are shifted. [default: of `demo` yesterday, of `generate` 2025-06-30]
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub(crate) last_day: Option<Date>,
}

impl Size {
    /// What is to be generated now, in epoch milliseconds.
    fn options(&self, now: i64) -> Result<demo::Options> {
        let (last, latest) = (self.last_day.unwrap_or(demo::last_day()), yesterday(now)?);
        if !(FIRST_END..=latest).contains(&last) {
            let message = format!("--last-day must be a day from {FIRST_END} to yesterday ({latest}).");
            return Err(Error::Malformed(message.into()));
        }
        let later = last.since(demo::last_day()).map_err(Error::internal)?.get_days();
        Ok(demo::Options { animals: self.animals, seed: self.seed, later })
    }
}

/// The last day that is over in UTC, and so at all farms of the book: a milking of this evening is none yet.
pub(super) fn yesterday(now: i64) -> Result<Date> {
    let now = Timestamp::from_millisecond(now).map_err(Error::internal)?;
    Ok(now.to_zoned(TimeZone::UTC).date().saturating_sub(1.day()))
}

/// Flags of `generate`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    size: Size,
    /// Password for all generated accounts.
    #[arg(long, default_value = PASSWORD, value_name = "TEXT")]
    password: String,
}

pub(crate) async fn generate(options: &Options, settings: &Settings) -> Result<()> {
    // A book whose filling broke off is made anew, and closing it syncs its file: no commit has to wait for the disk.
    let quick = Settings { durability: Durability::Normal, ..settings.clone() };
    let opened = open(&quick, quick.passing_ring()?).await?;
    let filled = fill(&opened, &options.size, &options.password).await;
    opened.book.store.close().await;
    let rows = filled?;
    announce(&json!({"event": "generated", "rows": rows, "seed": options.size.seed}));
    Ok(())
}

pub(crate) async fn fill(opened: &OpenBook, size: &Size, password: &str) -> Result<usize> {
    let OpenBook { book, exchange } = opened;
    let rows = book.store.rows(Sql::new("SELECT 1 FROM book_ids LIMIT 1")).await?;
    if !rows.is_empty() {
        return Err(Error::Malformed("The book is not empty; nothing was written.".into()));
    }
    let passwords = std::sync::Arc::clone(&book.passwords);
    let password = password.to_owned();
    let verifier = tokio::task::spawn_blocking(move || passwords.hash(&password))
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)?;
    // Documents are made once, when all rows are there.
    exchange.projector().forget_generation(book).await?;
    let expected = size.animals.saturating_mul(ROWS);
    let bar = progress(expected as u64, Unit::Rows);
    let mut loading = book.loading(expected).await?;
    let (sets, ended) = made(size.options(book.clock.now())?, verifier, book.registry);
    let (mut count, mut rest) = (0, Some(sets));
    while let Some(sets) = rest {
        let bar = bar.clone();
        let on_progress = move |rows| bar.inc(rows as u64);
        let (written, more) = loading.write(sets, on_progress).await?;
        count += written;
        rest = more;
    }
    ended.await?;
    bar.finish_and_clear();
    let rows = progress(0, Unit::Rows);
    let tables = progress(0, Unit::Tables);
    let on_progress = |part, done: usize, all: usize| {
        let bar = match part {
            LoadPart::Rows => &rows,
            LoadPart::Tables => {
                rows.finish_and_clear();
                &tables
            }
        };
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let finished = loading.finish(on_progress).await;
    rows.finish_and_clear();
    tables.finish_and_clear();
    finished?;
    exchange.projector().loaded(book).await?;
    crate::maintenance::reproject::all(opened).await?;
    while book.run_job(&ComputeIndexes).await? {}
    Ok(count)
}

/// The sets of rows of a book, made by one thread and read by another beside those who write them, some in advance.
fn made(
    options: demo::Options,
    verifier: String,
    registry: &'static Registry,
) -> (impl Stream<Item = Result<FillSet>> + Send + Unpin + 'static, impl Future<Output = Result<()>>) {
    let (make, mut made) = mpsc::channel(MADE);
    let (read, mut sets) = mpsc::channel(READ);
    // Where the next one is gone, writing failed, and tells why.
    let go_on = |is_taken: bool| match is_taken {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let maker = tokio::task::spawn_blocking(move || {
        demo::generate_in_waves(&options, |set| go_on(make.blocking_send(set).is_ok()));
    });
    let reader = tokio::task::spawn_blocking(move || {
        while let Some(set) = made.blocking_recv() {
            let rows = set.into_iter().map(|row| with_verifier(row, &verifier));
            let set = FillSet::read(registry, rows.collect()).transpose();
            if set.is_some_and(|set| read.blocking_send(set).is_err()) {
                break;
            }
        }
    });
    let ended = async move {
        maker.await.map_err(Error::internal)?;
        reader.await.map_err(Error::internal)
    };
    (stream::poll_fn(move |cx| sets.poll_recv(cx)), ended)
}

fn with_verifier(row: SeedRow, verifier: &str) -> FillRow {
    let declared = registry().ok().and_then(|r| r.get(row.collection));
    let mut data = row.data;
    let mut hidden = Vec::new();
    for (path, json) in row.system {
        // Hidden fields cannot be set by a body.
        let field = declared.and_then(|c| c.field(&path));
        match field.filter(|f| f.class == Class::Hidden) {
            Some(field) => hidden.push((field.path.as_str(), Value::json(json))),
            None => {
                data.insert(path, json);
            }
        }
    }
    if data.contains_key("email") && data.contains_key("role") {
        hidden.push(("verifier", Value::Text(verifier.to_owned())));
    }
    FillRow { collection: row.collection, id: row.id, data, hidden }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_ends_on_a_day_that_is_over() {
        let now: Timestamp = "2026-03-02T10:00:00Z".parse().unwrap();
        let later = |last: &str| {
            let size = Size { animals: 1, seed: 1, last_day: Some(last.parse().unwrap()) };
            size.options(now.as_millisecond()).ok().map(|options| options.later)
        };
        assert_eq!(["2025-06-30", "2026-03-01"].map(later), [Some(0), Some(244)]);
        assert!(later("2000-01-01").is_some());
        assert_eq!(["1999-12-31", "2026-03-02", "9999-12-31"].map(later), [None; 3]);
    }
}
