//! Filters that are forgotten, and filters together.

use ade::catalog::{Catalog, Filter};
use serde_json::Value;

use super::trial::{self, Trial, candidates};
use crate::clock::written;
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::Visit;

pub(super) async fn required(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "filter.required";
    t.none_offered("no collection with a required filter is offered");
    for entry in Catalog::get().collections() {
        if entry.required.is_empty() || v.page_of(&entry.name).is_none() {
            continue;
        }
        if let Some(url) = v.collection(entry) {
            let e = v.client.get(&url).await;
            require!(t, id, e.refused(), Some(&e),
                "4xx for {} without its required filter", entry.name; found "status {}", e.status);
        }
    }
}

pub(super) async fn combined(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "filter.combined";
    t.none_offered("no collection with two filters and documents is offered");
    let animal = |one: &Value| document::identifier(one, "/animal");
    let all = candidates(v, Filter::Animal, |one| animal(one).is_some()).await;
    let both = all.into_iter().filter(|l| l.entry.filters.contains(&Filter::Modified));
    for listing in both.take(2) {
        let Some(wanted) = trial::divides(listing.documents().filter_map(animal)) else {
            continue;
        };
        let about = |one: &Value| animal(one).as_ref() == Some(&wanted);
        let mut times: Vec<i128> =
            listing.documents().filter(|one| about(one)).filter_map(document::modified).collect();
        times.sort_unstable();
        let Some(&from) = times.get(times.len() / 2) else {
            continue;
        };
        let others = trial::names_of(v, &wanted);
        let trial = Trial {
            listing,
            parameters: vec![
                ("animal-scheme", wanted.0.clone()),
                ("animal-id", wanted.1.clone()),
                ("meta-modified-from", written(from)),
            ],
            ids: (id, id),
            words: format!("{} {} from {}", wanted.0, wanted.1, written(from)),
        };
        let time = |one: &Value| document::modified(one);
        let may = |one: &Value| {
            animal(one).is_some_and(|is| is == wanted || others.contains(&is)) && time(one).is_some_and(|t| t >= from)
        };
        let must = |one: &Value| about(one) && time(one).is_some_and(|t| t > from);
        trial.judge(v, t, &may, &must).await;
    }
}
