//! The table of P6, as far as it can be seen from outside.

use crate::checks::feed::{altered, richest};
use crate::checks::security::NO_SECOND;
use crate::client::Who;
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::feeds::FeedPage;
use crate::visit::{Reading, Visit};

/// 400 with that word as `type`.
fn judge(t: &mut Tally<'_>, id: &'static str, page: Option<FeedPage>, word: &str) {
    let Some(page) = page else { return };
    let body = page.exchange.json().cloned().unwrap_or_default();
    let error_type = document::text(&body, "/errors/0/type");
    let fine = page.exchange.status == 400 && error_type == Some(word);
    require!(t, id, fine, Some(&page.exchange),
        "400 {word}"; found "status {} {}", page.exchange.status, error_type.unwrap_or("without a type"));
}

pub(super) async fn bad(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered("no data set has elements");
    let readings = v.readings().await;
    let Some(reading) = richest(readings) else {
        return;
    };
    let Some(token) = reading.pages.first().and_then(|p| p.token.clone()) else {
        return;
    };
    let set = &reading.set;
    let cut: String = token.chars().take(token.chars().count() / 2).collect();
    for broken in [cut.as_str(), "", "~~~~"] {
        let page = v.changes(set, Some(broken), &[], Who::Main).await;
        judge(t, "profile.token-malformed", page, "token-malformed");
    }
    let page = v.changes(set, Some(&altered(&token)), &[], Who::Main).await;
    judge(t, "profile.token-forged", page, "token-forged");
    let other = readings.iter().find(|r| r.set.name != set.name);
    if let Some(other) = other {
        let page = v.changes(&other.set, Some(&token), &[], Who::Main).await;
        judge(t, "profile.token-foreign-set", page, "token-foreign");
    }
    let kind = set.types.first().cloned().unwrap_or_default();
    let narrowed = v.changes(set, None, &[("types", &kind), ("limit", "1")], Who::Main).await;
    if let Some(token) = narrowed.and_then(|page| page.token) {
        let page = v.changes(set, Some(&token), &[], Who::Main).await;
        judge(t, "profile.token-filter", page, "token-filter");
    }
    foreign(v, t, reading, &token).await;
}

async fn foreign(v: &Visit<'_>, t: &mut Tally<'_>, reading: &Reading, token: &str) {
    let id = "profile.token-foreign-client";
    if !v.client.signed(Who::Other) {
        return t.skip(id, NO_SECOND);
    }
    let list = v.get_by(Who::Other, "/datasets").await;
    let theirs = v.sets_of(&list);
    match theirs.iter().find(|set| set.name == reading.set.name) {
        Some(set) => {
            let page = v.changes(set, Some(token), &[], Who::Other).await;
            judge(t, id, page, "token-foreign");
        }
        None => t.skip(id, "the second account does not have that data set"),
    }
}
