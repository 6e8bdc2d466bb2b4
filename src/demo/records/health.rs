//! Illnesses of cows and calves, what was done about them, and how the animals were meanwhile.
//!
//! How often a cow falls ill in a lactation is a constant (docs/design/derived.md, *Synthetic book*); the udder falls
//! ill on the day since when the tests show it. Drawn from streams of its own. The journal covers the last year of the
//! book.
#![expect(clippy::indexing_slicing, reason = "indexes come from the world that the vectors here are sized by")]

use serde_json::{Value, json};

use super::milk::{Lactation, Mastitis, lactations};
use super::rows::{Diary, add};
use super::tables::Tables;
use crate::simulation::calendar::{Day, END, iso};
use crate::simulation::herd::{Animal, Fact, Leaving, World};
use crate::simulation::select::Selection;
use crate::simulation::streams::Stream;

/// Days before the end of the book since when the journal is written.
const JOURNAL: i32 = 365;
/// Number of days in which an ill animal gets no other illness.
const APART: i32 = 14;
/// Share of the calves that fall ill: of diarrhoea, of pneumonia.
const CALVES: (f64, f64) = (0.10, 0.06);

/// How often an illness comes in a lactation, by parity, and between which days after calving.
type Risk = (&'static str, [f64; 3], i32, i32);

const RISKS: [Risk; 8] = [
    ("milk-fever", [0.003, 0.01, 0.04], 0, 2),
    ("retained-placenta", [0.04; 3], 1, 1),
    ("metritis", [0.10; 3], 4, 14),
    ("ketosis", [0.07; 3], 6, 35),
    ("displaced-abomasum", [0.04; 3], 7, 40),
    ("cyst", [0.08; 3], 45, 75),
    ("lameness", [0.13; 3], 20, 280),
    ("digital-dermatitis", [0.08; 3], 20, 280),
];

/// An illness of an animal.
#[derive(Clone, Copy)]
struct Case {
    /// When it was found.
    day: Day,
    /// The last day, for any outcome.
    end: Day,
    animal: usize,
    /// A code of `health-event-types`.
    illness: &'static str,
    severity: &'static str,
    /// `health-events.outcome`.
    outcome: &'static str,
    /// Chooses among what an illness may differ in: the quarter, the leg.
    pick: usize,
}

/// What is given: an invented medicine with the number of its registration.
struct Medicine {
    name: &'static str,
    number: &'static str,
    dose: (f64, &'static str),
    /// Days of the course, and after it without milk for delivery and without slaughter.
    days: [i32; 3],
}

const fn medicine(name: &'static str, number: &'static str, dose: (f64, &'static str), days: [i32; 3]) -> Medicine {
    Medicine { name, number, dose, days }
}

const ANTIBIOTIC: Medicine = medicine("Демоцеф 50", "96-3-0001", (12.5, "MLT"), [3, 2, 8]);
const UDDER_TUBE: Medicine = medicine("Демомаст", "96-3-0002", (1.0, "SYR"), [3, 4, 10]);
const GLYCOL: Medicine = medicine("Демогликоль", "96-3-0003", (300.0, "MLT"), [5, 0, 0]);
const CALCIUM: Medicine = medicine("Демокальций 20 %", "96-3-0004", (400.0, "MLT"), [1, 0, 0]);
const PROSTAGLANDIN: Medicine = medicine("Демопрост", "96-3-0005", (2.0, "MLT"), [1, 0, 2]);
const ELECTROLYTE: Medicine = medicine("Деморегидрат", "96-3-0006", (100.0, "GRM"), [3, 0, 0]);

/// What is done about an illness, and with what.
fn remedy(illness: &str) -> (&'static str, Option<&'static Medicine>) {
    match illness {
        "mastitis" => ("Внутрицистернальное введение", Some(&UDDER_TUBE)),
        "ketosis" | "acidosis" => ("Дача внутрь", Some(&GLYCOL)),
        "milk-fever" => ("Внутривенное введение", Some(&CALCIUM)),
        "cyst" | "retained-placenta" => ("Внутримышечное введение", Some(&PROSTAGLANDIN)),
        "calf-diarrhoea" => ("Выпаивание", Some(&ELECTROLYTE)),
        "displaced-abomasum" => ("Хирургическая репозиция", Some(&ANTIBIOTIC)),
        "lameness" | "digital-dermatitis" => ("Расчистка копыт и повязка", None),
        _ => ("Подкожное введение", Some(&ANTIBIOTIC)),
    }
}

/// Where on the animal an illness may be. Mostly the hind legs go lame.
fn positions(illness: &str) -> &'static [&'static str] {
    match illness {
        "mastitis" => &["udderFrontLeft", "udderFrontRight", "udderRearLeft", "udderRearRight"],
        "lameness" | "digital-dermatitis" => &["legsRearLeft", "legsRearRight", "legsRearLeft", "legsFrontRight"],
        "cyst" => &["ovariesLeft", "ovariesRight", "ovariesLeft", "ovariesRight"],
        _ => &[],
    }
}

/// The journal, case by case.
pub(crate) fn journal(
    world: &World,
    selection: &Selection,
    tables: &Tables,
    udders: &[Mastitis],
    diary: &mut Diary<'_>,
) {
    let seed = world.seed;
    let mut cases = ends(world);
    for lactation in lactations(world).iter().filter(|l| l.end > END - JOURNAL) {
        in_lactation(seed, lactation, &mut cases);
    }
    for udder in udders {
        let stream = &mut Stream::new(seed, "udder", udder.animal as u64 ^ udder.day as u64);
        cases.push(case(stream, udder.day, udder.animal, "mastitis"));
    }
    for (index, calf) in world.animals.iter().enumerate() {
        of_calf(seed, index, calf, &mut cases);
    }
    cases.retain(|case| {
        (END - JOURNAL + 1..=END).contains(&case.day)
            && world.animals[case.animal].is_there(case.day)
            && selection.recorded(case.animal).is_some()
    });
    // That which an animal left for stands; of the others the earliest.
    cases.sort_by_key(|case| (case.animal, case.outcome == "recovered", case.day));
    let mut spaced: Vec<Case> = Vec::new();
    for case in cases {
        let of_animal = spaced.iter().rev().take_while(|k| k.animal == case.animal);
        let far = |known: &Case| case.day > known.end + APART || case.end + APART < known.day;
        if of_animal.into_iter().all(far) {
            spaced.push(case);
        }
    }
    for case in spaced {
        if let Some(animal) = selection.recorded(case.animal) {
            lines(world, tables, animal, case, diary);
        }
    }
}

/// A case as it would go on for an animal that stays.
fn case(stream: &mut Stream, day: Day, animal: usize, illness: &'static str) -> Case {
    let severity = ["mild", "moderate", "severe"][stream.weighted(&[30.0, 55.0, 15.0])];
    Case {
        day,
        end: day + stream.between(4, 9),
        animal,
        illness,
        severity,
        outcome: "recovered",
        pick: stream.below(4),
    }
}

fn in_lactation(seed: u64, lactation: &Lactation, cases: &mut Vec<Case>) {
    let key = lactation.animal as u64 * 32 + u64::from(lactation.parity);
    let stream = &mut Stream::new(seed, "health", key);
    let order = usize::from(lactation.parity.clamp(1, 3)) - 1;
    for (illness, share, from, until) in RISKS {
        if stream.chance(share[order]) {
            let day = lactation.start + stream.between(from, until);
            let one = case(stream, day, lactation.animal, illness);
            cases.extend((day <= lactation.end).then_some(one));
        }
    }
}

fn of_calf(seed: u64, index: usize, calf: &Animal, cases: &mut Vec<Case>) {
    if calf.birth <= END - JOURNAL {
        return;
    }
    let stream = &mut Stream::new(seed, "calf", index as u64);
    if stream.chance(CALVES.0) {
        let day = calf.birth + stream.between(4, 20);
        cases.push(case(stream, day, index, "calf-diarrhoea"));
    }
    if stream.chance(CALVES.1) {
        let day = calf.birth + stream.between(45, 120);
        cases.push(case(stream, day, index, "pneumonia"));
    }
}

/// The illnesses that animals left for.
fn ends(world: &World) -> Vec<Case> {
    let mut cases = Vec::new();
    // Birth, or the last calving: what they left for came after it.
    let mut turns: Vec<Day> = world.animals.iter().map(|animal| animal.birth).collect();
    for (index, event) in world.events.iter().enumerate() {
        let leaving = match event.fact {
            Fact::Left(leaving) => leaving,
            Fact::Calving { .. } => {
                turns[event.animal] = event.day;
                continue;
            }
            _ => continue,
        };
        let (reason, outcome, mean) = match leaving {
            Leaving::Culled(reason) => (reason, "culled", 14),
            Leaving::Died(reason) => (reason, "died", 3),
            Leaving::Sold => continue,
        };
        let cow = world.animals[event.animal].has_calved();
        let illness = match reason {
            "udder" => "mastitis",
            "legs" => "lameness",
            "metabolic" => "acidosis",
            "calving" => "metritis",
            "disease" => "pneumonia",
            "died-disease" if cow => "displaced-abomasum",
            "died-disease" if event.day < world.animals[event.animal].birth + 30 => "calf-diarrhoea",
            "died-disease" => "pneumonia",
            _ => continue,
        };
        let stream = &mut Stream::new(world.seed, "last-illness", index as u64);
        let day = event.day - stream.between(mean - 2, mean + 6);
        let day = day.max(turns[event.animal] + 1);
        if day >= event.day {
            continue;
        }
        cases.push(Case { end: event.day, severity: "severe", outcome, ..case(stream, day, event.animal, illness) });
    }
    cases
}

/// What the journal says of a case. In mild cases the animal is not followed.
fn lines(world: &World, tables: &Tables, animal: i64, mut case: Case, diary: &mut Diary<'_>) {
    let subject = &world.animals[case.animal];
    let there = |day: Day| day <= END && subject.is_there(day);
    if case.outcome == "recovered" && !there(case.end) {
        case.outcome = "ongoing";
    }
    let (_, medicine) = remedy(case.illness);
    // Day, code of `health-event-types`, observed status.
    let mut lines =
        vec![(case.day, case.illness, None), (case.day, medicine.map_or("trimming", |_| "treatment"), None)];
    if case.severity != "mild" {
        lines.push((case.day, "status", Some("inTreatment")));
    }
    match case.outcome {
        "recovered" if case.severity != "mild" => {
            lines.push((case.end, "status", Some("healthy")));
        }
        "culled" => lines.push(((case.end - 4).max(case.day), "status", Some("toBeCulled"))),
        _ => {}
    }
    lines.retain(|(day, ..)| there(*day));
    for (day, code, status) in lines {
        let kind = tables.id("health-event-types", code);
        diary.add(day, "health-events", move |_| {
            let mut data = json!({
                "animal": animal,
                "date": iso(day),
                "type": kind,
                "severity": case.severity,
            });
            let more = match status {
                Some(status) => json!({"observedStatus": status}),
                None if code == case.illness => case.diagnosis(),
                None => case.treatment(),
            };
            add(&mut data, more);
            data
        });
    }
}

impl Case {
    fn positions(&self) -> Option<[&'static str; 1]> {
        let position = positions(self.illness).get(self.pick).copied();
        position.map(|position| [position])
    }

    fn diagnosis(&self) -> Value {
        let over = self.outcome != "ongoing" && self.end <= END;
        json!({
            "startDate": iso(self.day),
            "endDate": over.then(|| iso(self.end)),
            "stage": "acute",
            "positions": self.positions(),
            "outcome": self.outcome,
        })
    }

    fn treatment(&self) -> Value {
        let (procedure, medicine) = remedy(self.illness);
        let [days, milk, meat] = medicine.map_or([1, 0, 0], |medicine| medicine.days);
        let last = self.day + days - 1;
        let until = |days: i32| (days > 0).then(|| iso(last + days));
        // A batch is bought each quarter and lasts two years.
        let quarter = self.day / 90;
        json!({
            "procedure": procedure,
            "positions": self.positions(),
            "startDate": iso(self.day),
            "endDate": iso(last),
            "medicine": medicine.map(|medicine| json!({
                "name": medicine.name,
                "registeredId": medicine.number,
                "batch": format!("{}-{quarter}", medicine.number),
                "expiryDate": iso(quarter * 90 + 730),
            })),
            "dose": medicine.map(|medicine| medicine.dose.0),
            "doseUnit": medicine.map(|medicine| medicine.dose.1),
            "milkWithdrawalUntil": until(milk),
            "meatWithdrawalUntil": until(meat),
        })
    }
}
