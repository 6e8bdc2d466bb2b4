//! Simulated histories of a book and its readers, one step after the other, all of it drawn from a seed: writes by
//! several processes, failed transactions, processes that stop and come back, clocks that jump, rights that change,
//! tombstones that are dropped, a book that is restored. Readers read by HTTP through the response cache of any
//! process, go back to old tokens, and are judged by the oracle page by page; in the end each holds what a new reader
//! receives, and the book what was acknowledged. What happens at the same time is the matter of `tests/it/feed`.
//!
//! `HERDBOOK_SIMULATIONS=<n>` sets the number of schedules on each database, and `HERDBOOK_SIMULATIONS_FROM=<seed>` the
//! seed of the first book; with `--nocapture` it says how far it is. A failure names the seed of its book:
//! `HERDBOOK_SIMULATION=<seed>` runs that book again.

use crate::ade::stage::{Stage, weight};
use crate::feed::draw::Draw;
use crate::support::fixture::Fixture;
use feed_oracle::{Answer, Chain, Key, PageRequest, Profile, Repeats, State};
use futures_util::{StreamExt, stream};
use model::error::Error;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use store::{Dialect, Sql};

/// Schedules on each database, quick and full.
const SCHEDULES: (u64, u64) = (50, 100);
/// Schedules that share a book.
const BOOK: u64 = 50;
const STEPS: usize = 14;
/// Kinds of steps, writes several times.
const KINDS: usize = 24;
/// Readers of a schedule, besides one of all weights.
const OTHERS: usize = 2;
const KEYS: usize = 8;
/// Books at a time.
const AT_ONCE: usize = 3;
/// A reader that makes no progress for so long is taken to be stuck for ever.
const PATIENCE: Duration = Duration::from_secs(120);
/// Books after which progress is printed.
const PROGRESS: u64 = 20;

/// The acknowledged value of each weight, by location and key; none: deleted.
type Model = BTreeMap<(i64, String), Option<i64>>;

struct Reader {
    path: String,
    who: String,
    profile: Profile,
    states: BTreeMap<Key, State>,
    bodies: BTreeMap<Key, Value>,
    token: Option<String>,
    old: Vec<String>,
    chain: Chain,
}

impl Reader {
    fn new(path: &str, who: &str) -> Self {
        let set = path.split('/').nth(4).unwrap_or_default();
        // A state can come back under a clock that is stopped, and rights that are restored bring back what was there.
        let profile = Profile { repeats: Repeats::WhenBusy, ..Profile::herdbook_of(set) };
        Self {
            path: path.to_owned(),
            who: who.to_owned(),
            states: BTreeMap::new(),
            bodies: BTreeMap::new(),
            token: None,
            old: Vec::new(),
            chain: Chain::new(profile.clone()),
            profile,
        }
    }

    /// Reads a page, and returns whether the reader is current then.
    async fn page(&mut self, at: &Fixture, limit: usize) -> Result<bool, String> {
        let sign = if self.path.contains('?') { '&' } else { '?' };
        let mut path = format!("{}{sign}limit={limit}", self.path);
        if let Some(token) = &self.token {
            path.push_str("&since=");
            path.push_str(token);
        }
        let (status, headers, body) = at.get(&path, &self.who).await;
        if status != 200 {
            return Err(format!("{path}: {status} {body}"));
        }
        let anew = headers.contains_key("icar-full-sync");
        if anew {
            self.states.clear();
            self.bodies.clear();
            self.old.clear();
            self.chain = Chain::new(self.profile.clone());
        }
        let pairs = (headers.iter()).filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let answer = Answer::new(status, pairs, body.to_string());
        let request = PageRequest { since: self.token.clone(), limit: Some(limit) };
        let judged = self.chain.page(&request, &answer, &self.states);
        let judged = judged.map_err(|fault| format!("{path}: {fault}"))?;
        if let Some(fault) = judged.violations.first() {
            return Err(format!("{path}: {fault}"));
        }
        let current = judged.page.is_current();
        for resource in judged.page.resources {
            if resource.state.deleted {
                self.bodies.remove(&resource.key);
            } else {
                self.bodies.insert(resource.key.clone(), resource.body);
            }
            self.states.insert(resource.key, resource.state);
        }
        self.old.push(judged.page.token.clone());
        self.token = Some(judged.page.token);
        Ok(current)
    }
}

struct Simulation {
    stage: Stage,
    /// Processes beside that of the stage.
    others: Vec<Fixture>,
    draw: Draw,
    set: i64,
    rover: String,
    model: Model,
    measured: i64,
    passed: i64,
}

impl Simulation {
    async fn begin(stage: Stage, seed: u64) -> Self {
        let mut draw = Draw::new(seed, 0);
        let rover = stage.f.user(9, "farmer", Some(1), "head").await;
        let set = json!({"name": "Pen", "place": "herd", "query": "q", "adeSet": true, "members": [11]});
        let (_, _, made) = stage.f.post("/api/saved-searches", &stage.farm, set).await;
        let mut others = Vec::new();
        for _ in 0..draw.below(3) {
            others.push(stage.f.other_process().await);
        }
        Self {
            set: made["doc"]["id"].as_i64().unwrap(),
            stage,
            others,
            draw,
            rover,
            model: Model::new(),
            measured: 300,
            passed: 0,
        }
    }

    /// One of the processes.
    fn process(&mut self) -> usize {
        self.draw.below(self.others.len() + 1)
    }

    fn at(&self, process: usize) -> &Fixture {
        match process.checked_sub(1) {
            Some(other) => &self.others[other],
            None => &self.stage.f,
        }
    }

    /// A weight, and what of the model it is.
    fn weight(&mut self) -> ((i64, String), Option<i64>, Value) {
        let location = if self.draw.once_in(4) { 2 } else { 1 };
        let key = self.draw.below(KEYS);
        let cow = if location == 2 { 21 } else { 11 + i64::try_from(key % 3).unwrap() };
        self.measured += 1;
        let mut doc = weight(u32::try_from(key).unwrap(), cow);
        let gone = self.draw.once_in(4);
        doc["weight"]["measurement"] = self.measured.into();
        doc["meta"]["isDeleted"] = gone.into();
        doc["location"] = json!({"scheme": "org.herdbook.orgid", "id": location.to_string()});
        ((location, format!("w{key}")), (!gone).then_some(self.measured), doc)
    }

    async fn write(&mut self) -> Result<(), String> {
        let process = self.process();
        let count = 1 + self.draw.below(3);
        let all: Vec<_> = (0..count).map(|_| self.weight()).collect();
        let docs: Vec<Value> = all.iter().map(|(_, _, doc)| doc.clone()).collect();
        let location = all[0].0.0;
        let place = format!("locations/org.herdbook.orgid/{location}/weights");
        let whole = all.iter().all(|((at, _), ..)| *at == location);
        let (who, f) = (self.stage.expert.clone(), self.at(process));
        let (status, _, body) = match (count, whole) {
            (1, _) => f.post(&format!("/ade/v1/{place}"), &who, docs[0].clone()).await,
            (_, true) => f.post(&format!("/ade/v1/batches/{place}"), &who, docs.into()).await,
            _ => f.post("/ade/v1/datasets/weights/resources", &who, docs.into()).await,
        };
        if status >= 300 || body.to_string().contains("\"Error\"") {
            return Err(format!("{status} {body}"));
        }
        for (key, value, _) in all {
            self.model.insert(key, value);
        }
        Ok(())
    }

    async fn step(&mut self, kind: usize) -> Result<(), String> {
        match kind {
            0..12 => self.write().await?,
            12 => {
                // A transaction that comes to nothing.
                let process = self.process();
                let failed = self.at(process).book.transact(|work| {
                    Box::pin(async move {
                        work.tx().next_seq();
                        let gone = Sql::new("DELETE FROM exchange_documents");
                        work.tx().run(gone).await?;
                        Err::<(), _>(Error::internal("the disk is full"))
                    })
                });
                assert!(failed.await.is_err());
            }
            13..16 => {
                let members: Vec<i64> = [11, 12, 13].into_iter().filter(|_| self.draw.once_in(2)).collect();
                let (process, set) = (self.process(), self.set);
                let body = json!({"members": members});
                let path = format!("/api/saved-searches/{set}");
                let (status, _, body) = self.at(process).request("PATCH", &path, &self.stage.farm, body).await;
                if status != 200 {
                    return Err(format!("{status} {body}"));
                }
            }
            16..18 => {
                let seconds = i64::try_from(self.draw.below(60)).unwrap() - 10;
                if self.passed + seconds >= 0 && self.passed + seconds < 3_000 {
                    self.passed += seconds;
                    self.stage.f.pass(seconds);
                }
            }
            18 | 19 if !self.others.is_empty() => {
                let at = self.draw.below(self.others.len());
                let new = self.stage.f.other_process().await;
                let old = std::mem::replace(&mut self.others[at], new);
                old.book.store.close().await;
            }
            20 => {
                let home = 1 + i64::try_from(self.draw.below(2)).unwrap();
                self.stage.f.update("users", 9, json!({"organization": home})).await;
            }
            21 => {
                let before = self.stage.f.book.clock.now() - i64::try_from(self.draw.below(5_000)).unwrap();
                let process = self.process();
                let f = self.at(process);
                f.exchange.projector().drop_tombstones(&f.book, before).await.unwrap();
            }
            22 if self.draw.once_in(4) => {
                let process = self.process();
                store::reincarnate(&self.at(process).book.store).await.unwrap();
            }
            _ => {}
        }
        Ok(())
    }

    async fn schedule(&mut self) -> Result<(), String> {
        let set = format!("/ade/v1/datasets/set-{}/changes", self.set);
        let all = "/ade/v1/datasets/everything/changes";
        let narrow = format!("{all}?types=icarWeightEventResource");
        // One reads everything that is acknowledged; two of the others are beside it.
        let mut readers = vec![
            Reader::new(all, &self.stage.farm),
            Reader::new("/ade/v1/datasets/weights/changes", &self.stage.farm),
            Reader::new(&set, &self.stage.farm),
            Reader::new(all, &self.rover),
        ];
        while readers.len() > OTHERS {
            readers.swap_remove(self.draw.below(readers.len()));
        }
        readers.push(Reader::new(&narrow, &self.stage.expert));
        for _ in 0..STEPS {
            let kind = self.draw.below(KINDS);
            answered(&format!("step of kind {kind}"), self.step(kind)).await?;
            let at = self.draw.below(readers.len());
            let (process, limit) = (self.process(), 1 + self.draw.below(8));
            if self.draw.once_in(8) && !readers[at].old.is_empty() {
                let reader = &mut readers[at];
                reader.token = Some(reader.old[self.draw.below(reader.old.len())].clone());
                reader.chain = Chain::new(reader.profile.clone());
            }
            let path = readers[at].path.clone();
            answered(&path, readers[at].page(self.at(process), limit)).await?;
        }
        for mut reader in readers {
            loop {
                let (process, limit) = (self.process(), 1 + self.draw.below(50));
                let path = reader.path.clone();
                if answered(&path, reader.page(self.at(process), limit)).await? {
                    break;
                }
            }
            let mut fresh = Reader::new(&reader.path, &reader.who);
            let process = self.process();
            while !answered(&reader.path, fresh.page(self.at(process), 1_000)).await? {}
            if reader.bodies != fresh.bodies {
                return Err(differ(&reader, &fresh));
            }
            if reader.path == narrow {
                let model: Model = (fresh.bodies.values())
                    .map(|doc| {
                        let at = doc["location"]["id"].as_str().unwrap().parse().unwrap();
                        let key = doc["meta"]["sourceId"].as_str().unwrap().to_owned();
                        ((at, key), doc["weight"]["measurement"].as_i64())
                    })
                    .collect();
                let mut known = self.model.clone();
                known.retain(|_, value| value.is_some());
                if model != known {
                    return Err(format!("expected {model:?}\nacknowledged {known:?}"));
                }
            }
        }
        Ok(())
    }
}

/// The result of a part of a schedule; a fault if it does not end.
async fn answered<T>(what: &str, part: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let ended = tokio::time::timeout(PATIENCE, part).await;
    ended.unwrap_or_else(|_| Err(format!("{what}: nothing for {PATIENCE:?}")))
}

fn differ(reader: &Reader, fresh: &Reader) -> String {
    let held: Vec<String> = (reader.bodies.iter())
        .filter(|(key, body)| fresh.bodies.get(key) != Some(body))
        .map(|(_, body)| format!("holds {body}"))
        .collect();
    let lacks: Vec<String> = (fresh.bodies.iter())
        .filter(|(key, body)| reader.bodies.get(key) != Some(body))
        .map(|(_, body)| format!("lacks {body}"))
        .collect();
    format!("{}\n{}\n{}", reader.path, held.join("\n"), lacks.join("\n"))
}

/// All schedules of a book, one after the other.
async fn book(stage: Stage, seed: u64) -> Result<(), String> {
    let dialect = stage.f.book.store.dialect();
    let mut simulation = Simulation::begin(stage, seed).await;
    for schedule in 0..BOOK {
        let done = simulation.schedule().await;
        done.map_err(|fault| format!("HERDBOOK_SIMULATION={seed}, {dialect:?}, schedule {schedule}\n{fault}"))?;
    }
    for other in simulation.others {
        other.book.store.close().await;
    }
    Ok(())
}

async fn simulate(dialect: Dialect) {
    let count = test_support::number("HERDBOOK_SIMULATIONS", SCHEDULES.0, SCHEDULES.1);
    let from = test_support::named("HERDBOOK_SIMULATIONS_FROM").unwrap_or(0);
    let books: Vec<u64> = match test_support::named("HERDBOOK_SIMULATION") {
        Some(seed) => vec![seed],
        None => (from..from + count.div_ceil(BOOK)).collect(),
    };
    let (begun, all, mut done) = (Instant::now(), books.len(), 0);
    let books = books.into_iter().map(async |seed| {
        let Some(stage) = Stage::one(dialect).await else {
            return Ok(false);
        };
        book(stage, seed).await.map(|()| true)
    });
    // Books share nothing; while one waits for its database, another goes on.
    let mut running = stream::iter(books).buffer_unordered(AT_ONCE);
    while let Some(ended) = running.next().await {
        match ended {
            Ok(true) => done += 1,
            // The database is not there.
            Ok(false) => continue,
            Err(fault) => panic!("{fault}"),
        }
        if done % PROGRESS == 0 {
            let seconds = begun.elapsed().as_secs();
            eprintln!("{dialect:?}: {} of {} schedules in {seconds} s, no violation", done * BOOK, all as u64 * BOOK);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simulated_readers_hold_what_the_book_says_on_sqlite() {
    simulate(Dialect::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simulated_readers_hold_what_the_book_says_on_postgres() {
    simulate(Dialect::Postgres).await;
}
