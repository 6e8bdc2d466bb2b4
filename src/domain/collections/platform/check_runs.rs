//! Runs of checks: self-tests of the service, and runs of the checks of the book over the whole book
//! (docs/design/jobs.md, *Checks of the book*). There is one row for each label, and a new run replaces what the row
//! says of the one before.
//!
//! A run over the book is a job ([`RUN_JOB`]) of whoever asks for it.

use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::collections::verification::check_findings::Tally;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    Access, BookReader, Class, Collection, Command, HookContext, ID, Lookup, Move, Rule, Set, States, Verb, Who,
    boolean, fields, instant, int, json, moves, number, select, text,
};
use serde_json::{Value as Json, json};

/// The collection.
const SLUG: &str = "check-runs";
/// Label of the run that changed settings of checks cause.
pub(crate) const SETTINGS: &str = "settings";
/// Label of the run of each night.
pub const NIGHTLY: &str = "nightly";
/// The kind of the jobs that go over the book.
pub const RUN_JOB: &str = "check-run";
/// How often a process says how far it is, milliseconds.
const TELLING: i64 = 5_000;

pub(crate) fn check_runs() -> Collection {
    let access = Access::read(Rule::Any).create(Rule::Assoc).update(Rule::Assoc).delete(Rule::Admin);
    let fields = fields![
        text("label").required().unique().once() => "What was tested, or why the book was checked: `nightly`, `settings`, or what the Association calls its run.",
        select("state", "queued|running|done").default("done") => "State of a run over the book.",
        instant("queuedAt").server() => "When the run was requested.",
        instant("ranAt").server() => "When the last run that came to its end began.",
        boolean("ok").server() => "Whether all of it ran: each self-test passed, or each check went over the whole book.",
        int("failed").server().class(Class::Private) => "Self-tests that failed, or checks with something to correct.",
        int("total").server() => "Checks that ran.",
        number("ms").server() => "How long it took, ms.",
        text("version").server() => "Release that was tested, or that checked.",
        json("results").required().server().class(Class::Private)
            => "Each self-test with its result; or each check that found something, with the number of rows to correct (`fix`) and of notes (`note`).",
        int("animals").server().class(Class::Private) => "Animals that the run looks at.",
        int("checked").server().class(Class::Private) => "How many of them it has looked at.",
    ];
    Collection::new(SLUG, access, fields).hooks(Behaviour).states(steps()).doc(
        "Self-tests of the service, and runs of the checks over the book; a new run replaces the one with its label.",
    )
}

fn steps() -> States {
    moves![States::of("state").begun_by_server();
        Move::new(&["done", "running"], "queued").by(Who::Association).set("queuedAt", Set::Now)
            => "The checks go over the book, within seconds; one that is running begins again.",
        Move::new(&["queued"], "running").by(Who::System).silent() => "A process took the run.",
        Move::new(&["running"], "done").by(Who::System).silent() => "The whole book was checked.",
    ]
}

slots!(Slots of "check-runs" {
    state, queued: "queuedAt", ran: "ranAt", ok, failed, total, ms, version, results, animals, checked,
});

hooks!(Behaviour {
    check(context, drafts) {
        let (s, now) = (Slots::get(), context.now());
        // A row that the Association creates asks for a run; the server says what its own are.
        let asks = !matches!(context.caller().caller, model::registry::Caller::System);
        for draft in drafts.iter_mut().filter(|draft| asks && draft.verb == Verb::Create) {
            draft.new.set(s.state, "queued");
            draft.new.set(s.queued, Value::Time(now));
        }
        Ok(())
    }
    prepare(_context, drafts) {
        let s = Slots::get();
        for draft in drafts.iter_mut().filter(|draft| draft.new.get(s.results).is_null()) {
            draft.new.set(s.results, Value::json(json!([])));
        }
        Ok(())
    }
    effects(_collection, context, changes) {
        let s = Slots::get();
        let queued = |row: &Option<Record>| row.as_ref().is_some_and(|row| row.get(s.state).text() == Some("queued"));
        let anew = changes.iter().filter(|change| queued(&change.new) && !queued(&change.old));
        let ids = anew.map(|change| change.id).collect();
        context.queue_jobs(RUN_JOB, ids, 0).await
    }
});

/// Asks for a run from a time on. One that waits stays as it is.
///
/// # Errors
/// Those of the context.
pub async fn queue_checks(context: &mut dyn HookContext, label: &str, due: i64) -> Result<()> {
    let s = Slots::get();
    let lookup = Lookup::default().is_in("label", vec![label.into()]);
    let rows = context.find(SLUG, lookup.fields(&["state"])).await?;
    let now = Value::Time(context.now());
    let id = match rows.first() {
        Some(row) if row.get(s.state).text() == Some("queued") => return Ok(()),
        Some(row) => {
            let values = vec![(s.state, "queued".into()), (s.queued, now)];
            let id = row.get(ID).int().unwrap_or_default();
            amend(context, id, values).await?;
            id
        }
        None => {
            let fields = [("label", Value::from(label)), ("state", "queued".into()), ("queuedAt", now)];
            let fields = fields.map(|(path, value)| (path.to_owned(), value));
            let create = Command::Create(fields.to_vec());
            let ids = context.write(SLUG, vec![create]).await?;
            ids.first().copied().unwrap_or_default()
        }
    };
    context.queue_jobs(RUN_JOB, vec![id], due).await
}

/// When the run of a label was requested last.
///
/// # Errors
/// Those of the reader.
pub async fn queued_at(context: &mut dyn BookReader, label: &str) -> Result<Option<i64>> {
    let lookup = Lookup::default().is_in("label", vec![label.into()]);
    let rows = context.find(SLUG, lookup.fields(&["queuedAt"])).await?;
    Ok(rows.first().and_then(|row| row.get(Slots::get().queued).time()))
}

/// A run that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    id: i64,
    began: i64,
    reported: i64,
}

/// Begins a run, again if it was broken off; none when nobody requests it any more.
///
/// # Errors
/// Those of the context.
pub async fn begin_checks(context: &mut dyn HookContext, id: i64) -> Result<Option<CheckRun>> {
    let (s, now) = (Slots::get(), context.now());
    let lookup = Lookup::by_ids("id", [id]).is_in("state", vec!["queued".into(), "running".into()]).fields(&["state"]);
    if context.find(SLUG, lookup).await?.is_empty() {
        return Ok(None);
    }
    let values = vec![(s.state, "running".into()), (s.checked, Value::Int(0)), (s.animals, Value::Null)];
    amend(context, id, values).await?;
    Ok(Some(CheckRun { id, began: now, reported: now }))
}

/// Says how far a run is, now and then. False: it was requested anew, and must stop.
///
/// # Errors
/// Those of the context.
pub async fn checked(
    context: &mut dyn HookContext,
    run: &mut CheckRun,
    (checked, animals): (u64, u64),
) -> Result<bool> {
    let (s, now) = (Slots::get(), context.now());
    if !goes_on(context, run).await? {
        return Ok(false);
    }
    if now - run.reported >= TELLING {
        run.reported = now;
        let values = vec![(s.checked, count(checked)), (s.animals, count(animals))];
        amend(context, run.id, values).await?;
    }
    Ok(true)
}

/// What a run that came to its end says.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResults {
    /// Animals that were checked.
    pub animals: u64,
    /// Checks that ran.
    pub checks: u64,
    /// What they found.
    pub found: Tally,
    /// The release.
    pub version: &'static str,
}

/// Writes the end of a run. False: it was requested anew.
///
/// # Errors
/// Those of the context.
pub async fn finish_checks(context: &mut dyn HookContext, run: &CheckRun, done: &CheckResults) -> Result<bool> {
    let s = Slots::get();
    if !goes_on(context, run).await? {
        return Ok(false);
    }
    let failed = done.found.values().filter(|(fix, _)| *fix > 0).count();
    let results = done.found.iter();
    let results = results.map(|(code, (fix, note))| json!({"code": code, "fix": fix, "note": note}));
    #[expect(clippy::cast_precision_loss, reason = "runs take hours at most")]
    let ms = (context.now() - run.began) as f64;
    let values = vec![
        (s.state, "done".into()),
        (s.ran, Value::Time(run.began)),
        (s.ok, Value::Bool(true)),
        (s.failed, count(u64::try_from(failed).unwrap_or(u64::MAX))),
        (s.total, count(done.checks)),
        (s.ms, Value::Num(ms)),
        (s.version, done.version.into()),
        (s.results, Value::json(Json::Array(results.collect()))),
        (s.animals, count(done.animals)),
        (s.checked, count(done.animals)),
    ];
    amend(context, run.id, values).await?;
    Ok(true)
}

/// Ends a run that failed again and again.
///
/// # Errors
/// Those of the context.
pub async fn give_checks_up(context: &mut dyn HookContext, id: i64) -> Result<()> {
    let s = Slots::get();
    let lookup = Lookup::by_ids("id", [id]).is_in("state", vec!["queued".into(), "running".into()]);
    let rows = context.find(SLUG, lookup.fields(&["state"])).await?;
    if rows.is_empty() {
        return Ok(());
    }
    // Counts are those of the last run that came to its end.
    let values = vec![(s.state, "done".into()), (s.ok, Value::Bool(false))];
    amend(context, id, values).await
}

async fn goes_on(context: &mut dyn BookReader, run: &CheckRun) -> Result<bool> {
    let lookup = Lookup::by_ids("id", [run.id]).is_in("state", vec!["running".into()]);
    let rows = context.find(SLUG, lookup.fields(&["state"])).await?;
    Ok(!rows.is_empty())
}

async fn amend(context: &mut dyn HookContext, id: i64, values: Vec<(usize, Value)>) -> Result<()> {
    context.amend(SLUG, vec![(id, values)]).await
}

fn count(n: u64) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}
