//! Seeds collections that are offered and empty, so that filters can be checked where writing is
//! allowed. The documents are deleted at the end of the visit.

use std::sync::Arc;

use ade::catalog::Verb;
use serde_json::{Value, json};
use url::Url;

use super::{Offer, Offered, Page, Visit, encoded};
use crate::client::{Ask, Exchange};
use crate::{clock, document};

/// The source of everything that the tester sends.
pub(crate) const SOURCE: &str = "org.ade-conformance";

/// A collection, and the members of its documents; each gets the number of the document and the noon of its day.
type Seed = (&'static str, fn(usize, &str) -> Value);

const SEEDS: [Seed; 5] = [
    ("attention-events", |n, noon| {
        let category = ["Health", "Weight"].get(n % 2);
        json!({"eventDateTime": noon, "category": category, "causes": ["Lameness"]})
    }),
    ("remarks", |n, noon| json!({"eventDateTime": noon, "note": format!("ade-conformance {n}")})),
    ("observation-summary-metrics", |n, noon| {
        let metric = ["LyingTime", "StepCount"].get(n % 2);
        json!({"statistics": [{
            "metric": {"scheme": "org.icar.activities", "id": metric},
            "unit": "MIN",
            "aggregation": "Sum",
            "value": 600 + n,
            "startDateTime": noon,
            "duration": "P1D",
        }]})
    }),
    ("inventory-transactions", |n, noon| {
        let family = ["Fuel", "Milking Supplies"].get(n % 2);
        let product = format!("ade-conformance-{}", n % 2);
        json!({
            "eventDateTime": noon,
            "transactionKind": "Receipt",
            "quantity": 10 + n,
            "units": "LTR",
            "product": {
                "identifier": {"scheme": SOURCE, "id": product},
                "identifiers": [{"scheme": SOURCE, "id": product}],
                "family": family,
                "name": "ade-conformance",
            },
        })
    }),
    ("feed-reports", |_, noon| json!({"reportStartDateTime": noon, "reportEndDateTime": noon.replace("T12", "T18")})),
];

/// The documents of one collection, and where they were sent.
pub(crate) struct Seeded {
    url: Url,
    verb: Option<Verb>,
    documents: Vec<Value>,
    /// Whether the server took them.
    taken: bool,
}

impl Visit<'_> {
    /// Sends six documents to each such collection.
    pub(crate) async fn seed_all(&mut self) -> Vec<Seeded> {
        let mut all = Vec::new();
        self.progress.stage("Filling empty collections", u64::try_from(SEEDS.len()).ok());
        for (name, make) in SEEDS {
            self.progress.step(name);
            let seeded = self.seed_one(name, make).await;
            if let Some(seeded) = seeded {
                self.look_again(name).await;
                all.push(seeded);
            }
        }
        all
    }

    async fn seed_one(&self, name: &str, make: fn(usize, &str) -> Value) -> Option<Seeded> {
        let (entry, page) = self.pages().find(|(entry, _)| entry.name == name)?;
        if !page.members.is_empty() {
            return None;
        }
        let mut verbs = [Verb::Post, Verb::Batch].into_iter();
        let verb = verbs.find(|verb| entry.allows(*verb));
        let url = match verb {
            Some(Verb::Post) => self.collection(entry)?,
            Some(_) => {
                let batch = entry.batch_name()?;
                self.url(&format!("/batches{}/{batch}", self.place.as_ref()?.path()))
            }
            None => {
                let sets = self.sets();
                let set = sets.iter().find(|s| s.types.contains(&entry.resource))?;
                self.url(&format!("/datasets/{}/resources", encoded(&set.name)))
            }
        };
        let documents: Vec<Value> = (0..6).filter_map(|n| self.seed(&entry.resource, n, make)).collect();
        let mut seeded = Seeded { url, verb, documents, taken: false };
        // Refused documents are deleted as well: some servers store them all the same.
        seeded.taken = self.deliver(&seeded, &seeded.documents).await;
        Some(seeded)
    }

    /// One of the animals that are known, at noon some days ago.
    fn seed(&self, resource: &str, n: usize, make: fn(usize, &str) -> Value) -> Option<Value> {
        let now = clock::now();
        let days = i64::try_from(n).ok()? * 3 + 2;
        let day = now.as_second().div_euclid(86_400) - days;
        let noon = jiff::Timestamp::from_second(day * 86_400 + 43_200).ok()?;
        let mut one = make(n, &noon.to_string());
        let animals = self.page_of("animals")?;
        let animal = animals.members.iter().filter(|one| document::alive(one)).nth(n % 2)?;
        let place = self.place.as_ref()?;
        let members = one.as_object_mut()?;
        members.insert("resourceType".to_owned(), json!(resource));
        members.insert("location".to_owned(), place.identifier());
        members.insert("animal".to_owned(), animal.get("identifier")?.clone());
        let meta = json!({
            "source": SOURCE,
            "sourceId": format!("sown-{}-{n}", now.as_nanosecond()),
            "modified": clock::milliseconds(),
        });
        members.insert("meta".to_owned(), meta);
        ade::validate(resource, &one).is_empty().then_some(one)
    }

    async fn deliver(&self, seeded: &Seeded, documents: &[Value]) -> bool {
        let send = |body: Value| self.client.send(Ask::post(&seeded.url, &body));
        let fine = |e: &Arc<Exchange>| e.ok();
        match seeded.verb {
            Some(Verb::Post) => {
                let mut all = true;
                for one in documents {
                    all &= fine(&send(one.clone()).await);
                }
                all
            }
            Some(_) => fine(&send(Value::Array(documents.to_vec())).await),
            None => {
                let mut body = vec![json!({"id": "@context"})];
                body.extend(documents.iter().cloned());
                fine(&send(Value::Array(body)).await)
            }
        }
    }

    /// Reads the first page again.
    async fn look_again(&mut self, name: &str) {
        let Some(url) = self.page_of(name).map(|page| page.exchange.url.clone()) else {
            return;
        };
        let exchange = self.client.get(&url).await;
        if exchange.status != 200 {
            return;
        }
        let found = self.offered.iter_mut().find(|o| o.entry.name == name);
        if let Some(Offered { offer, .. }) = found {
            *offer = Offer::Yes(Page::read(exchange));
        }
    }

    /// Deletes all seeded documents.
    pub(crate) async fn remove_seeded(&self, all: Vec<Seeded>) {
        for seeded in all {
            let gone: Vec<Value> = seeded.documents.iter().map(document::retracted).collect();
            if !self.deliver(&seeded, &gone).await && seeded.taken {
                for one in &gone {
                    self.left_behind.add(document::name(one));
                }
            }
        }
    }
}
