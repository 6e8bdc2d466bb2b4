//! Parameters of `changes`.

use serde_json::Value;

use crate::checks::feed::richest;
use crate::client::{Ask, Who};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::feeds::FeedPage;
use crate::visit::{DataSet, Visit, with};

const NO_ELEMENTS: &str = "no data set has elements";

fn keys(elements: &[Value]) -> Vec<String> {
    elements.iter().map(document::key).collect()
}

/// Pages of a size, one after the other.
async fn along(v: &Visit<'_>, set: &DataSet, limit: &str, pages: usize) -> Vec<FeedPage> {
    let mut all: Vec<FeedPage> = Vec::new();
    while all.len() < pages {
        let since = all.last().and_then(|p| p.token.clone());
        let page = v.changes(set, since.as_deref(), &[("limit", limit)], Who::Main).await;
        let Some(page) = page.filter(|p| p.is_array) else {
            break;
        };
        let end = page.elements.is_empty() || page.token.is_none();
        all.push(page);
        if end {
            break;
        }
    }
    all
}

fn joined(pages: &[FeedPage]) -> Vec<String> {
    pages.iter().flat_map(|p| keys(&p.elements)).collect()
}

pub(super) async fn limits(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered(NO_ELEMENTS);
    let Some(reading) = richest(v.readings().await) else {
        return;
    };
    let set = &reading.set;
    let threes = along(v, set, "3", 4).await;
    let one = along(v, set, "1", 1).await;
    for (pages, limit) in [(&threes, 3), (&one, 1)] {
        for page in pages {
            let fine = page.elements.len() <= limit;
            require!(t, "profile.limit", fine, Some(&page.exchange),
                "at most {limit} elements"; found "{}", page.elements.len());
        }
    }
    let hundred = along(v, set, "100", 1).await;
    let (small, large) = (joined(&threes), joined(&hundred));
    let fine = !small.is_empty() && large.starts_with(&small);
    let e = threes.last().map(|p| p.exchange.as_ref());
    require!(t, "profile.limit-order", fine, e,
        "the first {} elements in the same order", small.len(); found "others");
    for page in along(v, set, "100000", 1).await {
        let fine = page.elements.len() <= 1_000;
        require!(t, "profile.limit-most", fine, Some(&page.exchange),
            "at most 1,000 elements"; found "{}", page.elements.len());
    }
    let plain = reading.pages.first().map(|p| keys(&p.elements));
    let latest = v.changes(set, None, &[("latestOnly", "true")], Who::Main).await;
    if let Some(page) = latest {
        let fine = Some(keys(&page.elements)) == plain;
        require!(t, "profile.latest-only", fine, Some(&page.exchange),
            "the first page"; found "status {}", page.exchange.status);
    }
    stateless(v, t, set).await;
}

/// Two readings that take turns.
async fn stateless(v: &Visit<'_>, t: &mut Tally<'_>, set: &DataSet) {
    let limit = [("limit", "2")];
    let mut tokens: [Option<String>; 2] = [None, None];
    let mut came: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let mut last = None;
    for _ in 0..2 {
        for (token, keys_of) in tokens.iter_mut().zip(came.iter_mut()) {
            let page = v.changes(set, token.as_deref(), &limit, Who::Main).await;
            if let Some(page) = page {
                keys_of.extend(keys(&page.elements));
                token.clone_from(&page.token);
                last = Some(page.exchange);
            }
        }
    }
    let [a, b] = &came;
    require!(t, "profile.stateless", a == b && !a.is_empty(), last.as_deref(),
        "the same to both readings"; found "something else");
}

pub(super) async fn narrowed(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered(NO_ELEMENTS);
    let readings = v.readings().await;
    let whole = readings.iter().find(|r| r.set.name == "everything" && r.elements().next().is_some());
    let Some(whole) = whole.or(richest(readings)) else {
        return;
    };
    let set = &whole.set;
    // The type of an element in the middle of the reading.
    let all: Vec<&Value> = whole.elements().collect();
    let kind = all.get(all.len() / 2).and_then(|one| document::text(one, "/resourceType")).unwrap_or_default();
    let page = v.changes(set, None, &[("types", kind), ("limit", "100")], Who::Main).await;
    if let Some(page) = page {
        let of_kind: Vec<String> = all
            .iter()
            .filter(|one| document::text(one, "/resourceType") == Some(kind))
            .map(|one| document::key(one))
            .collect();
        let came = keys(&page.elements);
        let fine = !came.is_empty() && of_kind.starts_with(&came);
        require!(t, "profile.types", fine, Some(&page.exchange),
            "the first {} elements of type {kind}", came.len(); found "status {}, others", page.exchange.status);
    }
    let unknown = [("types", "icarAdeConformanceResource")];
    if let Some(page) = v.changes(set, None, &unknown, Who::Main).await {
        let empty = page.exchange.status == 200 && page.elements.is_empty();
        let fine = empty || page.exchange.refused();
        require!(t, "profile.types-unknown", fine, Some(&page.exchange),
            "no elements, or 400"; found "{} elements", page.elements.len());
    }
    let Some(place) = &v.place else { return };
    let here = [("location-scheme", place.scheme.as_str()), ("location-id", place.id.as_str()), ("limit", "100")];
    if let Some(page) = v.changes(set, None, &here, Who::Main).await {
        let at_place =
            |one: &Value| document::identifier(one, "/location") == Some((place.scheme.clone(), place.id.clone()));
        let fine = page.exchange.status == 200 && page.elements.iter().all(at_place);
        require!(t, "profile.locations", fine, Some(&page.exchange),
            "elements of {}/{}", place.scheme, place.id; found "status {}, others too", page.exchange.status);
    }
}

pub(super) async fn now(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered(NO_ELEMENTS);
    let Some(reading) = richest(v.readings().await) else {
        return;
    };
    let set = &reading.set;
    let from = [("from", "now")];
    let Some(page) = v.changes(set, None, &from, Who::Main).await else {
        return;
    };
    let empty = |page: &FeedPage| page.exchange.status == 200 && page.elements.is_empty();
    let next = match &page.token {
        Some(token) => v.changes(set, Some(token), &[], Who::Main).await,
        None => None,
    };
    let fine = empty(&page) && next.as_ref().is_some_and(empty);
    require!(t, "profile.from-now", fine, Some(&page.exchange),
        "no elements, and a token that goes on";
        found "status {}, {} elements", page.exchange.status, page.elements.len());
    let Some(token) = page.token.as_deref().or(reading.last_token()) else {
        return;
    };
    if let Some(both) = v.changes(set, Some(token), &from, Who::Main).await {
        require!(t, "profile.from-now-since", both.exchange.status == 400, Some(&both.exchange),
            "400"; found "status {}", both.exchange.status);
    }
    if let Some(waited) = v.changes(set, Some(token), &[("wait", "2")], Who::Main).await {
        let seconds = waited.exchange.seconds;
        let fine = waited.exchange.status == 200 && (!waited.elements.is_empty() || (1.0..=10.0).contains(&seconds));
        require!(t, "profile.wait", fine, Some(&waited.exchange),
            "an empty page after two seconds"; found "status {} after {seconds:.1} s", waited.exchange.status);
    }
    poll(v, t, set, token).await;
}

async fn poll(v: &Visit<'_>, t: &mut Tally<'_>, set: &DataSet, token: &str) {
    let Some(changes) = &set.changes else { return };
    let url = with(changes, &[("since", token)]);
    let first = v.client.get(&url).await;
    let tag = first.header("etag").unwrap_or_default();
    let second = v.client.send(Ask::get(&url).header("If-None-Match", tag)).await;
    let fine = !tag.is_empty() && second.status == 304;
    require!(t, "profile.poll", fine, Some(&second),
        "304 to the tag of the empty page"; found "status {}, tag {tag:?}", second.status);
}
