//! The ancestors of records, by generation (docs/design/derived.md, *Pedigree*). Nodes have the numbers of Kekulé's
//! list: 1 is the record, 2n the father and 2n + 1 the mother of n. One statement for each generation and each part of
//! the documents, regardless of the number of records. Must not know HTTP.

use super::Plan;
use super::Reader;
use super::Shape;
use super::field_selection::{FieldSelections, Pick};
use crate::View;
use crate::access::{Decision, Gate};
use indexmap::IndexMap;
use model::error::{Error, Result};
use model::query::Filter;
use model::query::qs::{Choice, Select, SelectTree};
use model::record::Value;
use model::registry::Collection;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{Scan, Sql, Ty, condition};

/// Documents that are fetched at a time.
const PART: usize = 500;
/// Nodes of all pedigrees in one part of an answer.
const NODES_MAX: usize = 200_000;

/// Father and mother of rows.
type Parents = BTreeMap<i64, [Option<i64>; 2]>;

/// The ancestors that documents of a shape show.
#[derive(Debug)]
pub(crate) struct Lineage {
    plan: Plan,
    /// Documents of ancestors that the caller may not read.
    identity: Plan,
    generations: u8,
}

impl Lineage {
    pub(super) fn new(
        gate: &Gate<'_>,
        c: &'static Collection,
        generations: u8,
        depth: u8,
        parts: &SelectTree,
    ) -> Result<Self> {
        let (pick, none) = (Pick::Include(parts), IndexMap::new());
        let plan = |pick: Pick<'_>| -> Result<Plan> {
            let mut selections = FieldSelections::default();
            let shape = Arc::new(Shape::build(gate, c, pick, &none, &mut selections)?);
            Ok(Plan { shape, selections, depth })
        };
        Ok(Self { plan: plan(pick)?, identity: plan(Pick::Include(&identity(c, pick)))?, generations })
    }

    /// Documents as a view shows them.
    pub(crate) fn viewed(gate: &Gate<'_>, c: &'static Collection, view: &View, generations: u8) -> Result<Self> {
        let pick = Pick::of(view.select.as_ref());
        let identity_view =
            View { select: Some(Select::Include(identity(c, pick))), joins: IndexMap::new(), ..view.clone() };
        Ok(Self { plan: Plan::new(gate, c, view)?, identity: Plan::new(gate, c, &identity_view)?, generations })
    }

    /// The pedigrees of records, by their ids; none for those that the caller does not read.
    ///
    /// # Errors
    /// [`Error::Malformed`] when they grow too large; those of the store.
    pub(crate) async fn written(&self, reader: &Reader, ids: Vec<i64>) -> Result<BTreeMap<i64, Vec<u8>>> {
        let c = self.plan.shape.collection;
        let Decision::Rows(read) = reader.gate().read(c) else { return Ok(BTreeMap::new()) };
        // Whoever sees the parents of a record sees all its ancestors.
        let own = parents(reader, c, Some(&read), ids.clone()).await?;
        let mut parents_of = Parents::new();
        // All nodes of each record, and those of the last generation.
        let roots = ids.iter().map(|id| (*id, BTreeMap::from([(1_u32, *id)])));
        let mut trees: BTreeMap<i64, BTreeMap<u32, i64>> = roots.collect();
        let mut levels = trees.clone();
        let mut nodes = trees.len();
        for generation in 0..self.generations {
            if generation > 0 {
                let all = levels.values().flat_map(BTreeMap::values).copied();
                let fresh: BTreeSet<i64> = all.filter(|id| !parents_of.contains_key(id)).collect();
                parents_of.extend(parents(reader, c, None, fresh.into_iter().collect()).await?);
            }
            for (root, level) in &mut levels {
                *level = above(level, if generation > 0 { &parents_of } else { &own });
                nodes = nodes.saturating_add(level.len());
                if let Some(tree) = trees.get_mut(root) {
                    tree.extend(level.iter().map(|(number, id)| (*number, *id)));
                }
            }
            levels.retain(|_, level| !level.is_empty());
            if levels.is_empty() {
                break;
            }
            if nodes > NODES_MAX {
                let message = "the pedigrees grow too large: ask for fewer records or generations";
                return Err(Error::Malformed(message.into()));
            }
        }
        let mut ids: BTreeSet<i64> = trees.values().flat_map(BTreeMap::values).copied().collect();
        let documents = documents(reader, &self.plan, &read, &ids).await?;
        trees.retain(|id, _| documents.contains_key(id));
        ids = trees.values().flat_map(BTreeMap::values).copied().collect();
        ids.retain(|id| !documents.contains_key(id));
        let closed = self::documents(reader, &self.identity, &Filter::True, &ids).await?;
        let written = trees.iter().map(|(id, nodes)| {
            let bytes = written(*id, self.generations, nodes, [&documents, &closed]);
            (*id, bytes)
        });
        Ok(written.collect())
    }
}

/// The identity of records, as readers of the records that name them see it, by id.
pub(crate) async fn identities(
    reader: &Reader,
    c: &'static Collection,
    ids: &BTreeSet<i64>,
) -> Result<BTreeMap<i64, Vec<u8>>> {
    let view = View { select: Some(Select::Include(identity(c, Pick::All))), ..View::default() };
    let plan = Plan::new(&reader.gate(), c, &view)?;
    documents(reader, &plan, &Filter::True, ids).await
}

/// The selected fields of a record that belong to its identity.
fn identity(c: &Collection, pick: Pick<'_>) -> SelectTree {
    let chosen = c.identity.iter().filter_map(|path| {
        let choice = match pick.child(path)? {
            Pick::Include(parts) => Choice::Parts(parts.clone()),
            Pick::All | Pick::Exclude(_) => Choice::Whole,
        };
        Some(((*path).to_owned(), choice))
    });
    chosen.collect()
}

fn above(level: &BTreeMap<u32, i64>, parents: &Parents) -> BTreeMap<u32, i64> {
    let above = level.iter().filter_map(|(number, id)| {
        let parents = parents.get(id)?.iter().zip([number * 2, number * 2 + 1]);
        Some(parents.filter_map(|(parent, number)| Some((number, (*parent)?))))
    });
    above.flatten().collect()
}

async fn parents(reader: &Reader, c: &'static Collection, read: Option<&Filter>, ids: Vec<i64>) -> Result<Parents> {
    let Some(paths) = c.lineage.filter(|_| !ids.is_empty()) else { return Ok(Parents::new()) };
    let mut scan = Scan::new(reader.store.dialect());
    let mut sql = Sql::new("SELECT a.\"id\"");
    for field in paths.iter().filter_map(|path| c.field(path)) {
        sql.push(", CASE WHEN ");
        let sees = read.map_or(Filter::True, |_| reader.gate().sees(c, field.class));
        condition(&mut scan, &mut sql, c, "a", &sees);
        sql.push(" THEN a.").name(&field.column).push(" END");
    }
    let (before, after) = reader.store.dialect().among_ids();
    sql.push(" FROM ").name(&c.table).push(" a WHERE a.\"id\"").push(before);
    sql.bind(Ty::Json, Value::Ids(ids)).push(after).push(" AND ");
    condition(&mut scan, &mut sql, c, "a", read.unwrap_or(&Filter::True));
    let rows = reader.rows(sql).await?;
    let parents = |row: &store::Row| Some((row.int(0)?, [row.int(1), row.int(2)]));
    Ok(rows.iter().filter_map(parents).collect())
}

async fn documents(reader: &Reader, plan: &Plan, read: &Filter, ids: &BTreeSet<i64>) -> Result<BTreeMap<i64, Vec<u8>>> {
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
    [documents, closed]: [&BTreeMap<i64, Vec<u8>>; 2],
) -> Vec<u8> {
    let mut out = format!("{{\"id\":{id},\"generations\":{generations},\"nodes\":[").into_bytes();
    let mut known_at = vec![0_u32; usize::from(generations) + 1];
    for (place, (number, id)) in nodes.iter().enumerate() {
        let generation = number.ilog2();
        if let Some(count) = usize::try_from(generation).ok().and_then(|generation| known_at.get_mut(generation)) {
            *count += 1;
        }
        let comma = if place > 0 { "," } else { "" };
        let head = format!("{comma}{{\"number\":{number},\"generation\":{generation},\"doc\":");
        out.extend_from_slice(head.as_bytes());
        match (documents.get(id), closed.get(id)) {
            (Some(document), _) => out.extend_from_slice(document),
            (None, Some(identity)) => {
                out.extend_from_slice(identity);
                out.extend_from_slice(b",\"closed\":true");
            }
            (None, None) => out.extend_from_slice(id.to_string().as_bytes()),
        }
        out.push(b'}');
    }
    let mut depth = 0.0;
    let mut completeness = Vec::new();
    for (generation, known) in (0_u32..).zip(&known_at).skip(1) {
        let possible = 1_u32 << generation;
        let share = f64::from(*known) / f64::from(possible);
        depth += share;
        completeness.push(json!({
            "generation": generation, "known": known, "possible": possible,
            "percent": share * 100.0,
        }));
    }
    let tail = format!("],\"completeness\":{},\"pedigreeDepth\":{}}}", Json::from(completeness), json!(depth));
    out.extend_from_slice(tail.as_bytes());
    out
}
