//! Documents are rendered once, in the transaction that changes the record (design,
//! section 4). Given the rows that a transaction touched, this finds the documents that
//! may read differently now, renders them, and writes those that do.

use super::Exchange;
use super::documents::{Found, Ready};
use super::reach::{Reached, Reverse};
use super::related::Loaded;
use crate::error::Result;
use crate::mapping::{Mapping, Rendered, Via};
use crate::ops::{Projection, Touch, Touched, Work};
use crate::record::Record;
use crate::registry::{Collection, Desk, ID, Lookup};
use futures_util::future::BoxFuture;
use indexmap::{IndexMap, IndexSet};

/// Rows rendered together.
const TOGETHER: usize = 1_000;

impl Projection for Exchange {
    fn project<'a>(
        &'a self,
        work: &'a mut Work<'_>,
        touched: &'a Touched,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            for mapping in self.mappings().iter() {
                let rows = self.rows_of(work, mapping, touched).await?;
                if !rows.is_empty() {
                    self.refresh(work, mapping, rows, touched).await?;
                }
            }
            Ok(())
        })
    }
}

impl Exchange {
    /// Which rows of a mapping may read differently.
    async fn rows_of(
        &self,
        work: &mut Work<'_>,
        mapping: &Mapping,
        touched: &Touched,
    ) -> Result<IndexSet<i64>> {
        let c = work.collection(mapping.collection())?;
        let own = self.own_slots(mapping, c);
        let mut rows = IndexSet::new();
        // One walk for all changed records of a collection seen through the same hop.
        let mut walks: IndexMap<usize, Vec<i64>> = IndexMap::new();
        let mut back: Vec<Reverse> = Vec::new();
        for ((slug, id), touch) in touched {
            if *slug == mapping.collection()
                && (touch.gone
                    || touch.old.is_none()
                    || touch.slots.iter().any(|s| own.contains(s)))
            {
                rows.insert(*id);
            }
            let changed = changed_fields(work, slug, touch)?;
            let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
            for (at, hop) in mapping.dependencies(slug, &changed) {
                match &hop.via {
                    Via::Reverse(relation) => back.push(Reverse {
                        hop: at,
                        targets: targets(work, slug, relation, touch)?,
                    }),
                    // What was made just now is pointed to by rows made just now only.
                    _ if touch.old.is_none() && touch.new.is_some() => {}
                    _ => walks.entry(at).or_default().push(*id),
                }
            }
            for (at, relation) in self.reverse_hops(mapping, slug) {
                // A record that came, went or turned elsewhere changes what is found there,
                // whatever fields are read of it.
                if touch.gone || touch.old.is_none() {
                    back.push(Reverse {
                        hop: at,
                        targets: targets(work, slug, relation, touch)?,
                    });
                }
            }
        }
        for (hop, ids) in walks {
            let limit = self.0.at_once;
            match self.reach(work, mapping, hop, &ids, None, limit).await? {
                Reached::All(found) => rows.extend(found),
                Reached::More => self.enqueue(work, mapping, hop, &ids).await?,
            }
        }
        for reverse in back {
            rows.extend(self.reach_back(work, mapping, reverse).await?);
        }
        Ok(rows)
    }

    /// Renders rows anew and writes the documents that differ.
    pub(super) async fn refresh(
        &self,
        work: &mut Work<'_>,
        mapping: &Mapping,
        rows: IndexSet<i64>,
        touched: &Touched,
    ) -> Result<()> {
        let ids: Vec<i64> = rows.into_iter().collect();
        for piece in ids.chunks(TOGETHER) {
            let records = self.records(work, mapping, piece, touched).await?;
            let related = Loaded::load(work, mapping, self.fields(), records.values()).await?;
            let mut ready = Vec::with_capacity(piece.len());
            for id in piece {
                let mut rendered: Vec<Rendered> = Vec::new();
                if let Some(record) = records.get(id) {
                    mapping.render(record, &related, &mut rendered);
                }
                ready.push((*id, rendered));
            }
            let fresh: IndexSet<i64> = (piece.iter().copied())
                .filter(|id| {
                    touched
                        .get(&(self.slug(mapping), *id))
                        .is_some_and(|t| t.old.is_none() && !t.gone && t.new.is_some())
                })
                .collect();
            let asked: Vec<i64> = piece
                .iter()
                .copied()
                .filter(|id| !fresh.contains(id))
                .collect();
            let found = self.stored(work, mapping.dataset(), &asked).await?;
            let plan = plan(mapping, ready, found, touched, self.slug(mapping));
            self.write(work, mapping, plan).await?;
        }
        Ok(())
    }

    /// The rows themselves: from the transaction where it has them whole, else loaded.
    async fn records(
        &self,
        work: &mut Work<'_>,
        mapping: &Mapping,
        ids: &[i64],
        touched: &Touched,
    ) -> Result<IndexMap<i64, Record>> {
        let slug = self.slug(mapping);
        let mut records = IndexMap::new();
        let mut missing = Vec::new();
        for id in ids {
            match touched.get(&(slug, *id)) {
                Some(touch) if touch.gone => {}
                Some(Touch { new: Some(new), .. }) if !new.is_partial() => {
                    records.insert(*id, new.clone());
                }
                _ => missing.push(*id),
            }
        }
        if !missing.is_empty() {
            let fields: Vec<&str> = mapping.own_fields().iter().map(String::as_str).collect();
            let lookup = Lookup::by_ids("id", missing).fields(&fields);
            for record in work.find(slug, lookup).await? {
                if let Some(id) = record.get(ID).int() {
                    records.insert(id, record);
                }
            }
        }
        Ok(records)
    }
}

/// What becomes of the documents of rendered rows.
pub(super) struct Plan {
    /// To be written: new or differing.
    pub ready: Vec<Ready>,
    /// Live documents that nothing renders any more, with the reason.
    pub gone: Vec<(Found, &'static str)>,
}

fn plan(
    mapping: &Mapping,
    rendered: Vec<(i64, Vec<Rendered>)>,
    mut found: IndexMap<i64, Vec<Found>>,
    touched: &Touched,
    slug: &'static str,
) -> Plan {
    let mut plan = Plan {
        ready: Vec::new(),
        gone: Vec::new(),
    };
    for (id, documents) in rendered {
        let mut had = found.swap_remove(&id).unwrap_or_default();
        let row_gone = touched.get(&(slug, id)).is_some_and(|t| t.gone);
        let places: Vec<(i64, String, String)> = (documents.iter())
            .filter_map(|d| Some((d.location?, d.source.clone(), d.source_id.clone())))
            .collect();
        for document in documents {
            let Some(location) = document.location else {
                continue;
            };
            let at = had.iter().position(|f| {
                f.location == location
                    && f.source == document.source
                    && f.source_id == document.source_id
            });
            let before = at.map(|at| had.remove(at));
            let same = before.as_ref().is_some_and(|f| {
                !f.deleted && document.body.is(f.body.as_bytes(), f.modified, f.created)
            });
            if same {
                continue;
            }
            plan.ready.push(Ready {
                record: id,
                location,
                created: before.as_ref().map(|f| f.created),
                revives: before.as_ref().is_none_or(|f| f.deleted),
                document,
            });
        }
        for left in had.into_iter().filter(|f| !f.deleted) {
            // The pair may differ where it went; a row of one document tells without it.
            let moved = places.iter().any(|(location, source, source_id)| {
                let same = *source == left.source && *source_id == left.source_id;
                *location != left.location && (same || !mapping.is_spread())
            });
            let reason = match (row_gone, moved) {
                (true, _) => "deleted",
                (false, true) => "left",
                (false, false) => "retyped",
            };
            plan.gone.push((left, reason));
        }
    }
    plan
}

fn changed_fields(work: &Work<'_>, slug: &str, touch: &Touch) -> Result<Vec<String>> {
    let c = work.collection(slug)?;
    Ok((touch.slots.iter())
        .filter_map(|s| c.fields.get(*s).map(|f| f.path.clone()))
        .collect())
}

/// Where a record's relation points, before and after.
fn targets(work: &Work<'_>, slug: &str, relation: &str, touch: &Touch) -> Result<Vec<i64>> {
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
