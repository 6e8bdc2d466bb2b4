//! Sets of slots. A write asks of each row several times which of its slots changed, so that such a set is a
//! few words in place, which are copied and compared as numbers.

/// Slots that a collection has at most: as many as a set can name.
pub const MOST_SLOTS: usize = WORDS * 64;

const WORDS: usize = 4;

/// A set of slots below [`MOST_SLOTS`]; others are not taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotSet([u64; WORDS]);

/// The word that a slot is in, and its bit there.
fn bit(slot: usize) -> (usize, u64) {
    (slot / 64, 1 << (slot % 64))
}

impl SlotSet {
    /// All slots of a collection of this width.
    pub fn all(width: usize) -> Self {
        let mut set = Self::default();
        for (at, word) in set.0.iter_mut().enumerate() {
            *word = match width.saturating_sub(at * 64) {
                0 => 0,
                count @ 1..64 => (1 << count) - 1,
                _ => u64::MAX,
            };
        }
        set
    }

    /// Adds a slot.
    pub fn insert(&mut self, slot: usize) {
        let (at, bit) = bit(slot);
        if let Some(word) = self.0.get_mut(at) {
            *word |= bit;
        }
    }

    /// Whether a slot is in it.
    pub fn contains(&self, slot: usize) -> bool {
        let (at, bit) = bit(slot);
        self.0.get(at).is_some_and(|word| word & bit != 0)
    }

    /// Whether the two have a slot in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether it has no slot.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// How many slots it has.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Its slots, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.0.into_iter().enumerate().flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let next = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(at * 64 + next)
            })
        })
    }
}

impl Extend<usize> for SlotSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, slots: I) {
        slots.into_iter().for_each(|slot| self.insert(slot));
    }
}

impl FromIterator<usize> for SlotSet {
    fn from_iter<I: IntoIterator<Item = usize>>(slots: I) -> Self {
        let mut set = Self::default();
        set.extend(slots);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set_of_numbers(
            these in prop::collection::vec(0..MOST_SLOTS, 0..40),
            those in prop::collection::vec(0..MOST_SLOTS, 0..3),
        ) {
            let set: SlotSet = these.iter().copied().collect();
            let other: SlotSet = those.iter().copied().collect();
            let [model, other_model] = [&these, &those].map(|s| s.iter().copied().collect::<BTreeSet<_>>());
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
            prop_assert!((0..MOST_SLOTS + 70).all(|slot| set.contains(slot) == model.contains(&slot)));
            prop_assert_eq!(set.meets(&other), !model.is_disjoint(&other_model));
            prop_assert_eq!(set == other, model == other_model);
        }

        #[test]
        fn all_slots_are_those_below_the_width(width in 0..=MOST_SLOTS) {
            prop_assert_eq!(SlotSet::all(width), (0..width).collect());
        }
    }

    #[test]
    fn a_slot_that_no_collection_has_is_not_taken() {
        let set: SlotSet = [MOST_SLOTS, usize::MAX].into_iter().collect();
        assert!(set.is_empty() && !set.contains(usize::MAX));
    }

    #[test]
    fn a_collection_with_more_fields_is_refused() {
        use crate::registry::{Access, Collection, Registry, Rule, text};
        let of = |count: usize| {
            let fields = (0..count).map(|n| text(&format!("f{n}")).into());
            let access = Access::read(Rule::Any);
            Registry::build(vec![Collection::new("wide", access, fields.collect())])
        };
        let own = of(0).unwrap().get("wide").unwrap().width();
        let most = of(MOST_SLOTS - own).unwrap();
        assert_eq!(most.get("wide").unwrap().width(), MOST_SLOTS);
        let faults = of(MOST_SLOTS - own + 1).unwrap_err();
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].code, "too-many-fields");
    }
}
