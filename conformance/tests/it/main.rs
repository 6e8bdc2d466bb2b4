//! The tests of the tester: one binary, so that it is linked once.
//!
//! Modules stand under `cfg(test)`, which is always true here, because only there does clippy take functions beside
//! the tests for test code, in which `expect` and its kind are at home.

#[cfg(test)]
mod awkward;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod offline;
#[cfg(test)]
mod reports;
#[cfg(test)]
mod small;
#[cfg(test)]
mod strange;
#[cfg(test)]
mod wire;
