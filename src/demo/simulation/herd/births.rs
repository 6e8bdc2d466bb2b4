//! Calvings and calves.

use super::{Animal, Calf, Fact, Plan, Simulation};
use crate::simulation::calendar::Day;
use crate::simulation::sires::{inherit, mean};

/// Share of cows that leave in a lactation, by parity; those that do not
/// conceive come on top.
const EXITS: [f64; 6] = [0.20, 0.27, 0.37, 0.52, 0.60, 0.75];
const SEXED_MALES: f64 = 0.1;
const MALES: f64 = 0.515;
/// Share of bull calves that are entered in the book; the others leave unnamed.
const ENTERED_MALES: f64 = 0.5;
const CALF_LOSS: f64 = 0.05;
const EASE: [&str; 5] = ["easy", "assisted", "hard", "veterinary", "surgery"];

impl Simulation<'_> {
    pub(super) fn calve(&mut self, day: Day, animal: usize) {
        let dam = &mut self.world.animals[animal];
        let first = dam.parity == 0;
        dam.parity += 1;
        dam.stage += 1;
        dam.attempts = 0;
        dam.last_calving = day;
        dam.with_cows = true;
        let parity = dam.parity;
        let Some(bull) = dam.pregnant_by.take() else {
            return;
        };
        if first {
            let counted = std::mem::take(&mut dam.counted_heifer);
            let farm = dam.farm;
            let farm = &mut self.world.farms[farm];
            farm.heifers -= usize::from(counted);
            farm.cows += 1;
        }
        let sexed = self.last_service_was_sexed(animal);
        let stream = self.stream(animal);
        let ease =
            EASE[stream.weighted(if first { &[55.0, 31.0, 9.0, 4.0, 1.0] } else { &[68.0, 24.0, 5.5, 2.0, 0.5] })];
        let twins = stream.chance(if first { 0.01 } else { 0.04 });
        let calves = self.calves(day, animal, bull, first, sexed, twins);
        self.note(day, animal, Fact::Calving { parity, ease, calves });
        self.plan_lactation(day, animal, parity);
    }

    /// The calves, entered in the book where they live and stay.
    fn calves(&mut self, day: Day, dam: usize, bull: usize, first: bool, sexed: bool, twins: bool) -> Vec<Calf> {
        let stream = self.stream(dam);
        let mut calves: Vec<Calf> = (0..1 + usize::from(twins))
            .map(|_| {
                let female = !stream.chance(if sexed { SEXED_MALES } else { MALES });
                let alive = !stream.chance(if first { 0.08 } else { 0.045 });
                let size = 42.0 - if first { 3.0 } else { 0.0 } + if female { 0.0 } else { 2.0 };
                let size = if twins { size - 6.0 } else { size };
                let weight = stream.normal(size, 4.5).clamp(24.0, 60.0).round();
                Calf { female, alive, weight, animal: None }
            })
            .collect();
        let mixed = calves.iter().any(|calf| calf.female) && calves.iter().any(|calf| !calf.female);
        for calf in &mut calves {
            let entered = calf.female || self.stream(dam).chance(ENTERED_MALES);
            if calf.alive && entered {
                calf.animal = Some(self.calf(day, dam, bull, *calf, mixed));
            }
        }
        calves
    }

    fn calf(&mut self, day: Day, dam: usize, bull: usize, calf: Calf, mixed: bool) -> usize {
        let mother = &self.world.animals[dam];
        let parents = mean(mother.merit, self.world.sires.bulls[bull].merit);
        let (farm, blood, dam_name) = (mother.farm, (mother.blood + 100.0) / 2.0, mother.name);
        let stream = &mut self.world.farms[farm].stream;
        let freemartin = calf.female && mixed && stream.chance(0.92);
        let name = self.names.like(stream, calf.female, dam_name);
        let merit = inherit(stream, parents);
        let animal = self.enter(Animal {
            birth: day,
            female: calf.female,
            freemartin,
            farm,
            name,
            sire: bull,
            dam: Some(dam),
            blood,
            merit,
            birth_weight: calf.weight,
            ..Animal::default()
        });
        self.plan_youth(day, animal);
        animal
    }

    /// A calf dies early, is sold or culled young, or grows up to be selected.
    fn plan_youth(&mut self, day: Day, animal: usize) {
        let young = &self.world.animals[animal];
        let (female, freemartin) = (young.female, young.freemartin);
        let stream = self.stream(animal);
        if stream.chance(CALF_LOSS) {
            let death = day + stream.between(2, 180);
            self.plan(death, animal, Plan::LeaveYoung);
        } else if female && !freemartin {
            let selection = day + stream.between(330, 380);
            self.plan(selection, animal, Plan::Select);
        } else {
            // Two in three bull calves are sold small, the others fattened.
            let early = !female && stream.chance(0.65);
            let age = if early { stream.between(10, 60) } else { stream.between(400, 540) };
            self.plan(day + age, animal, Plan::LeaveYoung);
        }
    }

    fn plan_lactation(&mut self, day: Day, animal: usize, parity: u8) {
        let rate = EXITS[usize::from(parity - 1).min(EXITS.len() - 1)];
        let stream = self.stream(animal);
        let first_heat = day + 58 + stream.between(0, 20);
        let exit = stream.chance(rate).then(|| {
            let early = stream.chance(0.3);
            day + if early { stream.between(2, 60) } else { stream.between(61, 380) }
        });
        self.plan(first_heat, animal, Plan::Breed);
        if let Some(exit) = exit {
            self.plan(exit, animal, Plan::LeaveInLactation);
        }
    }

    fn last_service_was_sexed(&self, animal: usize) -> bool {
        let since = self.world.animals[animal].pregnant_since;
        let from = self.world.events.partition_point(|event| event.day < since);
        self.world.events[from..]
            .iter()
            .take_while(|event| event.day == since)
            .any(|event| event.animal == animal && matches!(event.fact, Fact::Service { sexed: true, .. }))
    }
}
