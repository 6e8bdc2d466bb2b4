//! The checks of the book: each is one declaration with one pure function (docs/design/collections.md, *Checks*).
//!
//! A declaration ([`Check`]) says the code, how grave a finding is, which thresholds it has, how far it looks, and the
//! sentence for people in English and Russian. Its function reads a window of plain values ([`Animal`], [`Herd`],
//! [`Package`], [`Book`]) and reports findings. This crate knows neither the database nor the registry, and no clock:
//! today is a parameter. Rules by day use the UTC day.

mod check;
mod day;
mod finding;
mod limits;
mod list;
mod page;
mod production;
mod reporter;
mod reproduction;
mod rules;
mod run;
mod touched;
mod window;

#[cfg(test)]
mod tests;

pub use check::{Check, Group, Rule, Window};
pub use day::Day;
pub use finding::{Finding, Language, Place, Sentence, Severity, Value, Visibility};
pub use limits::{Key, Threshold, Thresholds};
pub use list::{check, checks, groups};
pub use page::page;
pub use reporter::{Grade, Reporter};
pub use rules::package::{LEAST_VALUES, is_never_zero, plausible, possible};
pub use rules::rfid::{RfidFault, check_rfid};
pub use run::{Run, Setting, Settings};
pub use touched::Touched;
pub use window::*;
