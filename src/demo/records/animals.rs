//! Rows of `animals`: as they were entered, with their first owner; movements change owner, herd
//! and state later.
#![expect(clippy::indexing_slicing, reason = "indexes come from the world and the selection of it")]

use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::people::{AI_STATION, herd, organization, place};
use super::rows::{Sink, add, row};
use super::tables::Tables;
use crate::simulation::calendar::{END, iso};
use crate::simulation::herd::{Animal, World};
use crate::simulation::select::{Entry, Selection, Source};
use crate::simulation::sires::{Bull, ORIGINS};
use crate::simulation::streams::{Stream, round};

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
    world: &'a World,
    selection: &'a Selection,
    tables: &'a Tables,
    lines: Vec<i64>,
}

/// Hands out the rows, parents first.
pub(crate) fn animals(world: &World, selection: &Selection, tables: &Tables, sink: Sink<'_>) -> ControlFlow<()> {
    let renderer = Renderer { world, selection, tables, lines: tables.all("lines") };
    for (entry, id) in selection.entries.iter().zip(1_i64..) {
        let stream = &mut Stream::new(world.seed, "card", id as u64);
        let ancestor = entry.ancestor;
        let mut card = json!({
            "uuid": uuid(stream),
            "identNumber": ancestor.then(|| format!("ANC-{id:06}")),
            "idFormat": if ancestor { "internal" } else { "rf" },
            "archived": ancestor.then_some(true),
            "archiveReason": ancestor.then_some("Предок, известен по родословной"),
        });
        for part in renderer.parts(stream, entry) {
            add(&mut card, part);
        }
        sink(row("animals", id, card))?;
    }
    ControlFlow::Continue(())
}

impl Renderer<'_> {
    /// The fields of an animal, beside those of ancestors.
    fn parts(&self, stream: &mut Stream, entry: &Entry) -> Vec<Value> {
        let bulls = &self.world.sires.bulls;
        match entry.source {
            Source::Farm(index) => self.home_bred(stream, &self.world.animals[index], entry),
            Source::Bull(index) => self.bull(stream, index, &bulls[index], entry),
            Source::BullDam(index) => {
                let dams = bulls[index].dam.iter().map(|dam| {
                    json!({
                        "name": dam.name,
                        "sex": "female",
                        "birthDate": iso(dam.birth),
                        "category": self.id("breeding-categories", "R"),
                        "father": self.selection.bull(dam.sire),
                        "line": self.line(dam.sire),
                    })
                });
                dams.chain([self.of_station(false)]).collect()
            }
        }
    }

    fn home_bred(&self, stream: &mut Stream, animal: &Animal, entry: &Entry) -> Vec<Value> {
        let (farm, serial) = (animal.birth_farm, animal.serial);
        let dam = animal.dam.map(|dam| &self.world.animals[dam]);
        let mother = animal.dam.and_then(|dam| self.selection.animal(dam));
        let visible = stream.chance(SHOWN.0);
        let details = visible && stream.chance(SHOWN.1);
        let category = match (entry.ancestor, mother) {
            (true, _) => "R",
            (false, Some(_)) => "A",
            (false, None) => "B",
        };
        let own = json!({
            "name": animal.name,
            "sex": if animal.female { "female" } else { "male" },
            "sexStatus": animal.freemartin.then_some("freemartin"),
            "birthDate": iso(animal.birth),
            "breed": self.id("breeds", "HOL"),
            "owner": organization(if entry.ancestor { animal.farm } else { farm }),
            "publicVisible": visible && !entry.ancestor,
            "publicDetails": details && !entry.ancestor,
            "category": self.id("breeding-categories", category),
            "bloodPercent": round(animal.blood, 2),
            "coatColor": self.id("coat-colors", if animal.red { "RW" } else { "BW" }),
            "receiptMethod": self.id("reproduction-methods", "1"),
            "father": self.selection.bull(animal.sire),
            "mother": mother,
            "line": self.line(animal.sire),
            "pedigreeText": dam.filter(|_| mother.is_none()).map(|dam| json!({
                "motherId": ident(dam.birth_farm, dam.serial),
                "motherName": dam.name,
            })),
        });
        if entry.ancestor {
            return vec![own];
        }
        let (region, district) = place(self.tables, farm).unzip();
        let number = (farm as u64 + 1) * 1_000_000 + u64::from(serial);
        let present = json!({
            "identNumber": ident(farm, serial),
            "herd": herd(self.world, farm, false),
            "altIds": {
                "earTag": format!("RU1{}", base32(number)),
                "inventoryNumber": serial.to_string(),
                "chipNumber": format!("643{:012}", 96_000_000_000 + number),
                "chipDate": iso(animal.birth),
            },
            "purpose": self.id("animal-purposes", purpose(animal)),
            "birthPlace": {
                "country": self.id("countries", "RU"),
                "region": region,
                "district": district,
                "farm": organization(farm),
            },
        });
        vec![own, present]
    }

    fn bull(&self, stream: &mut Stream, index: usize, bull: &Bull, entry: &Entry) -> Vec<Value> {
        let origin = bull.origin.map(|origin| ORIGINS[origin]);
        let category = match (entry.ancestor, origin) {
            (true, _) => "R",
            (false, Some(_)) => "I",
            (false, None) => "A",
        };
        let own = json!({
            "name": bull.name,
            "sex": "male",
            "birthDate": iso(bull.birth),
            "category": self.id("breeding-categories", category),
            "birthPlace": {"country": self.id("countries", origin.map_or("RU", |origin| origin.0))},
            "father": bull.sire.and_then(|sire| self.selection.bull(sire)),
            "mother": self.selection.bull_dam(index),
            "line": self.line(index),
        });
        let mut parts = vec![own, self.of_station(!entry.ancestor)];
        if !entry.ancestor {
            parts.push(json!({
                "identNumber": format!("969999{index:06}"),
                "altIds": origin.map(|(_, alpha3)| json!({
                    "originCountry": alpha3,
                    "originNumber": format!("96{index:08}"),
                })),
            }));
            parts.push(self.semen_and_genes(stream, index, bull));
        }
        parts
    }

    /// What the bulls and their dams have in common.
    fn of_station(&self, visible: bool) -> Value {
        json!({
            "breed": self.id("breeds", "HOL"),
            "owner": AI_STATION,
            "publicVisible": visible,
            "publicDetails": visible,
            "bloodPercent": 100,
            "coatColor": self.id("coat-colors", "BW"),
        })
    }

    fn semen_and_genes(&self, stream: &mut Stream, index: usize, bull: &Bull) -> Value {
        let classes = ["A1", "A2", "A3", "B1", "B2", "B3"];
        let class = classes.get(stream.below(classes.len() * 2)).copied();
        let tested = iso(bull.birth + 200);
        let status = |stream: &mut Stream, share: f64| {
            let carrier = stream.chance(share);
            if carrier { "carrier" } else { "free" }
        };
        let haplotypes: Vec<Value> = CARRIERS
            .iter()
            .map(|(code, percent)| {
                json!({
                    "type": self.id("haplotype-types", code),
                    "status": status(stream, percent / 100.0),
                    "date": tested,
                })
            })
            .collect();
        let casein = ["A1A1", "A1A2", "A2A2"].get(stream.below(3));
        json!({
            "purpose": self.id("animal-purposes", "ai-bull"),
            "breedingClass": class.and_then(|class| self.id("breeding-classes", class)),
            "semen": {"stock": {
                "code": format!("96HO{index:05}"),
                "available": bull.used.is_some_and(|(_, last)| last >= END),
                "owner": AI_STATION,
            }},
            "genetics": {
                "cvm": status(stream, 0.015),
                "blad": status(stream, 0.002),
                "dumps": "free",
                "betaCasein": casein,
            },
            "haplotypes": haplotypes,
        })
    }

    fn id(&self, collection: &'static str, code: &'static str) -> Option<i64> {
        self.tables.id(collection, code)
    }

    fn line(&self, bull: usize) -> Option<i64> {
        let line = self.world.sires.bulls[bull].line;
        self.lines.get(line).copied()
    }
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
    uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid().to_string()
}
