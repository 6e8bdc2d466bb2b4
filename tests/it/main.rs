//! The integration tests: one binary, so that they are linked once and share one PostgreSQL server.
//!
//! Modules are under `cfg(test)`, which is always true here, because only there does clippy treat functions beside
//! the tests for test code, in which `expect` and its kind are at home.

#[cfg(test)]
#[macro_use]
extern crate test_attribute;
#[cfg(test)]
#[macro_use]
extern crate test_support;

// Before the others, which use its words.
#[cfg(test)]
#[macro_use]
mod support;

#[cfg(test)]
mod ade;
#[cfg(test)]
mod backup;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod dialect;
#[cfg(test)]
mod docs;
#[cfg(test)]
mod evaluation_runs;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod feed;
#[cfg(test)]
mod fill;
#[cfg(test)]
mod findings;
#[cfg(test)]
mod follow;
#[cfg(test)]
mod graphql;
#[cfg(test)]
mod import;
#[cfg(test)]
mod interference;
#[cfg(test)]
mod languages;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod layout;
#[cfg(test)]
mod letters;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod matrix;
#[cfg(test)]
mod openapi;
#[cfg(test)]
mod packages;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod polling;
#[cfg(test)]
mod program;
#[cfg(test)]
mod program_users;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod rest;
#[cfg(test)]
mod run;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod traffic;
#[cfg(test)]
mod transfer;
#[cfg(test)]
mod upgrades;
#[cfg(test)]
mod walk;
#[cfg(test)]
mod webhooks;
