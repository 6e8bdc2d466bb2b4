//! The book against the reference.

use super::state::State;
use super::story::{Course, Fact, Story};
use Expected::{Exactly, Rounded};
use book_reference::{Derived, History, Outcome, Present};
use model::record::time::to_iso;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A value that is expected: exactly, or a number that is rounded to so many decimals.
enum Expected {
    Exactly(Value),
    Rounded(Option<f64>, i32),
}

/// What the reference expects of the book: record, path, value.
#[derive(Default)]
struct Expectations(Vec<(String, String, Expected)>);

/// Lines about where the book says something else than the reference.
pub(super) fn differences(story: &Story, history: &History, state: &State) -> Vec<String> {
    let derived = history.derived();
    let mut all = Expectations::default();
    all.rows(story, &derived);
    all.animal(&derived.present);
    all.lactations(history, &derived);
    let mut lines = all.differences(state);
    let days = state.keys().filter(|name| name.starts_with("daily-milkings ")).count();
    let lactations = at(&state["animal"], "lactations").as_array().map_or(0, Vec::len);
    for (what, found, expected) in
        [("days of milk", days, derived.days.len()), ("lactations", lactations, derived.lactations.len())]
    {
        if found != expected {
            lines.push(format!("{found} {what} in the book, {expected} by the reference"));
        }
    }
    lines
}

/// The names of rows of a kind, in their order.
fn named(story: &Story, kind: fn(&Fact) -> bool) -> Vec<String> {
    let rows = story.rows.iter().enumerate();
    let rows = rows.filter(|(_, row)| row.course != Course::Deleted && kind(&row.fact));
    rows.map(|(at, _)| story.name(at)).collect()
}

fn day(day: Option<i64>) -> Expected {
    Exactly(day.map(|day| to_iso(day * 86_400_000)).into())
}

impl Expectations {
    fn expect(&mut self, record: &str, path: &str, expected: Expected) {
        self.0.push((record.to_owned(), path.to_owned(), expected));
    }

    fn rows(&mut self, story: &Story, derived: &Derived) {
        let services = named(story, |fact| matches!(fact, Fact::Service { .. }));
        let service = |at: Option<usize>| Exactly(at.map(|at| services[at].clone()).into());
        for (name, row) in named(story, |fact| matches!(fact, Fact::Calving { .. })).iter().zip(&derived.calvings) {
            let record = format!("calvings {name}");
            self.expect(&record, "number", Exactly(json!(row.number)));
            self.expect(&record, "insemination", service(row.service));
            self.expect(&record, "gestationDays", Exactly(json!(row.gestation)));
        }
        for (name, row) in services.iter().zip(&derived.services) {
            let record = format!("inseminations {name}");
            let result = row.result.map(|outcome| match outcome {
                Outcome::Pregnant => 1,
                Outcome::Empty => 2,
                Outcome::Multiple => 3,
                Outcome::Unknown => 4,
            });
            self.expect(&record, "lactationNumber", Exactly(json!(row.number)));
            self.expect(&record, "result", Exactly(json!(result)));
            self.expect(&record, "expectedCalving", day(row.expected));
            self.expect(&record, "daysOpen", Exactly(json!(row.open)));
        }
        for (name, row) in named(story, |fact| matches!(fact, Fact::Test { .. })).iter().zip(&derived.tests) {
            let record = format!("milk-tests {name}");
            self.expect(&record, "lactationNumber", Exactly(json!(row.number)));
            self.expect(&record, "daysInMilk", Exactly(json!(row.days_in_milk)));
        }
        for of_day in &derived.days {
            let record = format!("daily-milkings {}", &to_iso(of_day.day * 86_400_000)[..10]);
            self.expect(&record, "milkYield", Rounded(Some(of_day.milk), 3));
            self.expect(&record, "milkings", Exactly(json!(of_day.milkings)));
        }
    }

    fn animal(&mut self, present: &Present) {
        let mut expect = |path: &str, expected| self.expect("animal", path, expected);
        expect("current.parity", Exactly(json!(present.parity)));
        expect("current.daysInMilk", Exactly(json!(present.days_in_milk)));
        expect("current.ageAtFirstCalving", Exactly(json!(present.age_at_first_calving)));
        expect("current.lastCalvingDate", day(present.calving));
        expect("current.lastInseminationDate", day(present.service));
        expect("current.lastDryOffDate", day(present.dry_off));
        expect("current.expectedCalvingDate", day(present.expected));
        expect("current.lactationStatus", Exactly(json!(present.lactation)));
        expect("current.reproductionStatus", Exactly(json!(present.reproduction)));
        expect("current.services", Exactly(json!(present.services)));
        expect("current.lastTestDate", day(present.last_test));
        expect("current.lastCellsDate", day(present.cells.map(|(day, _)| day)));
        expect("current.lastCells", Rounded(present.cells.map(|(_, cells)| cells), 3));
        expect("ageGroup", Exactly(json!(present.age_group)));
    }

    fn lactations(&mut self, history: &History, derived: &Derived) {
        let mut expect = |path: &str, expected| self.expect("animal", path, expected);
        for (place, lactation) in derived.lactations.iter().enumerate() {
            let path = |name: &str| format!("lactations.{place}.{name}");
            let bull = lactation.service.and_then(|at| history.services[at].bull.clone());
            let served = lactation.service.map(|at| history.day(history.services[at].when));
            expect(&path("number"), Exactly(json!(lactation.number)));
            expect(&path("calvingDate"), day(Some(lactation.begin)));
            expect(&path("inseminationDate"), day(served));
            expect(&path("serviceBull"), Exactly(json!(bull)));
            expect(&path("dd"), Exactly(json!(lactation.length)));
            expect(&path("dryOffDate"), day(lactation.dry_off));
            expect(&path("endDate"), day(lactation.end.map(|(day, _)| day)));
            expect(&path("lastTestDay"), day(lactation.last_test));
            let method = if history.curves.is_some() { "standardCurves" } else { "testInterval" };
            expect(&path("yieldMethod"), Exactly(json!(lactation.last_test.map(|_| method))));
            for (name, value) in ["milkYield", "fatKg", "proteinKg"].iter().zip(lactation.whole) {
                expect(&path(name), Rounded(value, 1));
            }
            let [milk, fat, protein] = lactation.standard;
            let share = |kg: Option<f64>| Some(100.0 * kg? / milk.filter(|milk| *milk > 0.0)?);
            expect(&path("milk305"), Rounded(milk, 1));
            expect(&path("fat305"), Rounded(share(fat), 2));
            expect(&path("protein305"), Rounded(share(protein), 2));
            expect(&path("scc"), Rounded(lactation.cells, 0));
            expect(&path("scs"), Rounded(lactation.score, 2));
            expect(&path("official"), Exactly(json!(lactation.official)));
            let fcm = fat.and_then(|fat| Some(0.4 * milk? + 15.0 * fat));
            let ecm = fat.zip(protein).and_then(|(fat, protein)| Some(0.25 * milk? + 12.2 * fat + 7.7 * protein));
            expect(&path("fcm305"), Rounded(fcm, 1));
            expect(&path("ecm305"), Rounded(ecm, 1));
            let (peak_day, peak) = lactation.peak.unzip();
            expect(&path("peakDay"), Exactly(json!(peak_day)));
            expect(&path("peakMilk"), Rounded(peak, 3));
            expect(&path("persistency"), Rounded(lactation.persistency, 1));
            let (projected, from) = lactation.projected.unzip();
            expect(&path("projected305"), Rounded(projected, 0));
            expect(&path("projectedFrom"), Exactly(json!(from)));
            let (open, services) = lactation.conception.unzip();
            expect(&path("daysOpen"), Exactly(json!(open)));
            expect(&path("services"), Exactly(json!(services)));
            expect(&path("calvingInterval"), Exactly(json!(lactation.interval)));
        }
    }

    /// Lines about values that the book has not.
    fn differences(self, state: &State) -> Vec<String> {
        let mut lines = Vec::new();
        // Rows that say the same have one name, and any of them may have the value of any other.
        let mut exactly: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for (record, path, expected) in self.0 {
            match expected {
                Exactly(value) => {
                    exactly.entry((record, path)).or_default().push(value.to_string());
                }
                Rounded(value, decimals) => {
                    let found = state.get(&record).map_or(&Value::Null, |record| at(record, &path));
                    let near = |value: f64| {
                        let found = found.as_f64();
                        found.is_some_and(|f| (f - value).abs() <= 0.5 * 10_f64.powi(-decimals) + 1e-6)
                    };
                    if !value.map_or(found.is_null(), near) {
                        lines.push(format!("{record}.{path}: {found} in the book, {value:?} by the reference"));
                    }
                }
            }
        }
        for ((record, path), mut expected) in exactly {
            let alike = (1..=expected.len()).map(|n| match n {
                1 => record.clone(),
                n => format!("{record} ({n})"),
            });
            let mut found: Vec<String> = alike
                .map(|name| state.get(&name).map_or(&Value::Null, |record| at(record, &path)).to_string())
                .collect();
            expected.sort();
            found.sort();
            if found != expected {
                let [found, expected] = [found, expected].map(|all| all.join(", "));
                lines.push(format!("{record}.{path}: {found} in the book, {expected} by the reference"));
            }
        }
        lines
    }
}

fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, step| match value {
        Value::Array(all) => step.parse().ok().and_then(|at: usize| all.get(at)).unwrap_or(&Value::Null),
        _ => value.get(step).unwrap_or(&Value::Null),
    })
}
