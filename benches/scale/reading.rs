//! The whole feed by pages beside a bare loop over the rows, an unchanged answer beside a static
//! one, a counted list beside one that is not counted.

use crate::book::{Book, FARM, opened, token};
use crate::program::Server;
use crate::table::{Budget, Row, Table};
use crate::{median, turns};
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use futures_util::StreamExt;
use reqwest::Client;
use reqwest::header::{ETAG, HeaderValue, IF_NONE_MATCH};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::{Sql, Ty};

const CLIENTS: usize = 8;
const EACH: Duration = Duration::from_secs(2);

pub(crate) async fn measure(book: &Book, table: &mut Table) {
    whole(book, table).await;
    let server = Server::start(book.dir.path());
    let client = Client::new();
    let token = token(&client, &server.url).await;
    unchanged(&server, &token, table).await;
    counted(&server, &token, table).await;
}

/// The feed of the farm, and the same rows read one by one: as they are stored, compressed, and
/// with their bodies unpacked, as the feed sends them.
async fn whole(book: &Book, table: &mut Table) {
    let book_opened = opened(book.dir.path()).await;
    let store = &book_opened.book.store;
    let (mut packed, mut unpacked, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    let server = Server::start(book.dir.path());
    let client = Client::new();
    let token = token(&client, &server.url).await;
    for turn in 0..turns() + 2 {
        let mut count = 0_u64;
        let mut bare = [0.0, 0.0];
        for (time, unpacks) in bare.iter_mut().zip([false, true]) {
            let begun = Instant::now();
            let sql = Sql::new("SELECT seq, body FROM exchange_documents WHERE location = ");
            let mut rows = store.stream(sql.with(Ty::Int, FARM).and(" ORDER BY seq"));
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
            let path = format!("/ade/v1/datasets/everything/changes?limit={limit}{since}");
            let asked = client
                .get(format!("{}{path}", server.url))
                .bearer_auth(&token);
            let page = asked.send().await.unwrap().bytes().await.unwrap();
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
        table.add(Row {
            work: "whole feed of a farm, one reader".to_owned(),
            figure: ours,
            unit: "documents/s",
            yardstick: Some((yardstick, median(bare))),
            budget,
        });
    }
}

/// The token at the end of a page, and whether the reader is current then.
fn end_of(page: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(&page[page.len().saturating_sub(2_000)..]);
    let (_, rest) = text.rsplit_once("\"token\":\"").expect("a token");
    let (token, _) = rest.split_once('"').expect("its end");
    let last = text.rsplit('{').next().unwrap_or_default();
    (token.to_owned(), last.contains("\"current\":true"))
}

async fn unchanged(server: &Server, token: &str, table: &mut Table) {
    let path = "/ade/v1/locations/org.herdbook.orgid/2/test-day-results?pageSize=100";
    let url = format!("{}{path}", server.url);
    let asked = Client::new().get(&url).bearer_auth(token);
    let answer = asked.send().await.unwrap();
    let tag = answer.headers().get(ETAG).cloned().expect("a tag");
    let still = Still::start();
    let (mut ours, mut fixed) = (Vec::new(), Vec::new());
    for _ in 0..turns() {
        fixed.push(rate(&still.url, token, Some(&tag), |url, _| url.to_owned()).await);
        ours.push(rate(&url, token, Some(&tag), |url, _| url.to_owned()).await);
    }
    table.add(Row {
        work: "304, 8 connections".to_owned(),
        figure: median(ours),
        unit: "requests/s",
        yardstick: Some(("static 304", median(fixed))),
        budget: Budget::Ratio(0.7),
    });
}

/// Where it is set, the program is the static server.
pub(crate) const STILL: &str = "HERDBOOK_BENCH_STILL";

/// A server that knows each tag, a process of its own as ours is.
struct Still {
    child: Child,
    url: String,
}

impl Still {
    fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env(STILL, "1").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        Self { child, url }
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves a route that knows each tag.
pub(crate) async fn serve_still() {
    let route = get(|headers: HeaderMap| async move {
        match headers.contains_key("if-none-match") {
            true => StatusCode::NOT_MODIFIED,
            false => StatusCode::OK,
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("http://{}/still", listener.local_addr().unwrap());
    let app = Router::new().route("/still", route);
    axum::serve(listener, app).await.unwrap();
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
    table.add(Row {
        work: "list of 10, counted under a new condition".to_owned(),
        figure: median(with),
        unit: "requests/s",
        yardstick: Some(("the same, not counted", median(without))),
        budget: Budget::None,
    });
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
                let asked = client.get(address(&url, at)).bearer_auth(&token);
                let (asked, status) = match &tag {
                    Some(tag) => (asked.header(IF_NONE_MATCH, tag), StatusCode::NOT_MODIFIED),
                    None => (asked, StatusCode::OK),
                };
                let answer = asked.send().await.unwrap();
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
