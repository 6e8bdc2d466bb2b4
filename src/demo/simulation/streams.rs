//! Random numbers that depend on the seed alone.
//!
//! Every farm, and every animal where its values must not depend on others, has
//! a stream of its own. Distributions use only additions and multiplications,
//! so they are the same on every platform.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of random numbers.
pub(crate) struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of the `index`-th thing of a kind.
    pub(crate) fn new(seed: u64, kind: &str, index: u64) -> Self {
        let mut state = seed ^ fnv(kind) ^ index;
        let mut key = [0_u8; 32];
        for chunk in key.chunks_exact_mut(8) {
            chunk.copy_from_slice(&split_mix(&mut state).to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Any number.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in 0..1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with the probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Uniform whole number, both ends included.
    pub(crate) fn between(&mut self, least: i32, most: i32) -> i32 {
        let width = u64::from(most.abs_diff(least)) + 1;
        least + ((u128::from(self.bits()) * u128::from(width)) >> 64) as i32
    }

    /// Uniform index below `count` (0 for an empty range).
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Normal with mean and standard deviation: the sum of twelve uniform
    /// numbers, which never strays beyond six deviations.
    pub(crate) fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let mut sum = 0_u64;
        for _ in 0..3 {
            let bits = self.bits();
            for part in 0..4 {
                sum += (bits >> (16 * part)) & 0xffff;
            }
        }
        let standard = (sum as f64 + 6.0) / 65_536.0 - 6.0;
        mean + deviation * standard
    }

    /// Normal, rounded to a whole number within bounds.
    pub(crate) fn days(&mut self, mean: f64, deviation: f64, least: i32, most: i32) -> i32 {
        (self.normal(mean, deviation).round() as i32).clamp(least, most)
    }

    /// Index drawn by weights; the last one if they sum to nothing.
    pub(crate) fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.unit() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        weights.len().saturating_sub(1)
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// FNV-1a.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Rounds to this number of decimals.
pub(crate) fn round(value: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn streams_are_fixed_by_seed_kind_and_index() {
        let first = |seed, kind, index| Stream::new(seed, kind, index).bits();
        assert_eq!(first(1, "farm", 2), first(1, "farm", 2));
        assert_ne!(first(1, "farm", 2), first(2, "farm", 2));
        assert_ne!(first(1, "farm", 2), first(1, "milk", 2));
        assert_ne!(first(1, "farm", 2), first(1, "farm", 3));
    }

    #[test]
    fn distributions_have_their_moments() {
        let mut stream = Stream::new(7, "moments", 0);
        let draws: Vec<f64> = (0..20_000).map(|_| stream.normal(10.0, 2.0)).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 10.0).abs() < 0.06, "{mean}");
        assert!((variance - 4.0).abs() < 0.15, "{variance}");
        let days: Vec<i32> = (0..2_000).map(|_| stream.between(-1, 1)).collect();
        assert!((-1..=1).all(|day| days.contains(&day)));
        assert!(days.iter().all(|day| (-1..=1).contains(day)));
        let picks = (0..3_000).filter(|_| stream.weighted(&[1.0, 2.0]) == 1).count();
        assert!((1_850..2_150).contains(&picks), "{picks}");
    }
}
