//! The law of refusals: a refused request leaves the book bit for bit as it was, sequences and logs included. For
//! every collection: each way of writing × the causes of refusal (access, form, key, state, reference, rules of the
//! collection), and each way of writing broken at each of its statements. The rows are those of the matrix, which
//! were put into the tables past all rules, so that much is refused by itself.

use crate::graphql::laws::names;
use crate::matrix::world::{Tokens, on};
use crate::rest::stage::{Answer, Stage, request};
use crate::support::untouched::{Judge, RequestOutcome};
use axum::body::Body;
use model::registry::{Class, Collection, Field, Kind};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use store::Dialect;
use test_support::Depth;

/// An id that no row has.
const ABSENT: i64 = 777_777;

const GRAPHQL: &str = "/api/graphql";

/// Callers that may do nothing at all, little, and everything.
const CALLERS: [&str; 4] = ["", "stranger", "viewer", "admin"];

struct Law<'s> {
    stage: &'s Stage,
    tokens: Tokens,
    judge: Judge,
}

impl<'s> Law<'s> {
    async fn new(stage: &'s Stage, tokens: Tokens, every: usize) -> Self {
        Self { stage, tokens, judge: Judge::new(&stage.book.store, stage.url(), every).await }
    }

    async fn ask(&self, who: &str, method: &str, path: &str, body: &Value) -> Answer {
        ask_as(self.stage, self.tokens.get(who), (method, path), body).await
    }

    /// A request that may be refused.
    async fn tried(&mut self, way: &str, who: &str, line: (&str, &str), body: &Value) -> bool {
        let token = self.tokens.get(who);
        let asking = async || outcome_of(line.1, &ask_as(self.stage, token, line, body).await);
        let case = format!("{who:?} {} {} {body}", line.0, line.1);
        self.judge.tried(way, &case, &asking).await
    }

    /// The same, broken at its statements. Returns whether it was accepted in the end.
    async fn broken(&mut self, way: &str, who: &str, line: (&str, &str), body: &Value) -> bool {
        let token = self.tokens.get(who);
        let asking = async || outcome_of(line.1, &ask_as(self.stage, token, line, body).await);
        let case = format!("{who:?} {} {} {body}", line.0, line.1);
        self.judge.broken(way, &case, &asking).await
    }

    fn collections(&self) -> Vec<&'static Collection> {
        self.stage.book.registry.iter().collect()
    }

    /// Rows of a collection as the Association reads them, relations as ids.
    async fn rows(&self, slug: &str, limit: usize) -> Vec<Value> {
        let path = format!("/api/{slug}?limit={limit}&depth=0&sort=id");
        let mut all = Vec::new();
        // Private rows are read by their authors only.
        for who in ["admin", "head"] {
            let answer = self.ask(who, "GET", &path, &Value::Null).await;
            let docs = answer.json()["docs"].as_array().cloned();
            all = docs.unwrap_or_default();
            if !all.is_empty() {
                break;
            }
        }
        all
    }

    /// Requests that are refused by themselves: by access, form, key, state and reference.
    async fn refused(&mut self, c: &'static Collection) {
        let slug = c.slug;
        let rows = self.rows(slug, 2).await;
        let new = format!("/api/{slug}");
        for row in &rows {
            let id = row["id"].as_i64().unwrap();
            let one = format!("/api/{slug}/{id}");
            for who in CALLERS {
                // Once more: its keys are taken.
                self.tried("create", who, ("POST", &new), &copied(c, row)).await;
                if who != "admin" {
                    let body = json!({"updatedAt": "2026-02-28T00:00:00.000Z"});
                    self.tried("update", who, ("PATCH", &one), &body).await;
                    self.tried("delete", who, ("DELETE", &one), &Value::Null).await;
                }
            }
            // The faults of a value do not depend on the row.
            let judged = if row == &rows[0] { &["head", "admin"][..] } else { &[] };
            for who in judged {
                for field in c.fields.iter().filter(|f| f.class != Class::Hidden) {
                    for value in wrong(field) {
                        let body = nested(&field.path, value);
                        self.tried("update", who, ("PATCH", &one), &body).await;
                    }
                }
            }
            for (method, path) in [("PATCH", &one), ("POST", &new)] {
                let line = (method, path.as_str());
                self.tried("form", "admin", line, &json!([1, {"a": []}])).await;
            }
            for action in &c.actions {
                let path = format!("{one}/{}", action.name);
                for who in CALLERS {
                    self.tried("action", who, ("POST", &path), &json!({})).await;
                }
            }
            let path = format!("{one}/duplicate");
            self.tried("duplicate", "stranger", ("POST", &path), &json!({})).await;
        }
        let absent = format!("{new}/{ABSENT}");
        for (method, body) in [("PATCH", json!({})), ("DELETE", Value::Null)] {
            self.tried("absent", "admin", (method, &absent), &body).await;
        }
    }

    /// Every way of writing, broken at its statements. Returns the ways that were accepted in the end.
    async fn break_ways(&mut self, c: &'static Collection) -> Vec<&'static str> {
        let slug = c.slug;
        let mut done = Vec::new();
        let rows = self.rows(slug, 3).await;
        let Some(row) = rows.first() else {
            return done;
        };
        let new = format!("/api/{slug}");
        let one = format!("/api/{slug}/{}", row["id"]);
        let stamp = json!({"updatedAt": "2026-02-27T00:00:00.000Z"});
        let both = format!("/api/{slug}?where[id][in]={},{ABSENT}", row["id"]);
        let mut fresh = copied(c, row);
        renew(c, &mut fresh);
        let many = json!([fresh, {"nothing": "of it"}, fresh]);
        for (way, line, body) in [
            ("create", ("POST", new.as_str()), &fresh),
            ("create many", ("POST", new.as_str()), &many),
            ("update", ("PATCH", one.as_str()), &stamp),
            ("update many", ("PATCH", both.as_str()), &stamp),
        ] {
            self.dry(way, line, body).await;
            if self.broken(way, "admin", line, body).await {
                done.push(way);
            }
        }
        self.dry("delete", ("DELETE", &one), &Value::Null).await;
        done
    }

    /// A dry run leaves the book as it was, whatever it answers.
    async fn dry(&mut self, way: &str, (method, path): (&str, &str), body: &Value) {
        let with = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{with}validate=only");
        let answer = self.ask("admin", method, &path, body).await;
        let case = format!("{method} {path} {body}");
        self.judge.looked(&format!("{way}, dry"), &case, &outcome_of(&path, &answer)).await;
    }

    /// Deletions, broken and refused; the book shrinks.
    async fn break_deletions(&mut self, c: &'static Collection) -> bool {
        let mut done = false;
        for row in self.rows(c.slug, 2).await {
            if c.auth && row["role"] == "admin" {
                continue;
            }
            let line = format!("/api/{}/{}", c.slug, row["id"]);
            done |= match done {
                false => {
                    let line = ("DELETE", line.as_str());
                    self.broken("delete", "admin", line, &Value::Null).await
                }
                true => {
                    let (one, _) = names(c.slug);
                    let mutation = format!("mutation{{delete{one}(id:{}){{id}}}}", row["id"]);
                    let line = ("POST", GRAPHQL);
                    let body = json!({"query": mutation});
                    self.broken("GraphQL delete", "admin", line, &body).await
                }
            };
        }
        done
    }
}

async fn ask_as(stage: &Stage, token: Option<&String>, (method, path): (&str, &str), body: &Value) -> Answer {
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(token.map(|token| ("authorization", token.as_str())));
    let text = match body {
        Value::Null => String::new(),
        other => other.to_string(),
    };
    stage.ask(request(method, path, &headers, Body::from(text))).await
}

/// Whether a request was accepted, which GraphQL states in its body, and the answer in a line.
fn outcome_of(path: &str, answer: &Answer) -> RequestOutcome {
    let refused = answer.status >= 400 || (path == GRAPHQL && answer.json().get("errors").is_some());
    (!refused, format!("{} {}", answer.status, answer.text))
}

/// A row as it would be sent to make another one like it.
fn copied(c: &Collection, row: &Value) -> Value {
    let mut copy = row.clone();
    let members = copy.as_object_mut().unwrap();
    for own in ["id", "createdAt", "updatedAt"] {
        members.remove(own);
    }
    let joins: Vec<String> = (members.iter())
        .filter(|(name, value)| value.get("docs").is_some() && c.slot(name).is_none())
        .map(|(name, _)| name.clone())
        .collect();
    for name in joins {
        members.remove(&name);
    }
    copy
}

/// Other texts where a text is a key, so that the row may be made.
fn renew(c: &Collection, row: &mut Value) {
    for field in &c.fields {
        let text = matches!(field.kind, Kind::Text(_) | Kind::Email);
        let key = c.uniques.iter().any(|key| key.contains(&field.path.as_str()));
        if text
            && (field.unique || key)
            && let Some(place) = row.pointer_mut(&format!("/{}", field.path.replace('.', "/")))
            && let Some(before) = place.as_str()
        {
            *place = format!("x{before}").into();
        }
    }
}

/// Values that a field cannot have, and each of those that it can have only by a step.
fn wrong(field: &Field) -> Vec<Value> {
    match &field.kind {
        Kind::Select(options) => {
            let all = options.iter().map(|o| Value::from(&**o));
            all.chain([json!("no such option")]).collect()
        }
        Kind::Relation(_) => vec![json!(ABSENT), json!({"a": 1})],
        Kind::Relations(_) => vec![json!([ABSENT]), json!("x")],
        Kind::Text(max) => vec![json!("x".repeat(max + 1)), json!({"a": 1})],
        Kind::Rows(_) => vec![json!([{"no": ["such"]}, 5])],
        _ if field.required => vec![Value::Null],
        _ => vec![json!({"not": ["this"]})],
    }
}

fn nested(path: &str, value: Value) -> Value {
    path.rsplit('.').fold(value, |inner, name| {
        let mut outer = Map::new();
        outer.insert(name.to_owned(), inner);
        Value::Object(outer)
    })
}

async fn what_is_refused(dialect: Dialect, share: (usize, usize)) {
    on(dialect, &async |stage: &Stage, tokens| {
        let mut law = Law::new(stage, tokens, 1).await;
        for (at, c) in law.collections().into_iter().enumerate() {
            if at % share.1 == share.0 {
                law.refused(c).await;
            }
        }
        law.judge.conclude(4_000 / share.1);
    })
    .await;
}

async fn what_breaks(dialect: Dialect, every: usize) {
    on(dialect, &async |stage: &Stage, tokens| {
        let mut law = Law::new(stage, tokens, every).await;
        let mut done: BTreeMap<&str, usize> = BTreeMap::new();
        for c in law.collections() {
            for way in law.break_ways(c).await {
                *done.entry(way).or_default() += 1;
            }
        }
        // Collections that others point at go last.
        let last = ["media", "documents", "animals", "herds", "users", "organizations"];
        let (late, first): (Vec<_>, Vec<_>) = (law.collections().into_iter()).partition(|c| last.contains(&c.slug));
        for c in first.into_iter().chain(late) {
            if law.break_deletions(c).await {
                *done.entry("delete").or_default() += 1;
            }
        }
        eprintln!("{dialect:?}: let in at last, by collections: {done:?}");
        law.judge.conclude(if every == 1 { 4_900 } else { 300 });
    })
    .await;
}

#[tokio::test]
async fn a_refusal_leaves_no_trace_on_sqlite() {
    what_is_refused(Dialect::Sqlite, (0, test_support::one_of(6, 3))).await;
}

#[tokio::test]
async fn a_refusal_leaves_no_trace_on_postgres() {
    let every = test_support::one_of(24, 12);
    what_is_refused(Dialect::Postgres, (1 % every, every)).await;
}

#[tokio::test]
async fn a_broken_write_leaves_no_trace_on_sqlite() {
    what_breaks(Dialect::Sqlite, test_support::one_of(29, 7)).await;
}

#[tokio::test]
async fn a_broken_write_leaves_no_trace_on_postgres() {
    // Each collection is written to, so that this takes long even with few breaks.
    if test_support::depth() != Depth::Quick {
        what_breaks(Dialect::Postgres, test_support::one_of(29, 29)).await;
    }
}
