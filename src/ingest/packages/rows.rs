//! The rows of packages with what became of each: stored, and read again (docs/packages.md, *Rows*).

use crate::packages::changes;
use domain::slots;
use model::error::Result;
use model::messages::{Language, stored};
use model::record::{Record, Value};
use model::registry::{BookReader, Command, HookContext, ID, Lookup, Test};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

pub(crate) const SLUG: &str = "submission-rows";
/// Rows that are read at once.
const STEP: i64 = 5_000;

slots!(Slots of "submission-rows" {
    submission, organization, position, sheet, line, ident, state, dataset, collection, record, animal, date,
    cells, faults, waits, before, mended,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowState {
    /// It made a record.
    Created,
    Updated,
    /// The book had it.
    Unchanged,
    Skipped,
    /// It could not be taken.
    Held,
}

impl RowState {
    pub const ALL: [Self; 5] = [Self::Created, Self::Updated, Self::Unchanged, Self::Skipped, Self::Held];

    pub fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Skipped => "skipped",
            Self::Held => "held",
        }
    }

    fn read(word: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|state| Some(state.word()) == word).unwrap_or(Self::Held)
    }
}

/// What is wrong with a row, or with one of its cells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct RowFault {
    /// Header of the column; empty: the whole row.
    pub(crate) column: String,
    pub(crate) path: String,
    pub(crate) code: String,
    /// The cell as it was written.
    pub(crate) value: String,
    pub(crate) message: String,
    /// What may stand there.
    pub(crate) expected: String,
}

impl RowFault {
    /// Of a whole row.
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), ..Self::default() }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackageRow {
    /// Number among all rows of the file, from 1.
    pub(crate) position: i64,
    pub(crate) sheet: Option<String>,
    /// Row of the sheet, or line.
    pub(crate) line: i64,
    /// Number of the animal as written.
    pub(crate) ident: Option<String>,
    pub(crate) state: RowState,
    pub(crate) dataset: &'static str,
    pub(crate) collection: &'static str,
    pub(crate) record: Option<i64>,
    /// The animal that it is about.
    pub(crate) animal: Option<i64>,
    /// The day that it is about, milliseconds.
    pub(crate) date: Option<i64>,
    pub(crate) cells: Vec<String>,
    pub(crate) faults: Vec<RowFault>,
    /// Whether it may be taken later.
    pub(crate) waits: bool,
    /// What its record was before ([`crate::packages::changes`]).
    pub(crate) before: Option<Json>,
}

#[derive(Debug, Clone)]
pub(crate) struct StoredRow {
    pub(crate) id: i64,
    /// Number of the animal as written.
    pub(crate) ident: Option<String>,
    /// Number among all rows of the file.
    pub(crate) position: i64,
    pub(crate) sheet: Option<String>,
    /// Row of the sheet, or line.
    pub(crate) line: i64,
    /// What became of it so far.
    pub(crate) state: RowState,
    pub(crate) cells: Vec<String>,
    /// What is wrong with it: members of the list of that name.
    pub(crate) faults: Vec<Json>,
    /// Collection and id of its record.
    pub(crate) record: Option<(String, i64)>,
    pub(crate) before: Option<Json>,
    /// Cells that were mended: members of the list of that name.
    pub(crate) mended: Vec<Json>,
}

/// Stores rows of a package: those that an earlier reading stored are overwritten.
pub(crate) async fn store(
    context: &mut dyn HookContext,
    package: i64,
    organization: i64,
    rows: Vec<PackageRow>,
) -> Result<()> {
    let s = Slots::get();
    let (Some(first), Some(last)) = (rows.iter().map(|r| r.position).min(), rows.iter().map(|r| r.position).max())
    else {
        return Ok(());
    };
    let earlier = Lookup::by_ids("submission", [package])
        .test("position", Test::From(Value::Int(first)))
        .test("position", Test::Before(Value::Int(last + 1)))
        .fields(&["position", "state", "collection", "record", "before"]);
    let earlier = context.find(SLUG, earlier).await?;
    let earlier: BTreeMap<i64, (i64, &Record)> =
        (earlier.iter()).filter_map(|row| Some((row.get(s.position).int()?, (row.get(ID).int()?, row)))).collect();
    let (mut updates, mut new) = (Vec::new(), Vec::new());
    let width = context.collection(SLUG)?.width();
    for mut row in rows {
        let earlier = earlier.get(&row.position);
        if let Some((_, stored)) = earlier {
            let record = (stored.get(s.collection).text()).zip(stored.get(s.record).int());
            if row.record.is_some_and(|id| record == Some((row.collection, id))) {
                let made = stored.get(s.state).text() == Some(RowState::Created.word());
                row.before = changes::merged(made, stored.get(s.before).as_json(), row.before);
            }
        }
        let values = values(package, organization, &row);
        match earlier {
            Some((id, _)) => updates.push((*id, values)),
            None => {
                let mut record = Record::empty(width);
                for (slot, value) in values {
                    record.set(slot, value);
                }
                new.push(record);
            }
        }
    }
    context.amend(SLUG, updates).await?;
    context.log(SLUG, new).await
}

/// A list of rows, empty where there are none.
pub(crate) fn list(rows: Vec<Json>) -> Value {
    if rows.is_empty() { Value::Null } else { Value::json(Json::Array(rows)) }
}

fn values(package: i64, organization: i64, row: &PackageRow) -> Vec<(usize, Value)> {
    let s = Slots::get();
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
    let faults: Vec<Json> = row.faults.iter().map(|fault| json!(fault)).collect();
    vec![
        (s.submission, Value::Int(package)),
        (s.organization, Value::Int(organization)),
        (s.position, Value::Int(row.position)),
        (s.sheet, text(&row.sheet)),
        (s.line, Value::Int(row.line)),
        (s.ident, text(&row.ident)),
        (s.state, row.state.word().into()),
        (s.dataset, row.dataset.into()),
        (s.collection, row.collection.into()),
        (s.record, Value::from(row.record)),
        (s.animal, Value::from(row.animal)),
        (s.date, row.date.map_or(Value::Null, Value::Time)),
        (s.cells, Value::json(json!(row.cells))),
        (s.faults, list(faults)),
        (s.waits, Value::Bool(row.waits)),
        (s.before, row.before.clone().map_or(Value::Null, Value::json)),
    ]
}

/// Rows of a package behind a position, those in some states (none: all), in order.
pub(crate) async fn stored_rows(
    context: &mut dyn BookReader,
    package: i64,
    states: &[RowState],
    after: i64,
    most: i64,
) -> Result<Vec<StoredRow>> {
    let mut lookup = Lookup::by_ids("submission", [package]).test("position", Test::From(Value::Int(after + 1)));
    if !states.is_empty() {
        lookup = lookup.is_in("state", states.iter().map(|state| state.word().into()).collect());
    }
    read(context, lookup, most).await
}

/// A row with the reasons why it was not taken, or values of it.
#[derive(Debug, Clone)]
pub(crate) struct RowWithReasons {
    pub(crate) row: StoredRow,
    pub(crate) reasons: Vec<String>,
}

/// Rows as [`stored_rows`] reads them, with what is wrong with each in a language.
pub(crate) async fn rows_with_reasons(
    context: &mut dyn BookReader,
    language: Language,
    package: i64,
    states: &[RowState],
    (after, most): (i64, i64),
) -> Result<Vec<RowWithReasons>> {
    let rows = stored_rows(context, package, states, after, most).await?;
    let reason = |fault: &Json| {
        let text = |name: &str| fault.get(name).and_then(Json::as_str).unwrap_or_default();
        let message = stored(language, text("message"), text("code"));
        // Documents have no columns; their faults have pointers.
        let pointer = Some(text("path")).filter(|path| path.starts_with('/'));
        match (text("column"), pointer) {
            ("", None) => message,
            ("", Some(pointer)) => format!("{pointer}: {message}"),
            (column, _) => format!("{column}: {message}"),
        }
    };
    let with_reasons = |row: StoredRow| RowWithReasons { reasons: row.faults.iter().map(reason).collect(), row };
    Ok(rows.into_iter().map(with_reasons).collect())
}

/// Rows of a package that wait for other records, behind a position, in order.
pub(crate) async fn waiting_rows(
    context: &mut dyn BookReader,
    package: i64,
    after: i64,
    most: i64,
) -> Result<Vec<StoredRow>> {
    let lookup = Lookup::by_ids("submission", [package])
        .test("position", Test::From(Value::Int(after + 1)))
        .is_in("waits", vec![Value::Bool(true)]);
    read(context, lookup, most).await
}

async fn read(context: &mut dyn BookReader, lookup: Lookup, most: i64) -> Result<Vec<StoredRow>> {
    let s = Slots::get();
    let fields =
        ["ident", "position", "sheet", "line", "state", "cells", "faults", "collection", "record", "before", "mended"];
    let rows = context.find(SLUG, lookup.fields(&fields).order(&["position"]).limit(most)).await?;
    let stored = |row: &Record| {
        let cells = row.get(s.cells).as_json().and_then(Json::as_array);
        let cells = cells.into_iter().flatten().map(|cell| cell.as_str().unwrap_or_default().to_owned());
        Some(StoredRow {
            id: row.get(ID).int()?,
            ident: row.get(s.ident).text().map(str::to_owned),
            position: row.get(s.position).int()?,
            sheet: row.get(s.sheet).text().map(str::to_owned),
            line: row.get(s.line).int().unwrap_or_default(),
            state: RowState::read(row.get(s.state).text()),
            cells: cells.collect(),
            faults: row.get(s.faults).rows().to_vec(),
            record: (row.get(s.collection).text().map(str::to_owned)).zip(row.get(s.record).int()),
            before: row.get(s.before).as_json().cloned(),
            mended: row.get(s.mended).rows().to_vec(),
        })
    };
    Ok(rows.iter().filter_map(stored).collect())
}

/// Packages with rows that wait for other records, behind an id.
pub(crate) async fn packages_that_wait(context: &mut dyn BookReader, after: i64, most: i64) -> Result<Vec<i64>> {
    let s = Slots::get();
    let lookup = Lookup::default()
        .is_in("waits", vec![Value::Bool(true)])
        .test("submission", Test::From(Value::Int(after + 1)))
        .fields(&["submission"])
        .order(&["submission"])
        .limit(most);
    let rows = context.find(SLUG, lookup).await?;
    let mut packages: Vec<i64> = rows.iter().filter_map(|row| row.get(s.submission).int()).collect();
    packages.dedup();
    Ok(packages)
}

/// The rows of a replaced package wait for nothing any more.
pub(crate) async fn stand_down(context: &mut dyn HookContext, package: i64) -> Result<()> {
    let s = Slots::get();
    loop {
        let lookup = Lookup::by_ids("submission", [package])
            .is_in("waits", vec![Value::Bool(true)])
            .fields(&["id"])
            .limit(1_000);
        let rows = context.find(SLUG, lookup).await?;
        let rows: Vec<_> = (rows.iter().filter_map(|row| row.get(ID).int()))
            .map(|id| (id, vec![(s.waits, Value::Bool(false))]))
            .collect();
        if rows.is_empty() {
            return Ok(());
        }
        context.amend(SLUG, rows).await?;
    }
}

/// Deletes the rows of a package behind a position.
pub(crate) async fn cut(context: &mut dyn HookContext, package: i64, after: i64) -> Result<()> {
    loop {
        let lookup = Lookup::by_ids("submission", [package])
            .test("position", Test::From(Value::Int(after + 1)))
            .fields(&["id"])
            .limit(1_000);
        let rows = context.find(SLUG, lookup).await?;
        let gone: Vec<Command> = rows.iter().filter_map(|row| Some(Command::Delete(row.get(ID).int()?))).collect();
        if gone.is_empty() {
            return Ok(());
        }
        context.write(SLUG, gone).await?;
    }
}

pub(crate) async fn rows_by_id(context: &mut dyn BookReader, package: i64, ids: Vec<i64>) -> Result<Vec<StoredRow>> {
    let most = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    read(context, Lookup::by_ids("id", ids).is_in("submission", vec![Value::Int(package)]), most).await
}

/// The records that the first rows of a package are, to a position: collection and id.
pub(crate) async fn records(context: &mut dyn BookReader, package: i64, last: i64) -> Result<Vec<(String, i64)>> {
    let s = Slots::get();
    let (mut all, mut after) = (Vec::new(), 0);
    loop {
        let lookup = Lookup::by_ids("submission", [package])
            .test("position", Test::From(Value::Int(after + 1)))
            .test("record", Test::Filled)
            .fields(&["position", "collection", "record"])
            .order(&["position"])
            .limit(STEP);
        let rows = context.find(SLUG, lookup).await?;
        let position = |row: &Record| row.get(s.position).int();
        let Some(read) = rows.last().and_then(position) else { return Ok(all) };
        let within = rows.iter().filter(|row| position(row) <= Some(last));
        all.extend(within.filter_map(|row| {
            let collection = row.get(s.collection).text()?.to_owned();
            Some((collection, row.get(s.record).int()?))
        }));
        if read >= last {
            return Ok(all);
        }
        after = read;
    }
}

/// The place of a mended cell, from 0.
pub(crate) fn place_of(mended: &Json) -> Option<usize> {
    usize::try_from(mended.get("place")?.as_u64()?).ok()?.checked_sub(1)
}

/// The mended cells of rows of a package by position, each with its place from 0: they stand in the place of those of
/// the file when it is read again.
pub(crate) async fn mended_cells(
    context: &mut dyn BookReader,
    package: i64,
    (first, last): (i64, i64),
) -> Result<BTreeMap<i64, Vec<(usize, String)>>> {
    let s = Slots::get();
    let lookup = Lookup::by_ids("submission", [package])
        .test("position", Test::From(Value::Int(first)))
        .test("position", Test::Before(Value::Int(last.saturating_add(1))))
        .test("mended", Test::Filled)
        .fields(&["position", "cells", "mended"]);
    let rows = context.find(SLUG, lookup).await?;
    let cells = |row: &Record| -> Vec<(usize, String)> {
        let cells = row.get(s.cells).rows();
        let cell = |place: usize| cells.get(place).and_then(Json::as_str).unwrap_or_default();
        row.get(s.mended).rows().iter().filter_map(place_of).map(|place| (place, cell(place).to_owned())).collect()
    };
    Ok(rows.iter().filter_map(|row| Some((row.get(s.position).int()?, cells(row)))).collect())
}
