//! What an organisation lets others read, by requests, grants, consents, links, and what it lets them
//! send, by mandates.

pub(crate) mod access_grants;
pub(crate) mod access_requests;
pub(crate) mod by_key;
pub(crate) mod genotype_consents;
pub(crate) mod mandates;
pub(crate) mod share_links;
pub(crate) mod sharing;

use model::registry::Collection;

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![
        access_requests::access_requests(),
        access_grants::access_grants(),
        genotype_consents::genotype_consents(),
        share_links::share_links(),
        mandates::mandates(),
    ]
}
