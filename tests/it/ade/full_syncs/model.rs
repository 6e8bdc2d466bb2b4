//! Random sequences of full syncs, pushes, edits by others, restarts and waiting, against a model of a few lines; the
//! feed is judged as it comes. A failure names its seed; `HERDBOOK_SCHEDULE=<seed>` runs that one alone.

use crate::ade::stage::{FARM, Stage, placed, weight};
use crate::feed::draw::Draw;
use crate::support::fixture::{Fixture, number};
use feed_oracle::{Answer, Chain, Key, PageRequest, Profile, State};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use store::{Dialect, Sql, Ty};

const SETS: [&str; 2] = ["weights", "feed-intakes"];
const SOURCES: [&str; 2] = ["a.example", "b.example"];
const KEYS: usize = 5;
const STEPS: usize = 120;
const LEASE: i64 = 100;
/// Sequences on SQLite, and on PostgreSQL, which differ in nothing that the model knows of.
const SEEDS: [u64; 2] = [8, 2];

/// Data set, source, number of the key.
type Name = (&'static str, &'static str, usize);

/// The state of a resource in the sender's system and in the book.
#[derive(Debug, Clone, Default)]
struct ResourceState {
    /// The value that lives; none: it is gone.
    value: Option<usize>,
    /// The value that was sent last.
    sent: Option<usize>,
    /// The sender's time of the last state.
    modified: Option<i64>,
    /// When a message changed it, and who sent that.
    said: usize,
    by: usize,
    /// Whether another caller changed it since.
    changed: bool,
}

/// A full sync as it should be.
#[derive(Debug, Clone)]
struct Model {
    at: String,
    id: String,
    who: usize,
    set: Option<&'static str>,
    sources: Vec<&'static str>,
    began: usize,
    due: i64,
    state: &'static str,
    named: BTreeSet<Name>,
}

impl Model {
    fn has(&self, name: Name) -> bool {
        self.set.is_none_or(|set| set == name.0) && self.sources.contains(&name.1)
    }
    fn overlaps(&self, other: &Self) -> bool {
        self.who == other.who
            && (self.set.is_none() || other.set.is_none() || self.set == other.set)
            && self.sources.iter().any(|s| other.sources.contains(s))
    }
}

struct World {
    s: Stage,
    /// Servers over the same book.
    servers: Vec<Fixture>,
    draw: Draw,
    /// Random numbers for reading the feed, separate so that nothing else depends on its pages.
    reads: Draw,
    now: i64,
    step: usize,
    known: BTreeMap<Name, ResourceState>,
    syncs: Vec<Model>,
    chain: Chain,
    states: BTreeMap<Key, State>,
    token: Option<String>,
    /// How often each kind of step happened.
    done: BTreeMap<&'static str, usize>,
}

fn document(name: Name, value: usize, modified: i64) -> Value {
    let (set, source, key) = name;
    let mut doc = placed(weight(u32::try_from(key).unwrap(), 11), "1");
    if set != "weights" {
        doc = json!({
            "resourceType": "icarFeedIntakeEventResource",
            "animal": {"scheme": "org.herdbook.animal", "id": number(11)},
            "location": {"scheme": "org.herdbook.orgid", "id": "1"},
            "meta": {},
            "eventDateTime": "2026-02-03T04:05:06Z",
            "feedingStartingDateTime": "2026-02-03T04:00:00Z",
            "feedVisitDuration": {"unitCode": "SEC", "value": value},
        });
    } else {
        doc["weight"]["measurement"] = value.into();
        // On one day: otherwise a weighing changes the gain that the others show.
        doc["eventDateTime"] = "2026-02-03T00:00:00Z".into();
    }
    doc["meta"]["source"] = source.into();
    doc["meta"]["sourceId"] = format!("k{key}").into();
    doc["meta"]["modified"] = ade::time::format(modified).into();
    doc
}

impl World {
    fn note(&mut self, what: &'static str) {
        *self.done.entry(what).or_default() += 1;
    }

    fn server(&mut self) -> &Fixture {
        let at = self.draw.below(self.servers.len());
        &self.servers[at]
    }

    fn tokens(&self, who: usize) -> String {
        [&self.s.farm, &self.s.expert][who].clone()
    }

    fn settle_expired(&mut self) {
        for sync in &mut self.syncs {
            if sync.state == "started" && sync.due <= self.now {
                sync.state = "expired";
            }
        }
    }

    async fn start(&mut self) {
        let who = usize::from(self.draw.once_in(4));
        let set = self.draw.of(&[None, Some(SETS[0]), Some(SETS[1])]);
        let sources: Vec<&str> = match self.draw.below(3) {
            0 => vec![SOURCES[0]],
            1 => vec![SOURCES[1]],
            _ => SOURCES.to_vec(),
        };
        let body = json!({"sources": sources, "locations": [{"scheme": "org.herdbook.orgid", "id": "1"}]});
        let path = format!("/ade/v1/datasets/{}/full-syncs", set.unwrap_or("everything"));
        let token = self.tokens(who);
        let (status, headers, reply) = self.server().post(&path, &token, body).await;
        assert_eq!(status, 201, "{reply}");
        let sync = Model {
            at: headers["location"].to_str().unwrap().to_owned(),
            id: reply["id"].as_str().unwrap().to_owned(),
            who,
            set,
            sources,
            began: self.step,
            due: self.now + LEASE,
            state: "started",
            named: BTreeSet::new(),
        };
        for other in &mut self.syncs {
            if other.state == "started" && other.overlaps(&sync) {
                other.state = "superseded";
            }
        }
        self.syncs.push(sync);
        self.note("start");
    }

    /// Some resources in some state, of a push by `who`.
    fn drawn(&mut self, sync: Option<&Model>) -> Vec<(Name, Option<usize>, i64, Value)> {
        let mut all = BTreeMap::new();
        for _ in 0..=self.draw.below(4) {
            let mut name = (self.draw.of(&SETS), self.draw.of(&SOURCES), self.draw.below(KEYS));
            // Mostly resources that the sync covers.
            if let Some(sync) = sync
                && !sync.has(name)
                && !self.draw.once_in(12)
            {
                name = (sync.set.unwrap_or(name.0), sync.sources[0], name.2);
            }
            let known = self.known.get(&name).cloned().unwrap_or_default();
            let fresh = 1_000 * i64::try_from(self.step).unwrap() + 1_769_904_000_000;
            let value = 400 + self.draw.below(3);
            let (value, modified) = match self.draw.below(6) {
                0 => (None, fresh),
                1 => (Some(value), known.modified.unwrap_or(fresh)),
                2 => (Some(value), known.modified.map_or(fresh, |at| at - 500)),
                3 => (Some(value), fresh),
                // The same again.
                _ => (Some(known.value.unwrap_or(value)), known.modified.unwrap_or(fresh)),
            };
            let mut doc = document(name, value.unwrap_or(1), modified);
            if value.is_none() {
                doc["meta"]["isDeleted"] = true.into();
            }
            all.insert(name, (name, value, modified, doc));
        }
        all.into_values().collect()
    }

    fn said(&mut self, (name, value, modified, _): &(Name, Option<usize>, i64, Value), by: usize) {
        let step = self.step;
        let known = self.known.entry(*name).or_default();
        if known.modified.is_some_and(|last| *modified < last) {
            return;
        }
        known.modified = Some(*modified);
        // A value that a person corrected stays so when its sender repeats the former value.
        let corrected = known.value.is_some() && known.value != known.sent;
        let repeated = if corrected { known.sent } else { known.value };
        if value.is_some() && repeated == *value {
            return;
        }
        *known =
            ResourceState { value: *value, sent: *value, modified: Some(*modified), said: step, by, changed: false };
    }

    async fn push(&mut self, at: Option<usize>) {
        let sync = at.map(|at| self.syncs[at].clone());
        let who = sync.as_ref().map_or(usize::from(self.draw.once_in(3)), |s| s.who);
        let drawn = self.drawn(sync.as_ref());
        let docs: Vec<Value> = drawn.iter().map(|d| d.3.clone()).collect();
        let within = sync.as_ref().map_or(String::new(), |s| format!("?full-sync={}", s.id));
        let word = self.draw.of(&["dataset", "datasets"]);
        let path = format!("/ade/v1/{word}/everything/resources{within}");
        let token = self.tokens(who);
        let (status, _, body) = self.server().post(&path, &token, docs.into()).await;
        let expected = match &sync {
            Some(sync) if sync.state != "started" => {
                assert_eq!(body["errors"][0]["type"], format!("full-sync-{}", sync.state));
                self.note("push to one that is over");
                409
            }
            Some(sync) if drawn.iter().any(|d| !sync.has(d.0)) => {
                assert_eq!(body["errors"][0]["type"], "outside-full-sync");
                400
            }
            _ => 200,
        };
        assert_eq!(status, expected, "{body}");
        if status != 200 {
            return;
        }
        for one in &drawn {
            self.said(one, who);
        }
        if let Some(at) = at {
            self.syncs[at].named.extend(drawn.iter().map(|d| d.0));
            self.syncs[at].due = self.now + LEASE;
            self.note("push to one that goes on");
        }
    }

    /// A person changes or deletes a row of the book.
    async fn edit(&mut self) {
        let name = ("weights", self.draw.of(&SOURCES), self.draw.below(KEYS));
        let Some(known) = self.known.get(&name).filter(|k| k.value.is_some()).cloned() else {
            return;
        };
        let sql = Sql::new("SELECT id FROM weighings WHERE ade_source = ")
            .with(Ty::Text, name.1)
            .and(" AND ade_source_id = ")
            .with(Ty::Text, format!("k{}", name.2));
        let id = self.s.f.book.store.rows(sql).await.unwrap()[0].int(0).unwrap();
        let entry = self.known.get_mut(&name).unwrap();
        if self.draw.once_in(4) {
            entry.value = None;
            self.server().delete("weighings", id).await;
            self.note("delete by a person");
            return;
        }
        let value = 410 + self.draw.below(3);
        if known.value != Some(value) {
            entry.value = Some(value);
            entry.changed = true;
        }
        self.server().update("weighings", id, json!({"weight": value})).await;
        self.note("change by a person");
    }

    async fn end(&mut self, at: usize) {
        let sync = self.syncs[at].clone();
        let dry = self.draw.once_in(4);
        let wrong = usize::from(self.draw.once_in(5));
        let path = format!("{}/end{}", sync.at, if dry { "?validate=only" } else { "" });
        let token = self.tokens(sync.who);
        let body = json!({"expect": sync.named.len() + wrong});
        let (status, _, answer) = self.server().post(&path, &token, body).await;
        if sync.state == "ended" {
            assert_eq!((status, &answer["state"]), (200, &json!("ended")), "{answer}");
            return;
        }
        if sync.state != "started" {
            assert_eq!(status, 409, "{answer}");
            assert_eq!(answer["errors"][0]["type"], format!("full-sync-{}", sync.state));
            return self.note("end of one that is over");
        }
        if wrong > 0 {
            assert_eq!(status, 409, "{answer}");
            assert_eq!(answer["errors"][0]["meta"]["resources"], sync.named.len());
            return self.note("end with a wrong count");
        }
        assert_eq!(status, 200, "{answer}");
        let (mut deleted, mut remaining) = (BTreeSet::new(), BTreeSet::new());
        for (name, known) in &mut self.known {
            let mine = known.by == sync.who && known.said < sync.began;
            if known.value.is_none() || !sync.has(*name) || !mine || sync.named.contains(name) {
                continue;
            }
            if known.changed {
                remaining.insert(*name);
            } else {
                deleted.insert(*name);
                if !dry {
                    known.value = None;
                    known.said = self.step;
                }
            }
        }
        for (fate, expected) in [("deleted", &deleted), ("kept", &remaining)] {
            let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
            let found: BTreeSet<[String; 3]> = (answer[fate]["first"].as_array().unwrap().iter())
                .map(|one| ["dataset", "source", "sourceId"].map(|name| text(one, name)))
                .collect();
            let expected: BTreeSet<[String; 3]> =
                (expected.iter()).map(|n| [n.0.to_owned(), n.1.to_owned(), format!("k{}", n.2)]).collect();
            assert_eq!(found, expected, "{fate}: {answer}");
            assert_eq!(answer[fate]["count"], expected.len());
        }
        assert_eq!(answer["refused"]["count"], 0, "{answer}");
        if !dry {
            self.syncs[at].state = "ended";
            self.note("end");
            if !deleted.is_empty() {
                self.note("end that deletes");
            }
            if !remaining.is_empty() {
                self.note("end that leaves what was changed");
            }
        }
    }

    async fn step(&mut self) {
        self.settle_expired();
        self.step += 1;
        let some = self.syncs.len();
        // The last ones are the most likely to be still running.
        let recent = some.saturating_sub(1 + self.draw.below(3));
        match self.draw.below(16) {
            0 => self.start().await,
            1..=5 if some > 0 => self.push(Some(recent)).await,
            6 | 7 => self.push(None).await,
            8..=10 => self.edit().await,
            11..=13 if some > 0 => self.end(recent).await,
            14 => {
                let by = if self.draw.once_in(4) { LEASE } else { 20 };
                self.now += by;
                self.s.f.pass(by);
            }
            15 => {
                // One server stops without notice, another starts.
                let at = self.draw.below(self.servers.len());
                self.servers[at] = self.s.f.other_process().await;
                self.note("restart");
            }
            _ => {}
        }
    }

    /// The book and the feed are as the model says.
    async fn compare(&mut self) {
        self.settle_expired();
        let token = self.tokens(0);
        for (at, sync) in self.syncs.clone().into_iter().enumerate().rev().take(2) {
            let who = self.tokens(sync.who);
            let (_, _, body) = self.server().get(&sync.at, &who).await;
            assert_eq!(body["state"], sync.state, "full sync {at}");
            assert_eq!(body["resources"], sync.named.len(), "full sync {at}");
        }
        let mut live: BTreeMap<(String, String, String), usize> = BTreeMap::new();
        for set in SETS {
            let path = format!("{FARM}/{set}?pageSize=200");
            let (_, _, page) = self.server().get(&path, &token).await;
            for doc in page["member"].as_array().unwrap() {
                let value = match doc.pointer("/weight/measurement") {
                    Some(value) => value.as_f64().unwrap() as usize,
                    None => doc["feedVisitDuration"]["value"].as_f64().unwrap() as usize,
                };
                let text = |name: &str| doc["meta"][name].as_str().unwrap().to_owned();
                live.insert((set.to_owned(), text("source"), text("sourceId")), value);
            }
        }
        let expected: BTreeMap<(String, String, String), usize> = (self.known.iter())
            .filter_map(|(n, known)| {
                let key = (n.0.to_owned(), n.1.to_owned(), format!("k{}", n.2));
                Some((key, known.value?))
            })
            .collect();
        assert_eq!(live, expected);
        self.follow().await;
        let held = self.states.iter().filter(|(_, state)| !state.deleted);
        let held: BTreeSet<(String, String)> = held
            .map(|(key, _)| key.parts())
            .filter(|[kind, ..]| !kind.contains("AnimalCore") && !kind.contains("Location"))
            .map(|[_, _, source, id]| (source.clone(), id.clone()))
            .filter(|(source, _)| SOURCES.contains(&source.as_str()))
            .collect();
        let named: BTreeSet<(String, String)> = expected.into_keys().map(|(_, source, id)| (source, id)).collect();
        assert_eq!(held, named, "what the feed delivered");
    }

    /// Reads the feed to its end, judged page by page.
    async fn follow(&mut self) {
        loop {
            let limit = 1 + self.reads.below(6);
            let since = self.token.as_ref().map_or(String::new(), |t| format!("&since={t}"));
            let path = format!("/ade/v1/datasets/everything/changes?limit={limit}{since}");
            let token = self.tokens(0);
            let (status, headers, body) = self.server().get(&path, &token).await;
            let request = PageRequest { since: self.token.clone(), limit: Some(limit) };
            let headers: Vec<(&str, &str)> =
                (headers.iter()).filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))).collect();
            let answer = Answer::new(status, headers, body.to_string());
            let judged = self.chain.page(&request, &answer, &self.states);
            let judged = judged.unwrap_or_else(|violation| panic!("{violation}"));
            assert_eq!(judged.violations, [], "{path}");
            let current = judged.page.is_current();
            self.token = Some(judged.page.token);
            for resource in judged.page.resources {
                self.states.insert(resource.key, resource.state);
            }
            if current {
                return;
            }
        }
    }
}

async fn run(s: Stage, seed: u64) -> BTreeMap<&'static str, usize> {
    let servers = vec![s.f.other_process().await, s.f.other_process().await];
    let mut world = World {
        s,
        servers,
        draw: Draw::new(seed, 7),
        reads: Draw::new(seed, 8),
        now: 0,
        step: 0,
        known: BTreeMap::new(),
        syncs: Vec::new(),
        chain: Chain::new(Profile::herdbook()),
        states: BTreeMap::new(),
        token: None,
        done: BTreeMap::new(),
    };
    for _ in 0..STEPS {
        world.step().await;
        world.compare().await;
        world.now += 1;
        world.s.f.pass(1);
    }
    world.done
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_book_ends_as_the_model_says() {
    let seeds: Vec<u64> = match test_support::named("HERDBOOK_SCHEDULE") {
        Some(seed) => vec![seed],
        None => (1..=SEEDS[0]).collect(),
    };
    let mut done: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in &seeds {
        let lease = LEASE.to_string();
        // Ends of one piece and of many come to the same.
        let chunk = if seed % 2 == 0 { "1000" } else { "1" };
        let changed = [("exchange.full_sync_lease", lease.as_str()), ("exchange.chunk", chunk)];
        for s in Stage::each_with(&changed).await {
            let dialect = s.f.book.store.dialect();
            if dialect == Dialect::Postgres && seeds.len() > 1 && *seed > SEEDS[1] {
                continue;
            }
            println!("HERDBOOK_SCHEDULE={seed} on {dialect:?}");
            for (what, times) in run(s, *seed).await {
                *done.entry(what).or_default() += times;
            }
        }
    }
    // Every kind of step must occur: one that never does proves nothing.
    println!("{done:?}");
    if seeds.len() > 1 {
        for what in [
            "start",
            "push to one that goes on",
            "push to one that is over",
            "end that deletes",
            "end that leaves what was changed",
            "end with a wrong count",
            "end of one that is over",
            "change by a person",
            "delete by a person",
            "restart",
        ] {
            assert!(done.get(what).is_some_and(|n| *n > 5), "{what}: {done:?}");
        }
    }
}
