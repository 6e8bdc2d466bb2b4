//! Held rows whose cells were mended after the file was sent (docs/packages.md, *Rows*).

use super::intake::{ANIMALS, OpenPackage, PACKAGES, note_outside, put_off_check, submitted};
use super::taken::{retell, retook};
use super::{IntakeSlots, Slots, package};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::row_ids::row_id;
use crate::collections::slots::slots;
use crate::collections::verification::submission_rows::{PackageRow, SLUG, StoredRow, read};
use model::error::Result;
use model::record::{Record, Value, time};
use model::registry::{BookReader, Command, HookContext, ID, Lookup, Test};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that are read at once.
const STEP: i64 = 5_000;

slots!(
    /// Slots of `submission-rows` that mending needs.
    Rows of "submission-rows" {
        position: "position", collection: "collection", record: "record", animal: "animal", cells: "cells",
        mended: "mended",
    }
);

/// Rows of a package by their ids.
///
/// # Errors
/// The errors of the reader.
pub async fn rows_by_id(
    context: &mut dyn BookReader,
    package: i64,
    ids: Vec<i64>,
) -> Result<Vec<StoredRow>> {
    let most = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let package = vec![Value::Int(package)];
    let lookup = Lookup::by_ids("id", ids).is_in("submission", package);
    read(context, lookup, most).await
}

/// The records that rows of a package are: collection and id.
///
/// # Errors
/// The errors of the reader.
pub async fn records(context: &mut dyn BookReader, package: i64) -> Result<Vec<(String, i64)>> {
    let s = Rows::get();
    let (mut all, mut behind) = (Vec::new(), 0);
    loop {
        let lookup = Lookup::by_ids("submission", [package])
            .test("position", Test::From(Value::Int(behind + 1)))
            .test("record", Test::Filled)
            .fields(&["position", "collection", "record"])
            .order(&["position"])
            .limit(STEP);
        let rows = context.find(SLUG, lookup).await?;
        let Some(last) = rows.last().and_then(|row| row.get(s.position).int()) else {
            return Ok(all);
        };
        behind = last;
        all.extend(rows.iter().filter_map(|row| {
            let collection = row.get(s.collection).text()?.to_owned();
            Some((collection, row.get(s.record).int()?))
        }));
    }
}

/// Stores what became of rows that were mended by a user: `before` are the same rows, in the same order, until now.
///
/// # Errors
/// The errors of the context.
pub async fn mended(
    context: &mut dyn HookContext,
    of: &OpenPackage,
    rows: Vec<PackageRow>,
    before: &[StoredRow],
    by: Option<i64>,
) -> Result<()> {
    let (s, n, r) = (Slots::get(), IntakeSlots::get(), Rows::get());
    let at = time::to_iso(context.now());
    let noted = before.iter().zip(&rows).map(|(row, new)| {
        let noted = noted(row, &new.cells, (at.as_str(), by));
        let noted = match noted.is_empty() {
            true => Value::Null,
            false => Value::json(Json::Array(noted)),
        };
        (row.id, vec![(r.mended, noted)])
    });
    let noted = noted.collect();
    context.amend(SLUG, noted).await?;
    retell(context, of.id, &rows, before).await?;
    let states: Vec<_> = before.iter().map(|row| row.state).collect();
    let days: Vec<i64> = rows
        .iter()
        .filter(|row| row.record.is_some())
        .filter_map(|row| row.date)
        .collect();
    let days = days.into_iter();
    retook(context, of, rows, &states).await?;
    let found = context
        .find(PACKAGES, Lookup::by_ids("id", [of.id]))
        .await?;
    let Some(record) = found.first() else {
        return Ok(());
    };
    count(context, of.id).await?;
    let stored = by_id(context, SLUG, before.iter().map(|row| row.id), &["animal"]).await?;
    let new: BTreeSet<i64> = stored
        .values()
        .filter_map(|row| row.get(r.animal).int())
        .collect();
    let mut animals = record.get(s.animals).ids().to_vec();
    let more: Vec<i64> = (new.iter().copied())
        .filter(|id| !animals.contains(id))
        .collect();
    if !more.is_empty() && animals.len() < ANIMALS {
        animals.extend(more);
        animals.truncate(ANIMALS);
        let fields = vec![("animals".to_owned(), Value::Ids(animals))];
        context
            .write(PACKAGES, vec![Command::Update(of.id, fields)])
            .await?;
    }
    match record.get(n.period_computed).truth() {
        true => {
            let ends = [
                (s.period_from, days.clone().min()),
                (s.period_to, days.max()),
            ];
            let wider = ends.into_iter().filter_map(|(slot, day)| {
                let (day, old) = (day?, record.get(slot).time());
                let is_wider = |old| {
                    (slot == s.period_from && day < old) || (slot == s.period_to && day > old)
                };
                old.is_none_or(is_wider).then_some((slot, Value::Time(day)))
            });
            let wider = vec![(of.id, wider.collect())];
            context.amend(PACKAGES, wider).await?;
        }
        false => note_outside(context, record).await?,
    }
    if record.get(s.status).text() == Some("checking") {
        let none = BTreeSet::new();
        package::settle(context, of.id, "unverified", "pending", (&none, "")).await?;
    }
    submitted(context, of.id, &new).await?;
    put_off_check(context, of.id).await
}

/// What is noted of a row: each cell that is not as the file has it, and who mended it when.
fn noted(row: &StoredRow, cells: &[String], (at, by): (&str, Option<i64>)) -> Vec<Json> {
    let mut known: BTreeMap<usize, Json> = (row.mended.iter())
        .filter_map(|one| Some((place_of(one)?, one.clone())))
        .collect();
    for place in 0..row.cells.len().max(cells.len()) {
        let text = |cells: &[String]| cells.get(place).cloned().unwrap_or_default();
        let (now, until_now) = (text(cells), text(&row.cells));
        if now == until_now {
            continue;
        }
        let was = match known.remove(&place) {
            Some(one) => was_of(&one).to_owned(),
            None => until_now,
        };
        if was != now {
            let place_of_people = place.saturating_add(1);
            let one =
                json!({"id": row_id(), "place": place_of_people, "was": was, "at": at, "by": by});
            known.insert(place, one);
        }
    }
    known.into_values().collect()
}

/// The place of a column, from 0.
fn place_of(one: &Json) -> Option<usize> {
    let place = one.get("place")?.as_u64()?;
    usize::try_from(place).ok()?.checked_sub(1)
}

fn was_of(one: &Json) -> &str {
    one.get("was").and_then(Json::as_str).unwrap_or_default()
}

/// Counts the rows that were mended.
async fn count(context: &mut dyn HookContext, package: i64) -> Result<()> {
    let lookup = Lookup::by_ids("submission", [package])
        .test("mended", Test::Filled)
        .fields(&["id"]);
    let rows = context.find(SLUG, lookup).await?;
    let rows = match rows.len() {
        0 => Value::Null,
        rows => Value::Int(i64::try_from(rows).unwrap_or(i64::MAX)),
    };
    let counted = vec![(IntakeSlots::get().mended, rows)];
    context.amend(PACKAGES, vec![(package, counted)]).await
}

/// The mended cells of rows of a package by position, each with its place from 0: they stand in the place of those of
/// the file when it is read again.
///
/// # Errors
/// The errors of the reader.
pub async fn mended_cells(
    context: &mut dyn BookReader,
    package: i64,
    (first, last): (i64, i64),
) -> Result<BTreeMap<i64, Vec<(usize, String)>>> {
    let s = Rows::get();
    let lookup = Lookup::by_ids("submission", [package])
        .test("position", Test::From(Value::Int(first)))
        .test("position", Test::Before(Value::Int(last.saturating_add(1))))
        .test("mended", Test::Filled)
        .fields(&["position", "cells", "mended"]);
    let rows = context.find(SLUG, lookup).await?;
    let cells = |row: &Record| -> Vec<(usize, String)> {
        let cells = row.get(s.cells).rows();
        let cell = |place: usize| cells.get(place).and_then(Json::as_str).unwrap_or_default();
        let places = row.get(s.mended).rows().iter().filter_map(place_of);
        places
            .map(|place| (place, cell(place).to_owned()))
            .collect()
    };
    let rows = rows
        .iter()
        .filter_map(|row| Some((row.get(s.position).int()?, cells(row))));
    Ok(rows.collect())
}

/// Forgets what was mended of a package: it got another file.
pub(super) async fn forget(context: &mut dyn HookContext, package: i64) -> Result<()> {
    let lookup = Lookup::by_ids("submission", [package])
        .test("mended", Test::Filled)
        .fields(&["id"]);
    let rows = context.find(SLUG, lookup).await?;
    let mended = Rows::get().mended;
    let none = (rows.iter().filter_map(|row| row.get(ID).int()))
        .map(|id| (id, vec![(mended, Value::Null)]));
    let none = none.collect();
    context.amend(SLUG, none).await?;
    count(context, package).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::verification::submission_rows::RowState;

    #[test]
    fn what_the_file_has_is_noted_of_each_cell_that_differs() {
        let texts = |cells: &[&str]| -> Vec<String> {
            cells.iter().map(|cell| (*cell).to_owned()).collect()
        };
        let mut row = StoredRow {
            id: 1,
            ident: None,
            position: 1,
            sheet: None,
            line: 2,
            state: RowState::Held,
            cells: texts(&["a", "b"]),
            record: None,
            before: None,
            mended: Vec::new(),
        };
        let told = |mended: &[Json]| -> Vec<(usize, String)> {
            let told = mended.iter();
            told.map(|one| (place_of(one).unwrap(), was_of(one).to_owned()))
                .collect()
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
            let want: Vec<_> = want
                .iter()
                .map(|(at, was)| (*at, (*was).to_owned()))
                .collect();
            assert_eq!(told(&row.mended), want);
        }
    }
}
