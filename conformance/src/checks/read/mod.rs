//! Collections and their pages.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Check, check};
use crate::client::{Ask, Who};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Listing, Page, Visit, encoded};

mod content;

pub(super) static CHECKS: &[Check] = &[
    check!(shape => "read.envelope", "read.view-valid", "read.links-absolute",
        "read.view-arithmetic", "read.page-size", "read.links-origin", "read.empty"),
    check!(chain => "read.current-page", "read.next-works", "read.next-ends", "read.next-present",
        "read.total", "read.pages", "read.total-stable", "read.once", "read.id-once"),
    check!(links => "read.first-link", "read.prev-link", "read.last-link"),
    check!(repeatable => "read.repeatable"),
    check!(second_names => "read.second-names"),
    check!(sorting => "read.sorting"),
    check!(schemata => "read.schemata"),
    check!(content::documents => "read.location-own", "read.identifiers", "read.scheme-form",
        "read.event-times", "read.periods", "read.progeny", "read.service-sires"),
    check!(content::self_links => "read.self"),
];

const LINKS: [&str; 4] = ["first", "next", "prev", "last"];
const NUMBERS: [&str; 4] = ["totalItems", "totalPages", "pageSize", "currentPage"];

async fn shape(v: &Visit<'_>, t: &mut Tally<'_>) {
    for (entry, page) in v.read_so_far() {
        let e = Some(page.exchange.as_ref());
        require!(t, "read.envelope", page.well_formed, e,
            "{} as an object with an array member", entry.name;
            found "{}", page.exchange.json().map_or("no JSON", kind));
        let wrong = view_fault(page);
        require!(t, "read.view-valid", wrong.is_none(), e,
            "integers and texts in view"; found "{}", wrong.unwrap_or_default());
        for name in LINKS {
            let Some(link) = page.link(name) else {
                continue;
            };
            let absolute = url::Url::parse(link).is_ok();
            require!(t, "read.links-absolute", absolute, e, "{name} absolute"; found "{link}");
            let ours = v.link(&page.exchange, link).is_some_and(|u| v.ours(&u));
            require!(t, "read.links-origin", ours, e,
                "{name} at {}", v.base.origin().ascii_serialization(); found "{link}");
        }
        arithmetic(t, page);
        if page.members.is_empty() && page.number("currentPage").unwrap_or(1) == 1 {
            let fine = page.well_formed && page.number("totalItems").unwrap_or(0) == 0;
            require!(t, "read.empty", fine, e,
                "an empty member and totalItems 0"; found "{}", Value::Object(page.view.clone()));
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "an array",
        Value::Object(_) => "an object of another form",
        Value::Null => "null",
        _ => "no object",
    }
}

/// The faults of types in `view`. Relative links are checked elsewhere.
fn view_fault(page: &Page) -> Option<String> {
    let json = page.exchange.json()?;
    match json.get("view") {
        None | Some(Value::Object(_)) => {}
        Some(other) => return Some(format!("view is {other}")),
    }
    let number = NUMBERS.iter().find_map(|name| {
        let value = page.view.get(*name)?;
        (value.as_u64().is_none()).then(|| format!("{name} is {value}"))
    });
    let link = || {
        LINKS.iter().find_map(|name| {
            let value = page.view.get(*name)?;
            // A link is left out where there is none.
            (!value.is_string() || value == "").then(|| format!("{name} is {value}"))
        })
    };
    number.or_else(link)
}

fn arithmetic(t: &mut Tally<'_>, page: &Page) {
    let e = Some(page.exchange.as_ref());
    let view = || Value::Object(page.view.clone()).to_string();
    let [items, pages, size, current] = NUMBERS.map(|name| page.number(name));
    if let (Some(items), Some(pages), Some(size)) = (items, pages, size) {
        let expected = if size == 0 { pages } else { items.div_ceil(size) };
        // An empty list may count as one page or none.
        let fine = pages == expected || (items == 0 && pages == 1);
        require!(t, "read.view-arithmetic", fine, e, "totalPages {expected}"; found "{}", view());
    }
    if let (Some(current), Some(pages)) = (current, pages) {
        let fine = current >= 1 && current <= pages.max(1);
        require!(t, "read.view-arithmetic", fine, e, "currentPage from 1 to totalPages"; found "{}", view());
    }
    if let Some(size) = size {
        let members = u64::try_from(page.members.len()).unwrap_or(u64::MAX);
        require!(t, "read.page-size", members <= size, e, "at most {size} members"; found "{members}");
    }
}

/// Answers of the whole visit, also those under filters and to the second account.
pub(super) async fn members(v: &Visit<'_>, t: &mut Tally<'_>) {
    for e in v.client.exchanges() {
        if e.status != 200 || e.method != "GET" || e.body_dropped || !v.ours(&e.url) {
            continue;
        }
        let collection = e.body.first() == Some(&b'{') && e.body.len() < 1 << 20;
        let Some(member) = collection.then(|| e.read()).flatten() else {
            continue;
        };
        if let Some(member) = member.get("member") {
            require!(t, "read.envelope", member.is_array(), Some(&e), "an array member"; found "{}", kind(member));
        }
    }
}

async fn chain(v: &Visit<'_>, t: &mut Tally<'_>) {
    for listing in v.listings().await {
        next(t, listing);
        once(t, listing);
        totals(v, t, listing).await;
    }
}

fn next(t: &mut Tally<'_>, listing: &Listing) {
    let mut so_far = 0_u64;
    for (at, page) in listing.pages.iter().enumerate() {
        let e = Some(page.exchange.as_ref());
        so_far += u64::try_from(page.members.len()).unwrap_or_default();
        if let (Some(current), Some(first)) =
            (page.number("currentPage"), listing.pages.first().and_then(|p| p.number("currentPage")))
        {
            let expected = first + u64::try_from(at).unwrap_or_default();
            require!(t, "read.current-page", current == expected, e, "currentPage {expected}"; found "{current}");
        }
        if let (Some(current), Some(pages)) = (page.number("currentPage"), page.number("totalPages")) {
            let has = page.link("next").is_some();
            let wants = current < pages;
            // Numbers that contradict each other are reported elsewhere.
            let remaining = page.number("totalItems").map(|total| total > so_far);
            if remaining.is_some_and(|remaining| remaining != wants) {
                continue;
            }
            let words = |b: bool| if b { "next" } else { "no next" };
            require!(t, "read.next-present", has == wants, e,
                "{} on page {current} of {pages}", words(wants); found "{}", words(has));
        }
    }
    for _ in listing.pages.iter().skip(1) {
        t.look("read.next-works");
    }
    if let Some(exchange) = &listing.lost {
        require!(t, "read.next-works", false, Some(exchange), "the next page"; found "status {}", exchange.status);
    }
    if listing.complete {
        t.look("read.next-ends");
    }
    if let Some(link) = &listing.circle {
        let e = listing.last().map(|p| p.exchange.as_ref());
        require!(t, "read.next-ends", false, e, "a page that was not read yet"; found "{link}");
    }
}

fn once(t: &mut Tally<'_>, listing: &Listing) {
    let mut keys: BTreeMap<String, usize> = BTreeMap::new();
    let mut ids: BTreeMap<&str, String> = BTreeMap::new();
    for (at, page) in listing.pages.iter().enumerate() {
        let e = Some(page.exchange.as_ref());
        for one in &page.members {
            let key = document::key(one);
            let before = keys.insert(key.clone(), at);
            require!(t, "read.once", before.is_none(), e,
                "{} once", document::name(one); found "on page {} and on page {}", before.unwrap_or(0) + 1, at + 1);
            let Some(id) = document::text(one, "/id").filter(|_| before.is_none()) else {
                continue;
            };
            let other = ids.insert(id, key);
            require!(t, "read.id-once", other.is_none(), e,
                "id {id} once"; found "{} and {}", document::name(one), other.unwrap_or_default());
        }
    }
}

async fn totals(v: &Visit<'_>, t: &mut Tally<'_>, listing: &Listing) {
    let Some(first) = listing.pages.first() else {
        return;
    };
    let counts: Vec<u64> = listing.pages.iter().filter_map(|p| p.number("totalItems")).collect();
    let same = counts.windows(2).all(|pair| pair.first() == pair.last());
    if counts.len() > 1 {
        let mut steady = same;
        if !same {
            // Another client may be writing: the first page shows it.
            let second = Page::read(v.client.get(&first.exchange.url).await);
            steady = second.number("totalItems") != first.number("totalItems");
        }
        let e = listing.last().map(|p| p.exchange.as_ref());
        require!(t, "read.total-stable", steady, e, "one totalItems on all pages"; found "{counts:?}");
    }
    if !listing.complete {
        t.skip("read.total", "no collection was read to its end");
        t.skip("read.pages", "no collection was read to its end");
        return;
    }
    let members: usize = listing.pages.iter().map(|p| p.members.len()).sum();
    let members = u64::try_from(members).unwrap_or_default();
    if let Some(total) = first.number("totalItems") {
        let e = Some(first.exchange.as_ref());
        require!(t, "read.total", total == members, e,
            "{total} documents of {} along all pages", listing.name; found "{members}");
    }
    if let Some(pages) = first.number("totalPages") {
        let came = u64::try_from(listing.pages.len()).unwrap_or_default();
        let e = Some(first.exchange.as_ref());
        let fine = came == pages.max(1);
        require!(t, "read.pages", fine, e, "{pages} pages of {}", listing.name; found "{came}");
    }
}

async fn links(v: &Visit<'_>, t: &mut Tally<'_>) {
    let long = v.listings().await.iter().filter(|l| l.pages.len() > 1);
    for listing in long.take(3) {
        let (Some(first), Some(second), Some(last)) = (listing.pages.first(), listing.pages.get(1), listing.last())
        else {
            continue;
        };
        for (id, from, name, target) in [
            ("read.first-link", second, "first", Some(first)),
            ("read.prev-link", second, "prev", Some(first)),
            ("read.last-link", first, "last", Some(last).filter(|_| listing.complete)),
        ] {
            let (Some(link), Some(target)) = (from.link(name), target) else {
                continue;
            };
            let Some(url) = v.link(&from.exchange, link).filter(|u| v.ours(u)) else {
                continue;
            };
            let exchange = v.client.get(&url).await;
            let page = Page::read(exchange);
            // A last page may be counted from the end: then it has the last documents that were read.
            let came = page.keys();
            let all: Vec<String> = listing.documents().map(document::key).collect();
            let fine = if name == "last" {
                !came.is_empty() && all.ends_with(&came) && page.link("next").is_none()
            } else {
                came == target.keys()
            };
            require!(t, id, fine, Some(&page.exchange),
                "the {name} page of {}", listing.name;
                found "status {}, {} documents, others than expected", page.exchange.status, came.len());
        }
    }
    let pages = v.listings().await.iter().any(|l| l.pages.len() > 1);
    t.none_offered(if pages { "the link is not sent" } else { "no collection has more than one page" });
}

async fn repeatable(v: &Visit<'_>, t: &mut Tally<'_>) {
    let filled = v.pages().filter(|(_, page)| page.members.len() > 1);
    for (entry, page) in filled.take(5) {
        let mut second = Page::read(v.client.get(&page.exchange.url).await);
        let mut fine = second.keys() == page.keys();
        if !fine {
            // Another client may be writing: two answers in a row must be the same.
            let third = Page::read(v.client.get(&page.exchange.url).await);
            fine = third.keys() == second.keys();
            second = third;
        }
        require!(t, "read.repeatable", fine, Some(&second.exchange),
            "the same documents of {} in the same order", entry.name; found "others, or in another order");
    }
}

async fn second_names(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered("no collection is offered under two names");
    for (entry, page) in v.pages() {
        let Some(other) = entry.same_as.as_deref().and_then(|name| v.page_of(name)) else {
            continue;
        };
        let same = page.number("totalItems") == other.number("totalItems") && page.keys() == other.keys();
        require!(t, "read.second-names", same, Some(&page.exchange),
            "{} lists what its other name lists", entry.name; found "something else");
    }
}

async fn sorting(v: &Visit<'_>, t: &mut Tally<'_>) {
    let (Some(place), Some(sortings)) = (&v.place, v.page_of("sortings")) else {
        return t.none_offered("sortings is not offered");
    };
    let animal = sortings
        .members
        .iter()
        .chain(v.page_of("animals").into_iter().flat_map(|p| &p.members))
        .find_map(|one| document::identifier(one, "/animal").or(document::identifier(one, "/identifier")));
    let Some((scheme, id)) = animal else {
        return t.skip_all("no animal is known");
    };
    let path = format!("{}/{}/{}/sorting", place.path(), encoded(&scheme), encoded(&id));
    let exchange = v.client.send(Ask::get(&v.url(&path)).by(Who::Main)).await;
    let object = exchange.status == 200
        && exchange.json().is_some_and(|one| ade::validate("icarAnimalSortingCommandResource", one).is_empty());
    let fine = object || matches!(exchange.status, 404 | 204);
    require!(t, "read.sorting", fine, Some(&exchange),
        "one valid sorting command, or 404"; found "status {}", exchange.status);
}

async fn schemata(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(page) = v.page_of("schemata") else {
        return t.none_offered("schemata is not offered");
    };
    let (Some(name), Some(place)) =
        (page.members.iter().find_map(|one| document::text(one, "/name").or(document::text(one, "/id"))), &v.place)
    else {
        return t.skip_all("no scheme type is listed");
    };
    let url = v.url(&format!("{}/schemata/{}", place.path(), encoded(name)));
    let exchange = v.client.get(&url).await;
    let fine = exchange.status == 200 && Page::read(exchange.clone()).well_formed;
    require!(t, "read.schemata", fine, Some(&exchange),
        "the schemes of {name} as a collection"; found "status {}", exchange.status);
}
