//! Users and organisations, and how people join them.

pub(crate) mod invitations;
pub(crate) mod notices;
pub(crate) mod organizations;
pub(crate) mod taking_part;
pub(crate) mod trust;
pub(crate) mod users;
pub(crate) mod work_letters;

use model::registry::Collection;

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![users::users(), organizations::organizations(), invitations::invitations()]
}
