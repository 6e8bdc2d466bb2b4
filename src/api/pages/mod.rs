//! Pages and documents beside the faces: the index, the contact for security, the page on the exchange.

pub(crate) mod exchange_page;
pub(crate) mod index;
pub(crate) mod security;
