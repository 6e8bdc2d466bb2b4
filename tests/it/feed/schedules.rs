//! Random schedules: eight writers and four readers at once over a small herd. A failure names its seed;
//! `HERDBOOK_SCHEDULE=<seed>` runs that one alone, `HERDBOOK_SCHEDULES=<n>` so many on each database.

use super::draw::Draw;
use super::reader::Reader;
use super::stage::{Herd, Side, Stage, expert, head};
use super::verdict;
use super::writers::{Shared, Writer};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;

/// Schedules that share a book; its documents are then rendered from scratch.
const BOOK: usize = 10;

const READERS: [(&str, Option<usize>, Option<&str>); 4] = table![
    "first farm", Some(0), None;
    "second farm", Some(1), None;
    "association", None, None;
    "inseminations of the first farm", Some(0), Some("inseminations");
];

/// Runs a schedule and lists the faults.
async fn run(stage: &Stage, herd: Herd, seed: u64) -> (Vec<String>, Arc<Shared>) {
    let sides = stage.sides.clone();
    let (tell, done) = watch::channel(false);
    let mut readers = Vec::new();
    for (actor, (name, farm, dataset)) in (100..).zip(READERS) {
        let principal = farm.map_or_else(expert, |at| head(herd.farms()[at]));
        let draw = Draw::new(seed, actor);
        let reader = Reader::begin(name, principal, dataset, &sides[0], draw).await;
        readers.push(tokio::spawn(reader.follow(sides.clone(), done.clone())));
    }
    herd.settle(&sides[0]).await;
    let queue = tokio::spawn(dependants(sides[0].clone(), done));
    let shared = Arc::new(Shared::default());
    let mut writers = Vec::new();
    for actor in 0..8 {
        let writer = Writer {
            side: sides[usize::try_from(actor).unwrap() % sides.len()].clone(),
            herd,
            shared: Arc::clone(&shared),
            draw: Draw::new(seed, actor),
        };
        writers.push(if actor % 2 == 0 { tokio::spawn(writer.rest(3)) } else { tokio::spawn(writer.sends(3)) });
    }
    for writer in writers {
        writer.await.unwrap();
    }
    for side in &sides {
        while side.exchange.projector().work_off(&side.book).await.unwrap() {}
    }
    tell.send(true).unwrap();
    queue.await.unwrap();
    let mut ended = Vec::new();
    for reader in readers {
        ended.push(reader.await.unwrap());
    }
    let faults = verdict::faults(&sides[0], herd, &ended, &shared).await;
    (faults, shared)
}

/// Works the queue off while writers write.
async fn dependants(side: Side, mut done: watch::Receiver<bool>) {
    loop {
        while side.exchange.projector().work_off(&side.book).await.unwrap() {}
        tokio::select! {
            () = side.exchange.projector().queued() => {}
            ended = done.wait_for(|done| *done) => {
                ended.unwrap();
                return;
            }
        }
    }
}

/// The seed requested, or so many from a beginning; in a quick run a third of them.
fn seeds(from: u64, count: u64) -> Vec<u64> {
    match test_support::named("HERDBOOK_SCHEDULE") {
        Some(seed) => vec![seed],
        None => {
            let count = test_support::number("HERDBOOK_SCHEDULES", count / 3, count);
            (from..from + count).collect()
        }
    }
}

async fn all(stage: &Stage, seeds: &[u64]) {
    let (mut wanted, mut done) = (0, 0);
    for (at, seed) in seeds.iter().enumerate() {
        let (faults, shared) = run(stage, Herd::new(at), *seed).await;
        wanted += shared.operations.load(Ordering::SeqCst);
        done += shared.done.load(Ordering::SeqCst);
        assert!(faults.is_empty(), "HERDBOOK_SCHEDULE={seed}\n{}", faults.join("\n"));
    }
    // Schedules with refusals only prove nothing.
    assert!(done * 4 > wanted, "{done} of {wanted} operations were done");
    let changed = verdict::anew(&stage.sides[0]).await;
    let names: Vec<String> = (changed.into_iter())
        .map(|(location, body)| {
            let at = usize::try_from(location / 100 - 1).unwrap();
            format!("HERDBOOK_SCHEDULE={} {body}", seeds[at])
        })
        .collect();
    assert!(names.is_empty(), "not rendered wholly:\n{}", names.join("\n"));
}

/// Runs the schedules, several on a book; none where there is no server.
async fn on(seeds: &[u64], open: impl AsyncFn() -> Option<Stage>) {
    for seeds in seeds.chunks(BOOK) {
        let Some(stage) = open().await else {
            return;
        };
        all(&stage, seeds).await;
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_end_with_the_book_on_sqlite() {
    on(&seeds(1, 60), async || Some(Stage::sqlite().await)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_end_with_the_book_on_postgres() {
    on(&seeds(1_001, 30), async || Stage::postgres(1).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_end_with_the_book_of_two_servers() {
    on(&seeds(2_001, 30), async || Stage::postgres(2).await).await;
}
