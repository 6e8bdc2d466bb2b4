//! What an evaluation is computed from: the animals with their parents, the lactations of 305 days, and the scores of
//! type. One statement reads it, so that all of it is of one commit.

use breeding::{Animal, Parent};
use domain::collections::evaluations::LINEAR;
use domain::derive::lactation::{STANDARD_DAYS, TAIL_DAYS};
use futures_util::StreamExt as _;
use model::error::{Error, Result};
use model::record::time;
use model::registry::Registry;
use ops::Book;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use store::{Dialect, Row, Sql, Ty};

/// Number of linear traits.
pub(super) const SCORES: usize = LINEAR.len();
/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Columns before the scores.
const SCORES_FROM: usize = 7;

/// A lactation with a yield of 305 days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LactationRecord {
    /// Place of the animal.
    pub(super) animal: u32,
    /// Parity.
    pub(super) number: i64,
    /// Organisation that owned the animal when the calving was recorded.
    pub(super) herd: i64,
    /// Year and quarter of the calving.
    pub(super) season: (i16, u8),
    /// Age at the calving, months.
    pub(super) age: Option<i64>,
    /// Milk, kg.
    pub(super) milk: f64,
    /// Fat, kg.
    pub(super) fat: Option<f64>,
    /// Protein, kg.
    pub(super) protein: Option<f64>,
    /// Mean score of somatic cells of the lactation.
    pub(super) score: Option<f64>,
}

/// A classification.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TypeRecord {
    /// Place of the animal.
    pub(super) animal: u32,
    /// Organisation that owned the animal when the classification was recorded.
    pub(super) herd: i64,
    /// Year of the classification.
    pub(super) year: i16,
    /// Lactation, if it was stated.
    pub(super) lactation: Option<i64>,
    /// The linear traits.
    pub(super) scores: [Option<i64>; SCORES],
}

/// All of it, in the order of the animals' ids.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Number of the last commit.
    pub(super) commit: i64,
    /// The animals, by place.
    pub(super) ids: Vec<i64>,
    /// Their parents; unknown ones have no group yet.
    pub(super) animals: Vec<Animal>,
    /// Countries by their number less one; 0 is none.
    countries: Vec<String>,
    pub(super) lactations: Vec<LactationRecord>,
    pub(super) types: Vec<TypeRecord>,
}

/// Rows as they come.
#[derive(Debug, Default)]
pub(super) struct RawInputs {
    commit: i64,
    animals: Vec<RawAnimal>,
    /// Time and organisation of calvings, by animal and parity.
    calvings: BTreeMap<(i64, i64), Vec<(i64, i64)>>,
    types: Vec<(i64, i64, TypeRecord)>,
}

#[derive(Debug)]
struct RawAnimal {
    id: i64,
    sire: Option<i64>,
    dam: Option<i64>,
    birth: Option<i64>,
    country: Option<String>,
    lactations: Vec<RawLactation>,
}

/// A complete lactation, as the row of its animal says.
#[derive(Debug)]
struct RawLactation {
    number: i64,
    calved: i64,
    milk: f64,
    fat: Option<f64>,
    protein: Option<f64>,
    score: Option<f64>,
}

/// Reads the rows.
///
/// # Errors
/// The errors of the database.
pub(super) async fn read(book: &Book) -> Result<RawInputs> {
    let statement = statement(book.registry, book.store.dialect())?;
    let mut rows = book.store.stream(statement);
    let mut raw = RawInputs::default();
    while let Some(row) = rows.next().await {
        raw.add(&row?)?;
    }
    Ok(raw)
}

impl Inputs {
    /// The id of the animal of a place.
    pub(super) fn id(&self, place: u32) -> i64 {
        self.ids.get(place as usize).copied().unwrap_or_default()
    }

    /// The country in which an animal was born.
    pub(super) fn country(&self, animal: &Animal) -> Option<&str> {
        let at = usize::from(animal.country).checked_sub(1)?;
        self.countries.get(at).map(String::as_str)
    }

    /// Which animals have records, themselves or by descendants, by place.
    pub(super) fn informed(&self) -> Vec<bool> {
        let mut informed = vec![false; self.ids.len()];
        let lactations = self.lactations.iter().map(|row| row.animal);
        // Some have composites only.
        let types = self.types.iter().filter(|row| row.scores.iter().any(Option::is_some));
        let mut open: Vec<u32> = lactations.chain(types.map(|row| row.animal)).collect();
        while let Some(place) = open.pop() {
            let place = place as usize;
            if let Some(own) = informed.get_mut(place).filter(|own| !**own) {
                *own = true;
                let animal = self.animals.get(place).copied().unwrap_or_default();
                open.extend([animal.sire, animal.dam].into_iter().filter_map(|parent| match parent {
                    Parent::Animal(place) => Some(place),
                    Parent::Unknown | Parent::Group(_) => None,
                }));
            }
        }
        informed
    }

    /// Their text: a line for each animal (`A`: id, sire, dam, year of birth, country), lactation (`L`: animal, parity,
    /// organisation, year, quarter, months of age, milk, fat, protein, score) and classification (`T`: animal,
    /// organisation, year, lactation, scores). What is not known is `-`.
    ///
    /// # Errors
    /// Those of the writer.
    pub(super) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let parent = |parent: Parent| match parent {
            Parent::Animal(place) => self.id(place).to_string(),
            Parent::Unknown | Parent::Group(_) => NOTHING.to_owned(),
        };
        for (own, animal) in self.ids.iter().zip(&self.animals) {
            let (sire, dam) = (parent(animal.sire), parent(animal.dam));
            let year = or_nothing(animal.birth_year);
            writeln!(out, "A {own} {sire} {dam} {year} {}", or_nothing(self.country(animal)))?;
        }
        for row in &self.lactations {
            let (year, quarter) = row.season;
            writeln!(
                out,
                "L {} {} {} {year} {quarter} {} {} {} {} {}",
                self.id(row.animal),
                row.number,
                row.herd,
                or_nothing(row.age),
                row.milk,
                or_nothing(row.fat),
                or_nothing(row.protein),
                or_nothing(row.score)
            )?;
        }
        for row in &self.types {
            let lactation = or_nothing(row.lactation);
            write!(out, "T {} {} {} {lactation}", self.id(row.animal), row.herd, row.year)?;
            for score in row.scores {
                write!(out, " {}", or_nothing(score))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// SHA-256 of that text, hexadecimal.
    pub(super) fn digest(&self) -> String {
        struct Hash(Sha256);
        impl Write for Hash {
            fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
                self.0.update(part);
                Ok(part.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut hash = Hash(Sha256::new());
        // A hash takes everything.
        let _ = self.write(&mut hash);
        hash.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Stands for what is not known.
const NOTHING: &str = "-";

fn or_nothing<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| value.to_string())
}

/// Columns: kind of the row, three numbers, a time, two texts, and the scores.
fn statement(registry: &Registry, dialect: Dialect) -> Result<Sql> {
    let column = |slug: &str, path: &str| {
        let field = registry.get(slug).and_then(|c| c.field(path));
        let field = field.ok_or_else(|| Error::internal(format!("no {slug}.{path}")))?;
        Ok::<_, Error>(format!("\"{}\"", field.column))
    };
    let table = |slug: &str| {
        let c = registry.get(slug);
        c.map(|c| c.table.as_str()).ok_or_else(|| Error::internal(format!("no {slug}")))
    };
    let none = |ty| format!("CAST(NULL AS {})", dialect.column_type(ty));
    let [no_time, no_text, no_int] = [Ty::Time, Ty::Text, Ty::Int].map(none);
    let no_scores = format!(", {no_int}").repeat(SCORES);
    let mut sql = Sql::new(&format!(
        "SELECT 0 AS kind, seq, {no_int}, {no_int}, {no_time}, {no_text}, {no_text}{no_scores} FROM book_sequence"
    ));
    let of = |path| column("animals", path);
    sql.push(&format!(
        " UNION ALL SELECT 1, id, {}, {}, {}, {}, CAST({} AS TEXT){no_scores} FROM ",
        of("father")?,
        of("mother")?,
        of("birthDate")?,
        of("altIds.originCountry")?,
        of("lactations")?
    ));
    sql.name(table("animals")?).push(&format!(" WHERE {} IS NULL", of("mergedInto")?));
    let of = |path| column("calvings", path);
    sql.push(&format!(
        " UNION ALL SELECT 2, {}, {}, {}, {}, {no_text}, {no_text}{no_scores} FROM ",
        of("animal")?,
        of("ownerOrg")?,
        of("number")?,
        of("date")?
    ));
    let event = of("eventType")?;
    sql.name(table("calvings")?).push(&format!(" WHERE ({event} IS NULL OR {event} <> 'dryOff')"));
    let of = |path| column("animal-exteriors", path);
    sql.push(&format!(
        " UNION ALL SELECT 3, {}, {}, {}, {}, {no_text}, {no_text}",
        of("animal")?,
        of("ownerOrg")?,
        of("lactation")?,
        of("assessedAt")?
    ));
    for (key, _) in LINEAR {
        sql.push(&format!(", {}", of(key)?));
    }
    let verification = of("verification")?;
    sql.push(" FROM ")
        .name(table("animal-exteriors")?)
        .push(&format!(" WHERE ({verification} IS NULL OR {verification} <> 'rejected')"));
    Ok(sql)
}

impl RawInputs {
    fn add(&mut self, row: &Row) -> Result<()> {
        let at = row.time(4);
        let own = row.int(1).unwrap_or_default();
        match row.int(0) {
            Some(0) => self.commit = own,
            Some(1) => {
                let rows = match row.text(6) {
                    Some(text) => serde_json::from_str(text)
                        .map_err(|fault| Error::internal(format!("lactations of animal {own}: {fault}")))?,
                    None => Vec::new(),
                };
                self.animals.push(RawAnimal {
                    id: own,
                    sire: row.int(2),
                    dam: row.int(3),
                    birth: at,
                    country: row.text(5).map(str::to_owned),
                    lactations: rows.iter().filter_map(lactation).collect(),
                });
            }
            Some(2) => {
                if let (Some(herd), Some(number), Some(at)) = (row.int(2), row.int(3), at) {
                    let of_parity = self.calvings.entry((own, number)).or_default();
                    of_parity.push((at, herd));
                }
            }
            Some(3) => {
                let (Some(herd), Some(at)) = (row.int(2), at) else {
                    return Ok(());
                };
                let mut scores = [None; SCORES];
                for (score, column) in scores.iter_mut().zip(SCORES_FROM..) {
                    *score = row.int(column);
                }
                let record = TypeRecord { animal: 0, herd, year: year_and_month(at).0, lactation: row.int(3), scores };
                self.types.push((own, at, record));
            }
            _ => {}
        }
        Ok(())
    }

    /// In the order of the animals.
    pub(super) fn sort(mut self) -> Inputs {
        self.animals.sort_by_key(|animal| animal.id);
        self.types.sort_by_key(|(animal, at, _)| (*animal, *at));
        let ids: Vec<i64> = self.animals.iter().map(|animal| animal.id).collect();
        let place = |id: i64| ids.binary_search(&id).ok().and_then(|place| u32::try_from(place).ok());
        let countries: BTreeSet<String> = self.animals.iter().filter_map(|animal| animal.country.clone()).collect();
        let countries: Vec<String> = countries.into_iter().collect();
        let country = |name: &Option<String>| {
            let at = name.as_ref().and_then(|name| countries.binary_search(name).ok());
            at.and_then(|at| u16::try_from(at + 1).ok()).unwrap_or(0)
        };
        let parent = |id: Option<i64>| id.and_then(place).map_or(Parent::Unknown, Parent::Animal);
        let (mut animals, mut lactations) = (Vec::with_capacity(ids.len()), Vec::new());
        for raw in &self.animals {
            animals.push(Animal {
                sire: parent(raw.sire),
                dam: parent(raw.dam),
                birth_year: raw.birth.map(|at| year_and_month(at).0),
                country: country(&raw.country),
            });
            let own = place(raw.id).unwrap_or_default();
            let mut of_animal: Vec<LactationRecord> =
                raw.lactations.iter().filter_map(|row| self.lactation(raw, own, row)).collect();
            of_animal.sort_by_key(|row| row.number);
            lactations.extend(of_animal);
        }
        let types = self.types.iter().filter_map(|(animal, _, record)| {
            let animal = place(*animal)?;
            Some(TypeRecord { animal, ..record.clone() })
        });
        Inputs { commit: self.commit, animals, lactations, types: types.collect(), countries, ids }
    }

    /// With the organisation of its calving; of several rows of its parity the nearest one in time.
    fn lactation(&self, animal: &RawAnimal, place: u32, row: &RawLactation) -> Option<LactationRecord> {
        let calvings = self.calvings.get(&(animal.id, row.number))?;
        let near = |(at, herd): &&(i64, i64)| ((at - row.calved).abs(), *at, *herd);
        let (_, herd) = *calvings.iter().min_by_key(near)?;
        let months = |at| {
            let (year, month) = year_and_month(at);
            i64::from(year) * 12 + i64::from(month)
        };
        let (year, month) = year_and_month(row.calved);
        Some(LactationRecord {
            animal: place,
            number: row.number,
            herd,
            season: (year, (month.saturating_sub(1)) / 3 + 1),
            age: animal.birth.map(|birth| months(row.calved) - months(birth)),
            milk: row.milk,
            fat: row.fat,
            protein: row.protein,
            score: row.score,
        })
    }
}

/// A row of `lactations` that was computed from test days and is complete: nothing is missing between its test days, and
/// they reach to day 305, or to a drying-off before it. What a lactation in progress will give is not known, and what one
/// gave that broke off says little of the animal's yield.
fn lactation(row: &Json) -> Option<RawLactation> {
    let number = |name: &str| row.get(name).and_then(Json::as_f64);
    if row.get("origin").and_then(Json::as_str) != Some("computed") {
        return None;
    }
    let calved = complete(row)?;
    let milk = number("milk305")?;
    let kilograms = |percent: &str| Some(milk * number(percent)? / 100.0);
    Some(RawLactation {
        number: row.get("number").and_then(Json::as_i64)?,
        calved,
        milk,
        fat: kilograms("fat305"),
        protein: kilograms("protein305"),
        score: number("scs"),
    })
}

/// When a lactation began whose test days have no gap and reach to day 305, or to a drying-off before it.
pub(crate) fn complete(row: &Json) -> Option<i64> {
    let day = |name: &str| row.get(name).and_then(Json::as_str).and_then(time::parse);
    let calved = day("calvingDate")?;
    let days = (day("lastTestDay")? - calved) / DAY;
    // Of a lactation in progress the last of these days may be still to come, of another one it may have broken off.
    let is_short = row.get("dd").and_then(Json::as_i64).is_some_and(|dd| dd < STANDARD_DAYS);
    let whole = (days + TAIL_DAYS >= STANDARD_DAYS && !is_short) || day("dryOffDate").is_some();
    // A lactation with a gap has none.
    row.get("persistency").and_then(Json::as_f64).filter(|_| whole).map(|_| calved)
}

/// Year and month of an instant, UTC.
fn year_and_month(at: i64) -> (i16, u8) {
    let iso = time::to_iso(at);
    let year = iso.get(..4).and_then(|text| text.parse().ok()).unwrap_or_default();
    (year, iso.get(5..7).and_then(|text| text.parse().ok()).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::{Inputs, SCORES, TypeRecord, complete};
    use breeding::{Animal, Parent};
    use serde_json::{Value as Json, json};

    #[test]
    fn a_lactation_counts_when_its_305_days_are_over() {
        let row = |last: &str, dd: i64, dried: Json| {
            let day = |day: &str| format!("{day}T00:00:00.000Z");
            json!({"calvingDate": day("2024-01-01"), "lastTestDay": day(last), "dd": dd, "persistency": 80,
                "dryOffDate": dried.as_str().map(day)})
        };
        // Days 291 and 250.
        for (last, dd, dried, counts) in [
            ("2024-10-18", 305, Json::Null, true),
            ("2024-10-18", 304, Json::Null, false),
            ("2024-10-18", 292, Json::Null, false),
            ("2024-09-07", 264, Json::Null, false),
            ("2024-09-07", 260, json!("2024-09-17"), true),
        ] {
            assert_eq!(complete(&row(last, dd, dried)).is_some(), counts, "{last} {dd}");
        }
    }

    #[test]
    fn a_classification_without_linear_traits_is_no_record() {
        let mut scores = [None; SCORES];
        let of = |animal, scores| TypeRecord { animal, herd: 1, year: 2024, lactation: None, scores };
        let mut inputs = Inputs { ids: vec![1, 2, 3], animals: vec![Animal::default(); 3], ..Inputs::default() };
        inputs.animals[2].sire = Parent::Animal(0);
        inputs.types = vec![of(1, scores)];
        assert_eq!(inputs.informed(), [false; 3]);
        scores[0] = Some(5);
        inputs.types.push(of(2, scores));
        assert_eq!(inputs.informed(), [true, false, true]);
    }
}
