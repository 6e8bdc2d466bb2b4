//! Raw documents move with their animal: when its owner changes they become tombstones at the
//! old location and appear at the new one; when it is deleted they are deleted with it.

use crate::documents::raw::{LocatedDocument, RawDocument};
use crate::projection::projector::Projector;
use model::error::Result;
use model::fast::{IndexMap, IndexSet};
use model::record::Value;
use model::registry::{BookReader, ID, Lookup};
use ops::{Book, Touched, WriteTransaction};
use store::{Sql, Store, Ty};

/// Entry of the queue, in place of a data set, for all raw documents of an animal.
pub(crate) const ALL_RAW: &str = "";
/// Relation of such an entry: from a raw document to its animal.
const ABOUT: &str = "animal";

impl Projector {
    /// Moves the raw documents of animals whose owner changed. Too many for one transaction are queued.
    pub(crate) async fn move_with_owners(&self, work: &mut WriteTransaction<'_>, touched: &Touched) -> Result<()> {
        let Some(animals) = self.rules.registry().get("animals") else { return Ok(()) };
        let owner = animals.at("owner");
        let moved: Vec<i64> = (touched.iter())
            .filter(|((slug, _), t)| {
                // A new animal has no raw documents. A sale writes the owner as an amendment.
                let fresh = t.old.is_none() && t.new.is_some();
                *slug == animals.slug && !fresh && (t.gone || t.slots.contains(owner))
            })
            .map(|((_, id), _)| *id)
            .collect();
        let mut few = Vec::new();
        for piece in moved.chunks(crate::documents::raw::TOGETHER) {
            let limit = self.at_once.saturating_sub(few.len());
            let rows = self.raw_about(work, piece, 0, limit + 1).await?;
            if rows.len() <= limit {
                few.extend(rows);
                continue;
            }
            let about: IndexSet<i64> = (self.animals_with_raw(work, piece).await?).collect();
            for animal in about {
                self.enqueue_target(work, (ALL_RAW, ABOUT), animal).await?;
            }
        }
        self.place(work, few).await
    }

    /// Moves a chunk of the queued documents of an animal; returns how many they were and the id of the last.
    pub(crate) async fn continue_move(
        &self,
        work: &mut WriteTransaction<'_>,
        animal: i64,
        after: i64,
        limit: usize,
    ) -> Result<(usize, i64)> {
        let rows = self.raw_about(work, &[animal], after, limit).await?;
        let last = rows.last().map_or(after, |row| row.id);
        let count = rows.len();
        self.place(work, rows).await?;
        Ok((count, last))
    }

    async fn raw_about(
        &self,
        work: &mut WriteTransaction<'_>,
        animals: &[i64],
        after: i64,
        limit: usize,
    ) -> Result<Vec<RawDocument>> {
        let mut sql = RawDocument::select();
        sql.push("animal IN ").bind_list(Ty::Int, animals.iter().copied().map(Value::Int));
        sql.push(" AND id > ").bind(Ty::Int, after).push(" ORDER BY id LIMIT ");
        sql.bind(Ty::Int, i64::try_from(limit).unwrap_or(i64::MAX));
        let sql = if animals.len() > 1 { sql.one_off() } else { sql };
        RawDocument::all(work, sql).await
    }

    async fn animals_with_raw(
        &self,
        work: &mut WriteTransaction<'_>,
        animals: &[i64],
    ) -> Result<impl Iterator<Item = i64> + use<>> {
        let mut sql = Sql::new("SELECT DISTINCT animal FROM exchange_kept WHERE animal IN ");
        sql.bind_list(Ty::Int, animals.iter().copied().map(Value::Int));
        let rows = work.tx().rows(sql.one_off()).await?;
        let ids: Vec<i64> = rows.iter().filter_map(|r| r.int(0)).collect();
        Ok(ids.into_iter())
    }

    /// Serves raw documents at the location of their animal's owner; those without an animal stay where they were sent.
    pub(crate) async fn place(&self, work: &mut WriteTransaction<'_>, rows: Vec<RawDocument>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let owners = self.owners(work, &rows).await?;
        let mut sets: IndexMap<String, (Vec<LocatedDocument>, Vec<RawDocument>)> = IndexMap::default();
        for row in rows {
            let (placed, gone) = sets.entry(row.dataset.clone()).or_default();
            match row.animal.map(|animal| owners.get(&animal)) {
                Some(None) => gone.push(row),
                Some(Some(owner)) => placed.push(LocatedDocument { row, location: *owner }),
                None => placed.push(LocatedDocument { location: Some(row.organization), row }),
            }
        }
        for (dataset, (placed, gone)) in sets {
            if let Some(mapping) = self.rules.mappings().passthrough(&dataset) {
                self.erase(work, mapping, &gone).await?;
                let none = IndexSet::default();
                self.show(work, mapping, &placed, &none, true).await?;
                let pairs = gone.iter().chain(placed.iter().map(|p| &p.row));
                let pairs: Vec<(&str, &str)> = pairs.map(RawDocument::pair).collect();
                let others = self.namesakes(work, mapping, &pairs).await?;
                if !others.is_empty() {
                    self.reveal(work, mapping, others).await?;
                }
            }
        }
        Ok(())
    }

    /// Owners of the rows' animals; deleted animals are left out.
    pub(crate) async fn owners(
        &self,
        work: &mut WriteTransaction<'_>,
        rows: &[RawDocument],
    ) -> Result<IndexMap<i64, Option<i64>>> {
        let ids: IndexSet<i64> = rows.iter().filter_map(|row| row.animal).collect();
        let mut owners = IndexMap::default();
        if ids.is_empty() {
            return Ok(owners);
        }
        let c = work.collection("animals")?;
        let owner = c.at("owner");
        for record in work.find(c.slug, Lookup::by_ids("id", ids).fields(&["owner"])).await? {
            if let Some(id) = record.get(ID).int() {
                owners.insert(id, record.get(owner).int());
            }
        }
        Ok(owners)
    }

    pub(crate) async fn raw_count(&self, store: &Store) -> Result<u64> {
        let rows = store.rows(Sql::new("SELECT count(*) FROM exchange_kept")).await?;
        Ok((rows.first().and_then(|r| r.int(0)).unwrap_or(0)).unsigned_abs())
    }

    /// Renders raw documents again, after an id; returns the number done and the last id.
    pub(crate) async fn rerender_raw(&self, book: &Book, after: i64, limit: i64) -> Result<Option<(u64, i64)>> {
        let this = self.clone();
        book.transact(move |work| {
            Box::pin(async move {
                let sql = RawDocument::select().and("id > ").with(Ty::Int, after);
                let rows = RawDocument::all(work, sql.and(" ORDER BY id LIMIT ").with(Ty::Int, limit)).await?;
                let done = rows.last().map(|row| (rows.len() as u64, row.id));
                let mut sets: IndexMap<String, Vec<i64>> = IndexMap::default();
                for row in &rows {
                    sets.entry(row.dataset.clone()).or_default().push(row.record());
                }
                this.place(work, rows).await?;
                for (dataset, records) in sets {
                    if let Some(mapping) = this.rules.mappings().passthrough(&dataset) {
                        this.refresh_keys(work, mapping, &records).await?;
                    }
                }
                Ok(done)
            })
        })
        .await
    }
}
