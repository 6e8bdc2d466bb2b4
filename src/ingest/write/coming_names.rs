//! Names of rows that files bring, in little memory: a name that was added is always known, and few
//! others are taken for one (a Bloom filter: Bloom, CACM 13(7), 1970). A row that names such a one
//! waits longer than it must, and is written all the same.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Bits for each name, and probes: one in some hundred unknown names is taken for a known one.
const BITS: u64 = 12;
const PROBES: u64 = 4;
/// Bits of a word.
const WORD: u64 = 64;
/// The largest table, bits: 64 MiB.
const LARGEST: u64 = 1 << 29;

/// Names of rows that are in the files.
#[derive(Debug, Clone)]
pub(crate) struct ComingNames(Vec<u64>);

impl ComingNames {
    /// For about so many names.
    pub(crate) fn of(names: u64) -> Self {
        let bits = names.saturating_mul(BITS).clamp(WORD, LARGEST);
        let words = usize::try_from(bits.next_power_of_two() / WORD).unwrap_or(1);
        Self(vec![0; words])
    }

    pub(crate) fn insert(&mut self, name: &str) {
        for (word, bit) in self.places(name) {
            if let Some(word) = self.0.get_mut(word) {
                *word |= bit;
            }
        }
    }

    /// Whether a name may have been added.
    pub(crate) fn contains(&self, name: &str) -> bool {
        let set = |(word, bit): (usize, u64)| self.0.get(word).is_some_and(|word| word & bit != 0);
        self.places(name).into_iter().all(set)
    }

    /// Adds the id of a row.
    pub(crate) fn insert_id(&mut self, id: i64) {
        self.insert(&by_id(&id.to_string()));
    }

    /// Whether an id may have been added.
    pub(super) fn contains_id(&self, id: &str) -> bool {
        self.contains(&by_id(id))
    }

    fn places(&self, name: &str) -> Vec<(usize, u64)> {
        let words = (self.0.len() as u64).max(1);
        let hash = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            (salt, name.trim()).hash(&mut hasher);
            hasher.finish()
        };
        let (first, second) = (hash(0), hash(1) | 1);
        (0..PROBES)
            .map(|probe| {
                let bit = first.wrapping_add(probe.wrapping_mul(second)) % (words * WORD);
                let word = usize::try_from(bit / WORD).unwrap_or_default();
                (word, 1 << (bit % WORD))
            })
            .collect()
    }
}

/// Ids are no other names.
fn by_id(id: &str) -> String {
    format!("id\0{id}")
}

#[cfg(test)]
mod tests {
    use super::ComingNames;

    #[test]
    fn what_was_added_is_known_and_little_else() {
        let mut names = ComingNames::of(10_000);
        (0..10_000).for_each(|n| names.insert(&format!("RU{n}")));
        assert!((0..10_000).all(|n| names.contains(&format!(" RU{n}"))));
        let wrong = (10_000..20_000).filter(|n| names.contains(&format!("RU{n}")));
        assert!(wrong.count() < 200);
    }
}
