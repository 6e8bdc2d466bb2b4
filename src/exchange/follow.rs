//! Documents that are kept whole live where their animal lives: when it changes hands they
//! leave a tombstone behind and appear at the other location; when it is struck from the
//! book they go with it.

use super::Exchange;
use super::kept::{COLUMNS, KeptRow, Placed};
use crate::error::Result;
use crate::mapping::Mapping;
use crate::ops::{Book, Touched, Work};
use crate::record::Value;
use crate::registry::{BookReader, ID, Lookup};
use crate::store::{Sql, Store, Ty};
use indexmap::{IndexMap, IndexSet};

/// What stands in the queue for a data set when all that is kept about an animal is meant.
pub(super) const ALL_KEPT: &str = "";
/// The queue names a relation: the one from a kept row to its animal.
const ABOUT: &str = "animal";

impl Exchange {
    /// Moves what is kept about animals that changed hands. Many documents wait in the queue.
    pub(super) async fn follow(&self, work: &mut Work<'_>, touched: &Touched) -> Result<()> {
        let Some(animals) = self.registry().get("animals") else {
            return Ok(());
        };
        let owner = animals.at("owner");
        let moved: Vec<i64> = (touched.iter())
            .filter(|((slug, _), t)| {
                // What was made just now has nothing kept about it; a sale only amends the animal.
                let fresh = t.old.is_none() && t.new.is_some();
                *slug == animals.slug && !fresh && (t.gone || t.slots.contains(&owner))
            })
            .map(|((_, id), _)| *id)
            .collect();
        let mut few = Vec::new();
        for piece in moved.chunks(super::kept::TOGETHER) {
            let limit = self.0.at_once.saturating_sub(few.len());
            let rows = self.kept_about(work, piece, 0, limit + 1).await?;
            if rows.len() <= limit {
                few.extend(rows);
                continue;
            }
            let about: IndexSet<i64> = (self.kept_animals(work, piece).await?).collect();
            for animal in about {
                self.enqueue_kept(work, animal).await?;
            }
        }
        self.place(work, few).await
    }

    /// Works off a part of what waits for an animal; answers how many rows that were and the
    /// last of them.
    pub(super) async fn follow_on(
        &self,
        work: &mut Work<'_>,
        animal: i64,
        after: i64,
        limit: usize,
    ) -> Result<(usize, i64)> {
        let rows = self.kept_about(work, &[animal], after, limit).await?;
        let last = rows.last().map_or(after, |row| row.id);
        let count = rows.len();
        self.place(work, rows).await?;
        Ok((count, last))
    }

    async fn kept_about(
        &self,
        work: &mut Work<'_>,
        animals: &[i64],
        after: i64,
        limit: usize,
    ) -> Result<Vec<KeptRow>> {
        let mut sql = Sql::new("SELECT ");
        sql.push(COLUMNS)
            .push(" FROM exchange_kept WHERE animal IN ");
        sql.bind_list(Ty::Int, animals.iter().copied().map(Value::Int));
        sql.push(" AND id > ").bind(Ty::Int, after);
        sql.push(" ORDER BY id LIMIT ");
        sql.bind(Ty::Int, i64::try_from(limit).unwrap_or(i64::MAX));
        let sql = if animals.len() > 1 {
            sql.one_off()
        } else {
            sql
        };
        let rows = work.tx().rows(sql).await?;
        Ok(rows.iter().map(KeptRow::read).collect())
    }

    async fn kept_animals(
        &self,
        work: &mut Work<'_>,
        animals: &[i64],
    ) -> Result<impl Iterator<Item = i64> + use<>> {
        let mut sql = Sql::new("SELECT DISTINCT animal FROM exchange_kept WHERE animal IN ");
        sql.bind_list(Ty::Int, animals.iter().copied().map(Value::Int));
        let rows = work.tx().rows(sql.one_off()).await?;
        let ids: Vec<i64> = rows.iter().filter_map(|r| r.int(0)).collect();
        Ok(ids.into_iter())
    }

    async fn enqueue_kept(&self, work: &mut Work<'_>, animal: i64) -> Result<()> {
        let (seq, now) = (work.tx().next_seq(), work.now());
        let sql = Sql::new(
            "INSERT INTO exchange_queue (id, dataset, relation, target, after, queued_at) VALUES (",
        )
        .with(Ty::Int, seq)
        .and(", ")
        .with(Ty::Text, ALL_KEPT)
        .and(", ")
        .with(Ty::Text, ABOUT)
        .and(", ")
        .with(Ty::Int, animal)
        .and(", 0, ")
        .with(Ty::Time, Value::Time(now))
        .and(")");
        work.tx().run(sql).await?;
        self.wake();
        Ok(())
    }

    /// Brings the documents of rows to where their animals live now; those without an animal
    /// stay where they were sent.
    pub(super) async fn place(&self, work: &mut Work<'_>, rows: Vec<KeptRow>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let owners = self.owners(work, &rows).await?;
        let mut sets: IndexMap<String, (Vec<Placed>, Vec<KeptRow>)> = IndexMap::new();
        for row in rows {
            let (placed, gone) = sets.entry(row.dataset.clone()).or_default();
            match row.animal.map(|animal| owners.get(&animal)) {
                Some(None) => gone.push(row),
                Some(Some(owner)) => placed.push(Placed {
                    row,
                    location: *owner,
                }),
                None => placed.push(Placed {
                    location: Some(row.organization),
                    row,
                }),
            }
        }
        for (dataset, (placed, gone)) in sets {
            if let Some(mapping) = self.mappings().kept(&dataset) {
                self.erase(work, mapping, &gone).await?;
                let none = IndexSet::new();
                self.show(work, mapping, &placed, &none, true).await?;
                let pairs = gone.iter().chain(placed.iter().map(|p| &p.row));
                let pairs: Vec<(&str, &str)> = pairs.map(KeptRow::pair).collect();
                let others = self.namesakes(work, mapping, &pairs).await?;
                if !others.is_empty() {
                    self.reveal(work, mapping, others).await?;
                }
            }
        }
        Ok(())
    }

    /// Owners of the rows' animals, as far as those are in the book.
    pub(super) async fn owners(
        &self,
        work: &mut Work<'_>,
        rows: &[KeptRow],
    ) -> Result<IndexMap<i64, Option<i64>>> {
        let ids: IndexSet<i64> = rows.iter().filter_map(|row| row.animal).collect();
        let mut owners = IndexMap::new();
        if ids.is_empty() {
            return Ok(owners);
        }
        let c = work.collection("animals")?;
        let owner = c.at("owner");
        let lookup = Lookup::by_ids("id", ids).fields(&["owner"]);
        for record in work.find(c.slug, lookup).await? {
            if let Some(id) = record.get(ID).int() {
                owners.insert(id, record.get(owner).int());
            }
        }
        Ok(owners)
    }

    /// How many documents are kept whole.
    pub(super) async fn kept_count(&self, store: &Store) -> Result<u64> {
        let rows = store
            .rows(Sql::new("SELECT count(*) FROM exchange_kept"))
            .await?;
        Ok((rows.first().and_then(|r| r.int(0)).unwrap_or(0)).unsigned_abs())
    }

    /// Renders anew what is kept whole, after a row; answers the rows done and the last one.
    pub(super) async fn replace_kept(
        &self,
        book: &Book,
        after: i64,
        limit: i64,
    ) -> Result<Option<(u64, i64)>> {
        let this = self.clone();
        book.transact(move |work| {
            Box::pin(async move {
                let mut sql = Sql::new("SELECT ");
                sql.push(COLUMNS).push(" FROM exchange_kept WHERE id > ");
                sql.bind(Ty::Int, after).push(" ORDER BY id LIMIT ");
                sql.bind(Ty::Int, limit);
                let rows = work.tx().rows(sql).await?;
                let rows: Vec<KeptRow> = rows.iter().map(KeptRow::read).collect();
                let done = rows.last().map(|row| (rows.len() as u64, row.id));
                let mut sets: IndexMap<String, Vec<i64>> = IndexMap::new();
                for row in &rows {
                    sets.entry(row.dataset.clone())
                        .or_default()
                        .push(row.record());
                }
                this.place(work, rows).await?;
                for (dataset, records) in sets {
                    if let Some(mapping) = this.mappings().kept(&dataset) {
                        this.index_again(work, mapping, &records).await?;
                    }
                }
                Ok(done)
            })
        })
        .await
    }

    /// The data set of a name, if its documents are kept whole.
    pub fn kept_whole(&self, dataset: &str) -> Option<&Mapping> {
        self.mappings().get(dataset).filter(|m| m.is_whole())
    }
}
