//! Feeds against the lists of the same types.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Listing, Page, Reading, Visit};

/// A reading, and the live documents at its end.
struct Live<'r> {
    reading: &'r Reading,
    live: BTreeMap<String, &'r Value>,
}

pub(super) async fn compare(v: &Visit<'_>, t: &mut Tally<'_>) {
    let readings = v.readings().await;
    t.none_offered("no type is offered both as a list and as a data set");
    // Documents that changed since the visit began may be in one and not yet in the other.
    let began = v.client.exchanges().iter().find_map(|e| e.date());
    let settled = |one: &Value| match (document::modified(one), began) {
        (Some(modified), Some(began)) => modified < began,
        _ => true,
    };
    let mut by_type: BTreeMap<&str, Vec<&Listing>> = BTreeMap::new();
    for listing in v.listings().await {
        if listing.entry.scoped && listing.entry.required.is_empty() {
            let kind = listing.entry.resource.as_str();
            by_type.entry(kind).or_default().push(listing);
        }
    }
    let live = |reading| Live { reading, live: Reading::live(reading) };
    let lives: Vec<Live<'_>> = readings.iter().map(live).collect();
    for (kind, listings) in by_type {
        let holds = |l: &&Live<'_>| l.reading.set.types.iter().any(|name| name == kind);
        let all: Vec<&Live<'_>> = lives.iter().filter(holds).collect();
        if all.is_empty() {
            continue;
        }
        let complete = all.iter().all(|l| l.reading.complete) && listings.iter().all(|l| l.complete);
        let documents = listings.iter().flat_map(|l| l.documents());
        let named = documents.filter(|one| document::pair(one).is_some());
        let both = Both {
            begun: listings.first().and_then(|l| l.pages.first()),
            listed: named.map(|one| (document::key(one), one)).collect(),
            readings: all,
            settled: &settled,
        };
        if complete {
            both.missing(t);
            both.ghosts(v, t, kind);
        } else {
            t.skip("feed.complete", "no type was read to its end both ways");
            t.skip("feed.no-ghosts", "no type was read to its end both ways");
        }
        both.same(t);
    }
}

/// The documents of a type in lists and in feeds.
struct Both<'b> {
    /// The first page of the lists.
    begun: Option<&'b Page>,
    listed: BTreeMap<String, &'b Value>,
    readings: Vec<&'b Live<'b>>,
    /// Whether a document did not change since the visit began.
    settled: &'b dyn Fn(&Value) -> bool,
}

impl Both<'_> {
    fn missing(&self, t: &mut Tally<'_>) {
        let e = self.begun.map(|page| page.exchange.as_ref());
        for (key, one) in &self.listed {
            if document::deleted(one) || !(self.settled)(one) {
                continue;
            }
            let there = self.readings.iter().any(|l| l.live.contains_key(key));
            require!(t, "feed.complete", there, e,
                "{} in the feed, as it is in the list", document::name(one); found "it is not");
        }
    }

    fn ghosts(&self, v: &Visit<'_>, t: &mut Tally<'_>, kind: &str) {
        let Some(place) = &v.place else { return };
        let here = (place.scheme.clone(), place.id.clone());
        for Live { reading, live } in &self.readings {
            for (key, one) in live {
                let one = *one;
                let ours = document::identifier(one, "/location").as_ref() == Some(&here)
                    && document::text(one, "/resourceType") == Some(kind);
                if !ours || !(self.settled)(one) {
                    continue;
                }
                let there = self.listed.contains_key(key);
                let mut pages = reading.pages.iter().filter(|_| !there);
                let page = pages.rfind(|p| p.elements.contains(one));
                let e = page.map(|p| p.exchange.as_ref());
                require!(t, "feed.no-ghosts", there, e,
                    "{} of the feed in the list", document::name(one); found "it is not");
            }
        }
    }

    fn same(&self, t: &mut Tally<'_>) {
        let e = self.begun.map(|page| page.exchange.as_ref());
        for Live { reading, live } in self.readings.iter().filter(|l| l.reading.complete) {
            for (key, one) in &self.listed {
                let Some(other) = live.get(key).filter(|_| (self.settled)(one)) else {
                    continue;
                };
                let lost = document::lost(&bare(one), &bare(other));
                let equal = document::modified(one) == document::modified(other) && lost.is_none();
                require!(t, "feed.same-state", equal, e,
                    "one state of {} in list and feed", document::name(one);
                    found "another in data set {}, at {}", reading.set.name,
                    lost.unwrap_or_else(|| "/meta/modified".to_owned()));
            }
        }
    }
}

/// Without links, which may depend on the address of a document.
fn bare(one: &Value) -> Value {
    let mut one = one.clone();
    if let Some(members) = one.as_object_mut() {
        members.remove("@self");
    }
    one
}
