//! The whole feed by pages beside a bare loop over the rows, an unchanged answer beside a static
//! one, a counted list beside one that is not counted.

use crate::book::{Book, FARM, token};
use crate::program::Server;
use crate::shared::{opened, serve};
use crate::still::Still;
use crate::table::{Budget, Table};
use crate::{median, turns};
use futures_util::StreamExt;
use reqwest::header::{ETAG, HeaderValue, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::{Sql, Ty};

const CLIENTS: usize = 8;
const EACH: Duration = Duration::from_secs(2);

pub(crate) async fn measure(book: &Book, table: &mut Table) {
    whole(book, "everything", table).await;
    let server = serve(book.dir.path());
    let client = Client::new();
    let token = token(&client, &server.url).await;
    unchanged(&server, &token, table).await;
    counted(&server, &token, table).await;
}

/// The feed of a data set of the farm, and the same rows read one by one: as they are stored, compressed, and
/// with their bodies unpacked, as the feed sends them.
pub(crate) async fn whole(book: &Book, set: &str, table: &mut Table) {
    let book_opened = opened(book.dir.path()).await;
    let store = &book_opened.book.store;
    let (mut packed, mut unpacked, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    let server = serve(book.dir.path());
    let client = Client::new();
    let token = token(&client, &server.url).await;
    for turn in 0..turns() + 2 {
        let mut count = 0_u64;
        let mut bare = [0.0, 0.0];
        for (time, unpacks) in bare.iter_mut().zip([false, true]) {
            let begun = Instant::now();
            let sql = Sql::new("SELECT seq, body FROM exchange_documents WHERE location = ");
            let mut sql = sql.with(Ty::Int, FARM);
            if set != "everything" {
                let name = " AND dataset = (SELECT id FROM exchange_names WHERE name = ";
                sql = sql.and(name).with(Ty::Text, set).and(")");
            }
            let mut rows = store.stream(sql.and(" ORDER BY seq"));
            count = 0;
            while let Some(row) = rows.next().await {
                let row = row.unwrap();
                let has_body = match unpacks {
                    true => row.compressed(1).is_some(),
                    false => row.bytes(1).is_some(),
                };
                count += u64::from(has_body);
            }
            *time = begun.elapsed().as_secs_f64();
        }
        // Of another length each time, so that no page is given again.
        let limit = 1_000 - turn;
        let begun = Instant::now();
        let mut since = String::new();
        loop {
            let path = format!("/ade/v1/datasets/{set}/changes?limit={limit}{since}");
            let request = client.get(format!("{}{path}", server.url)).bearer_auth(&token);
            let page = request.send().await.unwrap().bytes().await.unwrap();
            let (next, current) = end_of(&page);
            since = format!("&since={next}");
            if current {
                break;
            }
        }
        // The first ones find memory and pages that are new.
        if turn >= 2 {
            packed.push(count as f64 / bare[0]);
            unpacked.push(count as f64 / bare[1]);
            ours.push(count as f64 / begun.elapsed().as_secs_f64());
        }
    }
    store.close().await;
    let ours = median(ours);
    for (yardstick, bare, budget) in [
        ("bare loop over the rows", unpacked, Budget::Ratio(0.6)),
        ("the same, bodies left compressed", packed, Budget::None),
    ] {
        table.add(
            format!("whole feed of a farm, {set}, one reader"),
            (ours, "documents/s"),
            Some((yardstick, median(bare))),
            budget,
        );
    }
}

/// The token at the end of a page, and whether the reader is current then.
pub(crate) fn end_of(page: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(&page[page.len().saturating_sub(2_000)..]);
    let (_, rest) = text.rsplit_once("\"token\":\"").expect("a token");
    let (token, _) = rest.split_once('"').expect("its end");
    let last = text.rsplit('{').next().unwrap_or_default();
    (token.to_owned(), last.contains("\"current\":true"))
}

/// A 304, a page of a location and one of a feed, each beside a static route of the same bytes.
async fn unchanged(server: &Server, token: &str, table: &mut Table) {
    let location = "/ade/v1/locations/org.herdbook.orgid/2/test-day-results?pageSize=100";
    let feed = "/ade/v1/datasets/everything/changes?limit=500";
    let still = Still::start();
    for (work, yardstick, path, known, ratio) in [
        ("304", "static 304", location, true, 0.7),
        ("location page of 100", "the same bytes", location, false, 0.5),
        ("feed page of 500", "the same bytes", feed, false, 0.5),
    ] {
        let url = format!("{}{path}", server.url);
        let answer = Client::new().get(&url).bearer_auth(token).send();
        let answer = answer.await.unwrap();
        let tag = answer.headers().get(ETAG).cloned().filter(|_| known);
        assert_eq!(tag.is_some(), known, "{path} has a tag");
        let bytes = answer.bytes().await.unwrap();
        let put = Client::new().put(&still.url).body(bytes).send();
        put.await.unwrap();
        let (mut ours, mut fixed) = (Vec::new(), Vec::new());
        for _ in 0..turns() {
            fixed.push(rate(&still.url, token, tag.as_ref(), |url, _| url.to_owned()).await);
            ours.push(rate(&url, token, tag.as_ref(), |url, _| url.to_owned()).await);
        }
        let ours = (median(ours), "requests/s");
        let work = format!("{work}, 8 connections");
        let yardstick = Some((yardstick, median(fixed)));
        table.add(work, ours, yardstick, Budget::Ratio(ratio));
    }
}

/// Lists of ten under conditions of which none was asked before.
async fn counted(server: &Server, token: &str, table: &mut Table) {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for turn in 0..turns() {
        let list = |count: &'static str, first: usize| {
            let url = format!("{}/api/milk-tests?limit=10&depth=0{count}", server.url);
            move |_: &str, at: u64| {
                let least = 5.0 + (first as u64 * 100_000 + at) as f64 / 1e6;
                format!("{url}&where[milkYield][greater_than]={least}")
            }
        };
        without.push(rate("", token, None, list("&pagination=false", 2 * turn)).await);
        with.push(rate("", token, None, list("", 2 * turn + 1)).await);
    }
    table.add(
        "list of 10, counted under a new condition",
        (median(with), "requests/s"),
        Some(("the same, not counted", median(without))),
        Budget::None,
    );
}

/// Requests a second of all clients.
async fn rate(
    url: &str,
    token: &str,
    tag: Option<&HeaderValue>,
    address: impl Fn(&str, u64) -> String + Clone + Send + Sync + 'static,
) -> f64 {
    let count = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let end = begun + EACH;
    let clients = (0..CLIENTS).map(|_| {
        let (client, count) = (Client::new(), Arc::clone(&count));
        let (url, token, tag) = (url.to_owned(), token.to_owned(), tag.cloned());
        let address = address.clone();
        tokio::spawn(async move {
            while Instant::now() < end {
                let at = count.fetch_add(1, Ordering::Relaxed);
                let request = client.get(address(&url, at)).bearer_auth(&token);
                let (request, status) = match &tag {
                    Some(tag) => (request.header(IF_NONE_MATCH, tag), StatusCode::NOT_MODIFIED),
                    None => (request, StatusCode::OK),
                };
                let answer = request.send().await.unwrap();
                assert_eq!(answer.status().as_u16(), status.as_u16());
                answer.bytes().await.unwrap();
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
    count.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
}
