//! Writers during a schedule: users of the REST side and sending systems. Refusals are expected;
//! acknowledged writes are noted.

use super::draw::Draw;
use super::reader::read;
use super::stage::{Herd, Side, expert, head, number};
use exchange::{Delivery, IntakeOptions, State};
use feed_oracle::Key;
use model::error::Error;
use model::registry::{Collection, Principal, Verb};
use ops::{Item, Outcome, parse_body};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

/// The shared state of writers: rows to change, days to count, answers to remember.
#[derive(Default)]
pub(super) struct Shared {
    rows: Mutex<Vec<(&'static str, i64)>>,
    days: AtomicI64,
    /// The documents in the answers to writers.
    pub(super) answers: Mutex<Vec<(Key, Option<i128>)>>,
    /// Operations, and how many of them were done.
    pub(super) operations: AtomicI64,
    pub(super) done: AtomicI64,
    /// Errors that no schedule may cause.
    pub(super) faults: Mutex<Vec<String>>,
}

pub(super) struct Writer {
    pub(super) side: Side,
    pub(super) herd: Herd,
    pub(super) shared: Arc<Shared>,
    pub(super) draw: Draw,
}

type Write = (&'static str, Verb, i64, Value);

impl Writer {
    pub(super) async fn rest(mut self, jobs: usize) {
        for _ in 0..jobs {
            self.side.tick(&mut self.draw);
            let caller = self.caller();
            let writes: Vec<Write> = (0..1 + self.draw.below(3)).map(|_| self.some()).collect();
            self.together(caller, writes).await;
        }
    }

    fn caller(&mut self) -> Principal {
        let [first, second] = self.herd.farms();
        match self.draw.below(4) {
            0 => head(first),
            1 => head(second),
            2 => expert(),
            _ => Principal::system(),
        }
    }

    fn day(&self) -> String {
        let day = self.shared.days.fetch_add(1, Ordering::SeqCst);
        format!("2025-{:02}-{:02}", 1 + day / 28 % 12, 1 + day % 28)
    }

    fn some(&mut self) -> Write {
        let cow = self.herd.cow(self.draw.below(12));
        let day = self.day();
        match self.draw.below(16) {
            0 => ("milk-tests", Verb::Create, 0, json!({"animal": cow, "date": day, "milkYield": 31.5})),
            1 => ("weighings", Verb::Create, 0, json!({"animal": cow, "date": day, "weight": 540})),
            2 | 3 => {
                let bull = self.herd.bull();
                ("inseminations", Verb::Create, 0, json!({"animal": cow, "date": day, "bull": bull}))
            }
            4 => {
                let calves = if self.draw.once_in(2) { vec![self.herd.cow(self.draw.below(12))] } else { Vec::new() };
                ("calvings", Verb::Create, 0, json!({"animal": cow, "date": day, "calves": calves}))
            }
            5 | 6 => self.sale(cow, &day),
            7 => ("animals", Verb::Update, cow, json!({"name": format!("C{day}")})),
            8 => ("animals", Verb::Update, self.herd.bull(), json!({"name": format!("B{day}")})),
            9 => {
                let tail = 900_000 + self.draw.below(90_000);
                let fresh = number(i64::try_from(tail).unwrap());
                ("animals", Verb::Update, self.herd.bull(), json!({"identNumber": fresh}))
            }
            10 => {
                let farm = self.draw.of(&self.herd.farms());
                ("organizations", Verb::Update, farm, json!({"name": format!("F{farm} {day}")}))
            }
            _ => self.known(&day),
        }
    }

    fn sale(&mut self, cow: i64, day: &str) -> Write {
        let to = self.draw.of(&self.herd.farms());
        let body = json!({"animal": cow, "date": day, "kind": "sale", "to": to});
        ("movements", Verb::Create, 0, body)
    }

    /// A change of a row that some writer made.
    fn known(&mut self, day: &str) -> Write {
        let rows = self.shared.rows.lock().unwrap().clone();
        if rows.is_empty() {
            let cow = self.herd.cow(0);
            return ("weighings", Verb::Create, 0, json!({"animal": cow, "date": day, "weight": 500}));
        }
        let (slug, id) = self.draw.of(&rows);
        if self.draw.once_in(3) {
            return (slug, Verb::Delete, id, json!({}));
        }
        let n = self.draw.below(40);
        let body = match slug {
            "milk-tests" => json!({"milkYield": n}),
            "weighings" => json!({"weight": 400 + n}),
            "inseminations" if n < 20 => json!({"pregnancyCheckDate": "2025-12-28"}),
            "inseminations" if n < 30 => json!({"pregnancyCheckDate": null}),
            "inseminations" => json!({"bull": null, "bullText": "Away"}),
            "calvings" if n < 15 => json!({"eventType": "abortion"}),
            "calvings" if n < 25 => json!({"eventType": "calving"}),
            "calvings" => json!({"calves": [self.herd.cow(n)]}),
            _ => json!({"note": format!("n{n}")}),
        };
        (slug, Verb::Update, id, body)
    }

    /// Writes in one transaction: each by itself, or one after another in one job.
    async fn together(&mut self, caller: Principal, mut writes: Vec<Write>) {
        if self.draw.once_in(5) {
            // An animal that is sold twice, and comes back, in one transaction.
            let cow = self.herd.cow(self.draw.below(12));
            let [first, second] = self.herd.farms();
            for to in [second, first, second] {
                let body = json!({"animal": cow, "date": self.day(), "kind": "sale", "to": to});
                writes.push(("movements", Verb::Create, 0, body));
            }
        }
        self.shared.operations.fetch_add(i64::try_from(writes.len()).unwrap(), Ordering::SeqCst);
        let abandon = self.draw.once_in(10);
        let passing = self.draw.once_in(4);
        let herd = self.herd;
        let caller = Arc::new(caller);
        let registry = self.side.book.registry;
        let writes: Vec<(&'static Collection, Item)> = (writes.into_iter())
            .map(|(slug, verb, id, body)| {
                let c = registry.get(slug).unwrap();
                (c, item(c, verb, id, &body))
            })
            .collect();
        let done = self.side.book.transact(move |work| {
            Box::pin(async move {
                let mut made = Vec::new();
                for (c, item) in writes {
                    let verb = item.verb;
                    for outcome in work.write(c, &caller, vec![item]).await? {
                        match outcome {
                            Outcome::Done(change, _) => made.push((c.slug, change.id, verb)),
                            Outcome::Unchanged(..) | Outcome::Refused(_) => {}
                        }
                    }
                }
                if passing {
                    brief(work, registry.get("weighings").unwrap(), herd.cow(3)).await?;
                }
                if abandon {
                    return Err(Error::NotFound);
                }
                Ok(made)
            })
        });
        match done.await {
            Ok(made) => self.note(made),
            Err(Error::NotFound) if abandon => {}
            Err(error) => self.fault(format!("a job failed: {error:?}")),
        }
    }

    fn note(&self, made: Vec<(&'static str, i64, Verb)>) {
        self.shared.done.fetch_add(i64::try_from(made.len()).unwrap(), Ordering::SeqCst);
        let mut rows = self.shared.rows.lock().unwrap();
        for (slug, id, verb) in made {
            let lasting = ["animals", "organizations"].contains(&slug);
            match verb {
                Verb::Create if !lasting => rows.push((slug, id)),
                Verb::Delete => rows.retain(|r| *r != (slug, id)),
                _ => {}
            }
        }
    }

    fn fault(&self, text: String) {
        self.shared.faults.lock().unwrap().push(text);
    }

    pub(super) async fn sends(mut self, batches: usize) {
        for _ in 0..batches {
            self.side.tick(&mut self.draw);
            let at = self.draw.below(2);
            let location = self.herd.farms()[at];
            let count = 1 + self.draw.below(5);
            let deliveries: Vec<Delivery> = (0..count).map(|_| self.document(location)).collect();
            self.shared.operations.fetch_add(i64::try_from(count).unwrap(), Ordering::SeqCst);
            let atomic = self.draw.once_in(6);
            let caller = Arc::new(if self.draw.once_in(3) { expert() } else { head(location) });
            let delivered = self.side.exchange.intake().deliver(
                &self.side.book,
                caller,
                deliveries,
                IntakeOptions { atomic, ..IntakeOptions::default() },
            );
            match delivered.await {
                Ok(answers) => {
                    for answer in answers {
                        if matches!(answer.state, State::Rejected) {
                            continue;
                        }
                        self.shared.done.fetch_add(1, Ordering::SeqCst);
                        let body = answer.body.filter(|_| answer.state != State::Deleted);
                        if let Some(written) = body.map(|b| read(&b)) {
                            let written = (written.key, written.state.modified);
                            self.shared.answers.lock().unwrap().push(written);
                        }
                    }
                }
                Err(Error::Invalid(_) | Error::Forbidden(_)) if atomic => {}
                Err(error) => self.fault(format!("a batch failed: {error:?}")),
            }
        }
    }

    /// A document under one of few keys: new, repeated, changed, deleted or bad.
    fn document(&mut self, location: i64) -> Delivery {
        let cow = self.herd.cow(self.draw.below(12));
        let (dataset, resource) = self.draw.of(&[
            ("weights", "icarWeightEventResource"),
            ("weights", "icarWeightEventResource"),
            ("test-day-results", "icarTestDayResultEventResource"),
            ("inseminations", "icarReproInseminationEventResource"),
            ("inseminations", "icarReproInseminationEventResource"),
            ("pregnancy-checks", "icarReproPregnancyCheckEventResource"),
            ("parturitions", "icarReproParturitionEventResource"),
            ("departures", "icarMovementDepartureEventResource"),
        ]);
        let key = self.draw.below(4);
        let mut doc = json!({
            "resourceType": resource,
            "meta": {"source": "farm.example", "sourceId": format!("k{key}"), "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.herdbook.animal", "id": number(cow)},
            "eventDateTime": format!("{}T00:00:00Z", self.day()),
        });
        let n = self.draw.below(3);
        match dataset {
            "weights" => doc["weight"] = json!({"measurement": 500 + n, "units": "KGM"}),
            "test-day-results" => doc["milkWeight24Hours"] = json!({"measurement": 20 + n, "units": "KGM"}),
            "inseminations" => {
                doc["inseminationType"] = "Insemination".into();
                doc["sireIdentifiers"] = json!([{"scheme": "org.herdbook.animal", "id": number(self.herd.bull())}]);
            }
            "pregnancy-checks" => doc["eventDateTime"] = "2026-01-20T00:00:00Z".into(),
            "departures" => {
                let to = self.draw.of(&self.herd.farms()).to_string();
                doc["departureKind"] = "Sale".into();
                doc["consignment"] = json!({"destinationLocation": {"scheme": "org.herdbook.orgid", "id": to}});
            }
            _ => {}
        }
        match self.draw.below(10) {
            0 | 1 => doc["meta"]["isDeleted"] = true.into(),
            2 => doc["eventDateTime"] = "yesterday".into(),
            3 => doc["x-sender"] = json!({"n": n}),
            _ => {}
        }
        Delivery { dataset: dataset.to_owned(), location, doc, sent: None }
    }
}

/// A row that comes and goes in one transaction.
async fn brief(work: &mut ops::WriteTransaction<'_>, c: &'static Collection, cow: i64) -> model::error::Result<()> {
    let system = Arc::new(Principal::system());
    let body = json!({"animal": cow, "date": "2025-06-01", "weight": 1});
    let made = work.write(c, &system, vec![item(c, Verb::Create, 0, &body)]).await?;
    for outcome in made {
        if let Outcome::Done(change, _) = outcome {
            work.write(c, &system, vec![Item::delete(change.id)]).await?;
        }
    }
    Ok(())
}

fn item(c: &'static Collection, verb: Verb, id: i64, body: &Value) -> Item {
    let empty = Map::new();
    let (values, issues) = parse_body(c, body.as_object().unwrap_or(&empty), None);
    match verb {
        Verb::Create => Item::create(values).with_issues(issues),
        Verb::Delete => Item::delete(id),
        _ => Item::update(id, values).with_issues(issues),
    }
}
