//! Histories of animals, drawn at random: what happened to a cow over some lactations, with rows that contradict each
//! other, come near midnight, are corrected later, or should not have come at all.

use crate::support::book::NOW;
use book_reference::{Calving, Check, Code, Event, History, Outcome, Service, Source, Test, Visit, When};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::{collection, sample};

/// A day, milliseconds.
pub(super) const DAY_MS: i64 = 86_400_000;
const MINUTE_MS: i64 = 60_000;

/// Clocks of the farms: minutes ahead of UTC, and the name of the zone.
pub(super) const ZONES: [(i64, &str); 3] =
    [(180, "Europe/Moscow"), (600, "Asia/Vladivostok"), (-600, "Pacific/Honolulu")];
/// The bulls that services name; the last one is a text.
pub(super) const BULLS: [&str; 3] = ["643000000000901", "643000000000902", "Borodino 7"];

/// What a row says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    Calving { event: Event, number: Option<i64>, opens: Option<bool> },
    Service { bull: usize, embryo: bool, result: Option<(Outcome, i64)>, number: Option<i64> },
    Check { outcome: Outcome, age: Option<i64> },
    Test { source: Source, milk: Option<f64>, contents: [Option<f64>; 3], code: Option<Code>, number: Option<i64> },
    Visit { milk: f64, shift: Option<i64> },
    Weighing { kg: i64 },
    Leaving { death: bool },
}

/// How a row comes into the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// As it is.
    Straight,
    /// So many days off, and is corrected.
    Moved(i64),
    /// With another value, and is corrected.
    Altered,
    /// It should not be there, and is deleted.
    Deleted,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) when: When,
    pub(super) fact: Fact,
    pub(super) course: Course,
}

impl Row {
    /// The row as it comes first.
    pub(super) fn first(&self) -> Self {
        let mut row = self.clone();
        match self.course {
            Course::Straight | Course::Deleted => {}
            Course::Moved(days) => {
                row.when = match self.when {
                    When::Day(day) => When::Day(day - days),
                    When::At(at) => When::At(at - days * DAY_MS),
                };
                if let Fact::Visit { shift: Some(shift), .. } = &mut row.fact {
                    *shift -= days;
                }
            }
            Course::Altered => row.fact.alter(),
        }
        row
    }
}

/// Whether who sends a test may say the number of the lactation: documents of the exchange have no place for it.
fn states_number(source: Source) -> bool {
    source != Source::Other
}

impl Fact {
    fn alter(&mut self) {
        let other = |outcome: &mut Outcome| {
            *outcome = if *outcome == Outcome::Empty { Outcome::Pregnant } else { Outcome::Empty };
        };
        match self {
            Self::Calving { number, .. } => *number = number.map_or(Some(3), |number| Some(number + 1)),
            Self::Service { embryo, .. } => *embryo = !*embryo,
            Self::Check { outcome, .. } => other(outcome),
            Self::Test { source, milk, contents, number, .. } => {
                *milk = milk.map(|milk| milk + 5.0);
                *contents = contents.map(|content| content.map(|content| content + 1.0));
                if states_number(*source) {
                    *number = number.map_or(Some(3), |number| Some(number + 1));
                }
            }
            Self::Visit { milk, .. } => *milk += 1.0,
            Self::Weighing { kg } => *kg += 10,
            Self::Leaving { death } => *death = !*death,
        }
    }
}

/// A history and where the animal stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Story {
    pub(super) zone: usize,
    pub(super) birth: i64,
    pub(super) rows: Vec<Row>,
}

impl Story {
    /// The name of a row: that of the first one which says the same, since nothing tells such rows apart.
    pub(super) fn name(&self, at: usize) -> String {
        let row = &self.rows[at];
        let same = |one: &Row| one.course != Course::Deleted && (one.when, &one.fact) == (row.when, &row.fact);
        format!("r{}", self.rows.iter().position(same).unwrap_or(at))
    }

    /// The input of the reference. Rows of calvings, services and so on are in the order of the history.
    pub(super) fn history(&self, now: i64) -> History {
        let mut history =
            History { offset: ZONES[self.zone].0, female: true, birth: self.birth, now, ..History::default() };
        for row in self.rows.iter().filter(|row| row.course != Course::Deleted) {
            let when = row.when;
            match row.fact.clone() {
                Fact::Calving { event, number, opens } => history.calvings.push(Calving { when, event, number, opens }),
                Fact::Service { bull, embryo, result, number } => history.services.push(Service {
                    when,
                    bull: Some(BULLS[bull].to_owned()),
                    embryo,
                    result: result.map(|(outcome, day)| (outcome, Some(When::Day(day)))),
                    number,
                }),
                Fact::Check { outcome, age } => history.checks.push(Check { when, outcome, service: None, age }),
                Fact::Test { source, milk, contents: [fat, protein, cells], code, number } => {
                    history.tests.push(Test { when, source, milk, fat, protein, cells, code, number })
                }
                Fact::Visit { milk, shift } => {
                    let When::At(at) = when else { continue };
                    history.visits.push(Visit { at, milk, shift });
                }
                Fact::Weighing { .. } => {}
                Fact::Leaving { .. } => history.left = Some(when),
            }
        }
        history
    }
}

/// A time of day, by the minute: none for rows that say the day alone.
fn minute() -> impl Strategy<Value = Option<i64>> {
    weighted(0.3, sample::select(vec![1, 30, 170, 179, 181, 400, 599, 601, 720, 839, 841, 1_270, 1_439]))
}

fn placed(day: i64, minute: Option<i64>) -> When {
    minute.map_or(When::Day(day), |minute| When::At(day * DAY_MS + minute * MINUTE_MS))
}

fn course() -> impl Strategy<Value = Course> {
    prop_oneof![
        12 => Just(Course::Straight),
        1 => (1..60_i64).prop_map(Course::Moved),
        1 => Just(Course::Altered),
        1 => Just(Course::Deleted),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        4 => Just(Outcome::Pregnant),
        1 => Just(Outcome::Multiple),
        3 => Just(Outcome::Empty),
        1 => Just(Outcome::Unknown),
    ]
}

/// What is drawn of a row besides its day: the facts are laid out from a first day that depends on all of them.
type Drawn = (i64, Option<i64>, Fact, Course);

fn test() -> impl Strategy<Value = Fact> {
    let tenths = |range: std::ops::Range<i64>, unit: f64| range.prop_map(move |n| n as f64 / unit);
    let source = prop_oneof![3 => Just(Source::Owner), 3 => Just(Source::Laboratory), 2 => Just(Source::Other), 3 => Just(Source::Official)];
    let contents = (
        weighted(0.7, tenths(250..600, 100.0)),
        weighted(0.7, tenths(250..400, 100.0)),
        weighted(0.6, (20..3_000_i64).prop_map(|n| n as f64)),
    );
    let code = weighted(0.06, prop_oneof![Just(Code::Dry), Just(Code::Other)]);
    let milk = weighted(0.9, tenths(80..550, 10.0));
    (source, milk, contents, code, weighted(0.15, 0..7_i64)).prop_map(
        |(source, milk, (fat, protein, cells), code, number)| {
            let mut contents = [fat, protein, cells];
            let mut milk = milk;
            if code.is_some() {
                (milk, contents) = (None, [None; 3]);
            } else if milk.is_none() && contents.iter().all(Option::is_none) {
                contents[0] = Some(4.0);
            }
            Fact::Test { source, milk, contents, code, number: number.filter(|_| states_number(source)) }
        },
    )
}

/// Calvings and abortions of the first day.
fn calvings() -> impl Strategy<Value = Vec<Drawn>> {
    let calving = prop_oneof![
        10 => Just((Event::Calving, None)),
        1 => Just((Event::Abortion, Some(true))),
        1 => Just((Event::Abortion, Some(false))),
        2 => Just((Event::Abortion, None)),
    ];
    let calving = (minute(), calving, weighted(0.2, 1..7_i64), course());
    collection::vec(calving, 0..3).prop_map(|all| {
        type Calved = (Option<i64>, (Event, Option<bool>), Option<i64>, Course);
        let placed = |(at, (minute, (event, opens), number, course)): (usize, Calved)| {
            // The second one is of the same day.
            let number = number.filter(|_| event == Event::Calving && at == 0);
            (0, minute, Fact::Calving { event, number, opens }, course)
        };
        all.into_iter().enumerate().map(placed).collect::<Vec<Drawn>>()
    })
}

/// Services, with results that their rows state.
fn services() -> impl Strategy<Value = Vec<Drawn>> {
    let service = (
        35..220_i64,
        minute(),
        0..3_usize,
        prop::bool::weighted(0.15),
        weighted(0.2, (outcome(), 25..60_i64)),
        course(),
    );
    collection::vec(service, 0..4).prop_map(|all| {
        let placed =
            |(day, minute, bull, embryo, result, course): (i64, _, usize, bool, Option<(Outcome, i64)>, Course)| {
                let result = result.map(|(outcome, after)| (outcome, day + after));
                (day, minute, Fact::Service { bull, embryo, result, number: None }, course)
            };
        all.into_iter().map(placed).collect::<Vec<Drawn>>()
    })
}

/// Pregnancy checks.
fn checks() -> impl Strategy<Value = Vec<Drawn>> {
    let check = (60..340_i64, minute(), outcome(), weighted(0.4, 25..120_i64), course());
    collection::vec(check, 0..4).prop_map(|all| {
        let placed = |(day, minute, outcome, age, course)| (day, minute, Fact::Check { outcome, age }, course);
        all.into_iter().map(placed).collect::<Vec<Drawn>>()
    })
}

/// Dry-offs and abortions.
fn endings() -> impl Strategy<Value = Vec<Drawn>> {
    let other = (150..360_i64, minute(), prop_oneof![5 => Just(Event::DryOff), 2 => Just(Event::Abortion)], course());
    collection::vec(other, 0..3).prop_map(|all| {
        let placed =
            |(day, minute, event, course)| (day, minute, Fact::Calving { event, number: None, opens: None }, course);
        all.into_iter().map(placed).collect::<Vec<Drawn>>()
    })
}

/// Test days.
fn tests() -> impl Strategy<Value = Vec<Drawn>> {
    // Test days lie on a grid, so that rows meet on a day.
    let tested = (0..14_i64, prop_oneof![4 => Just(0), 1 => 1..3_i64], minute(), test(), course());
    collection::vec(tested, 0..10).prop_map(|all| {
        let placed =
            |(month, off, minute, test, course): (i64, i64, _, _, _)| (9 + 30 * month + off, minute, test, course);
        all.into_iter().map(placed).collect::<Vec<Drawn>>()
    })
}

/// Visits of a robot.
fn visits() -> impl Strategy<Value = Vec<Drawn>> {
    let visit = (5..12_i64, 0..1_440_i64, 30..200_i64, weighted(0.3, -1..2_i64), course());
    collection::vec(visit, 0..5).prop_map(|all| {
        let placed = |(day, minute, milk, shift, course): (i64, i64, i64, Option<i64>, _)| {
            // Not at midnight: a robot knows the time.
            (day, Some(minute.max(1)), Fact::Visit { milk: milk as f64 / 10.0, shift }, course)
        };
        all.into_iter().map(placed).collect::<Vec<Drawn>>()
    })
}

fn weighings() -> impl Strategy<Value = Vec<Drawn>> {
    collection::vec((0..300_i64, minute(), 400..700_i64, course()), 0..2).prop_map(|all| {
        let placed = |(day, minute, kg, course)| (day, minute, Fact::Weighing { kg }, course);
        all.into_iter().map(placed).collect::<Vec<Drawn>>()
    })
}

/// Rows of a lactation by days since its first one, and its days.
fn lactation() -> impl Strategy<Value = (Vec<Drawn>, i64)> {
    let events = (calvings(), services(), checks(), endings());
    let rows = (events, (tests(), visits(), weighings()));
    (rows, 290..460_i64).prop_map(|(((a, b, c, d), (e, f, g)), days)| ([a, b, c, d, e, f, g].concat(), days))
}

/// A history. The last lactation began some time before the present day.
pub(super) fn story() -> impl Strategy<Value = Story> {
    let leaving = weighted(0.2, (0..30_i64, minute(), any::<bool>(), course()));
    let all = (0..ZONES.len(), collection::vec(lactation(), 1..4), 0..420_i64, leaving);
    all.prop_map(|(zone, lactations, since, leaving)| {
        let today = NOW.div_euclid(DAY_MS);
        let before: i64 = lactations.iter().rev().skip(1).map(|(_, days)| days).sum();
        let mut first = today - since - before;
        let birth = first - 800;
        let place = History { offset: ZONES[zone].0, ..History::default() };
        let mut rows: Vec<Row> = Vec::new();
        for (drawn, days) in lactations {
            let row = |(after, minute, mut fact, course): Drawn| {
                let when = placed(first + after, minute);
                match &mut fact {
                    Fact::Service { result: Some((_, day)), .. } => *day += first,
                    // The day of the milking or one beside it.
                    Fact::Visit { shift: Some(shift), .. } => *shift += place.day(when),
                    _ => {}
                }
                Row { when, fact, course }
            };
            rows.extend(drawn.into_iter().map(row));
            first += days;
        }
        // Nothing of the present day or later: when it begins and ends depends on the zone.
        rows.retain(|row| {
            let of = |when: When| match when {
                When::Day(day) => day,
                When::At(at) => at.div_euclid(DAY_MS),
            };
            let checked = match row.fact {
                Fact::Service { result: Some((_, day)), .. } => day,
                _ => i64::MIN,
            };
            of(row.when).max(checked) < today - 1
        });
        if let Some((ago, minute, death, course)) = leaving {
            let course = if course == Course::Altered { Course::Straight } else { course };
            let when = placed(today - 2 - ago, minute);
            rows.push(Row { when, fact: Fact::Leaving { death }, course });
        }
        Story { zone, birth, rows }
    })
}
