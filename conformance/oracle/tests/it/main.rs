//! The tests of the oracle: one binary, so that it is linked once.
//!
//! Modules are under `cfg(test)`, which is always true here, because only there does clippy treat functions beside
//! the tests as test code, in which `expect` and its kind are allowed.

#[cfg(test)]
mod laws;
