//! How far the file of a package is read: taken up by a worker, progress, the end (docs/packages.md, *Reading*).

use super::subjects::Subjects;
use super::{IntakeSlots, Slots};
use super::{package, period, told};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::people::trust;
use crate::collections::slots::slots;
use crate::collections::verification::submission_rows::{self, RowFault};
use checks::Language;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Command, Draft, HookContext, ID, Lookup, Test, Verb};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// The collection of packages.
pub(super) const PACKAGES: &str = "data-submissions";
/// Animals that are named with the package.
pub(super) const ANIMALS: usize = 10_000;
/// States in which the rows of a package may still change.
const OPEN: [&str; 2] = ["uploaded", "checking"];
/// States of the intake in which there is something to read.
const UNREAD: [&str; 2] = ["waiting", "reading"];

slots!(
    /// Slots of `media` that the reader needs.
    Files of "media" { key: "fileKey", name: "filename" }
);
slots!(
    /// Slots of `upload-assignments` that fit a package.
    Assignments of "upload-assignments" { dataset: "dataset" }
);

/// A package whose file is to be read.
#[derive(Debug, Clone)]
pub struct OpenPackage {
    /// Id.
    pub id: i64,
    /// Number, for people.
    pub number: String,
    /// Who sent it.
    pub organization: i64,
    /// The user who sent it.
    pub user: Option<i64>,
    /// Key of the file, and its name.
    pub file: Option<(String, String)>,
    /// The kind of data.
    pub kind: String,
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
        let (s, n, f) = (Slots::get(), IntakeSlots::get(), Files::get());
        let text = |slot: usize| record.get(slot).text().map(str::to_owned);
        let file = record
            .get(s.source_file)
            .int()
            .and_then(|id| files.get(&id));
        let file = file.and_then(|file| {
            let name = file.get(f.name).text().unwrap_or_default();
            Some((file.get(f.key).text()?.to_owned(), name.to_owned()))
        });
        Some(Self {
            id: record.get(ID).int()?,
            number: text(s.number).unwrap_or_default(),
            organization: record.get(s.organization).int()?,
            user: record.get(s.submitted_by).int(),
            file,
            kind: text(s.kind).unwrap_or_default(),
            dataset: text(s.dataset).filter(|set| !set.is_empty()),
            mapping: record.get(s.mapping).as_json().cloned(),
            replaces: record.get(s.replaces).int(),
            rows: record.get(n.rows).int().unwrap_or_default(),
            done: record.get(n.done).int().unwrap_or_default(),
            attempts: record.get(n.attempts).int().unwrap_or_default(),
            tried: record.get(n.tried).time(),
            again: !record.get(n.read_at).is_null(),
            state: text(n.state).unwrap_or_default(),
            open: record
                .get(s.status)
                .text()
                .is_some_and(|status| OPEN.contains(&status)),
            sheets: record.get(n.sheets).as_json().cloned(),
        })
    }
}

/// What was seen of a file before its rows.
#[derive(Debug, Clone, Default)]
pub struct SeenFile {
    /// How it is written.
    pub form: &'static str,
    /// Encoding of a text file.
    pub encoding: Option<&'static str>,
    /// Its sheets.
    pub sheets: Json,
    /// The set and its kind, where one is sure.
    pub set: Option<(&'static str, &'static str)>,
}

/// How a reading ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadEnd {
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
    opened(context, rows).await
}

async fn opened(context: &mut dyn BookReader, rows: Vec<Record>) -> Result<Option<OpenPackage>> {
    let s = Slots::get();
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let file = row.get(s.source_file).int();
    let files = by_id(context, "media", file, &["fileKey", "filename"]).await?;
    Ok(OpenPackage::of(row, &files))
}

/// The conditions of packages that wait to be read, and of those that wait to be checked, as queries, for looks that
/// must not wait for the writer.
pub fn waiting() -> [Json; 2] {
    [
        json!({"intake.state": {"in": UNREAD}}),
        json!({"intake.unchecked": {"equals": true}}),
    ]
}

/// Takes the oldest package that nobody reads, for `lease` milliseconds without progress.
///
/// # Errors
/// The errors of the context.
pub async fn take_up(
    context: &mut dyn HookContext,
    worker: &str,
    lease: i64,
) -> Result<Option<OpenPackage>> {
    let (n, now) = (IntakeSlots::get(), context.now());
    let lookup = Lookup::default()
        .is_in("intake.state", UNREAD.map(Value::from).to_vec())
        .test(
            "intake.due",
            Test::Before(Value::Time(now.saturating_add(1))),
        )
        .order(&["id"])
        .limit(1);
    let rows = context.find(PACKAGES, lookup).await?;
    let Some(found) = opened(context, rows).await? else {
        return Ok(None);
    };
    let mut values = vec![
        (n.state, "reading".into()),
        (n.attempts, Value::Int(found.attempts + 1)),
        (n.worker, worker.into()),
        (n.due, Value::Time(now.saturating_add(lease))),
    ];
    if found.done == 0 {
        for slot in [
            n.rows,
            n.created,
            n.updated,
            n.unchanged,
            n.skipped,
            n.held,
            n.removed,
        ] {
            values.push((slot, Value::Int(0)));
        }
        for slot in [n.fault, n.message, n.issues, n.value_issues] {
            values.push((slot, Value::Null));
        }
    }
    context.amend(PACKAGES, vec![(found.id, values)]).await?;
    Ok(Some(found))
}

/// Whether a worker still reads a package, whose lease is renewed.
///
/// # Errors
/// The errors of the context.
pub async fn holds(
    context: &mut dyn HookContext,
    id: i64,
    worker: &str,
    lease: i64,
) -> Result<bool> {
    let n = IntakeSlots::get();
    let lookup = Lookup::by_ids("id", [id]).fields(&["intake.state", "intake.worker"]);
    let rows = context.find(PACKAGES, lookup).await?;
    let mine = |row: &Record| {
        row.get(n.state).text() == Some("reading") && row.get(n.worker).text() == Some(worker)
    };
    if !rows.first().is_some_and(mine) {
        return Ok(false);
    }
    let due = Value::Time(context.now().saturating_add(lease));
    context
        .amend(PACKAGES, vec![(id, vec![(n.due, due)])])
        .await?;
    Ok(true)
}

/// Stores what was seen of the file. The set and its kind are filled where the sender left the set out.
///
/// # Errors
/// The errors of the context.
pub async fn seen(
    context: &mut dyn HookContext,
    package: &OpenPackage,
    file: SeenFile,
) -> Result<()> {
    let (s, n) = (Slots::get(), IntakeSlots::get());
    let mut values = vec![
        (n.form, file.form.into()),
        (n.encoding, file.encoding.map_or(Value::Null, Value::from)),
        (n.sheets, Value::json(file.sheets)),
    ];
    if let (None, Some((set, kind))) = (&package.dataset, file.set) {
        values.extend([(s.dataset, set.into()), (s.kind, kind.into())]);
    }
    context.amend(PACKAGES, vec![(package.id, values)]).await
}

/// Notes that rows that wait were tried now.
///
/// # Errors
/// The errors of the context.
pub async fn tried(context: &mut dyn HookContext, id: i64) -> Result<()> {
    let now = Value::Time(context.now());
    context
        .amend(PACKAGES, vec![(id, vec![(IntakeSlots::get().tried, now)])])
        .await
}

/// Ends the reading of a package that is about `subjects`: its animals, its period, an assignment that it fits; rows
/// that an earlier reading left behind the last one go. Until its checks are made it is to be checked ([`take_check`]).
///
/// # Errors
/// The errors of the context.
pub async fn end(
    context: &mut dyn HookContext,
    package: &OpenPackage,
    end: ReadEnd,
    subjects: &Subjects,
) -> Result<()> {
    let (s, n, now) = (Slots::get(), IntakeSlots::get(), context.now());
    let lookup = Lookup::by_ids("id", [package.id]);
    let rows = context.find(PACKAGES, lookup).await?;
    let Some(record) = rows.first() else {
        return Ok(());
    };
    let done = record.get(n.done).int().unwrap_or_default();
    submission_rows::cut(context, package.id, done).await?;
    let (due, unchecked) = match end {
        ReadEnd::Whole => (Value::Time(now), true),
        ReadEnd::Failed(..) => (Value::Null, false),
    };
    let mut values = vec![
        (n.worker, Value::Null),
        (n.due, due),
        (n.unchecked, Value::Bool(unchecked)),
        (n.done, Value::Int(0)),
        (n.attempts, Value::Int(0)),
    ];
    match end {
        ReadEnd::Failed(code, message) => {
            let message: String = message.chars().take(250).collect();
            values.extend([
                (n.state, "failed".into()),
                (n.fault, code.as_str().into()),
                (n.message, message.into()),
                (n.told, Value::Bool(true)),
            ]);
            context.amend(PACKAGES, vec![(package.id, values)]).await?;
            // Once, however often another mapping is tried.
            return match record.get(n.told).truth() {
                true => Ok(()),
                false => told::failed(context, record, &code).await,
            };
        }
        ReadEnd::Whole => values.push((n.state, "read".into())),
    }
    if let Some(former) = package.replaces {
        submission_rows::stand_down(context, former).await?;
        let rows = by_id(context, PACKAGES, [former], &["intake.state"]).await?;
        // Of a file that cannot be read it stays known.
        let read = rows
            .values()
            .any(|row| row.get(n.state).text() != Some("failed"));
        if read {
            let replaced = vec![(n.state, "replaced".into())];
            context.amend(PACKAGES, vec![(former, replaced)]).await?;
        }
    }
    let (animals, span) = (subjects.first(ANIMALS), subjects.span);
    values.push((n.read_at, Value::Time(now)));
    if let Some((first, last)) = span {
        for (slot, day) in [(s.period_from, first), (s.period_to, last)] {
            if record.get(slot).is_null() {
                values.push((slot, Value::Time(day)));
            }
        }
    }
    context.amend(PACKAGES, vec![(package.id, values)]).await?;
    note_outside(context, record).await?;
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
    if record.get(n.read_at).is_null() {
        told::read(context, record).await?;
    }
    if record.get(s.status).text() == Some("checking") {
        let none = BTreeSet::new();
        package::settle(context, package.id, "unverified", "pending", (&none, "")).await?;
    }
    Ok(())
}

/// Rows of a package that are dated outside of its stated period have a fault.
pub(super) async fn note_outside(context: &mut dyn HookContext, record: &Record) -> Result<()> {
    let findings = period::findings(context, record).await?;
    let faults = findings.iter().map(|finding| {
        let fault = RowFault {
            path: finding.place.path.to_owned(),
            code: finding.code.to_owned(),
            message: finding.told(Language::English),
            ..RowFault::default()
        };
        (finding.place.row, fault)
    });
    submission_rows::add_faults(context, faults.collect()).await
}

/// Some of the animals of a package that is read were submitted by their owner, unless the package is checked already.
///
/// # Errors
/// The errors of the context.
pub async fn submitted(
    context: &mut dyn HookContext,
    id: i64,
    animals: &BTreeSet<i64>,
) -> Result<()> {
    let lookup = Lookup::by_ids("id", [id]).fields(&["status"]);
    let rows = context.find(PACKAGES, lookup).await?;
    let status = rows
        .first()
        .and_then(|row| row.get(Slots::get().status).text());
    match status {
        Some("checking") | None => Ok(()),
        Some(_) => trust::submitted(context, animals).await,
    }
}

/// A package to be checked, and the mark of the state for which it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueCheck {
    /// Its id.
    pub id: i64,
    mark: i64,
}

/// Takes a package that was read and is to be checked, the oldest one that nobody checks, for `lease` milliseconds.
///
/// # Errors
/// The errors of the context.
pub async fn take_check(context: &mut dyn HookContext, lease: i64) -> Result<Option<DueCheck>> {
    let (n, now) = (IntakeSlots::get(), context.now());
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
            let mark = now.saturating_add(lease);
            let due = vec![(n.due, Value::Time(mark))];
            context.amend(PACKAGES, vec![(id, due)]).await?;
            return Ok(Some(DueCheck { id, mark }));
        }
    }
    Ok(None)
}

/// Ends the check of a package, unless it is to be checked anew since it was taken.
///
/// # Errors
/// The errors of the context.
pub async fn was_checked(context: &mut dyn HookContext, check: DueCheck) -> Result<()> {
    let n = IntakeSlots::get();
    let lookup = Lookup::by_ids("id", [check.id]).fields(&["intake.due"]);
    let rows = context.find(PACKAGES, lookup).await?;
    if rows.first().and_then(|row| row.get(n.due).time()) != Some(check.mark) {
        return Ok(());
    }
    let checked = vec![(n.due, Value::Null), (n.unchecked, Value::Bool(false))];
    context.amend(PACKAGES, vec![(check.id, checked)]).await
}

/// A package is to be checked by a task, unless it is being read, at whose end that is done.
///
/// # Errors
/// The errors of the context.
pub(super) async fn put_off_check(context: &mut dyn HookContext, id: i64) -> Result<()> {
    let (n, now) = (IntakeSlots::get(), context.now());
    let lookup = Lookup::by_ids("id", [id]).fields(&["intake.state"]);
    let rows = context.find(PACKAGES, lookup).await?;
    let unread = |row: &Record| {
        let state = row.get(n.state).text();
        state.is_some_and(|state| UNREAD.contains(&state))
    };
    if rows.iter().any(unread) {
        return Ok(());
    }
    let unchecked = vec![(n.due, Value::Time(now)), (n.unchecked, Value::Bool(true))];
    context.amend(PACKAGES, vec![(id, unchecked)]).await
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
        let asked = row.get(a.dataset).text().filter(|asked| !asked.is_empty());
        asked.is_none_or(|asked| Some(asked) == set)
    });
    Ok(fits.and_then(|row| row.get(ID).int()))
}

/// Puts packages back to be read, those whose rows may still change.
///
/// # Errors
/// The errors of the context.
pub(crate) async fn read_again(context: &mut dyn HookContext, ids: Vec<i64>) -> Result<()> {
    let (s, n, now) = (Slots::get(), IntakeSlots::get(), context.now());
    let fields = ["status", "sourceFile", "intake.state"];
    let rows = by_id(context, PACKAGES, ids, &fields).await?;
    let open = rows.iter().filter(|(_, row)| {
        let may = row
            .get(s.status)
            .text()
            .is_some_and(|status| OPEN.contains(&status));
        let replaced = row.get(n.state).text() == Some("replaced");
        may && !replaced && !row.get(s.source_file).is_null()
    });
    let again = open.map(|(id, _)| {
        let values = vec![
            (n.state, "waiting".into()),
            (n.due, Value::Time(now)),
            (n.done, Value::Int(0)),
            (n.attempts, Value::Int(0)),
            (n.worker, Value::Null),
        ];
        (*id, values)
    });
    let again = again.collect();
    context.amend(PACKAGES, again).await
}

/// A new file, or another mapping of the one that is there, is to be read.
pub(super) fn begin(draft: &mut Draft, now: i64) {
    let (s, n) = (Slots::get(), IntakeSlots::get());
    if draft.verb == Verb::Delete || draft.new.get(s.source_file).is_null() {
        return;
    }
    let stated = draft.changes(s.mapping) || draft.changes(s.dataset);
    let file = draft.changes(s.source_file);
    if !(file || (draft.verb == Verb::Update && stated)) {
        return;
    }
    let open = draft
        .new
        .get(s.status)
        .text()
        .is_some_and(|status| OPEN.contains(&status));
    if !open {
        let path = if file { "sourceFile" } else { "mapping" };
        let message = "The rows of a package that was checked do not change any more.";
        draft.fault(path, "package-closed", message);
        return;
    }
    draft.new.set(n.state, "waiting");
    draft.new.set(n.due, Value::Time(now));
    draft.new.set(n.done, Value::Int(0));
    draft.new.set(n.attempts, Value::Int(0));
    draft.new.set(n.worker, Value::Null);
}

/// Whether the rows of a package are not all read yet.
pub(super) fn is_open(draft: &Draft) -> bool {
    matches!(draft.new.get(IntakeSlots::get().state).text(), Some(state) if UNREAD.contains(&state))
}

/// Whether a package is yet to be checked by a task.
pub(super) fn is_unchecked(draft: &Draft) -> bool {
    draft.new.get(IntakeSlots::get().unchecked).truth()
}
