//! Tokens that must be accepted, and some that must not.

use feed_oracle::Probe;
use url::Url;

use super::{NONE, richest};
use crate::client::Who;
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::feeds::{FeedPage, answer};
use crate::visit::{Reading, Visit};

fn keys(page: &FeedPage) -> Vec<String> {
    page.elements.iter().map(document::key).collect()
}

pub(super) async fn good(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered(NONE);
    let mut sets: Vec<&Reading> = v.readings().await.iter().filter(|r| r.pages.len() > 1).collect();
    sets.sort_by_key(|r| std::cmp::Reverse(r.elements().count()));
    for reading in sets.into_iter().take(3) {
        // A page in the middle of the reading, and the next page as it came then.
        let amid = reading.pages.len() / 2;
        if let Some((token, then)) = reading.pages.get(amid).and_then(|p| Some((p.since.as_deref()?, p)))
            && let Some(second) = v.changes(&reading.set, Some(token), &[], Who::Main).await
        {
            let fine = second.exchange.status == 200 && keys(&second) == keys(then);
            require!(t, "feed.replay", fine, Some(&second.exchange),
                "the page that came before, {} elements", then.elements.len();
                found "status {}, {} elements", second.exchange.status, second.elements.len());
            encoded(v, t, reading, token, then).await;
        }
        if let Some(token) = reading.last_token().filter(|_| reading.complete)
            && let Some(rest) = v.changes(&reading.set, Some(token), &[], Who::Main).await
        {
            let fine = rest.exchange.status == 200 && rest.elements.is_empty() && !rest.full_sync;
            require!(t, "feed.rest", fine, Some(&rest.exchange),
                "no elements after the last token";
                found "status {}, {} elements", rest.exchange.status, rest.elements.len());
            shape(t, &rest);
        }
    }
}

/// Empty pages have context and continuation too.
fn shape(t: &mut Tally<'_>, page: &FeedPage) {
    if page.exchange.status != 200 {
        return;
    }
    let e = Some(page.exchange.as_ref());
    require!(t, "feed.rest", page.has_context && page.token.is_some(), e,
        "context and continuation on an empty page"; found "one is missing");
}

async fn encoded(v: &Visit<'_>, t: &mut Tally<'_>, reading: &Reading, token: &str, then: &FeedPage) {
    let Some(changes) = &reading.set.changes else {
        return;
    };
    let hex: String = token.bytes().map(|b| format!("%{b:02X}")).collect();
    let mut url: Url = changes.clone();
    let query = match url.query() {
        Some(before) if !before.is_empty() => format!("{before}&since={hex}"),
        _ => format!("since={hex}"),
    };
    url.set_query(Some(&query));
    let page = FeedPage::read(v.client.get(&url).await, Some(token));
    let fine = page.exchange.status == 200 && keys(&page) == keys(then);
    require!(t, "feed.token-encoded", fine, Some(&page.exchange),
        "the page of that token"; found "status {}, {} elements", page.exchange.status, page.elements.len());
}

/// The token with a character in the middle changed, so that its form stays and its content does not.
pub(crate) fn altered(token: &str) -> String {
    let mut letters: Vec<char> = token.chars().collect();
    let amid = letters.len() / 2;
    if let Some(letter) = letters.get_mut(amid) {
        *letter = if *letter == 'A' { 'B' } else { 'A' };
    }
    letters.into_iter().collect()
}

pub(super) async fn bad(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered(NONE);
    let readings = v.readings().await;
    let Some(reading) = richest(readings) else {
        return;
    };
    // Only the rules of the standard; the profile has checks of its own.
    let profile = feed_oracle::Profile::standard();
    let malformed = |token: &str| {
        let id = "feed.token-malformed";
        (id, Probe::Malformed, &reading.set, token.to_owned())
    };
    let mut bad = vec![malformed("ade conformance: no token!"), malformed("~~~~")];
    if let Some(token) = reading.pages.first().and_then(|p| p.token.as_deref()) {
        let altered = altered(token);
        bad.push(("feed.token-altered", Probe::Forged, &reading.set, altered));
        let other = readings.iter().find(|r| r.set.name != reading.set.name && r.refused.is_none());
        match other {
            Some(other) => {
                let token = token.to_owned();
                bad.push(("feed.token-other-set", Probe::Foreign, &other.set, token));
            }
            None => t.not_offered("feed.token-other-set", "there is one data set only"),
        }
    }
    for (id, probe, set, token) in bad {
        if let Some(page) = v.changes(set, Some(&token), &[], Who::Main).await {
            let wrong = probe.judge(&profile, &answer(&page.exchange));
            require!(t, id, wrong.is_none(), Some(&page.exchange),
                "400, or icar-full-sync, from {}", set.name;
                found "{}", wrong.map(|w| w.words).unwrap_or_default());
        }
    }
}
