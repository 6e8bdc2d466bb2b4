//! Relationships and inbreeding of published pedigrees, and pedigrees that are refused.

use super::{animals, dense};
use crate::equations::Equations;
use crate::records::RecordsByAnimal;
use crate::{Animal, Effect, Fault, Parent, Pedigree, Records};

/// The pedigrees with the coefficients of inbreeding of their sources.
const PUBLISHED: &str = include_str!("../../domain/derive/pedigree/published.txt");

#[test]
fn inbreeding_is_as_published() {
    let mut pedigrees = 0;
    for pedigree in PUBLISHED.split("## ").skip(1) {
        let mut lines = pedigree.lines();
        let title = lines.next().unwrap();
        let rows: Vec<Vec<&str>> =
            lines.map(|line| line.split_whitespace().collect()).filter(|row: &Vec<_>| row.len() == 4).collect();
        let place = |name: &str| rows.iter().position(|row| row[0] == name).map(|at| at as u32);
        let parents: Vec<_> = rows.iter().map(|row| [place(row[1]), place(row[2])]).collect();
        let published: Vec<f64> = rows.iter().map(|row| row[3].parse().unwrap()).collect();
        assert_eq!(Pedigree::new(&animals(&parents)).unwrap().inbreeding(), published, "{title}");
        // Progeny before parents.
        let last = rows.len() as u32 - 1;
        let turned = parents.iter().rev().map(|both| both.map(|parent| parent.map(|place| last - place)));
        let turned: Vec<_> = turned.collect();
        let mut computed = Pedigree::new(&animals(&turned)).unwrap().inbreeding();
        computed.reverse();
        assert_eq!(computed, published, "{title}, turned");
        pedigrees += 1;
    }
    assert!(pedigrees > 8, "{pedigrees}");
}

/// What relationships add to the coefficients of the equations, by multiplying each unit vector; for a single record
/// whose own coefficients are taken off.
fn inverse_of_relationships(animals: &[Animal]) -> dense::Matrix {
    let pedigree = Pedigree::new(animals).unwrap();
    let records = Records { animals: vec![0], effects: vec![Effect::of("mean", &[0])], values: vec![1.0] };
    let records = RecordsByAnimal::new(&records, &pedigree).unwrap();
    // As if all animals had information.
    let within: Vec<f64> = (0..animals.len()).map(|position| 1.0 / pedigree.variance_within(position)).collect();
    let mut equations = Equations::new(&pedigree, &records, &within, f64::INFINITY, 1);
    let size = equations.right().len();
    let first = equations.animals().start;
    let position = |place: usize| pedigree.positions.get(place).map_or(place, |position| *position as usize);
    let count = animals.len() + pedigree.groups();
    let column = |place: usize| {
        let mut unit = vec![0.0; size];
        unit[first + position(place)] = 1.0;
        let mut product = vec![0.0; size];
        equations.multiply(&unit, &mut product);
        product[first + position(0)] -= f64::from(place == 0);
        (0..count).map(|row| product[first + position(row)]).collect()
    };
    (0..count).map(column).collect()
}

/// Mrode (2014), example 4.1, page 64. What is printed there is the inverse where the dam of animal 5 is unknown; the
/// solutions of the page have it (`published.rs`).
#[test]
fn the_inverse_of_relationships_is_as_published() {
    let pedigree = animals(&[
        [None, None],
        [None, None],
        [None, None],
        [Some(0), Some(1)],
        [Some(2), None],
        [Some(0), Some(4)],
        [Some(2), Some(3)],
        [Some(0), Some(6)],
    ]);
    let printed = [
        [2.5, 0.5, 0.0, -1.0, 0.5, -1.0, 0.5, -1.0],
        [0.5, 1.5, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.83, 0.5, -0.67, 0.0, -1.0, 0.0],
        [-1.0, -1.0, 0.5, 2.5, 0.0, 0.0, -1.0, 0.0],
        [0.5, 0.0, -0.67, 0.0, 1.83, -1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0, 0.0, -1.0, 2.0, 0.0, 0.0],
        [0.5, 0.0, -1.0, -1.0, 0.0, 0.0, 2.5, -1.0],
        [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 2.0],
    ];
    let round = |value: f64| (value * 100.0).round() / 100.0;
    for (row, printed) in inverse_of_relationships(&pedigree).iter().zip(printed) {
        assert_eq!(row.iter().map(|value| round(*value)).collect::<Vec<_>>(), printed);
    }
}

/// Mrode (2014), example 2.1, has two inbred animals.
#[test]
fn the_inverse_of_relationships_is_that_of_the_tabular_method() {
    let pedigree = animals(&[
        [None, None],
        [None, None],
        [Some(0), Some(1)],
        [Some(0), None],
        [Some(3), Some(2)],
        [Some(4), Some(1)],
    ]);
    let dense = dense::inverse(&dense::Dense::new(&pedigree, 0).relationships);
    for (row, other) in inverse_of_relationships(&pedigree).iter().zip(&dense) {
        for (value, other) in row.iter().zip(other) {
            assert!((value - other).abs() < 1e-12, "{value}, {other}");
        }
    }
}

#[test]
fn what_is_no_pedigree_is_refused() {
    let refused = |parents: &[[Option<u32>; 2]]| Pedigree::new(&animals(parents)).unwrap_err();
    assert_eq!(refused(&[[None, None], [Some(1), None]]), Fault::Cycle(1));
    assert_eq!(refused(&[[Some(2), None], [None, None], [Some(0), Some(1)]]), Fault::Cycle(2));
    // Progeny of a cycle is not in it.
    assert_eq!(refused(&[[Some(1), None], [Some(2), None], [Some(1), None]]), Fault::Cycle(1));
    assert_eq!(refused(&[[None, None], [Some(0), Some(0)]]), Fault::OneParentTwice(1));
    let beyond = Animal { sire: Parent::Animal(7), ..Animal::default() };
    let fault = Fault::NoSuchParent { animal: 0, parent: 7, animals: 1 };
    assert_eq!(Pedigree::new(&[beyond]).unwrap_err(), fault);
    assert!(Pedigree::new(&[]).unwrap().is_empty());
}
