//! The evaluation of a made-up country whose true breeding values are known.
//!
//! `cargo bench -p herdbook-breeding`, with another number of animals than 1,000,000 as an argument; each has some
//! twelve test days. Prints the time of each step, iterations, the largest memory, and how values correlate with the
//! true ones, beside what their reliabilities promise. With a folder as second argument it writes what it read and
//! computed there, for `compare.py`.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a bench fails by a panic")]

use herdbook_breeding::{
    Animal, Effect, Evaluation, GroupRule, Parameters, Parent, Pedigree, Progress, Records, Solver, assign_groups,
    evaluate,
};
use std::fmt::Write;
use std::num::NonZeroU16;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Years in which animals are born; as many of them each year.
const YEARS: usize = 20;
/// A bull among as many animals.
const BULL: usize = 100;
const HERD_SIZE: usize = 500;
const COUNTRIES: usize = 3;
const PARITIES: usize = 4;
/// Additive variance, of the permanent environment, and of error: kg² of milk of a test day.
const VARIANCES: [f64; 3] = [12.0, 10.0, 18.0];
const PARAMETERS: Parameters = Parameters { heritability: 0.30, repeatability: 0.55 };
/// Years of birth whose unknown parents are of one group.
const GROUP_YEARS: u16 = 4;
/// What each such class of years adds to the mean of unknown parents, and a country, kg.
const CLASS_GAIN: f64 = 1.0;
const COUNTRY_GAIN: f64 = 1.5;

/// Numbers that look random and are the same in each run (`SplitMix64`).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Of a normal distribution with this variance (Box and Muller).
    fn normal(&mut self, variance: f64) -> f64 {
        let (one, other) = (1.0 - self.part(), self.part());
        (-2.0 * one.ln() * variance).sqrt() * (std::f64::consts::TAU * other).cos()
    }
}

struct Country {
    animals: Vec<Animal>,
    /// Animals of each year.
    born: usize,
    herds: usize,
}

impl Country {
    /// Bulls are fathers three to six years after they were born, cows mothers after two to six, in their own herd. One
    /// sire in ten and one dam in seven is unknown, and all before the fourth year.
    fn new(count: usize) -> Self {
        let (born, herds) = (count / YEARS, (count / HERD_SIZE).max(1));
        let bulls = (born / BULL).max(2);
        let mut noise = Noise(1);
        let mut animals = Vec::with_capacity(born * YEARS);
        for place in 0..born * YEARS {
            let (year, number) = (place / born, place % born);
            let mut animal = Animal {
                birth_year: Some(2000 + year as i16),
                country: (number % herds % COUNTRIES) as u16,
                ..Animal::default()
            };
            if let Some(before) = year.checked_sub(3)
                && noise.below(10) > 0
            {
                let year = before.saturating_sub(noise.below(4));
                animal.sire = Parent::Animal((year * born + noise.below(bulls)) as u32);
            }
            if let Some(before) = year.checked_sub(2)
                && noise.below(7) > 0
            {
                let year = before.saturating_sub(noise.below(5));
                let cows = (bulls..born).len() / herds;
                let first = bulls.next_multiple_of(herds) + number % herds;
                let cow = first + noise.below(cows.max(2) - 1) * herds;
                if cow < born {
                    animal.dam = Parent::Animal((year * born + cow) as u32);
                }
            }
            animals.push(animal);
        }
        Self { animals, born, herds }
    }

    fn is_bull(&self, place: usize) -> bool {
        place % self.born < (self.born / BULL).max(2)
    }

    /// The true breeding value of each animal, and the part of it that the means of unknown parents make, by Mendelian
    /// sampling.
    fn true_values(&self, inbreeding: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut noise = Noise(2);
        let (mut values, mut of_groups) = (Vec::<f64>::new(), Vec::<f64>::new());
        for animal in &self.animals {
            let class = animal.birth_year.map_or(0, |year| year / GROUP_YEARS as i16);
            let mean = CLASS_GAIN * f64::from(class) + COUNTRY_GAIN * f64::from(animal.country);
            let (mut value, mut mean_part, mut sampling) = (0.0, 0.0, 0.5);
            for parent in [animal.sire, animal.dam] {
                if let Parent::Animal(parent) = parent {
                    value += values[parent as usize] / 2.0;
                    mean_part += of_groups[parent as usize] / 2.0;
                    sampling -= inbreeding[parent as usize] / 4.0;
                } else {
                    value += (mean + noise.normal(VARIANCES[0])) / 2.0;
                    mean_part += mean / 2.0;
                }
            }
            values.push(value + noise.normal(sampling * VARIANCES[0]));
            of_groups.push(mean_part);
        }
        (values, of_groups)
    }

    /// Test days of all cows that are three years old: up to four lactations with four to nine test days each.
    fn records(&self, true_values: &[f64]) -> Records {
        let [_, permanent, error] = VARIANCES;
        let mut noise = Noise(3);
        let (mut animals, mut values) = (Vec::new(), Vec::new());
        let (mut herd, mut parity, mut age) = (Vec::new(), Vec::new(), Vec::new());
        let periods = (YEARS + PARITIES + 3) * 4;
        let levels: Vec<f64> = (0..self.herds * periods).map(|_| noise.normal(9.0)).collect();
        for (place, own) in true_values.iter().enumerate().take(self.born * (YEARS - 2)) {
            if self.is_bull(place) {
                continue;
            }
            let own = own + noise.normal(permanent);
            let mut quarter = place / self.born * 4 + 8 + noise.below(4);
            for lactation in 0..PARITIES {
                let class = lactation * 3 + noise.below(3);
                for day in 0..4 + noise.below(6) {
                    let period = place % self.herds * periods + quarter + day / 3;
                    animals.push(place as u32);
                    herd.push(period as u32);
                    parity.push(lactation as u32);
                    age.push(class as u32);
                    let mean = 22.0 + 3.0 * (lactation as f64).sqrt() + 0.3 * class as f64;
                    values.push(mean + levels[period] + own + noise.normal(error));
                }
                if noise.below(10) > 5 {
                    break;
                }
                quarter += 5;
            }
        }
        Records {
            animals,
            effects: vec![
                Effect::of("herd-year-season", &herd),
                Effect::of("parity", &parity),
                Effect::of("age", &age),
            ],
            values,
        }
    }
}

/// The largest memory of the process, MB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) / 1024
}

struct Clock(Instant);

impl Clock {
    fn step(&mut self, what: &str) {
        println!("{:>8.1} s  {:>5} MB  {what}", self.0.elapsed().as_secs_f64(), memory());
        self.0 = Instant::now();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let count = arguments.first().map_or(1_000_000, |number| number.parse().expect("a number of animals"));
    let mut clock = Clock(Instant::now());
    let mut country = Country::new(count);
    let truth = Pedigree::new(&country.animals).expect("a pedigree");
    let (truth, of_groups) = country.true_values(&truth.inbreeding());
    let records = country.records(&truth);
    clock.step(&format!("made {} animals with {} test days", country.animals.len(), records.values.len()));
    let whole = Instant::now();
    let rule = GroupRule { years: NonZeroU16::new(GROUP_YEARS).expect("not 0"), least: 500 };
    let groups = assign_groups(&mut country.animals, rule);
    clock.step(&format!("{} genetic groups", groups.len()));
    let pedigree = Pedigree::new(&country.animals).expect("a pedigree");
    let inbreeding = pedigree.inbreeding();
    let mean = inbreeding.iter().sum::<f64>() / inbreeding.len() as f64;
    clock.step(&format!("order and inbreeding: {} generations, mean {:.2} %", pedigree.generations(), mean * 100.0));
    let base: Vec<u32> = (0..country.born as u32).map(|number| (country.born * 10) as u32 + number).collect();
    let run = evaluate_by(&mut clock, &pedigree, &records, &base);
    println!("{:>8.1} s  in all; levels {:?}", whole.elapsed().as_secs_f64(), levels(&records));
    println!("{} iterations, residual {:.1e}", run.iterations, run.residual);
    let values: Vec<f64> = run.values.iter().map(|value| value.expect("a value")).collect();
    let bytes = values.iter().flat_map(|value| value.to_bits().to_le_bytes());
    let digest =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    println!("values {digest:016x} (FNV-1a)");
    let reliabilities = &run.reliabilities;
    compare(&country, &records, [&values, reliabilities], [&truth, &of_groups]);
    if let Some(folder) = arguments.get(1) {
        write(Path::new(folder), &country, &records, [&values, reliabilities]).expect("a folder to write to");
    }
}

/// The number of levels of each effect.
fn levels(records: &Records) -> Vec<u32> {
    let effects = records.effects.iter();
    effects.filter_map(|effect| Some(effect.levels.iter().max()? + 1)).collect()
}

/// Evaluates and prints the times of its steps.
fn evaluate_by(clock: &mut Clock, pedigree: &Pedigree, records: &Records, base: &[u32]) -> Evaluation {
    let mut rounds = 0;
    let mut watch = |progress| {
        match progress {
            Progress::Iteration { number, residual } if number % 50 == 0 => {
                clock.step(&format!("iteration {number}, residual {residual:.1e}"));
            }
            Progress::Iteration { .. } => {}
            Progress::Round(round) => {
                if round == 1 {
                    clock.step("equations, first round of reliabilities");
                }
                rounds = round;
            }
        }
        ControlFlow::Continue(())
    };
    let run = evaluate(pedigree, records, PARAMETERS, Some(base), Solver::default(), &mut watch);
    clock.step(&format!("{rounds} rounds of reliabilities"));
    run.expect("an evaluation")
}

/// Correlations, and regressions of true values on computed ones, which should be 1; both less what groups make, of
/// which reliabilities tell nothing.
fn compare(
    country: &Country,
    records: &Records,
    [values, reliabilities]: [&[f64]; 2],
    [truth, of_groups]: [&[f64]; 2],
) {
    let mut own = vec![0_u32; truth.len()];
    for animal in &records.animals {
        own[*animal as usize] += 1;
    }
    let mut progeny = vec![0_u32; truth.len()];
    for (place, animal) in country.animals.iter().enumerate() {
        if let Parent::Animal(sire) = animal.sire {
            progeny[sire as usize] += own[place].min(1);
        }
    }
    let classes: [(&str, &dyn Fn(usize) -> bool); 4] = [
        ("cows with records", &|place| own[place] > 0),
        ("cows without", &|place| own[place] == 0 && !country.is_bull(place)),
        ("bulls with 20 daughters with records", &|place| progeny[place] >= 20),
        ("bulls without", &|place| country.is_bull(place) && progeny[place] == 0),
    ];
    for (name, of) in classes {
        let places: Vec<usize> = (0..truth.len()).filter(|place| of(*place)).collect();
        let mean = |of: &dyn Fn(usize) -> f64| places.iter().map(|place| of(*place)).sum::<f64>() / places.len() as f64;
        let less = |values: &[f64]| -> Vec<f64> {
            let mean = mean(&|place| values[place] - of_groups[place]);
            places.iter().map(|place| values[*place] - of_groups[*place] - mean).collect()
        };
        let product = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
        let (computed, truth) = (less(values), less(truth));
        let both = product(&computed, &truth);
        let spread = product(&computed, &computed);
        println!(
            "{:>8} {name}: correlation {:.3}, of the mean reliability {:.3}, regression {:.3}",
            places.len(),
            both / (spread * product(&truth, &truth)).sqrt(),
            (mean(&|place| reliabilities[place]) / 100.0).sqrt(),
            both / spread
        );
    }
}

/// Tables without a heading: the pedigree with values, and the records.
fn write(
    folder: &Path,
    country: &Country,
    records: &Records,
    [values, reliabilities]: [&[f64]; 2],
) -> std::io::Result<()> {
    let count = country.animals.len();
    let number = |parent: Parent| match parent {
        Parent::Unknown => -1,
        Parent::Animal(parent) => i64::from(parent),
        Parent::Group(group) => count as i64 + i64::from(group),
    };
    let mut text = String::new();
    for (place, animal) in country.animals.iter().enumerate() {
        let (sire, dam) = (number(animal.sire), number(animal.dam));
        let (value, reliability) = (values[place], reliabilities[place]);
        let _ = writeln!(text, "{sire},{dam},{value},{reliability}");
    }
    std::fs::write(folder.join("animals.csv"), &text)?;
    text.clear();
    for (record, value) in records.values.iter().enumerate() {
        let _ = write!(text, "{}", records.animals[record]);
        for effect in &records.effects {
            let _ = write!(text, ",{}", effect.levels[record]);
        }
        let _ = writeln!(text, ",{value}");
    }
    std::fs::write(folder.join("records.csv"), text)
}
