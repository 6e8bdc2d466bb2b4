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

/// The collection, and the kind of its jobs.
const SLUG: &str = "index-runs";
pub const INDEX_JOB: &str = "index-run";
/// The subject of the run over all animals and profiles.
pub(super) const BOOK: &str = "book";
/// What comes before the id of a base.
const BASE: &str = "base:";
/// A second and an hour, milliseconds.
const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600 * SECOND;

/// The collection.
pub(crate) fn index_runs() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["organization"]);
    let fields = fields![
        text_n("subject", 40).required().unique()
            => "What is computed: `book`, all values; `own:` and the id of a profile, its values; `base:` and the id of a base, the base and its comparison with the one in force.",
        relation("organization", "organizations").server().cascade()
            => "Organisation of the profile; empty: the run is the Association's.",
        select("state", STATES).required() => "How far it is.",
        instant("queuedAt").server() => "When it was asked for.",
        instant("dueAt").server() => "When it begins at the earliest.",
        instant("ranAt").server() => "When it came to its end last.",
        int("animals").server() => "Animals of which values are computed.",
        int("done").server() => "Animals of which values were computed.",
        int("cursor").server().class(Class::Hidden)
            => "The last row of which values were computed; empty: values are computed, and what is left is where they stand.",
        boolean("again").server().class(Class::Hidden)
            => "Values changed while the run went on: another one follows.",
    ];
    Collection::new(SLUG, access, fields)
        .progress("done", "animals")
        .doc("Runs that compute index values of many animals, with their progress; written by the service.")
}

const STATES: &str = "queued|computing|comparing|ranking|done|failed";

slots!(Runs of "index-runs" {
    subject, organization, state, queued: "queuedAt", due: "dueAt", ran: "ranAt", animals, done, cursor, again,
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
    request(context, BOOK, None, Work::VALUES).await
}

/// Asks for the comparison of a base.
pub(super) async fn compare(context: &mut dyn HookContext, base: i64) -> Result<()> {
    request(context, &format!("{BASE}{base}"), None, Work::VALUES).await
}

/// Asks for a run. One that waits begins with what is due first; one that goes on begins anew where values are
/// asked for, else another one follows it.
pub(super) async fn request(
    context: &mut dyn HookContext,
    subject: &str,
    organization: Option<i64>,
    work: Work,
) -> Result<()> {
    let (s, now) = (Runs::get(), context.now());
    let due = now + work.delay;
    let lookup = Lookup::default().is_in("subject", vec![subject.into()]);
    let rows = context.find(SLUG, lookup.fields(Runs::PATHS)).await?;
    let Some(row) = rows.first() else {
        let fields = [
            ("subject", Value::from(subject)),
            ("organization", organization.into()),
            ("state", "queued".into()),
            ("queuedAt", Value::Time(now)),
            ("dueAt", Value::Time(due)),
            ("cursor", work.values.then_some(0).into()),
        ];
        let fields = fields.map(|(path, value)| (path.to_owned(), value));
        let ids = context.write(SLUG, vec![Command::Create(fields.to_vec())]).await?;
        return context.queue_jobs(INDEX_JOB, ids, due).await;
    };
    let Some(id) = row.get(ID).int() else {
        return Ok(());
    };
    let state = row.get(s.state).text();
    if is_running(row) && !work.values {
        return match row.get(s.again).truth() {
            true => Ok(()),
            false => amend(context, id, vec![(s.again, Value::Bool(true))]).await,
        };
    }
    let waits = state == Some("queued");
    let earlier = row.get(s.due).time().filter(|_| waits).map_or(due, |known| known.min(due));
    let cursor = match row.get(s.cursor) {
        _ if work.values => Value::Int(0),
        cursor if waits => cursor.clone(),
        _ => Value::Null,
    };
    let values = vec![
        (s.organization, organization.into()),
        (s.state, "queued".into()),
        (s.queued, Value::Time(now)),
        (s.due, Value::Time(earlier)),
        (s.cursor, cursor),
    ];
    let decisive = [s.organization, s.due, s.cursor];
    let same = |(slot, value): &(usize, Value)| !decisive.contains(slot) || row.get(*slot) == value;
    if waits && values.iter().all(same) {
        return Ok(());
    }
    amend(context, id, values).await?;
    context.queue_jobs(INDEX_JOB, vec![id], earlier).await
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

/// The run that a job is about; none when it is not asked for any more.
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
pub(super) async fn advance(context: &mut dyn HookContext, id: i64, (cursor, done): (Option<i64>, i64)) -> Result<()> {
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
    let rows = context.find(SLUG, Lookup::by_ids("id", [id]).fields(&["again"])).await?;
    let again = rows.first().is_some_and(|row| row.get(s.again).truth());
    let mut values = vec![(s.ran, Value::Time(now)), (s.cursor, Value::Null), (s.again, Value::Null)];
    match again {
        true => {
            let due = now + Work::STANDINGS_LATER.delay;
            values.extend([(s.state, "queued".into()), (s.queued, Value::Time(now)), (s.due, Value::Time(due))]);
            context.queue_jobs(INDEX_JOB, vec![id], due).await?;
        }
        false => values.push((s.state, "done".into())),
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
