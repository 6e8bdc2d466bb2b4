//! Rows that the caller may not read do not exist for the caller's writes. A relation to one is
//! taken out of the draft before any rule or hook sees it: it is replaced by an id that no row
//! has, so that everything answers as for a row that does not exist, and the error names the id
//! that was sent. Relations that the stored row already has may be sent back.

use crate::access::Gate;
use crate::write::WriteTransaction;
use model::error::Result;
use model::query::Filter;
use model::record::{Record, Value};
use model::registry::{Caller, Class, Collection, Draft, Field, ID, Kind, Lookup, Principal, Verb};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{Scan, Sql, Ty, condition};

/// Ids in one statement.
const LIST: usize = 5_000;
/// What is added to an id that is not there for its caller. No body can bring such a number.
const AWAY: i64 = i64::MIN;

/// Ids that are not there for the caller, by collection.
type Away = BTreeMap<&'static str, BTreeSet<i64>>;

/// The id as it was sent.
pub(crate) fn id_as_sent(id: i64) -> i64 {
    if id < AWAY / 2 { id - AWAY } else { id }
}

impl WriteTransaction<'_> {
    /// Removes relations to rows that the caller may not read from the drafts; one statement for
    /// each collection that is not entirely open to the caller.
    pub(crate) async fn mask_unreadable_relations(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        drafts: &mut [Draft],
    ) -> Result<()> {
        if caller.caller == Caller::System {
            return Ok(());
        }
        let mut references: BTreeMap<&'static str, BTreeSet<i64>> = BTreeMap::new();
        for draft in drafts.iter().filter(|d| d.verb != Verb::Delete) {
            for (slot, field) in relations(c).filter(|(slot, _)| draft.changes(*slot)) {
                let before = draft.old.as_ref().map(|old| old.get(slot));
                for (target, id) in ids(field, draft.new.get(slot)) {
                    if !before.is_some_and(|old| ids(field, old).contains(&(target, id))) {
                        references.entry(target).or_default().insert(id);
                    }
                }
            }
        }
        let mut away = Away::new();
        for (slug, ids) in references {
            let Some(target) = self.registry.get(slug) else { continue };
            let open = self.rows_open(caller, target, Class::Row);
            if matches!(open, Filter::True) {
                continue;
            }
            let readable = self.open_of(target, &open, &ids).await?;
            away.insert(slug, ids.difference(&readable).copied().collect());
            self.remember(target, readable);
        }
        if away.values().all(BTreeSet::is_empty) {
            return Ok(());
        }
        for draft in drafts.iter_mut().filter(|d| d.verb != Verb::Delete) {
            for (slot, field) in relations(c) {
                if draft.changes(slot) {
                    let before = draft.old.as_ref().map(|old| ids(field, old.get(slot))).unwrap_or_default();
                    if let Some(new) = without(field, draft.new.get(slot), &away, &before) {
                        draft.new.set(slot, new);
                    }
                }
            }
        }
        Ok(())
    }

    /// Which of some rows the caller of the running write reads, with fields of a class.
    pub(crate) async fn rows_read(
        &mut self,
        target: &'static Collection,
        class: Class,
        ids: BTreeSet<i64>,
    ) -> Result<BTreeSet<i64>> {
        let caller = Arc::clone(&self.caller);
        match self.rows_open(&caller, target, class) {
            Filter::True => Ok(ids),
            open => self.open_of(target, &open, &ids).await,
        }
    }

    fn rows_open(&self, caller: &Principal, target: &'static Collection, class: Class) -> Filter {
        let gate = Gate { registry: self.registry, principal: caller, now: self.tx.now(), sizes: None };
        Filter::and([gate.readable(target), gate.sees(target, class)])
    }

    async fn open_of(
        &mut self,
        target: &'static Collection,
        open: &Filter,
        ids: &BTreeSet<i64>,
    ) -> Result<BTreeSet<i64>> {
        let mut readable = BTreeSet::new();
        if matches!(open, Filter::False) {
            return Ok(readable);
        }
        let ids: Vec<i64> = ids.iter().copied().collect();
        for piece in ids.chunks(LIST) {
            let mut scan = Scan::new(self.tx.dialect());
            let mut sql = Sql::new("SELECT a.\"id\" FROM ");
            sql.name(&target.table).push(" a WHERE a.\"id\" IN ");
            sql.bind_list(Ty::Int, piece.iter().copied().map(Value::Int)).push(" AND ");
            condition(&mut scan, &mut sql, target, "a", open);
            let rows = self.tx.rows(sql.one_off()).await?;
            readable.extend(rows.iter().filter_map(|row| row.int(0)));
        }
        Ok(readable)
    }

    /// These rows exist: no further look-up is needed.
    fn remember(&mut self, target: &'static Collection, readable: BTreeSet<i64>) {
        let slots: Arc<[usize]> = [ID].as_slice().into();
        let rows =
            readable.iter().map(|id| Record::part(target.width(), &slots, std::iter::once(Value::Int(*id)).collect()));
        let rows: Vec<Record> = rows.collect();
        self.know(target, &Lookup::by_ids("id", readable).fields(&["id"]), &rows);
    }
}

fn relations(c: &'static Collection) -> impl Iterator<Item = (usize, &'static Field)> {
    (c.fields.iter().enumerate()).filter(|(_, field)| match &field.kind {
        Kind::Relation(_) | Kind::Relations(_) => true,
        Kind::Rows(subs) => subs.iter().any(|sub| sub.target().is_some()),
        _ => false,
    })
}

/// What a value names: collection and id.
fn ids(field: &'static Field, value: &Value) -> BTreeSet<(&'static str, i64)> {
    match &field.kind {
        Kind::Rows(subs) => (subs.iter())
            .filter_map(|sub| Some((sub, sub.target()?)))
            .flat_map(|(sub, target)| {
                let references = value.rows().iter().filter_map(|row| row.get(&sub.path)?.as_i64());
                references.map(move |id| (target, id)).collect::<Vec<_>>()
            })
            .collect(),
        _ => {
            let target = field.target().unwrap_or_default();
            (value.int().into_iter()).chain(value.ids().iter().copied()).map(|id| (target, id)).collect()
        }
    }
}

/// The value without what is away; none when nothing of it is.
fn without(field: &'static Field, value: &Value, away: &Away, before: &BTreeSet<(&'static str, i64)>) -> Option<Value> {
    // Numbers that no row can have are returned as they came.
    let is_away = |target: &'static str, id: i64| {
        (1..-(AWAY / 2)).contains(&id)
            && away.get(target).is_some_and(|ids| ids.contains(&id))
            && !before.contains(&(target, id))
    };
    if !ids(field, value).into_iter().any(|(target, id)| is_away(target, id)) {
        return None;
    }
    let target = field.target().unwrap_or_default();
    let moved = |target, id| if is_away(target, id) { id.wrapping_add(AWAY) } else { id };
    Some(match (&field.kind, value) {
        (Kind::Rows(subs), Value::Json(rows)) => {
            let mut rows = rows.clone();
            for row in Arc::make_mut(&mut rows).as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut) {
                for (sub, target) in subs.iter().filter_map(|sub| Some((sub, sub.target()?))) {
                    if let Some(id) = row.get(&sub.path).and_then(Json::as_i64) {
                        row.insert(sub.path.clone(), moved(target, id).into());
                    }
                }
            }
            Value::Json(rows)
        }
        (_, Value::Int(id)) => Value::Int(moved(target, *id)),
        (_, Value::Ids(list)) => Value::Ids(list.iter().map(|id| moved(target, *id)).collect()),
        (_, value) => value.clone(),
    })
}
