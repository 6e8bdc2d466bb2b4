//! Which bull each female is to be mated with: a plan under limits that is the best there is.
//!
//! A plan serves as many females as the limits let it; among such plans the sum of the expected values is the greatest,
//! and among these the sum of the expected inbreeding the least. It is an assignment problem: the females come one by
//! one, and each takes the best way of exchanges that makes room for it (successive shortest paths: Ford and Fulkerson,
//! Flows in Networks (1962); Kuhn, The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2
//! (1955) 83–97), so the plan is an optimum after each of them. The least places decide between equal ways, and so the
//! order of the candidates.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Name and version of the method.
pub const METHOD: &str = "assignment by successive shortest paths, 1";

/// Digits behind the point of expected values that count.
const VALUE: f64 = 1e6;
/// Digits of the expected inbreeding that count.
const INBREEDING: f64 = 1e9;
/// A unit of value is worth more than the inbreeding of all matings of a plan.
const UNIT: i128 = 1 << 44;
/// A mating is worth more than the values of all matings of a plan.
const SERVED: i128 = 1 << 120;
/// Values beyond this count as it, so that sums stay below [`SERVED`].
const GREATEST: f64 = 1e13;

/// An animal that takes part in a plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    /// The animal.
    pub id: i64,
    /// Its value for the goal; none where it has none, or the plan has no goal.
    pub value: Option<f64>,
    /// Defects and haplotypes that it carries.
    pub carries: BTreeSet<String>,
    /// How many females it may be mated with; of bulls.
    pub uses: usize,
}

/// What a plan keeps to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The greatest expected inbreeding of a calf, 0 to 1.
    pub inbreeding: f64,
    /// Whether two that carry the same may be mated.
    pub carriers: bool,
    /// Whether a bull needs a value: a plan has a goal.
    pub valued: bool,
    /// How many bulls are named after the first.
    pub alternatives: usize,
}

/// A bull for a female.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mating {
    /// The bull.
    pub bull: i64,
    /// The mean of the values of both; none where one has none.
    pub value: Option<f64>,
    /// Expected inbreeding of the calf, 0 to 1.
    pub inbreeding: f64,
}

/// Why a bull is no bull for a female.
#[derive(Debug, Clone, PartialEq)]
pub enum Exclusion {
    /// The calf would be inbred above the limit.
    Inbreeding,
    /// Both carry these.
    Carriers(Vec<String>),
}

impl Exclusion {
    /// The word for it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Inbreeding => "inbreeding",
            Self::Carriers(_) => "carriers",
        }
    }
}

/// Why a female has no bull, or a bull no part in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// Each bull is excluded for this female.
    AllExcluded,
    /// The bulls that are not excluded serve other females.
    NoneLeft,
    /// The bull has no value for the goal.
    NoValue,
    /// The bull has no dose left, or may serve nobody.
    NoDoses,
    /// The animal is of another sex than it was named for.
    NotFemale,
    /// So is this one.
    NotMale,
    /// Its sex status keeps it from breeding.
    NotFertile,
    /// The female left the herd.
    NotAlive,
}

impl LeftOut {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::AllExcluded => "all-excluded",
            Self::NoneLeft => "none-left",
            Self::NoValue => "no-value",
            Self::NoDoses => "no-doses",
            Self::NotFemale => "not-female",
            Self::NotMale => "not-male",
            Self::NotFertile => "not-fertile",
            Self::NotAlive => "not-alive",
        }
    }
}

/// What a plan says of a female.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The female.
    pub female: i64,
    /// Her bull, or why she has none.
    pub best: Result<Mating, LeftOut>,
    /// The next best bulls for her, whoever else they serve.
    pub alternatives: Vec<Mating>,
    /// Bulls that are excluded for her, with the expected inbreeding.
    pub exclusions: Vec<(i64, f64, Exclusion)>,
}

/// A plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// In the order of the females.
    pub advice: Vec<Advice>,
    /// Bulls that take no part, and why.
    pub left_out: Vec<(i64, LeftOut)>,
    /// Mean kinship of each bull that takes part with all the females.
    pub kinship: BTreeMap<i64, f64>,
}

/// Makes the plan. `kinship` tells how closely a bull and the females are related, in the order of the females; none when
/// nobody waits for the plan any more.
#[must_use]
pub fn plan(
    females: &[Candidate],
    bulls: &[Candidate],
    limits: Limits,
    kinship: impl Fn(i64) -> Option<Vec<f64>>,
) -> Option<Plan> {
    let mut left_out = Vec::new();
    let mut taking_part = Vec::new();
    for bull in bulls {
        match (bull.uses, bull.value.is_none() && limits.valued) {
            (0, _) => left_out.push((bull.id, LeftOut::NoDoses)),
            (_, true) => left_out.push((bull.id, LeftOut::NoValue)),
            _ => taking_part.push(bull),
        }
    }
    let mut rows: Vec<Options> = vec![Options::default(); females.len()];
    let mut means = BTreeMap::new();
    for bull in &taking_part {
        let related = kinship(bull.id)?;
        means.extend(mean(&related).map(|mean| (bull.id, mean)));
        let pairs = rows.iter_mut().zip(females).zip(related);
        for ((row, female), inbreeding) in pairs {
            row.add(female, bull, inbreeding, limits);
        }
    }
    let worths: Vec<Vec<Option<i128>>> = rows.iter().map(Options::worths).collect();
    let places: Vec<usize> = taking_part.iter().map(|bull| bull.uses).collect();
    let columns = assign(&worths, &places);
    let advice = females.iter().zip(rows).zip(columns);
    let advice = advice.map(|((female, row), column)| row.advice(female.id, column, limits));
    Some(Plan { advice: advice.collect(), left_out, kinship: means })
}

/// The mean of those that there are.
#[must_use]
pub fn mean<'a>(all: impl IntoIterator<Item = &'a f64>) -> Option<f64> {
    let (sum, count) = all.into_iter().fold((0.0, 0_u32), |(sum, count), one| (sum + one, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// The bulls that take part, as those of one female.
#[derive(Debug, Clone, Default)]
struct Options {
    /// What each is worth; none where it is excluded.
    matings: Vec<Option<(i128, Mating)>>,
    exclusions: Vec<(i64, f64, Exclusion)>,
}

impl Options {
    fn add(&mut self, female: &Candidate, bull: &Candidate, inbreeding: f64, limits: Limits) {
        if let Some(why) = exclusion(female, bull, inbreeding, limits) {
            self.exclusions.push((bull.id, inbreeding, why));
            self.matings.push(None);
            return;
        }
        let both = female.value.zip(bull.value);
        let mating = Mating { bull: bull.id, value: both.map(|(one, other)| 0.5 * (one + other)), inbreeding };
        // What she has of her own is the same with every bull.
        let value = 0.5 * bull.value.unwrap_or(0.0);
        self.matings.push(Some((worth(value, inbreeding), mating)));
    }

    fn worths(&self) -> Vec<Option<i128>> {
        let worths = self.matings.iter();
        worths.map(|one| one.map(|(worth, _)| worth)).collect()
    }

    fn advice(self, female: i64, column: Option<usize>, limits: Limits) -> Advice {
        let mut best = Err(LeftOut::AllExcluded);
        let mut others: Vec<(i128, Mating)> = Vec::new();
        for (at, (worth, mating)) in self.matings.into_iter().enumerate().filter_map(some) {
            match column == Some(at) {
                true => best = Ok(mating),
                false => others.push((worth, mating)),
            }
        }
        if best.is_err() && !others.is_empty() {
            best = Err(LeftOut::NoneLeft);
        }
        // Bulls of the same worth stay in their order.
        others.sort_by_key(|(worth, _)| Reverse(*worth));
        others.truncate(limits.alternatives);
        Advice {
            female,
            best,
            alternatives: others.into_iter().map(|(_, mating)| mating).collect(),
            exclusions: self.exclusions,
        }
    }
}

/// A place that is filled.
fn some<T>((at, one): (usize, Option<T>)) -> Option<(usize, T)> {
    Some((at, one?))
}

fn exclusion(female: &Candidate, bull: &Candidate, inbreeding: f64, limits: Limits) -> Option<Exclusion> {
    // A residue of the sum is no inbreeding.
    if inbreeding > limits.inbreeding + 0.5 / INBREEDING {
        return Some(Exclusion::Inbreeding);
    }
    let both = female.carries.intersection(&bull.carries);
    let both: Vec<String> = both.cloned().collect();
    (!limits.carriers && !both.is_empty()).then_some(Exclusion::Carriers(both))
}

/// What a mating is worth among others: its value, and of equal ones the less inbreeding.
fn worth(value: f64, inbreeding: f64) -> i128 {
    let whole = |value: f64, unit: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "bounded just before")]
        let units = (value.clamp(-GREATEST, GREATEST) * unit).round() as i128;
        units
    };
    whole(value, VALUE) * UNIT - whole(inbreeding, INBREEDING)
}

/// Assigns to each row a column of greatest worth in all, of those that it has a worth for; each column takes as many
/// rows as it has places. As many rows as can be have a column.
#[must_use]
pub fn assign(worths: &[Vec<Option<i128>>], places: &[usize]) -> Vec<Option<usize>> {
    let mut state = Assignment {
        worths,
        places,
        rows: vec![Vec::new(); places.len()],
        columns: vec![None; worths.len()],
        moves: vec![vec![None; places.len()]; places.len()],
    };
    for row in 0..worths.len() {
        state.insert(row);
    }
    state.columns
}

/// Rows with columns so far.
struct Assignment<'w> {
    worths: &'w [Vec<Option<i128>>],
    places: &'w [usize],
    /// Rows of each column.
    rows: Vec<Vec<usize>>,
    columns: Vec<Option<usize>>,
    /// For each column and each other one the row whose move there gains most, with the gain.
    moves: Vec<Vec<Option<(i128, usize)>>>,
}

/// Where a way ends.
#[derive(Clone, Copy)]
enum End {
    /// In a place of a column.
    Place(usize),
    /// A row of that column has none any more; or the new one, where no column is named.
    Row(Option<usize>),
}

impl Assignment<'_> {
    fn worth(&self, row: usize, column: usize) -> Option<i128> {
        (*self.worths.get(row)?.get(column)?).map(|worth| worth + SERVED)
    }

    fn is_full(&self, column: usize) -> bool {
        let count = self.rows.get(column).map_or(0, Vec::len);
        self.places.get(column).is_none_or(|places| count >= *places)
    }

    /// Finds the way that gains most: the row takes a column, a row of that column another one, and so on, until one has
    /// room or a row goes without.
    fn insert(&mut self, row: usize) {
        let count = self.places.len();
        let mut gains: Vec<Option<i128>> = (0..count).map(|at| self.worth(row, at)).collect();
        let mut from: Vec<Option<usize>> = vec![None; count];
        // Bellman and Ford: after as many rounds as there are columns no way is longer.
        for _ in 0..count {
            let mut changed = false;
            for column in 0..count {
                let Some(gain) = entry(&gains, column).filter(|_| self.is_full(column)) else {
                    continue;
                };
                for (other, step) in self.moves.get(column).into_iter().flatten().enumerate() {
                    let Some((more, _)) = step else {
                        continue;
                    };
                    if entry(&gains, other).is_none_or(|best| best < gain + more) {
                        set(&mut gains, other, Some(gain + more));
                        set(&mut from, other, Some(column));
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut best = (0, End::Row(None));
        for column in 0..count {
            let Some(gain) = entry(&gains, column) else {
                continue;
            };
            let end = match self.is_full(column) {
                false => Some((gain, End::Place(column))),
                true => {
                    let least = self.least(column);
                    least.map(|(worth, _)| (gain - worth, End::Row(Some(column))))
                }
            };
            if let Some(end) = end.filter(|(gain, _)| *gain > best.0) {
                best = end;
            }
        }
        self.follow(row, best.1, &from);
    }

    /// The row of a column that is worth least there.
    fn least(&self, column: usize) -> Option<(i128, usize)> {
        let rows = self.rows.get(column)?.iter();
        rows.filter_map(|row| Some((self.worth(*row, column)?, *row))).min()
    }

    /// Moves the rows of a way, the last one first.
    fn follow(&mut self, row: usize, end: End, from: &[Option<usize>]) {
        let mut column = match end {
            End::Row(None) => return,
            End::Row(Some(column)) => {
                if let Some((_, least)) = self.least(column) {
                    self.give(least, None);
                }
                column
            }
            End::Place(column) => column,
        };
        let mut columns = BTreeSet::from([column]);
        while let Some(before) = entry(from, column) {
            let step = self.moves.get(before).and_then(|moves| entry(moves, column));
            if let Some((_, other)) = step {
                self.give(other, Some(column));
            }
            column = before;
            columns.insert(column);
        }
        self.give(row, Some(column));
        for column in columns {
            self.measure(column);
        }
    }

    fn give(&mut self, row: usize, column: Option<usize>) {
        let before = entry(&self.columns, row);
        if let Some(rows) = before.and_then(|before| self.rows.get_mut(before)) {
            rows.retain(|other| *other != row);
        }
        if let Some(rows) = column.and_then(|column| self.rows.get_mut(column)) {
            rows.push(row);
        }
        set(&mut self.columns, row, column);
    }

    /// Finds the moves out of a column anew.
    fn measure(&mut self, column: usize) {
        let mut moves: Vec<Option<(i128, usize)>> = vec![None; self.places.len()];
        for row in self.rows.get(column).into_iter().flatten() {
            let Some(here) = self.worth(*row, column) else {
                continue;
            };
            for (other, best) in moves.iter_mut().enumerate().filter(|(at, _)| *at != column) {
                let gain = self.worth(*row, other).map(|there| there - here);
                let better = |gain: i128| match *best {
                    None => true,
                    Some((best_gain, least)) => (gain, least) > (best_gain, *row),
                };
                if let Some(gain) = gain.filter(|gain| better(*gain)) {
                    *best = Some((gain, *row));
                }
            }
        }
        set(&mut self.moves, column, moves);
    }
}

fn entry<T: Copy>(all: &[Option<T>], at: usize) -> Option<T> {
    all.get(at).copied().flatten()
}

fn set<T>(all: &mut [T], at: usize, value: T) {
    if let Some(entry) = all.get_mut(at) {
        *entry = value;
    }
}

#[cfg(test)]
mod tests;
