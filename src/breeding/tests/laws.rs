//! What holds for any book: as a dense solution, on any number of threads, in any order of animals.

use super::dense::Dense;
use super::quiet;
use crate::{Animal, Effect, Fault, Parameters, Parent, Pedigree, Progress, Records, Solver, evaluate};
use proptest::prelude::{Strategy, any, prop};
use proptest::test_runner::{Config, TestRunner};
use std::ops::ControlFlow;

const VARIANCES: [f64; 3] = [30.0, 25.0, 45.0];

fn parameters() -> Parameters {
    Parameters { heritability: 0.30, repeatability: 0.55 }
}

/// A book of `animals` with parents before progeny, of few parents so that matings are of relatives, with `groups`; and
/// records.
#[derive(Debug)]
struct Book {
    animals: Vec<Animal>,
    groups: usize,
    records: Records,
}

fn books(most: usize) -> impl Strategy<Value = Book> {
    let animals = prop::collection::vec((any::<u32>(), any::<u32>(), 0..5_u8), 4..most);
    let records = prop::collection::vec((any::<u32>(), 0..4_u32, 0..3_u32, -300..300_i16), 12..3 * most);
    (animals, records, 0..4_u32).prop_map(|(animals, records, groups)| {
        let unknown = |draw: u32| match groups {
            0 => Parent::Unknown,
            _ => Parent::Group(draw % groups),
        };
        let parent = |draw: u32, known: bool, place: u32| match known && place > 1 {
            true => Parent::Animal(draw % place),
            false => unknown(draw),
        };
        let animals: Vec<Animal> = (0..)
            .zip(&animals)
            .map(|(place, (sire, dam, known))| {
                let sire = parent(*sire, *known > 1, place);
                let dam = match parent(*dam, *known % 2 == 0, place) {
                    dam @ Parent::Animal(_) if dam == sire => unknown(0),
                    dam => dam,
                };
                Animal { sire, dam, ..Animal::default() }
            })
            .collect();
        let count = animals.len() as u32;
        let records = Records {
            animals: records.iter().map(|record| record.0 % count).collect(),
            effects: vec![
                Effect::of("herd-year-season", &records.iter().map(|record| record.1).collect::<Vec<_>>()),
                Effect::of("parity", &records.iter().map(|record| record.2).collect::<Vec<_>>()),
            ],
            values: records.iter().map(|record| 7_000.0 + f64::from(record.3) / 10.0).collect(),
        };
        let groups = animals
            .iter()
            .flat_map(|animal| [animal.sire, animal.dam])
            .filter_map(|parent| match parent {
                Parent::Group(group) => Some(group as usize + 1),
                _ => None,
            })
            .max()
            .unwrap_or(0);
        Book { animals, groups, records }
    })
}

/// Calls `law` with `cases` books.
fn hold(cases: u32, most: usize, law: impl Fn(&Book)) {
    let config = Config { failure_persistence: None, ..Config::with_cases(cases) };
    TestRunner::new_with_rng(config, proptest::test_runner::TestRng::deterministic_rng(Default::default()))
        .run(&books(most), |book| {
            law(&book);
            Ok(())
        })
        .unwrap();
}

/// On one thread: to begin others for each step takes longer than all the work of such small books.
fn solver() -> Solver {
    Solver { tolerance: 1e-12, threads: 1, ..Solver::default() }
}

#[test]
fn values_are_those_of_a_dense_solution() {
    let compared = std::cell::Cell::new([0; 2]);
    hold(test_support::at(150, 1_500), 30, |book| {
        let Book { animals, groups, records } = book;
        let pedigree = Pedigree::new(animals).unwrap();
        let dense = Dense::new(animals, *groups);
        for (animal, coefficient) in pedigree.inbreeding().iter().enumerate() {
            let tabular = dense.relationships[animal][animal] - 1.0;
            assert!((coefficient - tabular).abs() < 1e-12, "{animal}: {coefficient}, {tabular}");
        }
        let base = &records.animals;
        let evaluation = evaluate(&pedigree, records, parameters(), Some(base), solver(), &mut quiet).unwrap();
        let prediction = dense.predict(records, VARIANCES);
        // Two effects have one mean, and groups another one with them. If more depends on each other, differences
        // between animals are not determined, and fitted values alone are compared, which always are.
        let determined = prediction.free == 1 + usize::from(*groups > 0);
        let mut counts = compared.get();
        counts[usize::from(*groups > 0)] += usize::from(determined);
        compared.set(counts);
        if determined {
            let zero =
                |values: &[f64]| base.iter().map(|animal| values[*animal as usize]).sum::<f64>() / base.len() as f64;
            let mean = zero(&prediction.values);
            for (animal, (value, dense)) in evaluation.values.iter().zip(&prediction.values).enumerate() {
                // A group without records would be one more that is free.
                let value = value.unwrap();
                assert!((value - (dense - mean)).abs() < 1e-6, "{animal}: {value}, {}", dense - mean);
            }
        }
    });
    assert!(compared.get().iter().all(|count| *count > 20), "{:?}", compared.get());
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    hold(20, 200, |book| {
        let pedigree = Pedigree::new(&book.animals).unwrap();
        let by = |threads| {
            let base = Some(&book.records.animals[..]);
            evaluate(&pedigree, &book.records, parameters(), base, Solver { threads, ..solver() }, &mut quiet).unwrap()
        };
        let mut one = by(1);
        for threads in [2, 3, 8] {
            one.solver.threads = threads;
            assert_eq!(one, by(threads));
        }
    });
}

#[test]
fn the_order_of_animals_changes_no_value() {
    hold(30, 60, |book| {
        let last = book.animals.len() as u32 - 1;
        let turn = |parent| match parent {
            Parent::Animal(place) => Parent::Animal(last - place),
            other => other,
        };
        let turned: Vec<Animal> = book
            .animals
            .iter()
            .rev()
            .map(|animal| Animal { sire: turn(animal.sire), dam: turn(animal.dam), ..*animal })
            .collect();
        let mut records = book.records.clone();
        records.animals.iter_mut().for_each(|place| *place = last - *place);
        let of = |animals: &[Animal], records: &Records| {
            let pedigree = Pedigree::new(animals).unwrap();
            evaluate(&pedigree, records, parameters(), Some(&records.animals), solver(), &mut quiet).unwrap()
        };
        let (mut other, one) = (of(&turned, &records), of(&book.animals, &book.records));
        other.values.reverse();
        other.reliabilities.reverse();
        for (at, (one, other)) in one.values.iter().zip(&other.values).enumerate() {
            assert_eq!(one.is_some(), other.is_some());
            let difference = one.unwrap_or(0.0) - other.unwrap_or(0.0);
            assert!(difference.abs() < 1e-6, "{at}: {one:?}, {other:?}");
        }
        for (at, (one, other)) in one.reliabilities.iter().zip(&other.reliabilities).enumerate() {
            assert!((one - other).abs() < 0.1, "{at}: {one}, {other}");
        }
    });
}

#[test]
fn animals_of_which_no_record_tells_cost_no_iteration() {
    hold(30, 60, |book| {
        let Book { animals, records, .. } = book;
        let of = |animals: &[Animal]| {
            let pedigree = Pedigree::new(animals).unwrap();
            evaluate(&pedigree, records, parameters(), Some(&records.animals), solver(), &mut quiet).unwrap()
        };
        let (first, count) = (records.animals[0], animals.len() as u32);
        let sire = Parent::Animal(first);
        let dam = animals[first as usize].dam;
        let mut more = animals.clone();
        more.extend([Animal { sire, dam: Parent::Animal((first + 1) % count), ..Animal::default() }; 500]);
        more.extend((count..count + 500).map(|calf| Animal { sire: Parent::Animal(calf), dam, ..Animal::default() }));
        let (one, other) = (of(animals), of(&more));
        assert!(one.iterations.abs_diff(other.iterations) <= 1, "{}, {}", one.iterations, other.iterations);
        let value = |parent| match parent {
            Parent::Unknown => None,
            Parent::Animal(place) => other.values[place as usize],
            Parent::Group(group) => other.groups[group as usize],
        };
        for (at, animal) in more.iter().enumerate() {
            let expected = match one.values.get(at) {
                Some(value) => *value,
                None if animal.dam == Parent::Unknown => continue,
                None => value(animal.sire).zip(value(animal.dam)).map(|(sire, dam)| 0.5 * (sire + dam)),
            };
            assert_eq!(other.values[at].is_some(), expected.is_some());
            let difference = other.values[at].unwrap_or(0.0) - expected.unwrap_or(0.0);
            assert!(difference.abs() < 1e-6, "{at}: {:?}, {expected:?}", other.values[at]);
        }
    });
}

#[test]
fn each_step_is_reported_and_may_stop_the_run() {
    hold(5, 30, |book| {
        let pedigree = Pedigree::new(&book.animals).unwrap();
        let run = |last: usize| {
            let mut steps = Vec::new();
            let base = Some(&book.records.animals[..]);
            let outcome = evaluate(&pedigree, &book.records, parameters(), base, solver(), &mut |step| {
                steps.push(step);
                match steps.len() == last {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            (outcome, steps)
        };
        let (whole, steps) = run(usize::MAX);
        let whole = whole.unwrap();
        let iterations = steps.iter().filter(|step| matches!(step, Progress::Iteration { .. }));
        assert_eq!(iterations.count(), whole.iterations as usize);
        assert!(matches!(steps.last(), Some(Progress::Round(_))));
        for last in [1, steps.len()] {
            let (outcome, stopped) = run(last);
            assert_eq!(outcome, Err(Fault::Stopped));
            assert_eq!(stopped, steps[..last]);
        }
    });
}
