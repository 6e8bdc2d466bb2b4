//! A record as slots of a closed [`Value`] in the order of its declaration. The
//! declaration itself lives above, in the registry; a record only carries values.

use std::collections::BTreeSet;

pub mod json_in;
pub mod time;
mod value;
pub use value::Value;

/// The values of one row. Slot numbers come from the collection's declaration
/// (`registry::Collection::slot`).
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    slots: Vec<Value>,
    /// True when only some columns were read: such a record must not be written back whole.
    partial: bool,
}

static NULL: Value = Value::Null;

impl Record {
    /// A record with so many empty slots.
    pub fn empty(slots: usize) -> Self {
        Self {
            slots: vec![Value::Null; slots],
            partial: false,
        }
    }

    /// The same, marked as read in part.
    pub fn partial(slots: usize) -> Self {
        Self {
            partial: true,
            ..Self::empty(slots)
        }
    }

    /// Whether only some columns were read.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// The value in a slot; null outside.
    pub fn get(&self, slot: usize) -> &Value {
        self.slots.get(slot).unwrap_or(&NULL)
    }

    /// Puts a value into a slot; outside the declaration it is dropped.
    pub fn set(&mut self, slot: usize, value: impl Into<Value>) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = value.into();
        }
    }

    /// All slots.
    pub fn slots(&self) -> &[Value] {
        &self.slots
    }

    /// The slots in which two records of one collection differ.
    pub fn changed(&self, other: &Self) -> BTreeSet<usize> {
        self.slots
            .iter()
            .zip(&other.slots)
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .map(|(i, _)| i)
            .collect()
    }
}
