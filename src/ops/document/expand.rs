//! Reading for one caller: statements for pages and for documents in place of ids. One statement per relation list of a
//! page, and one per collection and level of expansion, regardless of the number of rows.

use super::field_selection::{FieldSelections, Pick};
use super::write::{Documents, LinkedValues, Writer, room};
use super::{FieldSelection, Kinds, Plan, Shape};
use crate::access::Gate;
use crate::find::CachedStatement;
use crate::requests::dry_run::DryRun;
use futures_util::stream::BoxStream;
use model::error::{Error, Result};
use model::messages::Language;
use model::query::{Filter, Order};
use model::record::Value;
use model::registry::{Collection, Principal, Registry};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::schema::ROW_COUNTS;
use store::{ReadSet, Row, Scan, Sql, Store, Ty, condition, order_by, versions};

/// Reads for one caller; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    pub(crate) registry: &'static Registry,
    pub(crate) store: Store,
    pub(crate) caller: Arc<Principal>,
    /// Now, epoch milliseconds.
    pub(crate) now: i64,
    /// Rows of a list that are looked through without an index.
    pub(crate) list_rows: u64,
    /// The transaction in which it reads, of a dry run.
    pub(crate) dry_run: Option<DryRun>,
}

/// Related records that one part of an answer fetches, over all levels.
const RELATED_MAX: usize = 30_000;

/// Rows of one shape with their values in other tables.
struct Sheet {
    shape: Arc<Shape>,
    rows: Vec<Row>,
    linked: LinkedValues,
}

/// The selections and shapes of related records, fetched level by level.
struct Levels {
    selections: FieldSelections,
    shapes: BTreeMap<FieldSelection, Arc<Shape>>,
    fetched: usize,
}

/// Rows with everything that their documents show.
pub(crate) struct Expanded {
    sheet: Sheet,
    related: Documents,
}

impl Expanded {
    /// Appends the documents, with commas between them.
    ///
    /// # Errors
    /// [`Error::Malformed`] when they grow too large.
    ///
    /// [`Error::Malformed`]: model::error::Error::Malformed
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let room = room();
        for (place, row) in self.sheet.rows.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            self.sheet.writer(&self.related, &room).write(row, out)?;
        }
        Ok(())
    }

    /// Appends the documents, a line each.
    pub(crate) fn write_lines(&self, out: &mut Vec<u8>) -> Result<()> {
        let room = room();
        for row in &self.sheet.rows {
            self.sheet.writer(&self.related, &room).write(row, out)?;
            out.push(b'\n');
        }
        Ok(())
    }

    /// Appends the rows as lines of a table with the columns of [`Shape::head`].
    pub(crate) fn write_table(&self, out: &mut Vec<u8>) -> Result<()> {
        self.sheet.shape.table(&self.sheet.rows, &self.sheet.linked, &self.related, out)
    }

    /// Appends the rows as arrays of [`Cell`](super::Cell), a line each, with whole names in a language or short ones.
    pub(crate) fn write_cells(&self, titles: Option<Language>, out: &mut Vec<u8>) -> Result<()> {
        self.sheet.shape.cells(&self.sheet.rows, &self.sheet.linked, (&self.related, titles), out)
    }

    /// The documents one by one, by their ids.
    pub(crate) fn each(&self) -> Result<BTreeMap<i64, Vec<u8>>> {
        self.sheet.render(&self.related, &room())
    }
}

impl Sheet {
    fn writer<'a>(&'a self, related: &'a Documents, room: &'a Cell<Option<usize>>) -> Writer<'a> {
        Writer { shape: &self.shape, linked: &self.linked, related, room }
    }

    fn render(&self, related: &Documents, room: &Cell<Option<usize>>) -> Result<BTreeMap<i64, Vec<u8>>> {
        let writer = self.writer(related, room);
        let mut rendered = BTreeMap::new();
        for row in &self.rows {
            let Some(id) = row.int(0) else { continue };
            let mut out = Vec::new();
            writer.write(row, &mut out)?;
            rendered.insert(id, out);
        }
        Ok(rendered)
    }
}

impl Reader {
    /// What the caller may.
    pub(crate) fn gate(&self) -> Gate<'_> {
        Gate { registry: self.registry, principal: &self.caller, now: self.now, sizes: Some(self.store.sizes()) }
    }

    /// A statement for rows of a shape, in no order.
    pub(crate) fn select(&self, shape: &Shape, filter: &Filter) -> Result<Sql> {
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::default();
        shape.select(&mut scan, &mut sql, &[]);
        sql.push(" WHERE ");
        condition(&mut scan, &mut sql, shape.collection, "a", filter);
        self.fits(sql)
    }

    pub(crate) fn select_ids(
        &self,
        c: &'static Collection,
        filter: &Filter,
        orders: &[Order],
        limit: Option<u64>,
    ) -> Result<Sql> {
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::new("SELECT a.\"id\" FROM ");
        sql.name(&c.table).push(" a WHERE ");
        condition(&mut scan, &mut sql, c, "a", filter);
        order_by(&mut scan, &mut sql, c, "a", orders, false);
        self.range(&mut sql, limit.map(|limit| (limit, 0)));
        self.fits(sql)
    }

    pub(super) fn range(&self, sql: &mut Sql, range: Option<(u64, u64)>) {
        let bound = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        if let Some((limit, offset)) = range {
            sql.push(" LIMIT ").bind(Ty::Int, bound(limit));
            if offset > 0 {
                sql.push(" OFFSET ").bind(Ty::Int, bound(offset));
            }
        }
    }

    /// A statement that counts rows.
    pub(crate) fn select_count(&self, c: &'static Collection, filter: &Filter) -> Result<Sql> {
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::new("SELECT count(*) FROM ");
        sql.name(&c.table).push(" a WHERE ");
        condition(&mut scan, &mut sql, c, "a", filter);
        self.fits(sql)
    }

    /// A statement that adds up the counts of rows that fulfil a condition on owner and openness, and counts others.
    pub(crate) fn select_total(
        &self,
        c: &'static Collection,
        slots: [usize; 3],
        (counted, others): (&Filter, &Filter),
    ) -> Result<Sql> {
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::new("SELECT (SELECT CAST(coalesce(sum(a.\"total\"), 0) AS BIGINT) FROM (SELECT \"total\"");
        for (slot, column) in slots.into_iter().zip(["NULLIF(\"owner\", 0)", "\"visible\"", "\"details\""]) {
            let own = c.fields.get(slot).map_or("id", |field| field.column.as_str());
            sql.push(", ").push(column).push(" AS ").name(own);
        }
        sql.push(" FROM ").name(ROW_COUNTS).push(&format!(" WHERE \"table_name\" = '{}') a WHERE ", c.table));
        condition(&mut scan, &mut sql, c, "a", counted);
        sql.push(")");
        if !matches!(others, Filter::False) {
            sql.push(" + (SELECT count(*) FROM ").name(&c.table).push(" a WHERE ");
            condition(&mut scan, &mut sql, c, "a", others);
            sql.push(")");
        }
        self.fits(sql)
    }

    /// A statement that counts rows of one of these kinds or of several, or of one more than that at most.
    pub(crate) fn select_count_of(&self, c: &'static Collection, kinds: &Kinds<'_>, most: Option<u64>) -> Result<Sql> {
        let range = most.map(|most| (most.saturating_add(1), 0));
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::new("SELECT count(*) FROM (SELECT e.\"id\" FROM (");
        for (at, (filter, _)) in kinds.iter().enumerate() {
            let name = format!("p{at}");
            sql.push(if at == 0 { "SELECT " } else { " UNION SELECT " }).push(&name).push(".\"id\" FROM (");
            sql.push("SELECT a.\"id\" FROM ").name(&c.table).push(" a WHERE ");
            condition(&mut scan, &mut sql, c, "a", filter);
            self.range(&mut sql, range);
            sql.push(") AS ").push(&name);
        }
        sql.push(") AS e");
        self.range(&mut sql, range);
        sql.push(") AS n");
        self.fits(sql)
    }

    /// A statement that counts rows as long as there are no more than that; then it counts one more.
    pub(crate) fn select_count_up_to(&self, c: &'static Collection, filter: &Filter, most: u64) -> Result<Sql> {
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::new("SELECT count(*) FROM (SELECT 1 FROM ");
        sql.name(&c.table).push(" a WHERE ");
        condition(&mut scan, &mut sql, c, "a", filter);
        self.range(&mut sql, Some((most.saturating_add(1), 0)));
        sql.push(") AS n");
        self.fits(sql)
    }

    /// Runs a statement that counts rows.
    pub(crate) async fn count(&self, sql: Sql) -> Result<u64> {
        let rows = self.rows(sql).await?;
        Ok(rows.first().and_then(|row| row.int(0)).and_then(|n| u64::try_from(n).ok()).unwrap_or(0))
    }

    /// A statement, as what is remembered of it is known again. Its tables may not have changed from then on.
    pub(crate) async fn cached_statement(&self, sql: &Sql) -> Result<CachedStatement<'_>> {
        versions::depends_on(sql);
        Ok(CachedStatement {
            versions: self.store.versions(),
            since: self.store.snapshot().await?,
            read: ReadSet::of(sql),
            fingerprint: sql.fingerprint(),
        })
    }

    /// Statements of odd sizes are not worth keeping, and the database has its limit.
    pub(crate) fn fits(&self, sql: Sql) -> Result<Sql> {
        match sql.width() {
            n if n > self.store.dialect().max_binds() => Err(Error::Malformed("the query has too many values".into())),
            n if n > 64 => Ok(sql.one_off()),
            _ => Ok(sql),
        }
    }

    pub(crate) async fn rows(&self, sql: Sql) -> Result<Vec<Row>> {
        #[cfg(any(test, feature = "failpoints"))]
        store::statement_log::add_read(&sql);
        if let Some(dry) = &self.dry_run { dry.rows(sql).await } else { self.store.rows(sql).await }
    }

    /// The rows of a statement as they come.
    pub(crate) fn stream(&self, sql: Sql) -> BoxStream<'static, Result<Row>> {
        #[cfg(any(test, feature = "failpoints"))]
        store::statement_log::add_read(&sql);
        self.store.stream(sql)
    }

    /// Fetches the documents that rows of a plan show in place of ids, down to this number of levels.
    ///
    /// # Errors
    /// [`Error::Malformed`] when that is too much to be held; else those of the store.
    pub(crate) async fn expand(&self, plan: &Plan, rows: Vec<Row>) -> Result<Expanded> {
        let top = self.sheet(Arc::clone(&plan.shape), rows).await?;
        let mut levels = Levels { selections: plan.selections.clone(), shapes: BTreeMap::new(), fetched: 0 };
        let mut fetched: Vec<Vec<(FieldSelection, Sheet)>> = Vec::new();
        let mut next_level = Self::related([&top]);
        for _ in 0..plan.depth {
            let mut level = Vec::new();
            for (selection, ids) in std::mem::take(&mut next_level) {
                let sheet = self.level(&mut levels, selection, ids).await?;
                level.extend(sheet.map(|sheet| (selection, sheet)));
            }
            if level.is_empty() {
                break;
            }
            next_level = Self::related(level.iter().map(|(_, sheet)| sheet));
            fetched.push(level);
        }
        // From the deepest level upwards, each finds ready what it shows.
        let mut related = Documents::new();
        for level in fetched.into_iter().rev() {
            related = render(&level, &related)?;
        }
        Ok(Expanded { sheet: top, related })
    }

    fn related<'s>(sheets: impl IntoIterator<Item = &'s Sheet>) -> BTreeMap<FieldSelection, BTreeSet<i64>> {
        let mut ids_by_selection: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for sheet in sheets {
            for row in &sheet.rows {
                let mut visit = |selection, id| {
                    ids_by_selection.entry(selection).or_default().insert(id);
                };
                sheet.shape.relations(row, &sheet.linked, &mut visit);
            }
        }
        ids_by_selection
    }

    /// The records of one collection that the caller may read, among those ids.
    async fn level(&self, levels: &mut Levels, selection: FieldSelection, ids: BTreeSet<i64>) -> Result<Option<Sheet>> {
        let Some(c) = self.registry.get(selection.slug) else { return Ok(None) };
        let readable = self.gate().readable(c);
        if matches!(readable, Filter::False) {
            return Ok(None);
        }
        levels.fetched = levels.fetched.saturating_add(ids.len());
        if levels.fetched > RELATED_MAX {
            return Err(Error::Malformed(
                "the answer has too many related records at this depth: ask for fewer rows or levels".into(),
            ));
        }
        let shape = self.shape(levels, selection, c)?;
        let rows = self.by_ids(&shape, &readable, ids).await?;
        if rows.is_empty() {
            return Ok(None);
        }
        self.sheet(shape, rows).await.map(Some)
    }

    fn shape(&self, levels: &mut Levels, selection: FieldSelection, c: &'static Collection) -> Result<Arc<Shape>> {
        if let Some(existing) = levels.shapes.get(&selection) {
            return Ok(Arc::clone(existing));
        }
        let select = levels.selections.select(selection);
        let pick = Pick::of(select.as_deref());
        let none = indexmap::IndexMap::new();
        let shape = Arc::new(Shape::build(&self.gate(), c, pick, &none, &mut levels.selections)?);
        levels.shapes.insert(selection, Arc::clone(&shape));
        Ok(shape)
    }

    /// Rows with these ids that fulfil the condition, in no order.
    pub(crate) async fn by_ids(
        &self,
        shape: &Shape,
        filter: &Filter,
        ids: impl IntoIterator<Item = i64>,
    ) -> Result<Vec<Row>> {
        let (before, after) = self.store.dialect().among_ids();
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::default();
        shape.select(&mut scan, &mut sql, &[]);
        sql.push(" WHERE a.\"id\"").push(before).bind(Ty::Json, Value::Ids(ids.into_iter().collect()));
        sql.push(after).push(" AND ");
        condition(&mut scan, &mut sql, shape.collection, "a", filter);
        self.rows(self.fits(sql)?).await
    }

    async fn sheet(&self, shape: Arc<Shape>, rows: Vec<Row>) -> Result<Sheet> {
        let mut linked = LinkedValues::default();
        for list in &shape.lists {
            let owners = rows.iter().filter(|row| shape.shows(row, list.class));
            let owners: Vec<i64> = owners.filter_map(|row| row.int(0)).collect();
            linked.lists.push(self.links(&list.table, owners).await?);
        }
        for join in &shape.joins {
            let owners = rows.iter().filter_map(|row| row.int(0)).collect();
            linked.joins.push(self.joined(join, owners).await?);
        }
        for lineage in &shape.lineages {
            let owners = rows.iter().filter_map(|row| row.int(0)).collect();
            // Documents of ancestors may show ancestors in their turn.
            linked.lineages.push(Box::pin(lineage.written(self, owners)).await?);
        }
        for timeline in &shape.timelines {
            let written = Box::pin(timeline.written(self, rows.iter().filter_map(|row| row.int(0)).collect()));
            linked.timelines.push(written.await?);
        }
        Ok(Sheet { shape, rows, linked })
    }

    async fn links(&self, table: &str, owners: Vec<i64>) -> Result<BTreeMap<i64, Vec<i64>>> {
        let mut by_owner: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        if owners.is_empty() {
            return Ok(by_owner);
        }
        let (before, after) = self.store.dialect().among_ids();
        let mut sql = Sql::new("SELECT l.\"owner\", l.\"target\" FROM ");
        sql.name(table).push(" l WHERE l.\"owner\"").push(before).bind(Ty::Json, Value::Ids(owners)).push(after);
        sql.push(" ORDER BY l.\"owner\", l.\"position\"");
        for row in self.rows(sql).await? {
            if let (Some(owner), Some(target)) = (row.int(0), row.int(1)) {
                by_owner.entry(owner).or_default().push(target);
            }
        }
        Ok(by_owner)
    }
}

/// The documents of a level, with those below in place of ids.
fn render(level: &[(FieldSelection, Sheet)], related: &Documents) -> Result<Documents> {
    let room = room();
    level.iter().map(|(selection, sheet)| Ok((*selection, sheet.render(related, &room)?))).collect()
}
