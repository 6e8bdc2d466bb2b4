//! Values of selection indexes, bases and the runs that compute them.

use super::{Farm, TODAY, day, farm, fault, faults, fields};
use crate::collections::{give_index_run_up, index_step};
use futures_util::FutureExt as _;
use model::record::{Record, Value};
use model::registry::{Command, Lookup};
use proptest::prelude::{Just, Strategy, prop, proptest};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// A value of an animal: profile, value, reliability, traits, base, percentile, cohort, rank.
type Row = (i64, String, [Value; 7]);

impl Farm {
    /// Performs all runs that are queued.
    fn run_indexes(&mut self) {
        let caller = std::mem::replace(&mut self.book.caller, model::registry::Principal::system());
        while let Some(id) = self.queued() {
            let mut run = None;
            loop {
                run = index_step(&mut self.book, id, run).now_or_never().unwrap().unwrap();
                if run.is_none() {
                    break;
                }
            }
        }
        self.book.caller = caller;
    }

    fn queued(&self) -> Option<i64> {
        let mut ids = self.book.ids("index-runs").into_iter();
        let open = |id: &i64| !matches!(self.state(*id).as_str(), "done" | "failed");
        ids.find(open)
    }

    fn state(&self, run: i64) -> String {
        let state = self.book.get("index-runs", run, "state");
        state.text().unwrap().to_owned()
    }

    fn indexes(&self) -> Vec<Row> {
        let c = crate::collections::registry().unwrap().get("index-values").unwrap();
        let paths = ["value", "reliability", "used", "baseVersion", "percentile", "cohort", "rank"];
        let row = |row: &Record| {
            let key = row.get(c.at("profileKey")).text().unwrap().to_owned();
            let animal = row.get(c.at("animal")).int().unwrap();
            (animal, key, paths.map(|path| row.get(c.at(path)).clone()))
        };
        let mut rows: Vec<Row> = self.book.rows("index-values").values().map(row).collect();
        rows.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        rows
    }

    fn index(&self, animal: i64, key: &str) -> Option<[Value; 7]> {
        let rows = self.indexes();
        let found = rows.into_iter().find(|(of, profile, _)| *of == animal && profile == key);
        found.map(|(_, _, values)| values)
    }

    fn value(&self, animal: i64, key: &str) -> Option<f64> {
        self.index(animal, key)?[0].num()
    }
}

fn evaluation(animal: i64, on: i64, milk: f64) -> Command {
    Command::Create(fields! {
        "animal": animal, "evaluatedAt": day(on), "milkForecast": milk, "milkR": 70.0,
    })
}

fn weights(all: &[(&str, f64)]) -> Value {
    let rows = all.iter().map(|(key, weight)| json!({"id": key, "trait": key, "weight": weight}));
    Value::json(Json::Array(rows.collect()))
}

fn expert() -> Farm {
    let mut farm = farm();
    farm.book.association(1);
    farm
}

fn one(farm: &mut Farm, command: Command) -> i64 {
    farm.book.write("animal-evaluations", vec![command]).unwrap()[0]
}

#[test]
fn composites_are_those_of_the_exterior_where_the_evaluation_has_none() {
    let mut farm = expert();
    let cow = farm.cows[0];
    let scored = fields! { "animal": cow, "assessedAt": day(TODAY - 4), "udderComposite": 1.3 };
    let scored = farm.book.create("animal-exteriors", scored).unwrap();
    assert_eq!(farm.indexes(), [], "no evaluation is in force");
    let run = one(&mut farm, evaluation(cow, TODAY - 9, 0.0));
    assert_eq!(farm.value(cow, "association"), Some(120.0));
    let own = fields! { "exterior.udderComposite": -0.65 };
    farm.book.update("animal-evaluations", run, own).unwrap();
    assert_eq!(farm.value(cow, "association"), Some(-60.0));
    farm.book.delete("animal-exteriors", scored).unwrap();
    assert_eq!(farm.value(cow, "association"), Some(-60.0));
}

#[test]
fn a_small_cohort_says_nothing_and_ranks_follow_in_a_run() {
    let mut farm = expert();
    let mut cows = farm.cows.clone();
    cows.extend([7, 8].map(|n| farm.animal(&format!("20000{n}"), "female", TODAY - 900)));
    let standing = |farm: &Farm, cow: i64| {
        let [.., percentile, cohort, rank] = farm.index(cow, "nm").unwrap();
        [percentile, cohort, rank].map(|value| value.int())
    };
    for (n, cow) in (1..=4).zip(&cows) {
        one(&mut farm, evaluation(*cow, TODAY - 9, f64::from(n) * 100.0));
        assert_eq!(standing(&farm, *cow), [None; 3]);
    }
    one(&mut farm, evaluation(cows[4], TODAY - 9, 500.0));
    assert_eq!(standing(&farm, cows[4]), [Some(90), Some(5), Some(1)]);
    assert_eq!(standing(&farm, cows[0]), [None; 3], "until the run");
    farm.run_indexes();
    assert_eq!(standing(&farm, cows[4]), [Some(90), Some(5), Some(1)]);
    assert_eq!(standing(&farm, cows[0]), [Some(10), Some(5), Some(5)]);
}

#[test]
fn an_own_base_is_computed_from_the_book_without_archived_animals() {
    let mut farm = expert();
    let base = fields! { "version": "Few" };
    let few = farm.book.create("index-bases", base).unwrap();
    farm.run_indexes();
    assert_eq!(farm.book.get("index-bases", few, "traits").rows(), &[] as &[Json]);
    for n in 0..31_i64 {
        let cow = farm.animal(&format!("3000{n:02}"), "female", TODAY - 900);
        if n == 30 {
            farm.book.update("animals", cow, fields! { "archived": true }).unwrap();
        }
        let milk = if n % 2 == 0 { 10.0 } else { 14.0 };
        one(&mut farm, evaluation(cow, TODAY - 9, milk));
    }
    let base = farm.book.create("index-bases", fields! { "version": "Own" }).unwrap();
    farm.run_indexes();
    let rows = farm.book.get("index-bases", base, "traits");
    let observed = (120.0_f64 / 29.0).sqrt();
    let round = |value: f64| (value * 1e4).round() / 1e4;
    let expected = json!({
        "id": "milk", "trait": "milk", "mean": 12, "sd": round(observed / 0.7_f64.sqrt()),
        "sdObserved": round(observed), "meanR": 70, "n": 30,
    });
    assert_eq!(rows.rows(), [expected]);
    assert_eq!(farm.book.get("index-bases", base, "animalsUsed"), Value::Int(30));
    let comparison = farm.book.get("index-bases", base, "comparison");
    let all = &comparison.as_json().unwrap()["profiles"][0];
    assert_eq!((&all["animals"], &all["top"], &all["stayInTop"]), (&json!(31), &json!(31), &json!(31)));
    assert_eq!(all["correlation"], 1);
}

fn own_profile(farm: &mut Farm, organization: Option<i64>, name: &str) -> String {
    let fields = fields! { "name": name, "organization": organization, "weights": weights(&[("milk", 1.0)]) };
    format!("own:{}", farm.book.create("index-profiles", fields).unwrap())
}

fn herd_of_seven(farm: &mut Farm) -> Vec<i64> {
    let mut cows = farm.cows.clone();
    cows.extend((3..7).map(|n| farm.animal(&format!("50000{n}"), "female", TODAY - 900)));
    cows
}

#[test]
fn a_write_about_many_animals_deletes_at_once_what_must_not_stay() {
    let mut farm = expert();
    let cows = herd_of_seven(&mut farm);
    let evaluations = cows.iter().map(|cow| evaluation(*cow, TODAY - 9, 257.1)).collect();
    let evaluations = farm.book.write("animal-evaluations", evaluations).unwrap();
    farm.book.system();
    let (mine, other) = (farm.mine, farm.other);
    let keys = [mine, other].map(|organization| own_profile(&mut farm, Some(organization), "Own"));
    farm.run_indexes();
    let values = |farm: &Farm, key: &str| cows.iter().filter(|cow| farm.value(**cow, key).is_some()).count();
    assert_eq!(keys.each_ref().map(|key| values(&farm, key)), [7, 0]);

    let sale = cows.iter().map(|cow| Command::Update(*cow, fields! { "owner": other })).collect();
    farm.book.write("animals", sale).unwrap();
    assert_eq!(values(&farm, &keys[0]), 0, "the buyer does not get what the seller made of them");
    assert_eq!(values(&farm, "association"), 7);
    farm.run_indexes();
    assert_eq!(keys.each_ref().map(|key| values(&farm, key)), [0, 7]);

    farm.book.write("animal-evaluations", evaluations.into_iter().map(Command::Delete).collect()).unwrap();
    assert_eq!(farm.indexes(), [], "no run would come upon them");
    assert!(cows.iter().all(|cow| farm.of(*cow, "ipc").is_null()));
}

#[test]
fn what_a_run_has_not_done_is_made_up_for() {
    let mut farm = expert();
    let cows = herd_of_seven(&mut farm);
    for cow in &cows {
        one(&mut farm, evaluation(*cow, TODAY - 9, 257.1));
    }
    farm.book.system();
    let key = own_profile(&mut farm, None, "All");
    farm.run_indexes();
    let traits = json!([{"id": "1", "trait": "milk", "mean": 0.0, "sd": 100.0}]);
    let base = fields! { "version": "B", "source": "borrowed", "isActive": true, "traits": Value::json(traits) };
    farm.book.create("index-bases", base).unwrap();
    let run = farm.queued().unwrap();
    let step = |farm: &mut Farm, state| index_step(&mut farm.book, run, state).now_or_never().unwrap().unwrap();
    let state = step(&mut farm, None);
    step(&mut farm, state).unwrap();
    give_index_run_up(&mut farm.book, run).now_or_never().unwrap().unwrap();
    assert_eq!(farm.state(run), "failed");
    // Asks for no values but for where they stand.
    one(&mut farm, evaluation(cows[0], TODAY - 3, 257.1 * 2.0));
    let mut state = None;
    while farm.state(run) != "ranking" {
        state = step(&mut farm, state);
    }
    // Another process takes it over.
    farm.run_indexes();
    for (cow, rank) in cows.iter().zip([1, 2, 2, 2, 2, 2, 2]) {
        let milk = if rank == 1 { 514.2 } else { 257.1 };
        let [value, _, _, base, .., place] = farm.index(*cow, &key).unwrap();
        assert_eq!((value, base, place), (Value::Num(milk * 10.0), "B".into(), Value::Int(rank)));
    }
}

#[test]
fn only_what_changed_is_counted_and_ranked() {
    let mut farm = expert();
    let cows = herd_of_seven(&mut farm);
    farm.book.system();
    let (mine, other) = (farm.mine, farm.other);
    let keys = [mine, other].map(|organization| own_profile(&mut farm, Some(organization), "Own"));
    for (n, cow) in (1..).zip(&cows) {
        one(&mut farm, evaluation(*cow, TODAY - 9, f64::from(n) * 100.0));
    }
    farm.run_indexes();
    let subjects = |farm: &Farm| -> Vec<Value> {
        let ids = farm.book.ids("index-runs").into_iter();
        let open = ids.filter(|id| farm.state(*id) != "done");
        open.map(|id| farm.book.get("index-runs", id, "subject")).collect()
    };
    assert_eq!(subjects(&farm), []);
    farm.book.look_ups.clear();
    farm.book.update("animals", cows[0], fields! { "owner": other }).unwrap();
    assert_eq!(subjects(&farm), keys.map(Value::from));
    // Those of the animal, the one that came, and its cohort: all, lower, equal; years of birth are not in this book.
    let look_ups = farm.book.look_ups.iter().filter(|slug| *slug == "index-values").count();
    assert_eq!(look_ups, 5);
    farm.run_indexes();

    for n in 0..12 {
        own_profile(&mut farm, None, &format!("P{n}"));
    }
    farm.run_indexes();
    farm.book.look_ups.clear();
    one(&mut farm, evaluation(cows[1], TODAY - 3, 900.0));
    let look_ups = farm.book.look_ups.iter().filter(|slug| *slug == "index-values").count();
    // Those of the animal, and twice what it shows of them.
    assert_eq!(look_ups, 3, "too many to be counted at once");
    let runs = farm.book.ids("index-runs").into_iter().filter(|id| farm.state(*id) == "queued");
    let due: Vec<Value> = runs.map(|id| farm.book.get("index-runs", id, "dueAt")).collect();
    assert_eq!(due, vec![Value::Time(farm.book.now + 10_000); 14], "of the book, of 12 profiles, and of the owner");
}

#[test]
fn what_changes_while_a_run_goes_on_follows_when_it_is_due() {
    let mut farm = expert();
    let cows = herd_of_seven(&mut farm);
    one(&mut farm, evaluation(cows[0], TODAY - 9, 100.0));
    let run = farm.queued().unwrap();
    let step = |farm: &mut Farm, state| index_step(&mut farm.book, run, state).now_or_never().unwrap().unwrap();
    let mut state = step(&mut farm, None);
    let due = |farm: &Farm| farm.book.get("index-runs", run, "dueAt");
    one(&mut farm, evaluation(cows[1], TODAY - 9, 100.0));
    assert_eq!(due(&farm), Value::Time(farm.book.now + 3_600_000));
    let both = |cow: &i64| {
        Command::Create(fields! {
            "animal": *cow, "evaluatedAt": day(TODAY - 9), "milkForecast": 100.0, "calfMortalityForecast": 1.0,
        })
    };
    farm.book.write("animal-evaluations", cows[2..5].iter().map(both).collect()).unwrap();
    one(&mut farm, evaluation(cows[6], TODAY - 9, 100.0));
    while state.is_some() {
        state = step(&mut farm, state);
    }
    assert_eq!(farm.state(run), "queued");
    assert_eq!(due(&farm), Value::Time(farm.book.now + 10_000), "21 values wait for it");
    farm.run_indexes();
    assert_eq!(farm.state(run), "done");
}

/// What is written: an evaluation, an exterior, a profile, a base, or an evaluation that is deleted again.
#[derive(Debug, Clone)]
enum Fact {
    Evaluation { animal: usize, day: i64, source: usize, milk: i32, losses: Option<i32> },
    Exterior { animal: usize, day: i64, udder: i32 },
    Profile { organization: usize, weight: i32 },
    Owner { animal: usize },
    Base { mean: i32 },
    Mistake { animal: usize, milk: i32 },
}

const ANIMALS: usize = 7;

fn fact() -> impl Strategy<Value = Fact> {
    let animal = || 0..ANIMALS;
    proptest::prop_oneof![
        4 => (animal(), 1_i64..300, 0_usize..4, -900..900, prop::option::of(-3..3)).prop_map(
            |(animal, day, source, milk, losses)| Fact::Evaluation { animal, day, source, milk, losses }),
        1 => (animal(), 1_i64..300, -3..3).prop_map(|(animal, day, udder)| Fact::Exterior { animal, day, udder }),
        1 => (0_usize..3, 1..9).prop_map(|(organization, weight)| Fact::Profile { organization, weight }),
        1 => animal().prop_map(|animal| Fact::Owner { animal }),
        1 => (-50..50).prop_map(|mean| Fact::Base { mean }),
        1 => (animal(), -900..900).prop_map(|(animal, milk)| Fact::Mistake { animal, milk }),
    ]
}

/// Facts of which none depends on the order: days, bases and owners differ.
fn facts() -> impl Strategy<Value = (Vec<Fact>, Vec<Fact>)> {
    prop::collection::vec(fact(), 1..24).prop_flat_map(|mut facts| {
        let mut seen = std::collections::BTreeSet::new();
        facts.retain(|fact| {
            seen.insert(match fact {
                Fact::Evaluation { animal, day, source, .. } => (0, *animal, *day, *source),
                Fact::Exterior { animal, day, .. } => (1, *animal, *day, 0),
                Fact::Profile { organization, .. } => (2, *organization, 0, 0),
                Fact::Owner { animal } => (3, *animal, 0, 0),
                Fact::Base { .. } => (4, 0, 0, 0),
                Fact::Mistake { animal, milk } => (5, *animal, i64::from(*milk), 0),
            })
        });
        (Just(facts.clone()), Just(facts).prop_shuffle())
    })
}

/// A book with these facts in their order; its values by animal and profile, with names of profiles for keys.
fn computed(facts: &[Fact], often: bool) -> BTreeMap<(usize, String), [Value; 7]> {
    let mut farm = expert();
    farm.book.system();
    let mut animals = farm.cows.clone();
    animals.extend((3..ANIMALS).map(|n| farm.animal(&format!("40000{n}"), "female", TODAY - 900)));
    let organizations = [None, Some(farm.mine), Some(farm.other)];
    let mut names = BTreeMap::new();
    for fact in facts {
        match fact {
            Fact::Evaluation { animal, day: on, source, milk, losses } => {
                let source = ["center", "association", "foreign", "import"][*source];
                let mut row = fields! {
                    "animal": animals[*animal], "evaluatedAt": day(TODAY - on), "source": source,
                    "milkForecast": f64::from(*milk),
                };
                if let Some(losses) = losses {
                    row.extend(fields! { "calfMortalityForecast": f64::from(*losses), "calfMortalityR": 40.0 });
                }
                one(&mut farm, Command::Create(row));
            }
            Fact::Exterior { animal, day: on, udder } => {
                let row = fields! {
                    "animal": animals[*animal], "assessedAt": day(TODAY - on), "udderComposite": f64::from(*udder),
                };
                farm.book.create("animal-exteriors", row).unwrap();
            }
            Fact::Profile { organization, weight } => {
                let row = fields! {
                    "name": format!("P{organization}"), "organization": organizations[*organization],
                    "weights": weights(&[("milk", f64::from(*weight)), ("calfMortality", 3.0)]),
                };
                let id = farm.book.create("index-profiles", row).unwrap();
                names.insert(format!("own:{id}"), format!("P{organization}"));
            }
            Fact::Owner { animal } => {
                let owner = fields! { "owner": farm.other };
                farm.book.update("animals", animals[*animal], owner).unwrap();
            }
            Fact::Base { mean } => {
                let traits = json!([{"id": "1", "trait": "milk", "mean": mean, "sd": 200.0}]);
                let row = fields! {
                    "version": "B", "source": "borrowed", "isActive": true, "traits": Value::json(traits),
                };
                farm.book.create("index-bases", row).unwrap();
            }
            Fact::Mistake { animal, milk } => {
                let id = one(&mut farm, evaluation(animals[*animal], TODAY, f64::from(*milk)));
                farm.book.delete("animal-evaluations", id).unwrap();
            }
        }
        if often {
            farm.run_indexes();
        }
    }
    farm.run_indexes();
    let rows = farm.indexes().into_iter();
    rows.map(|(animal, key, values)| {
        let place = animals.iter().position(|id| *id == animal).unwrap();
        ((place, names.get(&key).cloned().unwrap_or(key)), values)
    })
    .collect()
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 64, ..Default::default() })]
    #[test]
    fn values_follow_from_the_rows_in_whatever_order((facts, shuffled) in facts()) {
        let first = computed(&facts, false);
        proptest::prop_assert_eq!(&first, &computed(&shuffled, false));
        proptest::prop_assert_eq!(&first, &computed(&shuffled, true));
    }
}

#[test]
fn an_organisation_has_not_too_many_profiles() {
    let mut farm = expert();
    let profile = |n: usize| Command::Create(fields! { "name": format!("P{n}"), "weights": weights(&[("milk", 1.0)]) });
    farm.book.write("index-profiles", (0..49).map(profile).collect()).unwrap();
    let refused = farm.book.write("index-profiles", vec![profile(49), profile(50)]);
    assert_eq!(faults(refused), fault("name", "too-many"));
    let found = model::registry::BookReader::find(&mut farm.book, "index-profiles", Lookup::default());
    assert_eq!(found.now_or_never().unwrap().unwrap().len(), 49);
}
