//! What `docs/feed-profile.md` promises beyond the standard.

mod asking;
mod tokens;

use std::collections::BTreeSet;

use feed_oracle::Kind;

use super::{Check, check};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Reading, Visit};

pub(super) static CHECKS: &[Check] = &[
    check!(readings => "profile.repeat-once", "profile.times-ascend", "profile.token-length",
        "profile.token-alphabet", "profile.tombstone-reason", "profile.current",
        "profile.pending-since"),
    check!(everything => "profile.everything"),
    check!(tokens::bad => "profile.token-malformed", "profile.token-forged",
        "profile.token-foreign-set", "profile.token-foreign-client", "profile.token-filter"),
    check!(asking::limits => "profile.limit", "profile.limit-most", "profile.limit-order",
        "profile.latest-only", "profile.stateless"),
    check!(asking::narrowed => "profile.types", "profile.types-unknown", "profile.locations"),
    check!(asking::now => "profile.from-now", "profile.from-now-since", "profile.wait",
        "profile.poll"),
];

const REASONS: [&str; 4] = ["deleted", "left", "left-set", "retyped"];

async fn readings(v: &Visit<'_>, t: &mut Tally<'_>) {
    for reading in v.readings().await {
        t.look("profile.repeat-once");
        if !reading.set.name.starts_with("set-") {
            t.look("profile.times-ascend");
        }
        for (at, violation) in &reading.violations {
            let e = reading.pages.get(*at).map(|p| p.exchange.as_ref());
            let (id, expected) = match violation.kind {
                Kind::Repeated => ("profile.repeat-once", "each state once"),
                Kind::TimesWentBack => ("profile.times-ascend", "times that never go back"),
                Kind::Unmarked => ("profile.current", "current true or false"),
                _ => continue,
            };
            t.fail(id, e, expected, violation.words.clone());
        }
        for (at, page) in reading.pages.iter().enumerate() {
            marks(t, reading, at);
            let e = Some(page.exchange.as_ref());
            if let Some(token) = &page.token {
                let fine = token.chars().count() <= 512;
                require!(t, "profile.token-length", fine, e, "at most 512 characters"; found "{}", token.len());
                let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
                require!(t, "profile.token-alphabet", token.bytes().all(plain), e,
                    "characters of base64url"; found "{token}");
            }
            for one in page.elements.iter().filter(|one| document::deleted(one)) {
                let reason = document::text(one, "/meta/reason");
                let fine = reason.is_some_and(|r| REASONS.contains(&r));
                require!(t, "profile.tombstone-reason", fine, e,
                    "{}", REASONS.join(", "); found "{}", reason.unwrap_or("none"));
            }
        }
    }
}

fn marks(t: &mut Tally<'_>, reading: &Reading, at: usize) {
    let Some(page) = reading.pages.get(at) else {
        return;
    };
    let e = Some(page.exchange.as_ref());
    let current = page.current();
    // Something came after a page that said it was the last.
    let more = reading.pages.iter().skip(at + 1).any(|later| !later.elements.is_empty());
    let fine = match current {
        None => false,
        Some(true) => !more,
        Some(false) => more || !reading.complete,
    };
    require!(t, "profile.current", fine, e,
        "current {}", !more; found "{}", current.map_or_else(|| "none".to_owned(), |c| format!("current {c}")));
    if current == Some(false) {
        let since = document::time(&page.continuation, "/pendingSince");
        let now = page.exchange.date();
        let fine = since.is_some_and(|since| now.is_none_or(|now| since <= now + 5_000_000_000));
        require!(t, "profile.pending-since", fine, e, "pendingSince, in the past"; found "{}", page.continuation);
    }
}

async fn everything(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "profile.everything";
    let readings = v.readings().await;
    let whole = readings.iter().find(|r| r.set.name == "everything");
    let Some(whole) = whole else {
        return t.none_offered("there is no data set everything");
    };
    if !whole.complete {
        return t.skip_all("everything was not read to its end");
    }
    let keys: BTreeSet<String> = whole.live().into_keys().collect();
    for reading in readings.iter().filter(|r| r.complete) {
        for (key, one) in reading.live() {
            require!(t, id, keys.contains(&key), None,
                "{} of {} in everything", document::name(one), reading.set.name; found "it is not");
        }
    }
}
