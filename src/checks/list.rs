//! The list of all checks.

use super::check::{Check, Group};
use super::rules::{evaluation, herd, lifecycle, package, passport, pedigree};
use super::{production, reproduction};

/// Every group with its checks.
pub fn groups() -> impl Iterator<Item = (Group, &'static Check)> {
    let lists: [(Group, &[&'static [Check]]); 7] = [
        (Group::Passport, &[passport::CHECKS]),
        (Group::Pedigree, &[pedigree::CHECKS]),
        (Group::Reproduction, reproduction::CHECKS),
        (Group::Production, production::CHECKS),
        (Group::Evaluation, &[evaluation::CHECKS]),
        (Group::Lifecycle, &[lifecycle::CHECKS]),
        (Group::Herd, &[herd::CHECKS, package::CHECKS]),
    ];
    let of = |(group, lists): (Group, &'static [&'static [Check]])| {
        lists.iter().copied().flatten().map(move |check| (group, check))
    };
    lists.into_iter().flat_map(of)
}

/// Every check, group by group.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    groups().map(|(_, check)| check)
}

#[must_use]
pub fn check(code: &str) -> Option<&'static Check> {
    checks().find(|check| check.code == code)
}
