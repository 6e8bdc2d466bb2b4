//! The law of refusals on the exchange: what is refused, only checked, or broken at any statement leaves the book bit
//! for bit as it was. Documents of every mapped type, by every way of intake. A batch is a resource of its own, which
//! stays with its answers even when none of its elements was taken.

use crate::ade::events::rows::types;
use crate::ade::full_syncs::course::{EVERYTHING, mapped};
use crate::ade::stage::{BATCH, FARM, OTHER, Stage, gone, weight};
use crate::support::fixture::number;
use crate::support::untouched::{Judge, RequestOutcome};
use serde_json::{Value, json};
use store::Dialect;

async fn post(s: &Stage, token: &str, path: &str, body: &Value) -> RequestOutcome {
    let (status, _, answer) = s.f.post(path, token, body.clone()).await;
    (status < 400, format!("{status} {answer}"))
}

/// A sale to an organisation that the book does not know, for which it creates one.
pub(super) fn sale(animal: i64) -> Value {
    let mut doc = weight(9, animal);
    doc["resourceType"] = "icarMovementDepartureEventResource".into();
    doc["departureKind"] = "Sale".into();
    doc.as_object_mut().unwrap().remove("weight");
    doc
}

/// Ways in which a document is not taken.
fn spoilt(doc: &Value) -> Vec<Value> {
    let changes: [fn(&mut Value); 5] = [
        |doc| doc["animal"]["id"] = "nobody".into(),
        |doc| doc["animal"]["id"] = number(21).into(),
        |doc| doc["meta"] = json!({"source": 5}),
        |doc| doc["eventDateTime"] = "2099-01-01T00:00:00Z".into(),
        |doc| doc["resourceType"] = "icarNoSuchResource".into(),
    ];
    (changes.iter())
        .map(|change| {
            let mut doc = doc.clone();
            change(&mut doc);
            doc
        })
        .collect()
}

async fn law(dialect: Dialect, every: usize, least: usize) {
    let Some(s) = Stage::one(dialect).await else {
        return;
    };
    types(&s).await;
    let mut judge = Judge::new(&s.f.book.store, s.f.url(), every).await;
    let push = format!("{EVERYTHING}/resources");
    let docs = mapped();
    for doc in &docs {
        let name = doc["resourceType"].as_str().unwrap();
        for bad in spoilt(doc) {
            let both = json!([doc, bad]);
            let asking = async || post(&s, &s.farm, &push, &both).await;
            judge.tried("push", name, &asking).await;
        }
        let alone = json!([doc]);
        let asking = async || post(&s, "", &push, &alone).await;
        judge.tried("push by nobody", name, &asking).await;
        let only = format!("{push}?validate=only");
        let answer = post(&s, &s.farm, &only, &alone).await;
        assert!(answer.0, "{name}: {}", answer.1);
        judge.looked("dry run", name, &answer).await;
        let asking = async || post(&s, &s.farm, &push, &alone).await;
        assert!(judge.broken("push", name, &asking).await, "{name}");
        let gone = gone(doc);
        let gone = json!([gone]);
        let asking = async || post(&s, &s.farm, &push, &gone).await;
        assert!(judge.broken("push of a deletion", name, &asking).await, "{name}");
    }
    let (weights, departures) = (format!("{FARM}/weights"), format!("{FARM}/departures"));
    let other = format!("{OTHER}/weights");
    for (path, doc) in [(&weights, weight(1, 11)), (&departures, sale(12))] {
        for bad in spoilt(&doc) {
            let asking = async || post(&s, &s.farm, path, &bad).await;
            judge.tried("single", path, &asking).await;
        }
        let only = format!("{path}?validate=only");
        let answer = post(&s, &s.farm, &only, &doc).await;
        judge.looked("dry run", path, &answer).await;
        let asking = async || post(&s, &s.farm, path, &doc).await;
        assert!(judge.broken("single", path, &asking).await, "{path}");
    }
    let asking = async || post(&s, &s.farm, &other, &weight(3, 21)).await;
    judge.tried("single, of others", &other, &asking).await;
    let mut mixed = vec![weight(4, 11), weight(5, 12)];
    mixed.extend(spoilt(&weight(6, 11)));
    let mixed: Value = mixed.into();
    let asking = async || post(&s, &s.farm, BATCH, &mixed).await;
    assert!(judge.broken("batch", BATCH, &asking).await);
    judge.conclude(least);
}

#[tokio::test]
async fn a_refused_or_broken_intake_leaves_no_trace_on_sqlite() {
    law(Dialect::Sqlite, test_support::one_of(23, 5), 120).await;
}

#[tokio::test]
async fn a_refused_or_broken_intake_leaves_no_trace_on_postgres() {
    law(Dialect::Postgres, test_support::one_of(97, 31), 100).await;
}
