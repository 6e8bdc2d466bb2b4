//! Approximated reliabilities beside exact ones.

use super::dense::Dense;
use super::{animals, quiet};
use crate::{Animal, Effect, Parameters, Parent, Pedigree, Records, Solver, evaluate};

const VARIANCES: [f64; 3] = [30.0, 25.0, 45.0];
const PARAMETERS: Parameters = Parameters { heritability: 0.30, repeatability: 0.55 };

fn reliabilities(animals: &[Animal], records: &Records) -> Vec<f64> {
    let pedigree = Pedigree::new(animals).unwrap();
    evaluate(&pedigree, records, PARAMETERS, None, Solver::default(), &mut quiet).unwrap().reliabilities
}

/// Records of animals at the same place in `numbers`, all of one herd; their values do not matter here.
fn records(numbers: &[usize]) -> Records {
    let animals = (0..).zip(numbers).flat_map(|(animal, number)| std::iter::repeat_n(animal, *number));
    let animals: Vec<u32> = animals.collect();
    Records {
        effects: vec![Effect::of("herd", &vec![0; animals.len()])],
        values: (0..animals.len()).map(|at| (at % 7) as f64).collect(),
        animals,
    }
}

/// The exact ones of these tests are as published: Mrode (2014), example 3.1, page 45, as standard errors of prediction
/// by Masuda (`published.rs`).
#[test]
fn exact_ones_are_as_published() {
    let (sire, second, third) = (Some(0), Some(1), Some(2));
    let parents = [
        [None, None],
        [None, None],
        [None, None],
        [sire, None],
        [third, second],
        [sire, second],
        [Some(3), Some(4)],
        [third, Some(5)],
    ];
    let records = Records {
        animals: vec![3, 4, 5, 6, 7],
        effects: vec![Effect::of("sex", &[1, 2, 2, 1, 1])],
        values: vec![0.0; 5],
    };
    let variances = [20.0, 0.0, 40.0];
    let exact = Dense::new(&animals(&parents), 0).reliabilities(&records, variances, false);
    let errors = [4.340_941, 4.436_646, 4.272_979, 4.136_086, 4.138_148, 4.206_104, 4.204_075, 4.110_300];
    for (exact, error) in exact.iter().zip(errors) {
        let computed = (20.0 * (1.0 - exact)).sqrt();
        assert!((computed - error).abs() < 1e-6, "{computed}, published {error}");
    }
}

/// Brothers and sisters mated for ten generations, none of which, nor a relative, has a record.
#[test]
fn inbreeding_alone_tells_nothing() {
    let mut parents = vec![[None, None]; 6];
    for generation in 0..10 {
        let (sire, dam) = (4 + 2 * generation, 5 + 2 * generation);
        parents.extend([[Some(sire), Some(dam)]; 2]);
    }
    let computed = reliabilities(&animals(&parents), &records(&[1, 1, 1, 1]));
    assert!(computed[0] > 10.0, "{computed:?}");
    assert!(computed[4..].iter().all(|reliability| *reliability < 0.1), "{computed:?}");
}

/// Daughters that are compared with each other only tell nothing of their sire, however many they are.
#[test]
fn a_herd_of_one_sire_tells_nothing_of_him() {
    let daughters = |sires: u32| {
        let mut parents = vec![[None, None]; 4];
        parents.extend((0..60).map(|daughter| [Some(daughter % sires), None]));
        let numbers: Vec<usize> = (0..64).map(|animal| usize::from(animal > 3)).collect();
        reliabilities(&animals(&parents), &records(&numbers))[0]
    };
    assert_eq!(daughters(1), 0.0);
    // 15 daughters: n h² / (4 + (n − 1) h²) = 55 % of records without error in the level.
    assert!((45.0..55.0).contains(&daughters(4)), "{}", daughters(4));
}

/// Three generations, where any two animals are connected in one way: a bull with daughters of different dams, one of
/// which has a daughter and a grandson. An animal that is related to none has so many records that the level of the
/// herd is known.
#[test]
fn without_circles_they_are_exact() {
    let parents = [
        [None, None],
        [None, None],
        [None, None],
        [Some(0), Some(1)],
        [Some(0), None],
        [Some(0), Some(2)],
        [None, None],
        [Some(6), Some(3)],
        [None, Some(7)],
        [None, None],
    ];
    let numbers = [0, 4, 1, 3, 2, 0, 0, 12, 0, 200_000];
    let computed = reliabilities(&animals(&parents), &records(&numbers));
    let mut without = numbers;
    without[9] = 0;
    let exact = Dense::new(&animals(&parents), 0).reliabilities(&records(&without), VARIANCES, true);
    for (animal, (computed, exact)) in computed.iter().zip(&exact).take(9).enumerate() {
        assert!((computed - exact * 100.0).abs() < 0.02, "{animal}: {computed}, exact {exact}");
    }
    // 12 records of her own alone: h² / (r + (1 − r) / 12).
    assert!(exact[7] > 0.30 / (0.55 + 0.45 / 12.0));
}

/// 320 animals of four generations with some 40 records in each herd and season.
#[test]
fn in_a_book_they_are_near() {
    const BORN: u32 = 80;
    const BULLS: u32 = 10;
    let mut state = 1_u64;
    let mut below = |most: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % most
    };
    let mut book = Vec::new();
    let (mut of, mut herds) = (Vec::new(), Vec::new());
    for place in 0..4 * BORN {
        let mut animal = Animal::default();
        if let Some(first) = (place / BORN * BORN).checked_sub(BORN) {
            animal.sire = Parent::Animal(first + below(BULLS));
            animal.dam = Parent::Animal(first + BULLS + below(BORN - BULLS));
        }
        book.push(animal);
        if place % BORN >= BULLS {
            for _ in 0..below(4) {
                of.push(place);
                herds.push(place / BORN * 2 + below(2));
            }
        }
    }
    let records =
        Records { values: vec![0.0; of.len()], animals: of, effects: vec![Effect::of("herd-year-season", &herds)] };
    let computed = reliabilities(&book, &records);
    let exact = Dense::new(&book, 0).reliabilities(&records, VARIANCES, false);
    let exact: Vec<f64> = exact.iter().map(|part| part * 100.0).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let covariance = |one: &[f64], other: &[f64]| {
        let product: Vec<f64> = one.iter().zip(other).map(|(one, other)| one * other).collect();
        mean(&product) - mean(one) * mean(other)
    };
    let correlation =
        covariance(&computed, &exact) / (covariance(&computed, &computed) * covariance(&exact, &exact)).sqrt();
    let difference: Vec<f64> = computed.iter().zip(&exact).map(|(computed, exact)| computed - exact).collect();
    let most = difference.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    println!(
        "correlation {correlation:.4}, mean difference {:.2}, most {most:.2}, mean {:.1}",
        mean(&difference),
        mean(&exact)
    );
    assert!(correlation > 0.98, "{correlation}");
    assert!(mean(&difference).abs() < 4.0, "{}", mean(&difference));
    assert!(most < 9.0, "{most}");
}
