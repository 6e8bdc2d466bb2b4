//! Rows of packages as they were sent, with what became of each (docs/packages.md, *Rows*).

use crate::collections::events::measures::JSON_BYTES;
use crate::collections::slots::slots;
use crate::collections::verification::submissions::changed;
use model::error::Result;
use model::messages::{Language, stored};
use model::record::{Record, Value};
use model::registry::{
    Access, BookReader, Class, Collection, HookContext, ID, Lookup, Rule, SentRows, Test, Wording,
    boolean, day, fields, instant, int, json, long_text, relation, rows, select, text, text_n,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Its name.
pub(crate) const SLUG: &str = "submission-rows";
/// Rows that are judged of a package.
const OUTSIDE: i64 = 5_000;
/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// The collection.
pub(crate) fn submission_rows() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["organization"]);
    let fields = fields![
        relation("submission", "data-submissions").required().cascade() => "The package.",
        relation("organization", "organizations").required() => "Who sent it.",
        int("position").required() => "Number of the row among all rows of the file, from 1.",
        text_n("sheet", 120) => "Name of the sheet, in workbooks.",
        int("line") => "Row of the sheet, or line of the text file, as programs show it.",
        text("ident") => "Number of the animal as written.",
        select("state", "created|updated|unchanged|skipped|held") => "What became of it.",
        text_n("dataset", 20).wording(Wording::Set) => "The set of the row.",
        text_n("collection", 40) => "Collection of its record.",
        int("record") => "Id of its record.",
        relation("animal", "animals") => "The animal that it is about.",
        day("date") => "Day that it is about.",
        json("cells").bytes(JSON_BYTES) => "The cells as they were written, in the order of the columns.",
        rows("faults", [
            text("column").doc("Header of the column."),
            text("path").doc("Path of the field."),
            text_n("code", 40).doc("What is wrong, as a code."),
            text("value").doc("The cell as it was written."),
            long_text("message").doc("What is wrong."),
            text("expected").doc("What may stand there."),
        ]) => "Why it was not taken, or which of its values were left out.",
        rows("mended", [
            int("place").doc("Number of the column, from 1."),
            long_text("was").doc("The cell as the file has it."),
            instant("at").doc("When it was mended last."),
            relation("by", "users").doc("Who mended it."),
        ]) => "Cells that were mended since the file was sent.",
        boolean("waits").class(Class::Hidden) => "It may be taken when other records are there.",
        json("before").bytes(JSON_BYTES).class(Class::Hidden)
            => "Of each value of the record that the row changed: what it was before, and since then.",
    ];
    Collection::new(SLUG, access, fields)
        .singular("Row of a Package")
        .sort("position")
        .unique(&["submission", "position"])
        .index(&["submission", "state", "position"])
        .index(&["organization", "waits"])
        .sent_rows(SentRows {
            line: "line",
            sheet: "sheet",
            state: "state",
            ident: "ident",
            animal: "animal",
            collection: "collection",
            record: "record",
            cells: "cells",
            faults: "faults",
            mended: "mended",
        })
        .doc("Rows of packages as they were sent, and what became of each.")
}

slots!(
    /// Slots of `submission-rows`.
    Slots of "submission-rows" {
        submission: "submission", organization: "organization", position: "position", sheet: "sheet", line: "line",
        ident: "ident", state: "state", dataset: "dataset", collection: "collection", record: "record",
        animal: "animal", date: "date", cells: "cells", faults: "faults", waits: "waits", before: "before", mended: "mended",
    }
);

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowState {
    /// It made a record.
    Created,
    /// It changed one.
    Updated,
    /// The book had it.
    Unchanged,
    /// It is no record.
    Skipped,
    /// It could not be taken.
    Held,
}

impl RowState {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Created,
        Self::Updated,
        Self::Unchanged,
        Self::Skipped,
        Self::Held,
    ];

    /// As it is stored.
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
        match word {
            Some("created") => Self::Created,
            Some("updated") => Self::Updated,
            Some("unchanged") => Self::Unchanged,
            Some("skipped") => Self::Skipped,
            _ => Self::Held,
        }
    }
}

/// What is wrong with a row, or with one of its cells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowFault {
    /// Header of the column; empty: the whole row.
    pub column: String,
    /// Path of the field.
    pub path: String,
    /// What is wrong, as a code.
    pub code: String,
    /// The cell as it was written.
    pub value: String,
    /// What is wrong.
    pub message: String,
    /// What may stand there.
    pub expected: String,
}

impl RowFault {
    /// As it is shown.
    pub fn json(&self) -> Json {
        json!({
            "column": self.column, "path": self.path, "code": self.code, "value": self.value,
            "message": self.message, "expected": self.expected,
        })
    }
}

/// A row of a package.
#[derive(Debug, Clone, PartialEq)]
pub struct PackageRow {
    /// Number among all rows of the file, from 1.
    pub position: i64,
    /// Name of the sheet.
    pub sheet: Option<String>,
    /// Row of the sheet, or line.
    pub line: i64,
    /// Number of the animal as written.
    pub ident: Option<String>,
    /// What became of it.
    pub state: RowState,
    /// Its set.
    pub dataset: &'static str,
    /// Collection of its record.
    pub collection: &'static str,
    /// Its record.
    pub record: Option<i64>,
    /// The animal that it is about.
    pub animal: Option<i64>,
    /// The day that it is about, milliseconds.
    pub date: Option<i64>,
    /// The cells.
    pub cells: Vec<String>,
    /// What is wrong with it.
    pub faults: Vec<RowFault>,
    /// Whether it may be taken later.
    pub waits: bool,
    /// What its record was before ([`super::submissions::changed::changed_values`]).
    pub before: Option<Json>,
}

/// A row as it is stored.
#[derive(Debug, Clone)]
pub struct StoredRow {
    /// Id of the row.
    pub id: i64,
    /// Number of the animal as written.
    pub ident: Option<String>,
    /// Number among all rows of the file.
    pub position: i64,
    /// Name of the sheet.
    pub sheet: Option<String>,
    /// Row of the sheet, or line.
    pub line: i64,
    /// What became of it so far.
    pub state: RowState,
    /// The cells.
    pub cells: Vec<String>,
    /// Collection and id of its record.
    pub record: Option<(String, i64)>,
    /// What its record was before.
    pub before: Option<Json>,
    /// Cells that were mended: members of the list of that name.
    pub mended: Vec<Json>,
}

/// Stores rows of a package: those that an earlier reading stored are overwritten.
///
/// # Errors
/// The errors of the context.
pub(crate) async fn store(
    context: &mut dyn HookContext,
    package: i64,
    organization: i64,
    rows: Vec<PackageRow>,
) -> Result<()> {
    let s = Slots::get();
    let (Some(first), Some(last)) = (
        rows.iter().map(|r| r.position).min(),
        rows.iter().map(|r| r.position).max(),
    ) else {
        return Ok(());
    };
    let known = Lookup::by_ids("submission", [package])
        .test("position", Test::From(Value::Int(first)))
        .test("position", Test::Before(Value::Int(last + 1)))
        .fields(&["position", "state", "collection", "record", "before"]);
    let known = context.find(SLUG, known).await?;
    let known: BTreeMap<i64, (i64, &Record)> = (known.iter())
        .filter_map(|row| Some((row.get(s.position).int()?, (row.get(ID).int()?, row))))
        .collect();
    let (mut again, mut new) = (Vec::new(), Vec::new());
    let width = context.collection(SLUG)?.width();
    for mut row in rows {
        let known = known.get(&row.position);
        if let Some((_, stored)) = known {
            let record = (stored.get(s.collection).text()).zip(stored.get(s.record).int());
            if row
                .record
                .is_some_and(|id| record == Some((row.collection, id)))
            {
                let made = stored.get(s.state).text() == Some(RowState::Created.word());
                row.before = changed::again(made, stored.get(s.before).as_json(), row.before);
            }
        }
        let values = values(package, organization, &row);
        match known {
            Some((id, _)) => again.push((*id, values)),
            None => {
                let mut record = Record::empty(width);
                for (slot, value) in values {
                    record.set(slot, value);
                }
                new.push(record);
            }
        }
    }
    context.amend(SLUG, again).await?;
    context.log(SLUG, new).await
}

fn values(package: i64, organization: i64, row: &PackageRow) -> Vec<(usize, Value)> {
    let s = Slots::get();
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
    let faults: Vec<Json> = row.faults.iter().map(RowFault::json).collect();
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
        (
            s.faults,
            if faults.is_empty() {
                Value::Null
            } else {
                Value::json(Json::Array(faults))
            },
        ),
        (s.waits, Value::Bool(row.waits)),
        (
            s.before,
            row.before.clone().map_or(Value::Null, Value::json),
        ),
    ]
}

/// Rows of a package behind a position, those in some states (none: all), in order.
///
/// # Errors
/// The errors of the reader.
pub async fn stored_rows(
    context: &mut dyn BookReader,
    package: i64,
    states: &[RowState],
    behind: i64,
    most: i64,
) -> Result<Vec<StoredRow>> {
    let mut lookup = Lookup::by_ids("submission", [package])
        .test("position", Test::From(Value::Int(behind + 1)));
    if !states.is_empty() {
        lookup = lookup.is_in(
            "state",
            states.iter().map(|state| state.word().into()).collect(),
        );
    }
    read(context, lookup, most).await
}

/// A row with the reasons why it was not taken, or values of it.
#[derive(Debug, Clone)]
pub struct ToldRow {
    /// The row.
    pub row: StoredRow,
    /// The reasons.
    pub reasons: Vec<String>,
}

/// The same with what is wrong with each, in a language.
///
/// # Errors
/// The errors of the reader.
pub async fn told_rows(
    context: &mut dyn BookReader,
    language: Language,
    package: i64,
    states: &[RowState],
    (behind, most): (i64, i64),
) -> Result<Vec<ToldRow>> {
    let rows = stored_rows(context, package, states, behind, most).await?;
    let s = Slots::get();
    let lookup = Lookup::by_ids("id", rows.iter().map(|row| row.id)).fields(&["faults"]);
    let faults = context.find(SLUG, lookup).await?;
    let faults: BTreeMap<i64, &Record> = (faults.iter())
        .filter_map(|row| Some((row.get(ID).int()?, row)))
        .collect();
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
    let told = rows.into_iter().map(|row| {
        let faults = faults
            .get(&row.id)
            .map_or(&[][..], |record| record.get(s.faults).rows());
        ToldRow {
            reasons: faults.iter().map(reason).collect(),
            row,
        }
    });
    Ok(told.collect())
}

/// Rows of a package that wait for other records, behind a position, in order.
///
/// # Errors
/// The errors of the reader.
pub async fn waiting_rows(
    context: &mut dyn BookReader,
    package: i64,
    behind: i64,
    most: i64,
) -> Result<Vec<StoredRow>> {
    let lookup = Lookup::by_ids("submission", [package])
        .test("position", Test::From(Value::Int(behind + 1)))
        .is_in("waits", vec![Value::Bool(true)]);
    read(context, lookup, most).await
}

pub(super) async fn read(
    context: &mut dyn BookReader,
    lookup: Lookup,
    most: i64,
) -> Result<Vec<StoredRow>> {
    let s = Slots::get();
    let fields = [
        "ident",
        "position",
        "sheet",
        "line",
        "state",
        "cells",
        "collection",
        "record",
        "before",
        "mended",
    ];
    let lookup = lookup.fields(&fields).order(&["position"]).limit(most);
    let rows = context.find(SLUG, lookup).await?;
    let stored = |row: &Record| {
        let cells = row.get(s.cells).as_json().and_then(Json::as_array);
        let cells = cells
            .into_iter()
            .flatten()
            .map(|cell| cell.as_str().unwrap_or_default().to_owned());
        Some(StoredRow {
            id: row.get(ID).int()?,
            ident: row.get(s.ident).text().map(str::to_owned),
            position: row.get(s.position).int()?,
            sheet: row.get(s.sheet).text().map(str::to_owned),
            line: row.get(s.line).int().unwrap_or_default(),
            state: RowState::read(row.get(s.state).text()),
            cells: cells.collect(),
            record: (row.get(s.collection).text().map(str::to_owned)).zip(row.get(s.record).int()),
            before: row.get(s.before).as_json().cloned(),
            mended: row.get(s.mended).rows().to_vec(),
        })
    };
    Ok(rows.iter().filter_map(stored).collect())
}

/// What a row is about.
#[derive(Debug)]
pub(crate) struct RowAbout {
    pub(crate) position: i64,
    pub(crate) animal: Option<i64>,
    /// Milliseconds.
    pub(crate) day: Option<i64>,
    pub(crate) collection: String,
    pub(crate) faults: Vec<Json>,
}

/// What the rows of a package behind a position are about, in order.
pub(crate) async fn about(
    context: &mut dyn BookReader,
    package: i64,
    behind: i64,
    most: i64,
) -> Result<Vec<RowAbout>> {
    let s = Slots::get();
    let lookup = Lookup::by_ids("submission", [package])
        .test("position", Test::From(Value::Int(behind + 1)))
        .fields(&["position", "animal", "date", "collection", "faults"])
        .order(&["position"])
        .limit(most);
    let rows = context.find(SLUG, lookup).await?;
    let about = rows.iter().filter_map(|row| {
        Some(RowAbout {
            position: row.get(s.position).int()?,
            animal: row.get(s.animal).int(),
            day: row.get(s.date).time(),
            collection: row.get(s.collection).text().unwrap_or_default().to_owned(),
            faults: row.get(s.faults).rows().to_vec(),
        })
    });
    Ok(about.collect())
}

/// Rows that became records and are dated before or after a period: id, animal and day; the first of them.
pub(crate) async fn outside(
    context: &mut dyn BookReader,
    package: i64,
    from: Option<i64>,
    to: Option<i64>,
) -> Result<Vec<(i64, Option<i64>, i64)>> {
    let s = Slots::get();
    let before = from.map(|from| Test::Before(Value::Time(from)));
    let behind = to.map(|to| Test::From(Value::Time(to.saturating_add(DAY))));
    let mut found = Vec::new();
    for test in before.into_iter().chain(behind) {
        let lookup = Lookup::by_ids("submission", [package])
            .test("date", test)
            .fields(&["animal", "date"])
            .order(&["position"])
            .limit(OUTSIDE);
        let rows = context.find(SLUG, lookup).await?;
        found.extend(rows.iter().filter_map(|row| {
            Some((
                row.get(ID).int()?,
                row.get(s.animal).int(),
                row.get(s.date).time()?,
            ))
        }));
    }
    Ok(found)
}

/// Adds faults to rows by their id.
pub(crate) async fn add_faults(
    context: &mut dyn HookContext,
    faults: BTreeMap<i64, RowFault>,
) -> Result<()> {
    let s = Slots::get();
    let lookup = Lookup::by_ids("id", faults.keys().copied()).fields(&["faults"]);
    let rows = context.find(SLUG, lookup).await?;
    let amended = rows.iter().filter_map(|row| {
        let id = row.get(ID).int()?;
        let fault = faults.get(&id)?;
        let mut all = row.get(s.faults).rows().to_vec();
        all.retain(|one| one.get("code").and_then(Json::as_str) != Some(&fault.code));
        all.push(fault.json());
        Some((id, vec![(s.faults, Value::json(Json::Array(all)))]))
    });
    let amended = amended.collect();
    context.amend(SLUG, amended).await
}

/// Packages of a farm with rows that wait for other records; of all farms where none is named.
///
/// # Errors
/// The errors of the reader.
pub async fn packages_that_wait(
    context: &mut dyn BookReader,
    behind: i64,
    most: i64,
) -> Result<Vec<i64>> {
    let s = Slots::get();
    let lookup = Lookup::default()
        .is_in("waits", vec![Value::Bool(true)])
        .test("submission", Test::From(Value::Int(behind + 1)))
        .fields(&["submission"])
        .order(&["submission"])
        .limit(most);
    let rows = context.find(SLUG, lookup).await?;
    let mut found: Vec<i64> = rows
        .iter()
        .filter_map(|row| row.get(s.submission).int())
        .collect();
    found.dedup();
    Ok(found)
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
pub(crate) async fn cut(context: &mut dyn HookContext, package: i64, behind: i64) -> Result<()> {
    use model::registry::Command;
    loop {
        let lookup = Lookup::by_ids("submission", [package])
            .test("position", Test::From(Value::Int(behind + 1)))
            .fields(&["id"])
            .limit(1_000);
        let rows = context.find(SLUG, lookup).await?;
        let gone: Vec<Command> = rows
            .iter()
            .filter_map(|row| Some(Command::Delete(row.get(ID).int()?)))
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        context.write(SLUG, gone).await?;
    }
}
