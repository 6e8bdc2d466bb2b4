//! How many farms, how many cows, and herds that give the wanted number of
//! animals.

use super::herd::World;
use super::names::Names;
use super::select::Selection;
use super::sires::Sires;
use super::streams::Stream;
use crate::Options;

/// Rows of animals that one cow's place brings into the book over its years.
const ROWS_PER_COW: f64 = 4.6;
/// Cows of a farm in a large book.
const MEDIAN_COWS: f64 = 220.0;
/// The smallest farm.
const LEAST_COWS: usize = 6;
/// Deviation of the number of animals that needs no further try.
const TOLERANCE: f64 = 0.03;
const TRIES: usize = 5;

/// The world whose selected animals come nearest to the wanted number.
pub(crate) fn fitting_world(options: &Options) -> (World, Selection) {
    let names = Names::load();
    let wanted = options.animals.max(1) as f64;
    let mut cows = wanted / ROWS_PER_COW;
    let mut best = attempt(options, cows, &names);
    let mut gap = best.0;
    for _ in 1..TRIES {
        if gap.abs() <= TOLERANCE {
            break;
        }
        cows /= (1.0 + gap).max(0.2);
        let next = attempt(options, cows, &names);
        gap = next.0;
        if gap.abs() < best.0.abs() {
            best = next;
        }
    }
    (best.1, best.2)
}

/// A world with this number of places for cows, after the share of the wanted number by which it
/// has too many animals.
fn attempt(options: &Options, cows: f64, names: &Names) -> (f64, World, Selection) {
    let places = farm_places(options, cows);
    let sires = Sires::new(options.seed, places.iter().sum(), names);
    let world = World::simulate(options.seed, &places, sires, names);
    let selection = Selection::new(&world);
    let gap = selection.entries.len() as f64 / options.animals.max(1) as f64 - 1.0;
    (gap, world, selection)
}

/// Places for cows by farm: two farms in a small book, else as many as give a
/// median of [`MEDIAN_COWS`], log-normal.
fn farm_places(options: &Options, cows: f64) -> Vec<usize> {
    let farms = ((options.animals as f64 / ROWS_PER_COW / MEDIAN_COWS).round() as usize).max(2);
    let shares: Vec<f64> = if farms == 2 {
        vec![0.6, 0.4]
    } else {
        let stream = &mut Stream::new(options.seed, "places", 0);
        (0..farms).map(|_| stream.normal(0.0, 0.8).exp().clamp(0.18, 8.0)).collect()
    };
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|share| ((cows * share / sum).round() as usize).max(LEAST_COWS)).collect()
}
