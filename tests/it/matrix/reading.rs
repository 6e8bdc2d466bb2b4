//! The ways of reading: list, count, id, select, populate, lines, where, sort, relation paths, joins.

use super::oracle::{Caller, Facts, at};
use super::rules::{self, Class, JOINS, LINES};
use super::{ABSENT, Matrix, compared, documents, escaped, fields, listed, pruned};
use crate::rest::stage::request;
use crate::rest::world::{FORBIDDEN, NOT_FOUND};
use axum::body::Body;
use model::registry::{Field, Kind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

impl Matrix<'_> {
    /// All ways of every second caller from one.
    pub(super) async fn read(&mut self, half: usize) {
        for (turn, caller) in self.callers.clone().iter().enumerate() {
            if turn % 2 != half {
                continue;
            }
            for line in LINES {
                if Facts::denied(caller, line.slug) {
                    self.denied(caller, line.slug).await;
                    continue;
                }
                self.lists(caller, line.slug).await;
                self.selections(caller, line.slug).await;
                self.single(caller, line.slug, turn).await;
                self.conditions(caller, line.slug, turn).await;
                self.paths(caller, line.slug, turn).await;
            }
            self.joins(caller).await;
        }
    }

    /// Flat refusals: 403 for every request.
    async fn denied(&mut self, caller: &Caller, slug: &'static str) {
        for rest in ["", "/count", "/1", "/777777", "?where[id][equals]=1", "?sort=id"] {
            let answer = self.get(caller.name, &format!("/api/{slug}{rest}")).await;
            let case = format!("{:?} {slug}{rest}", caller.name);
            self.same("denied", 1, &case, &FORBIDDEN, &answer.parts());
        }
    }

    pub(super) fn expected(&self, caller: &Caller, slug: &str) -> BTreeMap<i64, Value> {
        let ids = self.ids(caller, slug, |_| true).into_iter();
        ids.map(|id| (id, self.shown(caller, slug, &self.facts.rows(slug)[&id]))).collect()
    }

    /// One case for each document that is there or is not, and each class of its fields.
    fn compare(
        &mut self,
        way: &'static str,
        case: &str,
        slug: &str,
        expected: &BTreeMap<i64, Value>,
        got: &BTreeMap<i64, Value>,
    ) {
        let classes = self.classes(slug).len();
        let all: Vec<i64> = self.facts.rows(slug).keys().copied().collect();
        for id in all {
            let (e, g) = (expected.get(&id), got.get(&id));
            if e == g {
                *self.cases.entry(way).or_default() += if e.is_some() { classes } else { 1 };
                continue;
            }
            let label = format!("{case}/{id}");
            let members = |doc: Option<&Value>| -> Vec<String> {
                let doc = doc.and_then(Value::as_object);
                let Some(doc) = doc else {
                    return vec!["nothing".into()];
                };
                let other = if std::ptr::eq(doc, e.and_then(Value::as_object).unwrap_or(doc)) { g } else { e };
                (doc.iter())
                    .filter(|(k, v)| other.is_none_or(|o| o.get(k.as_str()) != Some(v)))
                    .map(|(k, v)| format!("{k}: {v}").chars().take(300).collect())
                    .collect()
            };
            self.same(way, 1, &label, &members(e), &members(g));
        }
    }

    async fn lists(&mut self, caller: &Caller, slug: &'static str) {
        let who = caller.name;
        let case = format!("{who:?} {slug}");
        let expected = self.expected(caller, slug);
        let answer = self.get(who, &format!("/api/{slug}?limit=0&depth=0")).await;
        self.same("list", 1, &case, &200, &answer.status);
        self.compare("list", &case, slug, &expected, &documents(&answer));
        let total = &answer.json()["totalDocs"];
        self.same("list", 1, &case, &Value::from(expected.len()), total);

        let answer = self.get(who, &format!("/api/{slug}/count")).await;
        let total = &answer.json()["totalDocs"];
        self.same("count", 1, &case, &Value::from(expected.len()), total);
        let all: Vec<String> = self.facts.rows(slug).keys().map(i64::to_string).collect();
        let path = format!("/api/{slug}/count?where[id][in]={},{ABSENT}", all.join(","));
        let total = self.get(who, &path).await.json()["totalDocs"].clone();
        self.same("count", all.len(), &case, &Value::from(expected.len()), &total);

        let answer = self.get(who, &format!("/api/{slug}?limit=0&depth=1")).await;
        let populated = (expected.iter()).map(|(id, doc)| (*id, self.populated(caller, slug, doc.clone()))).collect();
        self.compare("populate", &case, slug, &populated, &documents(&answer));

        self.lines(caller, slug, &expected).await;
    }

    async fn lines(&mut self, caller: &Caller, slug: &'static str, expected: &BTreeMap<i64, Value>) {
        let mut headers = vec![("accept", "application/x-ndjson")];
        if let Some(token) = self.tokens.get(caller.name) {
            headers.push(("authorization", token.as_str()));
        }
        let path = format!("/api/{slug}?limit=0&depth=0");
        let answer = self.stage.ask(request("GET", &path, &headers, Body::empty())).await;
        let docs = answer.text.lines().filter(|l| !l.is_empty()).map(|line| {
            let doc: Value = serde_json::from_str(line).expect(line);
            (doc["id"].as_i64().unwrap(), pruned(doc))
        });
        let docs = docs.collect();
        let case = format!("{:?} {slug}", caller.name);
        self.compare("lines", &case, slug, expected, &docs);
    }

    /// A document at depth 1: what the caller reads is expanded, all else stays an id.
    pub(super) fn populated(&self, caller: &Caller, slug: &str, mut doc: Value) -> Value {
        for field in fields(self.collection(slug)) {
            let place = field.path.split('.').try_fold(&mut doc, |place, step| place.get_mut(step));
            if let Some(place) = place {
                self.expand(caller, field, place);
            }
        }
        pruned(doc)
    }

    fn expand(&self, caller: &Caller, field: &Field, place: &mut Value) {
        match (&field.kind, place) {
            (Kind::Relation(to), place) => {
                let row = place.as_i64().and_then(|id| self.facts.row(to, id));
                if let Some(row) = row.filter(|row| self.facts.reads(caller, to, row)) {
                    *place = self.shown(caller, to, row);
                }
            }
            (Kind::Relations(to), Value::Array(all)) => {
                for place in all {
                    let row = place.as_i64().and_then(|id| self.facts.row(to, id));
                    if let Some(row) = row.filter(|row| self.facts.reads(caller, to, row)) {
                        *place = self.shown(caller, to, row);
                    }
                }
            }
            (Kind::Rows(subs), Value::Array(all)) => {
                for row in all {
                    for sub in subs {
                        if let Some(place) = row.get_mut(&sub.path) {
                            self.expand(caller, sub, place);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// One field of each class, selected alone.
    async fn selections(&mut self, caller: &Caller, slug: &'static str) {
        for class in self.classes(slug) {
            let of = |f: &&Field| f.path != "id" && rules::class(slug, &f.path) == class;
            let Some(field) = fields(self.collection(slug)).find(of) else {
                continue;
            };
            let steps: String = field.path.split('.').map(|s| format!("[{s}]")).collect();
            let path = format!("/api/{slug}?limit=0&depth=0&select{steps}=true");
            let answer = self.get(caller.name, &path).await;
            let expected: BTreeMap<i64, bool> = (self.ids(caller, slug, |_| true).into_iter())
                .map(|id| (id, self.facts.sees(caller, slug, &self.facts.rows(slug)[&id], class)))
                .collect();
            let there = |d: &Value| field.path.split('.').try_fold(d, |p, s| p.get(s)).is_some();
            let got = documents(&answer).iter().map(|(id, d)| (*id, there(d))).collect();
            let case = format!("{:?} {path}", caller.name);
            self.same("select", expected.len().max(1), &case, &expected, &got);
        }
    }

    /// Each row by its id: hidden ones are answered like missing ones.
    async fn single(&mut self, caller: &Caller, slug: &'static str, turn: usize) {
        let absent = self.get(caller.name, &format!("/api/{slug}/{ABSENT}?depth=0")).await;
        let case = format!("{:?} {slug}/{ABSENT}", caller.name);
        self.same("id", 1, &case, &NOT_FOUND, &absent.parts());
        let rows: Vec<i64> = self.facts.rows(slug).keys().copied().collect();
        for id in rows {
            if !(turn + usize::try_from(id).unwrap()).is_multiple_of(self.every) {
                continue;
            }
            let row = self.facts.rows(slug)[&id].clone();
            let answer = self.get(caller.name, &format!("/api/{slug}/{id}?depth=0")).await;
            let case = format!("{:?} {slug}/{id}", caller.name);
            if self.facts.reads(caller, slug, &row) {
                let expected = (200, self.shown(caller, slug, &row));
                let cases = self.classes(slug).len();
                let got = (answer.status, pruned(answer.json()));
                self.same("id", cases, &case, &expected, &got);
            } else {
                self.same("id", 1, &case, &compared(&absent), &compared(&answer));
                let filter = format!("/api/{slug}?where[id][equals]={id}");
                let none = self.get(caller.name, &filter).await;
                self.same("where", 1, &case, &(200, BTreeSet::new()), &listed(&none));
            }
        }
    }

    /// Each field in a condition that every row meets, and in an order. A class that the caller never sees is 400;
    /// else the rows on which the caller sees the class.
    async fn conditions(&mut self, caller: &Caller, slug: &'static str, turn: usize) {
        for (nth, field) in fields(self.collection(slug)).enumerate() {
            let class = rules::class(slug, &field.path);
            let stride = if class == Class::R { 3 * self.every } else { self.every };
            if !(turn + nth).is_multiple_of(stride) {
                continue;
            }
            let expected = if Facts::never(caller, slug, class) {
                (400, BTreeSet::new())
            } else {
                let seen = |row: &Value| self.facts.sees(caller, slug, row, class);
                (200, self.ids(caller, slug, seen))
            };
            let cases = expected.1.len().max(1);
            let (p, rest) = (&field.path, "limit=0&depth=0&select[id]=true");
            let filter = format!("where[or][0][{p}][exists]=true&where[or][1][{p}][exists]=false");
            let path = format!("/api/{slug}?{rest}&{filter}");
            let answer = self.get(caller.name, &path).await;
            let case = format!("{:?} {path}", caller.name);
            self.same("where", cases, &case, &expected, &listed(&answer));
            let list = matches!(
                field.kind,
                Kind::Relations(_) | Kind::Selects(_) | Kind::Texts(_) | Kind::Rows(_) | Kind::Json
            );
            if !list {
                let path = format!("/api/{slug}?{rest}&sort={p}");
                let answer = self.get(caller.name, &path).await;
                let case = format!("{:?} {path}", caller.name);
                self.same("sort", cases, &case, &expected, &listed(&answer));
            }
        }
    }

    /// Conditions through relations: `animal.name`.
    async fn paths(&mut self, caller: &Caller, slug: &'static str, turn: usize) {
        for (nth, field) in fields(self.collection(slug)).enumerate() {
            let Kind::Relation(to) = &field.kind else {
                continue;
            };
            let to = LINES.iter().find(|l| l.slug == to).unwrap().slug;
            let class = rules::class(slug, &field.path);
            let targets: BTreeSet<i64> =
                (self.facts.rows(slug).values()).filter_map(|row| at(row, &field.path).as_i64()).collect();
            let Some(target) = targets.iter().nth((turn + nth) % targets.len().max(1)) else {
                continue;
            };
            let row = self.facts.rows(to)[target].clone();
            for (of, end) in self.ends(to, &row) {
                if !(turn + nth + of as usize).is_multiple_of(self.every) {
                    continue;
                }
                let value = at(&row, &end).clone();
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let expected = if Facts::never(caller, slug, class) || Facts::never(caller, to, of) {
                    (400, BTreeSet::new())
                } else {
                    let fits = |row: &Value| {
                        let there = at(row, &field.path).as_i64();
                        let there = there.and_then(|id| self.facts.row(to, id));
                        self.facts.sees(caller, slug, row, class)
                            && there.is_some_and(|t| {
                                let seen = self.facts.sees(caller, to, t, of);
                                self.facts.reads(caller, to, t) && seen && *at(t, &end) == value
                            })
                    };
                    (200, self.ids(caller, slug, fits))
                };
                let path = format!(
                    "/api/{slug}?limit=0&depth=0&select[id]=true&where[{}.{end}][equals]={}",
                    field.path,
                    escaped(&text)
                );
                let answer = self.get(caller.name, &path).await;
                let case = format!("{:?} {path}", caller.name);
                self.same("relation path", expected.1.len().max(1), &case, &expected, &listed(&answer));
            }
        }
    }

    /// One filled plain field of each class.
    fn ends(&self, slug: &'static str, row: &Value) -> BTreeMap<Class, String> {
        let mut ends = BTreeMap::new();
        for field in fields(self.collection(slug)) {
            let plain = matches!(
                field.kind,
                Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Int | Kind::Number | Kind::Day
            );
            let own = ["id", "createdAt", "updatedAt"].contains(&field.path.as_str());
            if plain && !own && !at(row, &field.path).is_null() {
                ends.entry(rules::class(slug, &field.path)).or_insert_with(|| field.path.clone());
            }
        }
        ends
    }

    /// Each join of each row, and conditions through joins.
    async fn joins(&mut self, caller: &Caller) {
        for (slug, join, from, on) in JOINS {
            let path = format!(
                "/api/{slug}?limit=0&depth=0&select[{join}]=true&joins[{join}][limit]=0&joins[{join}][count]=true"
            );
            let docs = documents(&self.get(caller.name, &path).await);
            let points = |child: &Value, id: i64| {
                on.iter().any(|on| {
                    let seen = self.facts.sees(caller, from, child, rules::class(from, on));
                    seen && child[*on].as_i64() == Some(id)
                })
            };
            let expected: BTreeMap<i64, BTreeSet<i64>> = (self.ids(caller, slug, |_| true))
                .into_iter()
                .map(|id| (id, self.ids(caller, from, |child| points(child, id))))
                .collect();
            let got = docs.iter().map(|(id, doc)| {
                let docs = doc[*join]["docs"].as_array().cloned().unwrap_or_default();
                let ids: BTreeSet<i64> = docs.iter().filter_map(Value::as_i64).collect();
                let total = doc[*join]["totalDocs"].as_u64().unwrap_or(0);
                assert_eq!(total, ids.len() as u64, "{path}: {doc}");
                (*id, ids)
            });
            let got = got.collect();
            let case = format!("{:?} {path}", caller.name);
            let cases = expected.len().max(1);
            let answered: BTreeSet<i64> = expected.iter().filter(|(_, c)| !c.is_empty()).map(|(id, _)| *id).collect();
            self.same("join", cases, &case, &expected, &got);

            let path = format!("/api/{slug}?limit=0&depth=0&select[id]=true&where[{join}.id][exists]=true");
            let answer = self.get(caller.name, &path).await;
            let never = Facts::denied(caller, from);
            let expected = if never { (400, BTreeSet::new()) } else { (200, answered) };
            let case = format!("{:?} {path}", caller.name);
            self.same("join path", cases, &case, &expected, &listed(&answer));
        }
    }
}
