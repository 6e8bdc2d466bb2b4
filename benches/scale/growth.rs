//! Pages and a whole feed among many documents, and the end of a large full sync: measures that
//! take long, for which the sizes are given.

use crate::book::{Book, COWS, FARM, WRITERS, cow};
use crate::crowd::{self, Farm};
use crate::program::{self, Server};
use crate::reading::{end_of, whole};
use crate::shared::{opened, serve};
use crate::table::{Budget, Table};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use store::{Sql, Ty};
use tokio::sync::watch;

/// Documents of a statement, and of a push.
const PIECE: usize = 1_000;
/// Requests of a median.
const REQUESTS: usize = 400;
/// Beyond so many, documents are those of other locations.
const OWN: usize = 1_000_000;
const PLACE: &str = "/ade/v1/locations/org.herdbook.orgid/2/weights?pageSize=100";
const FEED: &str = "/ade/v1/datasets/weights/changes?limit=500";

/// Of each size: a page of a location, one of a feed, the whole feed.
pub(crate) async fn documents(book: &Book, sizes: &[usize], table: &mut Table) {
    let mut there = 0;
    let mut first = None;
    for size in sizes {
        let open = opened(book.dir.path()).await;
        while there < *size {
            let count = PIECE.min(size - there);
            add(&open, there, count).await;
            there += count;
        }
        open.book.store.close().await;
        let server = serve(book.dir.path());
        let farm = Farm::enter(&server.url, "farm1@demo.herdbook", FARM).await;
        let pages = [median(&farm, PLACE, false).await, median(&farm, FEED, true).await];
        let least = *first.get_or_insert(pages);
        for (at, what) in ["location page of 100", "feed page of 500"].iter().enumerate() {
            let work = format!("{what}, made each time, {size} documents more");
            let yardstick = Some(("the first size", least[at]));
            table.add(work, (pages[at], "ms"), yardstick, Budget::RatioAtMost(1.3));
        }
        drop(server);
        whole(book, "weights", table).await;
    }
}

/// Milliseconds that half of the requests take less than, one client alone. Each differs from the
/// one before, so that none is answered from memory.
async fn median(farm: &Farm, path: &str, follow: bool) -> f64 {
    let (mut times, mut since) = (Vec::with_capacity(REQUESTS), String::new());
    for n in 0..REQUESTS {
        let started = Instant::now();
        let answer = farm.get(&format!("{path}&_={n}{since}")).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        let body = answer.bytes().await.unwrap();
        times.push(started.elapsed().as_secs_f64() * 1e3);
        if follow {
            let (token, current) = end_of(&body);
            since = if current { String::new() } else { format!("&since={token}") };
        }
    }
    crate::median(times)
}

/// Documents as if they had come long ago: 1,000,000 of one farm, then of all.
async fn add(open: &cli::OpenBook, from: usize, count: usize) {
    let rows = open.book.store.rows(Sql::new("SELECT id FROM organizations ORDER BY id")).await;
    let places: Vec<i64> = rows.unwrap().iter().filter_map(|row| row.int(0)).collect();
    let done = open.book.transact(move |work| {
        Box::pin(async move {
            let names = ["weights", "weighings", "icarWeightEventResource", "old.example"];
            for (id, name) in names.into_iter().enumerate() {
                let sql = Sql::new("INSERT INTO exchange_names (id, name) VALUES (")
                    .with(Ty::Int, 1_000 + i64::try_from(id).unwrap_or(0))
                    .and(", ")
                    .with(Ty::Text, name)
                    .and(") ON CONFLICT (name) DO NOTHING");
                work.tx().run(sql).await?;
            }
            let mut sql = Sql::new(
                "INSERT INTO exchange_documents (id, seq, dataset, collection, resource_type, source, \
                 source_id, location, modified, created, record, deleted, body) \
                 SELECT v.column1, v.column1, w.id, c.id, t.id, s.id, v.column2, v.column3, 1767225600000, 1767225600000, v.column4, ",
            );
            sql.bind(Ty::Bool, false).push(", v.column5 FROM (VALUES ");
            let mut own = 0_i64;
            for n in from..from + count {
                let seq = work.tx().next_seq();
                let place = if n < OWN { FARM } else { places[n % places.len()] };
                own += i64::from(place == FARM);
                let name = format!("old{n}");
                let body = old(n, &name, place);
                sql.push(if n > from { ",(" } else { "(" });
                sql.bind(Ty::Int, seq).push(",");
                sql.bind(Ty::Text, name).push(",");
                sql.bind(Ty::Int, place).push(",");
                sql.bind(Ty::Int, -i64::try_from(n).unwrap() - 1).push(",");
                sql.bind(Ty::Compressed, body).push(")");
            }
            sql.push(") AS v");
            for (alias, name) in ["w", "c", "t", "s"].into_iter().zip(names) {
                sql.push(&format!(
                    " JOIN exchange_names AS {alias} ON {alias}.name = '{name}'"
                ));
            }
            work.tx().run(sql).await?;
            let counts = Sql::new(
                "INSERT INTO exchange_counts (location, dataset, live) VALUES (2, 'weights', ",
            )
            .with(Ty::Int, own)
            .and(
                ") ON CONFLICT (location, dataset) DO UPDATE SET \
                 live = exchange_counts.live + excluded.live",
            );
            work.tx().run(counts).await.map(|_| ())
        })
    });
    done.await.unwrap();
}

fn old(n: usize, name: &str, place: i64) -> String {
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "old.example", "sourceId": name, "modified": "2026-01-01T00:00:00Z",
            "created": "2026-01-01T00:00:00Z", "creator": "old.example"},
        "location": {"id": place.to_string(), "scheme": "org.herdbook.orgid"},
        "animal": {"id": format!("97{:010}", n / 20), "scheme": "org.herdbook.animal"},
        "alternativeIdentifiers": [{"id": format!("DE {:012}", n / 20), "scheme": "org.herdbook.ear"}],
        "eventDateTime": "2026-01-01T06:00:00Z",
        "weight": {"measurement": 400 + n % 300, "units": "KGM", "method": "LoadCell",
            "resolution": 0.5},
        "device": {"id": "scale-1", "manufacturerName": "Bench", "name": "Scale in the parlour"},
        "timeOffFeed": 0,
    })
    .to_string()
}

const SET: &str = "/ade/v1/datasets/weights";
/// Pushes at a time.
const AT_ONCE: usize = 2;
/// Every so manieth document is not named, or is named with another weight.
const GONE: usize = 100;
/// Between two requests of another farm, and between two looks whether an end is over.
const EVERY: Duration = Duration::from_millis(100);

/// Documents that are made as they are sent.
type Documents = Box<dyn Iterator<Item = Value>>;

/// A full sync of so many documents: they are sent for the first time; nearly all of them named
/// again; then next to none. Documents are made push by push, so that they take no memory here.
pub(crate) async fn full_sync(book: &Book, count: usize, table: &mut Table) {
    crowd::fill(book).await;
    let server = serve(book.dir.path());
    let farm = Farm::enter(&server.url, "farm1@demo.herdbook", FARM).await;
    let farms = crowd::farms(&server.url).await;
    let remaining = count - count.div_ceil(GONE);
    let all = (0..count).map(|n| document(n, 0));
    let second = (0..count).filter(|n| n % GONE != 0);
    let second = second.map(|n| document(n, usize::from(n % GONE == 1)));
    let one = (1..2).map(|n| document(n, 1));
    let steps: [(&str, Documents, usize, usize); 3] = [
        ("first", Box::new(all), count, 0),
        ("again, 1 of 100 gone, 1 changed", Box::new(second), remaining, count - remaining),
        ("one", Box::new(one), 1, remaining - 1),
    ];
    for (what, documents, expect, gone) in steps {
        let scope = json!({"sources": ["sync.example"], "locations": [place()]});
        let (status, begun) = farm.post(&format!("{SET}/full-syncs"), &scope).await;
        assert_eq!(status, 201, "{begun}");
        let id = begun["id"].as_str().unwrap();
        let started = Instant::now();
        push(&farm, id, documents).await;
        let rate = expect as f64 / started.elapsed().as_secs_f64();
        let work = format!("full sync, {what}: {expect} documents named");
        table.add(work, (rate, "documents/s"), None, Budget::None);
        end(&server, &farm, &farms[1], (id, expect, gone), table).await;
    }
}

async fn push(farm: &Farm, id: &str, all: impl Iterator<Item = Value>) {
    let path = &format!("{SET}/resources?full-sync={id}");
    let mut all = all.peekable();
    let pushes = std::iter::from_fn(|| {
        all.peek()?;
        let push: Vec<Value> = all.by_ref().take(PIECE).collect();
        Some(async move {
            let (status, answer) = farm.post(path, &Value::from(push)).await;
            assert_eq!(status, 200, "{answer}");
        })
    });
    let pushes = stream::iter(pushes).buffer_unordered(AT_ONCE);
    pushes.for_each(async |()| {}).await;
}

/// The end of a full sync, and what another farm notices of it.
async fn end(server: &Server, farm: &Farm, other: &Farm, (id, expect, gone): (&str, usize, usize), table: &mut Table) {
    let (tell, over) = watch::channel(false);
    let started = Instant::now();
    let ending = async {
        let at = format!("{SET}/full-syncs/{id}");
        let (status, mut answer) = farm.post(&format!("{at}/end"), &json!({"expect": expect})).await;
        assert!(matches!(status, 200 | 202), "{status}: {answer}");
        while answer["state"] != "ended" {
            tokio::time::sleep(EVERY).await;
            answer = farm.get(&at).send().await.unwrap().json().await.unwrap();
        }
        assert_eq!(answer["deleted"]["count"], json!(gone), "{answer}");
        tell.send_replace(true);
        started.elapsed()
    };
    let memory = || program::memory(server.id(), "RssAnon").unwrap_or_default();
    let before = memory();
    let beside = async {
        let (mut read, mut written, mut most) = (Duration::ZERO, Duration::ZERO, before);
        while !*over.borrow() {
            let begun = Instant::now();
            let page = other.get(&format!("{}?pageSize=10", other.weights())).send();
            assert!(page.await.unwrap().status().is_success());
            read = read.max(begun.elapsed());
            let begun = Instant::now();
            let (status, answer) = other.post(&other.weights(), &other.weight().1).await;
            assert!(matches!(status, 200 | 201 | 503), "{status}: {answer}");
            written = written.max(begun.elapsed());
            most = most.max(memory());
            tokio::time::sleep(EVERY).await;
        }
        (read, written, most)
    };
    let (took, (read, written, most)) = tokio::join!(ending, beside);
    let ms = |time: Duration| (time.as_secs_f64() * 1e3, "ms");
    let work = format!("its end, {gone} gone");
    table.add(work.clone(), ms(took), None, Budget::None);
    table.add(format!("{work}: longest read of another"), ms(read), None, Budget::None);
    let longest = format!("{work}: longest write of another");
    table.add(longest, ms(written), None, Budget::AtMost(1_000.0));
    let more = (most - before, "MB");
    table.add(format!("{work}: more memory"), more, None, Budget::AtMost(100.0));
}

/// The location of the farm.
fn place() -> Value {
    json!({"scheme": "org.herdbook.orgid", "id": FARM.to_string()})
}

fn document(n: usize, more: usize) -> Value {
    let cows = COWS as usize * WRITERS;
    let (day, second) = (n / cows / 86_400, n / cows % 86_400);
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "sync.example", "sourceId": format!("s{n}"),
            "modified": "2026-01-01T00:00:00Z"},
        "location": place(),
        "animal": {"scheme": "org.herdbook.animal", "id": cow((n % cows) as i64)},
        "eventDateTime": format!("2023-01-{:02}T{:02}:{:02}:{:02}Z",
            day + 1, second / 3_600, second / 60 % 60, second % 60),
        "weight": {"measurement": 400 + n % 200 + more, "units": "KGM"},
    })
}
