//! Packages of data, the checks that they pass, and requests for verification.

pub(crate) mod assignments;
pub(crate) mod check_findings;
pub(crate) mod check_settings;
mod comments;
mod pending;
pub(crate) mod pending_columns;
pub(crate) mod pending_values;
pub(crate) mod requests;
pub(crate) mod submission_rows;
pub(crate) mod submissions;
pub(crate) mod survey;

use model::registry::Collection;

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![
        submissions::data_submissions(),
        submission_rows::submission_rows(),
        assignments::upload_assignments(),
        requests::verification_requests(),
        check_settings::check_settings(),
        check_settings::check_thresholds(),
        check_findings::check_findings(),
        pending_columns::pending_columns(),
        pending_values::pending_values(),
    ]
}
