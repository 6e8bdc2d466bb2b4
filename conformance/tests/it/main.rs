//! The tests of the tester: one binary, so that it is linked once.
//!
//! Modules are under `cfg(test)`, which is always true here, because only there does clippy treat functions beside
//! the tests as test code, in which `expect` and its kind are allowed.

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
