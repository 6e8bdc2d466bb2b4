//! What moves with a merger, and back when it is undone. Rows of events and descendants move by a write of the system,
//! so that hooks check it and compute derived values anew; all else is amended.

use crate::write::merge::{Merger, ReferenceField, ids_in, replaced};
use crate::write::{Item, Outcome, WriteTransaction};
use model::error::{Error, Issue, Result};
use model::record::{Record, Value};
use model::registry::{Change, Collection, Field, HookContext, ID, Kind, Lookup, Principal};
use model::said;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Sql, Ty};

/// Rows moved at once.
const PIECE: usize = 1_000;
/// Rows that the server made and leaves where they are.
const MOST_ROWS: i64 = 100_000;

impl WriteTransaction<'_> {
    /// Moves what names merged rows to those that they became, and what names rows whose merger was undone back.
    pub(crate) async fn merge(&mut self, c: &'static Collection, done: &[Change]) -> Result<()> {
        let Some(slot) = c.merged_slot() else { return Ok(()) };
        for change in done {
            let (Some(old), Some(new)) = (&change.old, &change.new) else { continue };
            match (old.get(slot).int(), new.get(slot).int()) {
                (None, Some(into)) => self.move_over(c, (change.id, into)).await?,
                (Some(into), None) => self.move_back(c, (change.id, into), old).await?,
                _ => {}
            }
        }
        Ok(())
    }

    async fn move_over(&mut self, c: &'static Collection, merger: Merger) -> Result<()> {
        let mut journal = Vec::new();
        let mut faults = Vec::new();
        for place in self.places(c) {
            let ReferenceField { other, slot, field, sub } = place;
            let rows = self.naming(c, place, merger).await?;
            if rows.is_empty() {
                continue;
            }
            let ids: Vec<i64> = rows.iter().filter_map(|row| row.get(ID).int()).collect();
            // A list that named both no longer shows which of them it named.
            let both = rows.iter().filter(|row| ids_in(row.get(slot), sub).contains(&merger.1));
            let both = both.map(|row| json!({"id": row.get(ID).int(), "before": plain(row.get(slot))}));
            let both: Vec<Json> = both.collect();
            self.put(c, place, &rows, merger, &mut faults).await?;
            journal.push(json!({
                "collection": other.slug, "field": field.path,
                "member": sub.map(|sub| sub.path.as_str()),
                "ids": ids, "both": both,
            }));
        }
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        let Some(path) = c.merge_journal else { return Ok(()) };
        // The collection's effects may have stored more in it.
        let lookup = Lookup::by_ids("id", [merger.0]).fields(&[path]);
        let row = self.load(c, &lookup).await?;
        let stored = row.first().and_then(|row| row.get(c.at(path)).as_json()).and_then(Json::as_object);
        let mut stored: Map<String, Json> = stored.cloned().unwrap_or_default();
        stored.insert("moved".to_owned(), Json::Array(journal));
        self.amend(c.slug, vec![(merger.0, vec![(c.at(path), Value::json(Json::Object(stored)))])]).await
    }

    async fn move_back(&mut self, c: &'static Collection, (from, into): Merger, old: &Record) -> Result<()> {
        let Some(path) = c.merge_journal else { return Ok(()) };
        let journal = match old.get(c.at(path)) {
            Value::Json(json) => json.get("moved").and_then(Json::as_array).cloned(),
            _ => None,
        };
        let mut faults = Vec::new();
        for place in self.places(c) {
            let ReferenceField { other, slot, field, sub } = place;
            let here = |line: &&Json| {
                line["collection"] == other.slug
                    && line["field"] == field.path
                    && line["member"].as_str() == sub.map(|sub| sub.path.as_str())
            };
            let Some(line) = journal.iter().flatten().find(here) else { continue };
            let ids = line["ids"].as_array().into_iter().flatten().filter_map(Json::as_i64);
            let lookup = Lookup::by_ids("id", ids).fields(&[&field.path]);
            // What was corrected since stays as it is.
            let rows: Vec<Record> = (self.load(other, &lookup).await?.into_iter())
                .filter(|row| ids_in(row.get(slot), sub).contains(&into))
                .collect();
            let before = |row: &Record| {
                let mut both = line["both"].as_array().into_iter().flatten();
                let stored = both.find(|stored| stored["id"].as_i64() == row.get(ID).int())?;
                Some(stored["before"].clone())
            };
            let (listed, alone): (Vec<Record>, Vec<Record>) = (rows.into_iter()).partition(|row| before(row).is_some());
            self.put(c, place, &alone, (into, from), &mut faults).await?;
            let listed = listed.iter().filter_map(|row| {
                let was = stored(field, before(row)?);
                let same = replaced(&was, field, sub, (from, into)) == *row.get(slot);
                same.then_some((row.get(ID).int()?, vec![(slot, was)]))
            });
            let listed: Vec<_> = listed.collect();
            self.amend(other.slug, listed).await?;
        }
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        self.amend(c.slug, vec![(from, vec![(c.at(path), Value::Null)])]).await
    }

    /// Rows that name a merged one at a place, those aside that are to stay.
    async fn naming(
        &mut self,
        c: &'static Collection,
        place: ReferenceField,
        (from, into): Merger,
    ) -> Result<Vec<Record>> {
        let ReferenceField { other, field, sub, .. } = place;
        let lookup = match sub {
            Some(sub) => self.naming_in_rows(other, field, sub, from).await?,
            None => Lookup::by_ids(&field.path, [from]),
        };
        let mut rows = self.load(other, &lookup.fields(&[&field.path])).await?;
        if sub.is_none() {
            let mut stay = BTreeSet::new();
            for (of, key) in self.keys_through(c) {
                if of.slug == other.slug && key.first().is_some_and(|f| f.path == field.path) {
                    let rivals = self.rivals(other, &key, (from, into), MOST_ROWS).await?;
                    stay.extend(rivals.iter().filter(|rivals| rivals.stays).map(|rivals| rivals.from));
                }
            }
            rows.retain(|row| row.get(ID).int().is_none_or(|id| !stay.contains(&id)));
        }
        Ok(rows)
    }

    /// Writes another row in the place of one.
    async fn put(
        &mut self,
        c: &'static Collection,
        place: ReferenceField,
        rows: &[Record],
        (from, into): Merger,
        faults: &mut Vec<Issue>,
    ) -> Result<()> {
        let ReferenceField { other, slot, field, sub } = place;
        let own = |id: i64| other.slug == c.slug && id == into;
        let moved = rows.iter().filter_map(|row| {
            let id = row.get(ID).int()?;
            let value = match &field.kind {
                // A row does not name itself because it took another's place.
                Kind::Relation(_) if own(id) => Value::Null,
                _ => replaced(row.get(slot), field, sub, (from, into)),
            };
            Some((id, vec![(slot, value)]))
        });
        let moved: Vec<_> = moved.collect();
        let follows = other.happens.is_some() || other.slug == c.slug;
        let plain = sub.is_none() && matches!(field.kind, Kind::Relation(_));
        let system = Arc::new(Principal::system());
        for piece in moved.chunks(PIECE) {
            if c.merge_journal.is_none() || !follows || !plain || c.merged == Some(&field.path) {
                self.amend(other.slug, piece.to_vec()).await?;
                continue;
            }
            let items = piece.iter().map(|(id, values)| Item::update(*id, Vec::new()).with_server(values.clone()));
            let items: Vec<Item> = items.collect();
            for (outcome, (id, _)) in self.write(other, &system, items).await?.into_iter().zip(piece) {
                let issues = match outcome {
                    Outcome::Refused(Error::Invalid(issues) | Error::Forbidden(issues)) => issues,
                    Outcome::Refused(error) => return Err(error),
                    _ => continue,
                };
                let at = format!("{}.{}.{id}", c.merged.unwrap_or_default(), other.slug);
                faults.extend(issues.into_iter().take(1).map(|issue| Issue {
                    message: said!(
                        "{name} {id}: {fault}",
                        name = other.singular.as_str(),
                        id = id,
                        fault = issue.message
                    ),
                    path: at.clone(),
                    ..issue
                }));
            }
        }
        Ok(())
    }

    async fn naming_in_rows(
        &mut self,
        other: &'static Collection,
        field: &'static Field,
        sub: &'static Field,
        id: i64,
    ) -> Result<Lookup> {
        let mut sql = Sql::new("SELECT t.\"id\" FROM ");
        sql.name(&other.table).push(" t WHERE ");
        let expr = format!("t.\"{}\"", field.column);
        let (before, after) = self.tx.dialect().rows_have(&expr, &sub.path);
        sql.push(&before).bind_list(Ty::Int, [Value::Int(id)]).push(&after);
        let rows = self.tx.rows(sql).await?;
        let ids: Vec<i64> = rows.iter().filter_map(|row| row.int(0)).collect();
        Ok(Lookup::by_ids("id", ids))
    }
}

/// A list as the journal stores it.
fn plain(value: &Value) -> Json {
    match value {
        Value::Ids(list) => json!(list),
        Value::Json(rows) => (**rows).clone(),
        _ => Json::Null,
    }
}

/// A list as the book stores it.
fn stored(field: &Field, value: Json) -> Value {
    match field.kind {
        Kind::Relations(_) => Value::Ids(value.as_array().into_iter().flatten().filter_map(Json::as_i64).collect()),
        _ => Value::json(value),
    }
}
