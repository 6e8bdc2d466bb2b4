//! The job that computes the averages of lactations (docs/derived.md, *Averages*): each night, and when the Association
//! deleted some. It reads the book once, and writes a farm, or a trait of a year, in a transaction of its own.

use crate::bench_runs::measured;
use crate::evaluation_runs::complete;
use domain::collections::{AVERAGES_JOB, store_averages_of_farm, store_averages_of_many};
use domain::derive::averages::{AVERAGED, Average, Averages, Class, LAST_PARITY};
use futures_util::StreamExt as _;
use model::error::{Error, Result};
use model::record::time;
use model::registry::Registry;
use ops::Book;
use ops::jobs::{Job, Lease};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use store::{Dialect, Sql, Ty};

/// How long a process may show no progress before another one begins anew, milliseconds: a country is read in one piece.
const LEASE: i64 = 600_000;

/// Computes them.
#[derive(Debug)]
pub struct ComputeAverages;

impl Job for ComputeAverages {
    const KIND: &'static str = AVERAGES_JOB;

    fn lease(&self) -> i64 {
        LEASE
    }

    async fn run(&self, book: &Book, lease: Lease) -> Result<()> {
        if lease.is_hopeless() {
            tracing::warn!("the averages of lactations were given up until the next night");
            return book.finish_job(lease).await;
        }
        let (began, now) = (Instant::now(), time::to_iso(book.clock.now()));
        let read = BookAverages::read(book).await?;
        let animals = read.animals;
        for part in read.parts(year_of(&now).unwrap_or_default()) {
            let own = lease.clone();
            let stored = book.transact(move |work| {
                Box::pin(async move {
                    if !own.renew(work.tx()).await? {
                        return Ok(false);
                    }
                    match part {
                        Part::Farm(farm, rows) => store_averages_of_farm(work, farm, &rows).await?,
                        Part::Many(rows) => store_averages_of_many(work, &rows).await?,
                    }
                    Ok(true)
                })
            });
            if !stored.await? {
                tracing::info!("the averages of lactations were taken over or asked for again");
                return Ok(());
            }
        }
        book.finish_job(lease).await?;
        measured(book, "lactation-averages", ("animals", animals), began.elapsed()).await;
        Ok(())
    }
}

/// Averages of a region, or of the book.
type OfRegions = Vec<(Option<String>, Average)>;

/// What is written at once.
enum Part {
    Farm(i64, Vec<Average>),
    /// Those of regions and the book in one trait and year.
    Many(OfRegions),
}

/// What was read.
#[derive(Debug, Default)]
struct BookAverages {
    averages: Averages,
    /// Regions of the organisations.
    regions: BTreeMap<i64, String>,
    /// Farms that have averages already.
    farms: BTreeSet<i64>,
    /// Time and owner of the first calving of each animal and parity.
    calvings: BTreeMap<(i64, i64), (i64, i64)>,
    animals: u64,
}

impl BookAverages {
    async fn read(book: &Book) -> Result<Self> {
        let (registry, dialect) = (book.registry, book.store.dialect());
        let mut read = Self::default();
        let mut rows = book.store.stream(farms_and_calvings(registry, dialect)?);
        while let Some(row) = rows.next().await {
            let row = row?;
            let own = row.int(1).unwrap_or_default();
            match (row.int(0), row.int(2), row.int(3), row.time(4), row.text(5)) {
                (Some(1), .., Some(region)) => {
                    read.regions.insert(own, region.to_owned());
                }
                (Some(2), ..) => {
                    read.farms.insert(own);
                }
                (Some(3), Some(owner), Some(parity), Some(at), _) => {
                    let first = read.calvings.entry((own, parity)).or_insert((at, owner));
                    *first = (*first).min((at, owner));
                }
                _ => {}
            }
        }
        drop(rows);
        let mut rows = book.store.stream(animals(registry, dialect)?);
        while let Some(row) = rows.next().await {
            let row = row?;
            let (Some(id), Some(text)) = (row.int(0), row.text(3)) else {
                continue;
            };
            let lactations: Vec<Json> = serde_json::from_str(text)
                .map_err(|fault| Error::internal(format!("lactations of animal {id}: {fault}")))?;
            read.add(id, row.int(1) != Some(1), row.int(2), &lactations);
            read.animals += 1;
        }
        Ok(read)
    }

    /// The lactations of an animal, with its age at the first calving; of several in one class the first one.
    fn add(&mut self, animal: i64, closed: bool, first_age: Option<i64>, lactations: &[Json]) {
        let mut classes = BTreeSet::new();
        for row in lactations {
            let number = row.get("number").and_then(Json::as_i64);
            let calved = row.get("calvingDate").and_then(Json::as_str).and_then(year_of);
            let computed = row.get("origin").and_then(Json::as_str) == Some("computed");
            let (Some(number), Some(year), true) = (number, calved, computed) else {
                continue;
            };
            let Some((_, farm)) = self.calvings.get(&(animal, number)).copied() else {
                continue;
            };
            let is_complete = complete(row).is_some();
            for (of, averaged) in AVERAGED.iter().enumerate() {
                let value = match averaged.key {
                    #[expect(clippy::cast_precision_loss, reason = "days, which are few")]
                    "ageAtFirstCalving" => first_age.filter(|_| number == 1).map(|days| days as f64),
                    "calvingInterval" | "daysOpen" => row.get(averaged.key).and_then(Json::as_f64),
                    _ => row.get(averaged.key).and_then(Json::as_f64).filter(|_| is_complete),
                };
                let class = Class { year, of, parity: number.min(LAST_PARITY) };
                if let Some(value) = value.filter(|_| classes.insert(class)) {
                    self.averages.add(class, farm, closed, value);
                }
            }
        }
    }

    /// What is to be written in this year.
    fn parts(self, year: i64) -> Vec<Part> {
        let mut of_farms = self.averages.of_farms();
        let farms: BTreeSet<i64> = of_farms.keys().chain(&self.farms).copied().collect();
        let mut parts: Vec<Part> =
            farms.into_iter().map(|farm| Part::Farm(farm, of_farms.remove(&farm).unwrap_or_default())).collect();
        let mut of_many: BTreeMap<(i64, usize), OfRegions> = BTreeMap::new();
        for (region, average) in self.averages.of_many(&self.regions) {
            let Class { year: calved, of, .. } = average.class;
            if AVERAGED.get(of).is_some_and(|one| calved.saturating_add(one.known_after) <= year) {
                of_many.entry((calved, of)).or_default().push((region.map(str::to_owned), average));
            }
        }
        parts.extend(of_many.into_values().map(Part::Many));
        parts
    }
}

/// The year of a day, UTC.
fn year_of(day: &str) -> Option<i64> {
    day.get(..4)?.parse().ok()
}

/// Table of a collection, and columns of its fields, quoted.
fn columns<const N: usize>(registry: &Registry, slug: &str, paths: [&str; N]) -> Result<(String, [String; N])> {
    let none = || Error::internal(format!("no {slug} with {paths:?}"));
    let collection = registry.get(slug).ok_or_else(none)?;
    let mut columns = [const { String::new() }; N];
    for (column, path) in columns.iter_mut().zip(paths) {
        *column = format!("\"{}\"", collection.field(path).ok_or_else(none)?.column);
    }
    Ok((format!("\"{}\"", collection.table), columns))
}

/// Columns: kind of the row, three numbers, a time, a text.
fn farms_and_calvings(registry: &Registry, dialect: Dialect) -> Result<Sql> {
    let none = |ty| format!("CAST(NULL AS {})", dialect.column_type(ty));
    let [int, at, text] = [Ty::Int, Ty::Time, Ty::Text].map(none);
    let (table, [region]) = columns(registry, "organizations", ["region"])?;
    let mut sql = Sql::new(&format!("SELECT 1, id, {int}, {int}, {at}, {region} FROM {table}"));
    let (table, [farm]) = columns(registry, "lactation-averages", ["organization"])?;
    let with = format!(" UNION ALL SELECT DISTINCT 2, {farm}, {int}, {int}, {at}, {text} FROM {table}");
    sql.push(&with).push(&format!(" WHERE {farm} IS NOT NULL"));
    let paths = ["animal", "ownerOrg", "number", "date", "eventType"];
    let (table, [animal, owner, number, date, event]) = columns(registry, "calvings", paths)?;
    sql.push(&format!(" UNION ALL SELECT 3, {animal}, {owner}, {number}, {date}, {text} FROM {table}"));
    sql.push(&format!(" WHERE {event} IS NULL OR {event} <> 'dryOff'"));
    Ok(sql)
}

/// Columns: the animal, 1 if it is open to everybody, age at its first calving, lactations.
fn animals(registry: &Registry, dialect: Dialect) -> Result<Sql> {
    let paths = ["publicVisible", "publicDetails", "archived", "current.ageAtFirstCalving", "lactations", "mergedInto"];
    let (table, [visible, details, archived, age, lactations, merged]) = columns(registry, "animals", paths)?;
    let int = dialect.column_type(Ty::Int);
    Ok(Sql::new(&format!(
        "SELECT id, CAST(CASE WHEN {visible} AND {details} AND {archived} IS NOT TRUE THEN 1 ELSE 0 END AS {int}), \
         {age}, CAST({lactations} AS TEXT) FROM {table} WHERE {merged} IS NULL AND {lactations} IS NOT NULL"
    )))
}

#[cfg(test)]
mod tests {
    use super::{BookAverages, Part};
    use serde_json::{Value as Json, json};

    fn lactation(number: i64, calved: &str, milk: i64) -> Json {
        json!({
            "number": number, "calvingDate": format!("{calved}T00:00:00.000Z"), "origin": "computed",
            "lastTestDay": "2030-01-01T00:00:00.000Z", "milk305": milk, "persistency": 80, "daysOpen": 100,
        })
    }

    /// Animals of a farm, of which the third and the fourth lactation began in one year.
    fn book(animals: i64) -> BookAverages {
        let mut book = BookAverages::default();
        for animal in 1..=animals {
            for parity in 1..=4 {
                book.calvings.insert((animal, parity), (0, 1));
            }
            let rows = [
                lactation(1, "2020-03-01", 8_000),
                lactation(3, "2022-01-05", 9_000),
                lactation(4, "2022-12-20", 5_000),
                json!({"number": 2, "calvingDate": "2021-02-01T00:00:00.000Z", "milk305": 1, "origin": "reported"}),
            ];
            book.add(animal, true, Some(730), &rows);
        }
        book
    }

    #[test]
    fn an_animal_counts_once_in_a_class_and_not_by_what_was_reported() {
        let parts = book(5).parts(2023);
        let [Part::Farm(1, rows)] = &parts[..] else {
            panic!("one farm and nothing of many");
        };
        let rows: Vec<_> = rows.iter().map(|row| (row.class.year, row.class.parity, row.mean, row.animals)).collect();
        let of = |year, parity, mean| (year, parity, mean, 5);
        let expected = [of(2020, 1, 8_000.0), of(2020, 1, 100.0), of(2020, 1, 730.0), of(2022, 3, 9_000.0)];
        assert_eq!(rows, [&expected[..], &[of(2022, 3, 100.0)]].concat());
        assert!(book(4).parts(2023).is_empty());
    }

    #[test]
    fn averages_of_many_wait_until_all_is_known() {
        let mut book = BookAverages::default();
        for animal in 1..=30 {
            book.calvings.insert((animal, 1), (0, animal % 3));
            book.add(animal, true, Some(730), &[lactation(1, "2020-03-01", 8_000)]);
        }
        let parts = book.parts(2021);
        let of_many: Vec<_> = parts.iter().filter(|part| matches!(part, Part::Many(_))).collect();
        // Only the age at the first calving is known a year later.
        assert!(matches!(&of_many[..], [Part::Many(rows)] if matches!(&rows[..], [(None, row)] if row.mean == 730.0)));
    }
}
