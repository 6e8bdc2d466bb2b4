//! The checks: functions and the requirements that they test.

mod batch;
mod core;
mod errors;
mod feed;
mod filter;
mod intake;
mod performance;
mod profile;
mod push;
mod read;
mod roundtrip;
mod schema;
mod security;
mod sending;
mod writes;

use std::future::Future;
use std::pin::Pin;

use crate::tally::Tally;
use crate::visit::Visit;

/// A running check.
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A function, and the requirements that it tests.
pub(crate) struct Check {
    pub(crate) ids: &'static [&'static str],
    /// Requirements that other checks report where this one has nothing to test.
    also: &'static [&'static str],
    pub(crate) run: for<'a> fn(&'a Visit<'a>, &'a mut Tally<'_>) -> Running<'a>,
}

impl Check {
    /// All requirements that it tests.
    pub(crate) fn tested(&self) -> impl Iterator<Item = &'static str> {
        self.ids.iter().chain(self.also).copied()
    }
}

/// Declares a check: the function, and the ids of its requirements.
macro_rules! check {
    ($run:path => $($id:literal),+ $(; also $($other:literal),+)?) => {
        $crate::checks::Check {
            ids: &[$($id),+],
            also: &[$($($other),+)?],
            run: |visit, tally| Box::pin($run(visit, tally)),
        }
    };
}
use check;

/// All of them, in the order they run: checks that only read come first, those that judge the whole visit last.
pub(crate) fn all() -> impl Iterator<Item = &'static Check> {
    [
        core::CHECKS,
        schema::CHECKS,
        read::CHECKS,
        filter::CHECKS,
        feed::CHECKS,
        profile::CHECKS,
        performance::CHECKS,
        security::CHECKS,
        intake::CHECKS,
        batch::CHECKS,
        push::CHECKS,
        writes::CHECKS,
        roundtrip::CHECKS,
        errors::CHECKS,
    ]
    .into_iter()
    .flatten()
}

/// The ids that checks test, one for each check and id.
pub fn checked() -> impl Iterator<Item = &'static str> {
    all().flat_map(Check::tested)
}
