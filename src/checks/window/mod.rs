//! What checks look at, as plain values. Whoever reads the book fills in what it knows; what is empty is not judged.

mod events;
mod passport;
mod wide;

pub use events::*;
pub use passport::*;
pub use wide::*;

use super::day::Day;
use super::finding::Place;
use std::collections::{BTreeMap, BTreeSet};

/// An animal with its rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Animal {
    /// Its row of `animals`.
    pub passport: Passport,
    /// Animals that name it as mother.
    pub children: Vec<i64>,
    /// `calvings`.
    pub calvings: Vec<Calving>,
    /// `inseminations`.
    pub services: Vec<Service>,
    /// `milk-tests`.
    pub tests: Vec<MilkTest>,
    /// `weighings`.
    pub weighings: Vec<Weighing>,
    /// `milking-visits`.
    pub visits: Vec<Visit>,
    /// `daily-milkings`.
    pub dailies: Vec<Daily>,
    /// `health-events`.
    pub health: Vec<HealthEvent>,
    /// `events`.
    pub others: Vec<OtherEvent>,
    /// `movements`.
    pub movements: Vec<Movement>,
    /// `animal-evaluations`.
    pub evaluations: Vec<Evaluation>,
    /// `animal-exteriors`.
    pub exteriors: Vec<Exterior>,
    /// `gradings`.
    pub gradings: Vec<Grading>,
}

/// What is known around the animals of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// Parents, their fathers, children and bulls, by id.
    pub kin: BTreeMap<i64, Passport>,
    /// Bases of evaluations, by version.
    pub bases: BTreeMap<String, Base>,
    /// Numeric codes of countries (ISO 3166-1).
    pub countries: BTreeSet<u16>,
}

impl Context {
    /// A relative.
    pub(crate) fn kin(&self, id: Option<i64>) -> Option<&Passport> {
        self.kin.get(&id?)
    }
}

impl Animal {
    /// Puts the rows in the order of their days, which the checks rely on.
    pub fn sort(&mut self) {
        self.children.sort_unstable();
        // Rows of a day stay in the order in which they were read: that of their content, not of their arrival.
        self.calvings.sort_by_key(|row| row.day);
        self.services.sort_by_key(|row| row.day);
        (self.tests).sort_by(|a, b| (a.day, a.rank()).cmp(&(b.day, b.rank())).then(b.by_value(a)));
        self.weighings.sort_by_key(|row| row.day);
        self.visits.sort_by_key(|row| row.at);
        self.dailies.sort_by_key(|row| row.day);
        self.health.sort_by_key(|row| row.day);
        self.others.sort_by_key(|row| row.day);
        self.movements.sort_by_key(|row| row.day);
        self.evaluations.sort_by_key(|row| (row.day, row.id));
        self.exteriors.sort_by_key(|row| (row.day, row.id));
        self.gradings.sort_by_key(|row| (row.day, row.id));
    }

    /// A field of the animal.
    pub(crate) fn at(&self, path: &'static str) -> Place {
        self.passport.at(path)
    }

    /// A field of one of its rows.
    pub(crate) fn row(&self, collection: &'static str, row: i64, path: &'static str) -> Place {
        Place { collection, row, animal: Some(self.passport.id), path }
    }

    /// Rows that begin a lactation: calvings and abortions that open one.
    pub(crate) fn openers(&self) -> impl DoubleEndedIterator<Item = &Calving> + Clone {
        self.calvings.iter().filter(|row| row.opens())
    }

    pub(crate) fn births(&self) -> impl DoubleEndedIterator<Item = &Calving> + Clone {
        let calved = |row: &&Calving| row.kind == CalvingKind::Calving;
        self.calvings.iter().filter(calved)
    }

    /// The last row on or before a day that began a lactation.
    pub(crate) fn calving_before(&self, day: Day) -> Option<&Calving> {
        let until = self.calvings.partition_point(|row| row.day <= day);
        let rows = self.calvings.get(..until).unwrap_or_default();
        rows.iter().rev().find(|row| row.opens())
    }

    /// Whether the milk of the lactation that is open at the end of a day ended by drying off before it.
    pub(crate) fn dried_off(&self, calved: Day, day: Day) -> Option<Day> {
        let from = self.calvings.partition_point(|row| row.day < calved);
        let until = self.calvings.partition_point(|row| row.day < day);
        let rows = self.calvings.get(from..until).unwrap_or_default();
        let dry = rows.iter().find(|row| row.kind == CalvingKind::DryOff);
        dry.map(|row| row.day)
    }
}
