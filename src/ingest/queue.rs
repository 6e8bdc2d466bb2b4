//! The queue of packages: which one is read or checked next and by whom, how far it is, and its end (docs/packages.md,
//! *Reading*).

use crate::rows;
use crate::subjects::Subjects;
use domain::collections::packages::{
    OPEN, UNREAD, by_id, note_outside, tell_failed, tell_read, wait_for_check,
};
use domain::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Command, HookContext, ID, Lookup, Test};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The collection of packages.
pub(crate) const PACKAGES: &str = "data-submissions";
/// How long a package is a worker's that does not say that it still reads it, milliseconds.
const LEASE: i64 = 30_000;
/// How long a package is to be checked by one who took it, milliseconds.
const CHECK: i64 = 120_000;
/// Animals that are named with the package.
pub(crate) const ANIMALS: usize = 10_000;

slots!(Slots of "data-submissions" {
    kind, dataset, status, organization, source_file: "sourceFile", submitted_by: "submittedBy",
    period_from: "periodFrom", period_to: "periodTo", replaces, assignment, mapping, state: "intake.state",
    read_at: "intake.readAt", fault: "intake.fault", message: "intake.message", form: "intake.form",
    encoding: "intake.encoding", sheets: "intake.sheets", rows: "intake.rows", created: "intake.created",
    updated: "intake.updated", unchanged: "intake.unchanged", skipped: "intake.skipped", held: "intake.held",
    removed: "intake.removed", issues: "intake.issues", value_issues: "intake.valueIssues",
    done: "intake.done", attempts: "intake.attempts", worker: "intake.worker", due: "intake.due",
    tried: "intake.tried", told: "intake.told", unchecked: "intake.unchecked",
    period_computed: "intake.periodComputed",
});
slots!(
    /// Slots of `media` that the reader needs.
    Files of "media" { key: "fileKey" }
);
slots!(
    /// Slots of `upload-assignments` that fit a package.
    Assignments of "upload-assignments" { dataset }
);

/// A package whose file is to be read.
#[derive(Debug, Clone)]
pub struct OpenPackage {
    /// Id.
    pub id: i64,
    /// Who sent it.
    pub organization: i64,
    /// The user who sent it.
    pub user: Option<i64>,
    /// Key of the file.
    pub file: Option<String>,
    /// The set, where it is stated.
    pub dataset: Option<String>,
    /// What the sender states of the file.
    pub mapping: Option<Json>,
    /// The package that it replaces.
    pub replaces: Option<i64>,
    /// Rows that were counted.
    pub rows: i64,
    /// Rows that were read so far.
    pub done: i64,
    /// How often it was taken up without progress.
    pub attempts: i64,
    /// When rows that wait were tried last, milliseconds.
    pub tried: Option<i64>,
    /// Whether the file was read before.
    pub again: bool,
    /// How far it is read.
    pub state: String,
    /// Whether its rows may still change.
    pub open: bool,
    /// What was seen of the sheets, where the file was read.
    pub sheets: Option<Json>,
}

impl OpenPackage {
    fn of(record: &Record, files: &BTreeMap<i64, Record>) -> Option<Self> {
        let (s, f) = (Slots::get(), Files::get());
        let text = |slot: usize| record.get(slot).text().map(str::to_owned);
        let file = record.get(s.source_file).int();
        let file = file.and_then(|id| files.get(&id)?.get(f.key).text());
        Some(Self {
            id: record.get(ID).int()?,
            organization: record.get(s.organization).int()?,
            user: record.get(s.submitted_by).int(),
            file: file.map(str::to_owned),
            dataset: text(s.dataset).filter(|set| !set.is_empty()),
            mapping: record.get(s.mapping).as_json().cloned(),
            replaces: record.get(s.replaces).int(),
            rows: record.get(s.rows).int().unwrap_or_default(),
            done: record.get(s.done).int().unwrap_or_default(),
            attempts: record.get(s.attempts).int().unwrap_or_default(),
            tried: record.get(s.tried).time(),
            again: !record.get(s.read_at).is_null(),
            state: text(s.state).unwrap_or_default(),
            open: record
                .get(s.status)
                .text()
                .is_some_and(|status| OPEN.contains(&status)),
            sheets: record.get(s.sheets).as_json().cloned(),
        })
    }
}

/// What was seen of a file before its rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileSummary {
    /// How it is written.
    pub(crate) form: &'static str,
    /// Encoding of a text file.
    pub(crate) encoding: Option<&'static str>,
    /// How sure that is, from 0 to 1.
    pub(crate) encoding_score: Option<f64>,
    /// Its sheets.
    pub(crate) sheets: Json,
    /// The set and its kind, where one is sure.
    pub(crate) set: Option<(&'static str, &'static str)>,
}

/// How a reading ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadEnd {
    /// All rows were read.
    Whole,
    /// The file cannot be read: code and sentence.
    Failed(String, String),
}

/// A package, whatever its state.
///
/// # Errors
/// The errors of the reader.
pub async fn package(context: &mut dyn BookReader, id: i64) -> Result<Option<OpenPackage>> {
    let rows = context.find(PACKAGES, Lookup::by_ids("id", [id])).await?;
    first_open(context, rows).await
}

async fn first_open(
    context: &mut dyn BookReader,
    rows: Vec<Record>,
) -> Result<Option<OpenPackage>> {
    let s = Slots::get();
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let file = row.get(s.source_file).int();
    let files = by_id(context, "media", file, &["fileKey"]).await?;
    Ok(OpenPackage::of(row, &files))
}

/// The conditions of packages that wait to be read, and of those that wait to be checked, as queries, for looks that
/// must not wait for the writer.
pub(crate) fn due_filters() -> [Json; 2] {
    [
        json!({"intake.state": {"in": UNREAD}}),
        json!({"intake.unchecked": {"equals": true}}),
    ]
}

/// Takes the oldest package that nobody reads.
pub(crate) async fn take_up(
    context: &mut dyn HookContext,
    worker: &str,
) -> Result<Option<OpenPackage>> {
    let (s, now) = (Slots::get(), context.now());
    let lookup = Lookup::default()
        .is_in("intake.state", UNREAD.map(Value::from).to_vec())
        .test(
            "intake.due",
            Test::Before(Value::Time(now.saturating_add(1))),
        )
        .order(&["id"])
        .limit(1);
    let rows = context.find(PACKAGES, lookup).await?;
    let Some(package) = first_open(context, rows).await? else {
        return Ok(None);
    };
    let mut values = vec![
        (s.state, "reading".into()),
        (s.attempts, Value::Int(package.attempts + 1)),
        (s.worker, worker.into()),
        (s.due, Value::Time(now.saturating_add(LEASE))),
    ];
    if package.done == 0 {
        for slot in [
            s.rows,
            s.created,
            s.updated,
            s.unchanged,
            s.skipped,
            s.held,
            s.removed,
        ] {
            values.push((slot, Value::Int(0)));
        }
        for slot in [s.fault, s.message, s.issues, s.value_issues] {
            values.push((slot, Value::Null));
        }
    }
    context.amend(PACKAGES, vec![(package.id, values)]).await?;
    Ok(Some(package))
}

/// Whether a worker still reads a package, whose lease is renewed.
pub(crate) async fn holds(context: &mut dyn HookContext, id: i64, worker: &str) -> Result<bool> {
    let s = Slots::get();
    let lookup = Lookup::by_ids("id", [id]).fields(&["intake.state", "intake.worker"]);
    let rows = context.find(PACKAGES, lookup).await?;
    let mine = |row: &Record| {
        row.get(s.state).text() == Some("reading") && row.get(s.worker).text() == Some(worker)
    };
    if !rows.first().is_some_and(mine) {
        return Ok(false);
    }
    let due = Value::Time(context.now().saturating_add(LEASE));
    context
        .amend(PACKAGES, vec![(id, vec![(s.due, due)])])
        .await?;
    Ok(true)
}

/// Stores what was seen of the file. The set and its kind are filled where the sender left the set out.
pub(crate) async fn store_summary(
    context: &mut dyn HookContext,
    package: &OpenPackage,
    file: FileSummary,
) -> Result<()> {
    let s = Slots::get();
    let mut values = vec![
        (s.form, file.form.into()),
        (s.encoding, file.encoding.map_or(Value::Null, Value::from)),
        (s.sheets, Value::json(file.sheets)),
    ];
    if let (None, Some((set, kind))) = (&package.dataset, file.set) {
        values.extend([(s.dataset, set.into()), (s.kind, kind.into())]);
    }
    context.amend(PACKAGES, vec![(package.id, values)]).await
}

/// Notes that rows that wait were tried now.
pub(crate) async fn note_try(context: &mut dyn HookContext, id: i64) -> Result<()> {
    let now = Value::Time(context.now());
    context
        .amend(PACKAGES, vec![(id, vec![(Slots::get().tried, now)])])
        .await
}

/// Ends the reading of a package that is about `subjects`: its animals, its period, an assignment that it fits; rows
/// that an earlier reading left behind the last one go. Until its checks are made it is to be checked ([`take_check`]).
pub(crate) async fn end(
    context: &mut dyn HookContext,
    package: &OpenPackage,
    end: ReadEnd,
    subjects: &Subjects,
) -> Result<()> {
    let (s, now) = (Slots::get(), context.now());
    let lookup = Lookup::by_ids("id", [package.id]);
    let rows = context.find(PACKAGES, lookup).await?;
    let Some(record) = rows.first() else {
        return Ok(());
    };
    let done = record.get(s.done).int().unwrap_or_default();
    rows::cut(context, package.id, done).await?;
    let (due, unchecked) = match end {
        ReadEnd::Whole => (Value::Time(now), true),
        ReadEnd::Failed(..) => (Value::Null, false),
    };
    let mut values = vec![
        (s.worker, Value::Null),
        (s.due, due),
        (s.unchecked, Value::Bool(unchecked)),
        (s.done, Value::Int(0)),
        (s.attempts, Value::Int(0)),
    ];
    match end {
        ReadEnd::Failed(code, message) => {
            let message: String = message.chars().take(250).collect();
            values.extend([
                (s.state, "failed".into()),
                (s.fault, code.as_str().into()),
                (s.message, message.into()),
                (s.told, Value::Bool(true)),
            ]);
            context.amend(PACKAGES, vec![(package.id, values)]).await?;
            // Once, however often another mapping is tried.
            return match record.get(s.told).truth() {
                true => Ok(()),
                false => tell_failed(context, record, &code).await,
            };
        }
        ReadEnd::Whole => values.push((s.state, "read".into())),
    }
    if let Some(former) = package.replaces {
        rows::stand_down(context, former).await?;
        let rows = by_id(context, PACKAGES, [former], &["intake.state"]).await?;
        // Of a file that cannot be read it stays known.
        let read = rows
            .values()
            .any(|row| row.get(s.state).text() != Some("failed"));
        if read {
            let replaced = vec![(s.state, "replaced".into())];
            context.amend(PACKAGES, vec![(former, replaced)]).await?;
        }
    }
    let (animals, span) = (subjects.first(ANIMALS), subjects.span);
    values.push((s.read_at, Value::Time(now)));
    let none_stated = record.get(s.period_from).is_null() && record.get(s.period_to).is_null();
    let computed = none_stated || record.get(s.period_computed).truth();
    if computed {
        let day = |day: Option<i64>| day.map_or(Value::Null, Value::Time);
        values.extend([
            (s.period_from, day(span.map(|(first, _)| first))),
            (s.period_to, day(span.map(|(_, last)| last))),
            (s.period_computed, Value::Bool(true)),
        ]);
    }
    context.amend(PACKAGES, vec![(package.id, values)]).await?;
    if !computed {
        note_outside(context, record).await?;
    }
    let mut fields = vec![("animals".to_owned(), Value::Ids(animals))];
    if record.get(s.assignment).is_null()
        && let Some(fits) = fitting(context, record, span).await?
    {
        fields.push(("assignment".to_owned(), Value::Int(fits)));
    }
    context
        .write(PACKAGES, vec![Command::Update(package.id, fields)])
        .await?;
    // A package that is read again is no news.
    if record.get(s.read_at).is_null() {
        tell_read(context, record).await?;
    }
    wait_for_check(context, record).await
}

/// A package to be checked, and the mark of the state for which it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DueCheck {
    /// Its id.
    pub(crate) id: i64,
    mark: i64,
}

/// Takes a package that was read and is to be checked, the oldest one that nobody checks.
pub(crate) async fn take_check(context: &mut dyn HookContext) -> Result<Option<DueCheck>> {
    let (s, now) = (Slots::get(), context.now());
    let lookup = Lookup::default()
        .is_in("intake.unchecked", vec![Value::Bool(true)])
        .test(
            "intake.due",
            Test::Before(Value::Time(now.saturating_add(1))),
        )
        .fields(&["intake.due"])
        .order(&["id"])
        .limit(1);
    let read = vec!["read".into(), "failed".into(), "replaced".into()];
    for state in [Test::In(read), Test::Empty] {
        let rows = context
            .find(PACKAGES, lookup.clone().test("intake.state", state))
            .await?;
        if let Some(id) = rows.first().and_then(|row| row.get(ID).int()) {
            let mark = now.saturating_add(CHECK);
            let due = vec![(s.due, Value::Time(mark))];
            context.amend(PACKAGES, vec![(id, due)]).await?;
            return Ok(Some(DueCheck { id, mark }));
        }
    }
    Ok(None)
}

/// Ends the check of a package, unless it is to be checked anew since it was taken.
pub(crate) async fn end_check(context: &mut dyn HookContext, check: DueCheck) -> Result<()> {
    let s = Slots::get();
    let lookup = Lookup::by_ids("id", [check.id]).fields(&["intake.due"]);
    let rows = context.find(PACKAGES, lookup).await?;
    if rows.first().and_then(|row| row.get(s.due).time()) != Some(check.mark) {
        return Ok(());
    }
    let checked = vec![(s.due, Value::Null), (s.unchecked, Value::Bool(false))];
    context.amend(PACKAGES, vec![(check.id, checked)]).await
}

/// The open assignment of the farm that a package fits: its set or kind, and days in its period. The one that is due
/// first.
async fn fitting(
    context: &mut dyn HookContext,
    record: &Record,
    span: Option<(i64, i64)>,
) -> Result<Option<i64>> {
    let (s, a) = (Slots::get(), Assignments::get());
    let (Some((first, last)), Some(farm)) = (span, record.get(s.organization).int()) else {
        return Ok(None);
    };
    let lookup = Lookup::by_ids("organization", [farm])
        .is_in("status", vec!["open".into(), "overdue".into()])
        .is_in("kind", vec![record.get(s.kind).clone()])
        .test(
            "periodFrom",
            Test::Before(Value::Time(last.saturating_add(1))),
        )
        .test("periodTo", Test::From(Value::Time(first)))
        .order(&["dueDate"])
        .limit(20);
    let rows = context.find("upload-assignments", lookup).await?;
    let set = record.get(s.dataset).text();
    let fits = rows.iter().find(|row| {
        let dataset = row
            .get(a.dataset)
            .text()
            .filter(|dataset| !dataset.is_empty());
        dataset.is_none_or(|dataset| Some(dataset) == set)
    });
    Ok(fits.and_then(|row| row.get(ID).int()))
}
