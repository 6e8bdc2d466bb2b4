//! What the answer to a write tells once and never again (`Field::shown_once`).

use model::registry::{Change, Collection};
use serde_json::Value;

/// Name and value of each member that a write tells in its own answer only. They are stored
/// nowhere: whoever does not keep them makes new ones.
pub fn shown_once(c: &'static Collection, change: &Change) -> Vec<(&'static str, Value)> {
    let told = c.fields.iter().enumerate().filter(|(_, f)| f.shown_once);
    told.filter_map(|(slot, f)| {
        let text = change.new.as_ref()?.get(slot).text()?;
        Some((f.name(), text.into()))
    })
    .collect()
}
