//! Rows that are merged into others (`Collection::merges`): every reference to them moves, found in the declarations
//! alone. If both have something of which only one may exist, the merger is refused, with all conflicts in one answer.

mod moves;

use super::WriteTransaction;
use model::error::{Issue, Result};
use model::fast::IndexMap;
use model::record::{Record, Value};
use model::registry::{Caller, Collection, Draft, Field, ID, Kind, Lookup, Rule, Verb};
use model::said;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Sql, Ty};

/// Pairs of conflicting rows that one fault names.
const MOST_NAMES: i64 = 20;

/// A row that is merged, and the one that it becomes.
pub(super) type Merger = (i64, i64);

/// A field whose values are rows of a collection.
#[derive(Clone, Copy)]
pub(super) struct ReferenceField {
    /// The collection whose rows name them.
    pub(super) other: &'static Collection,
    pub(super) slot: usize,
    pub(super) field: &'static Field,
    /// The member that names them, where the field is a list of rows.
    pub(super) sub: Option<&'static Field>,
}

impl WriteTransaction<'_> {
    /// Refuses mergers that cannot be: into itself, or of rows of which others have what only one may have.
    pub(super) async fn check_mergers(&mut self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        let (Some(slot), Some(path)) = (c.merged_slot(), c.merged) else { return Ok(()) };
        for draft in drafts.iter_mut() {
            let Some((from, into)) = merger(slot, draft) else { continue };
            if from == into {
                let text = said!("A record of {collection} is not merged into itself.", collection = c.plural.as_str());
                draft.issues.push(Issue::error(path, "merge-itself", text));
                continue;
            }
            let mut faults: IndexMap<String, Vec<String>> = IndexMap::default();
            for (other, key) in self.keys_through(c) {
                let rivals = self.rivals(other, &key, (from, into), MOST_NAMES).await?;
                // What the server makes itself stays with the merged row.
                let pairs = rivals.iter().filter(|rivals| !rivals.stays);
                let pairs: Vec<String> = pairs.map(|pair| format!("{} and {}", pair.from, pair.into)).collect();
                if !pairs.is_empty() {
                    let paths: Vec<&str> = key.iter().map(|f| f.path.as_str()).collect();
                    let text = format!("{} have the same {}", pairs.join(", "), paths.join(", "));
                    faults.entry(other.slug.to_owned()).or_default().push(text);
                }
            }
            if let Some(projection) = self.services.as_ref().map(|a| Arc::clone(&a.projection)) {
                for (dataset, text) in projection.rivals(self, c, (from, into)).await? {
                    faults.entry(dataset).or_default().push(text);
                }
            }
            for (slug, texts) in faults {
                let text = said!("Only one of these may remain: {list}.", list = texts.join("; "));
                draft.issues.push(Issue::error(format!("{path}.{slug}"), "merge-conflict", text));
            }
        }
        Ok(())
    }

    /// A reference to a row that was merged means the row that it became: drafts are written so. References of the
    /// system are taken literally; rows that it brings from elsewhere stay as they were.
    pub(super) async fn resolve_merge_targets(&mut self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        if self.caller.caller == Caller::System {
            return Ok(());
        }
        for (slot, field) in c.fields.iter().enumerate() {
            let subs: &[Field] = match &field.kind {
                Kind::Rows(subs) => subs,
                _ => &[],
            };
            for (target, sub) in
                std::iter::once((field.target(), None)).chain(subs.iter().map(|sub| (sub.target(), Some(sub))))
            {
                let Some(target) = target.and_then(|slug| self.registry.get(slug)).filter(|t| t.merged.is_some())
                else {
                    continue;
                };
                let written = |d: &Draft| d.verb != Verb::Delete && d.changes(slot);
                let ids = drafts.iter().filter(|d| written(d));
                let ids: BTreeSet<i64> = ids.flat_map(|d| ids_in(d.new.get(slot), sub)).collect();
                let heirs = self.heirs(target, ids).await?;
                if heirs.is_empty() {
                    continue;
                }
                for draft in drafts.iter_mut().filter(|d| written(d)) {
                    for merger in &heirs {
                        let value = replaced(draft.new.get(slot), field, sub, *merger);
                        draft.new.set(slot, value);
                    }
                }
            }
        }
        Ok(())
    }

    /// What rows became that were merged.
    async fn heirs(&mut self, c: &'static Collection, ids: BTreeSet<i64>) -> Result<Vec<Merger>> {
        let (Some(slot), Some(path)) = (c.merged_slot(), c.merged) else { return Ok(Vec::new()) };
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let lookup = Lookup::by_ids("id", ids).fields(&[path]);
        let rows = self.load(c, &lookup).await?;
        let heir = |row: &Record| Some((row.get(ID).int()?, row.get(slot).int()?));
        Ok(rows.iter().filter_map(heir).collect())
    }

    /// Every stored place that names rows of a collection; what repeats others follows them.
    pub(super) fn places(&self, c: &'static Collection) -> Vec<ReferenceField> {
        let places = self.registry.referrers(c.slug).filter_map(|referrer| {
            let field = referrer.field()?;
            field.through.is_none().then_some(ReferenceField {
                other: referrer.collection,
                slot: referrer.slot,
                field,
                sub: referrer.sub,
            })
        });
        places.collect()
    }

    /// Unique keys that a reference to the collection is part of.
    pub(super) fn keys_through(&self, c: &'static Collection) -> Vec<(&'static Collection, Vec<&'static Field>)> {
        let mut keys = Vec::new();
        for place in self.places(c) {
            let ReferenceField { other, field, .. } = place;
            if place.sub.is_some() {
                continue;
            }
            if field.unique {
                keys.push((other, vec![field]));
            }
            for unique in &other.uniques {
                if !unique.contains(&field.path.as_str()) {
                    continue;
                }
                // The reference comes first: the others are what must differ.
                let rest = unique.iter().filter(|path| **path != field.path).filter_map(|path| other.field(path));
                keys.push((other, std::iter::once(field).chain(rest).collect()));
            }
        }
        keys
    }

    /// Rows of both, in pairs, that would have the same key.
    pub(super) async fn rivals(
        &mut self,
        other: &'static Collection,
        key: &[&'static Field],
        (from, into): Merger,
        most: i64,
    ) -> Result<Vec<Rivals>> {
        let Some((reference, rest)) = key.split_first() else { return Ok(Vec::new()) };
        let dialect = self.tx.dialect();
        let computed = other.computed_by.and_then(|path| other.field(path));
        let mut sql = Sql::new("SELECT a.\"id\", b.\"id\", ");
        match computed {
            Some(field) => sql.push("a.").name(&field.column),
            None => sql.push("a.\"id\""),
        };
        sql.push(" FROM ").name(&other.table).push(" a JOIN ").name(&other.table);
        sql.push(" b ON b.").name(&reference.column).push(" = ").bind(Ty::Int, into);
        for field in rest {
            let [a, b] = ["a", "b"].map(|table| {
                let column = format!("{table}.\"{}\"", field.column);
                match field.kind {
                    // A day is one key, regardless of the sent time of day.
                    Kind::Day => dialect.day(&column),
                    _ => column,
                }
            });
            sql.push(" AND ").push(&a).push(" = ").push(&b);
        }
        sql.push(" WHERE a.").name(&reference.column).push(" = ").bind(Ty::Int, from);
        sql.push(" ORDER BY a.\"id\" LIMIT ").bind(Ty::Int, most);
        let rows = self.tx.rows(sql.one_off()).await?;
        let pair = |row: &store::Row| {
            let stays = made_by_server(other) || (computed.is_some() && row.int(2).is_some());
            Some(Rivals { from: row.int(0)?, into: row.int(1)?, stays })
        };
        Ok(rows.iter().filter_map(pair).collect())
    }
}

/// Two rows that would have the same key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rivals {
    /// Row of the merged record.
    pub(super) from: i64,
    /// Row of the other one.
    pub(super) into: i64,
    /// The first stays with the merged record, since the server made it.
    pub(super) stays: bool,
}

/// Whether no caller writes rows of a collection.
fn made_by_server(c: &Collection) -> bool {
    c.access.create == Rule::Nobody && c.happens.is_none()
}

fn merger(slot: usize, draft: &Draft) -> Option<Merger> {
    let old = draft.old.as_ref()?;
    let into = draft.new.get(slot).int()?;
    let fresh = draft.verb == Verb::Update && old.get(slot).is_null();
    fresh.then_some((draft.id, into))
}

/// The ids that a value names, or a member of its rows.
pub(super) fn ids_in(value: &Value, sub: Option<&Field>) -> Vec<i64> {
    match (sub, value) {
        (Some(sub), value) => (value.rows().iter()).filter_map(|row| row.get(&sub.path)?.as_i64()).collect(),
        (None, Value::Ids(list)) => list.clone(),
        (None, value) => value.int().into_iter().collect(),
    }
}

/// The value in which one row takes the place of another.
pub(super) fn replaced(value: &Value, field: &Field, sub: Option<&Field>, merger: Merger) -> Value {
    match (sub, &field.kind) {
        (Some(sub), _) => in_rows(value, sub, merger),
        (None, Kind::Relations(_)) => in_list(value.ids(), merger),
        _ if value.int() == Some(merger.0) => Value::Int(merger.1),
        _ => value.clone(),
    }
}

/// A list of relations in which one takes the place of another, each once.
fn in_list(list: &[i64], (from, into): Merger) -> Value {
    let mut unique: Vec<i64> = Vec::with_capacity(list.len());
    for id in list {
        let id = if *id == from { into } else { *id };
        if !unique.contains(&id) {
            unique.push(id);
        }
    }
    Value::Ids(unique)
}

/// Rows of a field in which one takes the place of another.
fn in_rows(value: &Value, sub: &Field, (from, into): Merger) -> Value {
    let mut rows = value.rows().to_vec();
    for row in &mut rows {
        if let Some(id) = row.get_mut(&sub.path)
            && id.as_i64() == Some(from)
        {
            *id = into.into();
        }
    }
    // Facts that both rows have become one.
    let facts = |row: &Json| {
        let mut row = row.clone();
        if let Some(members) = row.as_object_mut() {
            members.remove("id");
        }
        row
    };
    let mut unique: Vec<Json> = Vec::with_capacity(rows.len());
    for row in rows {
        if !unique.iter().any(|one| facts(one) == facts(&row)) {
            unique.push(row);
        }
    }
    Value::json(Json::Array(unique))
}

#[cfg(test)]
mod tests {
    use super::in_list;
    use model::record::Value;

    #[test]
    fn a_list_names_each_row_once() {
        assert_eq!(in_list(&[4, 2, 1], (4, 1)), Value::Ids(vec![1, 2]));
        assert_eq!(in_list(&[2, 1], (4, 1)), Value::Ids(vec![2, 1]));
    }
}
