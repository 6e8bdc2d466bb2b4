//! GraphQL: lists and counts, records by id, conditions, changes that are refused; the operations of one caller on
//! one collection in one request, under names of their own.

use super::oracle::{Caller, Facts, rules};
use super::rules::{self as lines, LINES, Rule};
use super::{ABSENT, Matrix, fields};
use crate::graphql::laws::{expected, names, selection};
use model::registry::{Kind, Verb};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Each caller asks for every n-th collection, and the next caller for the next ones: several callers ask for
/// each collection. That all answer as in REST is the matter of `graphql/laws.rs`.
const PAIRS: usize = 5;
/// Operations of one request.
const BESIDE: usize = 40;

/// Status and message of the error of an operation without data.
type FieldError = Option<(u64, String)>;

impl Matrix<'_> {
    pub(super) async fn graphql(&mut self) {
        for (turn, caller) in self.callers.clone().iter().enumerate() {
            for (nth, line) in LINES.iter().enumerate() {
                if !(turn + nth).is_multiple_of(PAIRS) {
                    continue;
                }
                self.listed_by_graphql(caller, line.slug).await;
                self.hidden_from_graphql(caller, line.slug).await;
                if !Facts::denied(caller, line.slug) {
                    self.conditions_of_graphql(caller, line.slug, turn).await;
                }
                self.refused_by_graphql(caller, line.slug, turn).await;
            }
        }
    }

    async fn post(&self, who: &str, query: &str) -> Value {
        let body = json!({"query": query}).to_string();
        let answer = self.ask(who, "POST", "/api/graphql", &body).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.text);
        let reply = answer.json();
        assert!(reply["data"].is_object(), "{query}: {}", answer.text);
        reply
    }

    /// Answers and errors of many operations, by their names.
    async fn operations(
        &self,
        who: &str,
        kind: &str,
        all: &BTreeMap<String, String>,
    ) -> BTreeMap<String, (Value, FieldError)> {
        let mut found = BTreeMap::new();
        let all: Vec<_> = all.iter().collect();
        for part in all.chunks(BESIDE) {
            let texts: String = part.iter().map(|(name, op)| format!("{name}:{op} ")).collect();
            let mut body = self.post(who, &format!("{kind}{{{texts}}}")).await;
            let errors = body["errors"].as_array().cloned().unwrap_or_default();
            for (name, _) in part {
                let error = errors.iter().find(|e| e["path"][0] == name.as_str());
                let error = error.map(|e| {
                    let status = e["extensions"]["statusCode"].as_u64();
                    (status.unwrap(), e["message"].as_str().unwrap().to_owned())
                });
                let value = body["data"][name.as_str()].take();
                found.insert((*name).clone(), (value, error));
            }
        }
        found
    }

    async fn listed_by_graphql(&mut self, caller: &Caller, slug: &'static str) {
        let c = self.collection(slug);
        let (_, many) = names(slug);
        let fields = selection(c, &c.layout);
        let query = format!(
            "{{list:{many}(limit:500,sort:\"id\"){{docs{{{fields}}} totalDocs}} count:count{many}{{totalDocs}}}}"
        );
        let body = self.post(caller.name, &query).await;
        let case = format!("{:?} {many}", caller.name);
        if Facts::denied(caller, slug) {
            let errors: Vec<_> = (body["errors"].as_array().unwrap().iter())
                .map(|e| (e["path"][0].clone(), e["extensions"]["statusCode"].clone()))
                .collect();
            let both = vec![(json!("list"), json!(403)), (json!("count"), json!(403))];
            self.same("graphql list", 2, &case, &both, &errors);
            self.same("graphql list", 1, &case, &json!({"list": null, "count": null}), &body["data"]);
            return;
        }
        let seen = self.expected(caller, slug);
        let shown: Vec<Value> =
            (seen.values()).map(|doc| expected(c, &c.layout, &self.populated(caller, slug, doc.clone()))).collect();
        let (docs, count) = (&body["data"]["list"]["docs"], Value::from(shown.len()));
        let docs = docs.as_array().cloned().unwrap_or_default();
        let cases = (shown.len() * self.classes(slug).len()).max(1);
        let differ = shown.iter().zip(&docs).find(|(model, server)| model != server);
        self.same("graphql list", cases, &case, &None, &differ);
        self.same("graphql list", 1, &case, &shown.len(), &docs.len());
        for total in [&body["data"]["list"]["totalDocs"], &body["data"]["count"]["totalDocs"]] {
            self.same("graphql count", 1, &case, &count, total);
        }
    }

    /// Records that the caller does not read are answered like missing ones.
    async fn hidden_from_graphql(&mut self, caller: &Caller, slug: &'static str) {
        let (one, _) = names(slug);
        let by_id = |id: i64| (format!("_{id}"), format!("{one}(id:{id}){{id}}"));
        let hidden = self.facts.rows(slug).iter();
        let hidden = hidden.filter(|(_, row)| !self.facts.reads(caller, slug, row));
        let aliases: BTreeMap<_, _> = hidden.map(|(id, _)| by_id(*id)).chain([by_id(ABSENT)]).collect();
        let results = self.operations(caller.name, "query", &aliases).await;
        let absent = results[&format!("_{ABSENT}")].clone();
        let status = if Facts::denied(caller, slug) { 403 } else { 404 };
        let case = format!("{:?} {one}", caller.name);
        let got = absent.1.as_ref().map(|(status, _)| *status);
        self.same("graphql id", 1, &case, &Some(status), &got);
        for (name, answer) in &results {
            self.same("graphql id", 1, &format!("{case}{name}"), &absent, answer);
        }
    }

    /// As by REST: a class that the caller never sees is 400, else the rows on which the caller sees it.
    async fn conditions_of_graphql(&mut self, caller: &Caller, slug: &'static str, turn: usize) {
        let (_, many) = names(slug);
        let mut aliases = BTreeMap::new();
        let mut expected = BTreeMap::new();
        for (nth, field) in fields(self.collection(slug)).enumerate() {
            let class = lines::class(slug, &field.path);
            let stride = if class == lines::Class::R { 3 * self.every } else { self.every };
            let plain = matches!(
                field.kind,
                Kind::Text(_)
                    | Kind::LongText
                    | Kind::Email
                    | Kind::Int
                    | Kind::Number
                    | Kind::Bool
                    | Kind::Day
                    | Kind::Instant
                    | Kind::Select(_)
                    | Kind::Relation(_)
            );
            if !plain || !(turn + nth).is_multiple_of(stride) {
                continue;
            }
            let path = field.path.replace('.', "__");
            let either = format!("OR:[{{{path}:{{exists:true}}}},{{{path}:{{exists:false}}}}]");
            aliases.insert(format!("w{nth}"), format!("{many}(limit:500,where:{{{either}}}){{docs{{id}}}}"));
            let never = Facts::never(caller, slug, class);
            let seen = |row: &Value| self.facts.sees(caller, slug, row, class);
            expected.insert(format!("w{nth}"), (!never).then(|| self.ids(caller, slug, seen)));
        }
        if aliases.is_empty() {
            return;
        }
        for (name, (value, error)) in self.operations(caller.name, "query", &aliases).await {
            let ids = |docs: &Value| -> BTreeSet<i64> {
                let docs = docs.as_array().unwrap();
                docs.iter().map(|doc| doc["id"].as_i64().unwrap()).collect()
            };
            let got = error.is_none().then(|| ids(&value["docs"]));
            let case = format!("{:?} {}", caller.name, aliases[&name]);
            let cases = expected[&name].as_ref().map_or(1, |ids| ids.len().max(1));
            self.same("graphql where", cases, &case, &expected[&name], &got);
            let status = error.map_or(200, |(status, _)| status);
            let model = if expected[&name].is_none() { 400 } else { 200 };
            self.same("graphql where", 1, &case, &model, &status);
        }
    }

    /// Rows that the caller may not change or delete: 403, as for rows that are not there.
    async fn refused_by_graphql(&mut self, caller: &Caller, slug: &'static str, turn: usize) {
        let (one, _) = names(slug);
        let line = rules(slug);
        let mut aliases = BTreeMap::new();
        let mut expected = BTreeMap::new();
        for (verb, data, update) in [("update", ",data:{}", true), ("delete", "", false)] {
            let right = if update { Verb::Update } else { Verb::Delete };
            if !self.collection(slug).access.opens(right) {
                // There is no such operation (`graphql::names`).
                continue;
            }
            let free = match if update { line.update } else { line.delete } {
                Rule::Author => false,
                rule => self.facts.writes(caller, slug, rule, &json!({})),
            };
            let mut ids = vec![(ABSENT, if free { 404 } else { 403 })];
            for (id, row) in self.facts.rows(slug) {
                let skipped = !(turn + usize::try_from(*id).unwrap()).is_multiple_of(self.every);
                if !skipped && !self.facts.may(caller, slug, update, row) {
                    ids.push((*id, 403));
                }
            }
            for (id, status) in ids {
                let name = format!("{verb}{id}");
                aliases.insert(name.clone(), format!("{verb}{one}(id:{id}{data}){{id}}"));
                expected.insert(name, status);
            }
        }
        for (name, (value, error)) in self.operations(caller.name, "mutation", &aliases).await {
            let case = format!("{:?} {}", caller.name, aliases[&name]);
            let got = (value, error.map(|(status, _)| status));
            let model = (Value::Null, Some(expected[&name]));
            self.same("graphql refused", 1, &case, &model, &got);
        }
    }
}
