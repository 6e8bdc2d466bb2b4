//! The weekly email about work lists: once a week to each farm whose people wish it, by any of the processes.

use domain::collections::{next_work_letters, write_work_letter};
use model::error::Result;
use model::record::time::{DAY_MS, day_start};
use model::record::zone::clock;
use model::registry::Principal;
use ops::{Book, WorkAsk};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Hour of Monday from which on they are written, in the time zone of the installation.
const HOUR: i64 = 6;
/// Days ahead of which they tell.
const AHEAD: i64 = 7;

/// Writes to the farms that got no email this week yet.
///
/// # Errors
/// The errors of the book.
pub async fn write_letters(book: &Book) -> Result<()> {
    let now = clock(book.zone(), book.clock.now()) - HOUR * DAY_MS / 24;
    // The first day of the epoch was a Thursday.
    let since_monday = (day_start(now) / DAY_MS + 3).rem_euclid(7);
    let week = day_start(now) - since_monday * DAY_MS;
    let (mut failed, mut fault) = (BTreeSet::new(), None);
    loop {
        let next = book.transact(move |work| Box::pin(async move { next_work_letters(work, week).await })).await?;
        // A step may have found none whose people wish it; one that finds only those that failed is the last.
        let Some(next) = next.filter(|next| next.is_empty() || next.iter().any(|one| !failed.contains(one))) else {
            return fault.map_or(Ok(()), Err);
        };
        for organization in next.into_iter().filter(|one| !failed.contains(one)).collect::<Vec<_>>() {
            // The others get theirs all the same.
            if let Err(error) = write_letter(book, organization, week).await {
                failed.insert(organization);
                fault = fault.or(Some(error));
            }
        }
    }
}

async fn write_letter(book: &Book, organization: i64, week: i64) -> Result<()> {
    let counts = counts(book, organization).await?;
    let write = book.transact(move |work| {
        let counts = counts.clone();
        Box::pin(async move { write_work_letter(work, (organization, week), &counts).await })
    });
    write.await
}

/// How many records each list of an organisation has.
async fn counts(book: &Book, organization: i64) -> Result<Vec<(&'static str, u64)>> {
    let caller = Arc::new(Principal::system());
    let ask = WorkAsk { ahead: AHEAD, limit: 1, page: 1 };
    let mut counts = Vec::new();
    for c in book.registry.iter() {
        let Some(lists) = c.ui.work_lists else { continue };
        let places = book.work_places(&caller, c, lists, organization).await?;
        for list in lists.lists {
            let page = book.work_list(&caller, &places, list, ask).await?;
            counts.push((list.name, page.get("totalDocs").and_then(serde_json::Value::as_u64).unwrap_or_default()));
        }
    }
    Ok(counts)
}
