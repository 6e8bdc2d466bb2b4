//! Query parameters: each has an effect, and the right one, compared with the list without it.

mod dates;
mod inside;
mod misuse;
mod modified;
mod trial;

use super::{Check, check};
use crate::document;
use crate::tally::Tally;
use crate::visit::Visit;

use self::trial::{Trial, candidates};
use ade::catalog::Filter;

pub(super) static CHECKS: &[Check] = &[
    check!(modified::window => "filter.modified-from", "filter.modified-to",
        "filter.modified-complete", "filter.modified-seam", "filter.modified-inclusive",
        "filter.modified-offset"; also "filter.combined", "filter.next-keeps", "filter.total"),
    check!(modified::misuse => "filter.modified-empty", "filter.modified-future",
        "filter.modified-reversed",
        "filter.modified-malformed", "filter.empty-value"),
    check!(animal => "filter.animal", "filter.animal-complete", "filter.animal-unknown",
        "filter.animal-scheme", "filter.pair-half"; also "filter.next-keeps", "filter.total"),
    check!(dates::window => "filter.dates", "filter.dates-complete", "filter.dates-inclusive";
        also "filter.next-keeps", "filter.total"),
    check!(dates::malformed => "filter.dates-malformed"),
    check!(dates::reports => "filter.report-period"),
    check!(inside::identifier => "filter.identifier", "filter.identifier-complete",
        "filter.identifier-unknown"; also "filter.next-keeps", "filter.total"),
    check!(inside::codes_all => "filter.code", "filter.code-complete", "filter.code-unknown";
        also "filter.next-keeps", "filter.total"),
    check!(inside::metric => "filter.metric"),
    check!(misuse::required => "filter.required"),
    check!(misuse::combined => "filter.combined"),
];

async fn animal(v: &Visit<'_>, t: &mut Tally<'_>) {
    t.none_offered("no collection with animals in it is offered");
    let animal_of = |one: &serde_json::Value| document::identifier(one, "/animal");
    let all = candidates(v, Filter::Animal, |one| animal_of(one).is_some()).await;
    for (at, listing) in all.into_iter().enumerate() {
        // An animal that some documents are about, and others are not.
        let Some(animal) = trial::divides(listing.documents().filter_map(animal_of)) else {
            continue;
        };
        let others = trial::names_of(v, &animal);
        let (scheme, id) = (animal.0.as_str(), animal.1.as_str());
        let trial = Trial {
            listing,
            parameters: vec![("animal-scheme", scheme.to_owned()), ("animal-id", id.to_owned())],
            ids: ("filter.animal", "filter.animal-complete"),
            words: format!("animal {scheme} {id}"),
        };
        let about = |one: &serde_json::Value| animal_of(one).is_some_and(|is| is == animal || others.contains(&is));
        trial.judge(v, t, &about, &|one| animal_of(one).as_ref() == Some(&animal)).await;
        if at >= 2 {
            continue;
        }
        for (id, scheme, number) in [
            ("filter.animal-unknown", scheme, "ade-conformance-0000"),
            ("filter.animal-scheme", "org.ade-conformance.none", id),
        ] {
            let parameters = [("animal-scheme", scheme), ("animal-id", number)];
            trial::finds_nothing(v, t, id, listing, &parameters).await;
        }
        trial::does_no_harm(v, t, "filter.pair-half", listing, &[("animal-id", id)]).await;
    }
}
