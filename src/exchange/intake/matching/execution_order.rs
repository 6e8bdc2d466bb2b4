//! The order in which documents of an intake are worked on, and whether they are stored together or independently.

use crate::intake::delivery::{Delivery, DocumentAnswer, State};
use model::error::{Error, Result, Severity};
use model::fast::IndexSet;
use serde_json::Value as Json;

/// Runs of documents of one data set and location without a pair twice, in order.
pub(crate) fn execution_order(deliveries: &[Delivery], answers: &[Option<DocumentAnswer>]) -> Vec<Vec<usize>> {
    let mut order: Vec<Vec<usize>> = Vec::new();
    let mut run: Vec<usize> = Vec::new();
    let mut pairs_of_run: IndexSet<(&str, &str)> = IndexSet::default();
    let mut at_place: Option<(&str, i64)> = None;
    for (at, d) in deliveries.iter().enumerate() {
        if answers.get(at).is_some_and(Option::is_some) {
            continue;
        }
        let meta = d.doc.get("meta");
        let part = |name: &str| meta.and_then(|m| m.get(name)).and_then(Json::as_str).unwrap_or_default();
        let place = (d.dataset.as_str(), d.location);
        let pair = (part("source"), part("sourceId"));
        if at_place.is_some_and(|p| p != place) || pairs_of_run.contains(&pair) {
            order.push(std::mem::take(&mut run));
            pairs_of_run.clear();
        }
        at_place = Some(place);
        pairs_of_run.insert(pair);
        run.push(at);
    }
    order.push(run);
    order.retain(|r| !r.is_empty());
    order
}

/// Refuses all when one is refused, with every fault.
pub(crate) fn all_or_none(answers: &[DocumentAnswer]) -> Result<()> {
    let mut all = Vec::new();
    let mut forbidden = false;
    for (at, answer) in answers.iter().enumerate() {
        if answer.state != State::Rejected {
            continue;
        }
        forbidden |= answer.forbidden;
        for issue in answer.issues.iter().filter(|i| i.severity == Severity::Error) {
            let mut issue = issue.clone();
            issue.path = format!("/{at}{}", issue.path);
            all.push(issue);
        }
    }
    match (all.is_empty(), forbidden) {
        (true, false) => Ok(()),
        (_, true) => Err(Error::Forbidden(all)),
        (false, false) => Err(Error::Invalid(all)),
    }
}
