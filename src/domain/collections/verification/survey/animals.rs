//! Rows of `animals`.

use super::meanings::{Meanings, state};
use super::{day, text};
use crate::collections::FieldSet;
use crate::collections::herd::animals::{self as herd, international_number};
use crate::collections::slots::slots;
use crate::derive::day_of;
use checks::{AgeGroup, AncestorText, Animal, Copies, Haplotype, Lactation, Passport, PedigreeText};
use model::record::{Record, time};
use model::registry::ID;
use serde_json::Value as Json;
use std::collections::BTreeMap;

slots!(Animals of "animals" {
    number: "identNumber", name, name_latin: "nameLatin", sex, birth: "birthDate", breed, herd,
    blood: "bloodPercent", share1: "improvers.share1", share2: "improvers.share2", iso_id: "altIds.isoId",
    international: "altIds.internationalId", ear_tag: "altIds.earTag", inventory: "altIds.inventoryNumber",
    chip: "altIds.chipNumber", gpk: "altIds.gpkNumber", origin_number: "altIds.originNumber",
    unsm: "fgias.unsm", state, disposal: "disposalDate", reason: "disposalReason", archived, father, mother,
    text_father: "pedigreeText.fatherId", text_father_name: "pedigreeText.fatherName",
    text_mother: "pedigreeText.motherId", text_mother_name: "pedigreeText.motherName",
    fathers_father: "pedigreeText.fatherFatherId", mothers_father: "pedigreeText.motherFatherId", inbreeding,
    depth: "pedigreeDepth", category, father_status: "parentStatus.father",
    mother_status: "parentStatus.mother", haplotypes, cvm: "genetics.cvm", blad: "genetics.blad",
    dumps: "genetics.dumps", coat: "coatColor", receipt: "receiptMethod", semen: "semen.stock.code",
    age_group: "ageGroup", lactations, own_yield: "summary.milkYield",
});

/// What is read of relatives and bulls.
pub(super) const KIN: &[&str] = &[
    "identNumber",
    "name",
    "nameLatin",
    "sex",
    "birthDate",
    "bloodPercent",
    "altIds.isoId",
    "altIds.internationalId",
    "altIds.earTag",
    "altIds.chipNumber",
    "altIds.gpkNumber",
    "altIds.originNumber",
    "fgias.unsm",
    "state",
    "disposalDate",
    "archived",
    "father",
    "mother",
    "haplotypes",
    "genetics.cvm",
    "genetics.blad",
    "genetics.dumps",
    "coatColor",
    "receiptMethod",
    "semen.stock.code",
];

/// What is read of the animals themselves.
pub(super) fn own() -> Vec<&'static str> {
    [&["idFormat", "altIds.originCountry"], Animals::PATHS].concat()
}

/// The animals of rows, by id.
pub(super) fn read(meanings: &Meanings, rows: &[Record]) -> BTreeMap<i64, Animal> {
    let animal = |row: &Record| {
        let passport = passport(meanings, row)?;
        Some((passport.id, Animal { passport, ..Animal::default() }))
    };
    rows.iter().filter_map(animal).collect()
}

fn passport(meanings: &Meanings, row: &Record) -> Option<Passport> {
    let s = Animals::get();
    let number = |slot| row.get(slot).num();
    let link = |slot| row.get(slot).int();
    let all = |slots: &[usize]| slots.iter().filter_map(|slot| text(row, *slot)).collect();
    let excluded = |slot| row.get(slot).text() == Some("excluded");
    Some(Passport {
        id: link(ID)?,
        number: text(row, s.number).unwrap_or_default(),
        other_numbers: all(&[s.iso_id, s.international, s.ear_tag, s.chip, s.gpk, s.origin_number, s.unsm]),
        names: all(&[s.name, s.name_latin]),
        herd: link(s.herd),
        male: row.get(s.sex).text() == Some("male"),
        birth: day(row, s.birth),
        breed: link(s.breed),
        blood: number(s.blood),
        improvers: [number(s.share1), number(s.share2)],
        inventory_number: text(row, s.inventory),
        chip_number: text(row, s.chip),
        international_id: text(row, s.international),
        expected_international_id: international_number(herd::Animal(row), &meanings.breeds),
        state: state(row, s.state).unwrap_or_default(),
        disposal: day(row, s.disposal),
        disposal_reason: link(s.reason).and_then(|id| meanings.reasons.get(&id)?.0),
        archived: row.get(s.archived).truth(),
        father: link(s.father),
        mother: link(s.mother),
        pedigree_text: PedigreeText {
            father: AncestorText { number: text(row, s.text_father), name: text(row, s.text_father_name) },
            mother: AncestorText { number: text(row, s.text_mother), name: text(row, s.text_mother_name) },
            fathers_father: text(row, s.fathers_father),
            mothers_father: text(row, s.mothers_father),
        },
        inbreeding: number(s.inbreeding),
        computed_inbreeding: None,
        pedigree_depth: number(s.depth),
        needs_pedigree: link(s.category).is_some_and(|id| meanings.whole.contains(&id)),
        father_excluded: excluded(s.father_status),
        mother_excluded: excluded(s.mother_status),
        haplotypes: haplotypes(meanings, row),
        coat: link(s.coat).and_then(|id| meanings.coats.get(&id).copied()),
        embryo: link(s.receipt).is_some_and(|id| meanings.embryo.contains(&id)),
        semen: text(row, s.semen).is_some(),
        age_group: row.get(s.age_group).text().map(|group| match group {
            "calf" => AgeGroup::Calf,
            "bull" => AgeGroup::Bull,
            _ => AgeGroup::Female,
        }),
        lactations: row.get(s.lactations).rows().iter().map(lactation).collect(),
        own_yield: number(s.own_yield).is_some(),
        index_percentile: None,
    })
}

fn copies(status: Option<&str>) -> Option<Copies> {
    match status? {
        "free" => Some(Copies::Free),
        "carrier" => Some(Copies::Carrier),
        "homozygous" => Some(Copies::Homozygous),
        _ => None,
    }
}

/// Tested haplotypes, and the three defects that have fields of their own.
fn haplotypes(meanings: &Meanings, row: &Record) -> Vec<Haplotype> {
    let s = Animals::get();
    let tested = row.get(s.haplotypes).rows().iter().filter_map(|haplotype| {
        let kind = haplotype.get("type")?.as_i64()?;
        let copies = copies(haplotype.get("status")?.as_str())?;
        let (lethal, red) = meanings.haplotypes.get(&kind).copied()?;
        Some(Haplotype { kind, copies, lethal, red })
    });
    // Negative, so that they are no ids of types.
    let defects = [(-1, s.cvm), (-2, s.blad), (-3, s.dumps)];
    let defects = defects.into_iter().filter_map(|(kind, slot)| {
        let copies = copies(row.get(slot).text())?;
        Some(Haplotype { kind, copies, lethal: true, red: false })
    });
    tested.chain(defects).collect()
}

fn lactation(row: &Json) -> Lactation {
    let number = |key: &str| row.get(key).and_then(Json::as_f64);
    let calved = row.get("calvingDate").and_then(Json::as_str).and_then(time::parse);
    Lactation {
        number: row.get("number").and_then(Json::as_i64).unwrap_or_default(),
        calved: calved.map(|at| checks::Day(day_of(at))),
        days: row.get("dd").and_then(Json::as_i64),
        milk: number("milkYield"),
        milk305: number("milk305"),
        fat_kg: number("fatKg"),
        fat: number("fat305"),
        protein: number("protein305"),
        reported: row.get("origin").and_then(Json::as_str) == Some("reported"),
    }
}
