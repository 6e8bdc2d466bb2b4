//! Runs of the checks over the whole book (docs/design/jobs.md, *Checks of the book*): each night, on request, and
//! after settings of checks changed.

use crate::bench_runs::measured;
use crate::{Exit, announce, open};
use api::AppState;
use checks::{Animal, Finding, Herd};
use config::Settings;
use domain::collections::{
    CheckResults, CheckRun, Keys, NIGHTLY, RUN_JOB, Scope, SourcedFinding, Step, Survey, Tally, begin_checks, checked,
    finish_checks, forget_mended, give_checks_up, queue_averages, queue_checks, queued_at, store,
};
use model::error::Result;
use ops::jobs::{Job, Lease};
use ops::{Book, WriteTransaction};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it is looked whether the night's run is due.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// How long a process may say nothing before another one begins its run again, milliseconds.
const LEASE: i64 = 60_000;
/// An hour and a day, milliseconds.
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// Animals with findings across the book that are stored at once.
const ACROSS: usize = 500;

pub(crate) async fn ask_each_night(hub: Arc<AppState>) {
    let mut last_queued = hub.book.clock.now();
    loop {
        let now = hub.book.clock.now();
        if let Some(night) = night(hub.settings.checks_hour, now).filter(|night| *night > last_queued) {
            match ask_nightly(&hub.book, night).await {
                Ok(()) => last_queued = night,
                Err(error) => {
                    tracing::warn!(%error, "the checks of this night could not be queued")
                }
            }
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// When the run of this night was due last; none where none is wanted.
fn night(hour: Option<u8>, now: i64) -> Option<i64> {
    let at = HOUR * i64::from(hour?);
    Some((now - at).div_euclid(DAY) * DAY + at)
}

/// Asks for the run of a night and for the averages of lactations, once for all processes.
pub async fn ask_nightly(book: &Book, night: i64) -> Result<()> {
    let ask = book.transact(move |work| {
        Box::pin(async move {
            let last_queued = queued_at(work, NIGHTLY).await?;
            if last_queued.is_some_and(|last_queued| last_queued >= night) {
                return Ok(());
            }
            queue_averages(work).await?;
            queue_checks(work, NIGHTLY, night).await
        })
    });
    ask.await
}

/// Label of the run of `herdbook check --findings --store`.
const COMMAND: &str = "command";

/// Asks for a run, and performs all that are due, unless a server takes them first.
pub(crate) async fn run_once(settings: &Settings) -> Result<ExitCode> {
    let opened = open(settings, settings.passing_ring()?).await?;
    let book = &opened.book;
    let now = book.clock.now();
    let last_queued = book.transact(move |work| Box::pin(async move { queue_checks(work, COMMAND, now).await }));
    last_queued.await?;
    let mut runs = 0_u64;
    let ended = loop {
        match book.run_job(&CheckBook).await {
            Ok(true) => runs += 1,
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let ms = book.clock.now() - now;
    opened.book.store.close().await;
    ended?;
    announce(&json!({"event": "findings-stored", "runs": runs, "ms": ms}));
    Ok(Exit::Done.into())
}

/// A run that this process has.
#[derive(Debug, Clone)]
pub(crate) struct LeasedRun {
    run: CheckRun,
    lease: Lease,
}

impl LeasedRun {
    /// Whether the run is still this process's; says now and then how far it is.
    async fn goes_on(&mut self, work: &mut WriteTransaction<'_>, so_far: (u64, u64)) -> Result<bool> {
        Ok(self.lease.renew(work.tx()).await? && checked(work, &mut self.run, so_far).await?)
    }
}

/// A run of the checks, with its progress.
struct RunInProgress<'b> {
    book: &'b Book,
    run: LeasedRun,
    survey: Arc<Survey>,
    /// Animals that were looked at, and all.
    animals: (u64, u64),
    tallies: Tally,
}

/// Goes over the book. What a run finds is stored in steps of some hundred animals, each in a transaction of its own
/// that reads, checks and writes, so that a finding is what the rows said when it was written.
#[derive(Debug)]
pub struct CheckBook;

impl Job for CheckBook {
    const KIND: &'static str = RUN_JOB;

    fn lease(&self) -> i64 {
        LEASE
    }

    async fn run(&self, book: &Book, lease: Lease) -> Result<()> {
        let begun = book.transact(move |work| {
            Box::pin(async move {
                if !lease.renew(work.tx()).await? {
                    return Ok(None);
                }
                let run = match lease.is_hopeless() {
                    true => give_checks_up(work, lease.id()).await.map(|()| None)?,
                    false => begin_checks(work, lease.id()).await?,
                };
                if run.is_none() {
                    lease.finish(work.tx()).await?;
                }
                Ok(run.map(|run| LeasedRun { run, lease }))
            })
        });
        let Some(run) = begun.await? else {
            return Ok(());
        };
        let began = Instant::now();
        if let Some(survey) = whole(book, Some(run.clone())).await? {
            let survey = Arc::new(survey);
            let all = count(survey.book.parents.len());
            let mut going = RunInProgress { book, run, survey, animals: (0, all), tallies: Tally::new() };
            if going.perform().await?.is_some() {
                let animals = ("animals", going.animals.0);
                measured(book, "checks", animals, began.elapsed()).await;
                return Ok(());
            }
        }
        tracing::info!("a run of the checks was taken over or requested again");
        Ok(())
    }
}

/// What is known of a book before its animals are read; none when the run that asks is not this process's any more.
pub(crate) async fn whole(book: &Book, mut run: Option<LeasedRun>) -> Result<Option<Survey>> {
    let begun = book.transact(|work| Box::pin(async move { Survey::begin(work).await }));
    let mut survey = begun.await?;
    let mut after = Some(0);
    while let Some(from) = after {
        let mut of = run.take();
        let part = book.transact(move |work| {
            Box::pin(async move {
                if let Some(run) = &mut of
                    && !run.goes_on(work, (0, 0)).await?
                {
                    return Ok(None);
                }
                Ok(Some((Survey::counting(work, from).await?, of)))
            })
        });
        let Some((part, of)) = part.await? else {
            return Ok(None);
        };
        run = of;
        after = part.after;
        survey.count(part);
    }
    Ok(Some(survey))
}

impl RunInProgress<'_> {
    /// All of it; none when the run is not this process's any more.
    async fn perform(&mut self) -> Result<Option<()>> {
        let herds: Vec<i64> = self.survey.herds.clone();
        for herd in herds.into_iter().map(Some).chain([None]) {
            let (mut members, mut after) = (Vec::new(), Some(0));
            while let Some(from) = after {
                let Some((animals, next)) = self.step(herd, from).await? else {
                    return Ok(None);
                };
                after = next;
                if herd.is_some() {
                    members.extend(animals);
                }
            }
            if let Some(id) = herd
                && self.herd(id, members).await?.is_none()
            {
                return Ok(None);
            }
        }
        if self.across().await?.is_none() {
            return Ok(None);
        }
        let done = CheckResults {
            animals: self.animals.0,
            checks: count(self.survey.run.over_the_book()),
            found: std::mem::take(&mut self.tallies),
            version: env!("CARGO_PKG_VERSION"),
        };
        let LeasedRun { run, lease } = self.run.clone();
        let ended = self.book.transact(move |work| {
            Box::pin(async move { Ok(lease.finish(work.tx()).await? && finish_checks(work, &run, &done).await?) })
        });
        Ok(ended.await?.then_some(()))
    }

    /// Some animals of a herd, or of none.
    async fn step(&mut self, herd: Option<i64>, from: i64) -> Result<Option<(Vec<Animal>, Option<i64>)>> {
        let (survey, mut run, so_far) = (Arc::clone(&self.survey), self.run.clone(), self.animals);
        let step = self.book.transact(move |work| {
            Box::pin(async move {
                if !run.goes_on(work, so_far).await? {
                    return Ok(None);
                }
                let Step { animals, context, after } = survey.step(work, herd, from).await?;
                let mut sourced = Vec::new();
                for animal in &animals {
                    let mut findings = Vec::new();
                    survey.run.animal(animal, &context, &mut findings);
                    let source = Some(animal.passport.id);
                    sourced.extend(findings.into_iter().map(|finding| SourcedFinding { source, finding }));
                }
                let ids = animals.iter().map(|animal| animal.passport.id).collect();
                let tally = store(work, &Scope::Animals(ids), &sourced).await?;
                Ok(Some((animals, after, tally, run)))
            })
        });
        let Some((animals, after, tally, run)) = step.await? else {
            return Ok(None);
        };
        self.run = run;
        self.animals.0 += count(animals.len());
        self.add(tally);
        Ok(Some((animals, after)))
    }

    /// What is judged of a herd; none when the run is not this process's any more.
    async fn herd(&mut self, id: i64, members: Vec<Animal>) -> Result<Option<()>> {
        let mut findings = Vec::new();
        let herd = Herd { id, animals: members.iter().collect() };
        self.survey.run.herd(&herd, &mut findings);
        let findings: Vec<SourcedFinding> = findings.into_iter().map(of_no_animal).collect();
        self.store(Scope::Herd(id), findings).await
    }

    /// Stores findings; none when the run is not this process's any more.
    async fn store(&mut self, scope: Scope, findings: Vec<SourcedFinding>) -> Result<Option<()>> {
        let (mut run, so_far) = (self.run.clone(), self.animals);
        let stored = self.book.transact(move |work| {
            Box::pin(async move {
                if !run.goes_on(work, so_far).await? {
                    return Ok(None);
                }
                Ok(Some((store(work, &scope, &findings).await?, run)))
            })
        });
        let Some((tally, run)) = stored.await? else {
            return Ok(None);
        };
        self.run = run;
        self.add(tally);
        Ok(Some(()))
    }

    /// Whether the run is still this process's; says now and then that it goes on.
    async fn goes_on(&mut self) -> Result<bool> {
        let (mut run, so_far) = (self.run.clone(), self.animals);
        let next = self
            .book
            .transact(move |work| Box::pin(async move { Ok(run.goes_on(work, so_far).await?.then_some(run)) }));
        let next = next.await?;
        let goes_on = next.is_some();
        self.run = next.unwrap_or_else(|| self.run.clone());
        Ok(goes_on)
    }

    /// What is judged across the book; none when the run is not this process's any more.
    async fn across(&mut self) -> Result<Option<()>> {
        let mut findings = Vec::new();
        self.survey.run.book(&self.survey.book, &mut findings);
        let mut by_animal: BTreeMap<i64, Vec<SourcedFinding>> = BTreeMap::new();
        for finding in findings {
            if let Some(id) = finding.place.animal {
                by_animal.entry(id).or_default().push(of_no_animal(finding));
            }
        }
        let animals: Vec<i64> = by_animal.keys().copied().collect();
        let mut keys = Keys::default();
        for findings in by_animal.values() {
            keys.add(findings);
        }
        let keys = Arc::new(keys);
        for part in animals.chunks(ACROSS) {
            let scope = Scope::Across(part.iter().copied().collect::<BTreeSet<i64>>());
            let of = part.iter().filter_map(|id| by_animal.remove(id));
            let findings: Vec<SourcedFinding> = of.flatten().collect();
            if self.store(scope, findings).await?.is_none() {
                return Ok(None);
            }
        }
        let mut after = Some(0);
        while let Some(from) = after {
            if !self.goes_on().await? {
                return Ok(None);
            }
            let keys = Arc::clone(&keys);
            let step = self.book.transact(move |work| Box::pin(async move { forget_mended(work, &keys, from).await }));
            after = step.await?;
        }
        Ok(Some(()))
    }

    fn add(&mut self, tally: Tally) {
        for (code, (fix, note)) in tally {
            let of = self.tallies.entry(code).or_default();
            *of = (of.0 + fix, of.1 + note);
        }
    }
}

fn of_no_animal(finding: Finding) -> SourcedFinding {
    SourcedFinding { source: None, finding }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, night};

    #[test]
    fn a_night_begins_at_its_hour_and_lasts_a_day() {
        assert_eq!(night(None, 5 * DAY), None);
        assert_eq!(night(Some(2), 5 * DAY + 2 * HOUR), Some(5 * DAY + 2 * HOUR));
        assert_eq!(night(Some(2), 5 * DAY + 2 * HOUR - 1), Some(4 * DAY + 2 * HOUR));
        assert_eq!(night(Some(0), 5 * DAY), Some(5 * DAY));
    }
}
