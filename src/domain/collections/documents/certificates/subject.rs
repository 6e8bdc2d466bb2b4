//! What the book says of animals and their ancestors when certificates are issued or previewed: for
//! many animals at once, one look-up for each kind of rows.

use super::conditions::{Facts, Form};
use crate::collections::dictionaries::lookups::{by_id, grouped};
use crate::collections::herd::animals::{Animal, parentage};
use crate::collections::slots::slots;
use model::error::Result;
use model::record::Record;
use model::registry::{BookReader, Collection, Lookup};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

slots!(
    /// Slots of `animals` that certificates show or ask for.
    Card of "animals" {
        ident: "identNumber", name, latin: "nameLatin", sex, birth: "birthDate", breed,
        age_group: "ageGroup", owner, trust: "trustLevel", registration: "registration.number",
        breed_type: "breedType", blood: "bloodPercent", breed1: "improvers.breed1",
        share1: "improvers.share1", breed2: "improvers.breed2", share2: "improvers.share2",
        coat: "coatColor", farm: "birthPlace.farm", farm_name: "birthPlace.farmName", father, mother,
        father_status: "parentStatus.father", mother_status: "parentStatus.mother", parity: "current.parity",
        lactations, tests: "dnaTests", ipc, evaluated: "evaluationDate", center: "ipcDetails.center",
        base: "ipcDetails.base", reliability: "ipcDetails.r", percentile: "ipcDetails.percentile",
        unsm: "fgias.unsm", iso: "altIds.isoId", international: "altIds.internationalId",
        ear_tag: "altIds.earTag", inventory: "altIds.inventoryNumber", chip: "altIds.chipNumber",
        gpk_mark: "altIds.gpkMark", gpk: "altIds.gpkNumber", origin_country: "altIds.originCountry",
        origin_number: "altIds.originNumber",
    }
);

slots!(
    /// Slots of `animal-exteriors` that certificates show.
    Exterior of "animal-exteriors" {
        animal, day: "assessedAt", score: "finalScore", class: "finalClass", view: "generalView",
        volume: "bodyVolume", dairy: "dairyCharacter", legs: "legQuality", udder: "udderQuality",
        rear: "rearBody", verification, package: "submission",
    }
);

/// Fields of animals that get certificates.
const OF_ANIMAL: [&str; 44] = [
    "identNumber",
    "name",
    "nameLatin",
    "sex",
    "birthDate",
    "breed",
    "ageGroup",
    "owner",
    "trustLevel",
    "registration.number",
    "breedType",
    "bloodPercent",
    "improvers.breed1",
    "improvers.share1",
    "improvers.breed2",
    "improvers.share2",
    "coatColor",
    "birthPlace.farm",
    "birthPlace.farmName",
    "father",
    "mother",
    "parentStatus.father",
    "parentStatus.mother",
    "current.parity",
    "lactations",
    "dnaTests",
    "ipc",
    "evaluationDate",
    "ipcDetails.center",
    "ipcDetails.base",
    "ipcDetails.r",
    "ipcDetails.percentile",
    "fgias.unsm",
    "altIds.isoId",
    "altIds.internationalId",
    "altIds.earTag",
    "altIds.inventoryNumber",
    "altIds.chipNumber",
    "altIds.gpkMark",
    "altIds.gpkNumber",
    "altIds.originCountry",
    "altIds.originNumber",
    // They may be ancestors of others.
    "publicVisible",
    "publicDetails",
];

/// Fields of their ancestors.
const OF_ANCESTOR: [&str; 12] = [
    "identNumber",
    "name",
    "birthDate",
    "breed",
    "owner",
    "father",
    "mother",
    "lactations",
    "ipc",
    "evaluationDate",
    "publicVisible",
    "publicDetails",
];

/// Age groups of females that have not calved.
const YOUNG: [&str; 2] = ["calf", "heifer"];

/// The pedigree of an animal by the numbers of Kekulé's list: 1 is the animal, 2n the father and
/// 2n + 1 the mother of n.
pub(super) type Pedigree = BTreeMap<u32, i64>;

/// Animals with their ancestors. Who these are, whoever reads the animal with its pedigree reads
/// (docs/design/access.md, *Relatives*); certificates show more of them only where they are [`open`].
#[derive(Debug, Default)]
pub(super) struct CertificateSubject {
    rows: BTreeMap<i64, Record>,
}

impl CertificateSubject {
    /// Reads these animals, and so many rows of ancestors.
    pub(super) async fn read(reader: &mut dyn BookReader, animals: BTreeSet<i64>, generations: u32) -> Result<Self> {
        let card = Card::get();
        let mut rows = by_id(reader, "animals", animals.iter().copied(), &OF_ANIMAL).await?;
        let mut level = animals;
        for _ in 0..generations {
            let parents = level
                .iter()
                .filter_map(|id| rows.get(id))
                .flat_map(|row| [card.father, card.mother].into_iter().filter_map(|slot| row.get(slot).int()));
            level = parents.collect();
            let mut fresh: BTreeSet<i64> = level.clone();
            fresh.retain(|id| !rows.contains_key(id));
            rows.extend(by_id(reader, "animals", fresh, &OF_ANCESTOR).await?);
        }
        Ok(Self { rows })
    }

    /// The row of an animal.
    pub(super) fn row(&self, id: i64) -> Option<&Record> {
        self.rows.get(&id)
    }

    /// The animal and its ancestors that are records of the book.
    pub(super) fn pedigree(&self, animal: i64, generations: u32) -> Pedigree {
        let card = Card::get();
        let mut all = Pedigree::from([(1, animal)]);
        for number in 1..(1_u32 << generations) {
            let Some(row) = all.get(&number).and_then(|id| self.row(*id)) else {
                continue;
            };
            let above = [(number * 2, card.father), (number * 2 + 1, card.mother)];
            let above = above.map(|(number, slot)| Some((number, row.get(slot).int()?)));
            all.extend(above.into_iter().flatten());
        }
        all
    }

    /// What the conditions are about; none: there is no such animal.
    pub(super) fn facts(&self, animal: i64, form: Form) -> Option<Facts> {
        let (row, card) = (self.row(animal)?, Card::get());
        let filled = |slot: usize| !row.get(slot).is_null();
        let word = |slot: usize| row.get(slot).text().unwrap_or_default();
        let pedigree = self.pedigree(animal, form.generations());
        let ancestors = |from: u32| pedigree.range(from..from * 2).count();
        let male = word(card.sex) == "male";
        let calved = row.get(card.parity).int().unwrap_or(0) > 0
            || (filled(card.age_group) && !YOUNG.contains(&word(card.age_group)));
        let parents = [word(card.father_status), word(card.mother_status)];
        Some(Facts {
            trust: row.get(card.trust).int().unwrap_or(0),
            number: !word(card.ident).trim().is_empty(),
            breed: filled(card.breed),
            birth: filled(card.birth),
            owner: filled(card.owner),
            male,
            cow: !male && calved,
            parents: ancestors(2) == 2,
            grandparents: ancestors(4) == 4,
            great_grandparent: ancestors(8) > 0,
            parentage: parents.contains(&"confirmed") && !parents.contains(&"excluded"),
            index: filled(card.ipc),
            evaluated: filled(card.evaluated),
            lactation: lactations(row).next().is_some(),
        })
    }
}

/// The lactations of a row. Number 0 is a summary.
pub(super) fn lactations(row: &Record) -> impl Iterator<Item = &Json> {
    let rows = row.get(Card::get().lactations).rows().iter();
    rows.filter(|one| one.get("number").and_then(Json::as_i64).unwrap_or(0) > 0)
}

/// The genetic tests of a row that confirmed a parent and that somebody vouches for.
pub(super) fn confirming(row: &Record) -> impl Iterator<Item = &Json> {
    let tests = row.get(Card::get().tests).rows().iter();
    tests.filter(|test| parentage::confirms(test))
}

/// Whether certificates of an animal of this owner show the production of an ancestor: its card is
/// open to everybody, or it has the same owner.
pub(super) fn open(ancestor: &Record, owner: Option<i64>) -> bool {
    let own = owner.is_some() && ancestor.get(Card::get().owner).int() == owner;
    own || Animal(ancestor).card()
}

/// Names in place of ids, and what else certificates show.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Each with the name for readers of English, where the row has one.
    all: BTreeMap<(&'static str, i64), (String, Option<String>)>,
    exteriors: BTreeMap<i64, Vec<Record>>,
}

impl Names {
    /// Reads the names of what these animals and their ancestors name.
    pub(super) async fn read(
        reader: &mut dyn BookReader,
        subject: &CertificateSubject,
        animals: &BTreeSet<i64>,
    ) -> Result<Self> {
        let card = Card::get();
        let subjects: Vec<&Record> = animals.iter().filter_map(|id| subject.row(*id)).collect();
        let of = |slots: &[usize]| -> BTreeSet<i64> {
            let ids = subjects.iter().flat_map(|row| slots.iter().filter_map(|slot| row.get(*slot).int()));
            ids.collect()
        };
        let tests = |name: &'static str| {
            let tests = subjects.iter().flat_map(|row| confirming(row));
            tests.filter_map(|test| test.get(name).and_then(Json::as_i64)).collect::<BTreeSet<i64>>()
        };
        let mut breeds = of(&[card.breed1, card.breed2]);
        breeds.extend((subject.rows.values()).filter_map(|row| row.get(card.breed).int()));
        let mut farms = of(&[card.owner, card.farm]);
        farms.extend(tests("laboratory"));
        let mut names = Self::default();
        for (slug, ids) in [
            ("breeds", breeds),
            ("breed-types", of(&[card.breed_type])),
            ("coat-colors", of(&[card.coat])),
            ("dna-test-types", tests("type")),
            ("organizations", farms),
        ] {
            let c = reader.collection(slug)?;
            let english = c.title().english;
            let fields: Vec<&str> = ["name"].into_iter().chain(english).collect();
            for (id, row) in by_id(reader, slug, ids, &fields).await? {
                if let Some(name) = name(c, &row, "name") {
                    let english = english.and_then(|path| self::name(c, &row, path));
                    names.all.insert((slug, id), (name, english));
                }
            }
        }
        let of_them = Lookup::by_ids("animal", animals.iter().copied());
        let mut rows = reader.find("animal-exteriors", of_them).await?;
        let e = Exterior::get();
        // What came with a package of the owner counts once the Association verified it.
        rows.retain(|row| row.get(e.package).is_null() || row.get(e.verification).text() == Some("verified"));
        // The latest first.
        rows.sort_by_key(|row| std::cmp::Reverse(row.get(e.day).time()));
        names.exteriors = grouped(rows, e.animal);
        Ok(names)
    }

    /// The name of a row.
    pub(super) fn of(&self, slug: &'static str, id: Option<i64>) -> Option<&str> {
        self.all.get(&(slug, id?)).map(|(name, _)| name.as_str())
    }

    /// The name of a row for readers of English.
    pub(super) fn english(&self, slug: &'static str, id: Option<i64>) -> Option<&str> {
        self.all.get(&(slug, id?))?.1.as_deref()
    }

    /// The latest exterior of an animal that somebody else than its owner vouches for.
    pub(super) fn exterior(&self, animal: i64) -> Option<&Record> {
        self.exteriors.get(&animal)?.first()
    }
}

fn name(c: &'static Collection, row: &Record, path: &str) -> Option<String> {
    row.get(c.slot(path)?).text().map(str::to_owned)
}
