//! The tests of the standard: one binary, so that it is linked once.
//!
//! Modules are under `cfg(test)`, which is always true here, because only there does clippy treat functions beside
//! the tests for test code, in which `expect` and its kind are at home.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod catalog;
#[cfg(test)]
mod official;
#[cfg(test)]
mod official_urls;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod support;
#[cfg(test)]
mod validate;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod xml;
