//! Dependents: the rows whose documents read a changed record. Finds them by the relations of mappings in reverse, and
//! has the durable queue for those that are too many to render in one transaction.

use crate::documents::wordings::WordingSource;
use crate::full_sync::ending::{note_changes, settle_all};
use crate::projection::projector::Projector;
use mapping::{Hop, Mapping, Via};
use model::error::{Error, Result};
use model::fast::IndexSet;
use model::record::Value;
use model::registry::{BookReader, Collection};
use ops::{Book, Touched, WriteTransaction};
use store::{Sql, Ty};

pub(crate) enum Dependents {
    All(Vec<i64>),
    /// More than the limit.
    More,
}

/// The rows that a record points at, or pointed at before.
pub(crate) struct Reverse {
    pub hop: usize,
    pub targets: Vec<i64>,
}

impl Projector {
    /// Rows of a mapping whose documents read one of `ids` through a hop, after an id.
    pub(crate) async fn dependents(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        hop: usize,
        ids: &[i64],
        after: Option<i64>,
        limit: usize,
    ) -> Result<Dependents> {
        let rows = self.walk(work, mapping, hop, ids, after, limit + 1).await?;
        Ok(if rows.len() > limit { Dependents::More } else { Dependents::All(rows) })
    }

    async fn walk(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        hop: usize,
        ids: &[i64],
        after: Option<i64>,
        limit: usize,
    ) -> Result<Vec<i64>> {
        let c = work.collection(mapping.collection())?;
        let mut chain = Vec::new();
        let mut at = Some(hop);
        while let Some(hop) = at.and_then(|i| mapping.relations().get(i)) {
            chain.push(hop);
            at = hop.from;
        }
        chain.reverse();
        let mut sql = Sql::new("SELECT t.\"id\" FROM ");
        sql.name(&c.table).push(" t WHERE ");
        predicate(&mut sql, work, c, "t", &chain, ids, 0)?;
        if let Some(after) = after {
            sql.push(" AND t.\"id\" > ").bind(Ty::Int, after);
        }
        sql.push(" ORDER BY t.\"id\" LIMIT ").bind(Ty::Int, i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = work.tx().rows(sql).await?;
        Ok(rows.iter().filter_map(|r| r.int(0)).collect())
    }

    /// Rows whose documents read the record through the rows that it points at.
    pub(crate) async fn dependents_through(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        reverse: Reverse,
    ) -> Result<Vec<i64>> {
        if reverse.targets.is_empty() {
            return Ok(Vec::new());
        }
        match mapping.relations().get(reverse.hop).and_then(|h| h.from) {
            None => Ok(reverse.targets),
            Some(from) => self.walk(work, mapping, from, &reverse.targets, None, 10_000).await,
        }
    }

    /// Queues the dependents of records.
    pub(crate) async fn enqueue(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        hop: usize,
        ids: &[i64],
    ) -> Result<()> {
        let Some(path) = mapping.relations().get(hop).map(|h| h.path.clone()) else { return Ok(()) };
        for id in ids {
            self.enqueue_target(work, (mapping.name(), path.as_str()), *id).await?;
        }
        Ok(())
    }

    /// Queues what depends on a record by a relation of a data set.
    pub(crate) async fn enqueue_target(
        &self,
        work: &mut WriteTransaction<'_>,
        (dataset, relation): (&str, &str),
        target: i64,
    ) -> Result<()> {
        let seq = work.tx().next_seq();
        let [seq, target, after] = [seq, target, 0].map(Value::Int);
        let now = Value::Time(work.now());
        let into = "exchange_queue (id, dataset, relation, target, after, queued_at)";
        let types = [Ty::Int, Ty::Text, Ty::Text, Ty::Int, Ty::Int, Ty::Time];
        work.tx().run(Sql::insert(into, types, [[seq, dataset.into(), relation.into(), target, after, now]])).await?;
        self.wake();
        Ok(())
    }

    /// Works off one chunk of the queue in a transaction of its own; false when there is nothing to do.
    pub async fn work_off(&self, book: &Book) -> Result<bool> {
        let this = self.clone();
        book.transact(move |work| Box::pin(async move { this.chunk(work).await })).await
    }

    async fn chunk(&self, work: &mut WriteTransaction<'_>) -> Result<bool> {
        let sql = Sql::new("SELECT id, dataset, relation, target, after FROM exchange_queue ORDER BY id LIMIT 1");
        let rows = work.tx().rows(sql).await?;
        let Some(row) = rows.first() else { return Ok(false) };
        let id = row.int(0).unwrap_or_default();
        let target = row.int(3).unwrap_or_default();
        let after = row.int(4).unwrap_or_default();
        let mapping = row.text(1).and_then(|d| self.rules.mappings().named(d));
        let hop = mapping.and_then(|m| {
            let path = row.text(2)?;
            m.relations().iter().position(|h| h.path == path)
        });
        // What is rendered here was not changed in the sense of a full sync that is ending.
        let endings = settle_all(work).await?;
        let mut done = true;
        let limit = self.at_once;
        if row.text(1) == Some(crate::tombstones::ownership_moves::ALL_RAW) {
            let (count, last) = self.continue_move(work, target, after, limit).await?;
            done = count < limit;
            if !done {
                requeue(work, id, last).await?;
            }
        } else if let (Some(mapping), Some(hop)) = (mapping, hop) {
            let ids = self.walk(work, mapping, hop, &[target], Some(after), limit).await?;
            done = ids.len() < limit;
            let last = ids.last().copied().unwrap_or(after);
            let rows: IndexSet<i64> = ids.into_iter().collect();
            self.refresh(work, mapping, rows, &Touched::default(), WordingSource::Stored).await?;
            if !done {
                requeue(work, id, last).await?;
            }
        }
        if done {
            work.tx().run(Sql::new("DELETE FROM exchange_queue WHERE id = ").with(Ty::Int, id)).await?;
        }
        // The counter of changes is written with the queue: after a crash both are as before.
        work.tx().next_seq();
        note_changes(work, endings).await?;
        Ok(true)
    }
}

/// Stores how far an entry of the queue is.
async fn requeue(work: &mut WriteTransaction<'_>, id: i64, last: i64) -> Result<()> {
    let sql = Sql::new("UPDATE exchange_queue SET after = ").with(Ty::Int, last).and(" WHERE id = ").with(Ty::Int, id);
    work.tx().run(sql).await.map(|_| ())
}

/// The condition that `alias` leads to one of `ids` through the rest of the chain.
fn predicate(
    sql: &mut Sql,
    work: &WriteTransaction<'_>,
    c: &'static Collection,
    alias: &str,
    chain: &[&Hop],
    ids: &[i64],
    depth: usize,
) -> Result<()> {
    let Some((hop, rest)) = chain.split_first() else { return Err(Error::internal("a walk without a way")) };
    let to = work.collection(&hop.collection)?;
    let next = format!("h{depth}");
    let field =
        |slot: usize| c.fields.get(slot).ok_or_else(|| Error::internal(format!("{} has no slot {slot}", c.slug)));
    let dialect = work.dialect();
    let mut after = String::from(")");
    match &hop.via {
        Via::Relation(slot) => {
            sql.push(&format!("{alias}.\"{}\" IN (", field(*slot)?.column));
        }
        Via::List(slot) => {
            sql.push("EXISTS (SELECT 1 FROM ").name(&c.link_table(field(*slot)?));
            sql.push(&format!(" l{depth} WHERE l{depth}.\"owner\" = {alias}.\"id\" AND l{depth}.\"target\" IN ("));
            after.push(')');
        }
        Via::Rows(slot, member) => {
            let expr = format!("{alias}.\"{}\"", field(*slot)?.column);
            let (open, close) = dialect.rows_have(&expr, member);
            sql.push(&open).push("(");
            after.push_str(&close);
        }
        Via::Reverse(relation) => {
            let back = to.field(relation).ok_or_else(|| Error::internal(format!("{} has no {relation}", to.slug)))?;
            if back.stored() {
                sql.push(&format!(
                    "{alias}.\"id\" IN (SELECT {next}.\"{}\" FROM \"{}\" {next} WHERE ",
                    back.column, to.table
                ));
            } else {
                sql.push(&format!(
                    "{alias}.\"id\" IN (SELECT k{depth}.\"target\" FROM \"{}\" k{depth} JOIN \"{}\" {next} ON {next}.\"id\" = k{depth}.\"owner\" WHERE ",
                    to.link_table(back), to.table
                ));
            }
            if rest.is_empty() {
                sql.push(&format!("{next}.\"id\" IN ")).bind_list(Ty::Int, ids.iter().copied().map(Value::Int));
            } else {
                predicate(sql, work, to, &next, rest, ids, depth + 1)?;
            }
            sql.push(&after);
            return Ok(());
        }
    }
    if rest.is_empty() {
        for (i, id) in ids.iter().enumerate() {
            sql.push(if i > 0 { "," } else { "" }).bind(Ty::Int, *id);
        }
    } else {
        sql.push(&format!("SELECT {next}.\"id\" FROM \"{}\" {next} WHERE ", to.table));
        predicate(sql, work, to, &next, rest, ids, depth + 1)?;
    }
    sql.push(&after);
    Ok(())
}
