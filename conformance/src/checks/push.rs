//! Documents sent to data sets.

use std::sync::Arc;

use serde_json::{Value, json};
use url::Url;

use super::sending::{REQUIRED, Sender};
use super::{Check, check};
use crate::client::{Ask, Exchange};
use crate::clock;
use crate::document::{self, changed, without};
use crate::tally::{Tally, require};
use crate::visit::Visit;

pub(super) static CHECKS: &[Check] = &[check!(all => "push.accepted", "push.listed", "push.atomic",
    "push.refusal-body", "push.repeat", "push.update", "push.tombstone", "push.no-context",
    "push.spelling", "push.full-sync-header", "push.location-unknown", "push.set-unknown",
    "push.not-json")];

/// The four members and isDeleted.
fn tombstone(one: &Value) -> Value {
    json!({
        "resourceType": one.get("resourceType"),
        "location": one.get("location"),
        "meta": {
            "source": one.pointer("/meta/source"),
            "sourceId": one.pointer("/meta/sourceId"),
            "isDeleted": true,
        },
    })
}

async fn all(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some((sender, set)) = Sender::with_set(v, t, "push").await else {
        return;
    };
    let [usual, written] = sender.push_urls(&set);
    let two = [sender.document(), sender.document()];
    let e = v.client.send(sender.push_ask(&usual, &two)).await;
    let (url, other, e) = if matches!(e.status, 404 | 405 | 501) {
        let second = v.client.send(sender.push_ask(&written, &two)).await;
        if matches!(second.status, 404 | 405 | 501) {
            sender.clean().await;
            return t.none_offered("pushing is not offered");
        }
        (written, usual, second)
    } else {
        (usual, written, e)
    };
    require!(t, "push.accepted", e.status == 200, Some(&e), "200"; found "status {}", e.status);
    for one in &two {
        let came = sender.comes(one).await;
        require!(t, "push.listed", came, Some(&e), "{} in the list", document::name(one); found "it is not");
    }
    states(t, &sender, &url, &two).await;
    atomic(t, &sender, &url).await;
    refusals(t, &sender, &url).await;
    tolerance(t, &sender, &url, &other).await;
    sender.clean().await;
}

async fn send(sender: &Sender<'_>, url: &Url, all: &[Value]) -> Arc<Exchange> {
    sender.visit.client.send(sender.push_ask(url, all)).await
}

async fn states(t: &mut Tally<'_>, sender: &Sender<'_>, url: &Url, two: &[Value; 2]) {
    let [first, second] = two;
    let repeat = send(sender, url, two).await;
    for one in two {
        let count = sender.listed(one).await.len();
        let fine = repeat.status == 200 && count <= 1;
        require!(t, "push.repeat", fine, Some(&repeat),
            "{} once", document::name(one); found "status {}, {count} times", repeat.status);
    }
    let number = sender.template.number;
    let new = changed(first, number, json!(449));
    let e = send(sender, url, std::slice::from_ref(&new)).await;
    let (listed, fine) = sender.corrected(&new, 449.0).await;
    require!(t, "push.update", fine, Some(&e), "one document with {number} 449";
        found "status {}, {}", e.status, sender.numbers(&listed));
    // Not remembered in this form: the cleanup needs the whole document.
    let body = json!([{"id": "@context"}, tombstone(first), tombstone(second)]);
    let e = sender.visit.client.send(Ask::post(url, &body)).await;
    for one in two {
        let went = e.status == 200 && sender.goes(one).await;
        require!(t, "push.tombstone", went, Some(&e),
            "{} in the list no more", document::name(one); found "status {}", e.status);
    }
}

async fn atomic(t: &mut Tally<'_>, sender: &Sender<'_>, url: &Url) {
    let good = sender.document();
    let bad = without(&sender.document(), REQUIRED);
    let e = send(sender, url, &[good.clone(), bad.clone()]).await;
    let stored = !sender.listed(&good).await.is_empty() || !sender.listed(&bad).await.is_empty();
    let more = match stored {
        true => ", and something is listed",
        false => "",
    };
    require!(t, "push.atomic", e.status != 200 && !stored, Some(&e),
        "a refusal, and nothing stored"; found "status {}{more}", e.status);
    if e.refused() {
        let body = e.json().is_some_and(|v| v.pointer("/errors/0").is_some());
        require!(t, "push.refusal-body", body, Some(&e), "an icarErrorCollection"; found "something else");
    }
}

async fn refusals(t: &mut Tally<'_>, sender: &Sender<'_>, url: &Url) {
    let v = sender.visit;
    let nowhere = v.place.as_ref().map(|place| place.unknown().identifier());
    let nowhere = nowhere.unwrap_or_default();
    let elsewhere = changed(&sender.document(), "/location", nowhere);
    let body = json!([{"id": "@context"}, elsewhere]);
    let e = v.client.send(Ask::post(url, &body)).await;
    require!(t, "push.location-unknown", e.refused(), Some(&e), "4xx"; found "status {}", e.status);
    for word in ["datasets", "dataset"] {
        let none = v.url(&format!("/{word}/ade-conformance-none/resources"));
        let body = json!([{"id": "@context"}, tombstone(&sender.document())]);
        let e = v.client.send(Ask::post(&none, &body)).await;
        require!(t, "push.set-unknown", e.refused(), Some(&e), "4xx"; found "status {}", e.status);
    }
    let ask = Ask::new("POST", url).text("application/json", "[{\"id\": \"@context\"}, {");
    let e = v.client.send(ask).await;
    require!(t, "push.not-json", e.refused(), Some(&e), "400"; found "status {}", e.status);
}

async fn tolerance(t: &mut Tally<'_>, sender: &Sender<'_>, url: &Url, other: &Url) {
    let v = sender.visit;
    let one = sender.document();
    // Documents that never existed can be deleted, without effect.
    let body = json!([tombstone(&one)]);
    let e = v.client.send(Ask::post(url, &body)).await;
    require!(t, "push.no-context", e.status == 200, Some(&e), "200"; found "status {}", e.status);
    let body = json!([{"id": "@context", "at": clock::milliseconds()}, tombstone(&one)]);
    let e = v.client.send(Ask::post(other, &body)).await;
    require!(t, "push.spelling", e.status == 200, Some(&e), "200 at {}", other.path(); found "status {}", e.status);
    let ask = Ask::post(url, &body).header("icar-full-sync", "true");
    let e = v.client.send(ask).await;
    require!(t, "push.full-sync-header", e.refused(), Some(&e), "400"; found "status {}", e.status);
}
