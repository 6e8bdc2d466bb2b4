//! Random choices of a schedule, from its seed alone.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// One stream per actor of a schedule.
    pub(crate) fn new(seed: u64, actor: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000).wrapping_add(actor)))
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).unwrap();
        usize::try_from(self.0.next_u64() % n).unwrap()
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}
