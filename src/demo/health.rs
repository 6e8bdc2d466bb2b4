//! Illnesses of cows and calves, what was done about them, and how the animals were meanwhile.
//!
//! How often a cow falls ill in a lactation is a constant (docs/design/derived.md, *Synthetic book*); the udder falls
//! ill on the day since when the tests show it. Drawn from streams of its own. The journal covers the last year of the
//! book.
#![expect(
    clippy::indexing_slicing,
    reason = "indexes come from the world that the vectors here are sized by"
)]

use super::calendar::{Day, END};
use super::herd::{Animal, Fact, Leaving, World};
use super::milk::{Lactation, Mastitis, lactations};
use super::select::Selection;
use super::streams::Stream;

/// Days before the end of the book since when the journal is written.
const JOURNAL: i32 = 365;
/// Number of days in which an ill animal gets no other illness.
const APART: i32 = 14;
/// Share of the calves that fall ill: of diarrhoea, of pneumonia.
const CALVES: (f64, f64) = (0.10, 0.06);

/// How often an illness comes in a lactation, by parity, and between which days after calving.
struct Risk {
    illness: &'static str,
    share: [f64; 3],
    from: i32,
    until: i32,
}

const RISKS: [Risk; 8] = [
    risk("milk-fever", [0.003, 0.01, 0.04], 0, 2),
    risk("retained-placenta", [0.04; 3], 1, 1),
    risk("metritis", [0.10; 3], 4, 14),
    risk("ketosis", [0.07; 3], 6, 35),
    risk("displaced-abomasum", [0.04; 3], 7, 40),
    risk("cyst", [0.08; 3], 45, 75),
    risk("lameness", [0.13; 3], 20, 280),
    risk("digital-dermatitis", [0.08; 3], 20, 280),
];

const fn risk(illness: &'static str, share: [f64; 3], from: i32, until: i32) -> Risk {
    Risk {
        illness,
        share,
        from,
        until,
    }
}

/// How an illness ended; the names are those of `health-events.outcome`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Ongoing,
    Recovered,
    Culled,
    Died,
}

impl Outcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ongoing => "ongoing",
            Self::Recovered => "recovered",
            Self::Culled => "culled",
            Self::Died => "died",
        }
    }
}

/// What is written in the journal.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// The illness was found.
    Found,
    /// It was treated.
    Treated,
    /// Health that was observed.
    Seen(&'static str),
}

/// An illness of an animal.
#[derive(Clone, Copy)]
pub(super) struct Case {
    /// When it was found.
    pub(super) day: Day,
    /// The last day, for any outcome.
    pub(super) end: Day,
    pub(super) animal: usize,
    /// A code of `health-event-types`.
    pub(super) illness: &'static str,
    pub(super) severity: &'static str,
    pub(super) outcome: Outcome,
    /// Chooses among what an illness may differ in: the quarter, the leg.
    pub(super) pick: usize,
}

/// A line of the journal.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) day: Day,
    pub(super) case: Case,
    pub(super) entry: Entry,
}

/// The journal, case by case.
pub(super) fn journal(
    seed: u64,
    world: &World,
    selection: &Selection,
    udders: &[Mastitis],
) -> Vec<Line> {
    let mut cases = ends(seed, world);
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
        let left = world.animals[case.animal].left;
        (END - JOURNAL + 1..=END).contains(&case.day)
            && left.is_none_or(|left| case.day < left)
            && selection.recorded(case.animal).is_some()
    });
    // That which an animal left for stands; of the others the earliest.
    cases.sort_by_key(|case| (case.animal, case.outcome == Outcome::Recovered, case.day));
    let mut spaced: Vec<Case> = Vec::new();
    for case in cases {
        let of_animal = spaced.iter().rev().take_while(|k| k.animal == case.animal);
        let far = |known: &Case| case.day > known.end + APART || case.end + APART < known.day;
        if of_animal.into_iter().all(far) {
            spaced.push(case);
        }
    }
    spaced.iter().flat_map(|case| lines(world, *case)).collect()
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
        outcome: Outcome::Recovered,
        pick: stream.below(4),
    }
}

fn in_lactation(seed: u64, lactation: &Lactation, cases: &mut Vec<Case>) {
    let key = lactation.animal as u64 * 32 + u64::from(lactation.parity);
    let stream = &mut Stream::new(seed, "health", key);
    let order = usize::from(lactation.parity.clamp(1, 3)) - 1;
    for risk in &RISKS {
        if stream.chance(risk.share[order]) {
            let day = lactation.start + stream.between(risk.from, risk.until);
            let one = case(stream, day, lactation.animal, risk.illness);
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
fn ends(seed: u64, world: &World) -> Vec<Case> {
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
            Leaving::Culled(reason) => (reason, Outcome::Culled, 14),
            Leaving::Died(reason) => (reason, Outcome::Died, 3),
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
            "died-disease" if event.day < world.animals[event.animal].birth + 30 => {
                "calf-diarrhoea"
            }
            "died-disease" => "pneumonia",
            _ => continue,
        };
        let stream = &mut Stream::new(seed, "last-illness", index as u64);
        let day = event.day - stream.between(mean - 2, mean + 6);
        let day = day.max(turns[event.animal] + 1);
        if day >= event.day {
            continue;
        }
        cases.push(Case {
            end: event.day,
            severity: "severe",
            outcome,
            ..case(stream, day, event.animal, illness)
        });
    }
    cases
}

/// What the journal says of a case. In mild cases the animal is not followed.
fn lines(world: &World, mut case: Case) -> Vec<Line> {
    let left = world.animals[case.animal].left;
    let there = |day: Day| day <= END && left.is_none_or(|left| day < left);
    if case.outcome == Outcome::Recovered && !there(case.end) {
        case.outcome = Outcome::Ongoing;
    }
    let mut lines = vec![(case.day, Entry::Found), (case.day, Entry::Treated)];
    if case.severity != "mild" {
        lines.push((case.day, Entry::Seen("inTreatment")));
    }
    match case.outcome {
        Outcome::Recovered if case.severity != "mild" => {
            lines.push((case.end, Entry::Seen("healthy")));
        }
        Outcome::Culled => lines.push(((case.end - 4).max(case.day), Entry::Seen("toBeCulled"))),
        _ => {}
    }
    (lines.into_iter())
        .filter(|(day, _)| there(*day))
        .map(|(day, entry)| Line { day, case, entry })
        .collect()
}
