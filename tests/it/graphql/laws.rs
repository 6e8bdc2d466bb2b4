//! Every collection answers here as by REST, to every kind of caller: the same records, the same
//! fields, the same totals, the same refusals.

use super::ask;
use crate::matrix::world;
use crate::rest::stage::{Stage, dialects};
use model::registry::{Class, Collection, Field, Kind, Node, Registry};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use store::Dialect;

/// Callers: not signed in, a farm, one with a share of it, another one, the Association.
const CALLERS: [&str; 6] = ["", "head", "production", "stranger", "admin", "viewer"];

fn words(text: &str) -> String {
    let parts = text.split('-').map(|part| {
        let (first, rest) = part.split_at(1);
        format!("{}{rest}", first.to_uppercase())
    });
    parts.collect()
}

/// Names of a collection: one, and many. A second, short statement of the rule.
pub(crate) fn names(slug: &str) -> (String, String) {
    let many = words(slug);
    let one = match slug {
        "media" => return (many.clone(), format!("all{many}")),
        "animal-gallery" => return (many, "AnimalGalleries".to_owned()),
        _ if many.ends_with("ies") => format!("{}y", many.strip_suffix("ies").unwrap()),
        _ if many.ends_with("Classes") || many.ends_with("Searches") => many.strip_suffix("es").unwrap().to_owned(),
        _ => many.strip_suffix('s').unwrap().to_owned(),
    };
    (one, many)
}

fn is_readable(field: &Field) -> bool {
    field.class != Class::Hidden && field.kind != Kind::Password
}

/// All fields, relations by their ids.
pub(crate) fn selection(c: &Collection, nodes: &[Node]) -> String {
    let mut out = String::new();
    for node in nodes {
        match node {
            Node::Group(name, inner) => {
                let inner = selection(c, inner);
                if !inner.is_empty() {
                    out.push_str(&format!("{name}{{{inner}}} "));
                }
            }
            Node::Leaf(slot) if is_readable(&c.fields[*slot]) => out.push_str(&leaf(&c.fields[*slot])),
            Node::Leaf(_) => {}
        }
    }
    out
}

fn leaf(field: &Field) -> String {
    let name = field.name();
    match &field.kind {
        Kind::Relation(_) | Kind::Relations(_) => format!("{name}{{id}} "),
        Kind::Rows(subs) => {
            let subs: String = subs.iter().map(leaf).collect();
            format!("{name}{{id {subs}}} ")
        }
        _ => format!("{name} "),
    }
}

/// A document of REST at depth 1 as this face shows it.
pub(crate) fn expected(c: &Collection, nodes: &[Node], doc: &Value) -> Value {
    let mut out = Map::new();
    for node in nodes {
        match node {
            Node::Group(name, inner) => {
                if selection(c, inner).is_empty() {
                    continue;
                }
                let page = match doc.get(name) {
                    Some(group) => expected(c, inner, group),
                    None => Value::Null,
                };
                out.insert(name.clone(), page);
            }
            Node::Leaf(slot) if is_readable(&c.fields[*slot]) => {
                let field = &c.fields[*slot];
                let value = doc.get(field.name()).unwrap_or(&Value::Null);
                out.insert(field.name().to_owned(), shown(field, value));
            }
            Node::Leaf(_) => {}
        }
    }
    Value::Object(out)
}

fn shown(field: &Field, value: &Value) -> Value {
    let id = |value: &Value| value.get("id").map(|id| json!({"id": id}));
    match (&field.kind, value) {
        (Kind::Relation(_), value) => id(value).unwrap_or_default(),
        (Kind::Relations(_), Value::Array(all)) => all.iter().filter_map(id).collect(),
        (Kind::Rows(subs), Value::Array(rows)) => {
            let row = |row: &Value| {
                let mut out = Map::from_iter([("id".to_owned(), row["id"].clone())]);
                for sub in subs {
                    let value = row.get(sub.name()).unwrap_or(&Value::Null);
                    out.insert(sub.name().to_owned(), shown(sub, value));
                }
                Value::Object(out)
            };
            rows.iter().map(row).collect()
        }
        (Kind::Select(_), Value::String(text)) => Value::from(named(text)),
        (Kind::Selects(_), Value::Array(all)) => all.iter().map(|v| named(v.as_str().unwrap())).collect(),
        (_, value) => value.clone(),
    }
}

pub(crate) fn named(text: &str) -> String {
    let digit = text.starts_with(|c: char| c.is_ascii_digit());
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().filter(|c| *c != ' ').map(plain).collect();
    if digit { format!("_{name}") } else { name }
}

struct Laws<'s> {
    stage: &'s Stage,
    registry: &'static Registry,
    tokens: BTreeMap<&'static str, String>,
    /// Ids by collection, as the Association sees them.
    all: BTreeMap<&'static str, Vec<i64>>,
    cases: usize,
    differences: Vec<String>,
}

impl Laws<'_> {
    async fn rest(&self, who: &str, path: &str) -> (u16, Value) {
        let header = self.tokens.get(who);
        let headers: Vec<_> = header.iter().map(|t| ("authorization", t.as_str())).collect();
        let answer = self.stage.send("GET", path, &headers).await;
        (answer.status, answer.json())
    }

    async fn graphql(&self, who: &str, query: &str) -> Value {
        // The tokens of the world are whole headers.
        let token = self.tokens.get(who).map_or("", |t| t.trim_start_matches("JWT "));
        let answer = ask(self.stage, token, query, json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    fn same(&mut self, case: &str, expected: &Value, got: &Value) {
        self.cases += 1;
        if expected != got {
            let cut = |value: &Value| value.to_string().chars().take(1500).collect::<String>();
            let (expected, got) = (cut(expected), cut(got));
            self.differences.push(format!("{case}:\n  {expected}\n  {got}"));
        }
    }

    async fn collection(&mut self, who: &str, c: &'static Collection) {
        let (one, many) = names(c.slug);
        let fields = selection(c, &c.layout);
        let query = format!(
            "{{list:{many}(limit:500,sort:\"id\"){{docs{{{fields}}} totalDocs totalPages limit}} \
             count{many}{{totalDocs}}}}"
        );
        let got = self.graphql(who, &query).await;
        let case = format!("{who} {}", c.slug);
        let list = format!("/api/{}?limit=500&sort=id&depth=1", c.slug);
        let (status, body) = self.rest(who, &list).await;
        if status != 200 {
            self.refused(&case, status, &got, "list");
            self.refused(&case, status, &got, &format!("count{many}"));
        } else {
            let docs = body["docs"].as_array().unwrap();
            let docs: Value = docs.iter().map(|doc| expected(c, &c.layout, doc)).collect();
            self.same(&case, &docs, &got["data"]["list"]["docs"]);
            let totals = &got["data"]["list"]["totalDocs"];
            self.same(&format!("{case} total"), &body["totalDocs"], totals);
            let (_, count) = self.rest(who, &format!("/api/{}/count", c.slug)).await;
            let counted = &got["data"][&format!("count{many}")];
            self.same(&format!("{case} count"), &count, counted);
        }
        // By id: the first and the last record, and an id that no record has.
        let all = self.all.get(c.slug).cloned().unwrap_or_default();
        let some: BTreeSet<i64> = [all.first(), all.last(), Some(&777_777)].into_iter().flatten().copied().collect();
        for id in some {
            let got = self.graphql(who, &format!("{{{one}(id:{id}){{{fields}}}}}")).await;
            let (status, doc) = self.rest(who, &format!("/api/{}/{id}?depth=1", c.slug)).await;
            let case = format!("{case}/{id}");
            match status {
                200 => self.same(&case, &expected(c, &c.layout, &doc), &got["data"][&one]),
                status => self.refused(&case, status, &got, &one),
            }
        }
    }

    fn refused(&mut self, case: &str, status: u16, got: &Value, field: &str) {
        let errors = got["errors"].as_array().cloned().unwrap_or_default();
        let error = errors.iter().find(|e| e["path"] == json!([field]));
        let refusal = error.map(|e| e["extensions"]["statusCode"].clone());
        let refusal = json!([refusal, got["data"][field]]);
        self.same(case, &json!([status, null]), &refusal);
    }
}

#[tokio::test]
async fn every_collection_answers_as_in_rest() {
    let test = async |stage: &Stage, tokens| {
        let registry = stage.book.registry;
        let mut laws = Laws { stage, registry, tokens, all: BTreeMap::new(), cases: 0, differences: Vec::new() };
        for c in registry.iter() {
            let path = format!("/api/{}?limit=0&sort=id&select[id]=true", c.slug);
            let (_, body) = laws.rest("admin", &path).await;
            let ids = body["docs"].as_array().into_iter().flatten();
            let ids = ids.map(|doc| doc["id"].as_i64().unwrap()).collect();
            laws.all.insert(c.slug, ids);
        }
        // As many on PostgreSQL as differ in what they are shown.
        let every = match stage.book.store.dialect() {
            Dialect::Sqlite => 1,
            Dialect::Postgres => test_support::one_of(2, 2),
        };
        for who in CALLERS.into_iter().step_by(every) {
            for c in laws.registry.iter() {
                laws.collection(who, c).await;
            }
        }
        let lines: Vec<String> = laws.differences.iter().take(20).cloned().collect();
        let n = laws.differences.len();
        eprintln!("{} cases, {n} differences", laws.cases);
        assert!(lines.is_empty(), "{n} differences:\n{}", lines.join("\n"));
        assert!(laws.cases > 1_800 / every, "{} cases", laws.cases);
    };
    for dialect in dialects() {
        world::on(*dialect, &test).await;
    }
}
