//! What an organisation lets others read: requests, grants, consents, links.

pub(crate) mod access_grants;
pub(crate) mod access_requests;
pub(crate) mod genotype_consents;
pub(crate) mod share_links;
pub(crate) mod sharing;
