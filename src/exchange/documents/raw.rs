//! Intake of raw documents, which no collection holds (table `exchange_kept`). They are stored as they were sent, under
//! location, data set, source and source id, and served member for member. Checks, messages, tombstones, sequence
//! numbers and answers are those of mapped documents.

use crate::documents::names::select_named;
pub(crate) use crate::documents::raw_document::{COLUMNS, RawDocument};
use crate::documents::stored_document::{PendingDocument, StoredDocument};
use crate::intake::DocumentIntake;
use crate::intake::delivery::{Delivery, DocumentAnswer, State, refused};
use crate::intake::last_states::{LastStates, Timely};
use crate::projection::projector::Projector;
use crate::projection::{Plan, plan};
use mapping::{Intake, Mapping, SentDocument, content};
use model::error::{Error, Result};
use model::fast::{IndexMap, IndexSet};
use model::parallel;
use model::record::Value;
use model::registry::{BookReader, Caller, Principal};
use ops::{Touched, WriteTransaction};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Sql, Ty};

/// Rows of one statement.
pub(crate) const TOGETHER: usize = 500;

/// A row and the location that serves its document now.
pub(crate) struct LocatedDocument {
    pub row: RawDocument,
    pub location: Option<i64>,
}

/// What becomes of the rows of a run.
#[derive(Default)]
struct RawRun {
    /// The id of the next new row.
    next: i64,
    sender: Option<i64>,
    answers: Vec<DocumentAnswer>,
    made: Vec<LocatedDocument>,
    /// Rows that are new, and rows that are of another animal now.
    new: IndexSet<i64>,
    moved: IndexSet<i64>,
    gone: Vec<RawDocument>,
    /// Animals of which something was said, or is.
    about: BTreeSet<i64>,
    /// By row.
    senders: IndexMap<i64, Option<i64>>,
    /// By the number of the answer.
    animals: Vec<(usize, i64)>,
}

impl DocumentIntake {
    /// Takes in documents of one data set and location, no two of the same pair; stale ones change nothing.
    pub(crate) async fn write_raw_run(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, location): (&Mapping, i64),
        deliveries: &[&Delivery],
        (last, times): (&mut LastStates, (i64, i64)),
    ) -> Result<Vec<DocumentAnswer>> {
        let docs: Vec<&Json> = deliveries.iter().map(|d| &d.doc).collect();
        let timely = last.judged(mapping.dataset(), location, &docs, times);
        let fresh: Vec<&Delivery> = (deliveries.iter().zip(&timely))
            .filter(|(_, time)| **time != Timely::Stale)
            .map(|(delivery, _)| *delivery)
            .collect();
        let taken = self.write_raw(work, caller, mapping, location, &fresh).await?;
        Ok(last.noted((mapping.dataset(), location), &docs, &timely, taken, times))
    }

    /// Takes in documents of one data set and location, no two of the same pair.
    async fn write_raw(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        location: i64,
        deliveries: &[&Delivery],
    ) -> Result<Vec<DocumentAnswer>> {
        if !caller.sees_all() && caller.organization != Some(location) {
            return Ok(deliveries.iter().map(|_| DocumentAnswer::refused(Error::forbidden())).collect());
        }
        let docs: Vec<&Json> = deliveries.iter().map(|d| &d.doc).collect();
        let names = self.names(work, mapping, &docs, location).await?;
        let read = parallel::map(&docs, |doc| mapping.intake(doc, &names));
        let mut existing = self.stored_rows(work, mapping, location, &read).await?;
        let fresh = (read.iter()).filter(|i| !i.refused() && !i.deleted && !existing.contains_key(&i.pair)).count();
        let next = match fresh {
            0 => 0,
            fresh => work.tx().allocate("exchange_kept", fresh).await?,
        };
        let farm = (caller.organization).filter(|_| caller.caller == Caller::Farm);
        let mut run = RawRun { next, sender: caller.sender.or(farm), ..RawRun::default() };
        for (intake, delivery) in read.into_iter().zip(deliveries) {
            let had = existing.swap_remove(&intake.pair);
            let answer = self.take_raw(work, caller, (mapping, location), (intake, *delivery, had), &mut run).await?;
            run.answers.push(answer);
        }
        self.finish_raw(work, caller, mapping, run).await
    }

    /// Decides what becomes of the row of a document.
    async fn take_raw(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, location): (&Mapping, i64),
        (intake, delivery, had): (Intake, &Delivery, Option<RawDocument>),
        run: &mut RawRun,
    ) -> Result<DocumentAnswer> {
        let animal = mapping.animal_of(&intake);
        let Intake { pair, deleted, mut issues, .. } = intake;
        if !deleted && !refused(&issues) {
            issues.extend(self.unsupported_statements(mapping, &delivery.doc));
        }
        if refused(&issues) {
            return Ok(DocumentAnswer::rejected(issues));
        }
        run.about.extend(had.as_ref().and_then(|had| had.animal).into_iter().chain(animal));
        let at = run.answers.len();
        run.animals.extend(animal.map(|animal| (at, animal)));
        let text = delivery.text();
        let state = match (&had, deleted) {
            (_, true) => State::Deleted,
            (None, false) => State::Created,
            (Some(had), false) if content(&had.body) == content(&text) => State::Unchanged,
            (Some(_), false) => State::Updated,
        };
        let record = had.as_ref().map(RawDocument::record);
        if state == State::Unchanged || (deleted && had.is_none()) {
            return Ok(DocumentAnswer::new(state, record, issues));
        }
        let parts = self.hand_out(work, caller, mapping, location, (!deleted).then_some(&delivery.doc), had.as_ref());
        let parts = match parts.await? {
            Ok((parts, warnings)) => {
                issues.extend(warnings);
                parts
            }
            Err(refused) => return Ok(refused.with(issues)),
        };
        if deleted {
            run.gone.extend(had);
            return Ok(DocumentAnswer::new(state, record, issues));
        }
        let id = had.as_ref().map_or(run.next, |had| had.id);
        run.senders.insert(id, run.sender);
        match &had {
            Some(had) if had.animal != animal => {
                run.moved.insert(id);
            }
            Some(_) => {}
            None => {
                run.next += 1;
                run.new.insert(id);
            }
        }
        run.made.push(LocatedDocument {
            row: RawDocument {
                id,
                dataset: mapping.dataset().to_owned(),
                organization: location,
                source: pair.0,
                source_id: pair.1,
                animal,
                created: had.map_or(work.now(), |had| had.created),
                parts: parts.text(),
                body: text.into_owned(),
            },
            // The animal was found here.
            location: Some(location),
        });
        Ok(DocumentAnswer::new(state, Some(-id), issues))
    }

    /// Stores the rows of a run, and brings their documents and the rows that follow from them in line.
    async fn finish_raw(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        run: RawRun,
    ) -> Result<Vec<DocumentAnswer>> {
        let RawRun { mut answers, made, gone, .. } = run;
        self.store_rows(work, &made).await?;
        self.projector.erase(work, mapping, &gone).await?;
        let refused = (self.restate(work, caller, mapping, &run.about, &run.senders)).await?;
        for (at, animal) in run.animals {
            if let (Some(answer), Some(reasons)) = (answers.get_mut(at), refused.get(&animal)) {
                answer.issues.extend(reasons.iter().cloned());
            }
        }
        self.projector.show(work, mapping, &made, &run.new, false).await?;
        // Documents that were shadowed by deleted or moved ones are served again.
        let moved = made.iter().map(|p| &p.row).filter(|row| run.moved.contains(&row.id));
        let pairs: Vec<(&str, &str)> = gone.iter().chain(moved).map(RawDocument::pair).collect();
        let others = self.projector.namesakes(work, mapping, &pairs).await?;
        self.projector.reveal(work, mapping, others).await?;
        Ok(answers)
    }

    async fn stored_rows(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        read: &[Intake],
    ) -> Result<IndexMap<(String, String), RawDocument>> {
        let keys: IndexSet<&str> = read.iter().map(|i| i.pair.1.as_str()).collect();
        let keys: Vec<&str> = keys.into_iter().collect();
        let mut existing = IndexMap::default();
        for piece in keys.chunks(TOGETHER) {
            let mut sql = RawDocument::select();
            sql.push("dataset = ")
                .bind(Ty::Text, mapping.dataset())
                .push(" AND organization = ")
                .bind(Ty::Int, location)
                .push(" AND source_id IN ");
            sql.bind_list(Ty::Text, piece.iter().map(|key| Value::from(*key)));
            let sql = if piece.len() > 1 { sql.one_off() } else { sql };
            for row in RawDocument::all(work, sql).await? {
                existing.insert((row.source.clone(), row.source_id.clone()), row);
            }
        }
        Ok(existing)
    }

    async fn store_rows(&self, work: &mut WriteTransaction<'_>, made: &[LocatedDocument]) -> Result<()> {
        for piece in made.chunks(TOGETHER) {
            let (int, text) = (Ty::Int, Ty::Text);
            let types = [int, text, int, text, text, int, int, text, Ty::Compressed];
            let rows = piece.iter().map(|LocatedDocument { row, .. }| {
                let texts = [&row.dataset, &row.source, &row.source_id, &row.body];
                let [dataset, source, source_id, body] = texts.map(|text| Value::from(text.as_str()));
                let [id, organization, created] = [row.id, row.organization, row.created].map(Value::Int);
                let parts = row.parts.as_deref().into();
                [id, dataset, organization, source, source_id, row.animal.into(), created, parts, body]
            });
            let mut sql = Sql::insert(&format!("exchange_kept ({COLUMNS})"), types, rows);
            sql.push(
                " ON CONFLICT (id) DO UPDATE SET animal = excluded.animal, \
                 parts = excluded.parts, body = excluded.body",
            );
            work.tx().run(sql.one_off()).await?;
        }
        Ok(())
    }
}

impl Projector {
    /// Removes rows; their documents become tombstones at each location.
    pub(crate) async fn erase(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        gone: &[RawDocument],
    ) -> Result<()> {
        self.erase_rows(work, gone).await?;
        let records: Vec<i64> = gone.iter().map(RawDocument::record).collect();
        let documents = self.stored(work, mapping, &records).await?;
        let live = documents.into_values().flatten().filter(|f| !f.deleted);
        let plan = Plan { gone: live.map(|f| (f, "deleted")).collect(), ..Plan::default() };
        self.write(work, mapping, plan).await
    }

    /// Removes rows, and leaves their documents.
    pub(crate) async fn erase_rows(&self, work: &mut WriteTransaction<'_>, gone: &[RawDocument]) -> Result<()> {
        for piece in gone.chunks(TOGETHER) {
            let mut sql = Sql::new("DELETE FROM exchange_kept WHERE id IN ");
            sql.bind_list(Ty::Int, piece.iter().map(|row| Value::Int(row.id)));
            work.tx().run(sql.one_off()).await?;
        }
        Ok(())
    }

    /// Serves the documents of rows at the rows' locations. A document that is sent replaces
    /// one of the same pair; one that moved with its animal (`coming`) does not.
    pub(crate) async fn show(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        placed: &[LocatedDocument],
        new: &IndexSet<i64>,
        coming: bool,
    ) -> Result<()> {
        let records: Vec<i64> = (placed.iter()).filter(|p| !new.contains(&p.row.id)).map(|p| p.row.record()).collect();
        let stored = self.stored(work, mapping, &records).await?;
        let rendered = placed.iter().map(|LocatedDocument { row, location }| {
            let sent = SentDocument {
                source: &row.source,
                source_id: &row.source_id,
                animal: row.animal,
                created: row.created,
                text: &row.body,
            };
            (row.record(), location.and_then(|at| mapping.render_sent(&sent, at)).into_iter().collect())
        });
        let mut plan = plan(mapping, rendered.collect(), stored, &Touched::default(), "");
        let taken = self.taken(work, mapping, &plan).await?;
        let key = |r: &PendingDocument| {
            let document = &r.document;
            (r.location, document.source.clone(), document.source_id.clone())
        };
        if coming {
            plan.ready.retain(|r| !taken.contains(&key(r)));
        }
        for ready in &mut plan.ready {
            ready.revives &= !taken.contains(&key(ready));
        }
        self.write(work, mapping, plan).await
    }

    /// Keys of new documents that a live document of another row has already.
    async fn taken(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        plan: &Plan,
    ) -> Result<IndexSet<(i64, String, String)>> {
        let mut keys_by_location: IndexMap<i64, Vec<&str>> = IndexMap::default();
        for ready in plan.ready.iter().filter(|r| r.created.is_none()) {
            let keys = keys_by_location.entry(ready.location).or_default();
            keys.push(ready.document.source_id.as_str());
        }
        let mut taken = IndexSet::default();
        for (location, keys) in keys_by_location {
            for piece in keys.chunks(TOGETHER) {
                let sources = plan.ready.iter().map(|r| r.document.source.as_str());
                let place = (mapping.dataset(), location);
                let sql = select_named("", place, sources, piece.iter().copied())
                    .and(" AND deleted = ")
                    .with(Ty::Bool, false);
                let sql = if piece.len() > 1 { sql.one_off() } else { sql };
                for row in work.tx().rows(sql).await? {
                    let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
                    taken.insert((location, text(0), text(1)));
                }
            }
        }
        Ok(taken)
    }
}

impl DocumentIntake {
    /// Deletes the raw documents of a data set about animals, as far as a location serves
    /// them. Returns how many they were.
    pub async fn forget(
        &self,
        book: &ops::Book,
        caller: Arc<Principal>,
        dataset: &str,
        location: i64,
        animals: Vec<i64>,
    ) -> Result<usize> {
        let (this, dataset) = (self.clone(), dataset.to_owned());
        book.transact(move |work| {
            Box::pin(async move {
                let Some(mapping) = this.rules.mappings().get(&dataset).filter(|m| m.is_passthrough()) else {
                    return Ok(0);
                };
                let rows = this.about(work, &dataset, &animals).await?;
                let records: Vec<i64> = rows.iter().map(RawDocument::record).collect();
                let documents = this.projector.stored(work, mapping, &records).await?;
                let here = |f: &StoredDocument| f.location == location && !f.deleted;
                let rows: Vec<RawDocument> = (rows.into_iter())
                    .filter(|r| documents.get(&r.record()).is_some_and(|f| f.iter().any(here)))
                    .collect();
                this.projector.erase(work, mapping, &rows).await?;
                crate::intake::logged::log_deleted(work, &caller, &dataset, location, rows.len());
                Ok(rows.len())
            })
        })
        .await
    }

    async fn about(&self, work: &mut WriteTransaction<'_>, dataset: &str, animals: &[i64]) -> Result<Vec<RawDocument>> {
        let mut sql = RawDocument::select();
        sql.push("animal IN ").bind_list(Ty::Int, animals.iter().copied().map(Value::Int));
        sql.push(" AND dataset = ").bind(Ty::Text, dataset);
        RawDocument::all(work, sql).await
    }
}
