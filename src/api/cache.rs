//! Caches by text. Inside, all are of one type: the library behind them is large, and would be compiled anew for each
//! type of key and value.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

type Value = Arc<dyn Any + Send + Sync>;

/// How long entries stay, if there is room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifetime {
    Unlimited,
    SincePut(Duration),
    /// Since they were last used.
    SinceUse(Duration),
}

pub(crate) struct Cache<V> {
    entries: moka::sync::Cache<String, Value>,
    values: PhantomData<fn() -> V>,
}

impl<V> fmt::Debug for Cache<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cache")
    }
}

impl<V: Send + Sync + 'static> Cache<V> {
    pub(crate) fn new(most: u64, lifetime: Lifetime) -> Self {
        let builder = moka::sync::Cache::builder().max_capacity(most);
        let entries = match lifetime {
            Lifetime::Unlimited => builder.build(),
            Lifetime::SincePut(time) => builder.time_to_live(time).build(),
            Lifetime::SinceUse(time) => builder.time_to_idle(time).build(),
        };
        Self { entries, values: PhantomData }
    }

    /// For entries that weigh so much together.
    pub(crate) fn by_weight(room: u64, weight: fn(&str, &V) -> usize) -> Self {
        let weight = move |key: &String, value: &Value| {
            let weight = value.downcast_ref().map_or(0, |value| weight(key, value));
            u32::try_from(weight).unwrap_or(u32::MAX)
        };
        let builder = moka::sync::Cache::builder().max_capacity(room);
        Self { entries: builder.weigher(weight).build(), values: PhantomData }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Arc<V>> {
        self.entries.get(key)?.downcast().ok()
    }

    /// Whether a key has a value.
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    pub(crate) fn insert(&self, key: String, value: Arc<V>) {
        self.entries.insert(key, value);
    }

    /// Takes the value of a key out.
    pub(crate) fn remove(&self, key: &str) -> Option<Arc<V>> {
        self.entries.remove(key)?.downcast().ok()
    }
}

impl<V: Default + Send + Sync + 'static> Cache<V> {
    /// The value of a key, which gets one if it has none: at the same time all get the same one.
    pub(crate) fn get_or_default(&self, key: &str) -> Arc<V> {
        let value = self.entries.get_with_by_ref(key, || Arc::new(V::default()));
        value.downcast().unwrap_or_default()
    }
}
