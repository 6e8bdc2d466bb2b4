//! The reading of a package: how it begins, how far it is, and its end (docs/packages.md, *Reading*).

use crate::packages::rows;
use crate::packages::subjects::Subjects;
use domain::collections::packages::{
    OPEN, PACKAGE_JOB, UNREAD, by_id, note_outside, tell_failed, tell_read, wait_for_check,
};
use domain::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Command, HookContext, ID, Lookup, Test};
use ops::WriteTransaction;
use ops::jobs::Lease;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) const PACKAGES: &str = "data-submissions";
/// Animals that are named with the package.
pub(crate) const ANIMALS: usize = 10_000;

slots!(Slots of "data-submissions" {
    kind, dataset, status, organization, source_file: "sourceFile", submitted_by: "submittedBy",
    period_from: "periodFrom", period_to: "periodTo", replaces, assignment, mapping, state: "intake.state",
    read_at: "intake.readAt", fault: "intake.fault", message: "intake.message", form: "intake.form",
    encoding: "intake.encoding", sheets: "intake.sheets", rows: "intake.rows", created: "intake.created",
    updated: "intake.updated", unchanged: "intake.unchanged", skipped: "intake.skipped", held: "intake.held",
    removed: "intake.removed", issues: "intake.issues", value_issues: "intake.valueIssues",
    done: "intake.done",
    tried: "intake.tried", notified: "intake.told", unchecked: "intake.unchecked",
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
    pub id: i64,
    /// Who sent it.
    pub organization: i64,
    /// The user who sent it.
    pub user: Option<i64>,
    pub file: Option<String>,
    pub dataset: Option<String>,
    /// What the sender states of the file.
    pub mapping: Option<Json>,
    pub replaces: Option<i64>,
    pub rows: i64,
    /// Rows that were read so far.
    pub done: i64,
    /// When rows that wait were tried last, milliseconds.
    pub tried: Option<i64>,
    /// Whether the file was read before.
    pub reread: bool,
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
        let file = record.get(s.source_file).int().and_then(|id| files.get(&id)?.get(f.key).text());
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
            tried: record.get(s.tried).time(),
            reread: !record.get(s.read_at).is_null(),
            state: text(s.state).unwrap_or_default(),
            open: record.get(s.status).text().is_some_and(|status| OPEN.contains(&status)),
            sheets: record.get(s.sheets).as_json().cloned(),
        })
    }
}

/// What was seen of a file before its rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileSummary {
    pub(crate) form: &'static str,
    /// Encoding of a text file.
    pub(crate) encoding: Option<&'static str>,
    /// How sure that is, from 0 to 1.
    pub(crate) encoding_score: Option<f64>,
    pub(crate) sheets: Json,
    /// The set and its kind, where one is sure.
    pub(crate) set: Option<(&'static str, &'static str)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadEnd {
    /// All rows were read.
    Whole,
    /// The file cannot be read: code and sentence.
    Failed(String, String),
}

/// A package, whatever its state.
pub async fn package(context: &mut dyn BookReader, id: i64) -> Result<Option<OpenPackage>> {
    let rows = context.find(PACKAGES, Lookup::by_ids("id", [id])).await?;
    first_open(context, rows).await
}

async fn first_open(context: &mut dyn BookReader, rows: Vec<Record>) -> Result<Option<OpenPackage>> {
    let s = Slots::get();
    let Some(row) = rows.first() else { return Ok(None) };
    let files = by_id(context, "media", row.get(s.source_file).int(), &["fileKey"]).await?;
    Ok(OpenPackage::of(row, &files))
}

/// What is to be done about a package.
pub(crate) enum Step {
    /// To read its file, or to go on with it.
    Read(Arc<OpenPackage>),
    Check,
    None,
}

/// Begins to read a package, or goes on.
pub(crate) async fn begin(context: &mut dyn HookContext, id: i64) -> Result<Step> {
    let s = Slots::get();
    let rows = context.find(PACKAGES, Lookup::by_ids("id", [id])).await?;
    let unchecked = rows.first().is_some_and(|row| row.get(s.unchecked).truth());
    let package = match first_open(context, rows).await? {
        Some(package) if UNREAD.contains(&package.state.as_str()) => package,
        _ if unchecked => return Ok(Step::Check),
        _ => return Ok(Step::None),
    };
    let mut values = vec![(s.state, "reading".into())];
    if package.done == 0 {
        for slot in [s.rows, s.created, s.updated, s.unchanged, s.skipped, s.held, s.removed] {
            values.push((slot, Value::Int(0)));
        }
        for slot in [s.fault, s.message, s.issues, s.value_issues] {
            values.push((slot, Value::Null));
        }
    }
    context.amend(PACKAGES, vec![(id, values)]).await?;
    Ok(Step::Read(Arc::new(package)))
}

/// Whether this process still reads a package, whose lease is renewed.
pub(crate) async fn holds(work: &mut WriteTransaction<'_>, lease: &Lease) -> Result<bool> {
    let lookup = Lookup::by_ids("id", [lease.id()]).is_in("intake.state", vec!["reading".into()]);
    let rows = work.find(PACKAGES, lookup.fields(&["id"])).await?;
    Ok(!rows.is_empty() && lease.renew(work.tx()).await?)
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
    context.amend(PACKAGES, vec![(id, vec![(Slots::get().tried, now)])]).await
}

/// Ends the reading of a package that is about `subjects`: its animals, its period, an assignment that it fits; rows
/// that an earlier reading left behind the last one go. Its job waits anew, to check it.
pub(crate) async fn end(
    context: &mut WriteTransaction<'_>,
    lease: &Lease,
    package: &OpenPackage,
    end: ReadEnd,
    subjects: &Subjects,
) -> Result<()> {
    let (s, now) = (Slots::get(), context.now());
    let rows = context.find(PACKAGES, Lookup::by_ids("id", [package.id])).await?;
    let Some(record) = rows.first() else { return Ok(()) };
    rows::cut(context, package.id, record.get(s.done).int().unwrap_or_default()).await?;
    let mut values = vec![(s.unchecked, Value::Bool(end == ReadEnd::Whole)), (s.done, Value::Int(0))];
    match end {
        ReadEnd::Failed(code, message) => {
            lease.finish(context.tx()).await?;
            let message: String = message.chars().take(250).collect();
            values.extend([
                (s.state, "failed".into()),
                (s.fault, code.as_str().into()),
                (s.message, message.into()),
                (s.notified, Value::Bool(true)),
            ]);
            context.amend(PACKAGES, vec![(package.id, values)]).await?;
            // Once, however often another mapping is tried.
            return if record.get(s.notified).truth() { Ok(()) } else { tell_failed(context, record, &code).await };
        }
        ReadEnd::Whole => values.push((s.state, "read".into())),
    }
    context.queue_jobs(PACKAGE_JOB, vec![package.id], 0).await?;
    if let Some(former) = package.replaces {
        replace(context, former).await?;
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
    HookContext::write(context, PACKAGES, vec![Command::Update(package.id, fields)]).await?;
    // A package that is read again is no news.
    if record.get(s.read_at).is_null() {
        tell_read(context, record).await?;
    }
    wait_for_check(context, record).await
}

/// Another package stands instead of this one, none of whose rows waits any more.
async fn replace(context: &mut WriteTransaction<'_>, former: i64) -> Result<()> {
    let state = Slots::get().state;
    rows::stand_down(context, former).await?;
    let rows = by_id(context, PACKAGES, [former], &["intake.state"]).await?;
    // That a file cannot be read stays known.
    let was_read = (rows.values()).any(|row| row.get(state).text() != Some("failed"));
    if was_read {
        context.amend(PACKAGES, vec![(former, vec![(state, "replaced".into())])]).await?;
    }
    Ok(())
}

/// Ends the check of a package, unless it is to be checked anew.
pub(crate) async fn end_check(work: &mut WriteTransaction<'_>, lease: &Lease) -> Result<()> {
    if !lease.finish(work.tx()).await? {
        return Ok(());
    }
    work.amend(PACKAGES, vec![(lease.id(), vec![(Slots::get().unchecked, Value::Bool(false))])]).await
}

/// The open assignment of the farm that a package fits: its set or kind, and days in its period. The one that is due
/// first.
async fn fitting(context: &mut dyn HookContext, record: &Record, span: Option<(i64, i64)>) -> Result<Option<i64>> {
    let (s, a) = (Slots::get(), Assignments::get());
    let (Some((first, last)), Some(farm)) = (span, record.get(s.organization).int()) else { return Ok(None) };
    let lookup = Lookup::by_ids("organization", [farm])
        .is_in("status", vec!["open".into(), "overdue".into()])
        .is_in("kind", vec![record.get(s.kind).clone()])
        .test("periodFrom", Test::Before(Value::Time(last.saturating_add(1))))
        .test("periodTo", Test::From(Value::Time(first)))
        .order(&["dueDate"])
        .limit(20);
    let rows = context.find("upload-assignments", lookup).await?;
    let set = record.get(s.dataset).text();
    let fits = rows.iter().find(|row| {
        let dataset = row.get(a.dataset).text().filter(|dataset| !dataset.is_empty());
        dataset.is_none_or(|dataset| Some(dataset) == set)
    });
    Ok(fits.and_then(|row| row.get(ID).int()))
}
