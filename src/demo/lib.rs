//! The synthetic herd book: a small or large book of invented farms, made anew
//! from a seed, byte for byte the same on every run.
//!
//! Pure data: rows with the names of the declarations, ids counted from 1 in every collection,
//! relations as those ids, and every row after the rows it names. It must not know the registry,
//! the store or the clock; code that seeds a database writes the rows in their order. Curves, rates
//! and deviations of the biology are constants (docs/design/derived.md, *Synthetic book*); the book
//! ends on 2025-06-30, or later by whole days, and covers the four years before. Records that are many and say little (the
//! journal of illnesses, heats, single milkings) cover the last year, months or days only, so that
//! they stay below 15 percent of the rows. Numbers of animals come from a reserved range (they
//! begin with 96); ancestors that are known by name only are archived and numbered `ANC-…`.

mod records;
mod simulation;
mod waves;

pub use waves::{generate_in_waves, waves};

use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::{Map, Value};
use std::ops::ControlFlow;

/// What to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Rows of `animals` wanted, ancestors included; met within ten percent
    /// from a few hundred upward. Farms are added as the number grows.
    pub animals: usize,
    /// Seed of every random choice.
    pub seed: u64,
    /// Days by which all of it is later than it was made; the book then ends on another day than [`last_day`].
    pub later: i32,
}

/// The last day of a book as it was made.
#[must_use]
pub fn last_day() -> Date {
    date(2025, 6, 30)
}

impl Default for Options {
    /// The book of the demonstration: about 500 animals, seed 1.
    fn default() -> Self {
        Self { animals: 500, seed: 1, later: 0 }
    }
}

/// One row of the book.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedRow {
    /// Path of the collection.
    pub collection: &'static str,
    /// Id, counted from 1 within the collection.
    pub id: i64,
    /// Fields that may be written (none is set by the server).
    pub data: Map<String, Value>,
    /// Fields that the server sets itself (`organizations.presence`,
    /// `access-grants.owner`) where the book needs another value than a write
    /// by an administrator would give. Empty for most rows.
    pub system: Map<String, Value>,
}

/// A person who can sign in; the caller sets the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Name for signing in.
    pub email: String,
    /// Id of the organisation.
    pub organization: i64,
    /// `users.role`.
    pub role: &'static str,
    /// `users.orgRole`.
    pub org_role: &'static str,
}

/// A whole book in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Book {
    /// Rows in an order in which they can be inserted.
    pub rows: Vec<SeedRow>,
    /// The people among them who sign in.
    pub accounts: Vec<Account>,
}

/// Generates a book in memory. Large books are better written as they are made, see
/// [`generate_in_waves`].
#[must_use]
pub fn generate(options: &Options) -> Book {
    let mut rows = Vec::new();
    let accounts = generate_into(options, |row| {
        rows.push(row);
        ControlFlow::Continue(())
    });
    Book { rows, accounts }
}

/// Generates a book and hands out its rows one by one, in an order in which
/// they can be inserted: dictionaries and organisations, people, herds, animals
/// with parents first, then events and movements by date, and last what evaluates the
/// animals as they are at the end. The sink may stop.
pub fn generate_into(options: &Options, mut sink: impl FnMut(SeedRow) -> ControlFlow<()>) -> Vec<Account> {
    let mut sink = |mut row: SeedRow| {
        if options.later != 0 {
            row.data.values_mut().chain(row.system.values_mut()).for_each(|value| shift(value, options.later));
        }
        sink(row)
    };
    let (world, selection) = simulation::plan::fitting_world(options);
    let tables = records::tables::Tables::load();
    let accounts = records::people::accounts();
    // A stop is the wish of the caller, not a failure.
    let _stopped = tables.rows(&mut sink).is_break()
        || records::people::rows(&world, &tables, &mut sink).is_break()
        || records::animals::animals(&world, &selection, &tables, &mut sink).is_break()
        || records::events::events(&world, &selection, &tables, &mut sink).is_break()
        || records::evaluations::evaluations(&world, &selection, &mut sink).is_break();
    accounts
}

/// Makes the days and the instants in a value later.
fn shift(value: &mut Value, days: i32) {
    match value {
        Value::String(text) => {
            let (day, rest) = text.split_at_checked(DAY).unwrap_or((text, ""));
            let is_time = rest.is_empty() || rest.starts_with('T');
            let day = day.parse::<Date>().ok().filter(|_| is_time && text.len() >= DAY);
            if let Some(day) = day {
                *text = format!("{}{rest}", day.saturating_add(days.days()));
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| shift(one, days)),
        Value::Object(all) => all.values_mut().for_each(|one| shift(one, days)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Bytes of `YYYY-MM-DD`.
const DAY: usize = 10;

#[cfg(test)]
mod tests;
