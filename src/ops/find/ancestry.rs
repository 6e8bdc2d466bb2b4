//! Descent as kinship needs it: whose parents a caller sees, all ancestors of some records, and who ancestors are. Must
//! not know what is computed of it.

use crate::access::Decision;
use crate::ask::ask;
use crate::document::{Reader, identities};
use crate::{Book, OfMany};
use model::error::{Error, Result};
use model::query::Filter;
use model::record::Value;
use model::registry::{Collection, ID, Principal};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{ReadSet, Row, Sql, Ty};

/// Ancestors of one request at most, the records themselves among them.
const ANCESTORS_MAX: usize = 500_000;
/// Generations that are read one by one: more than most books hold. Each is read once, and only what is not known;
/// the statement for all others costs twice as much for each record.
const GENERATIONS: usize = 30;

impl Book {
    /// Of some records those whose parents the caller sees, in the order of their ids; more than `most` are cut. One that
    /// the caller does not read, or whose parents are closed to the caller, is as one that is not there.
    ///
    /// # Errors
    /// [`Error::Forbidden`] when the collection is closed to the caller, [`Error::Query`] for an invalid condition;
    /// those of the database.
    pub async fn with_open_descent(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        of: &OfMany,
        most: usize,
    ) -> Result<Vec<i64>> {
        self.measure().await;
        let reader = self.reader(caller);
        let gate = reader.gate();
        let Decision::Rows(readable) = gate.read(c) else { return Err(Error::forbidden()) };
        let (tree, ids) = match of {
            OfMany::Where(tree) => (Some(tree), Filter::True),
            OfMany::Ids(ids) => (None, Filter::any_of(ID, ids.iter().copied().map(Value::Int).collect())),
        };
        let list_query = ask(gate, c, tree, &["id".to_owned()])?;
        let parents = c.lineage.iter().flatten().filter_map(|path| c.field(path));
        let parents = parents.map(|field| gate.sees(c, field.class));
        let filter = Filter::and([readable, ids, list_query.filter].into_iter().chain(parents));
        let sql = reader.select_ids(c, &filter, &list_query.orders, Some(u64::try_from(most).unwrap_or(u64::MAX)))?;
        let rows = reader.rows(sql).await?;
        Ok(rows.iter().filter_map(|row| row.int(0)).collect())
    }

    /// Records with all their ancestors, each with its father and its mother, whoever may read them: kinship is that of
    /// the whole pedigree (docs/design/access.md, *Relatives*). Those that are known, and so their ancestors, are not
    /// read. A statement for each of the first generations, one for all others.
    ///
    /// # Errors
    /// [`Error::Malformed`] when there are too many; those of the database.
    pub async fn ancestry(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        ids: &[i64],
        is_known: &(dyn Fn(i64) -> bool + Send + Sync),
    ) -> Result<BTreeMap<i64, [Option<i64>; 2]>> {
        let reader = self.reader(caller);
        let mut rows = BTreeMap::new();
        let mut open: BTreeSet<i64> = ids.iter().copied().filter(|id| !is_known(*id)).collect();
        for generation in 0.. {
            if open.is_empty() {
                break;
            }
            let ids = std::mem::take(&mut open).into_iter().collect();
            for row in reader.rows(lineage(&reader, c, ids, generation == GENERATIONS)?).await? {
                let parents = [row.int(1), row.int(2)];
                rows.extend(row.int(0).map(|id| (id, parents)));
                open.extend(parents.into_iter().flatten());
            }
            if rows.len() > ANCESTORS_MAX {
                let message = "the pedigrees grow too large: ask for fewer records or generations";
                return Err(Error::Malformed(message.into()));
            }
            open.retain(|id| !rows.contains_key(id) && !is_known(*id));
        }
        Ok(rows)
    }

    /// Records with father and mother, whoever may read them, in the order of their ids, from the one behind `after` on;
    /// `most` at most.
    pub async fn parents_after(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        after: i64,
        most: i64,
    ) -> Result<Vec<(i64, [Option<i64>; 2])>> {
        let mut sql = Sql::new("");
        push_parents(&mut sql, c)?;
        sql.push(" FROM ").name(&c.table).push(" a WHERE a.\"id\" > ").bind(Ty::Int, after);
        sql.push(" ORDER BY a.\"id\" LIMIT ").bind(Ty::Int, most);
        let rows = self.reader(caller).rows(sql).await?;
        let row = |row: &Row| Some((row.int(0)?, [row.int(1), row.int(2)]));
        Ok(rows.iter().filter_map(row).collect())
    }

    #[must_use]
    pub fn of_descent(c: &'static Collection) -> ReadSet {
        let columns = c.lineage.map(|paths| paths.map(|path| c.field(path).map_or("", |field| field.column.as_str())));
        ReadSet::of_links(&c.table, columns.unwrap_or_default())
    }

    /// The identity of ancestors, as readers of their descendants see it ([`Collection::identity`]), each as a
    /// document. The caller must see the pedigree of such a descendant.
    pub async fn identities(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        ids: &BTreeSet<i64>,
    ) -> Result<BTreeMap<i64, Vec<u8>>> {
        identities(&self.reader(caller), c, ids).await
    }
}

/// Begins a statement that reads records as `a`, each with its father and its mother.
fn push_parents(sql: &mut Sql, c: &'static Collection) -> Result<()> {
    let Some([Some(father), Some(mother)]) = c.lineage.map(|paths| paths.map(|path| c.field(path))) else {
        return Err(Error::internal("a collection without descent"));
    };
    sql.push("SELECT a.\"id\", a.").name(&father.column).push(", a.").name(&mother.column);
    Ok(())
}

/// The statement that reads father and mother of records; or of these and all their ancestors.
fn lineage(reader: &Reader, c: &'static Collection, ids: Vec<i64>, all: bool) -> Result<Sql> {
    let (before, after) = reader.store.dialect().among_ids();
    let mut sql = Sql::new(if all { "WITH RECURSIVE up(id, father, mother) AS (" } else { "" });
    push_parents(&mut sql, c)?;
    sql.push(" FROM ").name(&c.table).push(" a WHERE a.\"id\"").push(before);
    sql.bind(Ty::Json, Value::Ids(ids)).push(after);
    if all {
        // UNION, unlike UNION ALL, ends in a circle of descent too.
        sql.push(" UNION ");
        push_parents(&mut sql, c)?;
        sql.push(" FROM up CROSS JOIN (SELECT 0 AS n UNION ALL SELECT 1) side JOIN ").name(&c.table);
        sql.push(" a ON a.\"id\" = CASE side.n WHEN 0 THEN up.father ELSE up.mother END) ");
        sql.push("SELECT id, father, mother FROM up");
    }
    sql.push(" LIMIT ");
    let most = i64::try_from(ANCESTORS_MAX).unwrap_or(i64::MAX);
    sql.bind(Ty::Int, most.saturating_add(1));
    Ok(sql)
}
