//! A plan of matings: whom it is about, what they are worth, and the sums.

use super::mates::Reading;
use super::request::PlanRequest;
use super::{ALTERNATIVES, BULLS_MAX, FEMALES_MAX};
use domain::collections::mating::{Goal, Mate};
use domain::derive::mating::{self, Advice, Candidate, LeftOut, Limits, Plan};
use domain::derive::pedigree::Relationships;
use model::error::{Error, Issue, Result};
use model::query::qs::Tree;
use model::said;
use ops::{OfMany, RowSelection};
use std::collections::{BTreeMap, BTreeSet};

/// Rows of values that are read at a time.
const PART: usize = 500;

/// A plan with all that is said of it.
pub(super) struct MatingPlan {
    pub(super) request: PlanRequest,
    /// In the order of the females.
    pub(super) advice: Vec<Advice>,
    /// Bulls that take no part, and why.
    pub(super) left_out: Vec<(i64, LeftOut)>,
    /// The animals of the request, by id.
    pub(super) mates: BTreeMap<i64, Mate>,
    /// Animals that are not of the sex that they were named for: their ids, and why.
    pub(super) of_other_sex: Vec<(i64, &'static str)>,
    /// How many females each bull may have.
    pub(super) places: BTreeMap<i64, usize>,
    /// Equivalent complete generations of each animal.
    pub(super) depths: BTreeMap<i64, f64>,
}

impl MatingPlan {
    /// How many females each bull serves; one that serves none is absent.
    pub(super) fn uses(&self) -> BTreeMap<i64, usize> {
        let mut uses = BTreeMap::new();
        for best in self.advice.iter().filter_map(|one| one.best.ok()) {
            *uses.entry(best.bull).or_default() += 1;
        }
        uses
    }
}

/// Makes the plan.
///
/// # Errors
/// [`Error::Invalid`] for animals that are not there, or too many; [`Error::Query`] for an invalid condition;
/// those of the database.
pub(super) async fn make(reading: Reading<'_>, request: PlanRequest) -> Result<MatingPlan> {
    let mut issues = Vec::new();
    let of_females = ("females", FEMALES_MAX);
    let females = select(reading, of_females, &request.females, &mut issues).await?;
    let bulls = select(reading, ("bulls", BULLS_MAX), &request.bulls, &mut issues).await?;
    let doses = request.limits.doses.keys();
    for bull in doses.filter(|bull| !bulls.contains(bull)) {
        issues.push(no_record(reading, "limits.doses".to_owned(), *bull));
    }
    if !issues.is_empty() {
        return Err(Error::Invalid(issues));
    }
    let all: BTreeSet<i64> = females.iter().chain(&bulls).copied().collect();
    let all: Vec<i64> = all.into_iter().collect();
    let mates = reading.mates(&all).await?;
    let values = match &request.goal {
        Some(goal) => values(reading, goal, &all).await?,
        None => BTreeMap::new(),
    };
    let mut of_other_sex = Vec::new();
    let mut candidates = |ids: &[i64], female: bool| {
        let mut candidates: Vec<Candidate> = Vec::with_capacity(ids.len());
        for mate in ids.iter().filter_map(|id| mates.get(id)) {
            match (mate.female, female) {
                (true, true) | (false, false) => candidates.push(Candidate {
                    id: mate.id,
                    value: values.get(&mate.id).copied(),
                    carries: mate.carries.clone(),
                    uses: places(&request, mate.id, females.len()),
                }),
                (false, true) => of_other_sex.push((mate.id, "not-female")),
                (true, false) => of_other_sex.push((mate.id, "not-male")),
            }
        }
        candidates
    };
    let females = candidates(&females, true);
    let bulls = candidates(&bulls, false);
    let places = bulls.iter().map(|bull| (bull.id, bull.uses)).collect();
    let limits = Limits {
        inbreeding: request.limits.inbreeding / 100.0,
        carriers: request.limits.carriers,
        valued: request.goal.is_some(),
        alternatives: ALTERNATIVES,
    };
    let ids = females.iter().chain(&bulls).map(|one| one.id).collect();
    let sums = reading.compute(ids, move |all| compute(&all, &females, &bulls, limits));
    let (plan, depths) = sums.await?;
    Ok(MatingPlan { request, advice: plan.advice, left_out: plan.left_out, mates, of_other_sex, places, depths })
}

/// The plan, and the depths of the pedigrees.
fn compute(
    all: &Relationships,
    females: &[Candidate],
    bulls: &[Candidate],
    limits: Limits,
) -> (Plan, BTreeMap<i64, f64>) {
    let ids: Vec<i64> = females.iter().chain(bulls).map(|one| one.id).collect();
    let depths = ids.iter().copied().zip(all.depths(&ids));
    let depths = depths.filter_map(|(id, depth)| Some((id, depth?)));
    let kinship = |bull: i64| {
        let relatives = all.of(bull);
        let kinship = |female: &Candidate| relatives.as_ref()?.kinship(female.id);
        let kinships = females.iter().map(kinship);
        kinships.map(|kinship| kinship.unwrap_or(0.0)).collect()
    };
    let plan = mating::plan(females, bulls, limits, kinship);
    (plan, depths.collect())
}

/// How many females a bull may have: his doses, his uses, and all that there are.
fn places(request: &PlanRequest, bull: i64, females: usize) -> usize {
    let limits = &request.limits;
    let doses = limits.doses.get(&bull).copied();
    [doses, limits.uses].into_iter().flatten().fold(females, usize::min)
}

/// The animals that are meant, by id. One that the caller does not see the parents of is as one that is not there.
async fn select(
    reading: Reading<'_>,
    (path, most): (&str, usize),
    of: &OfMany,
    issues: &mut Vec<Issue>,
) -> Result<Vec<i64>> {
    let book = &reading.app.book;
    let open = book.with_open_descent(reading.caller, reading.c, of, most + 1);
    let open = open.await?;
    if open.len() > most {
        let message = said!("At most {limit} at once.", limit = most);
        issues.push(Issue::error(path, "too-many", message));
    }
    if let OfMany::Ids(ids) = of {
        let present: BTreeSet<i64> = open.iter().copied().collect();
        for (at, id) in ids.iter().enumerate().filter(|(_, id)| !present.contains(id)) {
            issues.push(no_record(reading, format!("{path}.{at}"), *id));
        }
    }
    Ok(open)
}

fn no_record(reading: Reading<'_>, path: String, id: i64) -> Issue {
    let message = said!("There is no record {id} in {collection}.", id = id, collection = reading.c.slug);
    Issue::error(path, "invalid-relation", message)
}

/// The values of animals for a goal, of the rows that the caller reads.
async fn values(reading: Reading<'_>, goal: &Goal, animals: &[i64]) -> Result<BTreeMap<i64, f64>> {
    let book = &reading.app.book;
    let c = book.registry.get(goal.collection());
    let c = c.ok_or_else(|| Error::internal("no collection of values"))?;
    let mut values = BTreeMap::new();
    for part in animals.chunks(PART) {
        let tree = Tree::from(goal.condition(part));
        let ids = book.ids(reading.caller, c, Some(&tree), &[], None).await?;
        let selection = RowSelection {
            limit: u64::try_from(ids.len()).unwrap_or(u64::MAX),
            ids: Some(ids),
            ..RowSelection::default()
        };
        let rows = book.visible_rows(reading.caller, c, &selection, &goal.fields()).await?;
        values.extend(rows.iter().filter_map(|row| goal.value(row)));
    }
    Ok(values)
}
