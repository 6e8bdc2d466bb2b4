//! Deleting an animal: children keep number and name of the parent as text, and a row of
//! `animal-removals` stores its last state (docs/logs.md, *animal-removals: what is gone*).
//!
//! Runs when it is certain that the row is deleted, and before it is, while the relations still
//! exist; the savepoint of its set undoes it when the deletion fails after all.

use super::descent::{births, kinship};
use super::view::Slots;
use crate::collections::dictionaries::lookups::related;
use crate::collections::people::trust::undeletable;
use crate::collections::registry;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Class, Collection, Demand, Draft, HookContext, ID, Verb};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};

slots!(Removals of "animal-removals" {
    ident: "identNumber", uuid, name, owner, birth: "birthDate", archived_at: "archivedAt",
    removed_at: "removedAt", archived_by: "archivedBy", reason: "archiveReason", records: "removedRecords",
    snapshot,
});

/// Prepares the deletion of animals.
pub(super) async fn remove(collection: &Collection, context: &mut dyn HookContext, drafts: &[Draft]) -> Result<()> {
    let gone: BTreeMap<i64, &Record> =
        (drafts.iter()).filter(|d| d.verb == Verb::Delete).map(|d| (d.id, &d.new)).collect();
    if gone.is_empty() {
        return Ok(());
    }
    births::orphaned(context, &gone).await?;
    orphan(context, &gone).await?;
    let counts = records(context, gone.keys().copied()).await?;
    let now = context.now();
    let width = context.collection("animal-removals")?.width();
    let rows = (gone.iter())
        .map(|(id, animal)| {
            let count = counts.get(id).copied().unwrap_or(0);
            row(collection, width, animal, count, now)
        })
        .collect();
    context.log("animal-removals", rows).await
}

/// An animal stays while an issued document or an open request names it.
pub(super) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let gone = |d: &Draft| d.verb == Verb::Delete && d.clean();
    let ids = drafts.iter().filter(|d| gone(d)).map(|d| d.id).collect();
    let undeletable = undeletable(context, &ids).await?;
    for draft in drafts.iter_mut().filter(|d| gone(d) && undeletable.contains(&d.id)) {
        let message = "An issued document or an open request refers to the animal.";
        draft.fault("id", "in-use", message);
    }
    Ok(())
}

/// Children lose the parent and keep it as text.
async fn orphan(context: &mut dyn HookContext, gone: &BTreeMap<i64, &Record>) -> Result<()> {
    let s = Slots::get();
    let sides = [
        ("father", s.father, s.father_status, s.text_father, s.text_father_name),
        ("mother", s.mother, s.mother_status, s.text_mother, s.text_mother_name),
    ];
    let mut orphans = BTreeSet::new();
    for (path, slot, status, ident, name) in sides {
        let ids = gone.keys().copied();
        let children = related(context, "animals", path, ids, &[path]).await?;
        let rows: Vec<_> = (children.iter())
            .filter_map(|child| {
                let id = child.get(ID).int().filter(|id| !gone.contains_key(id))?;
                let parent = gone.get(&child.get(slot).int()?)?;
                let values = vec![
                    (slot, Value::Null),
                    (status, Value::from("unknown")),
                    (ident, parent.get(s.ident).clone()),
                    (name, parent.get(s.name).clone()),
                ];
                Some((id, values))
            })
            .collect();
        orphans.extend(rows.iter().map(|(id, _)| *id));
        if !rows.is_empty() {
            context.amend("animals", rows).await?;
        }
    }
    kinship::follow(context, &orphans).await
}

/// How many rows go with each animal.
async fn records(context: &mut dyn BookReader, ids: impl Iterator<Item = i64> + Clone) -> Result<BTreeMap<i64, i64>> {
    // A row may name the animal twice.
    let mut rows: BTreeMap<i64, BTreeSet<(&str, Option<i64>)>> = BTreeMap::new();
    for referrer in registry()?.referrers("animals") {
        let collection = referrer.collection;
        let Some(field) = referrer.field() else {
            continue;
        };
        // Log rows about the animal are no records of it.
        if referrer.sub.is_some() || !field.cascade || collection.logging.is_log {
            continue;
        }
        let path = field.path.as_str();
        // Nor are those counted that only the Association knows of.
        let closed = collection.access.demands.iter().filter(|demand| demand.class == Class::Hidden);
        let closed: Vec<(usize, &Demand)> = closed.map(|demand| (collection.at(demand.field), demand)).collect();
        let fields: Vec<&str> = std::iter::once(path).chain(closed.iter().map(|(_, demand)| demand.field)).collect();
        let open = |row: &Record| closed.iter().all(|(slot, demand)| row.get(*slot).text() != Some(demand.value));
        let rows_of = related(context, collection.slug, path, ids.clone(), &fields).await?;
        for row in rows_of.into_iter().filter(open) {
            if let Some(id) = row.get(referrer.slot).int() {
                (rows.entry(id).or_default()).insert((collection.slug, row.get(ID).int()));
            }
        }
    }
    let count = |rows: BTreeSet<_>| i64::try_from(rows.len()).unwrap_or(i64::MAX);
    Ok(rows.into_iter().map(|(id, rows)| (id, count(rows))).collect())
}

fn row(collection: &Collection, width: usize, animal: &Record, count: i64, now: i64) -> Record {
    let (s, r) = (Slots::get(), Removals::get());
    let mut row = Record::empty(width);
    let copied = [
        (r.ident, s.ident),
        (r.uuid, s.uuid),
        (r.name, s.name),
        (r.owner, s.owner),
        (r.birth, s.birth),
        (r.archived_at, s.archived_at),
        (r.archived_by, s.archived_by),
        (r.reason, s.archive_reason),
    ];
    for (to, from) in copied {
        row.set(to, animal.get(from).clone());
    }
    row.set(r.removed_at, Value::Time(now));
    row.set(r.records, count);
    row.set(r.snapshot, Value::json(snapshot(collection, animal)));
    row
}

/// The filled fields by path.
fn snapshot(collection: &Collection, animal: &Record) -> Json {
    let mut all = Map::new();
    for (slot, field) in collection.fields.iter().enumerate() {
        let value = animal.get(slot);
        if !value.is_null() && field.class != Class::Hidden {
            all.insert(field.path.clone(), value.to_json());
        }
    }
    Json::Object(all)
}
