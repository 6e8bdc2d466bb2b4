//! The whole feed by pages against the same rows read one by one.

use super::Bench;
use futures_util::StreamExt;
use std::time::Instant;
use store::{Sql, Ty};

/// Turns of reading a whole feed, after those that are not counted: until the memory for
/// answers is full, and the file mapped, most of the time goes into memory that is new.
const WHOLE: usize = 9;
const WARM: usize = 12;

impl Bench {
    /// The whole feed page by page against a bare loop over the same rows, in turns.
    pub(super) async fn whole_feed(&self, set: &str) {
        let (mut bares, mut all) = (Vec::new(), Vec::new());
        for turn in 0..WARM + WHOLE {
            let (count, bytes, bare) = self.bare_loop(set).await;
            // Of another length each time, so that no page is given again. The work of a client is
            // not a cost of the server: the pages are counted when they are read again.
            let limit = 1_000 - turn;
            let started = Instant::now();
            self.pages(set, limit, |_| {}).await;
            let ours = started.elapsed().as_secs_f64();
            if turn == 0 {
                let mut read = 0;
                let documents = |body: &bytes::Bytes| {
                    let page: Vec<&serde_json::value::RawValue> =
                        serde_json::from_slice(body).unwrap();
                    read += page.len() as u64 - 2;
                };
                self.pages(set, limit, documents).await;
                assert_eq!(read, count);
                println!("whole feed: {count} documents, {bytes} bytes");
            }
            println!(
                "   over HTTP {:.0} documents/s, bare loop {:.0}, ratio {:.2}",
                count as f64 / ours,
                count as f64 / bare,
                bare / ours
            );
            if turn >= WARM {
                bares.push(bare);
                all.push(ours);
            }
        }
        let middle = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        println!(
            "   ratio of the medians of the last {WHOLE} turns {:.2}",
            middle(&mut bares) / middle(&mut all)
        );
    }

    /// Documents and bytes of a feed, and the seconds to read them row by row.
    async fn bare_loop(&self, set: &str) -> (u64, usize, f64) {
        let started = Instant::now();
        let mut rows = Sql::new("SELECT seq, body FROM exchange_documents WHERE location = 2");
        if set != "everything" {
            let number = " AND dataset = (SELECT id FROM exchange_names WHERE name = ";
            rows = rows.and(number).with(Ty::Text, set).and(")");
        }
        let rows = rows.and(" ORDER BY seq");
        let mut rows = self.opened.book.store.stream(rows);
        let (mut count, mut bytes) = (0_u64, 0);
        while let Some(row) = rows.next().await {
            bytes += row.unwrap().compressed(1).map_or(0, |body| body.len());
            count += 1;
        }
        (count, bytes, started.elapsed().as_secs_f64())
    }

    /// All pages of a feed.
    async fn pages(&self, set: &str, limit: usize, mut each: impl FnMut(&bytes::Bytes)) {
        let mut since = String::new();
        loop {
            let path = format!("/ade/v1/datasets/{set}/changes?limit={limit}{since}");
            let body = self.get(&path).await;
            let (token, current) = end_of(&body);
            since = format!("&since={token}");
            each(&body);
            if current {
                break;
            }
        }
    }
}

/// The token at the end of a page, and whether the reader is current then.
pub(super) fn end_of(page: &bytes::Bytes) -> (String, bool) {
    let end = page.len().saturating_sub(2_000);
    let text = String::from_utf8_lossy(&page[end..]);
    let (_, rest) = text.rsplit_once("\"token\":\"").expect("a token");
    let (token, _) = rest.split_once('"').expect("its end");
    let last = text.rsplit('{').next().unwrap_or_default();
    (token.to_owned(), last.contains("\"current\":true"))
}
