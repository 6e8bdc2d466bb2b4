//! The tests of the oracle: one binary, so that it is linked once.
//!
//! Modules stand under `cfg(test)`, which is always true here, because only there does clippy take functions beside
//! the tests for test code, in which `expect` and its kind are at home.

#[cfg(test)]
mod laws;
#[cfg(test)]
mod model;
#[cfg(test)]
mod seeded;
