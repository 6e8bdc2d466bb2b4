//! The ways in of the exchange: lists of locations and feeds of data sets (docs/design/exchange.md, *Locations*): a
//! location is an organisation, a farm's own one for a farm, each for the Association; it holds the animals that it
//! owns, and their events regardless of the ownerOrg. Grants open none.

use super::oracle::{Caller, Kind};
use super::{ABSENT, Matrix, compared};
use crate::rest::stage::Answer;
use config::{Settings, Sources};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Data sets and the collections behind them, one document for each row.
const SETS: [(&str, &str); 3] = [("animals", "animals"), ("weights", "weighings"), ("test-day-results", "milk-tests")];

impl Matrix<'_> {
    pub(super) async fn exchange(&mut self) {
        let settings = Settings::load(&Sources::default()).unwrap();
        let exchange = cli::exchange(&settings).unwrap();
        exchange.projector().reproject(&self.stage.book, |_, _| {}).await.unwrap();
        for caller in self.callers.clone() {
            for (set, slug) in SETS {
                self.locations(&caller, set, slug).await;
                self.feed(&caller, set, slug).await;
            }
        }
    }

    async fn locations(&mut self, caller: &Caller, set: &str, slug: &'static str) {
        let list = |org: i64| format!("/ade/v1/locations/org.herdbook.orgid/{org}/{set}");
        let absent = self.get(caller.name, &list(ABSENT)).await;
        for org in 1..=13 {
            let path = list(org);
            let answer = self.get(caller.name, &path).await;
            let case = format!("{:?} {path}", caller.name);
            if opens(caller, org) {
                let expected = self.keys(set, slug, Some(org));
                let cases = expected.len().max(1);
                self.same("ADE list", cases, &case, &(200, expected), &self.members(set, slug, &answer));
            } else {
                let alike = |a: &Answer, id: i64| {
                    let (status, mut text, headers) = compared(a);
                    // Each error has an id of its own.
                    if let Some(own) = a.json()["errors"][0]["id"].as_str() {
                        text = text.replace(own, "");
                    }
                    let hide = |t: String| t.replace(&format!("/{id}"), "/N").replace(&format!("\"{id}\""), "N");
                    let headers: Vec<String> = headers.into_iter().map(hide).collect();
                    (status, hide(text), headers)
                };
                let (expected, got) = (alike(&absent, ABSENT), alike(&answer, org));
                self.same("ADE list", 1, &case, &expected, &got);
                let refused = if caller.kind == Kind::Anonymous { 401 } else { 404 };
                self.same("ADE list", 1, &case, &refused, &answer.status);
            }
        }
    }

    async fn feed(&mut self, caller: &Caller, set: &str, slug: &'static str) {
        let path = format!("/ade/v1/datasets/{set}/changes");
        let answer = self.get(caller.name, &path).await;
        let case = format!("{:?} {path}", caller.name);
        let expected = match caller.kind {
            Kind::Anonymous => (401, BTreeSet::new()),
            Kind::Association => (200, self.keys(set, slug, None)),
            Kind::Farm => (200, self.keys(set, slug, caller.my)),
        };
        let cases = self.facts.rows(slug).len();
        self.same("ADE feed", cases, &case, &expected, &self.members(set, slug, &answer));
    }

    /// Keys of the rows whose animal an organisation owns; of all rows.
    fn keys(&self, set: &str, slug: &'static str, org: Option<i64>) -> BTreeSet<String> {
        let owned = |row: &&Value| {
            let animal =
                if slug == "animals" { Some(*row) } else { self.facts.row("animals", row["animal"].as_i64().unwrap()) };
            org.is_none_or(|org| animal.unwrap()["owner"] == org)
        };
        let key = |row: &Value| match row["uuid"].as_str() {
            Some(uuid) => format!("{set}:{uuid}"),
            None => format!("{set}:{}", row["id"]),
        };
        self.facts.rows(slug).values().filter(owned).map(key).collect()
    }

    /// The keys of a list, or of a feed, which is an array. A row has the pair of its sender: here it represents ours.
    fn members(&self, set: &str, slug: &'static str, answer: &Answer) -> (u16, BTreeSet<String>) {
        let body = answer.json();
        let all = body.get("member").unwrap_or(&body).as_array().cloned().unwrap_or_default();
        let sent: BTreeMap<&str, i64> = (self.facts.rows(slug).iter())
            .filter_map(|(id, row)| Some((row["ade"]["sourceId"].as_str()?, *id)))
            .collect();
        let ours = |key: &str| match sent.get(key) {
            Some(id) => format!("{set}:{id}"),
            None => key.to_owned(),
        };
        let keys = all.iter().filter_map(|m| m["meta"]["sourceId"].as_str().map(ours));
        (answer.status, keys.collect())
    }
}

fn opens(caller: &Caller, org: i64) -> bool {
    caller.kind == Kind::Association || caller.my == Some(org)
}
