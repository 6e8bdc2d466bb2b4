//! Who calls: principals and their sign-in data, links, keys, mandates, and delays after wrong passwords.

pub(crate) mod challenges;
pub(crate) mod checks;
pub(crate) mod confirm;
pub(crate) mod delays;
pub(crate) mod key_uses;
pub(crate) mod mandates;
pub(crate) mod principal;
pub(crate) mod unsubscribe;
pub(crate) mod verifiers;
pub(crate) mod view_links;
