//! The book as the checks see it (docs/design/collections.md, *Checks*): its rows become plain values, in steps of some
//! hundred animals. Each step reads one look-up per collection, regardless of the number of rows.

mod animals;
mod evaluations;
mod events;
mod meanings;

use crate::collections::FieldSet;
use crate::collections::days::placed;
use crate::collections::dictionaries::lookups::related;
use crate::collections::slots::slots;
use crate::derive::day_of;
use crate::derive::pedigree::{self, Pedigree};
use checks::{
    Animal, Book, Context, Day, Number, NumberKind, Parents, Run, Setting, Settings, Severity, Thresholds, Touched,
};
use meanings::Meanings;
use model::error::Result;
use model::record::zone::clock;
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup, Rules, Test, WrittenRow};
use std::collections::{BTreeMap, BTreeSet};

/// Animals of one step.
const STEP: i64 = 500;
/// Animals of one step where little is read of each.
const WIDE_STEP: i64 = 5_000;

slots!(SettingRows of "check-settings" { code, enabled, severity });
slots!(ThresholdRows of "check-thresholds" { key, value });
slots!(
    /// Slots of `animals` that are judged across the book.
    Census of "animals" {
        father, mother, merged: "mergedInto", ear_tag: "altIds.earTag", chip: "altIds.chipNumber",
        unsm: "fgias.unsm", register: "fgias.registrationUuid",
    }
);

/// What a run over the book keeps from step to step.
#[derive(Debug)]
pub struct Survey {
    /// What the Association set, and today.
    pub run: Run,
    /// The herds, by id.
    pub herds: Vec<i64>,
    /// What is judged across the book; filled by [`Survey::count`].
    pub book: Book,
    meanings: Meanings,
    touched: Touched,
    /// First and last moment of the visits and the daily milk that are read; none: all.
    around: Option<(i64, i64)>,
    /// What the installation decides about derived values.
    rules: Rules,
    pedigree: Option<Pedigree>,
}

/// Animals with their rows and what is known around them.
#[derive(Debug)]
pub struct Step {
    /// The animals, sorted.
    pub animals: Vec<Animal>,
    /// Relatives and bulls, bases, countries.
    pub context: Context,
    /// Where the next step begins; none after the last one.
    pub after: Option<i64>,
}

/// A part of what is judged across the book.
#[derive(Debug)]
pub struct BookPart {
    numbers: Vec<Number>,
    parents: Vec<Parents>,
    /// Where the next step begins; none after the last one.
    pub after: Option<i64>,
}

impl Survey {
    /// Reads what the Association set, and the dictionaries.
    ///
    /// # Errors
    /// The errors of the reader.
    pub async fn begin(context: &mut dyn BookReader) -> Result<Self> {
        let mut survey = Self::of(context, Touched::all()).await?;
        let herds = Lookup::default().fields(&["id"]);
        let herds = context.find("herds", herds).await?;
        survey.herds = herds.iter().filter_map(|row| row.get(ID).int()).collect();
        Ok(survey)
    }

    /// A survey of what the rows of a write may change. Visits and daily milk, which are many, are read from a moment
    /// to another one.
    ///
    /// # Errors
    /// The errors of the reader.
    pub(crate) async fn of_write(context: &mut dyn BookReader, touched: Touched, around: (i64, i64)) -> Result<Self> {
        let mut survey = Self::of(context, touched).await?;
        survey.around = Some(around);
        Ok(survey)
    }

    async fn of(context: &mut dyn BookReader, touched: Touched) -> Result<Self> {
        let today = Day(day_of(clock(&context.zone(), context.now())));
        let rows = context.find("check-settings", Lookup::default()).await?;
        let s = SettingRows::get();
        let setting = |row: &'_ Record| {
            let severity = match row.get(s.severity).text() {
                Some("fix") => Some(Severity::Fix),
                Some("note") => Some(Severity::Note),
                _ => None,
            };
            let enabled = !matches!(row.get(s.enabled), Value::Bool(false));
            Setting { enabled, severity }
        };
        let settings = Settings::from_rows(rows.iter().filter_map(|row| Some((row.get(s.code).text()?, setting(row)))));
        let rows = context.find("check-thresholds", Lookup::default()).await?;
        let s = ThresholdRows::get();
        let value = |row: &'_ Record| row.get(s.value).num();
        let limits = Thresholds::from_rows(rows.iter().filter_map(|row| Some((row.get(s.key).text()?, value(row)?))));
        let meaning_slugs = ["animals", "movements", "health-events", "animal-evaluations"];
        let meanings = match meaning_slugs.iter().any(|slug| touched.reads(slug)) {
            true => Meanings::load(context, &touched).await?,
            false => Meanings::default(),
        };
        Ok(Self {
            run: Run::new(today, &settings, limits),
            herds: Vec::new(),
            book: Book::default(),
            meanings,
            touched,
            around: None,
            rules: context.rules(),
            pedigree: None,
        })
    }

    /// Parents and numbers of the animals after an id.
    ///
    /// # Errors
    /// The errors of the reader.
    pub async fn counting(context: &mut dyn BookReader, after: i64) -> Result<BookPart> {
        let s = Census::get();
        let lookup = Lookup::default().test("id", Test::From(Value::Int(after + 1)));
        let rows = context.find("animals", lookup.fields(Census::PATHS).order(&["id"]).limit(WIDE_STEP)).await?;
        let mut counted = BookPart { numbers: Vec::new(), parents: Vec::new(), after: last(&rows, WIDE_STEP) };
        for row in rows.iter().filter(|row| row.get(s.merged).is_null()) {
            let Some(animal) = row.get(ID).int() else {
                continue;
            };
            let (father, mother) = (row.get(s.father).int(), row.get(s.mother).int());
            counted.parents.push(Parents { animal, father, mother });
            let kinds = [
                (NumberKind::EarTag, s.ear_tag),
                (NumberKind::Chip, s.chip),
                (NumberKind::Unsm, s.unsm),
                (NumberKind::Register, s.register),
            ];
            let number = |(kind, slot): (NumberKind, usize)| {
                Some(Number { kind, value: row.get(slot).text()?.to_owned(), animal })
            };
            counted.numbers.extend(kinds.into_iter().filter_map(number));
        }
        Ok(counted)
    }

    /// Keeps what was counted; after the last part the pedigree is known.
    pub fn count(&mut self, part: BookPart) {
        self.book.numbers.extend(part.numbers);
        self.book.parents.extend(part.parents);
        if part.after.is_none() {
            let rows = self.book.parents.iter().map(|row| pedigree::Parents {
                id: row.animal,
                sire: row.father,
                dam: row.mother,
            });
            // Inbreeding is undefined where an animal is its own ancestor, which is a finding of its own.
            self.pedigree = Pedigree::new(rows).ok();
        }
    }

    /// The animals of a herd (or of none) after an id, with their rows.
    ///
    /// # Errors
    /// The errors of the reader.
    pub async fn step(&self, context: &mut dyn BookReader, herd: Option<i64>, after: i64) -> Result<Step> {
        let of = match herd {
            Some(herd) => Test::In(vec![Value::Int(herd)]),
            None => Test::Empty,
        };
        let lookup = Lookup::default().test("herd", of).test("mergedInto", Test::Empty);
        let lookup = lookup.test("id", Test::From(Value::Int(after + 1))).order(&["id"]).limit(STEP);
        let rows = context.find("animals", lookup.fields(&animals::own())).await?;
        let (mut animals, kin) = self.around(context, &rows).await?;
        if let Some(pedigree) = &self.pedigree {
            expect(pedigree, &mut animals);
        }
        Ok(self.step_of(animals, kin, last(&rows, STEP)))
    }

    /// Some animals of the book, whatever their herd. Merged ones are left out.
    ///
    /// # Errors
    /// The errors of the reader.
    pub async fn some(&self, context: &mut dyn BookReader, ids: &[i64]) -> Result<Step> {
        let lookup = Lookup::by_ids("id", ids.iter().copied()).test("mergedInto", Test::Empty);
        let rows = context.find("animals", lookup.fields(&animals::own())).await?;
        let (mut animals, kin) = self.around(context, &rows).await?;
        let mates = self.touched.judges("inseminations", "bull");
        let couples = animals.values().filter(|animal| mates && !animal.services.is_empty());
        let couples = couples.flat_map(|animal| {
            let bulls = animal.services.iter().filter_map(|service| service.bull);
            bulls.chain([animal.passport.id])
        });
        let couples = couples.collect();
        if let Some(pedigree) = ancestry(context, couples).await? {
            expect(&pedigree, &mut animals);
        }
        Ok(self.step_of(animals, kin, None))
    }

    /// Animals as they were before rows were written, as far as these rows say it; new animals are not there.
    pub(crate) fn before(&self, step: &Step, written: &[WrittenRow]) -> Step {
        let (mut animals, mut context) = (step.animals.clone(), step.context.clone());
        for row in written {
            for animal in &mut animals {
                events::put_back(&self.meanings, self.rules, animal, row);
                evaluations::put_back(animal, row);
            }
            if row.collection != "animals" {
                continue;
            }
            let old = row.old.as_ref().map(|(_, old)| old.clone());
            let old = animals::read(&self.meanings, old.as_slice());
            match old.into_values().next() {
                Some(old) => {
                    let own = |animal: &&mut Animal| animal.passport.id == row.id;
                    for animal in animals.iter_mut().filter(own) {
                        animal.passport = old.passport.clone();
                    }
                    if let Some(kin) = context.kin.get_mut(&row.id) {
                        *kin = old.passport;
                    }
                }
                None => {
                    context.kin.remove(&row.id);
                    animals.retain(|animal| animal.passport.id != row.id);
                    for animal in &mut animals {
                        animal.children.retain(|child| *child != row.id);
                    }
                }
            }
        }
        animals.iter_mut().for_each(Animal::sort);
        Step { animals, context, after: None }
    }

    /// The animals of rows with their own rows, and their relatives.
    async fn around(
        &self,
        context: &mut dyn BookReader,
        rows: &[Record],
    ) -> Result<(BTreeMap<i64, Animal>, BTreeMap<i64, Animal>)> {
        let rows = placed(context, "animals", rows.to_vec()).await?;
        let mut animals = animals::read(&self.meanings, &rows);
        let ids: BTreeSet<i64> = animals.keys().copied().collect();
        let mut wanted = BTreeSet::new();
        let rows_of = events::Reach { meanings: &self.meanings, touched: &self.touched, around: self.around };
        if !self.touched.reads("animals") {
            events::read(context, rows_of, &ids, &mut animals).await?;
            evaluations::read(context, &self.touched, &ids, &mut animals).await?;
            return Ok((animals, BTreeMap::new()));
        }
        let children = related(context, "animals", "mother", ids.iter().copied(), animals::KIN).await?;
        let children = placed(context, "animals", children).await?;
        let mut kin = animals::read(&self.meanings, &children);
        for child in kin.values() {
            wanted.extend(child.passport.father);
            let mother = child.passport.mother.and_then(|id| animals.get_mut(&id));
            if let Some(mother) = mother {
                mother.children.push(child.passport.id);
            }
        }
        events::read(context, rows_of, &ids, &mut animals).await?;
        evaluations::read(context, &self.touched, &ids, &mut animals).await?;
        for animal in animals.values() {
            wanted.extend([animal.passport.father, animal.passport.mother].into_iter().flatten());
            wanted.extend(animal.services.iter().filter_map(|service| service.bull));
            wanted.extend(animal.calvings.iter().flat_map(|calving| calving.calves.iter().copied()));
        }
        // The relatives, then the fathers of the parents.
        for _ in 0..2 {
            wanted.retain(|id| !kin.contains_key(id));
            let rows = related(context, "animals", "id", std::mem::take(&mut wanted), animals::KIN).await?;
            let rows = placed(context, "animals", rows).await?;
            kin.extend(animals::read(&self.meanings, &rows));
            let parents = animals.values().flat_map(|animal| [animal.passport.father, animal.passport.mother]);
            let fathers = parents.flatten().filter_map(|id| kin.get(&id)?.passport.father);
            wanted = fathers.collect();
        }
        Ok((animals, kin))
    }

    fn step_of(&self, animals: BTreeMap<i64, Animal>, kin: BTreeMap<i64, Animal>, after: Option<i64>) -> Step {
        let mut animals: Vec<Animal> = animals.into_values().collect();
        animals.iter_mut().for_each(Animal::sort);
        let context = Context {
            kin: kin.into_iter().map(|(id, animal)| (id, animal.passport)).collect(),
            bases: self.meanings.bases.clone(),
            countries: self.meanings.countries.clone(),
        };
        Step { animals, context, after }
    }
}

/// What to expect of the calves. The inbreeding of an animal is the book's own value; there is no written one beside
/// it, so `computed_inbreeding` stays empty.
fn expect(pedigree: &Pedigree, animals: &mut BTreeMap<i64, Animal>) {
    for (id, animal) in animals {
        for service in animal.services.iter_mut().filter(|s| !s.embryo) {
            let kinship = |bull| pedigree.kinship(*id, bull, pedigree::KINSHIP_GENERATIONS);
            let kinship = service.bull.and_then(kinship);
            service.expected_inbreeding = kinship.map(|share| share * 100.0);
        }
    }
}

/// The pedigree of some animals, as far back as kinship is counted: one look-up for each generation.
async fn ancestry(context: &mut dyn BookReader, mut level: BTreeSet<i64>) -> Result<Option<Pedigree>> {
    let s = Census::get();
    let mut parents: BTreeMap<i64, pedigree::Parents> = BTreeMap::new();
    for _ in 0..=pedigree::KINSHIP_GENERATIONS {
        level.retain(|id| !parents.contains_key(id));
        let ids = std::mem::take(&mut level);
        for row in related(context, "animals", "id", ids, &["father", "mother"]).await? {
            let Some(id) = row.get(ID).int() else {
                continue;
            };
            let (sire, dam) = (row.get(s.father).int(), row.get(s.mother).int());
            parents.insert(id, pedigree::Parents { id, sire, dam });
            level.extend(sire.into_iter().chain(dam));
        }
    }
    Ok(Pedigree::new(parents.into_values()).ok())
}

/// The last id of a full step.
fn last(rows: &[Record], step: i64) -> Option<i64> {
    let full = i64::try_from(rows.len()).is_ok_and(|rows| rows >= step);
    rows.last().filter(|_| full).and_then(|row| row.get(ID).int())
}

/// The day of a slot, on the clock of its place.
fn day(row: &Record, slot: usize) -> Option<Day> {
    row.get(slot).time().map(|time| Day(day_of(time)))
}

/// A text that is not empty.
fn text(row: &Record, slot: usize) -> Option<String> {
    row.get(slot).text().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}
