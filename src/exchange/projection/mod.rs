//! Documents are rendered once, in the transaction that changes the record (docs/design/exchange.md, *Documents
//! rendered when records change*). Given the rows that a transaction touched, this finds the documents that may read
//! differently now, renders them, and writes those that do.

pub(crate) mod dependents;
pub(crate) mod projector;
pub(crate) mod related;
pub(crate) mod reproject;
mod rerender;

use crate::documents::stored_document::{Documents, PendingDocument, StoredDocument};
use crate::documents::wordings::{Readings, WordingSource};
use crate::projection::dependents::{Dependents, Reverse};
use crate::projection::projector::Projector;
use crate::projection::related::{RelatedRecords, rows_by_id};
use futures_util::future::{self, BoxFuture};
use mapping::{Hop, Mapping, RenderedDocument, Via};
use model::error::Result;
use model::fast::{IndexMap, IndexSet};
use model::parallel;
use model::record::{Record, SlotSet};
use model::registry::{BookReader, Collection};
use ops::{Projection, Touch, Touched, WriteTransaction};
use std::borrow::Cow;

/// Why a document went whose row was merged into another.
pub(crate) const MERGED: &str = "merged";

/// Rows rendered together.
const TOGETHER: usize = 1_000;

/// Touched rows by what changed in them: a job touches thousands of rows, but in a few ways,
/// and every mapping asks about each way once.
struct Kinds {
    all: IndexSet<(&'static str, SlotSet)>,
    /// The kind of each row, in the order of the touched ones.
    of: Vec<usize>,
}

impl Kinds {
    fn of(touched: &Touched) -> Self {
        let mut all: IndexSet<(&'static str, SlotSet)> = IndexSet::default();
        let mut of: Vec<usize> = Vec::with_capacity(touched.len());
        for ((slug, _), touch) in touched {
            let kind = (*slug, touch.slots);
            // Rows that were written together mostly have one kind, and comparing costs less than hashing.
            let same = of.last().copied().filter(|at| all.get_index(*at) == Some(&kind));
            of.push(same.unwrap_or_else(|| all.insert_full(kind).0));
        }
        Self { all, of }
    }
}

/// Documents that were rendered, and are to be written.
struct ToWrite<'m> {
    mapping: &'m Mapping,
    plan: Plan,
}

/// How a mapping sees a kind of change.
struct ChangeEffect<'m> {
    row: bool,
    /// It reads one of the changed fields itself.
    own: bool,
    /// Hops through which a changed field is read.
    hops: Vec<(usize, &'m Hop)>,
    /// Hops that look back at the rows.
    reverse: Vec<(usize, &'m str)>,
}

impl ChangeEffect<'_> {
    fn any(&self) -> bool {
        self.row || !self.hops.is_empty() || !self.reverse.is_empty()
    }
}

impl Projection for Projector {
    fn offers(&self, dataset: &str) -> bool {
        self.rules.is_offered(dataset)
    }

    fn delegates(&self, dataset: &str) -> bool {
        self.rules.is_delegated(dataset)
    }

    fn rivals<'a>(
        &'a self,
        work: &'a mut WriteTransaction<'_>,
        collection: &'static Collection,
        merger: (i64, i64),
    ) -> BoxFuture<'a, Result<Vec<(String, String)>>> {
        Box::pin(self.rival_raw_documents(work, collection, merger))
    }

    fn project<'a>(&'a self, work: &'a mut WriteTransaction<'_>, touched: &'a Touched) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.project_as(work, touched, WordingSource::Stored))
    }
}

impl Projector {
    /// [`Projection::project`], with the words of documents from this source.
    pub(crate) async fn project_as(
        &self,
        work: &mut WriteTransaction<'_>,
        touched: &Touched,
        source: WordingSource<'_, '_>,
    ) -> Result<()> {
        let kinds = Kinds::of(touched);
        let mut rendered = None;
        for mapping in self.rules.mappings().iter() {
            let rows = self.rows_of(work, mapping, touched, &kinds).await?;
            if !rows.is_empty() {
                rendered = self.refresh_while_writing(work, rendered, (mapping, rows), touched, source).await?;
            }
        }
        self.write_rendered(work, rendered).await?;
        self.merge(work, touched).await?;
        self.move_with_owners(work, touched).await
    }

    /// Which rows of a mapping may read differently.
    async fn rows_of(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        touched: &Touched,
        kinds: &Kinds,
    ) -> Result<IndexSet<i64>> {
        let effects = self.change_effects(work, mapping, kinds)?;
        let mut rows = IndexSet::default();
        // One walk for all changed records of a collection seen through the same hop.
        let mut walks: IndexMap<usize, Vec<i64>> = IndexMap::default();
        let mut back: Vec<Reverse> = Vec::new();
        for (((slug, id), touch), kind) in touched.iter().zip(&kinds.of) {
            let Some(effect) = effects.get(*kind).filter(|effect| effect.any()) else { continue };
            // A row of which only computed values changed has neither an old nor a new state.
            let fresh = touch.old.is_none() && touch.new.is_some();
            if effect.row && (touch.gone || fresh || effect.own) {
                rows.insert(*id);
            }
            for (at, hop) in &effect.hops {
                match &hop.via {
                    Via::Reverse(relation) => {
                        back.push(Reverse { hop: *at, targets: targets(work, slug, relation, touch)? })
                    }
                    // What was made just now is pointed to by rows made just now only.
                    _ if touch.old.is_none() && touch.new.is_some() => {}
                    _ => walks.entry(*at).or_default().push(*id),
                }
            }
            for (at, relation) in &effect.reverse {
                // A record that was created, deleted or moved elsewhere changes what is found
                // there, whichever fields are read of it.
                if touch.gone || touch.old.is_none() {
                    back.push(Reverse { hop: *at, targets: targets(work, slug, relation, touch)? });
                }
            }
        }
        for (hop, ids) in walks {
            match self.dependents(work, mapping, hop, &ids, None, self.at_once).await? {
                Dependents::All(dependents) => rows.extend(dependents),
                Dependents::More => self.enqueue(work, mapping, hop, &ids).await?,
            }
        }
        for reverse in back {
            rows.extend(self.dependents_through(work, mapping, reverse).await?);
        }
        Ok(rows)
    }

    fn change_effects<'m>(
        &self,
        work: &WriteTransaction<'_>,
        mapping: &'m Mapping,
        kinds: &Kinds,
    ) -> Result<Vec<ChangeEffect<'m>>> {
        let own = self.rules.own_slots(mapping, work.collection(mapping.collection())?);
        let effects = kinds.all.iter().map(|(slug, slots)| {
            let c: &'static Collection = work.collection(slug)?;
            let changed: Vec<&str> =
                (slots.iter()).filter_map(|slot| c.fields.get(slot).map(|f| f.path.as_str())).collect();
            let row = *slug == mapping.collection();
            Ok(ChangeEffect {
                row,
                own: row && slots.meets(&own),
                hops: mapping.dependencies(slug, &changed).collect(),
                reverse: self.rules.reverse_hops(mapping, slug).collect(),
            })
        });
        effects.collect()
    }

    /// Renders rows anew and writes the documents that differ.
    pub(crate) async fn refresh(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        rows: IndexSet<i64>,
        touched: &Touched,
        source: WordingSource<'_, '_>,
    ) -> Result<()> {
        let rendered = self.refresh_while_writing(work, None, (mapping, rows), touched, source).await?;
        self.write_rendered(work, rendered).await
    }

    /// Renders rows while the database writes what was rendered before; what is rendered last remains to be written.
    async fn refresh_while_writing<'m>(
        &self,
        work: &mut WriteTransaction<'_>,
        mut before: Option<ToWrite<'m>>,
        (mapping, rows): (&'m Mapping, IndexSet<i64>),
        touched: &Touched,
        source: WordingSource<'_, '_>,
    ) -> Result<Option<ToWrite<'m>>> {
        if mapping.parts().is_some() {
            self.write_rendered(work, before).await?;
            (self.refresh_parts(work, mapping, rows, touched, source)).await?;
            return Ok(None);
        }
        let ids: Vec<i64> = rows.into_iter().collect();
        for piece in ids.chunks(TOGETHER) {
            // One row may take over the document of another, so that those of a data set are written
            // before they are read.
            if before.as_ref().is_some_and(|b| b.mapping.dataset() == mapping.dataset()) {
                self.write_rendered(work, before.take()).await?;
            }
            let mut records = self.records(work, mapping, piece, touched).await?;
            if mapping.is_by_day() {
                self.on_days(work, mapping, &mut records).await?;
            }
            let rows = records.values().map(Cow::as_ref);
            let related = RelatedRecords::load(work, mapping, self.rules.fields(), rows).await?;
            let is_fresh = |id: &i64| {
                let touch = touched.get(&(self.rules.slug(mapping), *id));
                touch.is_some_and(|t| t.old.is_none() && !t.gone && t.new.is_some())
            };
            let stored_ids: Vec<i64> = (piece.iter().copied()).filter(|id| !is_fresh(id)).collect();
            // Everything is read by now that the rendering needs. What is to be compared with it is read
            // before the database is given more to write.
            if stored_ids.is_empty() {
                self.write_rendered(work, before.take()).await?;
                work.tx().flush_postponed().await?;
                // The last of these statements starts when this task rests.
                tokio::task::yield_now().await;
            }
            let rendering = async {
                parallel::map(piece, |id| {
                    let mut rendered: Vec<RenderedDocument> = Vec::new();
                    if let Some(record) = records.get(id) {
                        mapping.render(record, &related, &mut rendered);
                    }
                    (*id, rendered)
                })
            };
            // The statement is sent first, and the database reads while documents are rendered.
            let (stored, rendered) = future::join(self.stored(work, mapping, &stored_ids), rendering).await;
            let stored = stored?;
            self.write_rendered(work, before.take()).await?;
            work.tx().flush_postponed().await?;
            tokio::task::yield_now().await;
            let worded = parallel::into_map(rendered, |(id, mut rendered)| {
                let had = stored.get(&id).map_or(&[][..], Vec::as_slice);
                let readings = self.word(mapping, &mut rendered, had, source);
                ((id, rendered), readings)
            });
            let (ready, readings): (Documents, Vec<Readings>) = worded.into_iter().unzip();
            source.note(readings.into_iter().flatten());
            let plan = if mapping.is_by_day() {
                self.shared(work, mapping, ready, stored).await?
            } else {
                plan(mapping, ready, stored, touched, self.rules.slug(mapping)).settled()
            };
            let plan = self.as_merged(mapping, plan, touched);
            before = Some(ToWrite { mapping, plan });
        }
        Ok(before)
    }

    async fn write_rendered(&self, work: &mut WriteTransaction<'_>, rendered: Option<ToWrite<'_>>) -> Result<()> {
        if let Some(ToWrite { mapping, plan }) = rendered { self.write(work, mapping, plan).await } else { Ok(()) }
    }

    /// The rows themselves: from the transaction where it has them whole, else loaded.
    pub(crate) async fn records<'t>(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        ids: &[i64],
        touched: &'t Touched,
    ) -> Result<IndexMap<i64, Cow<'t, Record>>> {
        let slug = self.rules.slug(mapping);
        let mut records = IndexMap::default();
        let mut missing = Vec::new();
        for id in ids {
            match touched.get(&(slug, *id)) {
                Some(touch) if touch.gone => {}
                Some(Touch { new: Some(new), .. }) if !new.is_partial() => {
                    records.insert(*id, Cow::Borrowed(new));
                }
                _ => missing.push(*id),
            }
        }
        if !missing.is_empty() {
            let rows = rows_by_id(work, mapping, missing).await?;
            records.extend(rows.into_iter().map(|(id, record)| (id, Cow::Owned(record))));
        }
        Ok(records)
    }

    /// Says of documents whose row was merged into another that this is why they went.
    fn as_merged(&self, mapping: &Mapping, mut plan: Plan, touched: &Touched) -> Plan {
        let slug = self.rules.slug(mapping);
        let Some(slot) = self.rules.registry().get(slug).and_then(|c| c.merged_slot()) else { return plan };
        for (document, reason) in &mut plan.gone {
            let into = touched.get(&(slug, document.record)).and_then(|t| t.new.as_ref()?.get(slot).int());
            if *reason == "retyped" && into.is_some() {
                *reason = MERGED;
            }
        }
        plan
    }
}

/// The changes of the documents of rendered rows.
#[derive(Default)]
pub(crate) struct Plan {
    /// To be written: new or differing.
    pub ready: Vec<PendingDocument>,
    /// Live documents that nothing renders any more, with the reason.
    pub gone: Vec<(StoredDocument, &'static str)>,
    /// Ids of documents that read the same in other words, with their wordings.
    pub reworded: Vec<(i64, Option<String>)>,
}

impl Plan {
    /// Whether nothing is to be written.
    fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.gone.is_empty() && self.reworded.is_empty()
    }

    /// Each document once: rows may come to the same key, and one row may take over the key
    /// of another, which then is no loss.
    fn settled(mut self) -> Self {
        let mut first: IndexMap<(i64, &str, &str), usize> =
            IndexMap::with_capacity_and_hasher(self.ready.len(), Default::default());
        let mut unseen = Vec::with_capacity(self.ready.len());
        for one in &self.ready {
            let document = &one.document;
            let key = (one.location, document.source.as_str(), document.source_id.as_str());
            let at = first.len();
            unseen.push(*first.entry(key).or_insert(at) == at);
        }
        let heir = |(document, _): &(StoredDocument, &str)| {
            let key = (document.location, document.source.as_str(), document.source_id.as_str());
            first.get(&key).copied()
        };
        let heirs: Vec<Option<usize>> = self.gone.iter().map(heir).collect();
        let mut unseen = unseen.into_iter();
        self.ready.retain(|_| unseen.next().unwrap_or(true));
        let mut heirs = heirs.into_iter();
        self.gone.retain(|(document, _)| {
            let heir = heirs.next().flatten().and_then(|at| self.ready.get_mut(at));
            let Some(heir) = heir else { return true };
            heir.created = Some(document.created);
            heir.revives = false;
            false
        });
        self
    }
}

/// The differences between rendered rows and their stored documents, to be written.
pub(crate) fn plan(
    mapping: &Mapping,
    rendered: Documents,
    mut stored: IndexMap<i64, Vec<StoredDocument>>,
    touched: &Touched,
    slug: &'static str,
) -> Plan {
    let with_had = (rendered.into_iter()).map(|(id, documents)| {
        let had = stored.swap_remove(&id).unwrap_or_default();
        (id, documents, had)
    });
    let planned = parallel::into_map(with_had.collect(), |(id, documents, had)| {
        let touch = touched.get(&(slug, id));
        Plan::of_row(mapping, (id, touch), documents, had)
    });
    let mut plan = Plan::default();
    for row in planned {
        plan.ready.extend(row.ready);
        plan.gone.extend(row.gone);
        plan.reworded.extend(row.reworded);
    }
    plan
}

impl Plan {
    fn of_row(
        mapping: &Mapping,
        (id, touch): (i64, Option<&Touch>),
        documents: Vec<RenderedDocument>,
        mut had: Vec<StoredDocument>,
    ) -> Self {
        let mut plan = Self::default();
        // Elements that a change of their list left out were retracted.
        let struck = |t: &Touch| mapping.element().is_some_and(|e| t.slots.contains(e.slot));
        let row_gone = touch.is_some_and(|t| t.gone || struck(t));
        let places: Vec<(i64, String, String)> = match had.is_empty() {
            true => Vec::new(),
            false => {
                (documents.iter()).filter_map(|d| Some((d.location?, d.source.clone(), d.source_id.clone()))).collect()
            }
        };
        for document in documents {
            let Some(location) = document.location else { continue };
            let at = had.iter().position(|f| {
                f.location == location && f.source == document.source && f.source_id == document.source_id
            });
            let before = at.map(|at| had.remove(at));
            let same = before
                .as_ref()
                .is_some_and(|f| !f.deleted && document.body.is(f.body.as_bytes(), f.modified, f.created));
            if same {
                let before = before.filter(|f| f.wording != document.wording);
                plan.reworded.extend(before.map(|f| (f.id, document.wording)));
                continue;
            }
            plan.ready.push(PendingDocument {
                record: id,
                location,
                created: before.as_ref().map(|f| f.created),
                stored: before.as_ref().filter(|f| f.record == id && f.animal == document.animal).map(|f| f.id),
                revives: before.as_ref().is_none_or(|f| f.deleted),
                document,
            });
        }
        for document in had.into_iter().filter(|f| !f.deleted) {
            // The pair may differ at the new location; a row of one document is identified without it.
            let moved = places.iter().any(|(location, source, source_id)| {
                let same = *source == document.source && *source_id == document.source_id;
                *location != document.location && (same || !mapping.is_spread())
            });
            let reason = match (row_gone, moved) {
                (true, _) => "deleted",
                (false, true) => "left",
                (false, false) => "retyped",
            };
            plan.gone.push((document, reason));
        }
        plan
    }
}

/// Where a record's relation points, before and after.
fn targets(work: &WriteTransaction<'_>, slug: &str, relation: &str, touch: &Touch) -> Result<Vec<i64>> {
    let c: &'static Collection = work.collection(slug)?;
    let slot = c.at(relation);
    let mut ids = Vec::new();
    for record in [&touch.old, &touch.new].into_iter().flatten() {
        ids.extend(record.get(slot).int());
        ids.extend(record.get(slot).ids());
    }
    ids.dedup();
    Ok(ids)
}
