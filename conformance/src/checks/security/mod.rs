//! Rights of reading.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::errors::guarded;
use super::{Check, check};
use crate::client::{Ask, Exchange, Who};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Location, Page, Visit, encoded, with};

mod rights;

pub(super) static CHECKS: &[Check] = &[
    check!(anonymous => "security.anonymous", "security.bad-token"),
    check!(login => "security.login-uniform"),
    check!(odd => "security.odd-characters"),
    check!(foreign_feed => "security.foreign-feed"),
    check!(second => "security.foreign-location", "security.foreign-alike",
        "security.second-account", "security.foreign-not-modified"),
    check!(rights::listed => "security.locations-own"),
    check!(met => "security.challenge", "security.secrets", "security.caching",
        "security.internals", "security.shared-caches"),
];

/// Whether every location of an answer has an identifier.
pub(super) fn readable(page: &Page) -> bool {
    let named = |one: &Value| document::identifier(one, "/identifier").is_some();
    page.well_formed && page.members.iter().all(named)
}

pub(super) const NO_SECOND: &str = "no second sign-in was given (--other-login, --other-token)";
pub(super) const UNREADABLE: &str = "the list of locations cannot be read, so that they are not known";

async fn anonymous(v: &Visit<'_>, t: &mut Tally<'_>) {
    if !v.client.signed(Who::Main) {
        return t.skip_all("the run has no sign-in");
    }
    let mut urls = Vec::new();
    urls.extend(guarded(v).map(|page| page.exchange.url.clone()));
    urls.extend(v.sets().into_iter().take(2).filter_map(|set| set.changes));
    for url in urls {
        for (id, who) in [("security.anonymous", Who::Nobody), ("security.bad-token", Who::Altered)] {
            let e = v.client.send(Ask::get(&url).by(who)).await;
            let fine = matches!(e.status, 401 | 403 | 404);
            require!(t, id, fine, Some(&e), "401 or 403"; found "status {}", e.status);
        }
    }
}

async fn login(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "security.login-uniform";
    let (Some(url), crate::options::Auth::Login { email, .. }) = (&v.login_url, &v.options.auth) else {
        return t.skip_all("the run did not sign in with --login");
    };
    let mut answers = Vec::new();
    for email in [email.as_str(), "nobody@ade-conformance.invalid"] {
        let body = json!({"email": email, "username": email, "password": "ade-conformance-wrong"});
        answers.push(v.client.send(Ask::post(url, &body).by(Who::Nobody)).await);
    }
    let [wrong, unknown] = answers.as_slice() else {
        return;
    };
    let words = |body: Option<&Value>| {
        let first = body.and_then(|b| b.pointer("/errors/0")).cloned();
        first.map(|one| {
            let text = |name: &str| one.get(name).and_then(Value::as_str).map(str::to_owned);
            [text("message"), text("title"), text("detail"), text("code")]
        })
    };
    let same = wrong.status == unknown.status && words(wrong.json()) == words(unknown.json());
    require!(t, id, same, Some(unknown),
        "status {} and the same words for both", wrong.status;
        found "status {} for an unknown address", unknown.status);
}

async fn odd(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "security.odd-characters";
    let (Some(page), Some(place)) = (guarded(v), &v.place) else {
        return t.none_offered("no collection of a location is offered");
    };
    let tricks = ["' OR '1'='1", "\u{0}", "../../etc/passwd", "%00", "<script>\"", "\u{202e}\u{1f404}"];
    for trick in tricks {
        let path = format!("/locations/{}/{}/animals", encoded(&place.scheme), encoded(trick));
        let e = v.client.get(&v.url(&path)).await;
        let none = Page::read(e.clone()).members.is_empty();
        require!(t, id, e.refused() || (e.ok() && none), Some(&e),
            "4xx for location {trick:?}"; found "status {}", e.status);
        let pair = [("animal-scheme", trick), ("animal-id", trick)];
        let e = v.client.get(&with(&page.exchange.url, &pair)).await;
        require!(t, id, e.refused() || e.ok(), Some(&e),
            "nothing, or 4xx, for animal {trick:?}"; found "status {}", e.status);
    }
}

async fn foreign_feed(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "security.foreign-feed";
    if v.locations.is_none() {
        return t.skip_all("/locations is not served, so that the caller's are not known");
    }
    if !v.locations.iter().all(readable) {
        return t.skip_all(UNREADABLE);
    }
    let own = own(v.locations.iter().flat_map(|p| &p.members), &v.places);
    for reading in v.readings().await {
        for page in &reading.pages {
            for one in &page.elements {
                let Some(at) = document::identifier(one, "/location") else {
                    continue;
                };
                // A tombstone may name a location that was lost.
                let fine = own.contains(&at) || document::deleted(one);
                require!(t, id, fine, Some(&page.exchange),
                    "{} at a location of /locations", document::name(one); found "{}/{}", at.0, at.1);
            }
        }
    }
    t.none_offered("no data set has elements");
}

/// All identifiers of locations.
fn own<'a>(members: impl Iterator<Item = &'a Value>, places: &[Location]) -> BTreeSet<(String, String)> {
    let places = places.iter().map(|p| (p.scheme.clone(), p.id.clone()));
    members.flat_map(document::names).chain(places).collect()
}

/// Whether the address is offered to no caller.
fn offers_none(answer: &Exchange) -> bool {
    matches!(answer.status, 404 | 405)
}

async fn second(v: &Visit<'_>, t: &mut Tally<'_>) {
    if !v.client.signed(Who::Other) {
        return t.skip_all(NO_SECOND);
    }
    t.skip_all("neither account has a location that the other one lacks");
    let page = Page::read(v.get_by(Who::Other, "/locations").await);
    if offers_none(&page.exchange) && offers_none(&*v.get_by(Who::Main, "/locations").await) {
        return t.none_offered("there is no list of locations");
    }
    if page.exchange.status == 200 && !(readable(&page) && v.locations.iter().all(readable)) {
        return t.skip_all(UNREADABLE);
    }
    let theirs: Vec<Location> = page.places().collect();
    require!(t, "security.second-account", page.exchange.status == 200, Some(&page.exchange),
        "the second account's locations"; found "status {}", page.exchange.status);
    // Both ways: a location that only one account has, the other one may not read.
    for (reader, has, lacks) in [(Who::Main, &theirs, &v.places), (Who::Other, &v.places, &theirs)] {
        let only: Vec<&Location> = has.iter().filter(|p| !lacks.contains(p)).take(2).collect();
        for place in only {
            foreign(v, t, reader, place).await;
        }
    }
    tags(v, t).await;
    let own = own(page.members.iter(), &theirs);
    their_feed(v, t, &own).await;
}

async fn foreign(v: &Visit<'_>, t: &mut Tally<'_>, reader: Who, place: &Location) {
    let name = v
        .pages()
        .find(|(entry, _)| entry.scoped && entry.required.is_empty())
        .map_or("animals", |(entry, _)| entry.name.as_str());
    let e = v.get_by(reader, &format!("{}/{name}", place.path())).await;
    let nowhere = format!("{}/{name}", place.unknown().path());
    let unknown = v.get_by(reader, &nowhere).await;
    // An answer that equals that for an unknown location, and has no documents, reveals nothing.
    let alike = e.ok() && e.body == unknown.body && Page::read(e.clone()).members.is_empty();
    let fine = matches!(e.status, 401 | 403 | 404) || alike;
    require!(t, "security.foreign-location", fine, Some(&e),
        "404 or 403 for another's location"; found "status {}", e.status);
    let code = |e: &Exchange| {
        let body = e.json().cloned().unwrap_or_default();
        let text = |at: &str| document::text(&body, at).map(str::to_owned);
        (e.status, text("/errors/0/code"), text("/errors/0/title"))
    };
    let same = code(&e) == code(&unknown);
    require!(t, "security.foreign-alike", same || !fine, Some(&e), "{:?}", code(&unknown); found "{:?}", code(&e));
}

/// A tag of one caller, sent by the other.
async fn tags(v: &Visit<'_>, t: &mut Tally<'_>) {
    let mut urls = vec![v.url("/locations")];
    urls.extend(v.sets().into_iter().take(1).filter_map(|set| set.changes));
    for url in urls {
        let main = v.client.get(&url).await;
        let Some(tag) = main.header("etag").filter(|_| main.status == 200) else {
            t.skip("security.foreign-not-modified", "no ETag is sent");
            continue;
        };
        let plain = v.client.send(Ask::get(&url).by(Who::Other)).await;
        if plain.body == main.body {
            continue;
        }
        let ask = Ask::get(&url).header("If-None-Match", tag).by(Who::Other);
        let e = v.client.send(ask).await;
        require!(t, "security.foreign-not-modified", e.status != 304, Some(&e),
            "the second account's own answer"; found "304 to the first account's tag");
        let same = e.status == 304 || e.body == plain.body;
        require!(t, "security.second-account", same, Some(&e),
            "the same answer to the second account"; found "another");
    }
    t.look("security.second-account");
}

async fn their_feed(v: &Visit<'_>, t: &mut Tally<'_>, own: &BTreeSet<(String, String)>) {
    let list = v.get_by(Who::Other, "/datasets").await;
    let mut sets = v.sets_of(&list);
    // The data sets with most types first.
    sets.sort_by_key(|set| std::cmp::Reverse(set.types.len()));
    for set in sets.iter().take(3) {
        let Some(page) = v.changes(set, None, &[], Who::Other).await else {
            continue;
        };
        for one in &page.elements {
            let Some(at) = document::identifier(one, "/location") else {
                continue;
            };
            let fine = own.contains(&at) || document::deleted(one);
            require!(t, "security.second-account", fine, Some(&page.exchange),
                "locations of the second account only"; found "{}/{}", at.0, at.1);
        }
    }
}

/// Whether an answer is for signed-in callers only: documents of a location, or changes.
fn personal(v: &Visit<'_>, e: &Exchange) -> bool {
    let path = e.url.path();
    let below = path.strip_prefix(v.base.path().trim_end_matches('/'));
    let who = matches!(e.who, Who::Main | Who::Other) && v.client.signed(e.who);
    let inner = |p: &str| p.starts_with("/locations/") || p.contains("/changes");
    who && v.ours(&e.url) && below.is_some_and(inner)
}

/// Words that reveal internals of a server.
const INSIDE: [&str; 12] = [
    "stack trace",
    "traceback (most",
    "at java.",
    "at org.",
    "sqlstate",
    "syntax error at or near",
    "sqlite",
    "postgres",
    "ora-0",
    "/usr/",
    "/home/",
    "panicked at",
];

async fn met(v: &Visit<'_>, t: &mut Tally<'_>) {
    for e in v.client.exchanges() {
        if e.status == 401 && v.login_url.as_ref() != Some(&e.url) {
            let fine = e.header("www-authenticate").is_some();
            require!(t, "security.challenge", fine, Some(&e), "WWW-Authenticate with 401"; found "none");
        }
        let sign_in = v.login_url.as_ref() == Some(&e.url);
        if e.status > 0 && !sign_in && !e.body_dropped {
            let body = String::from_utf8_lossy(&e.body);
            let shown = v.client.secrets().iter().any(|secret| {
                body.contains(secret.as_str()) || e.headers.iter().any(|(_, value)| value.contains(secret.as_str()))
            });
            require!(t, "security.secrets", !shown, Some(&e), "no secret in the answer"; found "the sign-in");
        }
        let caches = e.header("etag").is_some() || e.header("cache-control").is_some();
        if e.status == 200
            && e.method == "GET"
            && e.who == Who::Main
            && caches
            && !sign_in
            && v.client.signed(Who::Main)
        {
            let control = e.header_all("cache-control").to_ascii_lowercase();
            let vary = e.header_all("vary").to_ascii_lowercase();
            let fine = control.contains("private")
                || control.contains("no-store")
                || vary.contains("authorization")
                || vary.trim() == "*";
            require!(t, "security.caching", fine, Some(&e),
                "Cache-Control private, or Vary with Authorization";
                found "Cache-Control {control:?}, Vary {vary:?}");
        }
        if e.ok() && e.method == "GET" && personal(v, &e) {
            let control = e.header_all("cache-control").to_ascii_lowercase();
            let mut words = control.split(',').map(str::trim);
            let shared = words.find(|w| *w == "public" || w.starts_with("s-maxage"));
            require!(t, "security.shared-caches", shared.is_none(), Some(&e),
                "no leave for shared caches to keep it"; found "Cache-Control: {control}");
        }
        if e.status >= 400 && !sign_in {
            let body = String::from_utf8_lossy(&e.body).to_lowercase();
            // Words that the request contained may come back; others may not.
            let sent = e.url.as_str().to_lowercase();
            let inside = INSIDE.iter().find(|w| body.contains(**w) && !sent.contains(**w));
            require!(t, "security.internals", inside.is_none(), Some(&e),
                "a sentence for people"; found "{:?} in the body", inside.copied().unwrap_or_default());
        }
    }
}
