//! Related records that rendering reads, loaded level by level: one look-up per
//! collection and level, however many rows.

use crate::rules::Fields;
use mapping::{Hop, Mapping, Related, Via};
use model::error::Result;
use model::fast::{IndexMap, IndexSet};
use model::record::Record;
use model::registry::{BookReader, ID, Lookup};
use ops::WriteTransaction;

#[derive(Default)]
pub(crate) struct RelatedRecords {
    records: IndexMap<String, IndexMap<i64, Record>>,
    /// By collection and relation: the first row that points to each.
    pointing: IndexMap<String, IndexMap<String, IndexMap<i64, i64>>>,
}

impl Related for RelatedRecords {
    fn get(&self, collection: &str, id: i64) -> Option<&Record> {
        self.records.get(collection)?.get(&id)
    }
    fn pointing(&self, collection: &str, relation: &str, id: i64) -> Option<&Record> {
        let at = self.pointing.get(collection)?.get(relation)?.get(&id)?;
        self.get(collection, *at)
    }
}

/// Rows of the collection of a mapping by their id, with the fields that its documents are made of.
pub(crate) async fn rows_by_id(
    work: &mut WriteTransaction<'_>,
    mapping: &Mapping,
    ids: impl IntoIterator<Item = i64>,
) -> Result<IndexMap<i64, Record>> {
    let fields: Vec<&str> = mapping.own_fields().iter().map(String::as_str).collect();
    let rows = work.find(mapping.collection(), Lookup::by_ids("id", ids).fields(&fields)).await?.into_iter();
    Ok(rows.filter_map(|row| Some((row.get(ID).int()?, row))).collect())
}

impl RelatedRecords {
    pub(crate) async fn load(
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        fields: &Fields,
        rows: impl Iterator<Item = &Record> + Clone,
    ) -> Result<Self> {
        let mut loaded = Self::default();
        let hops = mapping.relations();
        // Ids reached by each hop so far.
        let mut reached: Vec<IndexSet<i64>> = vec![IndexSet::default(); hops.len()];
        let deepest = hops.iter().map(|h| h.level(hops)).max().unwrap_or(0);
        for level in 1..=deepest {
            let mut ids_by_collection: IndexMap<&str, IndexSet<i64>> = IndexMap::default();
            for (at, hop) in hops.iter().enumerate() {
                if hop.level(hops) != level {
                    continue;
                }
                let ids = match (&hop.via, hop.from) {
                    (Via::Reverse(relation), from) => {
                        let before: Vec<i64> = match from {
                            None => rows.clone().filter_map(|r| r.get(ID).int()).collect(),
                            Some(f) => reached.get(f).into_iter().flatten().copied().collect(),
                        };
                        loaded.load_pointing(work, hop, relation, before, fields).await?
                    }
                    (via, None) => rows.clone().flat_map(|r| ids_of(r, via)).collect(),
                    (via, Some(f)) => {
                        let from = hops.get(f).map_or("", |h| h.collection.as_str());
                        (reached.get(f).into_iter().flatten())
                            .filter_map(|id| loaded.get(from, *id))
                            .flat_map(|r| ids_of(r, via))
                            .collect()
                    }
                };
                ids_by_collection.entry(&hop.collection).or_default().extend(ids.iter().copied());
                if let Some(place) = reached.get_mut(at) {
                    *place = ids;
                }
            }
            for (collection, ids) in ids_by_collection {
                let missing: Vec<i64> = (ids.into_iter()).filter(|id| loaded.get(collection, *id).is_none()).collect();
                loaded.fetch(work, collection, Lookup::by_ids("id", missing), fields).await?;
            }
        }
        Ok(loaded)
    }

    async fn fetch(
        &mut self,
        work: &mut WriteTransaction<'_>,
        collection: &str,
        lookup: Lookup,
        fields: &Fields,
    ) -> Result<Vec<i64>> {
        let empty = lookup.all.iter().any(|(_, t)| match t {
            model::registry::Test::In(values) => values.is_empty(),
            _ => false,
        });
        if empty {
            return Ok(Vec::new());
        }
        let paths: Vec<&str> = (fields.get(collection).into_iter().flatten()).map(String::as_str).collect();
        let lookup = if paths.is_empty() { lookup.fields(&["id"]) } else { lookup.fields(&paths) };
        let mut ids = Vec::new();
        for record in work.find(collection, lookup).await? {
            if let Some(id) = record.get(ID).int() {
                ids.push(id);
                self.records.entry(collection.to_owned()).or_default().insert(id, record);
            }
        }
        Ok(ids)
    }

    async fn load_pointing(
        &mut self,
        work: &mut WriteTransaction<'_>,
        hop: &Hop,
        relation: &str,
        before: Vec<i64>,
        fields: &Fields,
    ) -> Result<IndexSet<i64>> {
        let ids = self.fetch(work, &hop.collection, Lookup::by_ids(relation, before), fields).await?;
        let c = work.collection(&hop.collection)?;
        let slot = c.at(relation);
        let mut first: IndexMap<i64, i64> = IndexMap::default();
        for id in &ids {
            let Some(record) = self.get(&hop.collection, *id) else { continue };
            let value = record.get(slot);
            for target in value.int().into_iter().chain(value.ids().iter().copied()) {
                // The first by id counts.
                let place = first.entry(target).or_insert(*id);
                *place = (*place).min(*id);
            }
        }
        let pointing = self.pointing.entry(hop.collection.clone()).or_default();
        let pointing = pointing.entry(relation.to_owned()).or_default();
        pointing.extend(first);
        Ok(ids.into_iter().collect())
    }
}

fn ids_of(record: &Record, via: &Via) -> Vec<i64> {
    match via {
        Via::Relation(slot) => record.get(*slot).int().into_iter().collect(),
        Via::List(slot) => record.get(*slot).ids().to_vec(),
        Via::Rows(slot, member) => {
            (record.get(*slot).rows().iter()).filter_map(|row| row.get(member)?.as_i64()).collect()
        }
        Via::Reverse(_) => Vec::new(),
    }
}
