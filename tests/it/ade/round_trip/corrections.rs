//! The law for documents that correct what is there: each member of them is read as it was sent, or
//! the answer names it (docs/exchange.md, *Corrections of animals*).

use super::{COWS, SOURCE, TOGETHER, equal, probes, severe};
use crate::ade::stage::{FARM, Stage};
use crate::support::fixture::number;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const SET: &str = "animals";
const TYPE: &str = "icarAnimalCoreResource";
const BATCH: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1/animals";

/// Members that name the document, and those that the server fills.
const APART: [&str; 4] = ["resourceType", "meta", "location", "@self"];

fn document(probe: &Value, key: usize, cow: i64) -> Value {
    let mut document = probe.clone();
    document["resourceType"] = TYPE.into();
    document["location"] = json!({"scheme": "org.herdbook.orgid", "id": "1"});
    document["identifier"] = json!({"scheme": "org.herdbook.animal", "id": number(cow)});
    if document["meta"].is_null() {
        document["meta"] = json!({});
    }
    document["meta"]["source"] = SOURCE.into();
    document["meta"]["sourceId"] = format!("a{key}").into();
    document["meta"]["modified"] = "2026-02-01T00:00:00Z".into();
    document
}

/// The animals of the location by their numbers.
async fn animals(s: &Stage) -> BTreeMap<String, Value> {
    let page = ask!(s.f, s.farm, "GET {FARM}/{SET}?pageSize=1000" => 200);
    let all = page["member"].as_array().unwrap().iter();
    all.map(|one| (one["identifier"]["id"].as_str().unwrap().to_owned(), one.clone())).collect()
}

async fn send(s: &Stage, documents: &[Value]) -> Vec<Value> {
    let results = ask!(s.f, s.farm, "POST {BATCH}", documents => 200);
    let all = results.as_array().unwrap().iter();
    all.map(|one| one["messages"].clone()).collect()
}

#[test_each(Stage::each())]
async fn what_corrects_is_read_as_it_was_sent_or_named(s: Stage) {
    s.f.cows((COWS..).take(TOGETHER), 1, &json!({})).await;
    // Some of them are verified.
    for cow in (COWS..).take(TOGETHER).step_by(3) {
        s.f.update(SET, cow, json!({"trustLevel": 3})).await;
    }
    let needed = [("specie", json!("Cattle")), ("gender", json!("Female"))];
    let (mut sent, mut refused, mut named, mut text) = (0, 0, 0, String::new());
    for piece in probes::of(TYPE, &needed).chunks(TOGETHER) {
        let cows = COWS..;
        let documents: Vec<Value> = (piece.iter().zip(cows).enumerate())
            .map(|(at, (probe, cow))| document(&probe.document, sent + at, cow))
            .collect();
        sent += piece.len();
        let answers = send(&s, &documents).await;
        let read = animals(&s).await;
        let second = send(&s, &documents).await;
        assert_eq!(animals(&s).await, read, "sent again");
        let all = piece.iter().zip(&documents).zip(answers.iter().zip(&second));
        for ((probe, document), (messages, second)) in all {
            if !severe(messages).is_empty() {
                writeln!(text, "refused {}: {messages}", probe.at).unwrap();
                refused += 1;
                continue;
            }
            assert_eq!(second[0]["type"], "unchanged", "{}: {second}", probe.at);
            let read = &read[document["identifier"]["id"].as_str().unwrap()];
            assert_eq!(ade::validate(TYPE, read), [], "{read}");
            let mut differs = false;
            for (name, value) in document.as_object().unwrap() {
                if APART.contains(&name.as_str()) || read.get(name).is_some_and(|r| equal(value, r)) {
                    continue;
                }
                differs = true;
                let at = format!("/{name}");
                for messages in [messages, second] {
                    let mut all = messages.as_array().unwrap().iter();
                    let is_reported = all.any(|m| {
                        let place = m["instance"].as_str().unwrap_or_default();
                        let severity = m["severity"].as_str();
                        let below = place == at || place.starts_with(&format!("{at}/"));
                        below && severity == Some("Warning")
                    });
                    assert!(is_reported, "{}: {at} is not named: {messages} {read}", probe.at);
                }
            }
            named += usize::from(differs);
        }
    }
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/exchange.md"));
    let sums = format!(
        "{sent} documents of animals: {} read as they were sent, {named} with members that the \
         answer names, {refused} refused",
        sent - named - refused,
    );
    assert!(page.unwrap().contains(&sums), "docs/exchange.md lacks: {sums}\n{text}");
}
