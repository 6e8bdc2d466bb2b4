//! Requests from the registry: in each collection, each field that may be sent is filled with what is hidden (ids of
//! rows, numbers, keys), in a row that is made, changed, or changed among many; hidden rows are requested, changed,
//! acted on and deleted by their ids, and looked for by each of their values.

use super::world::{FARMS, is_made, is_open, points_at};
use super::{GRAPHQL, Law, looks};
use crate::graphql::laws::{named, names};
use crate::laws::{Maker, nested, sent};
use crate::rest::stage::Stage;
use crate::rest::uploads::form::{BOUNDARY, png};
use crate::rest::world::World;
use model::registry::{Class, Collection, Field, Kind, Verb};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An animal's number as texts hold it.
const NUMBER: &str = "identNumber";

/// The callers, the owner of the rows that they use, and their share of the attempts of a farm:
/// callers that may write little try little.
const TRYING: [(&str, &str, usize); 5] =
    [("alpha", "alpha", 1), ("past", "past", 4), ("partner", "partner", 4), ("viewer", "alpha", 12), ("", "alpha", 12)];

pub(super) async fn all(law: &mut Law, every: usize) {
    let seed = test_support::named("HERDBOOK_LAW").unwrap_or(20);
    eprintln!("HERDBOOK_LAW={seed} repeats this run");
    // Bodies are made beside the two books, so that making them leaves no trace there.
    let bench = Stage::copy(law.books.common, &[]).await;
    let tokens = law.tokens().clone();
    let world = World::of(&bench, tokens);
    for (turn, (who, of, share)) in TRYING.into_iter().enumerate() {
        law.fresh().await;
        let mut maker = Maker::new(&world, seed + turn as u64);
        maker.owner = FARMS.iter().find(|(name, _)| *name == of).unwrap().1;
        maker.rows = law.known().own[of].clone();
        maker.makes = false;
        if who == of {
            // Others would be refused, regardless of the rest of the body.
            for (slug, id) in law.known().own[of].clone() {
                let path = format!("/api/{slug}/{id}?depth=0");
                if world.get(who, &path).await.status != 200 {
                    maker.rows.remove(slug);
                }
            }
            let me = world.get(who, "/api/users/me").await.json();
            maker.rows.extend(me["user"]["id"].as_i64().map(|id| ("users", id)));
        }
        let mut tried = Tries { law: &mut *law, maker, who, every: every * share, share, turn };
        tried.all().await;
        if law.enough() {
            return;
        }
    }
}

struct Tries<'l, 'w, 's> {
    law: &'l mut Law,
    maker: Maker<'w, 's>,
    who: &'static str,
    every: usize,
    share: usize,
    turn: usize,
}

impl Tries<'_, '_, '_> {
    async fn all(&mut self) {
        let collections: Vec<&'static Collection> = self.law.registry().iter().collect();
        looks::all(self.law, self.who, "at first").await;
        for (nth, c) in collections.iter().enumerate() {
            self.fields(c).await;
            if (nth + self.turn).is_multiple_of(self.share) {
                self.hidden(c).await;
            }
            if nth % (collections.len() * self.share / 3) == 8 {
                looks::all(self.law, self.who, "later").await;
            }
            if self.law.enough() {
                return;
            }
        }
        for c in collections.iter().rev().filter(|c| is_made(c)) {
            self.turn += 1;
            if self.turn.is_multiple_of(3)
                && let Some(id) = self.own(c)
            {
                let path = format!("/api/{}/{id}", c.slug);
                self.send(c, "own delete", ("DELETE", &path), &Value::Null).await;
            }
        }
        looks::all(self.law, self.who, "at last").await;
    }

    fn own(&self, c: &Collection) -> Option<i64> {
        self.maker.rows.get(c.slug).copied()
    }

    fn kind(&self, c: &Collection, what: &str) -> String {
        format!("{}.{what}", c.slug)
    }

    async fn send(&mut self, c: &Collection, what: &str, line: (&str, &str), body: &Value) {
        let kind = self.kind(c, what);
        self.law.json(&kind, self.who, line, body).await;
    }

    /// Makes a row by this face or that.
    async fn make(&mut self, c: &'static Collection, what: &str, values: &BTreeMap<&str, Value>) {
        let kind = self.kind(c, what);
        self.turn += 1;
        if c.upload.is_some() {
            let case = super::Case {
                kind,
                who: self.who,
                method: "POST",
                path: format!("/api/{}?depth=0", c.slug),
                content: format!("multipart/form-data; boundary={BOUNDARY}"),
                body: form(&nested(values), "cow.png"),
            };
            self.law.ask(case).await;
        } else if self.turn.is_multiple_of(4) {
            let (one, _) = names(c.slug);
            let query = format!("mutation($d:mutation{one}Input!){{create{one}(data:$d){{id updatedAt}}}}");
            let values = values.iter().map(|(path, value)| {
                let field = c.field(path).unwrap();
                (*path, spoken(field, value))
            });
            let body = json!({"query": query, "variables": {"d": nested(&values.collect())}});
            self.law.json(&kind, self.who, ("POST", GRAPHQL), &body).await;
        } else {
            let path = format!("/api/{}?depth={}", c.slug, self.turn % 2);
            self.law.json(&kind, self.who, ("POST", &path), &nested(values)).await;
        }
    }

    /// Each field that may be sent, filled with what is hidden.
    async fn fields(&mut self, c: &'static Collection) {
        if !is_made(c) && !c.access.opens(Verb::Update) {
            return;
        }
        let values = self.maker.values(c).await;
        self.make(c, "as it is", &values).await;
        for (nth, field) in c.fields.iter().enumerate() {
            let probes = self.probes(c, field).await;
            let every = match probes.0 {
                true => (self.every / 6).max(1),
                false => self.every,
            };
            if !(nth + self.turn).is_multiple_of(every) || !sent(field) {
                continue;
            }
            for value in probes.1 {
                if self.law.enough() {
                    return;
                }
                let what = format!("{} create", field.path);
                let mut values = self.maker.values(c).await;
                values.insert(field.path.as_str(), value.clone());
                self.make(c, &what, &values).await;
                let change = nested(&BTreeMap::from([(field.path.as_str(), value)]));
                let Some(id) = self.own(c) else { continue };
                let path = format!("/api/{}/{id}?depth=1", c.slug);
                let what = format!("{} update", field.path);
                self.send(c, &what, ("PATCH", &path), &change).await;
                if self.turn.is_multiple_of(3) {
                    let ids = self.ids(c.slug).into_iter().chain([id]).map(|id| id.to_string());
                    let ids = ids.collect::<Vec<_>>().join(",");
                    let path = format!("/api/{}?depth=0&where[id][in]={ids}", c.slug);
                    let what = format!("{} update many", field.path);
                    self.send(c, &what, ("PATCH", &path), &change).await;
                }
            }
        }
    }

    /// Ids of hidden rows: of both books, and of the first alone.
    fn ids(&self, slug: &str) -> Vec<i64> {
        let rows = self.law.books.hidden[0].get(slug);
        let ids: Vec<i64> = rows.into_iter().flatten().filter_map(|row| row["id"].as_i64()).collect();
        let mut ends: Vec<i64> = ids.first().copied().into_iter().chain(ids.last().copied()).collect();
        ends.dedup();
        ends
    }

    /// The values of a field in the hidden rows of either book.
    fn values_of(&self, c: &Collection, path: &str) -> Vec<Value> {
        let of = |side: usize| {
            let rows = self.law.books.hidden[side].get(c.slug);
            let all = rows.into_iter().flatten();
            all.map(|row| path.split('.').fold(row, |place, step| &place[step]).clone())
                .filter(|value| !value.is_null())
                .collect::<Vec<_>>()
        };
        let mut both = of(0);
        both.extend(of(1));
        both
    }

    /// Values that depend on hidden rows, and whether they name them directly.
    async fn probes(&mut self, c: &'static Collection, field: &Field) -> (bool, Vec<Value>) {
        let animals = self.law.registry().get("animals").unwrap();
        let key = c.uniques.iter().any(|key| key.contains(&field.path.as_str()));
        let hidden = |to: &str| !is_open(self.law.registry().get(to).unwrap());
        match &field.kind {
            Kind::Relation(to) if hidden(to) => (true, self.ids(to).into_iter().map(Value::from).collect()),
            Kind::Relations(to) if hidden(to) => (true, self.ids(to).into_iter().map(|id| json!([id])).collect()),
            Kind::Rows(subs) => {
                let named = subs.iter().find(|sub| points_at(&sub.kind).is_some_and(hidden));
                let Some(sub) = named.filter(|_| sent(field)) else {
                    return (false, self.maker.value(field).await.into_iter().collect());
                };
                let ids = self.ids(points_at(&sub.kind).unwrap());
                let mut all = Vec::new();
                for id in ids {
                    let mut rows = self.maker.value(field).await.unwrap_or_default();
                    rows[0][sub.path.as_str()] = match sub.kind {
                        Kind::Relation(_) => json!(id),
                        _ => json!([id]),
                    };
                    all.push(rows);
                }
                (true, all)
            }
            _ if field.unique || key => {
                let mut all = self.values_of(c, &field.path);
                all.truncate(3);
                (true, all)
            }
            Kind::Text(max) => {
                let fits = |v: &Value| v.as_str().is_some_and(|text| text.len() <= *max);
                let mut all = self.values_of(animals, NUMBER);
                all.retain(fits);
                all.truncate(1);
                (false, all)
            }
            Kind::Select(options) => (false, options.iter().take(4).map(|o| json!(o)).collect()),
            Kind::Bool => (false, vec![json!(true), json!(false)]),
            Kind::Day | Kind::Instant => (false, vec![json!("2018-03-01"), json!("2024-06-01")]),
            _ if sent(field) => (false, self.maker.value(field).await.into_iter().collect()),
            _ => (false, Vec::new()),
        }
    }

    /// Hidden rows by their ids, and by each of their values.
    async fn hidden(&mut self, c: &'static Collection) {
        let (slug, ids) = (c.slug, self.ids(c.slug));
        let list = ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        for id in &ids {
            let one = format!("/api/{slug}/{id}");
            self.send(c, "hidden read", ("GET", &one), &Value::Null).await;
            let stamp = json!({"updatedAt": "2026-02-28T00:00:00.000Z"});
            self.send(c, "hidden update", ("PATCH", &one), &stamp).await;
            self.send(c, "hidden delete", ("DELETE", &one), &Value::Null).await;
            let copy = format!("{one}/duplicate");
            self.send(c, "hidden duplicate", ("POST", &copy), &json!({})).await;
            for action in &c.actions {
                let path = format!("{one}/{}", action.name);
                self.send(c, "hidden action", ("POST", &path), &json!({})).await;
            }
            let (one, _) = names(slug);
            let query =
                json!({"query": format!("{{{one}(id:{id}){{id}} docAccess{one}(id:{id}){{update{{permission}}}}}}")});
            self.send(c, "hidden read", ("POST", GRAPHQL), &query).await;
        }
        let many = format!("/api/{slug}?depth=1&where[id][in]={list}");
        self.send(c, "hidden list", ("GET", &many), &Value::Null).await;
        if !ids.is_empty() {
            self.send(c, "hidden delete many", ("DELETE", &many), &Value::Null).await;
        }
        for (nth, field) in c.fields.iter().enumerate() {
            let line = (nth + self.turn).is_multiple_of(self.every);
            if field.class == Class::Hidden || !line {
                continue;
            }
            let path = &field.path;
            if let Some(value) = self.values_of(c, path).into_iter().find(|v| !v.is_object() && !v.is_array()) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let value: String = value.bytes().map(|b| format!("%{b:02X}")).collect();
                for operator in ["equals", "not_equals", "greater_than"] {
                    let line = format!("/api/{slug}?depth=0&limit=0&where[{path}][{operator}]={value}&sort={path}");
                    self.send(c, "where", ("GET", &line), &Value::Null).await;
                }
            }
            if let Some(to) = points_at(&field.kind) {
                let id = self.ids(to).first().copied().unwrap_or(1);
                for rest in
                    [format!("[equals]={id}"), ".id[exists]=true".to_owned(), ".updatedAt[exists]=true".to_owned()]
                {
                    let (end, rest) = rest.split_once('[').unwrap();
                    let line = format!("/api/{slug}?depth=2&where[{path}{end}][{rest}");
                    self.send(c, "where through", ("GET", &line), &Value::Null).await;
                }
            }
        }
        for join in &c.joins {
            let line = format!("/api/{slug}?depth=0&limit=0&select[id]=true&where[{}.id][exists]=true", join.name);
            self.send(c, "where join", ("GET", &line), &Value::Null).await;
        }
    }
}

/// A body in parts with a picture of this name.
pub(super) fn form(payload: &Value, name: &str) -> Vec<u8> {
    let mut body = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"_payload\"\r\n\r\n{payload}\r\n--{BOUNDARY}\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: image/png\r\n\r\n"
    )
    .into_bytes();
    body.extend(png(400, 400));
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").into_bytes());
    body
}

/// A value in GraphQL notation.
fn spoken(field: &Field, value: &Value) -> Value {
    match (&field.kind, value) {
        (Kind::Select(_), Value::String(word)) => json!(named(word)),
        (Kind::Selects(_), Value::Array(words)) => {
            words.iter().map(|word| json!(named(word.as_str().unwrap_or_default()))).collect()
        }
        (Kind::Rows(subs), Value::Array(rows)) => {
            let row = |row: &Value| {
                let members = row.as_object().into_iter().flatten().map(|(name, value)| {
                    let sub = subs.iter().find(|sub| sub.path == *name);
                    (name.clone(), sub.map_or_else(|| value.clone(), |sub| spoken(sub, value)))
                });
                Value::Object(members.collect())
            };
            rows.iter().map(row).collect()
        }
        _ => value.clone(),
    }
}
