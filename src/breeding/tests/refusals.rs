//! What cannot be evaluated is refused, and what is not known has no value.

use super::{animals, known, quiet};
use crate::{Animal, Effect, Evaluation, Fault, Parameters, Parent, Pedigree, Records, Solver, evaluate};

const PARAMETERS: Parameters = Parameters { heritability: 0.30, repeatability: 0.55 };

/// Two unrelated animals of one herd with a record each.
fn whole() -> Records {
    Records { animals: vec![0, 1], effects: vec![Effect::of("herd", &[0, 0])], values: vec![1.0, 2.0] }
}

/// What comes of records of two animals.
fn run(animal: Animal, records: &Records, parameters: Parameters, base: Option<&[u32]>) -> Result<Evaluation, Fault> {
    let pedigree = Pedigree::new(&[animal; 2])?;
    evaluate(&pedigree, records, parameters, base, Solver::default(), &mut quiet)
}

#[test]
fn records_must_be_numbers_of_animals_with_all_effects() {
    let refused = |records: Records| run(Animal::default(), &records, PARAMETERS, None).unwrap_err();
    assert_eq!(refused(Records::default()), Fault::NoRecords);
    assert_eq!(refused(Records { effects: vec![], ..whole() }), Fault::NoEffect);
    let beyond = Fault::NoSuchAnimal { record: 1, animal: 2 };
    assert_eq!(refused(Records { animals: vec![0, 2], ..whole() }), beyond);
    assert_eq!(refused(Records { values: vec![1.0, f64::NAN], ..whole() }), Fault::NoNumber(1));
    let mut levels = whole();
    levels.effects[0].levels[1] = 2;
    assert_eq!(refused(levels), Fault::TooMany(3));
    let uneven = Fault::UnevenEffect { effect: 0, levels: 1, records: 2 };
    assert_eq!(refused(Records { effects: vec![Effect::of("herd", &[0])], ..whole() }), uneven);
    assert_eq!(refused(Records { animals: vec![0], ..whole() }), uneven);
}

#[test]
fn parameters_must_be_variances() {
    for [heritability, repeatability] in [[0.0, 0.5], [0.5, 0.4], [0.5, 1.0], [f64::NAN, 0.5]] {
        let parameters = Parameters { heritability, repeatability };
        let fault = run(Animal::default(), &whole(), parameters, None).unwrap_err();
        assert!(matches!(fault, Fault::NoVariance { .. }), "{fault}");
    }
}

#[test]
fn groups_need_a_base() {
    let grouped = Animal { sire: Parent::Group(0), ..Animal::default() };
    assert_eq!(run(grouped, &whole(), PARAMETERS, None).unwrap_err(), Fault::NoBase);
    assert_eq!(run(grouped, &whole(), PARAMETERS, Some(&[])).unwrap_err(), Fault::NoBase);
    assert_eq!(run(grouped, &whole(), PARAMETERS, Some(&[2])).unwrap_err(), Fault::NoBase);
    let values = known(&run(grouped, &whole(), PARAMETERS, Some(&[0, 1])).unwrap().values);
    assert!(values[0] < 0.0 && (values[0] + values[1]).abs() < 1e-12, "{values:?}");
}

#[test]
fn too_few_iterations_are_told() {
    let pedigree = Pedigree::new(&[Animal::default(); 2]).unwrap();
    let solver = Solver { most_iterations: 0, ..Solver::default() };
    let fault = evaluate(&pedigree, &whole(), PARAMETERS, None, solver, &mut quiet).unwrap_err();
    assert_eq!(fault, Fault::NotSolved { iterations: 0, residual: 1.0 });
}

/// Of the unknown parents of group 1 there is no record of any progeny: their mean is anything, and so is the value of
/// an animal that has a part of it.
#[test]
fn what_no_record_tells_has_no_value() {
    let (home, abroad) = (Some(6), Some(7));
    let parents =
        [[home, home], [home, home], [abroad, abroad], [Some(0), Some(1)], [Some(2), Some(1)], [Some(0), abroad]];
    let records =
        Records { animals: vec![1, 3, 3], effects: vec![Effect::of("herd", &[0, 0, 0])], values: vec![1.0, 2.0, 3.0] };
    let pedigree = Pedigree::new(&animals(&parents)).unwrap();
    let by = |base: &[u32]| evaluate(&pedigree, &records, PARAMETERS, Some(base), Solver::default(), &mut quiet);
    let run = by(&[1, 3]).unwrap();
    let has_value: Vec<bool> = run.values.iter().map(Option::is_some).collect();
    assert_eq!(has_value, [true, true, false, true, false, false]);
    assert_eq!(run.groups.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);
    assert_eq!(by(&[1, 4]).unwrap_err(), Fault::NoBase);
}
