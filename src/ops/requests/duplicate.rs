//! Copies a row that a caller sees. Only fields that the caller may read there and may write are
//! copied, so that a copy never shows more than the original. Must not know HTTP.

use crate::write::{ValueDecision, takes};
use crate::{Book, Item, parse_body};
use model::error::{Error, Issue, Result};
use model::record::Value;
use model::registry::{Collection, Field, Kind, Principal};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// The suffix of a text that must be unique in a copy.
const COPY: &str = " - Copy";

impl Book {
    /// The item that writes a copy of a row, with what the caller sent in place of the original's values. Unique texts
    /// get a suffix if they may be so long; other unique fields stay empty.
    ///
    /// # Errors
    /// [`Error::Forbidden`] and [`Error::NotFound`] as for reading the row.
    pub async fn copied(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        id: i64,
        sent: (Vec<(usize, Value)>, Vec<Issue>),
    ) -> Result<Item> {
        let document = self.by_id(caller, c, id, 0_u8).await?;
        let document: Map<String, Json> = serde_json::from_slice(&document).map_err(Error::internal)?;
        let (original, _) = parse_body(c, &document, None);
        let (mut values, issues) = sent;
        for (slot, value) in original {
            let Some(field) = c.fields.get(slot) else { continue };
            let stamp = slot == c.created_slot() || slot == c.updated_slot();
            if stamp || values.iter().any(|(taken, _)| *taken == slot) {
                continue;
            }
            let value = copy(field, value);
            if matches!(takes(caller, field, None, &value), ValueDecision::Yes) {
                values.push((slot, value));
            }
        }
        Ok(Item::create(values).with_issues(issues))
    }
}

fn copy(field: &Field, value: Value) -> Value {
    match (&field.kind, value) {
        (kind @ (Kind::Text(_) | Kind::LongText), Value::Text(text)) if field.unique => {
            let copy = format!("{text}{COPY}");
            match kind {
                Kind::Text(most) if copy.chars().count() > *most => Value::Null,
                _ => Value::Text(copy),
            }
        }
        _ if field.unique => Value::Null,
        // Rows get new ids.
        (Kind::Rows(_), Value::Json(mut rows)) => {
            for row in Arc::make_mut(&mut rows).as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut) {
                row.insert("id".to_owned(), super::body::row_id().into());
            }
            Value::Json(rows)
        }
        (_, value) => value,
    }
}
