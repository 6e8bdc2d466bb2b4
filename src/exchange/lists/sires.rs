//! Animals of the whole book as a caller sees them, for addresses without a location. Stored
//! documents are complete and meant for the location's own; here each is rendered from what
//! the caller may see of the row and of those it names. Must not know HTTP.

use crate::documents::names::Names;
use crate::lists::Lists;
use crate::lists::keys::AnimalNumbers;
use mapping::{Hop, Mapping, Related, Via};
use model::error::Result;
use model::fast::{IndexMap, IndexSet};
use model::record::{Record, Value};
use model::registry::{ID, Principal};
use ops::{Book, RowSelection};
use std::sync::Arc;
use store::{Sql, Ty};

#[derive(Debug, Clone)]
pub struct SiresQuery {
    /// Bulls with one of these numbers; none: all.
    pub numbers: Option<Vec<AnimalNumbers>>,
    /// After this one, by id.
    pub after: Option<i64>,
    /// The largest number of bulls.
    pub limit: u64,
}

#[derive(Debug, Clone, Default)]
pub struct SiresPage {
    /// Documents as JSON, with commas between them.
    pub bodies: Vec<u8>,
    pub count: u64,
    /// Id of the last animal that was examined.
    pub last: Option<i64>,
    pub more: bool,
}

/// Related records that the caller reads, with what the caller sees of them.
#[derive(Default)]
struct VisibleRecords(IndexMap<String, IndexMap<i64, Record>>);

impl Related for VisibleRecords {
    fn get(&self, collection: &str, id: i64) -> Option<&Record> {
        self.0.get(collection)?.get(&id)
    }
    fn pointing(&self, _collection: &str, _relation: &str, _id: i64) -> Option<&Record> {
        None
    }
}

impl Lists {
    /// Bulls that the caller may read, with what the caller may see of them. A number that the
    /// caller does not see finds nothing; that takes one statement, answered by an index.
    pub async fn sires(
        &self,
        book: &Book,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        query: &SiresQuery,
    ) -> Result<SiresPage> {
        let numbers = query.numbers.as_deref().unwrap_or_default();
        if query.numbers.is_some() && numbers.is_empty() {
            return Ok(SiresPage::default());
        }
        let any = numbers.iter().map(|n| (n.field.clone(), n.ids.clone()));
        let selection = RowSelection {
            any: any.collect(),
            all: vec![("sex".to_owned(), "male".to_owned())],
            after: query.after,
            limit: query.limit.saturating_add(1),
            ..RowSelection::default()
        };
        let c = self.rules.declared(mapping.collection())?;
        let mut rows = book.visible_rows(caller, c, &selection, mapping.own_fields()).await?;
        let size = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let more = rows.len() > size;
        rows.truncate(size);
        let mut page = SiresPage { more, last: rows.last().and_then(|row| row.get(ID).int()), ..SiresPage::default() };
        if rows.is_empty() {
            return Ok(page);
        }
        let related = self.visible_related(book, caller, mapping, &rows).await?;
        let times = self.times(book, mapping, &rows).await?;
        store::versions::note_time_dependence();
        let now = book.clock.now();
        for row in &rows {
            let mut rendered = Vec::new();
            mapping.render(row, &related, &mut rendered);
            let id = row.get(ID).int().unwrap_or_default();
            for document in rendered {
                if page.count > 0 {
                    page.bodies.push(b',');
                }
                let (modified, created) = times.get(&id).copied().unwrap_or((now, now));
                document.body.with(modified, created, &mut page.bodies);
                page.count += 1;
            }
        }
        Ok(page)
    }

    /// What the rows name, level by level, as far as the caller reads it.
    async fn visible_related(
        &self,
        book: &Book,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        rows: &[Record],
    ) -> Result<VisibleRecords> {
        let hops = mapping.relations();
        let mut related = VisibleRecords::default();
        let mut reached: Vec<IndexSet<i64>> = Vec::with_capacity(hops.len());
        // Each hop comes after the one that it starts from.
        for hop in hops {
            let from = hop.from.and_then(|at| Some((hops.get(at)?, reached.get(at)?)));
            let ids = match from {
                None => rows.iter().filter_map(|row| target(row, hop)).collect(),
                Some((before, ids)) => {
                    (ids.iter()).filter_map(|id| target(related.get(&before.collection, *id)?, hop)).collect()
                }
            };
            self.load_visible(book, caller, hop, &ids, &mut related).await?;
            reached.push(ids);
        }
        Ok(related)
    }

    async fn load_visible(
        &self,
        book: &Book,
        caller: &Arc<Principal>,
        hop: &Hop,
        ids: &IndexSet<i64>,
        related: &mut VisibleRecords,
    ) -> Result<()> {
        let records = related.0.entry(hop.collection.clone()).or_default();
        let missing: Vec<i64> = (ids.iter().copied()).filter(|id| !records.contains_key(id)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let selection = RowSelection { limit: missing.len() as u64, ids: Some(missing), ..RowSelection::default() };
        let c = self.rules.declared(&hop.collection)?;
        let fields = self.rules.fields().get(&hop.collection).map(Vec::as_slice).unwrap_or_default();
        for row in book.visible_rows(caller, c, &selection, fields).await? {
            records.extend(row.get(ID).int().map(|id| (id, row)));
        }
        Ok(())
    }

    /// When the stored documents of rows were changed and made.
    async fn times(&self, book: &Book, mapping: &Mapping, rows: &[Record]) -> Result<IndexMap<i64, (i64, i64)>> {
        let mut sql = Sql::new("SELECT record, modified, created FROM exchange_documents WHERE dataset = ")
            .with_name(mapping.dataset())
            .and(" AND deleted = ")
            .with(Ty::Bool, false)
            .and(" AND record IN ");
        sql.bind_list(Ty::Int, rows.iter().filter_map(|row| row.get(ID).int()).map(Value::Int));
        let sql = if rows.len() > 1 { sql.one_off() } else { sql };
        let documents = book.store.rows(sql).await?;
        let times = |row: &store::Row| Some((row.int(0)?, (row.int(1)?, row.int(2)?)));
        Ok(documents.iter().filter_map(times).collect())
    }
}

/// Where a relation of a record leads. Lists are nothing that an animal's own facts come from.
fn target(record: &Record, hop: &Hop) -> Option<i64> {
    match &hop.via {
        Via::Relation(slot) => record.get(*slot).int(),
        _ => None,
    }
}
