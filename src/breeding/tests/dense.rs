//! The model solved in another way, without anything of the crate: relationships by the tabular method, a dense matrix,
//! elimination. For pedigrees whose parents stand before their progeny.

use crate::{Animal, Effect, Parent, Records};

pub(super) type Matrix = Vec<Vec<f64>>;

pub(super) struct Dense {
    /// Additive relationships (Henderson, Biometrics 32 (1976) 69).
    pub(super) relationships: Matrix,
    /// The part of each group in each animal.
    pub(super) parts: Matrix,
}

impl Dense {
    pub(super) fn new(animals: &[Animal], groups: usize) -> Self {
        let count = animals.len();
        let mut relationships = vec![vec![0.0; count]; count];
        let mut parts = vec![vec![0.0; groups]; count];
        for (animal, row) in animals.iter().enumerate() {
            let parents = [row.sire, row.dam];
            relationships[animal][animal] = 1.0;
            if let [Parent::Animal(sire), Parent::Animal(dam)] = parents {
                relationships[animal][animal] += relationships[sire as usize][dam as usize] / 2.0;
            }
            for parent in parents {
                match parent {
                    Parent::Unknown => {}
                    Parent::Group(group) => parts[animal][group as usize] += 0.5,
                    Parent::Animal(parent) => {
                        let own = relationships[parent as usize].clone();
                        for (other, related) in own.iter().enumerate().take(animal) {
                            relationships[animal][other] += related / 2.0;
                            relationships[other][animal] += related / 2.0;
                        }
                        let of_parent = parts[parent as usize].clone();
                        for (part, own) in parts[animal].iter_mut().zip(of_parent) {
                            *part += own / 2.0;
                        }
                    }
                }
            }
        }
        Self { relationships, parts }
    }

    /// Solves X'V⁻¹X b = X'V⁻¹y for fixed effects and groups, and predicts with V⁻¹(y − Xb), where V = ZAZ' + variance
    /// of the permanent environment within an animal + error. Neither an inverse of the relationships nor mixed-model
    /// equations are needed.
    pub(super) fn predict(&self, records: &Records, variances: [f64; 3]) -> Prediction {
        let [additive, ..] = variances;
        let (count, groups) = (records.values.len(), self.parts.first().map_or(0, Vec::len));
        let animals: Vec<usize> = records.animals.iter().map(|animal| *animal as usize).collect();
        let mut columns = columns(&records.effects);
        let fixed = columns.len();
        for group in 0..groups {
            columns.push(animals.iter().map(|animal| self.parts[*animal][group]).collect());
        }
        let v = self.variances(records, variances);
        let inverse = inverse(&v);
        let weighted = multiply(&columns, &inverse);
        let mut equations: Matrix = weighted
            .iter()
            .map(|row| {
                let mut equation: Vec<f64> = columns.iter().map(|column| dot(row, column)).collect();
                equation.push(dot(row, &records.values));
                equation
            })
            .collect();
        let (solution, rank) = eliminate(&mut equations);
        let fitted = |record: usize| (0..columns.len()).map(|at| columns[at][record] * solution[at]).sum::<f64>();
        let left: Vec<f64> = (0..count).map(|record| records.values[record] - fitted(record)).collect();
        let left = multiply(&[left], &inverse).remove(0);
        let value = |animal: usize| {
            let own: f64 = (0..count).map(|at| additive * self.relationships[animal][animals[at]] * left[at]).sum();
            own + (0..groups).map(|group| self.parts[animal][group] * solution[fixed + group]).sum::<f64>()
        };
        Prediction { values: (0..self.relationships.len()).map(value).collect(), free: columns.len() - rank }
    }

    /// The part of the additive variance of each animal that its records and those of its relatives explain, where the
    /// level of the first effect is estimated from them too, or is known.
    pub(super) fn reliabilities(&self, records: &Records, variances: [f64; 3], known_level: bool) -> Vec<f64> {
        let [additive, ..] = variances;
        let v = self.variances(records, variances);
        let count = records.values.len();
        let inverse = inverse(&v);
        let columns = if known_level { Vec::new() } else { columns(&records.effects[..1]) };
        let weighted = multiply(&columns, &inverse);
        let normal: Matrix =
            weighted.iter().map(|row| columns.iter().map(|column| dot(row, column)).collect()).collect();
        let normal = if columns.is_empty() { normal } else { self::inverse(&normal) };
        let of = |animal: usize| {
            let covariance = |at: usize| additive * self.relationships[animal][records.animals[at] as usize];
            let covariances: Vec<f64> = (0..count).map(covariance).collect();
            let explained = dot(&multiply(std::slice::from_ref(&covariances), &inverse)[0], &covariances);
            let of_levels: Vec<f64> = weighted.iter().map(|row| dot(row, &covariances)).collect();
            let of_levels = if columns.is_empty() {
                0.0
            } else {
                dot(&multiply(std::slice::from_ref(&of_levels), &normal)[0], &of_levels)
            };
            (explained - of_levels) / (additive * self.relationships[animal][animal])
        };
        (0..self.relationships.len()).map(of).collect()
    }

    /// The variances of records.
    fn variances(&self, records: &Records, [additive, permanent, error]: [f64; 3]) -> Matrix {
        let variance = |one: usize, other: usize| {
            let [first, second] = [one, other].map(|record| records.animals[record] as usize);
            let same = if first == second { permanent } else { 0.0 };
            additive * self.relationships[first][second] + same + if one == other { error } else { 0.0 }
        };
        let count = records.values.len();
        (0..count).map(|one| (0..count).map(|other| variance(one, other)).collect()).collect()
    }
}

/// A column of zeros and ones for each level.
fn columns(effects: &[Effect]) -> Matrix {
    let column = |effect: &Effect, level| effect.levels.iter().map(|own| f64::from(*own == level)).collect();
    effects
        .iter()
        .flat_map(|effect| {
            let last = *effect.levels.iter().max().unwrap();
            (0..=last).map(move |level| column(effect, level))
        })
        .collect()
}

pub(super) struct Prediction {
    /// Of each animal; where effects depend on each other, one solution of many.
    pub(super) values: Vec<f64>,
    /// How many fixed effects and groups follow from the others.
    pub(super) free: usize,
}

pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Rows times a symmetric matrix.
fn multiply(rows: &[Vec<f64>], symmetric: &Matrix) -> Matrix {
    let product = |row: &Vec<f64>| symmetric.iter().map(|other| dot(row, other)).collect();
    rows.iter().map(product).collect()
}

pub(super) fn inverse(matrix: &Matrix) -> Matrix {
    let count = matrix.len();
    let mut rows: Matrix = matrix.clone();
    for (at, row) in rows.iter_mut().enumerate() {
        row.extend((0..count).map(|other| f64::from(other == at)));
    }
    let pivots = reduce(&mut rows, count);
    assert_eq!(pivots.len(), count, "no inverse");
    pivots.iter().map(|(_, row)| rows[*row][count..].to_vec()).collect()
}

/// Solves equations whose last column is the right-hand side, and tells their rank; an unknown that follows from others
/// is 0.
fn eliminate(equations: &mut Matrix) -> (Vec<f64>, usize) {
    let unknowns = equations.len();
    let pivots = reduce(equations, unknowns);
    let mut solution = vec![0.0; unknowns];
    for (column, row) in &pivots {
        solution[*column] = equations[*row][unknowns];
    }
    (solution, pivots.len())
}

/// Gauss and Jordan with the largest pivot of each column; gives column and row of each pivot.
fn reduce(rows: &mut Matrix, unknowns: usize) -> Vec<(usize, usize)> {
    let largest = rows.iter().flat_map(|row| &row[..unknowns]).fold(0.0_f64, |most, value| most.max(value.abs()));
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    for column in 0..unknowns {
        let done = pivots.len();
        let Some(pivot) =
            (done..rows.len()).max_by(|one, other| rows[*one][column].abs().total_cmp(&rows[*other][column].abs()))
        else {
            break;
        };
        if rows[pivot][column].abs() < largest * 1e-10 {
            continue;
        }
        rows.swap(done, pivot);
        let row = rows[done].clone();
        for (at, other) in rows.iter_mut().enumerate() {
            let factor = if at == done { 1.0 - 1.0 / row[column] } else { other[column] / row[column] };
            for (value, own) in other.iter_mut().zip(&row) {
                *value -= factor * own;
            }
        }
        pivots.push((column, done));
    }
    pivots
}
