//! The bulls: a pool for every year, and which animals may be mated.
#![expect(clippy::indexing_slicing, reason = "indexes are made by the push that created the bull and never removed")]

use std::f64::consts::FRAC_1_SQRT_2;

use super::calendar::{BURN_IN, Day, END, START};
use super::names::Names;
use super::streams::Stream;

/// Additive standard deviations of the traits in [`Merit`].
pub(crate) const GENETIC_SD: Merit = [650.0, 0.20, 0.11, 0.55];
/// Yearly gain of the sires, kg milk.
const TREND: f64 = 90.0;
/// Age of a sire at the birth of its youngest offspring, in days.
const OLDEST_SIRE: i32 = 18 * YEAR;
/// Days in a year of the pool.
const YEAR: i32 = 365;
/// Number of years in which a bull is used.
const YEARS_IN_USE: usize = 3;
/// Countries of the imported bulls.
pub(crate) const ORIGINS: [(&str, &str); 4] = [("CA", "CAN"), ("US", "USA"), ("DE", "DEU"), ("NL", "NLD")];

/// Breeding values: milk of 305 days (kg), fat (%), protein (%), somatic cell
/// score.
pub(crate) type Merit = [f64; 4];

/// A bull of the pool or a forefather.
pub(crate) struct Bull {
    pub(crate) name: &'static str,
    pub(crate) birth: Day,
    /// First and last day of use; a forefather has none.
    pub(crate) used: Option<(Day, Day)>,
    /// Index into [`ORIGINS`]; `None` for a home-bred bull.
    pub(crate) origin: Option<usize>,
    /// Index of the sire.
    pub(crate) sire: Option<usize>,
    /// Name and birth of the dam, and the index of her sire.
    pub(crate) dam: Option<BullDam>,
    pub(crate) line: usize,
    pub(crate) merit: Merit,
}

impl Bull {
    /// Whether the bull was in use in the recorded years.
    pub(crate) fn in_use(&self) -> bool {
        self.used.is_some_and(|(_, last)| last >= START)
    }
}

/// The dam of a bull, known by name only.
pub(crate) struct BullDam {
    pub(crate) name: &'static str,
    pub(crate) birth: Day,
    pub(crate) sire: usize,
}

/// All bulls; forefathers first.
pub(crate) struct Sires {
    pub(crate) bulls: Vec<Bull>,
    /// The bulls in use in each year of the pool.
    years: Vec<Pool>,
}

/// Bulls in use, most popular first, and the running sum of their popularity,
/// which follows Zipf's law.
struct Pool {
    bulls: Vec<usize>,
    popularity: Vec<f64>,
}

impl Pool {
    fn new(stream: &mut Stream, mut bulls: Vec<usize>) -> Self {
        for last in (1..bulls.len()).rev() {
            bulls.swap(last, stream.below(last + 1));
        }
        let mut sum = 0.0;
        let popularity = (1..=bulls.len())
            .map(|rank| {
                sum += 1.0 / rank as f64;
                sum
            })
            .collect();
        Self { bulls, popularity }
    }

    fn draw(&self, stream: &mut Stream) -> usize {
        let at = stream.unit() * self.popularity.last().copied().unwrap_or(0.0);
        let rank = self.popularity.partition_point(|sum| *sum <= at);
        self.bulls.get(rank).copied().unwrap_or_default()
    }
}

/// A breeding value from the mean of the parents' and half the variance.
pub(crate) fn inherit(stream: &mut Stream, parents: Merit) -> Merit {
    let mut merit = parents;
    for (value, deviation) in merit.iter_mut().zip(GENETIC_SD) {
        *value = stream.normal(*value, deviation * FRAC_1_SQRT_2);
    }
    merit
}

/// Mean of two breeding values.
pub(crate) fn mean(a: Merit, b: Merit) -> Merit {
    let mut mean = a;
    for (value, other) in mean.iter_mut().zip(b) {
        *value = (*value + other) / 2.0;
    }
    mean
}

impl Sires {
    /// The pool for a book with this number of cows.
    pub(crate) fn new(seed: u64, cows: usize, names: &Names) -> Self {
        let stream = &mut Stream::new(seed, "sires", 0);
        // Twelve bulls a year and one for each 120 cows; fewer in a small book.
        let yearly = (12 + cows / 120).min((cows / 25).max(3));
        let mut bulls = forefathers(stream, names, (yearly / 2).max(4));
        let founders = bulls.len();
        let span = ((END - BURN_IN) / YEAR + 1) as usize;
        let mut years = vec![Vec::new(); span];
        for cohort in 0..span + YEARS_IN_USE - 1 {
            // The first cohorts were in use before the simulation begins.
            let first_year = cohort as i32 - (YEARS_IN_USE as i32 - 1);
            let from = BURN_IN + first_year * YEAR;
            for _ in 0..yearly {
                let bull = pool_bull(stream, names, &bulls, founders, from);
                let index = bulls.len();
                bulls.push(bull);
                let used = (first_year..).take(YEARS_IN_USE);
                for year in used.filter(|year| (0..span as i32).contains(year)) {
                    years[year as usize].push(index);
                }
            }
        }
        let years = years.into_iter().map(|pool| Pool::new(stream, pool)).collect();
        Self { bulls, years }
    }

    /// A bull in use on that day. `refused` decides which bulls are too close to the female; after
    /// a few tries any bull is taken.
    pub(crate) fn choose(&self, stream: &mut Stream, day: Day, refused: impl Fn(usize, &Bull) -> bool) -> usize {
        let year = ((day - BURN_IN) / YEAR).max(0) as usize;
        let pool = &self.years[year.min(self.years.len() - 1)];
        let mut chosen = 0;
        for _ in 0..12 {
            chosen = pool.draw(stream);
            if !refused(chosen, &self.bulls[chosen]) {
                break;
            }
        }
        chosen
    }

    /// A sire for an animal that was born before the simulation: a bull of the first pool if it is
    /// old enough, else a forefather.
    pub(crate) fn sire_of_founder(&self, stream: &mut Stream, birth: Day) -> usize {
        let young = |_: usize, bull: &Bull| bull.birth + 2 * YEAR > birth;
        let chosen = self.choose(stream, BURN_IN, young);
        if !young(chosen, &self.bulls[chosen]) {
            return chosen;
        }
        let forefathers = self.bulls.iter().take_while(|bull| bull.used.is_none());
        stream.below(forefathers.count())
    }
}

fn forefathers(stream: &mut Stream, names: &Names, count: usize) -> Vec<Bull> {
    (0..count)
        .map(|_| Bull {
            name: names.any(stream, false),
            birth: BURN_IN - stream.between(16 * YEAR, 17 * YEAR),
            used: None,
            origin: Some(stream.below(ORIGINS.len())),
            sire: None,
            dam: None,
            line: stream.below(5),
            merit: inherit(stream, [0.0; 4]),
        })
        .collect()
}

fn pool_bull(stream: &mut Stream, names: &Names, bulls: &[Bull], founders: usize, from: Day) -> Bull {
    let birth = from - stream.between(2 * YEAR + 60, 5 * YEAR);
    let sire = sire_of(stream, bulls, founders, birth);
    let dam_name = names.any(stream, true);
    let dam_birth = birth - stream.between(3 * YEAR, 7 * YEAR);
    let dam = stream.chance(0.5).then(|| BullDam {
        name: dam_name,
        birth: dam_birth,
        sire: sire_of(stream, bulls, founders, dam_birth),
    });
    let imported = stream.chance(0.6);
    let origin = stream.below(ORIGINS.len());
    let years = f64::from(from - BURN_IN) / f64::from(YEAR);
    // The dams of bulls are the best of their time.
    let dams = [900.0 + TREND * years, 0.0, 0.0, 0.0];
    let parents = mean(bulls[sire].merit, dams);
    Bull {
        name: names.like(stream, false, dam_name),
        birth,
        used: Some((from, from + YEARS_IN_USE as i32 * YEAR - 1)),
        origin: imported.then_some(origin),
        sire: Some(sire),
        dam,
        line: bulls[sire].line,
        merit: inherit(stream, parents),
    }
}

/// A sire for an animal of the pool: mostly a bull that was already in use,
/// else a forefather who is not too old.
fn sire_of(stream: &mut Stream, bulls: &[Bull], founders: usize, birth: Day) -> usize {
    let is_grown = |bull: &Bull| bull.used.is_some_and(|(first, _)| first + 300 < birth);
    let grown = (0..bulls.len()).filter(|index| is_grown(&bulls[*index]));
    let grown: Vec<usize> = grown.collect();
    let forefather = stream.below(founders);
    let aged = birth - bulls[forefather].birth > OLDEST_SIRE;
    match grown.get(stream.below(grown.len())) {
        Some(index) if aged || stream.chance(0.8) => *index,
        _ => forefather,
    }
}

#[cfg(test)]
mod tests {
    use super::{BURN_IN, END, Names, Sires, Stream};

    #[test]
    fn every_day_has_a_bull_in_use_and_parents_are_older() {
        let sires = Sires::new(3, 105, &Names::load());
        let mut stream = Stream::new(3, "test", 0);
        for day in (BURN_IN..=END).step_by(30) {
            let bull = &sires.bulls[sires.choose(&mut stream, day, |_, _| false)];
            let (first, last) = bull.used.unwrap();
            assert!((first..=last).contains(&day));
            assert!(bull.birth + 600 < first);
            let sire = &sires.bulls[bull.sire.unwrap()];
            assert!(sire.birth + 700 < bull.birth);
            if let Some(dam) = &bull.dam {
                assert!(dam.birth + 900 < bull.birth);
                assert!(sires.bulls[dam.sire].birth + 700 < dam.birth);
            }
        }
    }

    #[test]
    fn refused_bulls_are_avoided() {
        let sires = Sires::new(3, 400, &Names::load());
        let mut stream = Stream::new(3, "test", 1);
        let favourite = sires.years[4].bulls[0];
        for _ in 0..200 {
            let chosen = sires.choose(&mut stream, BURN_IN + 4 * 365 + 5, |bull, _| bull == favourite);
            assert_ne!(chosen, favourite);
        }
    }
}
