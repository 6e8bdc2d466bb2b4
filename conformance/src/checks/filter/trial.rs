//! A list with a filter, compared with the same list without it.

use std::collections::{BTreeMap, BTreeSet};

use ade::catalog::Filter;
use serde_json::Value;
use url::Url;

use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Listing, Page, Visit, with};

/// What no collection is offered for that a filter is tried on.
pub(super) const NO_DOCUMENTS: &str = "no collection with this filter and documents is offered";

/// The requirements of a trial: that nothing else came, and that everything came.
pub(super) type Ids = (&'static str, &'static str);

/// A list to be requested with parameters.
pub(super) struct Trial<'l> {
    pub(super) listing: &'l Listing,
    pub(super) parameters: Vec<(&'static str, String)>,
    pub(super) ids: Ids,
    pub(super) words: String,
}

impl Trial<'_> {
    fn url(&self) -> Url {
        let borrowed: Vec<(&str, &str)> = self.parameters.iter().map(|(n, v)| (*n, v.as_str())).collect();
        with(&self.listing.url, &borrowed)
    }

    /// Requests the list and compares: all documents that came are allowed, and all that must come did.
    pub(super) async fn judge(
        &self,
        v: &Visit<'_>,
        t: &mut Tally<'_>,
        may: &(dyn Fn(&Value) -> bool + Sync),
        must: &(dyn Fn(&Value) -> bool + Sync),
    ) -> Option<Listing> {
        let name = &self.listing.name;
        let (only, complete) = self.ids;
        let came = match v.filtered(self.listing.entry, &self.url()).await {
            Ok(came) => came,
            Err(e) => {
                require!(t, only, false, Some(&e), "{name} of {}", self.words; found "status {}", e.status);
                return None;
            }
        };
        for (at, page) in came.pages.iter().enumerate() {
            // A link that forgets the filter is a fault of the link.
            let id = if at == 0 { only } else { "filter.next-keeps" };
            for one in &page.members {
                require!(t, id, may(one), Some(&page.exchange),
                    "{name} of {} only", self.words; found "{} {}", document::name(one), facts(one));
            }
        }
        if !came.complete {
            return Some(came);
        }
        let keys: BTreeSet<String> = came.documents().map(document::key).collect();
        let e = came.pages.first().map(|p| p.exchange.as_ref());
        for one in self.listing.documents().filter(|one| must(one)) {
            let there = keys.contains(&document::key(one));
            require!(t, complete, there, e,
                "{name} of {} with {}", self.words, document::name(one); found "without it {}", facts(one));
        }
        if let Some(total) = came.pages.first().and_then(|p| p.number("totalItems")) {
            let members: usize = came.pages.iter().map(|p| p.members.len()).sum();
            let fine = usize::try_from(total).is_ok_and(|total| total == members);
            require!(t, "filter.total", fine, e, "totalItems {members} of {}", self.words; found "{total}");
        }
        Some(came)
    }
}

/// The values that filters ask for, in words.
fn facts(one: &Value) -> String {
    let facts = ["/meta/modified", "/eventDateTime", "/animal/id"];
    let words: Vec<String> = facts.iter().filter_map(|at| Some(format!("{at} {}", document::text(one, at)?))).collect();
    format!("({})", words.join(", "))
}

/// Collections with that filter and documents that it can be tried on, the fullest first, those
/// that were read to their end before the others.
pub(super) async fn candidates<'v>(
    v: &'v Visit<'_>,
    filter: Filter,
    fits: impl Fn(&Value) -> bool,
) -> Vec<&'v Listing> {
    let mut all: Vec<(usize, &Listing)> = v
        .listings()
        .await
        .iter()
        .filter(|l| l.entry.filters.contains(&filter))
        .map(|l| (l.documents().filter(|one| fits(one)).count(), l))
        .filter(|(count, _)| *count > 0)
        .collect();
    all.sort_by_key(|(count, l)| std::cmp::Reverse((l.complete, *count)));
    all.truncate(v.options.bounds.filtered);
    all.into_iter().map(|(_, l)| l).collect()
}

/// A value that some documents have and others do not: the most frequent one, of several the first in order.
pub(super) fn divides<T: Ord + Clone>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(value, _)| value)
}

/// The other identifiers of an animal, as the list of animals states them.
pub(super) fn names_of(v: &Visit<'_>, animal: &(String, String)) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for (entry, page) in v.read_so_far() {
        if entry.name != "animals" {
            continue;
        }
        for one in &page.members {
            let all = document::names(one);
            if all.contains(animal) {
                names.extend(all);
            }
        }
    }
    names
}

/// Asks for a value that no document has: an empty collection, or a refusal.
pub(super) async fn finds_nothing(
    v: &Visit<'_>,
    t: &mut Tally<'_>,
    id: &'static str,
    listing: &Listing,
    parameters: &[(&str, &str)],
) {
    let exchange = v.client.get(&with(&listing.url, parameters)).await;
    let page = Page::read(exchange);
    let e = &page.exchange;
    let empty = e.status == 200 && page.well_formed && page.members.is_empty();
    require!(t, id, empty || e.refused(), Some(e), "nothing, or 4xx, for {}", query(parameters);
        found "status {}, {} documents", e.status, page.members.len());
}

/// Sends a mistaken request: any answer except a failure of the server is accepted.
pub(super) async fn does_no_harm(
    v: &Visit<'_>,
    t: &mut Tally<'_>,
    id: &'static str,
    listing: &Listing,
    parameters: &[(&str, &str)],
) {
    let e = v.client.get(&with(&listing.url, parameters)).await;
    require!(t, id, e.ok() || e.refused(), Some(&e), "2xx or 4xx"; found "status {}", e.status);
}

/// Sends a value that cannot be read: it must be refused.
pub(super) async fn is_refused(
    v: &Visit<'_>,
    t: &mut Tally<'_>,
    id: &'static str,
    url: &Url,
    parameters: &[(&str, &str)],
) {
    let e = v.client.get(&with(url, parameters)).await;
    require!(t, id, e.refused(), Some(&e), "4xx for {}", query(parameters); found "status {}", e.status);
}

/// Parameters as people write them.
fn query(parameters: &[(&str, &str)]) -> String {
    let all: Vec<String> = parameters.iter().map(|(n, v)| format!("{n}={v}")).collect();
    all.join("&")
}
