//! Selection of heifers, sales between farms, and leaving the book.

use super::{Fact, Leaving, Plan, Simulation};
use crate::simulation::calendar::Day;

/// Heifers between selection and calving that a farm keeps, per place.
const HEIFER_SHARE: f64 = 0.37;
/// Share of selected heifers that change farms although they are wanted.
const TRADE: f64 = 0.05;
const DEATHS: f64 = 0.15;

impl Simulation<'_> {
    /// At about a year: keep for breeding, sell to another farm, or sell out.
    pub(super) fn select(&mut self, day: Day, animal: usize) {
        let home = self.world.animals[animal].farm;
        let wanted = self.wants_heifers(home);
        let farms = self.world.farms.len();
        let stream = &mut self.world.farms[home].stream;
        let other = (home + 1 + stream.below(farms.saturating_sub(1))) % farms;
        let trade = stream.chance(TRADE);
        if other != home && (trade || !wanted && self.wants_heifers(other)) {
            self.sell(day, animal, other);
        } else if !wanted {
            let sold = self.stream(animal).chance(0.75);
            let leaving = if sold { Leaving::Sold } else { Leaving::Culled("surplus") };
            self.leave(day, animal, leaving);
            return;
        }
        let heifer = &mut self.world.animals[animal];
        heifer.counted_heifer = true;
        let (farm, birth) = (heifer.farm, heifer.birth);
        self.world.farms[farm].heifers += 1;
        let first_service = birth + 395 + self.stream(animal).between(0, 20);
        self.plan(first_service.max(day + 1), animal, Plan::Breed);
    }

    fn wants_heifers(&self, farm: usize) -> bool {
        let farm = &self.world.farms[farm];
        let missing = farm.places as f64 - farm.cows as f64;
        (farm.heifers as f64) < HEIFER_SHARE * farm.places as f64 + 0.8 * missing
    }

    fn sell(&mut self, day: Day, animal: usize, to: usize) {
        self.note(day, animal, Fact::Sale { to });
        let two_herds = self.world.farms[to].two_herds;
        let heifer = &mut self.world.animals[animal];
        heifer.farm = to;
        heifer.with_cows = !two_herds;
    }

    pub(super) fn leave_in_lactation(&mut self, day: Day, animal: usize) {
        let cow = &self.world.animals[animal];
        let in_milk = day - cow.last_calving;
        let parity = cow.parity;
        if cow.pregnant_by.is_some() && day - cow.pregnant_since > 150 {
            // Too near to calving; she will be judged in the next lactation.
            return;
        }
        let stream = self.stream(animal);
        let leaving = if stream.chance(DEATHS) {
            Leaving::Died(if in_milk <= 14 && stream.chance(0.5) {
                "died-calving"
            } else {
                ["died-disease", "died-disease", "died-disease", "died-accident", "unknown"][stream.below(5)]
            })
        } else {
            let old = if parity >= 5 { 12.0 } else { 0.0 };
            let calving = if in_milk <= 60 { 10.0 } else { 0.0 };
            let reasons = [
                ("udder", 15.0),
                ("legs", 13.0),
                ("low-yield", if in_milk > 60 { 12.0 } else { 0.0 }),
                ("disease", 15.0),
                ("calving", calving),
                ("metabolic", 5.0),
                ("milkability", 3.0),
                ("type", 3.0),
                ("behaviour", 2.0),
                ("old-age", old),
            ];
            Leaving::Culled(reasons[stream.weighted(&reasons.map(|reason| reason.1))].0)
        };
        self.leave(day, animal, leaving);
    }

    pub(super) fn leave_young(&mut self, day: Day, animal: usize) {
        let young = &self.world.animals[animal];
        let (female, freemartin, age) = (young.female, young.freemartin, day - young.birth);
        let stream = self.stream(animal);
        let leaving = if female && !freemartin || age > 60 && age < 400 {
            Leaving::Died(if stream.chance(0.8) { "died-disease" } else { "unknown" })
        } else if age <= 60 && (age < 10 || stream.chance(0.07)) {
            Leaving::Died("died-disease")
        } else if age <= 60 || !female && stream.chance(0.3) {
            Leaving::Sold
        } else {
            Leaving::Culled("surplus")
        };
        self.leave(day, animal, leaving);
    }

    pub(super) fn leave(&mut self, day: Day, animal: usize, leaving: Leaving) {
        self.note(day, animal, Fact::Left(leaving));
        let subject = &mut self.world.animals[animal];
        subject.left = Some(day);
        let (farm, was_cow) = (subject.farm, subject.parity > 0);
        let counted = std::mem::take(&mut subject.counted_heifer);
        let farm = &mut self.world.farms[farm];
        farm.cows -= usize::from(was_cow);
        farm.heifers -= usize::from(counted);
    }
}
