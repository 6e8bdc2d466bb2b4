//! Rows of `animals`: as they were entered, with their first owner; movements
//! change owner, herd and state later.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::calendar::iso;
use crate::fields::{Fields, Sink};
use crate::herd::{Animal, World};
use crate::people::{AI_STATION, herd, organization, place};
use crate::select::{Entry, Selection, Source};
use crate::sires::{Bull, BullDam, ORIGINS};
use crate::streams::{Stream, round};
use crate::tables::Tables;

/// Share of the animals that a farm shows, and of those with all details.
const SHOWN: (f64, f64) = (0.85, 0.4);
/// Carriers among bulls, percent, of the haplotypes that are tested.
const CARRIERS: [(&str, f64); 10] = [
    ("HH1", 3.0),
    ("HH2", 2.0),
    ("HH3", 4.0),
    ("HH4", 0.5),
    ("HH5", 4.0),
    ("HH6", 1.0),
    ("HH7", 1.0),
    ("HCD", 4.0),
    ("HH0", 3.0),
    ("HMW", 6.0),
];

struct Renderer<'a> {
    seed: u64,
    world: &'a World,
    selection: &'a Selection,
    tables: &'a Tables,
    lines: Vec<i64>,
}

/// Hands out the rows, parents first.
pub(crate) fn animals(
    seed: u64,
    world: &World,
    selection: &Selection,
    tables: &Tables,
    sink: Sink<'_>,
) -> ControlFlow<()> {
    let lines = tables.all("lines");
    let renderer = Renderer {
        seed,
        world,
        selection,
        tables,
        lines,
    };
    for (entry, id) in selection.entries.iter().zip(1_i64..) {
        if let Some(fields) = renderer.entry(entry, id) {
            sink(fields.row("animals", id))?;
        }
    }
    ControlFlow::Continue(())
}

impl Renderer<'_> {
    fn entry(&self, entry: &Entry, id: i64) -> Option<Fields> {
        let stream = &mut Stream::new(self.seed, "card", id as u64);
        let fields = Fields::new().set("uuid", uuid(stream));
        Some(match entry.source {
            Source::Farm(index) => {
                let animal = self.world.animals.get(index)?;
                self.home_bred(fields, stream, animal, entry.ancestor, id)
            }
            Source::Bull(index) => {
                let bull = self.world.sires.bulls.get(index)?;
                self.bull(fields, stream, index, bull, entry.ancestor, id)
            }
            Source::BullDam(index) => {
                let dam = self.world.sires.bulls.get(index)?.dam.as_ref()?;
                self.bull_dam(fields, dam, id)
            }
        })
    }

    fn home_bred(
        &self,
        fields: Fields,
        stream: &mut Stream,
        animal: &Animal,
        ancestor: bool,
        id: i64,
    ) -> Fields {
        let farm = animal.birth_farm;
        let mother = animal.dam.and_then(|dam| self.selection.animal(dam));
        let sex = if animal.female { "female" } else { "male" };
        let visible = stream.chance(SHOWN.0);
        let details = visible && stream.chance(SHOWN.1);
        let fields = if ancestor {
            archived(fields, id)
        } else {
            fields
                .set("identNumber", ident(farm, animal.serial))
                .set("idFormat", "rf")
        };
        let fields = fields
            .set("name", animal.name)
            .set("sex", sex)
            .maybe("sexStatus", animal.freemartin.then_some("freemartin"))
            .set("birthDate", iso(animal.birth))
            .maybe("breed", self.id("breeds", "HOL"))
            .set(
                "owner",
                organization(if ancestor { animal.farm } else { farm }),
            )
            .set("publicVisible", visible && !ancestor)
            .set("publicDetails", details && !ancestor)
            .maybe("category", self.category(ancestor, mother.is_some()))
            .set("bloodPercent", round(animal.blood, 2))
            .maybe(
                "coatColor",
                self.id("coat-colors", if animal.red { "RW" } else { "BW" }),
            )
            .maybe("receiptMethod", self.id("reproduction-methods", "1"))
            .maybe("father", self.selection.bull(animal.sire))
            .maybe("mother", mother)
            .maybe("line", self.line(animal.sire));
        let fields = match (
            animal.dam.and_then(|dam| self.world.animals.get(dam)),
            mother,
        ) {
            (Some(dam), None) => fields.set(
                "pedigreeText",
                Fields::new()
                    .set("motherId", ident(dam.birth_farm, dam.serial))
                    .set("motherName", dam.name),
            ),
            _ => fields,
        };
        if ancestor {
            return fields;
        }
        fields
            .set("herd", herd(self.world, farm, false))
            .set("altIds", alternative_ids(farm, animal.serial, animal.birth))
            .maybe("purpose", self.id("animal-purposes", purpose(animal)))
            .set("birthPlace", self.birth_place(farm))
    }

    fn bull(
        &self,
        fields: Fields,
        stream: &mut Stream,
        index: usize,
        bull: &Bull,
        ancestor: bool,
        id: i64,
    ) -> Fields {
        let fields = if ancestor {
            archived(fields, id)
        } else {
            fields
                .set("identNumber", format!("969999{index:06}"))
                .set("idFormat", "rf")
        };
        let category = if ancestor {
            "R"
        } else if bull.origin.is_some() {
            "I"
        } else {
            "A"
        };
        let origin = bull.origin.and_then(|origin| ORIGINS.get(origin));
        let country = self.id("countries", origin.map_or("RU", |origin| origin.0));
        let fields = fields
            .set("name", bull.name)
            .set("sex", "male")
            .set("birthDate", iso(bull.birth))
            .maybe("breed", self.id("breeds", "HOL"))
            .set("owner", AI_STATION)
            .set("publicVisible", !ancestor)
            .set("publicDetails", !ancestor)
            .maybe("category", self.id("breeding-categories", category))
            .set("bloodPercent", 100)
            .maybe("coatColor", self.id("coat-colors", "BW"))
            .set("birthPlace", Fields::new().maybe("country", country))
            .maybe(
                "father",
                bull.sire.and_then(|sire| self.selection.bull(sire)),
            )
            .maybe("mother", self.selection.bull_dam(index))
            .maybe("line", self.line(index));
        if ancestor {
            return fields;
        }
        let fields = match origin {
            Some((_, alpha3)) => fields.set(
                "altIds",
                Fields::new()
                    .set("originCountry", *alpha3)
                    .set("originNumber", format!("96{index:08}")),
            ),
            None => fields,
        };
        self.semen_and_genes(fields, stream, index, bull)
    }

    fn semen_and_genes(
        &self,
        fields: Fields,
        stream: &mut Stream,
        index: usize,
        bull: &Bull,
    ) -> Fields {
        let classes = ["A1", "A2", "A3", "B1", "B2", "B3"];
        let class = classes.get(stream.below(classes.len() * 2)).copied();
        let tested = iso(bull.birth + 200);
        let haplotypes: Vec<Value> = CARRIERS
            .iter()
            .map(|(code, percent)| {
                let status = if stream.chance(percent / 100.0) {
                    "carrier"
                } else {
                    "free"
                };
                Fields::new()
                    .maybe("type", self.id("haplotype-types", code))
                    .set("status", status)
                    .set("date", tested.clone())
                    .into()
            })
            .collect();
        let casein = ["A1A1", "A1A2", "A2A2"].get(stream.below(3)).copied();
        let in_use = bull
            .used
            .is_some_and(|(_, last)| last >= crate::calendar::END);
        let stock = Fields::new()
            .set("code", format!("96HO{index:05}"))
            .set("available", in_use)
            .set("owner", AI_STATION);
        fields
            .maybe("purpose", self.id("animal-purposes", "ai-bull"))
            .maybe(
                "breedingClass",
                class.and_then(|class| self.id("breeding-classes", class)),
            )
            .set("semen", Fields::new().set("stock", stock))
            .set(
                "genetics",
                Fields::new()
                    .set(
                        "cvm",
                        if stream.chance(0.015) {
                            "carrier"
                        } else {
                            "free"
                        },
                    )
                    .set(
                        "blad",
                        if stream.chance(0.002) {
                            "carrier"
                        } else {
                            "free"
                        },
                    )
                    .set("dumps", "free")
                    .maybe("betaCasein", casein),
            )
            .set("haplotypes", haplotypes)
    }

    fn bull_dam(&self, fields: Fields, dam: &BullDam, id: i64) -> Fields {
        archived(fields, id)
            .set("name", dam.name)
            .set("sex", "female")
            .set("birthDate", iso(dam.birth))
            .maybe("breed", self.id("breeds", "HOL"))
            .set("owner", AI_STATION)
            .set("publicVisible", false)
            .set("publicDetails", false)
            .maybe("category", self.id("breeding-categories", "R"))
            .set("bloodPercent", 100)
            .maybe("coatColor", self.id("coat-colors", "BW"))
            .maybe("father", self.selection.bull(dam.sire))
            .maybe("line", self.line(dam.sire))
    }

    fn id(&self, collection: &'static str, code: &'static str) -> Option<i64> {
        self.tables.id(collection, code)
    }

    fn category(&self, ancestor: bool, known_mother: bool) -> Option<i64> {
        let code = match (ancestor, known_mother) {
            (true, _) => "R",
            (false, true) => "A",
            (false, false) => "B",
        };
        self.id("breeding-categories", code)
    }

    fn line(&self, bull: usize) -> Option<i64> {
        let line = self.world.sires.bulls.get(bull)?.line;
        self.lines.get(line).copied()
    }

    fn birth_place(&self, farm: usize) -> Fields {
        let place = place(self.tables, farm);
        Fields::new()
            .maybe("country", self.id("countries", "RU"))
            .maybe("region", place.map(|(region, _)| region))
            .maybe("district", place.map(|(_, district)| district))
            .set("farm", organization(farm))
    }
}

fn archived(fields: Fields, id: i64) -> Fields {
    fields
        .set("identNumber", format!("ANC-{id:06}"))
        .set("idFormat", "internal")
        .set("archived", true)
        .set("archiveReason", "Предок, известен по родословной")
}

fn purpose(animal: &Animal) -> &'static str {
    match (animal.female, animal.freemartin) {
        (true, true) => "fattening",
        (true, false) if animal.has_calved() => "cow",
        (true, false) => "replacement",
        (false, _) => "young-bull",
    }
}

/// Number of the book: the reserved marker, the farm, the animal.
fn ident(farm: usize, serial: u32) -> String {
    format!("96{:04}{serial:06}", farm + 1)
}

fn alternative_ids(farm: usize, serial: u32, birth: i32) -> Fields {
    let number = (farm as u64 + 1) * 1_000_000 + u64::from(serial);
    Fields::new()
        .set("earTag", format!("RU1{}", base32(number)))
        .set("inventoryNumber", serial.to_string())
        .set("chipNumber", format!("643{:012}", 96_000_000_000 + number))
        .set("chipDate", iso(birth))
}

/// Eight characters without those that are easily confused.
fn base32(number: u64) -> String {
    const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKLMNPQRSTUVWX";
    (0..8)
        .rev()
        .filter_map(|place| LETTERS.get(((number >> (5 * place)) & 31) as usize))
        .map(|letter| char::from(*letter))
        .collect()
}

/// A version 4 UUID from the stream.
fn uuid(stream: &mut Stream) -> String {
    let bits = (u128::from(stream.bits()) << 64) | u128::from(stream.bits());
    uuid::Builder::from_random_bytes(bits.to_be_bytes())
        .into_uuid()
        .to_string()
}
