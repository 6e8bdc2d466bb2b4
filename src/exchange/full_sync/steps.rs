//! A piece of the end of a full sync. Only resources that came by the exchange are candidates: those whose last state
//! is of the same organisation, with a source and a location of the sync's scope. A resource that was changed since by
//! another caller stays, as when a batch is retracted.
//!
//! The end goes over the candidates in the order of their names, first to find those that stay, then to delete the
//! others, and once more over those that were refused, as long as some go. A resource that stays is noted as named, so
//! that it is no candidate any more; so is one that is sent while the end goes on. A deletion renders documents that
//! depend on it, which would look changed by another caller: hence what others changed is looked for by the numbers
//! between two pieces, where none is the end's own.

use crate::documents::names::name_of;
use crate::full_sync::outcome::{AffectedResource, Progress};
use crate::full_sync::{FullSync, FullSyncs, sender_is};
use crate::intake::delivery::{DocumentAnswer, Key, State};
use crate::intake::last_states::SyncScope;
use model::error::{Result, Severity};
use model::record::Value;
use model::registry::Principal;
use ops::WriteTransaction;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Row, Sql, Ty};

/// Resources that are retracted together.
const TOGETHER: usize = 100;
/// Last states that one statement goes through.
const SCANNED: usize = 2_000;
/// How long a piece may take before it stops; it goes through some last states in any case.
const PATIENCE: Duration = Duration::from_millis(200);
const WINDOWS: usize = 5;
/// Passes over refused resources: one may be deletable after others that refer to it went.
const PASSES: usize = 5;

/// `meta.sourceId` and data set.
type Name = (String, String);

#[derive(Debug, Clone, Copy)]
pub(super) struct EndStep<'p> {
    pub sync: &'p FullSync,
    /// With whose rights.
    pub caller: &'p Arc<Principal>,
    /// Resources that it deletes at most.
    pub chunk: usize,
    /// Why nothing may be deleted.
    pub why: Option<&'p str>,
    /// Whether it ends with those that are retracted together first.
    pub once: bool,
}

impl<'p> EndStep<'p> {
    pub(super) fn new(sync: &'p FullSync, caller: &'p Arc<Principal>, chunk: usize) -> Self {
        Self { sync, caller, chunk: chunk.max(1), why: None, once: false }
    }

    fn together(&self) -> usize {
        self.chunk.min(TOGETHER)
    }
}

/// Last states of one place between two names.
struct Window<'w> {
    place: (i64, &'w str),
    after: Option<Name>,
    /// The last one; none: all that follow.
    upto: Option<Name>,
}

impl FullSyncs {
    /// Works on a piece of an end; true when nothing is left.
    pub(super) async fn step(
        &self,
        work: &mut WriteTransaction<'_>,
        step: EndStep<'_>,
        progress: &mut Progress,
    ) -> Result<bool> {
        let began = Instant::now();
        let (mut tried, mut windows) = (0, 0);
        // Candidates are gathered over windows and places: deleting a few costs nearly as much as deleting many.
        let mut pending: Vec<AffectedResource> = Vec::new();
        if progress.pass > 0 {
            settle(work, step.sync, progress).await?;
        }
        loop {
            let place = place(step.sync, progress.place);
            let late = (tried > 0 || windows >= WINDOWS) && began.elapsed() >= PATIENCE;
            let enough = late || tried >= step.chunk || (step.once && tried > 0);
            if place.is_none() || enough || pending.len() >= step.together() {
                self.retract(work, step, std::mem::take(&mut pending), progress).await?;
            }
            let Some(place) = place else {
                if self.next_pass(work, step.sync, progress).await? {
                    return Ok(true);
                }
                continue;
            };
            if enough {
                return Ok(false);
            }
            windows += 1;
            let window = Window::next(work, place, progress.after.take(), SCANNED).await?;
            if progress.pass == 0 {
                note_changed_by_others(work, step.sync, &window, progress).await?;
                go_on(progress, window.upto);
                continue;
            }
            let room = step.together().saturating_sub(pending.len()).min(step.chunk.saturating_sub(tried));
            let more = candidates(work, step.sync, &window, room).await?;
            tried += more.len();
            let last = more.last().map(|r| (r.source_id.clone(), r.dataset.clone()));
            let next = if more.len() < room { window.upto } else { last };
            go_on(progress, next);
            pending.extend(more);
        }
    }

    /// What a few candidates would come to, in a transaction of their own; true when nothing is left.
    pub(super) async fn dry_run_step(
        &self,
        work: &mut WriteTransaction<'_>,
        step: EndStep<'_>,
        progress: &mut Progress,
    ) -> Result<bool> {
        let began = Instant::now();
        while let Some(place) = place(step.sync, progress.place) {
            let size = step.together();
            let window = Window::next(work, place, progress.after.take(), size).await?;
            note_changed_by_others(work, step.sync, &window, progress).await?;
            let resources = candidates(work, step.sync, &window, size).await?;
            go_on(progress, window.upto);
            let some = !resources.is_empty();
            self.retract(work, step, resources, progress).await?;
            if some || began.elapsed() >= PATIENCE {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Begins the next pass, if there is one; true when the end is over.
    async fn next_pass(
        &self,
        work: &mut WriteTransaction<'_>,
        sync: &FullSync,
        progress: &mut Progress,
    ) -> Result<bool> {
        let outcome = &mut progress.outcome;
        let more = match progress.pass {
            0 => progress.unnamed > outcome.changed_by_others.count,
            pass => {
                let some = outcome.deleted.count > progress.before;
                pass < PASSES && some && outcome.refused.count > 0
            }
        };
        if !more {
            return Ok(true);
        }
        outcome.refused = Default::default();
        progress.before = outcome.deleted.count;
        progress.pass += 1;
        progress.place = 0;
        progress.after = None;
        if progress.pass == 1 {
            settle(work, sync, progress).await?;
        }
        Ok(false)
    }

    /// Retracts resources, and counts what came of it.
    async fn retract(
        &self,
        work: &mut WriteTransaction<'_>,
        step: EndStep<'_>,
        mut all: Vec<AffectedResource>,
        progress: &mut Progress,
    ) -> Result<()> {
        if all.is_empty() {
            return Ok(());
        }
        let outcome = &mut progress.outcome;
        if let Some(why) = step.why {
            for mut resource in all {
                resource.why = vec![why.to_owned()];
                outcome.refused.add(resource);
            }
            return Ok(());
        }
        // Resources of a data set are retracted together.
        all.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        let keys = all.iter().map(|t| (t.dataset.as_str(), t.location, t.source.as_str(), t.source_id.as_str()));
        let keys: Vec<Key<'_>> = keys.collect();
        let gone = self.intake.retract(work, step.caller, &keys).await?;
        for (mut resource, answer) in all.into_iter().zip(gone) {
            if answer.state == State::Deleted {
                outcome.deleted.add(resource);
            } else {
                resource.why = why(&answer);
                outcome.refused.add(resource);
            }
        }
        Ok(())
    }
}

/// Goes on after a name, or at the next place.
fn go_on(progress: &mut Progress, after: Option<Name>) {
    if after.is_none() {
        progress.place += 1;
    }
    progress.after = after;
}

/// One of the locations with each of the sources of a full sync's scope.
fn place(sync: &FullSync, at: usize) -> Option<(i64, &str)> {
    let sources = &sync.scope.sources;
    let location = sync.scope.locations.get(at.checked_div(sources.len())?)?;
    let source = sources.get(at.checked_rem(sources.len())?)?;
    Some((*location, source.as_str()))
}

impl<'w> Window<'w> {
    /// At most so many last states of a place.
    async fn next(
        work: &mut WriteTransaction<'_>,
        place: (i64, &'w str),
        after: Option<Name>,
        size: usize,
    ) -> Result<Self> {
        let mut window = Self { place, after, upto: None };
        let mut sql = Sql::new("SELECT source_id, dataset FROM exchange_sent WHERE ");
        window.within(&mut sql);
        let skipped = i64::try_from(size.saturating_sub(1)).unwrap_or_default();
        sql.push(" ORDER BY source_id, dataset LIMIT 1 OFFSET ").bind(Ty::Int, skipped);
        let rows = work.tx().rows(sql).await?;
        let text = |row: &Row, at: usize| row.text(at).unwrap_or_default().to_owned();
        window.upto = rows.first().map(|row| (text(row, 0), text(row, 1)));
        Ok(window)
    }

    /// The condition on last states.
    fn within(&self, sql: &mut Sql) {
        sql.push("exchange_sent.location = ")
            .bind(Ty::Int, self.place.0)
            .push(" AND exchange_sent.source = ")
            .bind(Ty::Text, self.place.1);
        for (name, than) in [(&self.after, ">"), (&self.upto, "<")] {
            let Some((id, dataset)) = name else { continue };
            let ends = if than == "<" { "<=" } else { ">" };
            sql.push(&format!(" AND exchange_sent.source_id {than}= "))
                .bind(Ty::Text, id.as_str())
                .push(&format!(" AND (exchange_sent.source_id {than} "))
                .bind(Ty::Text, id.as_str())
                .push(&format!(" OR exchange_sent.dataset {ends} "))
                .bind(Ty::Text, dataset.as_str())
                .push(")");
        }
    }
}

/// Counts the candidates of a window, and notes those that another caller changed: they stay.
async fn note_changed_by_others(
    work: &mut WriteTransaction<'_>,
    sync: &FullSync,
    window: &Window<'_>,
    progress: &mut Progress,
) -> Result<()> {
    let mut count = Sql::new("SELECT count(*) FROM exchange_sent WHERE ");
    window.within(&mut count);
    unnamed(&mut count, sync);
    there(&mut count, "");
    let rows = work.tx().rows(count).await?;
    let unnamed_count = rows.first().and_then(|row| row.int(0)).unwrap_or_default();
    if unnamed_count == 0 {
        return Ok(());
    }
    progress.unnamed += usize::try_from(unnamed_count).unwrap_or_default();
    let changed = |sql: &mut Sql| {
        window.within(sql);
        unnamed(sql, sync);
        there(sql, " AND d.seq > exchange_sent.seq");
    };
    let mut sql = Sql::new(&format!("SELECT {NAMES} FROM exchange_sent WHERE "));
    changed(&mut sql);
    sql.push(" ORDER BY source_id, dataset");
    let rows = work.tx().rows(sql).await?;
    if rows.is_empty() {
        return Ok(());
    }
    for row in &rows {
        progress.outcome.changed_by_others.add(affected(row));
    }
    let mut mark = naming(work, sync);
    changed(&mut mark);
    work.tx().run(mark).await.map(|_| ())
}

/// The first candidates of a window.
async fn candidates(
    work: &mut WriteTransaction<'_>,
    sync: &FullSync,
    window: &Window<'_>,
    most: usize,
) -> Result<Vec<AffectedResource>> {
    let mut sql = Sql::new(&format!("SELECT {NAMES} FROM exchange_sent WHERE "));
    window.within(&mut sql);
    unnamed(&mut sql, sync);
    there(&mut sql, "");
    sql.push(" ORDER BY source_id, dataset LIMIT ").bind(Ty::Int, i64::try_from(most).unwrap_or(i64::MAX));
    Ok(work.tx().rows(sql).await?.iter().map(affected).collect())
}

/// Notes the candidates that others changed since the last piece: they stay.
pub(super) async fn settle(work: &mut WriteTransaction<'_>, sync: &FullSync, progress: &mut Progress) -> Result<()> {
    if work.tx().seq() == progress.seen {
        return Ok(());
    }
    // The changes are few, and the last states many.
    let mut sql =
        Sql::new(&format!("SELECT {NAMES} FROM exchange_documents AS d CROSS JOIN exchange_sent WHERE d.location IN "));
    sql.bind_list(Ty::Int, sync.scope.locations.iter().copied().map(Value::Int));
    sql.push(" AND d.seq > ")
        .bind(Ty::Int, progress.seen)
        .push(" AND d.deleted = ")
        .bind(Ty::Bool, false)
        .push(" AND exchange_sent.location = d.location AND exchange_sent.source = ")
        .push(&name_of("d.source"))
        .push(" AND exchange_sent.source_id = d.source_id AND exchange_sent.dataset = ")
        .push(&name_of("d.dataset"))
        .push(" AND exchange_sent.source IN ");
    sql.bind_list(Ty::Text, sync.scope.sources.iter().cloned().map(Value::Text));
    unnamed(&mut sql, sync);
    sql.push(" ORDER BY d.seq");
    for row in work.tx().rows(sql.one_off()).await? {
        let one = affected(&row);
        let sql = naming(work, sync)
            .and("location = ")
            .with(Ty::Int, one.location)
            .and(" AND source = ")
            .with(Ty::Text, one.source.as_str())
            .and(" AND source_id = ")
            .with(Ty::Text, one.source_id.as_str())
            .and(" AND dataset = ")
            .with(Ty::Text, one.dataset.as_str());
        work.tx().run(sql).await?;
        progress.outcome.changed_by_others.add(one);
    }
    progress.seen = work.tx().seq();
    Ok(())
}

/// Notes last states as named, so that they are no candidates; a condition follows.
fn naming(work: &mut WriteTransaction<'_>, sync: &FullSync) -> Sql {
    let mut sql = Sql::new("UPDATE exchange_sent SET ");
    sql.push(SyncScope::of(sync.organization).column()).push(" = ").bind(Ty::Int, work.tx().seq()).push(" WHERE ");
    sql
}

/// The condition on last states: sent by that organisation before the sync began, and not named since.
fn unnamed(sql: &mut Sql, sync: &FullSync) {
    if let Some(dataset) = &sync.scope.dataset {
        sql.push(" AND exchange_sent.dataset = ").bind(Ty::Text, dataset.as_str());
    }
    sql.push(" AND exchange_sent.live = ").bind(Ty::Bool, true).push(" AND exchange_sent.organization");
    sender_is(sql, sync.organization);
    sql.push(" AND exchange_sent.seq < ")
        .bind(Ty::Int, sync.began)
        .push(" AND exchange_sent.")
        .push(SyncScope::of(sync.organization).column())
        .push(" < ")
        .bind(Ty::Int, sync.began);
}

/// Rows with a live document at their location that also fulfils `more`.
fn there(sql: &mut Sql, more: &str) {
    sql.push(
        " AND EXISTS (SELECT 1 FROM exchange_documents AS d \
         WHERE d.dataset = (SELECT id FROM exchange_names WHERE name = exchange_sent.dataset) \
         AND d.source = (SELECT id FROM exchange_names WHERE name = exchange_sent.source) \
         AND d.source_id = exchange_sent.source_id AND d.location = exchange_sent.location \
         AND d.deleted = ",
    )
    .bind(Ty::Bool, false)
    .push(more)
    .push(")");
}

const NAMES: &str = "exchange_sent.location, exchange_sent.source, exchange_sent.source_id, exchange_sent.dataset";

fn affected(row: &Row) -> AffectedResource {
    let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
    AffectedResource {
        location: row.int(0).unwrap_or_default(),
        source: text(1),
        source_id: text(2),
        dataset: text(3),
        why: Vec::new(),
    }
}

fn why(answer: &DocumentAnswer) -> Vec<String> {
    let errors = answer.issues.iter().filter(|issue| issue.severity == Severity::Error);
    errors.map(|issue| issue.message.to_string()).collect()
}
