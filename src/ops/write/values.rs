//! Converts values to columns and back.

use model::record::{SlotSet, Value};
use model::registry::{Collection, Field, Kind};
use store::Ty;

/// A value whose JSON was read as text.
pub(super) fn read_as(ty: Ty, value: Value) -> Value {
    match (ty, value) {
        (Ty::Json, Value::Text(text)) => serde_json::from_str(&text).map_or(Value::Null, Value::json),
        (_, value) => value,
    }
}

/// A value to be stored: JSON as its text, which costs less than a copy of its members.
pub(super) fn bound(value: &Value) -> Value {
    match value {
        Value::Json(json) => Value::Text(json.to_string()),
        value => value.clone(),
    }
}

/// Whether the database takes any values in these slots.
pub(super) fn are_free(c: &Collection, slots: SlotSet) -> bool {
    let free = |field: &Field| {
        let path = field.path.as_str();
        let mut keys = c.uniques.iter().chain([&c.trigram]).flatten();
        !field.unique && field.target().is_none() && !keys.any(|key| *key == path)
    };
    slots.iter().filter_map(|slot| c.fields.get(slot)).all(free)
}

/// JSON columns hold rows, free JSON or several select values.
pub(crate) fn stored(field: &Field, value: Value) -> Value {
    match (&field.kind, value) {
        (Kind::Selects(_) | Kind::Texts(_), Value::Json(json)) => match json.as_array() {
            Some(list) => Value::Texts(list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()),
            None => Value::Json(json),
        },
        (_, value) => value,
    }
}
