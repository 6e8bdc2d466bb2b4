//! Runs of the evaluation of the Association (docs/evaluation.md): a job that reads the book, computes, and stores the
//! breeding values, and one that puts them in force; and `herdbook evaluate`, which only computes.

mod blupf90;
mod inputs;
#[cfg(feature = "parquet")]
mod parquet;
mod traits;

use crate::bench_runs::measured;
use crate::{announce, open};
use breeding::{Animal, Fault, GroupRule, Parent, Pedigree, VERSION, assign_groups};
use clap::Args;
use config::Settings;
use domain::collections::evaluations::{
    BreedingValues, EVALUATION_JOB, EvaluationResults, EvaluationRun, RELEASE_JOB, begin_evaluation, clear_step,
    fail_evaluation, finish_evaluation, give_release_up, note_step, release_step, store_breeding_values,
};
use inputs::Inputs;
pub(crate) use inputs::complete;
use model::error::{Error, Result};
use ops::jobs::{Job, Lease};
use ops::{Book, WriteTransaction};
use serde_json::{Value as Json, json};
use std::io::Write as _;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;
use traits::{EvaluatedTrait, TraitResult};

/// How long a process may say nothing before another one begins its run again, milliseconds.
const LEASE: i64 = 60_000;
/// How often it says that it goes on.
const TELLING: Duration = Duration::from_secs(10);
/// Animals whose values are stored at once.
const STEP: usize = 250;
/// Animals of which no trait is surer than this, %, get no evaluation.
const LEAST_RELIABILITY: f64 = 10.0;
/// Unknown parents of a genetic group: of animals born in one country in so many years, and so many at least.
const GROUPS: GroupRule = GroupRule { years: NonZeroU16::new(5).expect("not zero"), least: 50 };
/// Flags of `evaluate`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// File for the input of the computation, whose SHA-256 a run states.
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// File for the values: a line for each animal, as JSON.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Folder for the files of the BLUPF90 programs: data, pedigree and parameters of each trait.
    #[arg(long, value_name = "FOLDER")]
    blupf90: Option<PathBuf>,
    /// Folder for pedigree, records, and computed and released values as Parquet.
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "FOLDER")]
    parquet: Option<PathBuf>,
}

/// Computes the breeding values of a book, and stores nothing: whoever has a copy of the book of a run gets its digest
/// and its values.
pub(super) async fn evaluate(options: &Options, settings: &Settings) -> Result<()> {
    let opened = open(settings, settings.passing_ring()?).await?;
    let raw = inputs::read(&opened.book).await;
    #[cfg(feature = "parquet")]
    let released = match &options.parquet {
        Some(_) => parquet::read_released(&opened.book).await,
        None => Ok(parquet::ReleasedValues::default()),
    };
    opened.book.store.close().await;
    let inputs = Arc::new(raw?.sort());
    if let Some(file) = &options.inputs {
        let mut out = std::io::BufWriter::new(create(file)?);
        inputs.write(&mut out).and_then(|()| out.flush()).map_err(unwritable)?;
    }
    let digest = inputs.digest();
    let (commit, animals) = (inputs.commit, inputs.ids.len());
    let computed = spawn_blocking(move || compute_all(inputs)).await;
    let computed = computed.map_err(|fault| Error::internal(fault.to_string()))?;
    let computed = computed.map_err(|fault| Error::Unavailable(fault.to_string()))?;
    let Computed { inputs, pedigree, results } = computed;
    if let Some(folder) = &options.blupf90 {
        blupf90::write(folder, &inputs, &pedigree)?;
    }
    #[cfg(feature = "parquet")]
    if let Some(folder) = &options.parquet {
        parquet::write(folder, &inputs, &results, &released?)?;
    }
    if let Some(file) = &options.out {
        let mut out = std::io::BufWriter::new(create(file)?);
        for (place, informed) in evaluated(&inputs, &results) {
            let row = values(&inputs, &results, place, informed);
            let mut line = serde_json::Map::new();
            line.insert("animal".to_owned(), row.animal.into());
            line.insert("byParents".to_owned(), row.by_parents.into());
            line.extend(row.values.into_iter().map(|(path, value)| (path, Json::from(value))));
            writeln!(out, "{}", Json::Object(line)).map_err(unwritable)?;
        }
        out.flush().map_err(unwritable)?;
    }
    let summary: Vec<&Json> = results.iter().map(|result| &result.summary).collect();
    announce(&json!({
        "event": "evaluated", "commit": commit, "digest": digest, "version": VERSION, "animals": animals,
        "leftOut": pedigree.left_out,
        "traits": summary,
    }));
    Ok(())
}

fn create(file: &Path) -> Result<std::fs::File> {
    std::fs::File::create(file)
        .map_err(|fault| Error::Unavailable(format!("{} cannot be written: {fault}", file.display())))
}

fn unwritable(fault: std::io::Error) -> Error {
    Error::Unavailable(format!("the file cannot be written: {fault}"))
}

/// What was computed.
#[derive(Debug)]
struct Computed {
    inputs: Arc<Inputs>,
    pedigree: BookPedigree,
    results: Vec<TraitResult>,
}

#[derive(Debug)]
struct BookPedigree {
    /// By place; unknown parents are of genetic groups.
    animals: Vec<Animal>,
    pedigree: Pedigree,
    /// Animals that count without their parents, since they descend from themselves, or sire and dam are one. The checks
    /// of the book name them, too.
    left_out: Vec<i64>,
}

/// All traits, one after the other.
fn compute_all(inputs: Arc<Inputs>) -> std::result::Result<Computed, Fault> {
    let pedigree = BookPedigree::new(&inputs)?;
    let mut results = Vec::new();
    for one in traits::all() {
        results.extend(compute(&inputs, &pedigree.pedigree, one, &AtomicBool::new(false))?);
    }
    Ok(Computed { inputs, pedigree, results })
}

impl BookPedigree {
    fn new(inputs: &Inputs) -> std::result::Result<Self, Fault> {
        let (mut animals, mut left_out) = (inputs.animals.clone(), Vec::new());
        loop {
            match Pedigree::new(&animals) {
                Ok(_) => break,
                Err(Fault::Cycle(place) | Fault::OneParentTwice(place)) => {
                    if let (Some(animal), Some(id)) = (animals.get_mut(place), inputs.ids.get(place)) {
                        (animal.sire, animal.dam) = (Parent::Unknown, Parent::Unknown);
                        left_out.push(*id);
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
        assign_groups(&mut animals, GROUPS);
        Ok(Self { pedigree: Pedigree::new(&animals)?, animals, left_out })
    }
}

/// A trait; none without any record.
fn compute(
    inputs: &Inputs,
    pedigree: &Pedigree,
    one: EvaluatedTrait,
    stop: &AtomicBool,
) -> std::result::Result<Option<TraitResult>, Fault> {
    let records = one.records(inputs);
    match records.values.is_empty() {
        true => Ok(None),
        false => one.evaluate(pedigree, &records, stop).map(Some),
    }
}

/// The places of the animals of which some trait is sure enough, and whether they or their descendants have records.
fn evaluated(inputs: &Inputs, results: &[TraitResult]) -> Vec<(usize, bool)> {
    let sure = |place: usize| results.iter().any(|result| result.is_sure(place, LEAST_RELIABILITY));
    let all = inputs.informed().into_iter().enumerate();
    all.filter(|(place, _)| sure(*place)).collect()
}

/// The evaluation of an animal.
fn values(inputs: &Inputs, results: &[TraitResult], place: usize, informed: bool) -> BreedingValues {
    BreedingValues {
        animal: inputs.ids.get(place).copied().unwrap_or_default(),
        by_parents: !informed,
        values: (results.iter()).flat_map(|result| result.fields(place, LEAST_RELIABILITY)).collect(),
    }
}

/// Computes the breeding values of the book.
#[derive(Debug)]
pub struct Evaluate;

impl Job for Evaluate {
    const KIND: &'static str = EVALUATION_JOB;

    fn lease(&self) -> i64 {
        LEASE
    }

    async fn run(&self, book: &Book, lease: Lease) -> Result<()> {
        let (hopeless, id) = (lease.is_hopeless(), lease.id());
        let begun = book.transact(move |work| {
            Box::pin(async move {
                if !lease.renew(work.tx()).await? {
                    return Ok(None);
                }
                let run = match hopeless {
                    true => fail_evaluation(work, id, "brokenOff").await.map(|()| None)?,
                    false => begin_evaluation(work, id).await?,
                };
                if run.is_none() {
                    lease.finish(work.tx()).await?;
                }
                Ok(run.map(|run| RunInProgress { run, lease }))
            })
        });
        let Some(run) = begun.await? else {
            return Ok(());
        };
        let began = Instant::now();
        match run.perform(book).await {
            Ok(animals) => measured(book, "evaluation", ("animals", animals), began.elapsed()).await,
            Err(Stop::Lost) => {
                tracing::info!("a run of the evaluation was taken over or requested again")
            }
            Err(Stop::Book(error)) => return Err(error),
            Err(Stop::Fault(fault)) => {
                tracing::warn!(%fault, "a run of the evaluation cannot be computed");
                let word = match fault {
                    Fault::NoRecords => "noRecords",
                    Fault::NotSolved { .. } => "notSolved",
                    _ => "unusable",
                };
                let RunInProgress { run, lease } = run;
                let ended = book.transact(move |work| {
                    Box::pin(async move {
                        fail_evaluation(work, run.id, word).await?;
                        lease.finish(work.tx()).await.map(drop)
                    })
                });
                ended.await?;
            }
        }
        Ok(())
    }
}

/// Why a run ends before its end.
#[derive(Debug)]
enum Stop {
    /// It is not this process's any more.
    Lost,
    /// It cannot be computed.
    Fault(Fault),
    /// The book fails.
    Book(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Book(error)
    }
}

/// Sets a flag when it is dropped, so that a computation ends that nobody waits for.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A run that this process has.
#[derive(Debug, Clone)]
struct RunInProgress {
    run: EvaluationRun,
    lease: Lease,
}

impl RunInProgress {
    /// Whether the run is still this process's; says what it does.
    async fn goes_on(&self, work: &mut WriteTransaction<'_>, step: &str, so_far: (usize, usize)) -> Result<bool> {
        Ok(self.lease.renew(work.tx()).await? && note_step(work, self.run, step, so_far).await?)
    }

    /// Waits for something, and says now and then that the run goes on.
    async fn during<T>(
        &self,
        book: &Book,
        step: &'static str,
        work: impl Future<Output = T>,
    ) -> std::result::Result<T, Stop> {
        let mut work = std::pin::pin!(work);
        loop {
            let own = self.clone();
            let noted = book.transact(move |work| Box::pin(async move { own.goes_on(work, step, (0, 0)).await }));
            if !noted.await? {
                return Err(Stop::Lost);
            }
            tokio::select! {
                done = &mut work => return Ok(done),
                () = tokio::time::sleep(TELLING) => {}
            }
        }
    }

    /// The same for a computation, which ends when nobody waits for it any more.
    async fn computing<T: Send + 'static>(
        &self,
        book: &Book,
        step: &'static str,
        work: impl FnOnce(&AtomicBool) -> std::result::Result<T, Fault> + Send + 'static,
    ) -> std::result::Result<T, Stop> {
        let stop = Arc::new(AtomicBool::new(false));
        let _guard = StopOnDrop(Arc::clone(&stop));
        let done = self.during(book, step, spawn_blocking(move || work(&stop))).await?;
        done.map_err(Error::internal)?.map_err(Stop::Fault)
    }

    /// All of it; how many animals there are.
    async fn perform(&self, book: &Book) -> std::result::Result<u64, Stop> {
        let raw = self.during(book, "reading", inputs::read(book)).await??;
        let sorted = self.computing(book, "pedigree", move |_| {
            let inputs = raw.sort();
            let BookPedigree { pedigree, left_out, .. } = BookPedigree::new(&inputs)?;
            Ok((inputs.digest(), Arc::new(inputs), Arc::new(pedigree), left_out))
        });
        let (digest, inputs, pedigree, left_out) = sorted.await?;
        let mut results = Vec::new();
        for one in traits::all() {
            let (inputs, pedigree) = (Arc::clone(&inputs), Arc::clone(&pedigree));
            let computed = self.computing(book, one.key, move |stop| compute(&inputs, &pedigree, one, stop));
            results.extend(computed.await?);
        }
        if results.is_empty() {
            return Err(Stop::Fault(Fault::NoRecords));
        }
        let stored = self.store(book, &inputs, &results).await?;
        let records = results.iter().filter_map(|result| result.summary.get("records")?.as_u64());
        let done = EvaluationResults {
            commit: inputs.commit,
            digest,
            version: VERSION,
            animals: inputs.ids.len(),
            with_records: results.iter().map(|result| result.animals).max().unwrap_or(0),
            records: usize::try_from(records.sum::<u64>()).unwrap_or(usize::MAX),
            stored: stored.0,
            skipped: stored.1,
            left_out,
            by_trait: results.iter().map(|result| result.summary.clone()).collect(),
            base: results.iter().filter_map(|result| result.base.clone()).collect(),
        };
        let Self { run, lease } = self.clone();
        let ended = book.transact(move |work| {
            Box::pin(async move { Ok(lease.finish(work.tx()).await? && finish_evaluation(work, run, &done).await?) })
        });
        match ended.await? {
            true => Ok(u64::try_from(inputs.ids.len()).unwrap_or(u64::MAX)),
            false => Err(Stop::Lost),
        }
    }

    /// Stores the values in the place of those that wait: how many, and how many animals have others of the day.
    async fn store(
        &self,
        book: &Book,
        inputs: &Arc<Inputs>,
        results: &[TraitResult],
    ) -> std::result::Result<(usize, usize), Stop> {
        loop {
            let own = self.clone();
            let cleared = book.transact(move |work| {
                Box::pin(async move {
                    match own.goes_on(work, "clearing", (0, 0)).await? {
                        true => clear_step(work).await.map(Some),
                        false => Ok(None),
                    }
                })
            });
            match cleared.await? {
                Some(true) => {}
                Some(false) => break,
                None => return Err(Stop::Lost),
            }
        }
        let places = evaluated(inputs, results);
        let (all, mut skipped) = (places.len(), 0);
        for (at, part) in places.chunks(STEP).enumerate() {
            let rows = part.iter().map(|(place, informed)| values(inputs, results, *place, *informed));
            let (own, rows, so_far) = (self.clone(), rows.collect::<Vec<_>>(), (at * STEP, all));
            let stored = book.transact(move |work| {
                Box::pin(async move {
                    match own.goes_on(work, "storing", so_far).await? {
                        true => store_breeding_values(work, own.run, &rows).await.map(Some),
                        false => Ok(None),
                    }
                })
            });
            skipped += stored.await?.ok_or(Stop::Lost)?;
        }
        Ok((all - skipped, skipped))
    }
}

/// Puts the values of a run in force.
#[derive(Debug)]
pub struct Release;

impl Job for Release {
    const KIND: &'static str = RELEASE_JOB;

    fn lease(&self) -> i64 {
        LEASE
    }

    async fn run(&self, book: &Book, mut lease: Lease) -> Result<()> {
        loop {
            let step = book.transact(move |work| {
                Box::pin(async move {
                    if !lease.renew(work.tx()).await? {
                        return Ok(None);
                    }
                    if lease.is_hopeless() {
                        give_release_up(work, lease.id()).await?;
                    } else if release_step(work, lease.id()).await? {
                        lease.advance(work.tx()).await?;
                        return Ok(Some(lease));
                    }
                    lease.finish(work.tx()).await.map(|_| None)
                })
            });
            match step.await? {
                Some(more) => lease = more,
                None => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::inputs::{Inputs, LactationRecord};
    use super::{compute_all, evaluated};
    use breeding::{Animal, Parent};
    use std::sync::Arc;

    fn lactation(animal: u32, milk: f64) -> LactationRecord {
        let (season, age) = ((2007, 1), Some(25));
        LactationRecord { animal, number: 1, herd: 1, season, age, milk, fat: None, protein: None, score: None }
    }

    /// Sure by its sire, and of a group of dams of whom nothing is known.
    #[test]
    fn an_animal_without_a_value_has_no_evaluation() {
        let mut inputs = Inputs::default();
        let born = |birth_year: i16, sire: Parent| Animal { birth_year: Some(birth_year), sire, ..Animal::default() };
        inputs.animals = vec![born(2000, Parent::Unknown), born(2000, Parent::Unknown)];
        for place in 0..60_u32 {
            inputs.animals.push(born(2005, Parent::Animal(place % 2)));
            inputs.lactations.push(lactation(place + 2, 8_000.0 + f64::from(place * 37 % 50) * 20.0));
        }
        inputs.animals.extend((0..50).map(|_| born(2020, Parent::Animal(0))));
        inputs.ids = (1..=112).collect();
        let computed = compute_all(Arc::new(inputs)).unwrap();
        let of_milk = &computed.results[0];
        assert!(of_milk.fields(100, 0.0).is_empty() && !of_milk.fields(0, 0.0).is_empty());
        let evaluated = evaluated(&computed.inputs, &computed.results);
        assert_eq!(evaluated.len(), 62);
        assert!(evaluated.iter().all(|(place, informed)| *place < 62 && *informed));
    }
}
