mod blupf90;
mod dense;
mod groups;
mod laws;
mod pedigrees;
mod published;
mod refusals;
mod reliability;

use crate::{Animal, Parent, Progress};
use std::ops::ControlFlow;

fn quiet(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Animals from places of sire and dam; one that is too high is the group that it is too high by.
fn animals(parents: &[[Option<u32>; 2]]) -> Vec<Animal> {
    let parent = |place: Option<u32>| match place {
        None => Parent::Unknown,
        Some(place) if (place as usize) < parents.len() => Parent::Animal(place),
        Some(place) => Parent::Group(place - parents.len() as u32),
    };
    let animal =
        |[sire, dam]: &[Option<u32>; 2]| Animal { sire: parent(*sire), dam: parent(*dam), ..Animal::default() };
    parents.iter().map(animal).collect()
}

/// Values of animals that all have one.
fn known(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().map(|value| value.unwrap()).collect()
}
