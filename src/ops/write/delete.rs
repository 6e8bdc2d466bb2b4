//! What a delete asks of the rows that point at the deleted one: required relations refuse
//! it, optional ones become null, marked ones go along (docs/design/writing.md, *Deleting*).

use super::{Item, Outcome, WriteTransaction};
use model::error::{Issue, Result};
use model::record::Value;
use model::registry::{Collection, Draft, Field, HookContext, ID, Kind, Lookup, Principal, Verb};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Sql, Ty};

/// Ids that go into one statement.
const PIECE: usize = 1_000;

/// What a delete does to rows that point at the deleted one by a field.
#[derive(PartialEq)]
enum OnDelete {
    Refuse,
    Cascade,
    /// The entries of a list inside of a row go; the row stays.
    Entries,
    Empty,
}

impl WriteTransaction<'_> {
    /// Refuses deletes of rows that others need.
    pub(super) async fn check_deletes(&mut self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        let ids: Vec<i64> = (drafts.iter()).filter(|d| d.verb == Verb::Delete && d.clean()).map(|d| d.id).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let mut in_use: BTreeSet<i64> = BTreeSet::new();
        let referrers: Vec<_> = self.registry.referrers(c.slug).collect();
        for referrer in referrers {
            let (other, sub) = (referrer.collection, referrer.sub);
            let Some(field) = referrer.field() else { continue };
            if on_delete(c, field, sub) == OnDelete::Refuse {
                in_use.extend(self.used(c, other, field, sub, &ids).await?);
            }
        }
        for draft in drafts.iter_mut().filter(|d| in_use.contains(&d.id)) {
            draft.issues.push(Issue::error(
                "id",
                "in-use",
                "Other records refer to this one, so it cannot be deleted.",
            ));
        }
        Ok(())
    }

    /// Which of the ids a field's rows use.
    async fn used(
        &mut self,
        c: &'static Collection,
        other: &'static Collection,
        field: &'static Field,
        sub: Option<&'static Field>,
        ids: &[i64],
    ) -> Result<BTreeSet<i64>> {
        let mut used = BTreeSet::new();
        for ids in ids.chunks(PIECE) {
            let Some(sub) = sub else {
                used.extend(self.tx.rows(users(c, other, field, ids)).await?.iter().filter_map(|row| row.int(0)));
                continue;
            };
            // One statement cannot return which of them a list of rows names; mostly none is named.
            if self.named_in_rows(other, field, sub, ids).await? {
                for id in ids {
                    if self.named_in_rows(other, field, sub, &[*id]).await? {
                        used.insert(*id);
                    }
                }
            }
        }
        Ok(used)
    }

    async fn named_in_rows(
        &mut self,
        other: &'static Collection,
        field: &'static Field,
        sub: &'static Field,
        ids: &[i64],
    ) -> Result<bool> {
        let mut sql = Sql::new("SELECT 1 FROM ");
        sql.name(&other.table).push(" t WHERE ");
        let expr = format!("t.\"{}\"", field.column);
        let (before, after) = self.tx.dialect().rows_have(&expr, &sub.path);
        sql.push(&before).bind_list(Ty::Int, ids.iter().copied().map(Value::Int)).push(&after).push(" LIMIT 1");
        Ok(!self.tx.rows(sql.one_off()).await?.is_empty())
    }

    /// Removes all references to rows which are about to be deleted.
    pub(super) async fn release(&mut self, c: &'static Collection, ids: &[i64]) -> Result<()> {
        let referrers: Vec<_> = self.registry.referrers(c.slug).collect();
        for referrer in referrers {
            let (other, sub) = (referrer.collection, referrer.sub);
            let Some(field) = referrer.field() else { continue };
            match on_delete(c, field, sub) {
                OnDelete::Refuse => {}
                OnDelete::Cascade => {
                    let lookup = Lookup::by_ids(&field.path, ids.iter().copied());
                    let rows = self.load(other, &lookup.fields(&["id"])).await?;
                    let items: Vec<Item> = (rows.iter()).filter_map(|r| r.get(ID).int()).map(Item::delete).collect();
                    let system = Arc::new(Principal::system());
                    for outcome in self.write(other, &system, items).await? {
                        if let Outcome::Refused(error) = outcome {
                            return Err(error);
                        }
                    }
                }
                OnDelete::Entries | OnDelete::Empty => {
                    self.empty(other, referrer.slot, field, sub, ids).await?;
                }
            }
        }
        Ok(())
    }

    async fn empty(
        &mut self,
        other: &'static Collection,
        slot: usize,
        field: &'static Field,
        sub: Option<&'static Field>,
        ids: &[i64],
    ) -> Result<()> {
        let mut amended = Vec::new();
        if let Some(sub) = sub {
            for id in ids {
                let mut sql = Sql::new("SELECT t.\"id\" FROM ");
                sql.name(&other.table).push(" t WHERE ");
                let expr = format!("t.\"{}\"", field.column);
                let (before, after) = self.tx.dialect().rows_have(&expr, &sub.path);
                sql.push(&before).bind_list(Ty::Int, [Value::Int(*id)]).push(&after);
                let rows = self.tx.rows(sql).await?;
                let hit: Vec<i64> = rows.iter().filter_map(|r| r.int(0)).collect();
                let lookup = Lookup::by_ids("id", hit).fields(&[&field.path]);
                for row in self.load(other, &lookup).await? {
                    let list: Vec<Json> =
                        (row.get(slot).rows().iter()).filter_map(|entry| without(entry, sub, ids)).collect();
                    let list = (!list.is_empty()).then_some(Value::json(Json::Array(list)));
                    let list = list.unwrap_or_default();
                    amended.extend(row.get(ID).int().map(|id| (id, vec![(slot, list)])));
                }
            }
        } else {
            let lookup = Lookup::by_ids(&field.path, ids.iter().copied());
            for row in self.load(other, &lookup.fields(&[&field.path])).await? {
                let value = match row.get(slot) {
                    Value::Ids(list) => Value::Ids(list.iter().copied().filter(|i| !ids.contains(i)).collect()),
                    _ => Value::Null,
                };
                // A row that is deleted in the same set needs no change.
                if let Some(id) = row.get(ID).int() {
                    amended.push((id, vec![(slot, value)]));
                }
            }
        }
        self.amend(other.slug, amended).await
    }
}

/// The ids that a field of another table uses; one statement, which looks no further than the first row that uses each.
fn users(c: &Collection, other: &Collection, field: &Field, ids: &[i64]) -> Sql {
    let mut sql = Sql::new("SELECT o.\"id\" FROM ");
    sql.name(&c.table).push(" o WHERE o.\"id\" IN ").bind_list(Ty::Int, ids.iter().copied().map(Value::Int));
    sql.push(" AND EXISTS (SELECT 1 FROM ");
    if matches!(field.kind, Kind::Relations(_)) {
        sql.name(&other.link_table(field)).push(" t WHERE t.\"target\"");
    } else {
        sql.name(&other.table).push(" t WHERE t.").name(&field.column);
    }
    sql.push(" = o.\"id\")");
    if ids.len() > 1 { sql.one_off() } else { sql }
}

fn on_delete(c: &Collection, field: &Field, sub: Option<&Field>) -> OnDelete {
    let required = sub.map_or(field.required && field.stored(), |s| s.required);
    if field.cascade && sub.is_none() && field.stored() {
        OnDelete::Cascade
    } else if sub.is_some_and(|s| s.cascade) {
        OnDelete::Entries
    } else if c.keep_used || required {
        OnDelete::Refuse
    } else {
        OnDelete::Empty
    }
}

/// An entry of a list without its references to deleted rows; none where it is deleted with them.
fn without(entry: &Json, sub: &Field, ids: &[i64]) -> Option<Json> {
    let id = entry.get(&sub.path).and_then(Json::as_i64);
    if !id.is_some_and(|id| ids.contains(&id)) {
        return Some(entry.clone());
    }
    let mut entry = entry.clone();
    *entry.get_mut(&sub.path)? = Json::Null;
    (!sub.cascade).then_some(entry)
}
