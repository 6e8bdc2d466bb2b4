//! A plan of matings as documents of the exchange: a mating recommendation for each female, at the location of the
//! farm that made the plan, as if its own program had sent them. Farm software reads them from the feed.

use super::mates::Reading;
use super::planning::MatingPlan;
use domain::derive::mating::{Advice, Mating};
use exchange::{Delivery, IntakeOptions};
use model::error::{Error, Issue, Result};
use model::record::time::to_iso;
use model::registry::Capability;
use model::said;
use ops::OfMany;
use serde_json::{Value, json};

/// The data set (ICAR ADE 1.5.1, `icarReproMatingRecommendationResource`).
const DATASET: &str = "mating-recommendations";
const RESOURCE: &str = "icarReproMatingRecommendationResource";

/// Stores the plan in one transaction; a later one for the same female takes the place of this one. How many documents
/// there are.
///
/// # Errors
/// [`Error::Forbidden`] for who sends no data for a farm; [`Error::Invalid`] when a female is not of that farm, or the
/// exchange refuses a document.
pub(super) async fn store(reading: Reading<'_>, plan: &MatingPlan) -> Result<usize> {
    let caller = reading.caller;
    let location = caller.organization.filter(|_| caller.can(Capability::Data));
    let location = location.filter(|_| !caller.sees_all() && !caller.reads_only()).ok_or_else(Error::forbidden)?;
    let females = plan.advice.iter().map(|advice| advice.female);
    let owner = |id: &i64| plan.mates.get(id).and_then(|mate| mate.owner);
    let foreign: Vec<String> = females.filter(|id| owner(id) != Some(location)).map(|id| id.to_string()).collect();
    if !foreign.is_empty() {
        let message = said!("Not animals of the organisation: {list}.", list = foreign.join(", "));
        return Err(Error::invalid("females", "foreign-animal", message));
    }
    let rules = reading.app.exchange.rules();
    let scheme = rules.mappings().animal_schemes().first();
    let scheme = scheme.ok_or_else(|| Error::internal("no scheme of animals"))?;
    let writing = Writing {
        plan,
        scheme: &scheme.scheme,
        source: &format!("{}.{}", rules.source(), super::PLAN),
        now: to_iso(reading.app.book.clock.now()),
    };
    let deliveries = plan.advice.iter().map(|advice| Delivery {
        dataset: DATASET.to_owned(),
        location,
        doc: writing.document(advice),
        sent: None,
    });
    let deliveries: Vec<Delivery> = deliveries.collect();
    let count = deliveries.len();
    let options = IntakeOptions { atomic: true, ..IntakeOptions::default() };
    let intake = reading.app.exchange.intake();
    let answers = intake.deliver(&reading.app.book, caller.clone(), deliveries, options).await;
    answers.map(|_| count).map_err(|error| match error {
        // Pointers begin with the place of the document.
        Error::Invalid(issues) => Error::Invalid(issues.into_iter().map(|issue| about_a_female(plan, issue)).collect()),
        other => other,
    })
}

/// A fault of a document, as one of the request: at the place of the female in the list that was sent, or at a condition.
fn about_a_female(plan: &MatingPlan, issue: Issue) -> Issue {
    let path = issue.path.trim_start_matches('/').replace('/', ".");
    let (place, rest) = path.split_once('.').unwrap_or((&path, ""));
    let female = place.parse().ok().and_then(|place: usize| Some(plan.advice.get(place)?.female));
    let sent = match &plan.request.females {
        OfMany::Ids(ids) => ids.iter().position(|id| Some(*id) == female),
        OfMany::Where(_) => None,
    };
    let path = match sent {
        Some(at) => format!("females.{at}.{rest}"),
        None => "females".to_owned(),
    };
    Issue { path: path.trim_end_matches('.').to_owned(), ..issue }
}

struct Writing<'w> {
    plan: &'w MatingPlan,
    /// The scheme of the main numbers of animals.
    scheme: &'w str,
    source: &'w str,
    now: String,
}

impl Writing<'_> {
    fn document(&self, advice: &Advice) -> Value {
        let all = advice.best.into_iter().chain(advice.alternatives.iter().copied());
        let mut sires: Vec<Value> = all.zip(1..).map(|(one, rank)| self.sire(one, rank)).collect();
        if advice.best.is_err() {
            sires = vec![json!({"recommendationType": "RecommendationImpossible"})];
        }
        json!({
            "resourceType": RESOURCE,
            "meta": {
                "source": self.source, "sourceId": format!("{}:{}", super::PLAN, advice.female),
                "modified": self.now,
            },
            "animal": self.identifier(advice.female),
            "eventDateTime": self.now,
            "sireRecommendations": sires,
        })
    }

    fn sire(&self, mating: Mating, rank: u32) -> Value {
        let bull = self.plan.mates.get(&mating.bull);
        let mut sire = json!({
            "recommendationType": "SireRecommended", "sireIdentifiers": [self.identifier(mating.bull)],
            "sireRank": rank,
        });
        let name = bull.and_then(|bull| bull.name.as_deref());
        if let (Some(name), Some(members)) = (name, sire.as_object_mut()) {
            members.insert("sireOfficialName".to_owned(), name.into());
        }
        sire
    }

    fn identifier(&self, id: i64) -> Value {
        let number = self.plan.mates.get(&id).map(|mate| mate.number.as_str());
        json!({"scheme": self.scheme, "id": number})
    }
}

#[cfg(test)]
mod tests {
    use super::super::request;
    use super::*;
    use domain::derive::mating::LeftOut;

    #[test]
    fn a_fault_has_the_place_of_the_female_in_the_list_sent() {
        let path = |females: Value| {
            let Value::Object(body) = json!({"females": females, "bulls": [1]}) else {
                panic!("an object");
            };
            let advice = [4, 7].map(|female| Advice {
                female,
                best: Err(LeftOut::NoneLeft),
                alternatives: Vec::new(),
                exclusions: Vec::new(),
            });
            let plan = MatingPlan { advice: advice.into(), ..MatingPlan::new(request::read(body).unwrap()) };
            ["/0/animal/id", "/1", "/9/animal"].map(|path| about_a_female(&plan, Issue::error(path, "x", "X")).path)
        };
        // 5 was left out of the plan.
        assert_eq!(path(json!([7, 5, 4])), ["females.2.animal.id", "females.0", "females"]);
        assert_eq!(path(json!({"id": {"exists": true}})), ["females"; 3]);
    }
}
