//! Data sets and their changes, as the standard defines them.

mod against_lists;
mod tokens;

pub(super) use self::tokens::altered;

use std::collections::{BTreeMap, BTreeSet};

use ade::schema::Standard;
use feed_oracle::Kind;
use serde_json::Value;

use super::{Check, check};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::feeds::FeedPage;
use crate::visit::{Reading, Visit};

pub(super) static CHECKS: &[Check] = &[
    check!(list => "feed.list", "feed.names", "feed.types-named"),
    check!(dataset => "feed.dataset", "feed.set-unknown"),
    check!(pages => "feed.readable", "feed.context", "feed.continuation", "feed.ends",
        "feed.progress", "feed.first-not-full-sync", "feed.forward", "feed.no-rewind"),
    check!(elements => "feed.elements", "feed.valid", "feed.types", "feed.tombstone"),
    check!(against_lists::compare => "feed.complete", "feed.no-ghosts", "feed.same-state"),
    check!(tokens::good => "feed.replay", "feed.rest", "feed.token-encoded"),
    check!(tokens::bad => "feed.token-malformed", "feed.token-altered", "feed.token-other-set"),
];

const NONE: &str = "data sets are not offered";

/// The reading with most elements, if any has elements.
pub(super) fn richest(readings: &[Reading]) -> Option<&Reading> {
    readings
        .iter()
        .filter(|r| r.elements().next().is_some())
        .max_by_key(|r| (r.complete, r.pages.len(), r.elements().count()))
}

async fn list(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(exchange) = &v.datasets else {
        return t.none_offered(NONE);
    };
    let e = Some(exchange.as_ref());
    let Some(Value::Array(all)) = exchange.json() else {
        t.fail("feed.list", e, "a bare array", "something else");
        return;
    };
    let mut names = BTreeSet::new();
    for (at, one) in all.iter().enumerate() {
        let missing = ["/name", "/url", "/changes"].into_iter().find(|member| document::text(one, member).is_none());
        require!(t, "feed.list", missing.is_none(), e,
            "name, url and changes of data set {at}"; found "without {}", missing.unwrap_or_default());
        let name = document::text(one, "/name").unwrap_or_default();
        require!(t, "feed.names", names.insert(name), e, "{name} once"; found "it comes again");
        let types = one.get("containedTypes").or(one.get("containsTypes"));
        let types = types.and_then(Value::as_array).into_iter().flatten();
        for kind in types {
            let known = kind.as_str().is_some_and(|name| Standard::get().resource(name).is_some());
            require!(t, "feed.types-named", known, e, "resource types in {name}"; found "{kind}");
        }
    }
    t.not_offered("feed.types-named", "containedTypes is not sent");
}

async fn dataset(v: &Visit<'_>, t: &mut Tally<'_>) {
    if v.datasets.is_none() {
        return t.none_offered(NONE);
    }
    for set in v.sets().iter().take(3) {
        let Some(url) = &set.url else { continue };
        let e = v.client.get(url).await;
        let name = e.json().and_then(|one| document::text(one, "/name"));
        let fine = e.status == 200 && name == Some(set.name.as_str());
        require!(t, "feed.dataset", fine, Some(&e),
            "data set {}", set.name; found "status {}, name {name:?}", e.status);
    }
    for path in "/datasets/ade-conformance-none /datasets/ade-conformance-none/changes".split(' ') {
        let e = v.client.get(&v.url(path)).await;
        require!(t, "feed.set-unknown", e.refused(), Some(&e), "404"; found "status {}", e.status);
    }
}

async fn pages(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered(NONE);
    for reading in v.readings().await {
        let name = &reading.set.name;
        if let Some(e) = &reading.refused {
            require!(t, "feed.readable", false, Some(e), "a page of {name}"; found "status {}", e.status);
        } else {
            let some = !reading.pages.is_empty();
            require!(t, "feed.readable", some, None, "changes of {name}"; found "no address");
        }
        for page in &reading.pages {
            let e = Some(page.exchange.as_ref());
            require!(t, "feed.context", page.has_context, e, "a context first"; found "none");
            require!(t, "feed.continuation", page.token.is_some(), e,
                "a continuation with a token last"; found "none");
            if page.since.is_none() {
                require!(t, "feed.first-not-full-sync", !page.full_sync, e,
                    "no icar-full-sync"; found "icar-full-sync: true");
            }
            let stuck = page.token.is_some() && page.token == page.since;
            require!(t, "feed.progress", !stuck || page.elements.is_empty(), e,
                "another token"; found "the token of the request");
        }
        behaviour(t, reading);
    }
}

fn behaviour(t: &mut Tally<'_>, reading: &Reading) {
    let name = &reading.set.name;
    t.look("feed.forward");
    for (at, violation) in &reading.violations {
        let e = reading.pages.get(*at).map(|p| p.exchange.as_ref());
        // The other kinds are checked above, or belong to the profile.
        if violation.kind == Kind::WentBack {
            require!(t, "feed.forward", false, e, "the same or a later state"; found "{}", violation.words);
        }
    }
    // A page with only elements that came before leads back.
    let mut seen: BTreeMap<String, Value> = BTreeMap::new();
    let mut rewound = false;
    for page in &reading.pages {
        if page.full_sync {
            seen.clear();
        }
        let known = |one: &Value| seen.get(&document::key(one)) == Some(one);
        if !page.elements.is_empty() {
            let back = page.elements.iter().all(known);
            rewound |= back;
            require!(t, "feed.no-rewind", !back, Some(&page.exchange),
                "what did not come before of {name}"; found "only what came before");
        }
        for one in &page.elements {
            seen.insert(document::key(one), one.clone());
        }
    }
    if reading.complete {
        t.look("feed.ends");
    } else if reading.cut && !rewound {
        t.skip("feed.ends", "no data set was read to its end");
    }
}

async fn elements(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered("no data set has elements");
    for reading in v.readings().await {
        for page in &reading.pages {
            for one in &page.elements {
                element(t, reading, page, one);
            }
        }
    }
}

/// The first of the required members that an element of a feed lacks.
pub(crate) fn lacking(one: &Value) -> Option<&'static str> {
    ["/resourceType", "/location/scheme", "/location/id", "/meta/source", "/meta/sourceId"]
        .into_iter()
        .find(|member| document::text(one, member).is_none())
}

fn element(t: &mut Tally<'_>, reading: &Reading, page: &FeedPage, one: &Value) {
    let e = Some(page.exchange.as_ref());
    let missing = lacking(one);
    let deleted = document::deleted(one);
    let id = if deleted { "feed.tombstone" } else { "feed.elements" };
    require!(t, id, missing.is_none(), e,
        "the four members of an element of {}", reading.set.name; found "without {}", missing.unwrap_or_default());
    let flag = one.pointer("/meta/isDeleted");
    let boolean = flag.is_none_or(|flag| flag.is_boolean() || flag.is_null());
    require!(t, "feed.tombstone", boolean, e,
        "isDeleted true or false"; found "{}", flag.map(Value::to_string).unwrap_or_default());
    let Some(kind) = document::text(one, "/resourceType") else {
        return;
    };
    let standard = Standard::get();
    if !deleted {
        let known = standard.resource(kind).map_or(kind, |d| d.name);
        t.valid("feed.valid", e, (known, one), || format!("{} valid by {kind}", document::name(one)));
    }
    if !reading.set.types.is_empty() {
        let same = |name: &String| {
            name == kind || standard.resource(name).zip(standard.resource(kind)).is_some_and(|(a, b)| a.name == b.name)
        };
        let fine = reading.set.types.iter().any(same);
        require!(t, "feed.types", fine, e, "one of {}", reading.set.types.join(", "); found "{kind}");
    }
}
