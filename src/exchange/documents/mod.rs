//! The table of documents, which is the feed and the location lists at once: each
//! resource stands in it once per location, at its latest place in commit order.

pub(crate) mod bodies;
pub(crate) mod names;
pub(crate) mod packed;
pub(crate) mod parts;
pub(crate) mod raw;
pub(crate) mod raw_document;
pub(crate) mod shadowed;
pub(crate) mod shared;
pub(crate) mod stored_document;
pub(crate) mod wordings;
mod write;

use crate::documents::names::Names;
use crate::documents::packed::{PackedDocuments, document_of, select_documents};
use crate::documents::stored_document::StoredDocument;
use crate::projection::projector::Projector;
use crate::projection::{MERGED, Plan};
use mapping::Mapping;
use model::error::Result;
use model::fast::IndexMap;
use model::record::{Record, Value};
use model::registry::{BookReader, Collection, Field, HookContext, ID, Lookup};
use ops::WriteTransaction;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use store::{Sql, Ty, pieces};

/// Tombstones of one statement.
const TOGETHER: usize = 500;

impl Projector {
    /// Documents of our own with these keys, tombstones included.
    pub(super) async fn by_key(
        &self,
        work: &mut WriteTransaction<'_>,
        dataset: &str,
        keys: &[&str],
    ) -> Result<IndexMap<(i64, String), StoredDocument>> {
        let mut stored = IndexMap::default();
        for piece in keys.chunks(1_000) {
            let dialect = work.tx().dialect();
            let sql = select_documents(|sql| {
                sql.keyed(
                    dialect,
                    ("exchange_documents", "d", "source_id"),
                    (Ty::Text, piece.iter().map(|key| Value::from(*key))),
                    |sql| {
                        sql.push(" AND d.dataset = ").name_number(dataset);
                        sql.push(" AND d.source = ").name_number(self.rules.source());
                    },
                );
            });
            for row in work.tx().rows(sql.one_off()).await? {
                let one = document_of(&row);
                stored.insert((one.location, one.source_id.clone()), one);
            }
        }
        Ok(stored)
    }

    /// Documents that a mapping made of rows, tombstones included.
    pub(super) async fn stored(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        records: &[i64],
    ) -> Result<IndexMap<i64, Vec<StoredDocument>>> {
        let stored = self.read_stored(work, mapping, records).await?;
        Ok(stored.unpack())
    }

    /// Documents that a mapping made of rows, with their texts still compressed.
    pub(super) async fn read_stored(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        records: &[i64],
    ) -> Result<PackedDocuments> {
        let mut stored = PackedDocuments::default();
        for piece in records.chunks(2_000) {
            let dialect = work.tx().dialect();
            let which = |sql: &mut Sql| {
                sql.keyed(
                    dialect,
                    ("exchange_documents", "d", "record"),
                    (Ty::Int, piece.iter().copied().map(Value::Int)),
                    |sql| {
                        sql.push(" AND d.dataset = ").name_number(mapping.dataset());
                        sql.push(" AND d.collection = ").name_number(mapping.collection());
                    },
                );
            };
            stored.read(work.tx(), piece.len(), which).await?;
        }
        Ok(stored)
    }

    /// Documents that are no more become tombstones, and rows of `ade-tombstones`.
    async fn bury(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        plan: &Plan,
        now: i64,
        counts: &mut IndexMap<i64, i64>,
    ) -> Result<()> {
        if plan.gone.is_empty() {
            return Ok(());
        }
        let c = work.collection("ade-tombstones")?;
        let there = places(work, c, plan).await?;
        let heirs = self.merged_into(work, mapping, plan).await?;
        let mut rows = Vec::with_capacity(plan.gone.len());
        for piece in plan.gone.chunks(TOGETHER) {
            let mut sql = Sql::new(
                "UPDATE exchange_documents SET seq = v.column2, modified = v.column3, \
                 reason = v.column4, body = v.column5, deleted = ",
            );
            sql.bind(Ty::Bool, true).push(" FROM (VALUES ");
            let documents = piece.iter().map(|(document, reason)| {
                let heir = heirs.get(&document.record);
                let body = Value::Text(self.tombstone(mapping, document, now, (reason, heir)));
                let seq = work.tx().next_seq();
                [document.id.into(), seq.into(), now.into(), Value::from(*reason), body]
            });
            sql.bind_rows([Ty::Int, Ty::Int, Ty::Int, Ty::Text, Ty::Compressed], documents);
            for (document, reason) in piece {
                *counts.entry(document.location).or_default() -= 1;
                let mut row = Record::empty(c.width());
                row.set(c.at("dataset"), mapping.dataset());
                row.set(c.at("sourceId"), document.source_id.as_str());
                row.set(c.at("resourceType"), mapping.resource());
                row.set(c.at("location"), Some(document.location).filter(|id| there.contains(id)));
                row.set(c.at("deletedAt"), Value::Time(now));
                row.set(c.at("reason"), *reason);
                rows.push(row);
            }
            sql.push(") AS v WHERE exchange_documents.id = v.column1");
            work.tx().run(sql.one_off().read_by_seq()).await?;
        }
        let ids: Vec<i64> = plan.gone.iter().map(|(document, _)| document.id).collect();
        self.drop_keys(work, mapping.resource(), &ids).await?;
        work.log("ade-tombstones", rows).await
    }

    fn tombstone(
        &self,
        mapping: &Mapping,
        document: &StoredDocument,
        now: i64,
        (reason, heir): (&str, Option<&String>),
    ) -> String {
        let text = gone(
            self.rules.location_scheme(),
            mapping.resource(),
            (&document.source, &document.source_id),
            document.location,
            (now, document.created),
            reason,
        );
        let Some(heir) = heir else { return text };
        let Ok(mut body) = serde_json::from_str::<Json>(&text) else { return text };
        if let Some(meta) = body.get_mut("meta").and_then(Json::as_object_mut) {
            meta.insert("replacedBy".to_owned(), heir.as_str().into());
        }
        body.to_string()
    }

    /// `meta.sourceId` of what rows became that were merged, by the row.
    async fn merged_into(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        plan: &Plan,
    ) -> Result<IndexMap<i64, String>> {
        let merged = plan.gone.iter().filter(|(_, reason)| *reason == MERGED);
        let merged: Vec<i64> = merged.map(|(document, _)| document.record).collect();
        let mut heirs = IndexMap::default();
        // Of a row with several documents none takes the place of one.
        if merged.is_empty() || mapping.is_spread() {
            return Ok(heirs);
        }
        let c = work.collection(mapping.collection())?;
        let (Some(slot), Some(path)) = (c.merged_slot(), c.merged) else { return Ok(heirs) };
        for row in work.find(c.slug, Lookup::by_ids("id", merged).fields(&[path])).await? {
            let (Some(id), Some(into)) = (row.get(ID).int(), row.get(slot).int()) else { continue };
            let documents = self.stored(work, mapping, &[into]).await?;
            heirs.extend(documents.into_values().flatten().find(|f| !f.deleted).map(|f| (id, f.source_id)));
        }
        Ok(heirs)
    }

    /// Live documents per location and data set, so that totals cost nothing to read.
    async fn count(&self, work: &mut WriteTransaction<'_>, dataset: &str, counts: IndexMap<i64, i64>) -> Result<()> {
        let counts: Vec<(i64, i64)> = counts.into_iter().filter(|(_, d)| *d != 0).collect();
        for piece in pieces(&counts, 3) {
            let rows = (piece.iter()).map(|(location, delta)| [Value::Int(*location), dataset.into(), (*delta).into()]);
            let mut sql = Sql::insert("exchange_counts (location, dataset, live)", [Ty::Int, Ty::Text, Ty::Int], rows);
            sql.push(" ON CONFLICT (location, dataset) DO UPDATE SET live = exchange_counts.live + excluded.live");
            work.tx().send(sql.read_by_seq()).await?;
        }
        Ok(())
    }
}

/// The members that a deleted resource needs, that it is deleted, and why: `deleted`
/// where it came from, `left` for another location, or what else a reader lost it by.
pub(crate) fn gone(
    location_scheme: &str,
    resource: &str,
    (source, source_id): (&str, &str),
    location: i64,
    (modified, created): (i64, i64),
    reason: &str,
) -> String {
    serde_json::json!({
        "resourceType": resource,
        "meta": {
            "source": source,
            "sourceId": source_id,
            "isDeleted": true,
            "modified": ade::time::format(modified),
            "created": ade::time::format(created),
            "reason": reason,
        },
        "location": {
            "id": location.to_string(),
            "scheme": location_scheme,
        },
    })
    .to_string()
}

/// The locations that are still there: one may go together with its documents.
async fn places(work: &mut WriteTransaction<'_>, c: &Collection, plan: &Plan) -> Result<BTreeSet<i64>> {
    let Some(target) = c.field("location").and_then(Field::target) else { return Ok(BTreeSet::new()) };
    let ids: BTreeSet<i64> = plan.gone.iter().map(|(f, _)| f.location).collect();
    let rows = work.find(target, Lookup::by_ids("id", ids).fields(&["id"])).await?;
    Ok(rows.iter().filter_map(|r| r.get(ID).int()).collect())
}

/// Stores other wordings of documents that read the same.
async fn reword(work: &mut WriteTransaction<'_>, reworded: &[(i64, Option<String>)]) -> Result<()> {
    for piece in pieces(reworded, 2) {
        let mut sql = Sql::new("UPDATE exchange_documents SET wording = v.column2 FROM (VALUES ");
        let rows = (piece.iter()).map(|(id, wording)| [Value::Int(*id), wording.clone().into()]);
        sql.bind_rows([Ty::Int, Ty::Text], rows).push(") AS v WHERE exchange_documents.id = v.column1");
        // Readers do not notice it.
        work.tx().send(sql.read_by_seq()).await?;
    }
    Ok(())
}

/// Rendered bytes are JSON and hence UTF-8.
fn text(body: Vec<u8>) -> String {
    String::from_utf8(body).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}
