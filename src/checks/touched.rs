//! What a written row may change: which findings, and which rows of its animal have to be read to know them. A write
//! costs what hangs on it, not the whole history of the animal.

use super::finding::Place;
use std::collections::BTreeSet;

/// A collection, the collections that are read when a row of it is written (`animals`: the relatives), and the fields
/// whose findings are then known, by collection and the beginning of their path.
type Reach = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

const ANIMALS: &str = "animals";
const CALVINGS: &str = "calvings";
const SERVICES: &str = "inseminations";
const TESTS: &str = "milk-tests";
const WEIGHINGS: &str = "weighings";
const VISITS: &str = "milking-visits";
const DAILIES: &str = "daily-milkings";
const HEALTH: &str = "health-events";
const EVENTS: &str = "events";
const MOVEMENTS: &str = "movements";
const EVALUATIONS: &str = "animal-evaluations";
const EXTERIORS: &str = "animal-exteriors";
const GRADINGS: &str = "gradings";

/// Whatever the dates and the sex of an animal concern; its visits and daily milk, which are many, wait for the next
/// run over the book.
const LIFE: &[&str] = &[ANIMALS, CALVINGS, SERVICES, TESTS, WEIGHINGS, HEALTH, EVENTS, MOVEMENTS, EXTERIORS, GRADINGS];
const LIFE_PLACES: &[(&str, &str)] = &[
    (ANIMALS, ""),
    (CALVINGS, ""),
    (SERVICES, ""),
    (TESTS, ""),
    (WEIGHINGS, ""),
    (HEALTH, ""),
    (EVENTS, ""),
    (MOVEMENTS, ""),
    (EXTERIORS, ""),
    (GRADINGS, ""),
];

const REACH: &[Reach] = &[
    (ANIMALS, LIFE, LIFE_PLACES),
    (MOVEMENTS, LIFE, LIFE_PLACES),
    (
        CALVINGS,
        &[ANIMALS, CALVINGS, SERVICES, TESTS, HEALTH, EXTERIORS],
        &[(ANIMALS, ""), (CALVINGS, ""), (SERVICES, ""), (TESTS, ""), (HEALTH, ""), (EXTERIORS, "")],
    ),
    (SERVICES, &[ANIMALS, CALVINGS, SERVICES, HEALTH], &[(ANIMALS, ""), (CALVINGS, ""), (SERVICES, "")]),
    // Tests make lactations, which the animal has.
    (TESTS, &[CALVINGS, TESTS, HEALTH], &[(TESTS, ""), (ANIMALS, "lactations")]),
    (WEIGHINGS, &[WEIGHINGS], &[(WEIGHINGS, "")]),
    (VISITS, &[VISITS, DAILIES], &[(VISITS, ""), (DAILIES, "")]),
    (DAILIES, &[VISITS, DAILIES], &[(VISITS, ""), (DAILIES, "")]),
    (
        HEALTH,
        &[CALVINGS, TESTS, HEALTH, MOVEMENTS],
        &[(HEALTH, ""), (TESTS, ""), (CALVINGS, "ease"), (MOVEMENTS, "kind")],
    ),
    (EVENTS, &[EVENTS], &[(EVENTS, "")]),
    (EVALUATIONS, &[EVALUATIONS], &[(EVALUATIONS, "")]),
    (EXTERIORS, &[CALVINGS, EXTERIORS], &[(EXTERIORS, "")]),
    (GRADINGS, &[GRADINGS], &[(GRADINGS, "")]),
];

/// What the rows of a write may change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    reads: BTreeSet<&'static str>,
    places: BTreeSet<(&'static str, &'static str)>,
    all: bool,
}

impl Touched {
    /// Everything: of a run over the book.
    #[must_use]
    pub fn all() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// By rows of these collections.
    pub fn by<'a>(collections: impl IntoIterator<Item = &'a str>) -> Self {
        let mut touched = Self::default();
        for slug in collections {
            for (_, reads, places) in REACH.iter().filter(|(of, ..)| *of == slug) {
                touched.reads.extend(*reads);
                touched.places.extend(*places);
            }
        }
        touched
    }

    /// Whether nothing is to be looked at.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.all && self.places.is_empty()
    }

    /// Whether rows of a collection are read; of `animals` the relatives.
    #[must_use]
    pub fn reads(&self, collection: &str) -> bool {
        self.all || self.reads.contains(collection)
    }

    /// Whether the findings about a field of a collection are known then.
    #[must_use]
    pub fn judges(&self, collection: &str, path: &str) -> bool {
        let within = |(of, start): &(&str, &str)| *of == collection && path.starts_with(start);
        self.all || self.places.iter().any(within)
    }

    /// Whether the place of a finding is judged anew.
    #[must_use]
    pub fn judges_place(&self, place: &Place) -> bool {
        self.judges(place.collection, place.path)
    }
}
