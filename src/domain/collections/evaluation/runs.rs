//! Runs of the evaluation of the Association (docs/evaluation.md): the breeding values of the whole book, computed by the
//! book itself.
//!
//! A run is a job ([`EVALUATION_JOB`]) of whoever asks for it. Its values are rows of `animal-evaluations` that only the
//! Association reads and that are never in force, until it releases the run.

use super::evaluations::{AWAITED, Evaluations, RELEASED};
use super::traits::LINEAR;
use crate::collections::computed::decimals;
use crate::collections::days::as_day;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::zone::clock;
use model::record::{Record, Value, time};
use model::registry::evaluation::BASE_OF_RUN;
use model::registry::{
    Access, BookReader, Caller, Class, Collection, Command, Feature, Field, HookContext, ID, Lookup, Move, Rule, Set,
    States, Test, Verb, Who, day, fields, instant, int, json, moves, number, rows, select, text, text_n,
};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The collection.
pub(crate) const SLUG: &str = "evaluation-runs";
/// The kind of the jobs that compute.
pub const EVALUATION_JOB: &str = "evaluation-run";
/// The kind of the jobs that release what was computed.
pub const RELEASE_JOB: &str = "evaluation-release";
/// States of a run that is neither released nor over.
const UNDER_WAY: [&str; 4] = ["queued", "running", "computed", "releasing"];
/// The method of the runs.
const METHOD: &str = "repeatabilityAnimalModel";
/// Rows that one step of a release puts in force.
const STEP: i64 = 500;

/// The collection.
pub(crate) fn evaluation_runs() -> Collection {
    // What a run in force was computed from is part of its values.
    let access = Access::read(Rule::Open("state=released")).create(Rule::Assoc).update(Rule::Assoc).delete(Rule::Admin);
    let fields = fields![
        text("title").required() => "Name of the run.",
        select("state", "queued|running|computed|failed|releasing|released").default("queued")
            => "How far the run is.",
        instant("queuedAt").server() => "When it was requested.",
        instant("startedAt").server() => "When it began.",
        instant("computedAt").server() => "When its values were complete.",
        instant("releasedAt").server() => "When its values were put in force.",
        day("evaluatedAt").server().indexed() => "Day of its evaluations.",
        int("commit").server() => "Number of the last commit that its input has.",
        text("digest").server() => "SHA-256 of its input, in the form that `herdbook evaluate` writes.",
        text("method").server().words([METHOD])
            => "The model, and how reliabilities are approximated: `repeatabilityAnimalModel` by daughter equivalents.",
        text("version").server() => "Version of the computation.",
        int("animals").server() => "Animals of the pedigree.",
        int("records").server() => "Records of all traits.",
        text("step").server().class(Class::Private).words(steps_of_work())
            => "What it does now: a trait that it computes, or `reading`, `pedigree`, `clearing`, `storing`, `releasing`.",
        int("done").server().class(Class::Private) => "Animals that this step has done.",
        int("total").server().class(Class::Private) => "Animals of this step.",
        int("skipped").server().class(Class::Private) => "Animals that already have an evaluation of that day which is not this run's; it stays.",
        json("leftOut").server().class(Class::Private) => "Ids of animals without their parents in the run: they descend from themselves, or sire and dam are one.",
        results(),
        select("fault", "brokenOff|releaseBrokenOff|noRecords|notSolved|unusable").server().class(Class::Private) => "Why it failed.",
    ];
    Collection::new(SLUG, access, fields)
        .hooks(Behaviour)
        .states(steps())
        .feature(Feature::EvaluationRuns)
        .columns(&["title", "state", "evaluatedAt", "releasedAt", "animals", "records"])
        .progress("done", "total")
        .doc("Runs that compute the breeding values of the Association; released ones are in force.")
}

/// What a run does: the traits, and what comes before and after them.
fn steps_of_work() -> Vec<&'static str> {
    let others = ["reading", "pedigree", "clearing", "storing", "releasing"];
    traits().into_iter().chain(others).collect()
}

/// The traits that runs compute, by their names in evaluations.
fn traits() -> Vec<&'static str> {
    let lactations = ["milk", "fatKg", "proteinKg", "udderHealth"];
    lactations.into_iter().chain(LINEAR.map(|(key, _)| key)).collect()
}

fn results() -> Field {
    rows(
        "results",
        [
            text_n("trait", 40).required().words(traits()).doc("Trait."),
            int("records").doc("Records of it."),
            int("animals").doc("Animals with records."),
            number("heritability").doc("Share of the differences between animals that is inherited, from 0 to 1."),
            number("repeatability").doc("How alike records of one animal are, from 0 to 1."),
            number("meanReliability").doc("Mean reliability of the animals with records, %."),
            number("geneticSd").doc("Genetic standard deviation, in the unit of the trait."),
            number("sd").doc("Standard deviation of the breeding values of the animals with records."),
            int("groups").doc("Genetic groups of unknown parents."),
            int("iterations").doc("Iterations of the solution."),
            number("residual").doc("How exactly it is solved: the relative size of what is left."),
        ],
    )
    .server()
    .doc("What was computed of each trait.")
}

fn steps() -> States {
    moves![States::of("state").begun_by_server();
        Move::new(&["computed", "failed"], "queued").by(Who::Association).grave().set("queuedAt", Set::Now)
            => "Computed anew, within seconds; values that are not released are replaced.",
        Move::new(&["queued"], "running").by(Who::System).silent() => "A process took the run.",
        Move::new(&["running"], "computed").by(Who::System).silent() => "Its values are there, read by the Association only.",
        Move::new(&["queued", "running"], "failed").by(Who::System).silent() => "It could not be computed; the field `fault` says why.",
        Move::new(&["computed"], "releasing").by(Who::Association).grave()
            => "The values become evaluations of the animals like those of any other source, piece by piece.",
        Move::new(&["releasing"], "computed").by(Who::System).silent() => "The release broke off again and again; the field `fault` says so.",
        Move::new(&["releasing"], "released").by(Who::System).set("releasedAt", Set::Now).silent() => "All of them are.",
    ]
}

slots!(Bases of "index-bases" { active: "isActive" });
slots!(Slots of "evaluation-runs" {
    state, queued: "queuedAt", started: "startedAt", computed: "computedAt", day: "evaluatedAt", commit, digest,
    method, version, animals, records, step, done, total, skipped, results, fault,
    left_out: "leftOut",
});

hooks!(Behaviour {
    check(context, drafts) {
        let (s, now) = (Slots::get(), context.now());
        // The server's own moves are those of one run.
        if matches!(context.caller().caller, Caller::System) {
            return Ok(());
        }
        let is_under_way = |row: &Record| row.get(s.state).text().is_some_and(|state| UNDER_WAY.contains(&state));
        let lookup = Lookup::default().is_in("state", UNDER_WAY.map(Value::from).to_vec());
        let others = context.find(SLUG, lookup.fields(&["id"])).await?;
        let mut others: BTreeSet<i64> = others.iter().filter_map(|row| row.get(ID).int()).collect();
        for draft in drafts.iter_mut() {
            if draft.verb == Verb::Create {
                draft.new.set(s.state, "queued");
                draft.new.set(s.queued, Value::Time(now));
            }
            let begins = is_under_way(&draft.new) && !draft.old.as_ref().is_some_and(is_under_way);
            // Its values would take the place of those that wait.
            if begins && others.iter().any(|other| *other != draft.id) {
                let message = "Another run is not released yet: release it, or have it computed again.";
                draft.fault("state", "run-under-way", message);
            } else if begins {
                others.insert(draft.id);
            }
        }
        Ok(())
    }
    effects(_collection, context, changes) {
        let s = Slots::get();
        for (state, job) in [("queued", EVALUATION_JOB), ("releasing", RELEASE_JOB)] {
            let is = |row: &Option<Record>| row.as_ref().is_some_and(|row| row.get(s.state).text() == Some(state));
            let anew = changes.iter().filter(|change| is(&change.new) && !is(&change.old));
            context.queue_jobs(job, anew.map(|change| change.id).collect(), 0).await?;
        }
        Ok(())
    }
});

/// A run that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluationRun {
    /// Its row.
    pub id: i64,
    /// Day of its evaluations, 00:00 UTC in epoch milliseconds.
    pub day: i64,
}

/// Begins a run, again if it was broken off; none when nobody requests it any more.
///
/// # Errors
/// Those of the context.
pub async fn begin_evaluation(context: &mut dyn HookContext, id: i64) -> Result<Option<EvaluationRun>> {
    let (s, now) = (Slots::get(), context.now());
    let Some(row) = stored(context, id, &["queued", "running"]).await? else {
        return Ok(None);
    };
    // A run that goes on after a pause has the rows of its first day.
    let today = as_day(clock(&context.zone(), now));
    let day = match (row.get(s.state).text(), row.get(s.day).time()) {
        (Some("running"), Some(day)) => day,
        _ => today.time().unwrap_or(now),
    };
    let mut values = vec![
        (s.state, "running".into()),
        (s.started, Value::Time(now)),
        (s.day, Value::Time(day)),
        (s.step, "reading".into()),
    ];
    values.extend([s.done, s.total, s.fault, s.results, s.left_out].map(|slot| (slot, Value::Null)));
    context.amend(SLUG, vec![(id, values)]).await?;
    Ok(Some(EvaluationRun { id, day }))
}

/// Says what a run does, and how far it is. False: nobody requests it any more, and it must stop.
///
/// # Errors
/// Those of the context.
pub async fn note_step(
    context: &mut dyn HookContext,
    run: EvaluationRun,
    step: &str,
    (done, total): (usize, usize),
) -> Result<bool> {
    let s = Slots::get();
    if stored(context, run.id, &["running"]).await?.is_none() {
        return Ok(false);
    }
    let values = vec![(s.step, step.into()), (s.done, count(done)), (s.total, count(total))];
    context.amend(SLUG, vec![(run.id, values)]).await?;
    Ok(true)
}

/// What a run read and computed.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationResults {
    /// Number of the last commit that its input has.
    pub commit: i64,
    /// SHA-256 of its input.
    pub digest: String,
    /// Version of the computation.
    pub version: &'static str,
    /// Animals of the pedigree.
    pub animals: usize,
    /// Animals with records of the trait that has the most of them.
    pub with_records: usize,
    /// Records of all traits.
    pub records: usize,
    /// Animals with values of the run.
    pub stored: usize,
    /// Animals whose evaluation of that day is another one.
    pub skipped: usize,
    /// Animals that count without their parents.
    pub left_out: Vec<i64>,
    /// By trait.
    pub by_trait: Json,
    /// The base that the values are expressed against, by trait of indexes: mean, genetic and observed deviation, mean
    /// reliability, animals.
    pub base: Json,
}

/// Writes the end of a run. False: nobody requests it any more.
///
/// # Errors
/// Those of the context.
pub async fn finish_evaluation(
    context: &mut dyn HookContext,
    run: EvaluationRun,
    done: &EvaluationResults,
) -> Result<bool> {
    let (s, now) = (Slots::get(), context.now());
    if stored(context, run.id, &["running"]).await?.is_none() {
        return Ok(false);
    }
    let values = vec![
        (s.state, "computed".into()),
        (s.computed, Value::Time(now)),
        (s.commit, Value::Int(done.commit)),
        (s.digest, done.digest.as_str().into()),
        (s.method, METHOD.into()),
        (s.version, done.version.into()),
        (s.animals, count(done.animals)),
        (s.records, count(done.records)),
        (s.skipped, count(done.skipped)),
        (s.results, Value::json(decimals(done.by_trait.clone()))),
        (s.left_out, Value::json(done.left_out.clone().into())),
        (s.step, Value::Null),
        (s.done, Value::Int(0)),
        (s.total, count(done.stored)),
    ];
    context.amend(SLUG, vec![(run.id, values)]).await?;
    store_base(context, run, done).await?;
    Ok(true)
}

/// Ends a run that cannot be computed, and says why, by a word of the field.
///
/// # Errors
/// Those of the context.
pub async fn fail_evaluation(context: &mut dyn HookContext, id: i64, fault: &str) -> Result<()> {
    let s = Slots::get();
    if stored(context, id, &["queued", "running"]).await?.is_none() {
        return Ok(());
    }
    let values = vec![(s.state, "failed".into()), (s.fault, fault.into()), (s.step, Value::Null)];
    context.amend(SLUG, vec![(id, values)]).await
}

/// The breeding values of an animal: fields of `animal-evaluations`.
#[derive(Debug, Clone, PartialEq)]
pub struct BreedingValues {
    /// The animal.
    pub animal: i64,
    /// Neither it nor a descendant has a record: the values are those of its parents.
    pub by_parents: bool,
    /// Path and value.
    pub values: Vec<(String, f64)>,
}

/// Name of the base of a run: the animals with records, whose mean is zero.
fn base(run: EvaluationRun) -> String {
    let day = time::to_iso(run.day);
    format!("{BASE_OF_RUN}{}-{}", day.get(..10).unwrap_or_default(), run.id)
}

/// The base as a row, so that the values can be compared with others; it does not become the active one.
async fn store_base(context: &mut dyn HookContext, run: EvaluationRun, done: &EvaluationResults) -> Result<()> {
    let version = Value::Text(base(run));
    let lookup = Lookup::default().is_in("version", vec![version.clone()]);
    let rows = context.find("index-bases", lookup.fields(&["isActive"])).await?;
    // Indexes are expressed against it: it stays as the Association confirmed it.
    if rows.iter().any(|row| row.get(Bases::get().active).truth()) {
        return Ok(());
    }
    let mut fields = vec![
        ("animalsUsed".to_owned(), count(done.with_records)),
        ("computedAt".to_owned(), Value::Time(context.now())),
        ("traits".to_owned(), Value::json(decimals(done.base.clone()))),
    ];
    let command = match rows.first().and_then(|row| row.get(ID).int()) {
        Some(id) => Command::Update(id, fields),
        None => {
            fields.push(("version".to_owned(), version));
            fields.push(("source".to_owned(), "own".into()));
            Command::Create(fields)
        }
    };
    context.write("index-bases", vec![command]).await.map(drop)
}

/// Deletes some values that wait, of this run or of one that failed; true when there are more.
///
/// # Errors
/// Those of the context.
pub async fn clear_step(context: &mut dyn HookContext) -> Result<bool> {
    let lookup = Lookup::default().is_in("release", vec![AWAITED.into()]).fields(&["id"]).limit(STEP);
    let rows = context.find("animal-evaluations", lookup).await?;
    let delete = |row: &Record| row.get(ID).int().map(Command::Delete);
    let commands: Vec<Command> = rows.iter().filter_map(delete).collect();
    if commands.is_empty() {
        return Ok(false);
    }
    context.write_and_forget("animal-evaluations", commands).await?;
    Ok(true)
}

/// Stores values of a run, which wait for its release. Returns how many animals have another evaluation of that day,
/// which stays.
///
/// # Errors
/// Those of the context.
pub async fn store_breeding_values(
    context: &mut dyn HookContext,
    run: EvaluationRun,
    rows: &[BreedingValues],
) -> Result<usize> {
    let e = Evaluations::get();
    let day = Value::Time(run.day);
    let ids = rows.iter().map(|row| row.animal);
    // Animals that were deleted or merged since they were read.
    let lookup = Lookup::by_ids("id", ids.clone()).test("mergedInto", Test::Empty);
    let animals = context.find("animals", lookup.fields(&["id"])).await?;
    let animals: BTreeSet<i64> = animals.iter().filter_map(|row| row.get(ID).int()).collect();
    let lookup = Lookup::by_ids("animal", ids)
        .is_in("source", vec!["association".into()])
        .is_in("evaluatedAt", vec![day.clone()]);
    let others = context.find("animal-evaluations", lookup.fields(&["animal"])).await?;
    let others = others.iter().filter_map(|row| row.get(e.animal).int());
    let others: BTreeSet<i64> = others.collect();
    let mut commands = Vec::new();
    let there = rows.iter().filter(|row| animals.contains(&row.animal));
    for row in there.filter(|row| !others.contains(&row.animal)) {
        let calculation = if row.by_parents { "parentAverage" } else { "ebv" };
        let fields = [
            ("animal", Value::Int(row.animal)),
            ("source", "association".into()),
            ("evaluatedAt", day.clone()),
            ("calculation", calculation.into()),
            ("baseVersion", Value::Text(base(run))),
            ("run", Value::Int(run.id)),
            ("release", AWAITED.into()),
        ];
        let fields = fields.map(|(path, value)| (path.to_owned(), value));
        let values = (row.values.iter()).map(|(path, value)| (path.clone(), Value::Num(*value)));
        commands.push(Command::Create(fields.into_iter().chain(values).collect()));
    }
    context.write_and_forget("animal-evaluations", commands).await?;
    Ok(others.len())
}

/// Puts some values of a run in force; true when there are more.
///
/// # Errors
/// Those of the context.
pub async fn release_step(context: &mut dyn HookContext, id: i64) -> Result<bool> {
    let s = Slots::get();
    let Some(run) = stored(context, id, &["releasing"]).await? else {
        return Ok(false);
    };
    let lookup = Lookup::by_ids("run", [id]).is_in("release", vec![AWAITED.into()]).fields(&["animal"]).limit(STEP);
    let rows = context.find("animal-evaluations", lookup).await?;
    if rows.is_empty() {
        let fields = vec![("state".to_owned(), "released".into()), ("fault".to_owned(), Value::Null)];
        context.write(SLUG, vec![Command::Update(id, fields)]).await?;
        return Ok(false);
    }
    let done = run.get(s.done).int().unwrap_or_default();
    let step = i64::try_from(rows.len()).unwrap_or(STEP);
    let e = Evaluations::get();
    let animals: BTreeSet<i64> = rows.iter().filter_map(|row| row.get(e.animal).int()).collect();
    let given = |row: &Record| Some((row.get(ID).int()?, vec![(e.release, RELEASED.into())]));
    let given = rows.iter().filter_map(given).collect();
    context.amend_and_forget("animal-evaluations", given).await?;
    super::recompute(context, &animals).await?;
    let values = vec![(s.step, "releasing".into()), (s.done, Value::Int(done.saturating_add(step)))];
    context.amend(SLUG, vec![(id, values)]).await?;
    Ok(true)
}

/// Ends a release that breaks off again and again: what is released stays, and it can be requested again.
///
/// # Errors
/// Those of the context.
pub async fn give_release_up(context: &mut dyn HookContext, id: i64) -> Result<()> {
    let s = Slots::get();
    if stored(context, id, &["releasing"]).await?.is_none() {
        return Ok(());
    }
    let values = vec![(s.state, "computed".into()), (s.fault, "releaseBrokenOff".into()), (s.step, Value::Null)];
    context.amend(SLUG, vec![(id, values)]).await
}

/// The row of a run, if it is in one of these states.
async fn stored(context: &mut dyn BookReader, id: i64, states: &[&str]) -> Result<Option<Record>> {
    let states = states.iter().map(|state| Value::from(*state)).collect();
    let lookup = Lookup::by_ids("id", [id]).is_in("state", states);
    let fields = ["state", "evaluatedAt", "done"];
    Ok(context.find(SLUG, lookup.fields(&fields)).await?.into_iter().next())
}

fn count(n: usize) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}
