//! The import itself: collection by collection, pass by pass, part by part.

use super::journal::{Journal, JournalPart, Phase};
use super::read::{FolderRow, OpenFile};
use super::report::{Refusal, Report};
use super::scan::{Plan, PlannedCollection};
use super::{Counts, FolderOptions, ImportSummary, TOGETHER, Watch};
use crate::Schemes;
use crate::write::{self, ImportBatch, ImportRow, ImportRules, Patience, RowIdSet, RowOutcome};
use model::error::{Error, Issue, Result};
use model::registry::{Principal, Registry};
use ops::{Book, Rehearsal, WriteTransaction};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::Mutex;

/// What all parts need.
struct Common {
    registry: &'static Registry,
    caller: Arc<Principal>,
    rules: Arc<ImportRules>,
    options: FolderOptions,
    watch: Watch,
}

/// What a run knows of a collection.
#[derive(Default)]
struct Progress {
    counts: Counts,
    record_ids: RowIdSet,
    incomplete: RowIdSet,
    any_incomplete: bool,
}

/// Where a pass begins, and which rows it takes.
#[derive(Default)]
struct Pass {
    number: u64,
    patience: Patience,
    /// Rows before this one were done by an earlier run.
    from: i64,
    /// Rows that the pass takes; none: all.
    only: Option<RowIdSet>,
    /// Rows that wait for the next pass.
    waits: RowIdSet,
    waiting: u64,
    processed: u64,
}

#[derive(Default)]
struct PartRows {
    /// Number of each row among those of its collection, its file and its line.
    places: Vec<(i64, Arc<str>, u64)>,
    rows: Vec<ImportRow>,
}

/// A part before it is written.
struct PartInput {
    caller: Arc<Principal>,
    batch: ImportBatch,
    places: Vec<(i64, Arc<str>, u64)>,
    record_ids: RowIdSet,
    report: Report,
    journal: Option<Journal>,
    part: JournalPart,
}

struct PartResult {
    record_ids: RowIdSet,
    report: Report,
    journal: Option<Journal>,
    part: JournalPart,
}

/// How parts are written.
enum WriteTarget<'w, 't> {
    /// Each in a transaction of its own.
    Book(&'w Book),
    Rehearsal(&'w mut Rehearsal<'t>),
}

pub(super) async fn run(
    book: &Book,
    plan: Plan,
    options: &FolderOptions,
    (caller, schemes, watch): (Arc<Principal>, Schemes, Watch),
) -> Result<ImportSummary> {
    let common = Common {
        registry: book.registry,
        caller,
        rules: Arc::new(ImportRules { conflict: options.conflict, schemes, package: None }),
        options: options.clone(),
        watch,
    };
    if options.dry_run { rehearse_plan(book, common, plan).await } else { write_plan(book, common, plan).await }
}

async fn write_plan(book: &Book, common: Common, plan: Plan) -> Result<ImportSummary> {
    let (journal, parts) = Journal::open(book, &plan, &common.options).await?;
    let report = match parts.last() {
        Some(part) => Report::go_on(&common.options.report, part.report)?,
        None => Report::begin(&common.options.report)?,
    };
    let import = journal.import.clone();
    let ids = plan.ids.clone();
    book.transact(move |work| Box::pin(async move { work.reserve_ids(&ids).await })).await?;
    let mut run = Run {
        common,
        report: Some(report),
        journal: Some(journal),
        number: parts.last().map_or(0, |part| part.number),
        progress: BTreeMap::new(),
        summary: ImportSummary {
            resumed: !parts.is_empty(),
            ignored: plan.ignored.clone(),
            ..ImportSummary::default()
        },
    };
    run.recall(&parts);
    run.all(&mut WriteTarget::Book(book), &plan, &parts).await?;
    book.transact(move |work| Box::pin(async move { work.forget_parts(&import).await })).await?;
    if let Some(journal) = run.journal.take() {
        journal.end()?;
    }
    Ok(run.summary)
}

async fn rehearse_plan(book: &Book, common: Common, plan: Plan) -> Result<ImportSummary> {
    let report = Report::begin(&common.options.report)?;
    let outcome: Arc<Mutex<Option<ImportSummary>>> = Arc::default();
    let tell = Arc::clone(&outcome);
    let rehearsed = book.rehearse(move |rehearsal| {
        Box::pin(async move {
            let mut run = Run {
                common,
                report: Some(report),
                journal: None,
                number: 0,
                progress: BTreeMap::new(),
                summary: ImportSummary { ignored: plan.ignored.clone(), ..ImportSummary::default() },
            };
            let ids = plan.ids.clone();
            rehearsal.part(move |work| Box::pin(async move { work.reserve_ids(&ids).await })).await?;
            run.all(&mut WriteTarget::Rehearsal(rehearsal), &plan, &[]).await?;
            *tell.lock().await = Some(run.summary);
            Ok(())
        })
    });
    rehearsed.await?;
    let summary = outcome.lock().await.take();
    summary.ok_or_else(|| Error::internal("a rehearsal without a summary"))
}

struct Run {
    common: Common,
    report: Option<Report>,
    journal: Option<Journal>,
    /// Parts that are written.
    number: i64,
    progress: BTreeMap<&'static str, Progress>,
    summary: ImportSummary,
}

impl Run {
    /// What earlier runs did.
    fn recall(&mut self, parts: &[JournalPart]) {
        for part in parts {
            let Some(c) = self.common.registry.get(&part.collection) else { continue };
            let progress = self.progress.entry(c.slug).or_default();
            progress.note(part);
            for id in part.ids.iter() {
                progress.record_ids.insert(id);
            }
            (self.common.watch)(part.counts.all(), true);
        }
    }

    async fn all(&mut self, target: &mut WriteTarget<'_, '_>, plan: &Plan, parts: &[JournalPart]) -> Result<()> {
        let mut resume = parts.last();
        for phase in [Phase::Write, Phase::Complete] {
            for one in &plan.collections {
                let slug = one.placed.node.collection.slug;
                let is_here = |part: &JournalPart| part.phase == phase && part.collection == slug;
                let earlier = match resume {
                    Some(part) if !is_here(part) => continue,
                    Some(_) => parts,
                    None => &[],
                };
                resume = None;
                let mut pass = pass_of(one, phase, earlier);
                match phase {
                    Phase::Write => self.collection(target, one, pass).await?,
                    Phase::Complete => {
                        let progress = self.progress.get(slug);
                        if let Some(progress) = progress.filter(|progress| progress.any_incomplete) {
                            pass.only = Some(progress.incomplete.clone());
                            self.pass_over(target, one, phase, &mut pass).await?;
                        }
                    }
                }
            }
        }
        for one in &plan.collections {
            let slug = one.placed.node.collection.slug;
            let counts = self.progress.get(slug).map_or_else(Counts::default, |k| k.counts);
            self.summary.collections.insert(slug, counts);
        }
        if let Some(report) = &self.report {
            report.keep()?;
        }
        Ok(())
    }

    /// Writes the rows of a collection, in as many passes as rows wait for each other.
    async fn collection(
        &mut self,
        target: &mut WriteTarget<'_, '_>,
        one: &PlannedCollection,
        mut pass: Pass,
    ) -> Result<()> {
        loop {
            self.pass_over(target, one, Phase::Write, &mut pass).await?;
            if pass.waiting == 0 {
                return Ok(());
            }
            let patience = match (pass.patience, pass.waiting < pass.processed) {
                (same, true) => same,
                (Patience::All, false) => Patience::Relations,
                (_, false) => Patience::None,
            };
            pass = Pass { number: pass.number + 1, patience, only: Some(pass.waits), ..Pass::default() };
        }
    }

    /// Reads the files of a collection once, and writes the rows that the pass takes.
    async fn pass_over(
        &mut self,
        target: &mut WriteTarget<'_, '_>,
        one: &PlannedCollection,
        phase: Phase,
        pass: &mut Pass,
    ) -> Result<()> {
        let mut number = -1;
        let mut part = PartRows::default();
        for file in &one.files {
            let (encoding, skips) = (self.common.options.encoding, self.common.options.skip_unknown);
            let file = OpenFile::open(self.common.registry, file, encoding, skips)?;
            let mut rows = file.rows()?;
            while let Some(FolderRow { line, place, row }) = rows.next()? {
                number += 1;
                let takes = pass.only.as_ref().is_none_or(|only| only.contains(number));
                if number < pass.from || !takes {
                    continue;
                }
                part.places.push((number, place, line));
                part.rows.push(row);
                if part.rows.len() >= TOGETHER {
                    self.part(target, one, phase, pass, std::mem::take(&mut part)).await?;
                }
            }
        }
        if part.rows.is_empty() { Ok(()) } else { self.part(target, one, phase, pass, part).await }
    }

    async fn part(
        &mut self,
        target: &mut WriteTarget<'_, '_>,
        one: &PlannedCollection,
        phase: Phase,
        pass: &mut Pass,
        rows: PartRows,
    ) -> Result<()> {
        let lost = || Error::internal("a part of an import was lost");
        let c = one.placed.node.collection;
        let completes = phase == Phase::Complete;
        let progress = self.progress.entry(c.slug).or_default();
        let until = rows.places.last().map_or(pass.from, |(number, _, _)| number + 1);
        let input = PartInput {
            caller: Arc::clone(&self.common.caller),
            batch: ImportBatch {
                collection: c,
                rows: rows.rows,
                rules: Arc::clone(&self.common.rules),
                patience: pass.patience,
                coming: one.coming.clone(),
                later: if completes { BTreeSet::new() } else { one.placed.later.clone() },
                completes,
            },
            places: rows.places,
            record_ids: std::mem::take(&mut progress.record_ids),
            report: self.report.take().ok_or_else(lost)?,
            journal: self.journal.take(),
            part: JournalPart {
                number: self.number + 1,
                collection: c.slug.to_owned(),
                phase,
                pass: pass.number,
                patience: pass.patience,
                until,
                ..JournalPart::default()
            },
        };
        let done = match target {
            WriteTarget::Book(book) => book.transact(move |work| Box::pin(write_part(work, input))).await?,
            WriteTarget::Rehearsal(rehearsal) => rehearsal.part(move |work| Box::pin(write_part(work, input))).await?,
        };
        self.number += 1;
        self.report = Some(done.report);
        self.journal = done.journal;
        let progress = self.progress.entry(c.slug).or_default();
        progress.record_ids = done.record_ids;
        progress.note(&done.part);
        for row in done.part.waits.iter() {
            pass.waits.insert(row);
        }
        let waiting = done.part.waits.count();
        pass.waiting += waiting;
        pass.processed += waiting + done.part.counts.all();
        if !completes {
            (self.common.watch)(done.part.counts.all(), false);
        }
        Ok(())
    }
}

impl Progress {
    fn note(&mut self, part: &JournalPart) {
        self.counts.add(part.counts);
        for row in part.incomplete.iter() {
            self.incomplete.insert(row);
            self.any_incomplete = true;
        }
    }
}

/// The pass with which a collection begins, or in which it was broken off.
fn pass_of(one: &PlannedCollection, phase: Phase, earlier: &[JournalPart]) -> Pass {
    let slug = one.placed.node.collection.slug;
    let Some(last) = earlier.last() else {
        let patience = match (&one.coming, phase) {
            (Some(_), Phase::Write) => Patience::All,
            _ => Patience::None,
        };
        return Pass { patience, ..Pass::default() };
    };
    let mut pass = Pass { number: last.pass, patience: last.patience, from: last.until, ..Pass::default() };
    for part in earlier.iter().filter(|p| p.phase == phase && p.collection == slug) {
        if part.pass == last.pass {
            part.waits.iter().for_each(|row| {
                pass.waits.insert(row);
            });
            pass.waiting += part.waits.count();
            pass.processed += part.waits.count() + part.counts.all();
        } else if part.pass + 1 == last.pass {
            let only = pass.only.get_or_insert_default();
            part.waits.iter().for_each(|row| {
                only.insert(row);
            });
        }
    }
    pass
}

/// Writes a part, reports what was refused, and notes in the journal how far the import will be when
/// the transaction is committed.
async fn write_part(work: &mut WriteTransaction<'_>, input: PartInput) -> Result<PartResult> {
    let PartInput { caller, batch, places, mut record_ids, mut report, mut journal, mut part } = input;
    let rows = batch.rows.clone();
    let completes = batch.completes;
    let outcomes = write::write(work, &caller, batch, &mut record_ids).await?;
    for ((imported, (number, file, line)), row) in outcomes.into_iter().zip(&places).zip(&rows) {
        let mut refuse = |issues: &[Issue]| report.add(&Refusal { file, line: *line, row, issues });
        if imported.incomplete {
            part.incomplete.push(*number);
        }
        if !imported.left_out.is_empty() && !completes {
            refuse(&imported.left_out)?;
        }
        let counts = &mut part.counts;
        let (count, id) = match imported.outcome {
            RowOutcome::Waits => {
                part.waits.push(*number);
                continue;
            }
            RowOutcome::Refused(issues) => {
                counts.refused += 1;
                refuse(&issues)?;
                continue;
            }
            // The row was counted when it was written.
            _ if completes => continue,
            RowOutcome::Created(id) => (&mut counts.created, id),
            RowOutcome::Updated(id) => (&mut counts.updated, id),
            RowOutcome::Unchanged(id) => (&mut counts.unchanged, id),
            RowOutcome::Skipped(id) => (&mut counts.skipped, id),
        };
        *count += 1;
        part.ids.push(id);
    }
    part.report = report.bytes();
    if let Some(journal) = &mut journal {
        report.keep()?;
        let number = work.count_part(&journal.import).await?;
        if number != part.number {
            let why = "another import of these files is running";
            return Err(Error::Malformed(why.to_owned().into()));
        }
        journal.add(&part)?;
    }
    Ok(PartResult { record_ids, report, journal, part })
}
