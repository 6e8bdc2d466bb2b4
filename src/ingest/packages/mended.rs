//! Held rows whose cells are mended in place: they are tried again with the meaning of the columns and the notation that
//! are stored with the package (docs/packages.md, *Rows*).

use crate::Schemes;
use crate::files::sheet::{FileRow, OTHER_TABLE, PackageSheet};
use crate::meanings::known_columns::KnownColumns;
use crate::packages::mended_cells::put_cell;
use crate::packages::outcomes::{replace_issues, store_outcomes};
use crate::packages::piece::{Intake, read_record_ids};
use crate::packages::queue::{self, ANIMALS, OpenPackage, PACKAGES};
use crate::packages::rows::{self, PackageRow, RowState, SLUG, StoredRow, place_of};
use crate::packages::waiting::{file_row, has_documents, stored_sheets};
use domain::collections::packages::{
    Mapping, by_id, count_mended, note_outside, put_off_check, row_id, submitted, wait_for_check,
};
use domain::slots;
use exchange::Exchange;
use model::error::{Error, Issue, Result};
use model::record::{Value, time};
use model::registry::{Command, HookContext, Lookup, Principal};
use model::said;
use ops::Book;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Longest cell, bytes: that of a file.
const CELL: usize = 32 << 10;
/// Most cells of a row.
const CELLS: usize = 512;

slots!(Rows of "submission-rows" { animal, date, mended });
slots!(Packages of "data-submissions" {
    animals, period_from: "periodFrom", period_to: "periodTo", period_computed: "intake.periodComputed",
});

/// A held row with what is mended of it.
#[derive(Debug, Clone)]
pub struct MendedRow {
    pub id: i64,
    pub cells: MendedCells,
}

/// The cells of a row that is mended.
#[derive(Debug, Clone)]
pub enum MendedCells {
    /// Some, by the title of their column.
    Titled(BTreeMap<String, String>),
    /// All, in the order of the columns.
    All(Vec<String>),
}

/// Tries held rows of a package again, with mended cells, as the caller. What became of each, in their order.
///
/// # Errors
/// [`Error::NotFound`] when there is no such package; [`Error::Forbidden`] for callers of another farm;
/// [`Error::Invalid`] with what is wrong with each row; the errors of the database.
pub async fn mend(
    book: &Book,
    caller: &Arc<Principal>,
    (exchange, schemes): (&Exchange, &Schemes),
    package: i64,
    rows: Vec<MendedRow>,
) -> Result<Vec<Json>> {
    let (registry, caller, schemes) = (book.registry, Arc::clone(caller), schemes.clone());
    let dialects = KnownColumns::default().with_dialects(exchange).dialects;
    book.transact(move |work| {
        Box::pin(async move {
            let package = queue::package(work, package).await?.ok_or(Error::NotFound)?;
            if !caller.sees_all() && caller.organization != Some(package.organization) {
                return Err(Error::forbidden());
            }
            may_be_mended(&package)?;
            let mapping = Mapping::read(registry, package.mapping.as_ref()).unwrap_or_default();
            let known_columns = KnownColumns { dialects, ..KnownColumns::load(work, mapping).await? };
            let sheets = stored_sheets(registry, &known_columns, package.sheets.as_ref());
            let ids = rows.iter().map(|row| row.id).collect();
            let stored = rows::rows_by_id(work, package.id, ids).await?;
            let order: Vec<i64> = rows.iter().map(|row| row.id).collect();
            let (before, mended): (Vec<StoredRow>, Vec<FileRow>) = ready(&sheets, stored, rows)?.into_iter().unzip();
            let by = caller.user;
            let intake = Intake::new(caller, package.organization, Some(package.id), sheets, &schemes);
            let mut record_ids = read_record_ids(work, registry, package.id, i64::MAX).await?;
            let results = intake.write(work, &mended, &mut record_ids).await?;
            store(work, &package, results.clone(), &before, by).await?;
            let results: BTreeMap<i64, Json> =
                (before.iter().zip(&results)).map(|(row, written)| (row.id, result(row.id, written))).collect();
            Ok(order.iter().filter_map(|id| results.get(id).cloned()).collect())
        })
    })
    .await
}

/// What keeps the rows of a package from being mended.
fn may_be_mended(package: &OpenPackage) -> Result<()> {
    let closed = |message: &'static str| Err(Error::invalid("rows", "package-closed", message));
    match package.state.as_str() {
        _ if !package.open => closed("The rows of a package that was checked do not change any more."),
        "read" if has_documents(package) => {
            let message = "The rows of this package are documents: mend them and send them as a new package.";
            Err(Error::invalid("rows", "no-columns", message))
        }
        "read" => Ok(()),
        "waiting" | "reading" => {
            let message = "The rows of this package are not all read yet.";
            Err(Error::invalid("rows", "not-read", message))
        }
        _ => {
            closed("Its file cannot be read, or another package took its place: send the mended file as a new package.")
        }
    }
}

/// The rows as they are tried, each with the stored one, in the order of the file.
fn ready(sheets: &[PackageSheet], stored: Vec<StoredRow>, rows: Vec<MendedRow>) -> Result<Vec<(StoredRow, FileRow)>> {
    let names: Vec<String> = sheets.iter().map(|sheet| sheet.name.clone()).collect();
    let mut stored: BTreeMap<i64, StoredRow> = stored.into_iter().map(|row| (row.id, row)).collect();
    let (mut ready, mut issues, mut met) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (place, row) in rows.into_iter().enumerate() {
        let at = |path: &str| format!("{place}.{path}");
        if !met.insert(row.id) {
            issues.push(Issue::error(at("id"), "not-unique", "This row stands here twice."));
            continue;
        }
        let Some(stored_row) = stored.remove(&row.id) else {
            let message = "The package has no row with this id.";
            issues.push(Issue::error(at("id"), "no-such-row", message));
            continue;
        };
        let sheet = file_row(&stored_row, &names).and_then(|file| Some((sheets.get(file.sheet)?, file)));
        let Some((sheet, file)) = sheet.filter(|_| is_open(&stored_row)) else {
            let message = "Only a row that is held can be mended.";
            issues.push(Issue::error(at("id"), "not-held", message));
            continue;
        };
        if is_of_other_table(&stored_row) {
            let message = "This row stands in another table of its sheet: send that table as a file of its own.";
            issues.push(Issue::error(at("id"), "not-held", message));
            continue;
        }
        match cells(sheet, &file.cells, row.cells, &at("cells")) {
            Ok(cells) => ready.push((stored_row, FileRow { cells, ..file })),
            Err(wrong) => issues.extend(wrong),
        }
    }
    if !issues.is_empty() {
        return Err(Error::Invalid(issues));
    }
    // Rows of a sheet are written together.
    ready.sort_by_key(|(_, file)| (file.sheet, file.position));
    Ok(ready)
}

/// Whether a row can be mended: it is held, or what was mended made it no record.
fn is_open(row: &StoredRow) -> bool {
    row.state == RowState::Held || (row.state == RowState::Skipped && !row.mended.is_empty())
}

/// Whether a row stands below the header of another table: its cells are not what the columns say.
fn is_of_other_table(row: &StoredRow) -> bool {
    row.faults.iter().any(|fault| fault.get("code").and_then(Json::as_str) == Some(OTHER_TABLE))
}

/// The cells of a row with what is mended of it.
fn cells(
    sheet: &PackageSheet,
    stored: &[String],
    mended: MendedCells,
    path: &str,
) -> std::result::Result<Vec<String>, Vec<Issue>> {
    let mut issues = Vec::new();
    let cells = match mended {
        MendedCells::All(cells) => {
            if cells.len() < stored.len() {
                issues.push(Issue::error(path, "wrong-type", "A list has all cells of the row."));
            }
            cells
        }
        MendedCells::Titled(titled) => {
            let mut cells = stored.to_vec();
            for (title, text) in titled {
                let columns = sheet.columns.iter().enumerate();
                let mut places = columns.filter(|(_, column)| column.title == title);
                let fault = match (places.next(), places.next()) {
                    (Some((place, _)), None) => {
                        put_cell(&mut cells, place, text);
                        continue;
                    }
                    (None, _) => ("no-such-column", "The sheet has no column of this title."),
                    (Some(_), Some(_)) => {
                        ("ambiguous-column", "Several columns have this title: send all cells of the row as a list.")
                    }
                };
                issues.push(Issue::error(format!("{path}.{title}"), fault.0, fault.1));
            }
            cells
        }
    };
    if cells.len() > CELLS || cells.iter().any(|cell| cell.len() > CELL) {
        let message =
            said!("A row has at most {most} cells, and a cell at most {limit} bytes.", most = CELLS, limit = CELL);
        issues.push(Issue::error(path, "too-long", message));
    }
    if issues.is_empty() { Ok(cells) } else { Err(issues) }
}

/// What became of a row, as it is answered.
fn result(id: i64, row: &PackageRow) -> Json {
    json!({
        "id": id, "position": row.position, "sheet": row.sheet, "line": row.line, "ident": row.ident,
        "state": row.state.word(), "dataset": row.dataset, "collection": row.collection, "record": row.record,
        "cells": row.cells, "faults": row.faults,
    })
}

/// Stores what became of rows that were mended by a user: `before` are the same rows, in the same order, until now.
async fn store(
    context: &mut dyn HookContext,
    of: &OpenPackage,
    rows: Vec<PackageRow>,
    before: &[StoredRow],
    by: Option<i64>,
) -> Result<()> {
    let (s, r) = (Packages::get(), Rows::get());
    let at = time::to_iso(context.now());
    let noted = before.iter().zip(&rows).map(|(row, new)| {
        let noted = noted(row, &new.cells, (at.as_str(), by));
        (row.id, vec![(r.mended, rows::list(noted))])
    });
    context.amend(SLUG, noted.collect()).await?;
    replace_issues(context, of.id, &rows, before).await?;
    let states: Vec<_> = before.iter().map(|row| row.state).collect();
    store_outcomes(context, of, rows, &states).await?;
    let packages = context.find(PACKAGES, Lookup::by_ids("id", [of.id])).await?;
    let Some(record) = packages.first() else { return Ok(()) };
    count_mended(context, of.id).await?;
    let ids = before.iter().map(|row| row.id);
    let stored = by_id(context, SLUG, ids, &["animal", "date"]).await?;
    let days: Vec<i64> = stored.values().filter_map(|row| row.get(r.date).time()).collect();
    let new: BTreeSet<i64> = stored.values().filter_map(|row| row.get(r.animal).int()).collect();
    let mut animals = record.get(s.animals).ids().to_vec();
    let more: Vec<i64> = (new.iter().copied()).filter(|id| !animals.contains(id)).collect();
    if !more.is_empty() && animals.len() < ANIMALS {
        animals.extend(more);
        animals.truncate(ANIMALS);
        context
            .write(PACKAGES, vec![Command::Update(of.id, vec![("animals".to_owned(), Value::Ids(animals))])])
            .await?;
    }
    match record.get(s.period_computed).truth() {
        true => {
            let ends = [(s.period_from, days.iter().min().copied()), (s.period_to, days.iter().max().copied())];
            let wider = ends.into_iter().filter_map(|(slot, day)| {
                let (day, old) = (day?, record.get(slot).time());
                let is_wider = |old| (slot == s.period_from && day < old) || (slot == s.period_to && day > old);
                old.is_none_or(is_wider).then_some((slot, Value::Time(day)))
            });
            context.amend(PACKAGES, vec![(of.id, wider.collect())]).await?;
        }
        false => note_outside(context, record).await?,
    }
    wait_for_check(context, record).await?;
    submitted(context, of.id, &new).await?;
    put_off_check(context, of.id).await
}

/// What is noted of a row: each cell that is not as the file has it, and who mended it when.
fn noted(row: &StoredRow, cells: &[String], (at, by): (&str, Option<i64>)) -> Vec<Json> {
    let mut by_column: BTreeMap<usize, Json> =
        (row.mended.iter()).filter_map(|one| Some((place_of(one)?, one.clone()))).collect();
    for place in 0..row.cells.len().max(cells.len()) {
        let text = |cells: &[String]| cells.get(place).cloned().unwrap_or_default();
        let (now, until_now) = (text(cells), text(&row.cells));
        if now == until_now {
            continue;
        }
        let was = if let Some(one) = by_column.remove(&place) { was_of(&one).to_owned() } else { until_now };
        if was != now {
            let place_of_people = place.saturating_add(1);
            let one = json!({"id": row_id(), "place": place_of_people, "was": was, "at": at, "by": by});
            by_column.insert(place, one);
        }
    }
    by_column.into_values().collect()
}

fn was_of(one: &Json) -> &str {
    one.get("was").and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_file_has_is_noted_of_each_cell_that_differs() {
        let texts = |cells: &[&str]| -> Vec<String> { cells.iter().map(|cell| (*cell).to_owned()).collect() };
        let mut row = StoredRow {
            id: 1,
            ident: None,
            position: 1,
            sheet: None,
            line: 2,
            state: RowState::Held,
            cells: texts(&["a", "b"]),
            faults: Vec::new(),
            record: None,
            before: None,
            mended: Vec::new(),
        };
        let entries = |mended: &[Json]| -> Vec<(usize, String)> {
            mended.iter().map(|one| (place_of(one).unwrap(), was_of(one).to_owned())).collect()
        };
        for (cells, want) in [
            (&["a", "c"][..], &[(1, "b")][..]),
            (&["x", "d"], &[(0, "a"), (1, "b")]),
            (&["x", "b", "e"], &[(0, "a"), (2, "")]),
            (&["a", "b"], &[]),
        ] {
            let cells = texts(cells);
            row.mended = noted(&row, &cells, ("2026-03-01T12:00:00.000Z", Some(3)));
            row.cells = cells;
            let want: Vec<_> = want.iter().map(|(at, was)| (*at, (*was).to_owned())).collect();
            assert_eq!(entries(&row.mended), want);
        }
    }
}
