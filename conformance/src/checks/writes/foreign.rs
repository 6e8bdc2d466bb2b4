//! Documents sent to a location of another account, or with a location other than that of the path.

use std::time::Duration;

use ade::catalog::Verb;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::checks::intake::none;
use crate::checks::sending::{NOT_ALLOWED, Sender, changed, retracted};
use crate::client::{Ask, Who};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Page, Place, Visit};

/// The number of locations that are read to find one with an animal.
const LOOKED_AT: usize = 8;

/// Locations of a list.
fn places(list: &Page) -> Vec<Place> {
    let named = list.members.iter();
    named
        .filter_map(|one| document::identifier(one, "/identifier"))
        .map(|(scheme, id)| Place { scheme, id })
        .collect()
}

/// The same document about an animal of another location.
async fn moved(v: &Visit<'_>, one: &Value, place: &Place) -> Option<Value> {
    let url = v.url(&format!("{}/animals", place.path()));
    let page = Page::read(v.client.get(&url).await);
    let alive = |one: &&Value| one.get("status").is_none_or(|s| s == "Alive");
    let animal = page.members.iter().find(alive)?.get("identifier")?.clone();
    let moved = changed(one, "/animal", animal);
    let at = json!({"scheme": place.scheme, "id": place.id});
    Some(changed(&moved, "/location", at))
}

/// Whether a location lists a document, as the main account sees it.
async fn listed(sender: &Sender<'_>, place: &Place, one: &Value) -> bool {
    let v = sender.visit;
    let url = v.url(&format!("{}/{}", place.path(), sender.entry.name));
    let pair = document::pair(one);
    let Ok(listing) = v.filtered(sender.entry, &url).await else {
        return false;
    };
    let found = listing.documents();
    found
        .into_iter()
        .any(|other| document::pair(other) == pair && !document::deleted(other))
}

pub(super) async fn write(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "security.foreign-write";
    if !v.options.allow_writes {
        return none(t, &[id], NOT_ALLOWED);
    }
    if !v.client.signed(Who::Other) {
        let why = "no second sign-in was given (--other-login, --other-token)";
        return t.skip(id, why);
    }
    let list = v.client.send(Ask::get(&v.url("/locations")).by(Who::Other));
    let list = Page::read(list.await);
    if list.exchange.status == 200 && !crate::checks::security::readable(&list) {
        return t.skip(id, crate::checks::security::UNREADABLE);
    }
    let theirs = places(&list);
    let sender = match Sender::hire(v, Verb::Post, "foreign").await {
        Ok(sender) => sender,
        Err(why) => return none(t, &[id], &why),
    };
    t.skip(
        id,
        "no location with an animal is known that the second account lacks",
    );
    for place in v
        .places
        .iter()
        .filter(|p| !theirs.contains(p))
        .take(LOOKED_AT)
    {
        let mut found = false;
        for way in ["single", "batch", "push"] {
            let Some(one) = moved(v, &sender.document(), place).await else {
                break;
            };
            found = true;
            try_to_write(t, &sender, place, &one, way).await;
        }
        if found {
            break;
        }
    }
    sender.clean().await;
}

async fn try_to_write(
    t: &mut Tally<'_>,
    sender: &Sender<'_>,
    place: &Place,
    one: &Value,
    way: &str,
) {
    let v = sender.visit;
    let own = v.url(&format!("{}/{}", place.path(), sender.entry.name));
    let ask = match way {
        "single" => Ask::post(&own, one),
        "batch" => {
            let Some(name) = sender.entry.batch_name() else {
                return;
            };
            let url = v.url(&format!("/batches{}/{name}", place.path()));
            Ask::post(&url, &json!([one]))
        }
        _ => {
            let Some(set) = sender.set() else { return };
            let [url, _] = sender.push_urls(&set);
            Ask::post(&url, &json!([{"id": "@context"}, one]))
        }
    };
    let e = v.client.send(ask.by(Who::Other)).await;
    // Documents that are dropped without an error are reported elsewhere; only what is stored
    // counts here.
    let mut stored = listed(sender, place, one).await;
    let end = Instant::now() + v.options.patience;
    while e.ok() && !stored && Instant::now() < end {
        sleep(Duration::from_millis(250)).await;
        stored = listed(sender, place, one).await;
    }
    require!(t, "security.foreign-write", !stored, Some(&e),
        "nothing stored by a {way} write to another's location"; found "status {}, and it is listed", e.status);
    if stored || e.ok() {
        let gone = v.client.send(Ask::post(&own, &retracted(one))).await;
        if stored && (!gone.ok() || listed(sender, place, one).await) {
            v.leave_behind(format!("{} {}", sender.entry.name, document::name(one)));
        }
    }
}

/// The path names the location; the location in the document has no effect.
pub(super) async fn body(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "intake.location-own";
    let sender = match Sender::hire(v, Verb::Post, "elsewhere").await {
        Ok(sender) => sender,
        Err(why) => return none(t, &[id], &why),
    };
    let other = v.places.iter().find(|p| v.place.as_ref() != Some(p));
    if let Some(other) = other {
        let at = json!({"scheme": other.scheme, "id": other.id});
        let one = changed(&sender.document(), "/location", at);
        let e = sender.post(&one).await;
        let strayed = listed(&sender, other, &one).await;
        require!(t, id, !strayed, Some(&e),
            "the document at the location of the path, or a refusal";
            found "it is listed at {}/{}", other.scheme, other.id);
        if strayed {
            let own = v.url(&format!("{}/{}", other.path(), sender.entry.name));
            v.client.send(Ask::post(&own, &retracted(&one))).await;
        }
    } else {
        t.skip(id, "the caller has no second location");
    }
    sender.clean().await;
}
