//! Packages of data, the checks that they pass, and requests for verification.

pub(crate) mod assignments;
pub mod check_facts;
pub(crate) mod check_settings;
pub(crate) mod pending_columns;
pub(crate) mod requests;
pub(crate) mod submissions;
