//! The body of a request for a plan of matings, read whole: every fault is reported, and nothing that is not understood
//! is passed over.

use super::super::faults::Faults;
use super::{BULLS_MAX, FEMALES_MAX, INBREEDING};
use domain::collections::mating::Goal;
use model::error::{Error, Result};
use model::said;
use ops::OfMany;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What a plan is requested for.
#[derive(Debug)]
pub(super) struct PlanRequest {
    pub(super) females: OfMany,
    pub(super) bulls: OfMany,
    pub(super) limits: PlanLimits,
    pub(super) goal: Option<Goal>,
    /// Whether the farm's own documents are made of it.
    pub(super) store: bool,
    /// Whether each exclusion is answered.
    pub(super) exclusions: bool,
}

#[derive(Debug)]
pub(super) struct PlanLimits {
    /// The greatest expected inbreeding of a calf, %.
    pub(super) inbreeding: f64,
    /// Females of each bull at most.
    pub(super) uses: Option<usize>,
    /// Doses of semen by bull; one that is not there has enough.
    pub(super) doses: BTreeMap<i64, usize>,
    /// Whether carriers of the same may be mated.
    pub(super) carriers: bool,
}

/// Reads a body.
///
/// # Errors
/// [`Error::Invalid`] with all faults; [`Error::Query`] for a condition that is none.
pub(super) fn read(mut members: Map<String, Value>) -> Result<PlanRequest> {
    let mut faults = Faults::default();
    let females = faults.animals("females", members.shift_remove("females"), FEMALES_MAX)?;
    let bulls = faults.animals("bulls", members.shift_remove("bulls"), BULLS_MAX)?;
    let limits = faults.limits(members.shift_remove("limits"));
    let goal = faults.goal(members.shift_remove("goal"));
    let store = faults.flag("store", members.shift_remove("store"));
    let exclusions = faults.flag("exclusions", members.shift_remove("exclusions"));
    faults.none_left("", &members);
    match (females, bulls, faults.0.is_empty()) {
        (Some(females), Some(bulls), true) => Ok(PlanRequest { females, bulls, limits, goal, store, exclusions }),
        _ => Err(Error::Invalid(faults.0)),
    }
}

impl Faults {
    /// Members that there are not.
    fn none_left(&mut self, path: &str, members: &Map<String, Value>) {
        for name in members.keys() {
            let path = format!("{path}{name}");
            self.fault(&path, "unknown-field", "There is no such field.");
        }
    }

    /// An object that may be absent.
    fn object(&mut self, path: &str, value: Option<Value>) -> Map<String, Value> {
        match value {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(members)) => members,
            Some(_) => {
                self.fault(path, "wrong-type", "This must be an object.");
                Map::new()
            }
        }
    }

    /// A number between bounds, or none.
    fn number(&mut self, path: &str, value: Option<Value>, (min, max): (f64, f64)) -> Option<f64> {
        let value = value.filter(|value| !value.is_null())?;
        let Some(number) = value.as_f64() else {
            self.fault(path, "wrong-type", "Please enter a valid number.");
            return None;
        };
        if number < min {
            let message = said!("{value} is less than the min allowed value of {min}", value = number, min = min);
            self.fault(path, "too-small", message);
        } else if number > max {
            let message = said!("{value} is greater than the max allowed value of {max}", value = number, max = max);
            self.fault(path, "too-large", message);
        }
        Some(number)
    }

    /// How many, from none on.
    fn count(&mut self, path: &str, value: Option<Value>) -> Option<usize> {
        let value = value.filter(|value| !value.is_null())?;
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        if count.is_none() {
            self.fault(path, "wrong-type", "This field must be a whole number.");
        }
        count
    }

    /// A list of ids, or a condition.
    fn animals(&mut self, path: &str, value: Option<Value>, most: usize) -> Result<Option<OfMany>> {
        match value {
            None | Some(Value::Null) => {
                self.fault(path, "required", "This field is required.");
                Ok(None)
            }
            Some(condition @ Value::Object(_)) => self.condition(path, &condition),
            Some(list) => Ok(self.ids(path, &list, most)),
        }
    }

    fn limits(&mut self, value: Option<Value>) -> PlanLimits {
        let mut members = self.object("limits", value);
        let inbreeding = members.shift_remove("inbreeding");
        let inbreeding = self.number("limits.inbreeding", inbreeding, (0.0, 100.0));
        let uses = self.count("limits.uses", members.shift_remove("uses"));
        let carriers = self.flag("limits.carriers", members.shift_remove("carriers"));
        let mut doses = BTreeMap::new();
        for (path, mut row) in self.rows("limits.doses", members.shift_remove("doses")) {
            let bull = row.shift_remove("bull").and_then(|id| id.as_i64());
            if bull.is_none() {
                self.fault(&format!("{path}.bull"), "wrong-type", "This must be an id.");
            }
            let at = format!("{path}.doses");
            let doses_of_bull = row.shift_remove("doses").filter(|count| !count.is_null());
            if doses_of_bull.is_none() {
                self.fault(&at, "required", "This field is required.");
            }
            let count = self.count(&at, doses_of_bull);
            self.none_left(&format!("{path}."), &row);
            let pair = bull.zip(count);
            if pair.is_some_and(|(bull, count)| doses.insert(bull, count).is_some()) {
                self.fault(&path, "not-unique", "Value must be unique");
            }
        }
        self.none_left("limits.", &members);
        PlanLimits { inbreeding: inbreeding.unwrap_or(INBREEDING), uses, doses, carriers }
    }

    /// A list of objects, each with its path.
    fn rows(&mut self, path: &str, value: Option<Value>) -> Vec<(String, Map<String, Value>)> {
        let list = match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(list)) => list,
            Some(_) => {
                self.fault(path, "wrong-type", "This must be a list of rows.");
                Vec::new()
            }
        };
        let mut rows = Vec::with_capacity(list.len());
        for (at, row) in list.into_iter().enumerate() {
            let path = format!("{path}.{at}");
            match row {
                Value::Object(members) => rows.push((path, members)),
                _ => self.fault(&path, "wrong-type", "This must be an object."),
            }
        }
        rows
    }

    /// A profile or weights; none: the least inbreeding alone.
    fn goal(&mut self, value: Option<Value>) -> Option<Goal> {
        let value = value.filter(|value| !value.is_null())?;
        let mut members = self.object("goal", Some(value));
        let profile = members.shift_remove("profile").filter(|one| !one.is_null());
        let weights = members.shift_remove("weights").filter(|one| !one.is_null());
        self.none_left("goal.", &members);
        match (profile, weights) {
            (Some(Value::String(key)), None) => Some(Goal::Profile(key)),
            (Some(_), None) => {
                self.fault("goal.profile", "wrong-type", "This must be text.");
                None
            }
            (None, Some(weights)) => Some(self.weights(weights)),
            (profile, _) => {
                self.not_one("goal", ("goal.profile", "goal.weights"), profile.is_some());
                None
            }
        }
    }

    fn weights(&mut self, value: Value) -> Goal {
        let mut weights: Vec<(&'static str, f64)> = Vec::new();
        for (path, mut row) in self.rows("goal.weights", Some(value)) {
            let name = row.shift_remove("trait");
            let name = name.as_ref().and_then(Value::as_str).and_then(Goal::of_traits);
            let at = format!("{path}.weight");
            let weight = row.shift_remove("weight").filter(|weight| !weight.is_null());
            if weight.is_none() {
                self.fault(&at, "required", "This field is required.");
            }
            let bounds = (-Goal::FARTHEST_WEIGHT, Goal::FARTHEST_WEIGHT);
            let weight = self.number(&at, weight, bounds);
            self.none_left(&format!("{path}."), &row);
            let Some(name) = name else {
                let message = "This field has an invalid selection.";
                self.fault(&format!("{path}.trait"), "not-an-option", message);
                continue;
            };
            if weights.iter().any(|(other, _)| *other == name) {
                self.fault(&format!("{path}.trait"), "not-unique", "Value must be unique");
            }
            weights.extend(weight.filter(|weight| *weight != 0.0).map(|weight| (name, weight)));
        }
        if weights.is_empty() && self.0.is_empty() {
            self.fault("goal.weights", "all-zero", "At least one weight differs from zero.");
        }
        Goal::Weights(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(body: Value) -> std::result::Result<PlanRequest, Vec<String>> {
        let Value::Object(members) = body else {
            panic!("an object");
        };
        read(members).map_err(|error| match error {
            Error::Invalid(issues) => {
                let lines = issues.iter().map(|issue| format!("{} {}", issue.path, issue.code));
                lines.collect()
            }
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_short_request_has_the_usual_limits() {
        let plan = parsed(json!({"females": [1, 2], "bulls": [3]})).unwrap();
        assert!(matches!(plan.females, OfMany::Ids(ids) if ids == [1, 2]));
        assert_eq!((plan.limits.inbreeding, plan.limits.uses), (6.25, None));
        assert!(!plan.limits.carriers && !plan.store && !plan.exclusions && plan.goal.is_none());
        assert!(plan.limits.doses.is_empty());
    }

    #[test]
    fn all_of_it_is_read() {
        let plan = parsed(json!({
            "females": {"state": {"equals": "alive"}}, "bulls": [3, 4],
            "limits": {"inbreeding": 3, "uses": 20, "carriers": true, "doses": [{"bull": 3, "doses": 0}]},
            "goal": {"weights": [{"trait": "milk", "weight": 0.5}, {"trait": "fertility", "weight": 0}]},
            "store": true, "exclusions": true,
        }));
        let plan = plan.unwrap();
        assert!(matches!(plan.females, OfMany::Where(_)));
        assert_eq!((plan.limits.inbreeding, plan.limits.uses), (3.0, Some(20)));
        assert_eq!(plan.limits.doses, BTreeMap::from([(3, 0)]));
        assert_eq!(plan.goal, Some(Goal::Weights(vec![("milk", 0.5)])));
        assert!(plan.limits.carriers && plan.store && plan.exclusions);
        let by_profile = json!({"females": [1], "bulls": [3], "goal": {"profile": "nm"}});
        assert_eq!(parsed(by_profile).unwrap().goal, Some(Goal::Profile("nm".to_owned())));
    }

    #[test]
    fn every_fault_is_told_and_nothing_is_passed_over() {
        let faults = parsed(json!({
            "females": [], "bulls": ["x"], "cows": 1, "store": 1,
            "limits": {"inbreeding": 101, "uses": -1, "more": 1,
                "doses": [{"bull": 3}, {"bull": 4, "doses": 1}, {"bull": 4, "doses": 2, "straws": 1}, 7]},
            "goal": {"weights": [{"trait": "mlik", "weight": 1}, {"trait": "milk", "weight": "x"}]},
        }));
        let expected = [
            "females required",
            "bulls.0 wrong-type",
            "limits.inbreeding too-large",
            "limits.uses wrong-type",
            "limits.doses.3 wrong-type",
            "limits.doses.0.doses required",
            "limits.doses.2.straws unknown-field",
            "limits.doses.2 not-unique",
            "limits.more unknown-field",
            "goal.weights.0.trait not-an-option",
            "goal.weights.1.weight wrong-type",
            "store wrong-type",
            "cows unknown-field",
        ];
        assert_eq!(faults.unwrap_err(), expected);
        for (goal, fault) in [
            (json!({}), "goal required"),
            (json!({"profile": "nm", "weights": []}), "goal not-allowed"),
            (json!({"profile": 1}), "goal.profile wrong-type"),
            (json!({"weights": []}), "goal.weights all-zero"),
            (json!({"weights": [{"trait": "milk", "weight": 0}]}), "goal.weights all-zero"),
            (json!(7), "goal wrong-type"),
        ] {
            let body = json!({"females": [1], "bulls": [3], "goal": goal});
            let faults = parsed(body).unwrap_err();
            assert_eq!(faults[0], fault);
        }
        let many: Vec<usize> = (0..=BULLS_MAX).collect();
        let faults = parsed(json!({"females": {}, "bulls": many})).unwrap_err();
        assert_eq!(faults, ["females required", "bulls too-many"]);
    }
}
