//! The row of an animal.

use crate::day::Day;
use crate::finding::Place;

/// Where an animal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// In the book, living.
    #[default]
    Alive,
    /// Sold out of the book.
    Sold,
    /// Slaughtered.
    Culled,
    Dead,
}

/// `ageGroup`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgeGroup {
    /// A calf of either sex.
    Calf,
    /// A heifer or a cow.
    Female,
    Bull,
}

/// What a coat colour says about the genes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coat {
    /// Black, also with white: at least one gene of black.
    Black,
    /// Red, also with white: two genes of red.
    Red,
    /// Nothing.
    Other,
}

/// How many copies of a haplotype an animal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copies {
    /// None.
    Free,
    /// One.
    Carrier,
    /// Two.
    Homozygous,
}

/// A tested haplotype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Haplotype {
    /// Id of the haplotype type.
    pub kind: i64,
    /// The result; rows of an unknown status are left out.
    pub copies: Copies,
    /// Two copies are lethal.
    pub lethal: bool,
    /// It is the gene of the red coat.
    pub red: bool,
}

/// An ancestor as the pedigree text names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AncestorText {
    pub number: Option<String>,
    pub name: Option<String>,
}

/// `pedigreeText`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PedigreeText {
    pub father: AncestorText,
    pub mother: AncestorText,
    /// Number of the father's father.
    pub fathers_father: Option<String>,
    /// Number of the mother's father.
    pub mothers_father: Option<String>,
}

/// A row of `lactations` of an animal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lactation {
    pub number: i64,
    /// First day.
    pub calved: Option<Day>,
    /// Days in milk so far; none where they are not known.
    pub days: Option<i64>,
    /// Milk of the lactation, kg.
    pub milk: Option<f64>,
    /// Milk of 305 days, kg.
    pub milk305: Option<f64>,
    /// Fat, kg.
    pub fat_kg: Option<f64>,
    /// Fat, %.
    pub fat: Option<f64>,
    /// Protein, %.
    pub protein: Option<f64>,
    /// Typed in or imported, not computed.
    pub reported: bool,
}

/// A row of `animals`, as far as checks judge it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Passport {
    pub id: i64,
    /// `identNumber`.
    pub number: String,
    /// Other numbers by which it is known.
    pub other_numbers: Vec<String>,
    /// Name, and the name in Latin letters.
    pub names: Vec<String>,
    /// `herd`.
    pub herd: Option<i64>,
    /// A male animal.
    pub male: bool,
    /// `birthDate`.
    pub birth: Option<Day>,
    /// `breed`.
    pub breed: Option<i64>,
    /// `bloodPercent`.
    pub blood: Option<f64>,
    /// Shares of the improving breeds.
    pub improvers: [Option<f64>; 2],
    /// `altIds.inventoryNumber`.
    pub inventory_number: Option<String>,
    /// `altIds.chipNumber`.
    pub chip_number: Option<String>,
    /// `altIds.internationalId` as written.
    pub international_id: Option<String>,
    /// The international number as breed, country, sex and number make it.
    pub expected_international_id: Option<String>,
    /// `state`.
    pub state: State,
    /// `disposalDate`.
    pub disposal: Option<Day>,
    /// What state the reason for leaving makes.
    pub disposal_reason: Option<State>,
    /// Archived: an ancestor that is known by name, or an animal about to be purged.
    pub archived: bool,
    /// `father`.
    pub father: Option<i64>,
    /// `mother`.
    pub mother: Option<i64>,
    /// `pedigreeText`.
    pub pedigree_text: PedigreeText,
    /// `inbreeding` as stored, %.
    pub inbreeding: Option<f64>,
    /// Inbreeding by the pedigree of today, %.
    pub computed_inbreeding: Option<f64>,
    /// Known generations.
    pub pedigree_depth: Option<f64>,
    /// Its category of the book asks for a whole pedigree.
    pub needs_pedigree: bool,
    /// A DNA test excluded the father.
    pub father_excluded: bool,
    /// A DNA test excluded the mother.
    pub mother_excluded: bool,
    /// Tested haplotypes.
    pub haplotypes: Vec<Haplotype>,
    /// What the coat says.
    pub coat: Option<Coat>,
    /// Born from a transferred embryo: carried by another cow.
    pub embryo: bool,
    /// A bull whose semen is stored (`semen.code`).
    pub semen: bool,
    /// `ageGroup`.
    pub age_group: Option<AgeGroup>,
    /// `lactations`.
    pub lactations: Vec<Lactation>,
    /// `summary` says a yield.
    pub own_yield: bool,
    /// Percentile of the book's own index.
    pub index_percentile: Option<f64>,
}

impl Passport {
    /// A field of this animal.
    pub(crate) fn at(&self, path: &'static str) -> Place {
        Place { collection: "animals", row: self.id, animal: Some(self.id), path }
    }

    /// Name and number, as people call it.
    pub(crate) fn called(&self) -> String {
        match self.names.first() {
            Some(name) => format!("{name} {}", self.number),
            None => self.number.clone(),
        }
    }

    /// How many copies of a haplotype it has, where it was tested.
    pub(crate) fn copies(&self, kind: i64) -> Option<Copies> {
        let of = self.haplotypes.iter().find(|h| h.kind == kind);
        of.map(|haplotype| haplotype.copies)
    }
}
