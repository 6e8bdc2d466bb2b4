//! Single milkings of a robot on the first farm, of the last days of the book only: they alone would outnumber
//! everything else. The yields of whole days are the sums that the server makes of them.

use std::cmp::Reverse;

use super::calendar::{Day, END};
use super::herd::World;
use super::milk::{Lactation, expected, lactations};
use super::select::Selection;
use super::streams::{Stream, round};

/// Days with milkings.
const DAYS: i32 = 3;
/// Days after calving in which the milk is kept apart.
const COLOSTRUM: i32 = 5;
/// Cows that one robot milks.
const ROBOT_COWS: usize = 60;
/// The farm with the robot.
const ROBOT_FARM: usize = 0;
const DAY_SECONDS: i32 = 86_400;
/// Shares of the quarters: left and right, front and rear.
const QUARTERS: [(&str, f64); 4] = [("LF", 0.215), ("RF", 0.22), ("LR", 0.28), ("RR", 0.285)];
/// Milk flow of the whole udder, kg a minute.
const FLOW: (f64, f64) = (2.6, 0.4);
const INCOMPLETE: f64 = 0.03;

/// A quarter of the udder: name, kg and seconds.
#[derive(Clone, Copy)]
pub(super) struct Quarter {
    pub(super) position: &'static str,
    pub(super) milk: f64,
    pub(super) seconds: i32,
}

/// A milking by the robot.
#[derive(Clone, Copy)]
pub(super) struct Visit {
    pub(super) day: Day,
    pub(super) animal: usize,
    /// Of the UTC day.
    pub(super) second: i32,
    pub(super) milk: f64,
    /// Seconds of milking, and in the box.
    pub(super) milking: i32,
    pub(super) stay: i32,
    pub(super) complete: bool,
    pub(super) quarters: [Quarter; 4],
    /// Conductivity, mS/cm.
    pub(super) conductivity: f64,
}

/// All milkings of the robot.
pub(super) fn visits(seed: u64, world: &World, selection: &Selection) -> Vec<Visit> {
    let first = END - DAYS + 1;
    let mut in_milk: Vec<Lactation> = (lactations(world).into_iter())
        .filter(|l| l.farm == ROBOT_FARM && l.start + COLOSTRUM <= first && l.end == END)
        .filter(|l| selection.recorded(l.animal).is_some())
        .collect();
    // The robot stands with the cows that calved last.
    in_milk.sort_by_key(|l| (Reverse(l.start), l.animal));
    let mut visits = Vec::new();
    for lactation in in_milk.iter().take(ROBOT_COWS) {
        let stream = &mut Stream::new(seed, "milkings", lactation.animal as u64);
        of_cow(stream, world, lactation, first, &mut visits);
    }
    visits
}

/// Cows come of their own accord, more often the more milk they have.
fn of_cow(
    stream: &mut Stream,
    world: &World,
    lactation: &Lactation,
    first: Day,
    visits: &mut Vec<Visit>,
) {
    let a_day = expected(world, lactation, first);
    let times = (1.7 + a_day / 35.0).clamp(2.0, 3.6);
    let usual = (f64::from(DAY_SECONDS) / times) as i32;
    let mut at = stream.between(0, usual);
    let mut before = usual;
    while at < DAYS * DAY_SECONDS {
        let share = f64::from(before) / f64::from(DAY_SECONDS);
        let day = first + at / DAY_SECONDS;
        let milk = expected(world, lactation, day) * share * stream.normal(1.0, 0.05);
        visits.push(visit(stream, lactation.animal, day, at % DAY_SECONDS, milk));
        before = stream.days(f64::from(usual), 4_500.0, 5 * 3_600, 15 * 3_600);
        at += before;
    }
}

fn visit(stream: &mut Stream, animal: usize, day: Day, second: i32, milk: f64) -> Visit {
    let complete = !stream.chance(INCOMPLETE);
    let milk = if complete { milk } else { 0.6 * milk };
    let flow = stream.normal(FLOW.0, FLOW.1).clamp(1.4, 4.5);
    let longest = (60.0 * milk / flow).round() as i32;
    let quarters = QUARTERS.map(|(position, share)| {
        let share = share * stream.normal(1.0, 0.06);
        Quarter {
            position,
            milk: round(milk * share, 2),
            // The rear quarters have most and take longest.
            seconds: (f64::from(longest) * (share / 0.31).min(1.0)).round() as i32,
        }
    });
    let milking = (quarters.iter().map(|quarter| quarter.seconds)).fold(0, i32::max);
    Visit {
        day,
        animal,
        second,
        milk: round(quarters.iter().map(|quarter| quarter.milk).sum(), 2),
        milking,
        stay: milking + stream.between(70, 160),
        complete,
        quarters,
        conductivity: conductivity(stream),
    }
}

fn conductivity(stream: &mut Stream) -> f64 {
    round(stream.normal(5.2, 0.35).clamp(4.3, 7.5), 1)
}
