//! Ids of rows that an import wrote, one bit for each: millions of them take little memory.

use std::collections::BTreeMap;

/// Ids of one block.
const BLOCK: i64 = 4_096;
/// Bits of a word.
const BITS: i64 = 64;

/// Rows that came by files so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowIdSet(BTreeMap<i64, Vec<u64>>);

impl RowIdSet {
    /// Adds an id; whether it is new.
    pub(crate) fn insert(&mut self, id: i64) -> bool {
        let (block, word, bit) = place(id);
        let words = (self.0.entry(block)).or_insert_with(|| vec![0; 64]);
        let Some(word) = words.get_mut(word) else { return false };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub(crate) fn contains(&self, id: i64) -> bool {
        let (block, word, bit) = place(id);
        let word = self.0.get(&block).and_then(|words| words.get(word));
        word.is_some_and(|word| word & bit != 0)
    }
}

fn place(id: i64) -> (i64, usize, u64) {
    let within = id.rem_euclid(BLOCK);
    let word = usize::try_from(within / BITS).unwrap_or_default();
    (id.div_euclid(BLOCK), word, 1 << (within % BITS))
}

#[cfg(test)]
mod tests {
    use super::RowIdSet;

    #[test]
    fn every_id_has_a_bit_of_its_own() {
        let mut set = RowIdSet::default();
        let ids = [0, 1, 63, 64, 4_095, 4_096, 4_097, 12_000_000, i64::MAX, -1];
        for (count, id) in ids.iter().enumerate() {
            assert!(!set.contains(*id), "{id}");
            assert!(set.insert(*id), "{id}");
            assert!(!set.insert(*id), "{id}");
            let contained = ids.iter().filter(|id| set.contains(**id)).count();
            assert_eq!(contained, count + 1);
        }
    }
}
