//! `herdbook recompute`: computes anew everything that the book derives of its animals.

use crate::bench_runs::measured;
use crate::progress::{Unit, progress};
use crate::{OpenBook, announce, open};
use config::Settings;
use domain::collections::recompute as step;
use model::error::Result;
use serde_json::json;
use std::time::Instant;
use store::Sql;

pub(crate) async fn recompute(settings: &Settings) -> Result<()> {
    let opened = open(settings, settings.passing_ring()?).await?;
    let began = Instant::now();
    let done = all(&opened).await;
    if let Ok(animals) = done {
        measured(&opened.book, "recompute", ("animals", animals), began.elapsed()).await;
    }
    opened.book.store.close().await;
    let animals = done?;
    announce(&json!({"event": "recomputed", "animals": animals}));
    Ok(())
}

/// All animals in steps of one transaction each, and the documents of the exchange that follow from them.
async fn all(opened: &OpenBook) -> Result<u64> {
    let rows = opened.book.store.rows(Sql::new("SELECT count(*) FROM animals"));
    let count = rows.await?.first().and_then(|row| row.int(0)).unwrap_or_default();
    let bar = progress(u64::try_from(count).unwrap_or_default(), Unit::Rows);
    let (mut after, mut animals) = (0, 0_u64);
    let work = move |after| (opened.book).transact(move |work| Box::pin(async move { step(work, after).await }));
    while let Some((last, some)) = work(after).await? {
        after = last;
        animals = animals.saturating_add(u64::try_from(some).unwrap_or_default());
        bar.set_position(animals);
    }
    while opened.exchange.projector().work_off(&opened.book).await? {}
    bar.finish_and_clear();
    Ok(animals)
}
