//! Herds, packages and the book.

use super::Animal;
use crate::day::Day;
use crate::finding::Place;

/// A base of evaluations (`index-bases`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Base {
    /// Mean and standard deviation by trait.
    pub traits: Vec<(String, f64, f64)>,
}

/// The animals of a herd with their rows.
#[derive(Debug, Clone)]
pub struct Herd<'a> {
    /// Id of the row of `herds`.
    pub id: i64,
    /// Its animals, those that left too.
    pub animals: Vec<&'a Animal>,
}

impl<'a> Herd<'a> {
    /// Its animals without archived ancestors.
    pub(crate) fn members(&self) -> impl Iterator<Item = &'a Animal> {
        self.animals.iter().copied().filter(|animal| !animal.passport.archived)
    }

    /// A field of the herd.
    pub(crate) fn at(&self, path: &'static str) -> Place {
        Place { collection: "herds", row: self.id, animal: None, path }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackageRow {
    /// Path of the collection that it went to.
    pub collection: &'static str,
    /// Id of the row there.
    pub row: i64,
    pub animal: Option<i64>,
    /// Day of what it says.
    pub day: Option<Day>,
    /// The animal was not of the organisation that sent the package on that day.
    pub foreign: bool,
}

/// A package and what came with it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Package {
    /// Id of the row of `data-submissions`.
    pub id: i64,
    /// `periodFrom`.
    pub from: Option<Day>,
    /// `periodTo`.
    pub to: Option<Day>,
    /// Every row.
    pub rows: Vec<PackageRow>,
    /// The measured values of its rows.
    pub columns: Columns,
}

/// The measured values of the rows of a package, by column: memory holds nothing else of a long package.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Columns {
    /// Milk of milk tests, kg.
    pub milk: Vec<f64>,
    /// Fat of milk tests, %.
    pub fat: Vec<f64>,
    /// Protein of milk tests, %.
    pub protein: Vec<f64>,
    /// Cells of milk tests, thousands per ml.
    pub cells: Vec<f64>,
    /// Urea of milk tests, mg per 100 ml.
    pub urea: Vec<f64>,
    /// Weights of weighings, kg.
    pub weight: Vec<f64>,
}

/// Kinds of numbers that one animal only may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberKind {
    /// `altIds.earTag`.
    EarTag,
    /// `altIds.chipNumber`.
    Chip,
    /// `fgias.unsm`.
    Unsm,
    /// `fgias.registrationUuid`, the key of the state register.
    Register,
}

impl NumberKind {
    /// The field.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::EarTag => "altIds.earTag",
            Self::Chip => "altIds.chipNumber",
            Self::Unsm => "fgias.unsm",
            Self::Register => "fgias.registrationUuid",
        }
    }
}

/// A number of an animal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number {
    pub kind: NumberKind,
    /// The number.
    pub value: String,
    pub animal: i64,
}

/// An animal and its parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parents {
    pub animal: i64,
    pub father: Option<i64>,
    pub mother: Option<i64>,
}

/// What is judged across the whole book.
#[derive(Debug, Clone, Default)]
pub struct Book {
    /// Numbers of animals.
    pub numbers: Vec<Number>,
    /// Parents of animals.
    pub parents: Vec<Parents>,
}
