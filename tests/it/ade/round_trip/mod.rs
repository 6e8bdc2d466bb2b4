//! The law of the exchange: what is accepted comes back as it was sent, by every way of reading, or
//! the answer names the member and what is stored there instead (docs/exchange.md, *What comes
//! back*). Judges JSON as it came, without the types of the project.

mod corrections;
mod probes;

use super::reading::formats::{XML, get, send};
use super::stage::{FARM, Stage};
use crate::support::fixture::number;
use ade::catalog::{Catalog, Verb};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use store::Dialect;

/// Documents of one batch, each of a cow of its own.
const TOGETHER: usize = 120;
/// The first of these cows.
const COWS: i64 = 1_000;
/// The first of those of another farm, which everybody reads.
const ABROAD: i64 = 2_000;
/// The first of their calves, which one calving lists.
const CALVES: i64 = 3_000;
/// The cow that calved.
const DAM: i64 = 4_000;
/// Reasons of arrivals of own animals.
const HOME: [&str; 4] = ["InternalTransfer", "Imported", "StudServiceReturn", "ShowReturn"];
const SOURCE: &str = "probe.example";

/// The outcome of a probe.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Identical,
    /// Pointers that differ, all of them named.
    Named(String),
    /// Why it was refused.
    Refused(String),
    /// Pointers that differ and are not named.
    Broken(String),
}

/// Sorts numbers and members; leaves texts as they are.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Pointers of members of the resource and of its `meta` that differ.
fn differences(sent: &Value, read: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let (sent, read) = (sent.as_object().unwrap(), read.as_object().unwrap());
    for name in sent.keys().chain(read.keys().filter(|n| !sent.contains_key(*n))) {
        if ["id", "@self", "meta"].contains(&name.as_str()) {
            continue;
        }
        let same = sent.get(name).zip(read.get(name)).is_some_and(|(a, b)| equal(a, b));
        if !same {
            found.push(format!("/{name}"));
        }
    }
    let meta = |of: &serde_json::Map<String, Value>| {
        let mut meta = of["meta"].as_object().unwrap().clone();
        meta.retain(|name, _| name != "modified" && name != "created");
        meta
    };
    if !equal(&json!(meta(sent)), &json!(meta(read))) {
        found.push("/meta".to_owned());
    }
    found
}

/// The documents of a set by their keys, from a feed.
fn by_key(feed: &Value) -> BTreeMap<String, Value> {
    let all = feed.as_array().unwrap().iter();
    all.filter(|one| one["meta"]["source"] == SOURCE)
        .map(|one| {
            let key = one["meta"]["sourceId"].as_str().unwrap().to_owned();
            (key, one.clone())
        })
        .collect()
}

/// Members that the book requires besides those that the standard requires.
fn needed(set: &str) -> Vec<(&'static str, Value)> {
    let mut all = vec![("eventDateTime", json!("2026-01-20T05:06:07Z"))];
    all.extend(match set {
        "arrivals" => vec![("arrivalReason", json!("Purchase"))],
        "departures" => vec![("departureKind", json!("Sale"))],
        "diagnoses" => vec![("diagnoses", json!([{"name": "diagnosis"}]))],
        "test-day-results" => {
            let milk = json!({"value": 30.5, "unitCode": "KGM"});
            vec![("milkWeight24Hours", milk)]
        }
        "weights" => {
            let weight = json!({"measurement": 600.5, "units": "KGM"});
            vec![("weight", weight)]
        }
        _ => Vec::new(),
    });
    all
}

/// Whether documents of a type are about animals that come from elsewhere.
fn arrives(resource: &str) -> bool {
    resource == "icarMovementArrivalEventResource"
}

/// Calves that were born when the probes say so.
async fn calves(s: &Stage) {
    let ids: Vec<i64> = (CALVES..).take(TOGETHER).collect();
    s.f.cows(ids.clone(), 1, &json!({"birthDate": "2026-01-20"})).await;
    s.f.cow(DAM, 1).await;
    let calving = json!({"animal": DAM, "date": "2026-01-20", "calves": ids});
    s.f.fill("calvings", 1, calving).await;
}

/// Entries of dictionaries that mapped types need.
async fn dictionaries(s: &Stage) {
    for (id, word) in [(1, "pregnant"), (2, "empty")] {
        let entry = json!({"name": word, "code": word, "adeResult": word});
        s.f.fill("insemination-results", id, entry).await;
    }
    for (id, kind) in [(1, "diagnosis"), (2, "treatment"), (3, "status")] {
        let entry = json!({"name": kind, "code": kind, "kind": kind});
        s.f.fill("health-event-types", id, entry).await;
    }
}

struct Law<'s> {
    s: &'s Stage,
    /// Of so many probes one is tried. Databases differ in few kinds of columns.
    share: usize,
    /// Probes sent so far: keys are never used again.
    sent: usize,
    /// Data set, member, outcome.
    outcomes: Vec<(String, String, Outcome)>,
}

impl Law<'_> {
    /// The end of a feed.
    async fn token(&self, set: &str) -> String {
        let feed = ask!(self.s.f, self.s.farm, "GET /ade/v1/datasets/{set}/changes?from=now" => 200);
        let end = feed.as_array().unwrap().last().unwrap();
        end["token"].as_str().unwrap().to_owned()
    }

    async fn since(&self, set: &str, token: &str) -> BTreeMap<String, Value> {
        by_key(&ask!(self.s.f, self.s.farm, "GET /ade/v1/datasets/{set}/changes?limit=1000&since={token}" => 200))
    }

    /// Tries the probes of a data set.
    async fn data_set(&mut self, name: &str, resource: &str) {
        let probes = probes::of(resource, &needed(name)).into_iter();
        let probes: Vec<probes::Probe> = probes.step_by(self.share).collect();
        for piece in probes.chunks(TOGETHER) {
            let documents: Vec<Value> =
                (piece.iter().enumerate()).map(|(at, probe)| self.document(resource, &probe.document, at)).collect();
            self.sent += piece.len();
            let token = self.token(name).await;
            let everything = self.token("everything").await;
            let messages = self.send(name, &documents).await;
            let in_set = self.since(name, &token).await;
            let in_all = self.since("everything", &everything).await;
            let second = self.send(name, &documents).await;
            let sent_again = self.since(name, &token).await;
            let answers = messages.iter().zip(&second);
            for ((probe, document), (messages, second)) in piece.iter().zip(&documents).zip(answers) {
                let key = document["meta"]["sourceId"].as_str().unwrap();
                let mut outcome = judge(document, messages, in_set.get(key), in_all.get(key));
                // A push has messages for refused elements only.
                let stands = second.get(0).is_none_or(|m| m["type"] == "unchanged");
                let same = sent_again.get(key) == in_set.get(key);
                let accepted = !matches!(outcome, Outcome::Refused(_));
                if accepted && (!stands || !same) {
                    outcome = Outcome::Broken(format!("changed when it was sent again: {second}"));
                }
                self.outcomes.push((name.to_owned(), probe.at.clone(), outcome));
            }
            self.retract(name, &documents).await;
        }
    }

    /// A probe of its own cow under a key of its own.
    fn document(&self, resource: &str, probe: &Value, at: usize) -> Value {
        let mut document = probe.clone();
        let reason = probe["arrivalReason"].as_str();
        let first = match reason.is_some_and(|reason| !HOME.contains(&reason)) && arrives(resource) {
            true => ABROAD,
            false if resource == "icarMovementBirthEventResource" => CALVES,
            false => COWS,
        };
        let cow = first + i64::try_from(at).unwrap();
        document["resourceType"] = resource.into();
        document["location"] = json!({"scheme": "org.herdbook.orgid", "id": "1"});
        let names = ade::schema::Standard::get().members(resource).unwrap();
        let animal = |cow: i64| json!({"scheme": "org.herdbook.animal", "id": number(cow)});
        if names.iter().any(|m| m.name == "animal") {
            document["animal"] = animal(cow);
        }
        if names.iter().any(|m| m.name == "member") {
            document["member"] = match at {
                0 => json!([animal(cow + 1), animal(cow)]),
                1 => json!([]),
                _ => json!([animal(cow), animal(COWS)]),
            };
        }
        if document["meta"].is_null() {
            document["meta"] = json!({});
        }
        let meta = document["meta"].as_object_mut().unwrap();
        meta.insert("source".into(), SOURCE.into());
        meta.insert("sourceId".into(), format!("p{}", self.sent + at).into());
        meta.insert("modified".into(), "2026-02-01T00:00:00Z".into());
        document
    }

    /// Sends documents by a batch, or each by a push where there are none; the messages of each.
    async fn send(&self, name: &str, documents: &[Value]) -> Vec<Value> {
        let entry = Catalog::get().collection(name).unwrap();
        if let Some(path) = entry.batch_name() {
            let path = format!("/ade/v1/batches/locations/org.herdbook.orgid/1/{path}");
            let body = Value::Array(documents.to_vec());
            let results = ask!(self.s.f, self.s.farm, "POST {path}", body => 200, "{name}");
            let results = results.as_array().unwrap().iter();
            return results.map(|one| one["messages"].clone()).collect();
        }
        let mut all = Vec::new();
        for document in documents {
            let path = format!("/ade/v1/datasets/{name}/resources");
            let body = json!([document]);
            let (status, _, answer) = self.s.f.post(&path, &self.s.farm, body).await;
            all.push(match status {
                200 => json!([]),
                _ => {
                    let mut errors = answer["errors"].clone();
                    for error in errors.as_array_mut().unwrap() {
                        error["severity"] = "Error".into();
                    }
                    errors
                }
            });
        }
        all
    }

    /// Sends the smallest document of a type and one with all its members by each form, and reads
    /// them at their address and in their list.
    async fn forms(&mut self, name: &str, resource: &str) {
        let entry = Catalog::get().collection(name).unwrap();
        if !entry.allows(Verb::Post) {
            return;
        }
        let all = probes::of(resource, &needed(name));
        let mut largest = all[0].document.clone();
        for probe in all.iter().filter(|p| !p.at.contains(['.', '=', '#', '['])) {
            for (member, value) in probe.document.as_object().unwrap() {
                largest[member.as_str()] = value.clone();
            }
        }
        let list = format!("{FARM}/{}", entry.name);
        for smallest in [&all[0].document, &largest] {
            for form in ["json", "xml", "push"] {
                let document = self.document(resource, smallest, 0);
                self.sent += 1;
                let kind = if form == "xml" { XML } else { "application/json" };
                let (path, body) = match form {
                    "json" => (list.clone(), document.to_string()),
                    "xml" => (list.clone(), ade::xml::write(&document, resource)),
                    _ => {
                        let path = format!("/ade/v1/datasets/{name}/resources");
                        (path, json!([document]).to_string())
                    }
                };
                let token = self.token(name).await;
                let answer = send(self.s, &path, kind, &body).await;
                assert!(answer.status < 300, "{name} by {form}: {}", answer.text);
                let key = document["meta"]["sourceId"].as_str().unwrap();
                let read = self.since(name, &token).await[key].clone();
                let at = (name, form);
                assert_eq!(differences(&document, &read), Vec::<String>::new(), "{at:?}: {read}");
                if let Some(id) = read["id"].as_str().filter(|_| form != "push") {
                    let at = answer.header("location").to_owned();
                    let last = at.rsplit('/').next().unwrap();
                    assert!(!last.contains(':'), "{name} {id}: {at}");
                    let at = at.split_once("book.example").map_or(at.as_str(), |(_, at)| at);
                    let (status, found) = self.s.get(at).await;
                    assert_eq!((status, &found), (200, &read), "{name} {id}");
                    let written = get(self.s, at, XML).await.document(resource);
                    assert!(equal(&written, &read), "{name} {id}: {written} {read}");
                    if form == "json" {
                        let made = answer.json();
                        assert_eq!((answer.status, &made), (201, &read), "{name} {id}");
                        assert_eq!(ade::validate(resource, &made), [], "{name} {id}: {made}");
                        let again = send(self.s, &path, kind, &body).await;
                        assert_eq!((again.status, again.json()), (200, made), "{name} {id}");
                    }
                }
                if entry.required.is_empty() {
                    let (_, page) = self.s.get(&format!("{list}?pageSize=1000")).await;
                    let member = page["member"].as_array().unwrap();
                    assert!(member.contains(&read), "{at:?}: {page}");
                }
                self.retract(name, &[document]).await;
            }
        }
    }

    /// Retracts documents, so that the next ones find their cows unchanged.
    async fn retract(&self, name: &str, documents: &[Value]) {
        let gone: Vec<Value> = (documents.iter())
            .map(|document| {
                let mut gone = json!({
                    "resourceType": document["resourceType"], "location": document["location"],
                    "meta": document["meta"],
                });
                gone["meta"]["isDeleted"] = true.into();
                gone["meta"]["modified"] = "2026-02-02T00:00:00Z".into();
                gone
            })
            .collect();
        for messages in self.send(name, &gone).await {
            let refused = severe(&messages);
            assert_eq!(refused, Vec::<&Value>::new(), "{name}: not retracted");
        }
    }
}

fn severe(messages: &Value) -> Vec<&Value> {
    let all = messages.as_array().unwrap().iter();
    all.filter(|m| m["severity"] == "Error").collect()
}

/// The outcome of a document, by the answer and by its states in both feeds.
fn judge(sent: &Value, messages: &Value, in_set: Option<&Value>, in_all: Option<&Value>) -> Outcome {
    if let Some(error) = severe(messages).first() {
        let word = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        return Outcome::Refused(format!("{} {}", word("type"), word("instance")));
    }
    let Some(read) = in_set else {
        return Outcome::Broken("is not served".to_owned());
    };
    if in_all != Some(read) {
        return Outcome::Broken("reads otherwise in everything".to_owned());
    }
    let faults = ade::validate(sent["resourceType"].as_str().unwrap(), read);
    if !faults.is_empty() {
        return Outcome::Broken(format!("is invalid: {faults:?}"));
    }
    let found = differences(sent, read);
    if found.is_empty() {
        return Outcome::Identical;
    }
    let named = |at: &String| {
        let all = messages.as_array().unwrap().iter();
        let mut all = all.filter(|m| m["type"] == "stored-otherwise");
        all.any(|m| m["instance"] == at.as_str())
    };
    let (named, unnamed): (Vec<String>, Vec<String>) = found.into_iter().partition(named);
    if unnamed.is_empty() {
        return Outcome::Named(named.join(" "));
    }
    let mut text = String::new();
    for at in unnamed {
        let (sent, read) = (sent.pointer(&at), read.pointer(&at));
        let show = |value: Option<&Value>| value.map_or("-".to_owned(), Value::to_string);
        write!(text, "{at}: {} -> {}; ", show(sent), show(read)).unwrap();
    }
    Outcome::Broken(text)
}

/// The sums of a report, as docs/exchange.md has them.
fn sums(outcomes: &[(String, String, Outcome)]) -> String {
    let sets: BTreeSet<&str> = outcomes.iter().map(|(set, ..)| set.as_str()).collect();
    let codes = outcomes.iter().filter(|(_, at, _)| at.contains('='));
    let [mut identical, mut named, mut refused] = [0; 3];
    for (.., outcome) in outcomes {
        match outcome {
            Outcome::Identical => identical += 1,
            Outcome::Named(_) => named += 1,
            Outcome::Refused(_) => refused += 1,
            Outcome::Broken(_) => {}
        }
    }
    format!(
        "{} data sets, {} documents, {} of them with one code of a code list each: {identical} \
         identical, {named} with a difference that the answer names, {refused} refused",
        sets.len(),
        outcomes.len(),
        codes.count()
    )
}

/// Counts by data set, then the named differences and refusals.
fn report(outcomes: &[(String, String, Outcome)]) -> String {
    let mut sets: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut rest = String::new();
    for (set, at, outcome) in outcomes {
        let counts = sets.entry(set).or_default();
        let at = if at.is_empty() { "(smallest)" } else { at };
        match outcome {
            Outcome::Identical => counts[0] += 1,
            Outcome::Named(what) => {
                counts[1] += 1;
                writeln!(rest, "named    {set} {at}: {what}").unwrap();
            }
            Outcome::Refused(why) => {
                counts[2] += 1;
                writeln!(rest, "refused  {set} {at}: {why}").unwrap();
            }
            Outcome::Broken(how) => writeln!(rest, "BROKEN   {set} {at}: {how}").unwrap(),
        }
    }
    let mut text = String::from("data set: identical, named, refused\n");
    for (set, [identical, named, refused]) in sets {
        writeln!(text, "{set}: {identical}, {named}, {refused}").unwrap();
    }
    text.push('\n');
    text.push_str(&rest);
    text
}

#[tokio::test]
async fn what_is_accepted_comes_back_as_it_was_sent() {
    for s in Stage::each().await {
        s.f.cows((COWS..).take(TOGETHER), 1, &json!({})).await;
        s.f.cows((ABROAD..).take(TOGETHER), 2, &json!({"publicVisible": true})).await;
        calves(&s).await;
        dictionaries(&s).await;
        let all = json!({"activities": ["classifier", "evaluationCentre"]});
        s.f.update("organizations", 1, all).await;
        let mut law = Law {
            s: &s,
            share: match s.f.book.store.dialect() {
                Dialect::Sqlite => 1,
                Dialect::Postgres => test_support::one_of(5, 5),
            },
            sent: 0,
            outcomes: Vec::new(),
        };
        let mut done: Vec<&str> = Vec::new();
        let mappings = s.f.exchange.rules().mappings();
        for mapping in mappings.all().filter(|m| m.can_push() && m.element().is_none() && m.corrections().is_none()) {
            let name = mapping.dataset();
            if !done.contains(&name) {
                done.push(name);
                law.data_set(name, mapping.resource()).await;
                law.forms(name, mapping.resource()).await;
            }
        }
        let text = report(&law.outcomes);
        if let Ok(file) = std::env::var("HERDBOOK_PROBES") {
            std::fs::write(file, &text).unwrap();
        }
        let broken = law.outcomes.iter();
        let broken = broken.filter(|(.., outcome)| matches!(outcome, Outcome::Broken(_)));
        assert_eq!(broken.count(), 0, "{text}");
        if law.share > 1 {
            continue;
        }
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/exchange.md"));
        let (page, sums) = (page.unwrap(), sums(&law.outcomes));
        assert!(page.contains(&sums), "docs/exchange.md lacks: {sums}");
    }
}
