//! Caches, compression, speed.

use std::io::Read;

use ade::catalog::Filter;

use super::errors::guarded;
use super::{Check, check};
use crate::client::{Ask, Exchange, seconds};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Page, Visit, with};

pub(super) static CHECKS: &[Check] = &[
    check!(tags => "performance.etag", "performance.not-modified", "performance.etag-works",
        "performance.etag-stale", "performance.etag-distinct"),
    check!(compression => "performance.gzip", "performance.gzip-offered", "performance.gzip-vary",
        "performance.identity"),
    check!(parallel => "performance.parallel"),
    check!(speed => "performance.first-page", "performance.deep-pages"),
    check!(put_off => "performance.retry-after"),
];

/// The first bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The largest size that a body is unpacked to.
const UNPACKED: u64 = 64 << 20;

async fn tags(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(page) = guarded(v) else {
        return t.none_offered("no collection is offered");
    };
    let url = &page.exchange.url;
    let e = v.client.get(url).await;
    let Some(tag) = e.header("etag").map(str::to_owned) else {
        t.fail("performance.etag", Some(&e), "ETag", "none");
        return t.none_offered("no ETag is sent");
    };
    t.look("performance.etag");
    let ask = Ask::get(url).header("If-None-Match", &tag);
    let second = v.client.send(ask).await;
    let whole = second.status == 200 && !second.body.is_empty();
    let saved = second.status == 304 && second.body.is_empty();
    require!(t, "performance.not-modified", whole || saved, Some(&second),
        "304 without a body, or the whole answer"; found "status {}, {} bytes", second.status, second.body.len());
    require!(t, "performance.etag-works", saved || second.body != e.body, Some(&second),
        "304"; found "status {} with the same body", second.status);
    let stale = Ask::get(url).header("If-None-Match", "\"ade-conformance-none\"");
    let stale = v.client.send(stale).await;
    require!(t, "performance.etag-stale", stale.status == 200, Some(&stale),
        "the whole answer"; found "status {}", stale.status);
    distinct(v, t).await;
}

/// The same path under a filter that finds nothing is another answer.
async fn distinct(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "performance.etag-distinct";
    let narrowed =
        v.pages().find(|(entry, page)| entry.filters.contains(&Filter::Modified) && !page.members.is_empty());
    let Some((_, page)) = narrowed else {
        return t.skip(id, "no collection with documents can be narrowed");
    };
    let none = with(&page.exchange.url, &[("meta-modified-from", "2200-01-01T00:00:00Z")]);
    let other = v.client.get(&none).await;
    let Some(tag) = page
        .exchange
        .header("etag")
        .filter(|_| other.status == 200 && Page::read(other.clone()).members != page.members)
    else {
        return t.skip(id, "no two different answers of one path with a tag");
    };
    let ask = Ask::get(&none).header("If-None-Match", tag);
    let e = v.client.send(ask).await;
    require!(t, id, e.status != 304, Some(&e), "the whole answer"; found "304 to the tag of another");
}

async fn compression(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(page) = guarded(v) else {
        return t.none_offered("no collection is offered");
    };
    let ask = |coding| Ask::get(&page.exchange.url).header("Accept-Encoding", coding);
    let plain = v.client.send(ask("identity")).await;
    let coded = |e: &Exchange| e.header("content-encoding").map(str::to_ascii_lowercase);
    let fine = coded(&plain).is_none_or(|c| c == "identity");
    require!(t, "performance.identity", fine, Some(&plain),
        "plain text"; found "{}", coded(&plain).unwrap_or_default());
    let packed = v.client.send(ask("gzip")).await;
    if coded(&packed).is_none() && packed.body.starts_with(&GZIP) {
        require!(t, "performance.gzip", false, Some(&packed),
            "Content-Encoding: gzip"; found "compressed bytes without Content-Encoding");
        return t.none_offered("compression is not said");
    }
    if coded(&packed).as_deref() != Some("gzip") {
        t.none_offered("gzip is not offered");
        return t.not_offered("performance.gzip-offered", "answers are sent as they are");
    }
    t.look("performance.gzip-offered");
    // An answer that is compressed without request is reported already; its unpacked text is compared.
    let plain_text = match plain.body.starts_with(&GZIP) {
        true => unpacked(&plain.body).unwrap_or_default(),
        false => plain.body.clone(),
    };
    let read = unpacked(&packed.body);
    let keys = |body: &[u8]| -> Option<Vec<String>> {
        let json: serde_json::Value = serde_json::from_slice(body).ok()?;
        let members = json.get("member")?.as_array()?;
        Some(members.iter().map(document::key).collect())
    };
    let equal = |text: &Vec<u8>| *text == plain_text || keys(text) == keys(&plain_text);
    let same = packed.broken.is_none() && read.as_ref().is_ok_and(equal);
    let found = read.map_or_else(|why| why.to_string(), |_| "another text".to_owned());
    require!(t, "performance.gzip", same, Some(&packed), "the plain text, as gzip"; found "{found}");
    let vary = packed.header_all("vary").to_ascii_lowercase();
    let fine = vary.contains("accept-encoding") || vary.contains('*');
    require!(t, "performance.gzip-vary", fine, Some(&packed), "Vary: Accept-Encoding"; found "{vary}");
}

fn unpacked(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let reader = flate2::read::MultiGzDecoder::new(body);
    reader.take(UNPACKED).read_to_end(&mut text)?;
    Ok(text)
}

async fn parallel(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(page) = guarded(v) else {
        return t.none_offered("no collection is offered");
    };
    let url = &page.exchange.url;
    let (a, b, c, d) = tokio::join!(v.client.get(url), v.client.get(url), v.client.get(url), v.client.get(url));
    let wanted = page.keys();
    for e in [a, b, c, d] {
        let came = Page::read(e);
        require!(t, "performance.parallel", came.keys() == wanted, Some(&came.exchange),
            "the same page to each"; found "status {}, {} documents", came.exchange.status, came.members.len());
    }
}

fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

async fn speed(v: &Visit<'_>, t: &mut Tally<'_>) {
    let firsts = v.pages().map(|(_, page)| page.exchange.seconds).collect();
    if let Some(seconds) = median(firsts) {
        require!(t, "performance.first-page", seconds <= 2.0, None, "2 s in the middle"; found "{seconds:.1} s");
    }
    let id = "performance.deep-pages";
    let longest = v.listings().await.iter().max_by_key(|l| l.pages.len());
    let Some(longest) = longest.filter(|l| l.pages.len() >= 5) else {
        return t.skip(id, "no collection has five pages");
    };
    let first = longest.pages.first().map_or(0.0, |p| p.exchange.seconds);
    let late = longest.pages.iter().rev().take(3);
    let late = median(late.map(|p| p.exchange.seconds).collect()).unwrap_or_default();
    // Times below a quarter of a second do not matter, and vary by chance.
    let fine = late < 0.25 || late <= first * 5.0;
    let e = longest.last().map(|p| p.exchange.as_ref());
    require!(t, id, fine, e, "not much more than {first:.2} s, the time of the first page"; found "{late:.2} s");
}

async fn put_off(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.skip_all("the server put off no request at this rate");
    for e in v.client.exchanges() {
        if e.status != 429 {
            continue;
        }
        let pause = e.header("retry-after");
        let fine = pause.and_then(seconds).is_some();
        require!(t, "performance.retry-after", fine, Some(&e), "Retry-After with 429"; found "{}", pause.unwrap_or("none"));
    }
}
