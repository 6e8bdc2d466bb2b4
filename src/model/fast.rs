//! Maps and sets in the order of insertion, with a hasher that is quick for short keys. Its seed differs in each
//! process, so that nobody outside can choose keys that collide.

use foldhash::fast::RandomState;

/// [`indexmap::IndexMap`] with the quick hasher.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, RandomState>;

/// [`indexmap::IndexSet`] with the quick hasher.
pub type IndexSet<K> = indexmap::IndexSet<K, RandomState>;
