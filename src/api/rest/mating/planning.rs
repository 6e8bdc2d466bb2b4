//! A plan of matings: whom it is about, what they are worth, and the sums.

use super::mates::Reading;
use super::request::PlanRequest;
use super::{ALTERNATIVES, BULLS_MAX, EXCLUSIONS_MAX, FEMALES_MAX};
use domain::collections::mating::Mate;
use domain::derive::mating::{self, Advice, Candidate, LeftOut, Limits, Plan};
use domain::derive::pedigree::Relationships;
use model::error::{Error, Issue, Result};
use model::said;
use ops::OfMany;
use std::collections::{BTreeMap, BTreeSet};

/// A plan with all that is said of it.
pub(super) struct MatingPlan {
    pub(super) request: PlanRequest,
    /// In the order of the females.
    pub(super) advice: Vec<Advice>,
    /// Bulls that take no part, and why.
    pub(super) left_out: Vec<(i64, LeftOut)>,
    /// The animals of the request, by id.
    pub(super) mates: BTreeMap<i64, Mate>,
    /// Mean kinship of each bull that takes part with all the females.
    pub(super) kinship: BTreeMap<i64, f64>,
    /// Animals that are no candidates, and why.
    pub(super) left: Vec<(i64, LeftOut)>,
    /// How many females each bull may have.
    pub(super) places: BTreeMap<i64, usize>,
    /// Equivalent complete generations of each animal.
    pub(super) depths: BTreeMap<i64, f64>,
    /// Animals of the pedigree.
    pub(super) count: usize,
}

impl MatingPlan {
    /// One about nobody.
    #[cfg(test)]
    pub(super) fn new(request: PlanRequest) -> Self {
        Self {
            request,
            advice: Vec::new(),
            left_out: Vec::new(),
            kinship: BTreeMap::new(),
            mates: BTreeMap::new(),
            left: Vec::new(),
            places: BTreeMap::new(),
            depths: BTreeMap::new(),
            count: 0,
        }
    }

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
    issues.extend(too_many_exclusions(request.exclusions, females.len() * bulls.len()));
    if !issues.is_empty() {
        return Err(Error::Invalid(issues));
    }
    let all: BTreeSet<i64> = females.iter().chain(&bulls).copied().collect();
    let all: Vec<i64> = all.into_iter().collect();
    let mates = reading.mates(&all).await?;
    let values = match &request.goal {
        Some(goal) => {
            let mut visible = reading.app.book.visible(reading.caller);
            goal.values(&mut visible, &all.iter().copied().collect()).await?
        }
        None => BTreeMap::new(),
    };
    let mut left = Vec::new();
    let mut candidates = |ids: &[i64], female: bool| {
        let mut candidates: Vec<Candidate> = Vec::with_capacity(ids.len());
        for mate in ids.iter().filter_map(|id| mates.get(id)) {
            match unfit(mate, female) {
                Some(why) => left.push((mate.id, why)),
                None => candidates.push(Candidate {
                    id: mate.id,
                    value: values.get(&mate.id).copied(),
                    carries: mate.carries.clone(),
                    ..Candidate::default()
                }),
            }
        }
        candidates
    };
    let females = candidates(&females, true);
    let mut bulls = candidates(&bulls, false);
    for bull in &mut bulls {
        bull.uses = places(&request, bull.id, females.len());
    }
    let places = bulls.iter().map(|bull| (bull.id, bull.uses)).collect();
    let limits = Limits {
        inbreeding: request.limits.inbreeding / 100.0,
        carriers: request.limits.carriers,
        valued: request.goal.is_some(),
        alternatives: ALTERNATIVES,
    };
    let ids = females.iter().chain(&bulls).map(|one| one.id).collect();
    let sums = reading.compute(ids, move |all, is_awaited| compute(all, is_awaited, (&females, &bulls), limits));
    let (Plan { advice, left_out, kinship }, depths, count) = sums.await?;
    Ok(MatingPlan { request, advice, left_out, kinship, mates, left, places, depths, count })
}

/// Why an animal is no candidate among the females, or the bulls. Semen outlives a bull.
fn unfit(mate: &Mate, female: bool) -> Option<LeftOut> {
    match (mate.female, female) {
        (false, true) => Some(LeftOut::NotFemale),
        (true, false) => Some(LeftOut::NotMale),
        _ if !mate.fertile => Some(LeftOut::NotFertile),
        _ => (female && !mate.alive).then_some(LeftOut::NotAlive),
    }
}

/// The plan, the depths of the pedigrees, and how many animals these have.
fn compute(
    all: &Relationships,
    is_awaited: &dyn Fn() -> bool,
    (females, bulls): (&[Candidate], &[Candidate]),
    limits: Limits,
) -> Option<(Plan, BTreeMap<i64, f64>, usize)> {
    let ids: Vec<i64> = females.iter().chain(bulls).map(|one| one.id).collect();
    let depths = ids.iter().copied().zip(all.depths(&ids));
    let depths = depths.filter_map(|(id, depth)| Some((id, depth?)));
    let kinship = |bull: i64| {
        let relatives = is_awaited().then(|| all.of(bull))??;
        females.iter().map(|female| relatives.kinship(female.id)).collect()
    };
    let plan = mating::plan(females, bulls, limits, kinship)?;
    Some((plan, depths.collect(), all.count()))
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

/// The fault of a request for the exclusions of so many pairs of animals.
fn too_many_exclusions(wanted: bool, pairs: usize) -> Option<Issue> {
    let message = || {
        said!(
            "Exclusions are answered for at most {limit} pairs of a female and a bull: send fewer, or ask for the workbook.",
            limit = EXCLUSIONS_MAX
        )
    };
    (wanted && pairs > EXCLUSIONS_MAX).then(|| Issue::error("exclusions", "too-many", message()))
}

fn no_record(reading: Reading<'_>, path: String, id: i64) -> Issue {
    let message = said!("There is no record {id} in {collection}.", id = id, collection = reading.c.slug);
    Issue::error(path, "invalid-relation", message)
}

#[cfg(test)]
mod tests {
    use super::too_many_exclusions;

    #[test]
    fn exclusions_of_a_large_plan_are_in_the_workbook() {
        for (wanted, pairs, refused) in
            [(true, 50_000, false), (true, 50_001, true), (true, 400_000, true), (false, 400_000, false)]
        {
            let fault = too_many_exclusions(wanted, pairs);
            assert_eq!(fault.map(|one| one.path.to_string()), refused.then(|| "exclusions".to_owned()), "{pairs}");
        }
    }
}
