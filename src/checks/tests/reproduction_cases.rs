//! Calvings and services.

use super::world::{BULL, CALF, COW, World};
use crate::Day;
use crate::window::*;

const CALVINGS: &str = "calvings";
const SERVICES: &str = "inseminations";

fn born(w: &mut World, months: (i64, i64)) {
    let (year, month) = months;
    w.cow().passport.birth = Some(Day::of(year, month, 4));
}

fn second(w: &mut World, change: impl Fn(&mut Calving)) {
    change(&mut w.cow().calvings[1]);
}

/// One more calving.
fn calved(w: &mut World, number: i64, day: Day) {
    w.cow().calvings.push(Calving { id: 24, number, day, ..Calving::default() });
}

fn served(w: &mut World, day: Day) {
    w.cow().services.push(Service { id: 27, day, bull: Some(BULL), ..Service::default() });
}

/// A calving so many days after a service that was found in calf, and to which the book does not lead it back.
fn early(w: &mut World, days: i64) {
    let day = SECOND_DAY.plus(60);
    w.cow().services.push(Service { id: 27, day, bull: Some(BULL), pregnant: true, ..Service::default() });
    calved(w, 3, day.plus(days));
}

const FIRST: Day = Day::of(2023, 9, 4);
const SECOND_DAY: Day = Day::of(2024, 9, 20);

cases! { CALVING_CASES:
    "afc-too-young" (CALVINGS, 21, "date") =>
        |w| w.cow().passport.birth = Some(Day::of(2022, 2, 5)), |w| born(w, (2022, 2));
    "afc-too-old" (CALVINGS, 21, "date") =>
        |w| w.cow().passport.birth = Some(Day::of(2019, 9, 3)), |w| born(w, (2019, 9));
    "duplicate-first-calving" (CALVINGS, 22, "number") =>
        |w| second(w, |c| c.number = 1),
        |w| second(w, |c| (c.number, c.kind) = (1, CalvingKind::Abortion));
    "duplicate-calving-number" (CALVINGS, 24, "number") =>
        |w| calved(w, 2, Day::of(2025, 6, 29)), |w| calved(w, 3, Day::of(2025, 6, 29));
    "calving-order" (CALVINGS, 22, "number") =>
        |w| w.cow().calvings[0].number = 3, |w| w.cow().calvings[0].number = 2;
    "calving-interval-short" (CALVINGS, 24, "date") =>
        |w| calved(w, 3, SECOND_DAY.plus(269)), |w| calved(w, 3, SECOND_DAY.plus(270));
    "calving-interval-short" (CALVINGS, 24, "date") =>
        |w| calved(w, 3, SECOND_DAY.plus(1)), |w| calved(w, 3, SECOND_DAY);
    "calving-interval-long" (CALVINGS, 22, "date") =>
        |w| w.cow().calvings[0].day = SECOND_DAY.plus(-731),
        |w| w.cow().calvings[0].day = SECOND_DAY.plus(-730);
    "calving-number-gap" (CALVINGS, 22, "number") =>
        |w| second(w, |c| c.number = 3), |w| w.cow().calvings.retain(|c| c.number != 1);
    "calf-birth-vs-calving" (CALVINGS, 21, "calves") =>
        |w| w.kin(CALF).birth = Some(FIRST.plus(1)), |w| w.kin(CALF).birth = None;
    "twins-mismatch" (CALVINGS, 21, "result") =>
        |w| w.cow().calvings[0].declared = Some(2),
        |w| {
            w.cow().calvings[0].declared = Some(2);
            w.cow().calvings[0].counts = [Some(1), None, Some(1)]
        };
    "twins-mismatch" (CALVINGS, 21, "result") =>
        |w| w.kin(3).birth = Some(FIRST.plus(3)), |w| w.kin(3).birth = Some(FIRST.plus(4));
    "gestation-implausible" (CALVINGS, 22, "date") =>
        |w| second(w, |c| c.served = Some(SECOND_DAY.plus(-264))),
        |w| second(w, |c| c.served = Some(SECOND_DAY.plus(-265))),
        worse |w| second(w, |c| c.served = Some(SECOND_DAY.plus(-239)));
    "gestation-implausible" (CALVINGS, 22, "date") =>
        |w| second(w, |c| c.served = Some(SECOND_DAY.plus(-296))),
        |w| second(w, |c| { (c.served, c.embryo) = (Some(SECOND_DAY.plus(-272)), true) }),
        worse |w| second(w, |c| (c.served, c.gestation) = (None, Some(306)));
    "gestation-implausible" (CALVINGS, 24, "date") =>
        |w| early(w, 264), |w| early(w, 265), worse |w| early(w, 238);
    "calf-count-mismatch" (CALVINGS, 21, "calves") =>
        |w| w.cow().calvings[0].calves.push(99),
        |w| { w.cow().calvings[0].calves.push(99); w.cow().calvings[0].counts[1] = Some(1) };
    "calf-count-mismatch" (CALVINGS, 21, "calves") =>
        |w| w.cow().calvings[0].counts = [Some(3), Some(2), None],
        |w| w.cow().calvings[0].counts = [Some(3), Some(1), None];
    "hard-calving-no-care" (CALVINGS, 22, "ease") =>
        |w| {
            second(w, |c| c.ease = Some(Ease::Veterinary));
            w.cow().health[0].day = SECOND_DAY.plus(4)
        },
        |w| {
            second(w, |c| c.ease = Some(Ease::Veterinary));
            w.cow().health[0].day = SECOND_DAY.plus(3)
        };
    "birth-weight-implausible" (CALVINGS, 22, "calfWeight") =>
        |w| second(w, |c| c.calf_weight = Some(14.9)),
        |w| second(w, |c| c.calf_weight = Some(15.0));
    "birth-weight-implausible" ("weighings", 40, "weight") =>
        |w| w.cow().weighings[0].weight = 75.1, |w| w.cow().weighings[0].weight = 75.0;
}

cases! { SERVICE_CASES:
    "duplicate-event" ("milk-tests", 31, "date") =>
        |w| w.cow().tests[1].day = w.cow().tests[0].day,
        |w| (w.cow().tests[1].day, w.cow().tests[1].source) = (w.cow().tests[0].day, 1);
    "duplicate-event" (SERVICES, 27, "date") =>
        |w| served(w, w.clone().cow().services[1].day),
        |w| { served(w, w.clone().cow().services[1].day); w.cow().services[2].bull = Some(98) };
    "insemination-too-soon" (SERVICES, 27, "date") =>
        |w| served(w, SECOND_DAY.plus(19)), |w| served(w, SECOND_DAY.plus(20));
    "pregnancy-check-before-insemination" (SERVICES, 26, "pregnancyCheckDate") =>
        |w| w.cow().services[1].checked = Some(w.cow().services[1].day),
        |w| w.cow().services[1].checked = Some(w.cow().services[1].day.plus(1));
    "bull-born-later" (SERVICES, 25, "bull") =>
        |w| w.kin(BULL).birth = Some(FIRST.plus(-279)),
        |w| w.kin(BULL).birth = Some(FIRST.plus(-280));
    "insemination-too-young" (SERVICES, 25, "date") =>
        |w| w.cow().passport.birth = Some(FIRST.plus(-279 - 329)),
        |w| w.cow().passport.birth = Some(FIRST.plus(-279 - 330)),
        worse |w| w.cow().passport.birth = Some(FIRST.plus(-279 - 239));
    "services-too-close" (SERVICES, 26, "date") =>
        |w| served(w, w.clone().cow().services[1].day.plus(-4)),
        |w| served(w, w.clone().cow().services[1].day.plus(-5));
    "services-too-close" (SERVICES, 27, "date") =>
        |w| served(w, w.clone().cow().services[1].day.plus(1)),
        |w| served(w, w.clone().cow().services[1].day);
    "service-while-pregnant" (SERVICES, 27, "date") =>
        |w| served(w, SECOND_DAY.plus(-239)), |w| served(w, SECOND_DAY.plus(-240));
    "service-while-pregnant" (SERVICES, 27, "date") =>
        |w| served(w, SECOND_DAY.plus(-100)),
        |w| { w.cow().services[1].pregnant = false; served(w, SECOND_DAY.plus(-100)) };
    "service-while-pregnant" (SERVICES, 27, "date") =>
        |w| served(w, SECOND_DAY.plus(-1)), |w| served(w, SECOND_DAY);
    "bull-too-young" (SERVICES, 25, "bull") =>
        |w| w.kin(BULL).birth = Some(Day::of(2022, 1, 30)),
        |w| w.kin(BULL).birth = Some(Day::of(2022, 1, 28));
    "bull-too-young" (SERVICES, 25, "bull") =>
        |w| w.cow().services[0].collected = Some(Day::of(2018, 2, 28)),
        |w| w.cow().services[0].collected = Some(Day::of(2018, 3, 1));
    "bull-unknown" (SERVICES, 25, "bull") =>
        |w| w.cow().services[0].bull = None,
        |w| {
            w.cow().services[0].bull = None;
            w.cow().services[0].bull_text = Some("A bull".to_owned())
        };
    "mating-inbreeding" (SERVICES, 25, "bull") =>
        |w| w.cow().services[0].expected_inbreeding = Some(6.26),
        |w| w.cow().services[0].expected_inbreeding = Some(6.25);
    "mating-carriers" (SERVICES, 25, "bull") => |w| carriers(w, 5), |w| carriers(w, 6);
    "technician-inactive" (SERVICES, 25, "technician") =>
        |w| w.cow().services[0].technician_active = Some(false),
        |w| w.cow().services[0].technician_active = None;
}

/// The cow carries type 5, the bull another one.
fn carriers(w: &mut World, of_bull: i64) {
    let carrier = |kind| Haplotype { kind, copies: Copies::Carrier, lethal: true, red: false };
    w.animal(COW).passport.haplotypes.push(carrier(5));
    w.kin(BULL).haplotypes.push(carrier(of_bull));
}
