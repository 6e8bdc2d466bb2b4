//! The events of records, over all collections of events: one statement for the days of all of them, and one for the
//! documents of each collection that are requested, regardless of the number of records. Must not know HTTP.

use super::field_selection::{FieldSelections, Pick};
use super::{Plan, Reader, Shape};
use crate::access::{Decision, Gate};
use indexmap::IndexMap;
use model::error::Result;
use model::query::qs::{Choice, SelectTree, Story};
use model::query::{Cmp, Filter};
use model::record::{Value, time};
use model::registry::Collection;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Scan, Sql, Ty, condition};

/// The events that documents of a shape show.
#[derive(Debug)]
pub(crate) struct Timeline {
    kinds: Vec<Kind>,
    story: Story,
}

/// The events of one collection.
#[derive(Debug)]
struct Kind {
    collection: &'static Collection,
    /// The fields that are shown besides the day; none: no others.
    plan: Option<Plan>,
}

struct Event {
    kind: usize,
    id: i64,
    at: i64,
}

impl Timeline {
    pub(super) fn new(
        gate: &Gate<'_>,
        c: &'static Collection,
        story: &Story,
        (depth, parts): (u8, &SelectTree),
    ) -> Result<Self> {
        let mut kinds = Vec::new();
        for collection in gate.registry.events_of(c) {
            if !(story.kinds.is_empty() || story.kinds.iter().any(|kind| kind == collection.slug)) {
                continue;
            }
            let plan = match parts.get(collection.slug) {
                Some(Choice::Parts(parts)) => {
                    let mut selections = FieldSelections::default();
                    let none = IndexMap::new();
                    let shape = Shape::build(gate, collection, Pick::Include(parts), &none, &mut selections)?;
                    Some(Plan { shape: Arc::new(shape), selections, depth })
                }
                _ => None,
            };
            kinds.push(Kind { collection, plan });
        }
        Ok(Self { kinds, story: story.clone() })
    }

    /// The events of records, by their ids: `{docs: [{date, collection, id, <collection>}],
    /// hasNextPage, page, limit}`, the latest first.
    ///
    /// # Errors
    /// [`Error::Malformed`] when they grow too large; those of the store.
    ///
    /// [`Error::Malformed`]: model::error::Error::Malformed
    pub(super) async fn written(&self, reader: &Reader, owners: Vec<i64>) -> Result<BTreeMap<i64, Vec<u8>>> {
        let mut by_owner: BTreeMap<i64, Vec<Event>> = owners.iter().map(|id| (*id, Vec::new())).collect();
        for row in self.days(reader, owners).await? {
            let (Some(owner), Some(at), Some(kind), Some(id)) = (row.int(0), row.time(1), row.int(2), row.int(3))
            else {
                continue;
            };
            let kind = usize::try_from(kind).unwrap_or(usize::MAX);
            if let Some(events) = by_owner.get_mut(&owner) {
                events.push(Event { kind, id, at });
            }
        }
        let most = usize::try_from(self.story.limit).unwrap_or(usize::MAX);
        let mut documents = Vec::with_capacity(self.kinds.len());
        for (place, kind) in self.kinds.iter().enumerate() {
            let all = by_owner.values().flat_map(|events| events.iter().take(most));
            let ids: Vec<i64> = all.filter(|e| e.kind == place).map(|e| e.id).collect();
            documents.push(kind.documents(reader, ids).await?);
        }
        let written = by_owner.iter().map(|(owner, events)| {
            let mut out = b"{\"docs\":[".to_vec();
            for (place, event) in events.iter().take(most).enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                self.event(event, &documents, &mut out);
            }
            let Story { limit, page, .. } = &self.story;
            let more = events.len() > most;
            let tail = format!("],\"hasNextPage\":{more},\"limit\":{limit},\"page\":{page}}}");
            out.extend_from_slice(tail.as_bytes());
            (*owner, out)
        });
        Ok(written.collect())
    }

    fn event(&self, event: &Event, documents: &[BTreeMap<i64, Vec<u8>>], out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"date\":\"");
        time::write_iso(event.at, out);
        let slug = self.kinds.get(event.kind).map_or("", |k| k.collection.slug);
        let member = format!("\",\"collection\":\"{slug}\",\"id\":{}", event.id);
        out.extend_from_slice(member.as_bytes());
        if let Some(document) = documents.get(event.kind).and_then(|all| all.get(&event.id)) {
            out.extend_from_slice(format!(",\"{slug}\":").as_bytes());
            out.extend_from_slice(document);
        }
        out.push(b'}');
    }

    /// Owner, day, kind and id of the events of a page, and of one more for each owner.
    async fn days(&self, reader: &Reader, owners: Vec<i64>) -> Result<Vec<store::Row>> {
        let mut scan = Scan::new(reader.store.dialect());
        let among = reader.store.dialect().among_ids();
        let mut sql = Sql::new(
            "SELECT \"owner\", \"at\", \"kind\", \"id\" FROM (SELECT e.\"owner\", e.\"at\", e.\"kind\", e.\"id\", \
             row_number() OVER (PARTITION BY e.\"owner\" ORDER BY e.\"at\" DESC, e.\"kind\", e.\"id\" DESC) AS \"place\" \
             FROM (",
        );
        let mut first = true;
        for (place, kind) in self.kinds.iter().enumerate() {
            let c = kind.collection;
            let (Some(filter), Some(animal), Some(day)) = (
                self.visible(reader, c),
                c.animal.and_then(|path| c.field(path)),
                c.happens.and_then(|path| c.field(path)),
            ) else {
                continue;
            };
            if owners.is_empty() || matches!(filter, Filter::False) {
                continue;
            }
            sql.push(if std::mem::take(&mut first) { "SELECT a." } else { " UNION ALL SELECT a." });
            sql.name(&animal.column).push(" AS \"owner\", a.").name(&day.column).push(" AS \"at\", ");
            sql.push(&place.to_string()).push(" AS \"kind\", a.\"id\" FROM ").name(&c.table);
            sql.push(" a WHERE a.").name(&animal.column).push(among.0);
            sql.bind(Ty::Json, Value::Ids(owners.clone())).push(among.1).push(" AND ");
            condition(&mut scan, &mut sql, c, "a", &filter);
        }
        if first {
            return Ok(Vec::new());
        }
        let Story { limit, page, .. } = self.story;
        let before = page.saturating_sub(1).saturating_mul(limit);
        let bound = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        sql.push(") e) p WHERE \"place\" > ").bind(Ty::Int, bound(before)).push(" AND \"place\" <= ");
        sql.bind(Ty::Int, bound(before.saturating_add(limit).saturating_add(1))).push(" ORDER BY \"owner\", \"place\"");
        reader.rows(sql).await
    }

    /// The rows whose animal and day the caller sees, within the requested days.
    fn visible(&self, reader: &Reader, c: &'static Collection) -> Option<Filter> {
        let gate = reader.gate();
        let Decision::Rows(readable) = gate.read(c) else { return None };
        let mut all = vec![readable];
        for path in [c.animal?, c.happens?] {
            all.push(gate.sees(c, c.field(path)?.class));
        }
        let day = c.slot(c.happens?)?;
        let Story { from, to, .. } = self.story;
        all.extend(from.map(|at| Filter::Cmp(day, Cmp::Ge(Value::Time(at)))));
        all.extend(to.map(|at| Filter::Cmp(day, Cmp::Le(Value::Time(at)))));
        Some(Filter::and(all))
    }
}

impl Kind {
    async fn documents(&self, reader: &Reader, ids: Vec<i64>) -> Result<BTreeMap<i64, Vec<u8>>> {
        let Some(plan) = self.plan.as_ref().filter(|_| !ids.is_empty()) else { return Ok(BTreeMap::new()) };
        // The right to read them was checked with their days.
        let rows = reader.by_ids(&plan.shape, &Filter::True, ids).await?;
        reader.expand(plan, rows).await?.each()
    }
}
