//! Averages of lactations by year of calving and parity (docs/derived.md, *Averages*): of a farm, of a region, of the
//! book; and which of them tell nothing of single animals.

use std::collections::BTreeMap;

/// Animals of an average, at least; of those that are closed, and of these without one farm's, none or as many.
pub const LEAST: u32 = 5;
/// Farms of an average of several, at least: of two, each would know the other's.
pub const LEAST_FARMS: usize = 3;
/// Later lactations count as the third.
pub const LAST_PARITY: i64 = 3;
/// Decimals of values and averages.
const UNIT: f64 = 100.0;

/// What is averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AveragedTrait {
    /// Its word.
    pub key: &'static str,
    /// Years from the beginning of the year of calving after which it is known of all animals but a few.
    pub known_after: i64,
}

const fn known(key: &'static str, known_after: i64) -> AveragedTrait {
    AveragedTrait { key, known_after }
}

/// All of them.
pub const AVERAGED: [AveragedTrait; 8] = [
    known("milk305", 2),
    known("fat305", 2),
    known("protein305", 2),
    known("ecm305", 2),
    known("scs", 2),
    known("calvingInterval", 3),
    known("daysOpen", 2),
    known("ageAtFirstCalving", 1),
];

/// What animals are compared in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// Year of the calving.
    pub year: i64,
    /// Place in [`AVERAGED`].
    pub of: usize,
    /// 1, 2, and 3 for all later ones.
    pub parity: i64,
}

/// An average.
#[derive(Debug, Clone, PartialEq)]
pub struct Average {
    pub class: Class,
    pub mean: f64,
    pub animals: u32,
}

/// The animals of a farm in a class.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    animals: u32,
    /// Those that are not open to everybody.
    closed: u32,
    /// In hundredths, so that the order of animals does not matter.
    hundredths: i64,
}

/// The animals of all farms.
#[derive(Debug, Default)]
pub struct Averages(BTreeMap<Class, BTreeMap<i64, Sum>>);

impl Averages {
    /// Adds an animal.
    pub fn add(&mut self, class: Class, farm: i64, closed: bool, value: f64) {
        let sum = self.0.entry(class).or_default().entry(farm).or_default();
        sum.animals += 1;
        sum.closed += u32::from(closed);
        #[expect(clippy::cast_possible_truncation, reason = "yields and days, which are small")]
        let hundredths = (value * UNIT).round() as i64;
        sum.hundredths += hundredths;
    }

    /// Those of the farms.
    #[must_use]
    pub fn of_farms(&self) -> BTreeMap<i64, Vec<Average>> {
        let mut farms: BTreeMap<i64, Vec<Average>> = BTreeMap::new();
        for (class, sums) in &self.0 {
            for (farm, sum) in sums.iter().filter(|(_, sum)| sum.animals >= LEAST) {
                farms.entry(*farm).or_default().push(average(*class, &[*sum]));
            }
        }
        farms
    }

    /// Those of regions, by the region of each farm, and of the book (none), in order of classes. What is left of the
    /// book without the regions that are published is publishable too, or nothing.
    #[must_use]
    pub fn of_many<'r>(&self, regions: &'r BTreeMap<i64, String>) -> Vec<(Option<&'r str>, Average)> {
        let mut rows = Vec::new();
        for (class, sums) in &self.0 {
            let mut by_region: BTreeMap<Option<&str>, Vec<Sum>> = BTreeMap::new();
            for (farm, sum) in sums {
                let region = regions.get(farm).map(String::as_str);
                by_region.entry(region).or_default().push(*sum);
            }
            let mut rest = Vec::new();
            for (region, of_region) in by_region {
                match region.is_some() && is_publishable(&of_region) {
                    true => rows.push((region, average(*class, &of_region))),
                    false => rest.extend(of_region),
                }
            }
            if rest.is_empty() || is_publishable(&rest) {
                let all: Vec<Sum> = sums.values().copied().collect();
                rows.push((None, average(*class, &all)));
            }
        }
        rows
    }
}

/// Whether the average of these farms' animals tells nothing of less than [`LEAST`] closed ones, neither to whom all
/// others are open, nor to one of the farms.
fn is_publishable(farms: &[Sum]) -> bool {
    let animals: u32 = farms.iter().map(|farm| farm.animals).sum();
    let closed: u32 = farms.iter().map(|farm| farm.closed).sum();
    let is_many = |count: u32| count == 0 || count >= LEAST;
    farms.len() >= LEAST_FARMS
        && animals >= LEAST
        && is_many(closed)
        && farms.iter().all(|farm| is_many(closed - farm.closed))
}

fn average(class: Class, farms: &[Sum]) -> Average {
    let animals: u32 = farms.iter().map(|farm| farm.animals).sum();
    let hundredths: i64 = farms.iter().map(|farm| farm.hundredths).sum();
    let mean = (hundredths as f64 / f64::from(animals)).round() / UNIT;
    Average { class, mean, animals }
}

#[cfg(test)]
mod tests {
    use super::{Average, Averages, Class};
    use std::collections::BTreeMap;

    const CLASS: Class = Class { year: 2023, of: 0, parity: 1 };

    /// Farms with numbers of open and closed animals, all of 8,000 kg but the first farm's of 9,000.
    fn averages(farms: &[(i64, u32, u32)]) -> Averages {
        let mut averages = Averages::default();
        for (farm, open, closed) in farms {
            for animal in 0..open + closed {
                averages.add(CLASS, *farm, animal >= *open, if *farm == 1 { 9_000.0 } else { 8_000.0 });
            }
        }
        averages
    }

    /// Farms below ten lie in the region `a`, those below twenty in `b`, others in none.
    fn regions() -> BTreeMap<i64, String> {
        (1..20).map(|farm| (farm, if farm < 10 { "a" } else { "b" }.to_owned())).collect()
    }

    fn published(farms: &[(i64, u32, u32)]) -> Vec<(Option<String>, u32)> {
        let regions = regions();
        let rows = averages(farms).of_many(&regions);
        rows.into_iter().map(|(region, row)| (region.map(str::to_owned), row.animals)).collect()
    }

    #[test]
    fn a_farm_has_averages_from_five_animals_on() {
        let of_farms = averages(&[(1, 2, 3), (2, 4, 0)]).of_farms();
        assert_eq!(of_farms, BTreeMap::from([(1, vec![Average { class: CLASS, mean: 9_000.0, animals: 5 }])]));
    }

    #[test]
    fn averages_of_many_are_those_of_all_animals() {
        let regions = regions();
        let rows = averages(&[(1, 0, 10), (2, 0, 10), (3, 0, 5)]).of_many(&regions);
        let row = Average { class: CLASS, mean: 8_400.0, animals: 25 };
        assert_eq!(rows, [(Some("a"), row.clone()), (None, row)]);
    }

    #[test]
    fn two_farms_would_know_each_other() {
        assert_eq!(published(&[(1, 0, 10), (2, 0, 10)]), []);
        assert_eq!(published(&[(1, 0, 10), (2, 0, 10), (3, 0, 1)]).len(), 2);
    }

    #[test]
    fn what_a_farm_does_not_know_of_is_none_or_five() {
        // Farm 1 takes its own from the sum.
        assert_eq!(published(&[(1, 0, 50), (2, 0, 2), (3, 0, 2)]), []);
        assert_eq!(published(&[(1, 0, 50), (2, 0, 2), (3, 0, 3)]).len(), 2);
        // Everybody takes the open ones.
        assert_eq!(published(&[(1, 50, 0), (2, 50, 0), (3, 50, 4)]), []);
        assert_eq!(published(&[(1, 50, 0), (2, 50, 0), (3, 50, 0)]).len(), 2);
        // Farm 3 knows all that are closed, everybody else knows none of five.
        assert_eq!(published(&[(1, 50, 0), (2, 50, 0), (3, 50, 5)]).len(), 2);
    }

    #[test]
    fn what_is_left_of_the_book_is_as_safe_as_a_region() {
        let a = [(1, 0, 10), (2, 0, 10), (3, 0, 10)];
        let with = |more: &[(i64, u32, u32)]| published(&[&a[..], more].concat());
        let region = (Some("a".to_owned()), 30);
        // A single farm elsewhere would be the difference of the book and the region.
        assert_eq!(with(&[(11, 0, 40)]), std::slice::from_ref(&region));
        assert_eq!(with(&[(11, 0, 40), (21, 0, 40), (22, 0, 2)]), [region, (None, 112)]);
        // Three farms of region b are published by themselves, and nothing is left.
        assert_eq!(with(&[(11, 0, 9), (12, 0, 9), (13, 0, 9)]).len(), 3);
    }
}
