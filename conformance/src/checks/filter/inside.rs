//! Filters for members inside a document.

use ade::catalog::{Catalog, Filter};
use serde_json::Value;

use super::trial::{self, Ids, NO_DOCUMENTS, Trial, candidates, finds_nothing};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Listing, Visit, with};

/// The values of the members that answer a parameter.
fn values<'v>(one: &'v Value, parameter: &str) -> Vec<&'v Value> {
    let mut found = Vec::new();
    if let Some(answer) = Catalog::get().answer(parameter) {
        for member in &answer.members {
            step(one, member, &mut found);
        }
    }
    found
}

fn step<'v>(value: &'v Value, path: &str, found: &mut Vec<&'v Value>) {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let plain = name.strip_suffix("[]").unwrap_or(name);
    let Some(inner) = value.get(plain) else {
        return;
    };
    let list = match inner {
        Value::Array(elements) if plain != name => elements.as_slice(),
        one => std::slice::from_ref(one),
    };
    for element in list {
        if rest.is_empty() {
            found.push(element);
        } else {
            step(element, rest, found);
        }
    }
}

fn identifiers(one: &Value, parameter: &str) -> Vec<(String, String)> {
    values(one, parameter).into_iter().filter_map(|value| document::identifier(value, "")).collect()
}

fn codes<'v>(one: &'v Value, parameter: &str) -> Vec<&'v str> {
    values(one, parameter).into_iter().filter_map(Value::as_str).collect()
}

/// One identifier, with scheme and number in parameters of these names.
async fn pair(
    v: &Visit<'_>,
    t: &mut Tally<'_>,
    listing: &Listing,
    (scheme, number): (&'static str, &'static str),
    ids: Ids,
) {
    let all = |one: &Value| identifiers(one, number);
    let Some(wanted) = trial::divides(listing.documents().flat_map(all)) else {
        return;
    };
    let others = trial::names_of(v, &wanted);
    let trial = Trial {
        listing,
        parameters: vec![(scheme, wanted.0.clone()), (number, wanted.1.clone())],
        ids,
        words: format!("{} {}", wanted.0, wanted.1),
    };
    let has = |one: &Value| all(one).contains(&wanted);
    let may = |one: &Value| has(one) || all(one).iter().any(|i| others.contains(i));
    trial.judge(v, t, &may, &has).await;
}

pub(super) async fn identifier(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered(NO_DOCUMENTS);
    let names = ("identifier-scheme", "identifier-id");
    let all = candidates(v, Filter::Identifier, |one| !identifiers(one, names.1).is_empty());
    for (at, listing) in all.await.into_iter().enumerate() {
        let ids = ("filter.identifier", "filter.identifier-complete");
        pair(v, t, listing, names, ids).await;
        if at < 2 {
            let nobody = [(names.0, "org.ade-conformance.none"), (names.1, "ade-conformance-0000")];
            finds_nothing(v, t, "filter.identifier-unknown", listing, &nobody).await;
        }
    }
}

pub(super) async fn metric(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "filter.metric";
    t.none_offered("no summaries of observations are offered");
    let names = ("metric-scheme", "metric-id");
    let all = candidates(v, Filter::Metric, |one| !identifiers(one, names.1).is_empty());
    for listing in all.await {
        pair(v, t, listing, names, (id, id)).await;
    }
}

async fn codes_of(v: &Visit<'_>, t: &mut Tally<'_>, filter: Filter, parameter: &'static str) {
    let all = candidates(v, filter, |one| !codes(one, parameter).is_empty());
    for listing in all.await {
        // A required parameter is in the address already.
        if listing.entry.required.contains(&filter) {
            continue;
        }
        let owned = |one: &Value| -> Vec<String> { codes(one, parameter).into_iter().map(str::to_owned).collect() };
        let Some(wanted) = trial::divides(listing.documents().flat_map(owned)) else {
            continue;
        };
        let trial = Trial {
            listing,
            parameters: vec![(parameter, wanted.clone())],
            ids: ("filter.code", "filter.code-complete"),
            words: format!("{parameter} {wanted}"),
        };
        let has = |one: &Value| codes(one, parameter).contains(&wanted.as_str());
        trial.judge(v, t, &has, &has).await;
    }
}

pub(super) async fn codes_all(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered("no collection with such a filter is offered");
    for (filter, parameter) in
        [(Filter::Family, "family"), (Filter::Purpose, "purpose"), (Filter::Duration, "duration")]
    {
        codes_of(v, t, filter, parameter).await;
        let with_it = v.pages().find(|(entry, page)| {
            entry.filters.contains(&filter) && !entry.required.contains(&filter) && !page.members.is_empty()
        });
        if let Some((_, page)) = with_it {
            let url = with(&page.exchange.url, &[(parameter, "AdeConformanceNone")]);
            let e = v.client.get(&url).await;
            let came = crate::visit::Page::read(e.clone());
            let fine = e.refused() || (e.status == 200 && came.members.is_empty());
            require!(t, "filter.code-unknown", fine, Some(&e),
                "nothing, or 4xx, for {parameter}=AdeConformanceNone";
                found "status {}, {} documents", e.status, came.members.len());
        }
    }
}
