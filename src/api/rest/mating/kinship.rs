//! `GET /api/<slug>/<id>/kinship?with=1,2`: kinship of a record with others, for whoever sees the parents of both. An
//! id whose parents the caller does not see is answered as one that is not there.

use super::super::call::{Call, Reply};
use super::mates::{Reading, percent, rounded};
use super::{NAMING_MAX, WITH_MAX};
use crate::limit::Cost;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use domain::collections::mating::Mate;
use domain::derive::mating::mean;
use domain::derive::pedigree::{CommonAncestor, METHOD, Relationships, Relatives};
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::record::time::to_iso;
use model::registry::Feature;
use model::said;
use ops::{GENERATIONS_MAX, OfMany};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Ancestors that are named of each pair: those that contribute most.
const NAMED: usize = 5;

/// What is computed of a pair.
struct Pair {
    id: i64,
    kinship: f64,
    relationship: f64,
    /// The nearest of those that contribute; none where there are too many others.
    ancestors: Option<Vec<CommonAncestor>>,
}

/// What is computed in all.
struct Sums {
    own: BTreeMap<i64, Own>,
    pairs: Vec<Pair>,
    /// Animals of the pedigree.
    count: usize,
}

/// What is computed of one animal.
#[derive(Clone, Copy)]
struct Own {
    inbreeding: f64,
    depth: f64,
    generations: u32,
}

pub(crate) async fn kinship(Call(app, target, who, _): Call) -> Reply {
    if !target.collection.is(Feature::Mating) {
        return Err(target.no_route());
    }
    let id = target.row()?;
    let query = target.tree()?;
    let others = with(&query).map_err(|error| target.refuse(error))?;
    let reading = Reading { app: &app, caller: &who.principal, c: target.collection };
    let answer = answer(reading, id, others).await;
    let (answer, cost) = answer.map_err(|error| target.refuse(error))?;
    Ok((Extension(cost), Json(answer)).into_response())
}

/// The ids of `with`, each once, in the order sent.
fn with(query: &Tree) -> Result<Vec<i64>> {
    let fault = || Error::Query(vec!["with".to_owned()]);
    let texts: Vec<&str> = match query.get("with") {
        Some(Tree::Text(text)) => text.split(',').collect(),
        Some(Tree::List(list)) => {
            let texts = list.iter().map(Tree::as_text);
            texts.collect::<Option<_>>().ok_or_else(fault)?
        }
        _ => return Err(fault()),
    };
    let mut ids = Vec::with_capacity(texts.len());
    let mut distinct = BTreeSet::new();
    for text in texts {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let id = text.parse().ok().filter(|_| digits).ok_or_else(fault)?;
        if distinct.insert(id) {
            ids.push(id);
        }
    }
    if ids.len() > WITH_MAX {
        let message = said!("At most {limit} at once.", limit = WITH_MAX);
        return Err(Error::invalid("with", "too-many", message));
    }
    Ok(ids)
}

async fn answer(reading: Reading<'_>, id: i64, others: Vec<i64>) -> Result<(Value, Cost)> {
    let book = &reading.app.book;
    let mut all = others.clone();
    all.push(id);
    let most = all.len();
    let all = OfMany::Ids(all);
    let open = book.with_open_descent(reading.caller, reading.c, &all, most);
    let open: BTreeSet<i64> = open.await?.into_iter().collect();
    if !open.contains(&id) {
        return Err(Error::NotFound);
    }
    let ids: Vec<i64> = open.iter().copied().collect();
    let mates = reading.mates(&ids).await?;
    let (present, missing): (Vec<i64>, Vec<i64>) = others.iter().partition(|id| open.contains(id));
    let naming = others.len() <= NAMING_MAX;
    let sums =
        reading.compute(ids.clone(), move |all, is_awaited| compute(all, is_awaited, (id, &present), (&ids, naming)));
    let Sums { own, pairs, count } = sums.await?;
    let identities = pairs.iter().flat_map(|pair| &pair.ancestors).flatten();
    let identities: BTreeSet<i64> = identities.map(|ancestor| ancestor.id).collect();
    let identities = book.identities(reading.caller, reading.c, &identities).await?;
    let identities = identities.into_iter().map(|(id, document)| {
        let document = serde_json::from_slice(&document).map_err(Error::internal)?;
        Ok((id, document))
    });
    let identities: BTreeMap<i64, Value> = identities.collect::<Result<_>>()?;
    let docs = pairs.iter().filter_map(|pair| {
        let mut doc = own_json(pair.id, *own.get(&pair.id)?);
        let of_pair = pair_json(pair, mates.get(&id)?, mates.get(&pair.id)?, &identities);
        doc.as_object_mut()?.extend(of_pair.as_object()?.clone());
        Some(doc)
    });
    let docs: Vec<Value> = docs.collect();
    let mean = mean(pairs.iter().map(|pair| &pair.kinship));
    let answer = json!({
        "animal": own.get(&id).map(|own| own_json(id, *own)),
        "docs": docs, "meanKinship": mean.map(rounded), "missing": missing,
        "method": METHOD, "computedAt": to_iso(book.clock.now()),
    });
    Ok((answer, Cost::of_pedigree(others.len(), count)))
}

fn compute(
    all: &Relationships,
    is_awaited: &dyn Fn() -> bool,
    (id, others): (i64, &[i64]),
    (ids, naming): (&[i64], bool),
) -> Option<Sums> {
    let own = ids.iter().zip(all.depths(ids)).filter_map(|(id, depth)| {
        let own = Own { inbreeding: all.inbreeding(*id)?, depth: depth?, generations: all.generations(*id)? };
        Some((*id, own))
    });
    let own = own.collect();
    let relatives = all.of(id)?;
    let mut pairs = Vec::with_capacity(others.len());
    for other in others {
        if !is_awaited() {
            return None;
        }
        pairs.extend(pair(all, &relatives, (id, *other), naming));
    }
    Some(Sums { own, pairs, count: all.count() })
}

fn pair(all: &Relationships, relatives: &Relatives<'_>, (id, other): (i64, i64), naming: bool) -> Option<Pair> {
    let ancestors = || {
        // Who an ancestor is belongs to the pedigree of its descendants, as far as that is shown.
        let mut ancestors = all.common_ancestors(id, other, GENERATIONS_MAX.into());
        ancestors.truncate(NAMED);
        ancestors
    };
    Some(Pair {
        id: other,
        kinship: relatives.kinship(other)?,
        relationship: relatives.relationship(other)?,
        ancestors: naming.then(ancestors),
    })
}

fn own_json(id: i64, own: Own) -> Value {
    json!({
        "animal": id, "inbreeding": percent(own.inbreeding), "pedigreeDepth": rounded(own.depth),
        "generations": own.generations,
    })
}

fn pair_json(pair: &Pair, one: &Mate, other: &Mate, identities: &BTreeMap<i64, Value>) -> Value {
    let carriers: Vec<&String> = one.carries.intersection(&other.carries).collect();
    let calf = (one.female != other.female).then(|| percent(pair.kinship));
    let mut out = json!({
        "kinship": rounded(pair.kinship), "relationship": rounded(pair.relationship),
        "expectedInbreeding": calf, "carriers": carriers,
    });
    if let (Some(ancestors), Some(members)) = (&pair.ancestors, out.as_object_mut()) {
        let mut rest = pair.kinship;
        let ancestors = ancestors.iter().filter_map(|ancestor| {
            let who = identities.get(&ancestor.id)?;
            rest -= ancestor.contribution;
            Some(json!({
                "animal": who, "contribution": rounded(ancestor.contribution),
                "generations": ancestor.generations,
            }))
        });
        members.insert("commonAncestors".to_owned(), ancestors.collect());
        // What is left of a sum of many.
        members.insert("otherAncestors".to_owned(), rounded(rest.max(0.0)));
    }
    out
}
