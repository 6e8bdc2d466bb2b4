//! Single milkings of a robot on the first farm, of the last days of the book only: they alone would outnumber
//! everything else. The yields of whole days are the sums that the server makes of them.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::milk::{Lactation, expected, lactations};
use super::rows::Diary;
use crate::simulation::calendar::{Day, END, iso};
use crate::simulation::herd::World;
use crate::simulation::select::Selection;
use crate::simulation::streams::{Stream, round};

/// Days with milkings.
const DAYS: i32 = 3;
/// Days after calving in which the milk is not delivered.
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

/// All milkings of the robot.
pub(crate) fn visits(world: &World, selection: &Selection, diary: &mut Diary<'_>) {
    let first = END - DAYS + 1;
    let mut in_milk: Vec<(i64, Lactation)> = (lactations(world).into_iter())
        .filter(|l| l.farm == ROBOT_FARM && l.start + COLOSTRUM <= first && l.end == END)
        .filter_map(|l| Some((selection.recorded(l.animal)?, l)))
        .collect();
    // The robot stands with the cows that calved last.
    in_milk.sort_by_key(|(_, l)| (Reverse(l.start), l.animal));
    for (cow, lactation) in in_milk.iter().take(ROBOT_COWS) {
        of_cow(world, *cow, lactation, first, diary);
    }
}

/// Cows come of their own accord, more often the more milk they have.
fn of_cow(world: &World, cow: i64, lactation: &Lactation, first: Day, diary: &mut Diary<'_>) {
    let stream = &mut Stream::new(world.seed, "milkings", lactation.animal as u64);
    let a_day = expected(world, lactation, first);
    let times = (1.7 + a_day / 35.0).clamp(2.0, 3.6);
    let usual = (f64::from(DAY_SECONDS) / times) as i32;
    let mut at = stream.between(0, usual);
    let mut before = usual;
    while at < DAYS * DAY_SECONDS {
        let share = f64::from(before) / f64::from(DAY_SECONDS);
        let day = first + at / DAY_SECONDS;
        let milk = expected(world, lactation, day) * share * stream.normal(1.0, 0.05);
        let visit = visit(stream, cow, instant(day, at % DAY_SECONDS), milk);
        diary.add(day, "milking-visits", move |_| visit);
        before = stream.days(f64::from(usual), 4_500.0, 5 * 3_600, 15 * 3_600);
        at += before;
    }
}

fn visit(stream: &mut Stream, cow: i64, started: String, milk: f64) -> Value {
    let complete = !stream.chance(INCOMPLETE);
    let milk = if complete { milk } else { 0.6 * milk };
    let flow = stream.normal(FLOW.0, FLOW.1).clamp(1.4, 4.5);
    let longest = (60.0 * milk / flow).round() as i32;
    // Kilograms and seconds. The rear quarters have most and take longest.
    let quarters = QUARTERS.map(|(position, share)| {
        let share = share * stream.normal(1.0, 0.06);
        let seconds = (f64::from(longest) * (share / 0.31).min(1.0)).round() as i32;
        (position, round(milk * share, 2), seconds)
    });
    let milking = quarters.iter().map(|quarter| quarter.2).fold(0, i32::max);
    let stay = milking + stream.between(70, 160);
    // Of the milk, mS/cm.
    let conductivity = round(stream.normal(5.2, 0.35).clamp(4.3, 7.5), 1);
    json!({
        "animal": cow,
        "startedAt": started,
        "milkYield": round(quarters.iter().map(|quarter| quarter.1).sum(), 2),
        "duration": milking,
        "visitDuration": stay,
        "milkingType": "automated",
        "complete": complete,
        "box": "1",
        "device": "AMS-1",
        "quarters": quarters.map(|(position, milk, seconds)| {
            json!({"position": position, "milkYield": milk, "duration": seconds})
        }),
        "characteristics": [
            {"code": "AVGCOND", "value": conductivity.to_string(), "unit": "mS/cm"},
        ],
        "remarks": (!complete).then_some(["milkingIncomplete"]),
    })
}

/// `YYYY-MM-DDThh:mm:ss.000Z`.
fn instant(day: Day, second: i32) -> String {
    let (hours, minutes) = (second / 3_600, second / 60 % 60);
    let (date, seconds) = (iso(day), second % 60);
    format!("{date}T{hours:02}:{minutes:02}:{seconds:02}.000Z")
}
