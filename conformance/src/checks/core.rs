//! Paths and transport.

use std::net::IpAddr;

use serde_json::Value;
use url::{Host, Url};

use super::{Check, check};
use crate::client::{Ask, Who};
use crate::document;
use crate::strict;
use crate::tally::{Tally, require};
use crate::visit::{Offer, Page, Visit, below, encoded, with};

pub(super) static CHECKS: &[Check] = &[
    check!(arrival => "core.reachable", "core.https", "core.offers"),
    check!(locations => "core.locations", "core.locations-valid", "core.locations-once"),
    check!(addressed => "core.location-addressed", "core.location-encoded"),
    check!(unknown => "core.location-unknown", "core.location-scheme", "core.collection-unknown"),
    check!(accept => "core.accept", "core.head"),
    check!(well_known => "core.well-known"),
    check!(parameter => "core.parameter-unknown"),
    check!(times => "core.times-utc"),
    check!(transport => "core.media-type", "core.json", "core.body-whole", "core.member-names"),
];

const NO_COLLECTION: &str = "no collection of a location is offered";

async fn arrival(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.look("core.reachable");
    for offered in &v.offered {
        if let Offer::Unclear(exchange) = &offered.offer {
            // A missing answer, and a body that is not JSON, are reported with the transport.
            let plain = exchange.header("content-encoding").is_none();
            if exchange.status == 0 || (exchange.status == 200 && plain) {
                continue;
            }
            let found = format!("status {}", exchange.status);
            let expected = format!("{} as a collection, or 404", offered.entry.name);
            t.fail("core.reachable", Some(exchange), expected, found);
        }
    }
    let plain = v.base.scheme() == "http" && !loopback(&v.base);
    require!(t, "core.https", !plain, None, "https"; found "{}", v.base);
    let offers = v.pages().next().is_some() || !v.sets().is_empty();
    require!(t, "core.offers", offers, None, "a collection or a data set"; found "neither");
}

fn loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip).is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).is_loopback(),
        None => false,
    }
}

async fn locations(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(page) = &v.locations else {
        return t.none_offered("/locations is not served");
    };
    let e = Some(page.exchange.as_ref());
    require!(t, "core.locations", page.well_formed, e, "an object with an array member"; found "something else");
    for (at, one) in page.members.iter().enumerate() {
        let schema = "icarLocationResource";
        t.valid("core.locations-valid", e, (schema, one), || format!("member {at} valid by {schema}"));
    }
    for (at, one) in v.places.iter().enumerate() {
        let before = v.places.iter().take(at).any(|other| other == one);
        require!(t, "core.locations-once", !before, e, "{}/{} once", one.scheme, one.id; found "it comes again");
    }
}

/// A collection that is offered at the location.
fn scoped<'v>(v: &'v Visit<'_>) -> Option<(&'static str, &'v Page)> {
    v.pages()
        .filter(|(entry, _)| entry.scoped && entry.required.is_empty())
        .max_by_key(|(_, page)| !page.members.is_empty())
        .map(|(entry, page)| (entry.name.as_str(), page))
}

async fn addressed(v: &Visit<'_>, t: &mut Tally<'_>) {
    let (Some((name, page)), Some(place)) = (scoped(v), &v.place) else {
        return t.none_offered(NO_COLLECTION);
    };
    if v.places.contains(place) {
        t.look("core.location-addressed");
    }
    for other in v.places.iter().filter(|p| *p != place).take(2) {
        let url = v.url(&format!("{}/{name}", other.path()));
        let exchange = v.client.get(&url).await;
        require!(t, "core.location-addressed", exchange.status == 200, Some(&exchange),
            "200 for a location that /locations lists"; found "status {}", exchange.status);
    }
    // Every character of the scheme and of the number is percent-encoded.
    let hex = |text: &str| -> String { text.bytes().map(|b| format!("%{b:02X}")).collect() };
    let path = format!("/locations/{}/{}/{name}", hex(&place.scheme), hex(&place.id));
    let exchange = v.client.get(&v.url(&path)).await;
    let came = Page::read(exchange);
    let same = came.exchange.status == 200 && came.keys() == page.keys();
    require!(t, "core.location-encoded", same, Some(&came.exchange),
        "the same collection as under the plain address";
        found "status {}, {} documents", came.exchange.status, came.members.len());
}

async fn unknown(v: &Visit<'_>, t: &mut Tally<'_>) {
    let (Some((name, _)), Some(place)) = (scoped(v), &v.place) else {
        return t.none_offered(NO_COLLECTION);
    };
    let nowhere = format!("{}/{name}", place.unknown().path());
    let strange = format!("/locations/org.ade-conformance.none/{}/{name}", encoded(&place.id));
    let nothing = format!("{}/ade-conformance-none", place.path());
    for (id, path, what) in [
        ("core.location-unknown", nowhere, "an unknown location"),
        ("core.location-scheme", strange, "an unknown scheme"),
        ("core.collection-unknown", nothing, "an unknown collection"),
    ] {
        let exchange = v.client.get(&v.url(&path)).await;
        require!(t, id, exchange.refused(), Some(&exchange), "4xx for {what}"; found "status {}", exchange.status);
    }
}

async fn accept(v: &Visit<'_>, t: &mut Tally<'_>) {
    for e in &v.refused_any {
        let expected = "JSON for who accepts anything";
        t.fail("core.accept", Some(e), expected, "status 406");
    }
    let first = v.pages().next().map(|(_, page)| page).or(v.locations.as_ref());
    let Some(page) = first else {
        return t.none_offered("no collection is offered");
    };
    let url = &page.exchange.url;
    for kind in ["*/*", "application/json"] {
        let exchange = v.client.send(Ask::get(url).header("Accept", kind)).await;
        let fine = exchange.status == 200 && exchange.not_json().is_none();
        require!(t, "core.accept", fine, Some(&exchange),
            "JSON for Accept: {kind}"; found "status {}", exchange.status);
    }
    let exchange = v.client.send(Ask::new("HEAD", url)).await;
    if matches!(exchange.status, 404 | 405 | 501) {
        return t.not_offered("core.head", format!("status {}", exchange.status));
    }
    let fine = exchange.status == 200 && exchange.body.is_empty();
    require!(t, "core.head", fine, Some(&exchange),
        "200 without a body"; found "status {}, {} bytes", exchange.status, exchange.body.len());
}

async fn well_known(v: &Visit<'_>, t: &mut Tally<'_>) {
    let mut host = v.base.clone();
    host.set_path("");
    let exchange = v.client.get(&below(&host, "/.well-known/ade")).await;
    if exchange.status != 200 {
        return t.none_offered(&format!("status {}", exchange.status));
    }
    let object = exchange.json().is_some_and(Value::is_object);
    require!(t, "core.well-known", object, Some(&exchange), "a JSON object"; found "something else");
}

async fn parameter(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some((_, page)) = v.pages().next() else {
        return t.none_offered("no collection is offered");
    };
    let url = with(&page.exchange.url, &[("ade-conformance-unknown", "1")]);
    let exchange = v.client.send(Ask::get(&url).by(Who::Main)).await;
    let fine = exchange.ok() || exchange.refused();
    require!(t, "core.parameter-unknown", fine, Some(&exchange), "2xx or 4xx"; found "status {}", exchange.status);
}

async fn times(v: &Visit<'_>, t: &mut Tally<'_>) {
    for (_, page) in v.read_so_far() {
        for one in &page.members {
            document::walk(one, &mut |at, value| {
                let Some(text) = value.as_str().filter(|s| is_instant(s)) else {
                    return;
                };
                let fine = text.ends_with(['Z', 'z']);
                require!(t, "core.times-utc", fine, Some(&page.exchange),
                    "{at} of {} with Z", document::name(one); found "{text}");
            });
        }
    }
}

/// Whether a text looks like a date-time; cheap, since it is called for every text of every document.
fn is_instant(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 19
        && bytes.get(4) == Some(&b'-')
        && bytes.get(10) == Some(&b'T')
        && bytes.get(13) == Some(&b':')
        && (text.ends_with(['Z', 'z']) || text.get(19..).is_some_and(|end| end.contains(['+', '-'])))
        && crate::clock::instant(text).is_some()
}

async fn transport(v: &Visit<'_>, t: &mut Tally<'_>) {
    for e in v.client.exchanges() {
        if e.status == 0 {
            let why = e.broken.clone().unwrap_or_default();
            t.error("core.reachable", format!("{}: {why}", e.url));
            continue;
        }
        let broken = e.broken.clone();
        require!(t, "core.body-whole", broken.is_none(), Some(&e),
            "a whole body"; found "{}", broken.unwrap_or_default());
        if e.status != 200 || e.method != "GET" || e.broken.is_some() || e.body.is_empty() {
            continue;
        }
        // Compression is judged where it is requested.
        let is_own = |(name, _): &(String, String)| name == "Accept-Encoding";
        if e.header("content-encoding").is_some() || e.request_headers.iter().any(is_own) {
            continue;
        }
        require!(t, "core.media-type", e.says_json(), Some(&e), "application/json"; found "{}", e.media_type());
        let why = e.not_json();
        let json = why.is_none();
        require!(t, "core.json", json, Some(&e), "one JSON text in UTF-8"; found "{}", why.unwrap_or_default());
        if json {
            let twice = strict::doubled(&e.body);
            require!(t, "core.member-names", twice.is_none(), Some(&e),
                "each member once"; found "{:?} twice", twice.unwrap_or_default());
        }
    }
}
