//! Values that only the answer to a write shows (`Field::shown_once`).

use model::registry::{Change, Collection};
use serde_json::Value;

/// Name and value of each member that only the answer to the write shows. They are stored
/// nowhere: a client that loses them must have new ones made.
pub fn shown_once(c: &'static Collection, change: &Change) -> Vec<(&'static str, Value)> {
    let secrets = c.fields.iter().enumerate().filter(|(_, f)| f.shown_once);
    secrets
        .filter_map(|(slot, f)| {
            let text = change.new.as_ref()?.get(slot).text()?;
            Some((f.name(), text.into()))
        })
        .collect()
}
