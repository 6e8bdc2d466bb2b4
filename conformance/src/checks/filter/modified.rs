//! The window of changes.

use std::collections::BTreeSet;

use ade::catalog::Filter;
use serde_json::Value;

use super::trial::{NO_DOCUMENTS, Trial, candidates, does_no_harm, finds_nothing, is_refused};
use crate::clock::{shifted, written};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Listing, Page, Visit, with};

const FROM: &str = "meta-modified-from";
const TO: &str = "meta-modified-to";

pub(super) async fn window(v: &Visit<'_>, t: &mut Tally<'_>) {
    let all = candidates(v, Filter::Modified, |one| document::modified(one).is_some()).await;
    if all.is_empty() {
        t.none_offered(NO_DOCUMENTS);
    } else {
        t.skip_all("no two documents of a collection were modified at different times");
    }
    for (at, listing) in all.into_iter().enumerate() {
        let times: BTreeSet<i128> = listing.documents().filter_map(document::modified).collect();
        let times: Vec<i128> = times.into_iter().collect();
        // In the middle, so that both sides have documents.
        let Some(&amid) = times.get(times.len() / 2).filter(|_| times.len() > 1) else {
            continue;
        };
        let from = ask(v, t, listing, (Some(amid), None)).await;
        let to = ask(v, t, listing, (None, Some(amid))).await;
        seam(t, listing, amid, from.as_ref(), to.as_ref());
        if let (Some(&a), Some(&b)) =
            (times.get(times.len() / 3), times.get(times.len() * 2 / 3).filter(|_| times.len() > 3))
            && at < 3
        {
            ask(v, t, listing, (Some(a), Some(b))).await;
        }
        if at < 2 {
            offset(v, t, listing, amid, from.as_ref()).await;
        }
    }
}

/// One window, judged on both of its ends; documents exactly on an end may come or not.
async fn ask(
    v: &Visit<'_>,
    t: &mut Tally<'_>,
    listing: &Listing,
    (from, to): (Option<i128>, Option<i128>),
) -> Option<Listing> {
    let mut parameters = Vec::new();
    parameters.extend(from.map(|time| (FROM, written(time))));
    parameters.extend(to.map(|time| (TO, written(time))));
    let words = |(name, value): &(&str, String)| format!("{name} {value}");
    let only = match (from, to) {
        (Some(_), Some(_)) => "filter.combined",
        (Some(_), None) => "filter.modified-from",
        _ => "filter.modified-to",
    };
    let trial = Trial {
        listing,
        words: parameters.iter().map(words).collect::<Vec<_>>().join(", "),
        parameters,
        ids: (only, "filter.modified-complete"),
    };
    let within = |one: &Value, edge: bool| {
        document::modified(one).is_some_and(|time| {
            from.is_none_or(|from| time > from || (edge && time == from))
                && to.is_none_or(|to| time < to || (edge && time == to))
        })
    };
    trial.judge(v, t, &|one| within(one, true), &|one| within(one, false)).await
}

fn seam(t: &mut Tally<'_>, listing: &Listing, amid: i128, from: Option<&Listing>, to: Option<&Listing>) {
    let whole = |l: Option<&Listing>| l.is_some_and(|l| l.complete);
    if !whole(from) || !whole(to) {
        return;
    }
    let keys = |l: Option<&Listing>| -> BTreeSet<String> {
        l.into_iter().flat_map(|l| l.documents().map(document::key)).collect()
    };
    let (after, before) = (keys(from), keys(to));
    let e = from.and_then(|l| l.pages.first()).map(|p| p.exchange.as_ref());
    for one in listing.documents() {
        if document::modified(one) != Some(amid) {
            continue;
        }
        let key = document::key(one);
        let (after, before) = (after.contains(&key), before.contains(&key));
        require!(t, "filter.modified-seam", after || before, e,
            "{} modified at {} in one of both windows", document::name(one), written(amid);
            found "it is in neither");
        require!(t, "filter.modified-inclusive", after, e,
            "{} modified at {} from then on", document::name(one), written(amid); found "it does not come");
    }
}

/// The same instant with another offset.
async fn offset(v: &Visit<'_>, t: &mut Tally<'_>, listing: &Listing, amid: i128, from: Option<&Listing>) {
    let (Some(from), Some(local)) = (from, shifted(amid)) else {
        return;
    };
    let url = with(&listing.url, &[(FROM, &local)]);
    let keys = |l: &Listing| -> Vec<String> { l.documents().map(document::key).collect() };
    match v.filtered(listing.entry, &url).await {
        Err(e) => {
            require!(t, "filter.modified-offset", false, Some(&e),
                "the documents from {local}"; found "status {}", e.status);
        }
        Ok(came) => {
            let fine = !came.complete || !from.complete || keys(&came) == keys(from);
            let e = came.pages.first().map(|p| p.exchange.as_ref());
            require!(t, "filter.modified-offset", fine, e,
                "the same documents from {local} as from {}", written(amid); found "others");
        }
    }
}

pub(super) async fn misuse(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered("no collection with this filter is offered");
    let filled = candidates(v, Filter::Modified, |_| true).await;
    for listing in filled.into_iter().take(2) {
        let long_ago = [(FROM, "1990-01-01T00:00:00Z"), (TO, "1990-01-02T00:00:00Z")];
        let e = v.client.get(&with(&listing.url, &long_ago)).await;
        let came = Page::read(e.clone());
        let fine = e.status == 200 && came.well_formed;
        require!(t, "filter.modified-empty", fine, Some(&e),
            "an empty collection for a window in which nothing was modified"; found "status {}", e.status);
        let future = [(FROM, "2200-01-01T00:00:00Z")];
        finds_nothing(v, t, "filter.modified-future", listing, &future).await;
        let reversed = [(FROM, "2190-01-01T00:00:00Z"), (TO, "1990-01-01T00:00:00Z")];
        finds_nothing(v, t, "filter.modified-reversed", listing, &reversed).await;
        let id = "filter.modified-malformed";
        is_refused(v, t, id, &listing.url, &[(FROM, "yesterday")]).await;
        does_no_harm(v, t, "filter.empty-value", listing, &[(FROM, "")]).await;
    }
}
