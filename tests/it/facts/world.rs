//! The book that histories come into: farms in several zones, and the animals.

use super::bodies::{day, marker};
use super::story::{BULLS, Story, ZONES};
use crate::support::book::NOW;
use crate::support::fixture::{Fixture, number};
use book_reference::{Curves, History};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A book with farms in several zones.
pub(super) struct World {
    pub(super) f: Fixture,
    /// The curves of the installation, and the same book without them.
    pub(super) curves: Option<Curves>,
    pub(super) straight: Option<Fixture>,
    /// Tokens of the farms.
    pub(super) farms: Vec<String>,
    /// An expert of the Association.
    pub(super) expert: String,
    /// An admin of the Association.
    pub(super) admin: String,
    next: i64,
}

/// An animal whose history comes in.
pub(super) struct Subject {
    pub(super) id: i64,
    pub(super) number: String,
    /// The place of its farm among the farms.
    pub(super) zone: usize,
    /// Rows that came as documents of the exchange.
    pub(super) exchanged: BTreeSet<usize>,
}

impl Subject {
    pub(super) fn farm(&self) -> usize {
        self.zone + 1
    }

    pub(super) fn location(&self) -> String {
        format!("/ade/v1/locations/org.herdbook.orgid/{}", self.farm())
    }
}

impl World {
    pub(super) async fn of(f: Fixture) -> Self {
        for (id, word) in [(1, "pregnant"), (2, "empty"), (3, "multiple"), (4, "unknown")] {
            f.fill("insemination-results", id, json!({"name": word, "code": word, "adeResult": word})).await;
        }
        for (id, code, word) in [(1, "1", "Insemination"), (3, "3", "Implantation")] {
            f.fill("reproduction-methods", id, json!({"name": word, "code": code, "adeType": word})).await;
        }
        let mut farms = Vec::new();
        for (id, (_, zone)) in (1..).zip(ZONES) {
            let data = json!({"name": format!("Farm {id}"), "presence": "registered", "timeZone": zone});
            f.fill("organizations", id, data).await;
            farms.push(f.user(id, "farmer", Some(id), "head").await);
        }
        for (id, ident) in (901..).zip(&BULLS[..2]) {
            let bull = json!({"identNumber": ident, "sex": "male", "birthDate": "2015-01-01", "owner": 1, "publicVisible": true});
            f.fill("animals", id, bull).await;
        }
        let expert = f.user(9, "expert", None, "head").await;
        let admin = f.user(10, "admin", None, "head").await;
        Self { f, curves: None, straight: None, farms, expert, admin, next: 1_000 }
    }

    /// The input of the reference.
    pub(super) fn history(&self, story: &Story) -> History {
        History { curves: self.curves.clone(), ..story.history(NOW) }
    }

    /// A new animal at the farm of a story.
    pub(super) async fn born(&mut self, story: &Story) -> Subject {
        self.next += 1;
        let number = number(self.next);
        let owner = story.zone + 1;
        let birth = day(story.birth);
        let body = json!({"identNumber": number, "sex": "female", "birthDate": birth, "owner": owner});
        let token = &self.farms[story.zone];
        let body = ask!(self.f, token, "POST /api/animals?depth=0", body => 201);
        Subject { id: body["doc"]["id"].as_i64().unwrap(), number, zone: story.zone, exchanged: BTreeSet::new() }
    }

    /// The id of a row that came.
    pub(super) async fn id_of(&self, subject: &Subject, slug: &str, at: usize) -> Result<i64, String> {
        let docs = self.rows(subject, slug).await;
        let own = docs.iter().find(|doc| marker(slug, doc).is_some_and(|name| name == format!("r{at}")));
        own.and_then(|doc| doc["id"].as_i64()).ok_or_else(|| format!("r{at} is not among {docs:?}"))
    }

    /// All rows of a collection about an animal.
    pub(super) async fn rows(&self, subject: &Subject, slug: &str) -> Vec<Value> {
        let path = format!("/api/{slug}?where[animal][equals]={}&limit=0&depth=0&sort=id", subject.id);
        let token = if slug == "check-findings" { &self.expert } else { &self.farms[subject.zone] };
        let page = ask!(self.f, token, "GET {path}" => 200);
        page["docs"].as_array().unwrap().clone()
    }
}

/// The curves of a file.
pub(super) fn curves(text: &str) -> Curves {
    let mut curves = Curves::default();
    for line in text.lines().skip(1) {
        let [parity, day, kg @ ..]: [&str; 5] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let parity: usize = parity.parse().unwrap();
        curves[parity - 1].push((day.parse().unwrap(), kg.map(|kg| kg.parse().unwrap())));
    }
    curves
}
