//! Checks of calvings and services.

mod calvings;
mod services;

use super::check::Check;
use super::production::OUTSIDE;

pub(crate) const CHECKS: &[&[Check]] = &[calvings::CHECKS, services::CHECKS, OUTSIDE];
