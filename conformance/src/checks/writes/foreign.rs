//! Documents sent to a location of another account, or with a location other than that of the path.

use ade::catalog::Verb;
use serde_json::{Value, json};

use crate::checks::security::{NO_SECOND, UNREADABLE, readable};
use crate::checks::sending::{Sender, allowed, patiently};
use crate::client::{Ask, Who};
use crate::document::{self, changed, retracted};
use crate::tally::{Tally, require};
use crate::visit::{Location, Page, Visit};

/// The number of locations that are read to find one with an animal.
const LOOKED_AT: usize = 8;

/// The same document about an animal of another location.
async fn moved(v: &Visit<'_>, one: &Value, place: &Location) -> Option<Value> {
    let animals = format!("{}/animals", place.path());
    let page = Page::read(v.get_by(Who::Main, &animals).await);
    let alive = |one: &&Value| document::alive(one);
    let animal = page.members.iter().find(alive)?.get("identifier")?.clone();
    let moved = changed(one, "/animal", animal);
    Some(changed(&moved, "/location", place.identifier()))
}

/// Whether a location lists a document, as the main account sees it.
async fn listed(sender: &Sender<'_>, place: &Location, one: &Value) -> bool {
    let v = sender.visit;
    let url = v.url(&format!("{}/{}", place.path(), sender.entry.name));
    let pair = document::pair(one);
    let Ok(listing) = v.filtered(sender.entry, &url).await else {
        return false;
    };
    let mut found = listing.documents();
    found.any(|other| document::pair(other) == pair && !document::deleted(other))
}

pub(super) async fn write(v: &Visit<'_>, t: &mut Tally<'_>) {
    if !allowed(v, t) {
        return;
    }
    if !v.client.signed(Who::Other) {
        return t.skip_all(NO_SECOND);
    }
    let list = Page::read(v.get_by(Who::Other, "/locations").await);
    if list.exchange.status == 200 && !readable(&list) {
        return t.skip_all(UNREADABLE);
    }
    let theirs: Vec<Location> = list.places().collect();
    let Some(sender) = Sender::hire(v, t, Verb::Post, "foreign").await else {
        return;
    };
    t.skip_all("no location with an animal is known that the second account lacks");
    let foreign = v.places.iter().filter(|p| !theirs.contains(p));
    for place in foreign.take(LOOKED_AT) {
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

async fn try_to_write(t: &mut Tally<'_>, sender: &Sender<'_>, place: &Location, one: &Value, way: &str) {
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
    // Documents that are dropped without an error are reported elsewhere; only what is stored counts here.
    let done = |stored: &bool| *stored || !e.ok();
    let stored = patiently(v.options.patience, || listed(sender, place, one), done).await;
    require!(t, "security.foreign-write", !stored, Some(&e),
        "nothing stored by a {way} write to another's location"; found "status {}, and it is listed", e.status);
    if stored || e.ok() {
        let gone = v.client.send(Ask::post(&own, &retracted(one))).await;
        if stored && (!gone.ok() || listed(sender, place, one).await) {
            v.left_behind.add(format!("{} {}", sender.entry.name, document::name(one)));
        }
    }
}

/// The path names the location; the location in the document has no effect.
pub(super) async fn body(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = Sender::hire(v, t, Verb::Post, "elsewhere").await else {
        return;
    };
    let other = v.places.iter().find(|p| v.place.as_ref() != Some(p));
    if let Some(other) = other {
        let one = changed(&sender.document(), "/location", other.identifier());
        let e = sender.post(&one).await;
        let strayed = listed(&sender, other, &one).await;
        require!(t, "intake.location-own", !strayed, Some(&e),
            "the document at the location of the path, or a refusal";
            found "it is listed at {}/{}", other.scheme, other.id);
        if strayed {
            let own = v.url(&format!("{}/{}", other.path(), sender.entry.name));
            v.client.send(Ask::post(&own, &retracted(&one))).await;
        }
    } else {
        t.skip_all("the caller has no second location");
    }
    sender.clean().await;
}
