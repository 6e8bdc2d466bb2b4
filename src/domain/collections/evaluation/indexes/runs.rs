//! Runs that compute values of many animals, or compare bases (docs/design/jobs.md, *Indexes*): one row for each
//! subject, which its job ([`super::INDEX_JOB`]) names by id.

use crate::collections::FieldSet;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::evaluation::profiles::KEY as OWN;
use model::registry::{
    Access, Class, Collection, Command, HookContext, ID, Lookup, Rule, boolean, fields, instant, int, relation, select,
    text_n,
};
use std::collections::BTreeMap;

/// The collection, and the kind of its jobs.
const SLUG: &str = "index-runs";
pub const INDEX_JOB: &str = "index-run";
/// The subject of the run over all animals and profiles.
const BOOK: &str = "book";
/// What comes before the id of a base, and of a profile.
const BASE: &str = "base:";
/// A second and an hour, milliseconds.
const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600 * SECOND;

/// The collection.
pub(crate) fn index_runs() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["organization"]);
    let fields = fields![
        text_n("subject", 40).required().unique().often(["book", "own", "base"])
            => "What is computed: `book`, all values; `own:` and the id of a profile, its values; `base:` and the id of a base, the base and its comparison with the one in force.",
        relation("organization", "organizations").server().cascade()
            => "Organisation of the profile; empty: the run is the Association's.",
        select("state", STATES).required() => "How far it is.",
        instant("queuedAt").server() => "When it was requested.",
        instant("dueAt").server() => "When it begins at the earliest; while it goes on, when the one that follows does.",
        instant("ranAt").server() => "When it came to its end last.",
        int("animals").server() => "Animals of which values are computed.",
        int("done").server() => "Animals of which values were computed.",
        int("cursor").server().class(Class::Hidden)
            => "The last row of which values were computed; empty: only where they stand is left.",
        boolean("again").server().class(Class::Hidden)
            => "Values changed while the run went on: another one follows.",
    ];
    Collection::new(SLUG, access, fields)
        .progress("done", "animals")
        .doc("Runs that compute index values of many animals, with their progress; written by the service.")
}

const STATES: &str = "queued|computing|comparing|ranking|done|failed";

slots!(Runs of "index-runs" {
    subject, organization, state, queued: "queuedAt", due: "dueAt", ran: "ranAt", animals, done, cursor, is_followed: "again",
});

/// What a run has to do, and how soon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    /// Whether values are to be computed, from the first one; where they stand always follows.
    values: bool,
    /// How much later, milliseconds, so that several changes make one run.
    delay: i64,
}

impl Work {
    pub(super) const VALUES: Self = Self { values: true, delay: 0 };
    pub(super) const STANDINGS: Self = Self { values: false, delay: 10 * SECOND };
    pub(super) const STANDINGS_LATER: Self = Self { values: false, delay: HOUR };
}

/// Asks for the run over the book.
///
/// # Errors
/// Those of the context.
pub(crate) async fn recompute_all(context: &mut dyn HookContext) -> Result<()> {
    request(context, [(BOOK.to_owned(), None)].into(), Work::VALUES).await
}

/// Asks for the comparison of a base.
pub(super) async fn compare(context: &mut dyn HookContext, base: i64) -> Result<()> {
    request(context, [(format!("{BASE}{base}"), None)].into(), Work::VALUES).await
}

/// The subject of the run that finds out where the values of a profile stand; that of the book does it for all that are
/// built in.
pub(super) fn ranking_subject(key: &str) -> &str {
    if key.starts_with(OWN) { key } else { BOOK }
}

/// Asks for runs of subjects, each with the organisation whose profile it is. One that waits begins with what is due
/// first; one that goes on begins anew where values are asked for, else another one follows it.
pub(super) async fn request(
    context: &mut dyn HookContext,
    mut subjects: BTreeMap<String, Option<i64>>,
    work: Work,
) -> Result<()> {
    if subjects.is_empty() {
        return Ok(());
    }
    let (s, now) = (Runs::get(), context.now());
    let due = now + work.delay;
    let (mut amendments, mut queued) = (Vec::new(), Vec::new());
    let lookup = Lookup::default().is_in("subject", subjects.keys().map(|one| one.as_str().into()).collect());
    for row in context.find(SLUG, lookup.fields(Runs::PATHS)).await? {
        let organization = row.get(s.subject).text().and_then(|subject| subjects.remove(subject));
        let (Some(id), Some(organization)) = (row.get(ID).int(), organization) else {
            continue;
        };
        let waits = row.get(s.state).text() == Some("queued");
        let follows = is_running(&row) && !work.values;
        let earlier = row.get(s.due).time().filter(|_| waits || follows && row.get(s.is_followed).truth());
        let earlier = earlier.map_or(due, |other| other.min(due));
        let mut values = match follows {
            true => vec![(s.is_followed, Value::Bool(true)), (s.due, Value::Time(earlier))],
            false => vec![
                (s.organization, organization.into()),
                (s.state, "queued".into()),
                (s.due, Value::Time(earlier)),
                (s.cursor, if work.values { Value::Int(0) } else { row.get(s.cursor).clone() }),
                (s.is_followed, Value::Null),
            ],
        };
        if values.iter().all(|(slot, value)| row.get(*slot) == value) {
            continue;
        }
        if !follows {
            values.push((s.queued, Value::Time(now)));
            queued.extend(Some(id).filter(|_| earlier == due));
        }
        amendments.push((id, values));
    }
    let create = |(subject, organization): (String, Option<i64>)| {
        let fields = [
            ("subject", Value::from(subject)),
            ("organization", organization.into()),
            ("state", "queued".into()),
            ("queuedAt", Value::Time(now)),
            ("dueAt", Value::Time(due)),
            ("cursor", work.values.then_some(0).into()),
        ];
        Command::Create(fields.map(|(path, value)| (path.to_owned(), value)).to_vec())
    };
    queued.extend(context.write(SLUG, subjects.into_iter().map(create).collect()).await?);
    context.amend(SLUG, amendments).await?;
    context.queue_jobs(INDEX_JOB, queued, due).await
}

fn is_running(row: &Record) -> bool {
    let state = row.get(Runs::get().state).text();
    matches!(state, Some("computing" | "comparing" | "ranking"))
}

/// What a run is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Book,
    /// The row of a profile.
    Own(i64),
    /// The row of a base.
    Base(i64),
}

/// A run that a process took.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunStart {
    pub(super) subject: Subject,
    /// Where its values go on; none: only where they stand is left.
    pub(super) cursor: Option<i64>,
    /// Animals of which values were computed.
    pub(super) done: i64,
}

/// The run that a job is about; none when nobody requests it any more.
pub(super) async fn start(context: &mut dyn HookContext, id: i64) -> Result<Option<RunStart>> {
    let s = Runs::get();
    let rows = context.find(SLUG, Lookup::by_ids("id", [id]).fields(Runs::PATHS)).await?;
    let is_open = |row: &&Record| is_running(row) || row.get(s.state).text() == Some("queued");
    let Some(row) = rows.first().filter(is_open) else {
        return Ok(None);
    };
    let subject = row.get(s.subject).text().unwrap_or_default();
    let number = |prefix: &str| subject.strip_prefix(prefix)?.parse().ok();
    let subject = match (number(OWN), number(BASE)) {
        (Some(id), _) => Subject::Own(id),
        (_, Some(id)) => Subject::Base(id),
        _ => Subject::Book,
    };
    let cursor = row.get(s.cursor).int();
    let done = row.get(s.done).int().filter(|_| cursor != Some(0));
    Ok(Some(RunStart { subject, cursor, done: done.unwrap_or_default() }))
}

/// Begins to compute values, or goes on.
pub(super) async fn begin(context: &mut dyn HookContext, id: i64, animals: i64) -> Result<()> {
    let s = Runs::get();
    let values = vec![(s.state, "computing".into()), (s.animals, animals.into())];
    amend(context, id, values).await
}

/// Says how far it is.
pub(super) async fn advance(context: &mut dyn HookContext, id: i64, (cursor, done): (i64, i64)) -> Result<()> {
    let s = Runs::get();
    amend(context, id, vec![(s.cursor, cursor.into()), (s.done, done.into())]).await
}

/// Goes over to another part of the work.
pub(super) async fn goes_over(context: &mut dyn HookContext, id: i64, state: &'static str) -> Result<()> {
    amend(context, id, vec![(Runs::get().state, state.into())]).await
}

/// Says how far a comparison is.
pub(super) async fn advance_comparison(
    context: &mut dyn HookContext,
    id: i64,
    (state, done): (&'static str, i64),
) -> Result<()> {
    let s = Runs::get();
    amend(context, id, vec![(s.state, state.into()), (s.done, done.into())]).await
}

/// Ends it; another one follows where values changed meanwhile.
pub(super) async fn finish(context: &mut dyn HookContext, id: i64) -> Result<()> {
    let (s, now) = (Runs::get(), context.now());
    let rows = context.find(SLUG, Lookup::by_ids("id", [id]).fields(&["again", "dueAt"])).await?;
    let followed = rows.first().filter(|row| row.get(s.is_followed).truth());
    let mut values = vec![(s.ran, Value::Time(now)), (s.cursor, Value::Null), (s.is_followed, Value::Null)];
    match followed {
        Some(row) => {
            let due = row.get(s.due).time().unwrap_or(now);
            values.extend([(s.state, "queued".into()), (s.queued, Value::Time(now))]);
            context.queue_jobs(INDEX_JOB, vec![id], due).await?;
        }
        None => values.push((s.state, "done".into())),
    }
    amend(context, id, values).await
}

/// Ends a run whose subject is gone.
pub(super) async fn drop_run(context: &mut dyn HookContext, id: i64) -> Result<()> {
    context.write(SLUG, vec![Command::Delete(id)]).await.map(drop)
}

/// Ends a run that failed again and again.
///
/// # Errors
/// Those of the context.
pub async fn give_index_run_up(context: &mut dyn HookContext, id: i64) -> Result<()> {
    match start(context, id).await? {
        Some(_) => amend(context, id, vec![(Runs::get().state, "failed".into())]).await,
        None => Ok(()),
    }
}

async fn amend(context: &mut dyn HookContext, id: i64, values: Vec<(usize, Value)>) -> Result<()> {
    context.amend(SLUG, vec![(id, values)]).await
}
