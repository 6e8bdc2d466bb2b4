//! The effects of a write on feeds, tags and rights; and methods that must not write.

mod foreign;
mod gap;

use std::collections::BTreeSet;
use std::time::Duration;

use ade::catalog::{CollectionEntry, Verb};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::sending::{Sender, allowed, patiently};
use super::{Check, check};
use crate::client::{Ask, Who};
use crate::clock;
use crate::document::{self, changed, retracted};
use crate::tally::{Tally, require};
use crate::visit::feeds::FeedPage;
use crate::visit::{DataSet, Visit, with};

pub(super) static CHECKS: &[Check] = &[
    check!(feed => "feed.write-seen", "feed.update-seen", "feed.deletion-seen",
        "feed.revival-seen", "feed.old-token-write", "profile.fresh";
        also "feed.tombstone", "profile.tombstone-reason"),
    check!(gap::none => "profile.no-gap"),
    check!(wait => "profile.wait-change"),
    check!(tags => "performance.etag-changes", "performance.not-modified-after-change"),
    check!(foreign::write => "security.foreign-write"),
    check!(foreign::body => "intake.location-own"),
    check!(methods => "errors.method-write", "errors.post-read-only"),
];

const NOT_READ: &str = "the data set was not read to its end";

/// The last state of a document from a token on, and the page that has it.
async fn from(sender: &Sender<'_>, set: &DataSet, token: &str, one: &Value) -> Option<(Value, FeedPage)> {
    let pair = document::pair(one);
    let mut token = token.to_owned();
    let mut found = None;
    let mut seen = BTreeSet::new();
    for _ in 0..sender.visit.options.bounds.feed_pages {
        let page = sender.visit.changes(set, Some(&token), &[], Who::Main).await?;
        if page.exchange.status != 200 {
            return found;
        }
        let last = page.elements.iter().rfind(|other| document::pair(other) == pair).cloned();
        let next = page.token.clone();
        // A page with only elements that came before leads back.
        let fresh = page.elements.iter().filter(|one| {
            let modified = document::text(one, "/meta/modified").unwrap_or_default();
            seen.insert((document::key(one), modified.to_owned()))
        });
        let end = fresh.count() == 0;
        if let Some(last) = last {
            found = Some((last, page));
        }
        match next {
            Some(next) if !end && next != token => token = next,
            _ => return found,
        }
    }
    found
}

/// The same until the state fits, or patience ends.
async fn comes(
    sender: &Sender<'_>,
    set: &DataSet,
    token: &str,
    one: &Value,
    fits: impl Fn(&Value) -> bool,
) -> Option<(Value, FeedPage)> {
    let patience = sender.visit.options.patience;
    let done = |found: &Option<(Value, FeedPage)>| found.as_ref().is_some_and(|(state, _)| fits(state));
    patiently(patience, || from(sender, set, token, one), done).await
}

async fn feed(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some((sender, set)) = Sender::with_set(v, t, "feed").await else {
        return;
    };
    let reading = v.readings().await.iter().find(|r| r.set.name == set.name);
    let Some(reading) = reading.filter(|r| r.complete) else {
        sender.clean().await;
        return t.skip_all(NOT_READ);
    };
    // The end of the feed, and a position in the middle of it.
    let last = reading.last_token().unwrap_or_default().to_owned();
    let amid = reading.pages.get(reading.pages.len() / 2);
    let amid = amid.and_then(|p| p.since.clone());
    let number = sender.template.number;
    let valued = |one: &Value, n: f64| one.pointer(number).and_then(Value::as_f64) == Some(n);

    let first = changed(&sender.document(), number, json!(431));
    let e = sender.post(&first).await;
    let at_once = from(&sender, &set, &last, &first).await;
    require!(t, "profile.fresh", at_once.is_some(), Some(&e),
        "the document in the next answer of the feed"; found "it is not there yet");
    let live = |one: &Value| !document::deleted(one);
    type Fits<'f> = &'f (dyn Fn(&Value) -> bool + Sync);
    let steps: [(&'static str, Value, Fits<'_>, &str); 4] = [
        ("feed.write-seen", first.clone(), &live, "the new document"),
        (
            "feed.update-seen",
            changed(&first, number, json!(457)),
            &|one| live(one) && valued(one, 457.0),
            "the corrected document",
        ),
        ("feed.deletion-seen", retracted(&first), &document::deleted, "a tombstone"),
        (
            "feed.revival-seen",
            changed(&first, number, json!(461)),
            &|one| live(one) && valued(one, 461.0),
            "the document again",
        ),
    ];
    for (id, mut state, fits, words) in steps {
        if id != "feed.write-seen" {
            state = changed(&state, "/meta/modified", json!(clock::milliseconds()));
            sender.post(&state).await;
        }
        let found = comes(&sender, &set, &last, &state, fits).await;
        let fine = found.as_ref().is_some_and(|(one, _)| fits(one));
        let e = found.as_ref().map(|(_, page)| page.exchange.as_ref());
        require!(t, id, fine, e,
            "{words} from the last token on";
            found "{}", found.as_ref().map_or_else(|| "nothing of it".to_owned(), |(one, _)| one.to_string()));
        if let Some((one, page)) = found.filter(|(one, _)| document::deleted(one)) {
            tombstone(t, &one, &page);
        }
        if let Some(amid) = amid.as_deref().filter(|_| id == "feed.write-seen") {
            let found = comes(&sender, &set, amid, &state, fits).await;
            let e = found.as_ref().map(|(_, page)| page.exchange.as_ref());
            require!(t, "feed.old-token-write", found.is_some(), e,
                "{words} from an older token on"; found "nothing of it");
        }
    }
    sender.clean().await;
}

fn tombstone(t: &mut Tally<'_>, one: &Value, page: &FeedPage) {
    let e = Some(page.exchange.as_ref());
    let missing = super::feed::lacking(one);
    require!(t, "feed.tombstone", missing.is_none(), e,
        "the four members of a tombstone"; found "without {}", missing.unwrap_or_default());
    let reason = document::text(one, "/meta/reason");
    require!(t, "profile.tombstone-reason", reason == Some("deleted"), e,
        "deleted"; found "{}", reason.unwrap_or("none"));
}

async fn wait(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some((sender, set)) = Sender::with_set(v, t, "wait").await else {
        return;
    };
    let now = v.changes(&set, None, &[("from", "now")], Who::Main).await;
    if let Some(token) = now.and_then(|page| page.token) {
        let one = sender.document();
        let (waited, _) = tokio::join!(v.changes(&set, Some(&token), &[("wait", "10")], Who::Main), async {
            sleep(Duration::from_millis(700)).await;
            sender.post(&one).await
        });
        if let Some(page) = waited {
            let pair = document::pair(&one);
            let there = page.elements.iter().any(|e| document::pair(e) == pair);
            let seconds = page.exchange.seconds;
            let fine = there && seconds < 8.0;
            require!(t, "profile.wait-change", fine, Some(&page.exchange),
                "the document as soon as it is sent";
                found "{} elements after {seconds:.1} s", page.elements.len());
        }
    } else {
        t.none_offered("from=now is not offered");
    }
    sender.clean().await;
}

async fn tags(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = Sender::hire(v, t, Verb::Post, "tags").await else {
        return;
    };
    // New documents come on the first page of this list.
    let since = clock::milliseconds();
    let url = with(&sender.url(), &[("meta-modified-from", &since)]);
    let before = v.client.get(&url).await;
    match before.header("etag").map(str::to_owned) {
        None => t.none_offered("no ETag is sent"),
        Some(tag) => {
            let one = sender.document();
            sender.post(&one).await;
            sender.comes(&one).await;
            let request = Ask::get(&url).header("If-None-Match", &tag);
            let e = v.client.send(request).await;
            let after = v.client.get(&url).await;
            if after.body == before.body {
                t.skip_all("the list did not change");
            } else {
                require!(t, "performance.not-modified-after-change", e.status != 304, Some(&e),
                    "the new answer"; found "304 to the old tag");
                let differs = after.header("etag") != Some(tag.as_str());
                require!(t, "performance.etag-changes", differs, Some(&after), "another tag"; found "{tag}");
            }
        }
    }
    sender.clean().await;
}

async fn methods(v: &Visit<'_>, t: &mut Tally<'_>) {
    let ids = ["errors.method-write", "errors.post-read-only"];
    if !allowed(v, t) {
        return;
    }
    let empty = json!({});
    let refused = |e: &crate::client::Exchange| e.refused() || e.status == 501;
    if let Some((_, page)) = v.pages().find(|(entry, _)| entry.scoped) {
        for method in ["PUT", "PATCH"] {
            let ask = Ask::new(method, &page.exchange.url).text("application/json", &empty.to_string());
            let e = v.client.send(ask).await;
            require!(t, ids[0], refused(&e), Some(&e), "405 for {method}"; found "status {}", e.status);
        }
    }
    let read_only = |entry: &CollectionEntry| entry.scoped && entry.verbs == [Verb::Get];
    t.not_offered(ids[1], "no collection that can only be read is offered");
    let all = v.pages().filter(|(entry, _)| read_only(entry));
    for (_, page) in all.take(3) {
        let e = v.client.send(Ask::post(&page.exchange.url, &empty)).await;
        require!(t, ids[1], refused(&e), Some(&e), "405"; found "status {}", e.status);
    }
}
