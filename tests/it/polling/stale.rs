//! No answer is older than the book. Two processes over one database write and read at random; each cached answer is
//! compared with one that the same process computes anew. Writes go through the operations and past them, as jobs and
//! other programs do. `HERDBOOK_HISTORIES=<n>` sets the number of histories on each database.

use super::hits;
use crate::feed::draw::Draw;
use crate::matrix::world;
use crate::rest::stage::{Answer, Stage, request};
use axum::body::Body;
use model::registry::Collection;
use std::collections::BTreeMap;
use store::{Sql, Ty};

/// Steps of a history, quick and full.
const STEPS: (usize, usize) = (350, 700);
/// The number of addresses; a few of them are requested again and again, as by real clients.
const ADDRESSES: usize = 54;

struct Process {
    remembers: Stage,
    forgets: Stage,
}

struct History<'s> {
    draw: Draw,
    tokens: BTreeMap<&'static str, String>,
    callers: Vec<&'static str>,
    processes: [Process; 2],
    slugs: Vec<&'static str>,
    addresses: Vec<(&'static str, String)>,
    stage: &'s Stage,
}

#[tokio::test]
async fn no_process_gives_an_answer_that_is_older_than_the_book() {
    let given = std::cell::Cell::new(0);
    let steps = test_support::at(STEPS.0, STEPS.1);
    let histories = test_support::named("HERDBOOK_HISTORIES").unwrap_or(1);
    for seed in 0..histories {
        world::both(async |stage, tokens| {
            let mut history = History::begin(stage, tokens, seed).await;
            for step in 0..steps {
                if history.draw.once_in(4) {
                    history.write().await;
                } else {
                    history.read(&format!("seed {seed}, step {step}")).await;
                }
            }
            for process in &history.processes {
                given.set(given.get() + hits(&process.remembers).await);
            }
            for process in history.processes {
                process.remembers.book.store.close().await;
            }
        })
        .await;
    }
    // Otherwise the test tried nothing.
    let least = u64::try_from(steps).unwrap() * histories / 4;
    assert!(given.get() > least, "{} answers were given again", given.get());
}

impl<'s> History<'s> {
    async fn begin(stage: &'s Stage, tokens: world::Tokens, seed: u64) -> Self {
        let settings = config::Settings::load(&config::Sources::default());
        let exchange = cli::exchange(&settings.unwrap()).unwrap();
        exchange.projector().reproject(&stage.book, |_, _| {}).await.unwrap();
        let mut processes = Vec::new();
        for _ in 0..2 {
            let remembers = stage.other_process().await;
            let forgets = remembers.forgetful();
            processes.push(Process { remembers, forgets });
        }
        let registry = stage.book.registry;
        let mut history = Self {
            draw: Draw::new(seed, 0),
            callers: tokens.keys().copied().chain([""]).collect(),
            tokens,
            processes: processes.try_into().ok().unwrap(),
            slugs: registry.iter().map(|c| c.slug).collect(),
            addresses: Vec::new(),
            stage,
        };
        for _ in 0..ADDRESSES {
            let address = history.address();
            history.addresses.push(address);
        }
        history
    }

    fn address(&mut self) -> (&'static str, String) {
        let who = self.draw.of(&self.callers);
        let slug = self.draw.of(&self.slugs);
        let (id, depth) = (self.draw.below(12) + 1, self.draw.below(3));
        let location = self.draw.below(4) + 1;
        let set = self.draw.of(&["animals", "weights", "test-day-results"]);
        let place = format!("/ade/v1/locations/org.herdbook.orgid/{location}/{set}");
        let path = match self.draw.below(12) {
            0..=3 => format!("/api/{slug}?depth={depth}"),
            4 => format!("/api/animals?depth={depth}&limit=5&sort=-id"),
            5 => format!("/api/animals/{id}?depth={depth}"),
            6 => format!("/api/{slug}/count"),
            7 => format!("/api/milk-tests?where[animal.owner][equals]={location}&depth=0"),
            8 => place,
            9 => format!("{place}?meta-modified-from=2020-01-01T00:00:00Z"),
            10 => format!("/ade/v1/datasets/{set}/changes"),
            _ => self.draw.of(&["/ade/v1/locations", "/ade/v1/datasets"]).to_owned(),
        };
        (who, path)
    }

    async fn ask(&self, stage: &Stage, who: &str, path: &str) -> Answer {
        let headers = self.tokens.get(who).map(|t| ("authorization", t.as_str()));
        let headers: Vec<_> = headers.into_iter().collect();
        stage.ask(request("GET", path, &headers, Body::empty())).await
    }

    async fn read(&mut self, when: &str) {
        let at = self.draw.below(self.addresses.len());
        let process = self.draw.below(2);
        let process = &self.processes[process];
        let (who, path) = &self.addresses[at];
        let answer = self.ask(&process.remembers, who, path).await;
        let true_ = self.ask(&process.forgets, who, path).await;
        assert_eq!(answer.status, true_.status, "{when}: {who:?} {path}");
        if answer.status == 200 {
            // Tokens of the same place differ only in their seal.
            assert_eq!(answer.text, true_.text, "{when}: {who:?} {path}");
            assert_eq!(answer.header("etag"), true_.header("etag"), "{when}: {path}");
        }
    }

    async fn write(&mut self) {
        let process = self.draw.below(2);
        match self.draw.below(5) {
            0 => self.rename(process).await,
            1..=2 => self.remove(process).await,
            _ => self.touch(process).await,
        }
    }

    /// Through the operations: the animal's documents are rendered anew.
    async fn rename(&mut self, process: usize) {
        let id = self.draw.below(12) + 1;
        let body = format!("{{\"name\":\"N{}\"}}", self.draw.below(1_000_000));
        let headers = [("authorization", self.tokens["admin"].as_str()), ("content-type", "application/json")];
        let path = format!("/api/animals/{id}?depth=0");
        let stage = &self.processes[process].remembers;
        let answer = stage.ask(request("PATCH", &path, &headers, body.into())).await;
        assert!([200, 404].contains(&answer.status), "{}", answer.text);
    }

    fn collection(&mut self) -> &'static Collection {
        let slug = self.draw.of(&self.slugs);
        self.stage.book.registry.get(slug).unwrap()
    }

    /// Past the operations: a row gets another time.
    async fn touch(&mut self, process: usize) {
        let c = self.collection();
        let time = 1_700_000_000_000 + i64::try_from(self.draw.below(1_000_000_000)).unwrap();
        let column = &c.field("updatedAt").unwrap().column;
        let mut sql = Sql::new("UPDATE ");
        sql.name(&c.table).push(" SET ").name(column).push(" = ");
        sql.bind(Ty::Time, model::record::Value::Time(time));
        sql.push(" WHERE id = ").bind(Ty::Int, i64::try_from(self.draw.below(6) + 1).unwrap());
        self.run(process, sql).await;
    }

    /// Past the operations: a row goes, and what goes with it.
    async fn remove(&mut self, process: usize) {
        let c = self.collection();
        // Without its users no request could be made.
        if c.auth || ["organizations", "animals"].contains(&c.slug) {
            return;
        }
        let id = i64::try_from(self.draw.below(8) + 1).unwrap();
        let mut sql = Sql::new("DELETE FROM ");
        sql.name(&c.table).push(" WHERE id = ").bind(Ty::Int, id);
        self.run(process, sql).await;
    }

    async fn run(&self, process: usize, sql: Sql) {
        let store = &self.processes[process].remembers.book.store;
        let job = store.write(move |tx| {
            Box::pin(async move {
                tx.note_rights_change();
                tx.run(sql).await
            })
        });
        // Some rows are held by others; then nothing changes, which is a history too.
        let _ = job.await;
    }
}
