//! The law of non-interference: no caller learns by reading or by writing what they may not read. Two books differ only
//! in rows that are hidden from the caller; the same requests over all faces, in the same order, get the same answers
//! byte for byte, and cause the same emails, feed rows and notices. The requests follow from the registry
//! ([`generated`]); [`scenes`] are attacks of people who thought about it. `HERDBOOK_LAW` names another seed.

mod compare;
mod exchange;
mod generated;
mod looks;
mod scenes;
mod world;

use crate::rest::stage::{Answer, Stage, Template, request};
use crate::rest::world::{Tokens, fill};
use axum::body::Body;
use model::registry::Registry;
use scenes::Scene;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use store::Dialect;
use world::{Books, CommonRows};

const GRAPHQL: &str = "/api/graphql";
/// After so many differences it is known that the law does not hold.
const ENOUGH: usize = 400;

/// The state in which both books begin again, after one accepted a write that the other refused.
enum Begin {
    Books,
    Scene(Scene),
}

/// A request of a caller. What kind of attempt it is groups the differences.
struct Case<'c> {
    kind: String,
    who: &'c str,
    method: &'c str,
    path: String,
    content: String,
    body: Vec<u8>,
}

/// Requests, and writes that were accepted.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    requests: usize,
    writes: usize,
    let_in: usize,
}

struct Law {
    books: Books,
    begin: Begin,
    pair: [Stage; 2],
    /// Of all, and by collection or face.
    counts: BTreeMap<String, Count>,
    kinds: BTreeMap<String, usize>,
    lines: Vec<String>,
    differences: usize,
    /// Whether the books began anew.
    parted: bool,
}

impl Law {
    async fn new(books: Books) -> Self {
        let pair = copies(books.templates).await;
        Self {
            books,
            begin: Begin::Books,
            pair,
            counts: BTreeMap::new(),
            kinds: BTreeMap::new(),
            lines: Vec::new(),
            differences: 0,
            parted: false,
        }
    }

    fn registry(&self) -> &'static Registry {
        self.pair[0].book.registry
    }

    fn known(&self) -> &CommonRows {
        &self.books.known
    }

    fn tokens(&self) -> &Tokens {
        &self.known().tokens
    }

    fn enough(&self) -> bool {
        self.differences >= ENOUGH
    }

    /// Both books as they began.
    async fn fresh(&mut self) {
        self.parted = true;
        match &self.begin {
            Begin::Books => self.pair = copies(self.books.templates).await,
            Begin::Scene(scene) => {
                self.pair = copies([self.books.common; 2]).await;
                let sides = [&scene.first, &scene.second];
                for (stage, rows) in self.pair.iter().zip(sides) {
                    for (slug, rows) in rows {
                        fill(stage, slug, rows.clone()).await;
                    }
                }
                for (stage, name) in self.pair.iter().zip(scene.files) {
                    scenes::upload(stage, self.books.known.tokens.clone(), name).await;
                }
                self.level().await;
            }
        }
    }

    /// Ids and places continue equally, regardless of the hidden rows that a write created.
    async fn level(&self) {
        let [one, other] = &self.pair;
        let (first, second) = tokio::join!(world::counters(one), world::counters(other));
        if first == second {
            return;
        }
        let tables: BTreeSet<&String> = first.0.keys().chain(second.0.keys()).collect();
        let apart = tables.into_iter().filter_map(|table| {
            let [one, other] = [&first, &second].map(|book| book.0.get(table));
            let next = one.max(other).filter(|_| one != other)?;
            Some((table.clone(), *next))
        });
        let ids: BTreeMap<String, i64> = apart.collect();
        let seq = first.1.max(second.1) + 1;
        tokio::join!(world::advance(one, &ids, seq), world::advance(other, &ids, seq));
    }

    async fn json(&mut self, kind: &str, who: &str, line: (&str, &str), body: &Value) -> Option<Answer> {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let case = Case {
            kind: kind.to_owned(),
            who,
            method: line.0,
            path: line.1.to_owned(),
            content: "application/json".to_owned(),
            body: text.into_bytes(),
        };
        self.ask(case).await
    }

    async fn get(&mut self, kind: &str, who: &str, path: &str) -> Option<Answer> {
        self.json(kind, who, ("GET", path), &Value::Null).await
    }

    /// Asks both books. The answer, if it is the same.
    async fn ask(&mut self, case: Case<'_>) -> Option<Answer> {
        let (first, second) = tokio::join!(self.answer(0, &case), self.answer(1, &case));
        let reads = case.method == "GET" || case.path == GRAPHQL && case.body.starts_with(b"{\"query\":\"{");
        let let_in = |answer: &Answer| {
            !reads && answer.status < 400 && (case.path != GRAPHQL || !answer.text.contains("\"errors\":["))
        };
        let group = case.kind.split(['.', ':']).next().unwrap_or_default();
        for name in ["all", group] {
            let count = self.counts.entry(name.to_owned()).or_default();
            count.requests += 1;
            count.writes += usize::from(!reads);
            count.let_in += usize::from(let_in(&first));
        }
        match compare::difference(&first, &second) {
            None => {
                if let_in(&first) {
                    self.level().await;
                }
                Some(first)
            }
            Some(both) => {
                let sent: String = String::from_utf8_lossy(&case.body).chars().take(700).collect();
                let line = format!("{:?} {} {} {sent}", case.who, case.method, case.path);
                self.differs(&case.kind, &line, &both);
                if !reads {
                    self.fresh().await;
                }
                None
            }
        }
    }

    fn differs(&mut self, kind: &str, line: &str, [first, second]: &[String; 2]) {
        self.differences += 1;
        let seen = self.kinds.entry(kind.to_owned()).or_default();
        *seen += 1;
        if *seen <= 2 {
            self.lines.push(format!("{kind}: {line}\n  first:  {first}\n  second: {second}"));
        }
    }

    async fn answer(&self, side: usize, case: &Case<'_>) -> Answer {
        let mut headers = vec![("host", "book.example"), ("content-type", case.content.as_str())];
        if let Some(token) = self.tokens().get(case.who) {
            headers.push(("authorization", token.as_str()));
        }
        let body = Body::from(case.body.clone());
        self.pair[side].ask(request(case.method, &case.path, &headers, body)).await
    }

    /// The verdict: nothing differs, and enough was tried.
    fn conclude(&self, dialect: Dialect, visited: &BTreeSet<&str>, [requests, let_in]: [usize; 2]) {
        let all = self.counts.get("all").copied().unwrap_or_default();
        eprintln!("{dialect:?}: {all:?}, {} differences", self.differences);
        let input = self.lines.iter().take(60).cloned().collect::<Vec<_>>().join("\n\n");
        assert!(self.differences == 0, "{} answers differ: {:#?}\n{input}", self.differences, self.kinds);
        for name in visited {
            let count = self.counts.get(*name).copied().unwrap_or_default();
            assert!(count.requests > 0, "{name} was not visited");
        }
        assert!(all.requests >= requests && all.let_in >= let_in, "{all:?}");
    }
}

async fn copies(templates: [&Template; 2]) -> [Stage; 2] {
    let [first, second] = templates;
    [Stage::copy(first, &[]).await, Stage::copy(second, &[]).await]
}

/// Reads and writes that follow from the declarations, for every n-th field.
async fn what_follows(dialect: Dialect, every: usize, least: [usize; 2]) {
    let Some(books) = Books::on(dialect).await else {
        return;
    };
    let started = std::time::Instant::now();
    let mut law = Law::new(books).await;
    generated::all(&mut law, every).await;
    eprintln!("{:?}", started.elapsed());
    let visited = law.registry().iter().map(|c| c.slug).collect();
    law.conclude(dialect, &visited, least);
}

/// The requests of attackers.
async fn what_is_played(dialect: Dialect) {
    let Some(books) = Books::on(dialect).await else {
        return;
    };
    let started = std::time::Instant::now();
    let mut law = Law::new(books).await;
    // What databases do differently shows in few of them.
    let every = match dialect {
        Dialect::Sqlite => 1,
        Dialect::Postgres => test_support::one_of(2, 2),
    };
    let visited = scenes::all(&mut law, every).await;
    eprintln!("{:?}", started.elapsed());
    law.conclude(dialect, &visited, [1_000, 80]);
}

#[tokio::test]
async fn hidden_rows_tell_nothing_to_requests_from_the_registry_on_sqlite() {
    let least = test_support::at([1_500, 150], [2_800, 350]);
    what_follows(Dialect::Sqlite, test_support::one_of(12, 4), least).await;
}

#[tokio::test]
async fn hidden_rows_tell_nothing_to_requests_from_the_registry_on_postgres() {
    let least = test_support::at([1_000, 90], [1_300, 120]);
    what_follows(Dialect::Postgres, test_support::one_of(24, 12), least).await;
}

#[tokio::test]
async fn hidden_rows_tell_nothing_to_attackers_on_sqlite() {
    what_is_played(Dialect::Sqlite).await;
}

#[tokio::test]
async fn hidden_rows_tell_nothing_to_attackers_on_postgres() {
    what_is_played(Dialect::Postgres).await;
}
