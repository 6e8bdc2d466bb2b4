//! A record as slots of a closed [`Value`] in the order of its declaration. The
//! declaration itself lives above, in the registry; a record only carries values.

use std::sync::Arc;

pub mod json_in;
mod member;
mod slots;
pub mod time;
mod value;
pub mod zone;
pub use member::{member, text};
pub use slots::{MOST_SLOTS, SlotSet};
pub use value::Value;

/// The values of one row. Slot numbers come from the collection's declaration
/// (`registry::Collection::slot`). A row that was read in part holds the columns that were
/// read and nothing else: hooks look at thousands of rows for a handful of their values.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Slots of the declaration.
    width: usize,
    /// Which slots `values` holds, ascending; all of them where there is no list. Such a
    /// record must not be written back whole.
    part: Option<Arc<[usize]>>,
    /// Shared by the copies of a record until one of them is changed: a write has its rows in
    /// several lists.
    values: Arc<Vec<Value>>,
}

static NULL: Value = Value::Null;

impl Record {
    /// A record with this number of empty slots.
    pub fn empty(slots: usize) -> Self {
        Self { width: slots, part: None, values: vec![Value::Null; slots].into() }
    }

    /// An empty record, marked as read in part.
    pub fn partial(slots: usize) -> Self {
        Self::part(slots, &Arc::from([]), Vec::new())
    }

    /// One that was read in part: `values` belong to `slots`, which ascend.
    pub fn part(width: usize, slots: &Arc<[usize]>, values: Vec<Value>) -> Self {
        debug_assert!(slots.is_sorted() && slots.len() == values.len());
        Self { width, part: Some(Arc::clone(slots)), values: values.into() }
    }

    /// Whether only some columns were read.
    pub fn is_partial(&self) -> bool {
        self.part.is_some()
    }

    /// The slots that were read, ascending; none if all were.
    pub fn slots(&self) -> Option<&Arc<[usize]>> {
        self.part.as_ref()
    }

    /// Whether a slot was read, or set since.
    pub fn has(&self, slot: usize) -> bool {
        match &self.part {
            None => slot < self.width,
            Some(part) => part.binary_search(&slot).is_ok(),
        }
    }

    /// Slots of the declaration.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The value in a slot; null outside, and where it was not read.
    pub fn get(&self, slot: usize) -> &Value {
        let at = match &self.part {
            None => Some(slot),
            Some(part) => part.binary_search(&slot).ok(),
        };
        at.and_then(|at| self.values.get(at)).unwrap_or(&NULL)
    }

    /// Puts a value into a slot; outside the declaration it is dropped.
    pub fn set(&mut self, slot: usize, value: impl Into<Value>) {
        if slot >= self.width {
            return;
        }
        let values = Arc::make_mut(&mut self.values);
        let at = match &self.part {
            None => slot,
            Some(part) => match part.binary_search(&slot) {
                Ok(at) => at,
                Err(at) => {
                    let mut more = part.to_vec();
                    more.insert(at, slot);
                    self.part = Some(more.into());
                    values.insert(at, Value::Null);
                    at
                }
            },
        };
        if let Some(place) = values.get_mut(at) {
            *place = value.into();
        }
    }

    /// The slots in which two records of one collection differ.
    pub fn changed(&self, other: &Self) -> SlotSet {
        (0..self.width.min(other.width)).filter(|slot| self.get(*slot) != other.get(*slot)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_no_larger_than_a_text_and_its_kind() {
        assert_eq!(size_of::<Value>(), 32);
    }

    #[test]
    fn copies_are_shared_until_one_is_changed() {
        let mut record = Record::empty(3);
        record.set(1, "first");
        let before = record.clone();
        assert!(Arc::ptr_eq(&record.values, &before.values));
        record.set(1, "changed");
        assert_eq!(before.get(1), &Value::from("first"));
        assert_eq!(record.get(1), &Value::from("changed"));
        let slots: Arc<[usize]> = [1].into();
        let part = Record::part(3, &slots, vec![Value::Int(7)]);
        let mut more = part.clone();
        more.set(2, 5_i64);
        assert_eq!((part.get(2), more.get(1)), (&NULL, &Value::Int(7)));
    }

    #[test]
    fn a_part_holds_what_was_read_and_takes_what_is_put_in() {
        let slots: Arc<[usize]> = [1, 4].into();
        let mut part = Record::part(6, &slots, vec![Value::Int(7), Value::Null]);
        assert!(part.is_partial() && part.width() == 6);
        assert_eq!((part.get(1), part.get(4), part.get(9)), (&Value::Int(7), &NULL, &NULL));
        part.set(3, 5_i64);
        part.set(9, 5_i64);
        assert_eq!((part.get(1), part.get(3), part.get(9)), (&Value::Int(7), &Value::Int(5), &NULL));
        let mut whole = Record::empty(6);
        whole.set(1, 7_i64);
        assert_eq!(whole.changed(&part), [3].into_iter().collect());
    }
}
