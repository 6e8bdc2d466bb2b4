//! Fields that the server fills where nobody states a value.

use model::record::Value;
use model::registry::Draft;
use serde_json::{Value as Json, json};

/// Whether the server fills a field, which it notes in `computed`: nobody states a value, or stated one since. Who
/// repeats what is stored states nothing.
pub(crate) fn is_left_out(draft: &mut Draft, slot: usize, computed: usize) -> bool {
    let value = draft.new.get(slot);
    let left_out = match &draft.old {
        Some(old) if old.get(slot) == value => value.is_null() || old.get(computed).truth(),
        _ => value.is_null(),
    };
    draft.new.set(computed, left_out.then_some(Value::Bool(true)));
    left_out
}

/// A number without a trailing `.0`, like other numbers in documents.
pub(crate) fn decimal(n: f64) -> Json {
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    if n.fract() == 0.0 && n.abs() < 1e15 { json!(n as i64) } else { json!(n) }
}

/// JSON whose numbers are all such.
pub(crate) fn decimals(value: Json) -> Json {
    match value {
        Json::Number(n) => n.as_f64().filter(|_| !n.is_i64()).map_or(Json::Number(n), decimal),
        Json::Array(all) => all.into_iter().map(decimals).collect(),
        Json::Object(all) => all.into_iter().map(|(name, value)| (name, decimals(value))).collect(),
        other => other,
    }
}
