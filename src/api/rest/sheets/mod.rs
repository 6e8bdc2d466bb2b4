//! Pages and PDF of a record: certificates, cards.

pub(crate) mod card;
pub(crate) mod certificates;
pub(super) mod printed;
