//! Access, proved: caller × relation to the record × collection × operation × class of field × way in. The expected
//! results come from [`oracle`] and [`rules`], the text of docs/design/access.md written a second time; the actual
//! results are requested over HTTP, on a [`world`] that was put into the tables past all rules.

mod exchange;
mod graphql;
mod oracle;
mod pages;
mod reading;
mod rules;
pub(crate) mod world;
mod writing;

use crate::rest::stage::{Answer, Stage, request};
use axum::body::Body;
use model::registry::{Class as Declared, Collection, Field, Kind, Registry};
use oracle::{Caller, Facts};
use rules::{Class, LINES};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use store::{Dialect, Sql};
use test_support::Depth;

/// Callers, one of each kind, so that a run stays short: all ask in a long run, and in a full one on SQLite by every way
/// but the pages.
const SOME: [&str; 6] = ["head", "", "production", "past", "genotypes", "admin"];

/// An id that no row has.
const ABSENT: i64 = 777_777;

struct Matrix<'s> {
    stage: &'s Stage,
    registry: &'static Registry,
    tokens: BTreeMap<&'static str, String>,
    callers: Vec<Caller>,
    facts: Facts,
    /// Rows of each collection, and the last change among them, when its facts were taken over.
    taken: BTreeMap<&'static str, (Option<i64>, Option<i64>)>,
    /// Cases by way in.
    cases: BTreeMap<&'static str, usize>,
    differences: Vec<String>,
    /// Of the ways that cost a request for each row or field, each caller tries every n-th, and the next caller the
    /// next ones, so that together they try all.
    every: usize,
}

/// The ways in that one test tries, so that several tests run concurrently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// All of reading by REST, for every second caller from this one.
    Reading(usize),
    /// The exchange and GraphQL.
    Others,
    /// The pages for people.
    Pages,
    /// Requests that change the book, or are refused.
    Writing,
}

/// Fewest cases of each caller: a world that lost its rows must not pass.
fn least(ways: Ways) -> usize {
    match ways {
        Ways::Reading(_) => 500,
        Ways::Others | Ways::Pages => 100,
        Ways::Writing => 500,
    }
}

async fn tries(dialect: Dialect, ways: Ways) {
    world::on(dialect, &async |stage: &Stage, tokens| {
        let started = std::time::Instant::now();
        let mut m = Matrix::new(stage, tokens, if dialect == Dialect::Sqlite { 16 } else { 40 }).await;
        let some = match (test_support::depth(), dialect, ways) {
            (Depth::Long, ..) | (Depth::Full, Dialect::Sqlite, Ways::Reading(_) | Ways::Others | Ways::Writing) => None,
            (Depth::Full, Dialect::Postgres, Ways::Pages) | (Depth::Quick, Dialect::Postgres, _) => Some(3),
            _ => Some(SOME.len()),
        };
        if let Some(some) = some {
            m.callers.retain(|c| SOME[..some].contains(&c.name));
        }
        // As in a country, where lists of few rows are found by the kinds of rows that a caller reads; so every caller
        // reads both ways, each on one database.
        if ways == Ways::Reading(usize::from(dialect == Dialect::Sqlite)) {
            let tables = stage.book.registry.iter().map(|c| c.table.as_str());
            let sizes = tables.map(|table| (table, if table == "organizations" { 10_000 } else { 100_000 }));
            let open = ["public_visible", "public_details"].map(|column| ("animals", column));
            stage.book.store.sizes().assume(sizes, &open);
        }
        match ways {
            Ways::Reading(half) => m.read(half).await,
            Ways::Others => {
                m.exchange().await;
                m.graphql().await;
            }
            Ways::Pages => m.pages().await,
            Ways::Writing => m.write().await,
        }
        let cases: usize = m.cases.values().sum();
        eprintln!("{dialect:?} {ways:?}: {cases} cases in {:?}: {:?}", started.elapsed(), m.cases);
        let shown = m.differences.iter().take(200).cloned().collect::<Vec<_>>();
        let differences = shown.join("\n");
        assert!(shown.is_empty(), "{} differences:\n{differences}", m.differences.len());
        assert!(cases >= least(ways) * m.callers.len(), "{cases} cases");
    })
    .await;
}

#[tokio::test]
async fn nobody_reads_more_or_less_than_the_model_says_on_sqlite() {
    tries(Dialect::Sqlite, Ways::Reading(0)).await;
}

#[tokio::test]
async fn nobody_else_reads_more_or_less_than_the_model_says_on_sqlite() {
    tries(Dialect::Sqlite, Ways::Reading(1)).await;
}

#[tokio::test]
async fn no_other_face_shows_more_or_less_than_the_model_says_on_sqlite() {
    tries(Dialect::Sqlite, Ways::Others).await;
}

#[tokio::test]
async fn no_page_shows_more_or_less_than_the_model_says_on_sqlite() {
    tries(Dialect::Sqlite, Ways::Pages).await;
}

#[tokio::test]
async fn no_page_shows_more_or_less_than_the_model_says_on_postgres() {
    tries(Dialect::Postgres, Ways::Pages).await;
}

#[tokio::test]
async fn nobody_does_more_or_less_than_the_model_says_on_sqlite() {
    tries(Dialect::Sqlite, Ways::Writing).await;
}

#[tokio::test]
async fn nobody_reads_more_or_less_than_the_model_says_on_postgres() {
    tries(Dialect::Postgres, Ways::Reading(0)).await;
}

#[tokio::test]
async fn nobody_else_reads_more_or_less_than_the_model_says_on_postgres() {
    tries(Dialect::Postgres, Ways::Reading(1)).await;
}

#[tokio::test]
async fn no_other_face_shows_more_or_less_than_the_model_says_on_postgres() {
    tries(Dialect::Postgres, Ways::Others).await;
}

#[tokio::test]
async fn nobody_does_more_or_less_than_the_model_says_on_postgres() {
    // Half a minute for all kinds of callers: the whole book is read and emptied.
    if test_support::depth() != Depth::Quick {
        tries(Dialect::Postgres, Ways::Writing).await;
    }
}

impl<'s> Matrix<'s> {
    async fn new(stage: &'s Stage, tokens: world::Tokens, every: usize) -> Self {
        let mut m = Self {
            stage,
            registry: stage.book.registry,
            tokens,
            callers: world::callers(),
            facts: Facts::default(),
            taken: BTreeMap::new(),
            cases: BTreeMap::new(),
            differences: Vec::new(),
            every,
        };
        let slugs: Vec<&str> = m.registry.iter().map(|c| c.slug).collect();
        let known: Vec<&str> = LINES.iter().map(|l| l.slug).collect();
        assert_eq!(
            slugs.iter().collect::<BTreeSet<_>>(),
            known.iter().collect::<BTreeSet<_>>(),
            "the collections of the model"
        );
        m.learn().await;
        m
    }

    /// Takes over all rows of what changed, as the admin sees them, and private ones as their authors do: none may be
    /// missing.
    async fn learn(&mut self) {
        for line in LINES {
            let table = &self.collection(line.slug).table;
            let sql = Sql::new(&format!("SELECT count(*), max(seq) FROM \"{table}\""));
            let state = self.stage.book.store.rows(sql).await.unwrap();
            let state = (state[0].int(0), state[0].int(1));
            if self.taken.insert(line.slug, state) == Some(state) {
                continue;
            }
            let path = format!("/api/{}?limit=0&depth=0", line.slug);
            let mut rows = documents(&self.get("admin", &path).await);
            if line.read == rules::Rule::Author {
                for (who, _) in self.tokens.clone() {
                    rows.extend(documents(&self.get(who, &path).await));
                }
            }
            assert_eq!(i64::try_from(rows.len()).ok(), state.0, "{}", line.slug);
            self.facts.0.insert(line.slug, rows);
        }
    }

    fn collection(&self, slug: &str) -> &'static Collection {
        self.registry.get(slug).unwrap()
    }

    async fn ask(&self, who: &str, method: &str, path: &str, body: &str) -> Answer {
        let mut headers = vec![("content-type", "application/json")];
        if let Some(token) = self.tokens.get(who) {
            headers.push(("authorization", token.as_str()));
        }
        let request = request(method, path, &headers, Body::from(body.to_owned()));
        self.stage.ask(request).await
    }

    async fn get(&self, who: &str, path: &str) -> Answer {
        self.ask(who, "GET", path, "").await
    }

    /// One case, or as many as are compared at once.
    fn same<T: PartialEq + Debug>(&mut self, way: &'static str, cases: usize, case: &str, expected: &T, got: &T) {
        *self.cases.entry(way).or_default() += cases;
        if expected != got {
            self.differences.push(format!("{way} {case}\n  model: {expected:?}\n  server: {got:?}"));
        }
    }

    /// Ids of the rows that fulfil a condition among those that the caller reads.
    fn ids(&self, caller: &Caller, slug: &str, also: impl Fn(&Value) -> bool) -> BTreeSet<i64> {
        (self.facts.rows(slug).iter())
            .filter(|(_, row)| self.facts.reads(caller, slug, row) && also(row))
            .map(|(id, _)| *id)
            .collect()
    }

    /// A row as the caller should see it, relations as ids.
    fn shown(&self, caller: &Caller, slug: &str, row: &Value) -> Value {
        let mut doc = row.clone();
        for field in fields(self.collection(slug)) {
            let class = rules::class(slug, &field.path);
            if !self.facts.sees(caller, slug, row, class) {
                without(&mut doc, &field.path);
            }
        }
        // The bull of a lactation is of the class of the parents.
        if slug == "animals" && !self.facts.sees(caller, slug, row, Class::C) {
            let lactations = doc.get_mut("lactations").and_then(Value::as_array_mut);
            for lactation in lactations.into_iter().flatten() {
                without(lactation, "serviceBull");
            }
        }
        pruned(doc)
    }

    /// The classes of the fields of a collection.
    fn classes(&self, slug: &str) -> BTreeSet<Class> {
        let all = fields(self.collection(slug));
        all.map(|f| rules::class(slug, &f.path)).collect()
    }
}

/// Fields that some caller sees.
fn fields(c: &'static Collection) -> impl Iterator<Item = &'static Field> {
    let seen = |f: &&Field| f.class != Declared::Hidden && f.kind != Kind::Password;
    c.fields.iter().filter(seen)
}

/// Status, body, and headers that do not differ from request to request.
fn compared(answer: &Answer) -> (u16, String, Vec<String>) {
    let volatile = ["date", "x-request-id", "server-timing", "x-response-time"];
    let mut headers: Vec<String> = (answer.headers.iter())
        .filter(|(name, _)| !volatile.contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {value:?}"))
        .collect();
    headers.sort();
    (answer.status, answer.text.clone(), headers)
}

fn without(doc: &mut Value, path: &str) {
    let (group, name) = path.rsplit_once('.').unwrap_or(("", path));
    let steps = group.split('.').filter(|s| !s.is_empty());
    let mut place = Some(doc);
    for step in steps {
        place = place.and_then(|p| p.get_mut(step));
    }
    if let Some(Value::Object(members)) = place {
        members.remove(name);
    }
}

/// A group of which nothing is left counts as absent.
fn pruned(doc: Value) -> Value {
    match doc {
        Value::Object(members) => {
            let remaining = members.into_iter().map(|(k, v)| (k, pruned(v)));
            let remaining = remaining.filter(|(_, v)| v.as_object().is_none_or(|o| !o.is_empty()));
            Value::Object(remaining.collect())
        }
        other => other,
    }
}

/// The documents of a list by id.
fn documents(answer: &Answer) -> BTreeMap<i64, Value> {
    let all = answer.json()["docs"].as_array().cloned().unwrap_or_default();
    let with_id = |d: Value| (d["id"].as_i64().unwrap(), pruned(d));
    all.into_iter().map(with_id).collect()
}

/// Status and ids of a list.
fn listed(answer: &Answer) -> (u16, BTreeSet<i64>) {
    let ids = if answer.status == 200 { documents(answer).into_keys().collect() } else { BTreeSet::new() };
    (answer.status, ids)
}

/// Text in the form of a query.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}
