//! Reads and writes rows of a collection, always in sets.

use super::WriteTransaction;
use super::read_cache::CacheableLookup;
use super::values::{are_free, bound, read_as, stored};
use model::error::{Error, Result};
use model::fast::IndexMap;
use model::parallel;
use model::record::{Record, SlotSet, Value};
use model::registry::{Collection, Field, ID, Kind, Lookup, Series, Test};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Dialect, Serial, Sql, Ty, packed, packs, pieces, unpack};

/// Values of one look-up list that go into one statement.
pub(in crate::write) const LIST: usize = 5_000;

impl WriteTransaction<'_> {
    /// Rows by a look-up, whole or in part.
    pub(super) async fn load(&mut self, c: &'static Collection, lookup: &Lookup) -> Result<Vec<Record>> {
        let long = lookup.all.iter().find_map(|(path, test)| match test {
            Test::In(values) if values.len() > LIST => Some((path, values)),
            _ => None,
        });
        let Some((path, values)) = long else {
            let Some(cacheable) = CacheableLookup::of(c, lookup) else {
                let records = self.load_once(c, lookup).await?;
                if let Some(cacheable) = CacheableLookup::by_id(c, lookup, &records) {
                    self.read_cache.keep(c, cacheable, &records);
                }
                return Ok(records);
            };
            if let Some(cached) = self.read_cache.find(c, &cacheable) {
                return Ok(cached);
            }
            let records = self.load_once(c, lookup).await?;
            self.read_cache.keep(c, cacheable, &records);
            return Ok(records);
        };
        // Long lists go in pieces; an order across the pieces does not exist then.
        let mut rows = Vec::new();
        for piece in values.chunks(LIST) {
            let mut part = lookup.clone();
            for (p, test) in &mut part.all {
                if p == path && matches!(test, Test::In(_)) {
                    *test = Test::In(piece.to_vec());
                }
            }
            rows.extend(self.load_once(c, &part).await?);
        }
        Ok(rows)
    }

    /// Remembers what a look-up would find.
    pub(super) fn know(&mut self, c: &'static Collection, lookup: &Lookup, rows: &[Record]) {
        if let Some(cacheable) = CacheableLookup::of(c, lookup) {
            self.read_cache.keep(c, cacheable, rows);
        }
    }

    async fn load_once(&mut self, c: &'static Collection, lookup: &Lookup) -> Result<Vec<Record>> {
        let whole = lookup.fields.is_empty();
        let mut slots: SlotSet =
            if whole { SlotSet::all(c.width()) } else { slots_of(c, &lookup.fields)?.into_iter().collect() };
        slots.insert(ID);
        if let [(path, Test::In(_)), ..] = lookup.all.as_slice() {
            // The field by which they were found, too: it distinguishes the remembered rows.
            slots.extend(c.slot(path).filter(|slot: &usize| c.fields.get(*slot).is_some_and(Field::stored)));
        }
        let columns: Vec<usize> = (slots.iter()).filter(|s| c.fields.get(*s).is_some_and(Field::stored)).collect();
        if !whole && columns.len() == slots.len() && is_wide(lookup) {
            let typed_columns = columns.iter().filter_map(|slot| c.fields.get(*slot));
            let typed_columns: Vec<(&str, Ty)> = typed_columns.map(|f| (f.column.as_str(), Ty::of(f))).collect();
            if packs(self.tx.dialect(), &typed_columns) {
                return self.load_packed(c, lookup, &columns, &typed_columns).await;
            }
        }
        let mut sql = Sql::new("SELECT ");
        let column = |slot: &usize| c.fields.get(*slot).map_or("id", |f| f.column.as_str());
        sql.each(",", &columns, |sql, slot| sql.push("t.").name(column(slot)));
        chosen(&mut sql, self.tx.dialect(), c, lookup)?;
        order(&mut sql, c, lookup)?;
        let rows = self.tx.rows(sql).await?;
        let fields: Vec<(&Field, Ty)> =
            (columns.iter()).filter_map(|slot| c.fields.get(*slot).map(|field| (field, Ty::of(field)))).collect();
        let read: Arc<[usize]> = columns.as_slice().into();
        let mut records: Vec<Record> = (rows.iter())
            .map(|row| {
                let values = (fields.iter().enumerate()).map(|(i, (field, ty))| stored(field, row.value(i, *ty)));
                if !whole {
                    return Record::part(c.width(), &read, values.collect());
                }
                let mut record = Record::empty(c.width());
                for (slot, value) in columns.iter().zip(values) {
                    record.set(*slot, value);
                }
                record
            })
            .collect();
        for slot in slots.iter() {
            if c.fields.get(slot).is_some_and(|f| !f.stored()) {
                self.load_links(c, slot, &mut records).await?;
            }
        }
        Ok(records)
    }

    /// How many rows a look-up finds; no more than so many are counted.
    pub(super) async fn count_rows(&mut self, c: &'static Collection, lookup: &Lookup, most: i64) -> Result<i64> {
        let mut sql = Sql::new("SELECT count(*) FROM (SELECT 1");
        chosen(&mut sql, self.tx.dialect(), c, lookup)?;
        sql.push(" LIMIT ").bind(Ty::Int, most).push(") counted");
        let rows = self.tx.rows(sql).await?;
        Ok(rows.first().and_then(|row| row.int(0)).unwrap_or_default())
    }

    /// Loads many rows, which come as one text.
    async fn load_packed(
        &mut self,
        c: &'static Collection,
        lookup: &Lookup,
        slots: &[usize],
        typed_columns: &[(&str, Ty)],
    ) -> Result<Vec<Record>> {
        let dialect = self.tx.dialect();
        let mut sql = Sql::new("SELECT ");
        sql.push(&packed(dialect, typed_columns));
        chosen(&mut sql, dialect, c, lookup)?;
        let read: Arc<[usize]> = slots.into();
        let fields: Vec<&Field> = slots.iter().filter_map(|slot| c.fields.get(*slot)).collect();
        // JSON is read when all rows stand apart, by all processors.
        let texts: Vec<(&str, Ty)> = (typed_columns.iter())
            .map(|(column, ty)| match ty {
                Ty::Json => (*column, Ty::Text),
                ty => (*column, *ty),
            })
            .collect();
        let mut rows: Vec<(i64, Vec<Value>)> = Vec::new();
        for row in self.tx.rows(sql).await? {
            unpack(dialect, &row, &texts, |id, values| {
                rows.push((id, values.collect()));
            });
        }
        rows.sort_by_key(|(id, _)| *id);
        Ok(parallel::into_map(rows, |(_, values)| {
            let values = fields.iter().zip(typed_columns).zip(values);
            let values = values.map(|((field, (_, ty)), value)| stored(field, read_as(*ty, value)));
            Record::part(c.width(), &read, values.collect())
        }))
    }

    /// Some fields of the rows whose relation is one of the ids.
    pub(super) async fn load_series(
        &mut self,
        c: &'static Collection,
        relation: &str,
        ids: &[i64],
        fields: &[&str],
    ) -> Result<BTreeMap<i64, Series>> {
        let unfit = |path: &str| Error::internal(format!("{}.{path} cannot be read as a series", c.slug));
        let mut columns = Vec::with_capacity(fields.len());
        for path in fields {
            let field = c.field(path).ok_or_else(|| unfit(path))?;
            let plain = matches!(
                field.kind,
                Kind::Int | Kind::Number | Kind::Day | Kind::Instant | Kind::Bool | Kind::Select(_) | Kind::Relation(_)
            );
            if !plain {
                return Err(unfit(path));
            }
            columns.push((field.column.as_str(), Ty::of(field)));
        }
        let owner = c.field(relation).filter(|f| f.target().is_some() && f.stored());
        let serial =
            Serial { table: &c.table, owner: &owner.ok_or_else(|| unfit(relation))?.column, columns: &columns };
        let mut by_owner = BTreeMap::new();
        for piece in ids.chunks(LIST) {
            let rows = self.tx.rows(serial.sql(piece)).await?;
            by_owner.extend(serial.read(&rows));
        }
        Ok(by_owner)
    }

    /// Fills a relation list of the records by one statement.
    async fn load_links(&mut self, c: &'static Collection, slot: usize, records: &mut [Record]) -> Result<()> {
        let Some(field) = c.fields.get(slot) else { return Ok(()) };
        if !matches!(field.kind, Kind::Relations(_)) || records.is_empty() {
            return Ok(());
        }
        let mut lists: IndexMap<i64, Vec<i64>> = IndexMap::default();
        let ids: Vec<i64> = records.iter().filter_map(|r| r.get(ID).int()).collect();
        for piece in ids.chunks(LIST) {
            let mut sql = Sql::new("SELECT \"owner\", \"target\" FROM ");
            sql.name(&c.link_table(field)).push(" WHERE \"owner\" IN ");
            sql.bind_list(Ty::Int, piece.iter().copied().map(Value::Int)).push(" ORDER BY \"owner\", \"position\"");
            for row in self.tx.rows(sql.one_off()).await? {
                if let (Some(owner), Some(target)) = (row.int(0), row.int(1)) {
                    lists.entry(owner).or_default().push(target);
                }
            }
        }
        for record in records {
            let list = (record.get(ID).int()).and_then(|id| lists.swap_remove(&id));
            record.set(slot, Value::Ids(list.unwrap_or_default()));
        }
        Ok(())
    }

    /// Inserts whole records. What the database refuses of them is an error of one of the statements
    /// that follow: at the latest of [`WriteTransaction::accepted`].
    pub(super) async fn insert(&mut self, c: &'static Collection, records: &[&Record]) -> Result<()> {
        self.read_cache.changed(c);
        let used: Vec<(usize, &Field)> = (c.fields.iter().enumerate())
            .filter(|(slot, f)| f.stored() && records.iter().any(|r| !r.get(*slot).is_null()))
            .collect();
        for piece in pieces(records, used.len()) {
            let mut sql = Sql::new("INSERT INTO ");
            sql.name(&c.table).push(" (").each(",", &used, |sql, (_, field)| sql.name(&field.column));
            sql.push(") VALUES ").each(",", piece, |sql, record| {
                let value = |slot: &usize| bound(record.get(*slot));
                sql.push("(").each(",", &used, |sql, (slot, field)| sql.bind(Ty::of(field), value(slot))).push(")")
            });
            self.tx.send(sql).await?;
        }
        for (slot, field) in c.fields.iter().enumerate() {
            if matches!(field.kind, Kind::Relations(_)) {
                let lists = records.iter().filter_map(|r| Some((r.get(ID).int()?, r.get(slot).ids())));
                self.insert_links(c, field, lists.collect()).await?;
            }
        }
        Ok(())
    }

    /// Waits until it is known what the database refuses. A load ends with the first refusal, whenever that is known.
    pub(super) async fn accepted(&mut self) -> Result<()> {
        if self.is_load() { Ok(()) } else { self.tx.finish_sends().await }
    }

    async fn insert_links(&mut self, c: &'static Collection, field: &Field, lists: Vec<(i64, &[i64])>) -> Result<()> {
        let rows: Vec<(i64, usize, i64)> =
            (lists.iter()).flat_map(|(owner, ids)| ids.iter().enumerate().map(|(i, id)| (*owner, i, *id))).collect();
        for piece in pieces(&rows, 3) {
            let mut sql = Sql::new("INSERT INTO ");
            sql.name(&c.link_table(field)).push(" (\"owner\",\"position\",\"target\") VALUES ");
            let rows = piece.iter().map(|(owner, position, target)| {
                [*owner, i64::try_from(*position).unwrap_or(0), *target].map(Value::Int)
            });
            sql.bind_rows([Ty::Int; 3], rows);
            self.tx.send(sql).await?;
        }
        Ok(())
    }

    /// Writes the named slots of rows, all rows the same slots. What the database refuses of them is known
    /// as with [`WriteTransaction::insert`].
    pub(super) async fn update(
        &mut self,
        c: &'static Collection,
        slots: SlotSet,
        rows: &[(i64, Vec<&Value>)],
    ) -> Result<()> {
        self.update_as(c, slots, rows, false).await
    }

    /// Writes computed values. Those of many rows are written when they are read by others, or at the end: the
    /// database does that while documents are rendered.
    pub(super) async fn update_computed(
        &mut self,
        c: &'static Collection,
        slots: SlotSet,
        rows: &[(i64, Vec<&Value>)],
    ) -> Result<()> {
        let waits = rows.len() >= WIDE && !self.is_load() && are_free(c, slots);
        self.update_as(c, slots, rows, waits).await
    }

    async fn update_as(
        &mut self,
        c: &'static Collection,
        slots: SlotSet,
        rows: &[(i64, Vec<&Value>)],
        waits: bool,
    ) -> Result<()> {
        let columns: Vec<(usize, usize, &Field)> =
            (slots.iter().enumerate()).filter_map(|(i, slot)| Some((i, slot, c.fields.get(slot)?))).collect();
        let stored: Vec<_> = columns.iter().filter(|(_, _, f)| f.stored()).collect();
        match stored.len() == columns.len() {
            true => self.read_cache.amended(c, slots, rows),
            false => self.read_cache.changed(c),
        }
        for piece in pieces(rows, stored.len() + 1) {
            if stored.is_empty() {
                break;
            }
            let mut sql = Sql::new("UPDATE ");
            sql.name(&c.table).push(" SET ");
            // Columns of VALUES have these names on both databases.
            sql.each(",", stored.iter().enumerate(), |sql, (n, (_, _, field))| {
                sql.name(&field.column).push(&format!(" = v.column{}", n + 2))
            });
            sql.push(" FROM (VALUES ");
            // The text of JSON takes longer than all else.
            let ready: Vec<Vec<Value>> = parallel::map(piece, |(_, values)| {
                let value = |at: usize| values.get(at).map(|value| bound(value));
                (stored.iter().map(|(at, _, _)| value(*at).unwrap_or_default())).collect()
            });
            sql.each(",", piece.iter().zip(ready), |sql, ((id, _), values)| {
                sql.push("(").bind(Ty::Int, *id);
                for ((_, _, field), value) in stored.iter().zip(values) {
                    sql.push(",").bind(Ty::of(field), value);
                }
                sql.push(")")
            });
            sql.push(") AS v WHERE ").name(&c.table).push(".\"id\" = v.column1");
            if waits { self.tx.postpone(sql) } else { self.tx.send(sql).await? }
        }
        for (i, _, field) in columns.iter().filter(|(_, _, f)| !f.stored()) {
            if !matches!(field.kind, Kind::Relations(_)) {
                continue;
            }
            let mut sql = Sql::new("DELETE FROM ");
            sql.name(&c.link_table(field)).push(" WHERE \"owner\" IN ");
            sql.bind_list(Ty::Int, rows.iter().map(|(id, _)| Value::Int(*id)));
            self.tx.send(sql.one_off()).await?;
            let lists = (rows.iter()).map(|(id, values)| (*id, values.get(*i).map_or(&[][..], |v| v.ids())));
            self.insert_links(c, field, lists.collect()).await?;
        }
        Ok(())
    }

    /// Deletes rows; their relation lists go by the schema.
    pub(super) async fn remove(&mut self, c: &'static Collection, ids: &[i64]) -> Result<()> {
        // The schema takes what points at them along.
        self.read_cache.forget();
        for piece in ids.chunks(LIST) {
            let mut sql = Sql::new("DELETE FROM ");
            sql.name(&c.table).push(" WHERE \"id\" IN ").bind_list(Ty::Int, piece.iter().copied().map(Value::Int));
            self.tx.run(sql.one_off()).await?;
        }
        Ok(())
    }
}

/// Values of a list from which on rows are read together.
const WIDE: usize = 64;

/// Whether a look-up finds many rows, in no particular order.
fn is_wide(lookup: &Lookup) -> bool {
    let many = |test: &Test| matches!(test, Test::In(values) if values.len() >= WIDE);
    lookup.order.is_empty() && lookup.limit.is_none() && lookup.all.iter().any(|(_, test)| many(test))
}

fn slots_of(c: &Collection, paths: &[String]) -> Result<Vec<usize>> {
    paths.iter().map(|p| c.slot(p).ok_or_else(|| Error::internal(format!("{} has no field {p}", c.slug)))).collect()
}

/// Appends ` FROM …`: the rows `t` that a look-up finds.
fn chosen(sql: &mut Sql, dialect: Dialect, c: &'static Collection, lookup: &Lookup) -> Result<()> {
    sql.push(" FROM ");
    let Some((field, values, rest)) = by_key(c, lookup) else {
        sql.name(&c.table).push(" t");
        return conditions(sql, c, lookup);
    };
    let by = (c.table.as_str(), "t", field.column.as_str());
    sql.keyed(dialect, by, (Ty::of(field), values.iter().cloned()), |sql| {
        for (field, values) in rest {
            sql.push(" AND t.").name(&field.column).push(" IN ").bind_list(Ty::of(field), values.iter().cloned());
        }
    });
    Ok(())
}

type OneOf<'a> = (&'static Field, &'a [Value]);

/// A look-up by a key of several fields: the field of which it names most values, these, and the other fields.
fn by_key<'a>(c: &'static Collection, lookup: &'a Lookup) -> Option<(&'static Field, &'a [Value], Vec<OneOf<'a>>)> {
    let fits = |key: &&Vec<&str>| {
        key.len() > 1
            && key.len() == lookup.all.len()
            && (key.iter()).all(|path| lookup.all.iter().any(|(cacheable, _)| cacheable == path))
    };
    if lookup.instead.is_some() || !c.uniques.iter().any(|key| fits(&key)) {
        return None;
    }
    let fields = lookup.all.iter().map(|(path, test)| match test {
        Test::In(values) => Some((c.field(path).filter(|f| f.stored())?, values.as_slice())),
        _ => None,
    });
    let mut fields = fields.collect::<Option<Vec<OneOf<'a>>>>()?;
    let (longest, _) = (fields.iter().enumerate()).max_by_key(|(_, (_, values))| values.len())?;
    let (field, values) = fields.swap_remove(longest);
    Some((field, values, fields))
}

fn conditions(sql: &mut Sql, c: &'static Collection, lookup: &Lookup) -> Result<()> {
    for (i, (path, test)) in lookup.all.iter().enumerate() {
        sql.push(if i == 0 { " WHERE " } else { " AND " });
        let field = c.field(path).ok_or_else(|| Error::internal(format!("{} has no field {path}", c.slug)))?;
        if matches!(field.kind, Kind::Relations(_)) {
            let Test::In(values) = test else {
                return Err(Error::internal("relation lists are looked up by ids only"));
            };
            // From the targets to their rows: a condition on each row would read the whole table.
            sql.push("t.\"id\" IN (SELECT l.\"owner\" FROM ").name(&c.link_table(field));
            sql.push(" l WHERE l.\"target\" IN ").bind_list(Ty::Int, values.iter().cloned()).push(")");
            continue;
        }
        let ty = Ty::of(field);
        if let (0, Some(other), Test::In(values)) = (i, &lookup.instead, test) {
            let other = c.field(other).ok_or_else(|| Error::internal(format!("{} has no field {other}", c.slug)))?;
            sql.push("(t.").name(&field.column).push(" IN ").bind_list(ty, values.iter().cloned()).push(" OR t.");
            sql.name(&other.column).push(" IN ").bind_list(ty, values.iter().cloned()).push(")");
            continue;
        }
        sql.push("t.").name(&field.column);
        match test {
            Test::In(values) => {
                sql.push(" IN ").bind_list(ty, values.iter().cloned());
            }
            Test::Empty => {
                sql.push(" IS NULL");
            }
            Test::Filled => {
                sql.push(" IS NOT NULL");
            }
            Test::From(v) => {
                sql.push(" >= ").bind(ty, v.clone());
            }
            Test::Before(v) => {
                sql.push(" < ").bind(ty, v.clone());
            }
        }
    }
    Ok(())
}

fn order(sql: &mut Sql, c: &'static Collection, lookup: &Lookup) -> Result<()> {
    sql.push(" ORDER BY ");
    for path in &lookup.order {
        let (path, down) = match path.strip_prefix('-') {
            Some(path) => (path, " DESC, "),
            None => (path.as_str(), ", "),
        };
        let field = c.field(path).ok_or_else(|| Error::internal(format!("{} has no field {path}", c.slug)))?;
        sql.push("t.").name(&field.column).push(down);
    }
    sql.push("t.\"id\"");
    if let Some(limit) = lookup.limit {
        sql.push(" LIMIT ").bind(Ty::Int, limit);
    }
    Ok(())
}
