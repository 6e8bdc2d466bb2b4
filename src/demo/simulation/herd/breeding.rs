//! Heats, services, gestation.

use super::{Fact, Plan, Simulation};
use crate::simulation::calendar::Day;
use crate::simulation::sires::Bull;

/// Days after calving after which a cow is no longer served.
const LAST_SERVICE: i32 = 300;
/// Services of a heifer.
const HEIFER_SERVICES: u8 = 8;
/// Day of pregnancy on which milking ends.
const DRY_OFF_DAY: i32 = 220;
const EMBRYO_LOSS: f64 = 0.07;
const ABORTION: f64 = 0.01;
/// Share of matings that respect near kin.
const OBEDIENCE: f64 = 0.9;

impl Simulation<'_> {
    /// A heat: seen or missed; if seen, a service.
    pub(super) fn breed(&mut self, day: Day, animal: usize) {
        let heifer = self.world.animals[animal].parity == 0;
        if self.gives_up(day, animal) {
            return;
        }
        let detection = if heifer { 0.65 } else { 0.58 };
        if !self.stream(animal).chance(detection) {
            let wait = self.stream(animal).days(21.0, 2.5, 17, 26);
            self.plan(day + wait, animal, Plan::Breed);
            return;
        }
        self.serve(day, animal, heifer);
    }

    fn gives_up(&mut self, day: Day, animal: usize) -> bool {
        let subject = &self.world.animals[animal];
        let (parity, attempts, calved) = (subject.parity, subject.attempts, subject.last_calving);
        if parity == 0 && attempts >= HEIFER_SERVICES {
            let wait = self.stream(animal).between(20, 90);
            self.plan(day + wait, animal, Plan::LeaveEmpty);
            return true;
        }
        if parity > 0 && day > calved + LAST_SERVICE {
            let leave = calved + self.stream(animal).between(LAST_SERVICE + 30, 430);
            self.plan(leave.max(day + 5), animal, Plan::LeaveEmpty);
            return true;
        }
        false
    }

    fn serve(&mut self, day: Day, animal: usize, heifer: bool) {
        let bull = self.bull_for(day, animal);
        let subject = &mut self.world.animals[animal];
        subject.attempts += 1;
        let (attempt, lactation) = (subject.attempts, subject.parity);
        let before = f64::from(attempt - 1);
        let rate = if heifer { 0.58 - 0.02 * before } else { (0.42 - 0.025 * before).max(0.15) };
        let stream = self.stream(animal);
        let sexed = heifer && stream.chance(0.4);
        let fertilised = stream.chance(rate);
        let lost = fertilised && stream.chance(EMBRYO_LOSS);
        let conceived = fertilised && !lost;
        let check = day + stream.between(32, 42);
        let next = day + if lost { stream.days(50.0, 6.0, 43, 70) } else { stream.days(21.0, 2.5, 17, 26) };
        // A cow that was seen in heat again needs no examination.
        let check = (conceived || next > check).then_some(check);
        self.note(day, animal, Fact::Service { lactation, attempt, bull, sexed, conceived, check });
        if conceived {
            self.conceive(day, animal, bull, sexed);
        } else {
            self.plan(next, animal, Plan::Breed);
        }
    }

    fn conceive(&mut self, day: Day, animal: usize, bull: usize, sexed: bool) {
        let subject = &mut self.world.animals[animal];
        subject.pregnant_by = Some(bull);
        subject.pregnant_since = day;
        let heifer = subject.parity == 0;
        let with_cows = subject.with_cows;
        let stream = self.stream(animal);
        if !heifer && stream.chance(ABORTION) {
            let loss = day + stream.between(90, 210);
            self.plan(loss, animal, Plan::Abort);
            return;
        }
        let mean = if heifer { 278.0 } else { 279.0 } - if sexed { 0.5 } else { 0.0 };
        let due = day + stream.days(mean, 5.0, 266, 293);
        let join = due - stream.between(20, 40);
        self.plan(due, animal, Plan::Calve);
        if heifer && !with_cows {
            self.plan(join, animal, Plan::JoinCows);
        }
        if !heifer {
            self.plan(day + DRY_OFF_DAY, animal, Plan::DryOff);
        }
    }

    /// A bull that is not too close: never the father, and, if the farm obeys
    /// the rule, none with an expected inbreeding of more than 6.25 percent as
    /// far as two generations show it.
    fn bull_for(&mut self, day: Day, animal: usize) -> usize {
        let female = &self.world.animals[animal];
        let father = female.sire;
        let dams_father = female.dam.map(|dam| self.world.animals[dam].sire);
        let grandfather = self.world.sires.bulls[father].sire;
        let farm = female.farm;
        let stream = &mut self.world.farms[farm].stream;
        let obeys = stream.chance(OBEDIENCE);
        let near = |index: usize, bull: &Bull| {
            index == father
                || obeys
                    && (Some(index) == dams_father
                        || Some(index) == grandfather
                        || bull.sire == Some(father)
                        || bull.sire.is_some() && bull.sire == dams_father)
        };
        self.world.sires.choose(stream, day, near)
    }

    pub(super) fn abort(&mut self, day: Day, animal: usize) {
        let subject = &mut self.world.animals[animal];
        let parity = subject.parity;
        subject.pregnant_by = None;
        self.note(day, animal, Fact::Abortion { parity });
        let wait = self.stream(animal).between(40, 60);
        self.plan(day + wait, animal, Plan::Breed);
    }

    pub(super) fn join_cows(&mut self, day: Day, animal: usize) {
        let subject = &mut self.world.animals[animal];
        if !subject.with_cows {
            subject.with_cows = true;
            self.note(day, animal, Fact::Transfer);
        }
    }
}
