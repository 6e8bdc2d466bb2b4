//! The ancestors of a record, by generation (model, section 3.1; domain facts, section F).
//! Nodes have the numbers of Kekulé's list: 1 is the record, 2n the father and 2n + 1 the
//! mother of n. Must not know HTTP.

use super::document::{Plan, Reader};
use super::find::readable;
use super::{Book, View};
use crate::error::{Error, Result};
use crate::query::Filter;
use crate::record::Value;
use crate::registry::{Collection, Principal};
use crate::store::{Scan, Sql, Ty, condition};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most generations that are shown.
pub const GENERATIONS_MAX: u8 = 10;
/// Documents that are fetched at a time.
const PART: usize = 500;

/// Father and mother of the rows that the caller reads, as far as he sees them.
type Parents = BTreeMap<i64, [Option<i64>; 2]>;

impl Book {
    /// The record with its ancestors:
    /// `{id, generations, nodes: [{number, generation, doc}], completeness: [{generation,
    /// known, possible, percent}], pedigreeDepth}`, nodes by number.
    ///
    /// A node whose record the caller may not read is its id, and nothing is told of those
    /// beyond it; where he does not see the parents of a record, they are absent.
    /// `pedigreeDepth` is the sum over the nodes shown of one half to the power of their
    /// generation (equivalent generations).
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such record, none that he may read, or no
    /// lineage in this collection; [`Error::Forbidden`] when the collection is closed.
    pub async fn lineage(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        id: i64,
        generations: u8,
        view: &View,
    ) -> Result<Vec<u8>> {
        let reader = self.reader(caller);
        let read = readable(&reader, c)?;
        let plan = Plan::new(&reader.gate(), c, view)?;
        let generations = generations.min(GENERATIONS_MAX);
        let mut known = Parents::new();
        let mut nodes = BTreeMap::from([(1_u32, id)]);
        let mut level = BTreeMap::from([(1_u32, id)]);
        for _ in 0..generations {
            let fresh: BTreeSet<i64> = level.values().copied().collect();
            let fresh: Vec<i64> = fresh
                .into_iter()
                .filter(|id| !known.contains_key(id))
                .collect();
            known.extend(parents(&reader, c, &read, fresh).await?);
            let above = level.iter().filter_map(|(number, id)| {
                let parents = known.get(id)?.iter().zip([number * 2, number * 2 + 1]);
                Some(parents.filter_map(|(parent, number)| Some((number, (*parent)?))))
            });
            level = above.flatten().collect();
            if level.is_empty() {
                break;
            }
            nodes.extend(level.iter().map(|(number, id)| (*number, *id)));
        }
        let ids: BTreeSet<i64> = nodes.values().copied().collect();
        let documents = documents(&reader, &plan, &read, &ids).await?;
        if !documents.contains_key(&id) {
            return Err(Error::NotFound);
        }
        Ok(written(id, generations, &nodes, &documents))
    }
}

async fn parents(
    reader: &Reader,
    c: &'static Collection,
    read: &Filter,
    ids: Vec<i64>,
) -> Result<Parents> {
    let Some(paths) = c.lineage.filter(|_| !ids.is_empty()) else {
        return Ok(Parents::new());
    };
    let mut scan = Scan::new(reader.store.dialect());
    let mut sql = Sql::new("SELECT a.\"id\"");
    for field in paths.iter().filter_map(|path| c.field(path)) {
        sql.push(", CASE WHEN ");
        let seen = reader.gate().sees(c, field.class);
        condition(&mut scan, &mut sql, c, "a", &seen);
        sql.push(" THEN a.").name(&field.column).push(" END");
    }
    let (before, after) = reader.store.dialect().among_ids();
    sql.push(" FROM ").name(&c.table);
    sql.push(" a WHERE a.\"id\"").push(before);
    sql.bind(Ty::Json, Value::Ids(ids)).push(after);
    sql.push(" AND ");
    condition(&mut scan, &mut sql, c, "a", read);
    let rows = reader.rows(sql).await?;
    let parents = |row: &crate::store::Row| Some((row.int(0)?, [row.int(1), row.int(2)]));
    Ok(rows.iter().filter_map(parents).collect())
}

async fn documents(
    reader: &Reader,
    plan: &Plan,
    read: &Filter,
    ids: &BTreeSet<i64>,
) -> Result<BTreeMap<i64, Vec<u8>>> {
    let ids: Vec<i64> = ids.iter().copied().collect();
    let mut documents = BTreeMap::new();
    for ids in ids.chunks(PART) {
        let rows = reader.by_ids(&plan.shape, read, ids.iter().copied());
        let expanded = reader.expand(plan, rows.await?).await?;
        documents.extend(expanded.each()?);
    }
    Ok(documents)
}

fn written(
    id: i64,
    generations: u8,
    nodes: &BTreeMap<u32, i64>,
    documents: &BTreeMap<i64, Vec<u8>>,
) -> Vec<u8> {
    let mut out = format!("{{\"id\":{id},\"generations\":{generations},\"nodes\":[").into_bytes();
    let mut known = vec![0_u32; usize::from(generations) + 1];
    for (place, (number, id)) in nodes.iter().enumerate() {
        let generation = number.ilog2();
        let counted = usize::try_from(generation).ok();
        if let Some(count) = counted.and_then(|generation| known.get_mut(generation)) {
            *count += 1;
        }
        let comma = if place > 0 { "," } else { "" };
        let head = format!("{comma}{{\"number\":{number},\"generation\":{generation},\"doc\":");
        out.extend_from_slice(head.as_bytes());
        match documents.get(id) {
            Some(document) => out.extend_from_slice(document),
            None => out.extend_from_slice(id.to_string().as_bytes()),
        }
        out.push(b'}');
    }
    let mut depth = 0.0;
    let mut completeness = Vec::new();
    for (generation, known) in (0_u32..).zip(&known).skip(1) {
        let possible = 1_u32 << generation;
        let share = f64::from(*known) / f64::from(possible);
        depth += share;
        completeness.push(json!({
            "generation": generation, "known": known, "possible": possible,
            "percent": share * 100.0,
        }));
    }
    let tail = format!(
        "],\"completeness\":{},\"pedigreeDepth\":{}}}",
        Json::from(completeness),
        json!(depth)
    );
    out.extend_from_slice(tail.as_bytes());
    out
}
