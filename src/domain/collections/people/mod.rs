//! Users and organisations, and how people join them.

pub(crate) mod invitations;
pub(crate) mod organizations;
pub(crate) mod taking_part;
pub(crate) mod trust;
pub(crate) mod users;
