//! A small book of generated records: three per collection, related to each other, as
//! densely filled as requested. The same number makes the same book.

use crate::{Purpose, Reference, ReferenceResolver, Related};
use domain::collections::registry;
use model::record::{Record, Value};
use model::registry::{Collection, Field, Kind};
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Records per collection.
pub(super) const SIZE: i64 = 3;
const DAY: i64 = 86_400_000;

#[derive(Debug, Clone, Default)]
pub(super) struct World {
    pub records: BTreeMap<(String, i64), Record>,
}

impl World {
    pub(super) fn generate(seed: u64, density: f64) -> Self {
        let mut make = Maker { rng: ChaCha8Rng::seed_from_u64(seed), density };
        let mut world = Self::default();
        let read = super::compiled();
        let slugs: BTreeSet<&str> = (read.iter())
            .flat_map(|m| {
                let hops = m.relations().iter().map(|hop| hop.collection.as_str());
                hops.chain([m.collection()])
            })
            .chain(["technicians", "reproduction-methods", "semen-types"])
            .collect();
        for c in registry().unwrap().iter().filter(|c| slugs.contains(c.slug)) {
            for id in 1..=SIZE {
                let key = (c.slug.to_owned(), id);
                world.records.insert(key, make.record(c, id));
            }
        }
        world
    }

    pub(super) fn rows(&self, collection: &str) -> impl Iterator<Item = &Record> {
        (1..=SIZE).filter_map(move |id| self.get(collection, id))
    }
}

impl Related for World {
    fn get(&self, collection: &str, id: i64) -> Option<&Record> {
        self.records.get(&(collection.to_owned(), id))
    }

    fn pointing(&self, collection: &str, relation: &str, id: i64) -> Option<&Record> {
        let slot = registry().unwrap().get(collection)?.slot(relation)?;
        let mut all = self.records.iter().filter(|((c, _), _)| c == collection);
        let points = |r: &Record| r.get(slot).int() == Some(id) || r.get(slot).ids().contains(&id);
        all.find(|(_, r)| points(r)).map(|(_, r)| r)
    }
}

impl ReferenceResolver for World {
    fn id(&self, reference: &Reference) -> Option<i64> {
        let slot = registry().unwrap().get(&reference.collection)?.slot(&reference.field)?;
        let hits: Vec<i64> = (self.records.iter())
            .filter(|((c, _), r)| {
                *c == reference.collection
                    && match r.get(slot) {
                        Value::Int(i) => i.to_string() == reference.value,
                        value => value.text() == Some(&reference.value),
                    }
            })
            .map(|((_, id), _)| *id)
            .collect();
        match (hits.as_slice(), reference.purpose) {
            ([only], _) => Some(*only),
            ([first, ..], Purpose::Code) => Some(*first),
            _ => None,
        }
    }

    fn latest(&self, collection: &str, _: i64, _: i64) -> Option<i64> {
        self.get(collection, 1).map(|_| 1)
    }

    fn placeholder(&self) -> Option<i64> {
        Some(2)
    }

    fn location(&self) -> i64 {
        3
    }
}

struct Maker {
    rng: ChaCha8Rng,
    density: f64,
}

impl Maker {
    fn record(&mut self, c: &Collection, id: i64) -> Record {
        let mut record = Record::empty(c.width());
        for (slot, f) in c.fields.iter().enumerate() {
            let fill = f.required || f.default.is_some() || self.rng.random_bool(self.density);
            // Stored members and senders' pairs have tests of their own.
            let exchange = (["ade", "checkAde", "birthAde"].iter()).any(|name| f.path.starts_with(name))
                && !["adeSet", "adePurpose"].contains(&f.path.as_str());
            if fill && !exchange && f.stored() || matches!(f.kind, Kind::Relations(_)) {
                record.set(slot, self.value(c.slug, f, id));
            }
        }
        record.set(0, id);
        record.set(c.created_slot(), Value::Time(1_700_000_000_000 + id));
        if let (Some(bull), Some(text)) = (c.slot("bull"), c.slot("bullText"))
            && !record.get(bull).is_null()
        {
            record.set(text, Value::Null);
        }
        self.typed(c, &mut record, id);
        record
    }

    /// Words that belong together: the kind of each health event type is another one, the
    /// result of an event is one of its type.
    fn typed(&mut self, c: &Collection, record: &mut Record, id: i64) {
        if c.slug == "health-event-types" {
            let kinds = ["treatment", "diagnosis", "status"];
            record.set(c.at("kind"), kinds[usize::try_from(id - 1).unwrap() % 3]);
        }
        if c.slug == "insemination-results" {
            let results = ["pregnant", "multiple", "empty"];
            record.set(c.at("adeResult"), results[usize::try_from(id - 1).unwrap() % 3]);
        }
        if c.slug == "events" {
            let types = [
                ("heat", "earTag"),
                ("doNotBreed", ""),
                ("lactationStatus", "fresh"),
                ("reproStatus", "notPregnant"),
                ("pregnancyCheck", "multiple"),
            ];
            let (kind, result) = types[self.rng.random_range(0..types.len())];
            record.set(c.at("type"), kind);
            record.set(c.at("result"), Value::from(Some(result).filter(|r| !r.is_empty())));
            if self.rng.random_bool(0.8) {
                record.set(c.at("status"), "accepted");
            }
        }
    }

    fn value(&mut self, slug: &str, f: &Field, id: i64) -> Value {
        match &f.kind {
            Kind::Text(max) => Value::Text(self.text(slug, f, id, *max)),
            Kind::LongText | Kind::Email => Value::Text(self.text(slug, f, id, 80)),
            Kind::Password => Value::Null,
            Kind::Int => {
                let least = f.min.map_or(0, |n| n as i64);
                let most = f.max.map_or(least + 3, |n| n as i64);
                Value::Int(self.rng.random_range(least..=most))
            }
            Kind::Number => {
                let cents = self.rng.random_range(1..2500);
                Value::Num(f64::from(cents) / 100.0)
            }
            Kind::Day => Value::Time(self.rng.random_range(10_000..20_000) * DAY),
            Kind::Instant => Value::Time(self.rng.random_range(10_000 * DAY..20_000 * DAY)),
            Kind::Bool => Value::Bool(self.rng.random_bool(0.8)),
            Kind::Json => Value::json(json!({"a": 1})),
            Kind::Select(words) => Value::Text(self.word(words)),
            Kind::Selects(words) => Value::Texts(vec![self.word(words)]),
            Kind::Texts(max) => Value::Texts(vec![self.text(slug, f, id, *max)]),
            Kind::Relation(_) => Value::Int(self.rng.random_range(1..=SIZE)),
            Kind::Relations(_) => Value::Ids((1..=self.rng.random_range(0..=SIZE)).collect()),
            Kind::Rows(subs) => {
                let rows = self.rng.random_range(0..=3);
                Value::json(Json::Array((0..rows).map(|_| self.row(slug, subs, id)).collect()))
            }
        }
    }

    fn row(&mut self, slug: &str, subs: &[Field], id: i64) -> Json {
        let mut row = Map::new();
        for f in subs {
            if !(f.required || f.default.is_some() || self.rng.random_bool(self.density)) {
                continue;
            }
            let value = match self.value(slug, f, id) {
                Value::Text(t) => json!(t),
                Value::Int(i) => json!(i),
                Value::Num(n) => json!(n),
                Value::Bool(b) => json!(b),
                Value::Time(t) => json!(model::record::time::to_iso(t)),
                _ => continue,
            };
            row.insert(f.path.clone(), value);
        }
        Json::Object(row)
    }

    fn word(&mut self, words: &[String]) -> String {
        words[self.rng.random_range(0..words.len())].clone()
    }

    /// Texts that stand for codes of the standard carry such codes, also unknown ones.
    fn text(&mut self, slug: &str, f: &Field, id: i64, max: usize) -> String {
        let words = match f.path.as_str() {
            "adeReason" => "Age Sale Health NoSuchCode",
            "adeDeathReason" => "Age Unknown Disease NoSuchCode",
            "adeDeathMethod" => "Slaughter Lost NoSuchCode",
            "doseUnit" => "MLT GRM",
            "positions" => "udderFrontLeft neck",
            "altIds.chipNumber" => return format!("64300000000000{id}"),
            _ => {
                let text = format!("{id} \"{}\" ё{}", f.path, &slug[..3]);
                return text.chars().take(max).collect();
            }
        };
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        self.word(&words)
    }
}
