//! Single documents.

use ade::catalog::Verb;
use serde_json::{Value, json};

use super::sending::{REQUIRED, Sender};
use super::{Check, check};
use crate::client::{Ask, Exchange};
use crate::clock;
use crate::document::{self, changed, retracted, without};
use crate::tally::{Tally, require};
use crate::visit::{Page, Visit, with};

pub(super) static CHECKS: &[Check] = &[
    check!(life => "intake.single", "intake.answer", "intake.location-header",
        "intake.location-works", "intake.listed", "intake.content", "intake.unicode",
        "intake.instant", "intake.modified-found", "intake.modified-moves", "intake.repeat",
        "intake.update",
        "intake.replace", "intake.retract", "intake.retract-repeat", "intake.revive"),
    check!(refusals => "intake.invalid-missing", "intake.invalid-code", "intake.invalid-type",
        "intake.invalid-time", "intake.wrong-resource", "intake.unknown-members",
        "intake.location-unknown", "intake.not-json", "intake.media-type", "intake.array",
        "errors.place"),
];

async fn life(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = Sender::hire(v, t, Verb::Post, "single").await else {
        return;
    };
    t.skip_all("what was sent never came to be listed");
    taken(t, &sender).await;
    states(t, &sender).await;
    sender.clean().await;
}

async fn taken(t: &mut Tally<'_>, sender: &Sender<'_>) {
    let text = "Корова №7 – vache très âgée, 牛, 🐄 \"quoted\" \\ end";
    let original = changed(&sender.document(), "/remark", json!(text));
    let began = clock::now().as_nanosecond() - 2_000_000_000;
    let e = sender.post(&original).await;
    let fine = matches!(e.status, 200..=202);
    require!(t, "intake.single", fine, Some(&e), "200, 201 or 202"; found "status {}", e.status);
    answer(t, sender, &e, &original);
    if matches!(e.status, 201 | 202) {
        let location = e.header("location").map(str::to_owned);
        require!(t, "intake.location-header", location.is_some(), Some(&e), "Location"; found "none");
        let url = location.and_then(|link| sender.visit.link(&e, &link));
        if let Some(url) = url.filter(|url| sender.visit.ours(url)) {
            let there = sender.visit.client.get(&url).await;
            require!(t, "intake.location-works", there.ok(), Some(&there),
                "the document, or its state"; found "status {}", there.status);
        }
    } else {
        t.skip("intake.location-header", "documents are answered with 200");
        t.skip("intake.location-works", "documents are answered with 200");
    }
    let all = sender.until(&original, |all| !all.is_empty()).await;
    require!(t, "intake.listed", !all.is_empty(), Some(&e),
        "{} in the list", document::name(&original); found "it did not come");
    let Some(came) = all.first() else { return };
    let without_meta = |one: &Value| {
        let mut one = one.clone();
        if let Some(members) = one.as_object_mut() {
            for name in ["meta", "id", "remark"] {
                members.shift_remove(name);
            }
        }
        one
    };
    let lost = document::lost(&without_meta(&original), &without_meta(came));
    // A list that shows another pair cannot be matched with what was sent.
    let renamed = document::pair(&original) != document::pair(came);
    let lost = lost.or_else(|| renamed.then(|| "/meta/source or /meta/sourceId".to_owned()));
    sender.came_back(&original, came);
    require!(t, "intake.content", lost.is_none(), Some(&e),
        "what was sent"; found "another {}", lost.unwrap_or_default());
    match came.get("remark") {
        Some(remark) => {
            require!(t, "intake.unicode", remark == text, Some(&e), "{text}"; found "{remark}");
        }
        None => t.skip("intake.unicode", "the server keeps no remark"),
    }
    found(t, sender, &original, began).await;
    instant(t, sender).await;
}

/// The body of 200 is the document; 201 may have none, or the same.
fn answer(t: &mut Tally<'_>, sender: &Sender<'_>, e: &Exchange, original: &Value) {
    let came = e.json().filter(|one| matches!(e.status, 200 | 201) && document::text(one, "/resourceType").is_some());
    if let Some(came) = came {
        let faults = ade::validate(&sender.entry.resource, came);
        let same = document::pair(came) == document::pair(original);
        sender.came_back(original, came);
        let first = faults.first().map(ToString::to_string);
        require!(t, "intake.answer", first.is_none() && same, Some(e),
            "the document as stored, valid and under the pair that was sent";
            found "{}", first.unwrap_or_else(|| document::name(came)));
    } else if e.status == 200 {
        let found = if e.body.is_empty() { "no body" } else { "something else" };
        t.fail("intake.answer", Some(e), "the document as stored", found);
    }
}

/// Checks that a correction is found by a request for changes since a time.
fn moves(t: &mut Tally<'_>, e: &Exchange, before: Option<i128>, after: Option<i128>) {
    let (Some(before), Some(after)) = (before, after) else {
        return;
    };
    require!(t, "intake.modified-moves", after > before, Some(e),
        "modified after {}", clock::written(before); found "{}", clock::written(after));
}

async fn found(t: &mut Tally<'_>, sender: &Sender<'_>, original: &Value, began: i128) {
    let from = clock::written(began);
    let url = with(&sender.url(), &[("meta-modified-from", &from)]);
    let e = sender.visit.client.get(&url).await;
    let page = Page::read(e);
    let pair = document::pair(original);
    let there = page.members.iter().any(|one| document::pair(one) == pair);
    let more = page.link("next").is_some();
    require!(t, "intake.modified-found", there || more, Some(&page.exchange),
        "{} modified from {from}", document::name(original); found "it does not come");
}

async fn instant(t: &mut Tally<'_>, sender: &Sender<'_>) {
    let plain = sender.document();
    let Some(time) = document::time(&plain, "/eventDateTime") else {
        return;
    };
    let Some(local) = clock::shifted(time) else {
        return;
    };
    let mut original = changed(&plain, "/eventDateTime", json!(local));
    if let Some(start) = sender.template.start {
        original = changed(&original, &format!("/{start}"), json!(local));
    }
    let e = sender.post(&original).await;
    let pair = document::pair(&original);
    let of_pair = |all: &[Value]| all.iter().any(|one| document::pair(one) == pair);
    let all = sender.until(&original, of_pair).await;
    let came = all.iter().find(|one| document::pair(one) == pair);
    let same = came.and_then(|one| document::time(one, "/eventDateTime")) == Some(time);
    if let Some(came) = came {
        sender.came_back(&original, came);
    }
    let found = came.and_then(|one| document::text(one, "/eventDateTime"));
    require!(t, "intake.instant", e.ok() && same, Some(&e), "the instant of {local}";
        found "{}", found.map_or_else(|| format!("status {}", e.status), str::to_owned));
}

async fn states(t: &mut Tally<'_>, sender: &Sender<'_>) {
    let first = sender.document();
    sender.post(&first).await;
    if !sender.comes(&first).await {
        return;
    }
    let repeat = sender.post(&first).await;
    answer(t, sender, &repeat, &first);
    let all = sender.listed(&first).await;
    let before = all.first().and_then(document::modified);
    if before.is_some_and(|time| time % 1_000_000_000 == 0) {
        // A server that returns whole seconds needs one to pass.
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    }
    require!(t, "intake.repeat", repeat.ok() && all.len() == 1, Some(&repeat),
        "it once"; found "status {}, {} of it", repeat.status, all.len());
    let number = sender.template.number;
    let second = changed(&first, number, json!(437));
    let e2 = sender.post(&second).await;
    let (all, fine) = sender.corrected(&second, 437.0).await;
    answer(t, sender, &e2, &second);
    if fine {
        moves(t, &e2, before, all.first().and_then(document::modified));
    }
    if let [one] = all.as_slice() {
        sender.came_back(&second, one);
    }
    require!(t, "intake.update", fine, Some(&e2),
        "one document with {number} 437"; found "status {}, {} documents", e2.status, all.len());
    let third = without(&second, "/remark");
    let e3 = sender.post(&third).await;
    let gone = |all: &[Value]| all.iter().all(|one| one.get("remark").is_none());
    let all = sender.until(&third, gone).await;
    require!(t, "intake.replace", e3.ok() && gone(&all), Some(&e3), "no remark any more"; found "the old one");
    let e4 = sender.post(&retracted(&third)).await;
    let went = sender.goes(&third).await;
    require!(t, "intake.retract", e4.ok() && went, Some(&e4),
        "it in the list no more"; found "status {}, still there", e4.status);
    let e5 = sender.post(&retracted(&third)).await;
    require!(t, "intake.retract-repeat", e5.ok(), Some(&e5), "2xx"; found "status {}", e5.status);
    let back = changed(&first, number, json!(439));
    let e6 = sender.post(&back).await;
    let came = sender.comes(&back).await;
    require!(t, "intake.revive", e6.ok() && came, Some(&e6),
        "it in the list again"; found "status {}, not there", e6.status);
}

/// A document that must be refused, and not be listed afterwards.
async fn refused(
    t: &mut Tally<'_>,
    sender: &Sender<'_>,
    id: &'static str,
    one: &Value,
    words: &str,
) -> std::sync::Arc<Exchange> {
    let e = sender.post(one).await;
    let listed = if e.ok() { Vec::new() } else { sender.listed(one).await };
    let stored = match listed.is_empty() {
        true => "",
        false => ", and it is listed",
    };
    require!(t, id, e.refused() && listed.is_empty(), Some(&e),
        "4xx for {words}"; found "status {}{stored}", e.status);
    e
}

async fn refusals(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = Sender::hire(v, t, Verb::Post, "refused").await else {
        return;
    };
    let template = sender.template;
    let one = || sender.document();
    let missing = without(&one(), REQUIRED);
    let words = format!("a document without {REQUIRED}");
    let e = refused(t, &sender, "intake.invalid-missing", &missing, &words).await;
    if e.refused() {
        let name = REQUIRED.trim_start_matches('/');
        let says = String::from_utf8_lossy(&e.body).contains(name);
        require!(t, "errors.place", says, Some(&e), "{name} named in the refusal"; found "it is not");
    }
    for (id, pointer, value, words) in [
        ("intake.invalid-code", template.code, json!("AdeConformanceNone"), "an unknown code"),
        ("intake.invalid-type", template.number, json!("heavy"), "a text for a number"),
        ("intake.invalid-time", "/eventDateTime", json!("2024-03-01T08:00:00"), "a time without offset"),
        ("intake.wrong-resource", "/resourceType", json!("icarFeedResource"), "a document of another type"),
    ] {
        let spoilt = changed(&one(), pointer, value);
        refused(t, &sender, id, &spoilt, words).await;
    }
    let more = changed(&one(), "/adeConformanceMember", json!({"any": [1, "two", null]}));
    let e = sender.post(&more).await;
    require!(t, "intake.unknown-members", e.ok(), Some(&e), "2xx"; found "status {}", e.status);
    shapes(t, &sender).await;
    sender.clean().await;
}

async fn shapes(t: &mut Tally<'_>, sender: &Sender<'_>) {
    let v = sender.visit;
    let url = sender.url();
    let one = sender.document();
    if let Some(place) = &v.place {
        let path = format!("{}/{}", place.unknown().path(), sender.entry.name);
        let e = v.client.send(Ask::post(&v.url(&path), &one)).await;
        require!(t, "intake.location-unknown", e.refused(), Some(&e), "4xx"; found "status {}", e.status);
    }
    let cut = "{\"resourceType\": \"icarWeightEventResource\", \"animal\": {";
    let ask = Ask::new("POST", &url).text("application/json", cut);
    let e = v.client.send(ask).await;
    require!(t, "intake.not-json", e.refused(), Some(&e), "400"; found "status {}", e.status);
    let ask = Ask::new("POST", &url).text("text/plain", &one.to_string());
    let e = v.client.send(ask).await;
    require!(t, "intake.media-type", e.refused(), Some(&e), "415 or 400 for text/plain"; found "status {}", e.status);
    if e.ok() {
        sender.post(&retracted(&one)).await;
    }
    let other = sender.document();
    let e = v.client.send(Ask::post(&url, &json!([other]))).await;
    let as_batch = e.ok()
        && e.json().and_then(Value::as_array).is_some_and(|all| {
            let valid = |one| ade::validate("icarBatchResult", one).is_empty();
            all.len() == 1 && all.iter().all(valid)
        });
    require!(t, "intake.array", e.refused() || as_batch, Some(&e),
        "4xx for an array, or its results"; found "status {}", e.status);
    if e.ok() {
        sender.post(&retracted(&other)).await;
    }
}
