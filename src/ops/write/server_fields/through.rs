//! Fields that repeat those of a related row: filled when a row is written, and updated when the
//! row that they repeat changes, by any kind of write.

use crate::write::WriteTransaction;
use crate::write::rows::LIST;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Collection, Field, Follower, HookContext, ID, Lookup, Part};
use std::collections::{BTreeMap, BTreeSet};
use store::{Sql, Ty};

impl WriteTransaction<'_> {
    /// Fills the repeating fields of rows that are about to be written: one look-up per collection that they repeat.
    pub(crate) async fn fill_through_fields(
        &mut self,
        c: &'static Collection,
        mut rows: Vec<&mut Record>,
    ) -> Result<()> {
        let relations: BTreeSet<&'static str> =
            (c.fields.iter()).filter_map(|f| f.through.map(|through| through.relation)).collect();
        if rows.is_empty() {
            return Ok(());
        }
        for relation in relations {
            let slot = c.at(relation);
            let Some(target) = c.field(relation).and_then(Field::target).and_then(|to| self.registry.get(to)) else {
                continue;
            };
            let followers: Vec<Follower> = (self.registry.followers(target.slug).iter())
                .filter(|f| f.collection == c.slug && f.relation == slot)
                .copied()
                .collect();
            let ids: BTreeSet<i64> = rows.iter().filter_map(|r| r.get(slot).int()).collect();
            let sources = self.sources(target, &followers, &ids).await?;
            for row in &mut rows {
                let source = row.get(slot).int().and_then(|id| sources.get(&id));
                for f in &followers {
                    let value = source.map_or(Value::Null, |s| f.part.of(s.get(f.source)));
                    row.set(f.slot, value);
                }
            }
        }
        Ok(())
    }

    /// Brings the rows that repeat fields of rows in step, by the slots that changed: two look-ups and a write
    /// per collection that repeats, none when nothing does.
    pub(crate) async fn follow(
        &mut self,
        c: &'static Collection,
        by_source: BTreeMap<usize, BTreeSet<i64>>,
    ) -> Result<()> {
        if by_source.is_empty() {
            return Ok(());
        }
        let mut places: BTreeMap<(&'static str, usize), Vec<Follower>> = BTreeMap::new();
        for f in self.registry.followers(c.slug) {
            let place = places.entry((f.collection, f.relation)).or_default();
            place.push(*f);
        }
        for ((slug, relation), followers) in places {
            let Some(other) = self.registry.get(slug) else { continue };
            let path = |slot: usize| other.fields.get(slot).map(|f| f.path.as_str());
            let Some(on) = path(relation) else { continue };
            let changed = followers.iter().filter_map(|f| by_source.get(&f.source));
            let changed: BTreeSet<i64> = changed.flatten().copied().collect();
            if changed.is_empty() {
                continue;
            }
            let silent = |f: &Follower| f.part == Part::Whole && other.fields.get(f.slot).is_some_and(|f| f.memory);
            if followers.iter().all(silent) {
                self.copy(c, other, relation, &followers, &changed).await?;
                continue;
            }
            let mut fields: Vec<&str> = followers.iter().filter_map(|f| path(f.slot)).collect();
            fields.push(on);
            let lookup = Lookup::by_ids(on, changed.iter().copied()).fields(&fields);
            let rows = self.load(other, &lookup).await?;
            if rows.is_empty() {
                continue;
            }
            let sources = self.sources(c, &followers, &changed).await?;
            let amended = (rows.iter()).filter_map(|row| stale(row, relation, &followers, &sources)).collect();
            self.amend(slug, amended).await?;
        }
        Ok(())
    }

    /// Repeats fields that change neither the date of a row nor its place in the feed: no row is read, however many
    /// there are.
    async fn copy(
        &mut self,
        from: &'static Collection,
        to: &'static Collection,
        relation: usize,
        followers: &[Follower],
        changed: &BTreeSet<i64>,
    ) -> Result<()> {
        let column = |c: &'static Collection, slot: usize| c.fields.get(slot).map_or("id", |f| f.column.as_str());
        self.read_cache.changed(to);
        for ids in changed.iter().copied().collect::<Vec<i64>>().chunks(LIST) {
            let mut sql = Sql::new("UPDATE ");
            sql.name(&to.table);
            for (at, f) in followers.iter().enumerate() {
                sql.push(if at == 0 { " SET " } else { ", " }).name(column(to, f.slot));
                sql.push(" = s.").name(column(from, f.source));
            }
            sql.push(" FROM ").name(&from.table).push(" s WHERE s.\"id\" = ");
            sql.name(&to.table).push(".").name(column(to, relation));
            sql.push(" AND ").name(&to.table).push(".").name(column(to, relation)).push(" IN ");
            sql.bind_list(Ty::Int, ids.iter().map(|id| Value::Int(*id)));
            for (at, f) in followers.iter().enumerate() {
                sql.push(if at == 0 { " AND (" } else { " OR " }).name(&to.table).push(".").name(column(to, f.slot));
                sql.push(" IS DISTINCT FROM s.").name(column(from, f.source));
            }
            sql.push(")");
            self.tx.send(sql).await?;
        }
        Ok(())
    }

    /// The repeated fields of rows, by id.
    async fn sources(
        &mut self,
        c: &'static Collection,
        followers: &[Follower],
        ids: &BTreeSet<i64>,
    ) -> Result<BTreeMap<i64, Record>> {
        let paths: Vec<&str> =
            (followers.iter()).filter_map(|f| c.fields.get(f.source).map(|f| f.path.as_str())).collect();
        let lookup = Lookup::by_ids("id", ids.iter().copied()).fields(&paths);
        Ok((self.load(c, &lookup).await?.into_iter()).filter_map(|r| Some((r.get(ID).int()?, r))).collect())
    }
}

/// What a row repeats wrongly, if anything.
fn stale(
    row: &Record,
    relation: usize,
    followers: &[Follower],
    sources: &BTreeMap<i64, Record>,
) -> Option<(i64, Vec<(usize, Value)>)> {
    let source = sources.get(&row.get(relation).int()?)?;
    let values: Vec<(usize, Value)> = (followers.iter())
        .map(|f| (f.slot, f.part.of(source.get(f.source))))
        .filter(|(slot, value)| row.get(*slot) != value)
        .collect();
    (!values.is_empty()).then_some((row.get(ID).int()?, values))
}
