//! The list of locations, against what can be read.

use crate::client::{Exchange, Who};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Location, Page, Visit};

/// The number of locations of an account that are tried.
const TRIED: usize = 8;

/// The list of locations of an account must have only those that it may read: a list of all
/// locations would reveal the partners of others.
pub(super) async fn listed(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "security.locations-own";
    if v.locations.is_none() {
        return t.none_offered("/locations is not served");
    }
    let names: Vec<&str> = v
        .pages()
        .filter(|(entry, _)| entry.scoped && entry.required.is_empty())
        .map(|(entry, _)| entry.name.as_str())
        .take(3)
        .collect();
    if names.is_empty() {
        return t.none_offered("no collection of a location is offered");
    }
    for who in [Who::Main, Who::Other] {
        if !v.client.signed(who) {
            continue;
        }
        let list = Page::read(v.get_by(who, "/locations").await);
        let places: Vec<Location> = list.places().collect();
        // An empty list may be answered as not found as well, but with another error than an unknown location.
        let (Some(first), Some(name)) = (places.first(), names.first()) else {
            continue;
        };
        let unknown = format!("{}/{name}", first.unknown().path());
        let unknown = words(&*v.get_by(who, &unknown).await);
        for place in spread(&places) {
            let mut last = None;
            for name in &names {
                let e = v.get_by(who, &format!("{}/{name}", place.path())).await;
                let closed = matches!(e.status, 401 | 403) || (e.status == 404 && words(&e) == unknown);
                last = Some((e, closed));
                if !closed {
                    break;
                }
            }
            let Some((e, closed)) = last else { continue };
            require!(t, id, !closed, Some(&e),
                "{}/{} to be read, as it is listed", place.scheme, place.id; found "status {}", e.status);
        }
    }
}

/// The words of a refusal.
fn words(e: &Exchange) -> [Option<String>; 3] {
    let word = |at: &str| document::text(e.json()?, at).map(str::to_owned);
    ["/errors/0/code", "/errors/0/type", "/errors/0/title"].map(word)
}

/// Some of the first and some of the last.
fn spread(places: &[Location]) -> impl Iterator<Item = &Location> {
    let half = TRIED / 2;
    let tail = places.len().saturating_sub(half).max(half);
    let first = places.iter().take(half);
    first.chain(places.get(tail..).unwrap_or_default())
}
