//! Fields that the server fills where nobody states a value.

use model::record::Value;
use model::registry::Draft;

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
